// SPDX-License-Identifier: Apache-2.0

// Package snippet writes a request of the contract as a command and as programs.
package snippet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/curlew/internal/sorting"
)

// Call names an endpoint that starts a job or answers with documents.
type Call string

// The calls that can be written.
const (
	Scrape  Call = "scrape"
	Crawl   Call = "crawl"
	Batch   Call = "batch"
	Search  Call = "search"
	Agent   Call = "agent"
	Extract Call = "extract"
)

// Code is a request in three languages. Each of them reads the API key from the environment
// variable CURLEW_API_KEY, so that no text contains it.
type Code struct {
	Curl string `json:"curl"`
	Go   string `json:"go"` // a program that uses package client
	JS   string `json:"js"` // a module that uses the official JavaScript client

	Notes []string `json:"notes,omitempty"` // sentences about what a text cannot express
}

// Errors of Write.
var (
	ErrCall = errors.New("unknown call")
	ErrBody = errors.New("the body is not a JSON object")
)

// Write writes the request with a body to the server at base, which is a URL without /v2.
func Write(call Call, base string, body []byte) (*Code, error) {
	kind, ok := kinds[call]
	if !ok {
		return nil, ErrCall
	}
	value, err := decode(body)
	if err != nil {
		return nil, err
	}
	members, ok := value.(object)
	if !ok {
		return nil, ErrBody
	}
	hidden := 0
	members = brief(members, &hidden)
	base = strings.TrimRight(base, "/")
	c := &Code{Curl: curl(base+kind.path, members)}
	if hidden > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("Headers that may be secret have the value %s here. Their number is %d.", placeholder, hidden))
	}
	var missing []string
	c.Go, missing = program(kind, base, members)
	c.note("The Go client has no field for", missing)
	c.JS, missing = script(kind, base, members)
	c.note("The JavaScript client does not send", missing)
	return c, nil
}

func (c *Code) note(text string, names []string) {
	if len(names) > 0 {
		c.Notes = append(c.Notes, text+" "+strings.Join(names, ", ")+".")
	}
}

// curl returns a command for a POSIX shell.
func curl(url string, body object) string {
	return "curl " + quote(url) + " \\\n  -H \"Authorization: Bearer $CURLEW_API_KEY\" \\\n  -H 'Content-Type: application/json' \\\n  -d " + quote(indented(body))
}

// Get returns the command that reads a path of the server at base.
func Get(base, path string) string {
	return "curl " + quote(strings.TrimRight(base, "/")+path) + " \\\n  -H \"Authorization: Bearer $CURLEW_API_KEY\""
}

// quote quotes a text for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// member is a member of an object.
type member struct {
	name  string
	value any // nil, bool, json.Number, string, []any or object
}

// object is a JSON object in the order of its text.
type object []member

// get returns a member's value, or nil.
func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// without returns the members that have none of these names.
func (o object) without(names ...string) object {
	return sorting.Without(slices.Clone(o), func(m member) bool { return slices.Contains(names, m.name) })
}

// decode decodes one JSON value. The decoder limits its depth.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if !json.Valid(text) { // tokens alone do not report every error of syntax
		return nil, ErrBody
	}
	return next(d)
}

func next(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := next(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := next(d)
			if err != nil {
				return nil, err
			}
			o = append(o, member{fmt.Sprint(name), v})
		}
		_, err = d.Token()
		return o, err
	}
	return token, nil
}

// PageBody returns the body that scrapes one page with the options that a crawl or a batch has
// for all of its pages. body is that of the crawl or batch.
func PageBody(body []byte, url string) ([]byte, error) {
	value, err := decode(body)
	if err != nil {
		return nil, err
	}
	o, ok := value.(object)
	if !ok {
		return nil, ErrBody
	}
	var options object
	if o.get("urls") != nil {
		options = o.without(append([]string{"urls"}, batchMembers...)...)
		if keep := o.get("zeroDataRetention"); keep != nil {
			options = append(options, member{"zeroDataRetention", keep})
		}
	} else {
		options, _ = o.get("scrapeOptions").(object)
		options = options.without("zeroDataRetention")
	}
	return plain(append(object{{"url", url}}, options...)), nil
}

// placeholder stands for the value of a header that may be secret.
const placeholder = "REPLACE_ME"

// secret matches the names of headers whose values may be secret.
var secret = regexp.MustCompile(`(?i)auth|cookie|key|token|secret|password|session|credential|signature`)

// brief writes formats, sources and other values that have only a type as that type. It
// leaves out the name of the client that sent the request, replaces the values of headers that
// may be secret, and adds their number to hidden.
func brief(o object, hidden *int) object {
	out := object{}
	for _, m := range o {
		switch v := m.value.(type) {
		case []any:
			if slices.Contains([]string{"formats", "sources", "categories", "parsers"}, m.name) {
				m.value = types(v)
			}
		case object:
			switch m.name {
			case "scrapeOptions", "webhook":
				m.value = brief(v, hidden)
			case "headers":
				m.value = withoutSecrets(v, hidden)
			}
		}
		if m.name != "origin" {
			out = append(out, m)
		}
	}
	return out
}

// types returns a list in which each object that has only a type is replaced by it. The
// JavaScript client wants the format json as an object.
func types(list []any) []any {
	list = slices.Clone(list)
	for i := range list {
		if one, ok := list[i].(object); ok && len(one) == 1 && one[0].name == "type" && one[0].value != "json" {
			list[i] = one[0].value
		}
	}
	return list
}

func withoutSecrets(headers object, hidden *int) object {
	headers = slices.Clone(headers)
	for i := range headers {
		if secret.MatchString(headers[i].name) {
			headers[i].value = placeholder
			*hidden++
		}
	}
	return headers
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, plain(m.name)...), ':')
		b = append(b, plain(m.value)...)
	}
	return append(b, '}'), nil
}

// plain returns a value as JSON on one line, in which HTML is not escaped.
func plain(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // values come from a decoder, so all of them can be encoded
		return []byte("null")
	}
	return bytes.TrimSpace(b.Bytes())
}

// indented returns a value as JSON. Values that fit on a line stay on one.
func indented(v any) string {
	var b strings.Builder
	layout(&b, v, "", func(name string) string { return string(plain(name)) })
	return b.String()
}

// width is the length of a line, in bytes, up to which a value stays on it.
const width = 90

// layout writes a value with names as name writes them. in is the indentation of the line.
func layout(b *strings.Builder, v any, in string, name func(string) string) {
	if flat := line(v, name); len(in)+len(flat) <= width {
		b.WriteString(flat)
		return
	}
	switch v := v.(type) {
	case object:
		b.WriteString("{\n")
		for i, m := range v {
			b.WriteString(in + "  " + name(m.name) + ": ")
			layout(b, m.value, in+"  ", name)
			comma(b, i < len(v)-1)
		}
		b.WriteString(in + "}")
	case []any:
		b.WriteString("[\n")
		for i, e := range v {
			b.WriteString(in + "  ")
			layout(b, e, in+"  ", name)
			comma(b, i < len(v)-1)
		}
		b.WriteString(in + "]")
	default:
		b.Write(plain(v))
	}
}

func comma(b *strings.Builder, more bool) {
	if more {
		b.WriteByte(',')
	}
	b.WriteByte('\n')
}

// line writes a value on one line. It stops early if the line is too long anyway.
func line(v any, name func(string) string) string {
	switch v := v.(type) {
	case object:
		var parts []string
		n := 0
		for _, m := range v {
			part := name(m.name) + ": " + line(m.value, name)
			if parts, n = append(parts, part), n+len(part); n > width {
				break
			}
		}
		if len(parts) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case []any:
		var parts []string
		n := 0
		for _, e := range v {
			part := line(e, name)
			if parts, n = append(parts, part), n+len(part); n > width {
				break
			}
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return string(plain(v))
}
