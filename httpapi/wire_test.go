// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/audit"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/webtest"
	"example.com/curlew/threat"
)

// script is one file of testdata/wire: pairs of requests and answers. The
// requests are sent in order to one handler over a fake web. It has these
// files:
//
//	policy             JSON of a testPolicy, for the team of the key "fc-test"
//	web/<URL>          one answer of the web, as webtest has it
//	<step>.request     method and path, header lines, an empty line, the body
//	<step>.answer      status, the headers that matter, an empty line, the body
//	<step>.wait        a duration that passes; empty: until nothing moves
//
// Requests have the key unless they contain an Authorization line. If that line
// is empty, they have none. IDs are numbered in the order in which answers
// contain them: <1> is the first one, also in requests. Upload references count
// as IDs. In a request, <x*100> means a hundred times x. The time starts at
// 2000-01-01.
type script struct {
	file   string
	policy testPolicy
	web    bytes.Buffer
	steps  []webtest.File
	golden map[string]string // answers, by step
}

// testPolicy configures the team and the handler of a script.
type testPolicy struct {
	Policy  account.Policy
	Credits *int
	Options struct {
		NextWhileScraping, LenientKeys, TrustProxyHeaders, NoCORS bool
		InlineFiles                                               bool
		NoUploadReferences                                        bool
		BaseURL                                                   string
		MaxBody                                                   int64
	}
	Threat  map[string]int // score of each host; other hosts are unknown
	NoWeb   bool           // the classifier fails
	Cache   bool           // pages are fetched through a cache
	Agent   bool           // a model, reader, is configured
	Search  bool           // a search provider, searxng, is configured
	Stored  bool           // teams can set their threat policies
	Recent  bool           // the latest audit events can be listed
	Browser bool           // a browser, fakeBrowser, is configured
}

func readScript(t *testing.T, file string) *script {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &script{file: file, golden: map[string]string{}}
	for _, f := range webtest.Files(data) {
		switch name, kind := strings.TrimSuffix(f.Name, filepath.Ext(f.Name)), filepath.Ext(f.Name); {
		case f.Name == "policy":
			if err := json.Unmarshal(f.Data, &s.policy); err != nil {
				t.Fatalf("%s: policy: %v", file, err)
			}
		case strings.HasPrefix(f.Name, "web/"):
			fmt.Fprintf(&s.web, "-- %s --\n%s", strings.TrimPrefix(f.Name, "web/"), f.Data)
		case kind == ".answer":
			s.golden[name] = string(f.Data)
		case kind == ".request", kind == ".wait":
			s.steps = append(s.steps, f)
		default:
			t.Fatalf("%s: what is %s?", file, f.Name)
		}
	}
	if s.web.Len() == 0 {
		s.web.WriteString("-- a.test/ --\n<title>A</title><main><p>Hello.</p></main>\n")
	}
	return s
}

// scores is a classifier for scripts.
type scores struct {
	byHost map[string]int
	broken bool
}

func (s scores) Classify(_ context.Context, targets []threat.Target) ([]threat.Verdict, error) {
	if s.broken {
		return nil, errors.New("no answer")
	}
	verdicts := make([]threat.Verdict, len(targets))
	for i, target := range targets {
		score, known := s.byHost[target.Host]
		verdicts[i] = threat.Verdict{Score: score, Known: known}
	}
	return verdicts, nil
}

// handler returns the handler that the script is sent to.
func (s *script) handler(t *testing.T) (*httpapi.Handler, *curlew.Service) {
	t.Helper()
	web := fetchtest.New(t, s.web.Bytes())
	if s.policy.Cache {
		web.Cache = new(fetch.MemoryCache)
	}
	service := &curlew.Service{Fetcher: web}
	if s.policy.Threat != nil || s.policy.NoWeb {
		service.Classifier = scores{s.policy.Threat, s.policy.NoWeb}
	}
	if s.policy.Agent {
		service.Agent = &agent.Engine{Model: new(reader)}
	}
	if s.policy.Credits != nil {
		service.Credits = &account.Ledger{Plan: map[string]int{"team": *s.policy.Credits}}
	}
	if s.policy.Search {
		service.Searcher = searxng(t)
	}
	if s.policy.Browser {
		service.Renderer = fakeBrowser{}
	}
	if s.policy.Recent {
		service.Audit = new(audit.Recent)
	}
	var policies account.ThreatPolicies
	if s.policy.Stored {
		policies = new(account.Policies)
	}
	o := s.policy.Options
	h, err := httpapi.NewHandler(service, &httpapi.Options{
		Authenticator: httpapi.StaticKeys(map[string]account.Team{
			"fc-test":  {ID: "team", Policy: s.policy.Policy},
			"fc-other": {ID: "other"},
		}),
		NextWhileScraping: o.NextWhileScraping,
		LenientKeys:       o.LenientKeys,
		TrustProxyHeaders: o.TrustProxyHeaders,
		NoCORS:            o.NoCORS,
		InlineFiles:       o.InlineFiles,
		BaseURL:           o.BaseURL,
		MaxBody:           o.MaxBody,

		NoUploadReferences: o.NoUploadReferences,
		ThreatPolicies:     policies,
	})
	if err != nil {
		t.Fatal(err)
	}
	return h, service
}

// numbering numbers IDs in the order in which they appear.
type numbering struct{ ids []string }

// fetched finds the times in exports: those of ids, which depend on the ids that other
// tests have made before.
var fetched = regexp.MustCompile(`(\{"n":\d+,"fetchedAt":)"[^"]+"`)

var uuids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|[\w-]{40,}\.[\w-]{43}\b|\bsig=[\w-]{43}`)

// exported is the time of a document in an export. It comes from an ID, whose time is real.
var exported = regexp.MustCompile(`(?m)(^\{"n":\d+,"fetchedAt":)"[^"]+"`)

var repeats = regexp.MustCompile(`<([^<>*]+)\*(\d+)>`)

func (n *numbering) hide(s string) string {
	s = fetched.ReplaceAllString(s, `$1"<time>"`)
	return uuids.ReplaceAllStringFunc(s, func(id string) string {
		for i, known := range n.ids {
			if known == id {
				return fmt.Sprintf("<%d>", i+1)
			}
		}
		n.ids = append(n.ids, id)
		return fmt.Sprintf("<%d>", len(n.ids))
	})
}

func (n *numbering) show(s string) string {
	for i, id := range n.ids {
		s = strings.ReplaceAll(s, fmt.Sprintf("<%d>", i+1), id)
	}
	return repeats.ReplaceAllStringFunc(s, func(r string) string {
		m := repeats.FindStringSubmatch(r)
		n, _ := strconv.Atoi(m[2])
		return strings.Repeat(m[1], n)
	})
}

// request parses the request of a step.
func request(t *testing.T, raw string) *http.Request {
	t.Helper()
	head, body, _ := strings.Cut(raw, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	method, path, ok := strings.Cut(lines[0], " ")
	if !ok {
		t.Fatalf("no request line: %q", lines[0])
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(strings.TrimSuffix(body, "\n")))
	r.Header.Set("Authorization", "Bearer fc-test")
	for _, line := range lines[1:] {
		name, v, _ := strings.Cut(line, ":")
		v = strings.TrimSpace(v)
		switch {
		case v == "":
			r.Header.Del(name)
		case name == "Host":
			r.Host = v
		default:
			r.Header.Set(name, v)
		}
	}
	return r
}

// shown are the headers that scripts contain.
var shown = []string{
	"Allow", "WWW-Authenticate", "Retry-After", "RateLimit", "RateLimit-Policy", "Idempotent-Replayed",
	"Access-Control-Allow-Methods", "Access-Control-Allow-Headers", "Content-Disposition",
}

// answer formats an answer like a script.
func answer(t *testing.T, w *http.Response, body []byte, ids *numbering) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintln(&b, w.StatusCode)
	for _, name := range shown {
		if v := w.Header.Get(name); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, ids.hide(v))
		}
	}
	for _, name := range []string{"X-Request-Id", "X-Response-Time"} {
		if w.Header.Get(name) == "" {
			t.Errorf("the answer has no %s", name)
		}
	}
	if len(body) > 0 {
		if kind := w.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
			fmt.Fprintf(&b, "Content-Type: %s\n", kind)
		} else if !json.Valid(body) {
			t.Errorf("the body is no JSON: %q", body)
		}
		text := exported.ReplaceAllString(string(body), `$1"<time>"`)
		fmt.Fprintf(&b, "\n%s\n", ids.hide(text))
	}
	return b.String()
}

// play runs a script and returns it with the actual answers.
func (s *script) play(t *testing.T, original []byte) []byte {
	t.Helper()
	h, service := s.handler(t)
	ids := &numbering{}
	answers := map[string]string{}
	for _, step := range s.steps {
		name := strings.TrimSuffix(step.Name, filepath.Ext(step.Name))
		if filepath.Ext(step.Name) == ".wait" {
			if text := strings.TrimSpace(string(step.Data)); text != "" {
				d, err := time.ParseDuration(text)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(d)
			}
			synctest.Wait()
			continue
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request(t, ids.show(string(step.Data))))
		answers[name] = answer(t, w.Result(), w.Body.Bytes(), ids)
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	return rewrite(original, answers)
}

// rewrite returns the script with other answers.
func rewrite(original []byte, answers map[string]string) []byte {
	var b bytes.Buffer
	head, _, _ := bytes.Cut(original, []byte("-- "))
	b.Write(head)
	for _, f := range webtest.Files(original) {
		name, kind := strings.TrimSuffix(f.Name, filepath.Ext(f.Name)), filepath.Ext(f.Name)
		if kind == ".answer" {
			continue
		}
		fmt.Fprintf(&b, "-- %s --\n%s", f.Name, f.Data)
		if kind == ".request" {
			fmt.Fprintf(&b, "-- %s.answer --\n%s", name, answers[name])
		}
	}
	return b.Bytes()
}

func TestWire(t *testing.T) {
	files, err := filepath.Glob(golden.Testdata("wire/*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			original, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got []byte
			synctest.Test(t, func(t *testing.T) { got = readScript(t, file).play(t, original) })
			golden.Check(t, file, got)
		})
	}
}
