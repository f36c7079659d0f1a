// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent/search"
	"example.com/curlew/client"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/mcp"
)

// site is a site of 30 pages. /long has a long text, and page 7 waits for hold, if there
// is one.
type site struct{ hold chan struct{} }

func (s site) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	resp := &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}}
	path, ok := strings.CutPrefix(r.URL, "https://site.test/")
	i := 0
	if path != "" {
		var err error
		if i, err = strconv.Atoi(path); err != nil {
			i = 30 // there is no such page
		}
	}
	switch {
	case !ok:
		return nil, &fetch.Error{URL: r.URL, Err: fetch.ErrDNS}
	case path == "long":
		resp.Body = []byte("<h1>Long</h1>" + strings.Repeat("<p>Twelve birds stand on the shore.</p>", 3000))
		return resp, nil
	case i >= 30:
		resp.Status = http.StatusNotFound
		return resp, nil
	}
	if i == 7 && s.hold != nil {
		select {
		case <-s.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "<title>Page %d</title><main><h1>Page %d</h1>", i, i)
	for to := 2*i + 1; to <= 2*i+2; to++ {
		fmt.Fprintf(&text, `<p><a href="/%d">%d</a></p>`, to, to)
	}
	resp.Body = []byte(text.String())
	return resp, nil
}

// api returns a handler over s whose only key is "k".
func api(t *testing.T, s *curlew.Service) *httpapi.Handler {
	t.Helper()
	h, err := httpapi.NewHandler(s, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{"k": {ID: "a"}})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	return h
}

func local(h http.Handler, key string) *client.Client {
	return &client.Client{BaseURL: "http://127.0.0.1", Key: key, HTTP: mcp.Local(h), Poll: time.Millisecond}
}

// steps collects the progress that a client is told.
type steps struct {
	mu  sync.Mutex
	all []float64
}

func (s *steps) options() *sdk.ClientOptions {
	return &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all = append(s.all, r.Params.Progress)
	}}
}

// connect connects a client of the SDK to a server in memory.
func connect(t *testing.T, s *sdk.Server, told *steps) *sdk.ClientSession {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	if _, err := s.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, told.options()).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// call calls a tool and returns its text, which starts with "error: " if it failed.
func call(t *testing.T, session *sdk.ClientSession, name string, args map[string]any) (string, *sdk.CallToolResult) {
	t.Helper()
	params := &sdk.CallToolParams{Name: name, Arguments: args}
	params.SetProgressToken(name)
	result, err := session.CallTool(t.Context(), params)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text := ""
	if len(result.Content) > 0 {
		if c, ok := result.Content[0].(*sdk.TextContent); ok {
			text = c.Text
		}
	}
	if result.IsError {
		text = "error: " + text
	}
	return text, result
}

// TestTools calls each tool. Engines that are missing, wrong arguments and pages that
// cannot be had are errors that the model can read.
func TestTools(t *testing.T) {
	h := api(t, &curlew.Service{Fetcher: site{}})
	session := connect(t, mcp.NewServer(local(h, "k"), &mcp.Options{Files: true}), new(steps))
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "birds.csv")
	if err := os.WriteFile(file, []byte("name,size\ncurlew,55\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, result := call(t, session, "firecrawl_crawl", map[string]any{"url": "https://site.test/", "limit": 5})
	members, _ := result.StructuredContent.(map[string]any)
	id, _ := members["id"].(string)
	if !strings.Contains(text, "completed, 5 of 5 pages") || strings.Count(text, "# Page ") < 5 || id == "" {
		t.Errorf("crawl: %s", text)
	}
	_, result = call(t, session, "firecrawl_crawl", map[string]any{"url": "https://site.test/", "limit": 5, "excludePaths": []any{"^/1$"}})
	members, _ = result.StructuredContent.(map[string]any)
	narrow, _ := members["id"].(string)
	if left, _ := members["linksNotFollowed"].(map[string]any); len(left) != 1 || left["excluded"] != 1.0 {
		t.Errorf("links that a crawl has not followed: %v", members)
	}
	called := []string{"firecrawl_crawl"}
	for _, tt := range []struct {
		name string
		args map[string]any
		want string
	}{
		{"firecrawl_scrape", map[string]any{"url": "https://site.test/3"}, "# Page 3"},
		{"firecrawl_scrape", map[string]any{"url": "https://site.test/3", "formats": []any{"markdown", "links"}}, "https://site.test/8"},
		{"firecrawl_scrape", map[string]any{"url": "https://site.test/3", "pdfOptions": map[string]any{"maxPages": 1}, "toolDetail": "x"}, "# Page 3"},
		{"firecrawl_scrape", map[string]any{"url": "https://site.test/99"}, "error: the site answered 404"},
		{"firecrawl_scrape", map[string]any{"url": "https://nowhere.test/"}, "error: 200: "},
		{"firecrawl_scrape", map[string]any{"url": "https://site.test/", "colour": "red"}, `error: 400: Unrecognized key in body: "colour"`},
		{"firecrawl_scrape", map[string]any{"url": "https://site.test/", "formats": []any{"json"}, "jsonOptions": map[string]any{"prompt": "x"}}, "error: 400: "},
		{"firecrawl_scrape", map[string]any{"url": "https://site.test/", "jsonOptions": 7}, "error: the argument jsonOptions must be an object"},
		{"firecrawl_scrape", map[string]any{"url": "https://site.test/", "formats": 7, "queryOptions": map[string]any{}}, "error: the argument formats must be a list"},
		{"firecrawl_map", map[string]any{"url": "https://site.test/"}, "https://site.test/2"},
		{"firecrawl_search", map[string]any{"query": "x", "sources": []any{"web", "alexandria"}}, "error: 501: "},
		{"firecrawl_check_crawl_status", map[string]any{"id": id, "offset": 3}, "# Page 4"},
		{"firecrawl_check_crawl_status", map[string]any{"id": id, "limit": 2}, "3 more pages: go on with firecrawl_check_crawl_status, id " + id + ", offset 2"},
		{"firecrawl_check_crawl_status", map[string]any{"id": narrow}, "[Links that were not followed, by rule: excluded 1, see curlew_explain.]"},
		{"firecrawl_check_crawl_status", map[string]any{"id": id, "offset": -1}, "error: the argument offset"},
		{"firecrawl_check_crawl_status", map[string]any{"id": id, "page": 1}, `error: there is no argument "page"`},
		{"firecrawl_check_crawl_status", map[string]any{"id": "x"}, "error: 400: Invalid job ID"},
		{"firecrawl_parse", map[string]any{"filePath": file}, "| curlew | 55 |"},
		{"firecrawl_parse", map[string]any{"filePath": file + "x"}, "error: open"},
		{"firecrawl_parse", map[string]any{"filePath": filepath.Dir(file)}, "is no file"},
		{"firecrawl_agent", map[string]any{"prompt": "Which birds?"}, "error: 501: "},
		{"firecrawl_agent_status", map[string]any{"id": id}, "error: 404: "},
		{"firecrawl_credit_usage", nil, "remainingCredits"},
		{"firecrawl_credit_usage", map[string]any{"view": "historical"}, "periods"},
		{"firecrawl_credit_usage", map[string]any{"view": "historical", "byApiKey": true}, "error: 501: "},
		{"firecrawl_credit_usage", map[string]any{"view": "yesterday"}, "error: the argument view"},
		{"curlew_explain", map[string]any{"id": id, "url": "https://site.test/", "depth": 1}, `error: there is no argument "depth"`},
		{"curlew_explain", map[string]any{"id": id, "url": "https://other.test/"}, "is not crawled. Rule: external"},
		{"curlew_cancel", map[string]any{"id": id}, "error: 409: "},
		{"curlew_cancel", map[string]any{}, "error: the argument id"},
	} {
		called = append(called, tt.name)
		if text, _ := call(t, session, tt.name, tt.args); !strings.Contains(text, tt.want) {
			t.Errorf("%s %v: %s\nwant %q", tt.name, tt.args, text, tt.want)
		}
	}
	for _, tool := range list.Tools {
		if !slices.Contains(called, tool.Name) {
			t.Errorf("%s is not called", tool.Name)
		}
	}
	if text, _ := call(t, connect(t, mcp.NewServer(local(h, "other"), nil), new(steps)), "firecrawl_map", map[string]any{"url": "https://site.test/"}); !strings.Contains(text, "error: 401: Unauthorized") {
		t.Errorf("another key: %s", text)
	}
}

// TestLong cuts a long page, says so, and gives the whole text as a resource.
func TestLong(t *testing.T) {
	h := api(t, &curlew.Service{Fetcher: site{}})
	session := connect(t, mcp.NewServer(local(h, "k"), nil), new(steps))
	text, result := call(t, session, "firecrawl_scrape", map[string]any{"url": "https://site.test/long"})
	if len(text) > 41_000 || !strings.Contains(text, "[This is cut: ") || len(result.Content) != 2 {
		t.Fatalf("%d characters, %d contents: %s", len(text), len(result.Content), text[max(0, len(text)-200):])
	}
	link, _ := result.Content[1].(*sdk.ResourceLink)
	whole, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: link.URI})
	if err != nil || strings.Count(whole.Contents[0].Text, "Twelve birds") != 3000 {
		t.Errorf("%v", err)
	}
	for _, uri := range []string{"curlew://scrape/x", "curlew://crawl/0198a7c2-0000-7000-8000-000000000000/page/0", "curlew://crawl/x/page/y", "curlew://agent/x"} {
		if _, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

// answers is a search provider with the same hits for each question.
type answers search.Answer

func (a *answers) Find(context.Context, *search.Query) (*search.Answer, error) {
	return (*search.Answer)(a), nil
}

// TestSearch shows the pages of hits in all forms that were asked for, says which page could not
// be read and why, and has the warnings first, where no cut takes them.
func TestSearch(t *testing.T) {
	found := &answers{Notes: []string{"Safe search has no effect."}, Hits: []search.Hit{
		{URL: "https://site.test/3", Title: "Three", Text: "The third page.", Date: "3 May", Image: "https://site.test/3.png"},
		{URL: "https://site.test/99", Title: "Dead"},
		{URL: "https://nowhere.test/", Title: "Nowhere"},
	}}
	h := api(t, &curlew.Service{Fetcher: site{}, Searcher: found})
	session := connect(t, mcp.NewServer(local(h, "k"), nil), new(steps))
	for _, tt := range []struct {
		args map[string]any
		want []string
	}{
		{map[string]any{"scrapeOptions": map[string]any{"formats": []any{"markdown", "links"}}}, []string{
			"[Warning: ", "Safe search has no effect.", "## Three\nhttps://site.test/3\nThe third page.\n\n# Page 3", "## links\n\n", "https://site.test/8",
			"## Dead\nhttps://site.test/99\n\n[The page could not be read: 404 Not Found.]", "## Nowhere\nhttps://nowhere.test/\n\n[The page could not be read: ",
		}},
		{map[string]any{"sources": []any{"news"}}, []string{"## Three\nhttps://site.test/3\nhttps://site.test/3.png\n3 May\nThe third page.\n\n## Dead"}},
	} {
		tt.args["query"] = "birds"
		text, _ := call(t, session, "firecrawl_search", tt.args)
		for _, want := range tt.want {
			i := strings.Index(text, want)
			if i < 0 {
				t.Fatalf("%v: %q is missing in\n%s", tt.args, want, text)
			}
			text = text[i:]
		}
	}
}

// TestLongAnswer cuts a long answer of an agent, and gives all of it as a resource.
func TestLongAnswer(t *testing.T) {
	const id = "0198a7c2-0000-7000-8000-000000000000"
	whole := `{"success":true,"status":"completed","data":{"text":"` + strings.Repeat("curlew ", 9000) + `"}}`
	h := http.NewServeMux()
	h.HandleFunc("GET /v2/agent/"+id, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, whole) })
	session := connect(t, mcp.NewServer(local(h, "k"), nil), new(steps))
	text, result := call(t, session, "firecrawl_agent_status", map[string]any{"id": id})
	if len(text) > 41_000 || !strings.HasSuffix(text, "The resource curlew://agent/"+id+" has all of it.]") || len(result.Content) != 2 {
		t.Fatalf("%d contents: %s", len(result.Content), text[max(0, len(text)-200):])
	}
	all, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "curlew://agent/" + id})
	if err != nil || all.Contents[0].Text != whole || all.Contents[0].MIMEType != "application/json" {
		t.Errorf("%v, %+v", err, all)
	}
}

// TestWait does not wait for the end of a crawl that takes long. It runs in fake time.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		h := api(t, &curlew.Service{Fetcher: site{hold: hold}})
		told := new(steps)
		calm := local(h, "k")
		calm.Poll = time.Second
		session := connect(t, mcp.NewServer(calm, nil), told)
		begun := time.Now()
		text, result := call(t, session, "firecrawl_crawl", map[string]any{"url": "https://site.test/"})
		if !strings.Contains(text, "The crawl is running: ask again") {
			t.Errorf("a crawl that takes long: %s", text)
		}
		if took := time.Since(begun); took < 45*time.Second || took > 46*time.Second {
			t.Errorf("the call waits for %v", took)
		}
		synctest.Wait() // until the client has handled all notifications
		told.mu.Lock()
		if len(told.all) == 0 || !slices.IsSorted(told.all) {
			t.Errorf("progress %v", told.all)
		}
		told.mu.Unlock()
		members, _ := result.StructuredContent.(map[string]any)
		close(hold)
		for _, err := range local(h, "k").Watch(t.Context(), client.CrawlJob, fmt.Sprint(members["id"]), 0) {
			if err != nil {
				t.Error(err)
			}
		}
	})
}

// TestCancel cancels a call, which cancels its crawl. It runs in fake time.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		h := api(t, &curlew.Service{Fetcher: site{hold: hold}})
		session := connect(t, mcp.NewServer(local(h, "k"), nil), new(steps))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "firecrawl_crawl", Arguments: map[string]any{"url": "https://site.test/"}})
			ended <- err
		}()
		running := func(want bool) {
			t.Helper()
			synctest.Wait()
			if q, err := local(h, "k").Queue(t.Context()); err != nil || q.Jobs > 0 != want {
				t.Errorf("%+v, %v; want a running crawl: %t", q, err, want)
			}
		}
		running(true)
		cancel()
		if err := <-ended; err == nil {
			t.Error("the cancelled call has no error")
		}
		close(hold)
		running(false)
	})
}

// TestPrefix checks the names of tools, in lists and in texts, and that no others work.
func TestPrefix(t *testing.T) {
	h := api(t, &curlew.Service{Fetcher: site{}})
	session := connect(t, mcp.NewServer(local(h, "k"), &mcp.Options{Files: true, Prefix: "web_"}), new(steps))
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, tool := range list.Tools {
		if names[tool.Name] || !strings.HasPrefix(tool.Name, "web_") || strings.Contains(tool.Description, "firecrawl_") {
			t.Errorf("%s: %s", tool.Name, tool.Description)
		}
		names[tool.Name] = true
		var schema map[string]any
		raw, err := json.Marshal(tool.InputSchema)
		if err != nil || json.Unmarshal(raw, &schema) != nil || schema["type"] != "object" {
			t.Errorf("%s: the schema is %s", tool.Name, raw)
		}
	}
	if !names["web_scrape"] || !names["web_explain"] || strings.Contains(session.InitializeResult().Instructions, "firecrawl_") {
		t.Errorf("%v, %+v", names, session.InitializeResult())
	}
	text, _ := call(t, session, "web_crawl", map[string]any{"url": "https://site.test/", "limit": 30})
	if strings.Contains(text, "firecrawl_") {
		t.Errorf("%s", text)
	}
	if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "firecrawl_scrape", Arguments: map[string]any{"url": "https://site.test/"}}); err == nil {
		t.Error("a tool that does not exist works")
	}
}

// TestHTTP uses the server over HTTP, with the keys of the API.
func TestHTTP(t *testing.T) {
	h := api(t, &curlew.Service{Fetcher: site{}})
	server := httptest.NewServer(mcp.NewHandler(func(key string) *client.Client { return local(h, key) }, &mcp.Options{Files: true}))
	defer server.Close()
	dial := func(key string) (*sdk.ClientSession, error) {
		way := &http.Client{Transport: keyed{key}}
		return sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: server.URL, HTTPClient: way, MaxRetries: -1}, nil)
	}
	for _, key := range []string{"", "other"} {
		if _, err := dial(key); err == nil {
			t.Errorf("the key %q is accepted", key)
		}
	}
	session, err := dial("k")
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if text, _ := call(t, session, "firecrawl_crawl", map[string]any{"url": "https://site.test/", "limit": 3}); !strings.Contains(text, "completed, 3 of 3 pages") {
		t.Errorf("crawl: %s", text)
	}
	if text, _ := call(t, session, "firecrawl_parse", map[string]any{"filePath": "/etc/passwd"}); !strings.HasPrefix(text, "error: the argument uploadRef") {
		t.Errorf("a file of the server: %s", text)
	}
	var upload struct {
		Data struct{ UploadURL, UploadRef string }
	}
	if err := local(h, "k").Do(t.Context(), http.MethodPost, "/v2/parse/upload-url", map[string]string{"filename": "birds.csv"}, &upload); err != nil {
		t.Fatal(err)
	}
	put, err := http.NewRequestWithContext(t.Context(), http.MethodPut, upload.Data.UploadURL, strings.NewReader("name,size\ncurlew,55\n"))
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := mcp.Local(h).Do(put); err != nil {
		t.Fatal(err)
	} else {
		resp.Body.Close()
	}
	if text, _ := call(t, session, "firecrawl_parse", map[string]any{"uploadRef": upload.Data.UploadRef}); !strings.Contains(text, "| curlew | 55 |") {
		t.Errorf("an upload: %s", text)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer k")
	r.Header.Set("Origin", "https://evil.test")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	resp, err := (&http.Client{Transport: keyed{"k"}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("a request of another origin: %d", resp.StatusCode)
	}
}

// keyed sends a key with each request, over a connection of its own.
type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if k.key != "" {
		r.Header.Set("Authorization", "Bearer "+k.key)
	}
	return (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
}
