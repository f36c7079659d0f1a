// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/render"
)

// TestFrames shows a page with frames of another site: one with text and a frame of the first
// site in it, one with hardly any text, and one that the gate refuses.
func TestFrames(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	mux := http.NewServeMux()
	var at, other string
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			fmt.Fprintf(w, `<!DOCTYPE html><p>outside</p><iframe src="%[1]s/text"></iframe><iframe src="%[1]s/short"></iframe><iframe src="%[1]s/bad"></iframe><p>end</p>`, other)
		case "/text":
			fmt.Fprintf(w, `<!DOCTYPE html><title>no</title><p id=p>inside</p>%s<iframe src="%s/inner"></iframe><script>p.textContent += " and made by a script"</script>`, filler, at)
		case "/inner":
			fmt.Fprint(w, `<!DOCTYPE html><p>innermost</p>`, filler)
		default:
			fmt.Fprint(w, `<!DOCTYPE html><p>advertisement</p>`)
		}
	})
	at = serve(t, mux)
	site := listen(t, "127.0.0.2:0")
	site.Config.Handler = mux
	site.Start()
	other = site.URL
	refused := errors.New("refused by the test")
	p := show(t, start(t, chrome.Options{}), &render.Request{URL: at + "/", Gate: func(_ context.Context, d render.Document) error {
		if strings.HasSuffix(d.URL, "/bad") {
			if !d.Frame || d.Cause != render.Framed {
				t.Errorf("the document is %+v", d)
			}
			return refused
		}
		return nil
	}})
	code := string(p.HTML)
	last := -1
	for _, want := range []string{"outside", `data-frame-src="` + other + `/text"`, "inside and made by a script", "innermost", "<p>end</p>"} {
		if i := strings.Index(code, want); i <= last {
			t.Errorf("%q is missing or in the wrong place: %s", want, code)
		} else {
			last = i
		}
	}
	if strings.Contains(code, "advertisement") || strings.Contains(code, "<title>no") {
		t.Errorf("a frame is in the document: %s", code)
	}
	mu.Lock()
	defer mu.Unlock()
	if asked["/bad"] != 0 || asked["/text"] != 1 || !slices.ContainsFunc(p.Failed, func(f render.Failed) bool { return strings.HasSuffix(f.URL, "/bad") }) {
		t.Errorf("requests: %v, failed: %v", asked, p.Failed)
	}
	if !slices.ContainsFunc(p.Warnings, func(w string) bool { return strings.HasPrefix(w, "1 frames of other sites with hardly any text") }) {
		t.Errorf("warnings: %q", p.Warnings)
	}
}

// TestBlock checks that media and fonts are not requested if the request says so.
func TestBlock(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><style>@font-face{font-family:f;src:url(/font.woff2)}p{font-family:f}</style><p>text</p><video src="/video.mp4" preload=auto></video><img src="/image.png">`)
	}))
	for _, block := range []render.Block{{}, {Media: true}, {Fonts: true}, {Media: true, Fonts: true}} {
		mu.Lock()
		clear(asked)
		mu.Unlock()
		p := show(t, shared(t), &render.Request{URL: at + "/", Block: block})
		mu.Lock()
		if asked["/image.png"] == 0 || (asked["/video.mp4"] == 0) != block.Media || (asked["/font.woff2"] == 0) != block.Fonts {
			t.Errorf("%+v: requests %v", block, asked)
		}
		mu.Unlock()
		for path, blocked := range map[string]bool{"/video.mp4": block.Media, "/font.woff2": block.Fonts} {
			if said := slices.ContainsFunc(p.Failed, func(f render.Failed) bool { return f.URL == at+path }); said != blocked {
				t.Errorf("%+v: failed %v", block, p.Failed)
			}
		}
	}
}
