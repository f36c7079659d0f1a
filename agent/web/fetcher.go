// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
	"example.com/curlew/internal/links"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/markdown"
	"example.com/curlew/parse"
)

// ErrDisallowed means that robots.txt does not allow a page.
var ErrDisallowed = errors.New("disallowed by robots.txt")

// Limits of a request.
const (
	pageTimeout  = time.Minute
	turnPatience = 2 * time.Minute  // longest wait for a turn at a host
	maxDelay     = 30 * time.Second // longest Crawl-delay that is obeyed, because a run takes only minutes
	perHost      = 4                // requests in flight
)

// Fetcher is an [agent.Fetcher] that uses a [fetch.Fetcher]. The zero value is
// ready for use and reaches public addresses only. A Fetcher is safe for
// concurrent use. It must not be changed or copied after its first use.
//
// If robots.txt disallows a page, the error wraps [ErrDisallowed], also if the
// robots.txt of the site cannot be reached (RFC 9309). Requests for robots.txt
// are checked by fetch.Client.Check but not by the Gate of the agent.
type Fetcher struct {
	Client fetch.Fetcher // nil means a zero fetch.Client
	Parser parse.Engine  // reads the answers

	// UserAgent is sent with each request. If it is empty, the Client decides.
	// The product token at its start, or "curlew", is looked up in robots.txt.
	UserAgent string

	// Hosts grants turns at hosts. Set it to that of your crawls, so that both
	// together are polite. If it is nil, the Fetcher has its own.
	Hosts pace.Scheduler

	once   sync.Once
	client fetch.Client // used if Client is nil
	hosts  pace.Hosts   // used if Hosts is nil
	line   *pace.Line   // created once

	robots Robots // created once
}

// Fetch implements [agent.Fetcher].
func (f *Fetcher) Fetch(ctx context.Context, r *agent.Request) (*agent.Page, error) {
	f.once.Do(func() {
		f.line = pace.NewLine(f.scheduler(), false)
		f.robots.UserAgent, f.robots.Hosts = f.UserAgent, f.scheduler()
		f.robots.Ask = func(context.Context) Asker { return &asker{fetcher: f} }
	})
	admit := func(url string) error {
		if r.Gate != nil {
			if err := r.Gate(ctx, url); err != nil {
				return err
			}
		}
		return f.robots.Allowed(ctx, url, nil)
	}
	if err := admit(r.URL); err != nil {
		return nil, err
	}
	hops := []string{r.URL}
	resp, err := fetch.Do(ctx, f.fetcher(), &fetch.Request{
		URL: r.URL, Header: f.header(r.Header), Jar: noCookies{}, Timeout: pageTimeout, Turn: f.turn,
		NoStore: len(r.Header) > 0, // such a page is for its sender alone
		Redirect: func(hop fetch.Hop) error {
			if err := admit(hop.To); err != nil {
				return err
			}
			hops = append(hops, hop.To)
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	page, err := f.read(ctx, r.URL, resp)
	if err != nil {
		return nil, err
	}
	page.Hops = hops
	return page, nil
}

// noCookies is a jar that stays empty. An agent sends no cookies, not even
// after a redirect.
type noCookies struct{}

func (noCookies) SetCookies(*url.URL, []*http.Cookie) {}
func (noCookies) Cookies(*url.URL) []*http.Cookie     { return nil }

// turn waits for a turn at the host of a URL; see [fetch.Request].
func (f *Fetcher) turn(ctx context.Context, url string) (func(*fetch.Response, error), error) {
	ctx, cancel := context.WithTimeoutCause(ctx, turnPatience, fetch.ErrTimeout)
	defer cancel()
	turn, err := crawl.TakeTurn(ctx, f.line, url, pace.Claim{Delay: f.robots.Delay(url), Most: perHost})
	if err != nil {
		return nil, err
	}
	return turn.End, nil
}

// asker requests a robots.txt for a Fetcher.
type asker struct {
	fetcher *Fetcher
	first   *crawl.Turn // for the first request
}

// Take implements [Asker].
func (a *asker) Take(ctx context.Context, url string) (release func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, turnPatience, fetch.ErrTimeout)
	defer cancel()
	a.first, err = crawl.TakeTurn(ctx, a.fetcher.line, url, pace.Claim{Delay: a.fetcher.robots.Delay(url), Most: perHost})
	return func() { a.first.End(nil, nil) }, err
}

// Fetch implements [fetch.Fetcher].
func (a *asker) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	own := *r
	own.Jar = noCookies{}
	own.Turn = func(ctx context.Context, url string) (func(*fetch.Response, error), error) {
		if a.first.At(url) {
			a.first.Begin()
			return a.first.End, nil
		}
		return a.fetcher.turn(ctx, url)
	}
	return fetch.Do(ctx, a.fetcher.fetcher(), &own)
}

// read converts an answer to a page.
func (f *Fetcher) read(ctx context.Context, asked string, resp *fetch.Response) (*agent.Page, error) {
	u, err := weburl.Parse(resp.URL)
	if err != nil {
		return nil, err
	}
	var how parse.Options
	if len(bytes.TrimSpace(resp.Body)) == 0 {
		how.Kind = parse.HTML // an empty page has no content to detect its kind from
	}
	src := parse.Bytes(u.Path()[strings.LastIndexByte(u.Path(), '/')+1:], resp.Body)
	src.URL, src.ContentType = resp.URL, resp.Header.Get("Content-Type")
	tree, err := f.Parser.Parse(ctx, src, &how)
	if err != nil {
		return nil, err
	}
	in := &format.Input{
		Root: tree.Root, Raw: tree.Verbatim, Charset: tree.Charset, Title: tree.Meta.Title,
		SourceURL: asked, URL: resp.URL, ContentType: src.ContentType, StatusCode: resp.Status,
		NotWeb: tree.Kind != parse.HTML, Verbatim: tree.Kind == parse.Text || tree.Kind == parse.Markdown,
	}
	if tree.Kind == parse.JSON || tree.Kind == parse.XML {
		in.Lang = string(tree.Kind)
	}
	// Each row of a table is a line that states all that holds for it, because
	// values are looked up in the lines of their row.
	tables := markdown.Options{Tables: markdown.TablesGFM, Spans: markdown.SpansDown}
	main, err := format.Build(ctx, in, &format.Options{Markdown: tables})
	if err != nil {
		return nil, err
	}
	full, err := format.Build(ctx, in, &format.Options{WholePage: true, Markdown: tables})
	if err != nil {
		return nil, err
	}
	media, _, _ := mime.ParseMediaType(src.ContentType)
	sum := sha256.Sum256(resp.Body)
	page := &agent.Page{
		URL: asked, Final: resp.URL, Status: resp.Status, Title: main.Metadata.Title, Type: media,
		Digest: hex.EncodeToString(sum[:]), Root: tree.Root, Main: *main.Markdown, Full: *full.Markdown,
		Rendered: resp.Rendered || resp.View != nil, // a file that the browser received may be of a session, too
	}
	source := links.Source{URL: u, Header: resp.Header, Agent: f.robots.Token()}
	for _, l := range source.Tree(tree.Root).Links {
		page.Links = append(page.Links, agent.Link{URL: l.URL.String(), Text: l.Text, Rel: l.Rel})
	}
	return page, nil
}

func (f *Fetcher) fetcher() fetch.Fetcher {
	if f.Client == nil {
		return &f.client
	}
	return f.Client
}

func (f *Fetcher) scheduler() pace.Scheduler {
	if f.Hosts == nil {
		return &f.hosts
	}
	return f.Hosts
}

// header returns what is sent with a request.
func (f *Fetcher) header(given map[string]string) http.Header {
	header := http.Header{}
	if f.UserAgent != "" {
		header.Set("User-Agent", f.UserAgent)
	}
	for name, v := range given {
		header.Set(name, v)
	}
	if len(header) == 0 {
		return nil
	}
	return header
}

// disallowed returns the error for a disallowed page.
func disallowed(u weburl.URL, why error) error {
	if why != nil {
		return fmt.Errorf("%s: %w: it cannot be reached: %w", u.LogValue(), ErrDisallowed, why)
	}
	return fmt.Errorf("%s: %w", u.LogValue(), ErrDisallowed)
}
