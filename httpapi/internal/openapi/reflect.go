// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"example.com/curlew/agent/outcome"
	"example.com/curlew/format"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
)

// answers makes schemas of answers from the structs that are encoded to them. Each
// named struct becomes a component.
type answers struct {
	components map[string]*wire.Schema
	types      map[string]reflect.Type // of components
}

// written returns the schema of a type that writes its own JSON, or of a member of
// which the struct only says that it is JSON. A member is named Type.member.
func (a *answers) written(name string) (*wire.Schema, bool) {
	switch name {
	case "Data.data":
		return a.of(reflect.TypeFor[format.Document]()), true
	case "Status.data":
		return list(a.of(reflect.TypeFor[format.Document]())), true
	case "Errors.errors":
		return list(pageError()), true
	case "ActiveCrawl.options", "AgentOptions.schema", "Started.promptGeneratedOptions", "Started.finalCrawlerOptions":
		return anyObject(), true
	case "SearchedGroups.web", "SearchedGroups.images", "SearchedGroups.news":
		return list(a.hit()), true
	case "Fault.path":
		return list(&wire.Schema{Type: []string{"string", "integer"}}), true
	case "Usage":
		return usage(), true
	case "Period":
		return period(), true
	default:
		return nil, false
	}
}

// of returns a reference to the schema of t, or the schema if t has no name.
func (a *answers) of(t reflect.Type) *wire.Schema {
	switch t {
	case reflect.TypeFor[jsonenc.Time]():
		return &wire.Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return &wire.Schema{}
	case reflect.TypeFor[format.Selector]():
		return &wire.Schema{Type: "string"}
	case reflect.TypeFor[outcome.Source]():
		return source()
	}
	switch t.Kind() { //nolint:exhaustive // no answer has other kinds: the default reports them
	case reflect.Pointer:
		return a.of(t.Elem())
	case reflect.String:
		return &wire.Schema{Type: "string"}
	case reflect.Bool:
		return &wire.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint8:
		return &wire.Schema{Type: "integer"}
	case reflect.Float64:
		return &wire.Schema{Type: "number"}
	case reflect.Slice, reflect.Array:
		return list(a.of(t.Elem()))
	case reflect.Map:
		return &wire.Schema{Type: "object", Values: a.of(t.Elem())}
	case reflect.Interface:
		return &wire.Schema{}
	case reflect.Struct:
		return a.object(t)
	default:
		panic(fmt.Sprintf("openapi: no schema for %v", t)) // a test builds the whole document
	}
}

// object returns a reference to the component of the struct t, and adds it. A struct
// without a name is described in place.
func (a *answers) object(t reflect.Type) *wire.Schema {
	if t.Name() == "" {
		s := &wire.Schema{Type: "object", Properties: map[string]*wire.Schema{}}
		a.members(s, t)
		return s
	}
	name := componentName(t)
	ref := &wire.Schema{Ref: "#/components/schemas/" + name}
	if known, ok := a.types[name]; ok {
		if known != t {
			panic(fmt.Sprintf("openapi: %v and %v have one name", known, t)) // a test builds the whole document
		}
		return ref
	}
	a.types[name] = t
	if own, ok := a.written(name); ok {
		a.components[name] = own
		return ref
	}
	s := &wire.Schema{Type: "object", Properties: map[string]*wire.Schema{}}
	a.components[name] = s
	a.members(s, t)
	slices.Sort(s.Required)
	if t == reflect.TypeFor[format.Metadata]() {
		s.Description = "What the page and the answer of its host say. Other meta elements of the page stand under their own names."
		s.Values = &wire.Schema{Type: "string"}
	}
	return ref
}

// componentName returns the name of t. Outside the packages of documents and of the
// wire, it begins with the package, because those say chunk and text too.
func componentName(t reflect.Type) string {
	place := path.Base(t.PkgPath())
	switch place {
	case "wire", "format", "outcome":
		return t.Name()
	case "openapi":
		return strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	}
	return strings.ToUpper(place[:1]) + place[1:] + t.Name()
}

// members adds the members of the struct t to s.
func (a *answers) members(s *wire.Schema, t reflect.Type) {
	for f := range t.Fields() {
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "":
			a.members(s, f.Type)
			continue
		case tag == "-" || !f.IsExported():
			continue
		case tag == "":
			tag = f.Name
		}
		optional := strings.Contains(options, "omit")
		p, ok := a.written(t.Name() + "." + tag)
		if !ok {
			p = a.of(f.Type)
		}
		if !optional {
			s.Required = append(s.Required, tag)
			if f.Type.Kind() == reflect.Pointer {
				p = &wire.Schema{AnyOf: []*wire.Schema{p, {Type: "null"}}}
			}
		}
		s.Properties[tag] = p
	}
}

// hit is a hit of a search, with the members of its page if that was fetched.
func (a *answers) hit() *wire.Schema {
	s := &wire.Schema{Type: "object", Properties: map[string]*wire.Schema{}}
	a.members(s, reflect.TypeFor[format.Document]())
	fetched := s.Properties["metadata"]
	s.Required = nil // a hit whose page was not fetched has none of them
	a.members(s, reflect.TypeFor[wire.SearchHit]())
	s.Properties["metadata"] = &wire.Schema{AnyOf: []*wire.Schema{fetched, s.Properties["metadata"]}}
	slices.Sort(s.Required)
	return s
}

func list(of *wire.Schema) *wire.Schema { return &wire.Schema{Type: "array", Items: of} }

func anyObject() *wire.Schema { return &wire.Schema{Type: "object"} }

func text() *wire.Schema { return &wire.Schema{Type: "string"} }

func moment() *wire.Schema { return &wire.Schema{Type: "string", Format: "date-time"} }

// record returns an object with the members, of which the ones named by need are
// never absent.
func record(members map[string]*wire.Schema, need ...string) *wire.Schema {
	slices.Sort(need)
	return &wire.Schema{Type: "object", Properties: members, Required: need}
}

// success is the answer that only says that a request has been served.
func success() *wire.Schema {
	return record(map[string]*wire.Schema{"success": {Type: "boolean"}}, "success")
}

// pageError is a page that was not delivered.
func pageError() *wire.Schema {
	return record(map[string]*wire.Schema{
		"id": text(), "timestamp": moment(), "url": text(), "code": text(), "error": text(),
		"details":     record(map[string]*wire.Schema{"rule": text(), "value": text()}, "rule"),
		"creditsUsed": {Type: "integer"},
	}, "id", "timestamp", "url", "error")
}

// source is a page that an agent has read.
func source() *wire.Schema {
	return record(map[string]*wire.Schema{"url": text(), "title": text(), "fetchedAt": moment()}, "url")
}

// period is the usage of one period, in credits or tokens.
func period() *wire.Schema {
	day := &wire.Schema{Type: []string{"string", "null"}, Format: "date-time"}
	return record(map[string]*wire.Schema{
		"startDate": day, "endDate": day, "creditsUsed": {Type: "integer"}, "tokensUsed": {Type: "integer"},
	}, "startDate", "endDate")
}

// usage is a balance. Its members stand in data and beside it.
func usage() *wire.Schema {
	members := map[string]*wire.Schema{}
	for _, name := range []string{"remainingCredits", "planCredits", "remainingTokens", "planTokens"} {
		members[name] = &wire.Schema{Type: "integer", Description: "2147483647 means that there is no limit."}
	}
	for _, name := range []string{"billingPeriodStart", "billingPeriodEnd"} {
		members[name] = &wire.Schema{Type: []string{"string", "null"}, Format: "date-time"}
	}
	inner := record(members, "billingPeriodStart", "billingPeriodEnd")
	outer := record(map[string]*wire.Schema{"success": {Type: "boolean"}, "data": inner}, "success", "data")
	maps.Copy(outer.Properties, members)
	return outer
}
