// SPDX-License-Identifier: Apache-2.0

package scope

import (
	"cmp"
	"net/http"

	"example.com/curlew/crawl/robots"
	"example.com/curlew/internal/weburl"
)

// RobotsFile is what a request for a robots.txt has brought: enough to decide
// again later, without the network. The zero value but for its URL allows
// everything.
type RobotsFile struct {
	URL         string // of the file; see [RobotsURL]
	Body        []byte // of a 2xx; else nil
	Unreachable bool   // 429, 5xx or no answer: what that means is [Options.LenientRobots]'s

	// Silence says in a few words why no connection to the origin could be made,
	// such as "connection refused"; empty where one could. Unreachable is set
	// then. Unless [Options.LenientRobots] is set, the origin's pages fail for that cause, without
	// being asked for: no rule keeps them out.
	Silence string
}

// RobotsURL returns the URL of the robots.txt that binds page: that of its
// origin. It is empty where page is no absolute http(s) URL.
func RobotsURL(page string) string {
	u, err := weburl.Parse(page)
	if err != nil {
		return ""
	}
	return u.Origin() + "/robots.txt"
}

// NewRobotsFile reads the answer to a request for a robots.txt by RFC 9309
// 2.3.1. Status is that of the last hop, zero where there was no answer; a 3xx
// is one that led nowhere. It keeps body.
func NewRobotsFile(url string, status int, body []byte) RobotsFile {
	f := RobotsFile{URL: url}
	switch {
	case status >= 200 && status <= 299:
		f.Body = body
	case status < 300 || status > 499 || status == http.StatusTooManyRequests:
		f.Unreachable = true
	}
	return f
}

// File returns what f says to a crawl with the rules of s.
func (s *Scope) File(f *RobotsFile) *robots.File {
	if f.Unreachable {
		file, _ := robots.FromStatus(0, nil, s.o.LenientRobots)
		return file
	}
	return robots.Parse(f.Body)
}

// Rules returns what f says to a crawl with the rules of s and this User-Agent,
// for Decide and Explain. It returns nil if no connection to the origin can be
// made, because then no rule binds. It reads the whole file.
func (s *Scope) Rules(f RobotsFile, userAgent string) *robots.Rules {
	if f.Silence != "" && !s.o.LenientRobots {
		return nil
	}
	return s.File(&f).Agent(Agent(s.o.RobotsAgent, userAgent))
}

// defaultAgent is the name of a crawl that has none.
const defaultAgent = "curlew"

// Agent returns the name under which robots.txt is asked.
func Agent(robotsAgent, userAgent string) string {
	return robots.Token(cmp.Or(robotsAgent, robots.Token(userAgent), defaultAgent))
}
