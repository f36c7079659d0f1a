// SPDX-License-Identifier: Apache-2.0

package crawl

import (
	"cmp"
	"net/http"

	"example.com/curlew/crawl/robots"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

// RobotsFile is what a request for a robots.txt has brought: enough to decide
// again later, without the network. The zero value but for its URL allows
// everything.
type RobotsFile struct {
	URL         string // of the file; see [RobotsURL]
	Body        []byte // of a 2xx; else nil
	Unreachable bool   // 429, 5xx or no answer: what that means is [Config.Robots]'s
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

// file returns what f says under a policy.
func (f *RobotsFile) file(p RobotsPolicy) *robots.File {
	if f.Unreachable {
		file, _ := robots.FromStatus(0, nil, p != RobotsStrict)
		return file
	}
	return robots.Parse(f.Body)
}

// Rules returns what f says to a crawl with the rules of s and an Engine of
// this UserAgent, for Decide and Explain. It costs the length of the file.
func (s *Scope) Rules(f RobotsFile, userAgent string) *robots.Rules {
	return f.file(s.c.Robots).Agent(robotsToken(s.c.RobotsAgent, userAgent))
}

// robotsToken returns the name under which robots.txt is asked.
func robotsToken(robotsAgent, userAgent string) string {
	return robots.Token(cmp.Or(robotsAgent, robots.Token(userAgent), fetch.UserAgent))
}
