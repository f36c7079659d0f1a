// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"example.com/curlew/agent"
)

func TestFast(t *testing.T) {
	web, truth := shop(10)
	model := &fakeModel{answer: func(_ context.Context, c agent.Call) (agent.Reply, error) { return truth.extract(c) }}
	e := &agent.Engine{Model: model, Fetch: web}
	var urls []string
	for i := 1; i <= 10; i++ {
		urls = append(urls, fmt.Sprintf("https://shop.test/p/%d", i))
	}
	journal := &fakeJournal{}
	r := run(t, e, agent.Task{Prompt: "All widgets", URLs: urls, Strict: true, Schema: json.RawMessage(shopSchema), Journal: journal})
	var data struct {
		Items []struct {
			Name  string
			Price float64
			Stock int
		}
	}
	if err := json.Unmarshal(r.Data, &data); err != nil || len(data.Items) != 10 || data.Items[3].Price != 14.04 || data.Items[3].Stock != 504 {
		t.Fatalf("data %s (%v), issues %v", r.Data, err, r.Issues)
	}
	if !r.Valid || r.Partial || r.Stop != agent.ReasonDone {
		t.Errorf("valid %v, partial %v, stop %v, issues %v", r.Valid, r.Partial, r.Stop, r.Issues)
	}
	if n := len(model.calls); n != 10 {
		t.Errorf("%d calls, want 10", n)
	}
	if ev := r.Fields["/items/3/price"]; ev.Source != "S4" || ev.Lines != [2]int{3, 3} || ev.Grade != agent.GradeNormalized {
		t.Errorf("evidence %+v", ev)
	}
	var sum agent.Credits
	for _, e := range journal.all() {
		if e.Kind == agent.EventSpent {
			sum += e.Amount
		}
	}
	if sum != r.Spend.Credits || r.Spend.Pages != 10 {
		t.Errorf("spend %+v, journal %v", r.Spend, sum)
	}
}
