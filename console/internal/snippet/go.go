// SPDX-License-Identifier: Apache-2.0

package snippet

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/client"
)

// program returns a program that uses package client, and the members of the body that the
// client has no field for.
func program(k kind, base string, body object) (text string, missing []string) {
	var w writer
	request := w.value(reflect.TypeOf(k.request), body, "\t")
	statements := "ctx := context.Background()\nc := &client.Client{BaseURL: " + strconv.Quote(base) + ", Key: os.Getenv(\"CURLEW_API_KEY\")}\n" + k.golang
	statements = "\t" + strings.ReplaceAll(strings.TrimSuffix(statements, "\n"), "\n", "\n\t")
	imports := []string{"context", "fmt", "log", "os", "example.com/curlew/client"}
	if strings.Contains(request, "json.RawMessage(") {
		imports = slices.Insert(imports, 1, "encoding/json")
	}
	if strings.Contains(statements, "time.Sleep") {
		imports = slices.Insert(imports, len(imports)-1, "time")
	}
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	for _, path := range imports {
		if strings.Contains(path, ".") {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "\t%q\n", path)
	}
	b.WriteString(")\n\nfunc main() {\n" + strings.Replace(statements, "REQUEST", request, 1) + "\n}\n")
	return b.String(), w.missing
}

// writer writes JSON values as literals of Go.
type writer struct {
	missing []string // members without a field
}

var raw = reflect.TypeFor[json.RawMessage]()

// value writes v as a literal of a type. in is the indentation of the line.
func (w *writer) value(t reflect.Type, v any, in string) string {
	switch {
	case t == raw:
		text := string(plain(v))
		if strings.ContainsAny(text, "`\r") {
			return "json.RawMessage(" + strconv.Quote(text) + ")"
		}
		return "json.RawMessage(`" + text + "`)"
	case t.Kind() == reflect.Pointer:
		text := w.value(t.Elem(), v, in)
		if k := t.Elem().Kind(); k != reflect.Struct && k != reflect.Slice {
			return "new(" + text + ")"
		}
		return "&" + text
	case t.Kind() == reflect.Slice:
		list, ok := v.([]any)
		if !ok { // a single value may stand for a list of one
			list = []any{v}
		}
		var parts []string
		for _, e := range list {
			text := w.value(t.Elem(), e, in+"\t")
			parts = append(parts, strings.TrimPrefix(text, name(t.Elem()))) // the type of elements is known
		}
		return literal(name(t), parts, in)
	case t.Kind() == reflect.Map:
		var parts []string
		members, _ := v.(object)
		for _, m := range members {
			parts = append(parts, strconv.Quote(m.name)+": "+w.value(t.Elem(), m.value, in+"\t"))
		}
		return literal(name(t), parts, in)
	case t.Kind() == reflect.Struct:
		return w.structure(t, v, in)
	case t.Kind() == reflect.Float64:
		text := fmt.Sprint(v)
		if !strings.ContainsAny(text, ".eE") {
			text += ".0" // new(5) would be a pointer to an int
		}
		return text
	}
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	return fmt.Sprint(v)
}

// structure writes a literal of a struct. Some of them may be a string or a boolean in JSON.
func (w *writer) structure(t reflect.Type, v any, in string) string {
	o, ok := v.(object)
	if t == reflect.TypeFor[client.Redact]() { // its fields have no tags, because it encodes itself
		if !ok {
			return fmt.Sprintf("client.Redact{On: %t}", v == true)
		}
		parts := []string{"On: true"}
		for _, f := range []struct{ field, member string }{{"Mode", "mode"}, {"Entities", "entities"}, {"Style", "replaceStyle"}} {
			if m := o.get(f.member); m != nil {
				field, _ := t.FieldByName(f.field)
				parts = append(parts, f.field+": "+w.value(field.Type, m, in+"\t"))
			}
		}
		return literal(name(t), parts, in)
	}
	if !ok { // only the type of a format, or only the URL of a webhook
		o = object{{tag(t.Field(0)), v}}
	}
	parts, used := w.fields(t, o, in)
	for _, m := range o {
		if !slices.Contains(used, m.name) {
			w.missing = append(w.missing, m.name)
		}
	}
	return literal(name(t), parts, in)
}

// fields writes the fields of a struct, and names the members that have one.
func (w *writer) fields(t reflect.Type, o object, in string) (parts, used []string) {
	for f := range t.Fields() {
		if f.Anonymous {
			inner, names := w.fields(f.Type, o, in+"\t")
			used = append(used, names...)
			if len(inner) > 0 {
				parts = append(parts, f.Name+": "+literal(name(f.Type), inner, in+"\t"))
			}
			continue
		}
		for _, m := range o {
			if m.name == tag(f) {
				used = append(used, m.name)
				if m.value != nil { // null is the same as a missing member
					parts = append(parts, f.Name+": "+w.value(f.Type, m.value, in+"\t"))
				}
				break
			}
		}
	}
	return parts, used
}

// tag returns the name of a field in JSON.
func tag(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// name returns the name of a type in a program that imports package client.
func name(t reflect.Type) string { return t.String() }

// literal writes a composite literal, on one line if it fits.
func literal(name string, parts []string, in string) string {
	flat := name + "{" + strings.Join(parts, ", ") + "}"
	if len(flat)+4*len(in) <= width && !strings.Contains(flat, "\n") {
		return flat
	}
	return name + "{\n" + in + "\t" + strings.Join(parts, ",\n"+in+"\t") + ",\n" + in + "}"
}
