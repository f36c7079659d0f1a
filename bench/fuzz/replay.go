// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"
)

const (
	// slowCPU is the CPU time over which an input is kept and listed.
	slowCPU = time.Second

	// suspect is the time of an input among others over which it is measured in
	// a process of its own.
	suspect = 300 * time.Millisecond
)

// slow is an input that takes long.
type slow struct {
	target target
	input  string // its file
	cpu    time.Duration
}

// replay reads the corpus of each target again, measures the CPU time of each
// input, and keeps those that take more than a second in the directory slow.
// The fuzzing engine itself does not measure time.
func replay(ctx context.Context, targets []target, keep string) error {
	built := map[string]string{}
	var found []slow
	inputs := 0
	for _, t := range targets {
		corpus := filepath.Join(keep, "corpus", t.pkg, t.name)
		list, err := os.ReadDir(corpus)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		inputs += len(list)
		more, err := t.replay(ctx, built, keep, corpus)
		if err != nil {
			return fmt.Errorf("%s: %w", t.key(), err)
		}
		found = append(found, more...)
	}
	slices.SortFunc(found, func(a, b slow) int { return int(b.cpu - a.cpu) })
	fmt.Printf("%d inputs of %d targets, %d over %v of CPU\n", inputs, len(targets), len(found), slowCPU)
	for _, s := range found {
		fmt.Printf("  %-60s %6.1f s  %s\n", s.target.key(), s.cpu.Seconds(), s.input)
	}
	if len(found) > 0 {
		return errors.New("some inputs are slow")
	}
	return nil
}

// took matches the line of an input in a verbose test run, with its seconds.
var took = regexp.MustCompile(`(?m)^ +--- \w+: \w+/(\w+) \(([0-9.]+)s\)$`)

// replay reads the corpus of one target, in a copy of its package's directory
// with the corpus as seeds.
func (t target) replay(ctx context.Context, built map[string]string, keep, corpus string) (found []slow, err error) {
	bin, err := t.build(ctx, built, keep)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(keep, "replay-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	seeds := filepath.Join(dir, "testdata", "fuzz")
	if err := errors.Join(os.MkdirAll(seeds, 0o755), link(t.dir, dir, "testdata"),
		link(filepath.Join(t.dir, "testdata"), filepath.Join(dir, "testdata"), "fuzz"), os.Symlink(corpus, filepath.Join(seeds, t.name))); err != nil {
		return nil, err
	}
	run := func(name string) (out []byte, cpu time.Duration) {
		cmd := exec.CommandContext(ctx, bin, "-test.run=^"+t.name+"$/^"+name+"$", "-test.v", "-test.timeout=0", "-test.parallel=1")
		cmd.Dir = dir
		out, _ = cmd.CombinedOutput() // failures are found by fuzzing
		if p := cmd.ProcessState; p != nil {
			cpu = p.UserTime() + p.SystemTime()
		}
		return out, cpu
	}
	out, _ := run(".*")
	_, start := run("none") // cost of the process itself
	for _, m := range took.FindAllSubmatch(out, -1) {
		name := string(m[1])
		seconds, err := strconv.ParseFloat(string(m[2]), 64)
		if err != nil || seconds < suspect.Seconds() || bytes.HasPrefix(m[1], []byte("seed")) {
			continue
		}
		_, cpu := run(name)
		if cpu -= start; cpu <= slowCPU {
			continue
		}
		kept := filepath.Join(keep, "slow", t.pkg, t.name, name)
		data, err := os.ReadFile(filepath.Join(corpus, name))
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(kept), 0o755), os.WriteFile(kept, data, 0o644)); err != nil {
			return nil, err
		}
		found = append(found, slow{t, kept, cpu})
	}
	return found, nil
}

// link creates links in dir to all files in from except one. from may be
// missing.
func link(from, dir, but string) error {
	list, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range list {
		if e.Name() != but {
			err = errors.Join(err, os.Symlink(filepath.Join(from, e.Name()), filepath.Join(dir, e.Name())))
		}
	}
	return err
}
