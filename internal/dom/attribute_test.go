// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/dom"
)

// TestAttributes checks that only the attributes of the large tag are removed.
func TestAttributes(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, ` a%d=">'%d"`, i, i)
	}
	many := b.String()
	hidden := strings.ReplaceAll(strings.Repeat(many, 5), ">", "<") // in a larger document
	for _, test := range []struct {
		src   string
		attrs int // of the p element
		text  string
		cut   int // attributes
	}{
		{"<p" + many + ">x</p>y", 1000, "xy", 19000},
		{"<p" + hidden + ">x</p>y", 1000, "xy", 99000},
		{"<!-- <p" + many + "> --><p a b>x</p>y", 2, "xy", 0},
		{"<script>'<p" + many + ">'</SCRIPT><p a=1 b='>' c=\">\" d>x</p>y", 4, "xy", 0},
		{"<p title='" + strings.Repeat("a b=c ", 50_000) + "' b>x</p>y", 2, "xy", 0},
		{"<p" + strings.Repeat(" a=b", 50_000) + ">x</p>y", 1, "xy", 49000},
		{"<p" + many + "/>x<b" + many + ">y", 1000, "xy", 38000},
		{"<p a>x</p><i" + many, 1, "x", 19000},
	} {
		d, err := dom.Parse(t.Context(), []byte("<body>"+test.src), "")
		if err != nil {
			t.Fatal(err)
		}
		name := test.src[:min(len(test.src), 40)]
		if got := d.Lost[dom.Attributes]; got != test.cut {
			t.Errorf("%s: lost %v, want %d attributes", name, d.Lost, test.cut)
		}
		var text strings.Builder
		for n := range d.Root.Descendants() {
			if n.Type == html.ElementNode && n.Data == "p" && len(n.Attr) != test.attrs {
				t.Errorf("%s: %d attributes, want %d", name, len(n.Attr), test.attrs)
			}
			if n.Type == html.TextNode && n.Parent.Data != "script" {
				text.WriteString(n.Data)
			}
		}
		if text.String() != test.text {
			t.Errorf("%s: text %q, want %q", name, text.String()[:min(len(text.String()), 50)], test.text)
		}
	}
}
