// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/curlew/job"
)

// resultFiles returns how many result files the process has open.
func resultFiles(t *testing.T) (n int) {
	t.Helper()
	fds, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("open files cannot be counted here")
	}
	for _, fd := range fds {
		if name, err := os.Readlink(fd); err == nil && strings.Contains(name, "curlew-results-") {
			n++
		}
	}
	return n
}

// documentsOf returns documents of many sizes, as pages produce them. Some
// cannot be compressed.
func documentsOf(r *rand.Rand, n int) [][]byte {
	var list [][]byte
	for i := range n {
		size := r.IntN(4 << 10)
		data := bytes.Repeat(fmt.Appendf(nil, `{"page":%d}`, i), 1+size/10)[:size]
		if i%5 == 0 {
			for at := range data {
				data[at] = byte(r.Uint32())
			}
		}
		list = append(list, data)
	}
	return list
}

// TestResults stores more results than memory may hold. The rest must be in
// files without names, everything must be readable, and the files must be freed
// with the jobs.
func TestResults(t *testing.T) {
	m := job.Memory{MaxBytes: 64 << 10}
	r := rand.New(rand.NewPCG(1, 2))
	want := map[string][][]byte{}
	for range 4 {
		id, s := newSpace(t, &m, time.Hour)
		want[id] = documentsOf(r, 200)
		for i, data := range want[id] {
			if err := s.Append(t.Context(), job.Item{Data: data, Input: i + 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := resultFiles(t); n != 1 {
		t.Errorf("%d files of results are open", n)
	}
	for _, name := range []string{os.TempDir()} {
		if left, _ := filepath.Glob(filepath.Join(name, "curlew-results-*")); len(left) > 0 && runtime.GOOS != "windows" {
			t.Errorf("files have names: %v", left)
		}
	}
	if err := m.Full(); err != nil {
		t.Error(err)
	}
	for id, list := range want {
		s, err := m.Space(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		items, err := s.Items(t.Context(), job.Result, 0, job.Unlimited)
		if err != nil || len(items) != len(list) {
			t.Fatalf("%d items, %v", len(items), err)
		}
		for i, it := range items {
			if it.Err != nil || !bytes.Equal(it.Data, list[i]) || it.Input != i+1 {
				t.Fatalf("item %d of input %d: %d bytes, want %d, %v", i, it.Input, len(it.Data), len(list[i]), it.Err)
			}
		}
		if err := m.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Items(t.Context(), job.Result, 0, 1); !errors.Is(err, job.ErrNotFound) {
			t.Error(err)
		}
	}
	if n := resultFiles(t); n != 0 {
		t.Errorf("%d files of results are left", n)
	}
}

// TestResultsVolatile stores results that must not be written to files. Above
// the limit no further volatile jobs are accepted, but others are.
func TestResultsVolatile(t *testing.T) {
	m := job.Memory{MaxBytes: 16 << 10}
	create := func(volatile bool) (*job.Job, error) {
		j := &job.Job{ID: job.NewID(), State: job.Running, Created: time.Now(), Volatile: volatile}
		return j, m.Create(t.Context(), j)
	}
	j, err := create(true)
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Space(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range documentsOf(rand.New(rand.NewPCG(3, 4)), 200) {
		if err := s.Append(t.Context(), job.Item{Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	if n := resultFiles(t); n != 0 {
		t.Errorf("results that must not be written are in %d files", n)
	}
	if _, err := create(true); !errors.Is(err, job.ErrMemory) {
		t.Error(err)
	}
	if _, err := create(false); err != nil {
		t.Error(err)
	}
	if err := m.Delete(t.Context(), j.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := create(true); err != nil {
		t.Error("after the results have gone:", err)
	}
}

// TestResultsUnwritten cannot write files. Results must stay in memory, and no
// further jobs are accepted.
func TestResultsUnwritten(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the directory has another name")
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	m := job.Memory{MaxBytes: 4 << 10}
	_, s := newSpace(t, &m, time.Hour)
	list := documentsOf(rand.New(rand.NewPCG(5, 6)), 50)
	for _, data := range list {
		if err := s.Append(t.Context(), job.Item{Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	items, err := s.Items(t.Context(), job.Result, 0, job.Unlimited)
	if err != nil || len(items) != len(list) {
		t.Fatalf("%d items, %v", len(items), err)
	}
	for i, it := range items {
		if it.Err != nil || !bytes.Equal(it.Data, list[i]) {
			t.Errorf("item %d: %v", i, it.Err)
		}
	}
	if !errors.Is(m.Full(), job.ErrMemory) {
		t.Error(m.Full())
	}
	if err := m.Create(t.Context(), &job.Job{ID: job.NewID(), State: job.Running, Created: time.Now()}); !errors.Is(err, job.ErrMemory) {
		t.Error(err)
	}
}

// TestResultsPacked stores results that compress well. Those in the first quarter of
// the limit must be shared with readers as they are, and the others compressed, so that
// four times the limit needs no file.
func TestResultsPacked(t *testing.T) {
	const most = 1 << 20
	m := job.Memory{MaxBytes: most}
	_, s := newSpace(t, &m, time.Hour)
	data := bytes.Repeat([]byte("curlew! "), 1<<10)
	for n := 0; n < 4*most; n += len(data) {
		if err := s.Append(t.Context(), job.Item{Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	if n := resultFiles(t); n != 0 {
		t.Errorf("%d files of results are open", n)
	}
	var lists [2][]job.Item
	for i := range lists {
		var err error
		if lists[i], err = s.Items(t.Context(), job.Result, 0, job.Unlimited); err != nil {
			t.Fatal(err)
		}
	}
	shared := 0
	for i, it := range lists[0] {
		if it.Err != nil || !bytes.Equal(it.Data, data) {
			t.Fatalf("item %d: %d bytes, %v", i, len(it.Data), it.Err)
		}
		if &it.Data[0] == &lists[1][i].Data[0] {
			shared++
		}
	}
	if got := shared * len(data); got > most/4 || got < most/4-2*len(data) {
		t.Errorf("%d bytes are not compressed", got)
	}
}
