// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"cmp"
	"context"
	"strings"
	"time"

	"example.com/curlew/parse/internal/pdf/layout"
	"example.com/curlew/parse/internal/pdf/object"
)

// readMeta reads the document information dictionary, the language of the
// catalog (ISO 32000-1, 14.3.3 and 14.9.2) and the XMP metadata. If the
// dictionary and XMP differ, the newer one wins.
func readMeta(ctx context.Context, f *object.File) Meta {
	info := f.Dict(f.Trailer()["Info"])
	text := func(key object.Name) string { return line(f.Text(info[key])) }
	m := Meta{
		Title: text("Title"), Author: text("Author"), Subject: text("Subject"), Keywords: text("Keywords"),
		Creator: text("Creator"), Producer: text("Producer"),
		Language: strings.TrimSpace(f.Text(f.Catalog()["Lang"])),
		Created:  parseDate(f.Text(info["CreationDate"])), Modified: parseDate(f.Text(info["ModDate"])),
	}
	xmp, written := readXMP(ctx, f)
	return m.merge(cmp.Or(m.Modified, m.Created), xmp, written)
}

// brief returns the beginning of a text string. n is the maximum number of
// encoded bytes and must be even. The bound limits the cost if many objects
// refer to one long string.
func brief(f *object.File, o object.Object, n int) string {
	s, _ := f.Resolve(o).(object.String)
	return object.Text(string(s[:min(len(s), n)]))
}

// maxMeta is the maximum length of one metadata entry in bytes.
const maxMeta = 4096

// line returns s on one line, without control characters and cut to maxMeta
// bytes.
func line(s string) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return ' '
		}
		return r
	}, s)), " ")
	if len(s) > maxMeta {
		s = strings.ToValidUTF8(s[:maxMeta], "")
	}
	return s
}

// dateMarks changes the punctuation of a PDF date into what time.Parse
// accepts.
var dateMarks = strings.NewReplacer("'", "", "Z", "+")

// parseDate reads as much as is valid of a date such as
// D:20061231235959+01'00' (ISO 32000-1, 7.9.4). It returns the zero time if
// s is not a date.
func parseDate(s string) time.Time {
	s = strings.TrimPrefix(strings.TrimSpace(s), "D:")
	s = dateMarks.Replace(s)
	digits, zone := s, ""
	if i := strings.IndexAny(s, "+-"); i >= 0 {
		digits, zone = s[:i], s[i:]
	}
	layoutOf := "20060102150405"
	if len(digits) > len(layoutOf) {
		digits = digits[:len(layoutOf)]
	}
	if len(digits) < 4 || len(digits)%2 != 0 {
		return time.Time{}
	}
	t, err := time.Parse(layoutOf[:len(digits)], digits)
	if err != nil {
		return time.Time{}
	}
	if len(zone) >= 5 {
		if z, err := time.Parse("-0700", zone[:5]); err == nil {
			t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, z.Location())
		}
	}
	return t
}

// date returns t in the format of RFC 3339, or "" for the zero time.
func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// Limits of the outline.
const (
	maxOutline      = 10_000
	maxOutlineDepth = 16
)

// readOutline returns the titles of the outline entries with their depths.
func readOutline(f *object.File) layout.Outline {
	out := layout.Outline{}
	seen := map[object.Ref]bool{}
	var walk func(o object.Object, depth int)
	walk = func(o object.Object, depth int) {
		for depth <= maxOutlineDepth && len(seen) < maxOutline {
			r, ok := o.(object.Ref)
			if !ok || seen[r] {
				return
			}
			seen[r] = true
			d := f.Dict(r)
			if d == nil {
				return
			}
			if key := layout.Key(brief(f, d["Title"], maxMeta)); len(key) > 2 && out[key] == 0 {
				out[key] = depth
			}
			walk(d["First"], depth+1)
			o = d["Next"]
		}
	}
	walk(f.Dict(f.Catalog()["Outlines"])["First"], 1)
	return out
}
