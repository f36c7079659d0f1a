// SPDX-License-Identifier: Apache-2.0

package crawl_test

import (
	"reflect"
	"slices"
	"testing"

	"example.com/curlew/crawl"
)

// TestJoinTraces sets each func in one trace, in the other and in both, and
// checks that they are called in order. It fails if a func is added to Trace
// but not to JoinTraces.
func TestJoinTraces(t *testing.T) {
	if crawl.JoinTraces() != nil || crawl.JoinTraces(nil, nil) != nil {
		t.Error("no trace became one")
	}
	for i := range reflect.TypeFor[crawl.Trace]().NumField() {
		for _, set := range [][]string{{"a"}, {"b"}, {"a", "b"}, nil} {
			var told []string
			trace := func(name string) *crawl.Trace {
				var c crawl.Trace
				if f := reflect.ValueOf(&c).Elem().Field(i); slices.Contains(set, name) {
					f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value {
						told = append(told, name)
						return nil
					}))
				}
				return &c
			}
			a, b := trace("a"), trace("b")
			field := reflect.ValueOf(crawl.JoinTraces(nil, a, nil, b)).Elem().Field(i)
			if field.IsNil() != (set == nil) {
				t.Fatalf("field %d with %v: nil is %t", i, set, field.IsNil())
			}
			if set == nil {
				continue
			}
			args := make([]reflect.Value, field.Type().NumIn())
			for n := range args {
				args[n] = reflect.Zero(field.Type().In(n))
			}
			field.Call(args)
			if !slices.Equal(told, set) {
				t.Errorf("field %d: called %v, want %v", i, told, set)
			}
			if slices.Contains(set, "b") && len(set) == 1 && !reflect.ValueOf(a).Elem().Field(i).IsNil() {
				t.Errorf("field %d: the first trace was changed", i)
			}
		}
	}
}
