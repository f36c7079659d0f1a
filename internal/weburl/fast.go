// SPDX-License-Identifier: Apache-2.0

package weburl

import "strings"

// fast resolves the references that are most frequent on pages into v: those of
// which every byte is copied to the href unchanged. Its result is the same as
// that of parse, or it returns false and v has no meaning. It allocates only
// the href, and nothing if that is ref itself. v is a pointer, because
// returning a large URL would cost as much as parsing it.
func (u *URL) fast(v *URL, ref string) bool {
	if len(ref)+len(u.href) > maxBytes {
		return false
	}
	if strings.HasPrefix(ref, "http") && u.fastAbsolute(v, ref) {
		return true
	}
	switch {
	case u.href == "":
		return false
	case ref == "":
		*v = u.WithoutFragment()
		return true
	}
	var t tail
	var cut int // length of the prefix of u that is kept
	switch ref[0] {
	case '/':
		if len(ref) > 1 && ref[1] == '/' {
			return false
		}
		cut = int(u.path)
		t = scanPath(ref, 0, cut)
	case '?':
		cut = u.pathEnd()
		t = scanQuery(ref, 0, cut)
	case '#':
		cut = u.queryEnd()
		t = scanFragment(ref, 0, cut)
		t.query = u.query
	default:
		if mayBeDots(ref) || hasColon(ref) {
			return false
		}
		cut = int(u.path) + strings.LastIndexByte(u.Path(), '/') + 1
		t = scanPath(ref, 0, cut)
	}
	if !t.ok {
		return false
	}
	v.href = u.href[:cut] + ref
	v.offsets = u.offsets
	v.query, v.frag = t.query, t.frag
	return true
}

// hasColon reports whether the first segment of ref contains a colon, which may
// end a scheme.
func hasColon(ref string) bool {
	for i := range len(ref) {
		switch ref[i] {
		case ':':
			return true
		case '/', '?', '#':
			return false
		}
	}
	return false
}

// fastAbsolute resolves ref if it starts with u's scheme and host, or with a
// plain host name in lower case.
func (u *URL) fastAbsolute(v *URL, ref string) bool {
	if n := int(u.path); n > 0 && len(ref) > n && ref[n] == '/' && ref[:n] == u.href[:n] {
		v.offsets = u.offsets
	} else if !scanOrigin(&v.offsets, ref) {
		return false
	}
	if int(v.path) == len(ref) {
		v.href = ref + "/"
		return true
	}
	t := scanPath(ref, int(v.path), 0)
	v.href, v.query, v.frag = ref, t.query, t.frag
	return t.ok
}

// scanOrigin parses the scheme, host and port of ref into v, up to a slash or
// the end.
func scanOrigin(v *offsets, ref string) bool {
	i := len("http://")
	scheme := "http"
	if strings.HasPrefix(ref, "https") {
		scheme = "https"
		i++
	}
	if !strings.HasPrefix(ref[len(scheme):], "://") {
		return false
	}
	*v = offsets{host: uint32(i)}
	label := i
	for ; i < len(ref) && class[ref[i]]&notLowerASCII == 0; i++ {
		if ref[i] != '.' {
			continue
		}
		if strings.HasPrefix(ref[label:], "xn--") {
			return false
		}
		label = i + 1
	}
	// The last label determines whether the host is an IPv4 address.
	if label == i || ('0' <= ref[label] && ref[label] <= '9') || strings.HasPrefix(ref[label:], "xn--") {
		return false
	}
	v.port = uint32(i)
	if i < len(ref) && ref[i] == ':' {
		if i = scanPort(ref, i+1, defaultPort(scheme)); i == 0 {
			return false
		}
	}
	v.path = uint32(i)
	return i == len(ref) || ref[i] == '/'
}

// scanPort returns the offset after the port at i. It returns zero if the port
// is not in its shortest form, or is the default port.
func scanPort(ref string, i, unwritten int) int {
	start := i
	for i < len(ref) && '0' <= ref[i] && ref[i] <= '9' {
		i++
	}
	if n, ok := portNumber(ref[start:i]); i == start || ref[start] == '0' || !ok || n == unwritten {
		return 0
	}
	return i
}

// tail contains the offsets of query and fragment in the href, or zero, and
// whether all bytes are unchanged.
type tail struct {
	query, frag uint32
	ok          bool
}

// scanPath scans s from the start of its path at i to its end. cut bytes
// precede s in the href.
func scanPath(s string, i, cut int) tail {
	for ; ; i++ {
		for i < len(s) && class[s[i]]&(escPath|separates) == 0 {
			i++
		}
		switch {
		case i == len(s):
			return tail{ok: true}
		case s[i] == '?':
			return scanQuery(s, i, cut)
		case s[i] == '#':
			return scanFragment(s, i, cut)
		case s[i] != '/' || mayBeDots(s[i+1:]):
			return tail{}
		}
	}
}

// mayBeDots reports whether s may start with a dot segment.
func mayBeDots(s string) bool {
	return s != "" && (s[0] == '.' || strings.HasPrefix(s, "%2"))
}

// scanQuery scans s from the question mark at i to its end.
func scanQuery(s string, i, cut int) tail {
	start := uint32(cut + i) //nolint:gosec // G115: below maxBytes
	for ; i < len(s); i++ {
		if c := s[i]; class[c]&escQuery != 0 {
			if c != '#' {
				return tail{}
			}
			t := scanFragment(s, i, cut)
			t.query = start
			return t
		}
	}
	return tail{query: start, ok: true}
}

// scanFragment scans s from the number sign at i to its end.
func scanFragment(s string, i, cut int) tail {
	start := uint32(cut + i) //nolint:gosec // G115: below maxBytes
	for i++; i < len(s); i++ {
		if class[s[i]]&escFragment != 0 {
			return tail{}
		}
	}
	return tail{frag: start, ok: true}
}
