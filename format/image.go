// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// lazySources are the attributes that scripts move to src, best first.
var lazySources = [...]string{"data-src", "data-original", "data-lazy-src", "data-lazy", "data-url"}

func isLazySource(key string) bool {
	switch key {
	case "data-srcset", "data-src", "data-original", "data-lazy-src", "data-lazy", "data-url", "data-lazy-srcset":
		return true
	}
	return false
}

// bestSource returns the reference to the best picture that the img n can
// show: the largest candidate of its picture's sources and its own sets, else
// what a script would load, else the image for browsers without scripts, else
// its src.
func bestSource(n *html.Node) string {
	src := strings.Trim(value(n, "src"), spaces)
	var best candidate
	if p := n.Parent; p != nil && p.DataAtom == atom.Picture {
		for c := p.FirstChild; c != nil && c != n; c = c.NextSibling {
			if c.DataAtom == atom.Source {
				best.take(value(c, "srcset"))
				best.take(value(c, "data-srcset"))
			}
		}
	}
	best.take(value(n, "srcset"))
	best.take(value(n, "data-srcset"))
	best.take(value(n, "data-lazy-srcset"))
	if best.url != "" && (best.width > 0 || best.density >= 1 || src == "" || scheme(src) == "data") {
		return best.url
	}
	for _, key := range lazySources {
		if s := strings.Trim(value(n, key), spaces); s != "" && scheme(s) != "data" {
			return s
		}
	}
	if src == "" || scheme(src) == "data" {
		if s := noscriptImage(n.NextSibling); s != "" {
			return s
		}
	}
	return src
}

// noscriptImage returns the source of the lone image in the noscript element
// at n, with nothing but white space before it; empty where there is none.
func noscriptImage(n *html.Node) string {
	for n != nil && n.Type == html.TextNode && strings.Trim(n.Data, spaces) == "" {
		n = n.NextSibling
	}
	if n == nil || n.DataAtom != atom.Noscript {
		return ""
	}
	var only *html.Node
	for c := n.FirstChild; c != nil; c = following(c, n) {
		switch {
		case c.Type == html.TextNode && strings.Trim(c.Data, spaces) != "":
			return ""
		case c.Type == html.ElementNode && c.DataAtom == atom.Img:
			if only != nil {
				return ""
			}
			only = c
		}
	}
	if only == nil {
		return ""
	}
	var best candidate
	best.take(value(only, "srcset"))
	if best.url == "" {
		best.url = strings.Trim(value(only, "src"), spaces)
	}
	if scheme(best.url) == "data" {
		return ""
	}
	return best.url
}

// A candidate is one picture of a srcset.
type candidate struct {
	url     string
	width   int     // pixels; zero where not said
	density float64 // of pixels; 1 where neither is said
}

// take makes c the best of itself and the candidates in srcset: the widest,
// else the densest, else the first.
func (c *candidate) take(srcset string) {
	for srcset != "" {
		var next candidate
		next, srcset = nextCandidate(srcset)
		if next.url == "" || scheme(next.url) == "data" {
			continue
		}
		if c.url == "" || next.width > c.width || next.width == c.width && next.density > c.density {
			*c = next
		}
	}
}

// nextCandidate reads the first candidate of s as the HTML standard says
// ("parse a srcset attribute"): a URL ends at white space, or at commas that
// are its last characters, so that commas inside of it stay.
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

// isPixel reports whether the img n is one or no pixel large.
func isPixel(n *html.Node) bool {
	tiny := func(key string) bool {
		v := strings.TrimSuffix(strings.TrimSpace(value(n, key)), "px")
		return v == "0" || v == "1"
	}
	return tiny("width") && tiny("height")
}

// isDataImage reports whether ref is a data: URL of a picture.
func isDataImage(ref string) bool {
	ref = strings.TrimLeft(ref, spaces)
	return len(ref) > 11 && strings.EqualFold(ref[:11], "data:image/")
}

// backgrounds returns the references in url() of an inline style's background.
func backgrounds(style string) []string {
	if !strings.Contains(style, "background") {
		return nil
	}
	var refs []string
	for {
		i := strings.Index(style, "url(")
		if i < 0 {
			return refs
		}
		style = style[i+len("url("):]
		ref := strings.TrimLeft(style, spaces)
		end := ")"
		if ref != "" && (ref[0] == '"' || ref[0] == '\'') {
			end, ref = ref[:1], ref[1:]
		}
		ref, rest, ok := strings.Cut(ref, end)
		if !ok {
			return refs
		}
		if ref = strings.Trim(ref, spaces); ref != "" {
			refs = append(refs, ref)
		}
		style = rest
	}
}
