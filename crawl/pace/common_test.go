// SPDX-License-Identifier: Apache-2.0

package pace_test

import (
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/pace/pacetest"
)

// processes are processes with a common memory, whose exchanges take some time.
func processes(latency time.Duration) (s pacetest.System, end func()) {
	m := &pacetest.Memory{Latency: latency}
	var ends []func()
	s.Open = func(*testing.T) pace.Common {
		c, end := m.Open()
		ends = append(ends, end)
		return c
	}
	s.Die = func(_ *testing.T, c pace.Common) { m.Die(c) }
	return s, func() {
		for _, end := range ends {
			end()
		}
	}
}

func TestCommon(t *testing.T) {
	pacetest.Check(t, func(t *testing.T) pacetest.System {
		s, end := processes(time.Millisecond)
		t.Cleanup(end)
		return s
	})
}

// TestPoliteTogether checks in fake time that random parties in several processes keep
// the pauses of each other, and that each makes all its requests.
func TestPoliteTogether(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			s, end := processes(time.Duration(seed%7) * 10 * time.Millisecond)
			defer end()
			pacetest.Simulate(t, s, seed, time.Second)
		})
	}
}

// counted counts what a process asks.
type counted struct {
	pace.Common
	asks int
}

func (c *counted) Ask(host string, n pace.Need) {
	c.asks++
	c.Common.Ask(host, n)
}

// TestAskedOnce checks that a process that has a host for itself asks others once, and not
// for each request.
func TestAskedOnce(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s, end := processes(time.Millisecond)
			defer end()
			c := &counted{Common: s.Open(t)}
			var log server
			job(t, &pace.Hosts{Common: c}, &log, 1, 4, 100, delay, func() time.Duration { return time.Millisecond })
			if c.asks != 1 || len(log.requests) != 100 {
				t.Errorf("delay %v: %d requests, and the process has asked %d times; want 100 and once", delay, len(log.requests), c.asks)
			}
		})
	}
}
