// SPDX-License-Identifier: Apache-2.0

package docx

import (
	"strconv"
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/ooxml"
)

const levels = 9

// level is one level of a list definition.
type level struct {
	start   int
	format  string
	text    string // template such as "%1.%2"
	restart int    // level after which the numbers restart; -1 means the level above, 0 means never
	legal   bool   // show all numbers as decimal
	suffix  string
	style   string // ID of the paragraph style linked to this level
	left    int
}

// abstract is a list definition (w:abstractNum).
type abstract struct {
	id     string
	levels [levels]level
	link   string // style that has the definition
	counts [levels]int
	used   [levels]bool
}

// list is an instance of a list definition (w:num).
type list struct {
	of       *abstract
	starts   map[int]int
	override map[int]level
	begun    map[int]bool
}

// numbering counts the items of all lists of a document.
type numbering struct{ lists map[string]*list }

// readNumbering reads the numbering part. A nil root has no lists.
func readNumbering(root *zipxml.Element) *numbering {
	n := &numbering{lists: map[string]*list{}}
	byID, byStyle := map[string]*abstract{}, map[string]*abstract{}
	for e := root.Named("w:abstractNum"); e != nil; e = e.Same() {
		a := readAbstract(e)
		byID[a.id] = a
		if style := ooxml.Val(e.Get("w:styleLink")); style != "" {
			byStyle[style] = a
		}
	}
	for e := root.Named("w:num"); e != nil; e = e.Same() {
		a := byID[ooxml.Val(e.Get("w:abstractNumId"))]
		if a == nil {
			continue
		}
		if a.link != "" {
			if to := byStyle[a.link]; to != nil {
				a = to
			}
		}
		n.lists[e.Attr("w:numId")] = readList(e, a)
	}
	return n
}

// levelOf returns the list level that is linked to a paragraph style.
func (n *numbering) levelOf(id, style string) (level int, ok bool) {
	if l := n.lists[id]; l != nil {
		for i := range levels {
			if l.level(i).style == style {
				level, ok = i, true
			}
		}
	}
	return level, ok
}

// readList reads an instance of a.
func readList(e *zipxml.Element, a *abstract) *list {
	l := &list{of: a, starts: map[int]int{}, override: map[int]level{}, begun: map[int]bool{}}
	for o := e.Named("w:lvlOverride"); o != nil; o = o.Same() {
		i := o.Int("w:ilvl", -1)
		if i < 0 || i >= levels {
			continue
		}
		if start := o.Get("w:startOverride"); start != nil {
			l.starts[i] = start.Int("w:val", 1)
		}
		if lvl := o.Get("w:lvl"); lvl != nil {
			l.override[i] = readLevel(lvl)
		}
	}
	return l
}

func readAbstract(e *zipxml.Element) *abstract {
	a := &abstract{id: e.Attr("w:abstractNumId"), link: ooxml.Val(e.Get("w:numStyleLink"))}
	for i := range a.levels {
		a.levels[i] = level{start: 1, format: "decimal", restart: -1}
	}
	for l := e.Named("w:lvl"); l != nil; l = l.Same() {
		if i := l.Int("w:ilvl", -1); i >= 0 && i < levels {
			a.levels[i] = readLevel(l)
		}
	}
	return a
}

func readLevel(e *zipxml.Element) level {
	return level{
		start: e.Get("w:start").Int("w:val", 0), format: ooxml.Val(e.Get("w:numFmt")),
		text: ooxml.Val(e.Get("w:lvlText")), restart: e.Get("w:lvlRestart").Int("w:val", -1),
		legal: ooxml.On(e.Get("w:isLgl")), suffix: ooxml.Val(e.Get("w:suff")),
		style: ooxml.Val(e.Get("w:pStyle")), left: indent(e.Get("w:pPr"), 0),
	}
}

func (l *list) level(i int) level {
	if lvl, ok := l.override[i]; ok {
		return lvl
	}
	return l.of.levels[i]
}

// number is the number or bullet of one paragraph.
type number struct {
	item   doctree.Item
	text   string // as shown, with brackets and words; "" for a bullet
	bullet bool
	blank  bool // an invisible bullet: the paragraph continues an item
}

// next counts one paragraph of a list. It returns false if there is no such
// list or if its items have neither number nor bullet.
func (n *numbering) next(id string, at int) (number, bool) {
	l := n.lists[id]
	if l == nil {
		return number{}, false
	}
	at = max(0, min(at, levels-1))
	lvl := l.level(at)
	a := l.of
	if start, ok := l.starts[at]; ok && !l.begun[at] {
		a.counts[at], a.used[at] = start-1, true
	}
	l.begun[at] = true
	if !a.used[at] {
		a.counts[at], a.used[at] = lvl.start-1, true
	}
	a.counts[at]++
	// If a level above has no item yet, an item here counts as its first.
	// The next item there is the second, as in Word and LibreOffice.
	for above := range at {
		if !a.used[above] {
			a.counts[above], a.used[above] = l.level(above).start, true
		}
	}
	for deeper := at + 1; deeper < levels; deeper++ {
		if r := l.level(deeper).restart; r == 0 || r > 0 && at >= r {
			continue
		}
		a.used[deeper] = false
		delete(l.begun, deeper)
	}
	num := number{item: doctree.Item{Level: at, Key: "list", Left: lvl.left}}
	switch {
	case lvl.format == "bullet" || lvl.format == "none" && strings.Trim(lvl.text, "%123456789") != "":
		num.bullet = true
		num.blank = lvl.text != "" && !doctree.Shows(lvl.text)
		return num, true
	case lvl.format == "none" || lvl.text == "":
		return number{}, false
	}
	num.text = l.shown(at)
	if kind, ok := htmlType(lvl.format); ok && isSimple(lvl.text, at) {
		num.item.Ordered, num.item.Type, num.item.Number, num.item.Label = true, kind, a.counts[at], num.text
		num.item.Key = a.id
	}
	return num, true
}

// shown returns the number of the current item at a level as Word shows it.
func (l *list) shown(at int) string {
	lvl := l.level(at)
	var b strings.Builder
	for i := 0; i < len(lvl.text) && b.Len() < 200; i++ {
		if lvl.text[i] != '%' || i+1 == len(lvl.text) || lvl.text[i+1] < '1' || lvl.text[i+1] > '9' {
			b.WriteByte(lvl.text[i])
			continue
		}
		i++
		of := int(lvl.text[i] - '1')
		upper := l.level(of)
		count := upper.start // a level without an item shows its start
		if l.of.used[of] {
			count = l.of.counts[of]
		}
		format := upper.format
		if lvl.legal && format != "decimalZero" { // Word shows Section 1.01 below Article I
			format = "decimal"
		}
		b.WriteString(ooxml.Number(format, count))
	}
	return strings.TrimSpace(b.String())
}

// isSimple reports whether a level's text is only its own number with
// punctuation around it.
func isSimple(text string, at int) bool {
	mark := "%" + strconv.Itoa(at+1)
	before, after, ok := strings.Cut(text, mark)
	return ok && strings.Trim(before, "( ") == "" && strings.Trim(after, ".):-–、 ") == ""
}

// htmlType returns the type attribute of an HTML list for a number format.
func htmlType(format string) (string, bool) {
	switch format {
	case "decimal", "":
		return "", true
	case "lowerLetter":
		return "a", true
	case "upperLetter":
		return "A", true
	case "lowerRoman":
		return "i", true
	case "upperRoman":
		return "I", true
	}
	return "", false
}
