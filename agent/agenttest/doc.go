// SPDX-License-Identifier: Apache-2.0

// Package agenttest tests agents without a model and without a network. It simulates a
// web whose true content is known, and an oracle that plays the part of the model at
// the level of HTTP.
//
//	web := agenttest.NewWeb(1)
//	server := agenttest.Serve(agenttest.NewOracle(web))
//	defer server.Close()
//	engine := agent.Engine{
//		Model: &openai.Model{URL: server.URL, Client: server.Client},
//		Fetch: web.Fetcher(),
//	}
//	for _, task := range web.Tasks() {
//		result, err := engine.Run(ctx, task.Task)
//		...
//		score := task.Score(result.Data)
//	}
//
// [Web] is an http.Handler for some thirty hosts: listings, detail pages, tables,
// documents, several languages, contradictions, traps and injections. [Oracle] is an
// http.Handler for /chat/completions. It can also play a model with native tools. It
// answers extractions from the text of the prompt, plans by a fixed policy, and makes
// mistakes according to its [Mode]. [Serve] serves either of them on connections in
// memory, which work inside a bubble of testing/synctest. httptest.NewServer serves it
// on a real socket.
//
// These tests measure the agent, not the quality of a model.
//
// [CheckModel], [CheckFetcher] and [CheckSearcher] test implementations of the
// interfaces of package agent.
package agenttest
