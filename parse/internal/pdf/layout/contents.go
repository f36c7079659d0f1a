// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/internal/sorting"
	"example.com/curlew/parse/internal/pdf/content"
)

// tocEntry is an entry of a table of contents: a title and a page number,
// which stands at the end of the title or in a line segment of its own.
type tocEntry struct {
	title, number int // line indexes, of the first line if the title has several; equal if one line has both
	words         int // number of words of the title
	page          int // sort key of the page number; roman numerals come first
	leader        bool
	linked        bool // has a link to another place in the document
	section       bool // begins with a section number
}

// listing is a sequence of entries below each other with increasing page
// numbers.
type listing struct {
	entries []tocEntry
	box     content.Box
	size    float64
	falls   bool // an entry beside it has a smaller number
}

// contents finds the tables of contents of a page. It returns a block for
// each entry and removes the lines from the page.
func contents(p *Page) []Block {
	var out []Block
	taken := make([]bool, len(p.Lines))
	for _, l := range listings(p) {
		if l.accept(p) {
			out = append(out, l.blocks(p, taken)...)
		}
	}
	if len(out) == 0 {
		return nil
	}
	p.take(taken)
	return out
}

// listings groups the entries of a page that stand below each other.
func listings(p *Page) []listing {
	var out []listing
	for _, e := range entries(p) {
		title, number := &p.Lines[e.title], &p.Lines[e.number]
		box := title.Box.Union(number.Box)
		fits := -1
		for k := range out {
			l := &out[k]
			last := l.entries[len(l.entries)-1]
			near := title.Y-p.Lines[last.number].Y < 6*max(l.size, title.Size)
			if near && min(box.X1, l.box.X1)-max(box.X0, l.box.X0) > .5*min(box.Width(), l.box.Width()) {
				if fits = k; e.page < last.page {
					l.falls, fits = true, -2
				}
			}
		}
		if fits < 0 {
			out = append(out, listing{size: title.Size, box: box, falls: fits == -2})
			fits = len(out) - 1
		}
		l := &out[fits]
		l.entries = append(l.entries, e)
		l.box = l.box.Union(box)
	}
	return out
}

// maxEntries is the maximum number of entries on a page. A page with more
// shows a table.
const maxEntries = 1000

// entries returns candidate entries from top to bottom.
func entries(p *Page) []tocEntry {
	var out []tocEntry
	var order []int // upright lines by position
	for i := range p.Lines {
		if l := &p.Lines[i]; l.Turn == 0 && !l.RTL {
			order = append(order, i)
		}
	}
	sorting.Stable(order, func(a, b int) int { return compare(p.Lines[a].Y, p.Lines[b].Y) })
	edges := numberEdges(p.Lines, order)
	for k, i := range order {
		l := &p.Lines[i]
		page := pageNumber(l.Words[len(l.Words)-1].Text)
		if page == 0 {
			continue
		}
		e := tocEntry{number: i, page: page}
		var text string
		if e.title, text = titleOf(p.Lines, order, k, edges); !worded(text) {
			continue
		}
		e.words = len(strings.Fields(text))
		e.leader, e.section = led(text), sectioned(text)
		e.linked = e.leads(p)
		if out = append(out, e); len(out) > maxEntries {
			return nil
		}
	}
	return out
}

// numberEdges returns the right edges of the numbers that stand alone behind a
// leader, rounded to points, which are those of columns of page numbers.
func numberEdges(lines []Line, order []int) map[float64]bool {
	edges := map[float64]bool{}
	for k, i := range order {
		l := &lines[i]
		if len(l.Words) > 1 || pageNumber(l.Words[0].Text) == 0 || edges[math.Round(l.Box.X1)] {
			continue
		}
		row := baseline(lines, order, k)
		if at := slices.Index(row, i); at > 0 && strings.HasSuffix(lines[row[at-1]].Text(), ".") && l.Box.X0-lines[row[at-1]].Box.X1 < 4*l.Size {
			edges[math.Round(l.Box.X1)] = true
		}
	}
	return edges
}

// titleOf returns the first line and the text of the title that belongs to
// the number at the end of line order[k]. Wide gaps may split a title into
// several segments. The text is empty in a table, whose rows also end in
// numbers. A number that ends at one of the edges belongs to the column to the left.
func titleOf(lines []Line, order []int, k int, edges map[float64]bool) (first int, text string) {
	row := baseline(lines, order, k)
	at := slices.Index(row, order[k])
	l := &lines[order[k]]
	alone, known := len(l.Words) == 1, edges[math.Round(l.Box.X1)]
	switch {
	case !alone || known:
	case len(edges) > 0 && strings.Contains(l.Words[0].Text, ".") && isLabel(l.Words[0].Text): // such as 11.1, the number of a section in the next column
		return -1, ""
	case at+1 < len(row) && !worded(lines[row[at+1]].Text()):
		return -1, ""
	}
	if !alone {
		text = l.Text()
	}
	for ; at > 0; at-- {
		a, b := &lines[row[at-1]], &lines[row[at]]
		wide := 4.5
		if isLabel(a.Text()) || pageNumber(a.Text()) > 0 {
			wide = 9 // section numbers may stand in a column of their own
		}
		if gap := b.Box.X0 - a.Box.X1; text != "" && gap > wide*b.Size {
			break
		}
		if text != "" && row[at] != order[k] && worded(text) && pageNumber(a.Words[len(a.Words)-1].Text) > 0 && worded(a.Text()) {
			break // an entry of the column to the left
		}
		if len(a.Words) == 1 && pageNumber(a.Words[0].Text) > 0 && edges[math.Round(a.Box.X1)] {
			break // the page number of such an entry
		}
		text = strings.TrimSpace(a.Text() + " " + text)
	}
	return row[at], text
}

// maxBeside bounds the lines of a row that are examined on each side.
const maxBeside = 32

// baseline returns the lines that share the baseline of order[k], from left
// to right.
func baseline(lines []Line, order []int, k int) []int {
	l := &lines[order[k]]
	from, to := k, k+1
	for from > 0 && k-from < maxBeside && math.Abs(lines[order[from-1]].Y-l.Y) <= .3*l.Size {
		from--
	}
	for to < len(order) && to-k < maxBeside && math.Abs(lines[order[to]].Y-l.Y) <= .3*l.Size {
		to++
	}
	row := slices.Clone(order[from:to])
	sorting.Stable(row, func(a, b int) int { return compare(lines[a].Box.X0, lines[b].Box.X0) })
	return row
}

// romanPages is added to arabic page numbers so that they sort after roman
// numerals.
const romanPages = 1000

// pageNumber returns the sort key of the page number at the end of a word,
// which may follow a leader. It returns 0 if there is none.
func pageNumber(word string) int {
	word = word[strings.LastIndexAny(word, "._…·")+1:]
	if isDigits(word) && len(word) <= 4 {
		n, _ := strconv.Atoi(word) // only digits, so there is no error
		return romanPages + n
	}
	if isRoman(word) {
		return roman(strings.ToLower(word))
	}
	return 0
}

// led reports whether a text contains a leader, such as a row of dots.
func led(text string) bool {
	for _, dots := range [...]string{"....", ". . .", "……", "····", "____"} {
		if strings.Contains(text, dots) {
			return true
		}
	}
	return false
}

// worded reports whether a text has at least two letters.
func worded(s string) bool {
	n, _ := letters(s)
	return n > 1
}

// sectioned reports whether a text begins with a section number.
func sectioned(text string) bool {
	if mark, rest := marker(text); mark != "" && rest != "" {
		return true
	}
	depth, _ := section(text)
	return depth > 0
}

// leads reports whether the entry has a link to a place in the document.
func (e *tocEntry) leads(p *Page) bool {
	for _, l := range [...]*Line{&p.Lines[e.title], &p.Lines[e.number]} {
		w := &l.Words[len(l.Words)-1]
		x, y := (w.Box.X0+w.Box.X1)/2, (w.Box.Y0+w.Box.Y1)/2
		for i := range p.Links {
			if k := &p.Links[i]; (k.Dest != nil || strings.HasPrefix(k.URI, "#")) && x >= k.Box.X0 && x <= k.Box.X1 && y >= k.Box.Y0-1 && y <= k.Box.Y1+1 {
				return true
			}
		}
	}
	return false
}

// accept reports whether the entries are a table of contents and not, for
// example, a table or an index whose numbers happen to increase. A heading,
// leaders or links show that. Without them, there must be many entries with
// aligned page numbers that increase quickly, and with section numbers or long
// titles, or each of at least four entries must have a section number.
func (l *listing) accept(p *Page) bool {
	n := len(l.entries)
	rise := l.entries[n-1].page - l.entries[0].page
	switch {
	case n < 3:
		return false
	case l.headed(p):
		return true
	case l.falls:
		return false
	}
	leaders, linked, sections, words, ones := 0, 0, 0, 0, 0
	edge := p.Lines[l.entries[0].number].Box.X1
	aligned := true
	for i, e := range l.entries {
		ones += count(i > 0 && e.page == l.entries[i-1].page+1)
		leaders += count(e.leader)
		linked += count(e.linked)
		sections += count(e.section)
		words += e.words
		aligned = aligned && math.Abs(p.Lines[e.number].Box.X1-edge) < .5*l.size
	}
	switch {
	case 2*ones > n: // numbered lines or items
		return false
	case 2*linked >= n, 2*leaders >= n && n > 3:
		return true
	}
	many := n > 7 && (2*sections >= n || words >= 2*n) && rise >= 2*n
	return aligned && (many || n > 3 && sections == n && rise >= n && !l.columns(p)) && !l.ruled(p)
}

// columns reports whether a row above the entries names columns, as in a table.
func (l *listing) columns(p *Page) bool {
	first := &p.Lines[l.entries[0].title]
	n := 0
	for i := range p.Lines {
		if o := &p.Lines[i]; o.Turn == 0 && o.Y < first.Y-.3*l.size && o.Y > first.Y-3*l.size && o.Box.X0 < l.box.X1 && o.Box.X1 > l.box.X0 {
			n++
		}
	}
	return n > 1
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// headed reports whether a heading shortly above the entries is a contents
// title.
func (l *listing) headed(p *Page) bool {
	first := p.Lines[l.entries[0].title].Y
	for i := range p.Lines {
		if o := &p.Lines[i]; o.Y < first && o.Y > first-15*l.size && len(o.Words) <= 4 && slices.Contains(contentsTitles, Key(o.Text())) {
			return true
		}
	}
	return false
}

// contentsTitles are the titles of tables of contents, in the form of [Key].
var contentsTitles = []string{
	"contents", "tableofcontents", "listofcontents", "briefcontents", "listoffigures", "listoftables", "listofillustrations",
	"inhalt", "inhaltsverzeichnis", "inhaltsübersicht", "abbildungsverzeichnis", "tabellenverzeichnis",
	"sommaire", "tabledesmatières", "listedesfigures", "listedestableaux",
	"contenido", "contenidos", "índice", "índicegeneral", "tabladecontenidos", "tabladecontenido", "conteúdo", "sumário",
	"indice", "indicegenerale", "sommario", "inhoud", "inhoudsopgave", "innehåll", "innehållsförteckning",
	"indhold", "indholdsfortegnelse", "innhold", "innholdsfortegnelse", "sisältö", "sisällys", "sisällysluettelo",
	"spistreści", "obsah", "tartalom", "tartalomjegyzék", "cuprins", "содержание", "оглавление", "зміст",
	"περιεχόμενα", "içindekiler", "目次", "目录", "目錄", "차례", "목차",
}

// ruled reports whether rules separate the entries, as in a table.
func (l *listing) ruled(p *Page) bool {
	n := 0
	for i := range p.Rules {
		if r := &p.Rules[i]; r.Horizontal() && r.Y0 > l.box.Y0 && r.Y1 < l.box.Y1 && r.X1-r.X0 > .3*l.box.Width() {
			n++
		}
	}
	return n > 1
}

// blocks makes the blocks of the entries. They include lines between
// entries: the start of a title that wraps, or an entry without a number.
func (l *listing) blocks(p *Page, taken []bool) []Block {
	titles, numbers := map[int]bool{}, map[int]bool{}
	for _, e := range l.entries {
		titles[e.title], numbers[e.number] = true, true
	}
	first, last := l.entries[0], l.entries[len(l.entries)-1]
	top, bottom := p.Lines[first.title].Y-.3*l.size, p.Lines[last.number].Y+.3*l.size
	var order []int
	for i := range p.Lines {
		o := &p.Lines[i]
		between := o.Y > top && o.Y < bottom && o.Box.X0 < l.box.X1 && o.Box.X1 > l.box.X0
		if o.Turn == 0 && !taken[i] && (between || titles[i] || numbers[i]) {
			order = append(order, i)
		}
	}
	sorting.Stable(order, func(a, b int) int { return compare(p.Lines[a].Y, p.Lines[b].Y) })
	var out []Block
	open := false // the title of the last block continues
	for k := 0; k < len(order); {
		n := 1
		for k+n < len(order) && math.Abs(p.Lines[order[k+n]].Y-p.Lines[order[k]].Y) <= .3*l.size {
			n++
		}
		row := order[k : k+n]
		k += n
		sorting.Stable(row, func(a, b int) int { return compare(p.Lines[a].Box.X0, p.Lines[b].Box.X0) })
		box, ends := p.Lines[row[0]].Box, false
		for _, i := range row {
			box = box.Union(p.Lines[i].Box)
			ends = ends || numbers[i]
			taken[i] = true
		}
		if !open {
			out = append(out, Block{Kind: Contents, Page: p.Number, Box: box, Conf: .9})
		}
		b := &out[len(out)-1]
		b.Box = b.Box.Union(box)
		for _, i := range row {
			b.Lines = append(b.Lines, p.Lines[i])
		}
		open = !ends && box.Width() > .6*l.box.Width()
	}
	indent(out)
	return out
}

// indent sets the depth of entries from their left edges.
func indent(entries []Block) {
	var lefts []float64
	for i := range entries {
		lefts = append(lefts, entries[i].Lines[0].Box.X0)
	}
	slices.Sort(lefts)
	lefts = slices.CompactFunc(lefts, func(a, b float64) bool { return math.Abs(b-a) < .6*entries[0].Size() })
	for i := range entries {
		b := &entries[i]
		for b.Level+1 < len(lefts) && b.Lines[0].Box.X0 > lefts[b.Level+1]-.1 {
			b.Level++
		}
		b.Marker = entryMarker(b)
	}
}

// entryMarker returns the number at the start of an entry, such as "2.", as
// a list marker. It returns "" if there is none.
func entryMarker(b *Block) string {
	if mark, _ := marker(b.Lines[0].Text()); isDigits(numbering(mark)) {
		return mark
	}
	return ""
}
