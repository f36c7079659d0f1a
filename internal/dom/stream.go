// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"io"

	"example.com/curlew/internal/dom/internal/charset"
)

// Reader returns r as UTF-8 text. The sample, with which r begins, decides on the
// encoding as in [Decode]. A sample of ASCII without a declared charset counts as
// UTF-8. Each read text must be passed to [Clean].
func Reader(r io.Reader, sample []byte, contentType string) io.Reader {
	rest, name, _ := detect(sample, contentType)
	if isASCII(sample) && headerLabel(contentType) == "" {
		name = "utf-8"
	}
	for _, bom := range []string{"\xEF\xBB\xBF", "\xFE\xFF", "\xFF\xFE"} {
		if len(rest) < len(sample) && len(sample) >= len(bom) && string(sample[:len(bom)]) == bom {
			r = &skipper{r: r, n: len(bom)}
			break
		}
	}
	return charset.NewReader(name, r)
}

// skipper leaves out the first n bytes of r.
type skipper struct {
	r io.Reader
	n int
}

// Read implements [io.Reader].
func (s *skipper) Read(p []byte) (int, error) {
	if s.n > 0 {
		if _, err := io.CopyN(io.Discard, s.r, int64(s.n)); err != nil {
			return 0, err
		}
		s.n = 0
	}
	return s.r.Read(p)
}

// Clean replaces NUL by U+FFFD and removes other C0 controls from text, as Decode
// does.
func Clean(text string) string {
	text, _ = cleanText(text)
	return text
}
