// SPDX-License-Identifier: Apache-2.0

package fetchtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
)

// patience is the Timeout of pages that must be shown. It is long, because a browser is
// slow on a busy machine.
const patience = 2 * time.Minute

// CheckRenderer tests that a Renderer fulfills the contract of the interface and of
// [render.Request], as far as its Abilities go. It calls open once for most subtests, and
// once more for the subtest that closes the Renderer. The Renderer that open returns must be
// able to reach 127.0.0.1 at every port, and if it is Guarded, no other address of this
// machine. open cleans up through t.
func CheckRenderer(t *testing.T, open func(t testing.TB) render.Renderer) {
	t.Helper()
	r := open(t)
	for _, s := range rendererSuite {
		t.Run(s.name, func(t *testing.T) {
			if s.closes {
				r = open(t)
			}
			s.run(t, r)
		})
	}
}

// rendererTest is one test of a Renderer. It does nothing if able returns false.
type rendererTest struct {
	name string
	able func(a *render.Abilities, r render.Renderer) bool // whether the Renderer can do what the test needs; nil means always
	test func(c *rendererCheck)

	closes bool // the test closes the Renderer
}

var rendererSuite = []rendererTest{
	{name: "document", test: (*rendererCheck).document},
	{name: "redirects", test: (*rendererCheck).redirects},
	{name: "gate", test: (*rendererCheck).gate},
	{name: "refused URLs", test: (*rendererCheck).refusedURLs},
	{name: "headers", test: (*rendererCheck).headers},
	{name: "cookies", test: (*rendererCheck).cookies},
	{name: "files", test: (*rendererCheck).files},
	{name: "limits", test: (*rendererCheck).limits},
	{name: "context", test: (*rendererCheck).context},
	{name: "concurrency", test: (*rendererCheck).concurrency},
	{name: "unsupported", test: (*rendererCheck).unsupported},
	{name: "guard", able: func(a *render.Abilities, _ render.Renderer) bool { return a.Guarded }, test: (*rendererCheck).guard},
	{name: "steps", able: func(a *render.Abilities, _ render.Renderer) bool { return a.Can(render.Click) && a.Can(render.Scrape) }, test: (*rendererCheck).steps},
	{name: "screenshot", able: func(a *render.Abilities, _ render.Renderer) bool { return a.Screenshot }, test: (*rendererCheck).screenshot},
	{name: "full page", able: func(a *render.Abilities, _ render.Renderer) bool { return a.FullPage }, test: (*rendererCheck).fullPage},
	{name: "PDF", able: func(a *render.Abilities, _ render.Renderer) bool { return a.PDF }, test: (*rendererCheck).pdf},
	{name: "languages", able: func(a *render.Abilities, _ render.Renderer) bool { return a.Languages }, test: (*rendererCheck).languages},
	{name: "mobile", able: func(a *render.Abilities, _ render.Renderer) bool { return a.Mobile }, test: (*rendererCheck).mobile},
	{name: "scroll", able: func(a *render.Abilities, _ render.Renderer) bool { return a.Scroll }, test: (*rendererCheck).scroll},
	{name: "styles", able: func(a *render.Abilities, _ render.Renderer) bool { return a.Styles }, test: (*rendererCheck).styles},
	{name: "block", able: func(a *render.Abilities, _ render.Renderer) bool { return a.Block }, test: (*rendererCheck).block},
	{name: "consent", able: func(a *render.Abilities, _ render.Renderer) bool { return a.Block }, test: (*rendererCheck).consent},
	{name: "session", able: func(_ *render.Abilities, r render.Renderer) bool { return is[render.Opener](r) }, test: (*rendererCheck).session},
	{name: "closed", able: func(_ *render.Abilities, r render.Renderer) bool { return is[render.Closer](r) }, test: (*rendererCheck).closed, closes: true},
}

// is reports whether v has the type T.
func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

// run runs the test with a site of its own.
func (s *rendererTest) run(t testing.TB, r render.Renderer) {
	c := &rendererCheck{TB: t, r: r}
	c.able = render.AbilitiesOf(c.r)
	if s.able != nil && !s.able(&c.able, c.r) {
		return
	}
	server := httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(server.Close)
	c.site = server.URL
	s.test(c)
}

// rendererCheck is one test of a Renderer in progress.
type rendererCheck struct {
	testing.TB
	r    render.Renderer
	able render.Abilities
	site string // URL without a path

	mu   sync.Mutex
	log  []string // paths that were requested
	hook func()   // called for the path /hook
}

// made is the text that the script of the page / adds to the document.
const made = "made by a script"

// filler is enough text for a browser to take a page for complete. It may wait longer for
// the text of a page with scripts and little text.
var filler = "<p>" + strings.Repeat("A sentence that is always there. ", 10) + "</p>"

// serve is the site.
func (c *rendererCheck) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.log = append(c.log, r.URL.Path)
	c.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch path := r.URL.Path; path {
	case "/":
		fmt.Fprint(w, `<!DOCTYPE html><title>Start</title>`, filler, `<p id="made"></p><script>document.getElementById("made").textContent = "made " + "by a script"</script>`)
	case "/hook":
		c.hook()
		fmt.Fprint(w, "<!DOCTYPE html><p>hook</p>")
	case "/gone":
		w.WriteHeader(http.StatusGone)
		fmt.Fprint(w, "<!DOCTYPE html><p>It is gone.</p>")
	case "/hop":
		http.Redirect(w, r, "/hop2", http.StatusFound)
	case "/hop2":
		http.Redirect(w, r, "/", http.StatusMovedPermanently)
	case "/away":
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
	case "/echo":
		fmt.Fprintf(w, "<!DOCTYPE html><p>key=%s; cookie=%s; agent=%s; languages=%s;</p>", r.Header.Get("X-Key"), r.Header.Get("Cookie"), r.UserAgent(), r.Header.Get("Accept-Language"))
	case "/set":
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
		fmt.Fprint(w, `<!DOCTYPE html>`, filler, `<p>set</p><a id="again" href="/storage">again</a><script>localStorage.seen = "stored"</script>`)
	case "/storage":
		fmt.Fprintf(w, `<!DOCTYPE html>%s<p>cookie=%s; <span id="s"></span></p><script>document.getElementById("s").textContent = "storage=" + localStorage.seen + ";"</script>`, filler, r.Header.Get("Cookie"))
	case "/frame":
		fmt.Fprint(w, `<!DOCTYPE html><p>outside</p><iframe src="/inner"></iframe>`)
	case "/inner":
		fmt.Fprint(w, `<!DOCTYPE html><p>inside</p>`)
	case "/file":
		w.Header().Set("Content-Type", "application/octet-stream")
		fmt.Fprint(w, "bytes of a file")
	case "/large":
		fmt.Fprint(w, "<!DOCTYPE html><p>", strings.Repeat("large ", 20_000))
	case "/steps":
		fmt.Fprint(w, `<!DOCTYPE html><body style="margin:0"><button id="b" onclick="document.getElementById('p').textContent += 'cli' + 'cked '">Click</button>
			<input id="i"><p id="p"></p><div style="width:10px;height:2900px"></div>`)
	case "/endless":
		fmt.Fprint(w, `<!DOCTYPE html><p>before</p><script>setTimeout(() => { for (;;); }, 0)</script>`)
	case "/tall":
		fmt.Fprint(w, `<!DOCTYPE html><body style="margin:0"><div style="height:3000px;background:#00f"></div>`)
	case "/feed":
		fmt.Fprint(w, `<!DOCTYPE html>`, filler, `<ul id="l"></ul><script>let n = 0; const more = () => { for (let i = 0; i < 20 && n < 100; i++) { const e = document.createElement("li"); e.style.height = "100px"; e.textContent = "item " + n++; document.getElementById("l").append(e) } };
			more(); addEventListener("scroll", () => { if (innerHeight + scrollY > document.documentElement.scrollHeight - 300) more() })</script>`)
	case "/styled":
		fmt.Fprint(w, `<!DOCTYPE html><style>h1 { color: rgb(1, 2, 3) }</style><h1>Styled</h1>`)
	case "/ads":
		fmt.Fprint(w, `<!DOCTYPE html><p>text</p><img src="/ad.png"><img src="/photo.png">`)
	case "/consent":
		fmt.Fprintf(w, `<!DOCTYPE html><title>Consent</title>%s<p id="p">nothing was answered</p><script>const say = e => { document.getElementById("p").textContent = "answered " + e.name; document.getElementById("c").remove() }</script>
			<div id="c" style="position:fixed;left:0;right:0;bottom:0;height:200px;background:#fff">We use cookies on this site. <button name="yes" onclick="say(this)">Accept</button> <button name="no" onclick="say(this)">Reject</button></div>`, filler)
	case "/hostile":
		to := r.URL.Query().Get("to")
		fmt.Fprintf(w, `<!DOCTYPE html><p>hostile</p>%[2]s<img src="http://%[1]s/img"><iframe src="http://%[1]s/frame"></iframe><link rel="preconnect" href="http://%[1]s"><script>
			fetch("http://%[1]s/fetch", {mode: "no-cors"}).catch(() => {}); try { new WebSocket("ws://%[1]s/socket") } catch {}
			navigator.sendBeacon("http://%[1]s/beacon"); new Image().src = "http://%[1]s/image"; open("http://%[1]s/popup")</script>`, to, filler)
	default:
		if n, ok := strings.CutPrefix(path, "/n/"); ok {
			fmt.Fprintf(w, "<!DOCTYPE html><p>page number %s.</p>", n)
			return
		}
		http.NotFound(w, r)
	}
}

// asked returns how often a path was requested.
func (c *rendererCheck) asked(path string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.log {
		if p == path {
			n++
		}
	}
	return n
}

// page shows a path of the site, which must succeed.
func (c *rendererCheck) page(path string, r render.Request) *render.Page {
	c.Helper()
	r.URL = c.site + path
	if r.Timeout == 0 {
		r.Timeout = patience
	}
	p, err := c.r.Render(c.Context(), &r)
	if err != nil {
		c.Fatalf("Render(%s): %v", path, err)
	}
	return p
}

// fails shows a URL, which must fail with want.
func (c *rendererCheck) fails(r render.Request, want error) {
	c.Helper()
	if r.Timeout == 0 {
		r.Timeout = patience
	}
	p, err := c.r.Render(c.Context(), &r)
	if !errors.Is(err, want) || p != nil {
		c.Errorf("Render(%s) = %v, %v, want %v", r.URL, p, err, want)
	}
}

// has checks that a page contains a text, or that it does not.
func (c *rendererCheck) has(p *render.Page, text string, want bool) {
	c.Helper()
	if strings.Contains(string(p.HTML), text) != want {
		c.Errorf("%s: the document contains %q: %v, want %v: %.2000s", p.URL, text, !want, want, p.HTML)
	}
}

func (c *rendererCheck) document() {
	p := c.page("/", render.Request{})
	c.has(p, made, true)
	if p.URL != c.site+"/" || p.Status != http.StatusOK || p.Body != nil || p.Header.Get("Content-Type") == "" || !slices.Equal(p.Hops, []string{c.site + "/"}) {
		c.Errorf("the page is at %s with status %d, hops %q, header %v and %d bytes of Body", p.URL, p.Status, p.Hops, p.Header, len(p.Body))
	}
	p = c.page("/gone", render.Request{})
	c.has(p, "It is gone.", true)
	if p.Status != http.StatusGone {
		c.Errorf("the status is %d, want 410", p.Status)
	}
	if p := c.page("/frame", render.Request{}); !strings.Contains(string(p.HTML), "inside") && len(p.Warnings) == 0 {
		c.Errorf("the document lacks that of its frame, and no warning says so: %s", p.HTML)
	}
}

func (c *rendererCheck) redirects() {
	var mu sync.Mutex
	var seen []render.Document
	p := c.page("/hop", render.Request{Gate: func(_ context.Context, d render.Document) error {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, d)
		return nil
	}})
	c.has(p, made, true)
	want := []string{c.site + "/hop", c.site + "/hop2", c.site + "/"}
	var asked []string
	for _, d := range seen {
		asked = append(asked, d.URL)
	}
	if p.URL != c.site+"/" || !slices.Equal(p.Hops, want) || !slices.Equal(asked, want) {
		c.Errorf("the page is at %s, hops %q, the gate was asked about %q, want %q", p.URL, p.Hops, asked, want)
	}
}

func (c *rendererCheck) gate() {
	no := errors.New("refused by the test")
	refuse := func(path string) render.Request {
		return render.Request{Gate: func(_ context.Context, d render.Document) error {
			if d.URL == c.site+path {
				return no
			}
			return nil
		}}
	}
	for start, path := range map[string]string{"/": "/", "/hop": "/hop2"} {
		c.log = nil
		r := refuse(path)
		r.URL = c.site + start
		c.fails(r, no)
		if n := c.asked(path); n != 0 {
			c.Errorf("%s was requested %d times, although the gate has refused it", path, n)
		}
	}
	p := c.page("/frame", refuse("/inner"))
	c.has(p, "outside", true)
	if c.asked("/inner") != 0 {
		c.Error("a frame was requested, although the gate has refused it")
	}
}

func (c *rendererCheck) refusedURLs() {
	for _, url := range []string{"file:///etc/passwd", "ftp://127.0.0.1/", "data:text/html,<p>a", "chrome://version/", "about:blank", "javascript:1", "view-source:" + c.site + "/"} {
		c.fails(render.Request{URL: url}, fetch.ErrScheme)
	}
	for _, url := range []string{strings.Replace(c.site, "://", "://user:secret@", 1) + "/", "http:///"} {
		c.fails(render.Request{URL: url}, fetch.ErrURL)
	}
	c.fails(render.Request{URL: "http://127.0.0.1:1/"}, fetch.ErrConnect)
}

func (c *rendererCheck) headers() {
	other := httptest.NewServer(http.HandlerFunc(c.serve)) // another port is another origin
	c.Cleanup(other.Close)
	own := http.Header{"X-Key": {"secret"}}
	c.has(c.page("/echo", render.Request{Header: own, UserAgent: "checker/1.0"}), "key=secret; cookie=; agent=checker/1.0;", true)
	p := c.page("/away?to="+other.URL+"/echo", render.Request{Header: own})
	c.has(p, "key=;", true)
	if p.URL != other.URL+"/echo" {
		c.Errorf("the page is at %s", p.URL)
	}
	if own.Get("X-Key") != "secret" || len(own) != 1 {
		c.Errorf("the header of the caller is %v now", own)
	}
}

func (c *rendererCheck) cookies() {
	c.page("/set", render.Request{})
	c.has(c.page("/storage", render.Request{}), "seen=1", false)
	c.has(c.page("/storage", render.Request{}), "stored", false)
	c.has(c.page("/echo", render.Request{Cookies: []*http.Cookie{{Name: "a", Value: "b"}}}), "cookie=a=b;", true)
	c.has(c.page("/echo", render.Request{}), "cookie=;", true)
}

func (c *rendererCheck) files() {
	p := c.page("/file", render.Request{})
	if string(p.Body) != "bytes of a file" || len(p.HTML) != 0 || p.Status != http.StatusOK {
		c.Errorf("a file is %d bytes of HTML and the body %q", len(p.HTML), p.Body)
	}
}

func (c *rendererCheck) limits() {
	c.fails(render.Request{URL: c.site + "/large", MaxBytes: 1000}, fetch.ErrTooLarge)
	c.fails(render.Request{URL: c.site + "/file", MaxBytes: 5}, fetch.ErrTooLarge)
	c.fails(render.Request{URL: c.site + "/", Timeout: time.Second, Wait: time.Hour}, fetch.ErrTimeout)
	_, err := c.r.Render(c.Context(), &render.Request{URL: c.site + "/endless", Timeout: 5 * time.Second}) // it must return
	if err != nil && !errors.Is(err, fetch.ErrTimeout) {
		c.Errorf("a page whose script does not end: %v", err)
	}
	c.has(c.page("/", render.Request{}), made, true)
}

func (c *rendererCheck) context() {
	over := errors.New("over")
	ctx, cancel := context.WithCancelCause(c.Context())
	c.hook = func() { cancel(over) }
	_, err := c.r.Render(ctx, &render.Request{URL: c.site + "/hook", Timeout: time.Hour, Wait: time.Hour})
	if !errors.Is(err, over) {
		c.Errorf("after its context has ended: %v", err)
	}
	c.log = nil
	if _, err := c.r.Render(ctx, &render.Request{URL: c.site + "/inner", Timeout: patience}); !errors.Is(err, over) || c.asked("/inner") != 0 {
		c.Errorf("with a context that has ended: %v, %d requests", err, c.asked("/inner"))
	}
	c.has(c.page("/", render.Request{}), made, true)
}

func (c *rendererCheck) concurrency() {
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			path := fmt.Sprint("/n/", i)
			p, err := c.r.Render(c.Context(), &render.Request{URL: c.site + path, Timeout: patience})
			if err != nil || !strings.Contains(string(p.HTML), fmt.Sprintf("page number %d.", i)) || p.URL != c.site+path {
				c.Errorf("page %d: %+v, %v", i, p, err)
			}
		})
	}
	all.Wait()
}

func (c *rendererCheck) unsupported() {
	c.fails(render.Request{URL: c.site + "/inner", Steps: []render.Step{{Kind: "dance"}}}, render.ErrUnsupported)
	for _, k := range []render.Kind{render.Wait, render.Click, render.Write, render.Press, render.Scroll, render.Screenshot, render.Scrape, render.PDF, render.Script} {
		if !c.able.Can(k) {
			c.fails(render.Request{URL: c.site + "/inner", Steps: []render.Step{{Kind: k, Selector: "p", Text: "1"}}}, render.ErrUnsupported)
		}
	}
	if n := c.asked("/inner"); n != 0 {
		c.Errorf("a page that cannot be shown as it was asked for was requested %d times", n)
	}
}

func (c *rendererCheck) closed() {
	closer := c.r.(render.Closer) //nolint:forcetypeassert // see rendererSuite
	c.page("/", render.Request{})
	for range 2 {
		if err := closer.Close(context.WithoutCancel(c.Context())); err != nil {
			c.Errorf("Close: %v", err)
		}
	}
	c.fails(render.Request{URL: c.site + "/"}, render.ErrClosed)
}

func (c *rendererCheck) guard() {
	l, err := new(net.ListenConfig).Listen(c.Context(), "tcp4", "127.0.0.2:0")
	if err != nil {
		c.Skipf("this kernel has no address 127.0.0.2: %v", err)
	}
	var mu sync.Mutex
	reached := 0
	forbidden := &http.Server{ReadHeaderTimeout: time.Minute, ConnState: func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			mu.Lock()
			defer mu.Unlock()
			reached++
		}
	}}
	go func() { _ = forbidden.Serve(l) }()
	c.Cleanup(func() { _ = forbidden.Close() })
	for _, url := range []string{"http://" + l.Addr().String() + "/", c.site + "/away?to=http://" + l.Addr().String() + "/", "http://169.254.169.254/"} {
		c.fails(render.Request{URL: url}, fetch.ErrAddress)
	}
	p := c.page("/hostile?to="+l.Addr().String(), render.Request{})
	c.has(p, "hostile", true)
	mu.Lock()
	defer mu.Unlock()
	if reached != 0 {
		c.Errorf("a page has opened %d connections to an address that is not allowed", reached)
	}
	if len(p.Failed) == 0 {
		c.Error("Failed does not say which requests were refused")
	}
}

func (c *rendererCheck) steps() {
	p := c.page("/steps", render.Request{Steps: []render.Step{{Kind: render.Click, Selector: "#b"}, {Kind: render.Scrape}, {Kind: render.Click, Selector: "#b"}}})
	c.has(p, "clicked clicked", true)
	if len(p.Results) != 1 || p.Results[0].Step != 1 || strings.Count(string(p.Results[0].Data), "clicked ") != 1 || p.Results[0].URL != c.site+"/steps" {
		c.Errorf("the results of the steps are %+v", p.Results)
	}
	_, err := c.r.Render(c.Context(), &render.Request{URL: c.site + "/steps", Timeout: patience, Steps: []render.Step{{Kind: render.Scrape}, {Kind: render.Click, Selector: "#none"}}})
	if e, ok := errors.AsType[*render.StepError](err); !ok || e.Index != 1 || e.Kind != render.Click {
		c.Errorf("a click on an element that is not there: %v", err)
	}
	if c.able.Can(render.Script) {
		p := c.page("/steps", render.Request{Steps: []render.Step{{Kind: render.Script, Text: "return {a: 1}"}}})
		if len(p.Results) != 1 || string(p.Results[0].Value) != `{"a":1}` || p.Results[0].Type != "object" {
			c.Errorf("the results of a script are %+v", p.Results)
		}
	}
	if c.able.Can(render.Write) {
		p := c.page("/steps", render.Request{Steps: []render.Step{{Kind: render.Click, Selector: "#i"}, {Kind: render.Write, Text: "typed"}, {Kind: render.Click, Selector: "#b"}}})
		c.has(p, "clicked", true)
	}
}

func (c *rendererCheck) screenshot() {
	size := render.Viewport{Width: 640, Height: 480}
	p := c.page("/tall", render.Request{Viewport: size, Screenshot: &render.Shot{}})
	c.picture(p.Screenshot, 640, 480)
	p = c.page("/tall", render.Request{Screenshot: &render.Shot{Quality: 50, Viewport: size}})
	c.picture(p.Screenshot, 640, 480)
	if p.Screenshot != nil && p.Screenshot.Type != "image/jpeg" {
		c.Errorf("a picture with a quality is a %s", p.Screenshot.Type)
	}
}

func (c *rendererCheck) fullPage() {
	p := c.page("/tall", render.Request{Viewport: render.Viewport{Width: 640, Height: 480}, Screenshot: &render.Shot{Full: true}})
	c.picture(p.Screenshot, 640, 3000)
}

// picture checks the size of a picture, and that it is blue.
func (c *rendererCheck) picture(p *render.Picture, width, height int) {
	c.Helper()
	if p == nil {
		c.Error("there is no picture")
		return
	}
	decode := png.Decode
	if p.Type == "image/jpeg" {
		decode = jpeg.Decode
	}
	img, err := decode(bytes.NewReader(p.Data))
	if err != nil {
		c.Errorf("the picture, a %s: %v", p.Type, err)
		return
	}
	if size := img.Bounds().Size(); size.X != width || size.Y != height {
		c.Errorf("the picture has the size %v, want %d x %d", size, width, height)
		return
	}
	if r, _, b, _ := img.At(width/2, height-2).RGBA(); r>>8 > 20 || b>>8 < 235 {
		c.Errorf("the last line of the picture is %v", img.At(width/2, height-2))
	}
}

func (c *rendererCheck) pdf() {
	if p := c.page("/", render.Request{PDF: &render.Paper{}}); !bytes.HasPrefix(p.PDF, []byte("%PDF-")) {
		c.Errorf("the PDF begins with %.20q", p.PDF)
	}
}

func (c *rendererCheck) languages() {
	c.has(c.page("/echo", render.Request{Languages: []string{"de-CH", "fr"}}), "languages=de-CH", true)
}

func (c *rendererCheck) mobile() {
	c.has(c.page("/echo", render.Request{Mobile: true}), "Mobile", true)
}

func (c *rendererCheck) scroll() {
	c.has(c.page("/feed", render.Request{}), "item 99", false)
	c.has(c.page("/feed", render.Request{Scroll: &render.Until{}}), "item 99", true)
	p := c.page("/feed", render.Request{Scroll: &render.Until{MaxScrolls: 1}})
	c.has(p, "item 99", false)
	if len(p.Warnings) == 0 {
		c.Error("no warning says that the page was not scrolled to its end")
	}
}

func (c *rendererCheck) styles() {
	p := c.page("/styled", render.Request{Styles: true})
	i := slices.IndexFunc(p.Styles, func(s render.Style) bool { return s.Element == "h1" })
	if i < 0 || p.Styles[i].Properties["color"] != "rgb(1, 2, 3)" {
		c.Errorf("the styles are %+v", p.Styles)
	}
}

func (c *rendererCheck) block() {
	p := c.page("/ads", render.Request{Block: render.Block{Ads: func(url, _ string) bool { return strings.HasSuffix(url, "/ad.png") }}})
	c.has(p, "text", true)
	if c.asked("/ad.png") != 0 || c.asked("/photo.png") != 1 {
		c.Errorf("an advertisement was requested %d times, and a picture %d times", c.asked("/ad.png"), c.asked("/photo.png"))
	}
	if !slices.ContainsFunc(p.Failed, func(f render.Failed) bool { return strings.HasSuffix(f.URL, "/ad.png") }) {
		c.Errorf("Failed does not say what was blocked: %v", p.Failed)
	}
}

func (c *rendererCheck) consent() {
	p := c.page("/consent", render.Request{})
	c.has(p, "nothing was answered", true)
	p = c.page("/consent", render.Request{Block: render.Block{Consent: render.RefuseConsent}})
	c.has(p, "answered yes", false)
	if len(p.Warnings) == 0 {
		c.Error("no warning says what was done about the banner")
	}
	c.has(c.page("/consent", render.Request{Block: render.Block{Consent: render.AcceptConsent}}), "answered yes", true)
}

func (c *rendererCheck) session() {
	opener := c.r.(render.Opener) //nolint:forcetypeassert // see rendererSuite
	open := func(path string) (render.Session, *render.Page) {
		s, p, err := opener.Open(c.Context(), &render.Request{URL: c.site + path, Timeout: patience})
		if err != nil {
			c.Fatalf("Open(%s): %v", path, err)
		}
		c.Cleanup(func() { _ = s.Close() })
		return s, p
	}
	s, p := open("/set")
	c.has(p, "set", true)
	for _, steps := range [][]render.Step{{{Kind: render.Click, Selector: "#again"}, {Kind: render.Wait, Selector: "#s"}}, nil} {
		p, err := s.Do(c.Context(), steps)
		if err != nil {
			c.Fatalf("Do: %v", err)
		}
		c.has(p, "storage=stored;", true)
		c.has(p, "cookie=seen=1;", true)
	}
	if _, err := s.Do(c.Context(), []render.Step{{Kind: render.Click, Selector: "#none"}}); !is[*render.StepError](err) {
		c.Errorf("a step that cannot be done: %v", err)
	}
	if p, err := s.Do(c.Context(), []render.Step{{Kind: render.Scrape}}); err != nil || len(p.Results) != 1 {
		c.Errorf("after a step that failed: %+v, %v", p, err)
	}
	if err := s.Close(); err != nil {
		c.Errorf("Close: %v", err)
	}
	if _, err := s.Do(c.Context(), nil); !errors.Is(err, render.ErrClosed) {
		c.Errorf("a closed session: %v", err)
	}
	_, p = open("/storage")
	c.has(p, "storage=undefined;", true)
}
