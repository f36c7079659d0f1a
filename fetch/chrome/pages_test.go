// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/curlew/fetch/render"
)

// pages are pages that are made by scripts. Each is served at /name. The document
// that is shown must contain the parts want, and must not contain the parts not.
var pages = []struct {
	name, html string
	want, not  []string
}{
	{
		name: "list", html: `<div id=root></div><script>
			const h = (tag, ...kids) => { const e = document.createElement(tag); e.append(...kids); return e };
			setTimeout(() => root.append(h("ul", ...Array.from({length: 50}, (_, i) => h("li", "item " + i + ".")))), 50)</script>`,
		want: []string{"<li>item 0.</li>", "<li>item 49.</li>"},
	},
	{
		name: "templates", html: `<div id=app>{{ title }}</div><script>app.textContent = app.textContent.replace(/{+ title }+/, "Braces are gone")</script>`,
		want: []string{"<div id=\"app\">Braces are gone</div>"},
	},
	{
		name: "chain", html: `<p id=p>start</p><script>(async () => { for (const n of [1, 2, 3]) p.textContent += await (await fetch("/slow?" + n)).text() })()</script>`,
		want: []string{"start slow 1 slow 2 slow 3"},
	},
	{
		name: "poll", html: `<p>There is text.</p><script>setInterval(() => fetch("/slow?" + Math.random()), 200); new EventSource("/stream")</script>`,
		want: []string{"There is text."},
	},
	{
		name: "clock", html: `<p>A clock.</p><time id=c>0</time><script>setInterval(() => c.textContent = Date.now() % 1000, 10)</script>`,
		want: []string{"A clock."},
	},
	{
		name: "late", html: `<p id=p>Loading</p><script>setTimeout(() => p.textContent = "The text came after two seconds.", 2000)</script>`,
		want: []string{"came after two seconds"},
	},
	{
		name: "shadow", html: `<my-card><b slot=name>Name</b><i>not assigned</i></my-card><x-closed></x-closed><script>
			customElements.define("my-card", class extends HTMLElement { connectedCallback() { this.attachShadow({mode: "open"}).innerHTML = "<h2>Card</h2><slot name=name>No" + "body</slot><slot name=other>Fallback</slot>" } });
			customElements.define("x-closed", class extends HTMLElement { connectedCallback() { this.attachShadow({mode: "closed"}).innerHTML = "<p>closed tree</p>" } })</script>`,
		want: []string{"<h2>Card</h2><b slot=\"name\">Name</b>", "Fallback", "<p>closed tree</p>"}, not: []string{"Nobody", "not assigned"},
	},
	{
		name: "frames", html: `<p>outside</p><iframe src="/slow?9"></iframe><iframe srcdoc="<p>inside a srcdoc</p>"></iframe>`,
		want: []string{"slow 9", "<p>inside a srcdoc</p>", "data-frame-src"},
	},
	{
		name: "dialogs", html: `<p id=p></p><script>alert(1); p.textContent = confirm("?") + " " + prompt("?") + " after the dialogs"; onbeforeunload = e => e.preventDefault()</script>`,
		want: []string{"false null after the dialogs"},
	},
	{
		name: "popup", html: `<p>one window</p><script>for (let i = 0; i < 50; i++) open("/slow?popup")</script>`,
		want: []string{"one window"},
	},
	{
		name: "svg", html: `<svg viewBox="0 0 1 1"><linearGradient id=g></linearGradient><text>drawn</text></svg><script>document.querySelector("text").setAttribute("onclick", 'a("<b>")')</script>`,
		want: []string{"viewBox=", "<linearGradient", `onclick="a(&#34;&lt;b&gt;&#34;)"`},
	},
	{
		name: "long text", html: `<p id=p></p><style id=s></style><script>p.textContent = "<" + "x".repeat(30000) + "&end"; s.textContent = "/*" + "y".repeat(30000) + "<end>*/"</script>`,
		want: []string{"<p id=\"p\">&lt;xxx", "xxx&amp;end</p>", "yyy<end>*/</style>"}, not: []string{"…"},
	},
	{
		name: "spaces", html: `<p><b>one</b> <i>two</i></p>`,
		want: []string{`<b>one</b> <i>two</i>`},
	},
	{
		name: "deep", html: `<script>let e = document.body; for (let i = 0; i < 400; i++) { const d = document.createElement("b"); e.append(d); e = d } e.append("at the end")</script>`,
		want: []string{`<b><b>at the end</b></b>`},
	},
	{
		name: "hydration", html: `<div id=root><p>The text of the server.</p></div><script>setTimeout(() => { root.innerHTML = "<p>The text of the " + "server.</p>" }, 50)</script>`,
		want: []string{`<div id="root"><p>The text of the server.</p></div>`},
	},
	{
		name: "router", html: `<main id=m></main><script>addEventListener("load", () => { history.pushState({}, "", "/list/2"); m.innerHTML = "<a href=one>one</a><a href=#m>m</a>" })</script>`,
		want: []string{`/list/one">one</a><a href="#m">m</a>`},
	},
	{
		name: "slow chain", html: `<p id=p>start</p><script>(async () => { for (const n of [1, 2, 3, 4, 5, 6]) { await new Promise(done => setTimeout(done, 400)); p.textContent += await (await fetch("/slow?" + n)).text() } })()</script>`,
		want: []string{"slow 5 slow 6"},
	},
	{
		name: "late timers", html: `<p id=p>start</p><script>(async () => { for (const n of [1, 2, 3]) { setTimeout(() => { const end = performance.now() + 700; while (performance.now() < end); }, 100); await new Promise(done => setTimeout(done, 400)); p.textContent += await (await fetch("/slow?" + n)).text() } })()</script>`,
		want: []string{"slow 2 slow 3"},
	},
	{
		name: "query chain", html: `<p id=p>start</p><script>(async () => { let all = ""; for (const n of [1, 2, 3, 4, 5]) all += await (await fetch("/wait?" + n)).text(); p.textContent = all })()</script>`,
		want: []string{"waited 4 waited 5"},
	},
	{
		name: "nested shadow", html: `<x-outer><i slot=a>first</i><b>second</b></x-outer><script>
			customElements.define("x-inner", class extends HTMLElement { connectedCallback() { this.attachShadow({mode: "closed"}).innerHTML = "<p>in</p><slot></slot><p>ner</p>" } });
			customElements.define("x-outer", class extends HTMLElement { connectedCallback() { this.attachShadow({mode: "open"}).innerHTML = "<x-inner><u>last</u></x-inner><slot></slot><slot name=a></slot>" } })</script>`,
		want: []string{`<x-inner><p>in</p><u>last</u><p>ner</p></x-inner><b>second</b><i slot="a">first</i>`},
	},
	{
		name: "sandbox", html: `<iframe sandbox=allow-scripts src="/long"></iframe><iframe sandbox srcdoc="<p>a sandboxed srcdoc</p>"></iframe>`,
		want: []string{"long text long text"},
	},
	{
		name: "service worker", html: `<p id=p>none</p><script>(async () => { await navigator.serviceWorker.register("/worker.js"); await navigator.serviceWorker.ready; p.textContent = "registered" + await (await fetch("/slow?network")).text() })()</script>`,
		want: []string{"slow network"},
	},
	{
		name: "blob", html: `<p id=p></p><script>const a = document.createElement("a"); a.href = URL.createObjectURL(new Blob(["bytes"])); a.download = "f"; a.click(); p.textContent = "no " + "file"</script>`,
		want: []string{`<p id="p">no file</p>`},
	},
	{
		name: "refresh", html: `<meta http-equiv=refresh content="0;url=/slow?refreshed">`,
		want: []string{"slow refreshed"},
	},
	{
		name: "script text", html: `<script>var a = "<b>&amp;"</script><p>&amp;lt;</p>`,
		want: []string{`var a = "<b>&amp;"`, "<p>&amp;lt;</p>"},
	},
}

// TestPages shows pages of each kind.
func TestPages(t *testing.T) {
	t.Parallel()
	site := serve(t, http.HandlerFunc(answer))
	b := shared(t)
	for _, test := range pages {
		t.Run(test.name, func(t *testing.T) {
			p := show(t, b, &render.Request{URL: site + "/" + strings.ReplaceAll(test.name, " ", "%20")})
			for _, want := range test.want {
				if !strings.Contains(string(p.HTML), want) {
					t.Errorf("%q is missing in %.3000s", want, p.HTML)
				}
			}
			for _, not := range test.not {
				if strings.Contains(string(p.HTML), not) {
					t.Errorf("%q is in %.3000s", not, p.HTML)
				}
			}
		})
	}
}

// answer serves the pages.
func answer(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	for _, p := range pages {
		if p.name == name {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			text := filler
			if name == "late" {
				text = "" // the browser must wait although hardly any text is there
			}
			fmt.Fprint(w, "<!DOCTYPE html><title>T</title><body>"+text+p.html)
			return
		}
	}
	switch name {
	case "long":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, strings.Repeat("long text ", 50))
	case "worker.js":
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, `self.addEventListener("install", e => e.waitUntil(self.skipWaiting())); self.addEventListener("activate", e => e.waitUntil(clients.claim())); self.addEventListener("fetch", e => e.respondWith(new Response("of the worker")))`)
	case "slow":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, " slow "+r.URL.RawQuery)
	case "wait":
		time.Sleep(300 * time.Millisecond) // a slow answer is what is tested
		fmt.Fprint(w, " waited "+r.URL.RawQuery)
	case "stream":
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	default:
		http.NotFound(w, r)
	}
}

// TestCharsets shows pages in other encodings than UTF-8. The document is in UTF-8.
func TestCharsets(t *testing.T) {
	t.Parallel()
	site := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/header":
			w.Header().Set("Content-Type", "text/html; charset=windows-1255")
			fmt.Fprint(w, "<!DOCTYPE html><html dir=rtl><p>\xf9\xec\xe5\xed</p>")
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!DOCTYPE html><meta charset=shift_jis><p>\x93\xfa\x96\x7b</p>")
		}
	}))
	for path, want := range map[string]string{"/header": "<p>שלום</p>", "/meta": "<p>日本</p>"} {
		if p := show(t, shared(t), &render.Request{URL: site + path}); !strings.Contains(string(p.HTML), want) {
			t.Errorf("%s: %q is missing in %s", path, want, p.HTML)
		}
	}
}

// TestFields writes and chooses in fields that are no plain inputs.
func TestFields(t *testing.T) {
	t.Parallel()
	site := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><div id=e contenteditable style="width:200px;height:40px"></div><select id=s><option>one<option>two</select><input type=checkbox id=c><p id=p></p>
			<script>onkeyup = onchange = oninput = () => p.textContent = [e.textContent, s.value, c.checked].join(" ")</script>`, filler)
	}))
	p := show(t, shared(t), &render.Request{URL: site + "/", Steps: []render.Step{
		{Kind: render.Click, Selector: "#e"},
		{Kind: render.Write, Text: "written"},
		{Kind: render.Click, Selector: "#c"},
		{Kind: render.Press, Text: "Shift+Tab"},
		{Kind: render.Press, Text: "ArrowDown"},
	}})
	if want := "<p id=\"p\">written two true</p>"; !strings.Contains(string(p.HTML), want) {
		t.Errorf("%s is missing in %s", want, p.HTML)
	}
}

// TestScroll scrolls pages until nothing new comes, and pages that never end.
func TestScroll(t *testing.T) {
	t.Parallel()
	feed := `<!DOCTYPE html>` + filler + `<ul id=l></ul><script>let n = 0; const add = (most) => { for (let i = 0; i < 25 && n < most; i++) l.insertAdjacentHTML("beforeend", "<li style='height:60px'>item " + n++ + ".</li>") };`
	site := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch name, label, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); name {
		case "feed": // each part comes after a request
			fmt.Fprint(w, feed+`let busy = false; add(25); addEventListener("scroll", async () => { if (busy || innerHeight + scrollY < document.documentElement.scrollHeight - 200) return; busy = true; await fetch("/data"); add(500); busy = false })</script>`)
		case "endless":
			fmt.Fprint(w, feed+`add(25); addEventListener("scroll", () => { if (innerHeight + scrollY > document.documentElement.scrollHeight - 200) add(1e9) })</script>`)
		case "button":
			fmt.Fprintf(w, feed+`add(100)</script><form action=/bad><button>Show more</button></form><button id=b onclick="setTimeout(() => { add(100); if (n >= 100) b.remove() }, 100)">%s</button>`, label)
		default:
			fmt.Fprint(w, "data")
		}
	}))
	b := shared(t)
	scrolled := func(path string, u render.Until) *render.Page {
		t.Helper()
		return show(t, b, &render.Request{URL: site + path, Scroll: &u})
	}
	long := render.Until{MaxTime: 2 * time.Minute}
	if p := scrolled("/feed", long); !strings.Contains(string(p.HTML), "item 499.") || len(p.Warnings) != 0 {
		t.Errorf("the feed has %d items, warnings %q", strings.Count(string(p.HTML), "<li"), p.Warnings)
	}
	for _, label := range []string{"Load more", "Mehr anzeigen", "Voir plus", "もっと見る", "查看更多 (75)"} {
		if p := scrolled("/button/"+label, long); !strings.Contains(string(p.HTML), "item 99.") || len(p.Warnings) != 0 || len(p.Hops) != 1 {
			t.Errorf("the button %s: %d items, warnings %q, %q", label, strings.Count(string(p.HTML), "<li"), p.Warnings, p.Hops)
		}
	}
	own := long
	own.Button = "#b"
	if p := scrolled("/button/Strange", own); !strings.Contains(string(p.HTML), "item 99.") {
		t.Errorf("a button with a selector: %d items", strings.Count(string(p.HTML), "<li"))
	}
	for _, u := range []render.Until{{MaxScrolls: 3, MaxTime: 2 * time.Minute}, {MaxHeight: 5000, MaxTime: 2 * time.Minute}, {MaxTime: time.Millisecond}} {
		p := scrolled("/endless", u)
		if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "may have more content") || strings.Count(string(p.HTML), "<li") > 200 {
			t.Errorf("%+v: %d items, warnings %q", u, strings.Count(string(p.HTML), "<li"), p.Warnings)
		}
	}
}
