// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// kind is what a block is.
type kind string

// The kinds of blocks. Texts are those of paragraphs, of authors and of addresses.
const (
	title      kind = "h1"
	section    kind = "h2"
	subsection kind = "h3"
	text       kind = "text"
	item       kind = "item"
	caption    kind = "caption"
	figure     kind = "figure"
	table      kind = "table"
	code       kind = "code"
	note       kind = "note"
	formula    kind = "formula"
	margin     kind = "margin" // a text beside a paragraph, in the margin
	entry      kind = "entry"  // a line of a list of contents
	blank      kind = "blank"  // labels with blanks
	signature  kind = "signature"
)

// block is one block of a page.
type block struct {
	kind  kind
	text  string
	mark  string     // of an item: "-", or its number with a point; of an entry: its page number
	depth int        // of an item, from 1
	rows  [][]string // of a table; the first is the header; of signatures: the lines of each person
	ruled bool       // all cells of the table have borders
	lines []string   // of code; of blanks: their labels
	note  string     // a footnote at the end of the text
	small bool       // smaller text in the middle, such as authors
	math  expression // of a formula
}

// running is a text that belongs to the page and not to the document.
type running struct {
	place string // head or foot, and left, center or right; side, stamp, watermark, upright, vertical
	text  string
}

// page is one page with known content.
type page struct {
	name     string
	genre    string
	columns  int
	size     float64 // of the text in points
	serif    bool
	justify  bool
	numbered bool    // headings begin with numbers
	lines    bool    // numbers of lines in the margin, which only LaTeX prints
	top      []block // above the columns, as wide as the page
	body     []block
	running  []running
	style    style // of papers

	r        *rand.Rand
	sections int
	subs     int
	figures  int
	tables   int
	notes    int
}

// genre is a kind of pages.
type genre struct {
	name string
	make func(*page)
}

// sets are the genres of the sets of pages, by the name of the set.
var sets = map[string][]genre{
	"": {
		{"journal", (*page).journal},
		{"report", (*page).report},
		{"book", (*page).book},
		{"news", (*page).news},
		{"manual", (*page).manual},
		{"tiny", (*page).tiny},
		{"letter", (*page).letter},
	},
	"beside": {
		{"paper", (*page).paper},
		{"draft", (*page).draft},
		{"textbook", (*page).textbook},
	},
	"marks": {
		{"stamped", (*page).stamped},
	},
	"papers": {
		{"contract", (*page).contract},
		{"form", (*page).form},
		{"outline", (*page).outline},
	},
}

// generate makes page i of a seed.
func generate(seed uint64, i int) *page {
	genres := sets[*set]
	g := genres[i%len(genres)]
	p := &page{name: fmt.Sprintf("%s-%d-%02d", g.name, seed, i), genre: g.name, columns: 1, r: rand.New(rand.NewPCG(seed, uint64(i)))} // #nosec G404 -- content of tests
	g.make(p)
	return p
}

// base is the name of its files without extension. It changes when the page is
// shortened.
func (p *page) base() string { return fmt.Sprintf("%s-%d", p.name, len(p.body)) }

// shorten takes the last blocks from a page that does not fit on one sheet.
func (p *page) shorten() { p.body = p.body[:max(1, len(p.body)-2)] }

var words = strings.Fields(`the of and in to for with from over under between against before after through
	market river garden kitchen theory number letter window travel season village measure balance quarter
	weather harbour library picture morning evening machine engine surface pressure current pattern company
	engineer material temperature development information communication representative environment
	infrastructure administration responsibility transportation independent considerable traditional
	experimental significant mathematical shows takes gives holds keeps brings leaves follows changes remains
	contains becomes requires describes considers establishes demonstrates small large early late common open
	narrow simple quiet heavy ancient modern slowly often never always nearly together already perhaps rarely
	north south water paper stone copper silver timber glass cotton`)

func (p *page) between(lo, hi int) int { return lo + p.r.IntN(hi-lo+1) }

func (p *page) one(of ...string) string { return of[p.r.IntN(len(of))] }

func (p *page) chance(share float64) bool { return p.r.Float64() < share }

// phrase returns some words, the first in upper case.
func (p *page) phrase(lo, hi int) string {
	var out []string
	for range p.between(lo, hi) {
		out = append(out, p.one(words...))
	}
	s := strings.Join(out, " ")
	return strings.ToUpper(s[:1]) + s[1:]
}

// titled returns a phrase in which all words begin in upper case.
func (p *page) titled(lo, hi int) string {
	fields := strings.Fields(p.phrase(lo, hi))
	for i, f := range fields {
		fields[i] = strings.ToUpper(f[:1]) + f[1:]
	}
	return strings.Join(fields, " ")
}

// prose returns sentences.
func (p *page) prose(lo, hi int) string {
	var out []string
	for range p.between(lo, hi) {
		s := p.phrase(7, 16)
		if p.chance(.25) {
			s += ", " + strings.ToLower(p.phrase(4, 8))
		}
		out = append(out, s+".")
	}
	return strings.Join(out, " ")
}

func (p *page) name2() string {
	return p.one("A.", "B.", "J. M.", "K.", "L. P.", "S.") + " " + p.one("Stone", "Rivers", "Harbourne", "Whitfield", "Copperman", "Glass", "Northgate")
}

// heading adds a heading.
func (p *page) heading(k kind) {
	t := p.phrase(1, 5)
	if p.genre == "book" || p.genre == "report" {
		t = p.titled(2, 5)
	}
	number := ""
	if k == section {
		p.sections, p.subs = p.sections+1, 0
		number = fmt.Sprintf("%d ", p.sections)
	} else {
		p.subs++
		number = fmt.Sprintf("%d.%d ", p.sections, p.subs)
	}
	if p.numbered {
		t = number + t
	}
	p.body = append(p.body, block{kind: k, text: t})
}

func (p *page) paragraph(lo, hi int) {
	p.body = append(p.body, block{kind: text, text: p.prose(lo, hi)})
}

// footnote adds a note to the last paragraph.
func (p *page) footnote() {
	if last := &p.body[len(p.body)-1]; last.kind == text && last.note == "" {
		p.notes++
		last.note = p.prose(1, 2)
	}
}

// list adds items, of which some have items below them.
func (p *page) list() {
	numbers := p.chance(.4)
	nested := p.chance(.4)
	for i := range p.between(3, 5) {
		b := block{kind: item, mark: "-", depth: 1, text: p.phrase(4, 14)}
		if p.chance(.3) {
			b.text = p.prose(1, 2)
		}
		if numbers {
			b.mark = fmt.Sprintf("%d.", i+1)
		}
		p.body = append(p.body, b)
		if nested && i == 1 {
			for range p.between(2, 3) {
				p.body = append(p.body, block{kind: item, mark: "-", depth: 2, text: p.phrase(3, 9)})
			}
		}
	}
}

// picture adds a figure with its caption below.
func (p *page) picture() {
	p.figures++
	sign := p.one(". ", ": ", " ")
	p.body = append(p.body, block{kind: figure}, block{kind: caption, text: fmt.Sprintf("%s %d%s%s", p.one("Figure", "Fig."), p.figures, sign, p.phrase(5, 14)+".")})
}

// grid adds a table with its caption above.
func (p *page) grid(columns int) {
	p.tables++
	if p.chance(.8) {
		p.body = append(p.body, block{kind: caption, text: fmt.Sprintf("Table %d%s%s", p.tables, p.one(". ", ": "), p.phrase(4, 9)+".")})
	}
	b := block{kind: table, ruled: p.chance(.5)}
	for i := range p.between(4, 7) {
		var row []string
		for j := range columns {
			switch {
			case i == 0 && j > 0:
				row = append(row, p.phrase(1, 1))
			case j == 0:
				row = append(row, p.phrase(1, 2))
			default:
				row = append(row, fmt.Sprintf("%.1f", 1000*math.Pow(p.r.Float64(), 3)))
			}
		}
		b.rows = append(b.rows, row)
	}
	p.body = append(p.body, b)
}

// listing adds code.
func (p *page) listing() {
	lines := []string{"func sum(list []int) int {", "    total := 0", "    for _, v := range list {", "        total += v * 2", "    }", "    return total", "}"}
	if p.chance(.5) {
		lines = []string{"$ make install PREFIX=/usr/local", "$ export RIVER_HOME=/opt/river", "$ river --verbose start", "river: listening on port 8080"}
	}
	p.body = append(p.body, block{kind: code, lines: lines[:p.between(3, len(lines))]})
}

func (p *page) run(place, text string) { p.running = append(p.running, running{place, text}) }

// number is a page number.
func (p *page) number() string { return fmt.Sprint(p.between(2, 480)) }

// full reports whether the page has no room for more.
func (p *page) full() bool {
	width := 170.0 * 72 / 25.4
	height := 225.0*72/25.4 - p.heightOf(p.top, width)
	if p.columns > 1 {
		width = (width - float64(p.columns-1)*18) / float64(p.columns)
		height *= float64(p.columns)
	}
	return p.heightOf(p.body, width) > .8*height
}

func (p *page) heightOf(blocks []block, width float64) float64 {
	sum := 0.0
	line := 1.28 * p.size
	for _, b := range blocks {
		chars := width / (.47 * p.size)
		count := func(s string) float64 { return math.Ceil(float64(len(s)) / chars) }
		switch b.kind {
		case title:
			sum += 2.5*line*count(b.text) + line
		case section, subsection:
			sum += 1.4*line*count(b.text) + 1.4*line
		case figure:
			sum += 115
		case table:
			sum += float64(len(b.rows))*1.5*line + 1.5*line
		case code:
			sum += float64(len(b.lines))*line + line
		case formula:
			sum += 5 * line
		case margin:
		case entry:
			sum += 1.1 * line
		case blank:
			sum += 2 * line
		case signature:
			sum += 6*line + 40
		case item:
			sum += line * (count(b.text+"1234567") + .2)
		default:
			sum += line*(count(b.text)+.7) + line*count(b.note)
		}
	}
	return sum
}

// fill adds blocks until the page is full.
func (p *page) fill(add func(i int)) {
	for i := 0; !p.full(); i++ {
		add(i)
	}
}

func (p *page) journal() {
	p.columns = []int{2, 2, 2, 1}[p.r.IntN(4)]
	p.size, p.serif, p.justify = []float64{8.5, 9, 9.5, 10}[p.r.IntN(4)], p.chance(.8), p.chance(.8)
	p.numbered = p.chance(.6)
	year := p.between(1980, 2023)
	first := p.between(2, 900)
	journal := p.one("Journal of ", "Annals of ", "Transactions on ") + p.titled(1, 2)
	if p.chance(.4) { // the first page of an article
		p.top = append(p.top, block{kind: title, text: p.titled(5, 10)}, block{kind: text, small: true, text: p.name2() + ", " + p.name2() + " and " + p.name2()})
		p.run("head center", fmt.Sprintf("%s %d (%d) %d–%d", journal, p.between(2, 90), year, first, first+12))
		switch p.r.IntN(4) {
		case 0:
			p.run("foot left", fmt.Sprintf("© %d Harbour Press. All rights reserved.", year))
		case 1:
			p.run("foot left", fmt.Sprintf("https://doi.org/10.%d/j.river.%d.%d", p.between(1000, 9999), year, p.between(1000, 9999)))
		case 2:
			p.run("foot center", fmt.Sprint(first))
		}
		if p.chance(.4) {
			p.run("stamp", fmt.Sprintf("arXiv:%d.%05dv%d [cs.CL] %d Jan %d", p.between(1001, 2312), p.between(1, 99999), p.between(1, 4), p.between(1, 28), year))
		}
	} else {
		switch p.r.IntN(4) {
		case 0:
			p.run("head left", p.number())
			p.run("head right", p.name2()+" et al.")
		case 1:
			p.run("head left", p.name2()+" and "+p.name2())
			p.run("head right", fmt.Sprintf("%s %d (%d) %d–%d", journal, p.between(2, 90), year, first, first+12))
			p.run("foot center", fmt.Sprint(first+3))
		case 2:
			p.run("head left", strings.ToUpper(p.phrase(3, 6)))
			p.run("head right", p.number())
		default:
			p.run("foot left", journal+fmt.Sprintf(", Vol. %d, No. %d, %s %d", p.between(1, 80), p.between(1, 12), p.one("March", "June", "October"), year))
			p.run("foot right", p.number())
		}
		if p.chance(.35) {
			p.run("side", fmt.Sprintf("Downloaded from https://academic.example.org/article/%d by guest on %d March %d", p.between(1000, 99999), p.between(1, 28), year+1))
		}
		p.lines = p.chance(.2) && p.columns == 1
		p.paragraph(1, 3)
	}
	p.fill(func(i int) {
		switch {
		case i%4 == 0:
			p.heading([]kind{section, subsection}[min(i, p.r.IntN(2))])
			p.paragraph(2, 5)
			if p.chance(.3) {
				p.footnote()
			}
		case i%4 == 2 && p.chance(.4):
			p.picture()
		case i%4 == 2 && p.chance(.5):
			p.grid(p.between(3, 4))
		default:
			p.paragraph(3, 7)
		}
	})
}

func (p *page) report() {
	p.size, p.serif, p.justify = []float64{10, 10.5, 11}[p.r.IntN(3)], p.chance(.4), p.chance(.3)
	p.numbered = p.chance(.5)
	n := p.between(3, 40)
	p.run("head left", p.one("Department of ", "Office of ", "Ministry of ")+p.titled(1, 2))
	if p.chance(.6) {
		p.run("head right", p.one("Annual Report", "Final Report", "Working Paper No.", "Strategic Plan")+fmt.Sprintf(" %d", p.between(2001, 2023)))
	}
	switch p.r.IntN(4) {
	case 0:
		p.run("foot right", fmt.Sprintf("Page %d of %d", n, n+p.between(2, 30)))
		p.run("foot left", p.one("Confidential", "Draft for discussion", "Public"))
	case 1:
		p.run("foot center", fmt.Sprint(n))
	case 2:
		p.run("foot left", "www."+strings.ToLower(p.one(words[20:]...))+".example.org")
		p.run("foot right", fmt.Sprint(n))
	default:
		p.run("foot center", fmt.Sprintf("%d | Page", n))
	}
	p.fill(func(i int) {
		switch i % 5 {
		case 0:
			p.heading(section)
			p.paragraph(2, 4)
		case 1:
			p.list()
		case 2:
			p.heading(subsection)
			p.paragraph(2, 4)
			if p.chance(.4) {
				p.footnote()
			}
		case 3:
			if p.chance(.6) {
				p.grid(p.between(3, 5))
			} else {
				p.picture()
			}
		default:
			p.paragraph(2, 4)
		}
	})
}

func (p *page) book() {
	p.size, p.serif, p.justify = []float64{10.5, 11, 12}[p.r.IntN(3)], true, true
	switch p.r.IntN(4) {
	case 0:
		p.run("head left", p.number())
		p.run("head center", strings.ToUpper(p.phrase(2, 4)))
	case 1:
		p.run("head center", p.titled(2, 4))
		p.run("foot center", p.number())
	case 2:
		p.run("head left", fmt.Sprintf("%d.%d. %s", p.between(1, 9), p.between(1, 9), p.titled(2, 4)))
		p.run("head right", p.number())
	default:
		p.run("foot center", "– "+p.number()+" –")
	}
	p.paragraph(1, 2)
	p.fill(func(i int) {
		if i == 2 && p.chance(.6) {
			p.heading(section)
		}
		p.paragraph(3, 8)
		if p.chance(.2) {
			p.footnote()
		}
	})
}

func (p *page) news() {
	p.columns = p.between(3, 4)
	p.size, p.serif, p.justify = []float64{8, 8.5, 9}[p.r.IntN(3)], true, p.chance(.7)
	day := p.one("Monday", "Tuesday", "Friday") + ", " + p.one("March", "July", "November") + fmt.Sprintf(" %d, %d", p.between(1, 28), p.between(1920, 2015))
	switch p.r.IntN(3) {
	case 0:
		p.run("head left", fmt.Sprintf("A%d", p.between(2, 30)))
		p.run("head center", "The "+p.titled(1, 2)+" Herald")
		p.run("head right", day)
	case 1:
		p.run("head left", "THE "+strings.ToUpper(p.phrase(1, 2))+" TIMES, "+strings.ToUpper(day))
		p.run("head right", p.number())
	default:
		p.run("foot left", p.titled(1, 2)+" Magazine")
		p.run("foot right", p.number())
	}
	p.top = append(p.top, block{kind: title, text: p.phrase(5, 9)}, block{kind: text, small: true, text: "By " + p.name2()})
	p.fill(func(i int) {
		if i%5 == 3 {
			p.body = append(p.body, block{kind: section, text: p.phrase(2, 4)})
		}
		p.paragraph(1, 3)
	})
}

func (p *page) manual() {
	p.size, p.serif, p.justify = []float64{9, 10, 10.5}[p.r.IntN(3)], p.chance(.2), false
	p.numbered = p.chance(.5)
	p.run("head right", fmt.Sprintf("Chapter %d. %s", p.between(1, 12), p.titled(1, 3)))
	switch p.r.IntN(3) {
	case 0:
		p.run("foot left", fmt.Sprintf("Document %04d-%s, Rev. %d", p.between(1, 9999), p.one("A", "B", "C"), p.between(1, 9)))
		p.run("foot right", fmt.Sprintf("%d-%d", p.between(1, 9), p.between(1, 40)))
	case 1:
		p.run("foot right", p.number())
		p.run("foot left", p.titled(2, 3)+" User Guide")
	default:
		p.run("foot center", p.number())
	}
	p.fill(func(i int) {
		switch i % 6 {
		case 0:
			p.heading(section)
			p.paragraph(1, 3)
		case 1:
			p.listing()
		case 2:
			p.paragraph(1, 2)
			p.list()
		case 3:
			p.heading(subsection)
			p.paragraph(1, 3)
		case 4:
			if p.chance(.5) {
				p.grid(p.between(2, 3))
			} else {
				p.picture()
			}
		default:
			p.listing()
			p.paragraph(1, 2)
		}
	})
}

func (p *page) tiny() {
	p.columns = p.between(1, 3)
	p.size, p.serif, p.justify = []float64{5, 5.5, 6}[p.r.IntN(3)], p.chance(.5), p.chance(.7)
	p.numbered = p.chance(.4)
	if p.chance(.6) {
		p.run("foot left", fmt.Sprintf("Form %d (Rev. %02d/%d)", p.between(100, 9999), p.between(1, 12), p.between(1990, 2022)))
	}
	p.run("foot right", p.one("Page "+p.number(), p.number()))
	p.fill(func(i int) {
		if i%4 == 0 {
			p.heading(section)
		}
		p.paragraph(4, 9)
	})
}

func (p *page) letter() {
	p.size, p.serif, p.justify = []float64{11, 12}[p.r.IntN(2)], true, false
	if p.chance(.5) { // a further page
		p.run("head center", "- "+fmt.Sprint(p.between(2, 6))+" -")
	} else {
		p.run("head left", p.name2())
		p.run("head right", fmt.Sprintf("Page %d", p.between(2, 5)))
	}
	p.fill(func(i int) { p.paragraph(2, 5) })
	p.body = append(p.body, block{kind: text, text: "Yours sincerely,"}, block{kind: text, text: p.name2() + " " + p.one("Director", "Secretary")})
}

// blocks returns the blocks in the order of reading.
func (p *page) blocks() []block {
	out := slices.Concat(p.top, p.body)
	for _, b := range p.body {
		if b.note != "" {
			out = append(out, block{kind: note, text: b.note})
		}
	}
	return out
}
