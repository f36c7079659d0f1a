// SPDX-License-Identifier: Apache-2.0

package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/curlew/internal/test/pdftest"
	"example.com/curlew/parse/internal/pdf"
)

// fakeContext counts how often the code checks whether the context has
// ended. It ends at check number end; with end 0 it never ends.
type fakeContext struct {
	context.Context
	stop context.CancelCauseFunc
	end  int

	mu    sync.Mutex // protects polls and gap
	polls int
	gap   func() // called at each check
}

var errEnded = errors.New("ended")

func newFakeContext(t *testing.T, end int) *fakeContext {
	t.Helper()
	ctx, stop := context.WithCancelCause(t.Context())
	t.Cleanup(func() { stop(nil) })
	return &fakeContext{Context: ctx, stop: stop, end: end}
}

func (f *fakeContext) poll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.polls++; f.polls == f.end {
		f.stop(errEnded)
	}
	if f.gap != nil {
		f.gap()
	}
}

func (f *fakeContext) Err() error {
	f.poll()
	return f.Context.Err()
}

func (f *fakeContext) Done() <-chan struct{} {
	f.poll()
	return f.Context.Done()
}

func readUnder(ctx context.Context, data []byte) error {
	_, err := pdf.Read(ctx, bytes.NewReader(data), int64(len(data)), pdf.Options{})
	return err
}

// TestCancel ends the context at each check in turn. Read must return the
// cause and must check only a few more times afterwards.
func TestCancel(t *testing.T) {
	t.Parallel()
	data := article()
	whole := newFakeContext(t, 0)
	if err := readUnder(whole, data); err != nil {
		t.Fatal(err)
	}
	most := 4 + 4*runtime.GOMAXPROCS(0) // each worker and the goroutine that waits for them may check again
	for end := 1; end <= whole.polls; end++ {
		ctx := newFakeContext(t, end)
		// The last checks can happen after all pages are done.
		if err := readUnder(ctx, data); !errors.Is(err, errEnded) && end < whole.polls-most {
			t.Fatalf("ended at poll %d of %d: %v", end, whole.polls, err)
		}
		if ctx.polls > end+most {
			t.Errorf("ended at poll %d, asked until %d", end, ctx.polls)
		}
	}
}

// TestPolls checks that the number of context checks grows with each kind of
// content, such as pages or glyphs. Between two checks lie at most some
// thousand glyphs or some dozen larger objects, each of which takes
// microseconds.
func TestPolls(t *testing.T) {
	t.Parallel()
	line := pdftest.Text("F1", 10, 72, 700, "words and words and words and words")
	const sheets = 100 // number of pages; each is so short that only their number matters
	tests := []struct {
		name      string
		make      func(n int) []byte
		few, many int
		every     int // maximum number of units between two checks
	}{
		{"pages", func(n int) []byte { return pdftest.Pages(slices.Repeat([]string{line}, n)...) }, 10, 100, 1},
		{"operators", func(n int) []byte { return pdftest.Pages(strings.Repeat("1 w ", n)) }, 1, 50_000, 512},
		{"glyphs", func(n int) []byte { return pdftest.Pages(strings.Repeat(line, n/35)) }, 35, 35_000, 4096},
		{"lines", func(n int) []byte { return prose(1, n, 1.1, .5) }, 1, 700, 128},
		{"rows of tables", func(n int) []byte { return grids(sheets, n/sheets, 2) }, 2 * sheets, 12 * sheets, 64},
		{"items", func(n int) []byte {
			items := pdftest.Lines("F1", 8, 72, 700, 10, slices.Repeat([]string{"\x95 item"}, n/sheets)...)
			return pdftest.Pages(slices.Repeat([]string{items}, sheets)...)
		}, sheets, 12 * sheets, 64},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			polls := func(n int) int {
				ctx := newFakeContext(t, 0)
				if err := readUnder(ctx, tt.make(n)); err != nil {
					t.Fatal(err)
				}
				return ctx.polls
			}
			if got, want := polls(tt.many)-polls(tt.few), (tt.many-tt.few)/tt.every; got < want {
				t.Errorf("%d in place of %d are asked for %d times more, want %d", tt.many, tt.few, got, want)
			}
		})
	}
}
