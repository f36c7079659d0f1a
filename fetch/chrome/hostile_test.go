// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/egress"
	"example.com/curlew/fetch/render"
)

var heavy = flag.Bool("heavy", false, "show all pages of TestHostile, also those that use a lot of memory or time")

// attack is a page that tries to use up the browser, this process or the time of a page.
type attack struct {
	name, html string
	heavy      bool
}

// attacks are served at /?name, without the spaces of the name.
var attacks = []attack{
	{name: "popups", heavy: true, html: `<script>for (let i = 0; i < 1000; i++) open("/?plain")</script>`},
	{name: "navigations", html: `<script>setInterval(() => location = "/?" + location.search.slice(1).split("&")[0] + "&" + Math.random(), 10)</script>`},
	{name: "refresh", heavy: true, html: `<meta http-equiv=refresh content="0">`},
	{name: "history", html: `<script>setInterval(() => { for (let i = 0; i < 50; i++) history.pushState(0, "", "?history&" + Math.random()) }, 10)</script>`},
	{name: "hash", heavy: true, html: `<script>setInterval(() => location.hash = Math.random(), 5)</script>`},
	{name: "print", heavy: true, html: `<script>print(); for (let i = 0; i < 20; i++) alert(i); Notification.requestPermission(); navigator.geolocation.getCurrentPosition(() => {}); navigator.mediaDevices.getUserMedia({video: true}).catch(() => {})</script>`},
	{name: "downloads", html: `<script>for (let i = 0; i < 50; i++) { const a = document.createElement("a"); a.href = URL.createObjectURL(new Blob(["bytes"])); a.download = "f" + i; a.click() }</script>`},
	{name: "depth", heavy: true, html: `<script>let e = document.body; for (let i = 0; i < 20000; i++) { const d = document.createElement("i"); e.append(d); e = d } e.append("deep")</script>`},
	{name: "listeners", heavy: true, html: `<script>for (let i = 0; i < 1e6; i++) addEventListener("click", () => i)</script>`},
	{name: "console", heavy: true, html: `<script>const s = "x".repeat(1e6); setInterval(() => console.error(s, s), 1)</script>`},
	{name: "write", heavy: true, html: `<script>setInterval(() => { document.open(); document.write("<p>written " + "again ".repeat(50)); }, 5)</script>`},
	{name: "animation", heavy: true, html: `<style>@keyframes k { to { width: 90%; font-size: 40px } } i { display: inline-block; animation: k .1s infinite alternate }</style><script>document.body.innerHTML += "<i>moving text</i>".repeat(2000)</script>`},
	{name: "no load", heavy: true, html: `<img src="/?never"><script src="/?never" async></script>`},
	{name: "sockets", heavy: true, html: `<script>for (let i = 0; i < 300; i++) { new WebSocket("ws://" + location.host + "/?never"); new EventSource("/?never") }</script>`},
	{name: "frames", heavy: true, html: `<script>for (let i = 0; i < 300; i++) { const f = document.createElement("iframe"); f.src = "http://127.0.0.3:" + location.port + "/?plain"; document.body.append(f) }</script>`},
	{name: "workers", heavy: true, html: `<script>const u = URL.createObjectURL(new Blob(["for (;;);"])); for (let i = 0; i < 4; i++) new Worker(u)</script>`},
	{name: "unload", heavy: true, html: `<script>onbeforeunload = () => { for (;;); }; onpagehide = () => { for (;;); }</script>`},
	{name: "getters", heavy: true, html: `<script>Object.defineProperty(document, "body", {get() { throw 1 }}); Object.defineProperty(document, "scripts", {get() { for (;;); }})</script>`},
	{name: "nodes", heavy: true, html: `<script>document.body.innerHTML += "<i></i>".repeat(1e6)</script>`},
	{name: "many nodes", heavy: true, html: `<script>for (let i = 0; i < 8; i++) document.body.insertAdjacentHTML("beforeend", "<i></i>".repeat(1e6))</script>`},
	{name: "attribute", heavy: true, html: `<script>document.body.title = "<".repeat(2e8)</script>`},
	{name: "array", heavy: true, html: `<script>const a = []; for (;;) a.push(new Array(1e5).fill(Math.random()))</script>`},
	{name: "buffers", heavy: true, html: `<script>const a = []; setInterval(() => { for (let i = 0; i < 10; i++) a.push(new Uint8Array(1e7).fill(1)) }, 10)</script>`},
	{name: "wasm", heavy: true, html: `<script>const a = []; setInterval(() => { const m = new WebAssembly.Memory({initial: 1000}); new Uint8Array(m.buffer).fill(1); a.push(m) }, 10)</script>`},
}

// TestHostile shows hostile pages at the same time. Each must end in its time with a page or
// with an error that callers know. Other pages are shown meanwhile and after that.
func TestHostile(t *testing.T) {
	t.Parallel()
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(r.URL.RawQuery, "&")
		i := slices.IndexFunc(attacks, func(a attack) bool { return strings.ReplaceAll(a.name, " ", "") == name })
		switch {
		case name == "never":
			<-r.Context().Done()
		case i >= 0:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!DOCTYPE html><body>"+filler+attacks[i].html)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!DOCTYPE html><p>plain</p>")
		}
	}))
	b := start(t, chrome.Options{Tabs: 4})
	known := []error{
		fetch.ErrTimeout, fetch.ErrTooLarge, fetch.ErrRedirects, fetch.ErrConnect, fetch.ErrProtocol, fetch.ErrBusy,
		render.ErrCrashed, render.ErrBusy, egress.ErrLimit,
	}
	var all sync.WaitGroup
	turns := make(chan struct{}, 2)
	for _, a := range attacks {
		if a.heavy && !*heavy {
			continue
		}
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			begun := time.Now()
			p, err := b.Render(t.Context(), &render.Request{URL: at + "/?" + strings.ReplaceAll(a.name, " ", ""), Timeout: patience})
			switch {
			case err == nil:
				t.Logf("%s: %v: %s, %d bytes, warnings %q, %d console", a.name, time.Since(begun).Round(time.Second), p.Ready, len(p.HTML), p.Warnings, len(p.Console))
			case slices.ContainsFunc(known, func(k error) bool { return errors.Is(err, k) }):
				t.Logf("%s: %v: %v", a.name, time.Since(begun).Round(time.Second), err)
			default:
				t.Errorf("%s: %v", a.name, err)
			}
		})
	}
	all.Wait()
	if p := show(t, b, &render.Request{URL: at + "/?plain"}); !strings.Contains(string(p.HTML), "plain") {
		t.Errorf("the page after them: %s", p.HTML)
	}
}
