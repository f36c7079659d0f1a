// SPDX-License-Identifier: Apache-2.0

package doctree_test

import (
	"fmt"
	"testing"

	"example.com/curlew/internal/doctree"
)

func TestDescribe(t *testing.T) {
	text := func(s string) doctree.Description { return doctree.Description{Text: s} }
	guess := func(s string) doctree.Description { return doctree.Description{Guess: s} }
	for descr, want := range map[string]doctree.Description{
		"":          {},
		" A\n cat ": text("A cat"),
		"A cat\n\nDescription automatically generated":                        guess("A cat"),
		"A cat\n\nDescription automatically generated with medium confidence": guess("A cat"),
		"AI-generated content may be incorrect.":                              {},
		"A sign: AI-generated content may be incorrect. Or not":               text("A sign: AI-generated content may be incorrect. Or not"),
		"cat.PNG": {}, `C:\My Pictures\a cat.jpeg`: {}, "https://example.com/cat.svg": {}, "A cat. png": text("A cat. png"),
		"Picture 7": {}, "image1": {}, "Grafik": {}, "12": text("12"), "Picture of a cat": text("Picture of a cat"), "7 cats": text("7 cats"),
	} {
		if got := doctree.Describe(descr); got != want {
			t.Errorf("Describe(%q) = %q, want %q", descr, got, want)
		}
	}
}

func TestOr(t *testing.T) {
	text, guess, none := doctree.Describe("a cat"), doctree.Describe("A cat AI-generated content may be incorrect."), doctree.Description{}
	for _, c := range []struct {
		a, b doctree.Description
		want string
	}{
		{none, none, "[alt ]"},
		{none, text, "[alt a cat]"},
		{guess, text, "[alt a cat]"},
		{text, guess, "[alt a cat]"},
		{guess, none, "[alt  title A cat]"},
		{none, guess, "[alt  title A cat]"},
	} {
		if got := fmt.Sprint(c.a.Or(c.b).Attrs()); got != c.want {
			t.Errorf("%v or %v: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}
