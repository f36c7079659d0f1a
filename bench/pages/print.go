// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"example.com/curlew/bench/peers"
)

// printer makes PDF files of pages.
type printer struct {
	name   string
	needs  []string
	places []string // of what it prints beside the heads and feet of pages
	print  func(ctx context.Context, dir string, pages []*page) error
}

var printers = []printer{
	{"chromium", []string{"chromium"}, []string{"side", "stamp", "watermark", "upright", "vertical"}, chromium(false)},
	{"chromium-tagged", []string{"chromium"}, []string{"side", "stamp", "watermark", "upright", "vertical"}, chromium(true)},
	{"libreoffice", []string{"soffice"}, nil, libreoffice},
	{"latex", []string{"pdflatex"}, []string{"side", "stamp", "watermark", "upright", "vertical", "lines"}, latex},
	{"scan", []string{"pdflatex", "pdftoppm", "tesseract"}, nil, scan},
}

func chromium(tagged bool) func(context.Context, string, []*page) error {
	return func(ctx context.Context, dir string, pages []*page) error {
		return peers.Chromium(ctx, func(b *peers.Browser) error {
			for _, p := range pages {
				base := filepath.Join(dir, p.base())
				if err := os.WriteFile(base+".html", []byte(p.html()), 0o600); err != nil {
					return err
				}
				if err := b.Print(base+".html", base+".pdf", tagged); err != nil {
					return fmt.Errorf("%s: %w", p.name, err)
				}
			}
			return nil
		})
	}
}

func libreoffice(ctx context.Context, dir string, pages []*page) error {
	var sources []string
	for _, p := range pages {
		path := filepath.Join(dir, p.base()+".fodt")
		if err := os.WriteFile(path, []byte(p.odf()), 0o600); err != nil {
			return err
		}
		sources = append(sources, path)
	}
	return peers.LibreOffice(ctx, dir, sources)
}

func latex(ctx context.Context, dir string, pages []*page) error {
	for _, p := range pages {
		path := filepath.Join(dir, p.base()+".tex")
		if err := os.WriteFile(path, []byte(p.tex()), 0o600); err != nil {
			return err
		}
		if err := run(ctx, "pdflatex", "-interaction=batchmode", "-halt-on-error", "-output-directory", dir, path); err != nil {
			return err
		}
	}
	return nil
}

// scan makes pictures of the pages of LaTeX in the quality of an office scanner, turned
// a little, with the text that tesseract recognizes below them.
func scan(ctx context.Context, dir string, pages []*page) error {
	from := filepath.Join(dir, "from")
	if err := os.MkdirAll(from, 0o700); err != nil {
		return err
	}
	if err := latex(ctx, from, pages); err != nil {
		return err
	}
	for _, p := range pages {
		base := filepath.Join(from, p.base())
		if err := run(ctx, "pdftoppm", "-gray", "-r", "200", base+".pdf", base); err != nil {
			return err
		}
		pictures, err := filepath.Glob(base + "-*.pgm")
		if err != nil || len(pictures) == 0 {
			return fmt.Errorf("no picture of %s", p.base())
		}
		if err := worn(pictures[0], p.r); err != nil {
			return err
		}
		if err := run(ctx, "tesseract", pictures[0], filepath.Join(dir, p.base()), "--dpi", "200", "pdf"); err != nil {
			return err
		}
		for _, name := range pictures {
			_ = os.Remove(name)
		}
		if len(pictures) > 1 { // the page must be shortened, which the number of its sheets says
			if err := run(ctx, "cp", base+".pdf", filepath.Join(dir, p.base()+".pdf")); err != nil {
				return err
			}
		}
	}
	return nil
}

func run(ctx context.Context, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...) // #nosec G204 -- a program of the list of printers
	cmd.Env = append(cmd.Environ(), "OMP_THREAD_LIMIT=1")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, said[max(0, len(said)-300):])
	}
	return nil
}
