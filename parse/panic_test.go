// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// TestReaderThatPanics is in package parse because no real reader is known
// to panic.
func TestReaderThatPanics(t *testing.T) {
	bad := reader{PDF, func(context.Context, *input) (*Tree, error) { panic("index out of range") }}
	var log bytes.Buffer
	for _, e := range []*Engine{{}, {Logger: slog.New(slog.NewTextHandler(&log, nil))}} {
		tree, err := e.read(t.Context(), bad, &input{kind: PDF})
		if tree != nil || !errors.Is(err, ErrCorrupt) {
			t.Errorf("read = %v, %v, want ErrCorrupt", tree, err)
		}
	}
	if !strings.Contains(log.String(), "index out of range") || !strings.Contains(log.String(), "stack=") {
		t.Errorf("the log has no panic or no stack: %s", &log)
	}
}

// TestReaders checks that each kind has exactly one reader.
func TestReaders(t *testing.T) {
	seen := map[Kind]bool{}
	for _, r := range readers() {
		if seen[r.kind] || r.read == nil {
			t.Errorf("kind %s is registered twice or without a reader", r.kind)
		}
		seen[r.kind] = true
	}
}
