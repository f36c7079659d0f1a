// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"example.com/curlew/format/internal/pii"
	"example.com/curlew/internal/dom"
)

// Redact selects the personal data to take out of a Document, and what replaces
// it. It covers every text of the Document. A member that cannot be searched (rawBase64),
// or in which the search fails, is empty, and a warning names it.
type Redact struct {
	Mode     RedactMode
	Entities []Entity // nil means all
	Style    ReplaceStyle
}

// RedactMode is how thorough the search is; empty means RedactAccurate.
type RedactMode string

// The modes of the HTTP contract.
const (
	RedactAccurate   RedactMode = "accurate"   // like fast, and a Writer finds the names of persons and places
	RedactFast       RedactMode = "fast"       // only what patterns and checksums identify
	RedactAggressive RedactMode = "aggressive" // like fast, and also what only might be personal
)

// ReplaceStyle is what replaces personal data; empty means ReplaceTag.
type ReplaceStyle string

// The styles of the HTTP contract.
const (
	ReplaceTag    ReplaceStyle = "tag"    // <EMAIL>
	ReplaceMask   ReplaceStyle = "mask"   // one * a character
	ReplaceRemove ReplaceStyle = "remove" // nothing
)

// Entity is a kind of personal data.
type Entity string

// The entities of the HTTP contract.
const (
	EntityPerson    Entity = "PERSON"
	EntityEmail     Entity = "EMAIL"
	EntityPhone     Entity = "PHONE"
	EntityLocation  Entity = "LOCATION"
	EntityFinancial Entity = "FINANCIAL"
	EntitySecret    Entity = "SECRET"
)

// Marks replace personal data until a form is written. They are Unicode
// noncharacters, which no form escapes and which are removed from pages. There
// is one mark for each entity, and maskMark stands for one masked character.
const (
	firstMark = '\uFDD0'
	maskMark  = firstMark + pii.Entities
	lastMark  = '\uFDEF' // the last of these Unicode noncharacters
)

var errRedact = errors.New("search for personal data failed")

// A redactor removes personal data from texts before they reach a Document or a
// model. If it is off, it returns every text unchanged. After a search has
// failed, it returns no text.
type redactor struct {
	on     bool
	failed bool // no text may be returned any more
	again  bool // the copy already contains marks
	finder pii.Finder
	steps  *dom.Steps
	style  ReplaceStyle
	find   func(f *pii.Finder, s string, url bool) []pii.Span
}

func find(f *pii.Finder, s string, url bool) []pii.Span {
	if url {
		return f.FindURL(s)
	}
	return f.Find(s)
}

// newRedactor returns the redactor for o. If search is nil, it uses the search
// of the finder.
func newRedactor(ctx context.Context, pg *page, o *Redact, search func(f *pii.Finder, s string, url bool) []pii.Span) redactor {
	r := redactor{on: true, steps: &pg.steps, style: cmp.Or(o.Style, ReplaceTag), find: search}
	if search == nil {
		r.find = find
	}
	for _, name := range o.Entities {
		if e, ok := pii.EntityOf(string(name)); ok {
			r.finder.Entities |= pii.Of(e)
		}
	}
	r.finder.Stop = func() bool { return ctx.Err() != nil }
	r.finder.Loose = o.Mode == RedactAggressive
	r.finder.Region = region(pg.meta.Language, pg.base.url.Host())
	r.finder.Names = people(pg)
	return r
}

// prepare creates the redactor. It must run before any text of the page is
// returned.
func (b *builder) prepare(ctx context.Context) {
	if b.o.Redact == nil {
		return
	}
	b.redactor = redactor{on: true, failed: true}
	b.guard("redaction", func() error { b.redactor = newRedactor(ctx, &b.page, b.o.Redact, b.deps.find); return nil })
}

// accurate reports whether a model is also asked for persons and places.
func (o *Redact) accurate() bool {
	return o != nil && (o.Mode == "" || o.Mode == RedactAccurate) &&
		(len(o.Entities) == 0 || slices.Contains(o.Entities, EntityPerson) || slices.Contains(o.Entities, EntityLocation))
}

// redact removes personal data from the copy and the metadata before any form
// is made. If that fails, nothing of the page is shown.
func (b *builder) redact(ctx context.Context) {
	if !b.redactor.on {
		return
	}
	done := false
	defer func() {
		if r := recover(); r != nil || !done {
			b.redactor.failed = true
			b.page.copy, b.page.view = projection{root: &html.Node{Type: html.DocumentNode}}, nil
			b.warnings.add("Personal data could not be looked for: nothing of the page is shown.")
			b.maskMetadata()
		}
	}()
	if b.redactor.failed {
		return
	}
	b.redactor.projection(&b.page.copy)
	b.redactor.again = true
	if b.o.Redact.accurate() && !b.namedByModel(ctx) {
		return
	}
	b.maskMetadata()
	done = true
}

// spansTask asks a model for names, which rules cannot find.
const spansTask = "List the names of all persons and all postal addresses and places of residence in the text, exactly as they are written there. " +
	"Leave out organisations, products and what is tagged like <EMAIL>."

var spansShape = json.RawMessage(`{"type":"object","properties":{"persons":{"type":"array","items":{"type":"string"}},` +
	`"locations":{"type":"array","items":{"type":"string"}}},"required":["persons","locations"],"additionalProperties":false}`)

// namedByModel asks a model for the persons and places in the redacted text.
// Without a model it adds a warning. It returns false if the model fails, or has not
// read the whole text.
func (b *builder) namedByModel(ctx context.Context) bool {
	w, why := b.models.writer()
	if w == nil {
		b.warnings.add(why + ": persons and places were looked for by rules only, without a model.")
		return true
	}
	text := strings.Join(b.page.blocks(), "\n")
	var err error
	if b.page.isText() {
		text, err = b.redactor.masked(text)
	} else {
		text, err = b.redactor.finish(text)
	}
	if err != nil {
		return false
	}
	reply, left, err := write(ctx, w, spansTask, text, spansShape)
	var named struct{ Persons, Locations []string }
	switch {
	case left.unread:
		return false
	case errors.Is(err, errNothing):
		return true
	case err != nil || json.Unmarshal(reply, &named) != nil:
		return false
	}
	f := &b.redactor.finder
	keep := func(list []string, e pii.Entity) (kept []string) {
		for _, s := range list {
			if s = strings.TrimSpace(s); len(s) >= 2 && strings.Contains(text, s) && f.Entities.Has(e) {
				kept = append(kept, s)
			}
		}
		return kept
	}
	f.Names = append(f.Names, keep(named.Persons, pii.Person)...)
	f.Places = append(f.Places, keep(named.Locations, pii.Location)...)
	b.redactor.projection(&b.page.copy)
	return true
}

// mark appends the mark for personal data with this number of characters.
func (r *redactor) mark(dst []byte, e pii.Entity, characters int) []byte {
	switch r.style {
	case ReplaceRemove:
	case ReplaceMask:
		for range characters {
			dst = utf8.AppendRune(dst, maskMark)
		}
	default:
		dst = utf8.AppendRune(dst, firstMark+rune(e))
	}
	return dst
}

// marked returns s with marks in place of personal data. In a URL it searches
// by the rules of [pii.Finder.FindURL].
func (r *redactor) marked(s string, url bool) string {
	if r.failed || r.finder.Stop() {
		r.failed = true // the context was cancelled
		return ""
	}
	found := r.find(&r.finder, s, url)
	if len(found) == 0 {
		return s
	}
	var out []byte
	at := 0
	for _, sp := range found {
		out = append(out, s[at:sp.Start]...)
		out = r.mark(out, sp.Entity, utf8.RuneCountInString(s[sp.Start:sp.End]))
		at = sp.End
	}
	return string(append(out, s[at:]...))
}

// isMark reports whether r is a character used for marks.
func isMark(r rune) bool { return firstMark <= r && r <= lastMark }

// unmarked returns s, a text of a page, without characters that could be
// mistaken for marks.
func unmarked(s string) string {
	if !strings.Contains(s, "\xef\xb7") { // the first two bytes of every mark
		return s
	}
	return strings.Map(func(r rune) rune {
		if isMark(r) {
			return -1
		}
		return r
	}, s)
}

// finished replaces the marks in s by their final text, which is escaped if
// inHTML is set.
func finished(s string, inHTML bool) string {
	if !strings.Contains(s, "\xef\xb7") {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !isMark(r):
			b.WriteRune(r)
		case r == maskMark:
			b.WriteByte('*')
		case r > maskMark:
		case inHTML:
			b.WriteString("&lt;" + pii.Entity(r-firstMark).String() + "&gt;") //nolint:gosec // one of six
		default:
			b.WriteString("<" + pii.Entity(r-firstMark).String() + ">") //nolint:gosec // one of six
		}
	}
	return b.String()
}

// finish replaces the marks in a text that was made from the copy.
func (r *redactor) finish(s string) (string, error) {
	switch {
	case !r.on:
		return s, nil
	case r.failed:
		return "", errRedact
	}
	return finished(s, false), nil
}

// masked returns a text of the page or of a model without personal data. It
// returns a panic of the search as an error.
func (r *redactor) masked(s string) (string, error) {
	scheme, rest, ok := strings.Cut(s, ":")
	url := ok && rest != "" && !strings.ContainsAny(s, " \t\n<>") && (strings.HasPrefix(rest, "//") || scheme == "mailto" || scheme == "tel" || scheme == "sms")
	return r.maskedAs(s, url)
}

func (r *redactor) maskedAs(s string, url bool) (out string, err error) {
	if !r.on {
		return s, nil
	}
	if r.failed {
		return "", errRedact
	}
	defer func() {
		if v := recover(); v != nil {
			out, err = "", errRedact
		}
	}()
	return finished(r.marked(unmarked(s), url), false), nil
}

// maskedAll calls masked for each text in list.
func (r *redactor) maskedAll(list []string) ([]string, error) {
	if !r.on {
		return list, nil
	}
	out := make([]string, 0, len(list))
	for _, s := range list {
		s, err := r.masked(s)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// maskedJSON returns a JSON text without personal data in its names and strings.
// A number that is personal data becomes null.
func (r *redactor) maskedJSON(raw json.RawMessage) (json.RawMessage, error) {
	if !r.on {
		return raw, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("json: %w", err)
	}
	value, err := r.maskedAny(value)
	if err != nil {
		return nil, err
	}
	return encode(value)
}

func (r *redactor) maskedAny(value any) (any, error) {
	switch v := value.(type) {
	case string:
		return r.masked(v)
	case json.Number:
		if len(v) < 9 {
			return v, nil
		}
		if s, err := r.masked(v.String()); err != nil || s != v.String() {
			return nil, err
		}
	case []any:
		for i := range v {
			item, err := r.maskedAny(v[i])
			if err != nil {
				return nil, err
			}
			v[i] = item
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			member, err := r.maskedAny(v[name])
			if err != nil {
				return nil, err
			}
			shown, err := r.masked(name)
			if err != nil {
				return nil, err
			}
			delete(v, name)
			v[shown] = member
		}
	}
	return value, nil
}

// encode returns value as JSON without escapes for HTML.
func encode(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, fmt.Errorf("json: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// maskedValue removes personal data from every string in the JSON form of *p.
// If the search fails, it returns an error and *p is the zero value.
func maskedValue[T any](r *redactor, p *T) error {
	if !r.on {
		return nil
	}
	raw, err := encode(p)
	*p = *new(T)
	if err == nil {
		raw, err = r.maskedJSON(raw)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, p); err != nil {
		*p = *new(T)
		return fmt.Errorf("json: %w", err)
	}
	return nil
}

// maskMetadata removes personal data from the metadata. If that fails, it keeps
// only the numbers.
func (b *builder) maskMetadata() {
	m := &b.doc.Metadata
	if err := maskedValue(&b.redactor, m); err != nil {
		in := b.page.in
		*m = Metadata{StatusCode: in.StatusCode, ContentType: in.ContentType, NumPages: in.Pages, TotalPages: in.TotalPages}
		b.warnings.add("The metadata is empty: personal data could not be looked for.")
	}
}

// people returns the names of persons that the page's markup gives.
func people(pg *page) []string {
	var all []string
	add := func(s string) {
		s = strings.TrimPrefix(strings.TrimPrefix(clean(s), "By "), "by ")
		for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == ';' || r == '&' || r == '|' }) {
			if part = strings.TrimSpace(part); pii.IsName(part) && !slices.Contains(all, part) && len(all) < 200 {
				all = append(all, part)
			}
		}
	}
	add(pg.in.Author)
	for _, key := range []string{"author", "article:author", "dc.creator", "DC.creator", "twitter:creator", "byl", "parsely-author", "sailthru.author"} {
		add(pg.meta.Extra[key])
	}
	g := pg.structured()
	for _, n := range append(slices.Clone(g.Linked()), g.Micro()...) {
		if n.Is("Person") {
			add(n.Text("name"))
			if given, family := n.Text("givenName"), n.Text("familyName"); given != "" {
				add(given + " " + family)
			}
		}
		for _, name := range n.Texts("author", "creator") {
			add(name)
		}
	}
	if pg.in.Root == nil {
		return all
	}
	for n := pg.in.Root; n != nil && len(all) < 200; n = dom.Next(n, pg.in.Root) {
		if n.Type != html.ElementNode || n.FirstChild == nil {
			continue
		}
		if hasWord(dom.Attr(n, "rel"), "author") || dom.Attr(n, "itemprop") == "author" || hasWord(dom.Attr(n, "class"), "byline") || hasWord(dom.Attr(n, "class"), "author") {
			add(textOf(n))
		}
	}
	return all
}

// region returns the country whose phone and identity numbers a page probably
// contains. It takes the country from the language tag or from the host, or
// takes the main country of the language. It is empty if no country is likely.
func region(lang, host string) string {
	lang = strings.ReplaceAll(lang, "_", "-")
	primary, rest, _ := strings.Cut(lang, "-")
	for part := range strings.SplitSeq(rest, "-") {
		if len(part) == 2 {
			return strings.ToUpper(part)
		}
	}
	switch last := host[strings.LastIndexByte(host, '.')+1:]; {
	case last == "uk":
		return "GB"
	case len(last) == 2 && last != "io" && last != "co" && last != "ai" && last != "tv" && last != "me" && last != "eu":
		return strings.ToUpper(last)
	}
	switch primary = strings.ToLower(primary); primary {
	case "de", "fr", "it", "es", "nl", "pl", "pt", "ro", "hu", "fi", "bg", "tr", "ru", "no":
		return strings.ToUpper(primary)
	case "sv":
		return "SE"
	case "da":
		return "DK"
	case "nb", "nn":
		return "NO"
	case "cs":
		return "CZ"
	case "el":
		return "GR"
	case "uk":
		return "UA"
	case "ja":
		return "JP"
	case "ko":
		return "KR"
	case "zh":
		return "CN"
	}
	return ""
}
