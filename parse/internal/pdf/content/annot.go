// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"
	"strings"

	"example.com/curlew/parse/internal/pdf/object"
)

// Annotation flags (ISO 32000-1, table 165).
const (
	annotHidden = 1 << 1
	annotNoView = 1 << 5
)

// Bounds on the annotations of a page.
const (
	maxAnnots = 20_000
	maxFiles  = 100 // file attachments
)

// annotations collects the links and notes of a page. It also runs the
// appearance streams of annotations that show text: form fields, free text,
// stamps.
func (in *interp) annotations(p object.Page, base matrix) {
	annots := in.file.Array(p.Dict["Annots"])
	for i, o := range annots {
		if in.ended() {
			return
		}
		if i == maxAnnots {
			in.page.Omitted.Annots = len(annots) - i
			return
		}
		d := in.file.Dict(o)
		if d == nil {
			continue
		}
		v, ok := in.file.Floats(d["Rect"], 4)
		if !ok {
			continue
		}
		rect := upright(v)
		kind := in.file.Name(d["Subtype"])
		if kind == "Link" {
			in.link(d, base.box(rect))
			continue
		}
		flags := in.file.Int(d["F"], 0)
		if flags&(annotHidden|annotNoView) != 0 || kind == "Popup" || in.off(d["OC"]) {
			continue
		}
		shown := len(in.page.Glyphs)
		if kind == "Widget" && in.checkBox(d, base.box(rect)) {
			continue
		}
		in.appearance(d, rect, base)
		if n := len(in.page.Glyphs); in.err == nil && !in.says(shown) {
			switch kind {
			case "Widget":
				in.value(d, base.box(rect))
			case "FreeText":
				in.freeText(d, base.box(rect))
			}
			if len(in.page.Glyphs) > n { // replaces text that cannot be read
				in.page.Glyphs = slices.Delete(in.page.Glyphs, shown, n)
			}
		}
		in.note(o, d, rect, base)
		if kind != "FileAttachment" {
			continue
		}
		if len(in.page.Files) >= maxFiles {
			in.page.Omitted.Files++
			continue
		}
		in.page.Files = append(in.page.Files, d["FS"])
	}
}

// says reports whether any glyph from index from on has readable text.
func (in *interp) says(from int) bool {
	for _, g := range in.page.Glyphs[from:] {
		if strings.Trim(g.Text, " \ufffd") != "" {
			return true
		}
	}
	return false
}

func (in *interp) link(d object.Dict, b Box) {
	l := Link{Box: b, Dest: d["Dest"]}
	if a := in.file.Dict(d["A"]); a != nil {
		switch in.file.Name(a["S"]) {
		case "URI":
			l.URI = in.told(a["URI"])
		case "GoTo":
			l.Dest = a["D"]
		}
	}
	if (l.URI != "" || l.Dest != nil) && in.letter(l.URI) {
		in.page.Links = append(in.page.Links, l)
	}
}

// appearance runs the normal appearance of an annotation, fitted into its
// rectangle (ISO 32000-1, 12.5.5, algorithm 8.1).
func (in *interp) appearance(d object.Dict, rect Box, base matrix) {
	ap := in.file.Resolve(in.file.Dict(d["AP"])["N"])
	if states, ok := ap.(object.Dict); ok {
		ap = in.file.Resolve(states[in.file.Name(d["AS"])])
	}
	s, ok := ap.(*object.Stream)
	if !ok {
		return
	}
	v, ok := in.file.Floats(s.Dict["BBox"], 4)
	if !ok {
		return
	}
	m := identity
	if f, ok := in.file.Floats(s.Dict["Matrix"], 6); ok {
		m = matrix(f)
	}
	b := m.box(upright(v))
	fit := matrix{1, 0, 0, 1, rect.X0 - b.X0, rect.Y0 - b.Y0}
	if b.Width() > 0 && b.Height() > 0 {
		sx, sy := rect.Width()/b.Width(), rect.Height()/b.Height()
		fit = matrix{sx, 0, 0, sy, rect.X0 - b.X0*sx, rect.Y0 - b.Y0*sy}
	}
	in.gs = newState(fit.times(base), Box{0, 0, in.page.Width, in.page.Height})
	in.stack, in.marks, in.offs, in.arts = in.stack[:0], in.marks[:0], 0, 0
	in.field = true
	in.form(s, -1)
	in.field = false
}
