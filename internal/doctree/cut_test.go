// SPDX-License-Identifier: Apache-2.0

package doctree_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/doctree"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		cut  doctree.Cut
		want string
	}{
		{doctree.Cut{}, ""},
		{doctree.Cut{Paragraphs: 1, Characters: 7}, "The document needs more than 50 nodes: 1 paragraph, 7 characters in all, was left out."},
		{doctree.Cut{Rows: 2}, "The document needs more than 50 nodes: 2 rows of tables were left out."},
		{doctree.Cut{Rows: 1, Paragraphs: 3, Others: 1, Characters: 20}, "The document needs more than 50 nodes: 1 row of a table, 3 paragraphs and 1 note or shape, 20 characters in all, were left out."},
	} {
		var d doctree.Document
		d.WarnNodes(50, c.cut)
		var got strings.Builder
		for _, w := range d.Warnings {
			got.WriteString(w.Text)
		}
		if got.String() != c.want {
			t.Errorf("%+v: %q, want %q", c.cut, got.String(), c.want)
		}
	}
	var c doctree.Cut
	c.Paragraph(" \n")
	c.Paragraph("über")
	if c != (doctree.Cut{Paragraphs: 1, Characters: 4}) {
		t.Errorf("%+v", c)
	}
}
