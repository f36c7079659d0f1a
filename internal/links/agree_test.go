// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/links"
	"example.com/curlew/internal/weburl"
)

// page is the page that contains the documents of these tests.
func page(t testing.TB) links.Source {
	t.Helper()
	u, err := weburl.Parse("http://h.test/dir/page?q#f")
	if err != nil {
		t.Fatal(err)
	}
	return links.Source{URL: u, Agent: "curlew"}
}

// parse builds the tree like internal/dom: without scripting, and without
// control characters from references.
func parse(text string) (*html.Node, error) {
	root, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, err
	}
	for n := range root.Descendants() {
		for i := range n.Attr {
			n.Attr[i].Val = dropControls(n.Attr[i].Val)
		}
	}
	return root, nil
}

func dropControls(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && !strings.ContainsRune("\t\n\f\r", r) {
			return -1
		}
		return r
	}, s)
}

// essence is the part of the result on which both extractors must agree. Tree
// construction repeats and moves elements, so the links are a set.
func essence(f links.Found) string {
	set := map[string]bool{}
	for _, l := range f.Links {
		set[l.URL.String()+" "+l.Rel] = true
	}
	return fmt.Sprintf("base %s canonical %s nofollow %v noindex %v\n%s", f.Base, f.Canonical, f.NoFollow, f.NoIndex,
		strings.Join(slices.Sorted(maps.Keys(set)), "\n"))
}

// disagreement returns how the results of the two extractors differ. It returns
// "" if they agree, if the scanner's result is doubtful, or if no tree can be
// built.
func disagreement(s links.Source, text string) string {
	scanned := s.Scan(text)
	if scanned.Doubtful {
		return ""
	}
	root, err := parse(text)
	if err != nil {
		return "" // over 512 open elements
	}
	if tree := s.Tree(root); essence(tree) != essence(scanned) {
		return fmt.Sprintf("%q\ntree: %s\nscan: %s", text, essence(tree), essence(scanned))
	}
	return ""
}

// pieces are the parts of random documents.
var pieces = strings.Split(`<a href=L>|<a href="L" rel="NoFollow x">|</a>|<A HREF='L'|>|<area href=L>|<iframe src=L>|</iframe>|<frame src=L>|`+
	`<frameset>|</frameset>|<noframes>|</noframes>|<link rel=next href=L>|<link rel=canonical href=L>|<base href=B>|`+
	`<meta http-equiv=refresh content="1;url=L">|<meta name=robots content=nofollow>|<svg>|</svg>|<svg/>|<math>|</math>|`+
	`<a xlink:href=L>|<a href=L/>|<g>|</g>|<title>|</title>|<desc>|</desc>|<foreignObject>|</foreignObject>|<mi>|</mi>|<mglyph>|`+
	`<annotation-xml>|<annotation-xml encoding=text/html>|</annotation-xml>|<![CDATA[|]]>|<style>|</style>|<script>|</script>|`+
	`<!--|-->|--!>|<!-->|<!--->|<!|<?|<|</|</>|<>|<textarea>|</textarea>|<xmp>|</xmp>|<noembed>|</noembed>|<noscript>|</noscript>|`+
	`<plaintext>|<template>|</template>|<select>|</select>|<option>|<table>|</table>|<tr>|<td>|</td>|<caption>|<colgroup>|<col>|`+
	`<p>|</p>|<b>|</b>|<i>|<div>|</div>|<span>|</span>|<br>|</br>|<font>|<font color=x>|<image>|<input type=hidden>|<button>|<form>|`+
	`<html>|</html>|<head>|</head>|<body>|</body>|<!DOCTYPE html>|x|&amp;| |"|'|=|/|-|--|<li>|<h1>|<nobr>|<object>|</object>|<th>|<ruby>|<rt>|`+
	`<iframe srcdoc="<a href=L>">|<iframe src="data:text/html,<a href=http://d.test/L>">|<a href="?x=1&copy=2&lt;&notit;&amp">`, "|")

func document(random *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		p := pieces[random.IntN(len(pieces))]
		p = strings.ReplaceAll(p, "L", fmt.Sprint("l", random.IntN(90)))
		p = strings.ReplaceAll(p, "B", fmt.Sprint("b", random.IntN(3), "/"))
		b.WriteString(p)
	}
	return b.String()
}

// TestAgree compares the extractors with random documents, which are malformed
// in many ways.
func TestAgree(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	s := page(t)
	failed := 0
	for range 20_000 {
		text := document(random, 1+random.IntN(24))
		if d := disagreement(s, text); d != "" {
			t.Errorf("seed %d: %s", seed, d)
			if failed++; failed == 5 {
				return
			}
		}
	}
}

// FuzzLinks does the same with documents of the fuzzer.
func FuzzLinks(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		f.Add(document(random, 10))
	}
	f.Add("<script><!--<script></script><a href=x>--></script><a href=y>")
	f.Add("<a href=?&#8;&#x80;&#0;&nvlt;&ampx=1&amp=1&amp;&#x110000;&#99999999999;&notin;&notit;&fjlig;&semi;>")
	f.Fuzz(func(t *testing.T, text string) {
		// internal/dom returns text without control characters.
		text = strings.TrimPrefix(strings.ToValidUTF8(text, "\uFFFD"), "\uFEFF")
		text = dropControls(strings.ReplaceAll(text, "\x00", "\uFFFD"))
		s := page(t)
		if d := disagreement(s, text); d != "" {
			t.Error(d)
		}
		for _, f := range []links.Found{s.Scan(text), s.Markdown(text)} {
			for _, l := range f.Links {
				if l.URL.IsZero() || len(l.Text) > 256 {
					t.Errorf("link %+v", l)
				}
			}
		}
	})
}
