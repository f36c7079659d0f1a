// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// Planners that are weak in other ways than [agenttest.Idle].
const (
	Stubborn    agenttest.Mode = "stubborn"    // decides the same at each step
	Misdirected agenttest.Mode = "misdirected" // plans and decides links that do not exist
	Confused    agenttest.Mode = "confused"    // plans keys, conditions and hops with unknown fields
	Looping     agenttest.Mode = "looping"     // reads the first page at each step
	Mute        agenttest.Mode = "mute"        // answers a plan and a decision with an empty object
)

// Planners are the kinds of weak planners.
var Planners = []agenttest.Mode{Stubborn, Misdirected, Confused, Looping, Mute}

// Model is a server for /chat/completions that plays a model. It understands the
// questions of a [Web] and reads pages as a person does: it answers from what stands
// in the lines of a prompt and from nothing else.
type Model struct {
	Mode agenttest.Mode

	web *Web

	mu    sync.Mutex // guards calls
	calls map[llm.Role]int
}

// NewModel returns a truthful model.
func NewModel(w *Web) *Model { return &Model{web: w, calls: map[llm.Role]int{}} }

// Calls returns the calls that were answered, by role.
func (m *Model) Calls() map[llm.Role]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.calls)
}

// ServeHTTP answers one completion.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Messages []struct{ Role, Content string }
		Format   json.RawMessage `json:"response_format"`
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &q) != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if m.Mode == agenttest.Formatless && q.Format != nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"detail":[{"loc":["body"],"msg":"no such member here"}]}`)
		return
	}
	system, user := "", ""
	for _, s := range q.Messages {
		if s.Role == "user" {
			user += s.Content
		} else {
			system += s.Content
		}
	}
	role, _ := protocol.RoleOf(system)
	a := protocol.ReadAsked(user)
	var v any
	switch role {
	case llm.RolePlan:
		v = m.plan(a)
	case llm.RoleDecide:
		v = m.decide(a)
	case llm.RoleExtract:
		v = m.extract(a)
	case llm.RoleVerify:
		v = m.verify(a)
	default:
		v = protocol.SynthesizeReply{V: map[string]any{}}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		raw = []byte("{}")
	}
	text := m.dress(string(raw), user)
	m.mu.Lock()
	m.calls[role]++
	m.mu.Unlock()
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "content": text}, "finish_reason": "stop"}},
		"usage":   map[string]any{"prompt_tokens": agenttest.Tokens(len(body)), "completion_tokens": agenttest.Tokens(len(text))},
	})
}

func (m *Model) sloppy() bool {
	return m.Mode == agenttest.Sloppy || m.Mode == agenttest.Lying || m.Mode == agenttest.Formatless
}

// dice returns a number in [0, 1), the same for the same parts.
func (m *Model) dice(parts ...any) float64 {
	h := fnv.New64a()
	fmt.Fprintln(h, append([]any{m.web.seed}, parts...)...)
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return float64(x>>11) / (1 << 53)
}

// dress writes around the JSON what sloppy models write there.
func (m *Model) dress(text, user string) string {
	if !m.sloppy() {
		return text
	}
	switch d := m.dice(user, "dress"); {
	case d < 0.1:
		return "```json\n" + text + "\n```"
	case d < 0.2:
		return "Sure! Here is the JSON you asked for:\n\n" + text + "\n\nLet me know if you need more."
	case d < 0.3:
		return strings.TrimSuffix(text, "}") + ",}"
	}
	return text
}

// plan answers as a reader of the task does.
func (m *Model) plan(a protocol.Asked) any {
	out := protocol.PlanReply{Tables: []journal.PlannedTable{}, Hops: []journal.Hop{}, Queries: []string{}, Start: []string{}, Fields: []protocol.PromptField{}}
	p := m.web.plans[a.Text("task")]
	if p == nil || m.Mode == Mute {
		return map[string]any{}
	}
	out.Shape = p.shape
	if p.hops != nil {
		out.Hops = p.hops
	}
	lists := 0
	key := p.site.columns[0].name
	for _, t := range protocol.ListOf[protocol.PromptTable](a, "tables") {
		planned := journal.PlannedTable{ID: t.ID, What: p.site.noun, Keys: []string{}, Conditions: p.conditions}
		if t.ID != "T0" {
			lists++
			if len(t.Fields) > 0 {
				key = t.Fields[0].Name
			}
			planned.Keys = append(planned.Keys, key)
		}
		out.Tables = append(out.Tables, planned)
	}
	if lists == 0 && p.shape != protocol.ShapeOne {
		out.Tables = []journal.PlannedTable{{ID: "T1", What: p.site.noun, Keys: []string{key}, Conditions: p.conditions}}
		for i, c := range p.site.columns {
			needed := slices.Contains(p.fields, c.name) || slices.ContainsFunc(p.conditions, func(k journal.Condition) bool { return k.Field == c.name })
			if i == 0 || needed {
				out.Fields = append(out.Fields, protocol.PromptField{Name: c.name, Type: c.kind, Key: i == 0, Required: i == 0, Description: c.about})
			}
		}
	}
	for _, l := range protocol.ListOf[protocol.PromptLink](a, "start") {
		out.Start = append(out.Start, l.Handle)
	}
	switch m.Mode {
	case Misdirected:
		out.Start = []string{"L900", "https://elsewhere.test/"}
	case Confused:
		for i := range out.Tables {
			out.Tables[i].Keys = []string{"identifier", "uuid"}
			out.Tables[i].Conditions = append(slices.Clone(out.Tables[i].Conditions), journal.Condition{Field: "popularity", Op: ">", Value: "7", Words: "which are popular"})
		}
		out.Hops = append(slices.Clone(out.Hops), journal.Hop{Field: "grandparent", Question: "where is it", Fills: []string{"nothing_known"}})
	}
	return out
}

// decide chooses links as a reader does: those that name what is asked about, those
// that lead to the rest of a list, and details if a field is still empty.
func (m *Model) decide(a protocol.Asked) any {
	out := protocol.DecideReply{Note: "Next step.", Actions: []journal.Action{}}
	p := m.web.plans[a.Text("task")]
	links := protocol.ListOf[protocol.PromptLink](a, "links")
	groups := protocol.ListOf[protocol.PromptGroup](a, "groups")
	tables := protocol.ListOf[protocol.PromptTable](a, "tables")
	act := func(do, follow string, handles ...string) {
		if len(out.Actions) < 8 {
			out.Actions = append(out.Actions, journal.Action{Do: do, H: handles[:min(len(handles), 32)], Follow: follow})
		}
	}
	switch m.Mode {
	case agenttest.Idle:
		act(journal.DoFinish, "none")
		return out
	case Stubborn:
		act(journal.DoCollect, "both", "L1")
		return out
	case Misdirected:
		act(journal.DoRead, "none", "L901", "https://elsewhere.test/page")
		return out
	case Looping:
		act(journal.DoRead, "none", "L1")
		return out
	case Mute:
		return map[string]any{}
	}
	if p == nil {
		act(journal.DoFinish, "none")
		return out
	}
	for _, k := range protocol.ListOf[protocol.PromptKnown](a, "known") {
		for _, v := range k.Values {
			var read []string
			for _, l := range links {
				if strings.Contains(strings.ToLower(l.Text), strings.ToLower(v)) {
					read = append(read, l.Handle)
				}
			}
			switch {
			case len(read) > 0:
				act(journal.DoRead, "none", read[:min(len(read), 3)]...)
			case a.Can(journal.DoSearch):
				out.Actions = append(out.Actions, journal.Action{Do: journal.DoSearch, H: []string{}, Follow: "none", Q: v, N: 5})
			}
		}
	}
	empty := false // a field that some row lacks
	for _, t := range tables {
		for _, f := range t.Fields {
			empty = empty || t.Rows == 0 || t.Filled[f.Name] < t.Rows
		}
	}
	var named, rest []string
	for _, l := range links {
		switch {
		case slices.ContainsFunc(p.subjects, func(t *thing) bool { return t.name == l.Text }):
			named = append(named, l.Handle)
		case m.leads(p, l.Text):
			rest = append(rest, l.Handle)
		}
	}
	if len(named) > 0 {
		act(journal.DoRead, "none", named...)
	}
	for _, g := range groups {
		text := strings.Join(g.Samples[:min(len(g.Samples), 1)], "")
		if g.Unread == 0 || text == "" && !p.site.bare {
			continue
		}
		t := m.web.things[strings.ToLower(text)]
		switch {
		case m.leads(p, text):
			act(journal.DoCollect, "both", g.Handle)
		case t != nil && p.about(t.site) && empty, (text == p.site.anchor || text == "") && empty, p.site.links(text) && empty:
			act(journal.DoCollect, "links", g.Handle)
		}
	}
	if len(rest) > 0 {
		act(journal.DoRead, "none", rest...)
	}
	last := protocol.ListOf[journal.ActedRecord](a, "last")
	idle := len(last) > 0
	for _, r := range last {
		idle = idle && r.Rows == 0 && r.Handles == 0
	}
	if len(out.Actions) == 0 || idle && a.Number("step") > 2 {
		out.Actions = nil
		act(journal.DoFinish, "none")
	}
	return out
}

// links reports whether a text is that of a link to a detail that is not a name.
func (s *site) links(text string) bool {
	return s.linked != "" && slices.ContainsFunc(s.things, func(t *thing) bool { return t.cells[s.linked].text == text })
}

// about reports whether the things of a site are wanted.
func (p *plan) about(s *site) bool { return s == p.site || slices.Contains(p.sites, s) }

// leads reports whether the text of a link says that more of a list is behind it.
func (m *Model) leads(p *plan, text string) bool {
	return slices.ContainsFunc(m.web.sites, func(s *site) bool { return p.about(s) && m.leadsOn(s, text) })
}

func (m *Model) leadsOn(s *site, text string) bool {
	if text == "" || s.paging == "" {
		return false
	}
	if text == s.next() && !s.pager {
		return true
	}
	if n, err := strconv.Atoi(text); (s.pager || s.unlinked) && err == nil && n > 1 && n < 100 {
		return true
	}
	return s.paging != "more" && s.paging != "numbered" && s.paging != "older" && slices.ContainsFunc(m.web.titles[s.title+" "+text], func(*page) bool { return true })
}
