// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"example.com/curlew"
	"example.com/curlew/audit"
	"example.com/curlew/threat"
	"example.com/curlew/threat/webrisk"
)

// guards contains the flags for the audit log and the threat classifier.
type guards struct {
	audit, webrisk *string
	url            *string
}

func guardFlags(flags *flag.FlagSet) guards {
	return guards{
		audit:   flags.String("audit", "", "write an audit log (OCSF) to this `directory`"),
		webrisk: flags.String("webrisk", "", "check URLs against the lists of Google Web Risk, stored in this `directory`; the key is read from CURLEW_WEBRISK_KEY"),
		url:     flags.String("webrisk-url", "", "base `URL` of the Web Risk API; if empty, Google's"),
	}
}

// set configures the audit sink and the classifier of the service. The caller
// must call the function at the end.
func (g guards) set(ctx context.Context, s *curlew.Service, getenv func(string) string, logger *slog.Logger) (func() error, error) {
	var ends []func() error
	switch {
	case *g.webrisk == "" && *g.url != "":
		return nil, errors.New("-webrisk-url needs -webrisk")
	case *g.webrisk != "" && *g.url == "" && getenv("CURLEW_WEBRISK_KEY") == "":
		return nil, errors.New("-webrisk needs CURLEW_WEBRISK_KEY")
	}
	if *g.audit != "" {
		if err := writable(*g.audit); err != nil { // say it now, not when the first event is lost
			return nil, fmt.Errorf("-audit: %w", err)
		}
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
	}, nil
}

// writable creates a directory if it is missing, and checks that files can be written there.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
