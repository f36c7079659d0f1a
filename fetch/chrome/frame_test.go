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
	"time"

	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/render"
)

// sites serves h as two sites: on the usual address, and on another one.
func sites(t *testing.T, h http.Handler) (at, other string) {
	t.Helper()
	site := listen(t, "127.0.0.2:0")
	site.Config.Handler = h
	site.Start()
	return serve(t, h), site.URL
}

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
			fmt.Fprintf(w, `<!DOCTYPE html><p>outside</p><iframe src="%[1]s/text"></iframe><iframe src="%[1]s/short"></iframe><iframe src="%[1]s/bad"></iframe><iframe src="/in/same"></iframe><p>end</p><a href="next">next</a>`, other)
		case "/text":
			fmt.Fprintf(w, `<!DOCTYPE html><title>no</title><p id=p>inside</p>%s<a href="next">next</a><iframe src="%s/inner"></iframe><script>p.textContent += " and made by a script"</script>`, filler, at)
		case "/inner":
			fmt.Fprint(w, `<!DOCTYPE html><p>innermost</p>`, filler)
		case "/in/same":
			fmt.Fprint(w, `<!DOCTYPE html><a href="next">next</a><a href="#top">top</a><img srcset="a.png, b.png 2x,/c.png 3x"><iframe srcdoc="<a href=deep>deep</a>"></iframe>`)
		default:
			fmt.Fprint(w, `<!DOCTYPE html><p>advertisement</p>`)
		}
	})
	at, other = sites(t, mux)
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
	for _, want := range []string{"outside", `data-frame-src="` + other + `/text"`, "inside and made by a script", other + `/next"`, "innermost", at + `/in/next"`, `href="#top"`, `srcset="` + at + "/in/a.png, " + at + "/in/b.png 2x, " + at + `/c.png 3x"`, at + `/in/deep"`, `<p>end</p><a href="next">`} {
		if i := strings.Index(code, want); i <= last {
			t.Errorf("%q is missing or in the wrong place: %s", want, code)
		} else {
			last = i
		}
	}
	if strings.Contains(code, "advertisement") || strings.Contains(code, "blocked by") || strings.Contains(code, "<title>no") {
		t.Errorf("a frame is in the document: %s", code)
	}
	mu.Lock()
	defer mu.Unlock()
	if asked["/bad"] != 0 || asked["/text"] != 1 || !slices.ContainsFunc(p.Failed, func(f render.Failed) bool { return strings.HasSuffix(f.URL, "/bad") }) {
		t.Errorf("requests: %v, failed: %v", asked, p.Failed)
	}
	if want := []string{"1 frames of other sites with hardly any text are not in the document", "1 frames were refused or could not be loaded"}; !slices.Equal(p.Warnings, want) {
		t.Errorf("warnings: %q", p.Warnings)
	}
}

// TestManyFrames shows a page with more frames of another site than are loaded. The document
// has the first ones, and a warning counts the others.
func TestManyFrames(t *testing.T) {
	t.Parallel()
	const count, most = 53, 50
	var at, other string
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!DOCTYPE html><h1>", r.URL.Path, "</h1>", filler)
		for i := range count {
			if r.URL.Path == "/" {
				fmt.Fprintf(w, `<iframe src="%s/%d"></iframe>`, other, i)
			}
		}
	})
	at, other = sites(t, h)
	p := show(t, start(t, chrome.Options{}), &render.Request{URL: at + "/"})
	read := strings.Count(string(p.HTML), "<h1>") - 1
	if want := []string{fmt.Sprintf("%d frames of other sites are not in the document", count-most)}; read != most || !slices.Equal(p.Warnings, want) {
		t.Errorf("%d frames are in the document, warnings: %q, want %d and %q", read, p.Warnings, most, want)
	}
}

// TestLaterFrames shows a page with frames of another site that load further documents by
// themselves: at once, later, in a frame inside, and back at the site of the page. The gate must
// be asked about each of them, and those that it refuses must not be requested.
func TestLaterFrames(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked, gated, over := map[string]int{}, map[string]int{}, false
	var at, other string
	mux := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.Host+r.URL.Path]++
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			fmt.Fprintf(w, `<!DOCTYPE html>%[2]s<iframe src="%[1]s/once"></iframe><iframe src="%[1]s/late"></iframe><iframe src="%[1]s/nested"></iframe><iframe sandbox=allow-scripts src="%[1]s/home"></iframe>`, other, filler)
		case "/once":
			fmt.Fprint(w, `<!DOCTYPE html><script>location = "/bad/once"</script>`)
		case "/late":
			fmt.Fprint(w, `<!DOCTYPE html><script>addEventListener("load", () => setTimeout(() => location = "/next", 50))</script>`)
		case "/next":
			fmt.Fprint(w, `<!DOCTYPE html><meta http-equiv=refresh content="0;url=/bad/refresh">`, filler)
		case "/nested":
			fmt.Fprintf(w, `<!DOCTYPE html><iframe src="/once"></iframe><iframe src="%s/inner"></iframe>`, at)
		case "/inner":
			fmt.Fprintf(w, `<!DOCTYPE html><script>location = "%s/bad/inner"</script>`, at)
		case "/home":
			fmt.Fprintf(w, `<!DOCTYPE html><script>location = "%s/bad/home"</script>`, at)
		default:
			fmt.Fprint(w, `<!DOCTYPE html><p>refused</p>`)
		}
	})
	at, other = sites(t, mux)
	refused := errors.New("refused by the test")
	_, near, _ := strings.Cut(at, "://")
	_, far, _ := strings.Cut(other, "://")
	want := []string{far + "/bad/once", far + "/bad/refresh", near + "/bad/inner", near + "/bad/home"}
	complete := make(chan struct{})
	gate := func(_ context.Context, d render.Document) error {
		_, path, _ := strings.Cut(d.URL, "://")
		mu.Lock()
		defer mu.Unlock()
		gated[path]++
		if missing := slices.ContainsFunc(want, func(path string) bool { return gated[path] == 0 }); !missing && !over {
			over = true
			close(complete)
		}
		if strings.Contains(path, "/bad/") {
			return refused
		}
		return nil
	}
	s, _, err := start(t, chrome.Options{}).Open(t.Context(), &render.Request{URL: at + "/", Timeout: patience, Gate: gate})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	select {
	case <-complete:
	case <-time.After(patience):
		mu.Lock()
		t.Errorf("the gate was asked only about %v, want %q", gated, want)
		mu.Unlock()
	}
	p, err := s.Do(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for path, n := range asked {
		if strings.Contains(path, "/bad/") || !strings.HasSuffix(path, "/favicon.ico") && gated[path] != n {
			t.Errorf("%s was requested %d times, and the gate was asked %d times", path, n, gated[path])
		}
	}
	if strings.Contains(string(p.HTML), "<p>refused") || strings.Contains(string(p.HTML), "blocked by") {
		t.Errorf("a refused frame is in the document: %.3000s", p.HTML)
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
