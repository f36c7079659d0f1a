// SPDX-License-Identifier: Apache-2.0

// Package llm defines what an adapter of a language model implements, and what a call
// of a model costs.
package llm

import (
	"context"
	"encoding/json"
	"errors"
)

// ErrProvider means that the provider of a model has failed, and that another try would
// fail too. Adapters wrap it.
var ErrProvider = errors.New("model provider failed")

// Model answers one call. Implementations are safe for concurrent use, return soon
// after ctx ends, and keep nothing between calls. They repeat a call themselves if its
// failure may pass. A reply that is not JSON is not an error: its Finish is
// [FinishInvalid]. An error that wraps [ErrProvider] ends the model calls of the run.
// Any other error, or a panic, fails only that call.
type Model interface {
	Complete(ctx context.Context, c Call) (Reply, error)
}

// Role is the purpose of a call.
type Role string

// Values of Role.
const (
	RolePlan       Role = "plan"
	RoleDecide     Role = "decide"
	RoleExtract    Role = "extract"
	RoleVerify     Role = "verify"
	RoleSynthesize Role = "synthesize"
	RoleWrite      Role = "write"  // forms of a page, see agent.Writer
	RoleReduce     Role = "reduce" // combines the notes on several chunks into one text
	RoleCrawl      Role = "crawl"  // crawl options, see agent.Planner
)

// Call is one question to a model.
type Call struct {
	Role      Role
	Model     string          // name at the provider, from the task's [Profile]
	Effort    string          // reasoning effort, from the profile; empty means the provider's default
	System    string          // the same for all calls of a role
	User      string          // the parts that change most often are at the end
	Name      string          // name of Schema: letters, digits and _
	Schema    json.RawMessage // JSON Schema of the reply; every member is required, and no other is allowed
	MaxOutput int             // limit of the reply in tokens
}

// Values of [Reply].Finish: how a reply ended.
const (
	FinishOK       = "ok"
	FinishLength   = "length"   // cut at MaxOutput
	FinishRefusal  = "refusal"  // the model refused to answer
	FinishFiltered = "filtered" // the provider refused the call
	FinishInvalid  = "invalid"  // no JSON could be read
	FinishOverflow = "overflow" // the prompt is longer than the model's context
)

// Reply is the answer to a call.
type Reply struct {
	JSON   json.RawMessage // one object, or the text in which [ReadObject] finds it; nil unless Finish is ok or length
	Finish string          // one of the Finish constants; empty means ok
	Usage  Usage           // sum over all attempts that the provider bills
	Level  string          // the response format that the provider accepted, for traces; may be empty
}

// Usage counts tokens. Cached is part of Input, and Reasoning is part of Output. If all
// are zero, the provider did not say how many tokens were used, and the engine
// estimates them.
type Usage struct {
	Input, Cached, Output, Reasoning int
	Estimated                        bool
}

// Check says which values a model is asked for a second time.
type Check int

// Values of Check.
const (
	CheckNone      Check = iota
	CheckConflicts       // conflicting cells of required fields
	CheckDerived         // also derived cells and, while credits last, required cells with a single source
)

// Profile maps the model that a task names to the models of the provider.
type Profile struct {
	Plan    string  // for the roles plan, decide and synthesize
	Extract string  // for the role extract; empty means Plan
	Verify  string  // for the role verify; empty means Extract
	Effort  string  // reasoning effort; empty means the provider's default
	Rate    float64 // factor for the prices of tokens in [Rates]; zero means 1
	Check   Check
}
