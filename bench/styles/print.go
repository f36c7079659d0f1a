// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/curlew/bench/peers"
)

// printer makes PDF files of documents.
type printer struct {
	name    string
	program string
	print   func(ctx context.Context, dir string, docs []*sample) error
}

var printers = []printer{
	{"chromium", "chromium", func(ctx context.Context, dir string, docs []*sample) error { return chromium(ctx, dir, docs, false) }},
	{"chromium-tagged", "chromium", func(ctx context.Context, dir string, docs []*sample) error { return chromium(ctx, dir, docs, true) }},
	{"libreoffice", "soffice", libreoffice},
	{"latex", "pdflatex", latex},
}

// patience bounds the time for the documents of one printer.
const patience = 20 * time.Minute

func libreoffice(ctx context.Context, dir string, docs []*sample) error {
	var sources []string
	for _, d := range docs {
		path := filepath.Join(dir, d.name+".fodt")
		if err := os.WriteFile(path, []byte(d.odf()), 0o600); err != nil {
			return err
		}
		sources = append(sources, path)
	}
	return peers.LibreOffice(ctx, dir, sources)
}

func chromium(ctx context.Context, dir string, docs []*sample, tagged bool) error {
	return peers.Chromium(ctx, func(b *peers.Browser) error {
		for _, d := range docs {
			base := filepath.Join(dir, d.name)
			if err := os.WriteFile(base+".html", []byte(d.html()), 0o600); err != nil {
				return err
			}
			if err := b.Print(base+".html", base+".pdf", tagged); err != nil {
				return fmt.Errorf("%s: %w", d.name, err)
			}
		}
		return nil
	})
}
