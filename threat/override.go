// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"fmt"
	"slices"
)

// maxEntries is how many entries a list of an override may have, double ones
// included.
const maxEntries = 1000

// Override is what one request wants otherwise. A nil field keeps the
// organisation's value; an empty list replaces its list by none.
type Override struct {
	Mode                              *Mode
	Blacklist, Whitelist, BlockedTLDs *[]string
	Failure                           *FailurePolicy
	Threshold                         *int // 0 to 100
}

// FieldError says which member of an override is wrong: 400 on the wire.
type FieldError struct {
	Path string // as on the wire, from the override: blacklist[3]
	Msg  string // for the caller
}

// Error returns "<path>: <msg>".
func (e *FieldError) Error() string { return e.Path + ": " + e.Msg }

// Reason says why an override is refused.
type Reason uint8

// Reasons, in the order in which they are looked at.
const (
	NotEnabled        Reason = iota + 1 // the team has no threat protection
	OverridesDisabled                   // its organisation refuses overrides
	CannotDisable                       // it is enforced, and the override says off
)

// ForbiddenError refuses an override that is well formed: 403 on the wire.
type ForbiddenError struct{ Reason Reason }

// Error returns a text for the caller.
func (e *ForbiddenError) Error() string {
	switch e.Reason {
	case NotEnabled:
		return "Threat protection is not enabled for this team."
	case OverridesDisabled:
		return "Threat protection overrides are disabled for this team."
	}
	return "Threat protection is enforced for this team and cannot be off."
}

// OverrideMode says how an override acts on the organisation's policy.
type OverrideMode uint8

// Override modes; the first is the default.
const (
	Replace     OverrideMode = iota // each field that is there replaces the organisation's
	TightenOnly                     // the stricter of both holds
)

// Team is what threat protection means for one team. The zero value has it not
// enabled.
type Team struct {
	Enabled        bool
	Enforced       bool // implies Enabled
	AllowOverrides bool
	OverrideMode   OverrideMode
	Policy         *Policy // the organisation's; nil: none stored
}

// Resolve returns the policy that holds for a request of team t with the
// override o, nil where it has none. Its lists are in normal form.
//
// A malformed override is a [*FieldError] whatever the team, one that the team
// may not give a [*ForbiddenError]. An organisation's policy that does not
// compile is an error that wraps [ErrPolicy]: no request of that team can be
// judged, and none may pass.
func Resolve(t Team, o *Override) (Policy, error) {
	enabled := t.Enabled || t.Enforced
	if o != nil {
		var err error
		if o, err = o.Normalize(); err != nil {
			return Policy{}, err
		}
		switch {
		case !enabled:
			return Policy{}, &ForbiddenError{NotEnabled}
		case !t.AllowOverrides:
			return Policy{}, &ForbiddenError{OverridesDisabled}
		case t.Enforced && o.Mode != nil && *o.Mode == Off:
			return Policy{}, &ForbiddenError{CannotDisable}
		}
	}
	if !enabled {
		return Policy{}, nil
	}
	var p Policy
	if t.Policy != nil {
		var err error
		if p, err = t.Policy.normalize(); err != nil {
			// Not wrapped: the fault is not in the request's fields.
			return Policy{}, &Error{Err: fmt.Errorf("%w: %v", ErrPolicy, err)} //nolint:errorlint // see above
		}
	}
	if t.Enforced && p.Mode == Off {
		p.Mode = Normal
	}
	switch {
	case o == nil:
	case t.OverrideMode == TightenOnly:
		p = tighten(p, o)
	default:
		p = replace(p, o)
	}
	return p, nil
}

// Normalize returns o with every entry in normal form, without double ones, in
// the order of their first mention. It does not change o. Errors are of type
// [*FieldError]: the first fault in the order blacklist, whitelist, blockedTlds,
// mode, failurePolicy, riskScoreThreshold.
func (o *Override) Normalize() (*Override, error) {
	n := *o
	for _, l := range []struct {
		path string
		list **[]string
		form func(string) (entry, string)
	}{
		{"blacklist", &n.Blacklist, wireEntry},
		{"whitelist", &n.Whitelist, wireEntry},
		{"blockedTlds", &n.BlockedTLDs, lowerTLDEntry},
	} {
		if *l.list == nil {
			continue
		}
		if got := len(**l.list); got > maxEntries {
			return nil, &FieldError{l.path, fmt.Sprintf("must not have more than %d items, has %d", maxEntries, got)}
		}
		list, at, msg := normalList(**l.list, l.form)
		if msg != "" {
			return nil, &FieldError{fmt.Sprintf("%s[%d]", l.path, at), msg}
		}
		*l.list = &list
	}
	if n.Mode != nil && *n.Mode > Normal {
		return nil, &FieldError{"mode", "must be off or normal"}
	}
	if n.Failure != nil && *n.Failure > Open {
		return nil, &FieldError{"failurePolicy", "must be open or closed"}
	}
	if n.Threshold != nil && (*n.Threshold < 0 || *n.Threshold > 100) {
		return nil, &FieldError{"riskScoreThreshold", "must be from 0 to 100"}
	}
	return &n, nil
}

// normalize returns p with its lists in normal form.
func (p Policy) normalize() (Policy, error) {
	form := wireEntry
	if p.Stars {
		form = starEntry
	}
	for _, l := range []struct {
		path string
		list *[]string
		form func(string) (entry, string)
	}{
		{"blacklist", &p.Blacklist, form},
		{"whitelist", &p.Whitelist, form},
		{"blockedTlds", &p.BlockedTLDs, tldEntry},
	} {
		list, at, msg := normalList(*l.list, l.form)
		if msg != "" {
			return p, fmt.Errorf("%w: %s[%d]: %s", ErrEntry, l.path, at, msg)
		}
		*l.list = list
	}
	switch {
	case p.Mode > Normal:
		return p, fmt.Errorf("%w: mode %d", ErrPolicy, p.Mode)
	case p.Failure > Open:
		return p, fmt.Errorf("%w: failure policy %d", ErrPolicy, p.Failure)
	case p.Threshold != nil && (*p.Threshold < 0 || *p.Threshold > 100):
		return p, fmt.Errorf("%w: threshold %d", ErrPolicy, *p.Threshold)
	}
	return p, nil
}

// threshold returns the score from which on p blocks.
func (p Policy) threshold() int {
	if p.Threshold == nil {
		return DefaultThreshold
	}
	return *p.Threshold
}

// replace returns p with the fields that o has.
func replace(p Policy, o *Override) Policy {
	set(&p.Mode, o.Mode)
	set(&p.Blacklist, o.Blacklist)
	set(&p.Whitelist, o.Whitelist)
	set(&p.BlockedTLDs, o.BlockedTLDs)
	set(&p.Failure, o.Failure)
	if o.Threshold != nil {
		p.Threshold = new(*o.Threshold)
	}
	return p
}

func set[T any](dst, src *T) {
	if src != nil {
		*dst = *src
	}
}

// tighten returns the stricter of p and o, field by field. Both are normal.
func tighten(p Policy, o *Override) Policy {
	if o.Mode != nil {
		p.Mode = max(p.Mode, *o.Mode)
	}
	if o.Failure != nil {
		p.Failure = min(p.Failure, *o.Failure)
	}
	if o.Threshold != nil {
		p.Threshold = new(min(p.threshold(), *o.Threshold))
	}
	if o.Blacklist != nil {
		p.Blacklist = union(p.Blacklist, *o.Blacklist)
	}
	if o.BlockedTLDs != nil {
		p.BlockedTLDs = union(p.BlockedTLDs, *o.BlockedTLDs)
	}
	if o.Whitelist != nil {
		p.Whitelist = intersection(p.Whitelist, *o.Whitelist)
	}
	return p
}

// union returns the entries of a, then those of b that a lacks.
func union(a, b []string) []string {
	all, in := slices.Clone(a), newCover(a)
	for _, e := range b {
		if !in[e] {
			all = append(all, e)
		}
	}
	return all
}

// intersection returns entries that stand for the hosts that both a and b stand
// for: of two nested entries the narrower one.
func intersection(a, b []string) []string {
	inA, inB := newCover(a), newCover(b)
	both := []string{}
	for _, e := range a {
		if inB.covers(e) {
			both = append(both, e)
		}
	}
	for _, e := range b {
		if !inA[e] && inA.covers(e) {
			both = append(both, e)
		}
	}
	return both
}
