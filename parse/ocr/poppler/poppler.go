// SPDX-License-Identifier: Apache-2.0

// Package poppler draws PDF pages as images with pdftoppm, a program of the
// Poppler project.
//
//	e := parse.Engine{OCR: &tesseract.Engine{}, Render: &poppler.Renderer{}}
//
// The program runs once for each page, without a shell. It is killed when
// the context ends. It gets the document on its standard input, so no file
// is written.
//
// # Security
//
// The program reads untrusted data in its own process. This package does not
// limit the memory of that process: use a limit of the operating system.
package poppler

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"strconv"

	"example.com/curlew/parse"
	"example.com/curlew/parse/ocr/internal/program"
)

// ErrProgram means that the program is not installed or that it failed.
var ErrProgram = errors.New("pdftoppm failed")

// Renderer is a [parse.Renderer]. The zero value runs the pdftoppm found in
// PATH. It is safe for concurrent use and must not be copied after first
// use.
type Renderer struct {
	Path      string // path of the program; empty means pdftoppm
	Output    int    // limit on the size of a picture in bytes; zero means 64 MiB, more is an error
	Processes int    // limit on processes that run at once; zero means GOMAXPROCS

	runner program.Runner
}

// Render implements [parse.Renderer]. It returns a grayscale PNG. It fails
// for documents that need a password. The error wraps [ErrProgram] or the
// cause that ended ctx.
func (r *Renderer) Render(ctx context.Context, pdf io.ReaderAt, size int64, page int, dpi float64) (parse.Picture, error) {
	n := strconv.Itoa(page)
	out, err := r.runner.Run(ctx, program.Command{
		Path: cmp.Or(r.Path, "pdftoppm"), Input: io.NewSectionReader(pdf, 0, size), Output: cmp.Or(r.Output, 64<<20), Processes: r.Processes,
		Args: []string{"-q", "-f", n, "-l", n, "-singlefile", "-r", strconv.FormatFloat(dpi, 'f', 2, 64), "-cropbox", "-gray", "-png", "-"},
	})
	if cause := context.Cause(ctx); cause != nil {
		return parse.Picture{}, cause
	}
	if err != nil {
		return parse.Picture{}, fmt.Errorf("%w: %w", ErrProgram, err)
	}
	c, err := png.DecodeConfig(bytes.NewReader(out))
	if err != nil {
		return parse.Picture{}, fmt.Errorf("%w: no page %d", ErrProgram, page)
	}
	return parse.Picture{MIME: "image/png", Data: out, Width: c.Width, Height: c.Height, DPI: dpi}, nil
}
