// SPDX-License-Identifier: Apache-2.0

package webrisk_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/threat"
	"example.com/curlew/threat/webrisk"
)

// only returns a client with a single list.
func only(t *testing.T, f *fake) *webrisk.Client {
	return f.open(t, &webrisk.Client{Types: []string{malware}})
}

// TestSync applies random updates. The client must have the entries of the
// server after each.
func TestSync(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	random := func() string {
		size := 4
		if r.IntN(10) == 0 {
			size = 4 + r.IntN(29)
		}
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(r.IntN(4)) // few byte values, so that some entries are prefixes of others
		}
		return string(b)
	}
	f := new(fake)
	c := only(t, f)
	var entries []string
	for round := range 60 {
		entries = slices.DeleteFunc(slices.Clone(entries), func(string) bool { return r.IntN(4) == 0 })
		for range r.IntN(50) {
			if e := random(); !slices.Contains(entries, e) {
				entries = append(entries, e)
			}
		}
		f.set(malware, entries...)
		if round%3 == 0 {
			continue // the client skips this version
		}
		sync1(t, c)
		if diff := cmp.Diff(slices.Sorted(slices.Values(entries)), c.Entries(malware)); diff != "" {
			t.Fatalf("seed %d, round %d (-server +client):\n%s", seed, round, diff)
		}
	}
	tokens := 0
	for _, h := range f.hits("computeDiff") {
		if h.token != "" {
			tokens++
		}
	}
	if tokens != 39 {
		t.Errorf("%d requests for a difference, want 39: all but the first", tokens)
	}
}

// TestLookup checks that every entry is found by hashes that start with it, and
// by no other.
func TestLookup(t *testing.T) {
	f := &fake{negative: time.Minute}
	var listed, clean []threat.Target
	for i := range 300 {
		tg := target(t, fmt.Sprintf("https://h%d.example/", i))
		if i%3 == 0 {
			f.threaten(malware, fmt.Sprintf("h%d.example/", i), 4+i%29, time.Minute)
			listed = append(listed, tg)
		} else {
			clean = append(clean, tg)
		}
	}
	c := only(t, f)
	sync1(t, c)
	for score, targets := range map[int][]threat.Target{100: listed, 0: clean} {
		verdicts, err := c.Classify(t.Context(), targets)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range verdicts {
			if v.Score != score {
				t.Errorf("%s: score %d, want %d", targets[i].URL, v.Score, score)
			}
		}
	}
	if n := len(f.hits("hashes:search")); n != 100 {
		t.Errorf("%d searches, want 100", n)
	}
}

func sum(entries ...string) string {
	s := sha256.Sum256([]byte(strings.Join(entries, "")))
	return base64.StdEncoding.EncodeToString(s[:])
}

func raw(size int, data string) []any {
	return []any{map[string]any{"prefixSize": size, "rawHashes": base64.StdEncoding.EncodeToString([]byte(data))}}
}

// TestAnswers checks that inconsistent responses leave the list unchanged.
// After an inconsistent difference the client requests the whole list once.
// After an inconsistent whole list it requests nothing more.
func TestAnswers(t *testing.T) {
	old := []string{"aaaa", "bbbbb", "cccc"}
	for _, tt := range []struct {
		name   string
		mangle map[string]any
	}{
		{"checksum", map[string]any{"checksum": map[string]any{"sha256": sum("no")}}},
		{"short checksum", map[string]any{"checksum": map[string]any{"sha256": "YWJj"}}},
		{"no checksum", map[string]any{"checksum": nil}},
		{"no type", map[string]any{"responseType": nil}},
		{"other type", map[string]any{"responseType": "RESPONSE_TYPE_UNSPECIFIED"}},
		{"size 3", map[string]any{"additions": map[string]any{"rawHashes": raw(3, "abc")}}},
		{"size 33", map[string]any{"additions": map[string]any{"rawHashes": raw(33, strings.Repeat("x", 33))}}},
		{"size 0", map[string]any{"additions": map[string]any{"rawHashes": raw(0, "")}}},
		{"size below zero", map[string]any{"additions": map[string]any{"rawHashes": raw(-4, "abcd")}}},
		{"length", map[string]any{"additions": map[string]any{"rawHashes": raw(4, "abcde")}}},
		{"rice", map[string]any{"additions": map[string]any{"riceHashes": map[string]any{"firstValue": "1"}}}},
		{"rice indices", map[string]any{"removals": map[string]any{"riceIndices": map[string]any{}}}},
		{"index out of range", map[string]any{"removals": map[string]any{"rawIndices": map[string]any{"indices": []int{3}}}}},
		{"index below zero", map[string]any{"removals": map[string]any{"rawIndices": map[string]any{"indices": []int{-1}}}}},
		{"indices out of order", map[string]any{"removals": map[string]any{"rawIndices": map[string]any{"indices": []int{1, 0}}}}},
		{"index twice", map[string]any{"removals": map[string]any{"rawIndices": map[string]any{"indices": []int{1, 1}}}}},
		{"long token", map[string]any{"newVersionToken": strings.Repeat("x", 5000)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := new(fake)
			f.set(malware, old...)
			c := only(t, f)
			sync1(t, c)
			f.set(malware, "dddd")
			f.hits("")
			all := false // also change responses with the whole list
			f.mangle = func(r *http.Request, answer map[string]any) {
				if all || r.URL.Query().Get("versionToken") != "" {
					maps.Copy(answer, tt.mangle)
					if answer["responseType"] == "DIFF" && tt.mangle["removals"] == nil {
						delete(answer, "removals")
					}
				}
			}
			all = true
			err := c.Sync(t.Context())
			resets := strings.HasPrefix(tt.name, "ind") // a response with the whole list has no removals
			if fault, ok := errors.AsType[*webrisk.Error](err); !resets && (!ok || fault.Type != malware || !errors.Is(err, webrisk.ErrAnswer)) {
				t.Errorf("error %v, want ErrAnswer", err)
			}
			if got := c.Entries(malware); !resets && !slices.Equal(got, old) {
				t.Errorf("list %q, want the old one", got)
			}
			if n := len(f.hits("computeDiff")); n != 2 {
				t.Errorf("%d requests, want two: a difference, and all", n)
			}
			all = false
			sync1(t, c)
			if got := c.Entries(malware); !slices.Equal(got, []string{"dddd"}) {
				t.Errorf("list %q, want the new one", got)
			}
		})
	}
}

// TestResetMismatch checks that an inconsistent RESET is not requested again.
func TestResetMismatch(t *testing.T) {
	f := new(fake)
	f.set(malware, "aaaa")
	c := only(t, f)
	sync1(t, c)
	f.hits("")
	f.mangle = func(_ *http.Request, answer map[string]any) {
		answer["responseType"], answer["checksum"] = "RESET", map[string]any{"sha256": sum("no")}
	}
	if err := c.Sync(t.Context()); !errors.Is(err, webrisk.ErrChecksum) {
		t.Errorf("error %v, want ErrChecksum", err)
	}
	if n := len(f.hits("computeDiff")); n != 1 {
		t.Errorf("%d requests, want one", n)
	}
	f.mangle = func(_ *http.Request, answer map[string]any) { answer["responseType"] = "DIFF" }
	c = only(t, f)
	if err := c.Sync(t.Context()); !errors.Is(err, webrisk.ErrAnswer) {
		t.Errorf("a difference from nothing: %v, want ErrAnswer", err)
	}
}

// TestTokenRefused checks that a token that the server has refused is not sent
// again.
func TestTokenRefused(t *testing.T) {
	f := new(fake)
	f.set(malware, "aaaa", "bbbb")
	c := only(t, f)
	sync1(t, c)
	f.versions = nil
	f.set(malware, "cccc")
	f.versions[malware] = f.versions[malware][:1]
	f.mangle = func(_ *http.Request, answer map[string]any) { answer["newVersionToken"] = "bm8=" }
	sync1(t, c) // the server now has another version 0, which the checksum reveals
	sync1(t, c) // the server refuses the token
	if got := c.Entries(malware); !slices.Equal(got, []string{"cccc"}) {
		t.Errorf("list %q", got)
	}
}

func TestTooLong(t *testing.T) {
	f := new(fake)
	f.set(malware, "aaaa")
	c := only(t, f)
	sync1(t, c)
	blank := bytes.Repeat([]byte(" "), 1<<20)
	f.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		for range webrisk.MaxDiff>>20 + 1 {
			if _, err := w.Write(blank); err != nil {
				break
			}
		}
		return true
	}
	if err := c.Sync(t.Context()); !errors.Is(err, webrisk.ErrAnswer) {
		t.Errorf("error %v, want ErrAnswer", err)
	}
}

// TestRunSchedule checks when Run updates the list, depending on the provider's
// recommendation.
func TestRunSchedule(t *testing.T) {
	for _, tt := range []struct {
		next, maxAge, want time.Duration
	}{
		{0, 0, 30 * time.Minute},
		{5 * time.Second, 0, time.Minute},
		{-time.Hour, 0, time.Minute},
		{20 * time.Minute, 0, 20 * time.Minute},
		{24 * time.Hour, 0, 3 * time.Hour},
		{24 * time.Hour, time.Minute, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{next: tt.next}
			f.set(malware, "aaaa")
			c := only(t, f)
			c.MaxAge = tt.maxAge
			run(t, c)
			time.Sleep(3*tt.want + time.Second)
			hits := f.hits("computeDiff")
			if len(hits) != 4 {
				t.Fatalf("%+v: %d requests", tt, len(hits))
			}
			for i := range 3 {
				if got := hits[i+1].at.Sub(hits[i].at); got != tt.want {
					t.Errorf("%+v: asked after %v, want %v", tt, got, tt.want)
				}
			}
		})
	}
}

// TestRunBackoff checks the waits after n consecutive failures while there is a
// valid list: 15 min x 2^(n-1), up to twice that, and at most a day.
func TestRunBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		f := new(fake)
		f.set(malware, "aaaa")
		c := only(t, f)
		c.MaxAge = 30 * 24 * time.Hour
		c.Logger = slog.New(slog.NewTextHandler(&b, nil))
		sync1(t, c)
		f.hits("")
		f.reply(status(http.StatusServiceUnavailable))
		run(t, c)
		time.Sleep(10 * 24 * time.Hour)
		synctest.Wait()
		hits := f.hits("computeDiff")
		if len(hits) < 12 {
			t.Fatalf("%d requests in ten days", len(hits))
		}
		waits(t, hits, 15*time.Minute, 24*time.Hour)
		if text := b.String(); !strings.Contains(text, "failures=3") || strings.Contains(text, key) {
			t.Errorf("log %s", text)
		}
		classify(t, c, "https://clean.example/")
		f.reply(nil)
		time.Sleep(25 * time.Hour)
		synctest.Wait()
		f.hits("")
		f.reply(status(http.StatusServiceUnavailable))
		time.Sleep(61 * time.Minute) // the time until the next update, followed by a wait of 15 to 30 minutes
		if n := len(f.hits("computeDiff")); n < 2 {
			t.Error("after a success it goes on waiting as after failures")
		}
	})
}

// waits checks the waits between failed requests: least x 2^(n-1), up to twice
// that, and at most most.
func waits(t *testing.T, hits []hit, least, most time.Duration) {
	t.Helper()
	for n := 1; n < len(hits); n++ {
		got := hits[n].at.Sub(hits[n-1].at)
		low := min(most, least<<min(n-1, 20))
		if high := min(most, 2*low); got < low || got > high {
			t.Errorf("after %d failures it waits %v, want %v to %v", n, got, low, high)
		}
	}
}

// TestRunWithoutList checks that updates are retried within seconds while there
// is no valid list: at the start, and when the list has become too old.
func TestRunWithoutList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clean := []threat.Target{target(t, "https://clean.example/")}
		f := &fake{answer: status(http.StatusServiceUnavailable)}
		f.set(malware, "aaaa")
		c := only(t, f)
		run(t, c)
		time.Sleep(10 * 24 * time.Hour)
		synctest.Wait()
		hits := f.hits("computeDiff")
		if len(hits) < 400 {
			t.Fatalf("%d requests in ten days", len(hits))
		}
		waits(t, hits, 2*time.Second, 30*time.Minute)
		if _, err := c.Classify(t.Context(), clean); !errors.Is(err, webrisk.ErrStale) {
			t.Errorf("without a list: %v", err)
		}

		f.reply(nil)
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		classify(t, c, "https://clean.example/")
		f.hits("")
		f.reply(status(http.StatusServiceUnavailable))
		for { // until the list is too old
			if _, err := c.Classify(t.Context(), clean); err != nil {
				break
			}
			time.Sleep(time.Second)
		}
		before := len(f.hits("computeDiff"))
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if n := len(f.hits("computeDiff")); n < 2 {
			t.Errorf("a list that has grown too old was asked for %d times in 20 s, %d times before", n, before)
		}
		f.reply(nil)
		time.Sleep(time.Minute) // the fourth retry fell within those 20 s, and the fifth comes up to 32 s later
		synctest.Wait()
		classify(t, c, "https://clean.example/")
	})
}

// TestRunStall checks that a request to a stalled provider ends after five
// minutes.
func TestRunStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{answer: func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true }}
		c := only(t, f)
		start := time.Now()
		if err := c.Sync(t.Context()); err == nil || time.Since(start) != 5*time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := c.Sync(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want ctx's", err)
		}
		synctest.Wait()
	})
}

// TestDisk checks that a list on disk is used at once, and is updated within a
// minute from its version.
func TestDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lists")
	synctest.Test(t, func(t *testing.T) {
		f := &fake{negative: time.Hour}
		f.threaten(malware, "bad.example/", 4, time.Hour)
		f.threaten(malware, "worse.example/", 9, time.Hour)
		c := only(t, f)
		c.Dir = dir
		sync1(t, c)
		time.Sleep(5 * time.Hour)
		f.hits("")

		c = only(t, f)
		c.Dir = dir
		for _, url := range []string{"https://bad.example/", "https://worse.example/"} {
			if v := classify(t, c, url); v.Score != 100 {
				t.Errorf("%s: %+v", url, v)
			}
		}
		if n := len(f.hits("computeDiff")); n != 0 {
			t.Errorf("%d requests for lists", n)
		}
		start := time.Now()
		run(t, c)
		time.Sleep(time.Minute)
		synctest.Wait()
		if hits := f.hits("computeDiff"); len(hits) != 1 || hits[0].token == "" || !hits[0].at.After(start) {
			t.Errorf("requests %+v, want one for a difference, not at once", hits)
		}
	})
	synctest.Test(t, func(t *testing.T) { // too old to be used, but the base of an update
		f := new(fake)
		f.set(malware, prefix("bad.example/", 4))
		f.set(malware, prefix("bad.example/", 4), prefix("worse.example/", 9))
		c := only(t, f)
		c.Dir = dir
		time.Sleep(30 * time.Hour)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := c.Classify(ctx, []threat.Target{target(t, "https://clean.example/")}); !errors.Is(err, webrisk.ErrStale) {
			t.Errorf("error %v, want ErrStale", err)
		}
		sync1(t, c)
		if hits := f.hits("computeDiff"); len(hits) != 1 || hits[0].token == "" {
			t.Errorf("requests %+v, want one for a difference", hits)
		}
		classify(t, c, "https://clean.example/")
	})
	if entries, _ := os.ReadDir(dir); len(entries) != 1 || entries[0].Name() != malware+".list" {
		t.Errorf("directory holds %v", entries)
	}
}

// TestDiskDamaged checks that a truncated or changed file is ignored.
func TestDiskDamaged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, malware+".list")
	entries := []string{"aaaa", "bbbbbb", "cccc", "cccccc"}
	good := webrisk.EncodeFile(entries, "token", time.Now())
	load := func(b []byte) []string {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		c := &webrisk.Client{Dir: dir, Types: []string{malware}}
		return c.Entries(malware)
	}
	if got := load(good); !slices.Equal(got, entries) {
		t.Fatalf("list %q, want %q", got, entries)
	}
	for i := range good {
		if got := load(good[:i]); got != nil {
			t.Errorf("cut at %d: %q", i, got)
		}
		bad := bytes.Clone(good)
		bad[i] ^= 0x10
		if got := load(bad); got != nil {
			t.Errorf("byte %d changed: %q", i, got)
		}
	}
	if got := load(append(bytes.Clone(good), 0)); got != nil {
		t.Errorf("a byte more: %q", got)
	}
	f := new(fake)
	f.set(malware, "dddd")
	c := only(t, f)
	c.Dir = dir
	// A temporary file that a killed process has left behind.
	if err := os.WriteFile(filepath.Join(dir, malware+".new"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	sync1(t, c)
	c = &webrisk.Client{Dir: dir, Types: []string{malware}}
	if got := c.Entries(malware); !slices.Equal(got, []string{"dddd"}) {
		t.Errorf("after an update the disk has %q", got)
	}
	if got, err := os.ReadDir(dir); len(got) != 1 {
		t.Errorf("directory holds %v, %v", got, err)
	}
}

// TestDiskFull checks that a failed write is logged and the list is used all
// the same.
func TestDiskFull(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := new(fake)
	f.set(malware, "aaaa")
	c := only(t, f)
	c.Dir = filepath.Join(file, "below")
	var fault *webrisk.Error
	if err := c.Sync(t.Context()); !errors.As(err, &fault) || fault.Type != malware || fault.Call != "" {
		t.Errorf("error %v, want one of the file", err)
	}
	classify(t, c, "https://clean.example/")
}
