package registry

import (
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// The reasons that the runtime itself gives.
const (
	reasonUnregistered = "component-unregistered"
	reasonDisabled     = "component-disabled"
	reasonPushed       = "unavailable"
	reasonWhenError    = "when-error"
	reasonWhenFalse    = "Currently unavailable"
)

// available says whether e can be used now as far as its component is concerned, and why not. It asks the
// author's functions, so no lock may be held.
func (r *Registry) available(e *entry) (ok bool, reason string) {
	r.mu.Lock()
	active, enabled, pushed := e.reg.active, e.reg.enabled, e.pushed
	r.mu.Unlock()
	switch {
	case !active:
		return false, reasonUnregistered
	case !enabled:
		return false, reasonDisabled
	case pushed != nil && !pushed.Available:
		if pushed.Reason == "" {
			return false, reasonPushed
		}
		return false, pushed.Reason
	case e.When == nil:
		return true, ""
	}
	ok, err := guardWhen(e.When)
	switch {
	case err != nil:
		r.options.Log(fmt.Sprintf("when() of %s failed: %v", e.idText, err))
		return false, reasonWhenError
	case ok:
		return true, ""
	}
	return false, r.whenReason(e)
}

func (r *Registry) active(reg *registration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return reg.active
}

func guardWhen(when func() (bool, error)) (ok bool, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panicked: %v", cause)
		}
	}()
	return when()
}

func (r *Registry) whenReason(e *entry) (reason string) {
	if e.UnavailableReason == nil {
		return reasonWhenFalse
	}
	defer func() {
		if cause := recover(); cause != nil {
			reason = reasonWhenFalse
		}
	}()
	if reason = r.cutReason(e.UnavailableReason()); reason == "" {
		return reasonWhenFalse
	}
	return reason
}

// cutReason bounds a text that agents see.
func (r *Registry) cutReason(text string) string {
	cut := capability.Cut(text, r.limits.MaxReason)
	if cut != text {
		r.options.Log(fmt.Sprintf("a reason was cut to %d characters", r.limits.MaxReason))
	}
	return cut
}

// view is how one capability looks to one consumer.
type view struct {
	hidden    bool
	available bool
	reason    string
}

// look is availability and then the policies' vote.
func (r *Registry) look(e *entry, consumer capability.Consumer, hostContext policy.Host) view {
	vote := r.vote(e, consumer, hostContext)
	if vote.Decision == policy.Hide {
		return view{hidden: true}
	}
	if ok, reason := r.available(e); !ok {
		return view{reason: reason}
	}
	if vote.Decision == policy.Disable {
		return view{reason: r.disabledReason(vote)}
	}
	return view{available: true}
}

// vote is the discovery decision on e for a consumer.
func (r *Registry) vote(e *entry, consumer capability.Consumer, hostContext policy.Host) policy.Vote {
	if !e.hasDiscovery() {
		return policy.Vote{Decision: policy.Expose}
	}
	return policy.Discover(e.policies, e.policyContext(r, consumer, hostContext))
}

// hasDiscovery spares most capabilities the cost of a policy context at every look.
func (e *descriptor) hasDiscovery() bool {
	for i := range e.policies {
		if e.policies[i].OnDiscovery != nil {
			return true
		}
	}
	return false
}

func (r *Registry) disabledReason(vote policy.Vote) string {
	if vote.Reason == "" {
		return reasonWhenFalse
	}
	return r.cutReason(vote.Reason)
}
