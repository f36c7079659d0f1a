// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"example.com/curlew/parse"
)

// childName is argument 0 of a child.
const childName = "curlew: reading a document"

// called records that Main was called. Without that call the program must
// not be started as a child.
var called atomic.Bool //nolint:gochecknoglobals // of the process, as its arguments are

// Main runs the child if the process was started as one. Call it first in
// main, before flags are parsed and files are opened. In the host it returns
// at once. In a child it reads one document and exits.
func Main() {
	called.Store(true)
	if len(os.Args) != 4 || os.Args[0] != childName {
		return
	}
	os.Exit(child(os.Args[1:], os.Stdin, os.NewFile(3, "answer")))
}

// child reads one document from in, writes the result to out and returns the
// exit code.
func child(args []string, in io.Reader, out io.WriteCloser) int {
	if err := confine(args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := serve(in, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// confine sets the bounds in args before any untrusted data is read: bytes
// of memory beyond what the program uses at its start, seconds of CPU time,
// and bytes of the document.
func confine(args []string) error {
	var bounds [3]int64
	for i := range bounds {
		n, err := strconv.ParseInt(args[i], 10, 64)
		if err != nil {
			return fmt.Errorf("arguments of a child: %w", err)
		}
		bounds[i] = n
	}
	memory, cpu, size := bounds[0], bounds[1], bounds[2]
	if memory > 0 {
		// From this size on the garbage collector runs often. The operating
		// system refuses more memory only at a quarter above it.
		debug.SetMemoryLimit(memory + size)
		memory += memory/4 + size
	}
	return setLimits(memory, cpu)
}

// serve reads a request and its document and sends the result.
func serve(in io.Reader, out io.WriteCloser) error {
	if err := send(out, frameReady, nil); err != nil {
		return err
	}
	kind, payload, err := receive(in, upTo(1<<24))
	if err == nil && kind != frameRequest {
		err = errors.New("no request from the host")
	}
	if err != nil {
		return err
	}
	q, err := unmarshalRequest(payload)
	if err != nil {
		return err
	}
	var data bytes.Buffer
	for {
		kind, payload, err := receive(in, upTo(1<<20))
		if err == nil && kind != frameData {
			err = errors.New("no document from the host")
		}
		if err != nil {
			return err
		}
		if len(payload) == 0 {
			break
		}
		data.Write(payload)
	}
	q.source.Data, q.source.Size = bytes.NewReader(data.Bytes()), int64(data.Len())

	host := &host{in: in, out: out}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	engine := parse.Engine{Limits: q.limits, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	if q.takes != nil {
		engine.OCR = &hostOCR{host, q.takes}
	}
	if q.renders {
		engine.Render = hostRenderer{host}
	}
	tree, err := engine.Parse(ctx, q.source, &q.options)
	var w writer
	answer := byte(frameTree)
	if err != nil {
		answer = frameError
		w.failure(err)
	} else {
		w.tree(tree)
	}
	if err := send(out, answer, w.b); err != nil {
		return err
	}
	return out.Close()
}

// host sends requests to the host process for work that the child may not
// do.
type host struct {
	mu  sync.Mutex // held during a call
	in  io.Reader
	out io.Writer
}

// call sends a frame and waits for its reply.
func (h *host) call(kind byte, payload []byte, read func(*reader)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := send(h.out, kind, payload); err != nil {
		return err
	}
	kind, payload, err := receive(h.in, upTo(maxCallback))
	if err != nil {
		return err
	}
	r := &reader{s: string(payload), room: 1 << 40}
	if kind == frameRefused {
		text := r.text()
		return errors.Join(errors.New(text), r.end())
	}
	read(r)
	return r.end()
}

type hostOCR struct {
	*host
	takes []string
}

// Recognize sends the picture to the OCR engine of the host.
func (h *hostOCR) Recognize(_ context.Context, p parse.Picture) (out parse.Recognition, err error) {
	var w writer
	w.picture(p)
	err = h.call(framePicture, w.b, func(r *reader) { out = r.recognition() })
	return out, err
}

// Takes reports whether the OCR engine of the host accepts a media type.
func (h *hostOCR) Takes(mime string) bool {
	return slices.Contains(h.takes, mime)
}

type hostRenderer struct{ *host }

// Render sends the page to the renderer of the host.
func (h hostRenderer) Render(_ context.Context, pdf io.ReaderAt, size int64, page int, dpi float64) (p parse.Picture, err error) {
	file := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(pdf, 0, size), file); err != nil {
		return p, err
	}
	var w writer
	w.int(page)
	w.float(dpi)
	w.text(string(file))
	err = h.call(frameDraw, w.b, func(r *reader) { p = r.picture() })
	return p, err
}
