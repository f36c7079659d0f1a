// SPDX-License-Identifier: Apache-2.0

package ppt

import (
	"strings"

	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
)

// old reads a presentation of PowerPoint 95, whose records have another format, from the
// copy of its text that the program keeps for searches.
func (r *reader) old(text string) {
	body := r.doc.Begin(&r.b, "ppt")
	for line := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == '\r' || c == '\n' || c == '\v' }) {
		if line = strings.TrimSpace(doctree.Clean(line)); line == "" {
			continue
		}
		if !r.room() {
			r.cut.Paragraph(line)
			continue
		}
		r.b.Text(r.b.Append(body, atom.P), line)
	}
	r.doc.Warn("part-unreadable", 0, "The presentation is of PowerPoint 95. Only the copy of its text that the file keeps was read, without its slides, links, pictures and objects.")
}
