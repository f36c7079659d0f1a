// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/curlew/internal/weburl"
)

const (
	maxHops = 10

	// The first try is given up early if no header arrives. The last try waits
	// as long as the request allows.
	firstPatience = 10 * time.Second
	laterPatience = 30 * time.Second

	retryPause = time.Second // upper bound of the first pause, doubled for each further one

	unlimited = math.MaxInt64
)

// Exchange is one HTTP request: one try for one hop of a fetch.
type Exchange struct {
	URL    string      // absolute, as WHATWG URL writes it, without userinfo and fragment
	Header http.Header // headers to send, including Authorization and Cookie; must not be changed

	MaxBytes    int64         // as in [Request]
	Cut         bool          // as in [Request]
	Patience    time.Duration // how long to wait for the header before [ErrTimeout]; zero means until ctx ends
	InsecureTLS bool

	url    weburl.URL
	jarred bool // Header contains cookies that a site has set
}

// Limit returns the maximum size in bytes of the body of a response with header
// h. If MaxBytes is zero, it depends on Content-Type: 50 MiB for anything other
// than text and media, which have 10 MiB.
func (x *Exchange) Limit(h http.Header) int64 {
	switch {
	case x.MaxBytes > 0:
		return x.MaxBytes
	case x.MaxBytes < 0:
		return unlimited
	case isDocument(h.Get("Content-Type")):
		return 50 << 20
	}
	return 10 << 20
}

// isDocument reports whether a Content-Type is that of files that are larger
// than pages: PDF, office documents, archives, unknown bytes.
func isDocument(contentType string) bool {
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	kind, ok := strings.CutPrefix(strings.TrimSpace(kind), "application/")
	if !ok || strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "+json") {
		return false
	}
	switch kind {
	case "json", "xml", "javascript", "x-javascript", "ecmascript":
		return false
	}
	return true
}

// Follow performs a fetch by single exchanges. It validates the request and
// adds everything else: the total timeout, redirects with their hooks and the
// dropping of headers, cookies, retries after [ErrConnect], [ErrTimeout] and
// temporary DNS failures, and the cache, which may be nil. Hooks are also
// called for hops that the cache answers.
func Follow(ctx context.Context, r *Request, c Cache, exchange func(context.Context, *Exchange) (*Response, error)) (*Response, error) {
	return follow(ctx, r, &around{cache: c}, exchange)
}

// follow implements Follow with the options of a.
func follow(ctx context.Context, r *Request, a *around, exchange func(context.Context, *Exchange) (*Response, error)) (*Response, error) {
	if r == nil {
		return nil, &Error{Err: fmt.Errorf("%w: there is no request", ErrURL)}
	}
	k := keeper{r: r, next: exchange, around: *a}
	w := walk{r: r, admit: a.admit, exchange: k.exchange, jar: r.Jar}
	u, err := parse(r.URL)
	if err == nil {
		w.asked = u.WithoutUser().String()
		err = validateHeader(r.Header)
	}
	if err != nil {
		return nil, &Error{URL: w.asked, Err: err}
	}
	switch w.retries = r.Retries; {
	case r.Retries == 0:
		w.retries = 2
	case r.Retries < 0:
		w.retries = 0
	}
	timeout := r.Timeout
	if timeout == 0 {
		timeout = 30 * time.Second
	}
	inner := ctx
	switch {
	case r.Turn != nil:
		t := turns{take: r.Turn, ctx: ctx, exchange: exchange}
		k.next = t.exchangeInTurn
		if timeout > 0 {
			inner, t.clock = newClock(ctx, timeout)
			defer t.clock.stop()
		}
	case timeout > 0:
		var cancel context.CancelFunc
		inner, cancel = context.WithTimeoutCause(ctx, timeout, ErrTimeout)
		defer cancel()
	}
	resp, err := w.run(inner, u)
	if err != nil {
		return nil, &Error{URL: w.asked, Err: err}
	}
	return resp, nil
}

// walk is a fetch in progress.
type walk struct {
	r        *Request
	asked    string
	admit    func(context.Context, weburl.URL) error
	exchange func(context.Context, *Exchange) (*Response, error)
	jar      http.CookieJar
	retries  int // retries left
	tries    int // failed tries
}

// run fetches u and follows its redirects.
func (w *walk) run(ctx context.Context, u weburl.URL) (*Response, error) {
	header := w.r.Header
	name, password, user := u.User()
	if user && header.Get("Authorization") == "" {
		header = header.Clone()
		if header == nil {
			header = http.Header{}
		}
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(name+":"+password)))
	}
	u = u.WithoutUser().WithoutFragment()
	for count := 1; ; count++ {
		if w.admit != nil {
			if err := w.admit(ctx, u); err != nil {
				return nil, w.ended(ctx, err)
			}
		}
		resp, err := w.hop(ctx, u, header)
		if err != nil {
			return nil, err
		}
		w.keepCookies(u, resp)
		to, err := w.next(u, resp, count)
		if err != nil || to.IsZero() {
			return resp, err
		}
		if !sameHost(u, to) || u.Scheme() == "https" && to.Scheme() == "http" {
			header = nil
		}
		u = to
	}
}

// next returns the target of the redirect resp, or the zero URL if resp is the
// page.
func (w *walk) next(from weburl.URL, resp *Response, count int) (weburl.URL, error) {
	location := resp.Header.Get("Location")
	if location == "" || !isRedirect(resp.Status) {
		return weburl.URL{}, nil
	}
	to, err := from.Resolve(escapeBytes(location))
	switch {
	case errors.Is(err, weburl.ErrScheme):
		return to, &fault{ErrScheme, weburl.ErrScheme} // without the advice to the caller, because the server chose this URL
	case err != nil:
		return weburl.URL{}, nil //nolint:nilerr // a Location that is not a URL makes the 3xx response the page
	}
	to = to.WithoutUser().WithoutFragment()
	if count > maxHops {
		return to, ErrRedirects
	}
	if w.r.Redirect != nil {
		err := w.r.Redirect(Hop{From: from.String(), To: to.String(), Status: resp.Status, Count: count})
		switch {
		case errors.Is(err, ErrStopRedirect):
			return weburl.URL{}, nil
		case err != nil:
			return to, err
		}
	}
	return to, nil
}

// escapeBytes percent-encodes the non-ASCII bytes of s if s is not valid UTF-8.
// Browsers do the same, so the site gets its own bytes back.
func escapeBytes(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", s[i])
		}
	}
	return b.String()
}

// isImpersonal reports whether a header says nothing about the sender.
// Conditional headers alone may be sent to a site whose certificate is not
// verified.
func isImpersonal(h http.Header) bool {
	for name := range h {
		if name != "If-None-Match" && name != "If-Modified-Since" {
			return false
		}
	}
	return true
}

// hop makes exchanges for one URL until one succeeds or no retries are left.
func (w *walk) hop(ctx context.Context, u weburl.URL, header http.Header) (*Response, error) {
	x := Exchange{URL: u.String(), url: u, MaxBytes: w.r.MaxBytes, Cut: w.r.Cut, Header: header}
	x.InsecureTLS = w.r.InsecureTLS && isImpersonal(header)
	if w.jar != nil {
		if cookies := w.jar.Cookies(u.HTTP()); len(cookies) > 0 {
			x.Header, x.jarred = addCookies(header, cookies), true
			x.InsecureTLS = x.InsecureTLS && w.r.Jar == nil
		}
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, w.ended(ctx, err)
		}
		x.Patience = 0
		if w.retries > 0 {
			x.Patience = firstPatience
			if w.tries > 0 {
				x.Patience = laterPatience
			}
		}
		resp, err := w.exchange(ctx, &x)
		if err == nil {
			return resp, nil
		}
		if ctx.Err() != nil || w.retries == 0 || !again(err) {
			return nil, w.ended(ctx, err)
		}
		w.retries--
		if err := pause(ctx, rand.N(retryPause<<w.tries)); err != nil { //nolint:gosec // jitter needs no secure randomness
			return nil, w.ended(ctx, err)
		}
		w.tries++
	}
}

// ended returns the reason why a fetch ended with err: the cause of ctx if ctx
// has ended.
func (w *walk) ended(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	cause := context.Cause(ctx)
	if errors.Is(err, cause) {
		return err
	}
	return &fault{cause, err}
}

// keepCookies stores the cookies of resp, at least for the rest of the fetch.
func (w *walk) keepCookies(u weburl.URL, resp *Response) {
	if resp.Header["Set-Cookie"] == nil || w.jar == nil && !isRedirect(resp.Status) {
		return
	}
	if w.jar == nil {
		w.jar = NewJar()
	}
	w.jar.SetCookies(u.HTTP(), (&http.Response{Header: resp.Header}).Cookies())
}

// again reports whether another try may succeed.
func again(err error) bool {
	if is[*turnError](err) {
		return false
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsTemporary || dns.IsTimeout
	}
	return errors.Is(err, ErrConnect) || errors.Is(err, ErrTimeout) && !errors.Is(err, errSlow)
}

// pause waits for d. If ctx ends first, it returns the cause.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// isRedirect reports whether status is a redirect.
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// sameHost reports whether headers for a may be sent to b: the host must be the
// same, and so must the port unless both are the default ports of their
// schemes.
func sameHost(a, b weburl.URL) bool {
	own := func(u weburl.URL) bool {
		return u.Scheme() == "http" && u.Port() == 80 || u.Scheme() == "https" && u.Port() == 443
	}
	return a.HostKey() == b.HostKey() && (a.Port() == b.Port() || own(a) && own(b))
}
