// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"

	"example.com/curlew/internal/weburl"
)

const (
	maxHostCookies = 50
	maxCookieBytes = 4 << 10
	maxJarCookies  = 10_000
)

// NewJar returns a cookie jar in memory. It holds at most 50 cookies a host and
// 10,000 in total, and ignores further ones. It refuses cookies over 4 KiB and
// cookies for a public suffix. It is safe for concurrent use.
func NewJar() http.CookieJar {
	inner, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: suffixes{}}) // never returns an error
	return &jar{inner: inner, names: map[string]map[string]bool{}}
}

// jar limits the size of a cookiejar.Jar.
type jar struct {
	inner *cookiejar.Jar

	mu    sync.Mutex                 // guards names and total
	names map[string]map[string]bool // names of the accepted cookies, by the host that set them
	total int
}

func (j *jar) Cookies(u *url.URL) []*http.Cookie { return j.inner.Cookies(u) }

func (j *jar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	taken := make([]*http.Cookie, 0, min(len(cookies), maxHostCookies))
	for _, c := range cookies {
		if j.take(u.Hostname(), c) {
			taken = append(taken, c)
		}
	}
	j.inner.SetCookies(u, taken)
}

// take reports whether the jar accepts c from host.
func (j *jar) take(host string, c *http.Cookie) bool {
	if len(c.Name)+len(c.Value)+len(c.Domain)+len(c.Path) > maxCookieBytes {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	names := j.names[host]
	id := c.Name + ";" + c.Domain + ";" + c.Path
	switch {
	case names[id]:
		return true
	case len(names) >= maxHostCookies, j.total >= maxJarCookies:
		return false
	case names == nil:
		names = map[string]bool{}
		j.names[host] = names
	}
	names[id] = true
	j.total++
	return true
}

// suffixes is the public suffix list in the form that a cookie jar needs.
type suffixes struct{}

func (suffixes) PublicSuffix(domain string) string {
	const label = "x."
	if weburl.Registrable(label+domain) == label+domain {
		return domain // any name below it can be registered, as below a public suffix
	}
	_, suffix, _ := strings.Cut(weburl.Registrable(domain), ".")
	return suffix
}

func (suffixes) String() string { return "weburl" }

// addCookies returns a copy of h with cookies after the existing ones.
func addCookies(h http.Header, cookies []*http.Cookie) http.Header {
	r := http.Request{Header: h.Clone()}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	for _, c := range cookies {
		r.AddCookie(c)
	}
	return r.Header
}
