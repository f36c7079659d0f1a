// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/paging"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
	"example.com/curlew/internal/dom"
)

// envelope contains the reservations for a page that is being fetched and read.
type envelope struct{ scan, page, extract *budget.Hold }

// Names of errors in recorded answers about pages.
const (
	faultScope  = "scope"
	faultBroke  = "broke"
	faultFailed = "failed"
)

// envelope reserves the most that fetching a page costs, and what reading it probably
// costs. If the reservation does not fit, it is tried again with the costs of pages
// that were read in the meantime.
func (b *library) envelope(ctx context.Context, url string, extract func() Credits) (envelope, error) {
	var scan Credits
	if b.gate.admit != nil {
		scan = b.payer.rates.Scan
	}
	if _, ok := b.payer.memo.pages[url]; ok { // it costs nothing
		return envelope{}, nil
	}
	read := extract()
	err := b.budget.Reserve(ctx, scan+b.payer.rates.Page+read, false)
	for errors.Is(err, budget.ErrBroke) && read > 0 && !b.stopping() {
		less := extract()
		// Nothing else is in progress, and the bound is that of a long page. This page may
		// be short, or its structured data may answer the question.
		if less >= read {
			less = b.payer.gauge.Typical(llm.RoleExtract)
		}
		if less >= read {
			less, _ = b.payer.gauge.Extremes(llm.RoleExtract)
		}
		if less >= read {
			break
		}
		read = less
		err = b.budget.Reserve(ctx, scan+b.payer.rates.Page+read, false)
	}
	if err != nil {
		return envelope{}, err
	}
	b.budget.Split(3)
	return envelope{&budget.Hold{Amount: scan}, &budget.Hold{Amount: b.payer.rates.Page}, &budget.Hold{Amount: read}}, nil
}

// bring fetches the page of the canonical url as source n and digests it. If the page
// cannot be read, it has Trouble. The error is errBroke or the reason why the run ends.
func (b *library) bring(ctx context.Context, url string, n int, env envelope) (*grounding.Page, error) {
	if rec, ok := b.payer.memo.pages[url]; ok {
		b.budget.Drop(env.scan)
		b.budget.Drop(env.page)
		for _, hop := range append([]string{url}, rec.Hops...) { // their verdicts are known as well
			if err := b.gate.allow(ctx, hop, nil); err != nil && ctx.Err() != nil {
				return nil, err
			}
		}
		own := *rec
		own.ID = merge.SourceID(n)
		return grounding.NewPage(&own, n, b.payer.memo.at[url]), nil
	}
	if err := b.gate.allow(ctx, url, env.scan); err != nil {
		b.budget.Drop(env.page)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if errors.Is(err, budget.ErrBroke) {
			return nil, err
		}
		return b.troubled(ctx, url, n, refusalKind(err), "")
	}
	rec, err := b.fetch(ctx, url, n, env.page, false)
	if err != nil {
		return nil, err
	}
	if rec.Trouble == finding.IssueScripts {
		if b.budget.Try(b.payer.rates.Page, false) { // do not wait, because others may be waiting for the reservations of this page
			again, err := b.fetch(ctx, url, n, &budget.Hold{Amount: b.payer.rates.Page}, true)
			if err != nil {
				return nil, err
			}
			rec = again
		}
	}
	if err := b.emit(ctx, journal.Event{Kind: journal.EventPage, Key: url, Page: rec}); err != nil {
		return nil, err
	}
	if rec.Trouble != "" {
		b.note(ctx, finding.Issue{Kind: rec.Trouble, Detail: rec.Why, URL: url})
	}
	return grounding.NewPage(rec, n, time.Now().UTC()), nil
}

// troubled records a page that is not requested.
func (b *library) troubled(ctx context.Context, url string, n int, kind finding.IssueKind, detail string) (*grounding.Page, error) {
	rec := &journal.PageRecord{ID: merge.SourceID(n), URL: url, Trouble: kind, Why: detail}
	if err := b.emit(ctx, journal.Event{Kind: journal.EventPage, Key: url, Page: rec}); err != nil {
		return nil, err
	}
	b.note(ctx, finding.Issue{Kind: kind, Detail: detail, URL: url})
	return grounding.NewPage(rec, n, time.Now().UTC()), nil
}

// fetch requests a page and digests it. It uses up h.
func (b *library) fetch(ctx context.Context, url string, n int, h *budget.Hold, render bool) (*journal.PageRecord, error) {
	var rec *journal.PageRecord
	id := value.CallID("page", url, strconv.FormatBool(render))
	broken := error(nil)
	price := b.payer.rates.Page
	for again := "again"; ; again += " again" { // each process that was killed there has paid for the page, and lost it before it was recorded
		if !b.payer.known(id) {
			break
		}
		if b.payer.memo.answers[id].Fault == "" {
			price = 0
		}
		id = value.CallID("page", url, strconv.FormatBool(render), again)
	}
	_, err := b.payer.pay(ctx, id, h, func(ctx context.Context) (journal.AnswerRecord, Credits, error) {
		var target string
		asked := &Request{URL: url, Render: render, Header: b.gate.headers(url), Gate: func(ctx context.Context, u string) error {
			err := b.gate.allow(ctx, u, nil)
			if errors.Is(err, ErrScope) {
				target = u
			}
			return err
		}}
		p, err := guarded(b.control, "Fetch", func() (*Page, error) { return b.fetcher.Fetch(ctx, asked) })
		if ctx.Err() != nil && err != nil {
			return journal.AnswerRecord{}, 0, context.Cause(ctx)
		}
		switch {
		case err == nil && p == nil, err != nil && target == "" && !errors.Is(err, budget.ErrBroke):
			rec = &journal.PageRecord{Trouble: finding.IssueUnreadable, Why: "the page could not be brought"}
		case errors.Is(err, budget.ErrBroke):
			rec = &journal.PageRecord{Trouble: finding.IssueUnreadable, Why: "a redirect could not be paid for"}
		case err != nil:
			rec = &journal.PageRecord{Trouble: finding.IssueRedirect, Why: value.Clip("redirects to "+target, 500)}
		default:
			if odd := b.gate.strangers(append(slices.Clone(p.Hops), cmp.Or(p.Final, url))); len(odd) > 0 {
				broken = &Error{Task: b.task, Part: "page", Err: fmt.Errorf("%w: the Fetcher asked %s for a page that its Gate did not admit", ErrScope, value.Host(odd[0]))}
			}
			rec, err = guarded(b.control, "page", func() (*journal.PageRecord, error) { return digest(ctx, p, url) })
			if ctx.Err() != nil && err != nil {
				return journal.AnswerRecord{}, 0, context.Cause(ctx)
			}
			if err != nil {
				rec = &journal.PageRecord{Trouble: finding.IssueUnreadable, Why: "the page could not be read"}
			}
		}
		rec.ID, rec.URL = merge.SourceID(n), url
		if rec.Trouble != "" {
			return journal.AnswerRecord{Fault: faultFailed, Detail: string(rec.Trouble)}, 0, nil
		}
		return journal.AnswerRecord{}, price, nil
	})
	if broken != nil {
		b.fail(broken)
		return nil, broken
	}
	return rec, err
}

func refusalKind(err error) finding.IssueKind {
	if errors.Is(err, errRefused) {
		return finding.IssueRefused
	}
	return finding.IssueScope
}

// digest returns the record of a page. The error is the cause of ctx.
func digest(ctx context.Context, p *Page, url string) (rec *journal.PageRecord, err error) {
	final := cmp.Or(p.Final, url)
	rec = &journal.PageRecord{Final: final, Hops: p.Hops, Rendered: p.Rendered, Title: value.Clip(strings.Join(strings.Fields(p.Title), " "), 300)}
	l := lines.NewLinker(final)
	full := l.Lines(p.Full)
	text := p.Full
	if p.Main != "" && p.Main != p.Full {
		rec.Main = l.Lines(p.Main)
		rec.Full = full
		if len(rec.Main) == 0 {
			rec.Main, rec.Full = full, nil
		}
	} else {
		rec.Main = full
	}
	sum := sha256.Sum256([]byte(text))
	rec.Digest = hex.EncodeToString(sum[:])
	for _, link := range p.Links {
		l.Number(link.URL, link.Text)
	}
	rec.Links = l.Links
	rec.Next = paging.Next(final, linksOf(p), l)
	if p.Root != nil {
		rec.Lang = language(p.Root)
		if rec.Facts, err = lines.Facts(ctx, p.Root); err != nil {
			return nil, err
		}
		rec.Texts, rec.Shape = lines.Survey(p.Root, l)
		lines.Dated(rec.Main, rec.Texts)
		lines.Dated(rec.Full, rec.Texts)
		for _, t := range lines.Stated(rec.Facts, full) {
			line := t.Label + ": " + t.Value
			rec.Main, rec.Texts = append(rec.Main, line), append(rec.Texts, t)
			if rec.Full != nil {
				rec.Full = append(rec.Full, line)
			}
		}
		rec.Shape = template(value.Shape(value.Canonical(final))) + " " + rec.Shape
		rec.Slugs = lines.Slugs(p.Root, l)
	}
	rec.Trouble, rec.Why = trouble(p, rec)
	if rec.Trouble != "" {
		rec.Facts, rec.Texts = nil, nil
	}
	return rec, nil
}

// linksOf returns the links of a page.
func linksOf(p *Page) []paging.Link {
	all := make([]paging.Link, len(p.Links))
	for i, link := range p.Links {
		all[i] = paging.Link(link)
	}
	return all
}

// template returns the shape of a page without its last segment, which names the
// subject of the page. Templates are told apart by the positions of their elements.
func template(shape string) string {
	path, query, _ := strings.Cut(shape, "?")
	path = strings.TrimSuffix(path, "/")
	if i := strings.LastIndexByte(path, '/'); i >= 0 && i+1 < len(path) {
		path = path[:i+1] + "{s}"
	}
	return path + "?" + query
}

// Marks of pages that are not the requested content.
var (
	wallMarks = []string{
		"verify you are human", "are you a robot", "checking your browser", "enable javascript and cookies to continue", "unusual traffic",
		"access denied", "captcha", "just a moment", "attention required", "request blocked", "pardon our interruption",
	}
	lostMarks = []string{
		"404", "not found", "page does not exist", "page doesn't exist", "nicht gefunden", "introuvable", "no encontrada", "non trovata", "não encontrada",
		"niet gevonden", "не найдена", "見つかりません", "找不到",
	}
)

const (
	shortPage = 3000 // an error page or the page of a wall has fewer characters
	emptyPage = 200  // if the main text has fewer characters, the page may need its scripts
)

// trouble returns the reason why a page is not read, or "". It does not ask a model.
func trouble(p *Page, rec *journal.PageRecord) (kind finding.IssueKind, why string) {
	size := 0
	for _, line := range rec.Main {
		size += len(line)
	}
	text := value.Normal(value.Clip(strings.Join(rec.Main, " "), shortPage))
	title := value.Normal(rec.Title)
	marked := func(marks []string, s string) bool {
		return slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(s, m) })
	}
	switch {
	case p.Status == 404 || p.Status == 410:
		return finding.IssueNotFound, "the site has no such page"
	case p.Status == 401 || p.Status == 403 || p.Status == 429 || p.Status == 503:
		return finding.IssueBlocked, "the site refuses to show the page"
	case p.Status >= 400:
		return finding.IssueUnreadable, "the site answered with an error"
	case size < shortPage && (marked(wallMarks, title) || size < shortPage/3 && marked(wallMarks, text)):
		return finding.IssueBlocked, "the site checks for robots"
	case size < shortPage && marked(lostMarks, title) && !strings.ContainsAny(title, "0123456789") || size < shortPage && (strings.HasPrefix(title, "404") || strings.Contains(title, "page not found")):
		return finding.IssueNotFound, "the site says that there is no such page"
	case size < emptyPage && !p.Rendered && p.Root != nil && needsScripts(p.Root):
		return finding.IssueScripts, "the page is made by scripts"
	case size == 0 && len(rec.Links) == 0:
		return finding.IssueUnreadable, "the page is empty"
	}
	return "", ""
}

// roots are the ids of elements that frameworks fill.
var roots = []string{"root", "app", "__next", "__nuxt", "react-root", "main-app", "svelte", "q-app"}

// needsScripts reports whether a page has scripts, and an empty element that they
// probably fill.
func needsScripts(root *html.Node) bool {
	scripts, empty := false, false
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Script:
			scripts = true
		case atom.Div, atom.Main, atom.Section:
			if slices.Contains(roots, dom.Attr(n, "id")) && strings.TrimSpace(dom.Text(n)) == "" {
				empty = true
			}
		}
		if strings.HasPrefix(n.Data, "app-") && n.FirstChild == nil {
			empty = true
		}
	}
	return scripts && empty
}

// language returns the language that a page declares, in lower case.
func language(root *html.Node) string {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == atom.Html {
			return strings.ToLower(value.Clip(strings.TrimSpace(dom.Attr(n, "lang")), 20))
		}
		if n.Type == html.ElementNode && n.DataAtom == atom.Body {
			break
		}
	}
	return ""
}
