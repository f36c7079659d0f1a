// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/llm"
)

const (
	summaryShape = `{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"],"additionalProperties":false}`
	answerShape  = `{"type":"object","properties":{"answer":{"type":"string"},"lines":{"type":"array","items":{"type":"integer"}}},"required":["answer","lines"],"additionalProperties":false}`
	numbersShape = `{"type":"object","properties":{"numbers":{"type":"array","items":{"type":"integer"}}},"required":["numbers"],"additionalProperties":false}`
)

// long is a text of several chunks, with one line that answers.
func long() string {
	return strings.Repeat("# Part\nmany words that say little, line after line\n", 900) + "The answer is 42\n"
}

// TestWriter treats texts by what the schema asks for.
func TestWriter(t *testing.T) {
	for _, test := range []struct {
		name, text, schema, want string
		answer                   func(c llm.Call, a asked) (llm.Reply, error)
		calls                    int
	}{
		{"a summary", "One.\nTwo.", summaryShape, `{"summary":"2"}`, func(_ llm.Call, a asked) (llm.Reply, error) {
			return reply(map[string]any{"summary": fmt.Sprint(len(a.lines))})
		}, 1},
		{"a long summary is reduced", long(), summaryShape, `{"summary":"all"}`, func(c llm.Call, _ asked) (llm.Reply, error) {
			if c.Role == llm.RoleReduce {
				return reply(map[string]any{"summary": "all"})
			}
			return reply(map[string]any{"summary": "part"})
		}, 4},
		{"a repaired reply", "One.", summaryShape, `{"summary":"x"}`, func(c llm.Call, _ asked) (llm.Reply, error) {
			if strings.Contains(c.User, "did not fit") {
				return reply(map[string]any{"summary": "x"})
			}
			return reply(map[string]any{"summary": 3})
		}, 2},
		{"a question to a long text", long(), answerShape, `{"answer":"42","lines":[1801]}`, func(_ llm.Call, a asked) (llm.Reply, error) {
			for n, line := range a.lines {
				if strings.Contains(line, "42") {
					return reply(map[string]any{"answer": "42", "lines": []int{n, 99999, n}})
				}
			}
			return reply(map[string]any{"answer": "it does not say", "lines": []int{}})
		}, 3},
		{"a question without an answer", "One.", answerShape, `{"answer":"it does not say","lines":[]}`, func(llm.Call, asked) (llm.Reply, error) {
			return reply(map[string]any{"answer": "it does not say", "lines": []int{7}})
		}, 1},
		{"numbers", "1: a b\n2: c\n3: d\n", numbersShape, `{"numbers":[1,3]}`, func(_ llm.Call, a asked) (llm.Reply, error) {
			if a.lines[3] != "d" {
				return llm.Reply{}, errors.New("lines have other numbers")
			}
			return reply(map[string]any{"numbers": []int{3, 1, 4, 0}})
		}, 1},
		{
			"a record, grounded", "# Lamp\nPrice: $10.99\n[more](https://a.test/more)", `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"colour":{"type":"string"},"link":{"type":"string"}}}`,
			`{"link":"https://a.test/more","name":"Lamp","price":10.99}`, func(llm.Call, asked) (llm.Reply, error) {
				return reply(map[string]any{"kind": "detail", "rows": []any{map[string]any{"v": map[string]any{"name": "Lamp", "price": "$10.99", "colour": "red", "link": "L1"}, "ln": map[string]any{"name": []int{1}, "price": []int{2}, "colour": []int{1}}}}})
			}, 2, // once more for the colour
		},
		{"any object", "Name: Lamp", `{"type":"object"}`, `{"product":"Lamp"}`, func(llm.Call, asked) (llm.Reply, error) {
			return reply(map[string]any{"rows": []any{map[string]any{"v": map[string]any{"key": "product", "value": "Lamp"}, "ln": map[string]any{"key": []int{1}, "value": []int{1}}}}})
		}, 1},
		{"nothing", "Name: Lamp", `{"type":"object","properties":{"price":{"type":"number"}}}`, `null`, func(llm.Call, asked) (llm.Reply, error) {
			return reply(map[string]any{"rows": []any{}, "kind": "none"})
		}, 1},
	} {
		model := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) { return test.answer(c, read(c.User)) }}
		var spent agent.Credits
		w := &agent.Writer{Model: model, Spent: func(_ context.Context, c agent.Credits, _ llm.Usage) { spent += c }}
		got, err := w.Write(t.Context(), "do it", test.text, json.RawMessage(test.schema))
		if partial := (*agent.PartialError)(nil); errors.As(err, &partial) && test.name == "a record, grounded" && strings.HasSuffix(err.Error(), "left out: 1") {
			err = nil // it says that the colour is left out
		}
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v, want %s", test.name, got, err, test.want)
		}
		if len(model.calls) != test.calls || spent == 0 {
			t.Errorf("%s: %d calls for %v", test.name, len(model.calls), spent)
		}
	}
}

// TestWriterPartial checks that an answer says which parts of the text it leaves out.
func TestWriterPartial(t *testing.T) {
	const rowsShape = `{"type":"object","properties":{"birds":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"number"}},"required":["name"]}}}}`
	text := strings.Repeat("# Part\nmany words that say little, line after line\n", 900) + "Heron\n"
	silent := func(answer any) func(llm.Call, asked) (llm.Reply, error) {
		return func(c llm.Call, a asked) (llm.Reply, error) {
			for _, line := range a.lines {
				if strings.Contains(line, "Heron") || c.Role == llm.RoleReduce {
					return reply(answer)
				}
			}
			if c.Role == llm.RoleReduce {
				return reply(answer)
			}
			return llm.Reply{Finish: llm.FinishRefusal}, nil
		}
	}
	rows := func(sizes ...any) map[string]any {
		var all []any
		for _, size := range sizes {
			all = append(all, map[string]any{"v": map[string]any{"name": "Heron", "size": size}, "ln": map[string]any{"name": []int{1801}, "size": []int{1801}}})
		}
		return map[string]any{"kind": "list", "rows": all}
	}
	for _, test := range []struct {
		name, text, schema, want string
		answer                   any
		unread                   bool
		omissions                []string
	}{
		{"a summary", text, summaryShape, `{"summary":"Herons."}`, map[string]any{"summary": "Herons."}, true, []string{"2 of 3 parts of the text got no usable reply"}},
		{"an answer", text, answerShape, `{"answer":"Heron","lines":[1801]}`, map[string]any{"answer": "Heron", "lines": []int{1801}}, true, []string{"2 of 3 parts of the text got no usable reply"}},
		{"numbers", text, numbersShape, `{"numbers":[1801]}`, map[string]any{"numbers": []int{1801}}, true, []string{"2 of 3 parts of the text got no usable reply"}},
		{"rows", text, rowsShape, `{"birds":[{"name":"Heron"}]}`, rows(nil), true, []string{"2 of 3 parts of the text got no usable reply"}},
		{"a value that no line states", "Heron\n", rowsShape, `{"birds":[{"name":"Heron"}]}`, rows(12.5), false, []string{"values of size that the lines of the text do not support were left out: 1"}},
		{
			"the end of a text", "Heron\n" + strings.Repeat("x\n", 1<<20), summaryShape, `{"summary":"Herons."}`,
			map[string]any{"summary": "Herons."},
			true,
			[]string{"6 bytes"},
		},
	} {
		model := &fakeModel{answer: func(_ context.Context, c llm.Call) (llm.Reply, error) {
			if len(test.text) > len(text) {
				return reply(test.answer)
			}
			return silent(test.answer)(c, read(c.User))
		}}
		got, err := (&agent.Writer{Model: model}).Write(t.Context(), "do it", test.text, json.RawMessage(test.schema))
		var partial *agent.PartialError
		if !errors.As(err, &partial) || string(got) != test.want {
			t.Errorf("%s: %s, %v, want %s", test.name, got, err, test.want)
			continue
		}
		said := partial.Omissions()
		if len(said) != len(test.omissions) || !strings.Contains(said[0], test.omissions[0]) || partial.Unread() != test.unread || strings.Contains(err.Error(), "Heron") {
			t.Errorf("%s: omissions %q, unread %v, want %q, %v", test.name, said, partial.Unread(), test.omissions, test.unread)
		}
	}
}

func TestWriterFails(t *testing.T) {
	for _, test := range []struct {
		name, schema string
		answer       func(context.Context, llm.Call) (llm.Reply, error)
		want         error
	}{
		{"provider", summaryShape, func(context.Context, llm.Call) (llm.Reply, error) {
			return llm.Reply{}, fmt.Errorf("%w: 403", llm.ErrProvider)
		}, llm.ErrProvider},
		{"refusal", summaryShape, func(context.Context, llm.Call) (llm.Reply, error) {
			return llm.Reply{Finish: llm.FinishRefusal}, nil
		}, agent.ErrReply},
		{"never fits", numbersShape, func(context.Context, llm.Call) (llm.Reply, error) { return reply(map[string]any{"numbers": "x"}) }, agent.ErrReply},
		{"rows of another table", `{"type":"object","properties":{"price":{"type":"number"}}}`, func(context.Context, llm.Call) (llm.Reply, error) {
			return reply(map[string]any{"rows": []any{map[string]any{"v": map[string]any{"city": "Bern"}}}, "kind": "list"})
		}, agent.ErrReply},
		{"schema", `{"type":"objekt"}`, nil, agent.ErrTask},
	} {
		_, err := (&agent.Writer{Model: &fakeModel{answer: test.answer}}).Write(t.Context(), "t", "x", json.RawMessage(test.schema))
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	if _, err := (&agent.Writer{}).Write(t.Context(), "t", "x", nil); !errors.Is(err, agent.ErrNoModel) {
		t.Errorf("without a model: %v", err)
	}
}

func TestPlanner(t *testing.T) {
	sample := []string{"https://a.test/blog/one", "https://a.test/docs/two"}
	for _, test := range []struct {
		name, reply, want string
		warnings          int
	}{
		{"options", `{"includePaths":["^/blog/"],"excludePaths":null,"limit":50,"sitemap":"only","maxDiscoveryDepth":null}`, `{"includePaths":["^/blog/","^/$"],"sitemap":"only","limit":50}`, 0},
		{"nothing else", `{"ignoreRobotsTxt":true,"headers":{"x":"y"},"webhook":"https://evil.test/","limit":5}`, `{"limit":5}`, 0},
		{"patterns that cannot be", `{"includePaths":["(?=x)","^/nothing/","^/docs"],"excludePaths":["^/","^/blog/o"]}`, `{"includePaths":["^/docs","^/$"],"excludePaths":["^/blog/o"]}`, 3},
		{"bounds", `{"limit":0,"delay":-1,"maxDiscoveryDepth":100000,"sitemap":"maybe","allowSubdomains":false}`, `{"allowSubdomains":false}`, 4},
	} {
		model := &fakeModel{answer: func(context.Context, llm.Call) (llm.Reply, error) {
			return llm.Reply{JSON: json.RawMessage(test.reply)}, nil
		}}
		p, err := (&agent.Planner{Model: model}).Plan(t.Context(), "only the blog", "https://a.test/", sample)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got, want any
		if json.Unmarshal(p.Options, &got) != nil || json.Unmarshal([]byte(test.want), &want) != nil || cmp.Diff(want, got) != "" || len(p.Warnings) != test.warnings {
			t.Errorf("%s: %s, warnings %q", test.name, p.Options, p.Warnings)
		}
	}
	bad := &fakeModel{answer: func(context.Context, llm.Call) (llm.Reply, error) {
		return llm.Reply{JSON: json.RawMessage(`[]`)}, nil
	}}
	if _, err := (&agent.Planner{Model: bad}).Plan(t.Context(), "x", "https://a.test/", nil); !errors.Is(err, agent.ErrReply) || len(bad.calls) != 2 {
		t.Errorf("%v after %d calls", err, len(bad.calls))
	}
	if _, err := (&agent.Planner{Model: bad}).Plan(t.Context(), " ", "https://a.test/", nil); !errors.Is(err, agent.ErrTask) {
		t.Errorf("blank: %v", err)
	}
}

// TestCheck is what Start refuses.
func TestCheck(t *testing.T) {
	web, truth := shop(1)
	model := &fakeModel{answer: director(truth)}
	good := agent.Task{Prompt: "p", URLs: []string{"https://a.test/"}, Schema: json.RawMessage(shopSchema)}
	change := func(f func(*agent.Task)) agent.Task {
		own := good
		f(&own)
		return own
	}
	e := &agent.Engine{Model: model, Fetch: web, Profiles: map[string]llm.Profile{"": {}, "m": {}}}
	for _, test := range []struct {
		name string
		task agent.Task
		want error
	}{
		{"good", good, nil},
		{"no schema", change(func(t *agent.Task) { t.Schema = nil }), nil},
		{"an example", change(func(t *agent.Task) { t.Schema = json.RawMessage(`{"items":[{"a":"x"}]}`) }), nil},
		{"blank", change(func(t *agent.Task) { t.Prompt = " \n" }), agent.ErrTask},
		{"long", change(func(t *agent.Task) { t.Prompt = strings.Repeat("é", 10_001) }), agent.ErrTask},
		{"as long as may be", change(func(t *agent.Task) { t.Prompt = strings.Repeat("é", 10_000) }), nil},
		{"no URL", change(func(t *agent.Task) { t.URLs = []string{"x"} }), agent.ErrTask},
		{"userinfo", change(func(t *agent.Task) { t.URLs = []string{"https://u:p@a.test/"} }), agent.ErrTask},
		{"nothing to visit", change(func(t *agent.Task) { t.URLs = nil }), agent.ErrTask},
		{"a URL in the prompt", change(func(t *agent.Task) { t.URLs, t.Prompt = nil, "see https://a.test/" }), nil},
		{"a schema of nothing", change(func(t *agent.Task) {
			t.Schema = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
		}), agent.ErrTask},
		{"schema", change(func(t *agent.Task) { t.Schema = json.RawMessage(`{"type":"objekt"}`) }), agent.ErrTask},
		{"model", change(func(t *agent.Task) { t.Model = "x" }), agent.ErrTask},
		{"credits", change(func(t *agent.Task) { t.Limits.Credits = llm.Credit / 2 }), agent.ErrTask},
		{"pages", change(func(t *agent.Task) { t.Limits.Pages = -2 }), agent.ErrTask},
	} {
		if err := e.Check(test.task); !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	if err := e.Check(change(func(t *agent.Task) { t.URLs = []string{"https://a.test/", "a.test"} })); err == nil || !strings.Contains(err.Error(), "number 2") {
		t.Errorf("which URL is not said: %v", err)
	}
	if err := (&agent.Engine{Fetch: web}).Check(good); !errors.Is(err, agent.ErrNoModel) {
		t.Errorf("without a model: %v", err)
	}
	if err := (&agent.Engine{Model: model}).Check(good); !errors.Is(err, agent.ErrNoFetcher) {
		t.Errorf("without a fetcher: %v", err)
	}
	if len(model.calls) > 0 || len(web.requests()) > 0 {
		t.Error("a check asked somebody")
	}
}

// TestNoSchema lets the plan propose the fields.
func TestNoSchema(t *testing.T) {
	web, truth := shop(5)
	direct := director(truth)
	model := &fakeModel{answer: func(ctx context.Context, c llm.Call) (llm.Reply, error) {
		if c.Role == llm.RolePlan {
			return reply(protocol.PlanReply{Start: []string{"L1"}, Fields: []protocol.PromptField{{Name: "name", Type: "string", Key: true}, {Name: "price", Type: "number"}, {Name: "stock", Type: "integer"}}})
		}
		return direct(ctx, c)
	}}
	r := run(t, &agent.Engine{Model: model, Fetch: web}, agent.Task{Prompt: "All widgets", URLs: []string{"https://shop.test/"}})
	if strings.Count(string(r.Data), `"price"`) != 5 || !r.Valid || !strings.Contains(string(r.Schema), `"price"`) {
		t.Errorf("data %s, schema %s", r.Data, r.Schema)
	}
}
