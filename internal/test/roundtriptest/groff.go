// SPDX-License-Identifier: Apache-2.0

package roundtriptest

import (
	"fmt"
	"strings"
)

// Groff returns the source for groff with the ms macros, tbl and eqn.
func (d *Document) Groff() string {
	w := roff{}
	w.line(".nr PS 11", ".nr VS 13", ".nr GROWPS 3", ".nr PSINCR 2p", ".nr LL 16.5c", ".nr PO 2.2c", ".nr FF 2")
	if d.Header != "" {
		w.line(".ds CH "+d.Header, ".ds CF %", ".nr HM 2.5c")
	} else {
		w.line(".ds CH", ".ds CF")
	}
	w.line(".EQ", "delim @@", ".EN")
	if d.Columns > 1 {
		gutter := 0.7
		w.line(fmt.Sprintf(".MC %.2fc %.2fc", (16.5-gutter*float64(d.Columns-1))/float64(d.Columns), gutter))
	}
	for _, b := range d.Blocks {
		w.block(b)
	}
	return w.b.String()
}

type roff struct{ b strings.Builder }

func (w *roff) line(all ...string) {
	for _, s := range all {
		w.b.WriteString(s + "\n")
	}
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, "@", `\(at`, "'", `\(aq`)

// shown escapes text for groff.
func shown(s string) string {
	s = roffEscapes.Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}

func (w *roff) block(b Block) {
	switch b := b.(type) {
	case Heading:
		w.line(fmt.Sprintf(".SH %d", b.Level), shown(b.Text))
	case Paragraph:
		w.line(".LP")
		w.spans(b.Text)
	case List:
		w.list(b)
	case Table:
		w.table(b)
	case Code:
		w.line(".DS L", ".ft CR", ".ps 9")
		for _, s := range b.Lines {
			w.line(shown(s))
		}
		w.line(".ps", ".ft", ".DE")
	case Math:
		w.line(".EQ", b.Formula.EQN, ".EN")
	}
}

// spans writes text. Links and notes are macros on separate lines, so they are
// surrounded by spaces, except for the text in the -A of a link.
func (w *roff) spans(all []Span) {
	fonts := [...]string{Strong: `\fB`, Emphasis: `\fI`, Mono: `\f(CR`, Plain: ""}
	taken := "" // by the link before
	for i, s := range all {
		text := shown(strings.TrimPrefix(s.Text, taken))
		taken = ""
		if s.Formula != nil {
			text = "@" + s.Formula.EQN + "@"
		}
		if f := fonts[s.Style]; f != "" {
			text = f + text + `\fP`
		}
		switch {
		case s.Link != "":
			if i+1 < len(all) {
				taken, _, _ = strings.Cut(all[i+1].Text, " ")
			}
			w.line("", `.pdfhref W -D "`+s.Link+`" -A "`+taken+`" -- `+text)
		case s.Note != "":
			w.line(w.fresh(text)+`\**`, ".FS", shown(s.Note), ".FE")
		default:
			w.b.WriteString(w.fresh(text))
		}
	}
	w.line("")
}

// fresh returns text without leading spaces, at which groff would break the
// line.
func (w *roff) fresh(text string) string {
	if strings.HasSuffix(w.b.String(), "\n") {
		return strings.TrimLeft(text, " ")
	}
	return text
}

func (w *roff) list(l List) {
	for i, item := range l.Items {
		if l.Ordered {
			w.line(fmt.Sprintf(".IP %d. 4n", i+1))
		} else {
			w.line(`.IP \(bu 3n`)
		}
		w.spans(item.Text)
		if item.Sub != nil {
			w.line(".RS")
			w.list(*item.Sub)
			w.line(".RE")
		}
	}
}

// table writes a table for tbl. A long table continues on the next page with
// its head.
func (w *roff) table(t Table) {
	long := len(t.Rows) > 20
	w.line(".LP")
	if long {
		w.line(".TS H")
	} else {
		w.line(".TS")
	}
	if t.Ruled {
		w.line("allbox tab(@);")
	} else {
		w.line("tab(@);")
	}
	grid := t.slots()
	for i, row := range grid {
		format := make([]string, len(row))
		for j, s := range row {
			switch {
			case s.begins && wraps(s.Text):
				format[j] = "lw(4.5c)"
			case s.begins:
				format[j] = "l"
			case s.left:
				format[j] = "s"
			default:
				format[j] = "^"
			}
		}
		end := ""
		if i == len(grid)-1 {
			end = "."
		}
		w.line(strings.Join(format, " ") + end)
	}
	for i, row := range grid {
		var cells []string
		for _, s := range row {
			switch {
			case !s.begins:
				cells = append(cells, "")
			case wraps(s.Text):
				cells = append(cells, "T{\n"+shown(s.Text)+"\nT}")
			default:
				cells = append(cells, shown(s.Text))
			}
		}
		w.line(strings.Join(cells, "@"))
		if i == 0 && long {
			w.line(".TH")
		}
	}
	w.line(".TE")
}

// wraps reports whether a cell needs more than one line.
func wraps(s string) bool { return len(s) > 30 }
