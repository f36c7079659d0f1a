// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"errors"
	"testing"

	"example.com/curlew/format"
)

// TestText checks Text for forms that a document has and for forms that it does not have.
func TestText(t *testing.T) {
	texts := []format.Form{
		format.Markdown, format.HTML, format.RawHTML, format.RawBase64, format.JSONForm, format.Summary, format.Highlights, format.Answer,
	}
	whole := &format.Document{
		Markdown: new("markdown"), HTML: new("html"), RawHTML: new("rawHtml"), RawBase64: new("rawBase64"), JSON: []byte("json"),
		Summary: new("summary"), Highlights: new("highlights"), Answer: new("answer"),
	}
	for _, f := range texts {
		if text, err := whole.Text(f); text != string(f) || err != nil {
			t.Errorf("Text(%s) = %q, %v", f, text, err)
		}
		for _, d := range []*format.Document{nil, {}} {
			_, err := d.Text(f)
			if e, ok := errors.AsType[*format.Error](err); !ok || e.Form != f || !errors.Is(err, format.ErrNotAsked) {
				t.Errorf("Text(%s) of a document without it: %v, want ErrNotAsked", f, err)
			}
		}
	}
	for _, f := range []format.Form{format.Links, format.BrandingForm, "", "nonsense"} {
		if _, err := whole.Text(f); !errors.Is(err, format.ErrForm) {
			t.Errorf("Text(%s): %v, want ErrForm", f, err)
		}
	}
}

func TestBuildNil(t *testing.T) {
	if _, err := format.Build(t.Context(), nil, nil); err == nil {
		t.Error("Build of no input gives a document")
	}
	if _, err := format.Build(t.Context(), new(format.Input), nil); err != nil {
		t.Errorf("Build of an empty page: %v", err)
	}
}
