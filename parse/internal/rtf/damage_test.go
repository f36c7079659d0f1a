// SPDX-License-Identifier: Apache-2.0

package rtf_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/test/doctreetest"
)

// TestDamage says what is wrong with a damaged document, and reads the rest.
func TestDamage(t *testing.T) {
	const head = `{\rtf1\ansi{\fonttbl{\f0\froman Times;}}{\stylesheet{\s1 heading 1;}}`
	for _, c := range []struct{ what, in, want, text string }{
		{"whole", head + `one\par two\par}` + "\x1a", "", "one two"},
		{"a comment of a program", head + `{\*\maker 1.2}one\par}`, "", "one"},
		{"pictures and binary data", head + `{\pict\wmetafile8\bin3 }}}}one\par}`, "", "one"},
		{"a brace too many", head + `one\par} two\par}`, "Braces that close no group, so that text may have another place or format: 1.", "one two"},
		{"text after the end", head + `one\par} two\par`, "The group of the document ends before its text does; characters after it, which were read: 3.", "one two"},
		{"the end of the fonts is missing", `{\rtf1{\fonttbl{\f0 Times;} first\par second\par}}`, "Tables of fonts, styles or properties that have no end, so that text after them may be missing: 1.", "first second"},
		{"the end of the styles is missing", `{\rtf1{\stylesheet{\s1 heading 1; first\par second\par {\b third}\par}}}`, "Tables of fonts, styles or properties that have no end", "first second third"},
		{"the end of the colours is missing", `{\rtf1{\colortbl;\red1; first\par second\par}}`, "Tables of fonts, styles or properties that have no end", "second"},
		{"a picture that has no end", head + `one\par{\pict\wmetafile8 00ff two\par three\par`, "Paragraphs or cells that were left out, because they are in groups of an unknown kind, or in a picture or another group that has no paragraphs: 2.", "one"},
		{"the end of a bookmark is missing", head + `one\par{\*\bkmkend x two\par`, "Paragraphs or cells that were left out, because they are in groups of an unknown kind, or in a picture or another group that has no paragraphs: 1.", "one"},
		{"an unknown group", head + `{\*\nxtbody lost\par lost\cell}one\par}`, "Paragraphs or cells that were left out, because they are in groups of an unknown kind, or in a picture or another group that has no paragraphs: 2.", "one"},
		{"too many binary bytes", head + `one\par{\pict\bin900 xx}two\par}`, "Binary data whose length is wrong, so that text after it may be missing: 1.", "one"},
		{"too few binary bytes", head + `one\par{\pict\bin1 xx}two\par}`, "Binary data whose length is wrong", "one two"},
		{"codes that are not digits", head + `o\'zzne\par}`, "Characters whose codes are not valid, and that were left out: 1.", "ozzne"},
		{"words that run together", head + `one\parabcdefghijklmnopqrstuvwxyzabcdefghi two\par}`, "Control words that are too long, and may be text: 1.", "one two"},
	} {
		d := read(t, c.in, 0)
		got := doctreetest.Show(t, d)
		for word := range strings.FieldsSeq(c.text) {
			if !strings.Contains(got, word) {
				t.Errorf("%s: no %q in %s", c.what, word, got)
			}
		}
		if c.want == "" && len(d.Warnings) > 0 || c.want != "" && !strings.Contains(got, c.want) {
			t.Errorf("%s: %v, want %q", c.what, d.Warnings, c.want)
		}
	}
}
