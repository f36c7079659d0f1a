// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	api "github.com/sashabaranov/go-openai"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
)

// Limits of the peer.
const (
	window  = 128_000 // tokens in the model's context
	compact = window * 3 / 4
	steps   = 1000
)

const reactPrompt = "You gather data from the web. Use scrape to read pages, several at once where you can. When you have everything, call finish with all rows."

// react runs a naive ReAct loop: native tools, one growing transcript, pages
// scraped in a step, and a table written by the model.
func react(t *testing.T, w *agenttest.Web, task agenttest.Task, pages int, mode agenttest.Mode) outcome {
	var out outcome
	synctest.Test(t, func(t *testing.T) {
		oracle := agenttest.NewOracle(w)
		oracle.Latency, oracle.Mode, oracle.Pages = true, mode, pages
		w.Latency = true
		defer func() { w.Latency = false }()
		server := agenttest.Serve(oracle)
		defer server.Close()
		config := api.DefaultConfig("")
		config.BaseURL, config.HTTPClient = server.URL, server.Client
		w.Asked()
		began := time.Now()
		data, err := loop(t.Context(), api.NewClientWithConfig(config), w.Fetcher(), task.Task)
		out = outcome{err: err, stats: oracle.Stats(), asked: w.Asked(), wall: time.Since(began), score: task.Score(data)}
		if err != nil {
			t.Errorf("ReAct: %v", err)
		}
	})
	return out
}

func loop(ctx context.Context, client *api.Client, fetch agent.Fetcher, task agent.Task) (json.RawMessage, error) {
	object := func(members string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":` + members + `}`)
	}
	tools := []api.Tool{
		{Type: api.ToolTypeFunction, Function: &api.FunctionDefinition{Name: agenttest.ToolScrape, Description: "Read a page as Markdown.", Parameters: object(`{"url":{"type":"string"}}`)}},
		{Type: api.ToolTypeFunction, Function: &api.FunctionDefinition{Name: agenttest.ToolFinish, Description: "Give the answer.", Parameters: object(`{"rows":` + string(task.Schema) + `}`)}},
	}
	first := []api.ChatCompletionMessage{
		{Role: api.ChatMessageRoleSystem, Content: reactPrompt},
		{Role: api.ChatMessageRoleUser, Content: task.Prompt + " Start at " + task.URLs[0]},
	}
	transcript := first
	for range steps {
		if size(transcript) > compact {
			all := append(slices.Clip(transcript), api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: agenttest.CompactMark + ", and what is still to do."})
			res, err := client.CreateChatCompletion(ctx, api.ChatCompletionRequest{Model: "large", Messages: all})
			if err != nil {
				return nil, err
			}
			transcript = append(first[:2:2], res.Choices[0].Message)
		}
		res, err := client.CreateChatCompletion(ctx, api.ChatCompletionRequest{Model: "large", Messages: transcript, Tools: tools})
		if err != nil {
			return nil, err
		}
		said := res.Choices[0].Message
		transcript = append(transcript, said)
		results := make([]string, len(said.ToolCalls))
		var wg sync.WaitGroup
		for i, c := range said.ToolCalls {
			if c.Function.Name == agenttest.ToolFinish {
				var answer struct{ Rows json.RawMessage }
				if err := json.Unmarshal([]byte(c.Function.Arguments), &answer); err != nil {
					return nil, err
				}
				return json.Marshal(map[string]any{"items": answer.Rows})
			}
			wg.Go(func() { results[i] = scrape(ctx, fetch, c.Function.Arguments) })
		}
		wg.Wait()
		for i, c := range said.ToolCalls {
			transcript = append(transcript, api.ChatCompletionMessage{Role: api.ChatMessageRoleTool, Content: results[i], ToolCallID: c.ID})
		}
	}
	return nil, errors.New("no end after 1,000 steps")
}

func scrape(ctx context.Context, fetch agent.Fetcher, arguments string) string {
	var args struct{ URL string }
	if err := json.Unmarshal([]byte(arguments), &args); err != nil {
		return err.Error()
	}
	p, err := fetch.Fetch(ctx, &agent.Request{URL: args.URL, Gate: func(context.Context, string) error { return nil }})
	if err != nil {
		return err.Error()
	}
	return p.Full
}

// size returns the number of tokens of a transcript.
func size(all []api.ChatCompletionMessage) int {
	n := 0
	for _, m := range all {
		n += len(m.Content)
		for _, c := range m.ToolCalls {
			n += len(c.Function.Arguments)
		}
	}
	return agenttest.Tokens(n)
}
