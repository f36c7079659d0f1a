// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/job"
	"example.com/curlew/parse/subprocess"
)

func TestMain(m *testing.M) {
	subprocess.Main()
	if args := os.Getenv(processArgs); args != "" { // a process of TestWorkersKilled
		process(strings.Split(args, "\n"))
		return
	}
	leak.Main(m)
}

// TestIsolate reads an upload in a child process.
func TestIsolate(t *testing.T) {
	url, _ := started(t, nil, "-api-key", "k", "-isolate")
	for name, want := range map[string]struct {
		text, answer string
		code         int
	}{
		"birds.csv": {"name,size\ncurlew,55\n", "| curlew | 55 |", http.StatusOK},
		"birds.zip": {"PK\x03\x04 and nothing", "", http.StatusUnprocessableEntity},
	} {
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		part, err := form.CreateFormFile("file", name)
		if err == nil {
			_, err = io.WriteString(part, want.text)
		}
		if err := errors.Join(err, form.Close()); err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v2/parse", &b)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer k")
		req.Header.Set("Content-Type", form.FormDataContentType())
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode/100 != want.code/100 || !strings.Contains(string(answer), want.answer) {
			t.Errorf("%s: %d %s, %v", name, resp.StatusCode, answer, err)
		}
	}
}

// TestProbes sends health probes without a key.
func TestProbes(t *testing.T) {
	url, _ := started(t, nil, "-api-key", "k")
	for path, want := range map[string]string{"/livez": "ok\n", "/readyz": "ok\n"} {
		if code, body := ask(t, http.MethodGet, url+path, "", ""); code != http.StatusOK || body != want {
			t.Errorf("%s: %d %q", path, code, body)
		}
	}
	if code, body := ask(t, http.MethodGet, url+"/v2/crawl/active", "", ""); code != http.StatusUnauthorized {
		t.Errorf("%d %s without a key", code, body)
	}
	if code, body := ask(t, http.MethodGet, url+"/console/", "", ""); code != http.StatusOK || !strings.Contains(body, "<title>curlew</title>") {
		t.Errorf("console: %d %s", code, body)
	}
	bare, _ := started(t, nil, "-api-key", "k", "-no-console")
	if code, body := ask(t, http.MethodGet, bare+"/console/", "", ""); code != http.StatusUnauthorized && code != http.StatusNotFound {
		t.Errorf("with -no-console: %d %s", code, body)
	}
}

// TestPaths requests unnormalized paths. The contract answers each of them, in
// JSON.
func TestPaths(t *testing.T) {
	url, _ := started(t, nil, "-api-key", "k")
	for _, path := range []string{"/../x", "//x", "/v2/../x", "/./v2", "/x/"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultTransport.RoundTrip(req) // follows no redirect
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusNotFound || strings.TrimSpace(string(body)) != `{"success":false,"error":"Not found"}` {
			t.Errorf("%s: %d %q %v", path, resp.StatusCode, body, err)
		}
	}
}

// started runs the server with args. It returns its URL, and the key if it
// generated one. The server must end with the test, in time and without an
// error.
func started(t *testing.T, env map[string]string, args ...string) (url, key string) {
	t.Helper()
	url, key, stop := launched(t, env, args...)
	t.Cleanup(stop)
	return url, key
}

// launched is like started for a server that the test stops itself.
func launched(t *testing.T, env map[string]string, args ...string) (url, key string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := Run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), func(name string) string { return env[name] }, in, io.Discard)
		in.CloseWithError(err)
		ended <- err
	}()
	stop = func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(time.Minute):
			t.Error("the server did not end within a minute")
		}
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if made, ok := strings.CutPrefix(lines.Text(), "key "); ok {
			key = made
		}
		if at := strings.Index(lines.Text(), "http://"); at >= 0 {
			return lines.Text()[at:], key, stop
		}
	}
	t.Fatalf("no line with a URL: %v", lines.Err())
	return "", "", nil
}

// status requests the team's concurrency with a key.
func status(t *testing.T, url, key string) int {
	t.Helper()
	code, _ := ask(t, http.MethodGet, url+"/v2/concurrency-check", key, "")
	return code
}

// ask sends a request and returns the status and the body.
func ask(t *testing.T, method, url, key, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

// TestData stops a server during a crawl and a batch, and restarts it. Both
// must continue, and their earlier results must stay readable.
func TestData(t *testing.T) {
	const pages = 60
	var mu sync.Mutex
	asked := map[string]int{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil && r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		time.Sleep(20 * time.Millisecond)
		w.Header().Set("Content-Type", "text/html")
		for _, next := range []int{2*n + 1, 2*n + 2} {
			if next < pages {
				fmt.Fprintf(w, `<a href="/%d">%d</a> `, next, next)
			}
		}
	}))
	defer site.Close()
	var urls []string
	for i := range pages {
		urls = append(urls, fmt.Sprintf("%s/%d?batch", site.URL, i))
	}
	list, err := json.Marshal(urls)
	if err != nil {
		t.Fatal(err)
	}

	args := []string{"-data", filepath.Join(t.TempDir(), "data"), "-api-key", "k", "-allow-private"}
	url, _, stop := launched(t, nil, args...)
	if err := Run(t.Context(), append([]string{"-addr", "127.0.0.1:0"}, args...), func(string) string { return "" }, io.Discard, io.Discard); !errors.Is(err, job.ErrLocked) {
		t.Errorf("a second server in the same directory: %v, want ErrLocked", err)
	}
	var jobs []string
	for path, body := range map[string]string{
		"/v2/crawl":        fmt.Sprintf(`{"url":%q,"maxConcurrency":4,"sitemap":"skip"}`, site.URL),
		"/v2/batch/scrape": fmt.Sprintf(`{"urls":%s,"maxConcurrency":4}`, list),
	} {
		code, answer := ask(t, http.MethodPost, url+path, "k", body)
		var started struct{ ID string }
		if err := json.Unmarshal([]byte(answer), &started); err != nil || code != http.StatusOK {
			t.Fatalf("%s: %d %s", path, code, answer)
		}
		jobs = append(jobs, path+"/"+started.ID)
	}
	progress := func(job string) (st struct {
		Status      string
		Completed   int
		CreditsUsed int
		Data        []struct{ Metadata struct{ SourceURL string } }
	},
	) {
		code, answer := ask(t, http.MethodGet, url+job, "k", "")
		if err := json.Unmarshal([]byte(answer), &st); err != nil || code != http.StatusOK {
			t.Fatalf("%s: %d %s", job, code, answer)
		}
		return st
	}
	for progress(jobs[0]).Completed < 5 || progress(jobs[1]).Completed < 5 {
		time.Sleep(10 * time.Millisecond)
	}
	stop()

	url, _, stop = launched(t, nil, args...)
	defer stop()
	for _, job := range jobs {
		st := progress(job)
		if st.Completed < 5 {
			t.Errorf("%s: %d pages are left after the restart", job, st.Completed)
		}
		for st.Status == "scraping" {
			time.Sleep(10 * time.Millisecond)
			st = progress(job)
		}
		seen := map[string]bool{}
		for _, d := range st.Data {
			seen[d.Metadata.SourceURL] = true
		}
		if st.Status != "completed" || st.Completed != pages || len(seen) != pages || st.CreditsUsed != pages {
			t.Errorf("%s is %s with %d pages, %d different, for %d credits; want %d", job, st.Status, st.Completed, len(seen), st.CreditsUsed, pages)
		}
	}
	again := 0
	for _, n := range asked {
		again += max(0, n-2) // once for each job
	}
	if again > 2*4+1 { // pages in progress, and robots.txt
		t.Errorf("%d requests were made twice", again)
	}
}

// TestCache checks that a page is cached across restarts if the request allows
// it.
func TestCache(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<p>A page.</p>")
	}))
	defer site.Close()
	data := filepath.Join(t.TempDir(), "data")
	for _, tt := range []struct {
		name          string
		args          []string
		first, second string // cacheState
	}{
		{"in memory", nil, "miss", "hit"},
		{"none", []string{"-cache", "0"}, "", ""},
		{"none of files", []string{"-cache", "0", "-data", data}, "", ""},
		{"in files", []string{"-data", data}, "miss", "hit"},
		{"in files, again", []string{"-data", data, "-cache", "1"}, "hit", "hit"},
	} {
		url, _, stop := launched(t, nil, append(tt.args, "-api-key", "k", "-allow-private")...)
		for _, want := range []string{tt.first, tt.second} {
			code, body := ask(t, http.MethodPost, url+"/v2/scrape", "k", fmt.Sprintf(`{"url":%q,"maxAge":60000}`, site.URL))
			var answer struct {
				Data struct{ Metadata struct{ CacheState string } }
			}
			if err := json.Unmarshal([]byte(body), &answer); err != nil || code != http.StatusOK || answer.Data.Metadata.CacheState != want {
				t.Errorf("%s: %d %s, want state %q", tt.name, code, body, want)
			}
		}
		stop()
	}
}

func TestKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(file, []byte(`{"teams":[{"id":"a","keys":["fc-team-a"]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	hash := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte("team-b")))
	hashes := filepath.Join(t.TempDir(), "hashes.json")
	if err := os.WriteFile(hashes, []byte(`{"teams":[{"id":"b","keys":["`+hash+`"]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		env    string
		args   []string
		made   bool
		let    []string
		refuse []string
	}{
		{"none", "", nil, true, nil, []string{"x", "fc-team-a"}},
		{"flag", "", []string{"-api-key", "fc-one", "-api-key", "two"}, false, []string{"fc-one", "one", "two", "fc-two"}, []string{"three"}},
		{"environment", "one,fc-two", nil, false, []string{"one", "two"}, []string{"one,fc-two"}},
		{"file", "", []string{"-config", file}, false, []string{"fc-team-a", "team-a"}, []string{"b"}},
		{"hashes", "", []string{"-config", hashes}, false, []string{"fc-team-b", "team-b"}, []string{hash, "team-a"}},
		{"all", "two", []string{"-config", file, "-api-key", "one"}, false, []string{"fc-team-a", "one", "two"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, key := started(t, map[string]string{"CURLEW_API_KEY": tt.env}, tt.args...)
			if (key != "") != tt.made {
				t.Errorf("made the key %q, want one: %t", key, tt.made)
			}
			if tt.made {
				tt.let = append(tt.let, key)
			}
			for _, k := range tt.let {
				if got := status(t, url, k); got != http.StatusOK {
					t.Errorf("key %q: %d", k, got)
				}
			}
			for _, k := range tt.refuse {
				if got := status(t, url, k); got != http.StatusUnauthorized {
					t.Errorf("key %q: %d, want 401", k, got)
				}
			}
		})
	}
}

// TestRefused starts the server with invalid or ineffective options. It must
// report the error and not start.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ config, says string }{
		{`{"teams":[{"id":"a","keys":["k"],"colour":"red"}]}`, "colour"},
		{`{"teams":[]} {}`, "text after the config"},
		{`{"teams":[{"keys":["k"]}]}`, "teams[0]: no id"},
		{`{"teams":[{"id":"default","keys":["k"]}]}`, `duplicate team "default"`},
		{`{"teams":[{"id":"a","keys":["k"]},{"id":"b","keys":["fc-k"]}]}`, "another team has"},
		{`{"teams":[{"id":"a","keys":[""]}]}`, "a key must have 1 to 256"},
		{`{"teams":[{"id":"a","keys":["sha256:12"]}]}`, "64 hexadecimal digits"},
		{fmt.Sprintf(`{"teams":[{"id":"a","keys":["fc-k"]},{"id":"b","keys":["sha256:%x"]}]}`, sha256.Sum256([]byte("k"))), "another team has"},
		{`{"teams":[{"id":"a","keys":["k"],"credits":-1}]}`, "credits are below 0"},
		{`{"teams":[{"id":"a","keys":["k"],"requestsPerMinute":{"crawls":1}}]}`, `no class "crawls"`},
		{`{"teams":[{"id":"a","keys":["k"],"requestsPerMinute":{"crawl":0}}]}`, "requestsPerMinute.crawl is below 1"},
		{`{"teams":[{"id":"a","keys":["k"],"retention":"1 day"}]}`, "retention"},
		{`{"teams":[{"id":"a","keys":["k"],"retention":"-1h"}]}`, "retention"},
		{`{"teams":[{"id":"a","keys":["k"],"threat":{"policy":{"mode":"on"}}}]}`, "neither off nor normal"},
		{`{"teams":[{"id":"a","keys":["k"],"threat":{"policy":{"blacklist":["http://x.test"]}}}]}`, "blacklist"},
	} {
		file := filepath.Join(t.TempDir(), "config.json")
		if err := os.WriteFile(file, []byte(tt.config), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := Run(t.Context(), []string{"-addr", "127.0.0.1:0", "-config", file}, func(string) string { return "" }, &out, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want one that says %q", tt.config, err, tt.says)
		}
	}
	for _, args := range [][]string{{"stray"}, {"-store", "mysql://a.test"}, {"-store", "nonsense"}, {"-keys", "nowhere/keys.json"}, {"-config", "nowhere.json"}, {"-addr", "nonsense"}, {"-api-key", "a b"}, {"-model-mini", "m"}, {"-brave"}, {"-tool-prefix", "a b"}, {"-proxy-file", "nowhere.txt"}, {"-proxy-file", "serve.go", "-proxy", "http://a.test"}, {"-proxy-file", "serve.go"}, {"-brave", "-searxng", "http://127.0.0.1:1"}, {"-model-url", "http://127.0.0.1:1/v1"}, {"-base-url", "ftp://a.test"}, {"-base-url", "https://a.test", "-trust-proxy"}, {"-access-log", "nowhere/access.log"}, {"-user-agent", "a\nb"}} {
		if err := Run(t.Context(), args, func(string) string { return "" }, io.Discard, io.Discard); err == nil {
			t.Errorf("server %v started", args)
		}
	}
}

// TestFaultyFlags checks that a flag that cannot work, or has no effect, ends the start and
// that the error says why.
func TestFaultyFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a server that starts all the same ends at once
	for says, args := range map[string][]string{
		"serve -h lists the flags":                  {"-bogus"},
		"-cache -1: it is a number of MiB from 0":   {"-cache", "-1"},
		"-cache 99999999999999: it is":              {"-cache", "99999999999999"},
		"-chrome-scripts need -chrome":              {"-chrome-scripts"},
		"-chrome-address, ":                         {"-chrome-address", "127.0.0.1"},
		"-webrisk-url needs -webrisk":               {"-webrisk-url", "http://127.0.0.1:1"},
		"-webrisk needs CURLEW_WEBRISK_KEY":         {"-webrisk", t.TempDir()},
		"-searxng: it is not an http or https URL":  {"-searxng", "127.0.0.1:8080"},
		"-model-url: it is not an http or https UR": {"-model-url", "localhost", "-model-mini", "m"},
		"-audit: ": {"-audit", file},
		"-keys: ":  {"-keys", filepath.Join(file, "keys.json")},
		"BaseURL":  {"-base-url", "https://a.test/?a=1"},
	} {
		if err := Run(ctx, args, func(string) string { return "" }, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", args, err, says)
		}
	}
}

// TestAuditLog checks that the audit log is complete when the server ends.
func TestAuditLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, []string{"-addr", "127.0.0.1:0", "-api-key", "k", "-audit", dir}, func(string) string { return "" }, in, io.Discard)
		_ = in.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(strings.TrimPrefix(line, "curlew listens on "))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v2/scrape", strings.NewReader(`{"url":"http://127.0.0.1/"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer k")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	log, err := os.ReadFile(files[0])
	if err != nil || !strings.Contains(string(log), "127.0.0.1") || !strings.Contains(string(log), `"class_uid":4002`) {
		t.Errorf("%s, %v", log, err)
	}
}

// TestLimits reads limits from the file into the team's policy.
func TestLimits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	config := `{"teams":[{"id":"a","keys":["k"],"credits":5,"concurrency":3,"requestsPerMinute":{"account":2},
		"allow":{"ignoreRobotsTxt":true,"robotsUserAgent":true,"zeroDataRetention":true},
		"threat":{"enforced":true,"allowOverrides":false,"policy":{"mode":"normal","blacklist":["evil.test"],"riskScoreThreshold":50,"failurePolicy":"open"}}}]}`
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := readConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.access(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if a.plain != 1 {
		t.Errorf("%d keys in plain text, want one, of which the log warns", a.plain)
	}
	p := a.keys["k"].Policy
	if a.credits["a"] != 5 || p.MaxConcurrency != 3 || p.Rates.Account != 2 || !p.AllowIgnoreRobots || !p.AllowRobotsUserAgent || p.ZeroRetention == 0 {
		t.Errorf("policy %+v with %v credits", p, a.credits)
	}
	if th := p.Threat; !th.Enabled || !th.Enforced || th.AllowOverrides || *th.Policy.Threshold != 50 || len(th.Policy.Blacklist) != 1 {
		t.Errorf("threat %+v", th)
	}
	url, _ := started(t, nil, "-config", file)
	for i, want := range []int{200, 200, 429} {
		if got := status(t, url, "k"); got != want {
			t.Errorf("request %d: %d, want %d", i, got, want)
		}
	}
}

// TestMCP uses the tools of a server over HTTP, with a key of the API. Without -mcp there
// are none.
func TestMCP(t *testing.T) {
	url, _ := started(t, nil, "-api-key", "k")
	if code, _ := ask(t, http.MethodPost, url+"/mcp", "k", "{}"); code != http.StatusNotFound {
		t.Errorf("without -mcp: %d", code)
	}
	url, _ = started(t, nil, "-api-key", "k", "-mcp")
	if code, _ := ask(t, http.MethodPost, url+"/mcp", "other", "{}"); code != http.StatusUnauthorized {
		t.Errorf("another key: %d", code)
	}
	way := &http.Client{Transport: keyed{&http.Transport{DisableKeepAlives: true}}}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: way, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "firecrawl_credit_usage"})
	if err != nil || result.IsError {
		t.Errorf("%+v, %v", result, err)
	}
}

// keyed sends the key "k" with each request.
type keyed struct{ http.RoundTripper }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer k")
	return k.RoundTripper.RoundTrip(r)
}
