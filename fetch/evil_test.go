// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/test/evil"
)

// outcomes maps the errors of fetch to the outcomes of the catalogue.
var outcomes = []struct {
	name evil.Outcome
	err  error
}{
	{evil.Protocol, fetch.ErrProtocol},
	{evil.TooLarge, fetch.ErrTooLarge},
	{evil.Inflate, fetch.ErrInflate},
	{evil.Timeout, fetch.ErrTimeout},
	{evil.Connect, fetch.ErrConnect},
	{evil.TLS, fetch.ErrTLS},
	{evil.Redirects, fetch.ErrRedirects},
	{evil.Address, fetch.ErrAddress},
	{evil.Scheme, fetch.ErrScheme},
}

// outcome returns the catalogue's outcome, or an empty one for an unknown
// error.
func outcome(r *fetch.Response, err error) evil.Outcome {
	switch {
	case err == nil && r.Truncated:
		return evil.Truncated
	case err == nil:
		return evil.OK
	}
	for _, o := range outcomes {
		if errors.Is(err, o.err) {
			return o.name
		}
	}
	return ""
}

// meter dials loopback addresses and counts the bytes received.
type meter struct{ n atomic.Int64 }

func (m *meter) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &meteredConn{c, m}, nil
}

type meteredConn struct {
	net.Conn
	m *meter
}

func (c *meteredConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.m.n.Add(int64(n))
	return n, err
}

// TestEvil fetches from each hostile server, eight at a time, next to those
// that only keep the client waiting. On a busy machine even a correct client is
// late, so a case that fails is repeated alone with a longer deadline.
func TestEvil(t *testing.T) {
	log.SetOutput(io.Discard) // net/http logs protocol errors
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	before := live()
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex // guards again
		again []evil.Case
		busy  = make(chan struct{}, 8)
		idle  = make(chan struct{}, 64)
	)
	for _, c := range evil.Cases() {
		slots := busy
		if c.Wants[0] == evil.Timeout {
			slots = idle
		}
		slots <- struct{}{}
		var now runtime.MemStats
		if runtime.ReadMemStats(&now); now.HeapInuse > before+256<<20 {
			if n := live(); n > before+256<<20 { // collect again before failing, because the first collection may be incomplete
				t.Errorf("before %s the heap has grown to %d MiB", c.Name, n>>20)
			}
		}
		wg.Go(func() {
			defer func() { <-slots }()
			if len(meet(t, c, evil.Deadline, time.Second)) > 0 {
				mu.Lock()
				defer mu.Unlock()
				again = append(again, c)
			}
		})
	}
	wg.Wait()
	for _, c := range again {
		if faults := meet(t, c, evil.Deadline, time.Second); len(faults) > 0 {
			t.Logf("%s: %s", c.Name, faults)
			for _, fault := range meet(t, c, 10*evil.Deadline, time.Minute) {
				t.Errorf("%s: %s", c.Name, fault)
			}
		}
	}
}

// live returns the bytes in use on the heap after a garbage collection.
func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// meet fetches from one server and returns what was wrong. Ending more than
// grace after the deadline is wrong too.
func meet(t *testing.T, c evil.Case, deadline, grace time.Duration) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	s, err := evil.Start(t.Context(), c)
	if err != nil {
		fault("%v", err)
		return faults
	}
	defer s.Close()
	m := new(meter)
	client := (&fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}).Dialling(m.dial)
	defer client.CloseIdleConnections()

	start := time.Now()
	r, err := client.Fetch(t.Context(), &fetch.Request{
		URL: s.URL, MaxBytes: evil.MaxBytes, Timeout: deadline, Retries: fetch.Unlimited, InsecureTLS: c.Insecure,
	})
	if took := time.Since(start); took > deadline+grace {
		fault("took %v", took)
	}
	if got := outcome(r, err); !slices.Contains(c.Wants, got) {
		fault("%q (%v), want %q", got, cause(err), c.Wants)
	}
	if n := m.n.Load(); n > c.Limit() {
		fault("took in %d bytes, want at most %d", n, c.Limit())
	}
	if err == nil && (len(r.Body) > evil.MaxBytes || c.Body != "" && string(r.Body) != c.Body) {
		fault("brought %.50q", r.Body)
	}
	if _, ok := errors.AsType[*fetch.Error](err); err != nil && !ok {
		fault("%T", err)
	}
	return faults
}

// cause returns the innermost error of err.
func cause(err error) error {
	for {
		next := errors.Unwrap(err)
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			next = many.Unwrap()[len(many.Unwrap())-1]
		}
		if next == nil {
			return err
		}
		err = next
	}
}
