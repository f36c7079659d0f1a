// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"path"
	"strings"
)

// The bounds that the plan of the packages sets by name. They are stricter than the
// limits for all packages and types, and each one that is exceeded has a reason in
// docs/decisions/007-packages.md.
const (
	maxRootLines      = 4000
	maxShared         = 12 // packages in internal/, without internal/test and internal/service
	maxServiceFields  = 20
	maxHandlerMethods = 25
)

// large contains the packages that may have twice as many files.
var large = map[string]bool{"format": true, "parse/internal/pdf/layout": true}

// parts contains the types into which the plan divides the large ones.
var parts = map[string][]string{
	"crawl/frontier":          {"state", "known", "progress", "hosts", "leases", "ranks", "records"},
	"agent":                   {"Run", "payer", "gate", "library", "tables", "learner", "reader"},
	"format":                  {"builder", "page", "models", "redactor"},
	"markdown":                {"writer", "output", "line", "surveyed", "targets", "tableWriter"},
	"format/internal/content": {"Block", "counts", "place", "echoes", "surroundings"},
}

// documented contains how many lines "go doc -short" prints for a package at most, in the
// order of the table.
var documented = []struct {
	dir   string
	lines int
}{
	{".", 30},
	{"httpapi", 9},
	{"account", 16},
	{"webhook", 6},
	{"crawl", 20},
	{"crawl/scope", 14},
	{"crawl/frontier", 18},
	{"agent", 30},
	{"agent/llm", 16},
	{"agent/finding", 14},
	{"agent/journal", 22},
	{"format", 60},
}

// bounds writes a row for each bound of the plan, and returns an error if something that
// the plan bounds does not exist. In root is the module with all its packages.
func bounds(w io.Writer, root string, all []*pkg) error {
	byDir := map[string]*pkg{}
	files, most := "none", 0
	shared, service := 0, 0
	for _, p := range all {
		byDir[p.dir] = p
		if p.files > most && !large[p.dir] {
			files, most = p.dir, p.files
		}
		switch path.Dir(p.dir) {
		case "internal":
			shared++
		case "internal/service":
			service++
		}
	}
	fmt.Fprintf(w, "| Bound of the plan | Value | Bound |\n|---|---|---|\n")
	row := func(what string, value, bound int, note string) {
		if value > bound {
			note += " **exceeded**"
		}
		fmt.Fprintf(w, "| %s | %d%s | %d |\n", what, value, note, bound)
	}
	row("files of a package", most, maxFiles, " (`"+files+"`)")
	for dir := range large {
		if byDir[dir] == nil {
			return fmt.Errorf("no package %s", dir)
		}
	}
	row("files of `format`, `pdf/layout`", max(byDir["format"].files, byDir["parse/internal/pdf/layout"].files), 2*maxFiles, "")
	row("lines of the root", byDir["."].lines, maxRootLines, "")
	row("packages of `internal/`", shared, maxShared, fmt.Sprintf(", besides %d parts of the root in `internal/service`", service))
	row("fields of `Service`", byDir["."].fields["Service"], maxServiceFields, "")
	row("methods of `Handler`", byDir["httpapi"].methods["Handler"], maxHandlerMethods, "")
	fields, methods := part{"none", 0}, part{"none", 0}
	for dir, types := range parts {
		for _, t := range types {
			p := byDir[dir]
			if p == nil || p.fields[t] == 0 {
				return fmt.Errorf("no struct %s in package %s", t, dir)
			}
			fields = fields.or(dir+"."+t, p.fields[t])
			methods = methods.or(dir+"."+t, p.methods[t])
		}
	}
	row("fields of a part of a large type", fields.n, maxFields, " (`"+fields.name+"`)")
	row("methods of a part of a large type", methods.n, maxMethods, " (`"+methods.name+"`)")
	for _, d := range documented {
		name := strings.TrimSuffix("./"+d.dir, "/.")
		out, err := run(root, "go", "doc", "-short", name)
		if err != nil {
			return err
		}
		row("lines of `go doc -short "+name+"`", strings.Count(out, "\n"), d.lines, "")
	}
	return nil
}

// A part is a type and how many fields or methods it has.
type part struct {
	name string
	n    int
}

// or returns the larger one of two parts. Of two that are equal, it returns the one
// whose name is first in the alphabet.
func (a part) or(name string, n int) part {
	if n > a.n || n == a.n && name < a.name {
		return part{name, n}
	}
	return a
}
