// SPDX-License-Identifier: Apache-2.0

package doc_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/parse/internal/doc"
)

// TestPieces reads documents that Word saved by appending what had changed: the pieces of
// the text are not in the order of the file, and have modifiers of their own.
func TestPieces(t *testing.T) {
	const from, wrong = 1536, 1 << 28
	group := func(modifiers []byte) []byte { return bytesOf(byte(1), len(modifiers), modifiers) }
	bold, vanish, heading := bytesOf(0x0835, byte(1)), bytesOf(0x083C, byte(1)), bytesOf(0x4600, 1)
	short := func(number, value int) int { return number<<1 | value<<8 }
	paras := []part{{"old one\r", nil}, {"new two\r", nil}, {"three\r", nil}}
	for _, c := range []struct {
		what   string
		groups [][]byte
		at     []int // positions of the pieces, and the end
		fc     []int
		prm    []int
		want   string
		warns  string
	}{
		{"one piece", nil, []int{0, 22}, []int{from}, []int{0}, "<p>old one</p><p>new two</p><p>three</p>", ""},
		{"another order", nil, []int{0, 8, 16, 22}, []int{from + 16, from, from + 32}, []int{0, 0, 0}, "<p>new two</p><p>old one</p><p>three</p>", ""},
		{"inside a paragraph", nil, []int{0, 4, 8, 16}, []int{from, from + 24, from + 16}, []int{0, 0, 0}, "<p>old two</p><p>new two</p>", ""},
		{"a group", [][]byte{bold}, []int{0, 4, 8, 22}, []int{from, from + 8, from + 16}, []int{0, 1, 0}, "<p>old <strong>one</strong></p><p>new two</p><p>three</p>", ""},
		{"the second group", [][]byte{bold, vanish}, []int{0, 4, 7, 22}, []int{from, from + 8, from + 14}, []int{0, 3, 0}, "<p>old</p><p>new two</p><p>three</p>", "hidden"},
		{"another style", [][]byte{heading}, []int{0, 8, 22}, []int{from, from + 16}, []int{1, 0}, "<h1 id=\"old-one\">old one</h1><p>new two</p><p>three</p>", ""},
		{"short modifiers", nil, []int{0, 4, 7, 22}, []int{from, from + 8, from + 14}, []int{short(0x55, 1), short(0x56, 1), 0}, "<p><strong>old</strong> <em>one</em></p><p>new two</p><p>three</p>", ""},
		{"deleted", nil, []int{0, 4, 7, 22}, []int{from, from + 8, from + 14}, []int{short(0x41, 1), 0, 0}, "<p>one</p><p>new two</p><p>three</p>", "tracked changes"},
		{"short modifiers that mean nothing here", nil, []int{0, 22}, []int{from}, []int{short(0x7C, 1)}, "<p>old one</p><p>new two</p><p>three</p>", ""},
		{"a group that is not there", [][]byte{bold}, []int{0, 22}, []int{from}, []int{9}, "<p>old one</p><p>new two</p><p>three</p>", "changed format the file does not have: 1."},
		{"fewer characters than counted", nil, []int{0, 8}, []int{from}, []int{0}, "<p>old one</p>", "the file does not have: 14."},
		{"more characters than counted", nil, []int{0, 22}, []int{from}, []int{0}, "<p>old one</p>", "belong to no part of the document, and were left out: 13."},
		{"no table", nil, []int{0, 22}, []int{from}, []int{0}, "<p>old one</p><p>new two</p><p>three</p>", "The table of the text is missing or damaged."},
		{"outside of the file", nil, []int{0, 8, 16, 22}, []int{from, wrong, from + 32}, []int{0, 0, 0}, "<p>old one</p><p>three</p>", "the file does not have: 8."},
	} {
		clx := []byte{}
		for _, g := range c.groups {
			clx = append(clx, group(g)...)
		}
		table := []byte{}
		for _, at := range c.at {
			table = append(table, bytesOf(uint32(at))...)
		}
		for i, fc := range c.fc {
			table = append(table, bytesOf(0, uint32(fc), c.prm[i])...)
		}
		clx = append(clx, bytesOf(byte(2), uint32(len(table)), table)...)
		count := c.at[len(c.at)-1]
		switch c.what {
		case "fewer characters than counted":
			count = 22
		case "more characters than counted":
			count = 8
		case "no table":
			clx[0] = 9
		}
		d := draft{paras: paras, tables: map[int][]byte{1: styles(), 33: clx}, counts: [8]int{count}, flags: 4}
		data := d.pack()
		if got := bodyOf(t, data); strings.ReplaceAll(got, "\n", "") != c.want {
			t.Errorf("%s: %s\nwant %s", c.what, got, c.want)
		}
		read, err := doc.Read(t.Context(), data, doc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := doctreetest.Show(t, read); (c.warns == "") != (len(read.Warnings) == 0) || !strings.Contains(got, c.warns) {
			t.Errorf("%s: %v, want %q", c.what, read.Warnings, c.warns)
		}
	}
}
