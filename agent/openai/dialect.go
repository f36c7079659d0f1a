// SPDX-License-Identifier: Apache-2.0

package openai

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	api "github.com/sashabaranov/go-openai"

	"example.com/curlew/agent/llm"
)

// Names of the response formats, the strictest first. They appear in [llm.Reply].Level.
var levels = []string{"strict", "schema", "object", "text"}

const (
	levelStrict = iota
	levelSchema
	levelObject
	levelText
)

// maxIgnored is the number of consecutive replies that may ignore a format before a
// less strict one is used.
const maxIgnored = 2

// dialect records what was learned about one model at one endpoint.
type dialect struct {
	mu      sync.Mutex // guards manner and ignored
	manner  manner
	ignored int  // consecutive replies that did not follow the format
	proven  bool // a reply has followed a format, so the server supports formats
}

// manner is the form of requests to a model. If a fault is found in the reply to an
// earlier manner, the manner has already changed.
type manner struct {
	level     int
	oldBound  bool // use max_tokens
	doubled   bool // twice the allowance, because reasoning uses a part of it
	noEffort  bool // the server does not know reasoning_effort
	boundless bool // the server accepts neither name of the bound
}

func (d *dialect) now() manner {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.manner
}

// change replaces was by next, unless another call has already changed it.
func (d *dialect) change(was, next manner) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.manner == was {
		d.manner, d.ignored = next, 0
	}
}

// kept records whether a reply followed the format that was requested.
func (d *dialect) kept(was manner, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.manner.level != was.level:
	case ok:
		d.ignored = 0
		d.proven = d.proven || was.level < levelText
	default:
		if d.ignored++; d.ignored >= maxIgnored && d.manner.level < levelText {
			d.manner.level++
			d.ignored = 0
		}
	}
}

// refused changes the manner after an error. It reports whether another request makes
// sense. A parameter that the error names is left out. For any other refusal, the
// response format is taken as the cause if the request had one, and after that the
// parameters that not every server knows. As long as no reply has followed a format,
// words about the length of the prompt, its content or the account are ignored, unless
// they are an error code, because a server may use them to say that it has no formats.
func (d *dialect) refused(was manner, c llm.Call, e *Error) bool {
	model, formatted := c.Model, len(c.Schema) > 0
	stepped := formatted && was.level < levelText
	about := stepped && e.namesFormat()
	if about && (e.Status == http.StatusInternalServerError || e.Status == http.StatusNotImplemented) { // some servers fail instead of refusing
		next := was
		next.level++
		d.change(was, next)
		return true
	}
	doubt := stepped && !e.coded() && !d.isProven()
	if !e.refusal() || !about && !doubt && (e.overflow() || e.filtered() || e.quota()) {
		return false
	}
	next := was
	switch {
	case about:
		next.level++
	case e.says("max_completion_tokens") && !was.oldBound && !reasons(model):
		next.oldBound = true
	case e.says("max_tokens", "max_completion_tokens") && !was.boundless:
		next.boundless = true
	case e.says("reasoning_effort", "reasoning effort") && !was.noEffort:
		next.noEffort = true
	case stepped:
		next.level++ // each server uses other words for it
	case c.Effort != "" && !was.noEffort:
		next.noEffort = true
	case !was.oldBound && !was.boundless && !reasons(model):
		next.oldBound = true
	default:
		return false
	}
	d.change(was, next)
	return true
}

// isProven reports whether a reply has followed a format.
func (d *dialect) isProven() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.proven
}

// reasons reports whether the client library refuses max_tokens for a model.
func reasons(model string) bool {
	v := api.NewReasoningValidator()
	return v.Validate(api.ChatCompletionRequest{Model: model, MaxTokens: 1}) != nil //nolint:staticcheck // deprecated, and all that many servers know
}

// request returns the request for a call.
func (m manner) request(c llm.Call) api.ChatCompletionRequest {
	system := c.System
	r := api.ChatCompletionRequest{Model: c.Model}
	switch {
	case len(c.Schema) == 0:
	case m.level <= levelSchema:
		r.ResponseFormat = &api.ChatCompletionResponseFormat{
			Type:       api.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &api.ChatCompletionResponseFormatJSONSchema{Name: c.Name, Schema: c.Schema, Strict: m.level == levelStrict},
		}
	default:
		if m.level == levelObject {
			r.ResponseFormat = &api.ChatCompletionResponseFormat{Type: api.ChatCompletionResponseFormatTypeJSONObject}
		}
		system += "\n\nAnswer with one JSON object and nothing else, no fence around it. It fits this JSON Schema:\n" + string(c.Schema) + "\n"
	}
	r.Messages = []api.ChatCompletionMessage{
		{Role: api.ChatMessageRoleSystem, Content: system},
		{Role: api.ChatMessageRoleUser, Content: c.User},
	}
	if !m.noEffort {
		r.ReasoningEffort = c.Effort
	}
	bound := m.bound(c)
	switch {
	case m.boundless:
	case m.oldBound:
		r.MaxTokens = bound //nolint:staticcheck // see reasons
	default:
		r.MaxCompletionTokens = bound
	}
	return r
}

// bound returns the maximum number of tokens of the reply to c.
func (m manner) bound(c llm.Call) int {
	if m.doubled {
		return 2 * c.MaxOutput
	}
	return c.MaxOutput
}

// above returns the number of tokens from which on a reply to c has exceeded its bound.
// Some servers count a few more.
func (m manner) above(c llm.Call) int { return m.bound(c) + m.bound(c)/10 }

// cut reports whether a reply to c with so many tokens ended at its bound, although the
// server gives another reason.
func (m manner) cut(reason api.FinishReason, tokens int, c llm.Call) bool {
	return strings.EqualFold(string(reason), "max_tokens") || !m.boundless && tokens >= m.bound(c) && tokens <= m.above(c)
}

// fits reports whether an object has the members that a schema requires at its top
// level. If it has not, the model has ignored the schema.
func fits(object json.RawMessage, schema json.RawMessage) bool {
	var want struct {
		Required []string `json:"required"`
	}
	var have map[string]json.RawMessage
	if json.Unmarshal(schema, &want) != nil || json.Unmarshal(object, &have) != nil {
		return true // the schema requires nothing
	}
	for _, name := range want.Required {
		if _, ok := have[name]; !ok {
			return false
		}
	}
	return true
}

// isBlank reports whether a text consists of white space.
func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
