// SPDX-License-Identifier: Apache-2.0

// Package agent gathers data: given a question, a JSON Schema and a budget, it
// reads pages and returns data whose every value names the page and the lines
// that state it.
//
// Most programs need [Engine.Run] only, with an [llm.Model] (package agent/openai
// has one) and a [Fetcher] (package agent/web has one; the method Agents of
// curlew.Service returns an engine with one):
//
//	e := agent.Engine{Model: model, Fetch: web}
//	r, err := e.Run(ctx, agent.Task{Prompt: "Plans and their prices", URLs: urls, Schema: schema})
//
// What adapters and readers of a run need has packages of its own: agent/llm for
// models and what their calls cost, agent/finding for rows, evidence and issues,
// agent/journal for the events of a run.
//
// Control flow is code. The model is asked small questions, each in a fresh
// prompt: which pages to read next, and what the numbered lines of one page state.
// [llm.Role] lists the questions, and the internal package protocol describes the
// prompts. Code finds each value in those lines, converts it, and merges rows by
// their keys. What structured data, tables and learned templates give costs nothing.
//
// What ends a run early (credits, a limit, [Run.Stop], a model that is out) leaves
// what was found by then: [Result.Stop] says which, and [Result.Issues] what is
// missing, contradictory or could not be read.
//
// A run begins with a plan, which says what conditions, comparisons and further
// questions the prompt has. If Task.Schema is set, but the credits are not enough for
// the plan and one page, or no plan of the model can be used, the rows match the schema
// only. The result then has the issue [finding.IssueUndecided] and is partial.
//
// A run with Task.Headers may read private pages. It is isolated as by
// [Engine.Isolate], so it may choose links less well. A resumed run charges an
// estimate for model calls that were in flight, at most a twentieth of its other
// charges: [Spend.Lost].
//
// Of a page whose scripts were run (Page.Rendered) the planner is told no text in any
// run, and nothing of it is in a search: such a page may show what belongs to a session.
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
