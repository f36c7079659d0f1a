// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/curlew"
	"example.com/curlew/export"
	"example.com/curlew/job"
)

// exportCrawl is the command export: it writes the last ended crawl of a folder as one
// file.
func exportCrawl(e *env, f *flag.FlagSet) action {
	form := f.String("format", string(export.JSONL), fmt.Sprintf("`format` of the file: one of %v, or warc", export.Formats()))
	repeats := f.Bool("without-repeats", false, "leave out lines at the beginning and end of pages that many pages of the crawl have")
	to := f.String("o", "-", "`file` to write to; - means the standard output")
	return func(rest []string) error {
		switch {
		case len(rest) == 0:
			return usage("export needs the folder of a crawl, such as: curlew export pages")
		case len(rest) > 1:
			return usageOf(rest[1:])
		case *repeats && *form == "warc":
			return usage("--without-repeats has no effect on a web archive")
		}
		state := filepath.Join(rest[0], own, "state")
		if _, err := os.Stat(state); err != nil {
			return fmt.Errorf("%s is not the folder of a crawl: %w", rest[0], err)
		}
		store, err := job.OpenFiles(state, nil)
		if err != nil {
			return err
		}
		defer store.Close()
		service := &curlew.Service{Store: store}
		defer func() { _ = service.Shutdown(context.WithoutCancel(e.ctx)) }()
		s := &site{env: e, dir: rest[0]}
		last, err := (&localJobs{site: s, service: service}).ended()
		if err != nil {
			return err
		}
		if last == nil {
			return fmt.Errorf("%s has no crawl that has ended: continue it with curlew crawl --resume -o %s", s.dir, s.dir)
		}
		report, err := e.save(*to, func(w io.Writer) (export.Report, error) {
			if crawl, ok := last.running.(local); ok && *form == "warc" {
				return crawl.archive(e.ctx, w)
			}
			documents := last.running.pages(e.ctx)
			if *repeats {
				documents = export.WithoutRepeats(documents)
			}
			return export.Write(w, export.Format(*form), documents)
		})
		switch {
		case errors.Is(err, export.ErrFormat):
			return &fault{exitUsage, err}
		case errors.Is(err, export.ErrMissing):
			return fmt.Errorf("%w, as in: curlew crawl --form %s URL", err, *form)
		case errors.Is(err, curlew.ErrRequest):
			return errors.New("the crawl was not archived: crawl again, as in: curlew crawl --warc URL")
		case err != nil:
			return err
		}
		if *form == "warc" {
			e.say("%d requests written", report.Written)
			if left := report.String(); left != "" {
				e.say("left out: requests %s", left)
			}
			return nil
		}
		e.say("%d pages read, %d written", report.Documents, report.Written)
		if left := report.String(); left != "" {
			e.say("left out: pages %s", left)
		}
		return nil
	}
}

// save calls write with a temporary file, which it renames to the name to when it is
// complete. If to is -, write gets the standard output.
func (e *env) save(to string, write func(io.Writer) (export.Report, error)) (export.Report, error) {
	if to == "-" {
		return write(e.out)
	}
	file, err := os.CreateTemp(filepath.Dir(to), ".curlew-*")
	if err != nil {
		return export.Report{}, err
	}
	report, err := write(file)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return report, errors.Join(err, os.Remove(file.Name()))
	}
	return report, os.Rename(file.Name(), to)
}
