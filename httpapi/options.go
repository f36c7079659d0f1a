// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch/render"
	"example.com/curlew/format"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
	"example.com/curlew/webhook"
)

// forms maps the names of formats in the contract to forms of package format.
var forms = map[string]format.Form{
	"markdown":       format.Markdown,
	"html":           format.HTML,
	"rawHtml":        format.RawHTML,
	"rawBase64":      format.RawBase64,
	"changeTracking": format.ChangesForm,
	"json":           format.JSONForm,
	"branding":       format.BrandingForm,
	"links":          format.Links,
	"images":         format.Images,
	"attributes":     format.Attributes,
	"chunks":         format.ChunksForm,
	"summary":        format.Summary,
	"highlights":     format.Highlights,
	"question":       format.Answer,

	"deterministicJson": format.JSONForm,
	"query":             format.Answer,
	"product":           format.ProductForm,
	"menu":              format.MenuForm,
	"audio":             format.Audio,
	"video":             format.VideoForm,
}

// checker collects the faults of a decoded request that package wire cannot detect,
// because they depend on other packages or on the configuration of the Service.
type checker struct {
	faults []wire.Fault
	local  bool // the Service allows host names without a dot
	cache  bool // the Service has a cache
	model  bool // the Service has a model
	ocr    bool // the Service has an OCR engine

	browser bool             // the Service has a browser
	able    render.Abilities // of the browser
	hooks   *webhook.Config
}

// newChecker returns a checker that contains the faults of err, the error of the decoder,
// which may be nil. Other errors are returned.
func (h *Handler) newChecker(err error) (*checker, error) {
	s := h.service
	c := &checker{local: s.LocalNames, ocr: s.Parser.OCR != nil, hooks: &s.Webhooks}
	c.model = s.Format.Writer != nil || s.Agent != nil && s.Agent.Model != nil
	if s.Renderer != nil {
		c.able = render.AbilitiesOf(s.Renderer)
		c.browser = c.able.Guarded // else the Service does not use it
	}
	if !c.browser {
		c.able = render.Abilities{}
	}
	cached, ok := s.Fetcher.(interface{ Caching() bool })
	c.cache = ok && cached.Caching()
	if err == nil {
		return c, nil
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		c.faults = e.Faults
		return c, nil
	}
	return nil, err
}

// err returns the faults as an error, or nil if there are none.
func (c *checker) err() error {
	if len(c.faults) == 0 {
		return nil
	}
	return &wire.Error{Faults: c.faults[:min(len(c.faults), wire.MaxFaults)]}
}

// custom adds a fault with a message of its own.
func (c *checker) custom(message string, path ...any) {
	c.faults = append(c.faults, wire.Fault{Code: wire.Custom, Path: path, Message: message})
}

// url parses a URL, and reports a fault if it is not valid.
func (c *checker) url(raw string, path ...any) weburl.URL {
	if raw == "" {
		return weburl.URL{} // package wire has reported the fault
	}
	u, err := weburl.Input(raw, c.local)
	if err != nil {
		c.custom(err.Error(), path...)
	}
	return u
}

// selectors compiles CSS selectors, and reports those that are not valid.
func (c *checker) selectors(list []string, path ...any) []format.Selector {
	var compiled []format.Selector
	for i, text := range list {
		s, err := format.ParseSelector(text)
		if err != nil {
			text := err.Error()
			if e, ok := errors.AsType[*format.Error](err); ok {
				text = fmt.Sprintf("%.100q: %v", e.Selector, e.Err)
			}
			c.custom(text, append(slices.Clip(path), i)...)
			continue
		}
		compiled = append(compiled, s)
	}
	return compiled
}

// page resolves the options of a page. at is their path in the request body.
func (c *checker) page(w *wire.Scrape, at ...any) curlew.ScrapeOptions {
	if w == nil {
		w = new(wire.Scrape)
	}
	path := func(name string) []any { return append(slices.Clip(at), name) }
	o := curlew.ScrapeOptions{
		ParseOptions: curlew.ParseOptions{Format: format.Options{
			Forms:          c.forms(w.Formats, path("formats")),
			WholePage:      w.OnlyMainContent != nil && !*w.OnlyMainContent,
			Include:        c.selectors(w.IncludeTags, path("includeTags")...),
			Exclude:        c.selectors(w.ExcludeTags, path("excludeTags")...),
			KeepDataImages: w.RemoveBase64Images != nil && !*w.RemoveBase64Images,
			KeepAds:        !value(w.BlockAds, true),
			Clean:          value(w.OnlyCleanContent, false),
			Redact:         redaction(w.RedactPII),
		}},
		Timeout:     time.Duration(value(w.Timeout, wire.ScrapeTimeout)) * time.Millisecond,
		InsecureTLS: value(w.SkipTLSVerification, len(w.Headers) == 0) && len(w.Headers) == 0,
		MaxAge:      milliseconds(w.MaxAge),
		MinAge:      milliseconds(w.MinAge),
		Lockdown:    value(w.Lockdown, false),
		NoStore:     !value(w.StoreInCache, true),
		Notes:       c.idle(w),
		Browser:     c.view(w),
	}
	formOptions(&o.Format, w.Formats)
	for i := range w.Formats {
		o.FormNames = append(o.FormNames, w.Formats[i].Type)
	}
	for name, v := range w.Headers {
		if o.Header == nil {
			o.Header = http.Header{}
		}
		o.Header.Set(name, v)
	}
	c.parsers(&o, w.Parsers, path("parsers"))
	return o
}

// parsers resolves how PDF files are read. They are read if there is no list, or if the
// list has an entry for them.
func (c *checker) parsers(o *curlew.ScrapeOptions, list []wire.Parser, path []any) {
	o.RawPDF = list != nil
	o.Read.PDF.Extras = true // because comments of Office files are read too
	for i, p := range list {
		if p.Type != "pdf" {
			continue // images are refused later, by their kind
		}
		o.RawPDF = false
		o.Read.PDF.MaxPages = value(p.MaxPages, 0)
		o.Read.Password = value(p.Password, "")
		switch value(p.Mode, "auto") {
		case "fast":
			o.Read.PDF.Mode = parse.Fast
		case "ocr":
			o.Read.PDF.Mode = parse.ForceOCR
			if !c.ocr {
				c.custom("The parser pdf does not support mode ocr on this server: it has no engine for it", append(slices.Clip(path), i)...)
			}
		}
		o.Format.Pages = value(p.Pages, value(p.PageMarkdown, false))
		o.Format.Blocks = value(p.Blocks, false)
		o.Format.PageMarkers = value(p.PageMarkers, false)
	}
}

// forms returns the forms for the requested formats, and reports formats that the Service
// cannot make.
func (c *checker) forms(list []wire.Format, path []any) []format.Form {
	asked := []format.Form{}
	for i, f := range list {
		form, ok := forms[f.Type]
		switch {
		case f.Type == "changeTracking" && !c.model && (value(f.Prompt, "") != "" || f.Schema != nil):
			c.custom("The format changeTracking with a prompt or a schema is not supported by this server: it has no model", append(slices.Clip(path), i)...)
		case f.Type == "json" && !c.model && value(f.Prompt, "") != "":
			c.custom("The format json with a prompt is not supported by this server: it has no model", append(slices.Clip(path), i)...)
		case needsModel(f.Type) && !c.model:
			c.custom("The format "+f.Type+" is not supported by this server: it has no model", append(slices.Clip(path), i)...)
		case f.Type == "screenshot" && c.able.Screenshot && (c.able.FullPage || !value(f.FullPage, false)):
			// The browser makes it, not package format.
		case ok:
			if f.Schema != nil {
				c.schema(f.Schema, append(slices.Clip(path), i, "schema"))
			}
			if again := func(g wire.Format) bool { return g.Type == f.Type }; !slices.ContainsFunc(list[:i], again) {
				asked = append(asked, form) // twice for question and query, because they are two formats
			}
		case f.Type != "":
			c.custom("The format "+f.Type+" is not supported by this server: it has no engine for it", append(slices.Clip(path), i)...)
		}
	}
	if list == nil {
		return nil
	}
	return asked
}

// needsModel reports whether only a model can make a format. Formats such as highlights are
// also made without a model, with a warning.
func needsModel(name string) bool {
	switch name {
	case "question", "query", "deterministicJson":
		return true
	}
	return false
}

// schema reports a JSON Schema that cannot be used.
func (c *checker) schema(doc json.RawMessage, path []any) {
	if err := format.CheckSchema(doc); err != nil {
		c.custom(errors.Unwrap(err).Error(), path...)
	}
}

// redaction resolves redactPII. It returns nil if redaction is off.
func redaction(w *wire.Redact) *format.Redact {
	if w == nil || !w.On {
		return nil
	}
	r := &format.Redact{Mode: format.RedactMode(value(w.Mode, "")), Style: format.ReplaceStyle(value(w.Style, ""))}
	for _, e := range w.Entities {
		r.Entities = append(r.Entities, format.Entity(e))
	}
	return r
}

// formOptions copies the options of the requested formats to o.
func formOptions(o *format.Options, list []wire.Format) {
	for i := range list {
		for _, a := range list[i].Selectors {
			o.Attributes = append(o.Attributes, format.Attribute{Selector: a.Selector, Attribute: a.Attribute})
		}
		switch f := &list[i]; f.Type {
		case "changeTracking":
			o.Changes = format.Changes{
				GitDiff: slices.Contains(f.Modes, "git-diff"),
				JSON:    slices.Contains(f.Modes, "json"),
				Tag:     value(f.Tag, ""),
				Schema:  f.Schema,
				Prompt:  value(f.Prompt, ""),
			}
		case "json", "deterministicJson":
			o.JSON = format.Extraction{Schema: f.Schema, Prompt: value(f.Prompt, ""), Deterministic: f.Type == "deterministicJson"}
		case "chunks":
			o.Chunks = format.Chunking{Size: value(f.Size, 0), Overlap: value(f.Overlap, 0)}
		case "highlights":
			o.Query = value(f.Query, "")
		case "question":
			o.Question, o.Quotes = value(f.Question, ""), false
		case "query":
			if o.Question == "" {
				o.Question, o.Quotes = value(f.Prompt, ""), value(f.Mode, "") == "directQuote"
			}
		}
	}
}

// idle returns a sentence for each requested option that has no effect.
func (c *checker) idle(w *wire.Scrape) []string {
	var idle []string
	country, languages := false, false
	if w.Location != nil {
		country = !slices.Contains(c.able.Countries, value(w.Location.Country, ""))
		languages = len(w.Location.Languages) > 0 && !c.able.Languages
		country = country && w.Location.Country != nil || !c.browser
	}
	for _, o := range []struct {
		name string
		sent bool
		why  string
	}{
		{"waitFor", value(w.WaitFor, 0) > 0 && !c.browser, "pages are not rendered"},
		{"mobile", value(w.Mobile, false) && !c.browser, "pages are not rendered"},
		{"mobile", value(w.Mobile, false) && c.browser && !c.able.Mobile, "the browser of this server cannot show pages as a phone does"},
		{"scroll", w.Scroll != nil && !c.browser, "pages are not rendered"},
		{"scroll", w.Scroll != nil && c.browser && !c.able.Scroll, "the browser of this server cannot scroll to the end"},
		{"location", country && !c.browser, "there is no choice of places"},
		{"location.country", country && c.browser, "requests are sent from the place of this server"},
		{"location.languages", languages && c.browser, "the browser of this server has no choice of languages"},
		{"waitFor", value(w.WaitFor, 0) > 0 && c.browser && bytesOnly(w), "rawBase64 is the page as the server sends it"},
		{"scroll", w.Scroll != nil && c.able.Scroll && bytesOnly(w), "rawBase64 is the page as the server sends it"},
		{"actions", len(w.Actions) > 0 && c.browser && bytesOnly(w), "rawBase64 is the page as the server sends it"},
		{"proxy", value(w.Proxy, "") == "stealth" || value(w.Proxy, "") == "enhanced", "there is no proxy pool"},
		{"maxAge", !c.cache && value(w.MaxAge, 0) > 0, "there is no cache"},
		{"storeInCache", !c.cache && value(w.StoreInCache, false), "there is no cache"},
		{"profile", w.Profile != nil && !c.browser, "pages are not rendered"},
		{"profile", w.Profile != nil && c.browser, "the browser of this server has no profiles"},
	} {
		if o.sent {
			idle = append(idle, "The option "+o.name+" has no effect: "+o.why+".")
		}
	}
	return idle
}

// milliseconds returns a number of milliseconds as a duration, or zero if p is nil.
func milliseconds(p *int) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(min(int64(value(p, 0)), most)) * time.Millisecond
}

// value returns *p, or absent if p is nil.
func value[T any](p *T, absent T) T {
	if p == nil {
		return absent
	}
	return *p
}

// override reads a threatProtection object and reports its faults. [threat.Resolve] decides
// whether the team may send one.
func (c *checker) override(w *wire.Threat, at ...any) *threat.Override {
	if w == nil {
		return nil
	}
	o := &threat.Override{Blacklist: w.Blacklist, Whitelist: w.Whitelist, BlockedTLDs: w.TLDs, Threshold: w.Threshold}
	if w.Mode != nil {
		mode, _ := threat.ParseMode(*w.Mode) // package wire has checked the value
		o.Mode = &mode
	}
	if w.Failure != nil {
		failure, _ := threat.ParseFailurePolicy(*w.Failure) // package wire has checked the value
		o.Failure = &failure
	}
	if _, err := o.Normalize(); err != nil {
		if f, ok := errors.AsType[*threat.FieldError](err); ok {
			c.custom(f.Path+" "+f.Msg, append(slices.Clip(at), fieldPath(f.Path)...)...)
		}
	}
	return o
}

// fieldPath splits a path such as blacklist[3] into the name and the index.
func fieldPath(path string) []any {
	name, index, ok := strings.Cut(strings.TrimSuffix(path, "]"), "[")
	if n, err := strconv.Atoi(index); ok && err == nil {
		return []any{name, n}
	}
	return []any{path}
}

// cached reports options of a job that need a cache if there is none. A request for a
// single page gets another error for them.
func (c *checker) cached(o *curlew.ScrapeOptions, at ...any) {
	if c.cache {
		return
	}
	if o.Lockdown {
		c.custom("lockdown needs a cache, and this server has none", append(slices.Clip(at), "lockdown")...)
	}
	if o.MinAge > 0 {
		c.custom("minAge needs a cache, and this server has none", append(slices.Clip(at), "minAge")...)
	}
}

// webhook reads the webhook of a job and reports its faults. It returns nil if there is
// none.
func (c *checker) webhook(w *wire.Webhook, kind string) *webhook.Hook {
	if w == nil {
		return nil
	}
	h := &webhook.Hook{Headers: w.Headers, Metadata: w.Metadata, Batch: value(w.Batch, 0), Unordered: !value(w.Ordered, true)}
	if h.Metadata == nil {
		h.Metadata = map[string]string{}
	}
	if u := c.url(w.URL, "webhook", "url"); !u.IsZero() {
		h.URL = u.String()
		if err := c.hooks.CheckURL(h.URL); err != nil {
			c.custom(err.Error(), "webhook", "url")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.Headers)) {
		if webhook.ReservedHeader(name) {
			c.custom("Header "+name+" cannot be set", "webhook", "headers", name)
		}
	}
	known := curlew.Events(kind)
	for i, name := range w.Events {
		short := strings.TrimPrefix(name, kind+".")
		if !slices.Contains(known, short) {
			c.faults = append(c.faults, wire.Fault{
				Code: wire.InvalidValue, Path: []any{"webhook", "events", i}, Values: known,
				Message: "Invalid option: expected one of " + strings.Join(known, ", "),
			})
			continue
		}
		if !slices.Contains(h.Events, short) {
			h.Events = append(h.Events, short)
		}
	}
	return h
}

// join joins the texts that are not empty with spaces.
func join(texts ...string) string {
	return strings.Join(sorting.Without(texts, func(t string) bool { return t == "" }), " ")
}

// verifyTLS removes skipTlsVerification if the Service will ignore it for this team. It
// returns a warning if the client asked for it.
func verifyTLS(p *account.Policy, w *wire.Scrape) []string {
	if !p.NoSkipTLS {
		return nil
	}
	asked := value(w.SkipTLSVerification, false)
	w.SkipTLSVerification = new(false)
	if asked {
		return []string{"The option skipTlsVerification has no effect: it is not enabled for this team."}
	}
	return nil
}
