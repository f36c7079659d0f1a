// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/chrome"
	"example.com/curlew/format/brand"
	"example.com/curlew/httpapi"
)

// Example_service is a service with a browser.
func Example_service() {
	ctx := context.Background()
	err := func() error {
		browser, err := chrome.Start(ctx, &chrome.Options{Tabs: 2})
		if err != nil {
			return err // for example because no Chromium is installed
		}
		service := &curlew.Service{Renderer: browser}
		defer service.Shutdown(ctx) // closes the browser too
		doc, err := service.Scrape(ctx, "https://example.com/", nil)
		if err != nil {
			return err
		}
		fmt.Println(doc.Metadata.Rendered, *doc.Markdown)
		return nil
	}()
	if err != nil {
		fmt.Println(err)
	}
}

// TestService sends the requests of the official clients' tests to a service with a real
// browser: a page that needs scripts, a screenshot with its options, and actions.
func TestService(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!DOCTYPE html><title>Shop</title><style>button{background:rgb(17,34,51)}</style><div id=c role=dialog style="position:fixed;bottom:0;width:100%;height:90px">This shop uses cookies. <button onclick="c.remove()">Reject all</button></div><div id=root></div><script>document.body.style.background = "antiquewhite"; root.innerHTML = "<main><h1>Wares</h1><p>" + "A sentence by a script. ".repeat(9) + "</p><input id=q><button onclick='p.textContent=q.value'>Go</button><p id=p></p><div style='height:3000px'></div></main>"</script>`)
	})
	at := serve(t, mux)
	b := start(t, chrome.Options{Script: true})
	client := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	service := &curlew.Service{Fetcher: client, Renderer: b}
	h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{"k": {ID: "team", Policy: account.Policy{AllowScripts: true}}})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		client.CloseIdleConnections()
	})
	ask := func(method, url, body string) []byte {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer k")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", url, w.Code, w.Body)
		}
		return w.Body.Bytes()
	}
	var answer struct {
		Data struct {
			Markdown, Screenshot, Warning string
			Metadata                      struct{ Rendered bool }
			Branding                      brand.Design
			Actions                       struct {
				Screenshots, PDFs []string
				Scrapes           []struct{ HTML string }
				JavascriptReturns []struct {
					Type  string
					Value json.RawMessage
				}
			}
		}
	}
	scrape := func(options string) {
		t.Helper()
		answer.Data.Markdown, answer.Data.Screenshot = "", ""
		if err := json.Unmarshal(ask(http.MethodPost, "http://host.test/v2/scrape", `{"url":"`+at+`/"`+options+`}`), &answer); err != nil {
			t.Fatal(err)
		}
	}

	scrape(`,"timeout":240000`)
	if d := &answer.Data; !d.Metadata.Rendered || !strings.Contains(d.Markdown, "A sentence by a script.") {
		t.Errorf("a page that needs scripts: %+v", d)
	}

	scrape(`,"formats":["branding"],"timeout":240000`)
	if d := &answer.Data; !d.Metadata.Rendered || d.Branding.Colors.Background != "#FAEBD7" || d.Branding.Components.ButtonPrimary.Background != "#112233" || !strings.Contains(d.Warning, "consent to cookies was refused") {
		t.Errorf("branding: %+v", d)
	}

	scrape(`,"formats":["markdown",{"type":"screenshot","fullPage":true,"quality":80,"viewport":{"width":1024,"height":600}}],"waitFor":1000,"timeout":240000,"location":{"country":"us","languages":["en"]}`)
	picture, err := jpeg.Decode(bytes.NewReader(ask(http.MethodGet, answer.Data.Screenshot, "")))
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X != 1024 || size.Y < 3000 {
		t.Errorf("the picture has the size %v", size)
	}

	scrape(`,"timeout":240000,"actions":[{"type":"click","selector":"#q"},{"type":"write","text":"tea"},{"type":"click","selector":"button"},{"type":"scrape"},
		{"type":"screenshot","viewport":{"width":800,"height":600}},{"type":"screenshot"},{"type":"executeJavascript","script":"return p.textContent"},{"type":"pdf","format":"A4"}]`)
	a := &answer.Data.Actions
	if len(a.Scrapes) != 1 || !strings.Contains(a.Scrapes[0].HTML, "tea</p>") || len(a.JavascriptReturns) != 1 || string(a.JavascriptReturns[0].Value) != `"tea"` || a.JavascriptReturns[0].Type != "string" {
		t.Errorf("actions: %+v", a)
	}
	if len(a.Screenshots) != 2 || len(a.PDFs) != 1 {
		t.Fatalf("%d pictures, %d PDFs", len(a.Screenshots), len(a.PDFs))
	}
	for i, want := range [][2]int{{800, 600}, {1280, 800}} {
		picture, err := png.Decode(bytes.NewReader(ask(http.MethodGet, a.Screenshots[i], "")))
		if err != nil {
			t.Fatal(err)
		}
		if size := picture.Bounds().Size(); size.X != want[0] || size.Y != want[1] {
			t.Errorf("picture %d has the size %v, want %v", i, size, want)
		}
	}
	if data := ask(http.MethodGet, a.PDFs[0], ""); !bytes.HasPrefix(data, []byte("%PDF-")) {
		t.Errorf("the PDF begins with %.20q", data)
	}
}
