// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// starts prints the cost of the initialization of packages, measured in a
// process that ends at once.
func starts(ctx context.Context, w io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var best map[string]start
	for range 5 {
		cmd := exec.CommandContext(ctx, self, "-idle") //nolint:gosec // this program
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		var trace bytes.Buffer
		cmd.Stderr = &trace
		if err := cmd.Run(); err != nil {
			return err
		}
		if s := readTrace(trace.String()); best == nil || s["all"].ms < best["all"].ms {
			best = s
		}
	}
	fmt.Fprintln(w, "\nstart of a process, best of 5")
	for _, name := range []string{"curlew", "all"} {
		s := best[name]
		fmt.Fprintf(w, "%-8s%8.3f ms  %8d KB  %7d allocations\n", name, s.ms, s.bytes/1000, s.allocs)
	}
	return nil
}

// A start is the cost of the initialization of packages.
type start struct {
	ms            float64
	bytes, allocs int
}

// readTrace sums up the output of GODEBUG=inittrace=1: "init PATH @T ms, CLOCK
// ms clock, BYTES bytes, N allocs".
func readTrace(trace string) map[string]start {
	sums := map[string]start{}
	for line := range strings.Lines(trace) {
		f := strings.Fields(line)
		if len(f) < 11 || f[0] != "init" {
			continue
		}
		ms, err := strconv.ParseFloat(f[4], 64)
		if err != nil {
			continue
		}
		size, err := strconv.Atoi(f[7])
		if err != nil {
			continue
		}
		allocs, err := strconv.Atoi(f[9])
		if err != nil {
			continue
		}
		names := []string{"all"}
		if strings.HasPrefix(f[1], "example.com/curlew/") && !strings.HasPrefix(f[1], "example.com/curlew/bench") {
			names = append(names, "curlew")
		}
		for _, name := range names {
			s := sums[name]
			sums[name] = start{s.ms + ms, s.bytes + size, s.allocs + allocs}
		}
	}
	return sums
}
