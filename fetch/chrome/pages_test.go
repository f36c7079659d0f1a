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
	case "slow":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, " slow "+r.URL.RawQuery)
	case "stream":
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	default:
		http.NotFound(w, r)
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
