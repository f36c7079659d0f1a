// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
)

const (
	maxNames      = 10_000
	nameLife      = time.Minute
	failureLife   = 5 * time.Second
	lookupTimeout = 10 * time.Second
)

// names caches the results of a resolver. If several callers look up the same
// name at the same time, the resolver is asked once.
type names struct {
	resolver Resolver

	mu      sync.Mutex // guards answers
	answers map[string]*answer
}

// answer is the result for one name. All fields except done are written before
// done is closed.
type answer struct {
	done    chan struct{}
	addrs   []netip.Addr
	err     error
	expires time.Time
	retired bool // the lookup was cancelled, so there is no result
}

// lookup returns the addresses of host, which the caller must not modify.
func (n *names) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	host = strings.ToLower(strings.TrimSuffix(host, ".")) + "." // the final dot prevents the use of search domains
	for {
		a, mine := n.entry(host)
		if mine {
			n.ask(ctx, host, a)
			return a.addrs, a.err
		}
		select {
		case <-a.done:
			if !a.retired {
				return a.addrs, a.err
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// entry returns the answer for host, and whether the caller must fetch it.
func (n *names) entry(host string) (a *answer, mine bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if a = n.answers[host]; a != nil {
		select {
		case <-a.done:
			if time.Now().Before(a.expires) {
				return a, false
			}
		default:
			return a, false
		}
	}
	n.makeRoom()
	a = &answer{done: make(chan struct{})}
	if n.answers == nil {
		n.answers = map[string]*answer{}
	}
	n.answers[host] = a
	return a, true
}

// makeRoom limits the number of names: it removes the expired ones and, if that
// is not enough, others. The caller holds n.mu.
func (n *names) makeRoom() {
	if len(n.answers) < maxNames {
		return
	}
	now := time.Now()
	for host, a := range n.answers {
		select {
		case <-a.done:
			if now.After(a.expires) {
				delete(n.answers, host)
			}
		default:
		}
	}
	for host := range n.answers {
		if len(n.answers) < maxNames*9/10 {
			return
		}
		delete(n.answers, host)
	}
}

// ask asks the resolver and fills a.
func (n *names) ask(ctx context.Context, host string, a *answer) {
	defer close(a.done)
	inner, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	resolver := n.resolver
	if resolver == nil {
		resolver = &net.Resolver{}
	}
	a.addrs, a.err = resolver.LookupNetIP(inner, "ip", host)
	life := nameLife
	if a.err != nil {
		life = failureLife
	}
	a.expires = time.Now().Add(life)
	if a.err != nil && ctx.Err() != nil {
		a.retired, a.err = true, context.Cause(ctx)
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.answers[host] == a {
			delete(n.answers, host)
		}
	}
}
