// SPDX-License-Identifier: Apache-2.0

package netguard

import "strings"

// IsToken reports whether s is a token as RFC 9110 5.6.2 defines it, such as the name
// of a header.
func IsToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		alnum := '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !alnum && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// IsFieldValue reports whether s may be the value of a header: it has no control
// character other than the tab.
func IsFieldValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
