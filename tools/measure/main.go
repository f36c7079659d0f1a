// SPDX-License-Identifier: Apache-2.0

// Command measure prints how large the packages and types of this module are. Its
// first table has the bounds of the plan of the packages. The second one has each
// package and type that exceeds a stricter aim for all of them. For this it reads the
// source and calls "go doc":
//
//	cd tools && go run ./measure ..
//
// With -base it compares HEAD with an earlier commit instead: how many packages
// each engine imports, directly and indirectly, and how large a program is that
// imports only this engine:
//
//	cd tools && go run ./measure -base bc53187 ..
//
// With -base and -bench it compares the benchmarks of both commits in one run:
//
//	cd tools && go run ./measure -base bc53187 -bench . ..
//
// On a machine with other work, add -instructions: then Valgrind counts the instructions of
// the benchmarks that took longer than before.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Aims for a package and for a type. A struct whose name ends in Options, Config,
// Request, Trace or Limits is a list of options and may have any number of fields. If
// each field has a JSON tag, the struct is the shape of a message that a contract gives:
// such structs are counted, but not as types over an aim.
const (
	maxFiles    = 25
	maxExported = 40
	maxFields   = 15
	maxMethods  = 25
)

// A pkg describes the Go files of one directory, without its tests.
type pkg struct {
	dir             string
	files, lines    int
	exported        map[string]bool // names at the top level
	fields, methods map[string]int  // by type
	shapes          map[string]bool // types whose fields all have a JSON tag
}

func main() {
	base := flag.String("base", "", "compare HEAD with this `commit`")
	bySymbol := flag.Bool("symbols", false, "with -base: show which packages make the difference")
	bench := flag.String("bench", "", "with -base: compare the benchmarks that match this `pattern`")
	rounds := flag.Int("rounds", 5, "with -bench: how often each benchmark runs; the fastest run counts")
	count := flag.Bool("instructions", false, "with -bench: count the instructions of benchmarks that took more than 1.03 times as long; needs valgrind")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: measure [-base commit [-symbols | -bench pattern [-rounds n] [-instructions]]] [directory of a module]")
		flag.PrintDefaults()
	}
	flag.Parse()
	root := cmp.Or(flag.Arg(0), ".")
	var err error
	switch {
	case *bench != "" && *base == "":
		err = errors.New("-bench needs -base")
	case *bench != "":
		err = benchmarks(os.Stdout, root, *base, *bench, *rounds, *count)
	case *base != "":
		err = compare(os.Stdout, root, *base, *bySymbol, engines)
	default:
		err = sizes(os.Stdout, root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// sizes prints both tables for the module in root.
func sizes(w io.Writer, root string) error {
	all, err := read(root)
	if err == nil {
		err = bounds(w, root, all)
	}
	if err == nil {
		fmt.Fprintln(w)
		report(w, all)
	}
	return err
}

// read returns the packages below root, without nested modules, programs and
// test data.
func read(root string) ([]*pkg, error) {
	byDir := map[string]*pkg{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			skipped := slices.Contains([]string{"testdata", "examples", "node_modules"}, name) || strings.HasPrefix(name, "_")
			if path != root && (err == nil || skipped || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path) // #nosec G122 G304 -- a file of the module
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		p := byDir[dir]
		if p == nil {
			p = &pkg{dir: filepath.ToSlash(dir), exported: map[string]bool{}, fields: map[string]int{}, methods: map[string]int{}, shapes: map[string]bool{}}
			byDir[dir] = p
		}
		p.files++
		p.lines += strings.Count(string(source), "\n")
		p.add(f)
		return nil
	})
	packages := slices.Collect(maps.Values(byDir))
	slices.SortFunc(packages, func(a, b *pkg) int { return cmp.Compare(a.dir, b.dir) })
	return packages, err
}

// add counts the declarations of a file.
func (p *pkg) add(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				p.methods[receiver(d.Recv.List[0].Type)]++
			} else {
				p.export(d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				p.spec(s)
			}
		}
	}
}

func (p *pkg) spec(s ast.Spec) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		p.export(s.Name)
		if t, ok := s.Type.(*ast.StructType); ok {
			tagged := len(t.Fields.List) > 0
			for _, field := range t.Fields.List {
				p.fields[s.Name.Name] += max(1, len(field.Names))
				tagged = tagged && field.Tag != nil && strings.Contains(field.Tag.Value, `json:"`)
			}
			p.shapes[s.Name.Name] = tagged
		}
	case *ast.ValueSpec:
		for _, name := range s.Names {
			p.export(name)
		}
	}
}

func (p *pkg) export(name *ast.Ident) {
	if name.IsExported() {
		p.exported[name.Name] = true
	}
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// report writes the totals and a row for each package and type over an aim.
func report(w io.Writer, all []*pkg) {
	fmt.Fprintf(w, "| Package or type | Measure | Value | Aim |\n|---|---|---|---|\n")
	over := func(what, measure string, n, aim int) int {
		if n <= aim {
			return 0
		}
		fmt.Fprintf(w, "| `%s` | %s | %d | %d |\n", what, measure, n, aim)
		return 1
	}
	lines, packages, types, shapes := 0, 0, 0, 0
	for _, p := range all {
		lines += p.lines
		if strings.HasPrefix(p.dir, "internal/test") {
			continue
		}
		name := p.dir
		if name == "." {
			name = "curlew"
		}
		packages += min(1, over(name, "files", p.files, maxFiles)+over(name, "exported names", len(p.exported), maxExported))
		for _, t := range slices.Sorted(maps.Keys(p.fields)) {
			fields := p.fields[t]
			switch {
			case options(t):
				fields = 0
			case p.shapes[t] && fields > maxFields:
				shapes++
				fields = 0
			}
			types += min(1, over(name+"."+t, "fields", fields, maxFields)+over(name+"."+t, "methods", p.methods[t], maxMethods))
		}
	}
	fmt.Fprintf(w, "\n%d packages with %d lines, without tests; over an aim: %d packages, %d types; %d types with more fields are messages in JSON\n", len(all), lines, packages, types, shapes)
}

// options reports whether a struct is a list of options.
func options(name string) bool {
	for _, end := range []string{"Options", "Config", "Request", "Trace", "Limits"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}
