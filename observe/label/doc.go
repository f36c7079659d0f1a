// SPDX-License-Identifier: Apache-2.0

// Package label returns the values of labels of metrics, and of attributes of spans, for
// what [example.com/curlew/observe.Trace], [crawl.Trace] and [agent.Trace] report. There
// are few values of each, and none contains a text from outside.
package label

import (
	"slices"
	"strconv"

	"example.com/curlew/crawl/frontier"
)

// Method returns the method of a request if it is known, and otherwise "other", because a
// client may send any word.
func Method(m string) string {
	if slices.Contains([]string{"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"}, m) {
		return m
	}
	return "other"
}

// Status returns the class of an HTTP status, such as "2xx", or "other", because a server
// may send any number.
func Status(status int) string {
	if status < 100 || status > 599 {
		return "other"
	}
	return strconv.Itoa(status/100) + "xx"
}

// Task returns "page", "robots" or "sitemap".
func Task(t frontier.Task) string {
	switch t {
	case frontier.RobotsTask:
		return "robots"
	case frontier.SitemapTask:
		return "sitemap"
	}
	return "page"
}

// Commit returns how a task of a crawl ended, such as "delivered", or "other".
func Commit(o frontier.Outcome) string {
	names := [...]string{
		frontier.Delivered: "delivered", frontier.Failed: "failed", frontier.Dropped: "dropped", frontier.Duplicate: "duplicate",
		frontier.Moved: "moved", frontier.Retry: "retry", frontier.Robots: "robots", frontier.Sitemap: "sitemap", frontier.Held: "held",
	}
	if int(o) < len(names) {
		return names[o]
	}
	return "other"
}
