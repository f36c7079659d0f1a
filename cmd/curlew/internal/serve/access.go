// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/observe"
)

// front contains the flags for serving the API.
type front struct {
	addr, base, log *string
	trust, asJSON   *bool
}

func frontFlags(flags *flag.FlagSet) front {
	return front{
		addr:   flags.String("addr", "127.0.0.1:3002", "`address` to serve on"),
		asJSON: flags.Bool("json", false, "write the log, and the line that says where the server listens, as JSON"),
		base:   flags.String("base-url", "", "public `URL` of the server, with which URLs in responses start; if empty, they start with the scheme and host of the request"),
		trust:  flags.Bool("trust-proxy", false, "if -base-url is not set, take scheme, host and prefix from X-Forwarded-Proto, -Host and -Prefix; use it only behind a proxy that sets or removes all three"),
		log:    flags.String("access-log", "", "write a line of JSON for each request to this `file`; - means standard output"),
	}
}

// logger returns the logger that writes to w.
func (f front) logger(w io.Writer) *slog.Logger {
	if *f.asJSON {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// ready prints where the server listens, and the key that it has created, if any.
func (f front) ready(out io.Writer, l net.Listener, key string) error {
	url := "http://" + l.Addr().String()
	if *f.asJSON {
		return json.NewEncoder(out).Encode(struct {
			URL string `json:"url"`
			Key string `json:"key,omitempty"`
		}{url, key})
	}
	if key != "" {
		if _, err := fmt.Fprintf(out, "key %s\n", key); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "curlew listens on %s\n", url)
	return err
}

// handler returns the handler that serves the API of s. common is what it shares with
// other servers. The caller must call the function after the server has stopped.
func (f front) handler(s *curlew.Service, common *shared, auth httpapi.Authenticator, out io.Writer, logger *slog.Logger) (http.Handler, func() error, error) {
	if *f.base != "" && *f.trust {
		return nil, nil, errors.New("-trust-proxy has no effect with -base-url: use only one of them")
	}
	options := httpapi.Options{
		Authenticator: auth, Limiter: common.limiter, ThreatPolicies: common.policies, Uploads: common.uploads, Logger: logger,
		BaseURL: fetch.AddScheme(*f.base), TrustProxyHeaders: *f.trust,
	}
	if *f.log == "" {
		handler, err := httpapi.NewHandler(s, &options)
		return handler, func() error { return nil }, err
	}
	log, err := openAccessLog(*f.log, out, logger)
	if err != nil {
		return nil, nil, fmt.Errorf("-access-log: %w", err)
	}
	s.Trace = observe.Join(log.trace(), s.Trace)
	handler, err := httpapi.NewHandler(s, &options)
	if err != nil {
		return nil, nil, errors.Join(err, log.Close())
	}
	return log.over(handler), log.Close, nil
}

// accessLog writes one line of JSON for each request after its response. The
// line contains neither headers nor the query, which may sign an upload.
type accessLog struct {
	lines  *slog.Logger
	file   io.WriteCloser // nil for standard output, which is not closed here
	faults *slog.Logger
	lost   atomic.Int64 // number of lines that could not be written
}

// openAccessLog opens the log that -access-log names: a file to append to, or
// out for "-".
func openAccessLog(name string, out io.Writer, faults *slog.Logger) (*accessLog, error) {
	a := &accessLog{faults: faults}
	if name != "-" {
		file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) // #nosec G304 -- the operator's own file
		if err != nil {
			return nil, err
		}
		a.file, out = file, file
	}
	a.lines = slog.New(slog.NewJSONHandler(counted{out, a}, nil))
	return a, nil
}

// counted is a writer that counts the lines that cannot be written.
type counted struct {
	io.Writer
	log *accessLog
}

// Write implements [io.Writer].
func (c counted) Write(line []byte) (int, error) {
	n, err := c.Writer.Write(line)
	if err != nil && c.log.lost.Add(1) == 1 {
		c.log.faults.Error("the access log cannot be written; the number of lost lines follows at the end", "err", err)
	}
	return n, err
}

// Close closes the file and logs how many lines were lost.
func (a *accessLog) Close() error {
	if n := a.lost.Load(); n > 0 {
		a.faults.Error("lines of the access log are lost", "count", n)
	}
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

// visit contains additional data of a line. The trace of the Service sets route
// and team.
type visit struct {
	start       time.Time
	route, team string
}

type visitKey struct{}

// trace returns a trace that records the route and the team of each request.
func (a *accessLog) trace() *observe.Trace {
	return &observe.Trace{Request: func(ctx context.Context, r observe.Request) (context.Context, func(observe.RequestEnd)) {
		v, ok := ctx.Value(visitKey{}).(*visit)
		if !ok {
			return nil, nil
		}
		v.route = r.Route
		return nil, func(end observe.RequestEnd) { v.team = end.Team }
	}}
}

// over returns a handler that logs the requests to h.
func (a *accessLog) over(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, answer := &visit{start: time.Now()}, &answer{ResponseWriter: w}
		ctx := context.WithValue(r.Context(), visitKey{}, v)
		defer a.write(ctx, r, answer, v) // also if the handler aborts the connection
		h.ServeHTTP(answer, r.WithContext(ctx))
	})
}

// write writes the line of one request.
func (a *accessLog) write(ctx context.Context, r *http.Request, w *answer, v *visit) {
	client, _, _ := net.SplitHostPort(r.RemoteAddr)
	a.lines.LogAttrs(ctx, slog.LevelInfo, "request",
		slog.String("request", w.Header().Get("X-Request-Id")),
		slog.String("client", client),
		slog.String("team", v.team),
		slog.String("method", r.Method),
		slog.String("path", r.URL.Path),
		slog.String("route", v.route),
		slog.Int("status", w.status),
		slog.Int64("bytes", w.bytes),
		slog.Float64("seconds", time.Since(v.start).Seconds()),
	)
}

// answer is an http.ResponseWriter that counts the bytes written.
type answer struct {
	http.ResponseWriter
	status int // zero if none was sent
	bytes  int64
}

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	if a.status < http.StatusOK { // 1xx responses precede the final status, except for 101, which is final
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(b)
	a.bytes += int64(n)
	return n, err
}

// Unwrap gives [http.ResponseController] and the WebSocket upgrade access to
// the original writer.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
