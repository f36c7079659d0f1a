// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"errors"
	"net/http"

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/test/webtest"
	"example.com/curlew/job"
	"example.com/curlew/webhook"
)

// panicking is a Fetcher that panics.
type panicking struct{}

func (panicking) Fetch(context.Context, *fetch.Request) (*fetch.Response, error) { panic("so it goes") }

// fakeWeb is a Fetcher for HTML pages by URL.
type fakeWeb map[string]string

func (f fakeWeb) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	body, ok := f[r.URL]
	if !ok {
		return nil, &fetch.Error{URL: r.URL, Err: fetch.ErrDNS}
	}
	return &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(body)}, nil
}

// answering is a Fetcher that answers every request with the same status.
type answering int

func (a answering) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	return &fetch.Response{URL: r.URL, Status: int(a), Header: http.Header{}}, nil
}

// deadStore is a store that always fails.
type deadStore struct{ job.Store }

func (deadStore) List(context.Context, string, job.Filter) ([]*job.Job, error) {
	return nil, errors.New("disk /dev/sda1 is gone")
}

// over returns c with connections to n instead of the network.
func over(c webhook.Config, n *webtest.Net) webhook.Config {
	policy := netguard.Policy{Ports: c.Ports, Allow: c.Allow, Dial: n.Dial, Resolver: n}
	c.Client = policy.Client(netguard.ClientOptions{Roots: n.Roots()})
	return c
}

// running returns the number of running jobs of the team "default".
func running(ctx context.Context, s *curlew.Service) (n int) {
	for _, err := range s.Jobs(ctx, "", job.Filter{State: job.Running}) {
		if err != nil {
			return -1
		}
		n++
	}
	return n
}

// brokenStore fails when a page is stored.
type brokenStore struct{ job.Store }

func (b brokenStore) Space(ctx context.Context, id string) (job.Space, error) {
	s, err := b.Store.Space(ctx, id)
	return brokenSpace{s}, err
}

type brokenSpace struct{ job.Space }

func (brokenSpace) Append(context.Context, ...job.Item) error {
	return errors.New("disk /dev/sda1 is full")
}
