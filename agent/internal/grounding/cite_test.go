// SPDX-License-Identifier: Apache-2.0

package grounding_test

import (
	"encoding/json"
	"testing"

	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
)

// TestOwnKeys finds the values of a row in its own line, although its name is a part of the
// name of another row.
func TestOwnKeys(t *testing.T) {
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"dishes":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	table := o.Tables[len(o.Tables)-1]
	var reply protocol.ExtractReply
	for _, name := range []string{"Salad", "Salad with bacon"} {
		reply.Rows = append(reply.Rows, struct {
			V  map[string]any   `json:"v"`
			Ln map[string][]int `json:"ln"`
		}{map[string]any{"name": name}, nil})
	}
	g := grounding.New([]string{"Salad with bacon 3", "Salad 5"}, nil, "en")
	c := g.Citer(table, reply, g.Styles(table, reply), "")
	for _, test := range []struct {
		row   int
		price float64
		line  int // zero if the price is not that of the row
	}{{0, 5, 2}, {0, 3, 0}, {1, 3, 1}, {1, 5, 0}} {
		got := c.Find(test.row, table.Field("price"), test.price)
		if (got.Value != nil) != (test.line > 0) || got.Value != nil && got.Lines[0] != test.line {
			t.Errorf("%v in row %d: %+v, want line %d", test.price, test.row, got, test.line)
		}
	}
}
