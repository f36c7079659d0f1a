// SPDX-License-Identifier: Apache-2.0

package xlsx_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// TestPeer compares shown cells with excelize for formats on which both
// agree. This package writes dates in ISO 8601. Where excelize differs from
// Excel (rounding, General, fillers, conditions, zero sections, minutes
// after elapsed hours), the tests are in numfmt.
func TestPeer(t *testing.T) {
	formats := []string{"0", "0.00", "#,##0", "#,##0.00", "0%", "0.00%", "0.00E+00", "h:mm", "h:mm:ss", "mmm-yy", "d-mmm", "0000", "#,##0;(#,##0)", "0.0;-0.0", "\"n = \"0", "yyyy", "dddd", "0.0\" kg\"", "00-00"}
	values := []float64{0, 1, 2, 12, 123, 1234.25, 1234567.75, 45000, 45000.75, 0.25, 0.0625, 99.99}
	f := excelize.NewFile()
	defer f.Close()
	for r, format := range formats {
		style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
		if err != nil {
			t.Fatal(err)
		}
		for c, v := range values {
			name, _ := excelize.CoordinatesToCellName(c+1, r+1)
			if err := f.SetCellValue("Sheet1", name, v); err != nil {
				t.Fatal(err)
			}
			if err := f.SetCellStyle("Sheet1", name, name, style); err != nil {
				t.Fatal(err)
			}
		}
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	want, err := f.GetRows("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	d, err := read(t, b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	r := 0
	for tr := range d.Root.Descendants() {
		if tr.DataAtom != atom.Tr {
			continue
		}
		c := 0
		for td := range tr.ChildNodes() {
			if got := textOf(td); c < len(want[r]) && got != strings.TrimSpace(want[r][c]) {
				t.Errorf("%q shows %v as %q, excelize as %q", formats[r], values[c], got, want[r][c])
			}
			c++
		}
		r++
	}
	if r != len(formats) {
		t.Errorf("%d rows", r)
	}
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}
