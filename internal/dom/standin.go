// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A StandIn says what a page is that a server sends in place of the one that was asked for.
type StandIn uint8

// The kinds of pages that stand in for others.
const (
	Itself     StandIn = iota // none
	Challenge                 // asks whether the reader is a human, or tests its browser
	Missing                   // says that the page does not exist
	SignIn                    // asks for a password
	Consent                   // asks for consent, and then leads to the page
	Failing                   // says that the server has failed
	Limited                   // says that there were too many requests
	Refused                   // says that the reader, or the country of the reader, has no access
	Closed                    // says that the site is under maintenance
	Parked                    // offers the domain for sale
	AgeGate                   // asks how old the reader is
	Scriptless                // says that it needs JavaScript
	Nothing                   // says that nothing was found
)

// Numbers of words up to which a page may stand in for another one. A page that says that
// another one is missing often has the menus of its site.
const (
	briefTest    = 150
	briefMissing = 600
)

// StandsIn reports whether a page stands in for another one. It decides by what programs
// write into such pages, and by the number 404, not by words of a language: a script, frame,
// form or name that only the tests of services against robots have; or the name that a
// program gives to the body of a missing page; or a title or heading that begins with the
// number 404, or has it on a page that is not to be indexed; or a field for a password on a page of few words; or
// a form that leads to a service for consent. It also decides by words of many languages: if a page is nothing but a text about
// consent and its buttons, or hardly more than a heading or a text with one of the phrases of notices. Longer pages stand for themselves.
func StandsIn(root *html.Node) StandIn {
	if root == nil {
		return Itself
	}
	words := 0
	for n := Next(root, root); n != nil; n = Next(n, root) {
		if n.Type != html.TextNode {
			continue
		}
		if words += wordsShown(n); words > briefMissing {
			return Itself
		}
	}
	s := standIn{short: words <= briefTest}
	for n := Next(root, root); n != nil; n = Next(n, root) {
		if n.Type == html.ElementNode {
			s.note(n)
		}
	}
	switch {
	case s.short && (s.tested || s.asked && !s.fields):
		return Challenge
	case s.named || s.begins || s.numbered && s.noIndex:
		return Missing
	case s.short && s.consent, isConsentWall(root, words):
		return Consent
	case s.short && s.password && !s.article:
		return SignIn
	}
	return notice(root, words)
}

// wordsShown returns the number of words of a text, or 0 if no reader sees it.
func wordsShown(n *html.Node) (count int) {
	switch p := n.Parent; {
	case p == nil:
		return 0
	case p.DataAtom == atom.Script, p.DataAtom == atom.Style, p.DataAtom == atom.Title, p.DataAtom == atom.Template, p.DataAtom == atom.Option, p.DataAtom == atom.Textarea:
		return 0
	}
	for range strings.FieldsSeq(n.Data) {
		count++
	}
	return count
}

// A standIn is what is known of a page that may stand in for another one.
type standIn struct {
	short    bool // few enough words for a test
	tested   bool // by a service against robots
	asked    bool // there is a question that only a human can answer
	fields   bool // there are fields for something else
	password bool // there is a field for a password
	article  bool // there is an article
	consent  bool // a form leads to a service for consent
	named    bool // the body has the name of a missing page
	begins   bool // the title or a heading begins with the number 404
	numbered bool // the title or a heading has the number 404
	noIndex  bool // the page is not to be indexed
}

// note records what an element says.
func (s *standIn) note(n *html.Node) {
	switch n.DataAtom {
	case atom.Html, atom.Body:
		s.named = s.named || isMissingName(Attr(n, "class")) || isMissingName(Attr(n, "id"))
	case atom.Title, atom.H1, atom.H2:
		begins, has := missingNumber(n)
		s.begins, s.numbered = s.begins || begins, s.numbered || has
	case atom.Meta:
		s.noIndex = s.noIndex || strings.EqualFold(Attr(n, "name"), "robots") && strings.Contains(strings.ToLower(Attr(n, "content")), "noindex")
	}
	if s.short {
		s.noteTest(n)
	}
}

// noteTest records what an element says of a test.
func (s *standIn) noteTest(n *html.Node) {
	id := Attr(n, "id")
	switch n.DataAtom {
	case atom.Script:
		src := Attr(n, "src")
		s.tested = s.tested || isTest(src) || src == "" && n.FirstChild != nil && isTest(n.FirstChild.Data)
	case atom.Iframe, atom.Form:
		s.tested = s.tested || isTest(Attr(n, "src")) || isTest(Attr(n, "action")) || strings.Contains(Attr(n, "src"), "_Incapsula_Resource")
		s.consent = s.consent || n.DataAtom == atom.Form && asksConsent(Attr(n, "action"))
	case atom.Article:
		s.article = true
	case atom.Input:
		s.password = s.password || strings.EqualFold(Attr(n, "type"), "password")
		switch strings.ToLower(Attr(n, "type")) {
		case "hidden", "submit", "button", "image", "checkbox":
		default:
			s.fields = true
		}
	case atom.Textarea, atom.Select:
		s.fields = s.fields || !strings.Contains(Attr(n, "name"), "captcha-response")
	}
	s.tested = s.tested || id == "anubis_challenge" || id == "px-captcha" || id == "cf-challenge-running"
	for class := range strings.FieldsSeq(Attr(n, "class")) {
		switch class {
		case "g-recaptcha", "h-captcha", "cf-turnstile", "frc-captcha", "smart-captcha":
			s.asked = true
		}
	}
}

// isTest reports whether the address or the text of a script, frame or form belongs to the
// page with which a service tests a browser. Scripts that such services add to ordinary
// pages have other names.
func isTest(s string) bool {
	const most = 1 << 16
	s = s[:min(len(s), most)]
	for _, mark := range []string{
		"_cf_chl_opt", "__cf_chl_", "/cdn-cgi/challenge-platform/h/", "captcha-delivery.com/captcha", "captcha-delivery.com/interstitial", "ct.captcha-delivery.com", "geo.captcha-delivery.com",
		"sucuri_cloudproxy_js", "AwsWafIntegration.checkForceRefresh", "AwsWafIntegration.forceRefreshToken", "/.well-known/ddos-guard/", "/.within.website/x/cmd/anubis/", "/_sec/cp_challenge/", "/.well-known/vercel/security/",
	} {
		if strings.Contains(s, mark) {
			return true
		}
	}
	return false
}

// asksConsent reports whether the address that a form leads to belongs to a page that asks for consent before it shows
// another one.
func asksConsent(action string) bool {
	for _, mark := range []string{"//consent.google.", "//consent.youtube.", "/v2/collectConsent", "/collectConsent?", "/cookiewall/", "/cookie-wall/", "/consentwall/"} {
		if strings.Contains(action, mark) {
			return true
		}
	}
	return false
}

// isMissingName reports whether one of the names of a body is one that programs for web sites
// give to the page that says that another one is missing.
func isMissingName(names string) bool {
	for name := range strings.FieldsSeq(names) {
		name = strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
		switch name {
		case "error404", "404error", "template404", "page404", "404page", "cmsnoroute", "cmsnorouteindex", "pagenotfound", "notfound", "notfoundpage",
			"status404", "is404", "http404", "pageerror404", "errorpage404", "pagetype404", "route404":
			return true
		}
	}
	return false
}

// missingNumber reports whether a title or heading begins with the number 404, as in
// "404 - Not Found | Birds", and whether it has this number.
func missingNumber(n *html.Node) (begins, has bool) {
	const most = 12 // words
	if n.Namespace != "" {
		return false, false
	}
	words := strings.FieldsFunc(Text(n), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 || len(words) > most {
		return false, false
	}
	return words[0] == "404", slices.Contains(words, "404")
}
