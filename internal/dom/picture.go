// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// spaces is the ASCII white space of HTML.
const spaces = " \t\n\r\f"

// lazySources are the attributes whose value scripts copy to src, the best
// first.
var lazySources = [...]string{"data-src", "data-original", "data-lazy-src", "data-lazy", "data-url", "data-original-src", "data-hi-res-src"}

// IsLazySource reports whether scripts copy the attribute key of an img to its
// src or srcset.
func IsLazySource(key string) bool {
	switch key {
	case "data-srcset", "data-lazy-srcset", "data-original-set",
		"data-src", "data-original", "data-lazy-src", "data-lazy", "data-url", "data-original-src", "data-hi-res-src":
		return true
	}
	return false
}

// Picture returns the URL of the best image for the img n as it is written: the
// largest candidate of the sources of its picture element and its own srcset,
// else what a script would load, else the image for browsers without scripts,
// else its src, or "". It returns a data: URL only if there is nothing else.
func Picture(n *html.Node) string {
	src := strings.Trim(Attr(n, "src"), spaces)
	var best candidate
	if p := n.Parent; p != nil && p.DataAtom == atom.Picture {
		left := 64
		for c := p.FirstChild; c != nil && c != n && left > 0; c, left = c.NextSibling, left-1 {
			if c.DataAtom == atom.Source {
				best.take(Attr(c, "srcset"))
				best.take(Attr(c, "data-srcset"))
			}
		}
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "srcset", "data-srcset", "data-lazy-srcset", "data-original-set":
			best.take(a.Val)
		}
	}
	if best.url != "" && (best.width > 0 || best.density >= 1 || src == "" || isData(src)) {
		return best.url
	}
	for _, key := range lazySources {
		if s := strings.Trim(Attr(n, key), spaces); s != "" && !isData(s) && !strings.HasPrefix(s, "{") {
			return s
		}
	}
	if src == "" || isData(src) {
		if s := pictureIn(Fallback(n)); s != "" {
			return s
		}
	}
	return src
}

// isData reports whether ref is a data: URL.
func isData(ref string) bool { return len(ref) > 5 && strings.EqualFold(ref[:5], "data:") }

// Fallback returns the only image in the noscript element after the img n, or
// nil. White space may be between them.
func Fallback(n *html.Node) (only *html.Node) {
	n = n.NextSibling
	for left := 8; n != nil && left > 0 && n.Type == html.TextNode && strings.Trim(n.Data, spaces) == ""; left-- {
		n = n.NextSibling
	}
	if n == nil || n.DataAtom != atom.Noscript {
		return nil
	}
	left := 100
	for c := Next(n, n); c != nil; c = Next(c, n) {
		switch left--; {
		case left == 0, c.Type == html.TextNode && strings.Trim(c.Data, spaces) != "":
			return nil
		case c.Type == html.ElementNode && c.DataAtom == atom.Img:
			if only != nil {
				return nil
			}
			only = c
		}
	}
	return only
}

// pictureIn returns the source of a fallback, which may be nil, or "".
func pictureIn(fallback *html.Node) string {
	if fallback == nil {
		return ""
	}
	var best candidate
	best.take(Attr(fallback, "srcset"))
	if best.url == "" {
		best.url = strings.Trim(Attr(fallback, "src"), spaces)
	}
	if isData(best.url) {
		return ""
	}
	return best.url
}

// A candidate is one image of a srcset.
type candidate struct {
	url     string
	width   int     // in pixels; zero if not given
	density float64 // of pixels; 1 if neither is given
}

// take sets c to the best of itself and the candidates in srcset: the widest,
// else the densest, else the first.
func (c *candidate) take(srcset string) {
	for srcset != "" {
		var next candidate
		next, srcset = nextCandidate(srcset)
		if next.url == "" || isData(next.url) {
			continue
		}
		if c.url == "" || next.width > c.width || next.width == c.width && next.density > c.density {
			*c = next
		}
	}
}

// nextCandidate parses the first candidate of s as the HTML standard says
// ("parse a srcset attribute"). A URL ends at white space, or before trailing
// commas, so it may contain commas.
func nextCandidate(s string) (c candidate, rest string) {
	s = strings.TrimLeft(s, spaces+",")
	end := strings.IndexAny(s, spaces)
	if end < 0 {
		end = len(s)
	}
	c.url, rest = s[:end], s[end:]
	if bare := strings.TrimRight(c.url, ","); bare != c.url {
		c.url, c.density = bare, 1
		return c, rest
	}
	depth, end := 0, len(rest)
	for i := range len(rest) {
		switch rest[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if rest[i] == ',' && depth <= 0 {
			end = i
			break
		}
	}
	descriptors := rest[:end]
	rest = rest[end:]
	c.density = 1
	for d := range strings.FieldsSeq(descriptors) {
		switch n := d[:len(d)-1]; d[len(d)-1] {
		case 'w':
			if v, err := strconv.Atoi(n); err == nil && v > 0 {
				c.width = v
			}
		case 'x':
			if v, err := strconv.ParseFloat(n, 64); err == nil && v >= 0 && v < 1e6 {
				c.density = v
			}
		}
	}
	return c, rest
}
