// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/markdown"
)

// makers make the forms, in this order. Markdown changes the copy, so the forms
// that read the copy come before it. Forms that read other forms come last.
var makers = []struct {
	form   Form
	copied bool // it reads the copy of the view
	make   func(context.Context, *builder) error
}{
	{RawHTML, false, makeRawHTML},
	{RawBase64, false, makeRawBase64},
	{HTML, true, makeHTML},
	{Links, true, makeLinks},
	{Images, true, makeImages},
	{Attributes, true, makeAttributes},
	{ProductForm, false, makeProduct},
	{MenuForm, true, makeMenu},
	{Audio, false, makeAudio},
	{VideoForm, false, makeVideo},
	{BrandingForm, false, makeBranding},
	{Markdown, true, makeMarkdown},
	{ChunksForm, true, makeChunks},
	{JSONForm, true, makeJSON},
	{Summary, true, makeSummary},
	{Highlights, true, makeHighlights},
	{Answer, true, makeAnswer},
	{ChangesForm, false, makeChanges},
}

// Check returns the error with which [Engine.Build] refuses o for every page: it wraps
// [ErrForm] or [ErrAlone].
func (o *Options) Check() error {
	forms := o.Forms
	for _, f := range forms {
		known := false
		for _, m := range makers {
			known = known || m.form == f
		}
		if !known {
			return &Error{Form: f, Err: ErrForm}
		}
	}
	if len(forms) > 1 && slices.Contains(forms, RawBase64) {
		return &Error{Form: RawBase64, Err: ErrAlone}
	}
	if slices.Contains(forms, ChunksForm) {
		return o.Chunks.check()
	}
	return nil
}

// build makes the forms.
func (b *builder) build(ctx context.Context) error {
	forms := b.forms
	var raw []Form // the forms that are read from Input.Raw
	if b.page.isText() {
		raw = []Form{Markdown, ChunksForm, JSONForm, Summary, Highlights, Answer}
	}
	copied := false
	for _, m := range makers {
		wanted := slices.Contains(forms, m.form)
		copied = copied || wanted && m.copied && !slices.Contains(raw, m.form)
	}
	copied = copied || b.o.Pages && hasPages(b.page.in)
	if copied = copied || b.o.Redact.accurate() && raw == nil; copied { // a model reads the copy
		b.page.copy.root = &html.Node{Type: html.DocumentNode}
		b.guard("view", func() error { return b.project(ctx) })
	}
	b.redact(ctx)
	if slices.Contains(forms, Summary) || slices.Contains(forms, Highlights) || slices.Contains(forms, Answer) {
		b.guard("sentences", func() error { b.page.sentences(); return nil }) // before Markdown changes the copy
	}
	if b.o.Pages && hasPages(b.page.in) {
		b.guard("pages", func() error { return b.pageMarkdown(ctx) })
	}
	for _, m := range makers {
		if err := context.Cause(ctx); err != nil {
			return &Error{Err: err}
		}
		if slices.Contains(forms, m.form) {
			b.guard(m.form, func() error { return m.make(ctx, b) })
		}
	}
	if b.o.Blocks && hasPages(b.page.in) {
		b.guard("blocks", func() error { return b.pageBlocks(ctx) })
	}
	if err := context.Cause(ctx); err != nil {
		return &Error{Err: err}
	}
	return nil
}

// A builder makes one Document. It makes the forms in the order of makers, whatever
// the caller's order is. An error or a panic in one form becomes a warning and does
// not affect the others.
type builder struct {
	page     page
	redactor redactor
	models   models

	o        *Options
	forms    []Form // that are asked for
	deps     *Engine
	doc      *Document
	read     *string // Markdown that models read; nil until text is called
	places   placing // of the Markdown, for chunks
	warnings warnings
}

// warnings say what a Document lacks and why, the oldest first.
type warnings []string

func (w *warnings) add(text string) { *w = append(*w, text) }

// guard runs work. An error or a panic, which the content of a page can cause,
// becomes a warning.
func (b *builder) guard(f Form, work func() error) {
	done := false
	defer func() {
		if r := recover(); r != nil || !done {
			b.warnings.add("The " + string(f) + " could not be made.")
		}
	}()
	done = work() == nil
}

// makeHTML makes the html form.
func makeHTML(ctx context.Context, b *builder) error {
	b.doc.HTML = new("")
	if b.page.in.Unparsed {
		b.doc.HTML = new(b.unparsed(HTML))
		return nil
	}
	if b.page.in.NotWeb {
		defer b.page.copy.plain()()
	}
	var s strings.Builder
	if err := doctree.Render(&contextWriter{ctx: ctx, to: &s}, b.page.copy.root); err != nil {
		return fmt.Errorf("render: %w", err)
	}
	if b.redactor.failed {
		return errRedact
	}
	b.doc.HTML = new(finished(s.String(), true))
	return nil
}

// A contextWriter writes to a string until its context ends.
type contextWriter struct {
	ctx context.Context //nolint:containedctx // it lives as long as a call
	to  *strings.Builder
}

func (w *contextWriter) Write(b []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.to.Write(b) //nolint:wrapcheck // never fails
}

// makeMarkdown makes the markdown form.
func makeMarkdown(_ context.Context, b *builder) error {
	b.doc.Markdown = new("")
	s, err := b.written()
	if err != nil {
		return err
	}
	b.doc.Markdown = &s
	if b.page.in.NotWeb {
		return nil
	}
	if s == "" && len(b.warnings) == 0 {
		b.warnings.add(emptiness(b.o))
	}
	const few = 300 // bytes, as of a text that says where the page is now
	if len(s) < few {
		if next := b.page.successor(); next != "" {
			if b.o.Redact != nil {
				next = "another URL" // it may name a person
			}
			b.warnings.add("The page sends its readers on to " + next + ", which was not read.")
		}
	}
	return nil
}

// emptiness returns the warning for empty Markdown that no other warning explains.
func emptiness(o *Options) string {
	if len(o.Include)+len(o.Exclude) > 0 {
		return "Nothing is left of the page with the tags that are included and excluded."
	}
	return "The page has no content: neither text nor images."
}

// written returns the Markdown of the view, redacted.
func (b *builder) written() (string, error) {
	switch {
	case b.page.in.Unparsed:
		return b.unparsed(Markdown), nil
	case b.page.in.Verbatim:
		return b.redactor.masked(b.page.in.Raw)
	case b.page.in.Lang != "":
		s, err := b.redactor.masked(b.page.in.Raw)
		return fenced(b.page.in.Lang, s), err
	}
	if b.page.data != nil {
		var s strings.Builder
		if err := markdown.Render(b.page.ctx, &s, b.page.data, &b.o.Markdown); err != nil {
			return "", err
		}
		return b.redactor.masked(s.String())
	}
	o := b.o.Markdown
	o.Base, o.Page = "", b.page.base.page() // the copy's references are resolved
	if b.o.KeepDataImages {
		o.DataImages = markdown.DataKeep
	} else {
		b.page.copy.restoreDataImages()
	}
	if b.o.PageMarkers && hasPages(b.page.in) {
		defer b.mark()()
	}
	if slices.Contains(b.forms, ChunksForm) {
		o.OnNode = b.places.noting(o.OnNode)
	}
	if !b.page.in.NotWeb {
		tidy(b.page.copy.root, o.InlineHTML)
	}
	var s strings.Builder
	if err := markdown.Render(b.page.ctx, &s, b.page.copy.root, &o); err != nil {
		return "", err
	}
	b.places.settle(s.String())
	return b.redactor.finish(unmark(s.String()))
}

// text returns the text that a model reads: the redacted Markdown of the page.
func (b *builder) text() (string, error) {
	if b.read == nil {
		b.read = b.doc.Markdown
	}
	if b.read == nil {
		s, err := b.written()
		if err != nil {
			return "", err
		}
		b.read = &s
	}
	return *b.read, nil
}

// makeRawHTML makes the rawHtml form.
func makeRawHTML(_ context.Context, b *builder) error {
	b.doc.RawHTML = new("")
	raw := b.page.in.Raw
	if raw == "" && b.page.in.Root != nil && b.page.in.NotWeb {
		// Binary documents have no source text, so render the parsed tree.
		var s strings.Builder
		if err := doctree.Render(&s, b.page.in.Root); err != nil {
			return fmt.Errorf("render: %w", err)
		}
		raw = s.String()
	}
	s, err := b.redactor.maskedRaw(raw)
	b.doc.RawHTML = &s
	return err
}

// makeRawBase64 makes the rawBase64 form.
func makeRawBase64(_ context.Context, b *builder) error {
	b.doc.RawBase64 = new("")
	if b.redactor.on {
		b.warnings.add("The rawBase64 is empty: personal data cannot be looked for in it.")
		return nil
	}
	b.doc.RawBase64 = new(base64.StdEncoding.EncodeToString(b.page.in.Body))
	return nil
}

// maxIndented limits the size of indented JSON, in bytes.
const maxIndented = 32 << 20

// fenced returns code as one fenced code block. Valid JSON is indented, unless
// that would make it more than four times as long or longer than maxIndented.
func fenced(lang, code string) string {
	if lang == "json" && indented(code) <= min(4*len(code)+1024, maxIndented) {
		var b bytes.Buffer
		if err := json.Indent(&b, []byte(strings.TrimSpace(code)), "", "  "); err == nil {
			code = b.String()
		}
	}
	longest, n := 0, 0
	for i := range len(code) {
		if code[i] != '`' {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	fence := strings.Repeat("`", max(3, longest+1))
	return fence + lang + "\n" + strings.TrimSuffix(code, "\n") + "\n" + fence + "\n"
}

// indented estimates the size of the JSON text s when it is indented by two
// spaces for each level.
func indented(s string) int {
	size, depth, quoted := len(s), 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
			size += 1 + 2*depth
		case c == '}', c == ']':
			depth--
			size += 1 + 2*max(depth, 0)
		case c == ',':
			size += 1 + 2*max(depth, 0)
		}
	}
	return size
}
