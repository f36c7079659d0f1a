// SPDX-License-Identifier: Apache-2.0

// Package llm defines what an adapter of a language model implements, and what
// a call of a model costs.
package llm

import (
	"context"
	"encoding/json"
	"errors"
)

// ErrProvider means that the provider of a model failed, and that another try
// is of no use. Adapters wrap it.
var ErrProvider = errors.New("model provider failed")

// Model answers one call. Implementations are safe for concurrent use, return
// soon after ctx ends, keep nothing between calls, and retry what is transient
// themselves. A reply that is no JSON is no error: it comes with Finish
// [FinishInvalid]. An error that wraps [ErrProvider] ends the run's model
// calls; any other fails that call alone, and so does a panic.
type Model interface {
	Complete(ctx context.Context, c Call) (Reply, error)
}

// Role is what a call is for.
type Role string

// The roles.
const (
	RolePlan       Role = "plan"
	RoleDecide     Role = "decide"
	RoleExtract    Role = "extract"
	RoleVerify     Role = "verify"
	RoleSynthesize Role = "synthesize"
	RoleWrite      Role = "write"  // forms of a page, see agent.Writer
	RoleReduce     Role = "reduce" // notes of several chunks to one text
	RoleCrawl      Role = "crawl"  // crawl options, see agent.Planner
)

// Call is one question to a model.
type Call struct {
	Role      Role
	Model     string          // name at the provider, of the task's [Profile]
	Effort    string          // reasoning effort, of the profile; empty: the provider's
	System    string          // constant for a role
	User      string          // from stable to volatile
	Name      string          // of Schema: letters, digits and _
	Schema    json.RawMessage // JSON Schema of the reply, closed: every member required, no more allowed
	MaxOutput int             // tokens
}

// How a reply ended.
const (
	FinishOK       = "ok"
	FinishLength   = "length"   // cut at MaxOutput
	FinishRefusal  = "refusal"  // the model will not
	FinishFiltered = "filtered" // the provider will not
	FinishInvalid  = "invalid"  // no JSON could be read
	FinishOverflow = "overflow" // the prompt is longer than the model's context
)

// Reply is the answer to a call.
type Reply struct {
	JSON   json.RawMessage // one object, or the text that [ReadObject] finds it in; nil unless Finish is ok, or length with what is whole of an object
	Finish string          // empty means ok
	Usage  Usage           // of all tries that the provider bills
	Level  string          // of the response-format ladder, for traces; may be empty
}

// Usage counts tokens. Cached is part of Input, Reasoning of Output. All zero
// means that the provider did not say; the engine then estimates.
type Usage struct {
	Input, Cached, Output, Reasoning int
	Estimated                        bool
}

// Check says what a profile asks a second time.
type Check int

// What is checked.
const (
	CheckNone      Check = iota
	CheckConflicts       // conflicting cells of required fields
	CheckDerived         // those, derived cells, and required cells of one source while the budget lasts
)

// Profile maps the model of a task to those of the provider.
type Profile struct {
	Plan    string  // plan, decide, synthesize
	Extract string  // empty means Plan
	Verify  string  // empty means Extract
	Effort  string  // empty: the provider's
	Rate    float64 // of the token prices of [Rates]; zero means 1
	Check   Check
}
