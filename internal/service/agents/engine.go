// SPDX-License-Identifier: Apache-2.0

package agents

import (
	"example.com/curlew/agent"
	"example.com/curlew/agent/search"
)

// DefaultModel is the model of agents whose request does not name one, and of what a Service
// writes and plans without an agent.
const DefaultModel = "spark-1-mini"

// Equip sets the fields of an engine that the program left empty. provider may be nil.
func (w *Web) Equip(e *agent.Engine, provider search.Provider) {
	if e.Fetch == nil {
		e.Fetch = w
	}
	if e.Search == nil && provider != nil {
		e.Search = search.ForAgent(provider)
	}
	if e.Map == nil {
		e.Map = w
	}
	if e.Admit == nil {
		e.Admit = Admit
	}
}

// Planner returns the planner for prompts of crawls. It is nil if there is no engine, or if
// the engine has no model.
func Planner(e *agent.Engine) *agent.Planner {
	if e == nil || e.Model == nil {
		return nil
	}
	return &agent.Planner{Model: e.Model, Profile: e.Profiles[DefaultModel], Rates: e.Rates}
}

// Writer returns the writer of summaries and other forms. It is nil if there is no engine,
// or if the engine has no model.
func Writer(e *agent.Engine) *agent.Writer {
	if e == nil || e.Model == nil {
		return nil
	}
	return &agent.Writer{Model: e.Model, Profile: e.Profiles[DefaultModel], Rates: e.Rates}
}
