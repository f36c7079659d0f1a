// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var priced = regexp.MustCompile(`(?m)^(\d+)\| (?:- )?(\w+): (\S+)$`)

// model is a chat completions server that plans nothing and reads lines such as "name: price".
func model(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || r.Header.Get("Authorization") != "Bearer k" {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	rows := []any{}
	for _, m := range priced.FindAllStringSubmatch(request.Messages[len(request.Messages)-1].Content, -1) {
		var n int
		if _, err := fmt.Sscan(m[1], &n); err != nil {
			continue
		}
		rows = append(rows, map[string]any{
			"v":  map[string]any{"name": m[2], "price": m[3]},
			"ln": map[string]any{"name": []int{n, n}, "price": []int{n, n}},
		})
	}
	reply, _ := json.Marshal(map[string]any{"rows": rows, "total": -1, "total_ln": 0, "more": false, "kind": "list"}) // always encodes
	if strings.Contains(request.Messages[0].Content, "You plan how to gather data") {
		reply = []byte(`{"tables":[],"shape":"list","hops":[],"queries":[],"start":[],"fields":[]}`)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": string(reply)}}},
		"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 10},
	})
}

// TestAgent answers a question from one page. The key comes from a file.
func TestAgent(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<title>Prices</title><main><h1>Prices</h1><ul><li>Curlew: 3</li><li>Dunlin: 5</li></ul></main>`)
	}))
	defer site.Close()
	models := httptest.NewServer(http.HandlerFunc(model))
	defer models.Close()
	dir := t.TempDir()
	schema, key := filepath.Join(dir, "schema.json"), filepath.Join(dir, "key")
	for path, text := range map[string]string{
		key:    "k\n",
		schema: `{"type":"object","properties":{"birds":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"string"}},"required":["name","price"]}}},"required":["birds"]}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"agent", "--url", site.URL, "--strict-urls", "--schema", schema, "--allow-private", "Which", "birds", "are", "sold?"}
	if code, _, said := call(t, "", args...); code != exitEngine || !strings.Contains(said, "CURLEW_MODEL_URL") {
		t.Errorf("without a model: exit %d, %s", code, said)
	}
	t.Setenv("CURLEW_MODEL_URL", models.URL)
	t.Setenv("CURLEW_MODEL", "m")
	t.Setenv("CURLEW_MODEL_KEY_FILE", key)
	code, out, said := call(t, "", args...)
	var answer struct {
		Birds []struct{ Name, Price string }
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || len(answer.Birds) != 2 || answer.Birds[0].Name != "Curlew" || answer.Birds[1].Price != "5" {
		t.Errorf("exit %d, %v: %s%s", code, err, out, said)
	}
	for _, want := range []string{"read " + site.URL, "source: " + site.URL, "calls of the model"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %s", want, said)
		}
	}
	if code != 0 && (code != exitInput || !strings.Contains(said, "not complete: ")) {
		t.Errorf("exit %d, %s", code, said)
	}
	codeJSON, out, said := call(t, "", append([]string{"agent", "--json"}, args[1:]...)...)
	if codeJSON != code || !strings.Contains(out, `"fields":{"/birds/0/name":{"source":0,"lines":[`) {
		t.Errorf("exit %d, %s%s", codeJSON, out, said)
	}
	table := "name,price,sources\nCurlew,3," + site.URL + "/\nDunlin,5," + site.URL + "/\n"
	codeCSV, out, said := call(t, "", append([]string{"agent", "--csv", "--sources"}, args[1:]...)...)
	if codeCSV != code || out != table {
		t.Errorf("exit %d, %s%s", codeCSV, out, said)
	}
	server := serveTest(t, "--model-url", models.URL, "--model-mini", "m")
	remote := []string{"agent", "--remote", server, "--csv", "--sources"}
	for _, a := range args[1:] {
		if a != "--allow-private" {
			remote = append(remote, a)
		}
	}
	codeCSV, out, said = call(t, "", remote...)
	if codeCSV != code || out != table {
		t.Errorf("of a server: exit %d, %s%s", codeCSV, out, said)
	}
	for _, wrong := range [][]string{{"--csv", "--json"}, {"--sources"}} {
		if code, _, said := call(t, "", append(append([]string{"agent"}, wrong...), args[1:]...)...); code != exitUsage {
			t.Errorf("%v: exit %d, %s", wrong, code, said)
		}
	}
	t.Setenv("CURLEW_MODEL_KEY_FILE", filepath.Join(dir, "none"))
	if code, _, said := call(t, "", args...); code != exitBroken || !strings.Contains(said, "CURLEW_MODEL_KEY_FILE") {
		t.Errorf("without the file of the key: exit %d, %s", code, said)
	}
}

// TestAgentWithoutModel checks that a command whose model does not answer says why.
func TestAgentWithoutModel(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<p>Curlew: 3") }))
	defer site.Close()
	models := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/locked/") {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":{"message":"Incorrect API key"}}`)
			return
		}
		http.NotFound(w, r)
	}))
	defer models.Close()
	t.Setenv("CURLEW_MODEL", "m")
	args := []string{"agent", "--url", site.URL, "--strict-urls", "--allow-private", "Which birds are sold?"}
	for _, test := range []struct {
		url, says string
		code      int
	}{
		{models.URL + "/locked", "Incorrect API key", exitRefused},
		{models.URL + "/wrong", "there is no /wrong/chat/completions", exitBroken},
		{"localhost:11434/v1", "CURLEW_MODEL_URL: it is not an http or https URL", exitUsage},
	} {
		t.Setenv("CURLEW_MODEL_URL", test.url)
		if code, _, said := call(t, "", args...); code != test.code || !strings.Contains(said, test.says) {
			t.Errorf("%s: exit %d, %s", test.url, code, said)
		}
	}
	t.Setenv("CURLEW_MODEL_URL", models.URL+"/wrong")
	if _, _, said := call(t, "", append([]string{"agent", "-v"}, args[1:]...)...); !strings.Contains(said, "agent's model is out") {
		t.Errorf("-v does not say what the engine logs: %s", said)
	}
	t.Setenv("CURLEW_SEARXNG_URL", "localhost")
	if code, _, said := call(t, "", "search", "curlew"); code != exitUsage || !strings.Contains(said, "CURLEW_SEARXNG_URL") {
		t.Errorf("exit %d, %s", code, said)
	}
}

// TestSearch asks a server that answers as SearXNG documents.
func TestSearch(t *testing.T) {
	if code, _, said := call(t, "", "search", "waders"); code != exitEngine || !strings.Contains(said, "CURLEW_SEARXNG_URL") {
		t.Errorf("without a provider: exit %d, %s", code, said)
	}
	found := `{"url":"https://a.test/1","title":"One\u001b[31m","content":"First"},{"url":"https://b.test/2","title":"Two","content":"Second"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list := ""
		if r.URL.Query().Get("pageno") == "1" && strings.Contains(r.URL.Query().Get("q"), "waders") {
			list = found
		}
		fmt.Fprintf(w, `{"query":"waders","results":[%s],"unresponsive_engines":[]}`, list)
	}))
	defer server.Close()
	t.Setenv("CURLEW_SEARXNG_URL", server.URL)
	code, out, said := call(t, "", "search", "waders", "of", "Leeds")
	if code != 0 || out != "https://a.test/1\n  One[31m\nhttps://b.test/2\n  Two\n" {
		t.Errorf("exit %d, %q %s", code, out, said)
	}
	code, out, said = call(t, "", "search", "--json", "--limit", "1", "waders")
	if code != 0 || strings.Count(out, "\n") != 1 || !strings.Contains(out, `"description":"First"`) {
		t.Errorf("exit %d, %q %s", code, out, said)
	}
	if code, out, said := call(t, "", "search", "gulls"); code != exitBroken || out != "" || !strings.Contains(said, "nothing was found") {
		t.Errorf("exit %d, %q %s", code, out, said)
	}
}
