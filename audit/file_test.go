// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/audit"
	"example.com/curlew/audit/audittest"
)

// files returns the names of the files in a directory, and all their lines.
func files(t *testing.T, dir string) (names, all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 0 && b[len(b)-1] != '\n' {
			t.Errorf("%s ends within a line", e.Name())
		}
		names, all = append(names, e.Name()), append(all, lines(string(b))...)
	}
	return names, all
}

func TestFile(t *testing.T) {
	for _, f := range []*audit.File{{}, {Sync: true, MaxBytes: 2000, Keep: audit.Unlimited}, {MaxBytes: 1, MaxAge: audit.Unlimited, Keep: audit.Unlimited}} {
		audittest.Check(t, func(t *testing.T) (audit.Sink, func() []string) {
			sink := &audit.File{Dir: filepath.Join(t.TempDir(), "deep", "log"), MaxBytes: f.MaxBytes, MaxAge: f.MaxAge, Keep: f.Keep, Sync: f.Sync}
			t.Cleanup(func() {
				if err := sink.Close(); err != nil {
					t.Error(err)
				}
			})
			return sink, func() []string {
				_, all := files(t, sink.Dir)
				return all
			}
		})
	}
}

func put(t *testing.T, s audit.Sink, ids ...string) {
	t.Helper()
	var events []audit.Event
	for _, id := range ids {
		events = append(events, audittest.Event(id))
	}
	if err := s.Write(t.Context(), events); err != nil {
		t.Error(err)
	}
}

// ids returns the ids of the events in the lines.
func ids(all []string) string {
	var found []string
	for _, line := range all {
		e, err := decodeOCSF(line)
		if err != nil {
			found = append(found, "?")
		} else {
			found = append(found, e.ScrapeID)
		}
	}
	return strings.Join(found, " ")
}

func TestFileRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := audittest.Event("0")
		line := int64(len(audit.Encoder{}.Append(nil, &e)) + 1)
		dir := t.TempDir()
		other := filepath.Join(dir, "audit-of-someone.log")
		if err := os.WriteFile(other, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		f := &audit.File{Dir: dir, MaxBytes: 2 * line, MaxAge: time.Hour, Keep: 3}
		defer f.Close()
		check := func(want string, number int) {
			t.Helper()
			names, all := files(t, dir)
			if got := ids(all); got != want || len(names) != number+1 {
				t.Errorf("%d files hold %q, want %d and %q", len(names)-1, got, number, want)
			}
			if !slices.Contains(names, filepath.Base(other)) {
				t.Error("a file that is not ours is gone")
			}
		}
		put(t, f, "0", "1")
		check("0 1", 1)
		put(t, f, "2")
		check("0 1 2", 2)
		time.Sleep(time.Hour + time.Millisecond) // the name of the second file is a moment later than its time
		put(t, f, "3")
		check("0 1 2 3", 3)
		put(t, f, "4", "5", "6", "7", "8")
		check("3 4 5 6 7 8", 3) // the other events were removed with their files
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o022 != 0 {
			t.Errorf("directory %v, %v", info.Mode(), err)
		}
		for _, name := range func() []string { n, _ := files(t, dir); return n }() {
			if info, _ := os.Stat(filepath.Join(dir, name)); info.Mode().Perm() != 0o600 {
				t.Errorf("%s is %v, want its owner's alone", name, info.Mode())
			}
		}
	})
}

// TestFileResume checks that the next process continues the last file after an
// incomplete line.
func TestFileResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		with := func(f *audit.File, ids ...string) {
			t.Helper()
			f.Dir = dir
			put(t, f, ids...)
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
		with(new(audit.File), "0", "1")
		with(new(audit.File), "2")
		names, all := files(t, dir)
		if got := ids(all); len(names) != 1 || got != "0 1 2" {
			t.Fatalf("%q hold %q", names, got)
		}
		last := filepath.Join(dir, names[0])
		b, err := os.ReadFile(last)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(last, b[:len(b)-10], 0o600); err != nil {
			t.Fatal(err)
		}
		with(new(audit.File), "3")
		names, all = files(t, dir)
		if got := ids(all); len(names) != 1 || got != "0 1 ? 3" {
			t.Errorf("%q hold %q", names, got)
		}
		time.Sleep(24 * time.Hour)
		with(new(audit.File), "4")
		if names, all = files(t, dir); len(names) != 2 || ids(all) != "0 1 ? 3 4" {
			t.Errorf("a day later %q hold %q", names, ids(all))
		}
		// A file with a time in the future, as from a wrong clock, remains the
		// last one.
		future := filepath.Join(dir, "audit-20991231T235959.999999Z.log")
		if err := os.WriteFile(future, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		with(&audit.File{MaxBytes: 1}, "5", "6")
		if names, all = files(t, dir); len(names) != 4 || ids(all) != "0 1 ? 3 4 5 6" {
			t.Errorf("after a wrong clock %q hold %q", names, ids(all))
		}
	})
}

func TestFileErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*audit.File{
		"no directory": {}, "directory is a file": {Dir: file}, "name is a path": {Dir: t.TempDir(), Name: "../x"},
	} {
		err := f.Write(t.Context(), []audit.Event{audittest.Event("0")})
		if fault, ok := errors.AsType[*audit.Error](err); !ok || fault.Sink != "file" {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
	}
	f := &audit.File{Dir: t.TempDir(), Name: "log"}
	put(t, f, "0")
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := f.Write(t.Context(), []audit.Event{audittest.Event("1")}); !errors.Is(err, audit.ErrClosed) {
		t.Errorf("after Close: %v, want ErrClosed", err)
	}
	if names, _ := files(t, f.Dir); len(names) != 1 || !strings.HasPrefix(names[0], "log-2") {
		t.Errorf("files %q", names)
	}
}

// TestFileRecovers checks that a failed write ends the file, the next write
// creates another, and no accepted event is lost.
func TestFileRecovers(t *testing.T) {
	f := &audit.File{Dir: t.TempDir()}
	defer f.Close()
	put(t, f, "0")
	audit.BreakFile(f)
	if err := f.Write(t.Context(), []audit.Event{audittest.Event("1")}); err == nil {
		t.Fatal("a write to a broken file succeeds")
	}
	put(t, f, "1", "2")
	names, all := files(t, f.Dir)
	if got := ids(all); len(names) != 2 || got != "0 1 2" {
		t.Errorf("%q hold %q", names, got)
	}
}
