// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"path"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/picture"
)

// Metafiles reads the text of pictures of type WMF and EMF, each part once.
type Metafiles struct {
	Package *Package

	seen map[string]bool
	size int // bytes read
}

// maxMetafiles is how many bytes of metafiles are read: pictures are most of a
// document's bytes, and few have text.
const maxMetafiles = 32 << 20

// Read returns a text box with the text of the picture that r leads to, or nil if
// it is no metafile, has no text or was read before.
func (m *Metafiles) Read(b *doctree.Builder, r Relation) *html.Node {
	switch strings.ToLower(path.Ext(r.Target)) {
	case ".emf", ".wmf":
	default:
		return nil
	}
	if r.External || m.seen[r.Target] || m.size > maxMetafiles {
		return nil
	}
	if m.seen == nil {
		m.seen = map[string]bool{}
	}
	m.seen[r.Target] = true
	data, err := m.Package.Read(r.Target)
	if err != nil {
		return nil
	}
	m.size += len(data)
	lines := picture.MetafileText(data)
	if len(lines) == 0 {
		return nil
	}
	box := b.Element(atom.Aside, "data-role", "textbox")
	for _, line := range lines {
		b.Text(b.Append(box, atom.P), doctree.Clean(line))
	}
	return box
}
