// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/curlew"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/schema"
	"example.com/curlew/internal/test/golden"
)

// openAPI returns the description that a handler serves.
func openAPI(t *testing.T, how *httpapi.Options, url string) []byte {
	t.Helper()
	how.InsecureNoAuth = how.Authenticator == nil
	h, err := httpapi.NewHandler(new(curlew.Service), how)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody))
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
		t.Fatalf("%d %v: %s", w.Code, w.Header(), w.Body)
	}
	return w.Body.Bytes()
}

// TestOpenAPI checks that docs/openapi.json is what the handler serves, without a key
// and with its own URL. With -update it writes the file.
func TestOpenAPI(t *testing.T) {
	doc := openAPI(t, &httpapi.Options{BaseURL: "http://localhost:3002"}, "http://a.test/openapi.json")
	var b bytes.Buffer
	if err := json.Indent(&b, doc, "", "\t"); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	golden.Check(t, golden.Root("docs", "openapi.json"), b.Bytes())

	keyed := &httpapi.Options{Authenticator: httpapi.StaticKeys(nil)}
	if doc := openAPI(t, keyed, "http://b.test/openapi.json"); !bytes.Contains(doc, []byte(`"servers":[{"url":"http://b.test"}]`)) {
		t.Error("the description does not name the server that was asked")
	}
}

// described is the part of an OpenAPI document that tests read.
type described struct {
	Paths map[string]map[string]struct {
		ID        string `json:"operationId"`
		Summary   string
		Responses map[string]response
		Body      struct {
			Content map[string]struct{ Schema json.RawMessage }
		} `json:"requestBody"`
	}
	Components struct {
		Schemas   map[string]any
		Responses map[string]response
	}
}

type response struct {
	Ref     string `json:"$ref"`
	Content map[string]struct {
		Schema   json.RawMessage
		Examples map[string]struct{ Value json.RawMessage }
	}
}

// resolver compiles schemas of the document. Objects of answers are closed, so that a
// member without a description is an error.
type resolver struct {
	components map[string]any
	compiled   map[string]*schema.Schema
}

func newResolver(components map[string]any) *resolver {
	for name, s := range components {
		if !strings.HasSuffix(name, "Request") {
			closeObjects(s)
		}
	}
	return &resolver{map[string]any{"schemas": components}, map[string]*schema.Schema{}}
}

// closeObjects forbids members that the schema does not name.
func closeObjects(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["properties"]; ok && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
		for _, part := range v {
			closeObjects(part)
		}
	case []any:
		for _, part := range v {
			closeObjects(part)
		}
	}
}

// faults returns why the value is not valid for the schema, or nil.
func (r *resolver) faults(t *testing.T, raw json.RawMessage, value []byte) error {
	t.Helper()
	s, ok := r.compiled[string(raw)]
	if !ok {
		var root map[string]any
		if err := json.Unmarshal(raw, &root); err != nil {
			t.Fatal(err)
		}
		closeObjects(root)
		root["components"] = r.components
		doc, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		if s, err = schema.Compile(doc); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		r.compiled[string(raw)] = s
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return errors.New("no JSON")
	}
	return s.Validate(t.Context(), v)
}

// TestOpenAPIReplay compares all requests and answers of testdata/wire with the
// description: each status and each member of an answer is in it, and each body that was
// served is valid.
func TestOpenAPIReplay(t *testing.T) {
	var doc described
	if err := json.Unmarshal(openAPI(t, new(httpapi.Options), "http://a.test/openapi.json"), &doc); err != nil {
		t.Fatal(err)
	}
	r := newResolver(doc.Components.Schemas)
	answers, bodies := 0, 0
	pairs := readProofs(t).steps
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		p := pairs[name]
		line, _, _ := strings.Cut(p.request, "\n")
		method, _, _ := strings.Cut(line, " ")
		var pattern string
		for candidate := range doc.Paths { // a path without a parameter wins
			if p.asks(method+" "+candidate) && (pattern == "" || strings.Count(candidate, "{") < strings.Count(pattern, "{")) {
				pattern = candidate
			}
		}
		op, ok := doc.Paths[pattern][strings.ToLower(method)]
		if !ok {
			continue // no route
		}
		head, body, _ := strings.Cut(p.answer, "\n\n")
		status, _, _ := strings.Cut(head, "\n")
		answered, ok := op.Responses[status]
		switch {
		case status == "":
			continue // the step only waits
		case !ok && status == strconv.Itoa(http.StatusMethodNotAllowed):
			continue
		case !ok:
			t.Errorf("%s: %s does not list status %s", name, op.ID, status)
			continue
		}
		if answered.Ref != "" {
			answered = doc.Components.Responses[status]
		}
		if content, ok := answered.Content["application/json"]; ok {
			answers++
			if err := r.faults(t, content.Schema, []byte(body)); err != nil {
				t.Errorf("%s: the answer of %s is not as described: %v\n%.500s", name, op.ID, err, body)
			}
		}
		content, ok := op.Body.Content["application/json"]
		_, sent, _ := strings.Cut(p.request, "\n\n")
		if !ok || status != "200" || !json.Valid([]byte(sent)) || strings.HasPrefix(name, "lenient/") {
			continue
		}
		bodies++
		if err := r.faults(t, content.Schema, []byte(sent)); err != nil {
			t.Errorf("%s: %s served a body that is not as described: %v\n%.500s", name, op.ID, err, sent)
		}
	}
	if answers < 200 || bodies < 100 {
		t.Errorf("%d answers and %d bodies were compared, which is too few", answers, bodies)
	}
}

// TestOpenAPIExamples checks that each body of an error in the description is the answer
// of a step in testdata/wire, byte for byte, or has a test of its own.
func TestOpenAPIExamples(t *testing.T) {
	var doc described
	if err := json.Unmarshal(openAPI(t, new(httpapi.Options), "http://a.test/openapi.json"), &doc); err != nil {
		t.Fatal(err)
	}
	all := readProofs(t)
	answered := map[string]bool{}
	for _, p := range all.steps {
		head, body, _ := strings.Cut(p.answer, "\n\n")
		status, _, _ := strings.Cut(head, "\n")
		answered[status+" "+strings.TrimSpace(body)] = true
	}
	for _, p := range []struct{ test, answer string }{ // what no step can bring about
		{"TestStalledBody", `408 {"success":false,"error":"Request body arrived too slowly"}`},
		{"TestShutdownWork", `503 {"success":false,"error":"The server is shutting down."}`},
		{"TestStorageGone", `503 {"success":false,"code":"SERVICE_BUSY","error":"The server cannot read or write its storage at the moment. Please try again later."}`},
		{"TestManyValues", `413 {"success":false,"error":"Request body is too large: it has more than 100,000 values. A batch takes more URLs with appendToId."}`},
		{"TestUpload", `400 {"success":false,"code":"BAD_REQUEST","error":"Uploaded file exceeds maximum size of 50MB."}`},
	} {
		answered[p.answer] = all.tests[p.test]
	}
	n := 0
	for status, r := range doc.Components.Responses {
		for _, example := range r.Content["application/json"].Examples {
			n++
			if !answered[status+" "+string(example.Value)] {
				t.Errorf("no step is answered with %s %s", status, example.Value)
			}
		}
	}
	if n < 15 {
		t.Errorf("the description has %d bodies of errors", n)
	}
}
