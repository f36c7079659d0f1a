// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// TestKeyOnDetails joins the rows of a listing without a key with the pages that
// their lines link, though the names differ.
func TestKeyOnDetails(t *testing.T) {
	web := &fakeWeb{pages: map[string]fakePage{}}
	var list strings.Builder
	list.WriteString("# Shop\n")
	for i := 1; i <= 6; i++ {
		url := fmt.Sprintf("https://shop.test/p/%d", i)
		fmt.Fprintf(&list, "- W%d, seller Bob%d [more](%s)\n", i, i, url)
		web.pages[url] = fakePage{title: fmt.Sprintf("Widget No %d", i), markdown: fmt.Sprintf("# Widget No %d\nSKU: SK-%d\n", i, i)}
	}
	var links []agent.Link
	for i := 1; i <= 6; i++ {
		links = append(links, agent.Link{URL: fmt.Sprintf("https://shop.test/p/%d", i), Text: "more"})
	}
	web.pages["https://shop.test/"] = fakePage{title: "Shop", markdown: list.String(), links: links}
	extract := func(c llm.Call) (llm.Reply, error) {
		var out protocol.ExtractReply
		out.Kind = "detail"
		for line := range strings.Lines(c.User) {
			n, text, ok := strings.Cut(strings.TrimSpace(line), "| ")
			at := 0
			if _, err := fmt.Sscan(n, &at); !ok || err != nil {
				continue
			}
			var i int
			if _, err := fmt.Sscanf(text, "- W%d, seller Bob%d", &i, &i); err == nil {
				row := struct {
					V  map[string]any   `json:"v"`
					Ln map[string][]int `json:"ln"`
				}{map[string]any{"seller": fmt.Sprintf("Bob%d", i)}, map[string][]int{"seller": {at, at}}}
				out.Rows, out.Kind = append(out.Rows, row), "list"
			}
			if _, err := fmt.Sscanf(text, "SKU: SK-%d", &i); err == nil {
				row := struct {
					V  map[string]any   `json:"v"`
					Ln map[string][]int `json:"ln"`
				}{map[string]any{"sku": fmt.Sprintf("SK-%d", i)}, map[string][]int{"sku": {at, at}}}
				out.Rows = append(out.Rows, row)
			}
		}
		return reply(out)
	}
	model := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
		switch c.Role {
		case llm.RoleExtract:
			return extract(c)
		case llm.RoleDecide:
			return reply(protocol.DecideReply{Actions: []journal.Action{{Do: journal.DoFinish}}})
		}
		return reply(protocol.PlanReply{})
	}}
	r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{
		Prompt: "All widgets", URLs: []string{"https://shop.test/"},
		Schema: json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string"},"seller":{"type":"string"}},"required":["sku"]}}}}`),
	})
	want := `{"items":[`
	for i := 1; i <= 6; i++ {
		want += fmt.Sprintf(`{"seller":"Bob%d","sku":"SK-%d"},`, i, i)
	}
	want = strings.TrimSuffix(want, ",") + `]}`
	if string(r.Data) != want {
		t.Errorf("data %s, want %s; issues %v", r.Data, want, r.Issues)
	}
}
