// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// An engine is a package that a program can import alone. A program that refers to
// its main method links all code that the engine needs.
type engine struct{ name, path, method string }

// engines are the engines of this module.
var engines = []engine{
	{"crawl", "/crawl", "(*crawl.Engine).Run"},
	{"parse", "/parse", "(*parse.Engine).Parse"},
	{"format", "/format", "(*format.Engine).Build"},
	{"agent", "/agent", "(*agent.Engine).Run"},
	{"curlew", "", "(*curlew.Service).Scrape"},
}

// cost is the cost of importing one engine.
type cost struct {
	packages int            // lines of go list -deps
	foreign  int            // packages of other modules among them, without the standard library
	size     int64          // size of the program in bytes
	symbols  map[string]int // bytes of code and data by package; nil unless asked for
}

// compare prints the cost of each engine at the commit base and at HEAD of the
// repository in dir. It checks both out into temporary worktrees, which it removes
// afterwards. If bySymbol is set, it also prints which packages make the difference.
func compare(w io.Writer, dir, base string, bySymbol bool, engines []engine) error {
	trees, remove, err := checkOut(dir, base)
	if err != nil {
		return err
	}
	defer remove()
	var costs [2][]cost
	for i, tree := range trees {
		if costs[i], err = measure(tree, bySymbol, engines); err != nil {
			return fmt.Errorf("%s: %w", []string{base, "HEAD"}[i], err)
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "import\tpackages %[1]s\tHEAD\tof other modules %[1]s\tHEAD\tprogram %[1]s\tHEAD\tchange\n", base)
	for i, e := range engines {
		before, after := costs[0][i], costs[1][i]
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%.2f MB\t%.2f MB\t%+.1f %%\n", e.name, before.packages, after.packages, before.foreign, after.foreign,
			float64(before.size)/1e6, float64(after.size)/1e6, 100*float64(after.size-before.size)/float64(before.size))
	}
	if err := t.Flush(); err != nil || !bySymbol {
		return err
	}
	for i, e := range engines {
		if err := printSymbols(w, e, costs[0][i].symbols, costs[1][i].symbols); err != nil {
			return err
		}
	}
	return nil
}

// measure returns the cost of each engine of the module in tree.
func measure(tree string, bySymbol bool, engines []engine) ([]cost, error) {
	module, err := run(tree, "go", "list", "-m")
	if err != nil {
		return nil, err
	}
	module = strings.TrimSpace(module)
	list := make([]cost, len(engines))
	for i, e := range engines {
		deps, err := run(tree, "go", "list", "-deps", "-f", "{{.ImportPath}} {{.Standard}}", module+e.path)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(deps) {
			list[i].packages++
			if path, standard, _ := strings.Cut(strings.TrimSpace(line), " "); standard == "false" && path != module && !strings.HasPrefix(path, module+"/") {
				list[i].foreign++
			}
		}
		if list[i].size, err = build(tree, module+e.path, e.name, e.method); err != nil {
			return nil, err
		}
		if bySymbol {
			if list[i].symbols, err = symbols(tree, e); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// build returns the size of a program that does nothing but refer to a method.
func build(tree, path, name, method string) (int64, error) {
	dir := filepath.Join(tree, "measure-"+name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	source := fmt.Sprintf("package main\n\nimport %s %q\n\nvar method any = %s\n\nfunc main() { println(method != nil) }\n", name, path, method)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o600); err != nil {
		return 0, err
	}
	program := filepath.Join(dir, "program")
	if _, err := run(tree, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", program, "./measure-"+name); err != nil {
		return 0, err
	}
	info, err := os.Stat(program)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// run runs a command in dir, without a Go workspace, and returns its output, also
// with an error.
func run(dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(context.Background(), name, args...) // #nosec G204 -- the commands of this program
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return string(out), nil
}
