// SPDX-License-Identifier: Apache-2.0

// Package serve implements the commands serve, worker, doctor, mcp and keys of the
// program curlew. The command serve serves the v2 contract on one address.
// docs/deployment.md is its guide.
//
// With -data, jobs with their results, webhooks and spent credits are stored in
// files. After a restart, even after a crash, the server continues the jobs
// that were running. Jobs with zero data retention stay in memory.
//
// With -store, jobs, spent credits, keys, request rates and threat policies are in a
// PostgreSQL database, which several servers can share. Each server reads all jobs, and
// takes over the jobs of servers that have died. docs/postgresql.md says what they do not
// share.
//
// API keys come from -api-key, from CURLEW_API_KEY (separated by commas), from
// the teams in -config FILE, and from the file of -keys. Without -keys they come from the
// database of -store, or else from DIR/keys.json with -data DIR. Only hashes of keys are
// stored, and "curlew keys" manages them. A running server accepts a new key, and refuses a
// revoked one, within a second. If there is no key at all, the server creates one and prints
// it. If there is neither a database nor a file of keys, it is valid for this run.
//
// Each flag can also be given as a variable of the environment, such as
// CURLEW_DATA for -data, or in the object "settings" of the file of -config. The
// command line comes first, then the environment, then the file.
//
// GET /livez and /readyz answer health probes without a key. With -metrics-addr, metrics
// are served on an address of their own. For traces, use the module observe/otelcurlew in a
// program of your own.
package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/curlew"
	"example.com/curlew/cmd/curlew/internal/footprint"
	"example.com/curlew/console"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/mcp"
)

// stopIn is the time that running requests and jobs have at shutdown.
const stopIn = 8 * time.Second

// ErrUsage means that the command line, the environment or the configuration is wrong.
var ErrUsage = errors.New("wrong usage")

// usage returns an error that wraps ErrUsage without its text.
type usage struct{ error }

func (usage) Is(target error) bool { return target == ErrUsage }

func (u usage) Unwrap() error { return u.error }

// Define defines the flags of a command of this package, for a program that lists them.
// The commands are serve, worker, doctor, mcp and keys.
func Define(command string, flags *flag.FlagSet) {
	switch command {
	case "serve":
		serverFlags(flags)
	case "mcp":
		toolFlags(flags)
	case "keys":
		keyFlags(flags)
	case "worker":
		workerFlags(flags)
	case "doctor":
		doctorFlags(flags)
	}
}

// newFlags returns an empty set of flags, which does not print errors: the caller does.
func newFlags(command string) *flag.FlagSet {
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}

// server contains the flags of the command serve.
type server struct {
	front       front
	gate        *gate
	parts       parts
	tools, bare *bool
	concurrency *int
	prefix      *string
	metrics     *string
}

func serverFlags(flags *flag.FlagSet) server {
	return server{
		front: frontFlags(flags), gate: gateFlags(flags), parts: partFlags(flags),
		tools:       flags.Bool("mcp", false, "also serve the tools of MCP for language models, at /mcp, with the same keys"),
		concurrency: flags.Int("concurrency", 0, "with -store: also fetch and read pages of jobs of other servers, at most this `number` at once, as a worker does; 0 means none"),
		bare:        flags.Bool("no-console", false, "do not serve the console, the page at /console/ that shows jobs and documents to people who have a key"),

		prefix: prefixFlag(flags), metrics: metricsFlag(flags),
	}
}

// Run serves until ctx ends. It prints a line with its URL when it is ready.
func Run(ctx context.Context, args []string, getenv func(string) string, out, logs io.Writer) (err error) {
	footprint.DelayGC()
	defer footprint.RestoreGC() // if it ends before its start has
	flags := newFlags("serve")
	server := serverFlags(flags)
	if fault := settle(flags, args, getenv, logs, "serve [flags]"); fault != nil {
		return fault
	}
	if flags.NArg() > 0 {
		return usage{fmt.Errorf("unexpected argument %q", flags.Arg(0))}
	}
	if err := checkPrefix(*server.prefix); err != nil {
		return err
	}
	front, gate, parts := server.front, server.gate, server.parts
	if *server.concurrency < 0 || *server.concurrency > 0 && *parts.store.store == "" {
		return usage{fmt.Errorf("-concurrency %d: it is at least 0, and needs -store", *server.concurrency)}
	}
	getenv, err = withFiles(getenv)
	if err != nil {
		return usage{err}
	}
	access, err := gate.access(*parts.store.data, *parts.store.store, getenv)
	if err != nil {
		return usage{err}
	}
	logger := front.logger(logs)
	if access.plain > 0 {
		logger.WarnContext(ctx, "the config holds keys in plain text; whoever reads it can use them: store \"sha256:\" and their hash, or use -keys", "file", *gate.config, "keys", access.plain)
	}
	service, common, end, err := parts.open(ctx, access.credits, getenv, logger)
	defer func() { err = errors.Join(err, end()) }() // after serve, which stops the jobs
	if err != nil {
		return err
	}
	hashed, err := gate.hashed(ctx, &access, *parts.store.data, common.keys, logger)
	if err != nil {
		return err
	}
	service.Webhooks.Secret = func(_ context.Context, team string) (string, error) { return access.secrets[team], nil }
	endMetrics, err := serveMetrics(ctx, *server.metrics, service, logger)
	if err != nil {
		return err
	}
	defer endMetrics()
	var view http.Handler
	if !*server.bare {
		trail := &console.Trail{Next: service.Audit}
		service.Audit = trail
		view, err = console.New(service, &console.Options{Authenticator: access.authenticator(hashed), Keys: hashed, Trail: trail, Logger: logger})
		if err != nil {
			return err
		}
	}
	handler, closeLog, err := front.handler(service, common, access.authenticator(hashed), out, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }() // after serve has returned
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", *front.addr)
	if err != nil {
		return err
	}
	if err := service.Resume(ctx); err != nil {
		logger.ErrorContext(ctx, "not all jobs go on", "err", err) // the other jobs continue
	}
	if *parts.store.store != "" {
		stop := adopting(ctx, service, logger)
		defer stop() // before the store is closed
	}
	if *server.concurrency > 0 {
		helping, stop := context.WithCancel(ctx)
		var helper sync.WaitGroup
		helper.Go(func() {
			if err := service.Help(helping, *server.concurrency); err != nil {
				logger.ErrorContext(ctx, "this server does not help others", "err", err)
			}
		})
		defer helper.Wait() // before the store is closed
		defer stop()
	}
	if err := front.ready(out, listener, access.made); err != nil {
		return errors.Join(err, listener.Close())
	}
	others := map[string]http.Handler{"/livez": httpapi.Health(service), "/readyz": httpapi.Health(service)}
	if *server.tools {
		others["/mcp"] = mcp.NewHandler(local(handler), &mcp.Options{Version: Version(), Prefix: *server.prefix})
	}
	return serve(ctx, listener, routed(handler, view, others), service)
}

// parts contains the flags for the Service.
type parts struct {
	store     storage
	engines   engines
	models    models
	searchers searcher
	guards    guards
}

func partFlags(flags *flag.FlagSet) parts {
	return parts{storageFlags(flags), engineFlags(flags), modelFlags(flags), searcherFlags(flags), guardFlags(flags)}
}

// open returns the Service that the flags describe, and what it shares with other servers.
// The caller must call the function at the end, also after an error.
func (p parts) open(ctx context.Context, plan map[string]int, getenv func(string) string, logger *slog.Logger) (*curlew.Service, *shared, func() error, error) {
	var ends []func() error
	end := func() error {
		var faults []error
		for _, end := range slices.Backward(ends) {
			faults = append(faults, end())
		}
		return errors.Join(faults...)
	}
	client := new(fetch.Client)
	service := &curlew.Service{Fetcher: client, Logger: logger}
	if err := p.engines.set(service, client); err != nil {
		return nil, nil, end, usage{err}
	}
	closeBrowser, err := p.engines.browse(context.WithoutCancel(ctx), service, client) // it ends with the service, after ctx
	if err != nil {
		return nil, nil, end, usage{err}
	}
	ends = append(ends, closeBrowser)
	closeModel, err := p.models.set(service, getenv, logger)
	if err != nil {
		return nil, nil, end, usage{err}
	}
	ends = append(ends, func() error { closeModel(); return nil })
	closeSearcher, err := p.searchers.set(service, getenv)
	if err != nil {
		return nil, nil, end, usage{err}
	}
	ends = append(ends, func() error { closeSearcher(); return nil })
	closeGuards, err := p.guards.set(ctx, service, getenv, logger)
	if err != nil {
		return nil, nil, end, usage{err}
	}
	ends = append(ends, closeGuards)
	common, closeStore, err := p.store.set(ctx, service, client, plan, logger)
	ends = append(ends, closeStore)
	if err == nil {
		if fault := p.engines.pool(service, client, logger); fault != nil { // after the cache is set
			err = usage{fault}
		}
	}
	return service, common, end, err
}

// routed sends requests with the paths of others to these, requests for the console to
// view, unless it is nil, and all other requests to contract. It does not use ServeMux,
// which answers a path such as /../x by a redirect in HTML.
func routed(contract, view http.Handler, others map[string]http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		switch other, ok := others[path]; {
		case ok:
			other.ServeHTTP(w, r)
		case view != nil && (path == "/console" || strings.HasPrefix(path, "/console/")):
			view.ServeHTTP(w, r)
		default:
			contract.ServeHTTP(w, r)
		}
	})
}

// settled is how long after its start a process releases memory that only the start
// needed. This work would delay the first requests.
const settled = 2 * time.Second

// serve serves until ctx ends, and then waits for running requests and jobs.
func serve(ctx context.Context, l net.Listener, h http.Handler, s *curlew.Service) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	httpapi.Protect(server, s) // also protects the handlers beside the contract
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	defer time.AfterFunc(settled, footprint.Shrink).Stop()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopIn)
	defer cancel()
	// Stop the jobs first, because the connection of a watcher ends with its
	// job.
	err := errors.Join(s.Shutdown(ending), server.Shutdown(ending))
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-failed //nolint:errcheck // http.ErrServerClosed
	return err
}

// everyPrivate returns the loopback and private networks (RFC 1918, 4193, 6598).
func everyPrivate() []netip.Prefix {
	var prefixes []netip.Prefix
	for _, n := range []string{"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"} {
		prefixes = append(prefixes, netip.MustParsePrefix(n))
	}
	return prefixes
}
