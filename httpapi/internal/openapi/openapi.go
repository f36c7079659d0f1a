// SPDX-License-Identifier: Apache-2.0

// Package openapi describes the handler as an OpenAPI 3.1 document: routes,
// decoders and structs of answers -> JSON.
//
// Nothing that the code knows is repeated here. Bounds and names of requests come from
// the decoders ([wire.Schemas]), those of answers from the structs that are encoded, and
// statuses with their codes from the table of errors. What stands here is what no
// code says: summaries, and texts about members.
package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
)

// Route is one route of the handler.
type Route struct {
	Method, Pattern string
	Keyless         bool // needs no key
}

// Error is one line of the handler's table of errors.
type Error struct {
	Status int
	Code   string        // empty if the body has none
	Body   *wire.Failure // nil if it depends on the request
}

// Build returns the document without its servers. Its error names a route without a
// description, or a description without a route.
func Build(routes []Route, errors []Error) ([]byte, error) {
	b := &builder{
		answers: answers{components: map[string]*wire.Schema{}, types: map[string]reflect.Type{}},
		paths:   map[string]map[string]any{},
	}
	b.requests()
	b.responses(errors)
	described := described()
	for _, r := range routes {
		name := r.Method + " " + r.Pattern
		op, ok := described[name]
		if !ok {
			return nil, fmt.Errorf("openapi: %s is not described", name)
		}
		delete(described, name)
		b.add(&r, op)
	}
	for name := range described {
		return nil, fmt.Errorf("openapi: there is no route %s", name)
	}
	return jsonenc.Encode(map[string]any{
		"openapi":           "3.1.0",
		"jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
		"info": map[string]any{
			"title": "curlew", "version": "v2",
			"description": "Crawl, parse and ask the web. Every job answers 200 with an id, and ends as completed, failed or cancelled.",
			"license":     map[string]string{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"security": []map[string][]string{{"key": {}}},
		"paths":    b.paths,
		"components": map[string]any{
			"schemas":   b.components,
			"responses": b.failures,
			"headers": map[string]any{
				"requestId":  map[string]any{"description": "The id of the request, as it stands in logs.", "schema": text()},
				"retryAfter": map[string]any{"description": "Seconds after which a repeated request can succeed.", "schema": &wire.Schema{Type: "integer"}},
			},
			"parameters": map[string]any{
				"idempotency": map[string]any{
					"name": "X-Idempotency-Key", "in": "header", "schema": text(),
					"description": "A repeated request with the same key and body gets the first answer again, for 24 hours. With another body it gets 409.",
				},
			},
			"securitySchemes": map[string]any{"key": map[string]string{"type": "http", "scheme": "bearer"}},
		},
	})
}

// At returns the document of Build for the server at base.
func At(document []byte, base string) ([]byte, error) {
	servers, err := jsonenc.Encode([]map[string]string{{"url": base}})
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"servers":`), servers, []byte(","), document[1:]), nil
}

type builder struct {
	answers
	paths    map[string]map[string]any
	failures map[string]any
	statuses []int // of failures
}

// requests adds the schemas of bodies, with their texts. A part that several bodies have
// becomes a component of its own.
func (b *builder) requests() {
	bodies := wire.Schemas()
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		s := bodies[name]
		explain(name, s)
		b.share(s)
		b.components[name+"Request"] = s
	}
}

// shared are members that mean the same in all requests, and the names of their
// components.
var shared = map[string]string{
	"actions": "Actions", "auditMetadata": "AuditMetadata", "formats": "Formats", "headers": "Headers", "location": "Location",
	"parsers": "Parsers", "redactPII": "RedactPII", "threatProtection": "ThreatProtection", "webhook": "Webhook",
}

// share replaces members of s, and of the objects in it, by references.
func (b *builder) share(s *wire.Schema) {
	for name, p := range s.Properties {
		b.share(p)
		component, ok := shared[name]
		if !ok || p.Properties == nil && component == "Location" { // a search has a place in words
			continue
		}
		if known, ok := b.components[component]; ok && !reflect.DeepEqual(known, p) {
			panic("openapi: " + name + " is not the same in all requests") // a test builds the whole document
		}
		b.components[component] = p
		s.Properties[name] = &wire.Schema{Ref: "#/components/schemas/" + component}
	}
	for _, form := range s.AnyOf {
		b.share(form)
	}
	if s.Items != nil {
		b.share(s.Items)
	}
}

// responses adds the answers to errors, one for each status.
func (b *builder) responses(errors []Error) {
	b.failures = map[string]any{}
	failure := b.of(reflect.TypeFor[wire.Failure]())
	b.of(reflect.TypeFor[wire.UploadTarget]())
	for _, e := range errors {
		if e.Status != http.StatusOK && !slices.Contains(b.statuses, e.Status) {
			b.statuses = append(b.statuses, e.Status)
		}
	}
	slices.Sort(b.statuses)
	for _, status := range b.statuses {
		said := map[string]any{"X-Request-Id": ref("headers", "requestId")}
		if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			said["Retry-After"] = ref("headers", "retryAfter")
		}
		codes, examples := bodiesOf(status, errors)
		text := http.StatusText(status) + "."
		if codes != nil {
			text += " Codes: " + strings.Join(codes, ", ") + "."
		}
		content := map[string]any{"schema": failure}
		if len(examples) > 0 {
			content["examples"] = examples
		}
		b.failures[strconv.Itoa(status)] = map[string]any{
			"description": text, "headers": said, "content": map[string]any{"application/json": content},
		}
	}
}

// bodiesOf returns the codes of a status, and the bodies that are always the same.
func bodiesOf(status int, errors []Error) (codes []string, examples map[string]any) {
	examples = map[string]any{}
	seen := map[string]bool{}
	for _, e := range errors {
		if e.Status != status {
			continue
		}
		if e.Code != "" && !slices.Contains(codes, e.Code) {
			codes = append(codes, e.Code)
		}
		if e.Body != nil && !seen[e.Body.Error] {
			seen[e.Body.Error] = true
			examples["body"+strconv.Itoa(len(examples)+1)] = map[string]any{"value": e.Body}
		}
	}
	return codes, examples
}

func ref(kind, name string) map[string]string {
	return map[string]string{"$ref": "#/components/" + kind + "/" + name}
}

// add adds one operation.
func (b *builder) add(r *Route, op *operation) {
	out := map[string]any{
		"operationId": op.id, "summary": op.summary, "tags": []string{op.tag()},
		"responses": b.of200(op),
	}
	if op.text != "" {
		out["description"] = op.text
	}
	if r.Keyless {
		out["security"] = []any{}
	}
	var parameters []any
	for segment := range strings.SplitSeq(r.Pattern, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			parameters = append(parameters, map[string]any{
				"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": text(),
			})
		}
	}
	for _, q := range op.query {
		parameters = append(parameters, map[string]any{"name": q.name, "in": "query", "description": q.text, "required": q.need, "schema": q.schema()})
	}
	if op.idempotent {
		parameters = append(parameters, ref("parameters", "idempotency"))
	}
	if parameters != nil {
		out["parameters"] = parameters
	}
	var content map[string]any
	switch {
	case op.request != "":
		content = body(op.request)
	case op.body != nil:
		content = op.body()
	}
	if content != nil {
		out["requestBody"] = map[string]any{"required": true, "content": content}
	}
	if b.paths[r.Pattern] == nil {
		b.paths[r.Pattern] = map[string]any{}
	}
	b.paths[r.Pattern][strings.ToLower(r.Method)] = out
}

// of200 returns the answers of an operation.
func (b *builder) of200(op *operation) map[string]any {
	var schema *wire.Schema
	if op.answer != nil {
		schema = b.of(reflect.TypeOf(op.answer).Elem())
	} else {
		schema = op.schema()
	}
	content := map[string]any{}
	for _, kind := range op.types {
		content[kind] = map[string]any{"schema": schema}
	}
	if op.types == nil {
		content["application/json"] = map[string]any{"schema": schema}
	}
	out := map[string]any{"200": map[string]any{
		"description": "OK", "headers": map[string]any{"X-Request-Id": ref("headers", "requestId")},
		"content": content,
	}}
	for _, status := range b.statuses {
		if status != http.StatusMethodNotAllowed { // no operation is answered so
			out[strconv.Itoa(status)] = ref("responses", strconv.Itoa(status))
		}
	}
	return out
}

// explain adds the texts to the members of a request.
func explain(body string, s *wire.Schema) {
	for name, p := range s.Properties {
		if said, ok := texts[body+"."+name]; ok {
			p.Description = said
		} else {
			p.Description = texts[name]
		}
		if d, ok := defaults[body+"."+name]; ok {
			p.Default = json.RawMessage(d)
		} else if d, ok := defaults[name]; ok {
			p.Default = json.RawMessage(d)
		}
		explain(name, p)
	}
	for _, form := range s.AnyOf {
		explain(body, form)
	}
	if s.Items != nil {
		explain(body, s.Items)
	}
}
