// SPDX-License-Identifier: Apache-2.0

package threat

import (
	"fmt"
	"slices"
)

// maxEntries is the maximum length of a list of an override, including
// duplicates.
const maxEntries = 1000

// Override contains the changes that one request asks for. A nil field keeps
// the organization's value. An empty list replaces the organization's list.
type Override struct {
	Mode                              *Mode
	Blacklist, Whitelist, BlockedTLDs *[]string
	Failure                           *FailurePolicy
	Threshold                         *int // 0 to 100
}

// FieldError says which field of an override is invalid. It is answered with
// status 400.
type FieldError struct {
	Path string // path of the field within the override, such as blacklist[3]
	Msg  string // sentence for the client
}

// Error returns "<path>: <msg>".
func (e *FieldError) Error() string { return e.Path + ": " + e.Msg }

// Reason says why an override is refused.
type Reason uint8

// Reasons, in the order in which they are checked.
const (
	NotEnabled        Reason = iota + 1 // the team does not have threat protection
	OverridesDisabled                   // the organization does not allow overrides
	CannotDisable                       // threat protection is enforced, and the override would turn it off
)

// ForbiddenError refuses a valid override. It is answered with status 403.
type ForbiddenError struct{ Reason Reason }

// Error returns a text for the client.
func (e *ForbiddenError) Error() string {
	switch e.Reason {
	case NotEnabled:
		return "Threat protection is not enabled for this team."
	case OverridesDisabled:
		return "Threat protection overrides are disabled for this team."
	}
	return "Threat protection is enforced for this team and cannot be off."
}

// OverrideMode says how an override changes the organization's policy.
type OverrideMode uint8

// Override modes; the first is the default.
const (
	Replace     OverrideMode = iota // each field of the override replaces the organization's
	TightenOnly                     // the stricter value of each field applies
)

// Team contains the threat protection settings of one team. In the zero value,
// it is not enabled.
type Team struct {
	Enabled        bool
	Enforced       bool // implies Enabled
	AllowOverrides bool
	OverrideMode   OverrideMode
	Policy         *Policy // policy of the organization; nil if none is stored
}

// Resolve returns the policy for a request of team t with the override o, which
// may be nil. Its lists are normalized.
//
// If the override is invalid, the error is a [*FieldError]. If the team may not
// use it, the error is a [*ForbiddenError]. If the organization's policy does
// not compile, the error wraps [ErrPolicy], and no request of the team may
// proceed.
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
			// The cause is not wrapped, because it is not about the fields of
			// the request.
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

// Normalize returns a copy of o with all entries in normal form, without
// duplicates, in the order of their first occurrence. The error is a
// [*FieldError] for the first fault in the order blacklist, whitelist,
// blockedTlds, mode, failurePolicy, riskScoreThreshold.
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
		return p, fmt.Errorf("%w: unknown mode %d", ErrPolicy, p.Mode)
	case p.Failure > Open:
		return p, fmt.Errorf("%w: unknown failure policy %d", ErrPolicy, p.Failure)
	case p.Threshold != nil && (*p.Threshold < 0 || *p.Threshold > 100):
		return p, fmt.Errorf("%w: threshold %d is out of range", ErrPolicy, *p.Threshold)
	}
	return p, nil
}

// threshold returns the lowest score that p blocks.
func (p Policy) threshold() int {
	if p.Threshold == nil {
		return DefaultThreshold
	}
	return *p.Threshold
}

// replace returns p with the fields that are set in o.
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

// tighten returns the stricter value of p and o for each field. Both are
// normalized.
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

// union returns the entries of a, followed by those that only b has.
func union(a, b []string) []string {
	all, in := slices.Clone(a), newCover(a)
	for _, e := range b {
		if !in[e] {
			all = append(all, e)
		}
	}
	return all
}

// intersection returns entries for the hosts that both a and b match. Of two
// nested entries it keeps the narrower one.
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
