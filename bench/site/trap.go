// SPDX-License-Identifier: Apache-2.0

package site

import (
	"fmt"
	"strconv"
	"strings"
)

// Traps are where endlessly many pages are, by the beginning of their paths,
// and how many of them a crawl may ask for that takes 100 of endless spaces.
var Traps = map[string]int{
	"/trap/calendar/": 250, // a page a month, for ever, all alike
	"/trap/session":   250, // the same page under a new id
	"/trap/grow":      8,   // a query that grows by one more of the same
	"/trap/deep/":     8,   // a relative link that leads deeper into the same page
	"/trap/ring/":     80,  // two of them, in any order
}

// trapDoors lead into the traps, from the front page.
const trapDoors = `<a href="/trap/calendar/2026-01">calendar</a> <a href="/trap/session?sid=a1b2c3d4e5f60718">session</a>
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

// trapOf returns the trap that path is in, and what follows its beginning.
func trapOf(path string) (name, rest string) {
	for name := range Traps {
		if rest, ok := strings.CutPrefix(path, name); ok {
			return name, rest
		}
	}
	return "", ""
}

// Fault is what is wrong with a page.
type Fault uint8

// Faults. Pages with the first three are in the truth: they answer the second
// time.
const (
	None        Fault = iota
	Flaky500          // 500 at first
	Flaky503          // 503 at first
	FlakyReset        // the connection breaks at first
	Broken500         // 500 always: it is delivered, its links do not count
	BrokenReset       // the connection breaks always: it is not delivered
)

// Fault returns what is wrong with the page at path.
func (s *Site) Fault(path string) Fault {
	i, ok := s.index[path]
	if !ok || !s.c.Faults {
		return None
	}
	return s.fault(i)
}

// fault spreads few faults: a host that breaks often is asked slowly, and that
// is another test's matter. What is broken has no children.
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
