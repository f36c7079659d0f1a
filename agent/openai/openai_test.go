// SPDX-License-Identifier: Apache-2.0

package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/openai"
)

// sent is what the server reads of a request.
type sent struct {
	at       time.Time
	key      string
	Model    string
	Messages []struct{ Role, Content string }
	Format   *struct {
		Type   string
		Schema *struct {
			Name   string
			Strict bool
			Schema json.RawMessage
		} `json:"json_schema"`
	} `json:"response_format"`
	New         int      `json:"max_completion_tokens"`
	Old         int      `json:"max_tokens"`
	Temperature *float64 `json:"temperature"`
	Effort      string   `json:"reasoning_effort"`
}

// server answers by a func, and keeps what came.
type server struct {
	answer func(w http.ResponseWriter, n int, s sent)

	mu   sync.Mutex
	sent []sent
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	q := sent{at: time.Now(), key: r.Header.Get("Authorization")}
	if err != nil || json.Unmarshal(body, &q) != nil {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	s.mu.Lock()
	s.sent = append(s.sent, q)
	n := len(s.sent)
	s.mu.Unlock()
	s.answer(w, n, q)
}

// reply answers with a text.
func reply(w http.ResponseWriter, text string) { finish(w, text, "stop", 100, 10) }

func finish(w http.ResponseWriter, text, reason string, input, output int) {
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text}, "finish_reason": reason}},
		"usage": map[string]any{
			"prompt_tokens": input, "completion_tokens": output,
			"prompt_tokens_details": map[string]any{"cached_tokens": 40}, "completion_tokens_details": map[string]any{"reasoning_tokens": 3},
		},
	})
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": text}})
}

var call = llm.Call{
	Role: llm.RoleExtract, Model: "small", System: "# system", User: "user", Name: "extract", MaxOutput: 500,
	Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`),
}

// ask runs f with a model of a server in a bubble.
func ask(t *testing.T, answer func(w http.ResponseWriter, n int, s sent), f func(t *testing.T, m *openai.Model, s *server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &server{answer: answer}
		memory := agenttest.Serve(s)
		defer memory.Close()
		f(t, &openai.Model{URL: memory.URL, Key: "sk-secret", Client: memory.Client}, s)
	})
}

func TestComplete(t *testing.T) {
	ask(t, func(w http.ResponseWriter, _ int, _ sent) { reply(w, `{"a":1}`) }, func(t *testing.T, m *openai.Model, s *server) {
		r, err := m.Complete(t.Context(), call)
		if err != nil || string(r.JSON) != `{"a":1}` || r.Finish != llm.FinishOK || r.Level != "strict" {
			t.Fatalf("%+v, %v", r, err)
		}
		if want := (llm.Usage{Input: 100, Cached: 40, Output: 10, Reasoning: 3}); r.Usage != want {
			t.Errorf("usage %+v", r.Usage)
		}
		q := s.sent[0]
		switch {
		case q.key != "Bearer sk-secret":
			t.Errorf("Authorization %q", q.key)
		case q.Model != "small", len(q.Messages) != 2, q.Messages[0].Role != "system", q.Messages[0].Content != "# system", q.Messages[1].Content != "user":
			t.Errorf("messages %+v", q)
		case q.Format.Type != "json_schema", !q.Format.Schema.Strict, q.Format.Schema.Name != "extract", string(q.Format.Schema.Schema) != string(call.Schema):
			t.Errorf("format %+v", q.Format)
		case q.New != 500, q.Old != 0, q.Temperature != nil, q.Effort != "":
			t.Errorf("bounds %+v", q)
		}
	})
}

// TestNames asks models whose names the client library treats apart.
func TestNames(t *testing.T) {
	for _, name := range []string{"o1-mini", "o3", "o4-mini", "gpt-5", "gpt-5-nano", "gpt-6-sol", "gpt-6-luna", "gpt-4o", "gemini-3-pro", "qwen3:8b"} {
		ask(t, func(w http.ResponseWriter, n int, _ sent) {
			if n == 1 {
				finish(w, `{"a":1}`, "stop", 100, 5000) // over the bound
				return
			}
			reply(w, `{"a":1}`)
		}, func(t *testing.T, m *openai.Model, s *server) {
			c := call
			c.Model = name
			for range 2 {
				if r, err := m.Complete(t.Context(), c); err != nil || r.Finish != llm.FinishOK {
					t.Errorf("%s: %+v, %v", name, r, err)
				}
			}
			reasons := strings.HasPrefix(name, "o") || strings.HasPrefix(name, "gpt-5") || strings.HasPrefix(name, "gpt-6")
			if last := s.sent[1]; reasons != (last.Old == 0) {
				t.Errorf("%s: max_tokens %d, max_completion_tokens %d after the bound was ignored", name, last.Old, last.New)
			}
		})
	}
}

func TestNoKey(t *testing.T) {
	ask(t, func(w http.ResponseWriter, _ int, _ sent) { reply(w, `{"a":1}`) }, func(t *testing.T, m *openai.Model, s *server) {
		m.Key = ""
		if _, err := m.Complete(t.Context(), call); err != nil || s.sent[0].key != "" {
			t.Errorf("%v, Authorization %q", err, s.sent[0].key)
		}
	})
}

// TestAgain asks once more where a reply cannot be read, and counts both.
func TestAgain(t *testing.T) {
	for _, c := range []struct {
		name    string
		replies []string
		want    string
		sent    int
	}{
		{"second is good", []string{`{"a":`, `{"a":1}`}, llm.FinishOK, 2},
		{"none is good", []string{`no`, `no`, `{"a":1}`}, llm.FinishInvalid, 2},
		{"two objects", []string{`{"a":1}{"a":2}`, `{"a":1}`}, llm.FinishOK, 2},
		{"empty", []string{``, `{"a":1}`}, llm.FinishOK, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			ask(t, func(w http.ResponseWriter, n int, _ sent) { reply(w, c.replies[n-1]) }, func(t *testing.T, m *openai.Model, s *server) {
				r, err := m.Complete(t.Context(), call)
				if err != nil || r.Finish != c.want || len(s.sent) != c.sent || r.Usage.Input != 100*c.sent {
					t.Errorf("%+v, %v after %d requests", r, err, len(s.sent))
				}
			})
		})
	}
}

// TestParts reads a reply whose content is a list of thoughts and texts.
func TestParts(t *testing.T) {
	const body = `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"{"}]},{"type":"text","text":"{\"a\":"},{"type":"text","text":"1}"}]}}]}`
	ask(t, func(w http.ResponseWriter, _ int, _ sent) { _, _ = io.WriteString(w, body) }, func(t *testing.T, m *openai.Model, s *server) {
		r, err := m.Complete(t.Context(), call)
		if err != nil || string(r.JSON) != `{"a":1}` || r.Finish != llm.FinishOK || len(s.sent) != 1 {
			t.Errorf("%+v, %v after %d requests", r, err, len(s.sent))
		}
	})
}

// TestCut tells a reply that ends at its bound from one that is no JSON, whatever
// the server calls it.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		tokens       int
		want         string
		sent         int
	}{
		{"length", `{"a":`, 500, llm.FinishLength, 1},
		{"stop", `{"a":`, 500, llm.FinishLength, 1},
		{"MAX_TOKENS", `{"a":`, 0, llm.FinishLength, 1},
		{"stop", `{"a":`, 400, llm.FinishInvalid, 2},
		{"stop", `{"a":`, 5000, llm.FinishInvalid, 2},
		{"stop", `{"a":1}`, 500, llm.FinishOK, 1},
	} {
		ask(t, func(w http.ResponseWriter, _ int, _ sent) { finish(w, c.text, c.reason, 100, c.tokens) }, func(t *testing.T, m *openai.Model, s *server) {
			r, err := m.Complete(t.Context(), call)
			if err != nil || r.Finish != c.want || len(s.sent) != c.sent {
				t.Errorf("%+v: %+v, %v after %d requests", c, r, err, len(s.sent))
			}
		})
	}
}

// TestNoSuchPath names the path that a base URL without its version leads to.
func TestNoSuchPath(t *testing.T) {
	ask(t, func(w http.ResponseWriter, _ int, _ sent) {
		w.WriteHeader(404)
		_, _ = io.WriteString(w, "404 page not found\n")
	}, func(t *testing.T, m *openai.Model, _ *server) {
		_, err := m.Complete(t.Context(), call)
		if err == nil || !strings.Contains(err.Error(), "there is no /v1/chat/completions: 404 page not found") {
			t.Errorf("%v", err)
		}
	})
}

// TestReasoning doubles the allowance once for a model whose thoughts eat it.
func TestReasoning(t *testing.T) {
	ask(t, func(w http.ResponseWriter, _ int, s sent) {
		if s.New < 1000 {
			finish(w, "", "length", 100, s.New)
			return
		}
		reply(w, `{"a":1}`)
	}, func(t *testing.T, m *openai.Model, s *server) {
		for range 2 {
			if r, err := m.Complete(t.Context(), call); err != nil || r.Finish != llm.FinishOK {
				t.Fatalf("%+v, %v", r, err)
			}
		}
		if len(s.sent) != 3 || s.sent[2].New != 1000 {
			t.Errorf("%d requests, the last with %d tokens", len(s.sent), s.sent[len(s.sent)-1].New)
		}
	})
	ask(t, func(w http.ResponseWriter, _ int, s sent) { finish(w, "", "length", 100, s.New) }, func(t *testing.T, m *openai.Model, s *server) {
		r, err := m.Complete(t.Context(), call)
		if err != nil || r.Finish != llm.FinishLength || r.JSON != nil || len(s.sent) != 2 {
			t.Errorf("%+v, %v after %d requests", r, err, len(s.sent))
		}
	})
}

// TestWaits waits as the server asks, else with jitter.
func TestWaits(t *testing.T) {
	for _, c := range []struct {
		name, header, value string
		least, most         time.Duration
	}{
		{"words", "", "Limit 3, Used 3. Please try again in 20s. See https://api.test/billing.", 20 * time.Second, 20 * time.Second},
		{"words of minutes", "", "try again in 0m26.5s", 26500 * time.Millisecond, 26500 * time.Millisecond},
		{"words of milliseconds", "", "Try again in 350ms.", 350 * time.Millisecond, 350 * time.Millisecond},
		{"words in full", "", "Please retry after 26 seconds.", 26 * time.Second, 26 * time.Second},
		{"long words", "", strings.Repeat("long ", 100) + "retry in 2.5s", 2500 * time.Millisecond, 2500 * time.Millisecond},
		{"words of an hour", "", "try again in 1h2m", 0, time.Second},
		{"words of no sense", "", "retry in 99999999999s", 0, time.Second},
		{"seconds", "Retry-After", "30", 30 * time.Second, 30 * time.Second},
		{"fraction", "Retry-After", "1.5", 1500 * time.Millisecond, 1500 * time.Millisecond},
		{"milliseconds", "Retry-After-Ms", "250", 250 * time.Millisecond, 250 * time.Millisecond},
		{"date", "Retry-After", "Sat, 01 Jan 2000 00:00:20 GMT", 20 * time.Second, 20 * time.Second}, // bubbles begin at midnight
		{"date past", "Retry-After", "Fri, 31 Dec 1999 00:00:00 GMT", 0, 0},
		{"nothing", "X-Nothing", "", 0, time.Second},
		{"nonsense", "Retry-After", "soon", 0, time.Second},
		{"an hour", "Retry-After", "3600", 0, time.Second},
		{"less than nothing", "Retry-After", "-5", 0, time.Second},
		{"no number", "Retry-After", "NaN", 0, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			ask(t, func(w http.ResponseWriter, n int, _ sent) {
				switch {
				case n > 1:
					reply(w, `{"a":1}`)
				case c.header == "":
					refuse(w, 429, c.value)
				default:
					w.Header().Set(c.header, c.value)
					refuse(w, 429, "slow down")
				}
			}, func(t *testing.T, m *openai.Model, s *server) {
				if _, err := m.Complete(t.Context(), call); err != nil {
					t.Fatal(err)
				}
				if got := s.sent[1].at.Sub(s.sent[0].at); got < c.least || got > c.most {
					t.Errorf("waited %v, want %v to %v", got, c.least, c.most)
				}
			})
		})
	}
}

// TestErrors says what each answer means: how often it is asked, and for whom
// it is the end.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		is     error
		finish string
		sent   int
	}{
		{"401", 401, `{"error":{"message":"bad key sk-secret"}}`, llm.ErrProvider, "", 1},
		{"403", 403, `no`, llm.ErrProvider, "", 1},
		{"404", 404, `{"error":{"message":"no such model"}}`, llm.ErrProvider, "", 1},
		{"400", 400, `{"error":{"message":"bad"}}`, openai.ErrRequest, "", 5},
		{"422", 422, `{"detail":[{"msg":"bad"}]}`, openai.ErrRequest, "", 5},
		{"quota", 429, `{"error":{"message":"x","code":"insufficient_quota"}}`, llm.ErrProvider, "", 1},
		{"quota in a list", 429, `[{"error":{"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED"}}]`, llm.ErrProvider, "", 1},
		{"quota that says when to come again", 429, `{"error":{"message":"You exceeded your current quota. Please retry in 0.2s.","code":"insufficient_quota"}}`, llm.ErrProvider, "", 1},
		{"rate with the page of bills", 429, `{"error":{"message":"Rate limit reached: Limit 3, Used 3. Please try again in 20s. Add a payment method at https://api.test/account/billing.","code":"rate_limit_exceeded"}}`, llm.ErrProvider, "", 4},
		{"more than a minute's tokens", 429, `{"error":{"message":"Request too large for small on tokens per min (TPM): Limit 6000, Requested 7000","code":"rate_limit_exceeded"}}`, nil, llm.FinishOverflow, 1},
		{"too many tokens just now", 429, `{"error":{"message":"Too many tokens, please wait before trying again."}}`, llm.ErrProvider, "", 4},
		{"500", 500, `{"error":"x"}`, llm.ErrProvider, "", 4},
		{"529", 529, ``, llm.ErrProvider, "", 4},
		{"200 with an error", 200, `{"error":{"message":"x","code":503}}`, llm.ErrProvider, "", 4},
		{"200 with a refusal of the request", 200, `{"error":{"message":"x","type":"invalid_request_error"}}`, openai.ErrRequest, "", 5},
		{"redirect", 302, ``, llm.ErrProvider, "", 1},
		{"overflow", 400, `{"error":{"message":"This model's maximum context length is 10 tokens"}}`, nil, llm.FinishOverflow, 4},
		{"overflow by code", 400, `{"error":{"message":"x","code":"context_length_exceeded"}}`, nil, llm.FinishOverflow, 1},
		{"overflow by size", 413, ``, nil, llm.FinishOverflow, 1},
		{"filter", 400, `{"error":{"message":"x","code":"content_filter"}}`, nil, llm.FinishFiltered, 1},
		{"another form", 200, `{"choices":"none"}`, openai.ErrRequest, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			ask(t, func(w http.ResponseWriter, _ int, _ sent) {
				w.Header().Set("Location", "http://elsewhere.test/")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}, func(t *testing.T, m *openai.Model, s *server) {
				r, err := m.Complete(t.Context(), call)
				if c.is != nil && !errors.Is(err, c.is) || c.is == nil && err != nil || c.finish != "" && r.Finish != c.finish || len(s.sent) != c.sent {
					t.Errorf("%+v, error %v, after %d requests", r, err, len(s.sent))
				}
				if errors.Is(c.is, openai.ErrRequest) && errors.Is(err, llm.ErrProvider) {
					t.Errorf("%v ends the run", err)
				}
				if err == nil {
					return
				}
				e, ok := errors.AsType[*openai.Error](err)
				if !ok || strings.Contains(e.Error(), "sk-secret") || len(e.Text) > 310 {
					t.Errorf("error %q", err)
				}
			})
		})
	}
}

// TestLongError cuts what a provider says.
func TestLongError(t *testing.T) {
	ask(t, func(w http.ResponseWriter, _ int, _ sent) { refuse(w, 400, strings.Repeat("é\n", 50_000)) }, func(t *testing.T, m *openai.Model, _ *server) {
		_, err := m.Complete(t.Context(), call)
		if e, ok := errors.AsType[*openai.Error](err); !ok || len(e.Text) > 300 || strings.ContainsAny(e.Text, "\n\x00") {
			t.Errorf("error %.400q", err)
		}
	})
}

// TestCancel returns at once, from a request, from a pause and from the queue.
func TestCancel(t *testing.T) {
	gone := errors.New("gone")
	ask(t, func(w http.ResponseWriter, _ int, _ sent) {
		w.Header().Set("Retry-After", "50")
		refuse(w, 429, "slow down")
	}, func(t *testing.T, m *openai.Model, s *server) {
		m.AtOnce = 1
		ctx, cancel := context.WithCancelCause(t.Context())
		var wg sync.WaitGroup
		faults := make([]error, 3)
		for i := range faults {
			wg.Go(func() { _, faults[i] = m.Complete(ctx, call) })
		}
		began := time.Now()
		time.AfterFunc(time.Second, func() { cancel(gone) })
		wg.Wait()
		for _, err := range faults {
			if !errors.Is(err, gone) {
				t.Errorf("error %v", err)
			}
		}
		if d := time.Since(began); d != time.Second || len(s.sent) == 0 {
			t.Errorf("returned after %v", d)
		}
	})
}

// TestPace halves what goes out at once after a 429, and adds one for each 20
// that succeed.
func TestPace(t *testing.T) {
	var mu sync.Mutex
	busy, most := 0, 0
	ask(t, func(w http.ResponseWriter, n int, _ sent) {
		mu.Lock()
		busy++
		most = max(most, busy)
		mu.Unlock()
		time.Sleep(time.Second) // in fake time
		mu.Lock()
		busy--
		mu.Unlock()
		if n == 1 {
			w.Header().Set("Retry-After", "5")
			refuse(w, 429, "slow down")
			return
		}
		reply(w, `{"a":1}`)
	}, func(t *testing.T, m *openai.Model, _ *server) {
		m.AtOnce = 8
		round := func() int {
			most = 0
			var wg sync.WaitGroup
			for range 40 {
				wg.Go(func() {
					if _, err := m.Complete(t.Context(), call); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			return most
		}
		if n := round(); n != 8 {
			t.Errorf("%d at once, want 8", n)
		}
		for _, want := range []int{7, 8, 8} {
			if n := round(); n > want || n < 4 {
				t.Errorf("%d at once, want at most %d", n, want)
			}
		}
	})
}

// TestSecret prints a Model in every way.
func TestSecret(t *testing.T) {
	m := &openai.Model{URL: "https://api.test/v1", Key: "sk-secret"}
	var b strings.Builder
	slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "model", m)
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "model", m)
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "%v %+v %#v %s %q %s", m, m, m, m, m, raw)
	if strings.Contains(b.String(), "secret") {
		t.Errorf("the key shows: %s", b.String())
	}
}

func TestNoURL(t *testing.T) {
	for _, url := range []string{"", "::", "ftp://x.test/"} {
		m := &openai.Model{URL: url, Key: "sk-secret"}
		if _, err := m.Complete(t.Context(), call); !errors.Is(err, openai.ErrURL) || !errors.Is(err, llm.ErrProvider) {
			t.Errorf("URL %q: %v", url, err)
		}
		m.CloseIdleConnections()
	}
}

// TestLogger tells of what is remembered.
func TestLogger(t *testing.T) {
	ask(t, func(w http.ResponseWriter, _ int, s sent) {
		if s.Old == 0 {
			refuse(w, 400, "unknown parameter max_completion_tokens")
			return
		}
		reply(w, `{"a":1}`)
	}, func(t *testing.T, m *openai.Model, s *server) {
		var b strings.Builder
		m.Logger = slog.New(slog.NewTextHandler(&b, nil))
		if _, err := m.Complete(t.Context(), call); err != nil || !strings.Contains(b.String(), "maxTokens=true") || s.sent[1].Old != 500 {
			t.Errorf("%v: %q", err, b.String())
		}
	})
}
