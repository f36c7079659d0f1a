// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/internal/test/cputest"
	"example.com/curlew/internal/test/memtest"
	"example.com/curlew/job"
)

// The published figure uses -urls 1000000.
var urls = flag.Int("urls", 20_000, "URLs that TestMillion discovers")

// page returns the end of a lease that discovers n URLs of 48 bytes on average,
// numbered from from.
func page(l frontier.Lease, from, n int) frontier.Commit {
	c := frontier.Commit{Lease: l, URL: l.URL, Outcome: frontier.Delivered, Answer: pace.Good, Status: 200, Text: l.Seq + 1}
	if l.Task == frontier.RobotsTask {
		return frontier.Commit{Lease: l, Outcome: frontier.Robots, Robots: frontier.RobotsLifetime{Until: time.Now().Add(time.Hour)}}
	}
	c.Targets = make([]frontier.Target, n)
	for i := range c.Targets {
		k := uint64(from + i)
		c.Targets[i] = frontier.Target{
			URL: fmt.Sprintf("https://www.example.com/section-%d/article-%07d.html", k%97, k),
			Key: mix(k), Depth: l.Depth + 1,
		}
	}
	return c
}

// mix spreads k like a hash (the finalizer of MurmurHash3).
func mix(k uint64) uint64 {
	k++
	k = (k ^ k>>33) * 0xff51afd7ed558ccd
	k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}

// discover makes a job of st find n URLs, 80 a page, and returns its frontier.
func discover(t testing.TB, st job.Store, n int) (string, frontier.Frontier) {
	t.Helper()
	j := &job.Job{ID: job.NewID(), Owner: "team", State: job.Running, Created: time.Now()}
	if err := st.Create(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	s, err := st.Space(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Frontier(t.Context(), frontier.Options{URL: "https://www.example.com/", NoSitemaps: true, Limit: frontier.Unlimited, Concurrency: 64})
	if err != nil {
		t.Fatal(err)
	}
	for found := 0; found < n; {
		leases, err := f.Lease(t.Context(), 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range leases {
			most := min(80, n-found)
			if err := f.Commit(t.Context(), page(l, found, most)); err != nil {
				t.Fatal(err)
			}
			if l.Task == frontier.PageTask {
				found += most
			}
		}
	}
	return j.ID, f
}

// TestMillion measures memory and disk space of a frontier with very many
// waiting URLs, while they are found and after a restart.
func TestMillion(t *testing.T) {
	dir := t.TempDir()
	runtime.GC()
	debug.FreeOSMemory()
	before := memtest.Resident(t)

	files := openFiles(t, dir)
	begun := time.Now()
	id, f := discover(t, files, *urls)
	took := time.Since(begun)
	peak := memtest.Peak(t)
	stats, err := f.Stats(t.Context())
	if err != nil || stats.Pending < *urls-*urls/10 {
		t.Fatalf("%+v, %v; want %d URLs that wait", stats, err, *urls)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "jobs", id, "log"))
	if err != nil {
		t.Fatal(err)
	}
	disk := float64(info.Size()) / float64(*urls)

	begun = time.Now()
	files = openFiles(t, dir)
	s, err := files.Space(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	opened := time.Since(begun)
	if f, err = s.Frontier(t.Context(), frontier.Options{URL: "https://www.example.com/", NoSitemaps: true, Limit: frontier.Unlimited, Concurrency: 64}); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	again := time.Since(begun)
	after, err := f.Stats(t.Context())
	if err != nil || after.Seen != stats.Seen || after.Delivered != stats.Delivered || after.Pending != stats.Pending+stats.Leased {
		t.Errorf("after the restart %+v, %v; before %+v", after, err, stats)
	}
	reopened := memtest.Peak(t)
	t.Logf("%d URLs: %.1f bytes of disk each; RSS at most %.1f MB, of which %.1f before, and %.1f with the restart; found in %v; opened again in %v, frontier read in %v",
		*urls, disk, float64(peak)/1e6, float64(before)/1e6, float64(reopened)/1e6, took.Round(time.Millisecond), opened.Round(time.Millisecond), (again - opened).Round(time.Millisecond))
	if disk > 80 {
		t.Errorf("%.1f bytes of disk a URL, want at most 80", disk)
	}
	if *urls >= 1_000_000 && peak > 64<<20 {
		t.Errorf("RSS %d MB, want less than 64 MiB", peak/1e6)
	}
}

// BenchmarkCommit measures a durable commit of a page with 80 new links:
// journal, table and queues, synced every 50 ms. It runs without a payload and
// with one of 8 KB, most of whose cost is copying by the kernel. An operation
// is 64 commits.
func BenchmarkCommit(b *testing.B) {
	for _, v := range []struct {
		name    string
		files   bool
		payload int
	}{{"memory", false, 0}, {"files", true, 0}, {"files-8K", true, 8 << 10}} {
		b.Run(v.name, func(b *testing.B) {
			var st job.Store = new(job.Memory)
			if v.files {
				st = openFiles(b, b.TempDir())
			}
			_, f := discover(b, st, 1000)
			defer f.Close()
			payload := bytes.Repeat([]byte("curlew! "), v.payload/8)
			from, done := 1000, 0
			var cpu time.Duration
			for b.Loop() {
				b.StopTimer()
				leases, err := f.Lease(b.Context(), 64)
				if err != nil {
					b.Fatal(err)
				}
				commits := make([]frontier.Commit, len(leases))
				for i, l := range leases {
					commits[i] = page(l, from, 80)
					commits[i].Payload = payload
					from += 80
				}
				b.StartTimer()
				before := cputest.Used(b)
				for _, c := range commits {
					if err := f.Commit(b.Context(), c); err != nil {
						b.Fatal(err)
					}
				}
				cpu += cputest.Used(b) - before
				done += len(commits)
			}
			b.ReportMetric(float64(cpu.Nanoseconds())/1e3/float64(done), "cpu-us/page")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e3/float64(done), "us/page")
		})
	}
}

// BenchmarkReopen measures a restart: it opens a store and reads the frontier
// of its only job, with -urls waiting URLs.
func BenchmarkReopen(b *testing.B) {
	dir := b.TempDir()
	files := openFiles(b, dir)
	id, _ := discover(b, files, *urls)
	if err := files.Close(); err != nil {
		b.Fatal(err)
	}
	before := cputest.Used(b)
	for b.Loop() {
		files := openFiles(b, dir)
		s, err := files.Space(b.Context(), id)
		if err != nil {
			b.Fatal(err)
		}
		f, err := s.Frontier(b.Context(), frontier.Options{URL: "https://www.example.com/", NoSitemaps: true, Limit: frontier.Unlimited, Concurrency: 64})
		if err != nil {
			b.Fatal(err)
		}
		stats, err := f.Stats(b.Context())
		if err != nil || stats.Seen < *urls {
			b.Fatalf("%+v, %v; want %d URLs", stats, err, *urls)
		}
		if err := files.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cputest.Used(b)-before).Milliseconds())/float64(b.N), "cpu-ms/op")
}

// The published figure uses -docs 1000000.
var docs = flag.Int("docs", 5_000, "pages that TestMillionPages delivers and reads again")

// TestMillionPages measures the memory for very many documents on disk, while
// they are delivered, while they are read page by page, and after a restart.
func TestMillionPages(t *testing.T) {
	dir := t.TempDir()
	runtime.GC()
	debug.FreeOSMemory()
	before := memtest.Resident(t)
	files := openFiles(t, dir)
	j, s := newJob(t, files, nil)
	config := frontier.Options{URL: "https://www.example.com/", NoSitemaps: true, Limit: *docs, Concurrency: 64}
	f, err := s.Frontier(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	doc := func(n int) []byte { return bytes.Repeat([]byte{byte(n), byte(n >> 8), byte(n >> 16)}, 500) }
	begun, delivered, found := time.Now(), 0, 0
	for delivered < *docs {
		leases, err := f.Lease(t.Context(), 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range leases {
			links := 2
			if found > *docs {
				links = 0
			}
			c := page(l, found, links)
			if l.Task == frontier.PageTask {
				c.Payload = doc(delivered)
				found += links
				delivered++
			}
			if err := f.Commit(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	took := time.Since(begun)
	if err := s.End(t.Context(), job.Completed, ""); err != nil {
		t.Fatal(err)
	}
	read := func(s job.Space) time.Duration {
		begun := time.Now()
		for n := 0; n < *docs; {
			items, err := s.Items(t.Context(), job.Result, n, 100)
			if err != nil || len(items) == 0 {
				t.Fatalf("%d documents of %d: %v", n, *docs, err)
			}
			for _, it := range items {
				if it.Err != nil || !bytes.Equal(it.Data, doc(n)) {
					t.Fatalf("document %d: %v", n, it.Err)
				}
				n++
			}
		}
		return time.Since(begun)
	}
	walked := read(s)
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	files = openFiles(t, dir)
	if s, err = files.Space(t.Context(), j.ID); err != nil {
		t.Fatal(err)
	}
	again := read(s)
	peak := memtest.Peak(t)
	t.Logf("%d documents delivered in %v, read in %v, and after a restart in %v; RSS at most %.1f MB, of which %.1f before",
		*docs, took.Round(time.Millisecond), walked.Round(time.Millisecond), again.Round(time.Millisecond), float64(peak)/1e6, float64(before)/1e6)
	if *docs >= 1_000_000 && peak > 100<<20 {
		t.Errorf("RSS %d MB, want less than 100 MiB", peak/1e6)
	}
}
