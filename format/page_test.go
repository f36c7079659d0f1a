// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"slices"
	"testing"

	"example.com/curlew/format"
)

// TestLinkCharset checks that the queries of links are encoded in the charset of the page,
// as browsers do, and that paths never are.
func TestLinkCharset(t *testing.T) {
	for charset, want := range map[string]string{
		"":             "https://birds.example/%C3%A9?q=%C3%A9",
		"utf-8":        "https://birds.example/%C3%A9?q=%C3%A9",
		"windows-1252": "https://birds.example/%C3%A9?q=%E9",
	} {
		in := &format.Input{Root: tree(t, `<a href="/é?q=é">x</a>`), URL: pageURL, Charset: charset}
		d, err := format.Build(t.Context(), in, &format.Options{Forms: []format.Form{format.Links}, WholePage: true})
		if err != nil || !slices.Equal(d.Links, []string{want}) {
			t.Errorf("%q: %v, %v; want %s", charset, d.Links, err, want)
		}
	}
}
