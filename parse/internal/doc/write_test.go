// SPDX-License-Identifier: Apache-2.0

package doc_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/parse/internal/doc"
)

// run is a text with the properties of its characters or paragraph.
type run struct{ text, look, para string }

// written builds a document of Windows Write, or of Word for DOS, in which each run is a
// paragraph or the part of one.
func written(dos bool, runs ...run) []byte {
	var text strings.Builder
	page := func(props func(run) string) []byte {
		b := make([]byte, 128)
		binary.LittleEndian.PutUint32(b, 128)
		end, low := 128, 127
		for i, r := range runs {
			end += len(r.text)
			binary.LittleEndian.PutUint32(b[4+6*i:], uint32(end))
			at := 0xFFFF
			if p := props(r); p != "" {
				low -= len(p) + 1
				b[low] = byte(len(p))
				copy(b[low+1:], p)
				at = low - 4
			}
			binary.LittleEndian.PutUint16(b[8+6*i:], uint16(at))
		}
		b[127] = byte(len(runs))
		return b
	}
	for _, r := range runs {
		text.WriteString(r.text)
	}
	head := make([]byte, 128)
	copy(head, "\x31\xBE\x00\x00\x00\xAB")
	pages := (text.Len() + 127) / 128
	binary.LittleEndian.PutUint32(head[14:], uint32(128+text.Len()))
	binary.LittleEndian.PutUint16(head[0x12:], uint16(2+pages))
	binary.LittleEndian.PutUint16(head[0x14:], uint16(3+pages))
	if !dos {
		binary.LittleEndian.PutUint16(head[0x60:], uint16(3+pages))
	}
	head = append(head, text.String()...)
	head = append(head, make([]byte, 128*(1+pages)-len(head))...)
	head = append(head, page(func(r run) string { return r.look })...)
	return append(head, page(func(r run) string { return r.para })...)
}

func TestWrite(t *testing.T) {
	const header, footer, picture = "\x01" + "123456789012345" + "\x02", "\x01" + "123456789012345" + "\x03", "\x01" + "123456789012345" + "\x10"
	for _, c := range []struct {
		what, want, warning string
		data                []byte
	}{
		{"paragraphs", "<p>one</p><p>two<br/>lines\tof it</p>", "", written(false, run{text: "one\r\n\r\n"}, run{text: "two\vlines\tof it\r\n\f"})},
		{"looks", "<p>a<strong>b</strong><em>c</em><u>d</u>e<sup>2</sup></p>", "", written(false,
			run{text: "a"}, run{"b", "\x01\x01", ""}, run{"c", "\x01\x02", ""}, run{"d", "\x01\x00\x18\x01", ""}, run{text: "e"}, run{"2\r\n", "\x01\x00\x18\x00\x00\x0C", ""})},
		{"letters", "<p>café</p>", "The document does not say its code page. Characters that were read in the code page 1252: 1.", written(false, run{text: "caf\xE9\r\n"})},
		{"letters of DOS", "<p>café</p>", "The document does not say its code page. Characters that were read in the code page 850: 1.", written(true, run{text: "caf\x82\r\n"})},
		{
			"a header and a footer", "<header data-role=\"running\"><p>top</p></header><p>text</p><footer data-role=\"running\"><p>foot</p></footer>", "",
			written(false, run{"top\r\n", "", header}, run{"foot \x01\r\n", "", footer}, run{text: "text\r\n"}),
		},
		{"a picture", "<p>before</p><p>after</p>", "Pictures and objects that were not read: 1.", written(false, run{text: "before\r\n"}, run{"\xE3\x00\n12345", "", picture}, run{text: "after\r\n"})},
		{"a frame of DOS", "<p>framed</p>", "", written(true, run{"framed\r\n", "", picture})},
		{"hidden text of DOS", "<p>shown</p>", "Text that the document hides was left out at 1 place.", written(true, run{"hidden", "\x01\x00\x18\x80", ""}, run{text: "shown\r\n"})},
		{"a file that is cut", "<p>text</p>", "The text or its properties end too early, or they are damaged.", written(false, run{text: "text\r\n"})[:134]},
	} {
		d, err := doc.Read(t.Context(), c.data, doc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var warnings []string
		for _, w := range d.Warnings {
			warnings = append(warnings, w.Text)
		}
		_, got, _ := strings.Cut(doctreetest.Show(t, d), "<body>")
		got = strings.ReplaceAll(strings.TrimSuffix(strings.TrimSpace(got), "</body></html>"), "\n", "")
		if got != c.want || strings.Join(warnings, " ") != c.warning {
			t.Errorf("%s: %s\n%q\nwant %s\n%q", c.what, got, warnings, c.want, c.warning)
		}
	}
}

func TestWriteLimits(t *testing.T) {
	data := written(false, run{text: strings.Repeat("one\r\n", 100)})
	d, err := doc.Read(t.Context(), data, doc.Options{Nodes: 50})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Warnings) != 1 || !strings.HasPrefix(d.Warnings[0].Text, "The document is too large. Bytes of its text that were left out: ") {
		t.Errorf("%v", d.Warnings)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.ErrUnsupported)
	if _, err := doc.Read(ctx, data, doc.Options{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
}
