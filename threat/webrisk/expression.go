// SPDX-License-Identifier: Apache-2.0

package webrisk

import (
	"net/netip"
	"slices"
	"strings"
)

const (
	maxHosts = 5 // the host and four of its suffixes
	maxPaths = 6 // with query, without query, and four prefixes
)

// spans are the expressions of a URL: each host followed by each path
// (cloud.google.com/web-risk/docs/urls-hashing, "Suffix/prefix expressions").
type spans struct {
	hosts  [maxHosts]string
	paths  [maxPaths]string
	nHosts int
	nPaths int
}

// spansOf returns the expressions of a URL in the form of [threat.Canonical].
func spansOf(canonical string) (s spans) {
	_, rest, _ := strings.Cut(canonical, "://")
	host, path := rest, "/"
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	s.addHosts(host)
	s.addPaths(path)
	return s
}

// addHosts adds the host and, unless it is an address, up to four of its
// suffixes, which have two to five labels. The host itself counts as one of
// them.
func (s *spans) addHosts(host string) {
	s.hosts[0], s.nHosts = host, 1
	if isAddr(host) {
		return
	}
	// From the right: the dot before each of the last five labels.
	var ends [maxHosts]int
	n := 0
	for dot := len(host); n < maxHosts; n++ {
		if dot = strings.LastIndexByte(host[:dot], '.'); dot < 0 {
			break
		}
		ends[n] = dot + 1
	}
	for n--; n >= 1 && s.nHosts < maxHosts; n-- { // ends[0] is a single label
		s.hosts[s.nHosts] = host[ends[n]:]
		s.nHosts++
	}
}

// isAddr reports whether a canonical host is an address.
func isAddr(host string) bool {
	if host == "" || host[0] != '[' && (host[len(host)-1] < '0' || host[len(host)-1] > '9') {
		return false
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}

// addPaths adds the path with its query, the path without it, and up to four
// prefixes that end with a slash, starting at the root, without duplicates.
func (s *spans) addPaths(path string) {
	add := func(p string) {
		if !slices.Contains(s.paths[:s.nPaths], p) {
			s.paths[s.nPaths] = p
			s.nPaths++
		}
	}
	add(path)
	plain, _, _ := strings.Cut(path, "?")
	add(plain)
	at := 0
	for range maxPaths - 2 {
		i := strings.IndexByte(plain[at:], '/')
		if i < 0 {
			return
		}
		at += i + 1
		add(plain[:at])
	}
}
