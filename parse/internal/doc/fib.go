// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
)

// Indexes of pairs in the file information block ([MS-DOC] 2.5.6).
const (
	fibStyles      = 1
	fibNoteRefs    = 2
	fibNotes       = 3
	fibCommentRefs = 4
	fibComments    = 5
	fibSections    = 6
	fibHeaders     = 11
	fibCharPages   = 12
	fibParaPages   = 13
	fibFonts       = 15
	fibMarkNames   = 21
	fibMarks       = 22
	fibProperties  = 31 // of the document
	fibPieces      = 33
	fibAuthors     = 36
	fibAnchors     = 40

	fibHeaderAnchors = 41
	fibHeaderBoxes   = 58

	fibEndnoteRefs  = 46
	fibEndnotes     = 47
	fibDrawings     = 50
	fibBoxes        = 56
	fibLists        = 73
	fibListUses     = 74
	fibCommentDates = 112 // since Word 2002
	fibFirst        = 93  // number of pairs in Word 97; later versions state the number
	maxRuns         = 4 << 20
	word97Signature = 0xA5EC
)

// u16 returns the number of two bytes at an offset, or zero if it is outside of b. It is not
// inlined, because its many copies would make the program larger.
//
//go:noinline
func u16(b []byte, at int) int {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(b[at:]))
}

// u32 returns the number of four bytes at an offset, or zero if it is outside of b. It is not
// inlined, because its many copies would make the program larger.
//
//go:noinline
func u32(b []byte, at int) int64 {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return int64(binary.LittleEndian.Uint32(b[at:]))
}

// cut returns n bytes of b from offset at, or nil if they do not exist.
func cut(b []byte, at, n int64) []byte {
	if at < 0 || n <= 0 || at+n > int64(len(b)) {
		return nil
	}
	return b[at : at+n]
}

// file is an open document.
type file struct {
	main, table, data []byte

	text    []uint16 // by character position
	pieces  []piece
	missing int64 // characters that the file does not have
	untold  bool  // there is no table of pieces
	unfound int   // pieces whose modifiers the file does not have

	counts [8]int // characters of the text, notes, headers, macros, comments, endnotes, text boxes, text boxes in headers
	chars  []run
	paras  []run

	old      bool // Word 6 or 95
	wide     bool // text of Word 6 or 95 is UTF-16, as in versions for East Asia
	bytes    *decoder
	lists    []list
	oldLists map[string]int // numbers of lists by their definition
}

// piece is the location of a part of the text.
type piece struct {
	cp   int
	fc   int64
	wide bool

	props []byte // modifiers of its characters and paragraphs, after their own
}

// run is a range of the stream and its properties.
type run struct {
	from, to int64
	props    []byte // for paragraphs: without the style number
	style    int
}

// open reads the file information block, the text and the property tables.
func open(c *cfb.File, unlock cfb.Unlock) (*file, error) {
	f := &file{main: c.Root.Stream("WordDocument"), data: c.Root.Stream("Data")}
	if len(f.main) < 0x40 {
		return nil, fmt.Errorf("%w: no document", cfb.ErrMalformed)
	}
	flags := u16(f.main, 0x0A)
	locked := flags&0x100 != 0
	if locked && unlock == nil {
		return nil, fmt.Errorf("document: %w", cfb.ErrEncrypted)
	}
	if u16(f.main, 0) != word97Signature || u16(f.main, 2) < 0x6A {
		if locked {
			if err := f.reveal(unlock, 52); err != nil {
				return nil, fmt.Errorf("document: %w", err)
			}
		}
		return f, f.openOld(flags)
	}
	names := []string{"0Table", "1Table"}
	if flags&0x200 != 0 {
		slices.Reverse(names)
	}
	for _, name := range names { // if the named stream is missing, use the other one
		if f.table = c.Root.Stream(name); len(f.table) > 0 {
			break
		}
	}
	if locked {
		decrypt := f.decrypt
		if flags&0x8000 != 0 {
			decrypt = func(unlock cfb.Unlock) error { return f.reveal(unlock, 68) }
		}
		if err := decrypt(unlock); err != nil {
			return nil, fmt.Errorf("document: %w", err)
		}
	}
	for i := range f.counts {
		f.counts[i] = int(min(u32(f.main, 0x4C+4*i), int64(len(f.main))))
	}
	f.readPieces(f.part(fibPieces))
	if len(f.text) == 0 && f.counts[0] > 0 {
		all := 0
		for _, n := range f.counts {
			all += n
		}
		from, to := u32(f.main, 0x18), u32(f.main, 0x1C)
		f.wide, f.untold = to-from >= 2*int64(all), true
		f.plain(from, all)
	}
	f.chars = f.runs(f.part(fibCharPages), charRuns)
	f.paras = f.runs(f.part(fibParaPages), paraRuns)
	return f, nil
}

// decrypt decrypts the streams ([MS-DOC] 2.2.6). The encryption header is at
// the start of the table stream; the file information block states its
// length. The header and the first bytes of the file information block are
// not encrypted, but they count for the position in the key stream.
func (f *file) decrypt(unlock cfb.Unlock) error {
	const keyEvery, plain = 512, 68
	header := cut(f.table, 0, u32(f.main, 0x0E))
	xor, err := unlock(cfb.Lock{Header: header, Block: keyEvery})
	if err != nil {
		return err
	}
	for _, s := range []struct {
		stream *[]byte
		plain  int
	}{{&f.main, plain}, {&f.table, len(header)}, {&f.data, 0}} {
		*s.stream = bytes.Clone(*s.stream)
		from := min(s.plain, len(*s.stream))
		xor((*s.stream)[from:], int64(from))
	}
	return nil
}

// reveal decrypts the streams with XOR obfuscation ([MS-DOC] 2.2.6.1). plain
// is the number of unencrypted bytes at the start of the main stream.
func (f *file) reveal(unlock cfb.Unlock, plain int) error {
	key := slices.Concat(f.main[0x10:0x12], f.main[0x0E:0x10])
	xor, err := unlock(cfb.Lock{Header: key})
	if err != nil {
		return err
	}
	for _, s := range []struct {
		stream *[]byte
		plain  int
	}{{&f.main, plain}, {&f.table, 0}, {&f.data, 0}} {
		*s.stream = bytes.Clone(*s.stream)
		from := min(s.plain, len(*s.stream))
		xor((*s.stream)[from:], int64(from))
	}
	return nil
}

// plain reads text that is stored in one piece: of single bytes, unless the document
// says otherwise.
func (f *file) plain(fc int64, count int) {
	size := int64(count)
	if f.wide {
		size *= 2
	}
	b := cut(f.main, fc, min(size, int64(len(f.main))-fc))
	f.pieces = []piece{{fc: fc, wide: f.wide}}
	if f.old && !f.wide {
		f.text = f.bytes.append(nil, b, fc)
		return
	}
	f.text = appendText(nil, b, f.wide)
}

// part returns a part of the table stream by its index in the file
// information block.
func (f *file) part(n int) []byte {
	if f.old {
		return f.oldPart(n)
	}
	at := 0x9A + 8*n
	if n >= fibFirst && n >= u16(f.main, 0x98) {
		return nil
	}
	return cut(f.table, u32(f.main, at), u32(f.main, at+4))
}

// readPieces reads the text through the piece table ([MS-DOC] 2.9.38). Groups of
// modifiers for single pieces come before it. Word writes them if it saves only what
// has changed.
func (f *file) readPieces(clx []byte) {
	var groups [][]byte
	for len(clx) > 3 && clx[0] == 1 {
		end := min(3+u16(clx, 1), len(clx))
		groups = append(groups, clx[3:end])
		clx = clx[end:]
	}
	if len(clx) < 5 || clx[0] != 2 {
		return
	}
	plc := clx[5:]
	plc = plc[:min(int64(len(plc)), u32(clx, 1))]
	n := (len(plc) - 4) / 12
	for i := range max(n, 0) {
		count := u32(plc, 4*i+4) - u32(plc, 4*i)
		fc := u32(plc, 4*(n+1)+8*i+2)
		p := piece{cp: len(f.text), fc: fc &^ 0x40000000, wide: fc&0x40000000 == 0}
		width := int64(2)
		if f.old {
			p.wide = f.wide
		}
		if !p.wide {
			width = 1
			if !f.old {
				p.fc /= 2
			}
		}
		if count <= 0 {
			continue
		}
		p.props = f.modifiers(u16(plc, 4*(n+1)+8*i+6), groups)
		room := int64(len(f.main) - len(f.text))
		listed := count
		p.fc = min(p.fc, int64(len(f.main)))
		count = min(count, (int64(len(f.main))-p.fc)/width, room)
		if b := f.main[p.fc : p.fc+count*width]; f.old && !f.wide {
			f.text = f.bytes.append(f.text, b, p.fc)
		} else {
			f.text = appendText(f.text, b, p.wide)
		}
		f.pieces = append(f.pieces, p)
		if missing := listed - count; missing > 0 { // keep the positions of what follows
			f.missing += missing
			f.text = append(f.text, make([]uint16, min(missing, room-count))...)
		}
	}
}

// modifiers returns what prm changes in the properties of a piece ([MS-DOC] 2.9.214):
// one of the groups, or a single modifier.
func (f *file) modifiers(prm int, groups [][]byte) []byte {
	number, value := prm>>1, byte(prm>>8) //nolint:gosec // the upper byte
	switch {
	case prm == 0:
		return nil
	case prm&1 != 0 && number >= len(groups):
		f.unfound++
		return nil
	case prm&1 != 0 && f.old:
		return modern(groups[number], f.oldList)
	case prm&1 != 0:
		return groups[number]
	case f.old:
		return modern([]byte{byte(number & 0x7F), value}, nil)
	}
	code := shortModifiers[number&0x7F]
	if code == 0 {
		return nil // it changes nothing that is read
	}
	return append(binary.LittleEndian.AppendUint16(nil, code), value)
}

// warn says what the table of pieces refers to and the file does not have.
func (f *file) warn(doc *doctree.Document) {
	all := 0
	for _, n := range f.counts {
		all += n
	}
	f.missing += int64(max(all-len(f.text), 0))
	if beyond := len(f.text) - all - 1; beyond > 1 { // one more ends the text
		doc.Warn("part-unreadable", 0, fmt.Sprintf("Characters of the file that belong to no part of the document, and were left out: %d.", beyond))
	}
	doc.WarnCount("part-unreadable", 0, "Characters that the table of the text lists and the file does not have", int(f.missing))
	if f.untold {
		doc.Warn("part-unreadable", 0, "The table of the text is missing or damaged. The text was read in the order of the file, and may have parts that were deleted.")
	}
	doc.WarnCount("part-unreadable", 0, "Pieces of the text whose changed format the file does not have", f.unfound)
}

// appendText appends characters as UTF-16 code units.
func appendText(dst []uint16, b []byte, wide bool) []uint16 {
	if wide {
		for i := 0; i+1 < len(b); i += 2 {
			dst = append(dst, binary.LittleEndian.Uint16(b[i:]))
		}
		return dst
	}
	for _, c := range b {
		u := uint16(c)
		if c >= 0x80 && c < 0xA0 {
			for _, r := range cfb.Text([]byte{c}, 1252) {
				u = uint16(r) //nolint:gosec // of the basic plane
			}
		}
		dst = append(dst, u)
	}
	return dst
}

// place returns the offset in the stream of the character at cp, and what its piece
// changes in its properties.
func (f *file) place(cp int) (fc int64, props []byte) {
	i := sort.Search(len(f.pieces), func(i int) bool { return f.pieces[i].cp > cp }) - 1
	if i < 0 {
		return -1, nil
	}
	p := f.pieces[i]
	if p.wide {
		return p.fc + 2*int64(cp-p.cp), p.props
	}
	return p.fc + int64(cp-p.cp), p.props
}

// runs reads the property pages that plc refers to.
func (f *file) runs(plc []byte, read func(page []byte) []run) []run {
	var all []run
	seen := map[int64]bool{}
	n := (len(plc) - 4) / 8
	for i := range max(n, 0) {
		number := u32(plc, 4*(n+1)+4*i) & 0x3FFFFF
		page := cut(f.main, number*512, 512)
		if page == nil || seen[number] || len(all) > maxRuns {
			continue
		}
		seen[number] = true
		all = append(all, read(page)...)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].from < all[j].from })
	return all
}

// find returns the run that contains offset fc.
func find(runs []run, fc int64) (run, bool) {
	i := sort.Search(len(runs), func(i int) bool { return runs[i].from > fc }) - 1
	if i < 0 || fc >= runs[i].to {
		return run{}, false
	}
	return runs[i], true
}

// charRuns reads a page of character properties ([MS-DOC] 2.9.33).
func charRuns(page []byte) []run {
	n := min(int(page[511]), 101)
	runs := make([]run, 0, n)
	for i := range n {
		r := run{from: u32(page, 4*i), to: u32(page, 4*i+4)}
		if at := 2 * int(page[4*(n+1)+i]); at > 0 {
			r.props = cut(page, int64(at+1), int64(page[at]))
		}
		runs = append(runs, r)
	}
	return runs
}

// paraRuns reads a page of paragraph properties ([MS-DOC] 2.9.174).
func paraRuns(page []byte) []run {
	n := min(int(page[511]), 29)
	runs := make([]run, 0, n)
	for i := range n {
		r := run{from: u32(page, 4*i), to: u32(page, 4*i+4)}
		if at := 2 * int(page[4*(n+1)+13*i]); at > 0 {
			size := 2*int64(page[at]) - 1
			if page[at] == 0 && at+1 < len(page) {
				at++
				size = 2 * int64(page[at])
			}
			if b := cut(page, int64(at+1), size); len(b) >= 2 {
				r.style, r.props = u16(b, 0), b[2:]
			}
		}
		runs = append(runs, r)
	}
	return runs
}

// plc returns the positions and the data of a PLC, a table of positions with
// data of size bytes each.
func plc(b []byte, size int) (at []int, data [][]byte) {
	n := (len(b) - 4) / (4 + size)
	for i := range max(n, 0) + 1 {
		at = append(at, int(u32(b, 4*i)))
	}
	for i := range max(n, 0) {
		data = append(data, b[4*(n+1)+size*i:][:size])
	}
	return at, data
}
