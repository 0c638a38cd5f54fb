package capability

import (
	"fmt"
	"time"
)

// Limits bound everything that a page or an agent can make large. Texts count UTF-16 code units as
// JavaScript does; bytes are of UTF-8.
type Limits struct {
	MaxComponentDescription  int
	MaxCapabilityDescription int
	MaxMetaBytes             int
	MaxOutputBytes           int
	MaxSchemaBytes           int
	// MaxReason bounds unavailable reasons, policy reasons and notes, which are cut.
	MaxReason      int
	MaxInputBytes  int
	MaxSchemaDepth int
	MaxInputDepth  int

	ObservationTimeout time.Duration
	ActionTimeout      time.Duration
	ProcedureTimeout   time.Duration

	ActionQueueDepth                     int
	MaxConcurrentObservationsPerConsumer int
	MaxConcurrentObservationsTotal       int
	MaxQueuedObservationsPerConsumer     int

	DedupeCacheSize int
	DedupeCacheTTL  time.Duration

	TombstoneSize int
	TombstoneTTL  time.Duration

	ConfirmationTTL                    time.Duration
	MaxPendingConfirmations            int
	MaxPendingConfirmationsPerConsumer int
}

// DefaultLimits are the limits of registry.md, Limits.
func DefaultLimits() Limits {
	return Limits{
		MaxComponentDescription:              500,
		MaxCapabilityDescription:             300,
		MaxMetaBytes:                         2048,
		MaxOutputBytes:                       32768,
		MaxSchemaBytes:                       16384,
		MaxReason:                            300,
		MaxInputBytes:                        262144,
		MaxSchemaDepth:                       8,
		MaxInputDepth:                        64,
		ObservationTimeout:                   5 * time.Second,
		ActionTimeout:                        10 * time.Second,
		ProcedureTimeout:                     30 * time.Second,
		ActionQueueDepth:                     2,
		MaxConcurrentObservationsPerConsumer: 8,
		MaxConcurrentObservationsTotal:       32,
		MaxQueuedObservationsPerConsumer:     8,
		DedupeCacheSize:                      200,
		DedupeCacheTTL:                       10 * time.Minute,
		TombstoneSize:                        100,
		TombstoneTTL:                         5 * time.Minute,
		ConfirmationTTL:                      2 * time.Minute,
		MaxPendingConfirmations:              32,
		MaxPendingConfirmationsPerConsumer:   8,
	}
}

// field is one limit under the name that JavaScript gives it; exactly one of the pointers is set.
type field struct {
	name     string
	count    *int
	duration *time.Duration
	most     int // 0 where only the size of the number bounds it
}

// set stores a count, or a number of milliseconds.
func (f field) set(value int) {
	if f.count != nil {
		*f.count = value
	} else {
		*f.duration = time.Duration(value) * time.Millisecond
	}
}

func (l *Limits) fields() []field {
	return []field{
		{name: "maxComponentDescription", count: &l.MaxComponentDescription},
		{name: "maxCapabilityDescription", count: &l.MaxCapabilityDescription},
		{name: "maxMetaBytes", count: &l.MaxMetaBytes},
		{name: "maxOutputBytes", count: &l.MaxOutputBytes},
		{name: "maxSchemaBytes", count: &l.MaxSchemaBytes},
		{name: "maxReason", count: &l.MaxReason},
		{name: "maxInputBytes", count: &l.MaxInputBytes},
		{name: "maxSchemaDepth", count: &l.MaxSchemaDepth, most: DepthCeiling},
		{name: "maxInputDepth", count: &l.MaxInputDepth, most: DepthCeiling},
		{name: "observationTimeoutMs", duration: &l.ObservationTimeout},
		{name: "actionTimeoutMs", duration: &l.ActionTimeout},
		{name: "procedureTimeoutMs", duration: &l.ProcedureTimeout},
		{name: "actionQueueDepth", count: &l.ActionQueueDepth},
		{name: "maxConcurrentObservationsPerConsumer", count: &l.MaxConcurrentObservationsPerConsumer},
		{name: "maxConcurrentObservationsTotal", count: &l.MaxConcurrentObservationsTotal},
		{name: "maxQueuedObservationsPerConsumer", count: &l.MaxQueuedObservationsPerConsumer},
		{name: "dedupeCacheSize", count: &l.DedupeCacheSize},
		{name: "dedupeCacheTtlMs", duration: &l.DedupeCacheTTL},
		{name: "tombstoneSize", count: &l.TombstoneSize},
		{name: "tombstoneTtlMs", duration: &l.TombstoneTTL},
		{name: "confirmationTtlMs", duration: &l.ConfirmationTTL},
		{name: "maxPendingConfirmations", count: &l.MaxPendingConfirmations},
		{name: "maxPendingConfirmationsPerConsumer", count: &l.MaxPendingConfirmationsPerConsumer},
	}
}

// Set changes the limit that JavaScript calls name: a count, or milliseconds for a name that ends in Ms.
// An unknown name, a negative or a not whole value, and a depth beyond DepthCeiling are errors.
func (l *Limits) Set(name string, value float64) error {
	const largest = 1 << 52 / int64(time.Millisecond) // so that a duration cannot overflow
	if value < 0 || value != float64(int64(value)) || int64(value) > largest {
		return fmt.Errorf("limit %s: want a whole number from 0 to %d", name, largest)
	}
	for _, f := range l.fields() {
		if f.name != name {
			continue
		}
		if f.most > 0 && int(value) > f.most {
			return fmt.Errorf("limit %s: want at most %d; deeper values cannot be read safely in a page", name, f.most)
		}
		f.set(int(value))
		return nil
	}
	return fmt.Errorf("limit %s: no such limit", name)
}

// JSON is the limits as an object under their JavaScript names, in the order of registry.md.
func (l Limits) JSON() JSON {
	var object ObjectWriter
	for _, f := range l.fields() {
		if f.count != nil {
			object.Int(f.name, int64(*f.count))
		} else {
			object.Int(f.name, f.duration.Milliseconds())
		}
	}
	return object.JSON()
}
