// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/embedded"
)

// embed reads the object with a number, which a field of type EMBED shows. It
// reports whether the object could be read. A formula is written into the line,
// another object after the paragraph ([MS-DOC] 2.6.1, sprmCPicLocation). A hidden
// object is left out and counted.
func (o *output) embed(line *doctree.Line, id int64, hidden bool) bool {
	s := o.pool.Storage("_" + strconv.FormatInt(id, 10))
	if hidden && o.take(s) {
		o.hidden++
	}
	figure := o.object(s)
	if figure == nil {
		return false
	}
	if formula := embedded.Formula(figure); formula != nil {
		line.Node(formula, doctree.Style{})
	} else {
		o.asides = append(o.asides, figure)
	}
	return true
}

// unplaced reads the objects that no field shows.
func (r *reader) unplaced(body *html.Node) {
	if r.pool == nil {
		return
	}
	for _, s := range r.pool.Storages {
		if !strings.HasPrefix(s.Name, "_") {
			continue
		}
		if figure := r.object(s); figure != nil {
			body.AppendChild(figure)
		}
	}
}

// object reads an object once. It returns nil if there is none or if it cannot be
// read.
func (r *reader) object(s *cfb.Storage) *html.Node {
	if !r.take(s) {
		return nil
	}
	return r.objects.Storage(r.ctx, &r.b, s, r.options.Nodes-r.b.Count()-r.objects.Made)
}

// take marks an object as read. It returns false if there is none or if it is
// already marked.
func (r *reader) take(s *cfb.Storage) bool {
	if s == nil || r.taken[s.Name] {
		return false
	}
	if r.taken == nil {
		r.taken = map[string]bool{}
	}
	r.taken[s.Name] = true
	return true
}
