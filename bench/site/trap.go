// SPDX-License-Identifier: Apache-2.0

package site

import (
	"fmt"
	"strconv"
	"strings"
)

// Traps are the path prefixes of endless spaces, with the maximum number of
// their pages that a crawl may request if it accepts 100 suspected pages.
var Traps = map[string]int{
	"/trap/calendar/": 250, // a page for each month, without end, with the same text
	"/trap/session":   250, // the same page with a new session id
	"/trap/grow":      8,   // a query to which the same parameter is added repeatedly
	"/trap/deep/":     8,   // a relative link that leads to an ever longer path of the same page
	"/trap/ring/":     80,  // two segments that alternate
}

// trapLinks are the links to the traps on the front page.
const trapLinks = `<a href="/trap/calendar/2026-01">calendar</a> <a href="/trap/session?sid=a1b2c3d4e5f60718">session</a>
<a href="/trap/grow?x=1">grow</a> <a href="/trap/deep/">deep</a> <a href="/trap/ring/">ring</a>
`

const trapDir = "/trap/"

// trap returns the page of a trap.
func trap(path string) (body string, ok bool) {
	switch name, rest := trapOf(path); name {
	case "/trap/calendar/":
		year, month, _ := strings.Cut(rest, "-")
		y, _ := strconv.Atoi(year)
		m, _ := strconv.Atoi(month)
		at := y*12 + m - 1
		link := func(at int) string { return fmt.Sprintf(`<a href="%s%d-%02d">month</a>`, name, at/12, at%12+1) }
		return "<title>Calendar</title><p>Nothing happens in " + rest + ".</p>" + link(at-1) + link(at+1), true
	case "/trap/session":
		id, _ := strconv.ParseUint(strings.TrimPrefix(rest, "?sid="), 16, 64)
		return fmt.Sprintf(`<title>Session</title><p>Welcome.</p><a href="%s?sid=%016x">on</a>`, name, id*6364136223846793005+1442695040888963407), true
	case "/trap/grow":
		return "<title>Grow</title><p>More.</p><a href=\"" + path + "&amp;x=1\">more</a>", true
	case "/trap/deep/":
		return `<title>Deep</title><p>Down.</p><a href="more/">down</a>`, true
	case "/trap/ring/":
		return `<title>Ring</title><p>Round.</p><a href="left/">left</a> <a href="right/">right</a> ` + strconv.Itoa(len(rest)), true
	}
	return "", false
}

// trapOf returns the trap that contains path, and the rest of the path.
func trapOf(path string) (name, rest string) {
	for name := range Traps {
		if rest, ok := strings.CutPrefix(path, name); ok {
			return name, rest
		}
	}
	return "", ""
}

// Fault says how a page fails.
type Fault uint8

// Faults. Pages with the first three are in the truth, because they succeed at
// the second request.
const (
	None        Fault = iota
	Flaky500          // 500 at the first request
	Flaky503          // 503 at the first request
	FlakyReset        // the connection breaks at the first request
	Broken500         // always 500; the page is delivered, but its links do not count
	BrokenReset       // the connection always breaks; the page is not delivered
)

// Fault returns how the page at path fails.
func (s *Site) Fault(path string) Fault {
	i, ok := s.index[path]
	if !ok || !s.c.Faults {
		return None
	}
	return s.fault(i)
}

// fault returns only few faults, because a host that fails often is requested
// slowly, which another test covers. A page that always fails has no children.
func (s *Site) fault(i int) Fault {
	switch {
	case !s.c.Faults || i == 0:
	case i == s.c.Pages-1:
		return Broken500
	case i == s.c.Pages-2:
		return BrokenReset
	case i == s.c.Pages*8/10:
		return Flaky503
	case i == s.c.Pages*9/10:
		return FlakyReset
	case i%83 == 11:
		return Flaky500
	}
	return None
}
