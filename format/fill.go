// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"strconv"
	"strings"
)

// Limits for the values that are filled in.
const (
	maxFilled = 20_000 // values
	maxSchema = 12     // levels
)

// A filler fills in a schema from facts. Properties are matched by name and type.
// Every value comes from a fact.
type filler struct {
	doc  any // the whole schema, for references in it
	lang string
	base base
	left int // values that may still be filled in
}

// fill returns the value of a schema; ok is false if the facts do not have it. Words
// is the canonical name of the property, empty for the root.
func (f *filler) fill(schema any, from *facts, words string, depth int) (value any, ok bool) {
	s := f.resolve(schema)
	f.left--
	if s == nil || depth > maxSchema || f.left < 0 {
		return nil, false
	}
	if v, ok, only := f.choice(s, from, words, depth); ok || only {
		return v, ok
	}
	switch kind := typeOf(s); kind {
	case "object":
		return f.object(s, from, words, depth)
	case "array":
		return f.array(s, from, words, depth)
	default:
		one := from.find(words)
		if one == nil || words == "" {
			return nil, false
		}
		for _, text := range one.texts {
			if v, ok := f.scalar(s, kind, text, words); ok {
				return v, true
			}
		}
		// A rating or a price may be an object with a value.
		for _, n := range one.nodes {
			for _, inner := range []string{words, "value", "title"} {
				if v, ok := f.fill(schema, &facts{list: within(n, inner, words)}, words, depth+1); ok {
					return v, true
				}
			}
		}
		return nil, false
	}
}

// choice fills in the first of the alternatives of a schema for which there are
// facts. only is set if the schema has nothing but alternatives.
func (f *filler) choice(s map[string]any, from *facts, words string, depth int) (value any, ok, only bool) {
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := s[word].([]any)
		for _, one := range list {
			if r := f.resolve(one); r != nil && r["type"] != "null" {
				if v, ok := f.fill(one, from, words, depth+1); ok {
					return v, true, false
				}
			}
		}
		if list != nil && s["type"] == nil && s["properties"] == nil {
			return nil, false, true
		}
	}
	return nil, false, false
}

// within returns the fact of n with a name, renamed.
func within(n *facts, name, as string) []fact {
	if one := n.find(name); one != nil {
		return []fact{{name: one.name, words: as, texts: one.texts}}
	}
	return nil
}

// resolve returns a schema as an object and follows references within the
// document; nil if it is not an object.
func (f *filler) resolve(schema any) map[string]any {
	for range 8 {
		s, _ := schema.(map[string]any)
		ref, ok := s["$ref"].(string)
		if !ok {
			return s
		}
		path, ok := strings.CutPrefix(ref, "#/")
		if !ok {
			return nil
		}
		schema = f.doc
		for name := range strings.SplitSeq(path, "/") {
			m, _ := schema.(map[string]any)
			schema = m[strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")]
		}
	}
	return nil
}

// typeOf returns the first type of a schema other than null.
func typeOf(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if name, _ := one.(string); name != "null" && name != "" {
				return name
			}
		}
	}
	switch {
	case s["properties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return ""
}

// object fills in the properties of an object: from the thing under its name, or
// at the root from the same facts.
func (f *filler) object(s map[string]any, from *facts, words string, depth int) (any, bool) {
	if words != "" {
		inner := from.thing(words)
		if inner == nil {
			return nil, false
		}
		from = inner
	}
	properties, _ := s["properties"].(map[string]any)
	out := map[string]any{}
	for _, name := range sortedKeys(properties) {
		if v, ok := f.fill(properties[name], from, canonical(name), depth+1); ok {
			out[name] = v
		} else if r := f.resolve(properties[name]); r != nil && nullable(r) && required(s, name) {
			out[name] = nil
		}
	}
	for _, v := range out {
		if v != nil {
			return out, true
		}
	}
	return nil, false
}

// thing returns the thing under a name, or else the thing of the type with that name, or
// nil. A page that has a price is itself a product, and one that has a title is itself an
// article.
func (f *facts) thing(words string) *facts {
	if one := f.find(words); one != nil && len(one.nodes) > 0 {
		return one.nodes[0]
	}
	for _, n := range f.more {
		if slices.ContainsFunc(n.types, func(t string) bool { return canonical(t) == words }) {
			return n
		}
	}
	if words == "product" && f.find("price") != nil || words == "article" && f.find("title") != nil || words == "page" || words == "metadata" {
		return f
	}
	return nil
}

// array fills in an array: with the texts or things under its name, with the things of
// the type that is the singular of its name, or with the items of the page's first list.
func (f *filler) array(s map[string]any, from *facts, words string, depth int) (any, bool) {
	items := f.resolve(s["items"])
	var out []any
	most := maxListed
	if n, ok := s["maxItems"].(float64); ok && n >= 0 && n < maxListed {
		most = int(n)
	}
	if typeOf(items) != "object" {
		one := from.find(words)
		if one == nil {
			one = from.find(singular(words))
		}
		if one == nil {
			return nil, false
		}
		texts := one.texts
		if words == "keywords" && len(texts) == 1 {
			texts = strings.Split(texts[0], ",")
		}
		for _, text := range texts {
			if v, ok := f.scalar(items, typeOf(items), strings.TrimSpace(text), singular(words)); ok && len(out) < most {
				out = append(out, v)
			}
		}
		return out, len(out) > 0
	}
	var things []*facts
	if one := from.find(words); one != nil && words != "" {
		things = one.nodes
	}
	if things == nil {
		for _, n := range from.more {
			if slices.ContainsFunc(n.types, func(t string) bool { return canonical(t) == singular(words) }) {
				things = append(things, n)
			}
		}
	}
	if things == nil {
		things = listed(from.more)
	}
	for _, n := range things {
		if v, ok := f.object(items, n, "", depth+1); ok && len(out) < most {
			out = append(out, v)
		}
	}
	return out, len(out) > 0
}

// listed returns the items of the first list among things.
func listed(things []*facts) []*facts {
	for _, n := range things {
		if !slices.Contains(n.types, "ItemList") && !slices.Contains(n.types, "CollectionPage") {
			continue
		}
		elements := n.find("item list element")
		if elements == nil {
			continue
		}
		var all []*facts
		for _, e := range elements.nodes {
			if inner := e.find("item"); inner != nil && len(inner.nodes) > 0 {
				e = inner.nodes[0]
			}
			all = append(all, e)
		}
		return all
	}
	return nil
}

// singular returns the singular of an English name.
func singular(words string) string {
	switch {
	case strings.HasSuffix(words, "ies"):
		return canonical(words[:len(words)-3] + "y")
	case strings.HasSuffix(words, "s") && !strings.HasSuffix(words, "ss"):
		return canonical(words[:len(words)-1])
	}
	return words
}

func required(s map[string]any, name string) bool {
	list, _ := s["required"].([]any)
	return slices.Contains(list, any(name))
}

func nullable(s map[string]any) bool {
	list, _ := s["type"].([]any)
	return slices.Contains(list, any("null"))
}

// scalar reads a text as a value of a schema that is not an object or array.
func (f *filler) scalar(s map[string]any, kind, text, words string) (any, bool) {
	var v any
	switch kind {
	case "number", "integer":
		n, ok := readAmount(digitsOf(text), f.lang, words != "price")
		if !ok || kind == "integer" && n != float64(int64(n)) {
			return nil, false
		}
		v = n
	case "boolean":
		switch strings.ToLower(text) {
		case "true", "yes", "ja", "oui", "sí", "si", "1":
			v = true
		case "false", "no", "nein", "non", "0":
			v = false
		default:
			a := readAvailability(text)
			if a == nil || words != "availability" && words != "in stock" {
				return nil, false
			}
			v = a.InStock
		}
	case "", "string":
		if v = text; words == "url" || words == "image" || s["format"] == "uri" {
			v = f.base.resolve(text)
		}
		if day, _, ok := strings.Cut(text, "T"); ok && s["format"] == "date" {
			v = day
		}
	default:
		return nil, false
	}
	if list, ok := s["enum"].([]any); ok {
		for _, one := range list {
			if one == v {
				return v, true
			}
			if name, _ := one.(string); name != "" && strings.EqualFold(canonical(name), canonical(text)) {
				return one, true
			}
		}
		return nil, false
	}
	return v, true
}

// digitsOf returns the number in a text, from its first digit to its last.
func digitsOf(s string) string {
	first, last := strings.IndexAny(s, "0123456789"), strings.LastIndexAny(s, "0123456789")
	if first < 0 {
		return ""
	}
	if first > 0 && s[first-1] == '-' {
		first--
	}
	if len(s[first:last+1]) > 40 {
		return ""
	}
	return s[first : last+1]
}

// formatNumber returns n in the notation of JSON.
func formatNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
