// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"slices"
	"testing"
)

// TestDropInsertions checks which blocks between two texts are insertions.
func TestDropInsertions(t *testing.T) {
	const (
		text = "<p>The birds flew over the hills and the lake.</p>"
		link = "<a href=/x>Ten birds that nobody has seen</a>"
	)
	for _, test := range []struct {
		name, src string
		want      []bool
	}{
		{"a link", text + "<p>" + link + "</p>" + text, []bool{true, false, true}},
		{"a link with a label", text + "<p>Read also: " + link + "</p>" + text, []bool{true, false, true}},
		{"two insertions", text + "<p>" + link + "</p>" + text + "<p>" + link + "</p>" + text, []bool{true, false, true, false, true}},
		{"a sentence with a link", text + "<p>The keepers of the park have counted them, and found " + link + "</p>" + text, []bool{true, true, true}},
		{"a short link", text + "<p><a href=/x>The whole report</a></p>" + text, []bool{true, true, true}},
		{"links in a row", text + "<p>" + link + "</p><p>" + link + "</p>" + text, []bool{true, true, true, true}},
		{"a heading", text + "<h2>" + link + "</h2>" + text, []bool{true, true, true}},
		{"an item", "<ul><li>The birds of the hills<li><p>" + link + "</p><li>The birds of the lake</ul>", []bool{true, true, true}},
		{"at the beginning and at the end", "<p>" + link + "</p>" + text + "<p>" + link + "</p>", []bool{true, true, true}},
	} {
		p := newPage(t, test.src)
		keep := make([]bool, len(p.Blocks))
		for i := range keep {
			keep[i] = true
		}
		if p.DropInsertions(keep); !slices.Equal(keep, test.want) {
			t.Errorf("%s: %v, want %v", test.name, keep, test.want)
		}
	}
	p := newPage(t, text+"<p>"+link+"</p><p>"+link+"</p>"+text)
	keep := []bool{true, false, true, true}
	if p.DropInsertions(keep); !slices.Equal(keep, []bool{true, false, false, true}) {
		t.Errorf("after a block that is not kept: %v", keep)
	}
}
