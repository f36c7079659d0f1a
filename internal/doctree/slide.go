// SPDX-License-Identifier: Apache-2.0

package doctree

import (
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Untitled puts the heading "Slide N" before the content of slide n if the slide
// has content and no title, so that no slide runs into the one before it. Speaker notes are content.
func (b *Builder) Untitled(section *html.Node, n int) {
	first := section.FirstChild
	if first == nil || first.DataAtom == atom.H1 || first.DataAtom == atom.H2 {
		return
	}
	h := b.Element(atom.H2, "data-role", "slide-number")
	b.Text(h, "Slide "+strconv.Itoa(n))
	section.InsertBefore(h, first)
}

// SpeakerNotes puts the label "Notes:" before the notes of a slide and appends
// them to section. Notes without content are left out.
func (b *Builder) SpeakerNotes(section, notes *html.Node) {
	first := notes.FirstChild
	if first == nil {
		return
	}
	p := b.Element(atom.P, "data-role", "notes-label")
	b.Text(b.Append(p, atom.Strong), "Notes:")
	notes.InsertBefore(p, first)
	section.AppendChild(notes)
}
