// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"path/filepath"
	"sync"

	"example.com/curlew"
	"example.com/curlew/audit"
	"example.com/curlew/threat"
	"example.com/curlew/threat/webrisk"
)

// guards is what the flags say of the audit log and of who scores URLs.
type guards struct {
	audit, webrisk *string
	url            *string
}

func guardFlags(flags *flag.FlagSet) guards {
	return guards{
		audit:   flags.String("audit", "", "keep an audit log (OCSF) in this `directory`"),
		webrisk: flags.String("webrisk", "", "score URLs by Web Risk's lists, kept in this `directory`; the key stands in CURLEW_WEBRISK_KEY"),
		url:     flags.String("webrisk-url", "", "base `URL` of the lists; empty: the service's own"),
	}
}

// set gives the service its sink and its classifier. The caller calls the func
// at the end.
func (g guards) set(ctx context.Context, s *curlew.Service, getenv func(string) string, logger *slog.Logger) func() error {
	var ends []func() error
	if *g.audit != "" {
		file := &audit.File{Dir: *g.audit}
		queue := &audit.Queue{Sink: file, Logger: logger}
		s.Audit = queue
		ends = append(ends, func() error {
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopIn)
			defer cancel()
			return errors.Join(queue.Close(ending), file.Close())
		})
	}
	if *g.webrisk != "" {
		lists := &webrisk.Client{BaseURL: *g.url, Key: getenv("CURLEW_WEBRISK_KEY"), Dir: filepath.Clean(*g.webrisk), Logger: logger}
		s.Classifier = &threat.Scanner{Classifier: lists, Cache: new(threat.VerdictCache)}
		running, stop := context.WithCancel(ctx)
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := lists.Run(running); err != nil && running.Err() == nil {
				logger.ErrorContext(ctx, "webrisk", "err", err)
			}
		})
		ends = append(ends, func() error { stop(); wg.Wait(); return nil })
	}
	return func() error {
		var faults []error
		for _, end := range ends {
			faults = append(faults, end())
		}
		return errors.Join(faults...)
	}
}
