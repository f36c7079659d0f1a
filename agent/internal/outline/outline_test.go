// SPDX-License-Identifier: Apache-2.0

package outline_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
)

// TestNew turns schemas into tables: "ID path keys: fields", required fields
// with a star.
func TestNew(t *testing.T) {
	for _, test := range []struct {
		name, schema string
		want         []string
	}{
		{"record", `{"type":"object","properties":{"name":{"type":"string"},"owner":{"type":"object","properties":{"city":{"type":"string"}}}},"required":["name"]}`, []string{"T0  []: name* owner.city"}},
		{"list", `{"type":"object","properties":{"plans":{"type":"array","items":{"type":"object","properties":{"price":{"type":"number"},"name":{"type":"string"}},"required":["name"]}}}}`, []string{"T1 plans [name]: name* price"}},
		{"list at the root", `{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string"},"name":{"type":"string"}}}}`, []string{"T1 value [sku]: name sku"}},
		{"scalars", `{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}}}}`, []string{"T0  []: tags"}},
		{"both", `{"type":"object","properties":{"total":{"type":"integer"},"rows":{"type":"array","items":{"type":"object","properties":{"url":{"type":"string"}}}}}}`, []string{"T0  []: total", "T1 rows [url]: url"}},
	} {
		o, err := outline.New(json.RawMessage(test.schema))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for _, table := range o.Tables {
			var fields []string
			for _, f := range table.Fields {
				name := f.Name
				if f.Required {
					name += "*"
				}
				fields = append(fields, name)
			}
			path := strings.Join(table.Path, ".")
			got = append(got, table.ID+" "+path+" ["+strings.Join(table.Keys, " ")+"]: "+strings.Join(fields, " "))
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s: %s", test.name, d)
		}
	}
	if _, err := outline.New(json.RawMessage(`{"type":"object","properties":`)); err == nil {
		t.Error("a schema that is none is accepted")
	}
}

// TestProposed makes a list of the fields of a plan, or one object if the task asks for single facts.
func TestProposed(t *testing.T) {
	cost, key := protocol.PromptField{Name: "cost", Type: "number"}, protocol.PromptField{Name: "name", Type: "string", Key: true}
	for _, test := range []struct {
		name   string
		plan   protocol.PlanReply
		record bool
	}{
		{"facts", protocol.PlanReply{Shape: protocol.ShapeText, Fields: []protocol.PromptField{cost}}, true},
		{"facts about one thing", protocol.PlanReply{Shape: protocol.ShapeOne, Fields: []protocol.PromptField{cost}}, true},
		{"a text", protocol.PlanReply{Shape: protocol.ShapeText}, true},
		{"a list", protocol.PlanReply{Shape: protocol.ShapeList, Fields: []protocol.PromptField{cost}}, false},
		{"no shape", protocol.PlanReply{Fields: []protocol.PromptField{cost}}, false},
		{"a key", protocol.PlanReply{Shape: protocol.ShapeText, Fields: []protocol.PromptField{cost, key}}, false},
		{"a table", protocol.PlanReply{Shape: protocol.ShapeOne, Fields: []protocol.PromptField{cost}, Tables: []journal.PlannedTable{{ID: "T1"}}}, false},
		{"a further question", protocol.PlanReply{Shape: protocol.ShapeText, Fields: []protocol.PromptField{cost}, Hops: []journal.Hop{{Field: "maker"}}}, false},
	} {
		o, err := outline.Proposed(test.plan)
		if err != nil || len(o.Tables) != 1 || o.Tables[0].Record() != test.record {
			t.Errorf("%s: %v, %+v", test.name, err, o)
		}
	}
}

// TestPlanned takes over keys and counts of a plan only if they are possible.
func TestPlanned(t *testing.T) {
	o, err := outline.Proposed(protocol.PlanReply{Fields: []protocol.PromptField{{Name: "name", Type: "string", Key: true}, {Name: "since", Type: "date"}, {Name: " ", Type: "string"}}})
	if err != nil || len(o.Tables) != 1 {
		t.Fatal(o, err)
	}
	table := o.Tables[0]
	if d := cmp.Diff([]string{"name"}, table.Keys); d != "" {
		t.Error(d)
	}
	if f := table.Field("since"); f == nil || outline.KindOf(f.Node) != "date" {
		t.Errorf("since: %+v", f)
	}
	o.Planned([]journal.PlannedTable{{ID: table.ID, What: "people", Keys: []string{"nothing", "since", "since"}, Expect: 12}, {ID: "T9", Expect: 5}})
	if table.Expect != 12 || !cmp.Equal(table.Keys, []string{"name", "since"}) || table.What == "" {
		t.Errorf("%q, keys %q, expects %d", table.What, table.Keys, table.Expect)
	}
	o.Planned([]journal.PlannedTable{{ID: table.ID, Expect: outline.MaxRows + 1}})
	if table.Expect != 12 {
		t.Errorf("expects %d", table.Expect)
	}
}

// TestSplit asks for wide tables in parts, each with the keys, and joins the rows
// of one key.
func TestSplit(t *testing.T) {
	members := []string{`"id":{"type":"string"}`}
	for i := range 150 {
		members = append(members, `"f`+strconv.Itoa(i)+`":{"type":"string"}`)
	}
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{` + strings.Join(members, ",") + `}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	table := o.Tables[0]
	parts := table.Split()
	seen := map[string]int{}
	for _, part := range parts {
		if len(part.Fields) > outline.MaxCallFields {
			t.Errorf("a part of %d fields", len(part.Fields))
		}
		for _, f := range part.Fields {
			seen[f.Name]++
		}
	}
	if len(parts) != 2 || len(seen) != 151 || seen["id"] != 2 {
		t.Errorf("%d parts, %d fields, the key in %d", len(parts), len(seen), seen["id"])
	}
	row := func(pairs ...string) finding.Row {
		r := finding.Row{}
		for i := 0; i < len(pairs); i += 2 {
			r[pairs[i]] = finding.Cell{Value: pairs[i+1]}
		}
		return r
	}
	got := table.Join([][]finding.Row{
		{row("id", "a", "f1", "x"), row("id", "b", "f1", "y")},
		{row("id", "B", "f120", "z"), row("id", "c", "f120", "w")},
	})
	want := []finding.Row{row("id", "a", "f1", "x"), row("id", "b", "f1", "y", "f120", "z"), row("id", "c", "f120", "w")}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestPointer escapes steps (RFC 6901).
func TestPointer(t *testing.T) {
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"a/b~c":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := o.Pointer([]string{"a/b~c", "0"}); got != "/a~1b~0c/0" {
		t.Error(got)
	}
}

// TestTerms accepts the texts and numbers that a term of a field may have.
func TestTerms(t *testing.T) {
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	n := o.Tables[0].Field("n")
	for text, want := range map[string]bool{"Sold out": true, "": false, "part-time, 18 h": false, strings.Repeat("far ", 20): false} {
		if n.Ask(text) != want || n.Ask(text) {
			t.Errorf("%q: want %v, once", text, want)
		}
	}
	if o.Tables[0].Field("s").Ask("sold out") {
		t.Error("asked for a text")
	}
	for _, v := range []float64{0.5, 0.5, 91_234_567, 91_234_567, 0, 1} {
		n.Learn("sold out", v)
	}
	if v, ok := n.Term("sold out"); ok {
		t.Error("said once:", v)
	}
	n.Learn("SOLD OUT", 0)
	if v, ok := n.Term("sold out"); v != 0 || !ok || !cmp.Equal(n.Terms(), []string{`"sold out" is 0`}) {
		t.Error(v, ok, n.Terms())
	}
}
