package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxHeadText bounds what is kept of a name or an id, in bytes. What is longer is neither.
const maxHeadText = 512

// head finds the id of a JSON-RPC message, and whether it has a method, while the message passes by in pieces and
// nothing else of it is kept. It expects JSON and does not check it.
type head struct {
	depth    int
	inString bool
	escaped  bool
	isValue  bool   // the next token of the outermost object is a member's value
	token    []byte // of the outermost object, being read
	name     string // of the member being read
	idText   []byte
	method   bool
}

func (h *head) read(part []byte) {
	for _, b := range part {
		if h.inString {
			h.readString(b)
		} else {
			h.readOther(b)
		}
	}
}

func (h *head) readString(b byte) {
	h.keep(b)
	switch {
	case h.escaped:
		h.escaped = false
	case b == '\\':
		h.escaped = true
	case b == '"':
		h.inString = false
	}
}

func (h *head) readOther(b byte) {
	switch b {
	case '{', '[':
		h.depth++
	case '}', ']':
		if h.depth--; h.depth == 0 {
			h.endMember()
		}
	case ',':
		if h.depth == 1 {
			h.endMember()
		}
	case ':':
		if h.depth == 1 {
			h.endName()
		}
	case ' ', '\t', '\r':
	default:
		h.inString = b == '"'
		h.keep(b)
	}
}

// keep notes a byte of a token of the outermost object.
func (h *head) keep(b byte) {
	if h.depth == 1 && len(h.token) <= maxHeadText {
		h.token = append(h.token, b)
	}
}

func (h *head) endName() {
	h.name = ""
	_ = json.Unmarshal(h.token, &h.name) // what is no name is nobody's
	h.token, h.isValue = h.token[:0], true
}

func (h *head) endMember() {
	if h.isValue {
		switch h.name {
		case "id":
			h.idText = append([]byte(nil), h.token...)
		case "method":
			h.method = true
		}
	}
	h.token, h.isValue = h.token[:0], false
}

// isRequest reports whether the message asks for something.
func (h *head) isRequest() bool { return h.method }

// id is the message's id, the zero ID when it has none that can be answered.
func (h *head) id() jsonrpc.ID {
	var value any
	if len(h.idText) > maxHeadText || json.Unmarshal(h.idText, &value) != nil {
		return jsonrpc.ID{}
	}
	id, err := jsonrpc.MakeID(value)
	if err != nil {
		return jsonrpc.ID{}
	}
	return id
}
