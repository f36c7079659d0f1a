// SPDX-License-Identifier: Apache-2.0

package rtf

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/embedded"
)

// ErrMalformed means that the data is not RTF.
var ErrMalformed = errors.New("malformed")

// Options control how a document is read.
type Options struct {
	Nodes  int            // nodes of the tree; zero means 2,000,000. The rest is left out, with a warning
	Hidden doctree.Hidden // how hidden text, shapes, slides, sheets, rows and columns are handled

	Objects embedded.Objects // reads embedded documents; the zero value names them in a warning
}

const (
	maxGroups  = 100 // nested groups; deeper ones count as one
	maxNested  = 16  // nested notes, text boxes and tables
	maxStyles  = 16  // length of a chain of styles based on each other
	maxFonts   = 10_000
	maxSheet   = 10_000 // styles
	maxBuffer  = 1 << 16
	checkEvery = 4096 // tokens between two checks of the context
)

// Read reads the document in data. The error wraps [ErrMalformed] if the
// data does not begin like RTF; otherwise it is the cause that ended ctx.
func Read(ctx context.Context, data []byte, o Options) (*doctree.Document, error) {
	if o.Nodes == 0 {
		o.Nodes = 2_000_000
	}
	if !bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")), " \t\r\n"), []byte(`{\rtf`)) {
		return nil, ErrMalformed
	}
	d := &reader{ctx: ctx, options: o, objects: o.Objects, doc: &doctree.Document{}, s: scanner{data: data}, fonts: map[int]font{}, sheet: map[int]styleOf{}}
	d.body = d.b.Element(atom.Body)
	d.out = &output{flow: &doctree.Flow{B: &d.b, Into: d.body}}
	d.state = state{uc: 1}
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		t := d.s.next()
		if t.kind == end {
			break
		}
		d.token(t)
	}
	d.flush()
	d.doc.WarnCount("part-unreadable", 0, "The file ends before its text does; groups that are not closed", d.depth)
	for d.depth > 0 {
		d.close()
	}
	d.endParagraph()
	d.closeTables(0)
	return d.finish(), nil
}

// finish puts the result into a document.
func (d *reader) finish() *doctree.Document {
	body := d.doc.Begin(&d.b, "rtf")
	for c := d.body.FirstChild; c != nil; c = d.body.FirstChild {
		d.body.RemoveChild(c)
		body.AppendChild(c)
	}
	d.running.Write(body)
	d.notes.Write(&d.b, body)
	doctree.Anchors(body)
	d.doc.WarnHidden(d.hidden, "Text that the document hides was left out")
	d.doc.WarnCovered()
	d.doc.WarnChanges(d.changes)
	d.doc.WarnFields(d.unfilled)
	d.objects.Warn(d.doc)
	d.damage.binary, d.damage.escapes, d.damage.words = d.s.binary, d.s.escapes, d.s.words
	d.damage.warnings(d.doc.Warn)
	d.doc.WarnCount("code-page-guessed", 0, "The document does not state its code page. Characters that were read in the code page 1252", d.guessed)
	d.doc.WarnNodes(d.options.Nodes, d.cut)
	if d.deepGroups > 0 {
		d.doc.Warn("deep-nesting", 0, fmt.Sprintf("The document is nested too deeply. Groups in more than %d others, whose properties apply to what follows them as well: %d.", maxGroups, d.deepGroups))
	}
	d.doc.WarnCut("The document is nested too deeply", d.deep)
	return d.doc
}

// target says what text is used for.
type target uint8

const (
	toText target = iota
	toNothing
	toFonts
	toStyles
	toBuffer // d.buffer, until the group ends
	toInfo   // has only groups
)

// state is the part of the reader's state that a group saves and restores.
type state struct {
	target  target
	place   place
	what    string // control word that set the target
	look    doctree.Style
	hidden  bool
	deleted bool // by a tracked change
	font    int
	uc      int // number of bytes that repeat a \u character for older readers
	para    paragraph
	link    string
	math    *formula // element of a formula that text belongs to
	display bool     // formulas are displayed in a paragraph of their own
	upr     bool     // the next group is the plain form of the one after it
	ends    func()   // called at the end of the group
}

// paragraph has the properties that \pard resets.
type paragraph struct {
	style, outline int // outline is the level from 1; 0 for none
	inTable        bool
	nesting        int
	level          int // list level
	list           bool
	rtl            bool
	ruled          bool   // border above or below
	drop           bool   // drop cap of the next paragraph
	left, first    int    // indents in twentieths of a point; first is for the first line, relative to left
	side           string // alignment: center or right
}

func (p paragraph) tables() int {
	if p.nesting > 0 {
		return p.nesting
	}
	if p.inTable {
		return 1
	}
	return 0
}

type font struct {
	page int
	mono bool
	name string
}

type styleOf struct {
	base    int // parent style; -1 for none
	role    doctree.Role
	depth   int // of a table of contents entry
	outline int // from 1
	italic  bool
}

// style returns a style with inherited properties.
func (d *reader) style(n int) styleOf {
	st := d.sheet[n]
	for range maxStyles {
		base, ok := d.sheet[st.base]
		if !ok {
			break
		}
		if st.role == doctree.Plain {
			st.role, st.depth = base.role, base.depth
		}
		st.outline, st.italic = cmp.Or(st.outline, base.outline), st.italic || base.italic
		st.base = base.base
	}
	return st
}

// reader is the state for reading one document.
type reader struct {
	ctx     context.Context
	options Options
	s       scanner
	b       doctree.Builder
	doc     *doctree.Document
	body    *html.Node
	notes   doctree.Notes
	ids     doctree.IDs

	objects  embedded.Objects
	pictures embedded.Metafiles
	program  string // name of the program that made the object being read
	replaced bool   // the object was read, so that its picture does not count
	drawn    bool   // the picture being read is a metafile
	passed   int    // offset after the last control word or group

	state state
	stack []state
	depth int // depth of groups, including those deeper than the stack
	star  bool
	skip  int // bytes left that repeat a \u character

	raw       []byte // undecoded text
	surrogate rune
	page      int // 0: not stated
	guessed   int // characters in that page
	fonts     map[int]font
	sheet     map[int]styleOf
	buffer    strings.Builder
	defining  int // font or style whose name is being read

	field    *field // the innermost open field
	unfilled int    // fields whose text the file does not have

	out      *output
	outer    int // number of enclosing outputs
	running  doctree.Running
	author   string // author of the next comment
	property string // name of the current property of a shape
	alt      string
	image    *html.Node // last picture of the current shape
	hidden   int        // number of places with hidden text
	changes  int        // number of places with deleted text
	veiled   bool
	damage   damage
	cut      doctree.Cut // what was left out because the tree is full
	deep     doctree.Cut // what was left out because it is nested too deeply

	deepGroups int // groups that are nested too deeply, so that their properties apply to what follows them as well

	defs  []definition // cells of the next row
	next  definition
	heads bool
}

// output is a sequence of blocks: the document, a note or a text box.
type output struct {
	flow   *doctree.Flow
	line   doctree.Line
	number string // number written before the paragraph
	listed bool   // number comes from \listtext, so it is used only for list paragraphs
	tabs   int    // in the paragraph
	typed  []int  // left indents of the enclosing items with typed numbers
	last   [maxLevels]doctree.Item
	tables []*table
	aside  []*html.Node
}

// token handles one token.
func (d *reader) token(t token) {
	switch t.kind {
	case open:
		d.flush()
		d.open()
		return
	case closed:
		d.flush()
		d.close()
		d.passed = d.s.at
		return
	case word:
		d.passed = d.s.at
	}
	if d.skip > 0 { // the token repeats a character that has been read
		switch t.kind {
		case char:
			d.skip--
			return
		case text:
			n := min(d.skip, len(t.bytes))
			t.bytes = t.bytes[n:]
			if d.skip -= n; len(t.bytes) == 0 {
				return
			}
		default:
			d.skip = 0
		}
	}
	switch t.kind {
	case char:
		d.raw = append(d.raw, byte(t.number)) //nolint:gosec // two digits
	case text:
		if d.state.target != toNothing {
			d.raw = append(d.raw, t.bytes...)
		}
	case symbol:
		d.symbol(t.word)
	case word:
		if t.word != "" {
			d.flush()
			d.word(t)
		}
		d.star = false
	}
}

func (d *reader) open() {
	d.depth++
	d.star, d.skip = false, 0
	if len(d.stack) >= maxGroups {
		d.deepGroups++
		return
	}
	d.stack = append(d.stack, d.state)
	d.state.ends = nil
	if d.state.upr {
		d.stack[len(d.stack)-1].upr = false
		d.state.upr = false
		d.state.target = toNothing
	}
}

func (d *reader) close() {
	d.skip, d.star = 0, false
	if d.depth == 0 {
		d.damage.closed++
		return
	}
	if d.depth--; d.depth >= len(d.stack) {
		return
	}
	if d.state.ends != nil {
		d.state.ends()
	}
	d.state = d.stack[len(d.stack)-1]
	d.stack = d.stack[:len(d.stack)-1]
}

// flush decodes the bytes read so far.
func (d *reader) flush() {
	if len(d.raw) == 0 {
		return
	}
	raw := d.raw
	d.raw = d.raw[:0]
	if d.state.target == toNothing {
		return
	}
	if d.depth == 0 {
		d.damage.beyond += len(bytes.TrimFunc(raw, func(r rune) bool { return r <= ' ' })) // some programs end the file with a control character
	}
	page := d.page
	if p := d.fonts[d.state.font].page; p != 0 && d.state.target == toText {
		page = p
	}
	if page == 0 {
		page = 1252
		if d.state.target == toText {
			for _, c := range raw {
				d.guessed += int(c >> 7)
			}
		}
	}
	if page == 1200 {
		page = 0 // UTF-16, which is impossible for escapes of single bytes
	}
	d.text(cfb.Text(raw, page))
}

// text handles decoded text.
func (d *reader) text(s string) {
	switch d.state.target {
	case toText:
		if d.state.math != nil {
			d.state.math.text.WriteString(s)
			return
		}
		if d.unseen() {
			if strings.TrimSpace(s) != "" && !d.veiled {
				d.omit()
				d.veiled = true
			}
			return
		}
		d.veiled = false
		d.show(s)
	case toFonts, toStyles, toBuffer:
		if d.buffer.Len() < maxBuffer {
			d.buffer.WriteString(s)
		}
		if d.state.target != toBuffer && strings.Contains(s, ";") {
			d.define()
		}
	case toNothing, toInfo:
	}
}

// unseen reports whether text is hidden or deleted, and left out.
func (d *reader) unseen() bool {
	return d.state.deleted || d.state.hidden && d.options.Hidden == doctree.HiddenDropped
}

// omit counts a place of text that is left out.
func (d *reader) omit() {
	if d.state.deleted {
		d.changes++
	} else {
		d.hidden++
	}
}

// define ends the name of a font or style.
func (d *reader) define() {
	name, rest, _ := strings.Cut(d.buffer.String(), ";")
	d.buffer.Reset()
	d.buffer.WriteString(rest) // text, if the table has no end
	name = strings.ToLower(strings.TrimSpace(name))
	if d.state.target == toFonts {
		d.refont(func(f *font) {
			f.name = name
			f.mono = f.mono || strings.Contains(name, "courier") || strings.Contains(name, "mono") || strings.Contains(name, "consolas")
		})
		return
	}
	d.restyle(func(st *styleOf) {
		st.role, st.depth = doctree.RoleOf(name)
		if n, ok := strings.CutPrefix(name, "heading "); ok && len(n) == 1 && '1' <= n[0] && n[0] <= '9' && st.outline == 0 {
			st.outline = int(n[0] - '0')
		}
	})
}

// unicode handles the character of a \u control word.
func (d *reader) unicode(n int) {
	if n < 0 {
		n += 1 << 16
	}
	d.skip = d.state.uc
	r := rune(n & 0xFFFF)
	switch {
	case utf16.IsSurrogate(r) && d.surrogate != 0:
		r = utf16.DecodeRune(d.surrogate, r)
		d.surrogate = 0
	case utf16.IsSurrogate(r):
		d.surrogate = r
		return
	}
	if r >= ' ' {
		d.text(string(r))
	}
}
