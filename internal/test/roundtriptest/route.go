// SPDX-License-Identifier: Apache-2.0

package roundtriptest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Route is a way from documents to files of one kind, by one program or by
// one after the other.
type Route struct {
	Name string // of the programs and how they are asked
	Kind string // extension of the files
	Form Form   // of the documents that it takes

	Needs  []string // programs; nil: none
	Except []string // themes that the programs cannot set
	Write  Write
}

// Write writes files of docs into dir, named Document.Name with the extension
// of the kind.
type Write func(ctx context.Context, dir string, docs []*Document) error

// Routes returns all there are, those to one kind together but for PDF of
// slides.
func Routes() []Route {
	foreign := []string{"rtl", "cjk"}
	maths := []string{"maths"} // LibreOffice sets formulas where a part is installed that has no program to be found by
	routes := []Route{
		{"libreoffice", "pdf", Text, []string{"soffice"}, maths, office("pdf:writer_pdf_Export")},
		{"libreoffice tagged", "pdf", Text, []string{"soffice"}, maths, office(`pdf:writer_pdf_Export:{"UseTaggedPDF":{"type":"boolean","value":"true"}}`)},
		{"chromium", "pdf", Text, []string{"chromium"}, nil, chromium("--disable-pdf-tagging")},
		{"chromium tagged", "pdf", Text, []string{"chromium"}, nil, chromium()},
		{"groff", "pdf", Text, []string{"groff"}, foreign, groff},
		{"pandoc tex", "pdf", Text, []string{"pandoc", "pdflatex"}, foreign, pandoc("pdf")},
	}
	for _, kind := range []string{"docx", "odt", "rtf", "epub"} {
		routes = append(routes, Route{"pandoc", kind, Text, []string{"pandoc"}, nil, pandoc(kind)})
		routes = append(routes, Route{"libreoffice", kind, Text, []string{"soffice"}, maths, office(kind)})
	}
	routes = append(routes,
		Route{"libreoffice", "doc", Text, []string{"soffice"}, maths, office("doc")},
		Route{"pandoc", "pptx", Slides, []string{"pandoc"}, nil, pandoc("pptx")})
	for _, kind := range []string{"pptx", "odp", "ppt", "pdf"} {
		routes = append(routes, Route{"pandoc libreoffice", kind, Slides, []string{"pandoc", "soffice"}, nil, slides(kind)})
	}
	for _, kind := range []string{"xlsx", "xls", "ods"} {
		routes = append(routes, Route{"libreoffice", kind, Sheets, []string{"soffice"}, maths, office(kind)})
	}
	return routes
}

// Missing returns the program that is not installed, empty where all are.
func (r Route) Missing() string {
	for _, p := range r.Needs {
		if _, err := exec.LookPath(p); err != nil {
			return p
		}
	}
	return ""
}

// Takes reports whether the programs can set d.
func (r Route) Takes(d *Document) bool {
	return d.Form == r.Form && !slices.ContainsFunc(r.Except, func(theme string) bool {
		return strings.HasPrefix(d.Name, theme+"-")
	})
}

// Make writes the files of those docs that r takes into dir and returns their
// paths by the documents' names. The error names the programs, and the
// documents that there is no file of.
func (r Route) Make(ctx context.Context, dir string, docs []*Document) (map[string]string, error) {
	docs = slices.DeleteFunc(slices.Clone(docs), func(d *Document) bool { return !r.Takes(d) })
	if len(docs) == 0 {
		return nil, nil
	}
	dir = filepath.Join(dir, strings.ReplaceAll(r.Name, " ", "-")+"-"+r.Kind)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	err := r.Write(ctx, dir, docs)
	paths := map[string]string{}
	for _, d := range docs {
		path := filepath.Join(dir, d.Name+"."+r.Kind)
		if _, there := os.Stat(path); there != nil {
			err = errors.Join(err, fmt.Errorf("no file of %s", d.Name))
			continue
		}
		paths[d.Name] = path
	}
	if err != nil {
		err = fmt.Errorf("%s to %s: %w", r.Name, r.Kind, err)
	}
	return paths, err
}

// patience is how long a program may take for what it is asked at once.
const patience = 5 * time.Minute

// run runs a program; its error has what the program said at last.
func run(ctx context.Context, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...) // #nosec G204 -- one of those above
	cmd.Env = append(cmd.Environ(), "SOURCE_DATE_EPOCH=1700000000")
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, said[max(0, len(said)-300):])
	}
	return nil
}

// write writes a source beside the file that is to be.
func write(dir, name, source string) (string, error) {
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, []byte(source), 0o600)
}

// convert asks LibreOffice once for all files: its start takes seconds. The
// profile is the run's own, so that no other instance is disturbed.
func convert(ctx context.Context, dir, filter string, files []string) error {
	profile, err := os.MkdirTemp("", "roundtrip-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(profile)
	args := append([]string{"-env:UserInstallation=file://" + profile, "--headless", "--convert-to", filter, "--outdir", dir}, files...)
	return run(ctx, "soffice", args...)
}

// office converts flat OpenDocument.
func office(filter string) Write {
	return func(ctx context.Context, dir string, docs []*Document) error {
		var files []string
		for _, d := range docs {
			extension := ".fodt"
			if d.Form == Sheets {
				extension = ".fods"
			}
			path, err := write(dir, d.Name+extension, d.ODF())
			if err != nil {
				return err
			}
			files = append(files, path)
		}
		return convert(ctx, dir, filter, files)
	}
}

// slides has pandoc make a presentation and LibreOffice another kind of it.
func slides(kind string) Write {
	return func(ctx context.Context, dir string, docs []*Document) error {
		from := filepath.Join(dir, "from")
		if err := os.MkdirAll(from, 0o700); err != nil {
			return err
		}
		if err := pandoc("pptx")(ctx, from, docs); err != nil {
			return err
		}
		var files []string
		for _, d := range docs {
			files = append(files, filepath.Join(from, d.Name+".pptx"))
		}
		return convert(ctx, dir, kind, files)
	}
}

// chromium prints pages; there is no sandbox to be had for root.
func chromium(flags ...string) Write {
	return func(ctx context.Context, dir string, docs []*Document) error {
		profile, err := os.MkdirTemp("", "roundtrip-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(profile)
		for _, d := range docs {
			page, err := write(dir, d.Name+".html", d.HTML())
			if err != nil {
				return err
			}
			args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-pdf-header-footer", "--user-data-dir=" + profile, "--print-to-pdf=" + filepath.Join(dir, d.Name+".pdf")}, flags...)
			if err := run(ctx, "chromium", append(args, "file://"+page)...); err != nil {
				return err
			}
		}
		return nil
	}
}

func groff(ctx context.Context, dir string, docs []*Document) error {
	for _, d := range docs {
		source, err := write(dir, d.Name+".ms", d.Groff())
		if err != nil {
			return err
		}
		// The shell is for standard output, where groff writes.
		if err := run(ctx, "sh", "-c", `exec groff -k -t -e -ms -Tpdf "$0" >"$1"`, source, filepath.Join(dir, d.Name+".pdf")); err != nil {
			return err
		}
	}
	return nil
}

// pandoc converts HTML; the file's extension names the kind.
func pandoc(kind string) Write {
	return func(ctx context.Context, dir string, docs []*Document) error {
		for _, d := range docs {
			source, err := write(dir, d.Name+".html", d.HTML())
			if err != nil {
				return err
			}
			args := []string{"-f", "html+epub_html_exts", "--standalone", "-o", filepath.Join(dir, d.Name+"."+kind), source}
			if d.Form == Slides {
				args = append(args, "--slide-level=2")
			}
			if err := run(ctx, "pandoc", args...); err != nil {
				return err
			}
		}
		return nil
	}
}
