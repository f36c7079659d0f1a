// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/client"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
)

// scrapePages is the command scrape: it writes pages to the standard output, or to files.
func scrapePages(e *env, f *flag.FlagSet) action {
	var forms []format.Form
	f.Func("form", "`form` of the page: markdown, html, rawHtml, links, images; may be repeated; needs --json if it is not markdown", func(s string) error {
		if s != string(format.Markdown) && !slices.Contains(storedForms, s) {
			return fmt.Errorf("it must be markdown or one of %s", strings.Join(storedForms, ", "))
		}
		forms = append(forms, format.Form(s))
		return nil
	})
	whole := f.Bool("whole", false, "keep navigation and other boilerplate")
	timeout := f.Duration("timeout", time.Minute, "give a page up after this `time`")
	dir := f.String("o", "", "write Markdown files to this `folder` instead of the standard output")
	e.remoteFlags(f)
	return func(urls []string) error {
		switch {
		case len(urls) == 0:
			return usage("scrape needs a URL, such as: curlew scrape https://example.com/")
		case !e.asJSON && forms != nil && !slices.Equal(forms, []format.Form{format.Markdown}):
			return usage("forms other than markdown need --json")
		case *dir != "" && (e.asJSON || forms != nil):
			return usage("-o writes Markdown files: it excludes --json and --form")
		case *timeout <= 0:
			return usage("--timeout is more than zero")
		}
		get, end, err := e.scraper(forms, *whole, *timeout)
		if err != nil {
			return err
		}
		defer end()
		write := func(raw []byte, p *page) error { return e.show(raw, p, len(urls) > 1) }
		if *dir != "" {
			folder, err := openFolder(*dir)
			if err != nil {
				return err
			}
			defer folder.Close()
			write = func(raw []byte, p *page) error { _, err := folder.write(raw, p); return err }
		}
		failed := 0
		for _, u := range urls {
			if err := e.scrapeOne(get, u, write); err != nil {
				if e.ctx.Err() != nil {
					return err
				}
				failed++
				e.report(u, err)
			}
		}
		if failed > 0 {
			return &fault{exitInput, fmt.Errorf("%d of %d pages failed", failed, len(urls))}
		}
		return nil
	}
}

// scraper returns a function that returns the document of a page as JSON, from this process
// or from a server. The caller must call end at the end.
func (e *env) scraper(forms []format.Form, whole bool, timeout time.Duration) (get func(url string) ([]byte, error), end func(), err error) {
	server, err := e.remote()
	if err != nil {
		return nil, nil, err
	}
	if server != nil {
		o := client.Scrape{OnlyMainContent: new(!whole), Timeout: new(int(timeout.Milliseconds()))}
		for _, form := range forms {
			o.Formats = append(o.Formats, client.Format{Type: string(form)})
		}
		return func(url string) ([]byte, error) {
			d, err := server.Scrape(e.ctx, &client.Page{URL: url, Scrape: o})
			if err != nil {
				return nil, err
			}
			return d.Raw, nil
		}, func() {}, nil
	}
	fetcher, err := e.fetcher()
	if err != nil {
		return nil, nil, err
	}
	service := &curlew.Service{Fetcher: fetcher, UserAgent: e.agent, LocalNames: e.private, Logger: e.logger()}
	o := &curlew.ScrapeOptions{ParseOptions: curlew.ParseOptions{Format: format.Options{Forms: forms, WholePage: whole}}, Timeout: timeout}
	return func(url string) ([]byte, error) {
		d, err := service.Scrape(e.ctx, url, o)
		if err != nil {
			return nil, err
		}
		return json.Marshal(d)
	}, fetcher.CloseIdleConnections, nil
}

// scrapeOne fetches a page and writes it. A page with an error status is not written.
func (e *env) scrapeOne(get func(string) ([]byte, error), u string, write func([]byte, *page) error) error {
	begun := time.Now()
	raw, err := get(fetch.AddScheme(u))
	if err != nil {
		return err
	}
	e.detail("%s: read in %v", clean(u), time.Since(begun).Round(time.Millisecond))
	p := new(page)
	if err := json.Unmarshal(raw, p); err != nil {
		return err
	}
	if err := p.fault(); err != nil && (p.Metadata.StatusCode >= 400 || !e.asJSON) {
		return err
	}
	if p.Warning != "" {
		e.warn(u, p.Warning)
	}
	return write(raw, p)
}

// show writes a document to the standard output: as a line of JSON, or as Markdown, with
// front matter if there are several.
func (e *env) show(raw []byte, p *page, several bool) error {
	if e.asJSON {
		_, err := e.out.Write(append(raw, '\n'))
		return err
	}
	if several {
		if _, err := fmt.Fprintf(e.out, "<!-- %s -->\n\n", commented(p.address())); err != nil {
			return err
		}
	}
	_, err := io.WriteString(e.out, strings.TrimRight(*p.Markdown, "\n")+"\n")
	if err == nil && several {
		_, err = io.WriteString(e.out, "\n")
	}
	return err
}

// mapSite is the command map: it writes a URL on each line.
func mapSite(e *env, f *flag.FlagSet) action {
	o := new(curlew.MapOptions)
	f.StringVar(&o.Search, "search", "", "`words`: the URLs that contain the most of them come first")
	f.IntVar(&o.Limit, "limit", 5000, "maximum `number` of URLs")
	f.DurationVar(&o.Timeout, "timeout", time.Minute, "give up after this `time`")
	f.BoolVar(&o.KeepQuery, "queries", false, "list URLs that differ only in their query")
	f.BoolVar(&o.NoSubdomain, "no-subdomains", false, "leave out subdomains")
	e.remoteFlags(f)
	return func(rest []string) error {
		switch {
		case len(rest) == 0:
			return usage("map needs a URL, such as: curlew map https://example.com/")
		case len(rest) > 1:
			return usageOf(rest[1:])
		case o.Limit < 1:
			return usage("--limit is at least 1")
		}
		found, err := e.mapped(fetch.AddScheme(rest[0]), o)
		if err != nil {
			return err
		}
		if found.Warning != "" {
			e.warn("", inWords(found.Warning))
		}
		if e.asJSON {
			return json.NewEncoder(e.out).Encode(map[string]any{"urls": append([]string{}, found.URLs...), "warning": found.Warning})
		}
		if len(found.URLs) == 0 {
			return errors.New("no URL was found")
		}
		_, err = io.WriteString(e.out, strings.Join(found.URLs, "\n")+"\n")
		return err
	}
}

// mapped lists the URLs of a site, in this process or on a server.
func (e *env) mapped(url string, o *curlew.MapOptions) (*curlew.Mapping, error) {
	server, err := e.remote()
	if err != nil {
		return nil, err
	}
	if server == nil {
		fetcher, err := e.fetcher()
		if err != nil {
			return nil, err
		}
		defer fetcher.CloseIdleConnections()
		service := &curlew.Service{Fetcher: fetcher, UserAgent: e.agent, LocalNames: e.private, Logger: e.logger()}
		return service.Map(e.ctx, url, o)
	}
	r := &client.Map{
		URL: url, Limit: &o.Limit, Timeout: new(int(o.Timeout.Milliseconds())),
		IgnoreQueryParameters: new(!o.KeepQuery), IncludeSubdomains: new(!o.NoSubdomain),
	}
	if o.Search != "" {
		r.Search = &o.Search
	}
	found, err := server.Map(e.ctx, r)
	if err != nil {
		return nil, err
	}
	m := &curlew.Mapping{Warning: found.Warning}
	for _, link := range found.Links {
		m.URLs = append(m.URLs, link.URL)
	}
	return m, nil
}
