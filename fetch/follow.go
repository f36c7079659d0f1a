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

	// A first try that hears nothing gives way to a second, the last waits
	// for as long as the request does.
	firstPatience = 10 * time.Second
	laterPatience = 30 * time.Second

	retryPause = time.Second // bound of the first, doubled for each further one

	unlimited = math.MaxInt64
)

// Exchange is one request on the wire: one hop of a fetch, in one try.
type Exchange struct {
	URL    string      // absolute, WHATWG form, without userinfo and fragment
	Header http.Header // to send, Authorization and Cookie included; not to be changed

	MaxBytes    int64         // as in [Request]
	Cut         bool          // as in [Request]
	Patience    time.Duration // until the answer's header; then [ErrTimeout]. Zero means no bound but ctx
	InsecureTLS bool

	url    weburl.URL
	jarred bool // Header holds cookies that a site has set
}

// Limit returns how many bytes the body of an answer with header h may have.
// Where MaxBytes is zero that depends on Content-Type: 10 MiB, and 50 MiB for
// what is neither text nor media.
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

// isDocument reports whether a Content-Type is one of files that are larger
// than pages: PDF, office formats, archives, unknown bytes.
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

// Follow does a fetch by single exchanges. It checks the request and adds
// what lies around an exchange: total timeout, redirects with their hooks and
// the dropping of headers, cookies, retries after [ErrConnect], [ErrTimeout]
// and temporary DNS failures, and the cache, nil for none. Hops that the cache
// answers are asked about as others are.
func Follow(ctx context.Context, r *Request, c Cache, exchange func(context.Context, *Exchange) (*Response, error)) (*Response, error) {
	return follow(ctx, r, &around{cache: c}, exchange)
}

// follow is Follow with all that lies around an exchange.
func follow(ctx context.Context, r *Request, a *around, exchange func(context.Context, *Exchange) (*Response, error)) (*Response, error) {
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

// walk is one fetch under way.
type walk struct {
	r        *Request
	asked    string
	admit    func(context.Context, weburl.URL) error
	exchange func(context.Context, *Exchange) (*Response, error)
	jar      http.CookieJar
	retries  int // left
	tries    int // that failed
}

// run fetches u and what it redirects to.
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

// next returns where resp redirects to: the zero URL where resp is the page.
func (w *walk) next(from weburl.URL, resp *Response, count int) (weburl.URL, error) {
	location := resp.Header.Get("Location")
	if location == "" || !isRedirect(resp.Status) {
		return weburl.URL{}, nil
	}
	to, err := from.Resolve(escapeBytes(location))
	switch {
	case errors.Is(err, weburl.ErrScheme):
		return to, &fault{ErrScheme, weburl.ErrScheme} // advice is not for a server
	case err != nil:
		return weburl.URL{}, nil //nolint:nilerr // a Location that is no URL leaves the 3xx as the page
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

// escapeBytes returns s with what is not ASCII escaped byte by byte, if it is no
// UTF-8: as browsers send it back to the site, which knows its charset.
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

// isImpersonal reports whether a header says nothing of who sends it: what only
// asks whether a page has changed may go to a site that is not who it says.
func isImpersonal(h http.Header) bool {
	for name := range h {
		if name != "If-None-Match" && name != "If-Modified-Since" {
			return false
		}
	}
	return true
}

// hop does the exchanges of one URL until one succeeds or the retries are used up.
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
		if err := pause(ctx, rand.N(retryPause<<w.tries)); err != nil { //nolint:gosec // G404: jitter is no secret
			return nil, w.ended(ctx, err)
		}
		w.tries++
	}
}

// ended returns why a fetch ended with err: if ctx has, its cause.
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

// keepCookies stores the cookies of resp, for a redirect's sake if for nothing
// else.
func (w *walk) keepCookies(u weburl.URL, resp *Response) {
	if resp.Header["Set-Cookie"] == nil || w.jar == nil && !isRedirect(resp.Status) {
		return
	}
	if w.jar == nil {
		w.jar = NewJar()
	}
	w.jar.SetCookies(u.HTTP(), (&http.Response{Header: resp.Header}).Cookies())
}

// again reports whether another try may help.
func again(err error) bool {
	if is[*turnError](err) {
		return false
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsTemporary || dns.IsTimeout
	}
	return errors.Is(err, ErrConnect) || errors.Is(err, ErrTimeout) && !errors.Is(err, errSlow)
}

// pause waits for d or the end of ctx, whose cause it returns.
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

// isRedirect reports whether status sends the client elsewhere.
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// sameHost reports whether headers for a may go to b: the host is the same,
// and the port too unless both are their scheme's own.
func sameHost(a, b weburl.URL) bool {
	own := func(u weburl.URL) bool {
		return u.Scheme() == "http" && u.Port() == 80 || u.Scheme() == "https" && u.Port() == 443
	}
	return a.HostKey() == b.HostKey() && (a.Port() == b.Port() || own(a) && own(b))
}
