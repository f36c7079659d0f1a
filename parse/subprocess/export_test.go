// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"context"

	"example.com/curlew/parse"
)

// Run makes r start the program at path in place of this one.
func (r *Runner) Run(path string) { r.program = path }

// Called sets whether Main was called.
func Called(v bool) { called.Store(v) }

// Encode returns a tree as a child sends it.
func Encode(t *parse.Tree) []byte {
	var w writer
	w.tree(t)
	return w.b
}

// Decode decodes a tree that takes at most room bytes of memory.
func Decode(b []byte, room int64) (*parse.Tree, error) {
	r := &reader{s: string(b), room: room}
	t := r.tree()
	return t, r.end()
}

// DecodeError decodes an error.
func DecodeError(b []byte) error { return (&reader{s: string(b), room: 1 << 20}).failure("name") }

// EncodeError returns an error as a child sends it.
func EncodeError(err error) []byte {
	var w writer
	w.failure(err)
	return w.b
}

// Ask handles a request for OCR or drawing from a child.
func Ask(ctx context.Context, e *parse.Engine, kind byte, b []byte) {
	_, _ = helped(ctx, e, kind, &reader{s: string(b), room: 1 << 20})
}
