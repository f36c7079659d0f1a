// SPDX-License-Identifier: Apache-2.0

package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"example.com/curlew/internal/weburl"
)

// Request is a search of several sources at once. Only Text is required.
type Request struct {
	Text    string
	N       int     // hits of each source, 1 to 200; zero means 10
	Sources []Query // what is searched, each source once; their Text and N are ignored. Empty means the web

	// Include and Exclude are domains in ASCII, which include their subdomains. Hits are only
	// of domains of Include, if there are any, and never of those of Exclude.
	Include, Exclude []string

	// Categories restrict the hits: each belongs to one of them.
	Categories []Category

	// Admit is asked about each hit that would be returned. If it returns false, the hit
	// is left out. An error ends the search. Nil admits all.
	Admit func(ctx context.Context, url string) (bool, error)
}

// Category is a part of the web: pages of some domains, or files of a type.
type Category struct {
	Name  string
	Sites []string // domains
	File  string   // extension without a dot, if there are no Sites
}

// Categories of the contract.
var (
	GitHub   = Category{Name: "github", Sites: []string{"github.com"}}
	Research = Category{Name: "research", Sites: []string{
		"arxiv.org", "ncbi.nlm.nih.gov", "nature.com", "science.org", "ieee.org", "acm.org", "biorxiv.org", "springer.com",
	}}
	PDF = Category{Name: "pdf", File: "pdf"}
)

// Found is a hit of a [Request].
type Found struct {
	Hit
	Position int    // from 1, in its source
	Category string // the first that it belongs to, or empty
}

// Results are the hits of a [Request] by source.
type Results struct {
	Hits  map[Source][]Found // only sources with hits
	Notes []string           // sentences about what was left out
}

// ErrPanic means that a provider has panicked.
var ErrPanic = errors.New("panic of the search provider")

// Count returns the number of hits.
func (r *Results) Count() (n int) {
	for _, hits := range r.Hits {
		n += len(hits)
	}
	return n
}

// part is the outcome of one source.
type part struct {
	source Source
	hits   []Found
	notes  []string
	err    error
	fatal  bool // the error ends the whole search
}

// Check returns the first field that is not valid, such as Sources[1], and the reason. A nil
// Request has no field.
func (r *Request) Check() (field string, err error) {
	switch {
	case r == nil:
		return "", errors.New("the request is nil")
	case strings.TrimSpace(r.Text) == "":
		return "Text", errors.New("it is empty")
	case r.N < 0 || r.N > maxFound:
		return "N", fmt.Errorf("%d is not from 0 to %d", r.N, maxFound)
	}
	var sources []Source
	for i := range r.Sources {
		source := cmp.Or(r.Sources[i].Source, Web)
		if !slices.Contains([]Source{Web, Images, News}, source) {
			return fmt.Sprintf("Sources[%d]", i), fmt.Errorf("there is no source %q", source)
		}
		if slices.Contains(sources, source) {
			return fmt.Sprintf("Sources[%d]", i), fmt.Errorf("the source %s is there twice", source)
		}
		sources = append(sources, source)
	}
	for i, domain := range slices.Concat(r.Include, r.Exclude) {
		if u, err := weburl.Parse("http://" + domain + "/"); err == nil && u.HostKey() != "" && u.HostKey() == strings.ToLower(domain) {
			continue
		}
		field = fmt.Sprintf("Include[%d]", i)
		if i >= len(r.Include) {
			field = fmt.Sprintf("Exclude[%d]", i-len(r.Include))
		}
		return field, fmt.Errorf("%q is not a domain in ASCII, such as example.com", domain)
	}
	return "", nil
}

// Run searches all sources with p. Of each source it asks for twice the hits, because some
// are left out. If every source fails, it returns the error of the first one. If only some
// fail, a note says which. A request that is not valid is not sent.
func (r *Request) Run(ctx context.Context, p Provider) (*Results, error) {
	if field, err := r.Check(); err != nil {
		return nil, fmt.Errorf("search: %s: %w", cmp.Or(field, "request"), err)
	}
	sources := r.Sources
	if len(sources) == 0 {
		sources = []Query{{Source: Web}}
	}
	parts := make([]part, len(sources))
	var wg sync.WaitGroup
	for i := range sources {
		wg.Go(func() { parts[i] = r.source(ctx, p, sources[i]) })
	}
	wg.Wait()
	all := &Results{Hits: map[Source][]Found{}}
	failed := 0
	for i := range parts {
		found := &parts[i]
		if found.fatal || ctx.Err() != nil && found.err != nil {
			return nil, found.err
		}
		if found.err != nil {
			failed++
			found.notes = []string{"The search of " + string(found.source) + " failed."}
		} else if len(found.hits) > 0 {
			all.Hits[found.source] = found.hits
		}
		for _, note := range found.notes {
			if !slices.Contains(all.Notes, note) {
				all.Notes = append(all.Notes, note)
			}
		}
	}
	if failed == len(parts) {
		return nil, parts[0].err
	}
	return all, nil
}

// source searches one source.
func (r *Request) source(ctx context.Context, p Provider, q Query) (found part) {
	if q.Source == "" {
		q.Source = Web
	}
	defer func() {
		if v := recover(); v != nil {
			found = part{source: q.Source, err: fmt.Errorf("%w: %v", ErrPanic, v)}
		}
	}()
	most := r.N
	if most <= 0 {
		most = 10
	}
	q.Text, q.N = r.text(), min(2*most, maxFound)
	found.source = q.Source
	answer, err := p.Find(ctx, &q)
	if err != nil {
		found.err = err
		return found
	}
	found.notes = answer.Notes
	blocked := 0
	for _, h := range answer.Hits {
		if len(found.hits) == most {
			break
		}
		u, err := weburl.Parse(h.URL)
		if err != nil {
			continue
		}
		category, ok := r.belongs(u)
		if !ok {
			continue
		}
		if r.Admit != nil {
			admitted, err := r.Admit(ctx, h.URL)
			if err != nil {
				return part{source: q.Source, err: err, fatal: true}
			}
			if !admitted {
				blocked++
				continue
			}
		}
		found.hits = append(found.hits, Found{Hit: h, Position: len(found.hits) + 1, Category: category})
	}
	if blocked > 0 {
		found.notes = append(found.notes, "Of "+string(q.Source)+", "+counted(blocked, "hit is", "hits are")+" left out, because of the rules for this team.")
	}
	return found
}

// text returns the query with the restrictions as search words. Engines drop parentheses,
// so there are none; the hits are filtered as well.
func (r *Request) text() string {
	var alternatives, words []string
	for _, domain := range r.Include {
		alternatives = append(alternatives, "site:"+domain)
	}
	for i := range r.Categories {
		for _, site := range r.Categories[i].Sites {
			if len(r.Include) == 0 {
				alternatives = append(alternatives, "site:"+site)
			}
		}
		if file := r.Categories[i].File; file != "" {
			alternatives = append(alternatives, "filetype:"+file)
		}
	}
	if len(alternatives) > 0 {
		words = append(words, strings.Join(alternatives, " OR "))
	}
	for _, domain := range r.Exclude {
		words = append(words, "-site:"+domain)
	}
	return strings.Join(append([]string{r.Text}, words...), " ")
}

// belongs reports whether a hit is within the restrictions, and in which category.
func (r *Request) belongs(u weburl.URL) (category string, ok bool) {
	host := u.HostKey()
	if len(r.Include) > 0 && !covers(r.Include, host) || covers(r.Exclude, host) {
		return "", false
	}
	if len(r.Categories) == 0 {
		return "", true
	}
	for i := range r.Categories {
		c := &r.Categories[i]
		if covers(c.Sites, host) || c.File != "" && strings.EqualFold(path.Ext(u.Path()), "."+c.File) {
			return c.Name, true
		}
	}
	return "", false
}

// covers reports whether a host belongs to one of the domains.
func covers(domains []string, host string) bool {
	return slices.ContainsFunc(domains, func(d string) bool {
		d = strings.ToLower(d)
		return host == d || strings.HasSuffix(host, "."+d)
	})
}
