// SPDX-License-Identifier: Apache-2.0

package webrisk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/threat"
)

// Provider is the provider's name in verdicts.
const Provider = "webrisk"

// score is the score of a confirmed threat. Any other URL has the score 0.
const score = 100

// parallel is the number of prefixes that are requested concurrently.
const parallel = 4

// Client is a [threat.Classifier]. The provider requires a Key; all other
// fields have defaults. The program must run [Client.Run], or call
// [Client.Sync] regularly. A Client is safe for concurrent use. It must not be
// changed after its first use, nor copied.
type Client struct {
	BaseURL string        // empty means https://webrisk.googleapis.com; the URL of a gateway may have a path
	Key     string        // sent as X-Goog-Api-Key
	HTTP    *http.Client  // nil means a client that reaches only the origin of BaseURL
	Dir     string        // where lists are stored across restarts; empty means in memory only
	Types   []string      // threat types; nil means MALWARE, SOCIAL_ENGINEERING, UNWANTED_SOFTWARE
	MaxAge  time.Duration // maximum age of a list that is used; zero means 6 h

	Logger *slog.Logger // reports failed updates; nil discards the reports

	once  sync.Once
	state *state // created once
}

// state is created when a Client is first used.
type state struct {
	err    error // why the configuration is invalid
	http   *http.Client
	lists  []slot        // one for each type
	turn   chan struct{} // held by the goroutine that updates lists
	tried  chan struct{} // closed when each list was requested once or loaded from disk
	opened sync.Once     // closes tried
	cache  cache
}

// slot holds the list of one type. Its other fields belong to the goroutine
// that holds the turn.
type slot struct {
	list    atomic.Pointer[list] // nil if there is no list yet
	failed  int                  // consecutive failed updates
	missing int                  // consecutive failed updates without a valid list
	due     time.Time            // when Run is to update the list; zero means at once
}

// Reasons why a call fails.
var (
	ErrConfig   = errors.New("invalid configuration")
	ErrStale    = errors.New("list is missing or too old")
	ErrStatus   = errors.New("response status is not 200 OK")
	ErrAnswer   = errors.New("malformed response")
	ErrChecksum = fmt.Errorf("%w: list checksum mismatch", ErrAnswer)
)

// Error says which call or which list failed.
type Error struct {
	Call   string // hashes:search or threatLists:computeDiff; empty if no call failed
	Type   string // threat type of the list; empty if no list failed
	Status int    // HTTP status if it is not 200, else zero
	Err    error  // wraps [ErrStatus], [ErrAnswer], [ErrStale], the cause of ctx, or the network's error
}

// Error returns "webrisk <call> <type>: <cause>".
func (e *Error) Error() string {
	place := strings.Join(sorting.Without([]string{"webrisk", e.Call, e.Type}, func(s string) bool { return s == "" }), " ")
	if e.Status != 0 {
		return fmt.Sprintf("%s: %v (status %d)", place, e.Err, e.Status)
	}
	return place + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func (c *Client) types() []string {
	if c.Types != nil {
		return c.Types
	}
	return []string{"MALWARE", "SOCIAL_ENGINEERING", "UNWANTED_SOFTWARE"}
}

func (c *Client) maxAge() time.Duration { return cmp.Or(c.MaxAge, 6*time.Hour) }

func (c *Client) logger() *slog.Logger {
	if c.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Logger
}

// open returns the state. The first call reads the lists from disk.
func (c *Client) open() (*state, error) {
	c.once.Do(func() {
		s := &state{
			http:  c.HTTP,
			lists: make([]slot, len(c.types())),
			turn:  make(chan struct{}, 1),
			tried: make(chan struct{}),
		}
		c.state = s
		if s.err = c.validate(); s.err != nil {
			return
		}
		if s.http == nil {
			if s.http, s.err = netguard.Fixed(c.base()); s.err != nil {
				s.err = fmt.Errorf("%w: base URL: %w", ErrConfig, s.err)
				return
			}
		}
		if c.Dir != "" {
			c.restore(s)
		}
	})
	if c.state.err != nil {
		return nil, &Error{Err: c.state.err}
	}
	return c.state, nil
}

// validate returns everything that is wrong with c.
func (c *Client) validate() error {
	var faults []error
	for i, kind := range c.types() {
		if kind == "" || strings.Trim(kind, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" || slices.Contains(c.types()[:i], kind) {
			faults = append(faults, fmt.Errorf("%w: threat type %q", ErrConfig, kind))
		}
	}
	if len(c.types()) == 0 {
		faults = append(faults, fmt.Errorf("%w: no threat type", ErrConfig))
	}
	if c.MaxAge < 0 {
		faults = append(faults, fmt.Errorf("%w: maximum age %v", ErrConfig, c.MaxAge))
	}
	return errors.Join(faults...)
}

func (c *Client) client() (*http.Client, error) {
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	return s.http, nil
}

// restore loads the lists from disk. A list that is too old to be used can
// still be the base of an update.
func (c *Client) restore(s *state) {
	all := true
	for i, kind := range c.types() {
		l, err := load(c.Dir, kind)
		if err != nil {
			c.logger().Warn("webrisk list cannot be read", "type", kind, "error", err)
		}
		if l != nil {
			s.lists[i].list.Store(l)
		}
		if l == nil || !c.fresh(l) {
			all = false
			continue
		}
		s.lists[i].due = time.Now().Add(spread(firstDelay))
	}
	if all {
		s.opened.Do(func() { close(s.tried) })
	}
}

// fresh reports whether l may be used. A list with a time in the future may
// not, because it would never become too old.
func (c *Client) fresh(l *list) bool {
	age := time.Since(l.synced)
	return age <= c.maxAge() && age >= -time.Minute
}

// Classify implements [threat.Classifier]. If there is no list yet, it waits
// for the first update or the end of ctx. The error is an [*Error]. It wraps
// [ErrStale] if a list is missing or older than MaxAge, or else the error of a
// call.
func (c *Client) Classify(ctx context.Context, t []threat.Target) ([]threat.Verdict, error) {
	if ctx.Err() != nil {
		return nil, &Error{Err: context.Cause(ctx)}
	}
	s, err := c.open()
	if err != nil {
		return nil, err
	}
	select {
	case <-s.tried:
	default:
		select {
		case <-s.tried:
		case <-ctx.Done():
			return nil, &Error{Err: fmt.Errorf("%w: %w", ErrStale, context.Cause(ctx))}
		}
	}
	var room [8]*list
	lists := room[:0]
	for i, kind := range c.types() {
		l := s.lists[i].list.Load()
		if l == nil || !c.fresh(l) {
			return nil, &Error{Type: kind, Err: ErrStale}
		}
		lists = append(lists, l)
	}
	verdicts := make([]threat.Verdict, len(t))
	var hits []hit
	for i := range t {
		verdicts[i] = threat.Verdict{Known: true, Provider: Provider}
		hits = appendHits(hits, lists, i, &t[i])
	}
	if len(hits) == 0 {
		return verdicts, nil
	}
	if err := c.confirm(ctx, s, hits); err != nil {
		return nil, err
	}
	for i := range hits {
		hits[i].tell(&verdicts[hits[i].target])
	}
	for i := range verdicts {
		slices.Sort(verdicts[i].Categories)
		verdicts[i].Categories = slices.Compact(verdicts[i].Categories)
	}
	return verdicts, nil
}

// hit is an expression of a target whose prefix is listed.
type hit struct {
	target  int // index of the target
	noStore bool
	hash    [sha256.Size]byte
	prefix  string
	answer  *answer // answer about prefix, set by confirm
}

// appendHits appends the hits of a target, without repeating a prefix of the
// same expression.
func appendHits(hits []hit, lists []*list, target int, t *threat.Target) []hit {
	canonical := t.Canonical
	if canonical == "" {
		canonical = threat.Canonical(t.URL)
	}
	s := spansOf(canonical)
	for _, host := range s.hosts[:s.nHosts] {
		for _, path := range s.paths[:s.nPaths] {
			hits = appendListed(hits, lists, target, t.NoStore, host, path)
		}
	}
	return hits
}

// appendListed appends the hits of the expression host + path.
func appendListed(hits []hit, lists []*list, target int, noStore bool, host, path string) []hit {
	var room [512]byte // most expressions fit, so nothing is allocated
	hash := sha256.Sum256(append(append(room[:0], host...), path...))
	key := binary.BigEndian.Uint32(hash[:])
	for i, l := range lists {
		if l.hasShort(key) && !slices.ContainsFunc(lists[:i], func(o *list) bool { return o.hasShort(key) }) {
			hits = append(hits, hit{target: target, noStore: noStore, hash: hash, prefix: string(hash[:shortest])})
		}
		if len(l.long) == 0 {
			continue
		}
		for _, prefix := range l.appendLong(nil, &hash) {
			hits = append(hits, hit{target: target, noStore: noStore, hash: hash, prefix: prefix})
		}
	}
	return hits
}

// tell adds what the answer says about the hash to the verdict on the target.
func (h *hit) tell(v *threat.Verdict) {
	types, until := h.answer.of(&h.hash)
	switch bad := len(types) > 0; {
	case bad && v.Score == 0:
		v.Score, v.Expires = score, until // a threat has precedence over clean expressions
	case bad == (v.Score > 0) && (v.Expires.IsZero() || until.Before(v.Expires)):
		v.Expires = until
	}
	v.Categories = append(v.Categories, types...)
}

// confirm finds the answer to each hit: a cached one that is still valid, or
// the provider's, which is requested once for each prefix.
func (c *Client) confirm(ctx context.Context, s *state, hits []hit) error {
	now := time.Now()
	var wanted []string
	store := map[string]bool{} // whether the answer about a prefix may be cached
	for i := range hits {
		h := &hits[i]
		if a := s.cache.get(h.prefix); a != nil {
			if _, until := a.of(&h.hash); now.Before(until) {
				h.answer = a
				continue
			}
		}
		if _, ok := store[h.prefix]; !ok {
			wanted = append(wanted, h.prefix)
		}
		store[h.prefix] = store[h.prefix] || !h.noStore
	}
	answers, err := c.searchAll(ctx, wanted)
	if err != nil {
		return err
	}
	now = time.Now()
	found := make(map[string]*answer, len(wanted))
	for i, prefix := range wanted {
		found[prefix] = answers[i]
		if store[prefix] {
			s.cache.put(prefix, answers[i], now)
		}
	}
	for i := range hits {
		if hits[i].answer == nil {
			hits[i].answer = found[hits[i].prefix]
		}
	}
	return nil
}

// searchAll requests the answers about prefixes, several at a time, and returns
// them in order. It stops at the first failure.
func (c *Client) searchAll(ctx context.Context, prefixes []string) ([]*answer, error) {
	answers := make([]*answer, len(prefixes))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(parallel, len(prefixes)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(prefixes) || ctx.Err() != nil {
					return
				}
				a, err := c.search(ctx, prefixes[i])
				if err != nil {
					stop(err)
					return
				}
				answers[i] = answerOf(a, prefixes[i], c.types())
			}
		})
	}
	wg.Wait()
	if ctx.Err() == nil {
		return answers, nil
	}
	err := context.Cause(ctx)
	if _, ok := errors.AsType[*Error](err); !ok {
		err = &Error{Call: "hashes:search", Err: err}
	}
	return nil, err
}
