// SPDX-License-Identifier: Apache-2.0

package markdown_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldhtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/scoretest"
	"example.com/curlew/markdown"
)

// A specExample is one example of a Markdown specification.
type specExample struct {
	Example  int
	Section  string
	Markdown string
	HTML     string
}

// examples returns the examples that Markdown can express without raw HTML.
func examples(t *testing.T, name string) []specExample {
	t.Helper()
	data, err := os.ReadFile(golden.Root("../shared/corpora/markdown", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no ../shared/corpora/markdown/%s: the round trip is NOT measured", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []specExample
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(e specExample) bool {
		return slices.Contains([]string{"HTML blocks", "Raw HTML", "Disallowed Raw HTML (extension)"}, e.Section)
	})
}

// render returns the Markdown of the HTML text src.
func render(t testing.TB, src string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := markdown.Render(t.Context(), &b, root, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// trip returns the numbers of the examples that do not survive a round trip.
func trip(t *testing.T, list []specExample, gm goldmark.Markdown) (failed []int) {
	t.Helper()
	for _, e := range list {
		md := render(t, e.HTML)
		var back bytes.Buffer
		if err := gm.Convert([]byte(md), &back); err != nil {
			t.Fatal(err)
		}
		if got, want := scoretest.Shown(back.String(), false), scoretest.Shown(e.HTML, false); got != want {
			failed = append(failed, e.Example)
			t.Logf("%d %s\nhtml     %q\nmarkdown %q\ngot  %s\nwant %s", e.Example, e.Section, e.HTML, md, got, want)
		}
	}
	return failed
}

func TestRoundTripCommonMark(t *testing.T) {
	list := examples(t, "commonmark.json")
	failed := trip(t, list, goldmark.New(goldmark.WithRendererOptions(goldhtml.WithXHTML(), goldhtml.WithUnsafe())))
	t.Logf("%d of %d come back; not %v", len(list)-len(failed), len(list), failed)
	if good := len(list) - len(failed); good < 571 {
		t.Errorf("%d of %d examples come back, want at least 571", good, len(list))
	}
}

func TestRoundTripGFM(t *testing.T) {
	list := examples(t, "gfm-extensions.json")
	failed := trip(t, list, goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldhtml.WithUnsafe())))
	t.Logf("%d of %d come back; not %v", len(list)-len(failed), len(list), failed)
	if good := len(list) - len(failed); good < len(list)-1 {
		t.Errorf("%d of %d examples come back, want all but one", good, len(list))
	}
}
