// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/internal/service/reading"
	"example.com/curlew/internal/test/zipxmltest"
	"example.com/curlew/parse"
)

// most returns the largest growth of the heap while work ran, with little
// garbage included.
func most(work func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var peak uint64
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	work()
	close(stop)
	wg.Wait()
	return int64(max(peak, before.HeapAlloc) - before.HeapAlloc)
}

// TestWeights reads documents that take much memory for their size and checks
// that none takes more than the ledger reserves for it.
func TestWeights(t *testing.T) {
	docx := zipxmltest.Paragraphs(40_000)
	for _, c := range []struct {
		kind     parse.Kind
		data     []byte
		inflated int64
	}{
		{parse.DOCX, docx, 40_000 * 130},
		{parse.HTML, []byte(strings.Repeat("<p><b>ab</b>", 40_000)), 0},
		{parse.HTML, []byte(strings.Repeat("<p>Some words are here and there, and a link <a href='/x'>to it</a>.\n", 10_000)), 0},
		{parse.HTML, []byte(strings.Repeat("<b>", 200_000)), 0},
		{parse.Markdown, []byte(strings.Repeat("- a\n", 40_000)), 0},
		{parse.Text, []byte(strings.Repeat("ab\n\n", 200_000)), 0},
		{parse.CSV, []byte(strings.Repeat("a,b,c,d\n", 20_000)), 0},
		{parse.JSON, []byte("[" + strings.Repeat("1,", 300_000) + "1]"), 0},
		{parse.RTF, []byte(`{\rtf1 ` + strings.Repeat(`{\b ab}\par `, 30_000) + "}"), 0},
		{parse.XML, []byte("<a>" + strings.Repeat("<b>x</b>", 100_000) + "</a>"), 0},
	} {
		var service curlew.Service
		var err error
		took := most(func() {
			src := parse.Source{Name: "a." + string(c.kind), Data: bytes.NewReader(c.data), Size: int64(len(c.data))}
			_, err = service.Parse(t.Context(), src, &curlew.ParseOptions{Read: parse.Options{Kind: c.kind}})
		})
		reserved := reading.Weighed(c.kind, int64(len(c.data)), c.inflated)
		t.Logf("%s of %d bytes took %d KiB, %d are reserved, %v", c.kind, len(c.data), took>>10, reserved>>10, err)
		if err != nil || took > reserved {
			t.Errorf("%s of %d bytes took %d KiB, %d are reserved, %v", c.kind, len(c.data), took>>10, reserved>>10, err)
		}
	}
}
