// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// least is the smallest change of a package that printSymbols shows, in bytes.
const least = 8_000

// ofPackage matches the package of a symbol, such as a function or the hash function of
// one of its types.
var ofPackage = regexp.MustCompile(`^(?:type:|go:itab\.)?\.?(?:\(?\*+)?(?:vendor/)?((?:[\w.-]+/)*[\w-]+)[.(]`)

// symbols returns the bytes of code and data of each package that the program of an
// engine contains. What belongs to no package is counted as the linker's.
func symbols(tree string, e engine) (map[string]int, error) {
	program := filepath.Join(tree, "measure-"+e.name, "symbols")
	if _, err := run(tree, "go", "build", "-trimpath", "-buildvcs=false", "-o", program, "./measure-"+e.name); err != nil {
		return nil, err
	}
	list, err := run(tree, "go", "tool", "nm", "-size", program)
	if err != nil {
		return nil, err
	}
	sizes := map[string]int{}
	for line := range strings.Lines(list) {
		// The fields are the address, the size, the kind and the name.
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.Contains("TtRrDd", fields[2]) {
			continue
		}
		size, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("nm: %w", err)
		}
		name := "the linker"
		if m := ofPackage.FindStringSubmatch(fields[3]); m != nil {
			name = m[1]
			if i := strings.LastIndex(name, "/internal/"); i >= 0 && strings.Contains(name[:i], ".") {
				name = name[i+1:] // the same name if another package owns it now
			}
		}
		sizes[name] += size
	}
	return sizes, nil
}

// printSymbols prints the packages of a program whose code and data have changed most.
func printSymbols(w io.Writer, e engine, before, after map[string]int) error {
	change := map[string]int{}
	for name, n := range before {
		change[name] -= n
	}
	for name, n := range after {
		change[name] += n
	}
	var names []string
	for name, n := range change {
		if n >= least || n <= -least {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(change[b]-change[a], strings.Compare(a, b)) })
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\n%s\tkB before\tkB now\tchange\n", e.name)
	for _, name := range names {
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%+.0f\n", name, float64(before[name])/1e3, float64(after[name])/1e3, float64(change[name])/1e3)
	}
	return t.Flush()
}
