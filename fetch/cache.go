// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"example.com/curlew/internal/weburl"
)

// MaxCached is the size in bytes over which an answer is not kept by any
// [Cache], header included: a document of the largest size and some room.
const MaxCached = 64 << 20

// lockdownAge is how old an answer may be with Lockdown and no MaxAge.
const lockdownAge = 2 * 365 * 24 * time.Hour

// Key names an answer in a [Cache]: a SHA-256 over all that the answer depends
// on. It tells nothing of the page.
type Key [sha256.Size]byte

// String returns k in 64 lower-case hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// A Cache keeps answers between fetches: a key names one, a value is all of
// it, in bytes that mean nothing to the cache, of which there are 1 to
// [MaxCached]. Implementations are safe for concurrent use and return when ctx
// ends. Get of a key that is not there is an error that wraps [ErrNotCached];
// Delete of one is nil.
//
// A cache may forget any value at any time, even at once. What it gives is
// whole and what was last put under that key: a value that is torn, damaged or
// another key's is not there. Values given to Put stay the caller's, those
// that Get returns become so.
//
// An error besides ErrNotCached costs a request, never a page: no fetch fails
// for it but one that may not ask the site. Who wants to know of such errors
// logs them in the cache.
//
// [MemoryCache] and [FileCache] are two;
// [example.com/curlew/fetch/fetchtest.CheckCache] checks any.
type Cache interface {
	Get(ctx context.Context, k Key) ([]byte, error)
	Put(ctx context.Context, k Key, value []byte) error
	Delete(ctx context.Context, k Key) error
}

// keeper is how one fetch uses its cache: hop by hop, so that the walk asks
// Check and Redirect of cached hops as of fresh ones.
type keeper struct {
	r    *Request
	next func(context.Context, *Exchange) (*Response, error)
	around
	moved []kept // temporary redirects of this fetch, to be kept with their page
}

// around is what a fetcher has besides its exchange. The zero value admits all
// and has no cache.
type around struct {
	admit func(context.Context, weburl.URL) error // asked before the first exchange and each hop
	cache Cache
	realm string // of the cache: answers are shared under one network policy

	apart   bool     // the cache is parted by Request.Partition for requests without Header too
	flights *flights // exchanges whose answers are shared before they are kept; nil: none are

	sent  func(given http.Header) http.Header     // all that goes out; nil: what is given
	limit func(*Exchange, int, http.Header) int64 // of a body, by status and header; nil: the exchange's own
}

// kept is an answer on its way into the cache.
type kept struct {
	key Key
	entry
}

// looks reports whether the request takes what was kept.
func (k *keeper) looks() bool { return k.r.MaxAge != 0 || k.only() }

// only reports whether the request takes nothing else.
func (k *keeper) only() bool { return k.r.MinAge > 0 || k.r.Lockdown }

// exchange answers from the cache or asks the site, and keeps what it says.
func (k *keeper) exchange(ctx context.Context, x *Exchange) (*Response, error) {
	key, ok := k.key(x)
	for {
		seen := k.flights.landings()
		var old *entry
		if ok && k.looks() {
			old = k.get(ctx, key, x.URL)
		}
		switch {
		case old != nil && k.admits(time.Since(old.at)):
			return k.serve(ctx, x, old)
		case k.only():
			return nil, ErrNotCached
		case !ok:
			return k.next(ctx, x)
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		}
		resp, err := k.shared(ctx, x, key, old, seen)
		if resp != nil || err != nil {
			return resp, err
		}
	}
}

// ask asks the site and keeps what it says, which is returned as an entry where
// others may have it.
func (k *keeper) ask(ctx context.Context, x *Exchange, key Key, old *entry) (*Response, *entry, error) {
	asked, conditional := old.condition(x)
	resp, err := k.next(ctx, asked)
	if err != nil {
		return nil, nil, err
	}
	if conditional && resp.Status == http.StatusNotModified {
		if int64(len(old.body)) > k.bound(x, old) && !x.Cut {
			return nil, nil, ErrTooLarge
		}
		resp = old.confirmed(resp)
	}
	e := kept{key, entry{url: x.URL, status: resp.Status, at: time.Now(), header: resp.Header, body: resp.Body}}
	k.keep(ctx, e, resp.Truncated)
	var open *entry
	if !resp.Truncated && storable(&e.entry) {
		open = &e.entry
	}
	if conditional && x.Cut && int64(len(resp.Body)) > k.bound(x, old) {
		resp.cut(k.bound(x, old))
	}
	return resp, open, nil
}

// admits reports whether an answer of this age will do.
func (k *keeper) admits(age time.Duration) bool {
	most := k.r.MaxAge
	if most == 0 && k.r.Lockdown {
		most = lockdownAge
	}
	switch {
	case k.r.MinAge > time.Millisecond && age < k.r.MinAge: // a millisecond takes any, even what has just been kept
		return false
	case most < 0, most == 0 && k.only():
		return true
	}
	return age < most && (age >= 0 || k.only()) // the clock may have been set back
}

// get returns what the cache has for the exchange's URL; nil where that is
// nothing of use.
func (k *keeper) get(ctx context.Context, key Key, url string) *entry {
	value, err := k.cache.Get(ctx, key)
	if err != nil {
		return nil
	}
	e, err := decodeEntry(value)
	if err != nil || e.url != url {
		_ = k.cache.Delete(ctx, key) // of another version, or no cache of ours
		return nil
	}
	return e
}

// serve answers with e.
func (k *keeper) serve(ctx context.Context, x *Exchange, e *entry) (*Response, error) {
	resp := &Response{URL: e.url, Status: e.status, Header: e.header, Body: e.body, Cached: e.at}
	if limit := k.bound(x, e); int64(len(e.body)) > limit {
		if !x.Cut {
			return nil, ErrTooLarge
		}
		resp.cut(limit)
	}
	if e.status == http.StatusOK {
		k.putMoved(ctx)
	}
	return resp, nil
}

// bound returns how many bytes the body of e may have.
func (k *keeper) bound(x *Exchange, e *entry) int64 {
	if k.limit == nil {
		return x.Limit(e.header)
	}
	return k.limit(x, e.status, e.header)
}

// keep puts an answer into the cache, or takes out what it supersedes.
//
// A permanent redirect is kept at once, as browsers do. A temporary one is
// kept together with the page that it led to: else it would go on sending
// fetches to a page of errors when the site is well again.
func (k *keeper) keep(ctx context.Context, e kept, truncated bool) {
	switch {
	case k.r.NoStore:
	case truncated || !storable(&e.entry):
		if e.status < http.StatusBadRequest || e.status == http.StatusNotFound || e.status == http.StatusGone {
			_ = k.cache.Delete(ctx, e.key)
		}
	case e.status == http.StatusOK:
		k.put(ctx, e)
		k.putMoved(ctx)
	case isLasting(e.status):
		k.put(ctx, e)
	default:
		k.moved = append(k.moved, e)
	}
}

// put keeps e.
func (k *keeper) put(ctx context.Context, e kept) {
	if value := e.encode(); len(value) <= MaxCached {
		_ = k.cache.Put(ctx, e.key, value) // see Cache
	}
}

// putMoved keeps the redirects that led to the page at hand.
func (k *keeper) putMoved(ctx context.Context) {
	for _, e := range k.moved {
		k.put(ctx, e)
	}
	k.moved = nil
}

// isLasting reports whether a redirect of this status is for good.
func isLasting(status int) bool {
	return status == http.StatusMovedPermanently || status == http.StatusPermanentRedirect
}

// storable reports whether an answer may be kept: the page or redirect of a
// site that does not mind (no-store), is not talking to one visitor
// (Set-Cookie), and does not choose by what no key holds (Vary: *).
func storable(e *entry) bool {
	if e.status != http.StatusOK && !isPassing(e.status, e.header) {
		return false
	}
	return e.header["Set-Cookie"] == nil && !lists(e.header["Cache-Control"], "no-store") && !lists(e.header["Vary"], "*")
}

// lists reports whether a header of comma-separated values has one, in any case.
func lists(values []string, want string) bool {
	for _, v := range values {
		for item := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(strings.TrimSpace(item), want) {
				return true
			}
		}
	}
	return false
}

// key returns the key of an exchange's answer. It is false where there is no
// cache, or where an answer would be one visitor's (Authorization, cookies
// that a site has set) or no whole page (Range and conditions of the caller's).
//
// All headers that are sent are part of the key, so whatever Vary names is
// equal for all exchanges of one key (RFC 9111 4.1). Accept-Encoding is not:
// bodies are kept decoded.
func (k *keeper) key(x *Exchange) (Key, bool) {
	if k.cache == nil || x.jarred {
		return Key{}, false
	}
	partition := ""
	if k.apart {
		partition = k.r.Partition
	}
	for name, values := range x.Header {
		switch name = textproto.CanonicalMIMEHeaderKey(name); {
		case name == "Authorization", name == "Range", strings.HasPrefix(name, "If-"):
			return Key{}, false
		case name == "Cache-Control" && lists(values, "no-store"):
			return Key{}, false
		case name != "User-Agent":
			partition = k.r.Partition
		}
	}
	sent := x.Header
	if k.sent != nil {
		sent = k.sent(sent)
	}
	var b []byte
	add := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	add("page 1")
	add(k.realm)
	add(partition)
	if x.InsecureTLS && strings.HasPrefix(x.URL, "https:") {
		add("anybody's") // not for who checks certificates
	}
	add(x.URL)
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if canonical := textproto.CanonicalMIMEHeaderKey(name); canonical != "Accept-Encoding" {
			add(canonical)
			add(strings.Join(sent[name], "\n")) // no value holds a line end
		}
	}
	return sha256.Sum256(b), true
}

// condition returns x, asking for the page only if it is not e's any more. It
// returns x itself, and false, where nothing in e can tell.
func (e *entry) condition(x *Exchange) (*Exchange, bool) {
	if e == nil || e.status != http.StatusOK {
		return x, false
	}
	tag, date := e.header.Get("ETag"), e.header.Get("Last-Modified")
	if cmp.Or(tag, date) == "" {
		return x, false
	}
	ask := *x
	ask.Header = x.Header.Clone()
	if ask.Header == nil {
		ask.Header = http.Header{}
	}
	if tag != "" {
		ask.Header["If-None-Match"] = []string{tag}
	}
	if date != "" {
		ask.Header["If-Modified-Since"] = []string{date}
	}
	return &ask, true
}

// confirmed returns the page of e as a 304 leaves it (RFC 9111 3.2).
func (e *entry) confirmed(by *Response) *Response {
	header := e.header.Clone()
	for name, values := range by.Header {
		if !strings.HasPrefix(name, "Content-") && !isRefused(name) {
			header[name] = values
		}
	}
	return &Response{URL: e.url, Status: e.status, Header: header, Body: e.body}
}
