// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"strings"
	"testing"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
)

// TestWalls checks that the warning of a page says that it is a wall, or ends at one.
func TestWalls(t *testing.T) {
	const box = "<div class=paywall><p>Subscribe to read the rest of it.</p><a href=/s>Subscribe</a></div>"
	for _, c := range []struct{ src, want string }{
		{"<body><div><p>We and our partners use cookies and process personal data for ads.</p><button>Accept all</button></div>", "ask for consent"},
		{"<title>Birds</title><body><h1>Seite nicht gefunden</h1><p>Bitte suchen Sie.", "no such page"},
		{"<title>Birds</title><body><h1>Something went wrong</h1><p>Try again.", "server has failed"},
		{"<title>Birds</title><body><h1>Too many requests</h1><p>Try again.", "too many requests"},
		{"<title>Birds</title><body><h1>This video is not available in your country</h1>", "refuse access"},
		{"<title>Birds</title><body><h1>Site en maintenance</h1>", "under maintenance"},
		{"<title>Birds</title><body><h1>This domain is for sale</h1>", "for sale"},
		{"<title>Birds</title><body><h1>Are you over 18?</h1><button>Yes</button>", "the age of the reader"},
		{"<title>Birds</title><body><h1>Verify you are human</h1><button>Begin</button>", "test for robots"},
		{"<title>Birds</title><body><h1>No results found</h1><p>Try other words.", "nothing was found"},
		{"<title>Birds</title><body><h1>Please enable JavaScript</h1><p>Then come again.", "need JavaScript"},
		{"<title>Birds</title><body><h1>Please log in</h1><input name=user><button>Next</button>", "form for signing in"},
		{"<meta property=og:type content=article><article><h1>Birds</h1><p>The first words of it.</p></article>" + box, "offers a subscription"},
		{"<meta property=og:type content=article><article><h1>Birds</h1><p>" + strings.Repeat("All of the words. ", 60) + "</p></article>" + box, ""},
	} {
		tree, err := dom.Parse(t.Context(), []byte(c.src), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		d, err := format.Build(t.Context(), &format.Input{Root: tree.Root, URL: "https://a.example/birds"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(d.Warning, c.want) || c.want == "" && strings.Contains(d.Warning, "subscription") {
			t.Errorf("%s: %q", c.src, d.Warning)
		}
	}
}

// TestConsentBeside checks that a request for consent beside the content is not part of it, and
// that a page about such requests is.
func TestConsentBeside(t *testing.T) {
	const ask = "We and our partners use cookies and process personal data. You may change your choice at any time in the settings of your account."
	text := strings.Repeat("The heron stands in shallow water and waits for fish. ", 12)
	for name, c := range map[string]struct {
		src  string
		want bool // the request is part of the content
	}{
		"before the text":     {"<div><p>" + ask + "</p><button>Accept all</button></div><h1>Herons</h1><p>" + text, false},
		"after the text":      {"<h1>Herons</h1><p>" + text + "</p><section><h2>Your choice</h2><p>" + ask + "</p><a class=btn href=#>Zustimmen</a></section>", false},
		"a page about it":     {"<h1>Cookies</h1><p>" + ask + "</p><p>" + ask + "</p><button>Accept all</button>", true},
		"no button":           {"<h1>Herons</h1><p>" + ask + "</p><p>" + text, true},
		"around the content":  {"<div><h1>Herons</h1><p>" + ask + "</p><p>" + text + "</p><button>Accept</button></div>", true},
		"a form of the page":  {"<h1>Herons</h1><p>" + text + "</p><form><p>Our privacy rules hold for what you send, such as pictures of birds.</p><button>Send</button></form>", true},
		"a small part of it":  {"<article><h1>Herons</h1><p>" + text + "</p><p>" + ask + "</p></article><button>Accept</button>", true},
		"after many buttons":  {"<h1>Herons</h1><p>" + strings.Repeat(" heron <button>Accept</button> <a href=/h>seen</a>", 300) + "</p><div><p>" + ask + "</p><button>I agree</button></div>" + strings.Repeat("<p>"+text+"<a href=/h>herons</a> <button>Agree</button></p>", 50), false},
		"within what is kept": {"<main><h1>Herons</h1><p>" + text + "</p><div><p>" + ask + "</p><button>I agree</button></div><p>" + text + "</main>", false},
	} {
		tree, err := dom.Parse(t.Context(), []byte("<body>"+c.src), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		d, err := format.Build(t.Context(), &format.Input{Root: tree.Root, URL: "https://a.example/herons"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		about := strings.Contains(*d.Markdown, "personal data") || strings.Contains(*d.Markdown, "privacy rules")
		if about != c.want || name != "a page about it" && !strings.Contains(*d.Markdown, "shallow water") {
			t.Errorf("%s: %s", name, *d.Markdown)
		}
		if said := strings.Contains(d.Warning, "Requests for consent (1)"); said != !c.want {
			t.Errorf("%s: %q", name, d.Warning)
		}
	}
}
