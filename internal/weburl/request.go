// SPDX-License-Identifier: Apache-2.0

package weburl

import (
	"log/slog"
	"net/url"
	"strings"
)

// HTTP returns u in a form for net/http, which sends exactly its bytes:
// userinfo and fragment are omitted, and path and query are sent unchanged.
// There is one exception: in a path that starts with two slashes, a percent
// sign without an escape becomes %25 and | becomes %7C.
//
// The URL is for direct and tunnelled connections. net/http would send it to a
// plain proxy without its host.
func (u URL) HTTP() *url.URL {
	if u.href == "" {
		return &url.URL{}
	}
	path := u.Path()
	query, ok := u.Query()
	v := &url.URL{
		Scheme:     u.Scheme(),
		Host:       u.HostPort(),
		Opaque:     path,
		RawQuery:   query,
		ForceQuery: ok && query == "",
	}
	if strings.HasPrefix(path, "//") {
		// An opaque part with two slashes would be sent in absolute form.
		v.Opaque = ""
		v.RawPath = strictPath(path)
		path = v.RawPath
	}
	v.Path = path // cookie jars use it
	if strings.Contains(path, "%") {
		v.Path = string(appendUnescaped(nil, path))
	}
	return v
}

// strictPath escapes in path what browsers keep but net/url refuses: vertical bars, and
// percent signs that do not begin an escape.
func strictPath(path string) string {
	var b []byte
	for i := range len(path) {
		switch c := path[i]; {
		case c == '|', c == '%' && !isEscape(path[i:]):
			b = appendByte(b, c)
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// LogValue returns the redacted form: scheme, host, path and names of the
// query. Each value is replaced by a star, and so is a part of the query
// without an equals sign, which may be a secret. Userinfo and fragment are
// omitted.
func (u URL) LogValue() slog.Value {
	if u.href == "" {
		return slog.StringValue("")
	}
	s := u.Scheme() + "://" + u.HostPort() + u.Path()
	query, ok := u.Query()
	if !ok {
		return slog.StringValue(s)
	}
	var b strings.Builder
	b.WriteString(s)
	sep := byte('?')
	for part := range strings.SplitSeq(query, "&") {
		b.WriteByte(sep)
		sep = '&'
		if name, _, ok := strings.Cut(part, "="); ok {
			b.WriteString(name)
			b.WriteByte('=')
		}
		if part != "" {
			b.WriteByte('*')
		}
	}
	return slog.StringValue(b.String())
}
