// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/text/transform"
)

// Encoder returns a function that encodes text, which is needed for the queries
// of links. name is the WHATWG name of the encoding as [Decode] returns it. The
// function appends s to dst and returns how many bytes of s it has encoded. If
// n < len(s), the character at s[n:] is not in the encoding. Encoder returns
// nil for UTF-8, for encodings that write UTF-8 instead (UTF-16, replacement;
// Encoding Standard 4.3), and for an unknown name. The function is not safe for
// concurrent use.
func Encoder(name string) func(dst []byte, s string) (out []byte, n int) {
	if name == "" || name == "utf-8" || name == "replacement" || strings.HasPrefix(name, "utf-16") {
		return nil
	}
	e := byName(canonical(name))
	if e == nil {
		return nil
	}
	enc := e.NewEncoder()
	return func(dst []byte, s string) ([]byte, int) {
		enc.Reset()
		src := []byte(s)
		for {
			// The longest character of any encoding, including escapes.
			dst = slices.Grow(dst, max(len(src), 16))
			wrote, read, err := enc.Transform(dst[len(dst):cap(dst)], src, true)
			dst, src = dst[:len(dst)+wrote], src[read:]
			if !errors.Is(err, transform.ErrShortDst) {
				return dst, len(s) - len(src)
			}
		}
	}
}
