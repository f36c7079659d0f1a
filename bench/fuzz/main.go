// SPDX-License-Identifier: Apache-2.0

// Fuzz runs every fuzz target of the module for a given number of CPU minutes:
//
//	cd bench && nice go run ./fuzz -minutes 3
//	cd bench && nice go run ./fuzz -minutes 10 -only 'zipxml|cfb|rtf|mail|msg|doc|xls|ppt'
//
// It runs in slices, the target with the least time first, and records the time
// after each slice. It can be stopped at any time and continues when it is
// called again. It also keeps the corpus of each target. A finding stays in the
// target's testdata/fuzz and is listed at the end. Its target is skipped until
// it has been fixed and the program is called with -again. With -replay it
// reads the kept corpus again, and lists and keeps the inputs that take more
// than a second of CPU time.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// spent is the state of one target.
type spent struct {
	CPU    time.Duration // CPU time of all runs
	Failed string        // last lines of a run with a finding, or empty
}

type target struct{ pkg, dir, name string }

func (t target) key() string { return t.pkg + "." + t.name }

func main() {
	minutes := flag.Float64("minutes", 3, "CPU minutes of each target, in all runs together")
	slice := flag.Duration("slice", time.Minute, "longest run of a target before another's turn")
	parallel := flag.Int("parallel", 1, "workers")
	only := flag.String("only", "", "regular expression of the targets, by package and name")
	root := flag.String("root", "..", "directory of the module")
	keep := flag.String("keep", "", "directory of corpus and state; empty means curlew-fuzz in the user's cache")
	retry := flag.Bool("again", false, "try targets that failed")
	list := flag.Bool("list", false, "print what was spent, and stop")
	measure := flag.Bool("replay", false, "measure the CPU time of what was kept, instead of fuzzing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *root, *keep, *only, *minutes, *slice, *parallel, *retry, *list, *measure); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop has been called
	}
}

func run(ctx context.Context, root, keep, only string, minutes float64, slice time.Duration, parallel int, retry, list, measure bool) error {
	filter, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if keep == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		keep = filepath.Join(cache, "curlew-fuzz")
	}
	if keep, err = filepath.Abs(keep); err != nil {
		return err
	}
	if err := os.MkdirAll(keep, 0o755); err != nil {
		return err
	}
	if !list {
		free, err := lock(keep)
		if err != nil {
			return err
		}
		defer free()
	}
	state := map[string]spent{}
	if b, err := os.ReadFile(filepath.Join(keep, "state.json")); err == nil {
		if err := json.Unmarshal(b, &state); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	targets, err := find(ctx, root, filter)
	if err != nil {
		return err
	}
	if measure {
		return replay(ctx, targets, keep)
	}
	defer report(targets, state)
	if list {
		return nil
	}
	want := time.Duration(minutes * float64(time.Minute))
	built := map[string]string{}
	tried := map[string]bool{} // targets with earlier findings that were tried again
	for ctx.Err() == nil {
		var due []target
		for _, t := range targets {
			s := state[t.key()]
			if s.CPU < want && (s.Failed == "" || retry && !tried[t.key()]) {
				due = append(due, t)
			}
		}
		if len(due) == 0 {
			break
		}
		t := slices.MinFunc(due, func(a, b target) int { return int(state[a.key()].CPU - state[b.key()].CPU) })
		tried[t.key()] = true
		s := state[t.key()]
		cpu, failed, err := fuzz(ctx, t, built, keep, min(slice, max(want-s.CPU, time.Second)), parallel)
		if err != nil {
			return err
		}
		s.CPU += cpu
		if s.Failed = failed; ctx.Err() != nil {
			s.Failed = ""
		}
		state[t.key()] = s
		fmt.Printf("%-60s %6.1f of %.1f CPU minutes%s\n", t.key(), s.CPU.Minutes(), minutes, map[bool]string{true: "  FAILED"}[s.Failed != ""])
		b, err := json.MarshalIndent(state, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(keep, "state.json"), b, 0o644); err != nil {
			return err
		}
	}
	for _, t := range targets {
		if state[t.key()].Failed != "" {
			return errors.New("some targets failed")
		}
	}
	return nil
}

// lock locks a directory for this process, because two would overwrite each
// other's state. The kernel unlocks it when the process ends.
func lock(dir string) (free func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return func() { f.Close() }, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errors.New("another run uses it; -keep names another directory")
	}
	return nil, fmt.Errorf("%s: %w", dir, err)
}

// find lists the targets of the module.
func find(ctx context.Context, root string, filter *regexp.Regexp) (targets []target, err error) {
	out, err := command(ctx, root, "go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}", "./...")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		pkg, dir, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				return nil, err
			}
			for _, m := range declared.FindAllSubmatch(b, -1) {
				if t := (target{pkg, dir, string(m[1])}); filter.MatchString(t.key()) {
					targets = append(targets, t)
				}
			}
		}
	}
	return targets, nil
}

var declared = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var out, bad bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &bad
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, bad.String())
	}
	return out.String(), nil
}

// build builds the test of t's package, unless built contains it.
func (t target) build(ctx context.Context, built map[string]string, keep string) (bin string, err error) {
	if bin, ok := built[t.pkg]; ok {
		return bin, nil
	}
	bin = filepath.Join(keep, strings.NewReplacer("/", "_").Replace(t.pkg)+".test")
	if _, err := command(ctx, t.dir, "go", "test", "-c", "-fuzz=.", "-o", bin, "."); err != nil {
		return "", err
	}
	built[t.pkg] = bin
	return bin, nil
}

// fuzz runs a target once. The test is built before, so that building does not
// count. built contains the test binaries.
func fuzz(ctx context.Context, t target, built map[string]string, keep string, long time.Duration, parallel int) (cpu time.Duration, failed string, err error) {
	bin, err := t.build(ctx, built, keep)
	if err != nil {
		return 0, "", err
	}
	cmd := exec.CommandContext(ctx, bin, "-test.run=^$", "-test.fuzz=^"+t.name+"$", "-test.fuzztime="+long.String(), "-test.fuzzminimizetime=10x",
		"-test.fuzzcachedir="+filepath.Join(keep, "corpus", t.pkg), fmt.Sprintf("-test.parallel=%d", parallel))
	cmd.Dir = t.dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if p := cmd.ProcessState; p != nil {
		cpu = p.UserTime() + p.SystemTime()
	}
	var exit *exec.ExitError
	switch {
	case err == nil || ctx.Err() != nil:
		return cpu, "", nil
	case errors.As(err, &exit):
		text := out.String()
		// The end of the time may interrupt a worker, which is not a finding.
		if strings.Contains(text, "context deadline exceeded") && !strings.Contains(text, "Failing input") {
			return cpu, "", nil
		}
		if !again(ctx, t, bin, text) {
			return cpu, "", nil
		}
		return cpu, text[max(0, len(text)-2000):], nil
	}
	return cpu, "", err
}

// written matches the file name of an input that failed.
var written = regexp.MustCompile(`Failing input written to (testdata/fuzz/\w+/\w+)`)

// again reports whether a failing input fails alone too. If it does not, for
// example because the machine was suspended, the input is removed.
func again(ctx context.Context, t target, bin, text string) bool {
	m := written.FindStringSubmatch(text)
	if m == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, err := command(ctx, t.dir, bin, "-test.run=^"+t.name+"$/^"+filepath.Base(m[1])+"$")
	if err != nil {
		return true
	}
	fmt.Printf("%-60s an input failed that passes alone\n", t.key())
	return os.Remove(filepath.Join(t.dir, m[1])) != nil
}

func report(targets []target, state map[string]spent) {
	var sum time.Duration
	for _, t := range targets {
		s := state[t.key()]
		sum += s.CPU
		if s.Failed != "" {
			fmt.Printf("\n%s:\n%s\n", t.key(), s.Failed)
		}
	}
	fmt.Printf("%d targets, %.0f CPU minutes\n", len(targets), sum.Minutes())
	for _, t := range targets {
		fmt.Printf("  %-60s %6.1f\n", t.key(), state[t.key()].CPU.Minutes())
	}
}
