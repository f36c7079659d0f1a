// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/format"
	design "example.com/curlew/format/brand"
)

// fakeSheets maps URLs to style sheets. It fails for other URLs.
type fakeSheets map[string]string

func (f fakeSheets) Load(_ context.Context, url string) ([]byte, string, error) {
	text, ok := f[url]
	if !ok {
		return nil, "", errors.New("not found")
	}
	return []byte(text), "text/css; charset=utf-8", nil
}

const brandPage = `<html lang="en"><head><title>Heron Bikes</title>
<link rel="stylesheet" href="/main.css"><link rel="stylesheet" href="/print.css" media="print">
<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Source+Serif+4:wght@400;700&display=swap">
<link rel="icon" href="/favicon.ico"><link rel="apple-touch-icon" href="/touch.png"><link rel="manifest" href="/site.webmanifest">
<meta property="og:image" content="/card.png"><meta name="theme-color" content="#0a7d5a">
<style>@media (prefers-color-scheme: dark) { body { background: black } } h2 { font-size: 24px }</style></head>
<body class="page"><header><a href="/"><img class="site-logo" src="/img/logo.svg" alt="Heron"></a></header>
<main><h1>Ride far</h1><h2>Now</h2><p>We build <a href="/bikes">bikes</a>.</p><p><code>x</code></p>
<a class="btn btn-primary" href="/buy">Buy</a> <button class="btn btn-ghost">More</button>
<input type="email" class="field"></main><footer>Imprint</footer></body></html>`

const brandSheet = `
@import url("/base.css");
:root { --brand: #0A7D5A; --ink: rgb(20 20 30); --danger: #c0392b; --loop: var(--loop); }
@font-face { font-family: "Heron Sans"; src: url(x.woff2) }
body { background: #fdfdfb; color: var(--ink); font: 400 18px/1.6 "Heron Sans", sans-serif; margin: 0; padding: 16px }
h1, h2 { font-family: 'Heron Display', serif; font-weight: 700; line-height: 1.2 }
h1 { font-size: clamp(2.5rem, 5vw, 4rem); margin: 8px 0 24px }
main a { color: #1463c8 }
.btn { border-radius: 6px; padding: 8px 16px; color: white !important }
.btn-primary { background: var(--brand) } .btn-primary:hover { background: hotpink }
.btn-ghost { background: transparent; border: 1px solid var(--missing, #123456); color: #123456 }
.field { border: 1px solid #cccccc; border-radius: 4px; background-color: white }
footer { color: #666 } @media (max-width: 600px) { body { background: red } }
@media (min-width: 600px) { p { line-height: 1.7 } } .broken { color: ; } } .ok { gap: 8px; margin: 32px }
`

// brand returns the branding of a page.
func brand(t *testing.T, src string, sheets format.Loader) *format.Document {
	t.Helper()
	engine := format.Engine{Loader: sheets}
	d, err := engine.Build(t.Context(), &format.Input{Root: tree(t, src), URL: pageURL}, &format.Options{Forms: []format.Form{format.BrandingForm}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestBranding(t *testing.T) {
	d := brand(t, brandPage, fakeSheets{
		"https://birds.example/main.css":  brandSheet,
		"https://birds.example/base.css":  `h3{font-size:20px}`,
		"https://birds.example/print.css": `body{background:blue}`,
		"https://fonts.googleapis.com/css2?family=Source+Serif+4:wght@400;700&display=swap": "",
	})
	raw, err := json.MarshalIndent(d.Branding, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	const wanted = `{
		"colorScheme": "light", "logo": "https://birds.example/img/logo.svg",
		"colors": {"primary": "#0A7D5A", "secondary": "#1463C8", "accent": "#123456", "background": "#FDFDFB", "textPrimary": "#14141E",
			"textSecondary": "#666666", "link": "#1463C8", "error": "#C0392B"},
		"fonts": [{"family": "Heron Sans"}, {"family": "Heron Display"}, {"family": "Source Serif 4"}],
		"typography": {"fontFamilies": {"primary": "Heron Sans", "heading": "Heron Display"},
			"fontSizes": {"h1": "40px", "h2": "24px", "body": "18px"}, "fontWeights": {"regular": 400, "bold": 700},
			"lineHeights": {"heading": "1.2", "body": "1.7"}},
		"spacing": {"baseUnit": 8, "borderRadius": "6px", "padding": {"body": "16px", "button": "8px 16px"}, "margins": {"body": "0", "h1": "8px 0 24px"}},
		"components": {
			"buttonPrimary": {"background": "#0A7D5A", "textColor": "#FFFFFF", "borderRadius": "6px"},
			"buttonSecondary": {"textColor": "#FFFFFF", "borderColor": "#123456", "borderRadius": "6px"},
			"input": {"background": "#FFFFFF", "textColor": "#14141E", "borderColor": "#CCCCCC", "borderRadius": "4px"}},
		"icons": {"favicon": "https://birds.example/favicon.ico", "appleTouchIcon": "https://birds.example/touch.png",
			"manifest": "https://birds.example/site.webmanifest"},
		"images": {"logo": "https://birds.example/img/logo.svg", "favicon": "https://birds.example/favicon.ico", "ogImage": "https://birds.example/card.png"}
	}`
	if err := json.Unmarshal([]byte(wanted), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("branding (-want +got):\n%s", diff)
	}
	if d.Warning != "" {
		t.Errorf("warning %q", d.Warning)
	}
}

// TestBrandingShown checks that the values of a browser replace those of the style sheets,
// and that what it does not report stays.
func TestBrandingShown(t *testing.T) {
	const src = `<title>T</title><style>:root{--color-primary:#123456}h1{color:red;font-family:Sheet}p{color:#111111}.btn{background:#00ff00}</style><h1>a</h1><p>b</p><a class=btn href=/x>c</a>`
	in := format.Input{Root: tree(t, src), URL: pageURL, Styles: []design.Style{
		{Element: "body", Properties: map[string]string{"background-color": "rgb(16, 16, 16)"}},
		{Element: "h1", Properties: map[string]string{"font-family": `"Shown", serif`, "font-size": "50px"}},
		{Element: "p", Properties: map[string]string{"color": "rgb(238, 238, 238)", "font-size": "18px"}},
		{Element: "h1", Properties: map[string]string{"font-size": "1px"}},
		{Element: "button", Properties: map[string]string{"background-color": "rgb(255, 0, 0)", "border-radius": "4px", "color": "not a color"}},
		{Element: "marquee", Properties: map[string]string{"color": "red"}},
	}}
	d, err := new(format.Engine).Build(t.Context(), &in, &format.Options{Forms: []format.Form{format.BrandingForm}})
	if err != nil || d.Branding == nil {
		t.Fatal(d, err)
	}
	b := d.Branding
	button := b.Components.ButtonPrimary
	if b.ColorScheme != "dark" || b.Colors.Background != "#101010" || b.Colors.TextPrimary != "#EEEEEE" || b.Colors.Primary != "#123456" ||
		b.Typography.Families.Heading != "Shown" || b.Typography.Sizes.H1 != "50px" || b.Typography.Sizes.Body != "18px" ||
		button == nil || button.Background != "#FF0000" || button.BorderRadius != "4px" || button.TextColor != "" {
		t.Errorf("got %+v, button %+v", b, button)
	}
}

// TestBrandingMore checks that rem depends on the font size of the root, that the most
// frequent animations and widths are reported, and that a logo may be an svg element.
func TestBrandingMore(t *testing.T) {
	const page = `<html><head><style>html{font-size:62.5%} body{font-size:1.6rem} h1{font-size:4.8rem} .c{padding:.8rem 1.6rem;margin:2.4rem;border-radius:.4rem}
		.wrap,.nav{max-width:120rem} .text{max-width:640px} .pop{max-width:100%}
		a{transition:color .2s ease-in-out, background-color 200ms 1s ease-in-out} .x{animation: spin 2s linear infinite}</style></head>
		<body><header><a href="/" class="brand logo"><svg viewBox="0 0 8 8" onload="x()"><script>x()</script><title>Heron</title><path d="M0 0h8v8z" fill="#0a7d5a"/></svg></a></header><h1>H</h1><p>x</p></body></html>`
	d := brand(t, page, nil)
	b := d.Branding
	if b == nil || b.Typography.Sizes.H1 != "48px" || b.Typography.Sizes.Body != "16px" || b.Spacing.BaseUnit != 8 || b.Spacing.BorderRadius != "4px" {
		t.Fatalf("sizes: %s", encode(t, b))
	}
	if b.Animations != (design.Animations{Duration: "200ms", Easing: "ease-in-out"}) || b.Layout.MaxWidth != "1200px" {
		t.Errorf("%+v, %+v", b.Animations, b.Layout)
	}
	data, ok := strings.CutPrefix(b.Logo, "data:image/svg+xml;base64,")
	svg, err := base64.StdEncoding.DecodeString(data)
	const want = `<svg viewBox="0 0 8 8" xmlns="http://www.w3.org/2000/svg"><title>Heron</title><path d="M0 0h8v8z" fill="#0a7d5a"></path></svg>`
	if !ok || err != nil || string(svg) != want {
		t.Errorf("logo %q: %s", b.Logo, svg)
	}
	for _, bad := range []string{`<use href="#logo"/>`, strings.Repeat("<path/>", 2000)} {
		src := strings.Replace(page, `<path d="M0 0h8v8z" fill="#0a7d5a"/>`, bad, 1)
		if b := brand(t, src, nil).Branding; b.Logo != "" {
			t.Errorf("%.30s: %s", bad, b.Logo)
		}
	}
}

func TestBrandingWarnings(t *testing.T) {
	if d := brand(t, brandPage, nil); d.Branding == nil || !strings.Contains(d.Warning, "no fetcher for them is configured") {
		t.Errorf("without a fetcher: %v, %q", d.Branding, d.Warning)
	}
	if d := brand(t, brandPage, fakeSheets{}); d.Branding == nil || !strings.Contains(d.Warning, "could not be read") {
		t.Errorf("sheets that fail: %v, %q", d.Branding, d.Warning)
	}
	if d := brand(t, "<p>x</p>", nil); d.Branding != nil || !strings.Contains(d.Warning, "No branding was found") {
		t.Errorf("plain page: %v, %q", d.Branding, d.Warning)
	}
}

// TestBrandingHostile builds a page whose style sheets exceed the limits.
func TestBrandingHostile(t *testing.T) {
	var sheet strings.Builder
	sheet.WriteString(":root{--a0:x")
	for range 30 {
		sheet.WriteString(";--b:var(--b)var(--b)")
	}
	sheet.WriteString("}body{color:var(--b);font-size:1e999px}")
	sheet.WriteString(strings.Repeat("@media screen{", 5000) + strings.Repeat("body *{color:red}", 60_000))
	page := "<style>" + sheet.String() + "</style><body><h1>x</h1>" + strings.Repeat("<div>", 300) + "<p>x</p>"
	if d := brand(t, page, nil); d == nil {
		t.Error("no document")
	}
}

func FuzzBranding(f *testing.F) {
	f.Add(brandSheet, "color:red;background:url(x)")
	f.Add("@media(", "font:1px/2 x")
	f.Add(":root{--a:var(--a)}*{color:var(--a,var(--a));margin:calc(1px", "--x:}")
	f.Fuzz(func(t *testing.T, sheet, style string) {
		page := strings.Replace(brandPage, "<body", `<body style="`+strings.ReplaceAll(style, `"`, "'")+`"`, 1)
		a, b := brand(t, page, fakeSheets{"https://birds.example/main.css": sheet}), brand(t, page, fakeSheets{"https://birds.example/main.css": sheet})
		if diff := cmp.Diff(a, b); diff != "" {
			t.Error(diff)
		}
		if _, err := json.Marshal(a); err != nil {
			t.Error(err)
		}
	})
}
