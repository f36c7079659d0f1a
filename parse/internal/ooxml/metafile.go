// SPDX-License-Identifier: Apache-2.0

package ooxml

import (
	"bytes"
	"path"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/embedded"
	"example.com/curlew/parse/internal/picture"
)

// Metafiles reads the text of pictures of type WMF and EMF, each part once.
type Metafiles struct {
	Package *Package

	texts embedded.Metafiles
	seen  map[string]bool
	piece bytes.Buffer // a picture
}

// Read returns a text box with the text of the picture that r leads to, or nil if
// it is not a metafile, has no text or was read before.
func (m *Metafiles) Read(b *doctree.Builder, r Relation) *html.Node {
	switch strings.ToLower(path.Ext(r.Target)) {
	case ".emf", ".wmf":
	default:
		return nil
	}
	if r.External || m.seen[r.Target] || m.texts.Full() {
		return nil
	}
	if m.seen == nil {
		m.seen = map[string]bool{}
	}
	m.seen[r.Target] = true
	data, err := m.Package.ReadUnless(&m.piece, r.Target, picture.Textless)
	if err != nil {
		return nil
	}
	return m.texts.Text(b, data)
}
