// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"log/slog"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/weburl"
)

// Pool is a [Fetcher] that spreads fetches over several proxies. All fetches from one host
// use the same proxy while it is healthy. Each proxy has its own connections, and its own
// pages in the cache.
//
// A proxy that fails three times in a row, because it cannot be reached, breaks off or
// refuses the credentials, is out for 30 s, then for twice as long after each further
// failure, up to 10 min. Then one fetch tries it again. If a proxy fails, the fetch goes on
// with the next one. If there is none, it fails with [ErrProxy]: a Pool never connects
// directly. An answer of a site, such as 403, says nothing about the health of a proxy.
//
// Addresses are resolved and checked before a proxy gets them, as with [Client.Proxy].
type Pool struct {
	exits  []*exit
	seed   maphash.Seed
	logger *slog.Logger
}

// Proxy is a proxy of a [Pool].
type Proxy struct {
	URL    string   // as in [Client.Proxy]; empty means a direct connection
	Weight int      // share of the hosts, compared with other proxies; zero means 1
	Teams  []string // teams whose fetches use it; empty means all teams that no other proxy names
}

// Limits for lists of proxies.
const (
	maxProxies = 1000
	maxWeight  = 100
)

// ReadProxies reads a list of proxies. Each line has a URL, or the word direct, and then
// optionally weight=N and teams=A,B. Empty lines and lines that start with # are ignored. An
// error names the line, but not the URL, which may contain a password.
func ReadProxies(r io.Reader) ([]Proxy, error) {
	var list []Proxy
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		p, err := readProxy(words)
		if err == nil && len(list) == maxProxies {
			err = fmt.Errorf("there are more than %d proxies", maxProxies)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, p)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("there is no proxy")
	}
	return list, nil
}

// readProxy reads the words of a line.
func readProxy(words []string) (Proxy, error) {
	var p Proxy
	if words[0] != "direct" {
		p.URL = words[0]
		if _, err := netguard.Tunnel(p.URL); err != nil {
			return p, err
		}
	}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "weight":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > maxWeight {
				return p, fmt.Errorf("weight must be a number from 1 to %d", maxWeight)
			}
			p.Weight = n
		case "teams":
			if p.Teams = strings.Split(value, ","); slices.Contains(p.Teams, "") {
				return p, errors.New("a team has no name")
			}
		default:
			return p, errors.New("only weight=N and teams=A,B may follow the URL")
		}
	}
	return p, nil
}

// NewPool returns a Pool of proxies whose fetches otherwise work like those of c. Changes of
// c after that have no effect. logger gets a warning when a proxy is out, and a note when it
// is used again; nil means none.
func NewPool(c *Client, proxies []Proxy, logger *slog.Logger) *Pool {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	p := &Pool{seed: maphash.MakeSeed(), logger: logger}
	for i, proxy := range proxies {
		p.exits = append(p.exits, &exit{
			Proxy: proxy, name: nameOf(i, proxy.URL),
			client: &Client{
				UserAgent: c.UserAgent, MaxBytes: c.MaxBytes, Allow: c.Allow, Ports: c.Ports, Check: c.Check,
				Cache: c.Cache, PartitionAll: c.PartitionAll, Proxy: proxy.URL, replace: c.replace,
			},
		})
	}
	return p
}

// nameOf returns the number and the host of a proxy, for logs.
func nameOf(i int, proxy string) string {
	name := "direct"
	if _, rest, ok := strings.Cut(proxy, "://"); ok {
		name = "invalid"
		if u, err := weburl.Parse("http://" + rest); err == nil {
			name = u.HostPort()
		}
	}
	return fmt.Sprintf("%d (%s)", i+1, name)
}

// ProxyStats are the figures of a proxy of a [Pool].
type ProxyStats struct {
	Name     string    // its number in the list, and its host and port; without credentials
	Fetches  int64     // fetches that have ended, without those that the caller abandoned
	Failures int64     // fetches of these that failed because of the proxy
	Out      time.Time // end of the pause for a proxy that is out; zero means that it is in use
}

// Stats returns the figures of the proxies, in the order of the list.
func (p *Pool) Stats() []ProxyStats {
	all := make([]ProxyStats, len(p.exits))
	for i, e := range p.exits {
		all[i] = e.stats()
	}
	return all
}

// Caching reports whether the pool has a cache.
func (p *Pool) Caching() bool { return len(p.exits) > 0 && p.exits[0].client.Caching() }

// Cached is like [Client.Cached]. It does not depend on the proxies.
func (p *Pool) Cached(ctx context.Context, r *Request, exchange func(context.Context, *Exchange) (*Response, error)) (*Response, error) {
	if len(p.exits) == 0 {
		return Follow(ctx, r, nil, exchange)
	}
	return p.exits[0].client.Cached(ctx, r, exchange)
}

// CloseIdleConnections closes the connections that no Fetch is using.
func (p *Pool) CloseIdleConnections() {
	for _, e := range p.exits {
		e.client.CloseIdleConnections()
	}
}

type teamKey struct{}

// WithTeam returns a context under which a [Pool] uses the proxies of a team.
func WithTeam(ctx context.Context, team string) context.Context {
	return context.WithValue(ctx, teamKey{}, team)
}

// errAllOut means that no proxy can be used at the moment.
var errAllOut = &fault{ErrProxy, &netguard.ProxyError{Reason: "all proxies of the list are out of order"}}

// Fetch implements [Fetcher].
func (p *Pool) Fetch(ctx context.Context, r *Request) (*Response, error) {
	if r.Lockdown || r.MinAge > 0 {
		return p.cached(ctx, r)
	}
	var last error
	for _, e := range p.order(ctx, r.URL) {
		if !e.enter(time.Now()) {
			continue
		}
		resp, err := e.client.Fetch(ctx, r)
		failed := proxyFailed(err)
		if change := e.leave(time.Now(), failed, ctx.Err() != nil); change != "" {
			p.logger.WarnContext(ctx, change, "proxy", e.name)
		}
		if !failed || ctx.Err() != nil {
			return resp, err
		}
		last = err
	}
	if last == nil {
		last = &Error{URL: weburl.Redacted(r.URL), Err: errAllOut}
	} else if fetchError, ok := errors.AsType[*Error](last); ok {
		last = &Error{URL: fetchError.URL, Err: &fault{ErrProxy, last}}
	}
	return nil, last
}

// cached returns a page from the cache, whichever proxy of the team it came through.
func (p *Pool) cached(ctx context.Context, r *Request) (resp *Response, err error) {
	err = &Error{URL: weburl.Redacted(r.URL), Err: ErrNotCached}
	for _, e := range p.order(ctx, r.URL) {
		if resp, err = e.client.Fetch(ctx, r); !errors.Is(err, ErrNotCached) {
			return resp, err
		}
	}
	return nil, err
}

// order returns the proxies for a URL, the one that is used while it is healthy first. The
// order is that of rendezvous hashing, so that a proxy that is out moves only its own hosts.
func (p *Pool) order(ctx context.Context, url string) []*exit {
	team, _ := ctx.Value(teamKey{}).(string)
	own := func(e *exit) bool { return slices.Contains(e.Teams, team) }
	if team == "" || !slices.ContainsFunc(p.exits, own) {
		own = func(e *exit) bool { return len(e.Teams) == 0 }
	}
	host := ""
	if u, err := weburl.Parse(url); err == nil { // else the client says what is wrong
		host = u.HostKey()
	}
	type ranked struct {
		*exit
		rank uint64
	}
	var list []ranked
	for i, e := range p.exits {
		if !own(e) {
			continue
		}
		best := ranked{exit: e}
		for copies := range max(1, e.Weight) {
			best.rank = max(best.rank, maphash.String(p.seed, fmt.Sprint(i, ".", copies, " ", host)))
		}
		list = append(list, best)
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].rank > list[j].rank })
	exits := make([]*exit, len(list))
	for i, r := range list {
		exits[i] = r.exit
	}
	return exits
}

// proxyFailed reports whether a fetch failed because of its proxy.
func proxyFailed(err error) bool {
	p, ok := errors.AsType[*netguard.ProxyError](err)
	return ok && !p.Target
}

const (
	maxProxyFailures = 3
	firstOut         = 30 * time.Second
	longestOut       = 10 * time.Minute
)

// exit is a proxy with its health.
type exit struct {
	Proxy
	name   string
	client *Client

	mu       sync.Mutex // guards the rest
	failures int        // in a row
	until    time.Time  // the proxy is out until then
	out      time.Duration
	trying   bool // a fetch tries whether it works again

	fetches, failed int64 // since the start
}

func (e *exit) stats() ProxyStats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := ProxyStats{Name: e.name, Fetches: e.fetches, Failures: e.failed}
	if e.out > 0 {
		s.Out = e.until
	}
	return s
}

// enter reports whether a fetch may use the proxy now.
func (e *exit) enter(now time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.out == 0:
		return true
	case e.trying || now.Before(e.until):
		return false
	}
	e.trying = true
	return true
}

// leave records the end of a fetch. It returns what has changed, for the log, or "". An
// abandoned fetch says nothing about the proxy.
func (e *exit) leave(now time.Time, failed, abandoned bool) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	tried := e.trying
	e.trying = false
	if abandoned {
		return ""
	}
	e.fetches++
	switch {
	case !failed:
		e.failures = 0
		if e.out > 0 && tried {
			e.out = 0
			return "a proxy works again"
		}
		return ""
	}
	e.failures++
	e.failed++
	if e.failures < maxProxyFailures && e.out == 0 || e.out > 0 && !tried {
		return ""
	}
	e.out = min(max(firstOut, 2*e.out), longestOut)
	e.until = now.Add(e.out)
	return "a proxy is out of order for " + e.out.String()
}
