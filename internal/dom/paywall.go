// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// fences are parts of the names of elements with which pages end for readers who have not paid or signed in, in lower case
// and without hyphens.
var fences = []string{
	"paywall", "regwall", "registrationwall", "subscriptionwall", "subscribewall", "subscriberwall", "premiumwall", "abowall", "aboteaser", "articlegate",
	"contentgate", "premiumgate", "subscribersonly", "subscriberonly", "lockedcontent", "contentlocked", "meteredcontent", "barrierpage", "plenigo", "tpcontainerinner",
}

// fades are such names of texts that fade out.
var fades = []string{"fadeout", "fadetext", "textfade", "faded", "gradient", "truncated", "contentcut"}

// subscribing are beginnings of words on buttons and links with which readers subscribe, in lower case.
var subscribing = []string{
	"subscri", "abonn", "abbon", "suscri", "suscrí", "assin", "prenumer", "wykup", "subskry", "подпис", "оформ", "tilaa", "předplat", "predplat", "előfizet", "συνδρομ", "購読", "订阅", "訂閱", "구독", "اشترك",
}

// IsFenced reports whether a page has an element whose name says that the rest is for subscribers, with a text and a button or
// a link in it, or a text that fades out and just after it a button with which readers subscribe.
func IsFenced(root *html.Node) bool {
	const least, most, looks, near = 5, 150, 16, 60 // words of a fence, elements that are looked at, and words after a faded text
	left, after := looks, near+1
	for n := Next(root, root); n != nil; n = Next(n, root) {
		switch {
		case left == 0:
			return false
		case n.Type == html.TextNode && after <= near:
			after += wordsShown(n)
			continue
		case n.Type != html.ElementNode, n.DataAtom == atom.Body, n.DataAtom == atom.Html:
			continue
		case after <= near && (n.DataAtom == atom.A || isButton(n)) && begins(label(n), subscribing):
			return true
		}
		names := fold(Attr(n, "class") + " " + Attr(n, "id"))
		fence, fade := has(names, fences), has(names, fades)
		if !fence && !fade {
			continue
		}
		left--
		words, linked := offer(n)
		if fence && linked && words >= least && words <= most {
			return true
		}
		if fade && words >= least {
			after = -words
		}
	}
	return false
}

// offer returns the number of words that n shows, and whether it has a button or a link.
func offer(n *html.Node) (words int, linked bool) {
	for d := Next(n, n); d != nil; d = Next(d, n) {
		if d.Type == html.TextNode {
			words += wordsShown(d)
		} else {
			linked = linked || d.DataAtom == atom.A || isButton(d)
		}
	}
	return words, linked
}

// fold returns names in lower case without hyphens.
func fold(names string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(names))
}

func has(s string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}
