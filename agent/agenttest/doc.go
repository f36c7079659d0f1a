// SPDX-License-Identifier: Apache-2.0

// Package agenttest tests agents without a model and without a network: a web
// whose truth is known, and an oracle that plays the model on the wire.
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
// [Web] is an http.Handler for some thirty hosts: listings, details, tables,
// documents, several languages, conflicts, traps and injections. [Oracle] is an
// http.Handler for /chat/completions, and also plays a model with native tools.
// It answers extractions from what stands in the prompt, plans by one fixed
// policy, and lies as its [Mode] says. [Serve] puts either on connections in
// memory, which work inside a bubble of testing/synctest; httptest.NewServer
// puts it on a real socket.
//
// What is measured is the orchestration, not a model's wit.
//
// [CheckModel], [CheckFetcher] and [CheckSearcher] prove implementations of the
// interfaces of package agent.
package agenttest
