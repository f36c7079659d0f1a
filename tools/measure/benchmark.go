// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A suite is the test program of a package that has benchmarks.
type suite struct{ dir, program string }

// A result is what a benchmark needs for one operation. Each value is the least of all
// rounds, because other work on the machine can only add to it. Instructions are 0 if they were
// not counted.
type result struct{ nanoseconds, bytes, allocations, instructions float64 }

// benchmarks runs the benchmarks that match pattern at the commit base and at HEAD, in turn, and
// prints those that both have, the slowest first compared with before. A package that has moved
// is found by the last element of its directory. With count, it counts the instructions of those
// that took longer.
func benchmarks(w io.Writer, dir, base, pattern string, rounds int, count bool) error {
	trees, remove, err := checkOut(dir, base)
	if err != nil {
		return err
	}
	defer remove()
	var suites [2]map[string]suite
	var results [2]map[string]result
	for i, tree := range trees {
		if suites[i], err = compile(tree); err != nil {
			return err
		}
		results[i] = map[string]result{}
	}
	commits := [...]string{base, "HEAD"}
	var failed []string // packages, and the commits at which not all of their benchmarks run
	for range rounds {
		for _, name := range slices.Sorted(maps.Keys(suites[0])) {
			if _, both := suites[1][name]; !both {
				continue
			}
			for i := range trees {
				s := suites[i][name]
				out, err := run(s.dir, s.program, "-test.run=^$", "-test.bench="+pattern, "-test.benchtime=100ms", "-test.benchmem", "-test.cpu=1")
				if where := strings.TrimPrefix(s.dir, trees[i]+"/") + " at " + commits[i]; err != nil && !slices.Contains(failed, where) {
					failed = append(failed, where)
				}
				note(results[i], name, out)
			}
		}
	}
	var uncounted error
	if count {
		uncounted = recount(suites, results)
	}
	if err := printResults(w, base, results); err != nil || len(failed) == 0 {
		return errors.Join(err, uncounted)
	}
	return errors.Join(uncounted, fmt.Errorf("some benchmarks failed in %s", strings.Join(failed, ", ")))
}

// checkOut checks out base and HEAD into temporary worktrees. Data of the tests that lies beside
// the repository is beside them too.
func checkOut(dir, base string) (trees [2]string, remove func(), err error) {
	temp, err := os.MkdirTemp("", "measure")
	if err != nil {
		return trees, nil, err
	}
	remove = func() {
		for _, tree := range trees {
			if tree != "" {
				_, _ = run(dir, "git", "worktree", "remove", "--force", tree)
			}
		}
		_ = os.RemoveAll(temp)
	}
	for i, commit := range []string{base, "HEAD"} {
		tree := filepath.Join(temp, strconv.Itoa(i))
		if _, err = run(dir, "git", "worktree", "add", "--quiet", "--detach", tree, commit); err != nil {
			remove()
			return trees, nil, err
		}
		trees[i] = tree
	}
	if beside, err := filepath.Abs(filepath.Join(dir, "..", "shared")); err == nil {
		_ = os.Symlink(beside, filepath.Join(temp, "shared")) // without it, these benchmarks are skipped
	}
	return trees, remove, nil
}

// compile builds the test programs of all packages in tree that have benchmarks.
func compile(tree string) (map[string]suite, error) {
	list, err := run(tree, "go", "list", "-f", "{{.Dir}}", "./...")
	if err != nil {
		return nil, err
	}
	suites := map[string]suite{}
	for dir := range strings.FieldsSeq(list) {
		name := filepath.Base(dir)
		if has, err := hasBenchmarks(dir); err != nil {
			return nil, err
		} else if !has {
			continue
		}
		if other, twice := suites[name]; twice {
			return nil, fmt.Errorf("%s and %s have the same last element, which is the name of their benchmarks", other.dir, dir)
		}
		program := filepath.Join(tree, "measure-"+name+".test")
		if _, err := run(dir, "go", "test", "-c", "-trimpath", "-buildvcs=false", "-o", program, "."); err != nil {
			return nil, err
		}
		suites[name] = suite{dir, program}
	}
	return suites, nil
}

func hasBenchmarks(dir string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, file := range files {
		data, err := os.ReadFile(file) // #nosec G304 -- a file of the repository
		if err != nil || bytes.Contains(data, []byte("\nfunc Benchmark")) {
			return err == nil, err
		}
	}
	return false, err
}

// note adds the results that a test program has printed.
func note(all map[string]result, suite, out string) {
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		name, ok := strings.CutPrefix(line, "Benchmark")
		if !ok || len(fields) < 4 {
			continue
		}
		name = suite + "." + strings.Fields(name)[0]
		r, found := all[name]
		if !found {
			r = result{nanoseconds: math.Inf(1), bytes: math.Inf(1), allocations: math.Inf(1)}
		}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			switch {
			case err != nil:
			case fields[i+1] == "ns/op":
				r.nanoseconds = min(r.nanoseconds, value)
			case fields[i+1] == "B/op":
				r.bytes = min(r.bytes, value)
			case fields[i+1] == "allocs/op":
				r.allocations = min(r.allocations, value)
			}
		}
		all[name] = r
	}
}

func printResults(w io.Writer, base string, results [2]map[string]result) error {
	before, after := results[0], results[1]
	ratio := func(name string) float64 { return after[name].nanoseconds / before[name].nanoseconds }
	var both, one []string
	for name := range before {
		if _, ok := after[name]; ok {
			both = append(both, name)
		} else {
			one = append(one, name)
		}
	}
	slices.SortFunc(both, func(a, b string) int { return cmp.Or(cmp.Compare(ratio(b), ratio(a)), cmp.Compare(a, b)) })
	slices.Sort(one)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "benchmark\tns %[1]s\tHEAD\tratio\tbytes %[1]s\tHEAD\tallocations %[1]s\tHEAD\tinstructions\n", base)
	sum := 0.0
	for _, name := range both {
		b, a := before[name], after[name]
		instructions := "" // the ratio
		if b.instructions > 0 {
			instructions = strconv.FormatFloat(a.instructions/b.instructions, 'f', 2, 64)
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.2f\t%.0f\t%.0f\t%.0f\t%.0f\t%s\n", name, b.nanoseconds, a.nanoseconds, ratio(name), b.bytes, a.bytes, b.allocations, a.allocations, instructions)
		sum += math.Log(ratio(name))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "geometric mean of %d ratios: %.3f\nat %s only: %s\n", len(both), math.Exp(sum/float64(max(len(both), 1))), base, cmp.Or(strings.Join(one, " "), "none"))
	return err
}
