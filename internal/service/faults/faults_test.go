// SPDX-License-Identifier: Apache-2.0

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"example.com/curlew/audit"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/job"
)

// TestOf checks that the more special error decides, however deep it is wrapped, and that
// an unknown error stays hidden.
func TestOf(t *testing.T) {
	secret := errors.New("dial 10.0.0.1: password")
	for _, c := range []struct {
		err  error
		code string
		own  bool // the team may read the text of the error
	}{
		{secret, "UNKNOWN_ERROR", false},
		{fmt.Errorf("scrape: %w", secret), "UNKNOWN_ERROR", false},
		{faults.ErrPanic, "UNKNOWN_ERROR", false},
		{faults.ErrRequest, "BAD_REQUEST", true},
		{faults.ErrNoURLs, "", true},
		{faults.ErrNoPlanner, "", true},
		{errors.Join(faults.ErrNoPlanner, secret), "", true},
		{faults.ErrSince, "", true},
		{job.ErrNotFound, "", false},
		{fmt.Errorf("%w: %w", faults.ErrLockdown, fetch.ErrNotCached), "SCRAPE_LOCKDOWN_CACHE_MISS", false},
		{fetch.ErrNotCached, "SCRAPE_NO_CACHED_DATA", false},
		{fmt.Errorf("database: %w", syscall.ECONNREFUSED), "UNKNOWN_ERROR", false},
		{&fetch.Error{Err: fetch.ErrDNS}, "SCRAPE_DNS_RESOLUTION_ERROR", false},
		{&fetch.Error{Err: secret}, "SCRAPE_SITE_ERROR", false},
		{context.DeadlineExceeded, "SCRAPE_TIMEOUT", false},
		{fmt.Errorf("%w: %w", crawl.ErrRobots, fetch.ErrTimeout), "CRAWL_DENIAL", false},
		{&render.StepError{Kind: render.Click, Reason: "no such element"}, "SCRAPE_ACTION_ERROR", true},
		{fmt.Errorf("%w: %w", faults.ErrSearch, fetch.ErrDNS), "SEARCH_FAILED", false},
	} {
		code, text := faults.Of(c.err)
		if code != c.code || (text == "") != c.own {
			t.Errorf("%v: code %q, sentence %q, want code %q", c.err, code, text, c.code)
		}
		if code != "" && !slices.Contains(faults.Codes(), code) {
			t.Errorf("Codes lacks %s", code)
		}
	}
	if _, text := faults.Of(&fetch.Error{Err: fetch.ErrProtocol}); !strings.Contains(text, "not valid HTTP") {
		t.Errorf("malformed HTTP: %q", text)
	}
	if _, text := faults.Of(&fetch.Error{Err: fmt.Errorf("%w: %w", fetch.ErrConnect, syscall.ECONNRESET)}); !strings.Contains(text, "closed the connection") {
		t.Errorf("a reset: %q", text)
	}
	refused := &fetch.Error{Err: syscall.ECONNREFUSED}
	blocked := &fetch.Error{Err: fetch.ErrAddress}
	_, one := faults.Of(refused)
	if _, other := faults.Of(&fetch.Error{Err: secret}); one == other {
		t.Errorf("a refused connection has the general sentence %q", one)
	}
	if _, other := faults.Of(blocked); one == other {
		t.Errorf("a blocked address has the sentence of a refused connection: %q", one)
	}
}

// TestText checks the text of an action that failed.
func TestText(t *testing.T) {
	err := fmt.Errorf("show: %w", &render.StepError{Index: 1, Kind: render.Click, Reason: "no such element"})
	want := "Action(s) failed to complete. Error code: Error in action 2 (click): no such element"
	if got := faults.Text(err); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := faults.Text(faults.ErrNoURLs); got != faults.ErrNoURLs.Error() {
		t.Errorf("%q", got)
	}
}

// TestResult checks how the audit log classifies errors.
func TestResult(t *testing.T) {
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(job.ErrCancelled)
	left, leave := context.WithCancel(t.Context()) // a client that does not wait
	leave()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want audit.Result
	}{
		{t.Context(), faults.ErrBlocked, audit.Blocked},
		{cancelled, faults.ErrBlocked, audit.Blocked},
		{t.Context(), &fetch.Error{Err: fetch.ErrAddress}, audit.Blocked},
		{t.Context(), job.ErrCancelled, audit.Cancelled},
		{cancelled, context.Canceled, audit.Cancelled},
		{left, context.Canceled, audit.Cancelled},
		{t.Context(), context.Canceled, audit.Failure},
		{t.Context(), fetch.ErrDNS, audit.Failure},
	} {
		if got := faults.Result(c.ctx, c.err); got != c.want {
			t.Errorf("%v is %v, want %v", c.err, got, c.want)
		}
	}
}
