// SPDX-License-Identifier: Apache-2.0

// Package tracetest tests funcs that join traces: structs whose fields are funcs.
package tracetest

import (
	"reflect"
	"slices"
	"testing"
)

// Join sets each func in one trace, in the other and in both, and checks that join returns a
// trace that calls them in order. It fails if join leaves out a field of T.
func Join[T any](t *testing.T, join func(traces ...*T) *T) {
	t.Helper()
	if join() != nil || join(nil, nil) != nil {
		t.Error("no trace became one")
	}
	for i := range reflect.TypeFor[T]().NumField() {
		for _, set := range [][]string{{"a"}, {"b"}, {"a", "b"}, nil} {
			var told []string
			trace := func(name string) *T {
				c := new(T)
				if f := reflect.ValueOf(c).Elem().Field(i); slices.Contains(set, name) {
					f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value {
						told = append(told, name)
						return nil
					}))
				}
				return c
			}
			a, b := trace("a"), trace("b")
			field := reflect.ValueOf(join(nil, a, nil, b)).Elem().Field(i)
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
