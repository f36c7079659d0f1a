// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/value"
)

// Tail is a short text with its label, as in "Heating: none": the text after the label
// on its line or the line below, a cell below the head of its column or after the first
// cell of its row, or a line, a piece of it, or what follows the last number in it, by its
// position.
type Tail struct {
	Label, Text string // in normal form
	Line        int
}

// Limits of tails.
const (
	maxTail  = 60 // runes of a text or of a label
	maxTails = 200
)

// Tails returns the tails in lines a to b. Positions are counted only in line key, which
// may be zero.
func (g *Ground) Tails(a, b, key int) []Tail {
	var out []Tail
	add := func(label, text string, n int) {
		label, text = bareTail(label), cellTail(text)
		if label == "" || text == "" || len(out) >= maxTails || utf8.RuneCountInString(label) > maxTail || utf8.RuneCountInString(text) > maxTail {
			return
		}
		out = append(out, Tail{label, text, n})
		if k := strings.LastIndexFunc(text, unicode.IsDigit); k >= 0 {
			if rest := bareTail(text[k+1:]); rest != "" {
				out = append(out, Tail{label + "+", rest, n})
			}
		}
	}
	place := 0 // of a line behind the key
	for n := max(a, 1); n <= min(b, len(g.Lines)); n++ {
		line := Unlinked(g.Line(n))
		if strings.HasPrefix(line, "|") {
			whole := strings.Trim(line, "| ")
			if strings.Contains(whole, "|") {
				g.cells(n, key, line, add)
				continue
			}
			line = whole // a cell over the whole row is a line of text
		}
		if label := g.lineAbove(n); label != "" {
			add(label, line, n)
		}
		if n > key && key > 0 && strings.TrimSpace(line) != "" {
			place++
			placed("@"+strconv.Itoa(place), line, n, add)
		}
		for k, part := range g.sayings(n) {
			add("~"+strconv.Itoa(n-key)+"."+strconv.Itoa(k), part, n)
		}
		for k, m := range bracketed.FindAllStringSubmatch(line, 4) {
			add("("+strconv.Itoa(n-key)+"."+strconv.Itoa(k), m[1], n)
		}
		pieced(line, n, n == key, add)
	}
	return out
}

// FirstWith returns the first line before line n that contains a text, or else n.
func (g *Ground) FirstWith(text string, n int) int {
	text = value.Normal(text)
	for at := 1; at < n; at++ {
		if value.Holds(Unlinked(g.Line(at)), text) > 0 {
			return at
		}
	}
	return n
}

// adder takes a text with its label, and the line of both.
type adder func(label, text string, n int)

// placed adds a line by its place, and the last of its parts.
func placed(place, line string, n int, add adder) {
	add(place, line, n)
	if parts := separated.Split(line, -1); len(parts) > 1 {
		add(place+"$", parts[len(parts)-1], n)
	}
}

// pieced adds the pieces of a line that have labels, and those of the line of the key by their
// numbers.
func pieced(line string, n int, key bool, add adder) {
	pieces := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("|·•;,", r) })
	for k, piece := range pieces {
		if i := strings.LastIndex(piece, ": "); i > 0 {
			add(piece[:i], piece[i+1:], n)
		}
		if key && k > 0 {
			add("#"+strconv.Itoa(k), piece, n)
			add("#-"+strconv.Itoa(len(pieces)-k), piece, n) // from the end, as earlier ones may be missing
		}
	}
}

// separated matches what separates the parts of a line.
var separated = regexp.MustCompile(` [-/] |[|·•,;]`)

// emphasis matches a part of a line between the marks of Markdown for emphasis. At the start of
// a line, and before a colon, it is a label.
var emphasis = regexp.MustCompile(`[^*_][ (](\*{1,3}|_{1,3})([^*_ ](?:[^*_]{0,78}[^*_ :])?)(?:\*{1,3}|_{1,3})(?:$|[ .,;:)])`)

// bracketed matches a short text in brackets, such as the sign of a legend.
var bracketed = regexp.MustCompile(`[(\[]([^()\[\]]{1,20})[)\]]`)

// sayings returns the emphasised parts of line n in normal form, and its sentences if it has
// several.
func (g *Ground) sayings(n int) []string {
	var out []string
	if raw := g.Lines[n-1]; strings.ContainsAny(raw, "*_") {
		for _, m := range emphasis.FindAllStringSubmatch(raw, 10) {
			out = append(out, value.Normal(m[2]))
		}
	}
	if sentences := strings.Split(Unlinked(g.Line(n)), ". "); len(sentences) > 1 {
		out = append(out, sentences...)
	}
	return out
}

// cells adds the cells of a row of a table. The first row is no head if it has the key.
func (g *Ground) cells(n, key int, line string, add adder) {
	if lines.IsRule(g.Lines[n-1]) || n < len(g.Lines) && lines.IsRule(g.Lines[n]) && n != key {
		return // the head
	}
	cells := strings.Split(strings.Trim(line, "| "), "|")
	if len(cells) == 2 {
		add(cells[0], cells[1], n)
	}
	top := n
	for top > 1 && strings.HasPrefix(g.Line(top-1), "|") {
		top--
	}
	heads := strings.Split(strings.Trim(g.Line(top), "| "), "|")
	for k := range cells {
		if k > 0 && len(heads) == len(cells) {
			add("|"+heads[k], cells[k], n)
		}
	}
}

// lineAbove returns the nearest line with text before line n, if it may be the label of
// that line.
func (g *Ground) lineAbove(n int) string {
	for i := n - 1; i > 0 && i >= n-2; i-- {
		if line := g.Line(i); line != "" {
			if strings.HasPrefix(line, "|") || headingLevel(g.Lines[i-1]) > 0 {
				return ""
			}
			return line
		}
	}
	return ""
}

// cellTail is bareTail for a text, and keeps the dash of a cell that has nothing else. It may
// stand for a no.
func cellTail(s string) string {
	if bare := bareTail(s); bare != "" || !strings.Contains(s, "-") {
		return bare
	}
	return "-"
}

// bareTail removes what Markdown and punctuation put around a text.
func bareTail(s string) string { return strings.Trim(s, " *_`:.!|-+>") }
