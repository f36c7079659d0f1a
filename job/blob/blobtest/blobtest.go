// SPDX-License-Identifier: Apache-2.0

// Package blobtest tests implementations of blob.Store.
package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"example.com/curlew/job/blob"
)

// Check tests that the stores that open returns fulfill the contract of [blob.Store].
// Each subtest calls open once. The store must be empty, and open closes it by
// t.Cleanup.
func Check(t *testing.T, open func(t *testing.T) blob.Store) {
	t.Helper()
	for _, part := range []struct {
		name  string
		check func(*testing.T, blob.Store)
	}{
		{"read", checkRead},
		{"names", checkNames},
		{"list", checkList},
		{"remove", checkRemove},
		{"replace", checkReplace},
		{"ctx", checkCtx},
	} {
		t.Run(part.name, func(t *testing.T) { part.check(t, open(t)) })
	}
}

func put(t *testing.T, st blob.Store, name string, data []byte) {
	t.Helper()
	if err := st.Put(t.Context(), name, data); err != nil {
		t.Fatalf("Put(%s): %v", name, err)
	}
}

// want fails t unless err wraps target. A nil target means no error.
func want(t *testing.T, what string, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%s: error %v, want %v", what, err, target)
	}
}

func checkRead(t *testing.T, st blob.Store) {
	data := bytes.Repeat([]byte("0123456789"), 100_000)
	put(t, st, "a/b/object", data)
	put(t, st, "empty", nil)
	for _, c := range []struct{ at, n int64 }{{0, 10}, {0, int64(len(data))}, {999_990, 10}, {12_345, 54_321}, {5, 0}, {1_000_000, 0}} {
		got, err := st.Read(t.Context(), "a/b/object", c.at, c.n)
		if err != nil || !bytes.Equal(got, data[c.at:c.at+c.n]) {
			t.Errorf("Read(%d, %d): %d bytes, %v", c.at, c.n, len(got), err)
		}
	}
	if got, err := st.Read(t.Context(), "empty", 0, 0); err != nil || len(got) != 0 {
		t.Errorf("Read of an empty object: %d bytes, %v", len(got), err)
	}
	for _, c := range []struct{ at, n int64 }{{0, 1_000_001}, {999_990, 11}, {1_000_000, 1}, {1_000_001, 1}, {5_000_000, 5}} {
		got, err := st.Read(t.Context(), "a/b/object", c.at, c.n)
		want(t, fmt.Sprintf("Read(%d, %d) past the end", c.at, c.n), err, blob.ErrDamaged)
		if got != nil {
			t.Errorf("and it returned %d bytes", len(got))
		}
	}
	_, err := st.Read(t.Context(), "empty", 0, 1)
	want(t, "Read past the end of an empty object", err, blob.ErrDamaged)
	for _, name := range []string{"none", "a/b/none", "a/none/object", "none/0"} {
		for _, n := range []int64{0, 1} {
			_, err := st.Read(t.Context(), name, 0, n)
			want(t, "Read("+name+")", err, blob.ErrMissing)
		}
	}
	for _, c := range []struct{ at, n int64 }{{-1, 1}, {0, -1}, {0, blob.MaxSize + 1}, {1 << 62, 1 << 62}} {
		_, err := st.Read(t.Context(), "a/b/object", c.at, c.n)
		want(t, fmt.Sprintf("Read(%d, %d)", c.at, c.n), err, blob.ErrTooLarge)
	}
}

func checkNames(t *testing.T, st blob.Store) {
	for _, name := range []string{"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "A", "a.b", "a b", `a\b`, "a\x00", "ä", "a/b/c/d/e/f/g/h/i"} {
		want(t, fmt.Sprintf("Put(%q)", name), st.Put(t.Context(), name, []byte("x")), blob.ErrName)
		_, err := st.Read(t.Context(), name, 0, 1)
		want(t, fmt.Sprintf("Read(%q)", name), err, blob.ErrName)
		want(t, fmt.Sprintf("Remove(%q)", name), st.Remove(t.Context(), name), blob.ErrName)
		for _, err := range st.List(t.Context(), name) {
			want(t, fmt.Sprintf("List(%q)", name), err, blob.ErrName)
		}
	}
}

// list returns what is in a folder, sorted.
func list(t *testing.T, st blob.Store, folder string) []string {
	t.Helper()
	var names []string
	for name, err := range st.List(t.Context(), folder) {
		if err != nil {
			t.Fatalf("List(%s): %v", folder, err)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func checkList(t *testing.T, st blob.Store) {
	if names := list(t, st, "none"); names != nil {
		t.Errorf("List of a missing folder: %q", names)
	}
	var all []string
	var wait sync.WaitGroup
	for i := range 20 {
		name := fmt.Sprintf("%04d", i)
		all = append(all, name)
		wait.Go(func() {
			if err := st.Put(t.Context(), "f/many/"+name, []byte("x")); err != nil {
				t.Errorf("Put: %v", err)
			}
		})
	}
	put(t, st, "f/one", []byte("x"))
	put(t, st, "f/deep/down/here", []byte("x"))
	put(t, st, "f-not", []byte("x"))
	wait.Wait()
	if names := list(t, st, "f"); !slices.Equal(names, []string{"deep/", "many/", "one"}) {
		t.Errorf("List(f): %q", names)
	}
	if names := list(t, st, "f/many"); !slices.Equal(names, all) {
		t.Errorf("List(f/many): %d names, want %d", len(names), len(all))
	}
	for range st.List(t.Context(), "f/many") {
		break
	}
	want(t, "Remove(f/many)", st.Remove(t.Context(), "f/many"), nil)
	if names := list(t, st, "f/many"); names != nil {
		t.Errorf("after Remove: %d names", len(names))
	}
}

func checkRemove(t *testing.T, st blob.Store) {
	for _, name := range []string{"a/b/c", "a/b/d/e", "a/bc", "a/b-c", "b"} {
		put(t, st, name, []byte(name))
	}
	want(t, "Remove", st.Remove(t.Context(), "a/b"), nil)
	want(t, "Remove again", st.Remove(t.Context(), "a/b"), nil)
	want(t, "Remove of a missing folder", st.Remove(t.Context(), "x/y"), nil)
	for name, target := range map[string]error{"a/b/c": blob.ErrMissing, "a/b/d/e": blob.ErrMissing, "a/bc": nil, "a/b-c": nil, "b": nil} {
		_, err := st.Read(t.Context(), name, 0, 1)
		want(t, "Read("+name+")", err, target)
	}
	put(t, st, "a/b/c", []byte("again"))
	if got, err := st.Read(t.Context(), "a/b/c", 0, 5); err != nil || string(got) != "again" {
		t.Errorf("after Remove and Put: %q, %v", got, err)
	}
}

// checkReplace reads an object while it is put again and again with other lengths.
func checkReplace(t *testing.T, st blob.Store) {
	put(t, st, "f/o", bytes.Repeat([]byte{0}, 1000))
	var wait sync.WaitGroup
	for w := range byte(3) {
		wait.Go(func() {
			for range 10 {
				if err := st.Put(t.Context(), "f/o", bytes.Repeat([]byte{w}, 1000+int(w))); err != nil {
					t.Errorf("Put: %v", err)
				}
			}
		})
	}
	for range 30 {
		got, err := st.Read(t.Context(), "f/o", 0, 1000)
		if err != nil || !bytes.Equal(got, bytes.Repeat(got[:1], 1000)) {
			t.Errorf("Read of an object that is replaced: %d bytes, %v", len(got), err)
		}
	}
	wait.Wait()
}

func checkCtx(t *testing.T, st blob.Store) {
	put(t, st, "f/o", []byte("x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	want(t, "Put", st.Put(ctx, "f/p", []byte("x")), context.Canceled)
	_, err := st.Read(ctx, "f/o", 0, 1)
	want(t, "Read", err, context.Canceled)
	want(t, "Remove", st.Remove(ctx, "f"), context.Canceled)
	for _, err := range st.List(ctx, "f") {
		want(t, "List", err, context.Canceled)
	}
	if got, err := st.Read(t.Context(), "f/o", 0, 1); err != nil || string(got) != "x" {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}
