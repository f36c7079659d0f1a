// SPDX-License-Identifier: Apache-2.0

package dom_test

import (
	"testing"

	"example.com/curlew/internal/dom"
)

func TestSwallowed(t *testing.T) {
	for _, c := range []struct {
		what, in string
		want     int
	}{
		{"nothing missing", `<a href="x" title="a <b>" data-x='<'>text</a ><p/><br / >`, 0},
		{"a quote", `<a href="x>text</a> <b class="y">more</b>`, len(`href="x>text</a> <b class="y"`)},
		{"a quote before an empty value", `<img alt="x><p>text</p><img alt="">`, len(`alt="x><p>text</p><img alt=""`)},
		{"a single quote", `<a title='x>text <i>of</i></a><b class='y'>`, len(`title='x>text <i>of</i></a><b class='y'`)},
		{"a quote before a value of several words", `<a href="x>text</a> <b class="y z">more</b>`, len(`href="x>text</a> <b class="y z"`)},
		{"a quote before an address", `<a href="x>text</a> <a href="https://a.test/b">more</a>`, len(`href="x>text</a> <a href="https://a.test/b"`)},
		{"a quote too many", `<a href="x"y">text</a>`, 0},
		{"two quotes", `<a b="<i>"c"><a b="<i>"c">`, 2 * len(`b="<i>"c"`)},
		{"the end of a tag", `<p some words <b>more</b>`, len(`some words <b`)},
		{"the end of a name", `<p?This is it.</p>`, len(`is it.</p`)},
		{"the end of an end tag", `<p>Some</p and words that follow <b>more</b>`, len(`and words that follow <b`)},
		{"a tag that the tree has no place for", `<table></caption and words that follow </table>`, len(`and words that follow </table`)},
		{"scripts have no tags", `<script>"</p " + some + other + words + "<i"</script>`, 0},
	} {
		d, err := dom.Parse(t.Context(), []byte(c.in), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Lost[dom.Swallowed]; got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.what, got, c.want)
		}
	}
}
