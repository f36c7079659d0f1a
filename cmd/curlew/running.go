// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"example.com/curlew"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/export"
	"example.com/curlew/job"
)

// running is a crawl that goes on or has ended, in this process or on a server.
type running interface {
	id() string

	// pages yields the documents as JSON until the crawl has ended.
	pages(ctx context.Context) iter.Seq2[json.RawMessage, error]

	state(ctx context.Context) (*state, error)

	// failures yields the pages that could not be fetched or read.
	failures(ctx context.Context) iter.Seq2[*failure, error]

	// gone returns the pages of the earlier crawl that no longer exist. If they are very
	// many, it does not return all of them.
	gone(ctx context.Context) ([]string, error)
}

// state is the state of a crawl.
type state struct {
	State        job.State
	Err, Warning string
	Pages        int // delivered
	Failed       int
	Blocked      int // by robots.txt
	Waiting      int // known pages that are not finished
	Changes      *curlew.Changes
	Refused      map[string]int // links that were not followed, by rule

	Host, Cause string        // host that the crawl waits for most, and why
	Gap         time.Duration // between two requests to that host
	Resumes     time.Time     // set while everything that is left must wait
}

// failure is a page that could not be fetched or read. JSON is its line in failed.jsonl.
type failure struct {
	URL  string
	Text string
	JSON json.RawMessage
}

// stored is a crawl that the folder knows.
type stored struct {
	running running
	flags   crawlFlags
	began   time.Time
}

// jobs are the crawls that a folder knows.
type jobs interface {
	// unfinished returns the crawl that was stopped, or nil.
	unfinished() (*stored, error)

	// completed returns the last completed crawl that began before a time, or nil. A crawl
	// without a page, because the site was down, does not count.
	completed(before time.Time) (*stored, error)

	// ended returns the last crawl that has ended, also a failed one, or nil.
	ended() (*stored, error)

	// start starts a crawl, which compares with the earlier one unless it is nil.
	start(earlier *stored) (running, error)

	// resume continues the unfinished crawl.
	resume() error
}

// localJobs are crawls in this process.
type localJobs struct {
	*site
	service *curlew.Service
}

func (l *localJobs) unfinished() (*stored, error) {
	return l.find(func(j *curlew.Job) bool { return j.State() == job.Running })
}

func (l *localJobs) completed(before time.Time) (*stored, error) {
	return l.find(func(j *curlew.Job) bool { return j.State() == job.Completed && j.Created().Before(before) })
}

func (l *localJobs) ended() (*stored, error) {
	return l.find(func(j *curlew.Job) bool { return j.State() == job.Completed || j.State() == job.Failed })
}

// find returns the newest crawl that is wanted, or nil. One that has ended without a page
// does not count.
func (l *localJobs) find(wanted func(*curlew.Job) bool) (*stored, error) {
	for j, err := range l.service.Jobs(l.ctx, "", job.Filter{Kind: curlew.KindCrawl}) {
		if err != nil {
			return nil, err
		}
		if !wanted(j) {
			continue
		}
		now, err := j.Status(l.ctx)
		if err != nil {
			return nil, err
		}
		if now.Delivered == 0 && now.State.Final() {
			continue
		}
		s := &stored{running: local{j}, began: j.Created()}
		if err := json.Unmarshal(j.Memo(), &s.flags); err != nil {
			return nil, fmt.Errorf("%s: the options of the crawl are damaged: %w", l.dir, err)
		}
		return s, nil
	}
	return nil, nil //nolint:nilnil // there is none
}

func (l *localJobs) start(earlier *stored) (running, error) {
	r, err := l.flags.request()
	if err != nil {
		return nil, err
	}
	if earlier != nil {
		r.Since = earlier.running.id()
	}
	j, err := l.service.StartCrawl(l.ctx, r)
	if refused, ok := errors.AsType[*curlew.Error](err); ok && refused.Field == "URL" {
		return nil, usage("%s: %s", r.URL, refused.Text)
	}
	if errors.Is(err, curlew.ErrBusy) {
		return nil, fmt.Errorf("this machine has too little memory, or too little free disk space at %s: free some, or choose another folder with -o", l.dir)
	}
	if err != nil {
		return nil, err
	}
	return local{j}, nil
}

func (l *localJobs) resume() error { return l.service.Resume(l.ctx) }

// local is a crawl in this process.
type local struct{ *curlew.Job }

func (l local) id() string { return l.ID() }

func (l local) pages(ctx context.Context) iter.Seq2[json.RawMessage, error] {
	return l.WatchExport(ctx, 0)
}

func (l local) state(ctx context.Context) (*state, error) {
	now, err := l.Status(ctx)
	if err != nil {
		return nil, err
	}
	s := &state{
		State: now.State, Err: now.Err, Warning: now.Warning, Pages: now.Delivered, Failed: now.Failed, Blocked: now.Blocked,
		Waiting: now.Crawl.Pending + now.Crawl.Leased, Changes: now.Changes, Resumes: now.Crawl.Resumes,
		Refused: map[string]int{},
	}
	for rule, n := range now.Crawl.Refused {
		if n > 0 {
			s.Refused[scope.Rule(rule).String()] = n
		}
	}
	if waits := now.Crawl.Waits; len(waits) > 0 {
		s.Host, s.Cause, s.Gap = waits[0].Host, string(waits[0].Cause), waits[0].Gap
	}
	return s, nil
}

func (l local) failures(ctx context.Context) iter.Seq2[*failure, error] {
	return func(yield func(*failure, error) bool) {
		for f, err := range l.Errors(ctx, 0) {
			if err != nil {
				yield(nil, err)
				return
			}
			line, err := json.Marshal(f)
			if !yield(&failure{f.URL, f.Text, line}, err) || err != nil {
				return
			}
		}
	}
}

func (l local) gone(ctx context.Context) ([]string, error) {
	now, err := l.Status(ctx)
	if err != nil {
		return nil, err
	}
	return l.Gone(ctx, now.Events)
}

// archive writes a web archive of what the crawl has requested, and returns the number of
// its requests.
func (l local) archive(ctx context.Context, w io.Writer) (export.Report, error) {
	r := export.Report{Documents: -1, LeftOut: map[string]int{}} // without the first record, which describes the archive
	for records, err := range l.Archive(ctx) {
		r.Documents++
		if errors.Is(err, job.ErrCorrupt) {
			r.LeftOut["that cannot be read"]++
			continue
		}
		if err == nil {
			_, err = w.Write(records)
		}
		if err != nil {
			return r, err
		}
	}
	r.Written = r.Documents - r.LeftOut["that cannot be read"]
	return r, nil
}
