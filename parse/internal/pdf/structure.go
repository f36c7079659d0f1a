// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"context"
	"strings"

	"example.com/curlew/parse/internal/pdf/content"
	"example.com/curlew/parse/internal/pdf/layout"
	"example.com/curlew/parse/internal/pdf/object"
)

// Limits of the structure tree.
const (
	maxElements  = 1_000_000 // elements and marked-content references
	maxTreeDepth = 64
	maxAlt       = 4000     // bytes of an alternative text
	maxTexts     = 16 << 20 // bytes of all texts before they are cut
)

// structure reads the structure tree of a tagged document (ISO 32000-1,
// 14.7.2), as far as its content is on the pages that were read.
type structure struct {
	dests *dests
	file  *object.File
	roles object.Dict // RoleMap: the document's own structure types
	class object.Dict
	seen  map[int]bool // object numbers of the elements that were visited
	count int
	texts int // bytes of the texts of elements
}

// readStructure returns the structure tree. It is nil if the document has
// none or declares that its tags may be wrong (Suspects). The error is the
// cause that ended ctx.
func (d *reader) readStructure(ctx context.Context) (*layout.Element, error) {
	root := d.file.Dict(d.file.Catalog()["StructTreeRoot"])
	if root == nil {
		return nil, nil //nolint:nilnil // no tags
	}
	info := d.file.Dict(d.file.Catalog()["MarkInfo"])
	if suspect, _ := d.file.Resolve(info["Suspects"]).(bool); suspect {
		return nil, nil //nolint:nilnil // the same
	}
	s := structure{dests: d.dests, file: d.file, roles: d.file.Dict(root["RoleMap"]), class: d.file.Dict(root["ClassMap"]), seen: map[int]bool{}}
	e := &layout.Element{}
	s.kids(ctx, e, root["K"], 0, 0)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if s.count > maxElements {
		return nil, nil //nolint:nilnil // half a tree is no order
	}
	return e, nil
}

// kids adds the children that o, the entry K of an element, lists. page is
// the page of marked-content references that do not name one.
func (s *structure) kids(ctx context.Context, e *layout.Element, o object.Object, page, depth int) {
	if depth > maxTreeDepth || s.count > maxElements {
		return
	}
	if s.count++; s.count%256 == 0 && ctx.Err() != nil {
		s.count = maxElements + 1
		return
	}
	ref, isRef := o.(object.Ref)
	switch v := s.file.Resolve(o).(type) {
	case int:
		if page > 0 && v >= 0 {
			e.Kids = append(e.Kids, layout.Kid{Page: page, MCID: v})
		}
	case object.Array:
		if isRef && !s.enter(ref) {
			return
		}
		for _, k := range v {
			s.kids(ctx, e, k, page, depth)
		}
	case object.Dict:
		if pg, ok := v["Pg"].(object.Ref); ok {
			page = s.dests.pages[pg.Num]
		}
		switch s.file.Name(v["Type"]) {
		case "MCR":
			form, isForm := v["Stm"].(object.Ref)
			id := content.MarkID(form.Num, s.file.Int(v["MCID"], -1))
			if id >= 0 && page > 0 && (isForm || v["Stm"] == nil) {
				e.Kids = append(e.Kids, layout.Kid{Page: page, MCID: id})
			}
			return
		case "OBJR":
			return
		}
		if isRef && !s.enter(ref) {
			return
		}
		k := s.element(v)
		s.kids(ctx, k, v["K"], page, depth+1)
		if len(k.Kids) > 0 || k.Tag == layout.TagCell {
			e.Kids = append(e.Kids, layout.Kid{Element: k})
		}
	}
}

// enter records that an indirect object of the tree is visited. It returns
// false if it was visited before.
func (s *structure) enter(r object.Ref) bool {
	if s.seen[r.Num] {
		return false
	}
	s.seen[r.Num] = true
	return true
}

// element reads an element without its children.
func (s *structure) element(d object.Dict) *layout.Element {
	e := &layout.Element{Alt: s.text(d["Alt"]), Actual: s.text(d["ActualText"]), ColSpan: 1, RowSpan: 1}
	name := s.role(s.file.Name(d["S"]))
	e.Tag = tags[name]
	switch {
	case name == "TH", name == "THead":
		e.Header = true
	case len(name) == 2 && name[0] == 'H' && name[1] >= '1' && name[1] <= '6':
		e.Tag, e.Level = layout.TagHeading, int(name[1]-'0')
	case name == "Title":
		e.Level = 1
	}
	if e.Tag == layout.TagCell {
		s.spans(e, d["A"], 0)
		if c, ok := s.file.Resolve(d["C"]).(object.Name); ok {
			s.spans(e, s.class[c], 0)
		}
	}
	return e
}

// text returns a text string on one line, cut to maxAlt bytes.
func (s *structure) text(o object.Object) string {
	if o == nil || s.texts > maxTexts {
		return ""
	}
	t := brief(s.file, o, 4*maxAlt)
	s.texts += len(t)
	t = strings.Join(strings.Fields(t), " ")
	if len(t) > maxAlt {
		t = strings.ToValidUTF8(t[:maxAlt], "")
	}
	return t
}

// spans reads the attributes of a table cell, which are a dictionary or a
// list of them.
func (s *structure) spans(e *layout.Element, o object.Object, depth int) {
	switch v := s.file.Resolve(o).(type) {
	case object.Dict:
		e.ColSpan = max(e.ColSpan, s.file.Int(v["ColSpan"], 1))
		e.RowSpan = max(e.RowSpan, s.file.Int(v["RowSpan"], 1))
	case object.Array:
		for _, a := range v[:min(len(v), 16)] {
			if depth < 2 {
				s.spans(e, a, depth+1)
			}
		}
	}
}

// role maps the document's own structure types to standard types.
func (s *structure) role(name object.Name) object.Name {
	for range 8 {
		if _, standard := tags[name]; standard {
			return name
		}
		next := s.file.Name(s.roles[name])
		if next == "" || next == name {
			return name
		}
		name = next
	}
	return name
}

// tags are the standard structure types (ISO 32000-1, 14.8.4; ISO 32000-2,
// 14.8.4). The levels of H1 to H6 are read from their names. Any other type is
// treated as part of a text.
var tags = map[object.Name]layout.Tag{
	"Document": layout.TagGroup, "DocumentFragment": layout.TagGroup, "Part": layout.TagGroup, "Art": layout.TagGroup,
	"Sect": layout.TagGroup, "Div": layout.TagGroup, "BlockQuote": layout.TagGroup,
	"Index": layout.TagGroup, "Aside": layout.TagGroup, "Private": layout.TagGroup,

	"P": layout.TagText, "Note": layout.TagText, "FENote": layout.TagText, "BibEntry": layout.TagText,
	"H": layout.TagHeading, "Title": layout.TagHeading,
	"H1": layout.TagHeading, "H2": layout.TagHeading, "H3": layout.TagHeading, "H4": layout.TagHeading, "H5": layout.TagHeading, "H6": layout.TagHeading,
	"TOC": layout.TagContents, "TOCI": layout.TagEntry,
	"L": layout.TagList, "LI": layout.TagItem, "Lbl": layout.TagLabel, "LBody": layout.TagInline,
	"Table": layout.TagTable, "THead": layout.TagInline, "TBody": layout.TagInline, "TFoot": layout.TagInline,
	"TR": layout.TagRow, "TH": layout.TagCell, "TD": layout.TagCell,
	"Figure": layout.TagFigure, "Formula": layout.TagCode, "Caption": layout.TagCaption, "Code": layout.TagCode,

	"Span": layout.TagInline, "Quote": layout.TagInline, "Reference": layout.TagInline, "Link": layout.TagInline,
	"Annot": layout.TagInline, "Form": layout.TagInline, "NonStruct": layout.TagInline, "Sub": layout.TagInline,
	"Em": layout.TagInline, "Strong": layout.TagInline, "Ruby": layout.TagInline, "RB": layout.TagInline,
	"RT": layout.TagInline, "RP": layout.TagInline, "Warichu": layout.TagInline, "WT": layout.TagInline, "WP": layout.TagInline,
}
