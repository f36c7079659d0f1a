// SPDX-License-Identifier: Apache-2.0

package shape

import "strings"

// Bare returns host without one leading www.
func Bare(host string) string {
	if rest, ok := strings.CutPrefix(host, "www."); ok && rest != "" {
		return rest
	}
	return host
}

// Origin returns the origin of an href without userinfo.
func Origin(href string) string {
	start := strings.Index(href, "://") + len("://")
	if i := strings.IndexByte(href[start:], '/'); i >= 0 {
		return href[:start+i]
	}
	return href
}

// Host returns the host of an origin without its port and trailing dot.
func Host(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	return strings.TrimSuffix(host, ".")
}

// Deeper reports whether url is below the directory of parent.
func Deeper(url, parent string) bool {
	d, above := Directory(url), Directory(parent)
	return len(d) > len(above) && strings.HasPrefix(d, above)
}

// Directory returns a URL up to the last slash of its path.
func Directory(url string) string {
	url, _, _ = strings.Cut(url, "#")
	url, _, _ = strings.Cut(url, "?")
	return url[:strings.LastIndexByte(url, '/')+1]
}
