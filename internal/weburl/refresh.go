// SPDX-License-Identifier: Apache-2.0

package weburl

import "strings"

// Refresh parses the value of a meta refresh or a Refresh field by the
// standard's shared declarative refresh steps. If it contains no URL, ok is
// false.
func Refresh(s string) (target string, ok bool) {
	const space = " \t\r\n\f"
	s = strings.TrimLeft(s, space)
	rest := strings.TrimLeft(s, "0123456789")
	if rest == s && !strings.HasPrefix(s, ".") {
		return "", false
	}
	rest = strings.TrimLeft(rest, "0123456789.")
	s = strings.TrimLeft(rest, space)
	if s == rest && s != "" && s[0] != ';' && s[0] != ',' {
		return "", false
	}
	if s != "" && (s[0] == ';' || s[0] == ',') {
		s = strings.TrimLeft(s[1:], space)
	}
	if s == "" {
		return "", false
	}
	if len(s) >= 3 && strings.EqualFold(s[:3], "url") {
		after := strings.TrimLeft(s[3:], space)
		if !strings.HasPrefix(after, "=") {
			return s, true
		}
		s = strings.TrimLeft(after[1:], space)
	} else if s[0]|0x20 == 'u' {
		return s, true // not "url=", so quotes belong to the URL
	}
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		s, _, _ = strings.Cut(s[1:], s[:1])
	}
	return s, true
}
