// SPDX-License-Identifier: Apache-2.0

// Parse converts files to Markdown:
//
//	go run ./examples/parse report.html table.csv     # to standard output
//	go run ./examples/parse -o out documents/         # a folder, file by file
//	go run ./examples/parse -password open secret.xlsx
//	go run ./examples/parse -ocr scan.pdf photo.jpg   # by the programs tesseract and pdftoppm
//
// It detects the kind of a file by its content. Several files are read on all
// processors, and a table of kinds, warnings and failures follows at the end.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"example.com/curlew"
	"example.com/curlew/format"
	"example.com/curlew/parse"
	"example.com/curlew/parse/ocr/poppler"
	"example.com/curlew/parse/ocr/tesseract"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "parse:", err)
		os.Exit(1)
	}
}

// result is the result for one file.
type result struct {
	path, name string // path to open; name of the output below -o
	kind       parse.Kind
	doc        *format.Document
	took       time.Duration
	warning    string // what was lost; empty if nothing was
	err        error
}

func run(ctx context.Context, args []string, out, status io.Writer) error {
	flags := flag.NewFlagSet("parse", flag.ContinueOnError)
	flags.SetOutput(status)
	flags.Usage = func() {
		fmt.Fprintln(status, "usage: parse [flags] FILE|DIRECTORY...")
		flags.PrintDefaults()
	}
	dir := flags.String("o", "", "write to files in this `directory` instead of standard output")
	asJSON := flags.Bool("json", false, "write the whole document as JSON")
	whole := flags.Bool("whole", false, "keep navigation and other boilerplate of HTML pages")
	ocr := flags.Bool("ocr", false, "read scans and images with the program tesseract; pdftoppm renders pages if it is installed")
	password := flags.String("password", "", "open encrypted files with this `password`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	files, err := list(flags.Args())
	if err != nil {
		return err
	}
	if len(files) == 0 {
		flags.Usage()
		return errors.New("no files")
	}
	live := len(files) > 1 && isTerminal(status)
	write := func(r result) error { return show(out, r, *asJSON, len(files) > 1) }
	if *dir != "" {
		if err := os.MkdirAll(*dir, 0o750); err != nil {
			return err
		}
		root, err := os.OpenRoot(*dir)
		if err != nil {
			return err
		}
		defer root.Close()
		write = func(r result) error { return save(root, r, *asJSON) }
	}

	var service curlew.Service
	if *ocr {
		service.Parser.OCR = new(tesseract.Engine)
		if _, err := exec.LookPath("pdftoppm"); err == nil {
			service.Parser.Render = new(poppler.Renderer)
		}
	}
	var all []result
	for r := range parseAll(ctx, &service, files, &curlew.ParseOptions{Format: format.Options{WholePage: *whole}, Read: parse.Options{Password: *password}}) {
		if r.err == nil {
			r.warning = r.doc.Warning
			r.err = write(r)
		}
		r.doc = nil
		all = append(all, r)
		if live {
			fmt.Fprintf(status, "\r%d of %d files", len(all), len(files))
		}
	}
	if len(files) == 1 && len(all) == 1 {
		if all[0].warning != "" {
			fmt.Fprintln(status, "warning:", all[0].warning)
		}
		return all[0].err
	}
	if live {
		fmt.Fprintln(status)
	}
	table(status, all)
	failed := 0
	for _, r := range all {
		if r.err != nil {
			failed++
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("stopped after %d of %d files: %w", len(all), len(files), err)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d files failed", failed, len(files))
	}
	return nil
}

// list returns the files that the arguments name, including those in
// directories. If a part of a directory cannot be read, its result contains the
// error. Names are unique: for "a/x.csv b/x.csv" the second one is "x-2.csv".
func list(args []string) ([]result, error) {
	var files []result
	taken := map[string]int{}
	for _, arg := range args {
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && path == arg:
				return err
			case err != nil:
				files = append(files, result{path: path, err: err})
				return nil //nolint:nilerr // the error is reported with those of the files
			case d.IsDir():
				return nil
			}
			name, err := filepath.Rel(arg, path)
			if name == "." {
				name = filepath.Base(path)
			}
			for taken[name]++; taken[name] > 1; taken[name]++ {
				ext := filepath.Ext(name)
				name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), taken[name], ext)
			}
			files = append(files, result{path: path, name: name})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// isTerminal reports whether w is a terminal, on which a line can be written again.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// parseAll reads the files on all processors and sends the results as they are
// ready. After ctx has ended it starts no further files.
func parseAll(ctx context.Context, service *curlew.Service, files []result, o *curlew.ParseOptions) <-chan result {
	todo, done := make(chan result), make(chan result)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		wg.Go(func() {
			for r := range todo {
				if r.err == nil {
					start := time.Now()
					r.kind, r.doc, r.err = parseOne(ctx, service, r.path, o)
					r.took = time.Since(start)
				}
				done <- r
			}
		})
	}
	go func() {
		for _, f := range files {
			if ctx.Err() != nil {
				break
			}
			todo <- f
		}
		close(todo)
		wg.Wait()
		close(done)
	}()
	return done
}

func parseOne(ctx context.Context, s *curlew.Service, path string, o *curlew.ParseOptions) (parse.Kind, *format.Document, error) {
	src, err := parse.File(path)
	if err != nil {
		return "", nil, err
	}
	defer src.Close()
	kind := parse.Detect(src).Kind
	doc, err := s.Parse(ctx, src, o)
	return kind, doc, err
}

// show writes a document to out, with its name if there are several.
func show(out io.Writer, r result, asJSON, named bool) error {
	text, err := content(r, asJSON)
	if err == nil && named {
		_, err = fmt.Fprintf(out, "<!-- %s -->\n", r.path)
	}
	if err == nil {
		_, err = out.Write(append(text, '\n'))
	}
	return err
}

// save writes a document to a file below root.
func save(root *os.Root, r result, asJSON bool) error {
	text, err := content(r, asJSON)
	if err != nil {
		return err
	}
	name := r.name + ".md"
	if asJSON {
		name = r.name + ".json"
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		return err
	}
	return root.WriteFile(name, text, 0o600)
}

func content(r result, asJSON bool) ([]byte, error) {
	if asJSON {
		return json.MarshalIndent(r.doc, "", "  ")
	}
	text, err := r.doc.Text(format.Markdown)
	return []byte(text), err
}

// tally counts the files of one kind.
type tally struct {
	files, warned, failed int
	took                  time.Duration
}

// table prints the number of files of each kind, what was lost and what failed.
func table(w io.Writer, all []result) {
	byKind := map[parse.Kind]tally{}
	for _, r := range all {
		t := byKind[r.kind]
		t.files++
		if r.warning != "" {
			t.warned++
		}
		if r.err != nil {
			t.failed++
		}
		t.took += r.took
		byKind[r.kind] = t
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "kind\tfiles\twith warnings\tfailed\ttime")
	for _, k := range slices.Sorted(maps.Keys(byKind)) {
		t := byKind[k]
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%v\n", orUnknown(k), t.files, t.warned, t.failed, t.took.Round(time.Millisecond))
	}
	tw.Flush()
	slices.SortFunc(all, func(a, b result) int { return strings.Compare(a.path, b.path) })
	for _, r := range all {
		switch {
		case r.err != nil:
			fmt.Fprintf(w, "%s: %v\n", r.path, r.err)
		case r.warning != "":
			fmt.Fprintf(w, "%s: warning: %s\n", r.path, r.warning)
		}
	}
}

func orUnknown(k parse.Kind) parse.Kind {
	if k == "" {
		return "unknown"
	}
	return k
}
