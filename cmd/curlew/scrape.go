// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/client"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
)

// scraping are the options of the command scrape.
type scraping struct {
	forms   []format.Form
	extract *format.Extraction // for the form json; nil without it
	whole   bool
	timeout time.Duration
	maxAge  time.Duration // -1 means what the server does by default
}

// scrapePages is the command scrape: it writes pages to the standard output, or to files.
func scrapePages(e *env, f *flag.FlagSet) action {
	o := new(scraping)
	form := func(s string) error {
		if s != string(format.Markdown) && !slices.Contains(storedForms, s) {
			return fmt.Errorf("it must be markdown or one of %s", strings.Join(storedForms, ", "))
		}
		o.forms = append(o.forms, format.Form(s))
		return nil
	}
	f.Func("form", "`form` of the page: markdown, html, rawHtml, links, images, chunks; may be repeated; needs --json if it is not markdown", form)
	f.Func("formats", "the same as --form", form)
	schema := f.String("schema", "", "write data of the page as JSON that fits the JSON Schema in this `file`, instead of Markdown; a model reads them if one is configured, otherwise only structured data of the page are used")
	prompt := f.String("prompt", "", "write the data that this `text` asks for as JSON, instead of Markdown; needs a model")
	f.BoolVar(&o.whole, "whole", false, "keep navigation and other boilerplate")
	f.DurationVar(&o.timeout, "timeout", time.Minute, "give a page up after this `time`")
	f.DurationVar(&o.maxAge, "max-age", -1, "with --remote, take a page from the cache of the server if it is not older than this `time`; 0s fetches it")
	dir := f.String("o", "", "write Markdown files to this `folder` instead of the standard output")
	e.networkFlags(f)
	e.remoteFlags(f)
	return func(urls []string) error {
		extracts := *schema != "" || *prompt != ""
		switch {
		case len(urls) == 0:
			return usage("scrape needs a URL, such as: curlew scrape https://example.com/")
		case !e.asJSON && o.forms != nil && (extracts || !slices.Equal(o.forms, []format.Form{format.Markdown})):
			return usage("forms other than markdown need --json")
		case *dir != "" && (e.asJSON || o.forms != nil || extracts):
			return usage("-o writes Markdown files: it excludes --json, --form, --schema and --prompt")
		case o.timeout <= 0:
			return usage("--timeout is more than zero")
		case e.given["max-age"] && (e.server == "" || o.maxAge < 0):
			return usage("--max-age is at least 0s, and needs --remote: without a server there is no cache")
		}
		if extracts {
			if err := o.setExtract(*schema, *prompt); err != nil {
				return err
			}
		}
		return e.scrapeAll(o, urls, *dir)
	}
}

// setExtract adds the form of extracted data, with the JSON Schema in a file unless its name is
// empty.
func (o *scraping) setExtract(schema, prompt string) (err error) {
	o.extract = &format.Extraction{Prompt: prompt}
	o.forms = append(o.forms, format.JSONForm)
	if schema == "" {
		return nil
	}
	if o.extract.Schema, err = os.ReadFile(schema); err != nil { //nolint:gosec // the user names the file
		return usage("--schema: %w", err)
	}
	if !json.Valid(o.extract.Schema) {
		return usage("--schema: %s is not JSON", schema)
	}
	return nil
}

// scrapeAll writes pages to the standard output, or to a folder unless its name is empty.
func (e *env) scrapeAll(o *scraping, urls []string, dir string) error {
	get, end, err := e.scraper(o)
	if err != nil {
		return err
	}
	defer end()
	write := func(raw []byte, p *page) error { return e.show(raw, p, len(urls) > 1) }
	if dir != "" {
		folder, err := openFolder(dir)
		if err != nil {
			return err
		}
		defer folder.Close()
		write = func(raw []byte, p *page) error { _, err := folder.write(raw, p); return err }
	}
	failed := 0
	for _, u := range urls {
		stop := e.waiting(u, o.timeout)
		scrape := func(u string) ([]byte, error) { defer stop(); return get(u) }
		if err := e.scrapeOne(scrape, u, write); err != nil {
			if e.ctx.Err() != nil || e.out.err != nil {
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

// scraper returns a function that returns the document of a page as JSON, from this process
// or from a server. The caller must call end at the end.
func (e *env) scraper(o *scraping) (get func(url string) ([]byte, error), end func(), err error) {
	server, err := e.remote()
	if err != nil {
		return nil, nil, err
	}
	if server != nil {
		r := o.wire()
		return func(url string) ([]byte, error) {
			d, err := server.Scrape(e.ctx, &client.Page{URL: url, Scrape: *r})
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
	end = fetcher.CloseIdleConnections
	options := &curlew.ScrapeOptions{ParseOptions: curlew.ParseOptions{Format: format.Options{Forms: o.forms, WholePage: o.whole}}, Timeout: o.timeout}
	if o.extract != nil {
		options.Format.JSON = *o.extract
		model, closeModel, err := configuredModel()
		if err != nil {
			return nil, nil, err
		}
		if model == nil && o.extract.Prompt != "" {
			return nil, nil, missing("--prompt needs a model: set CURLEW_MODEL_URL (such as https://api.openai.com/v1), CURLEW_MODEL and CURLEW_MODEL_KEY")
		}
		service.Format.Writer = model
		end = func() { closeModel(); fetcher.CloseIdleConnections() }
	}
	return func(url string) ([]byte, error) {
		d, err := service.Scrape(e.ctx, url, options)
		if err != nil {
			return nil, err
		}
		return json.Marshal(d)
	}, end, nil
}

// wire returns the request for a server.
func (o *scraping) wire() *client.Scrape {
	r := &client.Scrape{OnlyMainContent: new(!o.whole), Timeout: new(int(o.timeout.Milliseconds()))}
	for _, form := range o.forms {
		f := client.Format{Type: string(form)}
		if form == format.JSONForm {
			f.Schema = o.extract.Schema
			if o.extract.Prompt != "" {
				f.Prompt = &o.extract.Prompt
			}
		}
		r.Formats = append(r.Formats, f)
	}
	if o.maxAge >= 0 {
		r.MaxAge = new(int(o.maxAge.Milliseconds()))
	}
	return r
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
	if err := p.fault(); err != nil && (p.Metadata.StatusCode >= 400 || !e.asJSON && p.Data == nil) {
		return err
	}
	if p.Warning != "" {
		e.warn(u, p.Warning)
	}
	if string(p.Data) == "null" && !e.asJSON {
		return errors.New("the page has no data that were asked for")
	}
	return write(raw, p)
}

// show writes a document to the standard output: as a line of JSON, or as Markdown, after its
// URL if there are several. If data were extracted, these are written instead.
func (e *env) show(raw []byte, p *page, several bool) error {
	if e.asJSON {
		_, err := e.out.Write(append(raw, '\n'))
		return err
	}
	if p.Data != nil {
		if several {
			return json.NewEncoder(e.out).Encode(map[string]any{"url": p.address(), "json": p.Data})
		}
		_, err := fmt.Fprintf(e.out, "%s\n", p.Data)
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
	e.networkFlags(f)
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
		stop := e.waiting(rest[0], o.Timeout)
		found, err := e.mapped(fetch.AddScheme(rest[0]), o)
		stop()
		if err != nil {
			return err
		}
		if found.Warning != "" {
			e.warn("", inWords(found.Warning))
		}
		if e.asJSON {
			err := json.NewEncoder(e.out).Encode(map[string]any{"urls": append([]string{}, found.URLs...), "warning": found.Warning})
			return cmp.Or(err, found.fault())
		}
		if len(found.URLs) > 0 {
			if _, err = io.WriteString(e.out, strings.Join(found.URLs, "\n")+"\n"); err != nil {
				return err
			}
		}
		return found.fault()
	}
}

// mapping is what a map has found, in this process or on a server.
type mapping struct{ *curlew.Mapping }

// fault returns an error if the map has nothing but the URL that it was asked for, although
// the site may have more pages.
func (m mapping) fault() error {
	switch {
	case len(m.URLs) == 0:
		return errors.New("no URL was found")
	case len(m.URLs) == 1 && m.Unread != "":
		return errors.New("no other URL was found, because the start page could not be read")
	}
	return nil
}

// mapped lists the URLs of a site, in this process or on a server.
func (e *env) mapped(url string, o *curlew.MapOptions) (mapping, error) {
	server, err := e.remote()
	if err != nil {
		return mapping{}, err
	}
	if server == nil {
		fetcher, err := e.fetcher()
		if err != nil {
			return mapping{}, err
		}
		defer fetcher.CloseIdleConnections()
		service := &curlew.Service{Fetcher: fetcher, UserAgent: e.agent, LocalNames: e.private, Logger: e.logger()}
		m, err := service.Map(e.ctx, url, o)
		return mapping{m}, err
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
		return mapping{}, err
	}
	m := &curlew.Mapping{Warning: found.Warning, Unread: found.StartPageError}
	for _, link := range found.Links {
		m.URLs = append(m.URLs, link.URL)
	}
	return mapping{m}, nil
}
