// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
)

func unmarshal(raw json.RawMessage, v any) error { return json.Unmarshal(raw, v) }

// plan answers a plan call. The first field is the key, the task is the query, and all
// links are start pages.
func (o *Oracle) plan(a protocol.Asked) any {
	out := protocol.PlanReply{Tables: []journal.PlannedTable{}, Queries: []string{}, Start: []string{}, Fields: []protocol.PromptField{}}
	task := a.Text("task")
	conditions := conditionsOf(task)
	if earlier := protocol.ListOf[string](a, "earlier"); refers(task) && len(earlier) > 0 {
		out.Same = true
		for _, before := range earlier {
			conditions = append(conditions, conditionsOf(before)...)
		}
	}
	out.Shape, out.Hops = shapeOf(task, conditions), hopsOf(task)
	lists := 0
	for _, t := range protocol.ListOf[protocol.PromptTable](a, "tables") {
		p := journal.PlannedTable{ID: t.ID, What: t.What, Keys: []string{}, Conditions: conditions}
		if len(t.Fields) > 0 && t.ID != "T0" {
			p.Keys = append(p.Keys, t.Fields[0].Name)
			lists++
		}
		out.Tables = append(out.Tables, p)
	}
	if len(out.Tables) == 0 || lists == 0 && out.Shape == protocol.ShapeCount {
		for i, f := range columns {
			kind := map[string]string{"price": "number", "stock": "integer", "since": "date", "available": "boolean"}[f]
			if kind == "" {
				kind = "string"
			}
			out.Fields = append(out.Fields, protocol.PromptField{Name: f, Type: kind, Key: i == 0, Required: i < 2, Description: f})
		}
	}
	start := protocol.ListOf[protocol.PromptLink](a, "start")
	if a.Can(journal.DoSearch) && len(start) == 0 {
		out.Queries = append(out.Queries, clipText(a.Text("task"), 200))
	}
	for _, l := range start[:min(len(start), 32)] {
		out.Start = append(out.Start, l.Handle)
	}
	return out
}

func clipText(s string, most int) string {
	r := []rune(s)
	return string(r[:min(len(r), most)])
}

// decide answers a decide call. It reads detail pages if a column is still empty and
// links name things, then further pages of listings that had rows, then hits that were
// not read, and then finishes.
func (o *Oracle) decide(a protocol.Asked) any {
	out := protocol.DecideReply{Note: "One thing after the other.", Actions: []journal.Action{}}
	tables := protocol.ListOf[protocol.PromptTable](a, "tables")
	pages := protocol.ListOf[protocol.PromptPage](a, "pages")
	groups := protocol.ListOf[protocol.PromptGroup](a, "groups")
	links := protocol.ListOf[protocol.PromptLink](a, "links")
	if o.Mode == Injected && o.obeyDecide(a, &out) {
		return out
	}
	if o.Mode == Idle {
		out.Actions = append(out.Actions, journal.Action{Do: journal.DoFinish, H: []string{}, Follow: "none", Why: "enough"})
		return out
	}
	if o.Policy != nil {
		return o.Policy(tables, pages, groups, links)
	}
	out.Actions = append(out.Actions, nextHop(a, links)...)
	if len(out.Actions) == 0 {
		out.Actions = append(out.Actions, namedLinks(a.Text("task"), links)...)
	}
	thin := false // a column is empty in all rows
	for _, t := range tables {
		for _, f := range t.Fields {
			thin = thin || t.Rows == 0 || t.Filled[f.Name] == 0
		}
	}
	titles := map[string]string{}
	var listings []protocol.PromptPage
	for _, p := range pages {
		titles[p.ID] = p.Title
		if p.Kind == "list" || p.Rows > 1 {
			listings = append(listings, p)
		}
	}
	if thin && len(out.Actions) == 0 {
		for _, p := range listings {
			for _, g := range groups {
				if g.Found == p.ID && g.Unread > 0 && promising(a.Text("task"), g.Samples, g.Shape) {
					out.Actions = append(out.Actions, journal.Action{Do: journal.DoCollect, H: []string{p.Handle}, Follow: "both", Like: o.like(links, g)})
					break
				}
			}
		}
	}
	if len(out.Actions) == 0 {
		for _, g := range groups {
			if thin && g.Unread > 0 && promising(a.Text("task"), g.Samples, g.Shape) || g.Found == "" && g.Unread > 0 && strings.Contains(g.Shape, "/item/") {
				out.Actions = append(out.Actions, journal.Action{Do: journal.DoCollect, H: []string{g.Handle}, Follow: "links"})
			}
		}
	}
	if !thin {
		for _, p := range listings {
			if p.Rows > 1 && p.Handle != "" {
				out.Actions = append(out.Actions, journal.Action{Do: journal.DoCollect, H: []string{p.Handle}, Follow: "pages"})
			}
		}
	}
	if len(out.Actions) == 0 {
		out.Actions = o.explore(a, tables, pages, links)
	}
	if len(out.Actions) > 8 {
		out.Actions = out.Actions[:8]
	}
	last := protocol.ListOf[journal.ActedRecord](a, "last")
	idle := len(last) > 0
	for _, rec := range last {
		idle = idle && (rec.Verdict == journal.VerdictSeen || rec.Verdict == journal.VerdictUnknown || rec.Do == journal.DoFinish || rec.Rows == 0 && rec.Handles == 0 && rec.Do != journal.DoFind)
	}
	if len(out.Actions) == 0 || idle && a.Number("step") > 1 {
		out.Actions = []journal.Action{{Do: journal.DoFinish, Why: "nothing is left"}}
	}
	for i := range out.Actions {
		if out.Actions[i].H == nil {
			out.Actions[i].H = []string{}
		}
		if out.Actions[i].Follow == "" {
			out.Actions[i].Follow = "none"
		}
	}
	return out
}

// explore chooses actions if no listing is known: it reads links that name documents or
// things, and maps the site.
func (o *Oracle) explore(a protocol.Asked, tables []protocol.PromptTable, pages []protocol.PromptPage, links []protocol.PromptLink) []journal.Action {
	var read []string
	for _, l := range links {
		if (strings.Contains(l.Shape, "/files/") || strings.Contains(l.Text, "Catalogue") || names(a.Text("task"), l.Text) || strings.HasSuffix(l.Shape, "/list")) && len(read) < 32 {
			read = append(read, l.Handle)
		}
	}
	if len(read) > 0 {
		return []journal.Action{{Do: journal.DoRead, H: read}}
	}
	empty := slices.ContainsFunc(tables, func(t protocol.PromptTable) bool { return t.Rows == 0 })
	if empty && a.Can(journal.DoMap) && len(pages) > 0 && pages[0].Handle != "" {
		return []journal.Action{{Do: journal.DoMap, H: []string{pages[0].Handle}, Q: "item", N: 500}}
	}
	return nil
}

// like returns the handle of a link that belongs to a group.
func (o *Oracle) like(links []protocol.PromptLink, g protocol.PromptGroup) string {
	for _, l := range links {
		if l.Shape == g.Shape && l.Found == g.Found {
			return l.Handle
		}
	}
	return ""
}

// promising reports whether a group of links may lead to the things that a task asks
// for: one of its texts has a word in common with the task or promises details, or the
// texts are neither those of a menu nor advice.
func promising(task string, texts []string, shape string) bool {
	for _, text := range texts {
		if names(task, text) || strings.HasPrefix(text, "View") || strings.HasPrefix(text, "Details") {
			return true
		}
	}
	for _, word := range []string{"/topic/", "calendar", "feed"} {
		if strings.Contains(shape, word) {
			return false
		}
	}
	return strings.Contains(shape, "{") && len(texts) > 0
}

// names reports whether a text has a word in common with a task, apart from words that
// every task has.
func names(task, text string) bool {
	asked := map[string]bool{}
	for _, w := range wordsOf(task) {
		asked[w] = !commonWords[w]
	}
	return slices.ContainsFunc(wordsOf(text), func(w string) bool { return asked[w] })
}

// commonWords are words that all or nearly all tasks contain.
var commonWords = func() map[string]bool {
	common := map[string]bool{}
	for _, w := range append(strings.Fields("find every all of the catalogue a an and or in is which that page say about what does see with for news archive"), columns...) {
		common[w] = true
	}
	return common
}()

func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
