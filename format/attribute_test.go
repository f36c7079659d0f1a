// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/format"
)

func TestAttributes(t *testing.T) {
	const src = `<nav><a href=/nav data-id=n>n</a></nav><main><a href="x?a=b" data-id=1 style="color:red">a</a><a data-id=2 id=own>b</a>
<p hidden data-id=3>c</p><p data-id="">d</p><img data-src=/lazy.png></main>` + "<p>"
	for _, test := range []struct {
		name, selector, attribute string
		o                         format.Options
		want                      []string
		warning                   string
	}{
		{"own", "a", "data-id", format.Options{}, []string{"1", "2"}, ""},
		{"data fallback", "a", "id", format.Options{}, []string{"1", "own"}, ""},
		{"absolute", "main > a", "HREF", format.Options{}, []string{"https://birds.example/a/x?a=b"}, ""},
		{"lazy", "img", "src", format.Options{}, []string{"https://birds.example/lazy.png"}, ""},
		{"as written", "a", "style", format.Options{}, []string{"color:red"}, ""},
		{"empty is there", "p", "id", format.Options{}, []string{""}, ""},
		{"whole page", "a", "id", format.Options{WholePage: true}, []string{"n", "1", "own"}, ""},
		{"excluded", "a", "id", format.Options{Exclude: selectors(t, "#own")}, []string{"1"}, ""},
		{"included", "a", "id", format.Options{Include: selectors(t, "#own")}, []string{"own"}, ""},
		{"nothing", "h9", "id", format.Options{}, []string{}, ""},
		{"broken", "[", "id", format.Options{}, []string{}, `The selector "[" of attributes cannot be read.`},
	} {
		test.o.Forms = []format.Form{format.Attributes}
		test.o.Attributes = []format.Attribute{{Selector: test.selector, Attribute: test.attribute}}
		d := build(t, src, test.o)
		want := []format.Attribute{{Selector: test.selector, Attribute: test.attribute, Values: test.want}}
		if diff := cmp.Diff(want, d.Attributes); diff != "" || d.Warning != test.warning {
			t.Errorf("%s: %q %s", test.name, d.Warning, diff)
		}
	}
	if d := build(t, src, format.Options{Forms: []format.Form{format.Attributes}}); d.Attributes == nil || len(d.Attributes) > 0 {
		t.Errorf("without selectors: %v", d.Attributes)
	}
}

// TestManyAttributes checks that selectors and values above the limits are left out
// with a warning.
func TestManyAttributes(t *testing.T) {
	const most = 100 // selectors that are read
	o := format.Options{Forms: []format.Form{format.Attributes}}
	for range most + 1 {
		o.Attributes = append(o.Attributes, format.Attribute{Selector: "p", Attribute: "id"})
	}
	d := build(t, "<p id="+strings.Repeat("a", 1<<20)+">x", o)
	size := 0
	for _, a := range d.Attributes {
		for _, v := range a.Values {
			size += len(v)
		}
	}
	if last := d.Attributes[most]; size > 16<<20 || last.Values == nil || len(last.Values) > 0 {
		t.Errorf("%d bytes, the last has %d values", size, len(last.Values))
	}
	const want = "The attributes are cut: they are too long. Only the first 100 selectors of attributes were read."
	if d.Warning != want {
		t.Errorf("got %q", d.Warning)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	stop(cause)
	in := &format.Input{Root: tree(t, "<p>"), URL: pageURL}
	if _, err := format.Build(ctx, in, &o); !errors.Is(err, cause) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestRawBase64(t *testing.T) {
	body := []byte("\x00\xff<p>a")
	in := &format.Input{Root: tree(t, "<title>T</title>"), Body: body}
	d, err := format.Build(t.Context(), in, &format.Options{Forms: []format.Form{format.RawBase64}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := base64.StdEncoding.DecodeString(*d.RawBase64); err != nil || string(got) != string(body) || d.Metadata.Title != "T" {
		t.Errorf("got %q, %v, title %q", got, err, d.Metadata.Title)
	}
	_, err = format.Build(t.Context(), in, &format.Options{Forms: []format.Form{format.RawBase64, format.HTML}})
	if !errors.Is(err, format.ErrAlone) {
		t.Errorf("beside html: %v", err)
	}
}
