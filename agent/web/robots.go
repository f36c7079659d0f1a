// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/robots"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/weburl"
)

const (
	robotsTimeout = 30 * time.Second
	robotsBytes   = 500 << 10   // RFC 9309 2.5: what is beyond is not read
	robotsHops    = 5           // RFC 9309 2.3.1.2
	faultLife     = time.Minute // after which a file that could not be reached is asked for again
	maxOrigins    = 1000        // whose rules are kept; beyond, all are read anew
)

var errNoRobots = errors.New("the scheduler has neither a robots.txt nor asked for one")

// origin is what is known of the robots.txt of an origin.
type origin struct {
	file  *pace.Robots // nil: it could not be reached
	rules *robots.Rules
	fault error     // why it could not be reached
	until time.Time // of fault
}

// allowed asks the robots.txt of a URL's origin. Its error wraps [ErrDisallowed],
// or is ctx's cause.
func (f *Fetcher) allowed(ctx context.Context, url string) error {
	u, err := weburl.Parse(url)
	if err != nil {
		return nil //nolint:nilerr // the request itself says what is wrong with it
	}
	o, err := f.origin(ctx, u)
	switch {
	case err != nil:
		return err
	case o.fault != nil:
		return disallowed(u, o.fault)
	}
	if ok, _ := o.rules.Allowed(u.RobotsPath()); !ok {
		return disallowed(u, nil)
	}
	return nil
}

// delay returns the pause that a known robots.txt asks for.
func (f *Fetcher) delay(url string) time.Duration {
	u, err := weburl.Parse(url)
	if err != nil {
		return 0
	}
	f.mu.Lock()
	o := f.known[u.Origin()]
	f.mu.Unlock()
	d, _ := o.rules.CrawlDelay()
	return min(d, maxDelay)
}

// origin returns what the robots.txt of u's origin says. The error is ctx's cause.
func (f *Fetcher) origin(ctx context.Context, u weburl.URL) (origin, error) {
	name := u.Origin()
	f.mu.Lock()
	o := f.known[name]
	f.mu.Unlock()
	if o.fault != nil && time.Now().Before(o.until) {
		return o, nil
	}
	var fault error
	var silent bool
	at := name + "/robots.txt"
	file, err := f.scheduler().Robots(ctx, pace.RobotsKey(at, f.UserAgent, false), func() (found *pace.Robots) {
		found, silent, fault = f.ask(ctx, at)
		return found
	})
	switch {
	case err != nil:
		return o, err
	case ctx.Err() != nil:
		return o, context.Cause(ctx)
	case file == nil && fault == nil:
		return o, errNoRobots
	case fault != nil && silent:
		// No request can reach this origin. That for its page says why, better
		// than a rule that nobody wrote.
		return origin{}, nil
	case fault != nil:
		o = origin{fault: fault, until: time.Now().Add(faultLife)}
	case file == o.file && file != nil:
		return o, nil
	default:
		o = origin{file: file, rules: robots.Parse(file.Body).Agent(f.token())}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil || len(f.known) >= maxOrigins {
		f.known = map[string]origin{}
	}
	f.known[name] = o
	return o, nil
}

// ask asks for a robots.txt. It is silent if no connection can be made.
func (f *Fetcher) ask(ctx context.Context, url string) (found *pace.Robots, silent bool, fault error) {
	hopped := false
	resp, err := f.fetcher().Fetch(ctx, &fetch.Request{
		URL: url, Header: f.header(), Timeout: robotsTimeout, MaxBytes: robotsBytes, Cut: true, Turn: f.turn,
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
	if _, final := robots.FromStatus(resp.Status, nil, false); !final {
		return nil, false, fmt.Errorf("HTTP status %d", resp.Status)
	}
	found = &pace.Robots{Until: time.Now().Add(robots.Lifetime(strings.Join(resp.Header.Values("Cache-Control"), ",")))}
	if resp.Status >= 200 && resp.Status < 300 {
		found.Body = resp.Body
	}
	return found, false, nil
}
