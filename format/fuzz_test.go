// SPDX-License-Identifier: Apache-2.0

package format_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/test/golden"
)

// FuzzSelect checks any selector and page: no panic, errors name the selector,
// and excluded elements are removed.
func FuzzSelect(f *testing.F) {
	for _, s := range []string{"p", "a[href^='x']", "p:has(b):not(.x) ~ i", ":nth-child(2n+1)", "li, tr > td", ":contains('a')", "[a='\\", "*:is(p)"} {
		f.Add(s, "<p class=x>a<b>b</b></p><ul><li>c</ul><table><tr><td>d</table>")
	}
	f.Fuzz(func(t *testing.T, selector, src string) {
		sel, err := format.ParseSelector(selector)
		if err != nil {
			if e, ok := errors.AsType[*format.Error](err); !ok || e.Selector != selector || !errors.Is(err, format.ErrSelector) {
				t.Errorf("%q: %v", selector, err)
			}
			return
		}
		d, err := dom.Parse(t.Context(), []byte(src), "")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		in := &format.Input{Root: d.Root, URL: pageURL}
		if _, err := format.Build(ctx, in, &format.Options{Include: []format.Selector{sel}}); err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		if _, err = format.Build(ctx, in, &format.Options{Exclude: []format.Selector{sel}}); err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
	})
}

// FuzzBuild checks any page: the forms are UTF-8, a second run gives the same
// result, and html contains no script.
func FuzzBuild(f *testing.F) {
	files, _ := filepath.Glob(golden.Testdata("format/*.html"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add("<img srcset=',,a 1w,b(,) 2x,' src=data:><svg><a xlink:href=javascript:x><style><img onerror=x>")
	f.Add("<math><mtext><table><mglyph><style><img src=x onerror=y>")
	f.Fuzz(func(t *testing.T, src string) {
		d := build(t, src, format.Options{})
		if again := encode(t, build(t, src, format.Options{})); again != encode(t, d) {
			t.Error("two runs differ")
		}
		for _, s := range append(append([]string{*d.Markdown, *d.HTML}, d.Links...), d.Images...) {
			if !utf8.ValidString(s) {
				t.Errorf("not UTF-8: %q", s)
			}
		}
		root, err := html.Parse(strings.NewReader(*d.HTML))
		if err != nil {
			t.Skip()
		}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if n.Data == "script" {
				t.Errorf("a script in %q", *d.HTML)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") && len(a.Key) > 2 {
					t.Errorf("%s in %q", a.Key, *d.HTML)
				}
			}
		}
	})
}
