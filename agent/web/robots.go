// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/robots"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

const (
	robotsTimeout = 30 * time.Second
	robotsBytes   = 512 << 10   // RFC 9309, 2.5, requires 500 KiB, which is what package robots reads
	robotsHops    = 5           // RFC 9309 2.3.1.2
	faultLife     = time.Minute // time after which a file that could not be reached is requested again
	maxOrigins    = 10_000      // number of origins whose rules are kept; beyond it, all are dropped
)

// Robots fetches and stores the robots.txt files of the sites that agents read.
// Each file is requested once in its lifetime. The zero value is ready for use
// if Ask is set. It is safe for concurrent use, and must not be changed after
// its first use.
type Robots struct {
	// UserAgent is sent with requests for robots.txt if it is not empty. The
	// product token at its start, or "curlew", is looked up in the files.
	UserAgent string

	// Hosts shares files with crawls and other agents. If it is nil, they are
	// not shared.
	Hosts pace.Scheduler

	// Ask returns an Asker, which makes one request for a robots.txt.
	Ask func(ctx context.Context) Asker

	mu    sync.Mutex
	files map[string]*file // guarded by mu; by origin
}

// Asker makes one request for a robots.txt. Take waits for a turn at the host
// of the URL. Fetch makes the request in that turn, and waits for further turns
// after redirects.
type Asker interface {
	fetch.Fetcher
	Take(ctx context.Context, url string) (release func(), err error)
}

// file is one robots.txt. The fields after done are set when done is closed.
type file struct {
	done    chan struct{}
	rules   *robots.Rules
	until   time.Time
	silent  error // why no connection to the site is possible
	fault   error // why the file cannot be reached, although the site may answer
	aborted error // the context of the caller that requested it ended
}

// Allowed returns an error that wraps [ErrDisallowed] if the robots.txt of a
// URL's origin disallows it or cannot be reached. If the site itself cannot be
// reached, the error gives the reason. If the file is not known yet, Allowed
// calls wait with the func that waits for it. If wait is nil, it waits
// directly.
func (r *Robots) Allowed(ctx context.Context, url string, wait func(func() error) error) error {
	u, err := weburl.Parse(url)
	if err != nil {
		return nil //nolint:nilerr // the request itself will report the invalid URL
	}
	f := r.known(u.Origin())
	if f == nil {
		load := func() (err error) {
			f, err = r.load(ctx, u.Origin())
			return err
		}
		if wait == nil {
			err = load()
		} else {
			err = wait(load)
		}
	}
	switch {
	case err != nil:
		return err
	case f.silent != nil:
		return f.silent
	case f.fault != nil:
		return disallowed(u, f.fault)
	}
	if ok, _ := f.rules.Allowed(u.RobotsPath()); !ok {
		return disallowed(u, nil)
	}
	return nil
}

// Delay returns the Crawl-delay for a URL, limited to 30 s. If the robots.txt
// is not known, it is zero.
func (r *Robots) Delay(url string) time.Duration {
	u, err := weburl.Parse(url)
	if err != nil {
		return 0
	}
	f := r.known(u.Origin())
	if f == nil || f.rules == nil {
		return 0
	}
	d, _ := f.rules.CrawlDelay()
	return min(d, maxDelay)
}

// Token returns the name that is looked up in robots.txt files.
func (r *Robots) Token() string {
	if token := robots.Token(r.UserAgent); token != "" {
		return token
	}
	return "curlew"
}

// known returns the file of an origin if it was read and has not expired, or
// nil.
func (r *Robots) known(origin string) *file {
	r.mu.Lock()
	f := r.files[origin]
	r.mu.Unlock()
	if f == nil {
		return nil
	}
	select {
	case <-f.done:
		if f.aborted == nil && !f.expired() {
			return f
		}
	default:
	}
	return nil
}

// load returns the file of an origin. Concurrent callers wait for the same
// request. The error is ctx's cause.
func (r *Robots) load(ctx context.Context, origin string) (*file, error) {
	for {
		r.mu.Lock()
		f := r.files[origin]
		mine := f == nil || f.expired()
		if mine {
			if r.files == nil || len(r.files) >= maxOrigins {
				r.files = map[string]*file{}
			}
			f = &file{done: make(chan struct{})}
			r.files[origin] = f
		}
		r.mu.Unlock()
		if mine {
			r.read(ctx, f, origin+"/robots.txt")
			close(f.done)
			return f, f.aborted
		}
		select {
		case <-f.done:
			if f.aborted == nil {
				return f, nil
			}
			r.forget(origin, f) // the caller that requested it was cancelled
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (r *Robots) forget(origin string, f *file) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.files[origin] == f {
		delete(r.files, origin)
	}
}

// expired reports whether the file was read and has expired.
func (f *file) expired() bool {
	select {
	case <-f.done:
		return !time.Now().Before(f.until)
	default:
		return false
	}
}

// read requests the file, or uses the one that another job has read.
func (r *Robots) read(ctx context.Context, f *file, url string) {
	found, silent, err := r.shared(ctx, url)
	switch {
	case ctx.Err() != nil:
		f.aborted = context.Cause(ctx)
	case found != nil:
		f.rules, f.until = robots.Parse(found.Body).Agent(r.Token()), found.Until
	case silent:
		f.silent, f.until = err, time.Now().Add(faultLife)
	default:
		f.fault, f.until = err, time.Now().Add(faultLife)
	}
}

// errNoRobots is the fault of a file that another job could not read.
var errNoRobots = errors.New("another request for robots.txt has failed")

// shared returns the file from other jobs, or requests it in a turn. silent is
// set if no connection to the site was possible.
func (r *Robots) shared(ctx context.Context, url string) (found *pace.Robots, silent bool, err error) {
	key := pace.RobotsKey(url, r.UserAgent, false)
	if r.Hosts != nil {
		found, err = r.Hosts.Robots(ctx, key, func() *pace.Robots { return nil })
		if found != nil || err != nil {
			return found, false, err
		}
	}
	// Take the turn before locking the file, because a caller with a turn may
	// wait for the file.
	asker := r.Ask(ctx)
	release, err := asker.Take(ctx, url)
	if err != nil {
		return nil, false, err
	}
	defer release()
	err = errNoRobots
	load := func() *pace.Robots {
		var own *pace.Robots
		own, silent, err = r.request(ctx, asker, url)
		return own
	}
	if r.Hosts == nil {
		return load(), silent, err
	}
	found, ended := r.Hosts.Robots(ctx, key, load)
	if ended != nil {
		err = ended
	}
	return found, silent, err
}

// request requests the file.
func (r *Robots) request(ctx context.Context, f fetch.Fetcher, url string) (found *pace.Robots, silent bool, err error) {
	header, hopped := http.Header{}, false
	if r.UserAgent != "" {
		header.Set("User-Agent", r.UserAgent)
	}
	resp, err := fetch.Do(ctx, f, &fetch.Request{
		URL: url, Header: header, Timeout: robotsTimeout, MaxBytes: robotsBytes, Cut: true, Raw: true,
		Redirect: func(hop fetch.Hop) error {
			hopped = true
			if hop.Count > robotsHops {
				return fetch.ErrStopRedirect
			}
			return nil
		},
	})
	if err != nil {
		for _, none := range []error{fetch.ErrConnect, fetch.ErrTLS, fetch.ErrDNS, fetch.ErrAddress} {
			silent = silent || !hopped && errors.Is(err, none)
		}
		return nil, silent, err
	}
	read := scope.NewRobotsFile(url, resp.Status, resp.Body)
	if read.Unreachable {
		return nil, false, fmt.Errorf("HTTP status %d", resp.Status)
	}
	if resp.Truncated && len(resp.Body) < robotsBytes { // the rest may disallow anything
		return nil, false, errors.New("the site sent less than it announced")
	}
	life := robots.Lifetime(strings.Join(resp.Header.Values("Cache-Control"), ","))
	return &pace.Robots{Body: read.Body, Until: time.Now().Add(life)}, false, nil
}
