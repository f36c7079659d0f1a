// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"example.com/curlew"
	"example.com/curlew/cmd/curlew/internal/metrics"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/job"
	"example.com/curlew/observe"
)

// metricsFlag defines the flag of the address of the metrics.
func metricsFlag(flags *flag.FlagSet) *string {
	return flags.String("metrics-addr", "", "serve metrics in the format of Prometheus at /metrics on this `address`, such as 127.0.0.1:9102, without a key; if empty, there are none")
}

// serveMetrics counts what s does and serves the metrics at an address, which is not that of
// the API, because they need no key. It must be called before s is used. The caller must call
// the function at the end. An empty address serves nothing.
func serveMetrics(ctx context.Context, addr string, s *curlew.Service, logger *slog.Logger) (end func(), err error) {
	if addr == "" {
		return func() {}, nil
	}
	if s.Hosts == nil {
		s.Hosts = new(pace.Hosts)
		if p, ok := s.Store.(job.Pacer); ok {
			s.Hosts = p.Hosts()
		}
	}
	m := &metrics.Metrics{Version: Version()}
	if h, ok := s.Hosts.(interface{ Figures() pace.Figures }); ok {
		m.Hosts = h.Figures
	}
	if c, ok := s.Credits.(interface {
		Totals(ctx context.Context) (spent, reserved int, err error)
	}); ok {
		m.Credits = c.Totals
	}
	if b, ok := s.Store.(interface {
		Backlog(ctx context.Context) (job.Backlog, error)
	}); ok {
		m.Backlog = b.Backlog
	}
	s.Trace = observe.Join(s.Trace, m.Trace())
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("-metrics-addr: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", m)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	logger.InfoContext(ctx, "metrics are served", "url", "http://"+l.Addr().String()+"/metrics")
	return func() {
		_ = server.Close()
		if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
			logger.ErrorContext(ctx, "the metrics were not served", "err", err)
		}
	}, nil
}
