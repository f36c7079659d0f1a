// SPDX-License-Identifier: Apache-2.0

//go:build unix

package pdf_test

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"example.com/curlew/internal/test/cputest"
)

var gaps = flag.Bool("gaps", false, "print the longest times between two checks of the context for all development data")

// TestGaps prints where cancellation would take longest: the most CPU time
// between two checks of the context. It reads each file twice and takes the
// better result.
//
//	go test ./parse/internal/pdf -run TestGaps -gaps -v
func TestGaps(t *testing.T) {
	if !*gaps {
		t.Log("only prints times with -gaps; TestPolls is a short version")
		return
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the CPU time is that of the whole process
	type gap struct {
		name string
		long time.Duration
	}
	var all []gap
	for _, folder := range []string{"pdf-real-dev/pdfs", "pdf-layout-dev/pdfs", "pdf-tables-dev/pdfs"} {
		for _, path := range corpus(t, folder) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			best := time.Hour
			for range 2 {
				long, last := time.Duration(0), cputest.Used(t)
				ctx := newFakeContext(t, 0)
				ctx.gap = func() {
					now := cputest.Used(t)
					long, last = max(long, now-last), now
				}
				_ = readUnder(ctx, data) // damaged files count as well
				ctx.gap()
				best = min(best, long)
			}
			all = append(all, gap{filepath.Base(path), best})
		}
	}
	slices.SortFunc(all, func(a, b gap) int { return int(b.long - a.long) })
	for _, g := range all[:min(10, len(all))] {
		t.Logf("%v %s", g.long, g.name)
	}
}
