// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"context"
	"errors"
	"flag"
	"testing"
	"time"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/test/evil"
)

var (
	evilSize = flag.Int("evil", 6_000, "size of hostile pages in bytes")
	evilTime = flag.Duration("time", time.Second, "time that a hostile page may take")
)

// TestHostilePages checks that Build ends with its context in every form, on pages that are
// designed to take long.
func TestHostilePages(t *testing.T) {
	for _, p := range evil.Pages() {
		t.Run(p.Name, func(t *testing.T) { hostile(t, p, keeps) })
	}
}

// hostile calls try with p in every form and option that reads it.
func hostile(t *testing.T, p evil.Page, try func(t *testing.T, in *format.Input, o *format.Options)) {
	forms := []format.Form{
		format.Markdown, format.HTML, format.Links, format.Images, format.Attributes, format.Summary, format.Highlights, format.Answer, format.ProductForm,
		format.MenuForm, format.JSONForm, format.BrandingForm, format.Audio, format.VideoForm, format.RawHTML, format.ChangesForm,
	}
	body := p.Body(*evilSize)
	d, err := dom.Parse(t.Context(), []byte(body), p.Type)
	if err != nil {
		t.Skip(err)
	}
	in := &format.Input{Root: d.Root, Raw: body, Body: []byte(body), URL: "https://a.example/", ContentType: p.Type, StatusCode: 200}
	for _, f := range forms {
		o := &format.Options{Forms: []format.Form{f}, Query: "b c", Question: "What is b?"}
		if f == format.ChangesForm {
			o.Forms = []format.Form{format.Markdown, f}
		}
		if f == format.Attributes {
			for _, s := range p.Selectors {
				o.Attributes = append(o.Attributes, format.Attribute{Selector: s, Attribute: "id"})
			}
		}
		try(t, in, o)
	}
	for _, change := range []func(o *format.Options){
		func(o *format.Options) { o.Redact = &format.Redact{} },
		func(o *format.Options) { o.WholePage = true },
		func(o *format.Options) { o.Clean = true },
	} {
		o := &format.Options{}
		change(o)
		try(t, in, o)
	}
	for _, text := range p.Selectors {
		s, err := format.ParseSelector(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []*format.Options{{Include: []format.Selector{s}}, {Exclude: []format.Selector{s}}} {
			try(t, in, o)
		}
	}
}

// keeps builds a document and fails if it does not end with its context.
func keeps(t *testing.T, in *format.Input, o *format.Options) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), *evilTime)
	defer cancel()
	begin := time.Now()
	_, err := new(format.Engine).Build(ctx, in, o)
	took := time.Since(begin)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v: %v", o.Forms, err)
	}
	if over := took - *evilTime; over > 500*time.Millisecond {
		t.Logf("late by %v: %d bytes, %v, include %v, exclude %v, redact %v", over, len(in.Raw), o.Forms, o.Include, o.Exclude, o.Redact != nil)
		if over > 10*time.Second {
			t.Fail()
		}
	}
}
