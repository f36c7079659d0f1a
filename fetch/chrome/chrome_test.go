// SPDX-License-Identifier: Apache-2.0

//go:build linux

package chrome_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/chrome"
	"example.com/curlew/fetch/render"
)

// nobody is the user of the browser if the tests run as root, because the
// sandbox refuses to run as root.
const nobody = 65534

// start returns a browser that is closed when the test ends.
func start(t testing.TB, o chrome.Options) *chrome.Browser {
	t.Helper()
	if err := exec.CommandContext(t.Context(), "unshare", "-U", "true").Run(); err != nil {
		t.Skip("the kernel forbids user namespaces, which Chromium's sandbox needs")
	}
	if o.Allow == nil {
		o.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
	if os.Getuid() == 0 && !o.NoSandbox {
		given := o.Command
		o.Command = func(c *exec.Cmd, dir string) {
			_ = os.Chown(dir, nobody, nobody)
			c.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
			if given != nil {
				given(c, dir)
			}
		}
	}
	b, err := chrome.Start(context.WithoutCancel(t.Context()), &o)
	if errors.Is(err, chrome.ErrNotFound) {
		t.Skip("no Chromium")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	return b
}

// common is the browser of all tests that need neither an option nor a browser of their own.
var common struct {
	once    sync.Once
	browser *chrome.Browser
}

// shared returns the common browser, which allows scripts and reaches only 127.0.0.1. It
// has many tabs, so that no page waits for the tests that run at the same time.
func shared(t testing.TB) *chrome.Browser {
	t.Helper()
	common.once.Do(func() {
		common.browser = start(unclosed{t}, chrome.Options{Script: true, Tabs: 32, Pages: 1000, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	})
	if common.browser == nil {
		t.Skip("no browser, or no user namespaces: see the test that was skipped first")
	}
	return common.browser
}

// unclosed is a test that leaves its browser open for the others.
type unclosed struct{ testing.TB }

func (unclosed) Cleanup(func()) {}

func TestMain(m *testing.M) {
	code := m.Run()
	if b := common.browser; b != nil {
		if err := b.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// patience is the Timeout of pages that must be shown. It is long, because a browser is slow
// on a busy machine.
const patience = 4 * time.Minute

// show shows a page, which must succeed.
func show(t testing.TB, b *chrome.Browser, r *render.Request) *render.Page {
	t.Helper()
	r.Timeout = cmp.Or(r.Timeout, patience)
	p, err := b.Render(t.Context(), r)
	if err != nil {
		t.Fatalf("%s: %v", r.URL, err)
	}
	return p
}

// filler is enough text for the browser to take a page with scripts for complete.
var filler = "<p>" + strings.Repeat("A sentence that is always there. ", 10) + "</p>"

// serve returns the URL of a site that is closed when the test ends.
func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// site serves the pages of most tests.
func site() http.Handler {
	mux := http.NewServeMux()
	page := func(path, html string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, html)
		})
	}
	page("/{$}", `<!DOCTYPE html><title>T</title><h1>Home</h1>`+filler+`<p id=p></p><script>p.textContent = "made by a script"; console.warn("careful", 1); document.cookie = "seen=1"; localStorage.seen = 1</script>`)
	page("/form", `<!DOCTYPE html><form action=/sent><input name=q><button id=b>Go</button></form><ul id=l></ul>
		<button class=more onclick="l.innerHTML += '<li>' + l.children.length">More</button><button class=more onclick="l.innerHTML += '<li>second'">More</button><div style="height:5000px"></div><p id=end>end</p>`)
	page("/endless", `<!DOCTYPE html><p>before</p><script>setTimeout(() => { for (;;); }, 300)</script>`)
	page("/jump", `<!DOCTYPE html><script>location = "http://127.0.0.1:1/"</script>`)
	page("/big", `<!DOCTYPE html><body><script>document.body.textContent = "x".repeat(1 << 20)</script>`)
	page("/crash", `<!DOCTYPE html><p>crash</p>`)
	mux.HandleFunc("/sent", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<p>got %s</p>", r.FormValue("q"))
	})
	mux.HandleFunc("/headers", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<p>key %s, cookie %s, languages %s, agent %s, hints %s %s</p>", r.Header.Get("X-Key"), r.Header.Get("Cookie"), r.Header.Get("Accept-Language"), r.UserAgent(),
			r.Header.Get("Sec-Ch-Ua-Mobile"), strings.Trim(r.Header.Get("Sec-Ch-Ua-Platform"), `"`))
	})
	mux.HandleFunc("/hop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) })
	mux.HandleFunc("/pdf", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		fmt.Fprint(w, "%PDF-1.4 not really")
	})
	mux.HandleFunc("/download", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", "attachment")
		fmt.Fprint(w, "bytes")
	})
	return mux
}

// TestRender shows one page with a screenshot and a PDF, and checks all results.
func TestRender(t *testing.T) {
	t.Parallel()
	at := serve(t, site())
	b := shared(t)
	p := show(t, b, &render.Request{URL: at + "/hop", Screenshot: &render.Shot{}, PDF: &render.Paper{}})
	if p.URL != at+"/" || p.Status != http.StatusOK || strings.Join(p.Hops, " ") != at+"/hop "+at+"/" || p.Ready != render.ReadyQuiet {
		t.Errorf("got %s, %d, %v, %s", p.URL, p.Status, p.Hops, p.Ready)
	}
	if !strings.Contains(string(p.HTML), `<p id="p">made by a script</p>`) {
		t.Errorf("HTML: %s", p.HTML)
	}
	if len(p.Console) != 1 || p.Console[0] != "warning: careful 1" {
		t.Errorf("console: %q", p.Console)
	}
	if img, err := png.Decode(bytes.NewReader(p.Screenshot.Data)); err != nil || img.Bounds().Dx() != 1280 || img.Bounds().Dy() != 800 || p.Screenshot.Type != "image/png" {
		t.Errorf("screenshot: %v, %v", img, err)
	}
	if !bytes.HasPrefix(p.PDF, []byte("%PDF-")) {
		t.Errorf("PDF: %.20q", p.PDF)
	}
	if p.Requests < 2 || p.Bytes == 0 {
		t.Errorf("%d requests, %d bytes", p.Requests, p.Bytes)
	}
}

// TestOthers checks that a page has the headers, languages and User-Agent of its own
// request, and no cookies of another page.
func TestOthers(t *testing.T) {
	t.Parallel()
	at := serve(t, site())
	b := shared(t)
	show(t, b, &render.Request{URL: at + "/"})
	p := show(t, b, &render.Request{URL: at + "/headers", Header: http.Header{"X-Key": {"k"}}, Languages: []string{"de-CH", "de"}})
	for _, want := range []string{"key k,", "cookie ,", "languages de-CH,de;q=0.9", "Chrome/", "hints ?0 Linux"} {
		if !strings.Contains(string(p.HTML), want) {
			t.Errorf("%q is missing in %s", want, p.HTML)
		}
	}
	if strings.Contains(string(p.HTML), "Headless") {
		t.Errorf("agent: %s", p.HTML)
	}
	if p = show(t, b, &render.Request{URL: at + "/headers", Mobile: true}); !strings.Contains(string(p.HTML), "hints ?1 Android") || !strings.Contains(string(p.HTML), " Mobile ") {
		t.Errorf("the User-Agent and the hints of a phone: %s", p.HTML)
	}
	p = show(t, b, &render.Request{URL: at + "/headers", Mobile: true, UserAgent: "tester"})
	if !strings.Contains(string(p.HTML), "key ,") || !strings.Contains(string(p.HTML), "agent tester") {
		t.Errorf("%s", p.HTML)
	}
}

// TestFiles checks that documents which are not HTML are returned as bytes.
func TestFiles(t *testing.T) {
	t.Parallel()
	at := serve(t, site())
	b := shared(t)
	for path, want := range map[string]string{"/pdf": "%PDF-1.4 not really", "/download": "bytes"} {
		p := show(t, b, &render.Request{URL: at + path})
		if string(p.Body) != want || p.HTML != nil || p.Status != http.StatusOK {
			t.Errorf("%s: %+v", path, p)
		}
	}
}

// TestRefused checks that pages cannot reach addresses that are not allowed.
func TestRefused(t *testing.T) {
	t.Parallel()
	at := serve(t, site())
	b := shared(t)
	refuse := errors.New("not this one")
	for name, test := range map[string]struct {
		request render.Request
		want    error
	}{
		"address":  {render.Request{URL: "http://169.254.169.254/latest/"}, fetch.ErrAddress},
		"file":     {render.Request{URL: "file:///etc/passwd"}, fetch.ErrScheme},
		"chrome":   {render.Request{URL: "chrome://version"}, fetch.ErrScheme},
		"userinfo": {render.Request{URL: "http://me:you@127.0.0.1/"}, fetch.ErrURL},
		"nowhere":  {render.Request{URL: "http://127.0.0.1:1/"}, fetch.ErrConnect},
		"gate":     {render.Request{URL: at + "/", Gate: func(context.Context, render.Document) error { return refuse }}, refuse},
		"hop": {render.Request{URL: at + "/hop", Gate: func(_ context.Context, d render.Document) error {
			if !strings.HasSuffix(d.URL, "/hop") {
				return refuse
			}
			return nil
		}}, refuse},
		"script": {render.Request{URL: at + "/jump", Gate: func(_ context.Context, d render.Document) error {
			if strings.Contains(d.URL, ":1/") {
				return refuse
			}
			return nil
		}}, refuse},
		"large":      {render.Request{URL: at + "/big", MaxBytes: 1000}, fetch.ErrTooLarge},
		"large file": {render.Request{URL: at + "/pdf", MaxBytes: 4}, fetch.ErrTooLarge},
		"time":       {render.Request{URL: at + "/", Timeout: time.Second, Wait: time.Minute}, fetch.ErrTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			test.request.Timeout = cmp.Or(test.request.Timeout, patience)
			if _, err := b.Render(t.Context(), &test.request); !errors.Is(err, test.want) {
				t.Errorf("got %v; want %v", err, test.want)
			}
		})
	}
}

// TestSteps does each kind of step.
func TestSteps(t *testing.T) {
	t.Parallel()
	at := serve(t, site())
	b := shared(t)
	p := show(t, b, &render.Request{URL: at + "/form", Steps: []render.Step{
		{Kind: render.Click, Selector: ".more", All: true},
		{Kind: render.Scrape},
		{Kind: render.Script, Text: "await null; return {n: document.querySelectorAll('li').length}"},
		{Kind: render.Scroll, Selector: "#end"},
		{Kind: render.Scroll, Up: true},
		{Kind: render.Screenshot, Shot: render.Shot{Quality: 50}},
		{Kind: render.Click, Selector: "input"},
		{Kind: render.Write, Text: "blue chäirs"},
		{Kind: render.Press, Text: "Enter"},
		{Kind: render.Wait, Selector: "p"},
		{Kind: render.Wait, Time: time.Millisecond},
	}})
	if !strings.Contains(string(p.HTML), "<p>got blue chäirs</p>") || !strings.HasPrefix(p.URL, at+"/sent?q=blue") {
		t.Errorf("at %s: %s", p.URL, p.HTML)
	}
	if len(p.Results) != 3 || !strings.Contains(string(p.Results[0].Data), "<li>0</li><li>second</li>") ||
		string(p.Results[1].Value) != `{"n":2}` || p.Results[2].Type != "image/jpeg" {
		t.Errorf("results: %+v", p.Results)
	}
	for name, test := range map[string]struct {
		step render.Step
		want string
	}{
		"no element":  {render.Step{Kind: render.Click, Selector: "#none"}, "step 1 (click): element not found: #none"},
		"no selector": {render.Step{Kind: render.Click, Selector: "#["}, "step 1 (click): selector not valid: #["},
		"no focus":    {render.Step{Kind: render.Write, Text: "a"}, "step 1 (write): no element is focused"},
		"no key":      {render.Step{Kind: render.Press, Text: "Nothing"}, "step 1 (press): key not known: Nothing"},
		"exception":   {render.Step{Kind: render.Script, Text: "throw new Error('bad')"}, "step 1 (script): Error: bad"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.Render(t.Context(), &render.Request{URL: at + "/form", Timeout: patience, Steps: []render.Step{test.step}})
			if fault, ok := errors.AsType[*render.StepError](err); !ok || fault.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestLongPDF prints pages that fill as many sheets as a PDF may have, and one more.
func TestLongPDF(t *testing.T) {
	t.Parallel()
	b := shared(t)
	for sheets, warnings := range map[int][]string{200: nil, 201: {"the pages after page 200 are not in the PDF"}} {
		at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!DOCTYPE html><p>1", strings.Repeat(`<p style="break-before:page">1`, sheets-1))
		}))
		p := show(t, b, &render.Request{URL: at + "/", PDF: &render.Paper{}})
		if n := bytes.Count(p.PDF, []byte("/Type /Page\n")); n != 200 || !slices.Equal(p.Warnings, warnings) {
			t.Errorf("%d sheets: %d pages, warnings %q", sheets, n, p.Warnings)
		}
	}
}

// TestEndless shows a page whose script never ends.
func TestEndless(t *testing.T) {
	at := serve(t, site())
	t.Parallel()
	b := start(t, chrome.Options{})
	p := show(t, b, &render.Request{URL: at + "/endless"})
	if !strings.Contains(string(p.HTML), "before") || p.Ready != render.ReadyCap || len(p.Warnings) != 2 {
		t.Errorf("%s, %q: %s", p.Ready, p.Warnings, p.HTML)
	}
	if p := show(t, b, &render.Request{URL: at + "/"}); len(p.HTML) == 0 {
		t.Error("the next page is empty")
	}
}

// TestCrash kills the browser while it shows pages. It checks that a page is tried
// again, unless a step has been done.
func TestCrash(t *testing.T) {
	t.Parallel()
	clicked := make(chan struct{}, 1)
	mux := http.NewServeMux()
	mux.Handle("/", site())
	mux.HandleFunc("/clicked", func(http.ResponseWriter, *http.Request) { clicked <- struct{}{} })
	mux.HandleFunc("/button", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><button onclick="fetch('/clicked')">Click</button>`)
	})
	at := serve(t, mux)
	b := start(t, chrome.Options{})
	var wg sync.WaitGroup
	acting, err := make(chan struct{}), make([]error, 3)
	for i := range err {
		asked := 0
		r := &render.Request{URL: at + "/", Timeout: patience, Gate: func(ctx context.Context, _ render.Document) error {
			if asked++; asked > 1 {
				return nil
			}
			select { // kill the browser at this moment
			case <-acting:
			case <-ctx.Done():
			}
			return nil
		}}
		if i == 0 {
			r = &render.Request{URL: at + "/button", Timeout: patience, Steps: []render.Step{
				{Kind: render.Click, Selector: "button"}, {Kind: render.Wait, Selector: "#never"},
			}}
		}
		wg.Go(func() { _, err[i] = b.Render(t.Context(), r) })
	}
	<-clicked
	b.Kill()
	close(acting)
	wg.Wait()
	if !errors.Is(err[0], render.ErrCrashed) {
		t.Errorf("the page with a step: %v, want ErrCrashed", err[0])
	}
	for i, err := range err[1:] {
		if err != nil {
			t.Errorf("page %d: %v", i, err)
		}
	}
}

// TestCrashInStep kills the browser while it waits for the answer to a click.
func TestCrashInStep(t *testing.T) {
	t.Parallel()
	clicked, killed := make(chan struct{}), make(chan struct{})
	at := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/clicked" {
			close(clicked)
			<-killed
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><button onclick="r = new XMLHttpRequest(); r.open('GET', '/clicked', false); r.send()">Click</button>`)
	}))
	b := start(t, chrome.Options{})
	ended := make(chan error)
	go func() {
		_, err := b.Render(t.Context(), &render.Request{URL: at + "/", Timeout: patience, Steps: []render.Step{{Kind: render.Click, Selector: "button"}}})
		ended <- err
	}()
	<-clicked
	b.Kill()
	close(killed)
	if err := <-ended; !errors.Is(err, render.ErrCrashed) {
		t.Errorf("%v, want ErrCrashed", err)
	}
}

// TestBusy checks that a page which gets no tab in half of its time is refused.
func TestBusy(t *testing.T) {
	t.Parallel()
	at := serve(t, site())
	b := start(t, chrome.Options{Tabs: 1})
	held, leave, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := b.Render(t.Context(), &render.Request{URL: at + "/", Timeout: patience, Gate: func(context.Context, render.Document) error {
			close(held)
			<-leave
			return nil
		}})
		ended <- err
	}()
	<-held
	if _, err := b.Render(t.Context(), &render.Request{URL: at + "/", Timeout: time.Second}); !errors.Is(err, render.ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	close(leave)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestEnd checks that a closed browser leaves no process or profile, and that a
// browser is restarted after Options.Pages pages.
func TestEnd(t *testing.T) {
	t.Parallel()
	at := serve(t, site())
	var mu sync.Mutex
	var profiles []string
	b := start(t, chrome.Options{Pages: 1, Tabs: 2, Command: func(_ *exec.Cmd, dir string) {
		mu.Lock()
		defer mu.Unlock()
		profiles = append(profiles, dir)
	}})
	first := b.Pid()
	if _, _, err := b.Open(t.Context(), &render.Request{URL: at + "/", Timeout: patience}); err != nil { // it stays open in the first browser
		t.Fatal(err)
	}
	show(t, b, &render.Request{URL: at + "/"})
	second := b.Pid()
	if first == second {
		t.Error("the browser was not started again")
	}
	_, _ = b.Close(t.Context()), b.Close(t.Context())
	for _, pid := range []int{first, second} {
		for i := 0; !errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH); i++ {
			if i == 1000 {
				t.Fatalf("the group %d is left", pid)
			}
			time.Sleep(10 * time.Millisecond) // until the system has removed the killed processes
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(profiles) < 2 {
		t.Errorf("%d profiles, want one for each browser", len(profiles))
	}
	for _, dir := range profiles {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the profile %s is left: %v", dir, err)
		}
	}
	if _, err := b.Render(t.Context(), &render.Request{URL: at + "/"}); !errors.Is(err, render.ErrClosed) {
		t.Errorf("a closed browser: %v", err)
	}
	script := []render.Step{{Kind: render.Script, Text: "return 1"}}
	if _, err := b.Render(t.Context(), &render.Request{URL: at + "/", Steps: script}); !errors.Is(err, render.ErrUnsupported) {
		t.Errorf("a script that is not allowed: %v", err)
	}
	if _, err := chrome.Start(t.Context(), &chrome.Options{Path: "/no/such/program"}); !errors.Is(err, chrome.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}
