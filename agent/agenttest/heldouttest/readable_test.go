// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/internal/protocol"
)

// TestReadable checks that a truthful model finds on the pages of twenty sets what they say, so that a missed goal is the fault of the agent.
func TestReadable(t *testing.T) {
	for _, set := range []Set{Third, Fourth, Sixth, Seventh, Eighth, Ninth, Tenth, Eleventh, Twelfth, Thirteenth, Fourteenth, Fifteenth, Sixteenth, Seventeenth, Eighteenth, Nineteenth, Twentieth, TwentyFirst, TwentySecond, TwentyThird} {
		t.Run(string(set), func(t *testing.T) { testReadable(t, New(set, 1)) })
	}
}

func testReadable(t *testing.T, w *Web) {
	m := NewModel(w)
	if len(w.Tasks) < 15 {
		t.Errorf("%d tasks", len(w.Tasks))
	}
	for _, s := range w.sites {
		if s.list == "state" {
			continue // a model reads no scripts
		}
		found := map[string]map[string]bool{} // fields, by thing
		for _, p := range w.pages {
			if !strings.HasPrefix(p.url, "https://"+s.host+"/") || p.stale {
				continue
			}
			page, err := w.Fetcher().Fetch(t.Context(), &agent.Request{URL: p.url, Gate: func(context.Context, string) error { return nil }})
			if err != nil {
				t.Fatal(err)
			}
			a := protocol.Asked{Values: map[string]json.RawMessage{}, Lists: map[string][]json.RawMessage{}}
			a.Values["title"], _ = json.Marshal(page.Title)
			for i, line := range strings.Split(page.Full, "\n") {
				a.Lines = append(a.Lines, protocol.AskedLine{N: i + 1, Text: line})
			}
			for _, c := range s.columns {
				f, _ := json.Marshal(protocol.PromptField{Name: c.name, Type: c.kind})
				a.Lists["fields"] = append(a.Lists["fields"], f)
			}
			for _, row := range m.extract(a).(protocol.ExtractReply).Rows {
				name, _ := row.V[s.columns[0].name].(string)
				thing := w.things[strings.ToLower(name)]
				if thing == nil {
					t.Fatalf("%s: a row %v", p.url, row.V)
				}
				name = thing.name
				if found[name] == nil {
					found[name] = map[string]bool{}
				}
				for _, c := range s.columns {
					v := row.V[c.name]
					cell := thing.cells[c.name]
					retold := slices.ContainsFunc(slices.Collect(maps.Values(c.retold)), func(f func(any) string) bool { return f(cell.truth) == fmt.Sprint(v) })
					if v != nil && !retold && !strings.EqualFold(fmt.Sprint(v), cell.text) && fmt.Sprint(v) != fmt.Sprint(cell.truth) {
						t.Errorf("%s: %s of %s is %v, want %v", p.url, c.name, name, v, cell.text)
					}
					found[name][c.name] = found[name][c.name] || v != nil
				}
			}
		}
		for _, thing := range s.things {
			for _, c := range s.columns {
				if _, has := thing.cells[c.name]; has && c.on != "nowhere" && !found[thing.name][c.name] {
					t.Errorf("%s: no page says %s of %s", s.host, c.name, thing.name)
				}
			}
		}
	}
}
