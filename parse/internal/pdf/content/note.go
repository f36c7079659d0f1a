// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"
	"unicode"

	"example.com/curlew/parse/internal/pdf/object"
)

// Note is a comment on a page: a sticky note, or the text of another markup
// annotation (ISO 32000-1, 12.5.6.2).
type Note struct {
	Box    Box    // of the annotation
	Thread int    // object number of the annotation that began the thread, which may be this one; 0 if unknown
	Answer bool   // it is a reply
	Text   string // at most maxNoteText bytes
	Author string
	Date   string // last change, in the PDF date format
}

// Bounds on notes.
const (
	maxNoteText  = 32 << 10 // bytes of one note
	maxPageNotes = 4096     // notes on a page
	maxNotesText = 4 << 20  // bytes of all notes on a page
	maxAnswers   = 32       // depth of replies
	maxQuads     = 256      // marked quadrilaterals of one annotation
	maxCompared  = 16 << 20 // glyphs of a page that are compared with marked places
)

// markup has the annotation types whose Contents are a note. Contents of
// free text are page text, so FreeText is not listed.
var markup = map[object.Name]bool{
	"Text": true, "Highlight": true, "Underline": true, "Squiggly": true, "StrikeOut": true, "Caret": true, "Line": true, "Square": true,
	"Circle": true, "Polygon": true, "PolyLine": true, "Ink": true, "Stamp": true, "FileAttachment": true,
}

// note records the comment of an annotation that its appearance does not
// show. It ignores review states, members of a group, and replies to a
// hidden annotation.
func (in *interp) note(o object.Object, d object.Dict, rect Box, base matrix) {
	if !markup[in.file.Name(d["Subtype"])] && d["IRT"] == nil || d["State"] != nil || d["StateModel"] != nil || in.file.Name(d["RT"]) == "Group" {
		return
	}
	if d["Contents"] == nil {
		return
	}
	if len(in.page.Notes) >= maxPageNotes || in.noted > maxNotesText {
		in.page.Omitted.Notes++
		return
	}
	text := strings.TrimSpace(in.brief(d["Contents"], maxNoteText))
	in.noted += len(text)
	if text == "" {
		return
	}
	n := Note{Box: base.box(rect)}
	head := d
	if r, ok := o.(object.Ref); ok {
		n.Thread = r.Num
	}
	for range maxAnswers {
		r, ok := head["IRT"].(object.Ref)
		up := in.file.Dict(r)
		if !ok || up == nil {
			break
		}
		if in.file.Int(up["F"], 0)&(annotHidden|annotNoView) != 0 || in.off(up["OC"]) {
			return
		}
		head, n.Thread, n.Answer = up, r.Num, true
	}
	if n.Answer {
		if v, ok := in.file.Floats(head["Rect"], 4); ok {
			n.Box = base.box(upright(v))
		}
	} else if in.shows(in.marked(d, n.Box, base), text) {
		return
	}
	n.Text, n.Author, n.Date = text, in.brief(d["T"], maxAuthor), in.brief(d["M"], maxAuthor)
	if n.Date == "" {
		n.Date = in.brief(d["CreationDate"], maxAuthor)
	}
	in.page.Notes = append(in.page.Notes, n)
}

// maxAuthor bounds an author's name and a date, in bytes.
const maxAuthor = 256

// brief returns a text string of at most n bytes. It decodes no more than
// that.
func (in *interp) brief(o object.Object, n int) string {
	s, _ := in.file.Resolve(o).(object.String)
	text := object.Text(string(s[:min(len(s), n)]))
	if len(text) > n {
		text = strings.ToValidUTF8(text[:n], "")
	}
	return text
}

// upright returns the box of a rectangle given by any two opposite corners.
func upright(v []float64) Box {
	return Box{min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])}
}

// marked returns the places that an annotation marks: its quadrilaterals or,
// without any, its box.
func (in *interp) marked(d object.Dict, b Box, base matrix) []Box {
	quads := in.file.Array(d["QuadPoints"])
	quads = quads[:min(len(quads), 8*maxQuads)]
	var out []Box
	for ; len(quads) >= 8; quads = quads[8:] {
		v, ok := in.file.Floats(quads[:8], 8)
		if !ok {
			break
		}
		out = append(out, base.box(Box{
			min(v[0], v[2], v[4], v[6]), min(v[1], v[3], v[5], v[7]), max(v[0], v[2], v[4], v[6]), max(v[1], v[3], v[5], v[7]),
		}))
	}
	if len(out) == 0 {
		return []Box{b}
	}
	return out
}

// shows reports whether text is the page text inside boxes. Some programs
// copy the marked text into the note.
func (in *interp) shows(boxes []Box, text string) bool {
	want := letters(text)
	if in.compared += len(in.page.Glyphs) * len(boxes); in.compared > maxCompared || want == "" {
		return false
	}
	var b strings.Builder
	for i := range in.page.Glyphs {
		g := &in.page.Glyphs[i]
		x, y := (g.Box.X0+g.Box.X1)/2, (g.Box.Y0+g.Box.Y1)/2
		for _, box := range boxes {
			if x > box.X0 && x < box.X1 && y > box.Y0 && y < box.Y1 {
				b.WriteString(g.Text)
				break
			}
		}
		if b.Len() > 4*len(text)+64 {
			return false
		}
	}
	have := letters(b.String())
	return strings.Contains(have, want) && len(want)*5 >= len(have)*4 // letters at the ends may be half marked
}

// letters returns the letters and digits of s in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}
