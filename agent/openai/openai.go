// SPDX-License-Identifier: Apache-2.0

package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	api "github.com/sashabaranov/go-openai"

	"example.com/curlew/agent/llm"
	"example.com/curlew/internal/netguard"
)

// Model calls the models of one endpoint. URL is required. It implements [llm.Model]
// and is safe for concurrent use. It must not be changed after its first call, nor
// copied.
type Model struct {
	URL    string        // base URL, such as https://api.openai.com/v1
	Key    string        // empty means no Authorization header
	Client *http.Client  // nil means a client that reaches only the origin of URL
	Time   time.Duration // time for one try, and half of the time for all tries; zero means 2 minutes
	AtOnce int           // requests in progress; zero means 64
	Logger *slog.Logger  // reports what is learned about a model; nil discards the reports

	once  sync.Once
	doer  *doer
	api   *api.Client
	fault error

	mu       sync.Mutex // guards dialects
	dialects map[string]*dialect
}

// maxTurns is the maximum number of requests for one call: one for each change of the
// format or a parameter, and one more for a reply that cannot be read.
const maxTurns = 12

// String returns the base URL, without the key.
func (m *Model) String() string { return "openai.Model at " + m.URL }

// GoString returns the result of String.
func (m *Model) GoString() string { return m.String() }

// LogValue returns the result of String.
func (m *Model) LogValue() slog.Value { return slog.StringValue(m.String()) }

// CloseIdleConnections closes the connections that are kept for later calls.
func (m *Model) CloseIdleConnections() {
	if m.start() == nil {
		m.doer.client.CloseIdleConnections()
	}
}

// start creates what all calls share.
func (m *Model) start() error {
	m.once.Do(func() {
		client := m.Client
		if client == nil {
			if client, m.fault = netguard.Fixed(m.URL); m.fault != nil {
				m.fault = &Error{Err: withMeaning(ErrURL, llm.ErrProvider)}
				return
			}
		}
		own := *client
		own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		own.Jar = nil
		m.doer = &doer{client: &own, key: m.Key, limit: &limiter{most: cmp.Or(m.AtOnce, 64)}, time: cmp.Or(m.Time, callTime)}
		config := api.DefaultConfig(m.Key)
		config.BaseURL = strings.TrimRight(m.URL, "/")
		config.HTTPClient = m.doer
		m.api = api.NewClientWithConfig(config)
		m.dialects = map[string]*dialect{}
	})
	return m.fault
}

func (m *Model) dialect(model string) *dialect {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.dialects[model]
	if d == nil {
		d = &dialect{}
		m.dialects[model] = d
	}
	return d
}

// Complete requests a reply. If the server does not accept the form of the request, or
// the reply cannot be read, it tries another form. The error is an [*Error] or ctx's
// cause. It wraps [llm.ErrProvider] if no call can succeed, and [ErrRequest] if the
// server refuses this one.
func (m *Model) Complete(ctx context.Context, c llm.Call) (llm.Reply, error) {
	if err := m.start(); err != nil {
		return llm.Reply{}, err
	}
	d := m.dialect(c.Model)
	var reply llm.Reply
	first := d.now()
	unread := false // a reply could not be read
	var broken json.RawMessage
	for turn := 1; ; turn++ {
		how := d.now()
		reply.Level = levels[how.level]
		res, err := m.api.CreateChatCompletion(ctx, how.request(c))
		if err != nil {
			e, ok := errors.AsType[*Error](err)
			switch {
			case ctx.Err() != nil:
				return reply, context.Cause(ctx)
			case !ok: // the library refuses the call, or cannot decode the reply
				return reply, &Error{Err: withMeaning(err, ErrRequest)}
			case turn < maxTurns && d.refused(how, c, e):
				m.tell(ctx, c.Model, how, d.now())
				continue
			case e.overflow() && e.Status < 500:
				d.change(how, first)
				reply.Finish = llm.FinishOverflow
				return reply, nil
			case e.filtered() && e.Status < 500:
				d.change(how, first)
				reply.Finish = llm.FinishFiltered
				return reply, nil
			}
			d.change(how, first) // no other manner was better
			return reply, err
		}
		add(&reply.Usage, res, c)
		if u := res.Usage.CompletionTokens; u > how.above(c) && !how.oldBound && !how.boundless && !reasons(c.Model) {
			next := how
			next.oldBound = true // the server ignored the bound
			d.change(how, next)
			how = next
		}
		again := m.take(ctx, &reply, res, d, how, c)
		if len(reply.JSON) < len(broken) && reply.Finish == llm.FinishInvalid {
			reply.JSON, reply.Finish = broken, llm.FinishLength // the earlier reply contained more
		}
		if !again || turn >= maxTurns {
			return reply, nil
		}
		if reply.Finish == llm.FinishInvalid || reply.JSON != nil { // it cannot be read, or is broken
			if unread {
				return reply, nil
			}
			unread, broken = true, reply.JSON
		}
	}
}

// take reads one response into reply. It reports whether to try again.
func (m *Model) take(ctx context.Context, reply *llm.Reply, res api.ChatCompletionResponse, d *dialect, how manner, c llm.Call) (again bool) {
	reply.JSON, reply.Finish = nil, llm.FinishInvalid
	if len(res.Choices) == 0 {
		return true
	}
	choice := res.Choices[0]
	text := choice.Message.Content
	if parts := choice.Message.MultiContent; len(parts) > 0 { // thoughts and texts
		var b strings.Builder
		for _, part := range parts {
			b.WriteString(part.Text)
		}
		text = b.String()
	}
	object, clean, err := llm.ReadObject(text)
	cut := choice.FinishReason == api.FinishReasonLength || err != nil && how.cut(choice.FinishReason, res.Usage.CompletionTokens, c)
	switch {
	case choice.FinishReason == api.FinishReasonContentFilter:
		reply.Finish = llm.FinishFiltered
		return false
	case choice.Message.Refusal != "":
		reply.Finish = llm.FinishRefusal
		return false
	case cut:
		reply.Finish = llm.FinishLength
		if isBlank(text) && !how.doubled {
			next := how
			next.doubled = true
			d.change(how, next)
			m.tell(ctx, c.Model, how, next)
			return true
		}
		reply.JSON = object // the complete parts of it
		return false
	case err != nil:
		d.kept(how, false)
		if object != nil {
			reply.JSON, reply.Finish = object, llm.FinishLength
		}
		return true
	}
	d.kept(how, clean && fits(object, c.Schema))
	reply.JSON, reply.Finish = object, llm.FinishOK
	return false
}

// add adds the cost of a response.
func add(u *llm.Usage, res api.ChatCompletionResponse, c llm.Call) {
	if res.Usage.PromptTokens == 0 && res.Usage.CompletionTokens == 0 {
		u.Input += (len(c.System) + len(c.User) + len(c.Schema)) / 3
		for _, choice := range res.Choices {
			u.Output += len(choice.Message.Content) / 3
		}
		u.Estimated = true
		return
	}
	u.Input += max(res.Usage.PromptTokens, 0)
	u.Output += max(res.Usage.CompletionTokens, 0)
	if d := res.Usage.PromptTokensDetails; d != nil {
		u.Cached += min(max(d.CachedTokens, 0), max(res.Usage.PromptTokens, 0))
	}
	if d := res.Usage.CompletionTokensDetails; d != nil {
		u.Reasoning += min(max(d.ReasoningTokens, 0), max(res.Usage.CompletionTokens, 0))
	}
}

// tell logs a change of manner.
func (m *Model) tell(ctx context.Context, model string, was, next manner) {
	logger := m.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	logger.InfoContext(ctx, "model is asked in another manner", "model", model, "was", levels[was.level], "format", levels[next.level],
		"maxTokens", next.oldBound, "doubled", next.doubled)
}

var _ interface {
	llm.Model
	json.Marshaler
} = (*Model)(nil)

// MarshalJSON returns the result of String as JSON.
func (m *Model) MarshalJSON() ([]byte, error) { return json.Marshal(m.String()) }
