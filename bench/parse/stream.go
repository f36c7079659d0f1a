// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"syscall"

	"golang.org/x/net/html/atom"

	"example.com/curlew/parse"
)

// endless is a CSV that is made while it is read.
type endless int64 // bytes

const endlessRow = "The duck,swims on the lake,12345.67,2023-05-12,\"quoted, with a comma\"\n"

// ReadAt implements [io.ReaderAt].
func (e endless) ReadAt(p []byte, at int64) (int, error) {
	n := int(min(int64(len(p)), int64(e)-at))
	if n <= 0 {
		return 0, io.EOF
	}
	for done := 0; done < n; {
		done += copy(p[done:n], endlessRow[(at+int64(done))%int64(len(endlessRow)):])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// stream reads the rows of a table of so many bytes and prints what it took.
func stream(ctx context.Context, size int64) error {
	e := parse.Engine{Limits: parse.Limits{Input: size}}
	tree, err := e.Parse(ctx, parse.Source{Name: "a.csv", Data: endless(size), Size: size}, &parse.Options{Stream: true})
	if err != nil {
		return err
	}
	rows, cells, most := 0, 0, uint64(0)
	for n := range tree.Root.Descendants() {
		if n.DataAtom != atom.Table {
			continue
		}
		for tr, err := range tree.Rows(ctx, n) {
			if err != nil {
				return err
			}
			rows++
			for range tr.ChildNodes() {
				cells++
			}
			if rows%1_000_000 == 0 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return err
	}
	cpu := float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	fmt.Printf("CSV of %d bytes: %d rows, %d cells, %.1f s CPU (%.0f MB/s), live heap %d MB, peak RSS %d MB\n",
		size, rows, cells, cpu, float64(size)/1e6/cpu, most>>20, u.Maxrss>>10)
	return nil
}
