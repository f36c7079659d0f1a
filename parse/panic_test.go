// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"bytes"
	"context"
	"errors"
	"io"
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

// brokenData panics when it is read at or after an offset.
type brokenData struct {
	io.ReaderAt
	from int64
}

func (b brokenData) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > b.from {
		panic("the mapping is gone")
	}
	return b.ReaderAt.ReadAt(p, at)
}

// TestDataThatPanics reads documents whose data panic at once, when the size is searched
// for, or when the document is loaded.
func TestDataThatPanics(t *testing.T) {
	text := strings.Repeat("Some text of a document.\n", 10_000)
	for name, src := range map[string]Source{
		"at once":         {Name: "a.txt", Data: brokenData{strings.NewReader(text), 0}, Size: int64(len(text))},
		"without a size":  {Name: "a.txt", Data: brokenData{strings.NewReader(text), 0}},
		"after detection": {Name: "a.html", Data: brokenData{strings.NewReader(text), 70_000}, Size: int64(len(text))},
	} {
		t.Run(name, func(t *testing.T) {
			if d := Detect(src); !errors.Is(d.Err, ErrCorrupt) {
				t.Errorf("Detect: %+v, want ErrCorrupt", d)
			}
			for _, o := range []*Options{nil, {Kind: HTML}} {
				tree, err := new(Engine).Parse(t.Context(), src, o)
				if e, ok := errors.AsType[*Error](err); tree != nil || !ok || !errors.Is(e, ErrCorrupt) {
					t.Errorf("Parse = %v, %v, want ErrCorrupt", tree, err)
				}
			}
		})
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
