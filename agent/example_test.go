// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
)

// chat is a [llm.Model] made of any func that gives a model two texts and
// returns what it says. Package agent/openai has one for servers that speak the
// chat completions API.
type chat func(ctx context.Context, system, user string) (string, error)

func (ask chat) Complete(ctx context.Context, c llm.Call) (llm.Reply, error) {
	system := c.System + "\nAnswer with one JSON object that fits this JSON Schema:\n" + string(c.Schema)
	text, err := ask(ctx, system, c.User)
	return llm.Reply{JSON: json.RawMessage(text)}, err // words around the object are no fault
}

// shelf is a [agent.Fetcher] of pages that are there already. The one of
// curlew.Service reads the web: its method Agents returns an engine that has it.
type shelf map[string]string

func (s shelf) Fetch(ctx context.Context, r *agent.Request) (*agent.Page, error) {
	if err := r.Gate(ctx, r.URL); err != nil {
		return nil, err
	}
	page := &agent.Page{URL: r.URL, Final: r.URL, Hops: []string{r.URL}, Status: 404}
	if text, ok := s[r.URL]; ok {
		page.Status, page.Full = 200, text
		page.Title, _, _ = strings.Cut(text, "\n")
	}
	return page, nil
}

func Example() {
	model := chat(func(context.Context, string, string) (string, error) { // stands for a model
		return "Here you are:\n" + `{"rows":[{"v":{"name":"Lamp","price":"$10.99"},"ln":{"name":[1,1],"price":[2,2]}}],"kind":"detail"}`, nil
	})
	engine := agent.Engine{Model: model, Fetch: shelf{"https://shop.test/lamp": "# Lamp\nPrice: $10.99"}}
	result, err := engine.Run(context.Background(), agent.Task{
		Prompt: "What does the lamp cost?",
		URLs:   []string{"https://shop.test/lamp"},
		Strict: true,
		Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name"]}`),
		Limits: agent.Limits{Credits: 20 * llm.Credit},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(result.Data), result.Valid)
	for _, s := range result.Sources {
		fmt.Println(s.ID, s.URL)
	}
	price := result.Fields["/price"]
	fmt.Println(price.Source, price.Lines, price.Grade)
	// Output:
	// {"name":"Lamp","price":10.99} true
	// S1 https://shop.test/lamp
	// S1 [2 2] normalized
}
