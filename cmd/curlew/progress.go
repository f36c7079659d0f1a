// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/curlew"
)

// progress shows the state of a crawl: on a terminal in one line that changes ten times
// a second, elsewhere in a line every ten seconds.
type progress struct {
	*env
	job  *curlew.Job
	once sync.Once
	quit chan struct{}
	gone sync.WaitGroup
	past []sample // of the last 20 seconds
}

// sample is how many pages there were at a time.
type sample struct {
	at    time.Time
	pages int
}

func newProgress(e *env, j *curlew.Job) *progress {
	p := &progress{env: e, job: j, quit: make(chan struct{})}
	if e.quiet || e.asJSON {
		return p
	}
	every := 10 * time.Second
	if e.terminal {
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
	status, err := p.job.Status(p.ctx)
	if err != nil {
		return // the loop over the pages gets the error too
	}
	text := p.line(&status, now)
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
func (p *progress) line(s *curlew.Status, now time.Time) string {
	p.past = append(p.past, sample{now, s.Delivered})
	for now.Sub(p.past[0].at) > 20*time.Second {
		p.past = p.past[1:]
	}
	rate := 0.0
	if since := now.Sub(p.past[0].at).Seconds(); since > 0 {
		rate = float64(s.Delivered-p.past[0].pages) / since
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  %d pages  %.0f/s  queue %d", s.Delivered, rate, s.Crawl.Pending)
	if s.Failed > 0 {
		fmt.Fprintf(&b, "  failed %d", s.Failed)
	}
	if left := s.Crawl.Pending + s.Crawl.Leased; left > 0 && rate > 0 {
		fmt.Fprintf(&b, "  known pages take %v", time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
	}
	for _, w := range s.Crawl.Waits[:min(1, len(s.Crawl.Waits))] {
		fmt.Fprintf(&b, "  %s: %s, gap %v", clean(w.Host), w.Cause, w.Gap.Round(time.Millisecond))
	}
	return b.String()
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
