// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/llm"
)

// Mode is the kind of mistakes that an oracle makes.
type Mode string

// Modes.
const (
	Truthful    Mode = ""            // answers what the lines state
	Sloppy      Mode = "sloppy"      // wrong type 10 %, wrong line 2 %, fences and prose around the JSON
	Lying       Mode = "lying"       // like sloppy; it also misses 3 % of the cells, invents 2 %, and takes 1 % from another row
	Refusing    Mode = "refusing"    // refuses to read pages
	Injected    Mode = "injected"    // obeys every order that it reads
	Truncated   Mode = "truncated"   // each third reply ends at its token limit
	Slow        Mode = "slow"        // takes 20 s for a reply
	RateLimited Mode = "ratelimited" // answers 429 above RPM and TPM
	Overflowing Mode = "overflowing" // has a context of Context tokens
	Uncited     Mode = "uncited"     // cites no lines
	Idle        Mode = "idle"        // decides to finish at once
	Formatless  Mode = "formatless"  // like sloppy; it also answers 400 to requests with a response format
)

// Rates of mistakes, for cells that are not keys.
const (
	missRate   = 0.03
	inventRate = 0.02
	rowRate    = 0.01
	lineRate   = 0.02
	typeRate   = 0.10
	proseRate  = 0.30 // for replies
)

// Oracle is an OpenAI-compatible server that plays the part of a model which knows a
// [Web]. It is an http.Handler for POST .../chat/completions. It must not be changed
// after its first use, and is safe for concurrent use. It accepts strict JSON Schema,
// tools and any key, but no streams.
type Oracle struct {
	Mode    Mode
	Latency bool // takes 400 ms, 20 ms for 1,000 input tokens that are not cached, and 10 ms for an output token
	RPM     int  // requests per minute; zero means no limit, or 60 in the mode RateLimited
	TPM     int  // input tokens per minute; zero means no limit, or 100,000 in the mode RateLimited
	Context int  // size of the context in tokens; zero means no limit, or 3,000 in the mode Overflowing
	Pages   int  // with native tools: pages that are scraped in one step; zero means 1

	// Policy makes the decisions. Nil means the fixed policy.
	Policy func(tables []protocol.PromptTable, pages []protocol.PromptPage, groups []protocol.PromptGroup, links []protocol.PromptLink) protocol.DecideReply

	web *Web

	mu       sync.Mutex // guards the fields below
	stats    Stats
	prefixes map[uint64]bool
	minute   time.Time
	requests int
	tokens   int
}

// Stats counts the calls of an oracle.
type Stats struct {
	Calls   map[llm.Role]int // answered calls; those with native tools count as "react"
	Input   int              // tokens, including cached ones
	Cached  int
	Output  int
	Refused int // requests that were answered with an error
	Obeyed  int // number of orders that it obeyed
	Longest int // tokens of the longest prompt
}

// Total returns the number of answered calls.
func (s Stats) Total() int {
	n := 0
	for _, k := range s.Calls {
		n += k
	}
	return n
}

// NewOracle returns a truthful oracle that knows w.
func NewOracle(w *Web) *Oracle {
	return &Oracle{web: w, prefixes: map[uint64]bool{}, stats: Stats{Calls: map[llm.Role]int{}}}
}

// Stats returns the counts since the last call.
func (o *Oracle) Stats() Stats {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.stats
	o.stats = Stats{Calls: map[llm.Role]int{}}
	return s
}

func (o *Oracle) count(add func(s *Stats)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	add(&o.stats)
}

// request contains the parts of a request that the oracle reads.
type request struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Tools    []any     `json:"tools"`
	Format   *struct {
		Type   string `json:"type"`
		Schema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
	MaxNew int `json:"max_completion_tokens"`
	MaxOld int `json:"max_tokens"`
}

type message struct {
	Role      string     `json:"role"`
	Content   string     `json:"content"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
	ToolID    string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Tokens returns the number of tokens that the oracle counts for a text: one for each
// four bytes.
func Tokens(bytes int) int { return (bytes + 3) / 4 }

// ServeHTTP answers one completion.
func (o *Oracle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 32<<20))
	var q request
	switch {
	case r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions"):
		o.fail(w, http.StatusNotFound, "not_found", "unknown path")
		return
	case err != nil || json.Unmarshal(body, &q) != nil || len(q.Messages) == 0:
		o.fail(w, http.StatusBadRequest, "invalid_request_error", "no messages")
		return
	}
	input, cached := o.weigh(&q, string(body))
	if o.limited(w, input) {
		return
	}
	if most := o.window(); most > 0 && input > most {
		o.fail(w, http.StatusBadRequest, "context_length_exceeded", fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens.", most, input))
		return
	}
	if o.Mode == Formatless && q.Format != nil {
		o.fail(w, http.StatusBadRequest, "bad_request", "We could not serve this: an unexpected member was sent along.")
		return
	}
	reply, role := o.answer(&q)
	finish := "stop"
	if len(reply.ToolCalls) > 0 {
		finish = "tool_calls"
	}
	raw, err := json.Marshal(reply.ToolCalls)
	if err != nil {
		raw = nil
	}
	output := Tokens(len(reply.Content))
	if len(reply.ToolCalls) > 0 {
		output += Tokens(len(raw))
	}
	bound := max(q.MaxNew, q.MaxOld)
	cut := o.Mode == Truncated && o.dice(string(body)) < 0.33 && role == llm.RoleExtract
	if cut && output > 40 {
		bound = min(max(bound, 1), output/2)
	}
	if bound > 0 && output > bound && len(reply.ToolCalls) == 0 {
		reply.Content, output, finish = reply.Content[:4*bound], bound, "length"
	}
	if o.delay(r, input-cached, output) {
		return
	}
	o.count(func(s *Stats) {
		s.Calls[role]++
		s.Input += input
		s.Cached += cached
		s.Output += output
		s.Longest = max(s.Longest, input)
	})
	out := map[string]any{"role": "assistant", "content": reply.Content}
	if len(reply.ToolCalls) > 0 {
		out["tool_calls"] = reply.ToolCalls
	}
	if o.Mode == Refusing && role == llm.RoleExtract {
		out["content"], out["refusal"] = nil, "I will not read that page."
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": "oracle", "object": "chat.completion", "model": q.Model,
		"choices": []any{map[string]any{"index": 0, "message": out, "finish_reason": finish}},
		"usage": map[string]any{
			"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
			"prompt_tokens_details": map[string]any{"cached_tokens": cached},
		},
	}) // the client may have gone
}

// fail answers with an error.
func (o *Oracle) fail(w http.ResponseWriter, status int, code, text string) {
	o.count(func(s *Stats) { s.Refused++ })
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": text, "type": code, "code": code}})
}

// weigh counts the tokens of a prompt, and those of its beginning that was sent before.
// The cache works in steps of 128 tokens, from 1,024 on.
func (o *Oracle) weigh(q *request, body string) (input, cached int) {
	h := fnv.New64a()
	var b strings.Builder
	for _, m := range q.Messages {
		b.WriteString(m.Role + "\x00" + m.Content)
		for _, c := range m.ToolCalls {
			b.WriteString(c.Function.Name + c.Function.Arguments)
		}
	}
	text := b.String()
	input = Tokens(len(text))
	if q.Format != nil {
		input += Tokens(len(q.Format.Schema.Schema))
	}
	const step = 512
	o.mu.Lock()
	defer o.mu.Unlock()
	h.Write([]byte(q.Model))
	for i, hit := 0, true; i+step <= len(text); i += step {
		h.Write([]byte(text[i : i+step]))
		sum := h.Sum64()
		if hit = hit && o.prefixes[sum]; hit {
			cached = Tokens(i + step)
		}
		o.prefixes[sum] = true
	}
	if cached < 1024 {
		cached = 0
	}
	return input, cached
}

// limited answers 429 if the limits of the current minute are reached.
func (o *Oracle) limited(w http.ResponseWriter, input int) bool {
	rpm, tpm := o.RPM, o.TPM
	if o.Mode == RateLimited {
		if rpm == 0 {
			rpm = 60
		}
		if tpm == 0 {
			tpm = 100_000
		}
	}
	if rpm == 0 && tpm == 0 {
		return false
	}
	o.mu.Lock()
	now := time.Now()
	if now.Sub(o.minute) >= time.Minute {
		o.minute, o.requests, o.tokens = now, 0, 0
	}
	over := rpm > 0 && o.requests >= rpm || tpm > 0 && o.tokens+input > tpm && o.tokens > 0
	if !over {
		o.requests++
		o.tokens += input
	}
	rest := o.minute.Add(time.Minute).Sub(now)
	o.mu.Unlock()
	if over {
		w.Header().Set("Retry-After", strconv.FormatFloat(rest.Seconds(), 'f', 3, 64))
		o.fail(w, http.StatusTooManyRequests, "rate_limit_exceeded", "Rate limit reached.")
	}
	return over
}

// window returns the size of the model's context in tokens. Zero means no limit.
func (o *Oracle) window() int {
	if o.Context == 0 && o.Mode == Overflowing {
		return 3000
	}
	return o.Context
}

// delay waits as long as an answer takes. It reports whether the client has left.
func (o *Oracle) delay(r *http.Request, fresh, output int) bool {
	var d time.Duration
	if o.Latency {
		d = 400*time.Millisecond + time.Duration(fresh)*20*time.Microsecond + time.Duration(output)*10*time.Millisecond
	}
	if o.Mode == Slow {
		d += 20 * time.Second
	}
	return sleep(r.Context(), d) != nil
}

// answer returns the reply of the model.
func (o *Oracle) answer(q *request) (message, llm.Role) {
	if len(q.Tools) > 0 || isCompaction(q) {
		return o.react(q), "react"
	}
	system, user := "", ""
	for _, m := range q.Messages {
		switch m.Role {
		case "system", "developer":
			system += m.Content
		case "user":
			user += m.Content
		}
	}
	role, _ := protocol.RoleOf(system)
	a := protocol.ReadAsked(user)
	var v any
	switch role {
	case llm.RoleExtract:
		v = o.extract(a)
	case llm.RolePlan:
		v = o.plan(a)
	case llm.RoleDecide:
		v = o.decide(a)
	case llm.RoleVerify:
		v = o.verify(a)
	case llm.RoleSynthesize:
		v = o.synthesize(a)
	default:
		v = o.write(q, a)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return message{Content: "{}"}, role
	}
	return message{Content: o.dress(string(raw), user)}, role
}

// dress adds the text that sloppy models write around the JSON.
func (o *Oracle) dress(text, user string) string {
	if !o.errs() {
		return text
	}
	switch d := o.dice(user, "dress"); {
	case d < proseRate/4:
		return "```json\n" + text + "\n```"
	case d < proseRate/2:
		return "Here is what the page says:\n" + text + "\nI hope this helps."
	case d < proseRate*3/4:
		return strings.TrimSuffix(text, "}") + ",}"
	case d < proseRate:
		quoted, err := json.Marshal(text)
		if err != nil {
			return text
		}
		return string(quoted)
	}
	return text
}
