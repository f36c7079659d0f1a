// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"testing"

	"example.com/curlew/internal/dom"
)

func TestQuoted(t *testing.T) {
	for _, c := range []struct {
		what, in string
		want     int
	}{
		{"nothing missing", `<a href="x" title="a <b>">text</a>`, 0},
		{"no end", `<a href="x>text</a> <b class="y">more</b>`, len(`x>text</a> <b class=`)},
		{"no end, before an empty value", `<img alt="x><p>text</p><img alt="">`, len(`x><p>text</p><img alt=`)},
		{"single quotes", `<a title='x>text <i>of</i></a><b class='y'>`, len(`x>text <i>of</i></a><b class=`)},
		{"no tag in the value", `<a href="x"y">text</a>`, 0},
		{"two", `<a b="<i>"c"><a b="<i>"c">`, 6},
	} {
		d, err := dom.Parse(t.Context(), []byte(c.in), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		if got := dom.Quoted(d.Root); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.what, got, c.want)
		}
	}
}
