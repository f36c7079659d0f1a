// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/curlew/agent/internal/protocol"
)

// CompactMark is the beginning of the user message that asks a model with native tools
// to summarize its transcript.
const CompactMark = "Sum up what was found so far"

// Tools of a loop with native tools, by name. scrape takes {"url"}, and finish takes
// {"rows"}.
const (
	ToolScrape = "scrape"
	ToolFinish = "finish"
)

var (
	linkPattern = regexp.MustCompile(`\[([^\]]+)\]\((https://[^)\s]+)\)`)
	urlPattern  = regexp.MustCompile(`https://[^\s"\\)]+`)
)

func isCompaction(q *request) bool {
	return strings.HasPrefix(q.Messages[len(q.Messages)-1].Content, CompactMark)
}

// react follows the fixed policy with a growing transcript: the listing, its further
// pages, the detail pages, and then the table, which the model types.
func (o *Oracle) react(q *request) message {
	scraped, order := map[string]bool{}, []string(nil)
	var start []string
	found := map[string]bool{}
	add := func(url string) {
		if !found[url] {
			found[url] = true
			order = append(order, url)
		}
	}
	var codes []string
	var lines []protocol.AskedLine
	for _, m := range q.Messages {
		for _, c := range m.ToolCalls {
			var args struct{ URL string }
			if json.Unmarshal([]byte(c.Function.Arguments), &args) == nil {
				scraped[args.URL] = true
			}
		}
		if m.Role == "user" && !strings.HasPrefix(m.Content, CompactMark) {
			start = append(start, urlPattern.FindAllString(m.Content, -1)...)
		}
		if m.Role == "assistant" && strings.HasPrefix(m.Content, "Scraped: ") { // a summary
			for text := range strings.Lines(m.Content) {
				name, urls, _ := strings.Cut(strings.TrimSpace(text), ": ")
				switch name {
				case "Scraped":
					for u := range strings.FieldsSeq(urls) {
						scraped[u] = true
					}
				case "Open":
					for u := range strings.FieldsSeq(urls) {
						add(u)
					}
				}
			}
		}
		if m.Role == "tool" || m.Role == "assistant" {
			for _, l := range linkPattern.FindAllStringSubmatch(m.Content, -1) {
				if o.web.byName[strings.ToLower(l[1])] != nil || strings.Contains(l[2], "/list?page=") {
					add(l[2])
				}
			}
			for text := range strings.Lines(m.Content) {
				lines = append(lines, protocol.AskedLine{N: len(lines) + 1, Text: text})
			}
		}
	}
	for _, code := range codePattern.FindAllString(linesText(lines), -1) {
		if !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	open := slices.DeleteFunc(slices.Concat(start, order), func(u string) bool { return scraped[u] })
	if isCompaction(q) {
		var b strings.Builder
		var urls []string
		for u := range scraped {
			urls = append(urls, u)
		}
		slices.Sort(urls)
		fmt.Fprintf(&b, "Scraped: %s\nOpen: %s\nRows:\n", strings.Join(urls, " "), strings.Join(open, " "))
		for _, row := range o.typed(codes) {
			raw, err := json.Marshal(row)
			if err == nil {
				b.Write(append(raw, '\n'))
			}
		}
		return message{Role: "assistant", Content: b.String()}
	}
	var calls []toolCall
	call := func(name string, args any) {
		raw, err := json.Marshal(args)
		if err != nil {
			return
		}
		c := toolCall{ID: fmt.Sprintf("call_%d_%d", len(q.Messages), len(calls)), Type: "function"}
		c.Function.Name, c.Function.Arguments = name, string(raw)
		calls = append(calls, c)
	}
	for _, u := range open[:min(len(open), max(o.Pages, 1))] {
		call(ToolScrape, map[string]string{"url": u})
	}
	if len(calls) == 0 {
		call(ToolFinish, map[string]any{"rows": o.typed(codes)})
	}
	return message{Role: "assistant", ToolCalls: calls}
}

func linesText(lines []protocol.AskedLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text)
	}
	return b.String()
}

// typed returns rows in the form in which a model types them, with its mistakes.
func (o *Oracle) typed(codes []string) []map[string]any {
	var rows []map[string]any
	for _, code := range codes {
		r := o.web.byCode[code]
		if r == nil {
			continue
		}
		row := map[string]any{}
		for _, f := range columns[:6] {
			v := r.truth(f)
			if o.Mode == Lying && f != "code" {
				switch d := o.dice(code, f, "react"); {
				case d < missRate:
					v = nil
				case d < missRate+inventRate:
					v = fmt.Sprintf("Invention %d", int(d*1e9))
				case d < missRate+inventRate+rowRate:
					v = r.cat.records[(r.index+1)%r.cat.n].truth(f)
				}
			}
			if v != nil {
				row[f] = v
			}
		}
		rows = append(rows, row)
	}
	return rows
}
