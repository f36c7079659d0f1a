// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/fetch/render"
)

// banner is a page with a banner over its end. Its buttons write their names into the title,
// and close it.
const banner = `<!DOCTYPE html><title>none</title><style>#b{position:fixed;bottom:0;left:0;right:0;height:300px;background:#fff}body{overflow:hidden}</style><main>%s<button id=go style="position:fixed;bottom:10px" onclick="document.title+=' went'">Go on</button></main>
	<script>const say = (e, what) => { document.title = what; document.querySelector("#b").remove() }</script><div id=b>%s</div>`

// banners are banners, and what becomes of them if consent is refused and if it is given.
var banners = map[string]struct {
	html, refused, accepted string
	warned                  bool
}{
	"buttons":  {`We use cookies and similar technologies. <button onclick="say(this,'yes')">Accept all</button><button onclick="say(this,'no')">Reject all</button>`, "no", "yes", true},
	"german":   {`Diese Seite verwendet Cookies. <a role=button onclick="say(this,'yes')">Alle akzeptieren</a> <a role=button onclick="say(this,'no')">Nur notwendige Cookies</a>`, "no", "yes", true},
	"manager":  {`<div id=onetrust-banner-sdk>Your privacy. <button id=onetrust-accept-btn-handler onclick="say(this,'yes')">Fine</button><button id=onetrust-reject-all-handler onclick="say(this,'no')">Not fine</button></div>`, "no", "yes", true},
	"only yes": {`We use cookies on this site. <button onclick="say(this,'yes')">Accept</button><a href="/more">Reject and read more</a>`, "none", "yes", true},
	"deaf":     {`We use cookies on this site. <button onclick="document.title='no'">Reject</button><button onclick="document.title='yes'">Accept</button>`, "no", "yes", true},
	"login":    {`Sign in. We use cookies to do so. <input type=password><button onclick="say(this,'yes')">Accept</button>`, "none", "none", false},
	"news":     {`A shop has baked many good things for all of us. <button onclick="say(this,'yes')">Accept</button>`, "none", "none", false},
}

// TestConsent shows pages with banners that ask for consent. The button below the banner can be
// clicked once it is gone, and consent is given only if the request says so.
func TestConsent(t *testing.T) {
	t.Parallel()
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, banner, filler, banners[strings.TrimPrefix(r.URL.Path, "/")].html)
	}))
	b := shared(t)
	for name, test := range banners {
		for how, want := range map[render.Consent]string{render.LeaveConsent: "none", render.RefuseConsent: test.refused, render.AcceptConsent: test.accepted} {
			if how == render.LeaveConsent && name != "buttons" {
				continue // nothing is looked for
			}
			t.Run(fmt.Sprint(name, " ", how), func(t *testing.T) {
				p := show(t, b, &render.Request{
					URL: at + "/" + strings.ReplaceAll(name, " ", "%20"), Block: render.Block{Consent: how},
					Steps: []render.Step{{Kind: render.Click, Selector: "#go"}},
				})
				gone := test.warned && how != render.LeaveConsent
				if gone {
					want += " went"
				}
				if !strings.Contains(string(p.HTML), "<title>"+want+"</title>") {
					t.Errorf("the title is not %q: %.400s, warnings %q", want, p.HTML, p.Warnings)
				}
				if said := slices.ContainsFunc(p.Warnings, func(w string) bool { return strings.Contains(w, "consent to cookies") }); said != gone {
					t.Errorf("warnings: %q", p.Warnings)
				}
			})
		}
	}
}

// TestStyles reads the computed styles of a page.
func TestStyles(t *testing.T) {
	t.Parallel()
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!DOCTYPE html><style>:root{--p:#123456}body{background:rgb(250,251,252)}h1{color:var(--p);font:700 2em "Made Up",serif}.btn{background:#f00;border-radius:4px;border:1px solid #00f}</style>
			<h2 style="display:none">hidden</h2><h1>Styled</h1><h2 style="color:#010203">shown</h2><a class=btn href=/a>Buy</a><p>text`)
	}))
	p := show(t, shared(t), &render.Request{URL: at + "/", Styles: true})
	got := map[string]map[string]string{}
	for _, s := range p.Styles {
		got[s.Element] = s.Properties
	}
	for _, want := range [][3]string{
		{"h1", "color", "rgb(18, 52, 86)"},
		{"h1", "font-family", `"Made Up", serif`},
		{"h1", "font-size", "32px"},
		{"h2", "color", "rgb(1, 2, 3)"},
		{"body", "background-color", "rgb(250, 251, 252)"},
		{"button", "background-color", "rgb(255, 0, 0)"},
		{"button", "border-color", "rgb(0, 0, 255)"},
		{"button", "border-radius", "4px"},
		{"p", "font-family", ""}, // of the browser, not of the page
	} {
		if got[want[0]][want[1]] != want[2] {
			t.Errorf("%s of %s is %q, want %q", want[1], want[0], got[want[0]][want[1]], want[2])
		}
	}
	if order := p.Styles; len(order) < 6 || order[0].Element != "html" || order[1].Element != "body" || order[2].Element != "h1" {
		t.Errorf("the order is %+v", p.Styles)
	}
}
