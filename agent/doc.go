// SPDX-License-Identifier: Apache-2.0

// Package agent gathers data: question -> answer. Given a question, a JSON
// Schema and a budget it reads pages and returns data whose every value names
// the page and the lines that it stands in.
//
// Who serves questions imports it; [Engine.Run] is all that most programs
// need, with a [llm.Model] (package agent/openai has one) and a [Fetcher] (the method
// Agents of curlew.Service returns an engine that has one for the web):
//
//	e := agent.Engine{Model: model, Fetch: web}
//	r, err := e.Run(ctx, agent.Task{Prompt: "Plans and their prices", URLs: urls, Schema: schema})
//
// Control flow is code; the model is asked small questions, each in a fresh
// prompt ([llm.Role] lists them, the internal package protocol has their layout): which pages to read
// next, and what stands in the numbered lines of one page. Values are grounded
// in those lines, coerced, keyed and merged by code. What structured data,
// tables and learned wrappers give costs nothing.
//
// What ends a run early (credits, a limit, [Run.Stop], a model that is out) leaves
// what was found by then: [Result.Stop] says which, and [Result.Issues] what is
// missing, contradictory or could not be read.
//
// A task's zeros mean [Engine.Limits], and that one's 2,500 credits, 2,000
// pages, 60 decisions and 15 minutes. -1 means none.
//
// # Security
//
// Pages are foreign and may try to instruct the model. The model that reads
// pages has no actions; the model that chooses actions sees no page text and
// names pages by handle, never by URL. Every request passes the scope of the
// task and [Engine.Admit]; every credit is reserved before it is spent. No text
// of a model is run, nor becomes an address, a pattern or a file name.
package agent
