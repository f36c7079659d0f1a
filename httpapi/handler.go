// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/httpapi/internal/pacing"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/service/admission"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
	"example.com/curlew/observe"
	"example.com/curlew/threat"
)

// Options configure a [Handler].
type Options struct {
	// Authenticator returns the team of a request. If it is nil, InsecureNoAuth
	// must be set, and all requests belong to the team "default".
	Authenticator  Authenticator
	InsecureNoAuth bool

	// BaseURL is the beginning of URLs in answers. Empty means the scheme, the
	// Host and the prefix of the request, also if http.StripPrefix has removed
	// the prefix.
	BaseURL string
	// TrustProxyHeaders uses X-Forwarded-Proto, -Host and -Prefix instead. Set it only
	// behind a proxy that sets them.
	TrustProxyHeaders bool

	MaxBody           int64 // maximum size of a JSON body, in bytes; zero means 10 MiB
	LenientKeys       bool  // ignore unknown names in requests, except in policies
	NextWhileScraping bool  // every answer about a running job has next, as in the public API
	NoCORS            bool  // no Access-Control headers, no preflight
	InlineFiles       bool  // pictures and PDFs of pages are data URLs in the answers, instead of URLs of this handler

	// NoUploadReferences disables /v2/parse/upload-url. Then files must be sent
	// with the request that parses them.
	NoUploadReferences bool

	// Uploads stores the files of upload references, so that a file can be uploaded to one
	// process and parsed by another. If it is nil, they stay in this process. Files of teams
	// that may ask for zero data retention always do.
	Uploads job.Uploads

	// ThreatPolicies stores the threat policies that teams set by PUT
	// /v2/team/threat-protection. They apply to the requests of the team within what
	// the policy of the Authenticator enforces. If it is nil, teams cannot set one.
	ThreatPolicies account.ThreatPolicies

	// Limiter counts the requests of teams whose policy has Rates. If it is nil, the
	// Handler counts its own requests in memory.
	Limiter account.Limiter

	Logger *slog.Logger // nil logs nothing
}

// Handler serves the contract under /v2, and its description as an OpenAPI document at
// /openapi.json. It is safe for concurrent use.
//
// Answers to requests with an X-Idempotency-Key are kept for 24 hours, up to 32
// MiB of a team and 256 MiB of all teams. Beyond that a new key gets status 429 and a
// Retry-After that lasts until the oldest answer is forgotten. No answer is
// forgotten earlier, because its request would then be served twice.
type Handler struct {
	service    *curlew.Service
	options    Options
	routes     []route
	buckets    account.Buckets // if there is no Limiter
	uploads    uploadGate
	references references
	recent     recent

	description func() ([]byte, error) // describe, which runs at the first request for it
}

// route is one endpoint. In its pattern {id} stands for one segment.
type route struct {
	method, pattern string
	class           class
	scope           scope
	serve           func(*Handler, *call) error
	keyless         bool   // needs no key: the URL is signed, or the answer is the same for everyone
	watch           string // kind of the jobs that a WebSocket on the route watches; empty if it has none
	segments        []string
}

var routes = []route{
	{method: "POST", pattern: "/v2/crawl", class: classCrawl, scope: crawlStarts, serve: startCrawl},
	{method: "POST", pattern: "/v2/crawl/params-preview", class: classCrawl, serve: previewCrawl},
	{method: "GET", pattern: "/v2/crawl/active", class: classStatus, serve: activeCrawls},
	{method: "GET", pattern: "/v2/crawl/ongoing", class: classStatus, serve: activeCrawls},
	{method: "GET", pattern: "/v2/crawl/{id}", class: classStatus, serve: statusOf(curlew.KindCrawl), watch: curlew.KindCrawl},
	{method: "DELETE", pattern: "/v2/crawl/{id}", class: classStatus, serve: cancelOf(curlew.KindCrawl)},
	{method: "GET", pattern: "/v2/crawl/{id}/errors", class: classStatus, serve: errorsOf(curlew.KindCrawl)},
	{method: "GET", pattern: "/v2/crawl/{id}/export", class: classStatus, serve: exportOf(curlew.KindCrawl)},
	{method: "GET", pattern: "/v2/crawl/{id}/explain", class: classStatus, serve: explainCrawl},
	{method: "POST", pattern: "/v2/batch/scrape", class: classCrawl, serve: startBatch},
	{method: "GET", pattern: "/v2/batch/scrape/{id}", class: classStatus, serve: statusOf(curlew.KindBatch), watch: curlew.KindBatch},
	{method: "DELETE", pattern: "/v2/batch/scrape/{id}", class: classStatus, serve: cancelOf(curlew.KindBatch)},
	{method: "GET", pattern: "/v2/batch/scrape/{id}/errors", class: classStatus, serve: errorsOf(curlew.KindBatch)},
	{method: "GET", pattern: "/v2/batch/scrape/{id}/export", class: classStatus, serve: exportOf(curlew.KindBatch)},
	{method: "POST", pattern: "/v2/parse", class: classParse, scope: uploads, serve: parseUpload},
	{method: "POST", pattern: "/v2/parse/upload-url", class: classParse, serve: uploadURL},
	{method: "PUT", pattern: "/v2/parse/upload/{id}", serve: putUpload, keyless: true},
	{method: "POST", pattern: "/v2/scrape", class: classScrape, scope: pages, serve: scrapePage},
	{method: "GET", pattern: "/v2/scrape/{id}", class: classStatus, serve: scrapedPage},
	{method: "GET", pattern: "/v2/files/{id}/{sid}", serve: serveFile, keyless: true},
	{method: "POST", pattern: "/v2/map", class: classMap, scope: mappings, serve: mapSite},
	{method: "POST", pattern: "/v2/agent", class: classAgent, serve: startAgent},
	{method: "GET", pattern: "/v2/agent", class: classStatus, serve: listAgents},
	{method: "GET", pattern: "/v2/agent/{id}", class: classStatus, serve: agentStatus},
	{method: "DELETE", pattern: "/v2/agent/{id}", class: classStatus, serve: cancelAgent},
	{method: "POST", pattern: "/v2/agent/{id}/stop", class: classStatus, serve: stopAgent},
	{method: "GET", pattern: "/v2/agent/{id}/trace", class: classStatus, serve: agentTrace},
	{method: "GET", pattern: "/v2/agent/{id}/events", class: classStatus, serve: watchAgent},
	{method: "GET", pattern: "/v2/agent/{id}/snapshots/{sid}", class: classStatus, serve: agentSnapshot},
	{method: "POST", pattern: "/v2/search", class: classSearch, scope: pages, serve: searchWeb},
	{method: "POST", pattern: "/v2/extract", class: classAgent, serve: startExtract},
	{method: "GET", pattern: "/v2/extract/{id}", class: classStatus, serve: extractStatus},
	{method: "GET", pattern: "/v2/team/threat-protection", class: classAccount, serve: threatPolicy},
	{method: "PUT", pattern: "/v2/team/threat-protection", class: classAccount, serve: setThreatPolicy},
	{method: "GET", pattern: "/v2/team/credit-usage/historical", class: classAccount, serve: creditHistory},
	{method: "GET", pattern: "/v2/team/token-usage/historical", class: classAccount, serve: tokenHistory},
	{method: "GET", pattern: "/v2/team/activity", class: classAccount, serve: teamActivity},
	{method: "GET", pattern: "/v2/team/credit-usage", class: classAccount, serve: creditUsage},
	{method: "GET", pattern: "/v2/team/token-usage", class: classAccount, serve: tokenUsage},
	{method: "GET", pattern: "/v2/team/queue-status", class: classAccount, serve: queueStatus},
	{method: "GET", pattern: "/v2/concurrency-check", class: classAccount, serve: concurrencyCheck},
	{method: "GET", pattern: "/openapi.json", serve: describeAPI, keyless: true},
}

// NewHandler returns a handler that serves s. It returns an error if there is no
// Authenticator and InsecureNoAuth is not set, if BaseURL is not a URL or has a query or a fragment, or if a bound or a
// time is negative. Nil options are the zero Options.
func NewHandler(s *curlew.Service, how *Options) (*Handler, error) {
	if s == nil {
		return nil, errors.New("new handler: no Service")
	}
	var o Options
	if how != nil {
		o = *how
	}
	if o.Authenticator == nil && !o.InsecureNoAuth {
		return nil, errors.New("new handler: no Authenticator, and InsecureNoAuth is not set")
	}
	if o.BaseURL != "" {
		if _, err := weburl.Parse(o.BaseURL); err != nil {
			return nil, fmt.Errorf("new handler: BaseURL: %w", err)
		}
		if strings.ContainsAny(o.BaseURL, "?#") {
			return nil, errors.New("new handler: BaseURL: a path follows it, so it cannot have a query or a fragment")
		}
		o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	}
	switch {
	case o.MaxBody < 0:
		return nil, errors.New("new handler: MaxBody is negative")
	case s.Keep < 0:
		return nil, errors.New("new handler: Keep of the Service is negative")
	case o.MaxBody == 0:
		o.MaxBody = 10 << 20
	}
	h := &Handler{service: s, options: o, routes: slices.Clone(routes)}
	h.references.gate.most = maxReferenced
	h.description = sync.OnceValues(h.describe)
	for i := range h.routes {
		h.routes[i].segments = strings.Split(h.routes[i].pattern, "/")
	}
	return h, nil
}

// call is one request while it is served.
type call struct {
	w     *responder
	r     *http.Request
	id    string // ID of the request
	param string // the {id} of the path
	base  string // beginning of URLs in the answer
	team  account.Team
	route *route
	paced *pacing.Body     // the body of the request, or nil
	share *admission.Share // share of the memory for bodies, or nil

	operator threat.Team // what the Authenticator says about threat protection, without the team's own policy
}

// ServeHTTP serves one request: it checks the route, the key, the rate and the body, in
// this order. After the first 10 seconds
// the body must arrive at 16 KiB a second or more, and JSON within 10 seconds. Otherwise
// the answer is 408 and the connection is closed. It is also closed if the body is not read.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { pacing.Serve(w, r, h.serveHTTP) }

func (h *Handler) serveHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{w: &responder{ResponseWriter: w, start: time.Now()}, r: r, id: job.NewID()}
	header := w.Header()
	header.Set("X-Request-Id", c.id)
	if !h.options.NoCORS {
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("Access-Control-Expose-Headers", "Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, X-Response-Time")
	}
	c.paced, _ = r.Body.(*pacing.Body)
	h.decode(c)
	defer func() { c.share.Release() }()
	place := anywhere
	defer h.rescue(r.Context(), c, &place)

	allowed, err := h.find(c)
	about := observe.Request{ID: c.id, Method: r.Method}
	if c.route != nil {
		about.Route = c.route.pattern
	}
	ctx, end := h.service.Trace.BeginRequest(r.Context(), about)
	r = r.WithContext(ctx)
	c.r = r
	defer func() { end(observe.RequestEnd{Status: c.w.status, Team: c.team.ID}) }()
	if len(allowed) > 0 {
		header.Set("Allow", strings.Join(allowed, ", "))
	}
	if r.Method == http.MethodOptions && len(allowed) > 0 && !h.options.NoCORS {
		preflight(c.w, allowed)
		return
	}
	if err == nil {
		place = c.route.scope
		header.Del("Allow")
		if c.route.watch != "" && upgrades(r) {
			watchJob(ctx, h, c)
			return
		}
		err = h.serve(ctx, c)
	}
	if err != nil {
		h.fail(ctx, c, err, place)
	}
}

// rescue answers a request whose handler panicked. It is deferred.
func (h *Handler) rescue(ctx context.Context, c *call, place *scope) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler { //nolint:errorlint // the very value
		panic(v)
	}
	h.logger().ErrorContext(ctx, "panic", "request", c.id, "panic", v, "stack", string(debug.Stack()))
	h.fail(ctx, c, errPanic, *place)
}

// serve authenticates the request, checks the rate and serves the route.
func (h *Handler) serve(ctx context.Context, c *call) error {
	var err error
	if c.route.keyless {
		return c.route.serve(h, c)
	}
	if c.team, err = h.authenticate(c.r, false); err != nil {
		h.keyRefused(ctx, c)
		return err
	}
	known(ctx)
	c.operator = c.team.Policy.Threat
	if err := h.ownThreat(ctx, &c.team); err != nil {
		return err
	}
	if name := c.route.endpoint(); name != "" {
		if err := c.caller(nil, nil).MayUse(name); err != nil {
			return err
		}
	}
	if closing(h.service) && c.route.method == http.MethodPost && c.route.class != classStatus {
		return job.ErrShutdown // scrapes and uploads are new work too
	}
	if err := h.admit(ctx, c.w, &c.team, c.route.class); err != nil {
		return err
	}
	if c.base, err = h.base(c.r); err != nil {
		return err
	}
	return c.route.serve(h, c)
}

// closing reports whether s is shutting down.
func closing(s *curlew.Service) bool {
	select {
	case <-s.Closing():
		return true
	default:
		return false
	}
}

// find sets the route and the parameter of c. It returns the methods of the path, and
// errNoRoute or errMethod if no route matches.
func (h *Handler) find(c *call) ([]string, error) {
	segments := strings.Split(c.r.URL.EscapedPath(), "/")
	for i, s := range segments { // RFC 3986 6.2.2.2: %63rawl is crawl; an escaped slash is not a separator
		segments[i], _ = url.PathUnescape(s) // EscapedPath is always valid
	}
	var allowed []string
	for i := range h.routes {
		route := &h.routes[i]
		param, ok := route.match(segments)
		if !ok || shadowed(h.routes[:i], route, segments) {
			continue
		}
		allowed = append(allowed, route.method)
		if route.method == "GET" {
			allowed = append(allowed, "HEAD")
		}
		if route.method == c.r.Method || route.method == "GET" && c.r.Method == "HEAD" {
			c.route, c.param = route, param
		}
	}
	switch {
	case allowed == nil:
		return nil, errNoRoute
	case c.route == nil:
		return allowed, errMethod
	}
	return allowed, nil
}

// shadowed reports whether an earlier route matches the path literally, so that {id} does not
// match its last segment.
func shadowed(earlier []route, r *route, segments []string) bool {
	if !strings.Contains(r.pattern, "{") {
		return false
	}
	return slices.ContainsFunc(earlier, func(e route) bool { return slices.Equal(e.segments, segments) })
}

// endpoint returns the name of the route in [account.Policy.AllowEndpoints]. It is empty if
// every key may use the route.
func (r *route) endpoint() string {
	switch {
	case r.method != "POST" || r.class == classStatus:
		return ""
	case strings.HasPrefix(r.pattern, "/v2/batch/"):
		return "batch"
	}
	return r.class.String()
}

// match returns the segment that matches {id}.
func (r *route) match(segments []string) (param string, ok bool) {
	if len(segments) != len(r.segments) {
		return "", false
	}
	for i, s := range r.segments {
		switch {
		case s == "{sid}": // the last segment: [call.last]
		case s == "{id}" && segments[i] != "":
			param = segments[i]
		case s != segments[i]:
			return "", false
		}
	}
	return param, true
}

// preflight answers a CORS preflight request.
func preflight(w http.ResponseWriter, allowed []string) {
	header := w.Header()
	header.Del("Allow")
	header.Set("Access-Control-Allow-Methods", strings.Join(allowed, ", "))
	header.Set("Access-Control-Allow-Headers", "Authorization, Content-Encoding, Content-Type, External-Request-Id, Last-Event-ID, X-Idempotency-Key")
	header.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// base returns the beginning of URLs in the answer to r.
func (h *Handler) base(r *http.Request) (string, error) {
	if h.options.BaseURL != "" {
		return h.options.BaseURL, nil
	}
	scheme, host, prefix := "http", r.Host, stripped(r)
	if r.TLS != nil {
		scheme = "https"
	}
	if h.options.TrustProxyHeaders {
		if p := strings.ToLower(firstOf(r.Header.Get("X-Forwarded-Proto"))); p == "http" || p == "https" {
			scheme = p
		}
		if f := firstOf(r.Header.Get("X-Forwarded-Host")); f != "" {
			host = f
		}
		outer := strings.Trim(firstOf(r.Header.Get("X-Forwarded-Prefix")), "/")
		if outer != "" {
			prefix = "/" + outer + prefix
		}
	}
	if strings.ContainsAny(host, "/\\?#@ ") {
		return "", refuse(curlew.ErrRequest, "Invalid Host header")
	}
	u, err := weburl.Parse(scheme + "://" + host + prefix)
	if err != nil {
		return "", refuse(curlew.ErrRequest, "Invalid Host header")
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// stripped returns the part of the path that http.StripPrefix has removed.
func stripped(r *http.Request) string {
	asked, _, _ := strings.Cut(r.RequestURI, "?")
	prefix, ok := strings.CutSuffix(asked, r.URL.EscapedPath())
	if !ok || !strings.HasPrefix(prefix, "/") || strings.HasPrefix(prefix, "//") {
		return "" // nothing was removed, or more than a prefix has changed
	}
	return prefix
}

// firstOf returns the first element of a list in a header.
func firstOf(list string) string {
	first, _, _ := strings.Cut(list, ",")
	return strings.TrimSpace(first)
}

func (h *Handler) logger() *slog.Logger {
	if h.options.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return h.options.Logger
}

// fail answers err, unless the answer has already begun.
func (h *Handler) fail(ctx context.Context, c *call, err error, place scope) {
	status, body := failure(err, place)
	// Failed pages and missing engines are not errors of the server.
	if (body.Error == textUnknown || errors.Is(err, job.ErrStorage)) && ctx.Err() == nil {
		h.logger().ErrorContext(ctx, "request failed", "request", c.id, "team", c.team.ID, "status", status, "err", err)
	}
	if c.w.wrote {
		return
	}
	header := c.w.Header()
	switch status {
	case http.StatusUnauthorized:
		header.Set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		wait := time.Duration(0)
		if r, ok := errors.AsType[*curlew.Error](err); ok {
			wait = r.Wait
		}
		header.Set("Retry-After", strconv.Itoa(max(1, seconds(wait))))
	case http.StatusRequestEntityTooLarge:
		header.Set("Connection", "close")
	case http.StatusUnsupportedMediaType:
		header.Set("Accept-Encoding", "gzip") // RFC 9110 12.5.3
	}
	if err := c.answer(status, body); err != nil {
		h.logger().ErrorContext(ctx, "answer not encoded", "request", c.id, "err", err)
	}
}

// answer sends v as JSON.
func (c *call) answer(status int, v any) error {
	body, err := jsonenc.Encode(v)
	if err != nil {
		return err
	}
	c.send(status, body)
	return nil
}

// sendPart is how many bytes of an answer are written under one deadline.
const sendPart = 256 << 10

// send sends a body of JSON.
func (c *call) send(status int, body []byte) {
	c.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	c.write(status, body)
}

// write sends a body whose Content-Type is set.
func (c *call) write(status int, body []byte) {
	header := c.w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	c.w.WriteHeader(status)
	// A client that reads too slowly is disconnected, as one that sends too slowly. A
	// client that stops reading is disconnected after the time of one part.
	control := http.NewResponseController(c.w)
	end := time.Now().Add(pacing.Grace)
	for part := range slices.Chunk(body, sendPart) {
		pace := time.Duration(len(part)) * time.Second / pacing.Rate
		end = end.Add(pace)
		stalled := time.Now().Add(pacing.Grace + pace)
		if stalled.After(end) {
			stalled = end
		}
		_ = control.SetWriteDeadline(stalled)
		if _, err := c.w.Write(part); err != nil {
			break // the client has left
		}
	}
	_ = control.Flush()
	_ = control.SetWriteDeadline(time.Time{}) // the next answer on the connection sets its own
}

func (h *Handler) wireOptions() wire.Options { return wire.Options{Lenient: h.options.LenientKeys} }

// job returns the job ID in the path.
func (c *call) job() (string, error) {
	if !wire.IsUUID(c.param) {
		return "", errJobID
	}
	return strings.ToLower(c.param), nil
}

// last returns the last segment of the path.
func (c *call) last() string { return c.r.URL.Path[strings.LastIndexByte(c.r.URL.Path, '/')+1:] }

// ctx returns the context of the request.
func (c *call) ctx() context.Context { return c.r.Context() }

// responder records whether the answer has begun, and its status.
type responder struct {
	http.ResponseWriter
	start  time.Time
	wrote  bool
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *responder) WriteHeader(status int) {
	if !w.wrote {
		w.wrote, w.status = true, status
		w.Header().Set("X-Response-Time", strconv.FormatFloat(float64(time.Since(w.start).Microseconds())/1000, 'f', 3, 64)+"ms")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *responder) Write(b []byte) (int, error) {
	if !w.wrote {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets [http.ResponseController] and the upgrade reach what is below.
func (w *responder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
