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
// themselves. A reply that is not JSON is not an error: its Finish is
// [FinishInvalid]. An error that wraps [ErrProvider] ends the run's model
// calls. Any other error fails only that call, and so does a panic.
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
	System    string          // the same for all calls of a role
	User      string          // what changes most often comes last
	Name      string          // of Schema: letters, digits and _
	Schema    json.RawMessage // JSON Schema of the reply; every member is required, and no other is allowed
	MaxOutput int             // tokens
}

// How a reply ended.
const (
	FinishOK       = "ok"
	FinishLength   = "length"   // cut at MaxOutput
	FinishRefusal  = "refusal"  // the model refused
	FinishFiltered = "filtered" // the provider refused
	FinishInvalid  = "invalid"  // no JSON could be read
	FinishOverflow = "overflow" // the prompt is longer than the model's context
)

// Reply is the answer to a call.
type Reply struct {
	JSON   json.RawMessage // one object, or the text in which [ReadObject] finds it; nil unless Finish is ok or length
	Finish string          // empty means ok
	Usage  Usage           // of all attempts that the provider bills
	Level  string          // the response format that the provider accepted, for traces; may be empty
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
	CheckDerived         // conflicting cells, derived cells, and while the budget lasts required cells of one source
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
