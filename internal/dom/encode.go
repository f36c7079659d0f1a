// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// Encoder returns what writes text in an encoding, of which name is the WHATWG
// name, as [Decode] gives it: the queries of a page's links are written so. It
// appends s to dst and returns how many bytes of s it took; where n < len(s),
// the character at s[n:] is not in the encoding. It is nil for UTF-8, for those
// that write UTF-8 instead (UTF-16, replacement; Encoding Standard 4.3), and
// for a name that is none. The func is not safe for concurrent use.
func Encoder(name string) func(dst []byte, s string) (out []byte, n int) {
	if name == "" || name == "utf-8" || name == "replacement" || strings.HasPrefix(name, "utf-16") {
		return nil
	}
	// Not of html/charset: its encoders write a number for what they lack.
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil
	}
	enc := e.NewEncoder()
	return func(dst []byte, s string) ([]byte, int) {
		enc.Reset()
		src := []byte(s)
		for {
			// The longest character of any encoding, with its escapes.
			dst = slices.Grow(dst, max(len(src), 16))
			wrote, read, err := enc.Transform(dst[len(dst):cap(dst)], src, true)
			dst, src = dst[:len(dst)+wrote], src[read:]
			if !errors.Is(err, transform.ErrShortDst) {
				return dst, len(s) - len(src)
			}
		}
	}
}
