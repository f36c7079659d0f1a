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
	"sync"
	"time"

	"example.com/curlew"
	"example.com/curlew/cmd/curlew/internal/footprint"
)

// worker contains the flags of the command worker.
type worker struct {
	config      *string
	asJSON      *bool
	concurrency *int
	metrics     *string
	parts       parts
}

func workerFlags(flags *flag.FlagSet) worker {
	return worker{
		config:      flags.String("config", "", "JSON `file` with teams, whose credits and webhook secrets apply, and with settings: that of the servers"),
		asJSON:      flags.Bool("json", false, "write the log, and the line that says that the worker is ready, as JSON"),
		concurrency: flags.Int("concurrency", 16, "maximum `number` of pages of other processes that are fetched and read at once"),
		metrics:     metricsFlag(flags),
		parts:       partFlags(flags),
	}
}

// Work works for the servers that share the store of -store, until ctx ends: it fetches
// and reads pages of their crawls and batches, and takes over the jobs of processes that
// have died. Then it finishes the pages in progress. It prints a line when it is ready.
func Work(ctx context.Context, args []string, getenv func(string) string, out, logs io.Writer) (err error) {
	footprint.DelayGC()
	defer footprint.RestoreGC() // if it ends before its start has
	flags := newFlags("worker")
	w := workerFlags(flags)
	if fault := settle(flags, args, getenv, logs, "worker [flags]"); fault != nil {
		return fault
	}
	switch {
	case flags.NArg() > 0:
		return usage{fmt.Errorf("unexpected argument %q", flags.Arg(0))}
	case *w.parts.store.store == "":
		return usage{errors.New("worker needs --store with the URL of the database of the servers")}
	case *w.concurrency < 1:
		return usage{fmt.Errorf("-concurrency %d is below 1", *w.concurrency)}
	}
	if getenv, err = withFiles(getenv); err != nil {
		return usage{err}
	}
	conf, err := readConfig(*w.config)
	if err != nil {
		return usage{err}
	}
	access, err := conf.access(nil, true)
	if err != nil {
		return usage{err}
	}
	logger := front{asJSON: w.asJSON}.logger(logs)
	service, _, end, err := w.parts.open(ctx, access.credits, getenv, logger)
	defer func() { err = errors.Join(err, end()) }() // after the jobs have stopped
	if err != nil {
		return err
	}
	endMetrics, err := serveMetrics(ctx, *w.metrics, service, logger)
	if err != nil {
		return err
	}
	defer endMetrics()
	service.Webhooks.Secret = func(_ context.Context, team string) (string, error) { return access.secrets[team], nil }
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopIn)
		defer cancel()
		err = errors.Join(err, service.Shutdown(ending))
	}()
	if err := service.Resume(ctx); err != nil {
		logger.ErrorContext(ctx, "not all jobs go on", "err", err) // the other jobs continue
	}
	stop := adopting(ctx, service, logger)
	defer stop()
	line := "curlew works"
	if *w.asJSON {
		b, err := json.Marshal(map[string]int{"concurrency": *w.concurrency})
		if err != nil {
			return err
		}
		line = string(b)
	}
	if _, err := fmt.Fprintln(out, line); err != nil {
		return err
	}
	defer time.AfterFunc(settled, footprint.Shrink).Stop()
	return service.Help(ctx, *w.concurrency)
}

// adopting takes over the jobs of servers that have died, until ctx ends or stop is
// called. stop waits until nothing is taken over any more.
func adopting(ctx context.Context, s *curlew.Service, logger *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { adopt(ctx, s, logger) })
	return func() {
		cancel()
		all.Wait()
	}
}
