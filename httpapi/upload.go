// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"strings"
	"sync"
	"unicode"

	"example.com/curlew"
	"example.com/curlew/httpapi/internal/pacing"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/service/admission"
)

// Limits for an upload, in bytes unless a comment says otherwise.
const (
	maxFile        = 50 << 20
	maxOptions     = 64 << 10
	maxOther       = 64 << 10 // all parts that are ignored, together
	maxOtherParts  = 8
	maxPartHeaders = 16      // header fields of a part
	inMemory       = 1 << 20 // bytes of a file in memory; larger files go to disk
	maxFileName    = 512
	maxUploads     = 512 << 20 // all files of uploads in progress
	framing        = 64 << 10  // boundaries and headers around the parts
)

// upload is the content of a multipart request.
type upload struct {
	name, contentType string
	file              *spool
	options           []byte // nil if there is no options part
}

// close releases the resources of the upload. u may be nil.
func (u *upload) close() {
	if u != nil && u.file != nil {
		u.file.close()
	}
}

// readUpload reads a multipart request: one file and at most one options part,
// in either order. If memoryOnly is set, it writes nothing to disk. The caller
// must close the upload, even after an error.
func readUpload(h *Handler, c *call, memoryOnly bool) (*upload, error) {
	u := new(upload)
	_, params, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")) // MultipartReader reports an invalid header
	body := &ending{
		ReadCloser: http.MaxBytesReader(c.w, c.r.Body, maxFile+maxOptions+maxOther+framing),
		last:       []byte("--" + params["boundary"] + "--"),
	}
	c.r.Body = body
	reader, err := c.r.MultipartReader()
	if err != nil {
		return u, errMultipart
	}
	others, otherBytes := 0, int64(0)
	for {
		part, err := reader.NextRawPart()
		if err == io.EOF { //nolint:errorlint // a wrapped io.EOF means that the last boundary is missing
			return u, body.drain()
		}
		if err != nil {
			return u, body.broken(err)
		}
		if len(part.Header) > maxPartHeaders {
			return u, errMultipart
		}
		switch name := part.FormName(); {
		case isCoded(part.Header):
			err = errPartCoding
		case name == "file" && u.file == nil:
			err = readFile(c.ctx(), h, u, part, memoryOnly)
		case name == "options" && u.options == nil:
			u.options, err = readOptions(part)
		case name == "file" || name == "options":
			err = errSecondPart
		default:
			var n int64
			n, err = io.Copy(io.Discard, io.LimitReader(part, maxOther-otherBytes+1))
			others, otherBytes = others+1, otherBytes+n
			if others > maxOtherParts || otherBytes > maxOther {
				err = errMultipart
			}
		}
		if err != nil {
			return u, body.broken(err)
		}
	}
}

// isCoded reports whether the content of a part is not sent as it is. RFC 7578 does not
// allow that, and the coded text would be read as the document.
func isCoded(h textproto.MIMEHeader) bool {
	coding := strings.ToLower(strings.TrimSpace(h.Get("Content-Transfer-Encoding")))
	return coding == "base64" || coding == "quoted-printable"
}

// ending wraps a multipart body and keeps its latest bytes. The standard
// library accepts a body that ends inside the headers of a part, so readUpload
// checks the end itself.
type ending struct {
	io.ReadCloser
	last   []byte // the final boundary
	latest []byte
	slow   bool // it arrived too slowly
}

// lookahead is more than the number of bytes that a multipart.Reader reads past
// the last boundary.
const lookahead = 8 << 10

// Read implements [io.Reader].
func (e *ending) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	e.slow = errors.Is(err, os.ErrDeadlineExceeded)
	e.latest = append(e.latest, p[:n]...)
	if over := len(e.latest) - lookahead; over > 0 {
		e.latest = append(e.latest[:0], e.latest[over:]...)
	}
	return n, err
}

// drain reads the rest of the body after the last part.
func (e *ending) drain() error {
	if !bytes.Contains(e.latest, e.last) {
		return errMultipart
	}
	if _, err := io.Copy(io.Discard, e.ReadCloser); err != nil {
		return e.broken(err)
	}
	return nil
}

// broken translates an error that occurred while an upload was read.
func (e *ending) broken(err error) error {
	if errors.Is(err, errMultipart) || errors.Is(err, errUploadSize) || errors.Is(err, curlew.ErrRate) || errors.Is(err, errStorage) || errors.Is(err, curlew.ErrBusy) {
		return err
	}
	if as[*http.MaxBytesError](err) {
		return errUploadSize
	}
	if e.slow || errors.Is(err, os.ErrDeadlineExceeded) {
		return errSlow // err may be about the half of a header that has arrived
	}
	return fmt.Errorf("%w: %w", errMultipart, err)
}

// errStorage means that the server cannot store an upload. The client is not at
// fault.
var errStorage = errors.New("upload cannot be stored")

func readFile(ctx context.Context, h *Handler, u *upload, part *multipart.Part, memoryOnly bool) error {
	u.name = fileName(part.Header.Get("Content-Disposition"))
	u.contentType = part.Header.Get("Content-Type")
	u.file = newSpool(ctx, h, &h.uploads, memoryOnly)
	n, err := io.Copy(u.file, io.LimitReader(part, maxFile+1))
	if n > maxFile {
		return errUploadSize
	}
	return err
}

func readOptions(part *multipart.Part) ([]byte, error) {
	options, err := io.ReadAll(io.LimitReader(part, maxOptions+1))
	if len(options) > maxOptions {
		return nil, errOptionsSize
	}
	return options, err
}

// fileName returns the file name of a part as sent, without control characters.
// It is never used as a path.
func fileName(disposition string) string {
	_, params, err := mime.ParseMediaType(disposition)
	if err != nil {
		return ""
	}
	return fileText(params["filename"])
}

// fileText returns the name of a file without control characters, limited in
// length.
func fileText(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
	if len(name) > maxFileName {
		name = strings.ToValidUTF8(name[:maxFileName], "")
	}
	return name
}

// uploadGate limits the bytes of all uploads in progress.
type uploadGate struct {
	most int64 // zero means maxUploads

	mu   sync.Mutex
	used int64 // guarded by mu
}

func (g *uploadGate) take(n int64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.used+n > cmp.Or(g.most, maxUploads) {
		return &curlew.Error{Err: curlew.ErrRate, Wait: pacing.Grace}
	}
	g.used += n
	return nil
}

func (g *uploadGate) give(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used -= n
}

// spool stores a file, first in memory. Beyond inMemory bytes, or if memory is
// scarce, it moves the file to disk, in a file without a name.
type spool struct {
	gate       *uploadGate
	ask        func(share *admission.Share, n int64) (*admission.Share, error) // reserves n more bytes of memory, and waits for them if necessary
	share      *admission.Share                                                // the reservation
	asked      int64                                                           // bytes reserved
	memoryOnly bool
	memory     bytes.Buffer
	disk       *os.File // nil while the file is in memory
	named      bool     // the file on disk could not be unlinked while open
	size       int64
}

// Write implements [io.Writer].
func (s *spool) Write(p []byte) (int, error) {
	if err := s.gate.take(int64(len(p))); err != nil {
		return 0, err
	}
	s.size += int64(len(p))
	if err := s.room(); err != nil {
		return 0, err
	}
	if s.disk == nil {
		return s.memory.Write(p)
	}
	n, err := s.disk.Write(p)
	if err != nil {
		return n, fmt.Errorf("%w: %w", errStorage, err)
	}
	return n, nil
}

// askedAtOnce is the number of bytes that are reserved at a time, because a
// buffer grows by doubling.
const askedAtOnce = 128 << 10

// room reserves memory for size bytes, or moves the file to disk.
func (s *spool) room() (err error) {
	spills := !s.memoryOnly
	for s.disk == nil && err == nil {
		switch {
		case spills && s.size > inMemory:
			if err = s.spill(); err != nil {
				err = fmt.Errorf("%w: %w", errStorage, err)
			}
		case 2*s.size <= s.asked:
			return nil
		case s.share != nil && s.share.Try(askedAtOnce):
			s.asked += askedAtOnce
		case s.share != nil && spills:
			if err = s.spill(); err != nil {
				err = fmt.Errorf("%w: %w", errStorage, err)
			}
		default:
			s.share, err = s.ask(s.share, askedAtOnce)
			s.asked += askedAtOnce
		}
	}
	return err
}

// newSpool returns a spool for the file of a request.
func newSpool(ctx context.Context, h *Handler, gate *uploadGate, memoryOnly bool) *spool {
	return &spool{gate: gate, memoryOnly: memoryOnly, ask: func(share *admission.Share, n int64) (*admission.Share, error) {
		return h.service.HoldBody(ctx, share, n, true)
	}}
}

// spill moves the bytes received so far to disk.
func (s *spool) spill() error {
	f, err := os.CreateTemp("", "curlew-upload-")
	if err != nil {
		return err
	}
	s.disk = f
	// An unlinked file disappears even if the process crashes. Windows does not
	// unlink open files.
	s.named = os.Remove(f.Name()) != nil
	_, err = f.Write(s.memory.Bytes())
	s.memory = bytes.Buffer{}
	s.share.Release()
	return err
}

// data returns the content of the file.
func (s *spool) data() io.ReaderAt {
	if s.disk != nil {
		return s.disk
	}
	return bytes.NewReader(s.memory.Bytes())
}

func (s *spool) close() {
	s.gate.give(s.size)
	s.size = 0
	s.share.Release()
	if s.disk != nil {
		_ = s.disk.Close()
		if s.named {
			_ = os.Remove(s.disk.Name())
		}
		s.disk = nil
	}
}

// unparsable returns an error if the options of an upload include some that
// apply only to web pages.
func unparsable(p *wire.Parse) error {
	not := func(name string) error { return refuse(errUnparsable, "Parse uploads do not support "+name+".") }
	switch {
	case len(p.Actions) > 0:
		return not("actions")
	case value(p.WaitFor, 0) > 0:
		return not("waitFor")
	case p.Location != nil:
		return not("location")
	case value(p.Mobile, false):
		return not("mobile")
	case value(p.Proxy, "auto") != "auto" && *p.Proxy != "basic":
		return refuse(errUnparsable, "Parse uploads only support proxy values of basic and auto.")
	}
	for i := range p.Formats {
		switch kind := p.Formats[i].Type; kind {
		case "screenshot", "branding", "changeTracking":
			return not(kind)
		case "rawBase64":
			return refuse(curlew.ErrRequest, "Parse uploads do not support rawBase64.")
		}
	}
	return nil
}
