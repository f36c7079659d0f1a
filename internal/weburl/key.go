// SPDX-License-Identifier: Apache-2.0

package weburl

import "strings"

// KeyOptions say which spellings mean the same page. The zero value treats
// similar ones as equal and keeps the query.
type KeyOptions struct{ IgnoreQuery, KeepSimilar bool }

// AppendKey appends the deduplication key of u: the href without
// userinfo, and without a fragment unless it is a route (#/x, #!/x). Similar
// spellings have the same key: http and https, with and without www. and the
// final dot of the name, and with and without one trailing /, /index.html or
// /index.php. The key is only for comparison and is not an address.
func (u URL) AppendKey(dst []byte, o KeyOptions) []byte {
	if u.href == "" {
		return dst
	}
	scheme, host, path := u.Scheme(), u.Host(), u.Path()
	if !o.KeepSimilar {
		scheme = "http"
		if name := strings.TrimSuffix(host, "."); name != "" && !strings.HasSuffix(name, ".") {
			host = name
		}
		if len(host) > len("www.") {
			host = strings.TrimPrefix(host, "www.")
		}
		path = trimIndex(path)
	}
	dst = append(dst, scheme...)
	dst = append(dst, "://"...)
	dst = append(dst, host...)
	dst = append(dst, u.href[u.port:u.path]...)
	dst = append(dst, path...)
	if !o.IgnoreQuery {
		dst = append(dst, u.href[u.pathEnd():u.queryEnd()]...)
	}
	if f := u.href[u.queryEnd():]; len(f) > 2 && (strings.HasPrefix(f, "#/") || strings.HasPrefix(f, "#!/")) {
		dst = append(dst, f...)
	}
	return dst
}

// trimIndex returns path without one trailing part that names the page of a
// directory.
func trimIndex(path string) string {
	for _, end := range [...]string{"/index.html", "/index.php", "/"} {
		if p, ok := strings.CutSuffix(path, end); ok {
			return p
		}
	}
	return path
}
