// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"context"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/odraw"
)

// Options control how a document is read.
type Options struct {
	Nodes  int            // nodes of the tree; zero means 2,000,000. The rest is left out, with a warning
	Hidden doctree.Hidden // how hidden text, shapes, slides, sheets, rows and columns are handled

	// Unlock decrypts documents. If it is nil, encrypted documents are
	// refused.
	Unlock cfb.Unlock

	Objects embedded.Objects // reads embedded documents; the zero value names them in a warning
}

const (
	maxTables = 16 // nested tables
	maxFields = 16 // nested fields
	maxNested = 4  // nested notes

	maxSections = 1000 // sections whose headers are read
	checkEvery  = 4096
)

// Read reads the document in data. The error wraps [cfb.ErrMalformed] or
// [cfb.ErrEncrypted], or is the cause that ended ctx.
func Read(ctx context.Context, data []byte, o Options) (*doctree.Document, error) {
	if o.Nodes == 0 {
		o.Nodes = 2_000_000
	}
	if IsWrite(data) {
		return readWrite(ctx, data, o)
	}
	c, err := cfb.Open(data)
	if err != nil {
		return nil, err
	}
	f, err := open(c, o.Unlock)
	if err != nil {
		return nil, err
	}
	s := c.Root.Summary()
	r := &reader{ctx: ctx, options: o, file: f, pool: c.Root.Storage("ObjectPool"), objects: o.Objects, doc: &doctree.Document{Meta: doctree.Meta{
		Title: s.Title, Author: s.Author, Subject: s.Subject, Keywords: s.Keywords, Description: s.Comments,
		Created: s.Created, Modified: s.Modified,
	}}}
	r.styles = styles{all: f.readStyles(f.part(fibStyles)), paras: map[int]para{}, chars: map[int]look{}}
	r.fonts = f.fonts()
	for _, font := range r.fonts {
		r.mono = append(r.mono, doctree.Monospaced(font))
	}
	if f.old {
		f.bytes.warn(r.doc)
	} else {
		f.lists = f.readLists()
		r.marks = f.bookmarks()
	}
	r.counters, r.begun = map[int64]*[9]int{}, map[[2]int]bool{}
	r.references()
	r.drawings()
	body := r.doc.Begin(&r.b, "doc")
	r.blocks(body, 0, f.counts[0])
	r.rest(body, r.loose)
	r.unplaced(body)
	r.running(body)
	r.notes.Write(&r.b, body)
	doctree.Anchors(body)
	r.objects.Warn(r.doc)
	r.doc.WarnHidden(r.hidden, "Text that the document hides was left out")
	r.doc.WarnCovered()
	r.doc.WarnChanges(r.changes)
	r.doc.WarnFields(r.unfilled)
	r.doc.WarnCount("part-unreadable", 0, "Paragraphs that end in the instruction of a field, so that their text may be missing", r.coded)
	r.doc.WarnCount("part-unreadable", 0, "Characters of notes, comments and headers that were left out, because the tables of their places are missing or damaged", r.unnamed)
	r.doc.WarnNodes(r.options.Nodes, r.cut)
	r.doc.WarnCut("The document is nested too deeply", r.deep)
	if r.unread > 0 {
		r.doc.Warn("truncated", 0, "The document has more than "+strconv.Itoa(maxShapes)+" shapes. Shapes and groups that were not read: "+strconv.Itoa(r.unread)+".")
	}
	f.warn(r.doc)
	for _, name := range c.Short() {
		r.doc.WarnPart(name)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return r.doc, nil
}

// reader is the state for reading one document.
type reader struct {
	*file
	ctx     context.Context
	options Options
	b       doctree.Builder
	doc     *doctree.Document
	notes   doctree.Notes
	ids     doctree.IDs

	styles   styles
	fonts    []string
	mono     []bool // whether each font is monospaced
	counters map[int64]*[9]int
	begun    map[[2]int]bool  // list instances and levels whose numbers have restarted
	marks    map[int][]string // bookmarks by position
	refs     map[int]span     // notes and comments by the position of their reference
	unnamed  int              // characters of notes, comments and headers that have no place
	anchors  map[int]int64    // shapes by the position of their anchor
	shapes   map[int64]drawn
	boxes    map[int64]span  // texts of shapes
	pool     *cfb.Storage    // embedded objects; nil if there are none
	taken    map[string]bool // objects that were looked at, by the name of their storage
	objects  embedded.Objects
	pictures embedded.Metafiles
	store    odraw.Store
	drawn    map[int64]bool // inline pictures whose text was read, by offset
	looked   int            // number of pictures and form fields whose data was read
	loose    []int64        // shapes with text, in the order of their texts

	looseHeads []int64 // the same of headers and footers

	nested  int
	steps   int
	hidden  int // places of hidden text
	changes int // places of deleted text

	unfilled int // fields whose text the file does not have
	coded    int // paragraphs that end in the instruction of a field

	full   bool
	cut    doctree.Cut // what was left out because the tree is full
	deep   doctree.Cut // what was left out because it is nested too deeply
	unread int         // shapes and groups beyond the limit
}

// span is the range of characters of a note or a comment.
type span struct {
	from, to              int
	comment, author, date string
}

// room reports whether more may be read.
func (r *reader) room() bool {
	if r.full {
		return false
	}
	if r.steps++; r.steps%checkEvery == 0 && r.ctx.Err() != nil {
		r.full = true
		return false
	}
	if r.b.Count()+r.objects.Made >= r.options.Nodes {
		r.full = true
		return false
	}
	return true
}

// start returns the position of part n of the text: 0 main text, 1
// footnotes, 2 headers, 4 comments, 5 endnotes, 6 text boxes.
func (f *file) start(n int) int {
	at := 0
	for i := range n {
		at += f.counts[i]
	}
	return at
}

// references finds the notes and comments of the text.
func (r *reader) references() {
	r.refs = map[int]span{}
	comment, author := 30, 20 // bytes of a comment's data, and the author's place in it
	if r.old {
		comment, author = 20, 10
	}
	for _, k := range []struct{ refs, texts, size, part int }{
		{fibNoteRefs, fibNotes, 2, 1}, {fibEndnoteRefs, fibEndnotes, 2, 5}, {fibCommentRefs, fibComments, comment, 4},
	} {
		at, data := plc(r.part(k.refs), k.size)
		texts, _ := plc(r.part(k.texts), 0)
		var authors []string
		var dates []byte
		if k.part == 4 {
			authors, dates = r.authors(), r.part(fibCommentDates)
		}
		from, found := r.start(k.part), 0
		for i, d := range data {
			if i+1 >= len(texts) {
				break
			}
			s := span{from: from + texts[i], to: from + min(texts[i+1], r.counts[k.part])}
			if k.part == 4 {
				s.comment = "comment"
				if n := u16(d, author); n < len(authors) {
					s.author = authors[n]
				}
				if len(dates) >= 18*(i+1) {
					s.date = cfb.Moment(u32(dates, 18*i))
				}
			}
			r.refs[at[i]] = s
			found += max(s.to-s.from, 0)
		}
		r.unnamed += max(r.counts[k.part]-found-ends, 0)
	}
}

// ends is how many paragraph marks may be behind the last note, comment or header.
const ends = 2

// running puts the headers of all sections before the content of body, and their
// footers after it. The texts of separators come first, then six of each section:
// headers of even and odd pages, their footers, and those of the first page
// ([MS-DOC] 2.8.2).
func (r *reader) running(body *html.Node) {
	const separators, perSection = 6, 6
	at, _ := plc(r.part(fibHeaders), 0)
	if r.old {
		at = r.oldHeaders()
	}
	if !r.old {
		found := 0
		for i := range len(at) - 1 {
			found += max(min(at[i+1], r.counts[2])-at[i], 0)
		}
		r.unnamed += max(r.counts[2]-found-ends, 0)
	}
	from := r.start(2)
	facing := u16(r.part(fibProperties), 0)&1 != 0 // even pages have headers of their own
	var all doctree.Running
	for section := separators; section < len(at) && section < maxSections*perSection; section += perSection {
		for _, k := range []struct {
			text int
			tag  atom.Atom
		}{{1, atom.Header}, {4, atom.Header}, {0, atom.Header}, {3, atom.Footer}, {5, atom.Footer}, {2, atom.Footer}} {
			i := section + k.text
			if i+1 >= len(at) || at[i+1] <= at[i] || !facing && k.text%2 == 0 && k.text < 4 {
				continue
			}
			node := all.Begin(&r.b, k.tag)
			r.blocks(node, from+at[i], from+min(at[i+1], r.counts[2]))
			all.Add(node)
		}
	}
	node := all.Begin(&r.b, atom.Footer)
	r.rest(node, r.looseHeads)
	all.Add(node)
	all.Write(body)
}

// note writes a note or comment and returns its reference.
func (r *reader) note(s span) *html.Node {
	if s.from >= s.to {
		return nil
	}
	if r.nested >= maxNested {
		cut := r.cut
		r.cut = r.deep
		r.leave(s.from, s.to)
		r.deep, r.cut = r.cut, cut
		return nil
	}
	r.nested++
	defer func() { r.nested-- }()
	var attrs []string
	if s.author != "" {
		attrs = append(attrs, "data-author", s.author)
	}
	if s.date != "" {
		attrs = append(attrs, "data-date", s.date)
	}
	ref, li := r.notes.Add(&r.b, s.comment, attrs...)
	r.blocks(li, s.from, s.to)
	doctree.Unwrap(li)
	return ref
}

// fonts reads the names of the fonts in lower case.
func (f *file) fonts() (names []string) {
	if f.old {
		for _, font := range f.bytes.fonts {
			names = append(names, font.name)
		}
		return names
	}
	b := f.part(fibFonts)
	if len(b) < 4 {
		return nil
	}
	b = b[4:]
	for len(b) > 0 && len(names) < maxStyles {
		size := 1 + int(b[0])
		name := ""
		if size <= len(b) && size > 40 {
			name = strings.ToLower(cfb.UTF16(b[40:size]))
		}
		names = append(names, name)
		b = b[min(size, len(b)):]
	}
	return names
}
