// SPDX-License-Identifier: Apache-2.0

// Package demo serves a small site on loopback, to try a crawl without the network. It has
// what real sites have: a sitemap, a page that robots.txt disallows, a redirect, a broken
// link, a page that only the sitemap names, and many spellings of the same link.
package demo

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// pages are the articles of the site by path, each with its title and text.
var pages = map[string][2]string{
	"/":                {"Field notes", "Short notes about waders of the upland moors."},
	"/birds/curlew":    {"Curlew", "The curlew has a long, curved bill, and nests on the ground in April and May."},
	"/birds/lapwing":   {"Lapwing", "The lapwing has a crest. Its broad wings make a sound in flight."},
	"/birds/snipe":     {"Snipe", "The snipe hides in wet grass, and its tail feathers hum when it dives."},
	"/birds/redshank":  {"Redshank", "The redshank warns all other birds of the marsh with its loud call."},
	"/places/moor":     {"The moor", "The moor is 12 km long. Burning stopped in 2019, and the bogs are wet again."},
	"/places/marsh":    {"The marsh", "Two sluices keep the water at 20 cm until the chicks can fly."},
	"/reports/2024":    {"Report of 2024", "41 nests were found, and 17 chicks fledged."},
	"/reports/2025":    {"Report of 2025", "46 nests were found, and 25 chicks fledged."},
	"/notes/equipment": {"Equipment", "A telescope, a notebook and dry socks. No page links here: only the sitemap names this page."},
}

// handler returns the site whose pages have URLs that begin with base.
func handler(base string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch page, ok := pages[r.URL.Path]; {
		case ok:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<!doctype html><html lang=en><title>%s</title>%s<main><h1>%s</h1><p>%s</p></main>", page[0], menu(), page[0], page[1])
		case r.URL.Path == "/robots.txt":
			fmt.Fprintf(w, "User-agent: *\nDisallow: /private/\n\nSitemap: %s/sitemap.xml\n", base)
		case r.URL.Path == "/sitemap.xml":
			w.Header().Set("Content-Type", "application/xml")
			fmt.Fprintf(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>%s/notes/equipment</loc></url></urlset>`, base)
		case r.URL.Path == "/reports/latest":
			http.Redirect(w, r, "/reports/2025", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	})
}

// menu returns the navigation that all pages share.
func menu() string {
	var b strings.Builder
	b.WriteString("<nav>")
	for _, link := range []string{
		"/", "/birds/curlew", "/birds/lapwing#nest", "/birds/../birds/snipe", "/birds/redshank?", "/places/moor", "/places/marsh", "/reports/2024",
		"/reports/latest", "/reports/2025", "/reports/2023", "/private/nests",
	} {
		fmt.Fprintf(&b, "<a href=%q>%s</a> ", link, link)
	}
	b.WriteString("</nav>")
	return b.String()
}

// Start serves the site on a free port of loopback. It returns the URL of its first page, and
// a function that ends it.
func Start(ctx context.Context) (url string, stop func() error, err error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	base := "http://" + l.Addr().String()
	server := &http.Server{Handler: handler(base), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l) // until Close
	}()
	return base + "/", func() error {
		err := server.Close()
		<-ended
		return err
	}, nil
}
