// SPDX-License-Identifier: Apache-2.0

// Package agent answers questions with data from the web. Given a question, a JSON
// Schema and a budget, it reads pages and returns data in which each value names the
// page and the lines that state it.
//
// Most programs only need [Engine.Run], with an [llm.Model] and a [Fetcher]. Package
// agent/openai has a Model, and package agent/web has a Fetcher. The method Agents of
// curlew.Service returns an engine with a Fetcher:
//
//	e := agent.Engine{Model: model, Fetch: web}
//	r, err := e.Run(ctx, agent.Task{Prompt: "Plans and their prices", URLs: urls, Schema: schema})
//
// The types for adapters and for readers of a run are in packages of their own:
// agent/llm for models and the cost of their calls, agent/finding for rows, evidence
// and issues, and agent/journal for the events of a run.
//
// The control flow is code. The model is asked small questions, each in a new prompt:
// which pages to read next, and what the numbered lines of one page state. [llm.Role]
// lists the questions, and the internal package protocol describes the prompts. Code
// finds each value in those lines, converts it, and merges rows by their keys. Data
// from structured data, tables and learned templates costs no model call.
//
// If a run ends early (because of the credits, a limit, [Run.Stop], or a model that
// fails), the result contains what was found until then. [Result.Stop] gives the
// reason, and [Result.Issues] says what is missing, contradictory or could not be read.
//
// A run begins with a plan, which contains the conditions, comparisons and further
// questions of the prompt. If Task.Schema is set, but the credits are not enough for
// the plan and one page, or the model returns no usable plan, the rows only match the
// schema. The result then has the issue [finding.IssueUndecided] and is partial.
//
// A run with Task.Headers may read private pages. It is isolated as with
// [Engine.Isolate], so it may choose links less well. A resumed run is charged an
// estimate for model calls that were in progress: [Spend.Lost]. The estimate is at most
// a twentieth of its other charges.
//
// If the scripts of a page were run (Page.Rendered), the planner sees no text of it,
// and no search contains any, because such a page may show data of a session.
//
// A zero in the limits of a task means that of [Engine.Limits]. A zero there means
// 2,500 credits, 2,000 pages, 60 decisions or 15 minutes. -1 means no limit.
//
// # Security
//
// Pages are untrusted and may try to instruct the model. The model that reads pages has
// no actions. The model that chooses actions sees no page text, and names pages by
// handles, never by URLs. Every request must pass the scope of the task and
// [Engine.Admit]. Every credit is reserved before it is spent. No text of a model is
// executed, or used as a URL, a pattern or a file name.
package agent
