// SPDX-License-Identifier: Apache-2.0

package xls

import (
	"strings"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/cfb"
	"example.com/curlew/internal/odraw"
)

const maxGroups = 16 // of shapes in each other

// drawings lays out what stands over the cells.
func (s *sheetReader) drawings() {
	for _, c := range s.charts {
		if !s.book.Room() {
			return
		}
		if figure := c.figure(s.reader); figure != nil {
			s.Node.AppendChild(figure)
		}
	}
	for _, text := range s.shapes {
		aside := s.book.B.Append(s.Node, atom.Aside, "data-role", "textbox")
		for line := range strings.SplitSeq(text, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				s.book.B.Text(s.book.B.Append(aside, atom.P), line)
			}
		}
	}
	s.pictures(s.drawn, 0)
}

// pictures lays out the pictures of a drawing that have an alternative text.
func (s *sheetReader) pictures(b []byte, depth int) {
	for one := range odraw.Records(b) {
		switch {
		case one.Kind != odraw.Shape && one.Container && depth < maxGroups:
			s.pictures(one.Data, depth+1)
		case one.Kind == odraw.Shape && s.book.Room():
			if alt := pictureOf(one.Data); alt != "" {
				s.book.B.Append(s.book.B.Append(s.Node, atom.Figure), atom.Img, "alt", alt)
			}
		}
	}
}

// pictureOf returns the alternative text of a shape that is a picture.
func pictureOf(b []byte) (alt string) {
	picture := false
	for one := range odraw.Records(b) {
		switch one.Kind {
		case odraw.ShapeAtom:
			picture = one.Inst == odraw.Picture
		case odraw.Options, odraw.Options3:
			for p := range one.Properties() {
				if p.ID == odraw.Description {
					alt = strings.Join(strings.Fields(cfb.UTF16(p.Data)), " ")
				}
			}
		}
	}
	if !picture {
		return ""
	}
	return alt
}
