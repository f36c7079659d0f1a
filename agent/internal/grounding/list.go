// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// list looks for each item of a list. Items that are not found are left out.
func (g *Ground) list(n *schema.Node, free bool, raw any, ln []int, s Style) Found {
	items := itemsOf(n, raw)
	a, b := g.Span(ln, value.MaxLong)
	out := Found{Lines: [2]int{a, b}, Grade: finding.GradeExact}
	list := []any{}
	out.Lost = max(len(items)-maxItems, 0)
	items = items[:min(len(items), maxItems)]
	found := make([]Found, len(items))
	var near [2]int // lines of the first item that was found
	for i, item := range items {
		found[i] = g.item(n.Items, free, item, a, b, s)
		if near[0] == 0 && found[i].Value != nil {
			near = found[i].Lines
		}
	}
	for i, item := range items {
		got := found[i]
		if got.Value == nil && got.Issue == finding.IssueUnsupported && near[0] > 0 { // the items of a list stand together
			if beside := g.item(n.Items, free, item, near[0], near[1], s); beside.Value != nil {
				got = beside
			}
		}
		out.Lost += got.Lost
		if got.Value == nil {
			out.Issue = got.Issue
			if got.Issue != "" {
				out.Lost++
			}
			continue
		}
		list = append(list, got.Value)
		out.Grade = Worst(out.Grade, got.Grade)
		if out.Lines[0] == 0 {
			out.Lines = got.Lines
		}
	}
	if len(list) == 0 {
		return Found{Issue: out.Issue, Lines: out.Lines}
	}
	out.Value, out.Issue = list, ""
	return out
}

// itemsOf returns the items of a list that a model gave as a list, as a mapping, as a text with
// separators, or as its only item.
func itemsOf(n *schema.Node, raw any) []any {
	items, ok := raw.([]any)
	if members, is := raw.(map[string]any); is && n.IsMapping() { // as it will be
		for _, k := range slices.Sorted(maps.Keys(members)) {
			items = append(items, map[string]any{"key": k, "value": members[k]})
		}
	} else if !ok {
		if t, is := raw.(string); is && n.Items.Type == schema.String {
			for _, part := range parts(t) {
				items = append(items, part)
			}
		} else {
			items = []any{raw}
		}
	}
	return items
}

// Separators of the parts of an enumeration: signs, and words between its last two parts.
var (
	signs        = regexp.MustCompile(` [+/·|] |[,;]`)
	conjunctions = regexp.MustCompile(`(?i) (?:and|und|et|y|e|en|och|og|i|a|и|și|&) `)
)

// parts splits a text that a model gave in place of a list. A conjunction separates only
// single words: more may be the name of one thing.
func parts(text string) []string {
	var out []string
	for _, part := range signs.Split(text, -1) {
		all := conjunctions.Split(part, -1)
		if slices.ContainsFunc(all, func(s string) bool { return len(strings.Fields(s)) > 1 }) {
			all = []string{part}
		}
		for _, s := range all {
			out = append(out, strings.TrimSpace(s))
		}
	}
	return out
}

// maxBetween is the number of bytes between two parts of an enumeration.
const maxBetween = 12

// enumeration returns the text of a line that contains all parts which a model gave as a
// list, although the field wants a text.
func (g *Ground) enumeration(list []any, ln []int) (string, bool) {
	a, b := g.Span(ln, MaxSpan)
	var texts []string
	for _, v := range list {
		text, _ := v.(string)
		if texts = append(texts, text); text == "" || len(texts) > maxParts {
			return "", false
		}
	}
	for i := max(a, 1); i <= b; i++ {
		if text := enumerated(PlainText(g.Lines[i-1]), texts); text != "" {
			return text, true
		}
	}
	return "", false
}

// maxParts is the number of parts of an enumeration that is looked for in a line.
const maxParts = 50

// enumerated returns the part of a line that contains texts one after the other, or "" if
// there is none.
func enumerated(line string, texts []string) string {
	for start := 0; start < len(line); {
		from, to := -1, start
		for _, text := range texts {
			end := len(line)
			if from >= 0 { // the next one stands close behind
				end = min(end, to+maxBetween+len(text)+utf8.UTFMax)
			}
			at := tokenAt(line[to:end], text)
			if at < 0 || from >= 0 && at > maxBetween {
				to = -1
				break
			}
			if from < 0 {
				from = to + at
			}
			to += at + len(text)
		}
		if from < 0 {
			return ""
		}
		if to > 0 {
			return line[from:to]
		}
		start = from + len(texts[0])
	}
	return ""
}

// tokenAt returns where a line contains a text that is no part of a longer word, or -1.
func tokenAt(line, text string) int {
	for from := 0; ; {
		i := strings.Index(line[from:], text)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(line[:i])
		after, _ := utf8.DecodeRuneInString(line[i+len(text):])
		if !value.WordRune(before) && !value.WordRune(after) {
			return i
		}
		from = i + len(text)
	}
}

// item looks for a value in a citation that may be longer than that of a single value.
func (g *Ground) item(n *schema.Node, free bool, raw any, a, b int, s Style) Found {
	var best Found
	for at := a; at <= b; at += MaxSpan + 1 {
		if got := g.node(n, free, raw, []int{at, min(b, at+MaxSpan)}, s); got.Value != nil {
			return got
		} else if best.Issue == "" {
			best = got
		}
		if at == 0 {
			break
		}
	}
	return best
}

// object looks for each member of an object.
func (g *Ground) object(n *schema.Node, free bool, raw any, ln []int, s Style) Found {
	members, ok := raw.(map[string]any)
	if !ok {
		if text, is := raw.(string); is && json.Unmarshal([]byte(text), &members) == nil && members != nil {
			return g.object(n, free, members, ln, s)
		}
		return Found{Issue: finding.IssueInvalid}
	}
	a, b := g.Span(ln, value.MaxLong)
	out := Found{Lines: [2]int{a, b}, Grade: finding.GradeExact}
	value := map[string]any{}
	for _, f := range n.Fields {
		got := g.item(f.Node, free, members[f.Name], a, b, s)
		if got.Value == nil {
			if f.Required && !f.Node.Null {
				return Found{Issue: got.Issue, Lines: out.Lines}
			}
			if got.Issue != "" {
				out.Lost++
			}
			if f.Required {
				value[f.Name] = nil
			}
			continue
		}
		value[f.Name] = got.Value
		out.Lost += got.Lost
		out.Grade = Worst(out.Grade, got.Grade)
	}
	if len(value) == 0 {
		return Found{}
	}
	out.Value = value
	return out
}
