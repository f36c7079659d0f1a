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

// MaxCached is the largest value, in bytes and with its header, that is put
// into any [Cache]. It holds a document of the largest size and its header.
const MaxCached = 64 << 20

// lockdownAge is the maximum age of a response if Lockdown is set and MaxAge is
// not.
const lockdownAge = 2 * 365 * 24 * time.Hour

// Key identifies a response in a [Cache]. It is the SHA-256 of everything that
// the response depends on, and reveals nothing about the page.
type Key [sha256.Size]byte

// String returns k as 64 lower-case hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// A Cache stores responses between fetches. A key identifies a response. A
// value is an encoded response of 1 to [MaxCached] bytes, which the cache does
// not interpret. Implementations are safe for concurrent use and return when
// ctx ends. If the key is not stored, Get returns an error that wraps
// [ErrNotCached], and Delete returns nil.
//
// A cache may forget any value at any time, even at once. Get returns the
// complete value that was last put under the key. If a value is incomplete,
// damaged or belongs to another key, Get reports it as not stored. Put must not
// keep the caller's slice, and the slice that Get returns belongs to the
// caller.
//
// Any other error of a cache costs at most a request: a fetch fails only if it
// must not contact the site. A cache logs its own errors.
//
// [MemoryCache] and [FileCache] are the two implementations.
// [example.com/curlew/fetch/fetchtest.CheckCache] tests any implementation.
type Cache interface {
	Get(ctx context.Context, k Key) ([]byte, error)
	Put(ctx context.Context, k Key, value []byte) error
	Delete(ctx context.Context, k Key) error
}

// keeper is how one fetch uses its cache. It works on single hops, so that
// Check and Redirect are called for cached hops as for fetched ones.
type keeper struct {
	r    *Request
	next func(context.Context, *Exchange) (*Response, error)
	around
	moved []kept // temporary redirects of this fetch, to be stored together with their page
}

// around contains the parts of a fetcher besides its exchange function. The
// zero value admits every URL and has no cache.
type around struct {
	admit func(context.Context, weburl.URL) error // called before the first exchange and before each hop
	cache Cache
	realm string // part of each cache key: clients share responses only under the same network policy

	apart   bool     // Request.Partition is part of each cache key, also if the request has no Header
	flights *flights // exchanges that other fetches wait for; if nil, fetches never wait for each other

	sent  func(given http.Header) http.Header     // returns all headers that are sent; if nil, only those given
	limit func(*Exchange, int, http.Header) int64 // returns the limit of a body, by status and header; if nil, the exchange's own limit applies
}

// kept is a response that is about to be put into the cache.
type kept struct {
	key Key
	entry
}

// looks reports whether the request accepts cached responses.
func (k *keeper) looks() bool { return k.r.MaxAge != 0 || k.only() }

// only reports whether the request accepts nothing but cached responses.
func (k *keeper) only() bool { return k.r.MinAge > 0 || k.r.Lockdown }

// exchange answers from the cache or from the site, and stores the site's
// response.
func (k *keeper) exchange(ctx context.Context, x *Exchange) (*Response, error) {
	key, ok := k.key(x)
	if recorder(ctx) != nil && !k.only() {
		return k.next(ctx, x)
	}
	for {
		seen := k.flights.completed()
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

// ask requests the page from the site and stores the response. The entry is not
// nil if other fetches may use it.
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
	if !resp.Truncated && !resp.Excess && storable(&e.entry) {
		open = &e.entry
	}
	if conditional && x.Cut && int64(len(resp.Body)) > k.bound(x, old) {
		resp.cut(k.bound(x, old))
	}
	return resp, open, nil
}

// admits reports whether a cached response of this age is acceptable.
func (k *keeper) admits(age time.Duration) bool {
	most := k.r.MaxAge
	if most == 0 && k.r.Lockdown {
		most = lockdownAge
	}
	switch {
	case k.r.MinAge > time.Millisecond && age < k.r.MinAge: // one millisecond accepts any age, even zero
		return false
	case most < 0, most == 0 && k.only():
		return true
	}
	return age < most && (age >= 0 || k.only()) // age is negative if the clock was set back
}

// get returns the cached response for the exchange's URL, or nil if the cache
// has none that can be used.
func (k *keeper) get(ctx context.Context, key Key, url string) *entry {
	value, err := k.cache.Get(ctx, key)
	if err != nil {
		return nil
	}
	e, err := decodeEntry(value)
	if err != nil || e.url != url {
		_ = k.cache.Delete(ctx, key) // the value has another version, or another program wrote it
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

// bound returns the maximum size of the body of e in bytes.
func (k *keeper) bound(x *Exchange, e *entry) int64 {
	if k.limit == nil {
		return x.Limit(e.header)
	}
	return k.limit(x, e.status, e.header)
}

// keep stores a response, or deletes the one that it supersedes.
//
// A permanent redirect is stored at once, as browsers do. A temporary one is
// stored together with the page that it led to. Otherwise it would keep sending
// fetches to an error page after the site has recovered.
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

// put stores e.
func (k *keeper) put(ctx context.Context, e kept) {
	if value := e.encode(); len(value) <= MaxCached {
		_ = k.cache.Put(ctx, e.key, value) // errors of a cache never fail a fetch
	}
}

// putMoved stores the temporary redirects that led to the current page.
func (k *keeper) putMoved(ctx context.Context) {
	for _, e := range k.moved {
		k.put(ctx, e)
	}
	k.moved = nil
}

// isLasting reports whether a redirect with this status is permanent.
func isLasting(status int) bool {
	return status == http.StatusMovedPermanently || status == http.StatusPermanentRedirect
}

// storable reports whether a response may be stored: a page or redirect that
// the site does not forbid to store (no-store), that is not for a single
// visitor (Set-Cookie), and that does not depend on something outside the key
// (Vary: *).
func storable(e *entry) bool {
	if e.status != http.StatusOK && !isPassing(e.status, e.header) {
		return false
	}
	return e.header["Set-Cookie"] == nil && !lists(e.header["Cache-Control"], "no-store") && !lists(e.header["Vary"], "*")
}

// lists reports whether a header of comma-separated values contains want, in
// any letter case.
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

// key returns the cache key of an exchange. It returns false if there is no
// cache, if the response would belong to a single visitor (Authorization,
// cookies set by a site), or if it would not be a complete page (Range and
// conditional headers of the caller).
//
// All headers that are sent are part of the key, so whatever Vary names is
// equal for all exchanges of one key (RFC 9111 4.1). Accept-Encoding is left
// out, because bodies are stored decoded.
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
		add("anybody's") // fetches that verify certificates must not get these responses
	}
	add(x.URL)
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if canonical := textproto.CanonicalMIMEHeaderKey(name); canonical != "Accept-Encoding" {
			add(canonical)
			add(strings.Join(sent[name], "\n")) // header values contain no line breaks, so the joined text is unambiguous
		}
	}
	return sha256.Sum256(b), true
}

// condition returns a copy of x that asks for the page only if it has changed
// since e. If e has no validator, it returns x itself and false.
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

// confirmed returns the page of e, updated by a 304 response (RFC 9111 3.2).
func (e *entry) confirmed(by *Response) *Response {
	header := e.header.Clone()
	for name, values := range by.Header {
		if !strings.HasPrefix(name, "Content-") && !isRefused(name) {
			header[name] = values
		}
	}
	return &Response{URL: e.url, Status: e.status, Header: header, Body: e.body}
}
