// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// doubtful is the ratio of times above which instructions are counted. On a machine with other
// work, times differ by more than this without a cause in the program.
const doubtful = 1.03

// collected is the line in which Valgrind says how many instructions it has counted.
var collected = regexp.MustCompile(`Collected : (\d+)`)

// recount counts the instructions of one operation of each doubtful benchmark. The error names
// those that cannot be counted, such as those that start other programs, and comes after all others.
func recount(suites [2]map[string]suite, results [2]map[string]result) error {
	if _, err := exec.LookPath("valgrind"); err != nil {
		return fmt.Errorf("-instructions needs valgrind: %w", err)
	}
	var all []error
	for name, after := range results[1] {
		before, both := results[0][name]
		if !both || after.nanoseconds <= doubtful*before.nanoseconds {
			continue
		}
		for i := range suites {
			r := results[i][name]
			pkg, benchmark, _ := strings.Cut(name, ".")
			var err error
			if r.instructions, err = instructions(suites[i][pkg], benchmark, r.nanoseconds); err != nil {
				all = append(all, fmt.Errorf("%s: %w", name, err))
				break
			}
			results[i][name] = r
		}
	}
	return errors.Join(all...)
}

// instructions counts what one operation of a benchmark needs, which takes so many nanoseconds.
// The garbage collector is off. What it costs follows from the allocations.
func instructions(s suite, benchmark string, nanoseconds float64) (float64, error) {
	few := 1 + int(1e6/nanoseconds)
	more := 3 + int(3e7/nanoseconds)
	once, err := counted(s, benchmark, few) // what is done once is not in the difference
	if err != nil {
		return 0, err
	}
	all, err := counted(s, benchmark, few+more)
	return (all - once) / float64(more), err
}

// counted counts the instructions of a test program that runs one benchmark n times.
func counted(s suite, benchmark string, n int) (float64, error) {
	log := s.program + ".log"
	defer os.Remove(log)
	for _, end := range []string{"$", ""} {
		out, err := run(s.dir, "env", "GOGC=off", "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off", "GOMAXPROCS=1",
			"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file="+log,
			s.program, "-test.run=^$", "-test.bench="+exactly(benchmark, end), "-test.cpu=1", "-test.benchtime="+strconv.Itoa(n)+"x")
		if err != nil {
			return 0, err
		}
		if strings.Count(out, "\nBenchmark") != 1 {
			continue
		}
		text, err := os.ReadFile(log) // #nosec G304 -- written by the command above
		if err != nil {
			return 0, err
		}
		if m := collected.FindSubmatch(text); m != nil {
			return strconv.ParseFloat(string(m[1]), 64)
		}
		return 0, fmt.Errorf("valgrind counted nothing: %s", text)
	}
	return 0, errors.New("no pattern matches this benchmark alone")
}

// exactly returns a pattern for -test.bench that matches one benchmark. The name of a part may
// contain a slash, at which a pattern is divided, so the end of such a name is left open.
func exactly(benchmark, end string) string {
	parts := strings.Split("Benchmark"+benchmark, "/")
	for i := range parts {
		parts[i] = "^" + regexp.QuoteMeta(parts[i]) + end
	}
	return strings.Join(parts, "/")
}
