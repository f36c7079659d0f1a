// SPDX-License-Identifier: Apache-2.0

package links

import (
	"strings"

	"example.com/curlew/internal/weburl"
)

// header reads the HTTP fields that contain links or robots directives.
func (c *collector) header() {
	c.frame = headerFrame
	defer func() { c.frame = 0 }()
	for _, v := range c.source.Header.Values("Refresh") {
		if target, ok := weburl.Refresh(v); ok {
			c.add(target, "")
		}
	}
	for _, v := range c.source.Header.Values("Link") {
		for v != "" {
			var target, rel string
			target, rel, v = linkValue(v)
			if hasToken(rel, "next") {
				c.add(target, rel)
			}
		}
	}
	for _, v := range c.source.Header.Values("X-Robots-Tag") {
		c.robotsTag(v)
	}
}

// linkValue splits the first link off a Link field (RFC 8288 3). It returns the
// target, the first rel parameter, and the rest of the field. It never fails; a
// malformed link has no rel.
func linkValue(s string) (target, rel, rest string) {
	start := strings.IndexByte(s, '<')
	if start < 0 {
		return "", "", ""
	}
	target, s, ok := strings.Cut(s[start+1:], ">")
	if !ok {
		return "", "", ""
	}
	hasRel := false
	for {
		s = strings.TrimLeft(s, " \t")
		if s == "" || s[0] == ',' {
			return target, rel, strings.TrimPrefix(s, ",")
		}
		s = strings.TrimLeft(s, "; \t")
		end := strings.IndexAny(s, "=;,")
		if end < 0 {
			return target, rel, ""
		}
		name := strings.TrimRight(s[:end], " \t")
		s = s[end:]
		if s[0] != '=' {
			continue
		}
		var value string
		value, s = parameter(strings.TrimLeft(s[1:], " \t"))
		if !hasRel && strings.EqualFold(name, "rel") {
			rel, hasRel = value, true
		}
	}
}

// parameter splits a token or quoted string off s.
func parameter(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ";,")
		if end < 0 {
			end = len(s)
		}
		return strings.TrimRight(s[:end], " \t"), s[end:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:]
		case '\\':
			if i++; i == len(s) {
				return b.String(), ""
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// robotsTag reads an X-Robots-Tag field. Directives are separated by commas.
// Those after "agent:" apply only to that agent. Proxies join fields, so an
// agent may precede any directive and applies until the next agent.
func (c *collector) robotsTag(v string) {
	ours := true
	for item := range strings.SplitSeq(v, ",") {
		if agent, rest, ok := strings.Cut(item, ":"); ok {
			agent = strings.TrimSpace(agent)
			switch strings.ToLower(agent) {
			case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
				continue // a directive with a value
			}
			if strings.ContainsAny(agent, " \t") {
				continue // the rest of a date
			}
			ours = agent == "" || agent == "*" || c.source.Agent != "" && strings.EqualFold(agent, c.source.Agent)
			item = rest
		}
		if ours {
			c.robots(item)
		}
	}
}
