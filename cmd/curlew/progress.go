// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/curlew/crawl/pace"
)

// progress shows the state of a crawl: on a terminal in one line that changes ten times
// a second, elsewhere in a line every ten seconds.
type progress struct {
	*env
	job  running
	once sync.Once
	quit chan struct{}
	gone sync.WaitGroup
	past []sample  // samples of the last 20 seconds
	told time.Time // end of the wait that was reported last

	pages  int       // delivered when the crawl moved last
	moved  time.Time // when that was
	warned string    // the warning that was printed last
}

// sample is the number of pages at one time.
type sample struct {
	at    time.Time
	pages int
}

func newProgress(e *env, j running) *progress {
	p := &progress{env: e, job: j, quit: make(chan struct{})}
	if e.asJSON {
		return p
	}
	every := 10 * time.Second
	switch {
	case e.quiet:
		every = 5 * time.Second
	case e.terminal && e.server != "": // each state is a request
		every = time.Second
	case e.terminal:
		every = 100 * time.Millisecond
	}
	p.gone.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-p.quit:
				return
			case now := <-tick.C:
				p.draw(now)
			}
		}
	})
	return p
}

func (p *progress) draw(now time.Time) {
	status, err := p.job.state(p.ctx)
	if err != nil {
		return // the loop over the pages gets the error too
	}
	p.stands(status, now)
	if p.quiet {
		p.waits(status, now)
		return
	}
	text := p.line(status, now)
	if !p.terminal {
		fmt.Fprintln(p.err, text)
		return
	}
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || width < 20 {
		width = 80
	}
	if len(text) >= width {
		text = text[:width-1]
	}
	fmt.Fprint(p.err, "\r\x1b[K"+text)
}

// line describes the state of a crawl.
func (p *progress) line(s *state, now time.Time) string {
	p.past = append(p.past, sample{now, s.Pages})
	for now.Sub(p.past[0].at) > 20*time.Second {
		p.past = p.past[1:]
	}
	rate := 0.0
	if since := now.Sub(p.past[0].at).Seconds(); since > 0 {
		rate = float64(s.Pages-p.past[0].pages) / since
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  %d pages  %.0f/s  queue %d", s.Pages, rate, s.Waiting)
	if s.Failed > 0 {
		fmt.Fprintf(&b, "  failed %d", s.Failed)
	}
	if left := s.Waiting; left > 0 && rate > 0 {
		fmt.Fprintf(&b, "  known pages take %v", time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
	}
	switch wait := s.Resumes.Sub(now); {
	case s.Host == "":
	case wait >= time.Second:
		fmt.Fprintf(&b, "  waits %v for %s", wait.Round(time.Second), s.reason())
	default:
		fmt.Fprintf(&b, "  %s, gap %v", s.reason(), s.Gap.Round(time.Millisecond))
	}
	return b.String()
}

// causes says in words why a crawl requests less from a host than it could.
var causes = map[pace.Cause]string{
	pace.Unreachable: "does not answer", pace.RetryAfter: "asked to wait", pace.CrawlDelay: "gets a pause between requests",
	pace.Overload: "is overloaded", pace.Busy: "has all requests that it may get",
}

// reason names the host that the crawl waits for most, and why.
func (s *state) reason() string {
	return fmt.Sprintf("%s (%s)", clean(s.Host), cmp.Or(causes[pace.Cause(s.Cause)], clean(s.Cause)))
}

// waits says once that everything that is left of a quiet crawl must wait, for a retry or a
// host that is down, so that nobody takes it for a program that hangs.
func (p *progress) waits(s *state, now time.Time) {
	wait := s.Resumes.Sub(now)
	if s.Resumes.IsZero() || wait < 3*time.Second || s.Resumes.Equal(p.told) {
		return
	}
	p.told = s.Resumes
	text := fmt.Sprintf("curlew: nothing can be fetched for %v", wait.Round(time.Second))
	if s.Host != "" {
		text += " because of " + s.reason()
	}
	fmt.Fprintln(p.err, text)
}

// stands prints the warning of a crawl that has not delivered a page for some seconds, for
// example because the disk is full, so that nobody takes it for a program that hangs.
func (p *progress) stands(s *state, now time.Time) {
	if s.Pages != p.pages || p.moved.IsZero() {
		p.pages, p.moved = s.Pages, now
		return
	}
	if now.Sub(p.moved) < 5*time.Second || s.Warning == "" || s.Warning == p.warned {
		return
	}
	p.warned = s.Warning
	start := ""
	if p.terminal && !p.quiet {
		start = "\r\x1b[K"
	}
	fmt.Fprintf(p.err, "%s%s %s\n", start, p.paint(yellow, "warning:"), clean(inWords(s.Warning)))
}

// stop ends the display.
func (p *progress) stop() {
	p.once.Do(func() {
		close(p.quit)
		p.gone.Wait()
		if p.terminal && !p.quiet && !p.asJSON {
			fmt.Fprint(p.err, "\r\x1b[K")
		}
	})
}

// waiting says every ten seconds that the program waits for something, so that nobody takes it
// for a program that hangs. It ends when the function that it returns is called. A limit of
// zero means that there is none.
func (e *env) waiting(what string, limit time.Duration) (stop func()) {
	if e.quiet || e.asJSON {
		return func() {}
	}
	text := "  still waiting for " + clean(what)
	if limit > 0 {
		text += fmt.Sprintf(", at most %v in all", limit)
	}
	quit := make(chan struct{})
	var gone sync.WaitGroup
	gone.Go(func() {
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				fmt.Fprintln(e.err, text)
			}
		}
	})
	return sync.OnceFunc(func() {
		close(quit)
		gone.Wait()
	})
}
