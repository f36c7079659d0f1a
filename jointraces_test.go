// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"example.com/curlew"
	"example.com/curlew/crawl"
)

// TestJoinTraces joins two traces: each is told under the ctx of the one before,
// and ends before it.
func TestJoinTraces(t *testing.T) {
	type key struct{}
	var told []string
	trace := func(name string) *curlew.Trace {
		return &curlew.Trace{
			Job: func(ctx context.Context, j curlew.JobTrace) (context.Context, func(error)) {
				above, _ := ctx.Value(key{}).(string)
				told = append(told, name+" begins "+j.ID+" under "+above)
				return context.WithValue(ctx, key{}, above+name), func(error) { told = append(told, name+" ends") }
			},
			// What returns nothing is told all the same.
			Page: func(context.Context, curlew.PageTrace) (context.Context, func(error)) {
				told = append(told, name+" page")
				return nil, nil
			},
			Crawl: func(curlew.JobTrace) *crawl.Trace {
				return &crawl.Trace{Blocked: func(string) { told = append(told, name+" blocked") }}
			},
		}
	}
	joined := curlew.JoinTraces(nil, trace("a"), trace("b"), new(curlew.Trace))
	ctx, end := joined.Job(t.Context(), curlew.JobTrace{ID: "1"})
	if got, _ := ctx.Value(key{}).(string); got != "ab" {
		t.Errorf("the job goes on under %q", got)
	}
	end(nil)
	_, end = joined.Page(t.Context(), curlew.PageTrace{})
	end(nil)
	joined.Crawl(curlew.JobTrace{}).Blocked("")
	want := []string{"a begins 1 under ", "b begins 1 under a", "b ends", "a ends", "a page", "b page", "a blocked", "b blocked"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if joined.Request != nil || joined.Webhook != nil {
		t.Error("a func that no trace has was made up")
	}
	if curlew.JoinTraces(nil, nil) != nil {
		t.Error("no trace became one")
	}
}

// TestJoinTracesAll fails if somebody adds a func to Trace and not to JoinTraces.
func TestJoinTracesAll(t *testing.T) {
	for i := range reflect.TypeFor[curlew.Trace]().NumField() {
		calls := 0
		var second curlew.Trace
		f := reflect.ValueOf(&second).Elem().Field(i)
		f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value {
			calls++
			var out []reflect.Value
			for result := range f.Type().Outs() {
				out = append(out, reflect.Zero(result))
			}
			return out
		}))
		joined := reflect.ValueOf(curlew.JoinTraces(new(curlew.Trace), &second)).Elem().Field(i)
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
