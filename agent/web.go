// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"

	"golang.org/x/net/html"
)

// Fetcher fetches one page and reads it. A fetch.Fetcher returns bytes, a Fetcher
// returns text. [example.com/curlew/agent/web] makes one of any fetch.Fetcher.
//
// A Fetcher calls Gate with every URL it is about to request, the first and each
// redirect target, and requests none that Gate refuses; the error then wraps
// Gate's. A page with an HTTP status of 400 or more is a page.
// Implementations are safe for concurrent use, obey robots.txt and the pace of
// hosts, send no cookies but those of Header and no Referer, and return when ctx
// ends. They do not change r, and do not keep it.
type Fetcher interface {
	Fetch(ctx context.Context, r *Request) (*Page, error)
}

// Request asks for a page.
type Request struct {
	URL    string
	Gate   func(ctx context.Context, url string) error
	Render bool // run the page's scripts, if the Fetcher can

	// Header is sent with the first request, and with those that follow a redirect
	// within its host. No other host gets it.
	Header map[string]string
}

// Page is a page that was fetched. The engine does not change it. Full is what is read;
// all else may be empty.
type Page struct {
	URL, Final string     // as asked, as answered; Final empty: as asked
	Hops       []string   // all URLs requested, in order, the first included
	Status     int        // of HTTP; zero counts as 200
	Title      string     //
	Type       string     // media type without parameters
	Digest     string     // of the body, hexadecimal; empty: of Full
	Root       *html.Node // one tree, whatever the kind; may be nil
	Main, Full string     // Markdown: main content, all of it; Main may be empty
	Links      []Link     // in document order
	Rendered   bool
}

// Link is a link of a page.
type Link struct {
	URL  string // absolute
	Text string // anchor, else label
	Rel  string // as written
}

// Searcher searches the web. Implementations are safe for concurrent use.
type Searcher interface {
	Search(ctx context.Context, q Query) ([]Hit, error)
}

// Query is one search.
type Query struct {
	Text  string   // at most 256 characters
	N     int      // hits wanted, 1 to 20
	Sites []string // hosts to stay on; empty: the web
}

// Hit is one result of a search.
type Hit struct{ URL, Title, Snippet string }

// Mapper lists the URLs of the site that r names, those that hold words of
// filter first, at most n. Each request passes r.Gate. Implementations are
// safe for concurrent use.
type Mapper interface {
	Map(ctx context.Context, r *Request, filter string, n int) ([]Link, error)
}

// Admit is asked once for each canonical URL of a run, right before its
// request. It returns what the scan cost, which is charged whatever err is; an
// error refuses the URL.
type Admit func(ctx context.Context, t *Task, url string) (spent Credits, err error)
