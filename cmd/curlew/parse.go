// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
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
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"example.com/curlew"
	"example.com/curlew/client"
	"example.com/curlew/format"
	"example.com/curlew/parse"
	"example.com/curlew/parse/ocr/poppler"
	"example.com/curlew/parse/ocr/tesseract"
)

// maxInput bounds what is read from the standard input, in bytes.
const maxInput = 1 << 30

// file is a document to read, and what came of it.
type file struct {
	path, name string // path to open, - for the standard input; name of the output below -o
	kind       parse.Kind
	text       string // Markdown
	document   any    // for --json
	warning    string
	took       time.Duration
	err        error
}

// parseFiles is the command parse.
func parseFiles(e *env, f *flag.FlagSet) action {
	dir := f.String("o", "", "write Markdown files to this `folder` instead of the standard output")
	workers := f.Int("workers", 0, "`number` of files that are read at once; 0 means one for each processor")
	whole := f.Bool("whole", false, "keep navigation and other boilerplate of HTML pages")
	ocr := f.Bool("ocr", false, "read scans and images with the program tesseract; pdftoppm renders pages if it is installed")
	pages := f.Int("pages", 0, "read only this `number` of pages at the start of each PDF; 0 means all")
	e.remoteFlags(f)
	secret := f.String("password-file", "", "open encrypted documents with the password in this `file`")
	return func(rest []string) error {
		switch {
		case len(rest) == 0:
			return usage("parse needs a file or a folder, or - for the standard input")
		case *workers < 0:
			return usage("--workers is at least 0")
		case *pages < 0:
			return usage("--pages is at least 0")
		case *dir != "" && e.asJSON:
			return usage("-o writes Markdown files: it excludes --json")
		}
		files, special, err := inputs(rest)
		if err != nil {
			return err
		}
		if len(special) > 0 {
			e.warn("", fmt.Sprintf("%d links and other special files in folders are left out, such as %s. To read one, name it as an argument.", len(special), special[0]))
		}
		o := &curlew.ParseOptions{Format: format.Options{WholePage: *whole}}
		o.Read.PDF.MaxPages = *pages
		if *secret != "" {
			text, err := os.ReadFile(*secret)
			if err != nil {
				return usage("--password-file: %w", err)
			}
			o.Read.Password = strings.TrimRight(string(text), "\r\n")
		}
		server, err := e.remote()
		if err != nil {
			return err
		}
		if server != nil && *ocr {
			return usage("--ocr has no effect on the server of --remote: it is an option of curlew serve")
		}
		if server != nil {
			return e.convert(fromServer(e.ctx, server, o), files, cmp.Or(*workers, runtime.GOMAXPROCS(0)), *dir)
		}
		service, err := newParser(*ocr)
		if err != nil {
			return err
		}
		read := func(src parse.Source, _ string, r *file) error {
			d, err := service.Parse(e.ctx, src, o)
			if err != nil {
				return err
			}
			r.document, r.warning = d, withPages(d.Warning, d.Metadata.NumPages, d.Metadata.TotalPages)
			if r.text, err = d.Text(format.Markdown); e.asJSON {
				return nil // the document says what it has
			}
			return err
		}
		return e.convert(read, files, cmp.Or(*workers, runtime.GOMAXPROCS(0)), *dir)
	}
}

// newParser returns a Service that reads documents, with the programs for scans if ocr is set.
func newParser(ocr bool) (*curlew.Service, error) {
	service := new(curlew.Service)
	if !ocr {
		return service, nil
	}
	if _, err := exec.LookPath("tesseract"); err != nil {
		return nil, usage("--ocr needs the program tesseract: %w", err)
	}
	service.Parser.OCR = new(tesseract.Engine)
	if _, err := exec.LookPath("pdftoppm"); err == nil {
		service.Parser.Render = new(poppler.Renderer)
	}
	return service, nil
}

// withPages adds to a warning how many pages were not read because of --pages.
func withPages(warning string, read, total int) string {
	if read >= total {
		return warning
	}
	return strings.TrimSpace(fmt.Sprintf("only %d of %d pages were read. %s", read, total, warning))
}

// reader reads a document with a name into a file.
type reader func(src parse.Source, name string, r *file) error

// fromServer returns a reader that sends documents to a server.
func fromServer(ctx context.Context, server *client.Client, o *curlew.ParseOptions) reader {
	options := &client.Parse{Scrape: client.Scrape{OnlyMainContent: new(!o.Format.WholePage)}}
	if n := o.Read.PDF.MaxPages; n > 0 {
		options.Parsers = []client.Parser{{Type: "pdf", MaxPages: &n}}
	}
	if o.Read.Password != "" {
		options.Password = &o.Read.Password
	}
	return func(src parse.Source, name string, r *file) error {
		d, err := server.Parse(ctx, name, src.Reader(), options)
		if err != nil {
			return err
		}
		r.document, r.text, r.warning = d.Raw, d.Markdown, withPages(d.Warning, d.Metadata.NumPages, d.Metadata.TotalPages)
		return nil
	}
}

// convert reads the files and prints what came of them. Only one file is written at a
// time, in the order of the arguments.
func (e *env) convert(read reader, files []*file, workers int, dir string) error {
	write := func(r *file) error { return e.print(r, len(files) > 1) }
	if dir != "" {
		folder, err := openFolder(dir)
		if err != nil {
			return err
		}
		defer folder.Close()
		write = func(r *file) error { return folder.put(r.name, []byte(r.text)) }
	}
	done := make([]chan struct{}, len(files))
	for i := range done {
		done[i] = make(chan struct{})
	}
	ahead := make(chan struct{}, 2*workers) // how many documents may wait to be written
	var wg sync.WaitGroup
	defer wg.Wait()
	todo := make(chan int)
	for range workers {
		wg.Go(func() {
			for i := range todo {
				e.read(read, files[i])
				close(done[i])
			}
		})
	}
	wg.Go(func() {
		defer close(todo)
		for i := range files {
			select {
			case ahead <- struct{}{}:
				todo <- i
			case <-e.ctx.Done():
				return
			}
		}
	})
	failed := 0
	for i, r := range files {
		select {
		case <-done[i]:
		case <-e.ctx.Done():
			return fmt.Errorf("%w after %d of %d files", stoppedBy(e), i, len(files))
		}
		<-ahead
		if r.err == nil {
			r.err = write(r)
		}
		if err := e.out.err; err != nil {
			e.stop(err)
			return fmt.Errorf("%w after %d of %d files", err, i, len(files))
		}
		r.text, r.document = "", nil
		if r.err != nil {
			failed++
			e.report(r.path, r.err)
		} else if r.warning != "" {
			e.warn(r.path, r.warning)
		}
		if r.err == nil {
			e.detail("%s: %s, read in %v", clean(r.path), r.kind, r.took.Round(time.Millisecond))
		}
		if e.terminal && !e.quiet && !e.asJSON && len(files) > 1 {
			fmt.Fprintf(e.err, "\r\x1b[K  %d of %d files  failed %d\r", i+1, len(files), failed)
		}
	}
	if len(files) > 1 {
		e.table(files)
	}
	if failed > 0 {
		return &fault{exitInput, fmt.Errorf("%d of %d files failed", failed, len(files))}
	}
	return nil
}

func stoppedBy(e *env) error {
	if s, ok := errors.AsType[stopped](context.Cause(e.ctx)); ok {
		return s
	}
	return e.ctx.Err()
}

// read reads one file.
func (e *env) read(read reader, r *file) {
	if r.err != nil {
		return
	}
	start := time.Now()
	defer func() { r.took = time.Since(start) }()
	var src parse.Source
	if r.path == "-" {
		data, err := io.ReadAll(io.LimitReader(e.in, maxInput+1))
		if err == nil && len(data) > maxInput {
			err = fmt.Errorf("the standard input has more than %s", size(maxInput))
		}
		if r.err = err; err != nil {
			return
		}
		src = parse.Bytes("", data)
	} else if src, r.err = parse.File(r.path); r.err != nil {
		return
	}
	defer src.Close()
	r.kind = parse.Detect(src).Kind
	r.err = read(src, filepath.Base(r.path), r)
	if r.err == nil && !e.asJSON && strings.TrimSpace(r.text) == "" {
		r.err = errors.New("the document has no text")
		if r.warning != "" {
			r.err = fmt.Errorf("%w: %s", r.err, r.warning)
		}
	}
}

// inputs returns the files that the arguments name, including those in folders, in the
// order of the arguments. The names of their outputs differ, even on a file system that
// ignores case. Special are the links and devices in folders, which are not followed.
func inputs(args []string) (files []*file, special []string, err error) {
	taken := map[string]bool{}
	add := func(path, name string, err error) {
		stem := name
		for n := 2; taken[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s-%d", stem, n)
		}
		taken[strings.ToLower(name)] = true
		files = append(files, &file{path: path, name: name + ".md", err: err})
	}
	for _, arg := range args {
		if arg == "-" {
			add("-", "stdin", nil)
			continue
		}
		info, err := os.Stat(arg)
		if err != nil {
			return nil, nil, unopened(arg, err)
		}
		if info.IsDir() {
			arg += string(filepath.Separator) // follows a link to a folder
		}
		err = filepath.WalkDir(arg, func(at string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && at == arg:
				return err
			case err == nil && d.IsDir():
				return nil
			case err == nil && !d.Type().IsRegular() && at != arg:
				special = append(special, at)
				return nil
			}
			name, relErr := filepath.Rel(arg, at)
			if relErr != nil || name == "." {
				name = filepath.Base(at)
			}
			add(at, path.Clean(filepath.ToSlash(name)), err)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	if len(files) == 0 && len(special) > 0 {
		return nil, nil, errors.New("the folders contain only links and other special files, which are not followed")
	}
	if len(files) == 0 {
		return nil, nil, errors.New("there is no file in the folders")
	}
	return files, special, nil
}

// unopened returns the error for an argument that is no file, without the name of the system
// call.
func unopened(arg string, err error) error {
	if strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://") {
		return usage("parse reads files: to get a document from the web, use curlew scrape %s", arg)
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", arg, e.Err)
	}
	return err
}

// print writes a document to the standard output.
func (e *env) print(r *file, several bool) error {
	if e.asJSON {
		line, err := json.Marshal(map[string]any{"file": r.path, "document": r.document})
		if err == nil {
			_, err = e.out.Write(append(line, '\n'))
		}
		return err
	}
	text := strings.TrimRight(r.text, "\n") + "\n"
	if several {
		text = fmt.Sprintf("<!-- %s -->\n\n%s\n", strings.ReplaceAll(clean(r.path), "--", "- -"), text)
	}
	_, err := io.WriteString(e.out, text)
	return err
}

// tally counts the files of one kind.
type tally struct {
	files, warned, failed int
	took                  time.Duration
}

// table prints the number of files of each kind.
func (e *env) table(files []*file) {
	if e.quiet || e.asJSON {
		return
	}
	kinds := map[parse.Kind]tally{}
	for _, r := range files {
		if r.kind == "" {
			r.kind = "unknown"
		}
		t := kinds[r.kind]
		t.files++
		t.took += r.took
		if r.warning != "" {
			t.warned++
		}
		if r.err != nil {
			t.failed++
		}
		kinds[r.kind] = t
	}
	w := tabwriter.NewWriter(e.err, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind\tfiles\twith warnings\tfailed\ttime")
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		t := kinds[k]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%v\n", k, t.files, t.warned, t.failed, t.took.Round(time.Millisecond))
	}
	_ = w.Flush()
}
