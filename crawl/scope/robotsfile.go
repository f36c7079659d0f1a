// SPDX-License-Identifier: Apache-2.0

package scope

import (
	"cmp"
	"net/http"

	"example.com/curlew/crawl/robots"
	"example.com/curlew/internal/weburl"
)

// RobotsFile is the result of a request for a robots.txt. It contains enough to
// decide again later without the network. A RobotsFile with only a URL allows
// everything.
type RobotsFile struct {
	URL         string // URL of the file; see [RobotsURL]
	Body        []byte // body of a 2xx answer, otherwise nil
	Unreachable bool   // 429, 5xx or no answer; [Options.LenientRobots] decides what that means

	// Silence says in a few words why no connection to the origin was possible,
	// such as "connection refused". It is empty if one was possible. If Silence
	// is set, so is Unreachable. Unless [Options.LenientRobots] is set, the
	// pages of the origin then fail for that reason without a request, and not
	// because of a rule.
	Silence string
}

// RobotsURL returns the URL of the robots.txt for page, at the root of its
// origin. If page is not an absolute http(s) URL, it is empty.
func RobotsURL(page string) string {
	u, err := weburl.Parse(page)
	if err != nil {
		return ""
	}
	return u.Origin() + "/robots.txt"
}

// NewRobotsFile interprets the answer to a request for a robots.txt (RFC 9309,
// 2.3.1). status is that of the last redirect. It is zero if there was no
// answer. A 3xx means that the redirects did not end. NewRobotsFile keeps body.
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

// File returns f in parsed form, for a crawl with the options of s.
func (s *Scope) File(f *RobotsFile) *robots.File {
	if f.Unreachable {
		file, _ := robots.FromStatus(0, nil, s.o.LenientRobots)
		return file
	}
	return robots.Parse(f.Body)
}

// Rules returns the rules in f for a crawl with the options of s and this
// User-Agent, for Decide and Explain. If no connection to the origin is
// possible, it returns nil, because then no rule applies. It reads the whole
// file.
func (s *Scope) Rules(f RobotsFile, userAgent string) *robots.Rules {
	if f.Silence != "" && !s.o.LenientRobots {
		return nil
	}
	return s.File(&f).Agent(s.Agent(userAgent))
}

// defaultAgent is the name of a crawl without a name.
const defaultAgent = "curlew"

// Agent returns the name that is looked up in robots.txt for a crawl with this
// User-Agent: [Options.RobotsAgent], or else the product token of the User-Agent.
func (s *Scope) Agent(userAgent string) string {
	return robots.Token(cmp.Or(s.o.RobotsAgent, robots.Token(userAgent), defaultAgent))
}
