// SPDX-License-Identifier: Apache-2.0

package crawl

import "time"

// place finds the host and the origin of a task.
func (s *state) place(t *task) {
	name := originOf(t.URL)
	t.host = s.host(hostOf(name))
	o := s.origins[name]
	if o == nil {
		o = &origin{host: t.host}
		s.origins[name] = o
	}
	t.origin = o
}

// hostOf returns what is known of the host of a URL: most often it is that of
// the URL before.
func (s *state) hostOf(url string) *host {
	if n := len(s.near.origin); n > 0 && len(url) > n && url[n] == '/' && url[:n] == s.near.origin {
		return s.near.host
	}
	s.near.origin = originOf(url)
	s.near.host = s.host(hostOf(s.near.origin))
	return s.near.host
}

// host returns what is known of a host.
func (s *state) host(name string) *host {
	h := s.hosts[name]
	if h == nil {
		s.sweep()
		home := len(s.hosts) == 0 // the start page comes first
		most := s.c.perHost(home)
		h = &host{name: name, home: home, cap: most, most: most}
		s.hosts[name] = h
		if home {
			s.homes = append(s.homes, h)
		}
	}
	return h
}

// settleAt makes h one of the hosts of the start page.
func (s *state) settleAt(h *host) {
	if h.home {
		return
	}
	most := s.c.perHost(true)
	h.home, h.cap, h.most = true, h.cap+max(0, most-h.most), max(most, h.most)
	s.homes = append(s.homes, h)
}

// manyHosts is how many hosts are remembered at least, with all their origins.
const manyHosts = 4096

// sweep forgets the hosts that are idle, where there are many. Their robots.txt
// is asked for again if they are met again. It costs a pass over all, and waits
// until there are twice as many.
func (s *state) sweep() {
	n := max(len(s.hosts), len(s.origins))
	if n < max(s.sweepAt, manyHosts) || s.replaying {
		return
	}
	now := time.Now()
	busy := map[*host]bool{}
	for _, t := range s.open {
		busy[t.host] = true
	}
	for _, t := range s.order.again {
		busy[t.host] = true
	}
	for _, t := range s.closing {
		busy[t.host] = true
	}
	if s.order.head != nil {
		busy[s.order.head.host] = true
	}
	for name, h := range s.hosts {
		if h.idle(now) && !busy[h] {
			delete(s.hosts, name)
			s.swept++
		}
	}
	for name, o := range s.origins {
		if s.hosts[o.host.name] != o.host {
			delete(s.origins, name)
		}
	}
	s.near.origin, s.near.host = "", nil
	s.sweepAt = 2 * max(len(s.hosts), len(s.origins))
}
