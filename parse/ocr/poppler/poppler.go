// SPDX-License-Identifier: Apache-2.0

// Package poppler draws pages with pdftoppm, a program of poppler: page ->
// image.
//
//	e := parse.Engine{OCR: &tesseract.Engine{}, Render: &poppler.Renderer{}}
//
// The program is run once a page, without a shell, and dies with its context.
// It gets no file: the document goes to its standard input.
//
// # Security
//
// The program reads foreign bytes in a process of its own, whose memory
// nothing here bounds: run the whole under a limit of the operating system.
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

// ErrProgram means that the program is not there or failed.
var ErrProgram = errors.New("pdftoppm failed")

// Renderer is a [parse.Renderer]. The zero value runs what the path finds. It
// is safe for concurrent use and not copied after its first.
type Renderer struct {
	Path      string // of the program; empty means pdftoppm
	Output    int    // bytes of a picture; zero means 64 MiB, more is an error
	Processes int    // that run at once, whoever asks; zero means GOMAXPROCS

	runner program.Runner
}

// Render implements [parse.Renderer]: a PNG in grays. Documents that need a
// password fail. The error wraps [ErrProgram] or the cause that ended ctx.
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
