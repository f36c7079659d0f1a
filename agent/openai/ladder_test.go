// SPDX-License-Identifier: Apache-2.0

package openai_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/openai"
)

// TestLadderReturns asks as at first after a refusal for which no format was the
// cause.
func TestLadderReturns(t *testing.T) {
	ask(t, func(w http.ResponseWriter, n int, s sent) {
		if strings.Contains(s.Messages[1].Content, "bad") {
			refuse(w, 400, "no")
			return
		}
		reply(w, `{"a":1}`)
	}, func(t *testing.T, m *openai.Model, s *server) {
		bad := call
		bad.User = "bad"
		if _, err := m.Complete(t.Context(), bad); !errors.Is(err, openai.ErrRequest) {
			t.Errorf("error %v", err)
		}
		if r, err := m.Complete(t.Context(), call); err != nil || r.Level != "strict" {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// TestLadderProven takes words about the length of a prompt as they are, once a reply has
// kept to a format, and asks as before when they were about the prompt after all.
func TestLadderProven(t *testing.T) {
	for _, first := range []bool{true, false} {
		ask(t, func(w http.ResponseWriter, _ int, s sent) {
			if strings.Contains(s.Messages[1].Content, "long") {
				refuse(w, 400, "the prompt is too long")
				return
			}
			reply(w, `{"a":1}`)
		}, func(t *testing.T, m *openai.Model, s *server) {
			long, want := call, 5
			long.User = "long"
			calls := []llm.Call{long, call}
			if !first {
				calls, want = []llm.Call{call, long}, 2
			}
			for _, c := range calls {
				r, err := m.Complete(t.Context(), c)
				finish := llm.FinishOK
				if c.User == "long" {
					finish = llm.FinishOverflow
				} else if r.Level != "strict" {
					t.Errorf("asked at level %s", r.Level)
				}
				if err != nil || r.Finish != finish {
					t.Errorf("%+v, %v", r, err)
				}
			}
			if len(s.sent) != want {
				t.Errorf("%d requests, want %d", len(s.sent), want)
			}
		})
	}
}

// TestLadder goes down as far as the server takes, and stays there.
func TestLadder(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(w http.ResponseWriter, n int, s sent)
		level  string
		most   int // requests of the first call
	}{
		{"strict", func(w http.ResponseWriter, _ int, _ sent) { reply(w, `{"a":1}`) }, "strict", 1},
		{"schema", func(w http.ResponseWriter, _ int, s sent) {
			if s.Format != nil && s.Format.Schema != nil && s.Format.Schema.Strict {
				refuse(w, 400, "unknown field: strict")
				return
			}
			reply(w, `{"a":1}`)
		}, "schema", 2},
		{"object", func(w http.ResponseWriter, _ int, s sent) {
			if s.Format != nil && s.Format.Type == "json_schema" {
				refuse(w, 422, "response_format: json_schema is not one of text, json_object")
				return
			}
			if !strings.Contains(s.Messages[0].Content, `"required":["a"]`) {
				t.Error("the schema is not in the prompt")
			}
			reply(w, `{"a":1}`)
		}, "object", 3},
		{"text", func(w http.ResponseWriter, _ int, s sent) {
			if s.Format != nil {
				refuse(w, 400, "response_format is not supported")
				return
			}
			reply(w, `{"a":1}`)
		}, "text", 4},
		{"an unknown format is not implemented", func(w http.ResponseWriter, _ int, s sent) {
			if s.Format != nil && s.Format.Type == "json_schema" {
				refuse(w, 501, "json_schema")
				return
			}
			reply(w, `{"a":1}`)
		}, "object", 3},
		{"a format is a failure of the server", func(w http.ResponseWriter, _ int, s sent) {
			if s.Format != nil && s.Format.Type == "json_schema" {
				refuse(w, 500, "failed to compile grammar")
				return
			}
			reply(w, `{"a":1}`)
		}, "object", 9},
		{"words of other errors", func(w http.ResponseWriter, _ int, s sent) {
			switch {
			case s.Format != nil && s.Format.Type == "json_object":
				refuse(w, 400, "response_format is not in your billing plan; see content_policy")
			case s.Format != nil:
				refuse(w, 400, "json_schema: too many tokens in the compiled grammar of this context window")
			default:
				reply(w, `{"a":1}`)
			}
		}, "text", 4},
		{"words of other errors alone", func(w http.ResponseWriter, _ int, s sent) {
			switch {
			case s.Format == nil:
				reply(w, `{"a":1}`)
			case s.Format.Type == "json_object":
				refuse(w, 422, "shaped replies are a feature of paid billing plans")
			case s.Format.Schema.Strict:
				refuse(w, 400, "too many tokens are masked at once")
			default:
				refuse(w, 400, "our content_policy knows no shapes")
			}
		}, "text", 4},
		{"bound not named", func(w http.ResponseWriter, _ int, s sent) {
			if s.Format != nil || s.Old == 0 {
				refuse(w, 422, "Extra inputs are not permitted")
				return
			}
			reply(w, `{"a":1}`)
		}, "text", 5},
		{"in its own words", func(w http.ResponseWriter, _ int, s sent) {
			if s.Format != nil {
				refuse(w, 422, "grammar could not be compiled")
				return
			}
			reply(w, `{"a":1}`)
		}, "text", 4},
		{"a page of HTML", func(w http.ResponseWriter, _ int, s sent) {
			if s.Format != nil {
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(400)
				_, _ = io.WriteString(w, "<!doctype html><h1>Bad request</h1><p>Your account or billing plan, context length, try again in 30 seconds")
				return
			}
			reply(w, `{"a":1}`)
		}, "text", 4},
		{"an empty body", func(w http.ResponseWriter, _ int, s sent) {
			if s.Format != nil {
				w.WriteHeader(422)
				return
			}
			reply(w, `{"a":1}`)
		}, "text", 4},
		{"a list of details", func(w http.ResponseWriter, _ int, s sent) {
			if s.Format != nil {
				w.WriteHeader(422)
				_, _ = io.WriteString(w, `{"detail":[{"type":"literal_error","loc":["body","outputs"],"msg":"Input should be 'text'"}]}`)
				return
			}
			reply(w, `{"a":1}`)
		}, "text", 4},
		{"a refusal in a response of 200", func(w http.ResponseWriter, _ int, s sent) {
			if s.Format != nil {
				_, _ = io.WriteString(w, `{"error":{"message":"nope","code":400}}`)
				return
			}
			reply(w, `{"a":1}`)
		}, "text", 4},
		{"a code about something else", func(w http.ResponseWriter, _ int, s sent) {
			if s.Format != nil {
				w.WriteHeader(400)
				_, _ = io.WriteString(w, `{"error":{"message":"Ungültige Anfrage","type":"invalid_request_error","code":"max_tokens_exceeded"}}`)
				return
			}
			reply(w, `{"a":1}`)
		}, "text", 5},
		{"ignored", func(w http.ResponseWriter, _ int, s sent) {
			if s.Format != nil {
				reply(w, `The answer: {"b":2}`)
				return
			}
			reply(w, `{"a":1}`)
		}, "text", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			ask(t, c.answer, func(t *testing.T, m *openai.Model, s *server) {
				var r llm.Reply
				for i := range 8 {
					var err error
					if r, err = m.Complete(t.Context(), call); err != nil || r.Finish != llm.FinishOK {
						t.Fatalf("%+v, %v", r, err)
					}
					if i == 0 && len(s.sent) != c.most {
						t.Errorf("%d requests of the first call, want %d", len(s.sent), c.most)
					}
				}
				if r.Level != c.level || string(r.JSON) != `{"a":1}` {
					t.Errorf("level %s, %s", r.Level, r.JSON)
				}
				other := call
				other.Model = "other"
				if _, err := m.Complete(t.Context(), other); err != nil {
					t.Fatal(err)
				}
				if last := s.sent[len(s.sent)-1]; c.level == "ignored" && last.Format == nil {
					t.Error("another model has the first one's format")
				}
			})
		})
	}
}
