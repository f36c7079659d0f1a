// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/httpapi"
	"example.com/curlew/webhook"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/test/webtest"
	"example.com/curlew/job"
)

// receiver records events and answers each attempt with a given status.
type receiver struct {
	answer  func(attempt int, e hookEvent) int // nil answers 200
	latency time.Duration

	mu       sync.Mutex
	attempts []hookEvent // guarded by mu
}

type hookEvent struct {
	Success   bool
	Type      string
	ID        string
	WebhookID string
	Data      []struct {
		Markdown *string
		Metadata struct{ SourceURL, ScrapeID string }
	}
	Error    string
	Metadata map[string]string

	at     time.Duration // time of arrival
	url    string        // path of the URL
	status int
	header http.Header
	body   []byte
}

// page returns the URL of the page in a page event.
func (e hookEvent) page() string {
	if len(e.Data) == 0 {
		return ""
	}
	return e.Data[0].Metadata.SourceURL
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	e := hookEvent{header: req.Header}
	e.body, _ = io.ReadAll(req.Body)
	if err := json.Unmarshal(e.body, &e); err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	e.at = time.Since(bubbleStart)
	time.Sleep(r.latency)
	e.url = req.URL.Path
	r.mu.Lock()
	defer r.mu.Unlock()
	e.status = http.StatusOK
	if r.answer != nil {
		e.status = r.answer(len(r.attempts), e)
	}
	r.attempts = append(r.attempts, e)
	if e.status >= 300 && e.status < 400 {
		w.Header().Set("Location", "http://elsewhere.test/")
	}
	w.WriteHeader(e.status)
}

// bubbleStart is the time at which every synctest bubble begins.
var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// all returns the attempts so far.
func (r *receiver) all() []hookEvent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.attempts)
}

// story returns the attempts as lines with time, type, page and status. Times
// are rounded, because writing files takes some time.
func (r *receiver) story() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []string
	for _, e := range r.attempts {
		lines = append(lines, strings.Join(strings.Fields(fmt.Sprintf("%v %s %v %s %s %d", e.at.Round(time.Second), e.Type, e.Success, e.page(), e.Error, e.status)), " "))
	}
	return lines
}

// hooked is a service whose webhooks are sent to a receiver.
type hooked struct {
	*receiver
	service *curlew.Service
	handler *httpapi.Handler
	net     *webtest.Net
	dead    []webhook.Undelivered
}

func newHooked(t *testing.T, web string, store job.Store, secret string, answer func(int, hookEvent) int) *hooked {
	t.Helper()
	h := &hooked{receiver: &receiver{answer: answer}}
	h.open(t, web, store, secret)
	return h
}

func (h *hooked) open(t *testing.T, web string, store job.Store, secret string) {
	t.Helper()
	h.net = webtest.Serve(h.receiver)
	hooks := webhook.Config{
		Secret:      func(context.Context, string) (string, error) { return secret, nil },
		Undelivered: func(_ context.Context, e webhook.Undelivered) { h.dead = append(h.dead, e) },
	}
	h.service = &curlew.Service{Fetcher: fetchtest.New(t, []byte(web)), Store: store, Webhooks: over(hooks, h.net)}
	var err error
	h.handler, err = httpapi.NewHandler(h.service, &httpapi.Options{
		Authenticator: httpapi.StaticKeys(map[string]account.Team{
			"fc-test": {ID: "team", Policy: account.Policy{ZeroRetention: account.RetentionAllowed, MaxConcurrency: 1}},
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (h *hooked) close(t *testing.T) {
	t.Helper()
	if err := h.service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	h.net.Close()
}

// start starts a job and returns its id.
func (h *hooked) start(t *testing.T, path, body string) string {
	t.Helper()
	_, answer := ask(t, h.handler, "POST", path, body)
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &started); err != nil || started.ID == "" {
		t.Fatal(answer, err)
	}
	return started.ID
}

const hookSite = `
-- http://a.test/ --
<p>Home <a href="/one">1</a> <a href="/two">2</a> <a href="/broken">3</a>
-- http://a.test/one --
<p>One.
-- http://a.test/two --
HTTP 200
X-Latency: 30s

<p>Two.
-- http://a.test/broken --
HTTP 200
X-Fault: reset
`

// TestWebhook checks that all events of a crawl are delivered in order with the
// requested members.
func TestWebhook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHooked(t, hookSite, nil, "Jefe", nil)
		defer h.close(t)
		id := h.start(t, "/v2/crawl", `{"url":"http://a.test/","sitemap":"skip","webhook":{"url":"http://hook.test/in?x=1","headers":{"X-Own":"v"},"metadata":{"k":"v"}}}`)
		time.Sleep(time.Hour)
		if diff := gocmp.Diff([]string{
			"crawl.started true 200",
			"crawl.page true http://a.test/ 200",
			"crawl.page true http://a.test/one 200",
			"crawl.page true http://a.test/two 200",
			"crawl.page false http://a.test/broken The site could not be reached. 200",
			"crawl.completed true 200",
		}, timeless(h.story())); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		ids := map[string]bool{}
		for _, e := range h.attempts {
			ids[e.WebhookID] = true
			if e.ID != id || !job.ValidID(e.WebhookID) || e.Metadata["k"] != "v" || e.header.Get("X-Own") != "v" || e.header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: %s %v %v", e.Type, e.body, e.Metadata, e.header)
			}
			if got, want := e.header.Get("X-Firecrawl-Signature"), "sha256="+mac("Jefe", string(e.body)); got != want {
				t.Errorf("%s: signature %s, want %s", e.Type, got, want)
			}
			stamp, v1, _ := strings.Cut(strings.TrimPrefix(e.header.Get("X-Curlew-Signature"), "t="), ",v1=")
			if v1 != mac("Jefe", stamp+"."+string(e.body)) {
				t.Errorf("%s: %s", e.Type, e.header.Get("X-Curlew-Signature"))
			}
		}
		if len(ids) != len(h.attempts) {
			t.Errorf("%d ids of %d events", len(ids), len(h.attempts))
		}
		if started := string(h.attempts[0].body); !strings.HasPrefix(started, `{"success":true,"type":"crawl.started","id":"`+id+`","webhookId":"`) ||
			!strings.HasSuffix(started, `","data":[],"metadata":{"k":"v"}}`) {
			t.Error(started)
		}
		if md := h.attempts[2].Data[0].Markdown; md == nil || *md != "One.\n" {
			t.Errorf("the page's document: %s", h.attempts[2].body)
		}
		// A delivery does not count as a job of the team.
		if _, body := ask(t, h.handler, "GET", "/v2/team/queue-status", ""); !strings.Contains(body, `"jobsInQueue":0`) {
			t.Error(body)
		}
	})
}

// mac computes the signature of the test vector. RFC 4231, case 2, verifies it.
func mac(secret, text string) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(text))
	return hex.EncodeToString(m.Sum(nil))
}

func TestMac(t *testing.T) {
	if got := mac("Jefe", "what do ya want for nothing?"); got != "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" {
		t.Error(got)
	}
}

// timeless removes the time from each line.
func timeless(story []string) []string {
	var lines []string
	for _, line := range story {
		_, rest, _ := strings.Cut(line, " ")
		lines = append(lines, rest)
	}
	return lines
}

func TestWebhookEvents(t *testing.T) {
	for _, test := range []struct {
		name, path, body string
		cancel           bool
		want             []string
	}{
		{name: "only pages", path: "/v2/crawl", body: `{"url":"http://a.test/","limit":2,"webhook":{"url":"http://hook.test/","events":["page"]}}`, want: []string{
			"crawl.page true http://a.test/ 200", "crawl.page true http://a.test/one 200",
		}},
		{name: "only the end", path: "/v2/crawl", body: `{"url":"http://a.test/","limit":2,"webhook":{"url":"http://hook.test/","events":["crawl.completed"]}}`, want: []string{
			"crawl.completed true 200",
		}},
		{name: "a string", path: "/v2/crawl", body: `{"url":"http://a.test/","limit":1,"webhook":"http://hook.test/"}`, want: []string{
			"crawl.started true 200", "crawl.page true http://a.test/ 200", "crawl.completed true 200",
		}},
		{name: "cancelled", path: "/v2/crawl", body: `{"url":"http://a.test/","webhook":{"url":"http://hook.test/","events":["cancelled"]}}`, cancel: true, want: []string{
			"crawl.cancelled false The job was cancelled. 200",
		}},
		{name: "cancelled, reported as completed", path: "/v2/crawl", body: `{"url":"http://a.test/","webhook":{"url":"http://hook.test/","events":["completed"]}}`, cancel: true, want: []string{
			"crawl.completed false The job was cancelled. 200",
		}},
		{name: "cancelled, not subscribed", path: "/v2/crawl", body: `{"url":"http://a.test/","webhook":{"url":"http://hook.test/","events":["failed"]}}`, cancel: true},
		{name: "batch", path: "/v2/batch/scrape", body: `{"urls":["http://a.test/one"],"webhook":"http://hook.test/"}`, want: []string{
			"batch_scrape.started true 200", "batch_scrape.page true http://a.test/one 200", "batch_scrape.completed true 200",
		}},
		{name: "without retention", path: "/v2/crawl", body: `{"url":"http://a.test/","limit":1,"zeroDataRetention":true,"webhook":"http://hook.test/"}`, want: []string{
			"crawl.started true 200", "crawl.page true http://a.test/ 200", "crawl.completed true 200",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHooked(t, hookSite, nil, "", nil)
				defer h.close(t)
				id := h.start(t, test.path, test.body)
				if test.cancel {
					time.Sleep(10 * time.Second)
					ask(t, h.handler, "DELETE", test.path+"/"+id, "")
				}
				time.Sleep(time.Hour)
				if diff := gocmp.Diff(test.want, timeless(h.story())); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
				for _, e := range h.attempts {
					if e.header.Get("X-Firecrawl-Signature") != "" {
						t.Error("signed without a secret")
					}
				}
			})
		})
	}
}

// TestWebhookRetries uses receivers that fail. The attempts of an event are 1,
// 5 and 15 minutes apart, in order, with one ID. After an event has been given
// up, later events get one attempt each until one succeeds.
func TestWebhookRetries(t *testing.T) {
	start := `{"url":"http://a.test/","limit":2,"webhook":"http://hook.test/"}`
	for _, test := range []struct {
		name   string
		answer func(int, hookEvent) int
		want   []string
		dead   int
	}{
		{"the first four", func(attempt int, _ hookEvent) int {
			if attempt < 4 {
				return 500 + attempt
			}
			return 204
		}, []string{
			"0s crawl.started true 500", "1m0s crawl.started true 501", "6m0s crawl.started true 502", "21m0s crawl.started true 503",
			"21m0s crawl.page true http://a.test/ 204", "21m0s crawl.page true http://a.test/one 204", "21m0s crawl.completed true 204",
		}, 1},
		{"the third succeeds", func(attempt int, _ hookEvent) int {
			if attempt < 2 {
				return 404
			}
			return 200
		}, []string{
			"0s crawl.started true 404", "1m0s crawl.started true 404", "6m0s crawl.started true 200",
			"6m0s crawl.page true http://a.test/ 200", "6m0s crawl.page true http://a.test/one 200", "6m0s crawl.completed true 200",
		}, 0},
		{"never", func(int, hookEvent) int { return 302 }, []string{
			"0s crawl.started true 302", "1m0s crawl.started true 302", "6m0s crawl.started true 302", "21m0s crawl.started true 302",
			"21m0s crawl.page true http://a.test/ 302", "21m0s crawl.page true http://a.test/one 302", "21m0s crawl.completed true 302",
		}, 4},
		{"again after one that succeeds", func(_ int, e hookEvent) int {
			if e.page() == "http://a.test/" {
				return 200
			}
			return 503
		}, []string{
			"0s crawl.started true 503", "1m0s crawl.started true 503", "6m0s crawl.started true 503", "21m0s crawl.started true 503",
			"21m0s crawl.page true http://a.test/ 200",
			"21m0s crawl.page true http://a.test/one 503", "22m0s crawl.page true http://a.test/one 503", "27m0s crawl.page true http://a.test/one 503", "42m0s crawl.page true http://a.test/one 503",
			"42m0s crawl.completed true 503",
		}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHooked(t, hookSite, nil, "", test.answer)
				defer h.close(t)
				h.start(t, "/v2/crawl", start)
				time.Sleep(2 * time.Hour)
				if diff := gocmp.Diff(test.want, h.story()); diff != "" {
					t.Errorf("attempts (-want +got):\n%s", diff)
				}
				ids := map[string]string{}
				for _, e := range h.attempts {
					if old, ok := ids[e.Type+e.page()]; ok && old != e.WebhookID {
						t.Errorf("%s: ids %s and %s", e.Type, old, e.WebhookID)
					}
					ids[e.Type+e.page()] = e.WebhookID
				}
				synctest.Wait()
				if len(h.dead) != test.dead {
					t.Fatalf("%d dead letters, want %d", len(h.dead), test.dead)
				}
				for _, d := range h.dead {
					if d.Team != "team" || d.URL != "http://hook.test/" || d.Err == nil || !json.Valid(d.Body) {
						t.Errorf("%+v", d)
					}
				}
			})
		})
	}
}

// TestWebhookSecretKept checks that stored files do not contain the secret.
func TestWebhookSecretKept(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		store, err := job.OpenFiles(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		h := newHooked(t, hookSite, store, "canary-secret", nil)
		h.start(t, "/v2/crawl", `{"url":"http://a.test/","limit":1,"webhook":"http://hook.test/"}`)
		time.Sleep(time.Minute)
		h.close(t)
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		if len(h.attempts) != 3 || h.attempts[0].header.Get("X-Firecrawl-Signature") == "" {
			t.Errorf("%d attempts", len(h.attempts))
		}
	})
	for path, data := range filesBelow(t, dir) {
		if strings.Contains(data, "canary-secret") {
			t.Errorf("%s holds the secret", path)
		}
	}
}

// filesBelow returns the contents of all files below dir. It fails if there are
// none.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	return files
}

// TestWebhookTarget uses targets that are not allowed.
func TestWebhookTarget(t *testing.T) {
	service := new(curlew.Service)
	h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{
		"http://127.0.0.1/", "http://[::1]/", "http://0x7f.1/", "http://2130706433/", "http://169.254.169.254/latest",
		"http://hook.test:22/", "ftp://hook.test/", "http://localhost/", "http://u:p@hook.test/", "",
	} {
		w, body := ask(t, h, "POST", "/v2/crawl", `{"url":"http://a.test/","webhook":{"url":"`+url+`"}}`)
		if w.Code != http.StatusBadRequest || !strings.Contains(body, `"webhook","url"`) {
			t.Errorf("%s: %d %s", url, w.Code, body)
		}
	}
}

// TestWebhookSlow uses a receiver that does not answer. The attempt ends after
// ten seconds.
func TestWebhookSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var took []time.Duration
		n := webtest.Serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			start := time.Now()
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			mu.Lock()
			defer mu.Unlock()
			took = append(took, time.Since(start))
		}))
		var failed []error
		service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(hookSite)), Webhooks: over(webhook.Config{
			Undelivered: func(_ context.Context, e webhook.Undelivered) { failed = append(failed, e.Err) },
		}, n)}
		h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true})
		if err != nil {
			t.Fatal(err)
		}
		ask(t, h, "POST", "/v2/crawl", `{"url":"http://a.test/","limit":1,"webhook":{"url":"http://hook.test/","events":["completed"]}}`)
		time.Sleep(time.Hour)
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		n.Close()
		synctest.Wait()
		if len(took) != 4 || slices.Max(took) > 10*time.Second {
			t.Errorf("attempts took %v", took)
		}
		if len(failed) != 1 || !errors.Is(failed[0], context.DeadlineExceeded) {
			t.Errorf("dead letters: %v", failed)
		}
	})
}
