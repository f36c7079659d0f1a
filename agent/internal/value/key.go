// SPDX-License-Identifier: Apache-2.0

package value

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// suffixes are legal forms at the end of names of organisations.
var suffixes = strings.Fields("inc ltd llc llp lp gmbh ag sa bv nv plc co corp oy oyj ab kk pty srl spa kg se as aps sas sarl limited incorporated corporation company kgaa ug sro doo")

// Canon returns a value in the form in which keys are compared: letters, digits and
// single spaces in lower case.
func Canon(v any) string {
	s, ok := v.(string)
	if !ok {
		raw, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return string(raw)
	}
	if strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") {
		if c := Canonical(s); c != "" {
			return c
		}
	}
	var b strings.Builder
	space := false
	for _, r := range Normal(s) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), unicode.Is(unicode.Sc, r), r == '+', r == '#', r == '%':
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(r)
		case r == '.' || r == '\'' || r == '&': // S.A. becomes SA, and AT&T stays one word
		default:
			space = true
		}
	}
	if b.Len() == 0 {
		return Normal(s)
	}
	return b.String()
}

// Unsuffixed returns a canonical name without legal forms, or the name itself if
// nothing would be left.
func Unsuffixed(s string) string {
	parts := strings.Split(s, " ")
	for len(parts) > 1 && slices.Contains(suffixes, parts[len(parts)-1]) {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, " ")
}

// formNames are legal forms that have more than one name.
var formNames = strings.NewReplacer("limited", "ltd", "incorporated", "inc", "corporation", "corp", "company", "co")

// OtherForms reports whether two canonical names differ only in their legal forms and both have
// one. Then they are the names of two organisations.
func OtherForms(a, b string) bool {
	x, y := Unsuffixed(a), Unsuffixed(b)
	return a != b && x == y && len(x) < len(a) && len(y) < len(b) && formNames.Replace(a[len(x):]) != formNames.Replace(b[len(y):])
}

// Agree reports whether two values are equal as keys.
func Agree(a, b any) bool {
	x, okX := a.(float64)
	y, okY := b.(float64)
	if okX && okY {
		return Same(x, y)
	}
	return Canon(a) == Canon(b)
}

// CallID returns an ID of a paid call that depends only on its question. So an
// answer can be reused, also in a run that is resumed.
func CallID(kind string, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return kind + ":" + hex.EncodeToString(h.Sum(nil)[:12])
}
