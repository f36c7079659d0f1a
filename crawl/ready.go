// SPDX-License-Identifier: Apache-2.0

package crawl

import "time"

// readyHosts are the hosts that have something to be asked for. The invariant: a
// host is in at most one queue, and in none while it pauses; then its alarm is
// set.
type readyHosts struct {
	urgent            []*host       // ready now, before the others: their robots.txt has just come
	trusted           []*host       // ready now, in turn
	untrusted         []*host       // ready now, in turn with those: hosts that may be slow
	untrustedNext     bool          // the next turn is theirs
	untrustedInFlight int           // requests
	sleep             alarms[*host] // ready later
}

// len returns how many hosts are ready now.
func (r *readyHosts) len() int { return len(r.urgent) + len(r.trusted) + len(r.untrusted) }

// join puts h among the hosts that are ready now.
func (r *readyHosts) join(h *host) {
	h.queued = true
	switch {
	case h.ruled:
		r.urgent = append(r.urgent, h)
	case h.trusted():
		r.trusted = append(r.trusted, h)
	default:
		r.untrusted = append(r.untrusted, h)
	}
}

// wait sets the alarm of h.
func (r *readyHosts) wait(h *host, at time.Time) {
	if !h.wake.Equal(at) {
		h.wake = at
		r.sleep.set(at, h)
	}
}

// next takes the host out whose turn it is among those that are ready now: first
// those whose robots.txt has just come, then trusted and other ones by turns. It
// returns nil where there is none, or the others have all the workers that they
// may have: then it is crowded.
func (r *readyHosts) next(crowded bool) *host {
	from := &r.trusted
	switch {
	case len(r.urgent) > 0 && (!crowded || r.urgent[0].trusted()):
		from = &r.urgent
	case len(r.untrusted) > 0 && !crowded && (r.untrustedNext || len(r.trusted) == 0):
		from = &r.untrusted
	}
	if len(*from) == 0 {
		return nil
	}
	r.untrustedNext = from != &r.untrusted
	h := (*from)[0]
	*from = (*from)[1:]
	h.queued, h.ruled = false, false
	return h
}

// due takes out a host whose alarm is due; nil if there is none.
func (r *readyHosts) due(now time.Time) *host {
	for {
		h, set, ok := r.sleep.pop(now)
		if !ok {
			return nil
		}
		if h.wake.Equal(set) { // else it was set anew
			h.wake = time.Time{}
			return h
		}
	}
}

// sooner returns the earlier of at and the first alarm; zero is none.
func (r *readyHosts) sooner(at time.Time) time.Time {
	if next, ok := r.sleep.next(); ok && (at.IsZero() || next.Before(at)) {
		return next
	}
	return at
}
