// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/test/leak"
)

var update = flag.Bool("update", false, "write static.json.gz")

func TestMain(m *testing.M) { leak.Main(m) }

// TestStatic holds that the archive contains the files of the folder static. With -update it writes the
// archive.
func TestStatic(t *testing.T) {
	folder := os.DirFS("static")
	names, err := fs.Glob(folder, "*")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		texts := map[string]string{}
		for _, name := range names {
			data, err := fs.ReadFile(folder, name)
			if err != nil {
				t.Fatal(err)
			}
			texts[name] = string(data)
		}
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		if err := errors.Join(e.Encode(texts), w.Close(), os.WriteFile("static.json.gz", b.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
		static = b.Bytes()
	}
	all, err := files()
	if err != nil || len(all) != len(names) {
		t.Fatalf("the archive has %d files, and the folder %d; run go test ./console -update: %v", len(all), len(names), err)
	}
	for _, name := range names {
		if data, err := fs.ReadFile(folder, name); err != nil || !bytes.Equal(data, all[name].data) {
			t.Errorf("%s differs from that of the archive; run go test ./console -update: %v", name, err)
		}
	}
}

// site is a small site with a link to a page that does not exist and one to another site.
const site = `
-- http://a.test/ --
<title>A</title><main><p>The first page of a small site.</p><a href="/b">b</a> <a href="/missing">m</a> <a href="http://other.test/">o</a></main>
-- http://a.test/b --
<title>B</title><main><p>The second page of a small site.</p><a href="/#top">a</a></main>
`

// open returns a console with a service that knows the site, for the key "k" of the team "t"
// and the key "u" of the team "u".
func open(t *testing.T, o Options) (*Handler, *curlew.Service) {
	t.Helper()
	service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(site)), LocalNames: true}
	t.Cleanup(func() {
		if err := service.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	o.Authenticator = httpapi.StaticKeys(map[string]account.Team{"k": {ID: "t"}, "u": {ID: "u"}})
	h, err := New(service, &o)
	if err != nil {
		t.Fatal(err)
	}
	return h, service
}

// answered is the answer to a request.
type answered struct {
	StatusCode int
	Header     http.Header
	body       string
}

// ask makes a request with a key and returns the answer. A body that starts with "<" is HTML.
func ask(t *testing.T, h *Handler, method, path, key, body string) answered {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if strings.HasPrefix(body, "<") {
		r.Header.Set("Content-Type", "text/html")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return answered{w.Code, w.Header(), w.Body.String()}
}

// decode reads an answer with status 200.
func decode(t *testing.T, r answered, into any) {
	t.Helper()
	if r.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", r.StatusCode, r.body)
	}
	if err := json.Unmarshal([]byte(r.body), into); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
}

func TestNew(t *testing.T) {
	for name, fault := range map[string]func() error{
		"no service": func() error { _, err := New(nil, &Options{InsecureNoAuth: true}); return err },
		"no keys":    func() error { _, err := New(new(curlew.Service), nil); return err },
	} {
		if fault() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestFiles checks that the page and all that it loads is served with a strict policy, which
// its own text satisfies.
func TestFiles(t *testing.T) {
	h, _ := open(t, Options{})
	page := ask(t, h, "GET", "/console/", "", "")
	text := page.body
	if got := page.Header.Get("Content-Security-Policy"); !strings.Contains(got, "script-src 'self';") || strings.Contains(got, "unsafe") {
		t.Error(got)
	}
	if regexp.MustCompile(`(?i)<style|\sstyle=|\son\w+=|<script(?:[^>]*)>[^<]|https?://`).MatchString(text) {
		t.Error("the page has something inline, or loads something from elsewhere")
	}
	all, err := files()
	if err != nil || len(all) < 10 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	for name, f := range all {
		r := ask(t, h, "GET", "/console/static/"+name, "", "")
		if got := r.body; r.StatusCode != 200 || got != string(f.data) || r.Header.Get("Content-Type") == "" {
			t.Errorf("%s: status %d, %d bytes", name, r.StatusCode, len(got))
		}
		if regexp.MustCompile(`\.(?:inner|outer)HTML|insertAdjacentHTML|srcdoc|document\.write|\beval\(|new Function`).Match(f.data) {
			t.Errorf("%s parses text as HTML or script", name)
		}
		again := httptest.NewRequestWithContext(t.Context(), "GET", "/console/static/"+name, nil)
		again.Header.Set("If-None-Match", f.id)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, again)
		if w.Code != http.StatusNotModified {
			t.Errorf("%s again: status %d", name, w.Code)
		}
	}
	if r := ask(t, h, "GET", "/console", "", ""); r.StatusCode != http.StatusPermanentRedirect || r.Header.Get("Location") != "console/" {
		t.Error(r.StatusCode, r.Header.Get("Location"))
	}
	for _, path := range []string{"/console/x", "/console/static/none", "/console/static/..%2fconsole.go"} {
		if r := ask(t, h, "GET", path, "", ""); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, r.StatusCode)
		}
	}
}

// TestKeys checks that each route that shows something of a team needs a key.
func TestKeys(t *testing.T) {
	h, _ := open(t, Options{})
	for _, route := range []string{
		"GET /console/api/jobs", "GET /console/api/jobs/x/pages", "GET /console/api/jobs/x/unseen", "GET /console/api/jobs/x/request", "GET /console/api/keys", "GET /console/api/audit",
		"POST /console/api/code/crawl", "POST /console/api/preview", "POST /console/api/picture",
	} {
		method, path, _ := strings.Cut(route, " ")
		for _, key := range []string{"", "wrong"} {
			if r := ask(t, h, method, path, key, ""); r.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s with key %q: status %d", route, key, r.StatusCode)
			}
		}
	}
	var s struct{ Key, Ready bool }
	if decode(t, ask(t, h, "GET", "/console/api/system", "", ""), &s); !s.Key || !s.Ready {
		t.Error(s)
	}
}

// TestJobs runs a crawl and reads it as the page does.
func TestJobs(t *testing.T) {
	h, service := open(t, Options{})
	request := &curlew.CrawlRequest{URL: "http://a.test/"}
	request.Caller.Team.ID = "t"
	j, err := service.StartCrawl(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	var list struct {
		Jobs []listed
		More int
	}
	if decode(t, ask(t, h, "GET", "/console/api/jobs", "k", ""), &list); len(list.Jobs) != 1 || list.Jobs[0].Delivered != 3 || list.Jobs[0].State != "completed" {
		t.Errorf("%+v", list)
	}
	if decode(t, ask(t, h, "GET", "/console/api/jobs", "u", ""), &list); len(list.Jobs) != 0 {
		t.Errorf("another team sees %+v", list)
	}
	var pages struct {
		State string
		Pages []summary
	}
	path := "/console/api/jobs/" + j.ID() + "/pages?state=&after="
	if decode(t, ask(t, h, "GET", path+"0", "k", ""), &pages); len(pages.Pages) != 3 || pages.State != "completed" || pages.Pages[1].N != 1 {
		t.Errorf("%+v", pages)
	}
	pages.Pages = nil
	if decode(t, ask(t, h, "GET", path+"1", "k", ""), &pages); len(pages.Pages) != 2 {
		t.Errorf("%+v", pages)
	}
	for query, want := range map[string]int{path + "x": 400, path + "-1": 400, strings.Replace(path, j.ID(), "none", 1) + "0": 404} {
		if r := ask(t, h, "GET", query, "k", ""); r.StatusCode != want {
			t.Errorf("%s: status %d", query, r.StatusCode)
		}
	}
	if r := ask(t, h, "GET", path+"0", "u", ""); r.StatusCode != 404 {
		t.Errorf("another team reads the job: status %d", r.StatusCode)
	}
	var links struct {
		Links          []unseenLink
		Read, Of, Bare int
	}
	if decode(t, ask(t, h, "GET", "/console/api/jobs/"+j.ID()+"/unseen", "k", ""), &links); links.Read != 3 || links.Of != 3 || links.Bare != 3 {
		t.Errorf("%+v", links)
	}
}

// post starts a job over the contract and returns its id.
func post(t *testing.T, service *curlew.Service, path, body string) string {
	t.Helper()
	api, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{"k": {ID: "t"}})})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), "POST", path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer k")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	var started struct{ ID string }
	if err := json.Unmarshal(w.Body.Bytes(), &started); err != nil || started.ID == "" {
		t.Fatalf("%v: %s", err, w.Body)
	}
	j, err := service.Job(t.Context(), "t", started.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return started.ID
}

// TestRequest reads the requests of jobs and of their pages.
func TestRequest(t *testing.T) {
	h, service := open(t, Options{})
	const base = "base=https%3A%2F%2Fapi.test%2Fp%2F"
	var got written
	crawl := post(t, service, "/v2/crawl", `{"url":"http://a.test/","limit":2,"scrapeOptions":{"formats":["links"],"headers":{"Cookie":"hush"}},"origin":"console"}`)
	path := "/console/api/jobs/" + crawl + "/request?" + base
	decode(t, ask(t, h, "GET", path, "k", ""), &got)
	want := `curl 'https://api.test/p/v2/crawl' \
  -H "Authorization: Bearer $CURLEW_API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
  "url": "http://a.test/",
  "limit": 2,
  "scrapeOptions": { "formats": ["links"], "headers": { "Cookie": "REPLACE_ME" } }
}'`
	if got.Curl != want || !strings.Contains(got.Go, "client.Crawl{") || !strings.Contains(got.JS, ".crawl(") || len(got.Notes) != 1 || got.Stored != "" {
		t.Errorf("%+v\n%s", got.Code, got.Curl)
	}
	decode(t, ask(t, h, "GET", path+"&page=1", "k", ""), &got)
	if !strings.Contains(got.Curl, "/p/v2/scrape") || !strings.Contains(got.Curl, `"url": "http://a.test/b", "formats": ["links"]`) || !strings.Contains(got.Stored, "/v2/crawl/"+crawl+"?skip=1&limit=1'") {
		t.Errorf("%s\n%s", got.Curl, got.Stored)
	}
	urls := make([]string, 130)
	for i := range urls {
		urls[i] = "http://a.test/b"
	}
	list, err := json.Marshal(urls)
	if err != nil {
		t.Fatal(err)
	}
	batch := post(t, service, "/v2/batch/scrape", `{"urls":`+string(list)+`,"formats":["markdown"],"maxConcurrency":3}`)
	decode(t, ask(t, h, "GET", "/console/api/jobs/"+batch+"/request?"+base, "k", ""), &got)
	if strings.Count(got.Curl, "http://a.test/b") != 100 || !strings.Contains(strings.Join(got.Notes, " "), "Add the other 30.") {
		t.Errorf("%s\n%s", got.Notes, got.Curl)
	}
	decode(t, ask(t, h, "GET", "/console/api/jobs/"+batch+"/request?page=0&"+base, "k", ""), &got)
	if !strings.Contains(got.Curl, `{ "url": "http://a.test/b", "formats": ["markdown"] }`) {
		t.Error(got.Curl)
	}
	decode(t, ask(t, h, "POST", "/console/api/code/search?"+base, "k", `{"query":"it's","sources":["web"]}`), &got)
	if !strings.Contains(got.JS, `client.search("it's", { sources: ["web"] })`) {
		t.Error(got.JS)
	}
	r := &curlew.CrawlRequest{URL: "http://a.test/"}
	r.Caller.Team.ID = "t"
	direct, err := service.StartCrawl(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", path + "&page=2", "", 404},
		{"GET", path + "&page=-1", "", 400},
		{"GET", strings.Replace(path, "https", "javascript", 1), "", 400},
		{"GET", "/console/api/jobs/" + direct.ID() + "/request?" + base, "", 404},
		{"POST", "/console/api/code/none?" + base, "{}", 404},
		{"POST", "/console/api/code/crawl?" + base, "[]", 400},
		{"POST", "/console/api/code/crawl?" + base, strings.Repeat(" ", maxBody) + "{}", 413},
	} {
		if r := ask(t, h, tt.method, tt.path, "k", tt.body); r.StatusCode != tt.status {
			t.Errorf("%s %s: status %d, want %d: %s", tt.method, tt.path, r.StatusCode, tt.status, r.body)
		}
	}
	if r := ask(t, h, "GET", path, "u", ""); r.StatusCode != 404 {
		t.Errorf("another team reads the request: status %d", r.StatusCode)
	}
}

// TestPreview checks that a rendered document is delivered once, under a policy without
// scripts.
func TestPreview(t *testing.T) {
	h, _ := open(t, Options{})
	var made struct {
		Token   string
		Dropped int
	}
	decode(t, ask(t, h, "POST", "/console/api/preview", "k", "# A *b*\n\n<script>x()</script>\n\n[l](javascript:x) [m](https://b.test/?a=1&b=2)\n\n![p](http://c.test/i.png)"), &made)
	r := ask(t, h, "GET", "/console/preview/"+made.Token, "", "")
	text := r.body
	if got := r.Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "sandbox ") || !strings.Contains(got, "default-src 'none'") || strings.Contains(got, "script") {
		t.Error(got)
	}
	for _, want := range []string{"<h1>A <em>b</em></h1>", `href="https://b.test/?a=1&amp;b=2"`, `rel="noopener noreferrer nofollow"`, `<span class="image">p</span>`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	if strings.Contains(text, "script") || strings.Contains(text, "i.png") || made.Dropped != 1 {
		t.Error(made.Dropped, text)
	}
	if r := ask(t, h, "GET", "/console/preview/"+made.Token, "", ""); r.StatusCode != http.StatusGone {
		t.Errorf("a second time: status %d", r.StatusCode)
	}
	if h.previews.bytes != 0 {
		t.Errorf("%d bytes are kept", h.previews.bytes)
	}
	if r := ask(t, h, "POST", "/console/api/preview", "k", strings.Repeat("x", maxSource+1)); r.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a long document: status %d", r.StatusCode)
	}
	if r := ask(t, h, "POST", "/console/api/picture?page=1", "k", "%PDF"); r.StatusCode != http.StatusNotImplemented {
		t.Errorf("a picture without a program: status %d", r.StatusCode)
	}
}

func TestPreviews(t *testing.T) {
	var p previews
	big := make([]byte, maxPreviews/2+1)
	if _, err := p.add(big); err != nil {
		t.Fatal(err)
	}
	if _, err := p.add(big); err == nil {
		t.Error("more than the limit is kept")
	}
	for token, page := range p.pages {
		p.pages[token] = rendered{page.body, time.Now().Add(-2 * previewTime)}
		if _, ok := p.take(token); ok {
			t.Error("an old document is delivered")
		}
	}
	if p.bytes != 0 || len(p.pages) != 0 {
		t.Error(p.bytes, len(p.pages))
	}
}

// FuzzPrinter checks that no HTML gets anything through the printer but the elements and
// attributes on its lists.
func FuzzPrinter(f *testing.F) {
	for _, s := range []string{
		"<p onclick=x style=y>a</p>", "<svg><a xlink:href=javascript:x><script>1</script></svg>", "<a href=' JavaScript:x'>l</a><a href=data:text/html,x>d</a>",
		"<img src=x onerror=y alt='\"><script>'>", "<table><td colspan=9999999 rowspan=2>", "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
		"<noscript><p title='</noscript><img src=x onerror=alert(1)>'>", "<plaintext><b>", "<iframe srcdoc='<script>'>", "<img src='data:image/png;base64,AA\"onerror=x'>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		var parser dom.Parser
		tree, err := parser.Parse(t.Context(), []byte(source), "text/html; charset=utf-8")
		if err != nil {
			t.Skip(err)
		}
		var p printer
		p.node(tree.Root)
		again, err := parser.Parse(t.Context(), p.out.Bytes(), "text/html; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		for n := range again.Root.Descendants() {
			if n.Type != html.ElementNode || n.Data == "html" || n.Data == "head" || n.Data == "body" || n.Data == "colgroup" {
				continue
			}
			if name := n.Data; !kept[n.DataAtom] && name != "a" && name != "img" && name != "span" {
				t.Fatalf("element %s from %q in %q", name, source, p.out.String())
			}
			for _, a := range n.Attr {
				switch {
				case a.Key == "colspan", a.Key == "rowspan", a.Key == "start", a.Key == "value", a.Key == "rel", a.Key == "target", a.Key == "alt", a.Key == "class" && a.Val == "image":
				case a.Key == "href" && regexp.MustCompile(`(?i)^(?:https?|mailto):`).MatchString(a.Val):
				case a.Key == "src" && strings.HasPrefix(a.Val, "data:image/"):
				default:
					t.Fatalf("attribute %s=%q from %q", a.Key, a.Val, source)
				}
			}
		}
	})
}

func TestTrail(t *testing.T) {
	next := new(Trail)
	trail := &Trail{Next: next}
	for i := range maxTrail + 10 {
		team := "t"
		if i%2 == 1 {
			team = "u"
		}
		if err := audit.Send(t.Context(), trail, audit.Event{TeamID: team, URL: "http://a.test/", Domain: "a.test", ZeroRetention: i == maxTrail+8}); err != nil {
			t.Fatal(err)
		}
	}
	list, end, lost := trail.after("t", 0, maxTrail)
	if len(list) != maxTrail/2 || end != maxTrail+10 || lost != 10 {
		t.Error(len(list), end, lost)
	}
	if last := list[len(list)-1]; last.URL != "" || last.Domain != "" {
		t.Error("an event under zero retention keeps its URL")
	}
	if list, end, _ := trail.after("t", end, 10); len(list) != 0 || end != maxTrail+10 {
		t.Error(len(list), end)
	}
	if list, _, _ := next.after("u", 0, maxTrail); len(list) != maxTrail/2 {
		t.Error("the next sink got", len(list))
	}
	h, _ := open(t, Options{Trail: trail})
	var got struct {
		Events []map[string]any
		Next   int
	}
	if decode(t, ask(t, h, "GET", "/console/api/audit?after=2000", "k", ""), &got); len(got.Events) != 5 || got.Next != maxTrail+10 {
		t.Errorf("%+v", got)
	}
}

func TestKeysOfTeam(t *testing.T) {
	keys := new(account.Keys)
	for _, team := range []string{"t", "u"} {
		if _, _, err := keys.Create(t.Context(), team, "of "+team, 0); err != nil {
			t.Fatal(err)
		}
	}
	h, _ := open(t, Options{Keys: keys})
	var got struct{ Keys []shownKey }
	r := ask(t, h, "GET", "/console/api/keys", "k", "")
	body := r.body
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Keys) != 1 || got.Keys[0].Name != "of t" || strings.Contains(body, "sha256") {
		t.Error(body)
	}
}
