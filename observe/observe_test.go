// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"example.com/curlew/crawl"
	"example.com/curlew/observe"
)

// TestJoin joins two traces: each is told under the ctx of the one before,
// and ends before it.
func TestJoin(t *testing.T) {
	type key struct{}
	var told []string
	trace := func(name string) *observe.Trace {
		return &observe.Trace{
			Job: func(ctx context.Context, j observe.Job) (context.Context, func(error)) {
				above, _ := ctx.Value(key{}).(string)
				told = append(told, name+" begins "+j.ID+" under "+above)
				return context.WithValue(ctx, key{}, above+name), func(error) { told = append(told, name+" ends") }
			},
			// What returns nothing is told all the same.
			Page: func(context.Context, observe.Page) (context.Context, func(error)) {
				told = append(told, name+" page")
				return nil, nil
			},
			Crawl: func(observe.Job) *crawl.Trace {
				return &crawl.Trace{Blocked: func(string) { told = append(told, name+" blocked") }}
			},
		}
	}
	joined := observe.Join(nil, trace("a"), trace("b"), new(observe.Trace))
	ctx, end := joined.Job(t.Context(), observe.Job{ID: "1"})
	if got, _ := ctx.Value(key{}).(string); got != "ab" {
		t.Errorf("the job goes on under %q", got)
	}
	end(nil)
	_, end = joined.Page(t.Context(), observe.Page{})
	end(nil)
	joined.Crawl(observe.Job{}).Blocked("")
	want := []string{"a begins 1 under ", "b begins 1 under a", "b ends", "a ends", "a page", "b page", "a blocked", "b blocked"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if joined.Request != nil || joined.Webhook != nil {
		t.Error("a func that no trace has was made up")
	}
	if observe.Join(nil, nil) != nil {
		t.Error("no trace became one")
	}
}

// TestJoinAll fails if somebody adds a func to Trace and not to Join.
func TestJoinAll(t *testing.T) {
	for i := range reflect.TypeFor[observe.Trace]().NumField() {
		calls := 0
		var second observe.Trace
		f := reflect.ValueOf(&second).Elem().Field(i)
		f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value {
			calls++
			var out []reflect.Value
			for result := range f.Type().Outs() {
				out = append(out, reflect.Zero(result))
			}
			return out
		}))
		joined := reflect.ValueOf(observe.Join(new(observe.Trace), &second)).Elem().Field(i)
		if joined.IsNil() {
			t.Errorf("func %d of the second trace is lost", i)
			continue
		}
		var args []reflect.Value
		for arg := range joined.Type().Ins() {
			args = append(args, reflect.Zero(arg))
		}
		joined.Call(args)
		if calls != 1 {
			t.Errorf("func %d was called %d times", i, calls)
		}
	}
}

// TestBegin: a nil Trace, a nil func and a func that returns nil give a context and a
// func that can be used.
func TestBegin(t *testing.T) {
	type key struct{}
	ended := 0
	full := &observe.Trace{
		Request: func(ctx context.Context, _ observe.Request) (context.Context, func(observe.RequestEnd)) {
			return context.WithValue(ctx, key{}, true), func(observe.RequestEnd) { ended++ }
		},
		Job: func(context.Context, observe.Job) (context.Context, func(error)) { return nil, func(error) { ended++ } },
		Page: func(context.Context, observe.Page) (context.Context, func(error)) {
			return nil, func(error) { ended++ }
		},
		Webhook: func(context.Context, observe.Webhook) (context.Context, func(error)) {
			return nil, func(error) { ended++ }
		},
		Crawl: func(observe.Job) *crawl.Trace { return new(crawl.Trace) },
	}
	mute := &observe.Trace{Page: func(context.Context, observe.Page) (context.Context, func(error)) { return nil, nil }}
	for name, tt := range map[string]struct {
		trace *observe.Trace
		ends  int
	}{"nil": {nil, 0}, "no func": {new(observe.Trace), 0}, "mute": {mute, 0}, "full": {full, 4}} {
		ended = 0
		ctx, end := tt.trace.BeginRequest(t.Context(), observe.Request{})
		if under := ctx.Value(key{}) != nil; under != (tt.ends > 0) {
			t.Errorf("%s: the request goes on under the trace's context: %v", name, under)
		}
		end(observe.RequestEnd{})
		for _, begin := range []func() (context.Context, func(error)){
			func() (context.Context, func(error)) { return tt.trace.BeginJob(t.Context(), observe.Job{}) },
			func() (context.Context, func(error)) { return tt.trace.BeginPage(t.Context(), observe.Page{}) },
			func() (context.Context, func(error)) { return tt.trace.BeginWebhook(t.Context(), observe.Webhook{}) },
		} {
			ctx, end := begin()
			if ctx == nil {
				t.Errorf("%s: no context", name)
			}
			end(nil)
		}
		if ended != tt.ends {
			t.Errorf("%s: %d funcs were told of an end, want %d", name, ended, tt.ends)
		}
		if c := tt.trace.OfCrawl(observe.Job{}); (c != nil) != (tt.ends > 0) {
			t.Errorf("%s: trace of a crawl %v", name, c)
		}
	}
}
