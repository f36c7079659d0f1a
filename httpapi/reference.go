// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/job"
)

// Bounds of upload references.
const (
	referenceLife  = 10 * time.Minute
	maxUnparsed    = 10 // of a team
	unparsedWindow = 24 * time.Hour
	maxReferenced  = 1 << 30 // bytes of all files that wait
)

// Why a reference is refused.
var (
	errUnparsed  = errors.New("too many uploads wait to be parsed")
	errNoUploads = errors.New("upload references are switched off")
	errReference = errors.New("upload reference is of another team")
	errNoUpload  = errors.New("Upload not found")    //nolint:staticcheck // the wire's text
	errUploaded  = errors.New("Upload already done") //nolint:staticcheck // the wire's text
)

// reference is the content of an upload reference. It is signed, so that a forged one is
// refused without a lookup.
type reference struct {
	ID, Team, Name string
	Expires        int64 // Unix milliseconds
	Shared         bool  `json:",omitempty"` // the upload is in the Uploads of the options, not in this process
}

// references holds the uploaded files that wait to be parsed in this process: all of them
// without Uploads, and otherwise those of which nothing may be kept. A reference is valid
// for ten minutes and one use.
type references struct {
	gate uploadGate

	mu       sync.Mutex
	secret   []byte                 // guarded by mu; set at the first use
	waiting  map[string]*pending    // guarded by mu; by id
	unparsed map[string][]time.Time // guarded by mu; by team: when references were made that have not been parsed
}

// pending is one upload.
type pending struct {
	reference
	contentType string
	memoryOnly  bool // nothing of the file is written to disk
	made        time.Time
	file        *spool // nil until it was uploaded
	taken       bool   // a PUT or a parse uses it
	timer       *time.Timer
}

// sign returns the reference as text.
func (ref reference) sign(secret []byte) (string, error) {
	payload, err := json.Marshal(ref)
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(payload)
	return text + "." + base64.RawURLEncoding.EncodeToString(mac(secret, text)), nil
}

func mac(secret []byte, text string) []byte {
	m := hmac.New(sha256.New, secret)
	m.Write([]byte(text))
	return m.Sum(nil)
}

// uploadSecret returns the key that signs references.
func (h *Handler) uploadSecret(ctx context.Context) ([]byte, error) {
	r := &h.references
	r.mu.Lock()
	secret := r.secret
	r.mu.Unlock()
	if secret != nil {
		return secret, nil
	}
	if store := h.options.Uploads; store != nil {
		var err error
		if secret, err = store.Secret(ctx); err != nil {
			return nil, err
		}
	} else {
		secret = make([]byte, sha256.Size)
		rand.Read(secret) // never fails (crypto/rand)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.secret == nil {
		r.secret = secret
	}
	return r.secret, nil
}

// reference returns the reference of a text that was signed and has not expired.
func (h *Handler) reference(ctx context.Context, text string) (reference, error) {
	var ref reference
	bad := refuse(curlew.ErrRequest, "Invalid or expired upload reference")
	payload, signed, _ := strings.Cut(text, ".")
	sum, err := base64.RawURLEncoding.DecodeString(signed)
	if err != nil {
		return ref, bad
	}
	secret, err := h.uploadSecret(ctx)
	if err != nil {
		return ref, err
	}
	if !hmac.Equal(sum, mac(secret, payload)) {
		return ref, bad
	}
	raw, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil || json.Unmarshal(raw, &ref) != nil || time.Now().UnixMilli() >= ref.Expires || ref.Shared && h.options.Uploads == nil {
		return ref, bad
	}
	return ref, nil
}

// admit counts a new reference of a team.
func (r *references) admit(p *pending) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.unparsed[p.Team]
	old = sorting.Without(old, func(at time.Time) bool { return p.made.Sub(at) >= unparsedWindow })
	if len(old) >= maxUnparsed {
		return tooMany(unparsedWindow - p.made.Sub(old[0]))
	}
	if r.waiting == nil {
		r.waiting, r.unparsed = map[string]*pending{}, map[string][]time.Time{}
	}
	r.unparsed[p.Team] = append(old, p.made)
	r.waiting[p.ID] = p
	p.timer = time.AfterFunc(referenceLife, func() { r.forget(p) })
	return nil
}

// tooMany refuses an upload of a team that has not had others parsed.
func tooMany(wait time.Duration) error {
	return &curlew.Error{Err: errUnparsed, Text: "Too many uploads have not been parsed.", Wait: wait}
}

// forget drops an upload that was never parsed, with its bytes. An upload in use is dropped
// when that ends.
func (r *references) forget(p *pending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.waiting, p.ID)
	if p.file != nil && !p.taken {
		p.file.close()
		p.file = nil
	}
}

// take reserves the upload of ref for a caller that fills it, or parses it if filled is set.
func (r *references) take(ref reference, filled bool) (*pending, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.waiting[ref.ID]
	switch {
	case p == nil && filled:
		return nil, errUsed()
	case p == nil:
		return nil, errNoUpload
	case filled && (p.file == nil || p.taken):
		return nil, errNotFilled()
	case !filled && (p.file != nil || p.taken):
		return nil, errUploaded
	}
	p.taken = true
	return p, nil
}

func errUsed() error {
	return refuse(curlew.ErrRequest, "The upload reference has been used, or its file was never uploaded")
}

func errNotFilled() error {
	return refuse(curlew.ErrRequest, "The file of the upload reference has not been uploaded")
}

// filled ends a PUT with its file. The file is nil if the PUT failed and may be repeated.
func (r *references) filled(p *pending, file *spool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.taken = false
	if file == nil {
		return
	}
	if r.waiting[p.ID] == nil { // it has expired meanwhile
		file.close()
		return
	}
	p.file = file
}

// parsed ends the life of an upload whose file has been read.
func (r *references) parsed(p *pending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.timer.Stop()
	delete(r.waiting, p.ID)
	p.file.close()
	list := r.unparsed[p.Team]
	if i := slices.Index(list, p.made); i >= 0 {
		r.unparsed[p.Team] = slices.Delete(list, i, i+1)
	}
	if len(r.unparsed[p.Team]) == 0 {
		delete(r.unparsed, p.Team)
	}
}

// uploadURL serves POST /v2/parse/upload-url.
func uploadURL(h *Handler, c *call) error {
	body, err := h.body(c)
	if err != nil {
		return err
	}
	if h.options.NoUploadReferences {
		return refuse(errNoUploads, "Upload references are switched off on this server.")
	}
	req, err := wire.DecodeUpload(body)
	if err != nil {
		return err
	}
	secret, err := h.uploadSecret(c.ctx())
	if err != nil {
		return err
	}
	now := time.Now()
	p := &pending{
		reference:   reference{ID: job.NewID(), Team: c.team.ID, Name: req.Name, Expires: now.Add(referenceLife).UnixMilli()},
		contentType: value(req.ContentType, ""),
		memoryOnly:  c.team.Policy.ZeroRetention != account.RetentionOff,
		made:        now,
	}
	p.Shared = h.options.Uploads != nil && !p.memoryOnly
	text, err := p.sign(secret)
	if err != nil {
		return err
	}
	if p.Shared {
		err = addShared(c.ctx(), h, p)
	} else {
		err = h.references.admit(p)
	}
	if err != nil {
		return err
	}
	data, err := jsonenc.Encode(wire.UploadTarget{
		UploadURL:    c.base + "/v2/parse/upload/" + p.ID + "?uploadRef=" + text,
		UploadRef:    text,
		Method:       http.MethodPut,
		Headers:      map[string]string{},
		ExpiresAt:    jsonenc.Time(now.Add(referenceLife)),
		MaxSizeBytes: wire.MaxUpload,
	})
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, wire.Data{Success: true, Data: data})
}

// putUpload serves PUT /v2/parse/upload/{id}: its key is the reference.
func putUpload(h *Handler, c *call) error {
	ref, err := h.reference(c.ctx(), c.r.URL.Query().Get("uploadRef"))
	if err != nil {
		return err
	}
	if ref.ID != c.param {
		return errNoUpload
	}
	known(c.ctx())
	if c.r.ContentLength > maxFile {
		return errUploadSize
	}
	if ref.Shared {
		if err := fillShared(c.ctx(), h, c, ref); err != nil {
			return err
		}
		return c.answer(http.StatusOK, map[string]bool{"success": true})
	}
	p, err := h.references.take(ref, false)
	if err != nil {
		return err
	}
	file, err := receive(c.ctx(), h, c, p.memoryOnly)
	h.references.filled(p, file)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, map[string]bool{"success": true})
}

// receive reads the file of a PUT. After an error, the file is nil.
func receive(ctx context.Context, h *Handler, c *call, memoryOnly bool) (*spool, error) {
	file := newSpool(ctx, h, &h.references.gate, memoryOnly)
	n, err := io.Copy(file, io.LimitReader(c.r.Body, maxFile+1))
	if n > maxFile {
		err = errUploadSize
	}
	if err != nil {
		file.close()
		if errors.Is(err, errUploadSize) || errors.Is(err, curlew.ErrRate) || errors.Is(err, errStorage) || errors.Is(err, errCoding) || errors.Is(err, curlew.ErrBusy) {
			return nil, err
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, errSlow
		}
		return nil, refuse(curlew.ErrRequest, "The upload was cut off")
	}
	return file, nil
}

// parseReference serves POST /v2/parse with the reference of an uploaded file.
func parseReference(h *Handler, c *call) error {
	body, err := h.body(c)
	if err != nil {
		return err
	}
	text, req, err := wire.DecodeReference(body, h.wireOptions())
	if err := notObject(err); err != nil && !as[*wire.Error](err) {
		return err
	}
	if text == nil {
		return cmp.Or(err, refuse(curlew.ErrRequest, "Missing file upload: send multipart/form-data with a file part, or an uploadRef"))
	}
	req, page, over, err := checkParse(h, req, err)
	if err != nil {
		return err
	}
	ref, err := h.reference(c.ctx(), *text)
	if err != nil {
		return err
	}
	if ref.Team != c.team.ID {
		return refuse(errReference, "The upload reference belongs to another team.")
	}
	if ref.Shared {
		u, remove, err := takeShared(c.ctx(), h, ref)
		if err != nil {
			return err
		}
		defer remove()
		return parseFile(h, c, u, req, page, over)
	}
	p, err := h.references.take(ref, true)
	if err != nil {
		return err
	}
	defer h.references.parsed(p)
	return parseFile(h, c, &upload{name: fileText(p.Name), contentType: p.contentType, file: p.file}, req, page, over)
}

// removeIn is how long the removal of an upload may take after the answer.
const removeIn = 10 * time.Second

// addShared registers an upload for all processes.
func addShared(ctx context.Context, h *Handler, p *pending) error {
	wait, err := h.options.Uploads.Add(ctx,
		&job.Upload{ID: p.ID, Team: p.Team, Name: fileText(p.Name), ContentType: p.contentType},
		job.UploadLimits{Life: referenceLife, Most: maxUnparsed, Window: unparsedWindow})
	if err == nil && wait > 0 {
		return tooMany(wait)
	}
	return err
}

// fillShared stores the body of a PUT for all processes.
func fillShared(ctx context.Context, h *Handler, c *call, ref reference) error {
	// A client that repeats its upload learns it before it has sent the file again.
	if err := h.options.Uploads.Check(ctx, ref.ID); err != nil {
		return fillError(err)
	}
	file, err := receive(ctx, h, c, false)
	if err != nil {
		return err
	}
	defer file.close()
	memory, err := h.service.HoldBody(ctx, nil, min(file.size, job.UploadPart), true)
	defer memory.Release()
	if err != nil {
		return err
	}
	return fillError(h.options.Uploads.Fill(ctx, ref.ID, io.NewSectionReader(file.data(), 0, file.size), file.size))
}

// fillError translates an error of Check and Fill of [job.Uploads].
func fillError(err error) error {
	switch {
	case errors.Is(err, job.ErrNotFound):
		return errNoUpload
	case errors.Is(err, job.ErrUploaded):
		return errUploaded
	}
	return err
}

// takeShared reads an upload that any process has received. The caller must close the
// upload by calling remove, which also removes it for all processes.
func takeShared(ctx context.Context, h *Handler, ref reference) (u *upload, remove func(), err error) {
	store := h.options.Uploads
	stored, err := store.Take(ctx, ref.ID)
	switch {
	case errors.Is(err, job.ErrNotFound):
		return nil, nil, errUsed()
	case errors.Is(err, job.ErrNoUpload):
		return nil, nil, errNotFilled()
	case err != nil:
		return nil, nil, err
	}
	u = &upload{name: stored.Name, contentType: stored.ContentType, file: newSpool(ctx, h, &h.references.gate, false)}
	remove = func() {
		u.close()
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeIn)
		defer cancel()
		if err := store.Remove(ending, ref.ID); err != nil {
			h.logger().WarnContext(ending, "an upload that was parsed stays until it expires", slog.Any("err", err))
		}
	}
	memory, err := h.service.HoldBody(ctx, nil, min(stored.Size, job.UploadPart), true)
	defer memory.Release()
	if err == nil {
		err = store.Read(ctx, ref.ID, u.file)
	}
	if err != nil {
		remove()
		return nil, nil, err
	}
	return u, remove, nil
}
