// SPDX-License-Identifier: Apache-2.0

package agenttest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// find returns the task of a name.
func find(t *testing.T, name string) agenttest.Task {
	t.Helper()
	for _, task := range web().Tasks() {
		if task.Name == name {
			return task
		}
	}
	t.Fatalf("there is no task %q", name)
	return agenttest.Task{}
}

// The tasks that faults are tried on: one without a plan, one with.
const (
	fastTask = "ten details"
	loopTask = "French details"
)

const secret = "sk-canary-0123456789"

// TestTransport is the rows of the fault matrix about a model's server: what
// fails once in a while changes nothing.
func TestTransport(t *testing.T) {
	limit := fault("rate_limit_exceeded", "slow down")
	big := strings.Repeat(" ", 1<<20)
	stall := func(w http.ResponseWriter, r *http.Request, _ http.Handler, _ int64) { <-r.Context().Done() }
	for _, f := range []struct {
		name string
		pick func(n int64) bool
		s    spoil
	}{
		{"429 with seconds", some, failing(429, limit, "Retry-After", "7")},
		{"429 with a fraction", some, failing(429, limit, "Retry-After", "0.25")},
		{"429 with a date", some, func(w http.ResponseWriter, r *http.Request, next http.Handler, n int64) {
			failing(429, limit, "Retry-After", time.Now().Add(9*time.Second).UTC().Format(http.TimeFormat))(w, r, next, n)
		}},
		{"429 with milliseconds", some, failing(429, limit, "Retry-After-Ms", "350")},
		{"429 without a time", some, failing(429, limit)},
		{"429 with an hour", some, failing(429, limit, "Retry-After", "3600")},
		{"500", some, failing(500, fault("server_error", "oops"))},
		{"502 with HTML", some, failing(502, "<html><h1>Bad Gateway</h1></html>", "Content-Type", "text/html")},
		{"503", some, failing(503, "")},
		{"504", some, failing(504, "upstream timed out")},
		{"529", some, failing(529, fault("overloaded_error", "overloaded"))},
		{"408", some, failing(408, "")},
		{"409", some, failing(409, "")},
		{"200 with an error", some, failing(200, fault("server_error", "the upstream failed"))},
		{"200 with an error text", some, failing(200, `{"error":"model is loading"}`)},
		{"200 with HTML", some, failing(200, "<html>maintenance</html>")},
		{"error in an array", some, failing(503, "["+fault("UNAVAILABLE", "overloaded")+"]")},
		{"no choices", second, failing(200, `{"id":"x","object":"chat.completion","choices":[]}`)},
		{"reset before headers", some, func(http.ResponseWriter, *http.Request, http.Handler, int64) { panic(http.ErrAbortHandler) }},
		{"reset after headers", some, func(w http.ResponseWriter, r *http.Request, next http.Handler, _ int64) {
			a := ask(next, r)
			w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
			w.WriteHeader(200)
			_, _ = w.Write(a.body[:len(a.body)/2])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}},
		{"stall before headers", second, stall},
		{"stall after headers", second, func(w http.ResponseWriter, r *http.Request, _ http.Handler, _ int64) {
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}},
		{"drip", second, func(w http.ResponseWriter, r *http.Request, _ http.Handler, _ int64) {
			for {
				select {
				case <-r.Context().Done():
					return
				case <-time.After(time.Second):
					if _, err := io.WriteString(w, " "); err != nil {
						return
					}
					_ = http.NewResponseController(w).Flush()
				}
			}
		}},
		{"body of 256 MiB", second, func(w http.ResponseWriter, _ *http.Request, _ http.Handler, _ int64) {
			for range 256 {
				if _, err := io.WriteString(w, big); err != nil {
					return
				}
			}
		}},
		{"error of 256 MiB", second, func(w http.ResponseWriter, _ *http.Request, _ http.Handler, _ int64) {
			w.WriteHeader(500)
			for range 256 {
				if _, err := io.WriteString(w, big); err != nil {
					return
				}
			}
		}},
		{"truncated JSON", second, changed(func(a answer) answer { return a.content(func(s string) string { return s[:len(s)/2] }) })},
		{"fences", always, changed(func(a answer) answer { return a.content(func(s string) string { return "```json\n" + s + "\n```" }) })},
		{"prose", always, changed(func(a answer) answer {
			return a.content(func(s string) string { return "Sure!\n" + s + "\nAnything else?" })
		})},
		{"trailing comma", always, changed(func(a answer) answer {
			return a.content(func(s string) string { return strings.TrimSuffix(s, "}") + ",}" })
		})},
		{"JSON in a string", always, changed(func(a answer) answer {
			return a.content(func(s string) string { raw, _ := json.Marshal(s); return string(raw) })
		})},
		{"null content", second, changed(func(a answer) answer { return a.message(func(_, m map[string]any) { m["content"] = nil }) })},
		{"two objects", second, changed(func(a answer) answer { return a.content(func(s string) string { return s + "\n" + s }) })},
		{"empty content and reasoning", second, changed(func(a answer) answer {
			return a.message(func(c, m map[string]any) { m["content"], c["finish_reason"] = "", "length" })
		})},
		{"json_schema is refused", always, unless(`"json_schema"`, failing(400, fault("invalid_request_error", "response_format of type json_schema is not supported")))},
		{"strict is refused", always, unless(`"strict":true`, failing(400, fault("invalid_request_error", "Unknown parameter: strict")))},
		{"every format is refused", always, unless(`"response_format"`, failing(422, `{"detail":"extra fields not permitted: response_format"}`))},
		{"json_schema is ignored", always, ignoring},
		{"max_completion_tokens is not known", always, unless(`"max_completion_tokens"`, failing(400, fault("invalid_request_error", "Unrecognized request argument supplied: max_completion_tokens")))},
		{"reasoning_effort is not known", always, unless(`"reasoning_effort"`, failing(400, fault("invalid_request_error", "Unknown parameter: reasoning_effort")))},
		{"usage is missing", always, changed(func(a answer) answer {
			var v map[string]any
			if json.Unmarshal(a.body, &v) == nil {
				delete(v, "usage")
				a.body, _ = json.Marshal(v)
			}
			return a
		})},
		{"extra members", always, changed(func(a answer) answer {
			return a.rows(func(v map[string]any) { v["thoughts"] = "none"; v["confidence"] = 1 })
		})},
	} {
		for _, name := range []string{fastTask, loopTask} {
			t.Run(f.name+"/"+name, func(t *testing.T) {
				o := play(t, web(), find(t, name), func(s *scene) {
					s.between = when(f.s, f.pick)
					s.model.Key = secret
					s.engine.Profiles = map[string]llm.Profile{"": {Plan: "any", Effort: "low"}}
				})
				if items, rows := o.score.F1(); items != 1 || rows != 1 || o.err != nil {
					t.Fatal(describe(o))
				}
				if f.name == "usage is missing" && !o.result.Spend.Usage.Estimated {
					t.Error("the estimate is not flagged")
				}
				raw, _ := json.Marshal(o.result)
				if bytes.Contains(raw, []byte(secret)) {
					t.Error("the key is in the result")
				}
			})
		}
	}
}

// TestOutage is the row of keys, accounts and quotas: nothing is asked again,
// what was found stays.
func TestOutage(t *testing.T) {
	for _, f := range []struct {
		name, body string
		status     int
	}{
		{"401", fault("invalid_api_key", "Incorrect API key provided: "+secret), 401},
		{"403", fault("permission_denied", "no access to the model"), 403},
		{"404", fault("model_not_found", "The model does not exist"), 404},
		{"402", fault("billing", "pay first"), 402},
		{"insufficient_quota", fault("insufficient_quota", "You exceeded your current quota"), 429},
		{"insufficient_quota in 200", fault("insufficient_quota", "You exceeded your current quota"), 200},
		{"redirect", "", 307},
		{"for ever 500", fault("server_error", "oops"), 500},
	} {
		for _, after := range []int64{0, 3} {
			t.Run(fmt.Sprintf("%s after %d", f.name, after), func(t *testing.T) {
				var sent, stray atomic.Int64
				o := play(t, web(), find(t, fastTask), func(s *scene) {
					s.model.Key = secret
					s.engine.Calls = 1
					s.between = func(next http.Handler) http.Handler {
						spoilt := when(failing(f.status, f.body, "Location", "http://elsewhere.test/v1/chat/completions"), func(n int64) bool { return n > after })(next)
						return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							if r.Host == "elsewhere.test" {
								stray.Add(1)
							}
							sent.Add(1)
							spoilt.ServeHTTP(w, r)
						})
					}
				})
				most := after + 1
				if f.status == 500 {
					most = after + 4
				}
				if sent.Load() > most {
					t.Errorf("%d requests, want %d", sent.Load(), most)
				}
				if stray.Load() > 0 {
					t.Error("key and prompt went to the redirect's target")
				}
				issue := false
				for _, i := range o.result.Issues {
					issue = issue || i.Kind == finding.IssueProvider
					if strings.Contains(i.Detail, secret) {
						t.Errorf("the key is in the issue %q", i.Detail)
					}
				}
				if o.result.Stop != finding.ReasonProvider || !issue {
					t.Errorf("stop %s, issues %v", o.result.Stop, o.result.Issues)
				}
				switch {
				case after == 0 && !errors.Is(o.err, llm.ErrProvider):
					t.Errorf("error %v", o.err)
				case after == 0 && strings.Contains(o.err.Error(), secret):
					t.Errorf("the key is in %q", o.err)
				case after > 0 && (o.err != nil || o.score.RowsRight < 2):
					t.Errorf("%v, %d rows kept", o.err, o.score.RowsRight)
				}
			})
		}
	}
}

// TestModelFaults is the rows about what a model says.
func TestModelFaults(t *testing.T) {
	extracts := func(change func(v map[string]any)) spoil {
		return changed(func(a answer) answer { return a.rows(change) })
	}
	cells := func(v map[string]any, change func(name string, cell any) any) {
		for _, row := range v["rows"].([]any) {
			values := row.(map[string]any)["v"].(map[string]any)
			for name, cell := range values {
				values[name] = change(name, cell)
			}
		}
	}
	const mute = -1 // no reply can be used: the run fails
	for _, f := range []struct {
		name  string
		mode  agenttest.Mode
		s     spoil
		items float64 // at least
		issue finding.IssueKind
	}{
		{"wrong types", "", extracts(func(v map[string]any) {
			cells(v, func(name string, cell any) any {
				if name == "stock" {
					return []any{cell}
				}
				return cell
			})
		}), 0, ""},
		{"objects for text", "", extracts(func(v map[string]any) {
			cells(v, func(name string, cell any) any {
				if name == "maker" {
					return map[string]any{"name": cell}
				}
				return cell
			})
		}), 0.8, ""},
		{"missing members", "", extracts(func(v map[string]any) {
			for _, row := range v["rows"].([]any) {
				delete(row.(map[string]any), "ln")
			}
		}), 0.8, ""}, // short numbers need their line
		{"members that nobody asked for", "", extracts(func(v map[string]any) {
			for _, row := range v["rows"].([]any) {
				row.(map[string]any)["v"].(map[string]any)["colour"] = "red"
			}
		}), 1, ""},
		{"empty rows", "", extracts(func(v map[string]any) {
			v["rows"] = append(v["rows"].([]any), map[string]any{"v": map[string]any{}, "ln": map[string]any{}})
		}), 1, ""},
		{"ten thousand rows", "", extracts(func(v map[string]any) {
			rows := v["rows"].([]any)
			for i := range 10_000 {
				rows = append(rows, map[string]any{"v": map[string]any{"code": fmt.Sprintf("XX-%d", i), "name": "x", "price": 1, "stock": 1}, "ln": map[string]any{}})
			}
			v["rows"] = rows
		}), 1, ""},
		{"rows is text", "", extracts(func(v map[string]any) { v["rows"] = "none" }), mute, finding.IssueProvider},
		{"lines out of range", "", extracts(func(v map[string]any) {
			for _, row := range v["rows"].([]any) {
				lines := row.(map[string]any)["ln"].(map[string]any)
				for name := range lines {
					lines[name] = []any{-5, 1 << 40}
				}
			}
		}), 0.9, ""},
		{"finish is length", agenttest.Truncated, nil, 0.9, ""},
		{"refusal", agenttest.Refusing, nil, mute, finding.IssueProvider},
		{"filter", "", changed(func(a answer) answer {
			return a.message(func(c, _ map[string]any) { c["finish_reason"] = "content_filter" })
		}), mute, finding.IssueProvider},
		{"filter as an error", "", failing(400, fault("content_filter", "The response was filtered due to the prompt triggering content management policy")), mute, finding.IssueProvider},
		{"request is refused", "", failing(400, fault("invalid_request_error", "bad")), mute, finding.IssueProvider},
		{"context overflow", agenttest.Overflowing, nil, 1, ""},
		{"slow", agenttest.Slow, nil, 1, ""},
		{"rate limits", agenttest.RateLimited, nil, 1, ""},
	} {
		t.Run(f.name, func(t *testing.T) {
			name := fastTask
			if f.mode == agenttest.Overflowing {
				name = "long list on one page"
			}
			o := play(t, web(), find(t, name), func(s *scene) {
				s.oracle.Mode = f.mode
				s.oracle.RPM = 0
				if f.mode == agenttest.RateLimited {
					s.oracle.RPM, s.oracle.TPM = 3, 20_000
				}
				if f.s != nil {
					s.between = when(f.s, always)
				}
			})
			if items, _ := o.score.F1(); items < f.items || (f.items == mute) != errors.Is(o.err, llm.ErrProvider) || f.items != mute && o.err != nil {
				t.Errorf("want items %v: %s", f.items, describe(o))
			}
			if o.score.Items != o.score.Right {
				t.Errorf("cells are wrong: %s", describe(o))
			}
			found := f.issue == ""
			for _, i := range o.result.Issues {
				found = found || i.Kind == f.issue
			}
			if !found {
				t.Errorf("no issue %s: %v", f.issue, o.result.Issues)
			}
			if o.result.Spend.Credits > 2500*llm.Credit {
				t.Errorf("spent %v", o.result.Spend.Credits)
			}
		})
	}
}

// TestPlannerFaults is the row about planners that lead nowhere: links are followed
// by rule in their place.
func TestPlannerFaults(t *testing.T) {
	act := func(actions ...journal.Action) protocol.DecideReply {
		return protocol.DecideReply{Note: "so be it", Actions: actions}
	}
	type tables = []protocol.PromptTable
	type pages = []protocol.PromptPage
	type groups = []protocol.PromptGroup
	type links = []protocol.PromptLink
	for _, f := range []struct {
		name   string
		policy func(tables, pages, groups, links) protocol.DecideReply
		stop   []finding.Reason
	}{
		{"the same action for ever", func(tables, pages, groups, links) protocol.DecideReply {
			return act(journal.Action{Do: journal.DoRead, H: []string{"L1"}})
		}, []finding.Reason{finding.ReasonDone}},
		{"finish at once", func(tables, pages, groups, links) protocol.DecideReply {
			return act(journal.Action{Do: journal.DoFinish})
		}, []finding.Reason{finding.ReasonDone}},
		{"never finish", func(_ tables, _ pages, g groups, l links) protocol.DecideReply {
			if len(g) > 0 {
				return act(journal.Action{Do: journal.DoCollect, H: []string{g[0].Handle}, Follow: "both"})
			}
			if len(l) > 0 {
				return act(journal.Action{Do: journal.DoRead, H: []string{l[0].Handle}})
			}
			return act(journal.Action{Do: journal.DoFind, Q: fmt.Sprint(time.Now().UnixNano())})
		}, []finding.Reason{finding.ReasonStalled, finding.ReasonDone, finding.ReasonDry}},
		{"unknown action", func(tables, pages, groups, links) protocol.DecideReply {
			return act(journal.Action{Do: "shell", Q: "rm -rf /"})
		}, []finding.Reason{finding.ReasonDone}},
		{"unknown handle", func(tables, pages, groups, links) protocol.DecideReply {
			return act(journal.Action{Do: journal.DoRead, H: []string{"L9999", "G77", "S1"}})
		}, []finding.Reason{finding.ReasonDone}},
		{"URL as handle", func(tables, pages, groups, links) protocol.DecideReply {
			return act(journal.Action{Do: journal.DoRead, H: []string{"https://outside.test/landing"}}, journal.Action{Do: journal.DoCollect, H: []string{"https://outside.test/"}, Follow: "both"})
		}, []finding.Reason{finding.ReasonDone}},
		{"no actions", func(tables, pages, groups, links) protocol.DecideReply { return act() }, []finding.Reason{finding.ReasonDone}},
	} {
		t.Run(f.name, func(t *testing.T) {
			o := play(t, web(), find(t, loopTask), func(s *scene) {
				s.oracle.Policy = func(t []protocol.PromptTable, p []protocol.PromptPage, g []protocol.PromptGroup, l []protocol.PromptLink) protocol.DecideReply {
					return f.policy(t, p, g, l)
				}
			})
			if o.err != nil {
				t.Fatal(o.err)
			}
			ok := false
			for _, r := range f.stop {
				ok = ok || o.result.Stop == r
			}
			if !ok {
				t.Errorf("stop %s, want one of %v", o.result.Stop, f.stop)
			}
			if n := o.stats.Calls[llm.RoleDecide]; n > 12 {
				t.Errorf("%d decisions", n)
			}
			for _, u := range o.asked {
				if !strings.HasPrefix(u, "https://livres.test/") {
					t.Errorf("%s was asked for", u)
				}
			}
			if o.score.Items != o.score.Right {
				t.Errorf("cells are wrong: %s", describe(o))
			}
		})
	}
}

// TestMixed lets each request fail with one chance in ten, in a way of its own.
func TestMixed(t *testing.T) {
	faults := []spoil{
		failing(429, fault("rate_limit_exceeded", "slow down"), "Retry-After", "1"),
		failing(500, ""),
		failing(502, "<html>"),
		failing(200, fault("server_error", "upstream")),
		func(http.ResponseWriter, *http.Request, http.Handler, int64) { panic(http.ErrAbortHandler) },
		changed(func(a answer) answer { return a.content(func(s string) string { return "```\n" + s + "\n```" }) }),
		changed(func(a answer) answer { return a.content(func(s string) string { return s[:len(s)/2] }) }),
	}
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			var mu sync.Mutex
			rng := rand.New(rand.NewPCG(seed, 1))
			o := play(t, web(), find(t, "details behind a listing"), func(s *scene) {
				s.between = func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						mu.Lock()
						hit, which := rng.IntN(10) == 0, rng.IntN(len(faults))
						mu.Unlock()
						if hit {
							faults[which](w, r, next, 1)
							return
						}
						next.ServeHTTP(w, r)
					})
				}
			})
			if items, rows := o.score.F1(); items != 1 || rows != 1 || o.err != nil {
				t.Errorf("seed %d: %s", seed, describe(o))
			}
		})
	}
}
