// SPDX-License-Identifier: Apache-2.0

// Pdfview draws how the PDF reader understood a file: the words of each page,
// and above them the blocks in reading order. Blocks are numbered and connected
// by arrows. Each shows its kind, the confidence of the reader, the cells of
// tables and the items of lists. The output is one HTML file without scripts.
//
//	go run ./examples/pdfview report.pdf > report.html
//	go run ./examples/pdfview -image -pages 3 report.pdf > report.html
//
// With -image, the pages as rendered by pdftoppm (poppler-utils) are drawn in
// the background, so that one can see what the reader missed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"example.com/curlew/parse"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "pdfview:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, status io.Writer) error {
	flags := flag.NewFlagSet("pdfview", flag.ContinueOnError)
	flags.SetOutput(status)
	flags.Usage = func() {
		fmt.Fprintln(status, "usage: pdfview [flags] FILE > page.html")
		flags.PrintDefaults()
	}
	password := flags.String("password", "", "open an encrypted file with this `password`")
	hidden := flags.Bool("hidden", false, "also show hidden text")
	pages := flags.Int("pages", 0, "`number` of pages to read; 0 means all")
	image := flags.Bool("image", false, "draw the pages as rendered by pdftoppm in the background, if it is installed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("one PDF file is needed")
	}
	name := flags.Arg(0)
	src, err := parse.File(name)
	if err != nil {
		return err
	}
	defer src.Close()
	var e parse.Engine
	unseen := parse.HiddenDropped
	if *hidden {
		unseen = parse.HiddenKept
	}
	tree, err := e.Parse(ctx, src, &parse.Options{
		Kind: parse.PDF, Password: *password, Hidden: unseen,
		PDF: parse.PDFOptions{MaxPages: *pages, Words: true},
	})
	if err != nil {
		return err
	}
	d := view(name, tree)
	if *image {
		if err := d.draw(ctx, name, *password); err != nil {
			fmt.Fprintln(status, "pdfview: no images:", err)
		}
	}
	return page.Execute(out, d)
}
