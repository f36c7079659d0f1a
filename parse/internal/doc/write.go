// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
)

// Windows Write and Word for DOS have one format. Its head has a page of 128 bytes, the
// text follows in one code page, and then pages with the properties of characters and
// paragraphs ("Microsoft Windows Write file format", and that of Word for DOS 5).
const (
	writePage = 128
	noProps   = 0xFFFF

	writeSpecial = 0x40 // of the third byte of a character's properties: U+0001 is the number of the page
	writeHidden  = 0x80
	writeRunning = 0x06 // of the last byte of a paragraph's properties: a header or a footer
	writePicture = 0x10
)

// IsWrite reports whether data begins like a document of Windows Write or Word for DOS.
func IsWrite(data []byte) bool {
	return len(data) >= writePage && (data[0] == 0x31 || data[0] == 0x32) && string(data[1:6]) == "\xBE\x00\x00\x00\xAB"
}

// written is a document of Windows Write or Word for DOS.
type written struct {
	options Options
	data    []byte
	end     int // of the text
	dos     bool
	paras   []props
	looks   []props
	page    int // code page
	guessed int // bytes that depend on it

	doc      doctree.Document
	b        doctree.Builder
	running  doctree.Running
	hidden   int
	pictures int
}

// props are the properties of the text up to end.
type props struct {
	end  int
	data []byte
}

// readWrite reads a document of Windows Write or Word for DOS.
func readWrite(ctx context.Context, data []byte, o Options) (*doctree.Document, error) {
	w := &written{options: o, data: data, end: int(binary.LittleEndian.Uint32(data[14:]))}
	w.dos = binary.LittleEndian.Uint16(data[0x60:]) == 0 // Write has the number of pages here
	if w.page = western; w.dos {
		w.page = 850
	}
	body := w.doc.Begin(&w.b, "doc")
	cut := w.end > len(data) || w.end < writePage
	if w.end = min(w.end, len(data)); cut && w.end < writePage {
		w.end = len(data) // only the text is left
	}
	paras := int(binary.LittleEndian.Uint16(data[0x12:]))
	w.looks = w.formats((w.end+writePage-1)/writePage, paras)
	w.paras = w.formats(paras, int(binary.LittleEndian.Uint16(data[0x14:])))
	flow := &doctree.Flow{B: &w.b, Into: body}
	for at := writePage; at < w.end; {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if w.b.Count() >= o.Nodes {
			w.doc.Warn("truncated", 0, fmt.Sprintf("The document is too large. Bytes of its text that were left out: %d of %d.", w.end-at, w.end-writePage))
			break
		}
		at = w.paragraph(flow, at)
	}
	w.running.Write(body)
	if cut || len(w.paras) == 0 || len(w.looks) == 0 {
		w.doc.Warn("part-unreadable", 0, "The text or its properties end too early, or they are damaged.")
	}
	w.doc.WarnCount("attachment-unread", 0, "Pictures and objects that were not read", w.pictures)
	if w.guessed > 0 {
		w.doc.Warn("code-page-guessed", 0, fmt.Sprintf("The document does not say its code page. Characters that were read in the code page %d: %d.", w.page, w.guessed))
	}
	w.doc.WarnHidden(w.hidden, "Text that the document hides was left out")
	return &w.doc, nil
}

// formats reads the pages of properties from first to last. Each ends with their number.
func (w *written) formats(first, last int) (all []props) {
	for page := first; page < last && (page+1)*writePage <= len(w.data); page++ {
		b := w.data[page*writePage:][:writePage]
		for i := range min(int(b[writePage-1]), 20) {
			p := props{end: int(binary.LittleEndian.Uint32(b[4+6*i:]))}
			if at := int(binary.LittleEndian.Uint16(b[8+6*i:])); at != noProps && at+5 < writePage {
				p.data = b[at+5 : min(at+5+int(b[at+4]), writePage)]
			}
			if n := len(all); n == 0 || p.end > all[n-1].end {
				all = append(all, p)
			}
		}
	}
	return all
}

// at returns the properties of the text at a place, with at least as many bytes as are
// asked for, and where they end.
func at(all []props, place, size int) (data []byte, end int) {
	i, _ := slices.BinarySearchFunc(all, place, func(p props, place int) int { return cmp.Compare(p.end, place+1) })
	if i == len(all) {
		return make([]byte, size), place + 1<<20
	}
	data = all[i].data
	if len(data) < size {
		data = append(slices.Clone(data), make([]byte, size-len(data))...)
	}
	return data, all[i].end
}

// paragraph reads the paragraph that begins at a place and returns where the next begins.
func (w *written) paragraph(f *doctree.Flow, from int) (next int) {
	pap, end := at(w.paras, from, 17)
	kind := pap[16]
	if !w.dos && kind&writePicture != 0 {
		w.pictures++
		return min(end, w.end)
	}
	end = w.end
	if i := bytes.IndexByte(w.data[from:end], '\n'); i >= 0 {
		end = from + i + 1
	}
	var line doctree.Line
	for place := from; place < end; {
		look, until := at(w.looks, place, 6)
		until = min(until, end)
		w.text(&line, w.data[place:until], look)
		place = until
	}
	switch {
	case line.Blank():
		f.Gap()
	case kind&writeRunning != 0:
		tag := atom.Header
		if kind&1 != 0 {
			tag = atom.Footer
		}
		n := w.running.Begin(&w.b, tag)
		line.Write(&w.b, w.b.Append(n, atom.P))
		w.running.Add(n)
	default:
		line.Write(&w.b, f.Append(atom.P))
	}
	return end
}

// text appends text with the properties look to line.
func (w *written) text(line *doctree.Line, text, look []byte) {
	s := doctree.Style{
		Bold: look[1]&1 != 0, Italic: look[1]&2 != 0, Underline: look[3]&1 != 0, Strike: w.dos && look[3]&2 != 0,
		Sup: look[5] > 0 && look[5] < 0x80, Sub: look[5] >= 0x80,
	}
	if w.dos && look[3]&writeHidden != 0 {
		if w.options.Hidden == doctree.HiddenDropped {
			w.hidden++
			return
		}
		s.Hidden = true
		s = w.options.Hidden.Style(s)
	}
	for _, c := range text {
		if c >= 0x80 {
			w.guessed++
		}
	}
	for i, part := range strings.Split(cfb.Text(text, w.page), "\v") {
		if i > 0 {
			line.Node(w.b.Element(atom.Br), s)
		}
		line.Text(strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' {
				return -1 // the number of the page, the end of a page, and optional hyphens
			}
			return r
		}, part), s)
	}
}
