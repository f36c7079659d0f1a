// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

var line = regexp.MustCompile(`(?m)^(\d+)\| (?:- )?(\w+): (\S+)$`)

// model is a chat completions server that plans nothing and extracts "name: price"
// lines.
func model(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || r.Header.Get("Authorization") != "Bearer k" {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	rows := []any{}
	for _, m := range line.FindAllStringSubmatch(request.Messages[len(request.Messages)-1].Content, -1) {
		var n int
		fmt.Sscan(m[1], &n)
		rows = append(rows, map[string]any{
			"v":  map[string]any{"name": m[2], "price": m[3]},
			"ln": map[string]any{"name": []int{n, n}, "price": []int{n, n}},
		})
	}
	reply, _ := json.Marshal(map[string]any{"rows": rows, "total": -1, "total_ln": 0, "more": false, "kind": "list"})
	if strings.Contains(request.Messages[0].Content, "You plan how to gather data") {
		reply = []byte(`{"tables":[],"shape":"list","hops":[],"queries":[],"start":[],"fields":[]}`)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": string(reply)}}},
		"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 10},
	})
}

// TestRun answers a question with a small site and a small model.
func TestRun(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, "<title>Shop</title><main><h1>Prices</h1><ul><li>Hammer: 12.50</li><li>Saw: 19.90</li></ul><p>All of our tools are made here, by hand, and last for long.</p></main>")
	}))
	defer site.Close()
	chat := httptest.NewServer(http.HandlerFunc(model))
	defer chat.Close()
	schema := filepath.Join(t.TempDir(), "schema.json")
	const rows = `{"type":"object","properties":{"products":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}}},"required":["products"]}`
	if err := os.WriteFile(schema, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	key := func(name string) string { return map[string]string{"CURLEW_MODEL_KEY": "k"}[name] }
	args := []string{"-allow-private", "-strict", "-url", site.URL + "/", "-schema", schema, "-model-url", chat.URL, "-model", "m", "Tools and their prices"}
	var out, status bytes.Buffer
	if err := run(t.Context(), args, key, &out, &status); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"products\nname    price  sources\nHammer  12.5   [1]\nSaw     19.9   [1]\n", "[1] " + site.URL + "/", "  Shop\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, &out)
		}
	}
	for _, want := range []string{"read " + site.URL, "2 rows of S1 by model", "ended: done"} {
		if !strings.Contains(status.String(), want) {
			t.Errorf("the progress lacks %q:\n%s", want, &status)
		}
	}
	out.Reset()
	if err := run(t.Context(), append([]string{"-json"}, args...), key, &out, io.Discard); err != nil || !strings.Contains(out.String(), `"Stop": "done"`) {
		t.Errorf("%v\n%s", err, &out)
	}
}

func TestRefused(t *testing.T) {
	for _, args := range [][]string{{}, {"question"}, {"-schema", "nowhere.json", "question"}, {"-url", "ftp://x", "question"}} {
		if err := run(t.Context(), args, func(string) string { return "" }, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is asked", args)
		}
	}
}
