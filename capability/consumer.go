package capability

// ConsumerKind is the sort of peer that calls.
type ConsumerKind string

// The consumer kinds.
const (
	EmbeddedConsumer ConsumerKind = "embedded"
	WebMCPConsumer   ConsumerKind = "webmcp"
	BridgeConsumer   ConsumerKind = "mcp-bridge"
	TestConsumer     ConsumerKind = "test"
	OtherConsumer    ConsumerKind = "other"
)

// Consumer is who calls: what policies judge and what scopes confirmation and invocation identity.
type Consumer struct {
	ID   string       `json:"id"`
	Kind ConsumerKind `json:"kind"`
	// Grants are read by policies only.
	Grants []string `json:"grants,omitempty"`
	// ClaimedName is what the peer says of itself; nothing is decided by it.
	ClaimedName string `json:"claimedName,omitempty"`
}

const anonymous = "anonymous"

// AnonymousConsumer is who calls when nobody is named.
func AnonymousConsumer() Consumer { return Consumer{ID: anonymous, Kind: EmbeddedConsumer} }

// OrAnonymous is c, or the anonymous consumer when c names nobody at all.
func (c Consumer) OrAnonymous() Consumer {
	if c.ID == "" && c.Kind == "" {
		return AnonymousConsumer()
	}
	return c
}

// Key is the consumer's identity: kind ":" id.
func (c Consumer) Key() string {
	if c.ID == anonymous && c.Kind == EmbeddedConsumer {
		return string(EmbeddedConsumer) + ":" + anonymous // the key of most calls, made once
	}
	return string(c.Kind) + ":" + c.ID
}

// Valid reports whether the consumer has an id and a known kind.
func (c Consumer) Valid() bool {
	switch c.Kind {
	case EmbeddedConsumer, WebMCPConsumer, BridgeConsumer, TestConsumer, OtherConsumer:
		return c.ID != ""
	}
	return false
}
