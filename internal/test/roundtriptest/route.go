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

// Route converts documents to files of one kind, by one or several programs.
type Route struct {
	Name string // names of the programs and their options
	Kind string // extension of the files
	Form Form   // form of the documents that it accepts

	Needs  []string // required programs
	Except []string // themes that the programs do not support
	Write  Write
}

// Write writes files for docs into dir. Their names are Document.Name with the
// extension of the kind.
type Write func(ctx context.Context, dir string, docs []*Document) error

// Routes returns all routes, grouped by kind except for PDF of slides.
func Routes() []Route {
	foreign := []string{"rtl", "cjk"}
	maths := []string{"maths"} // LibreOffice renders formulas only if a component is installed that cannot be detected
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

// Missing returns a required program that is not installed, or "".
func (r Route) Missing() string {
	for _, p := range r.Needs {
		if _, err := exec.LookPath(p); err != nil {
			return p
		}
	}
	return ""
}

// Takes reports whether the programs support d.
func (r Route) Takes(d *Document) bool {
	return d.Form == r.Form && !slices.ContainsFunc(r.Except, func(theme string) bool {
		return strings.HasPrefix(d.Name, theme+"-")
	})
}

// Make writes the files of the docs that r supports into dir, and returns their
// paths by the names of the documents. It does not write a file that exists. The error names the programs and the
// documents without a file.
func (r Route) Make(ctx context.Context, dir string, docs []*Document) (map[string]string, error) {
	docs = slices.DeleteFunc(slices.Clone(docs), func(d *Document) bool { return !r.Takes(d) })
	if len(docs) == 0 {
		return nil, nil
	}
	dir = filepath.Join(dir, strings.ReplaceAll(r.Name, " ", "-")+"-"+r.Kind)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	missing := slices.DeleteFunc(slices.Clone(docs), func(d *Document) bool {
		_, err := os.Stat(filepath.Join(dir, d.Name+"."+r.Kind))
		return err == nil
	})
	var err error
	if len(missing) > 0 {
		err = r.Write(ctx, dir, missing)
	}
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

// patience is the timeout of one call of a program.
const patience = 5 * time.Minute

// run runs a program. Its error contains the last output of the program.
func run(ctx context.Context, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...) // #nosec G204 -- a program of one of the routes
	cmd.Env = append(cmd.Environ(), "SOURCE_DATE_EPOCH=1700000000")
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, said[max(0, len(said)-300):])
	}
	return nil
}

// write writes a source file next to the output.
func write(dir, name, source string) (string, error) {
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, []byte(source), 0o600)
}

// convert runs LibreOffice once for all files, because its start takes seconds.
// It uses its own profile, so that it does not disturb another instance.
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

// slides creates a presentation by pandoc, and converts it by LibreOffice to
// another kind.
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

// chromium prints pages. It runs without a sandbox, which root cannot use.
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
		// The shell redirects standard output, to which groff writes.
		if err := run(ctx, "sh", "-c", `exec groff -k -t -e -ms -Tpdf "$0" >"$1"`, source, filepath.Join(dir, d.Name+".pdf")); err != nil {
			return err
		}
	}
	return nil
}

// pandoc converts HTML. The extension of the output selects the kind.
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
