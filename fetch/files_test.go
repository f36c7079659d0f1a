// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
)

func TestMemoryCache(t *testing.T) {
	fetchtest.CheckCache(t, func(testing.TB) fetch.Cache { return new(fetch.MemoryCache) })
	t.Run("bounded", func(t *testing.T) {
		fetchtest.CheckCache(t, func(testing.TB) fetch.Cache { return &fetch.MemoryCache{MaxBytes: 4<<20 + 4096} })
	})
	t.Run("unbounded", func(t *testing.T) {
		fetchtest.CheckCache(t, func(testing.TB) fetch.Cache { return &fetch.MemoryCache{MaxBytes: fetch.Unlimited} })
	})
}

func TestFileCache(t *testing.T) {
	for _, size := range []int64{0, 4<<20 + 4096, fetch.Unlimited} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			fetchtest.CheckCache(t, func(t testing.TB) fetch.Cache {
				return opened(t, t.TempDir(), fetch.FileCacheOptions{MaxBytes: size})
			})
		})
	}
}

// opened opens the cache in dir until the test ends.
func opened(t testing.TB, dir string, o fetch.FileCacheOptions) *fetch.FileCache {
	t.Helper()
	c, err := fetch.OpenFileCache(dir, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// nth returns key number n.
func nth(n int) fetch.Key { return fetch.Key{0: byte(n), 31: 1} }

func put(t *testing.T, c fetch.Cache, n int, value string) {
	t.Helper()
	if err := c.Put(t.Context(), nth(n), []byte(value)); err != nil {
		t.Fatal(err)
	}
}

// holding returns which of the first n keys c holds.
func holding(t *testing.T, c fetch.Cache, n int) []int {
	t.Helper()
	var held []int
	for i := range n {
		_, err := c.Get(t.Context(), nth(i))
		switch {
		case err == nil:
			held = append(held, i)
		case !errors.Is(err, fetch.ErrNotCached):
			t.Fatal(err)
		}
	}
	return held
}

// TestEviction checks that a full cache evicts the least recently used values.
func TestEviction(t *testing.T) {
	value := strings.Repeat("x", 10_000)     // 10,256 bytes in memory, 12 KiB on disk
	caches := map[string]func() fetch.Cache{ // each has room for four values
		"memory": func() fetch.Cache { return &fetch.MemoryCache{MaxBytes: 4 * 10_256} },
		"files": func() fetch.Cache {
			return opened(t, t.TempDir(), fetch.FileCacheOptions{MaxBytes: 4 * 12 << 10})
		},
	}
	for name, open := range caches {
		c := open()
		for n := range 4 {
			put(t, c, n, value)
		}
		if _, err := c.Get(t.Context(), nth(0)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		put(t, c, 1, value)
		put(t, c, 4, value)
		put(t, c, 5, value)
		if got := holding(t, c, 6); !slices.Equal(got, []int{0, 1, 4, 5}) {
			t.Errorf("%s holds %v", name, got)
		}
		put(t, c, 4, strings.Repeat("x", 20_000)) // over a quarter of the budget
		if got := holding(t, c, 6); !slices.Equal(got, []int{0, 1, 5}) {
			t.Errorf("%s holds %v after a value that is too large", name, got)
		}
	}
}

// TestFileCacheYield checks that a cache that yields evicts the least recently
// used values and stores nothing for a minute.
func TestFileCacheYield(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := opened(t, t.TempDir(), fetch.FileCacheOptions{})
		value := strings.Repeat("x", 16<<20)
		for n := range 12 { // 192 MiB
			put(t, c, n, value)
		}
		c.Yield()
		if got := holding(t, c, 13); !slices.Equal(got, []int{6, 7, 8, 9, 10, 11}) {
			t.Errorf("after a yield it holds %v", got)
		}
		put(t, c, 12, value)
		put(t, c, 11, "new")
		if got := holding(t, c, 13); !slices.Equal(got, []int{6, 7, 8, 9, 10}) {
			t.Errorf("on a full disk it holds %v", got)
		}
		c.Yield()
		if got := holding(t, c, 13); !slices.Equal(got, []int{10}) {
			t.Errorf("after a second yield it holds %v", got)
		}
		time.Sleep(time.Minute)
		put(t, c, 12, value)
		if got := holding(t, c, 13); !slices.Equal(got, []int{10, 12}) {
			t.Errorf("a minute later it holds %v", got)
		}
	})
}

// TestFileCacheReopen checks that a reopened cache has its values in the order
// of their use.
func TestFileCacheReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "cache")
	c := opened(t, dir, fetch.FileCacheOptions{})
	for n := range 6 {
		put(t, c, n, strings.Repeat("x", 5000+n))
	}
	if err := c.Delete(t.Context(), nth(5)); err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		name := filepath.Join(dir, nth(n).String())
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		at := time.Now().Add(-time.Hour).Add(time.Duration(n) * time.Minute)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Get(t.Context(), nth(0)); err != nil { // the oldest value becomes the most recently used
		t.Fatal(err)
	}

	foreign := []string{"README", nth(0).String() + ".bak", strings.ToUpper(nth(0xab).String()), "not-a-key.part"}
	for _, name := range foreign {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	torn := filepath.Join(dir, nth(9).String()+"-7.part")
	if err := os.WriteFile(torn, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := opened(t, dir, fetch.FileCacheOptions{MaxBytes: 8 << 10 * 3})
	if got := holding(t, again, 6); !slices.Equal(got, []int{0, 3, 4}) {
		t.Errorf("opened again with room for three, it holds %v", got)
	}
	if _, err := os.Stat(torn); err == nil {
		t.Error("a file that was never whole is still there")
	}
	for _, name := range foreign {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != "mine" {
			t.Errorf("a file of somebody else, %s = %q, %v", name, b, err)
		}
	}
}

// TestFileCacheDamage flips, truncates and swaps files. A damaged file must be
// reported as not stored, and be removed.
func TestFileCacheDamage(t *testing.T) {
	good := fetch.EncodeFile(nth(1), []byte("the value"))
	damages := map[string][]byte{
		"empty":         {},
		"another key's": fetch.EncodeFile(nth(2), []byte("the value")),
		"longer":        append(slices.Clone(good), 'x'),
		"zeros":         make([]byte, len(good)),
	}
	for i := range good {
		damages[fmt.Sprintf("cut at %d", i)] = good[:i]
		flipped := slices.Clone(good)
		flipped[i] ^= 0x20
		damages[fmt.Sprintf("flipped at %d", i)] = flipped
	}
	dir := t.TempDir()
	name := filepath.Join(dir, nth(1).String())
	var logs bytes.Buffer
	c := opened(t, dir, fetch.FileCacheOptions{Logger: slog.New(slog.NewTextHandler(&logs, nil))})
	write := func(file []byte) {
		if err := os.WriteFile(name, file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for what, file := range damages {
		logs.Reset()
		put(t, c, 1, "the value")
		write(file)
		for range 2 {
			if got, err := c.Get(t.Context(), nth(1)); !errors.Is(err, fetch.ErrNotCached) {
				t.Errorf("%s: %q, %v", what, got, err)
			}
		}
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s: still there", what)
		}
		if n := strings.Count(logs.String(), "cache file not readable"); n != 1 {
			t.Errorf("%s: logged %d times: %s", what, n, &logs)
		}
	}
	// Damage that is found when the cache is opened.
	for _, what := range []string{"empty", "another key's", "longer", "zeros", "cut at 5", "cut at 110", "flipped at 0", "flipped at 110"} {
		write(damages[what])
		if got, err := opened(t, dir, fetch.FileCacheOptions{}).Get(t.Context(), nth(1)); !errors.Is(err, fetch.ErrNotCached) {
			t.Errorf("%s, opened: %q, %v", what, got, err)
		}
	}
}

// TestFileCacheFaults tests a directory that cannot be used.
func TestFileCacheFaults(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch.OpenFileCache(file, nil); err == nil {
		t.Error("a file was opened as a directory")
	}

	c := opened(t, filepath.Join(dir, "cache"), fetch.FileCacheOptions{})
	put(t, c, 1, "one")
	put(t, c, 2, "two")
	if err := os.Remove(filepath.Join(dir, "cache", nth(1).String())); err != nil {
		t.Fatal(err)
	}
	if got := holding(t, c, 3); !slices.Equal(got, []int{2}) {
		t.Errorf("a removed file leaves %v", got)
	}
	// A directory with the name of a file prevents the rename.
	blocked := filepath.Join(dir, "cache", nth(3).String())
	if err := os.MkdirAll(filepath.Join(blocked, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := c.Put(t.Context(), nth(3), []byte("three")); err == nil {
		t.Error("Put over a directory is no error")
	}
	if got := holding(t, c, 4); !slices.Equal(got, []int{2}) {
		t.Errorf("after a failed Put it holds %v", got)
	}
	left, err := filepath.Glob(filepath.Join(dir, "cache", "*.part"))
	if err != nil || len(left) > 0 {
		t.Errorf("a failed Put leaves %v, %v", left, err)
	}
}

func BenchmarkFileCache(b *testing.B) {
	c := opened(b, b.TempDir(), fetch.FileCacheOptions{})
	value := bytes.Repeat([]byte("0123456789abcdef"), 36<<10/16)
	b.Run("put", func(b *testing.B) {
		b.SetBytes(int64(len(value)))
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			if err := c.Put(b.Context(), nth(n%200), value); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("get", func(b *testing.B) {
		if err := c.Put(b.Context(), nth(0), value); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(value)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Get(b.Context(), nth(0)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
