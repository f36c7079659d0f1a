// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/httpapi/internal/wire"
)

// members calls visit for each member of s, with the name of the object that it is in.
func members(of string, s *wire.Schema, visit func(of, name string, p *wire.Schema)) {
	for name, p := range s.Properties {
		visit(of, name, p)
		members(name, p, visit)
	}
	for _, form := range s.AnyOf {
		members(of, form, visit)
	}
	if s.Items != nil {
		members(of, s.Items, visit)
	}
}

// TestTexts checks that each member of a request has a text, that no text or default is
// left over, and that defaults are JSON.
func TestTexts(t *testing.T) {
	unused := maps.Clone(texts)
	maps.Copy(unused, defaults)
	for body, s := range wire.Schemas() {
		members(body, s, func(of, name string, _ *wire.Schema) {
			own := of + "." + name
			if texts[own] == "" && texts[name] == "" {
				t.Errorf("%s: %s has no text", body, own)
			}
			if texts[own] != "" || defaults[own] != "" {
				delete(unused, own)
			}
			if texts[own] == "" || defaults[own] == "" {
				delete(unused, name)
			}
		})
	}
	for name := range unused {
		t.Errorf("no request has %s", name)
	}
	for name, d := range defaults {
		if !json.Valid([]byte(d)) {
			t.Errorf("the default of %s is no JSON: %s", name, d)
		}
	}
}

// TestBuildRefuses checks that a route without a description, and a description without
// a route, are errors.
func TestBuildRefuses(t *testing.T) {
	var routes []Route
	for _, name := range slices.Sorted(maps.Keys(described())) {
		method, pattern, _ := strings.Cut(name, " ")
		routes = append(routes, Route{Method: method, Pattern: pattern})
	}
	if _, err := Build(routes, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Build(routes[1:], nil); err == nil {
		t.Error("a description without a route is no error")
	}
	if _, err := Build(append(routes, Route{Method: "GET", Pattern: "/v2/new"}), nil); err == nil {
		t.Error("a route without a description is no error")
	}
}
