// SPDX-License-Identifier: Apache-2.0

package threat

import "strings"

// Meanings of a key of the merged map. A key is a name or a suffix of one.
const (
	whiteHere  uint8 = 1 << iota // on the whitelist: the name and all names below it
	whiteBelow                   // on the whitelist: only names below the name
	blackHere
	blackBelow
	tldHere

	white = whiteHere | whiteBelow
	black = blackHere | blackBelow
	below = whiteBelow | blackBelow

	wildShift = 8 // position of the index in a key's value
)

// Rules are a compiled [Policy]. They are immutable and safe for concurrent
// use. A nil *Rules checks nothing, like the zero Policy.
type Rules struct {
	mode      Mode
	failure   FailurePolicy
	threshold int

	keys   map[string]uint32 // all three lists: the bits above and, from wildShift on, an index into wild
	depths []bool            // whether a key has one label, two labels and so on, up to the longest key
	wild   []string          // "*." and a name, so that a match need not allocate it; the first index is 1
	stars  map[string][]star // by their last two labels
}

// star is an entry that contains a star.
type star struct {
	pattern string
	bits    uint8
}

// Compile returns the rules of p. It takes time linear in the size of the
// lists. Entries need not be normalized. Errors wrap [ErrEntry] or [ErrPolicy].
func Compile(p Policy) (*Rules, error) {
	p, err := p.normalize()
	if err != nil {
		return nil, &Error{Err: err}
	}
	r := &Rules{mode: p.Mode, failure: p.Failure, threshold: p.threshold()}
	if p.Mode == Off {
		return r, nil
	}
	r.keys = make(map[string]uint32, len(p.Whitelist)+len(p.Blacklist)+len(p.BlockedTLDs))
	for _, e := range p.Whitelist {
		r.add(parseNormal(e), whiteHere, whiteBelow)
	}
	for _, e := range p.Blacklist {
		r.add(parseNormal(e), blackHere, blackBelow)
	}
	for _, e := range p.BlockedTLDs {
		r.add(entry{host: e}, tldHere, 0)
	}
	return r, nil
}

// add adds e with the bit here, or with under if e matches only names below it.
func (r *Rules) add(e entry, here, under uint8) {
	if e.stars != "" {
		if r.stars == nil {
			r.stars = make(map[string][]star)
		}
		key := lastTwo(e.host)
		r.stars[key] = append(r.stars[key], star{e.stars, here})
		return
	}
	if e.below {
		here = under
		if r.keys[e.host]>>wildShift == 0 { // the name may be on both lists
			if r.wild == nil {
				r.wild = []string{""}
			}
			r.keys[e.host] |= uint32(len(r.wild)) << wildShift //nolint:gosec // a policy never has 16 million entries
			r.wild = append(r.wild, e.String())
		}
	}
	r.keys[e.host] |= uint32(here)
	depth := strings.Count(e.host, ".")
	for len(r.depths) <= depth {
		r.depths = append(r.depths, false)
	}
	r.depths[depth] = true
}

// lastTwo returns the last two labels of a name.
func lastTwo(host string) string {
	i := strings.LastIndexByte(host, '.')
	return host[strings.LastIndexByte(host[:max(i, 0)], '.')+1:]
}

// match is what the lists say about a host.
type match struct {
	bits         uint8
	white, black hit
	tld          int // offset of the longest key in the host, if bits has tldHere
}

// hit is the longest matching entry of one list, if bits has one for this list.
type hit struct {
	at   int    // offset of the name in the host
	wild uint32 // index of the entry, if it matches only names below it
	star string // the entry, if it contains a star
}

// lookup looks a name up in the lists. It allocates nothing, because keys are
// suffixes of the name.
func (r *Rules) lookup(host string) (m match) {
	end := len(host)
	for _, used := range r.depths {
		dot := strings.LastIndexByte(host[:end], '.')
		if dot < 0 {
			break
		}
		// From right to left, so that the longest key is recorded last.
		if used {
			m.note(r.keys[host[dot+1:]], dot+1)
		}
		end = dot
	}
	m.note(r.keys[host]&^uint32(below), 0)
	if r.stars != nil {
		m.noteStars(r.stars[lastTwo(host)], host)
	}
	return m
}

// note adds the value of the key that starts at offset at of the host.
func (m *match) note(value uint32, at int) {
	bits, wild := uint8(value&(1<<wildShift-1)), value>>wildShift
	if bits == 0 {
		return
	}
	m.bits |= bits
	if bits&white != 0 {
		m.white = hit{at: at}
		if bits&whiteHere == 0 {
			m.white.wild = wild
		}
	}
	if bits&black != 0 {
		m.black = hit{at: at}
		if bits&blackHere == 0 {
			m.black.wild = wild
		}
	}
	if bits&tldHere != 0 {
		m.tld = at
	}
}

// noteStars adds the patterns of list that match host.
func (m *match) noteStars(list []star, host string) {
	for _, s := range list {
		if m.bits&s.bits != 0 || !glob(s.pattern, host) {
			continue
		}
		switch {
		case s.bits&white != 0 && m.bits&white == 0:
			m.white.star = s.pattern
		case s.bits&black != 0 && m.bits&black == 0:
			m.black.star = s.pattern
		}
		m.bits |= s.bits
	}
}

// glob reports whether pattern, in which a star matches any sequence of
// characters, matches all of s. It takes at most len(pattern) x len(s) steps: a
// mismatch goes back to the last star only, because an earlier one could not
// match more.
func glob(pattern, s string) bool {
	p, i := 0, 0
	star, mark := -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && pattern[p] == s[i]:
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// local returns the decision of the lists, and whether they decide.
func (r *Rules) local(t *Target) (Decision, bool) {
	if t.Addr.IsValid() {
		return r.localAddr(t)
	}
	m := r.lookup(t.Host)
	switch {
	case m.bits&white != 0:
		return Decision{Allowed: true, Rule: ByWhitelist, Pattern: r.pattern(t.Host, m.white)}, true
	case m.bits&black != 0:
		return Decision{Rule: ByBlacklist, Pattern: r.pattern(t.Host, m.black)}, true
	case m.bits&tldHere != 0:
		return Decision{Rule: ByTLD, Pattern: t.Host[m.tld:]}, true
	}
	return Decision{}, false
}

// localAddr is local for an address. An address matches only as a whole, by
// itself or by its embedded IPv4 address. It has no TLD.
func (r *Rules) localAddr(t *Target) (Decision, bool) {
	own, inner := r.keys[t.Host], uint32(0)
	if t.embedded != "" {
		inner = r.keys[t.embedded]
	}
	switch {
	case own&uint32(whiteHere) != 0:
		return Decision{Allowed: true, Rule: ByWhitelist, Pattern: t.Host}, true
	case inner&uint32(whiteHere) != 0:
		return Decision{Allowed: true, Rule: ByWhitelist, Pattern: t.embedded}, true
	case own&uint32(blackHere) != 0:
		return Decision{Rule: ByBlacklist, Pattern: t.Host}, true
	case inner&uint32(blackHere) != 0:
		return Decision{Rule: ByBlacklist, Pattern: t.embedded}, true
	}
	return Decision{}, false
}

// pattern returns the entry of a hit.
func (r *Rules) pattern(host string, h hit) string {
	switch {
	case h.star != "":
		return h.star
	case h.wild > 0:
		return r.wild[h.wild]
	}
	return host[h.at:]
}
