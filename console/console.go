// SPDX-License-Identifier: Apache-2.0

// Package console serves a page on which people can look at a Service: start
// crawls and agents, watch pages arrive, ask why a URL was left out, and read
// documents beside their source.
//
// The page is embedded. It needs no build step and no other server, and it loads
// nothing from elsewhere. It calls the v2 contract of package httpapi, which must
// be served by the same host, and a few routes of its own below api, which only
// read. Mount it next to the contract:
//
//	mux.Handle("/v2/", handler)
//	mux.Handle("/console/", view)
//
// # Security
//
// The page keeps the API key in memory only, so a reload asks for it again. There
// is no cookie. The content security policy allows scripts and styles of this
// package and no others. Text of foreign pages is shown as text. Rendered
// documents consist of the elements and attributes on a fixed list and are shown
// in a sandboxed frame, whose own policy forbids scripts, forms and requests.
package console

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"hash/fnv"
	"log/slog"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// Options configure a [Handler].
type Options struct {
	// Authenticator returns the team of a request, as in [httpapi.Options]. Use the
	// same one. If it is nil, InsecureNoAuth must be set, and all requests belong to
	// the team "default".
	Authenticator  httpapi.Authenticator
	InsecureNoAuth bool

	Keys    *account.Keys // keys that the page lists; nil if the host does not store keys
	Trail   *Trail        // audit events that the page shows; nil if the host does not collect them
	Version string        // version of the program; may be empty
	Logger  *slog.Logger  // nil logs nothing
}

// Handler serves the console under /console. It is safe for concurrent use.
type Handler struct {
	service  *curlew.Service
	options  Options
	mux      *http.ServeMux
	previews previews
	work     chan struct{} // holds an element for each document or picture that is made
	began    time.Time
}

// maxWork is the number of documents and pictures that are made at once.
const maxWork = 2

// static contains the files of the folder of this name: a JSON object with their texts by name, compressed with
// gzip, so that programs are smaller. TestStatic writes it with -update.
//
//go:embed static.json.gz
var static []byte

// file is one embedded file.
type file struct {
	data      []byte
	media, id string
}

// New returns a handler that shows s. It returns an error if s is nil, or if there is no
// Authenticator and InsecureNoAuth is not set.
func New(s *curlew.Service, o *Options) (*Handler, error) {
	h := &Handler{service: s, mux: http.NewServeMux(), work: make(chan struct{}, maxWork), began: time.Now()}
	if o != nil {
		h.options = *o
	}
	switch {
	case s == nil:
		return nil, errors.New("new console: no Service")
	case h.options.Authenticator == nil && !h.options.InsecureNoAuth:
		return nil, errors.New("new console: no Authenticator, and InsecureNoAuth is not set")
	}
	if h.options.Logger == nil {
		h.options.Logger = slog.New(slog.DiscardHandler)
	}
	h.mux.HandleFunc("GET /console/{$}", func(w http.ResponseWriter, r *http.Request) { h.send(w, r, "index.html") })
	h.mux.HandleFunc("GET /console/static/{name}", func(w http.ResponseWriter, r *http.Request) { h.send(w, r, r.PathValue("name")) })
	h.mux.HandleFunc("GET /console/preview/{token}", h.preview)
	h.mux.HandleFunc("GET /console/api/system", h.system) // keyless: the page must know whether to ask for a key
	h.api("GET /console/api/jobs", h.jobs)
	h.api("GET /console/api/jobs/{id}/pages", h.pages)
	h.api("GET /console/api/jobs/{id}/unseen", h.unseen)
	h.api("GET /console/api/jobs/{id}/request", h.request)
	h.api("GET /console/api/keys", h.keys)
	h.api("GET /console/api/audit", h.audit)
	h.api("POST /console/api/code/{call}", h.code)
	h.api("POST /console/api/preview", h.newPreview)
	h.api("POST /console/api/picture", h.picture)
	return h, nil
}

// media are the media types of the embedded files by extension. The tables of the system
// are not read: they would take longer than the rest of a start, and could be wrong.
var media = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// files returns the embedded files by name. They are not read before the first request,
// so that a server whose console nobody opens does not hold them in memory.
var files = sync.OnceValues(func() (map[string]file, error) {
	r, err := gzip.NewReader(bytes.NewReader(static))
	if err != nil {
		return nil, err
	}
	var texts map[string]string
	if err := json.NewDecoder(r).Decode(&texts); err != nil {
		return nil, err
	}
	all := map[string]file{}
	for name, text := range texts {
		sum := fnv.New64a()
		sum.Write([]byte(text))
		all[name] = file{[]byte(text), media[path.Ext(name)], `"` + strconv.FormatUint(sum.Sum64(), 36) + `"`}
	}
	return all, nil
})

// policy is the content security policy of the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; frame-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// ServeHTTP serves one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/console" {
		w.Header().Set("Location", "console/") // relative, so that it is right below any prefix
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.mux.ServeHTTP(w, r)
}

// send sends an embedded file.
func (h *Handler) send(w http.ResponseWriter, r *http.Request, name string) {
	all, err := files()
	if err != nil {
		h.answer(w, r, nil, err)
		return
	}
	f, ok := all[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	header := w.Header()
	header.Set("Cache-Control", "no-cache") // the next version has the same names
	header.Set("ETag", f.id)
	if r.Header.Get("If-None-Match") == f.id {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Type", f.media)
	header.Set("Content-Length", strconv.Itoa(len(f.data)))
	_, _ = w.Write(f.data) // HEAD discards it
}

// asked is a request of a known team.
type asked struct {
	*http.Request
	team account.Team
}

// api adds a route that needs a key. Its function returns the value of the answer.
// It is not inlined, because each copy would have its own function inside.
//
//go:noinline
func (h *Handler) api(pattern string, serve func(http.ResponseWriter, asked) (any, error)) {
	h.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		team, err := h.team(r)
		var answer any
		if err == nil {
			answer, err = serve(w, asked{r, team})
		}
		h.answer(w, r, answer, err)
	})
}

// team returns the team of a request.
func (h *Handler) team(r *http.Request) (account.Team, error) {
	if h.options.Authenticator == nil {
		return account.Team{ID: "default"}, nil
	}
	scheme, key, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		key = ""
	}
	return h.options.Authenticator(r, strings.TrimSpace(key))
}

// fault is an error whose text the page shows.
type fault struct {
	status int
	text   string
}

func (f fault) Error() string { return f.text }

// answer writes a value, or an error in the form of the contract. A nil value means that
// the answer has been written.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, value any, err error) {
	status := http.StatusOK
	if err != nil {
		var text string
		switch f, ok := errors.AsType[fault](err); {
		case ok:
			status, text = f.status, f.text
		case errors.Is(err, account.ErrKey):
			status, text = http.StatusUnauthorized, "This server does not know the key."
		case errors.Is(err, account.ErrForbidden):
			status, text = http.StatusForbidden, "The key may not make this request."
		case errors.Is(err, job.ErrNotFound):
			status, text = http.StatusNotFound, "There is no such job. It may have expired."
		case errors.Is(err, curlew.ErrBusy):
			status, text = http.StatusServiceUnavailable, "The server is busy. Try again soon."
		case r.Context().Err() != nil:
			return // nobody reads the answer
		default:
			h.options.Logger.ErrorContext(r.Context(), "console", "path", r.URL.Path, "err", err)
			status, text = http.StatusInternalServerError, "The server could not answer. Its log says why."
		}
		value = map[string]any{"success": false, "error": text}
	}
	if value == nil {
		return
	}
	body, err := json.Marshal(value)
	if err != nil {
		h.options.Logger.ErrorContext(r.Context(), "console", "path", r.URL.Path, "err", err)
		status, body = http.StatusInternalServerError, []byte(`{"success":false,"error":"The answer could not be written."}`)
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// begin waits for a turn to make a document or a picture. The caller must call the
// function at the end.
func (h *Handler) begin(ctx context.Context) (func(), error) {
	select {
	case h.work <- struct{}{}:
		return func() { <-h.work }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
