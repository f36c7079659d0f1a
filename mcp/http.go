// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/curlew/client"
)

// noJob is the id of a job that does not exist. Asking for it tells whether a key is valid.
const noJob = "00000000-0000-7000-8000-000000000000"

// NewHandler serves MCP over HTTP, without sessions. connect returns the client for the
// bearer key of a request, which may be empty. A request whose key the API refuses gets
// status 401. Options.Files is ignored, because clients must not read the files of the
// server.
func NewHandler(connect func(key string) *client.Client, o *Options) http.Handler {
	how := Options{}
	if o != nil {
		how = *o
	}
	how.Files = false
	stream := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		return NewServer(connect(bearer(r)), &how)
	}, &sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	checked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := connect(bearer(r)).Do(r.Context(), http.MethodGet, "/v2/crawl/"+noJob, nil, nil)
		e, ok := errors.AsType[*client.Error](err)
		switch {
		case ok && e.Status == http.StatusNotFound:
			stream.ServeHTTP(w, r)
		case ok && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, e.Message, e.Status)
		default:
			http.Error(w, "The API cannot be reached.", http.StatusBadGateway)
		}
	})
	return http.NewCrossOriginProtection().Handler(checked)
}

// bearer returns the key of a request, or "".
func bearer(r *http.Request) string {
	scheme, key, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(key)
}

// Local returns an http.Client whose requests go to h in the same process.
func Local(h http.Handler) *http.Client { return &http.Client{Transport: local{h}} }

// local serves requests by a handler.
type local struct{ h http.Handler }

// RoundTrip implements [http.RoundTripper].
func (l local) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	in := r.Clone(r.Context())
	in.RequestURI, in.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:0"
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	defer in.Body.Close()
	defer func() {
		if v := recover(); v != nil {
			resp, err = nil, errors.New("the handler aborted the answer")
		}
	}()
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	l.h.ServeHTTP(w, in)
	if err := context.Cause(r.Context()); err != nil {
		return nil, err
	}
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// recorder is an [http.ResponseWriter] that keeps the response in memory.
type recorder struct {
	header http.Header
	status int
	sent   bool
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if !w.sent && status >= http.StatusOK {
		w.status, w.sent = status, true
	}
}

func (w *recorder) Write(b []byte) (int, error) {
	w.sent = true
	return w.body.Write(b)
}
