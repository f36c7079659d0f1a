// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.com/curlew/agent/internal/protocol"
)

// codePattern matches codes of things.
var codePattern = regexp.MustCompile(`\b[A-Z]{2}-[A-Z]{2}[0-9]{4}\b`)

// claimPattern matches claims of a total. The last number is the total.
var claimPattern = regexp.MustCompile(`(\d+)[–〜](\d+)\D+?(\d+)`)

// block is a range of lines that are about one thing.
type block struct {
	r        *record
	at       int // index of the line with the code
	from, to int // half-open
}

// blocks splits lines into blocks by the codes in them.
func (o *Oracle) blocks(lines []protocol.AskedLine) []block {
	var all []block
	seen := map[*record]bool{}
	for i, l := range lines {
		for _, code := range codePattern.FindAllString(l.Text, -1) {
			if r := o.web.byCode[code]; r != nil && !seen[r] {
				seen[r] = true
				all = append(all, block{r: r, at: i, from: i, to: i + 1})
			}
		}
	}
	if len(all) == 0 {
		all = o.namedBlocks(lines)
	}
	if len(all) == 1 && !o.listed(lines) {
		all[0].from, all[0].to = 0, len(lines)
		return all
	}
	for i := range all {
		floor, end := 0, len(lines)
		if i > 0 {
			floor = all[i-1].at + 1
		}
		for k := all[i].at; k >= floor; k-- {
			if strings.HasPrefix(lines[k].Text, "#") && k > 0 {
				all[i].from = k
				break
			}
		}
		if i > 0 {
			all[i-1].to = all[i].from
		}
		all[i].to = end
	}
	return all
}

// namedBlocks returns the blocks of things whose names are in lines without a code.
func (o *Oracle) namedBlocks(lines []protocol.AskedLine) []block {
	var all []block
	for i, l := range lines {
		text := strings.ToLower(plain.Replace(l.Text))
		for _, m := range namePattern.FindAllString(text, -1) {
			r := o.web.byName[m]
			if r != nil && !slices.ContainsFunc(all, func(b block) bool { return b.r == r }) {
				all = append(all, block{r: r, at: i, from: i, to: i + 1})
			}
		}
	}
	return all
}

// namePattern matches names of things in lower case.
var namePattern = regexp.MustCompile(`\b[a-z]+ \pL+ [0-9]{4}\b`)

// listed reports whether the lines belong to a listing.
func (o *Oracle) listed(lines []protocol.AskedLine) bool {
	return slices.ContainsFunc(lines, func(l protocol.AskedLine) bool {
		return claimPattern.MatchString(l.Text) || strings.Contains(l.Text, "](L") && codePattern.MatchString(l.Text)
	})
}

type said struct {
	V  map[string]any   `json:"v"`
	Ln map[string][]int `json:"ln"`
}

// extract answers an extract call with every thing whose code is in the lines, and with
// those of its values that the lines contain.
func (o *Oracle) extract(a protocol.Asked) any {
	var out protocol.ExtractReply
	out.Total, out.Kind = -1, "none"
	most, after := a.Number("rows"), a.Number("after")
	fields := protocol.ListOf[protocol.PromptField](a, "fields")
	var table struct{ What string }
	_ = unmarshal(a.Values["table"], &table)
	blocks := o.blocks(a.Lines)
	if noun := o.nounOf(table.What); noun != "" {
		blocks = slices.DeleteFunc(blocks, func(b block) bool { return b.r.cat.noun != noun })
	}
	if task := a.Text("task"); o.isRecord(a) {
		blocks = slices.DeleteFunc(blocks, func(b block) bool { return elsewhere(task, b.r) })
	}
	for i, b := range blocks {
		if a.Lines[b.at].N <= after {
			continue
		}
		if len(out.Rows) == most {
			out.More = true
			break
		}
		row := said{map[string]any{}, map[string][]int{}}
		for _, f := range fields {
			row.V[f.Name], row.Ln[f.Name] = nil, []int{}
			v, ln := o.value(a.Lines, b, f)
			if o.errs() && !f.Key {
				v, ln = o.slip(a, blocks, i, f, v, ln)
			}
			if v != nil {
				row.V[f.Name] = v
				if o.Mode != Uncited {
					row.Ln[f.Name] = []int{ln, ln}
				}
			}
		}
		out.Rows = append(out.Rows, row)
	}
	switch {
	case len(blocks) == 1 && !o.listed(a.Lines):
		out.Kind = "detail"
	case len(blocks) > 0:
		out.Kind = "list"
	}
	for _, l := range a.Lines {
		if m := claimPattern.FindStringSubmatch(l.Text); m != nil {
			out.Total, _ = strconv.Atoi(m[3])
			out.TotalLn = l.N
		}
	}
	if o.Mode == Injected {
		o.obeyExtract(a, fields, &out.Rows)
	}
	return out
}

// isRecord reports whether a question asks for the only record of an answer.
func (o *Oracle) isRecord(a protocol.Asked) bool {
	var table struct{ ID string }
	return unmarshal(a.Values["table"], &table) == nil && table.ID == "T0"
}

// elsewhere reports whether a task is about another thing of the same kind as r: it
// contains the kind and a number like those in names, but not the name of r.
func elsewhere(task string, r *record) bool {
	names := namePattern.FindAllString(strings.ToLower(task), -1)
	return len(names) > 0 && slices.Contains(wordsOf(task), strings.ToLower(r.cat.noun)) && !slices.Contains(names, strings.ToLower(r.name)) && r.cat.names == nil
}

// nounOf returns the noun of the catalog that a text mentions.
func (o *Oracle) nounOf(text string) string {
	for _, c := range o.web.catalogs {
		if slices.Contains(strings.Fields(strings.ToLower(text)), strings.ToLower(c.noun)) {
			return c.noun
		}
	}
	return ""
}

// base returns the member that a field is about.
func base(f protocol.PromptField) string {
	if i := strings.LastIndexByte(f.Name, '.'); i >= 0 {
		return f.Name[i+1:]
	}
	return f.Name
}

// value returns the text that the lines of a block print for a field, and the line.
func (o *Oracle) value(lines []protocol.AskedLine, b block, f protocol.PromptField) (v any, n int) {
	name := base(f)
	if f.Type == "url" {
		for _, l := range lines[b.from:b.to] {
			if i := place(plain.Replace(l.Text), b.r.name); i >= 0 {
				if _, rest, ok := strings.Cut(l.Text, "](L"); ok {
					handle, _, _ := strings.Cut(rest, ")")
					return "L" + handle, l.N
				}
			}
		}
		return nil, 0
	}
	for _, labelled := range []bool{true, false} {
		for _, p := range b.r.forms[name] {
			for _, l := range lines[b.from:b.to] {
				text := plain.Replace(l.Text)
				if labelled && (p.label == "" || !strings.Contains(text, p.label)) {
					continue
				}
				if place(text, p.text) < 0 {
					continue
				}
				if f.Type == "boolean" {
					return b.r.shipped, l.N
				}
				return p.text, l.N
			}
		}
	}
	return nil, 0
}

// errs reports whether the oracle makes mistakes.
func (o *Oracle) errs() bool { return o.Mode == Sloppy || o.Mode == Lying || o.Mode == Formatless }

// dice returns a number in [0, 1) for a decision. It is the same each time for the same
// parts.
func (o *Oracle) dice(parts ...any) float64 {
	h := fnv.New64a()
	fmt.Fprintln(h, append([]any{o.web.seed}, parts...)...)
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return float64(x>>11) / (1 << 53)
}

// slip sometimes makes a mistake in a cell.
func (o *Oracle) slip(a protocol.Asked, blocks []block, i int, f protocol.PromptField, v any, n int) (any, int) {
	b := blocks[i]
	key := []any{b.r.code, f.Name, a.Hash} // another question leads to another mistake
	if o.Mode == Lying {
		d := o.dice(append(key, "lie")...)
		switch {
		case d < missRate:
			return nil, 0
		case d < missRate+inventRate:
			return o.invent(b.r, f), a.Lines[b.at].N
		case d < missRate+inventRate+rowRate && len(blocks) > 1:
			other := blocks[(i+1)%len(blocks)]
			if w, k := o.value(a.Lines, other, f); w != nil {
				return w, k
			}
		}
	}
	if v == nil {
		return nil, 0
	}
	if o.dice(append(key, "line")...) < lineRate {
		n = max(n+int(o.dice(append(key, "by")...)*7)-3, 1)
	}
	if o.dice(append(key, "type")...) < typeRate {
		v = o.mistype(b.r, f, v)
	}
	return v, n
}

// mistype returns a value in another form: a number for a text, or a text with other
// words around it.
func (o *Oracle) mistype(r *record, f protocol.PromptField, v any) any {
	switch f.Type {
	case "number", "integer", "date":
		if t := r.truth(base(f)); t != nil {
			return t // not in the printed form
		}
	case "boolean":
		if v == true {
			return "yes"
		}
		return "no"
	case "string":
		return " " + v.(string) + " "
	}
	return v
}

// invent returns a value that no page states.
func (o *Oracle) invent(r *record, f protocol.PromptField) any {
	n := 90_000_000 + int(o.dice(r.code, f.Name, "invention")*9_000_000)
	switch f.Type {
	case "number", "integer":
		return n
	case "date":
		return fmt.Sprintf("2031-%02d-%02d", 1+n%12, 1+n%28)
	case "boolean":
		return !r.shipped
	case "url":
		return fmt.Sprintf("https://invented.test/%d", n)
	}
	return fmt.Sprintf("Invention %d", n)
}

// Invented reports whether a value was made up by a lying oracle.
func Invented(v any) bool {
	switch v := v.(type) {
	case float64:
		return v >= 90_000_000 && v < 99_000_000
	case string:
		return strings.HasPrefix(v, "Invention ") || strings.HasPrefix(v, "2031-") || strings.HasPrefix(v, "https://invented.test/")
	}
	return false
}

// verify answers a verify call with the truth.
func (o *Oracle) verify(a protocol.Asked) any {
	var out protocol.VerifyReply
	for _, c := range protocol.ListOf[protocol.PromptCell](a, "cells") {
		cell := protocol.VerifiedCell{I: c.I, Verdict: "none"}
		r := o.named(c.Row)
		field := base(protocol.PromptField{Name: c.Field})
		for k, v := range c.Candidates {
			if r != nil && equal(v, r.truth(field)) || r == nil && k < len(c.Lines) && o.stated(v, c.Lines[k]) {
				cell.Verdict, cell.Pick = "pick", k
				break
			}
		}
		out.Cells = append(out.Cells, cell)
	}
	return out
}

// named returns the thing to which a key belongs.
func (o *Oracle) named(key string) *record {
	if code := codePattern.FindString(strings.ToUpper(key)); code != "" {
		return o.web.byCode[code]
	}
	words := func(s string) string {
		return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
	}
	key = words(key)
	if r := o.web.byName[key]; r != nil {
		return r
	}
	for _, c := range o.web.catalogs {
		for _, r := range c.records {
			if w := words(r.code); strings.HasPrefix(key, w) || strings.HasSuffix(key, w) {
				return r
			}
		}
	}
	return nil
}

// stated reports whether lines contain a value. For a boolean, they must contain words
// for it.
func (o *Oracle) stated(v any, lines []string) bool {
	text := fmt.Sprint(v)
	if yes, ok := v.(bool); ok {
		for _, l := range locales {
			word := l.out
			if yes {
				word = l.in
			}
			if slices.ContainsFunc(lines, func(s string) bool { return strings.Contains(s, word) }) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(lines, func(l string) bool { return place(plain.Replace(l), text) >= 0 })
}
