// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// Bounds of an outline.
const (
	maxTables     = 20
	maxCallFields = 100
	recordID      = "T0"
)

// outline is a schema as tables.
type outline struct {
	form   *schema.Form
	check  *schema.Schema
	schema json.RawMessage
	tables []*table // a record first, where there is one

	warnings []string // what of the schema is not asserted
}

// table is a list of objects, or with the ID T0 the root's own members.
type table struct {
	id     string
	what   string
	path   []string // members from the root to the list; a record has none
	fields []*field
	keys   []string // names of fields; empty: none
	expect int
	drawn  bool // all fields follow from the rows of other tables: no page is read for it
	bare   bool // rows are scalars: the one field is the row

	once sync.Once
	wire json.RawMessage // schema of replies

	cut   sync.Once
	parts []*table // of split
}

func (t *table) record() bool { return t.id == recordID }

// readable returns the tables that pages are read for.
func (o *outline) readable() []*table {
	return slices.DeleteFunc(slices.Clone(o.tables), func(t *table) bool { return t.drawn })
}

func (t *table) field(name string) *field {
	for _, f := range t.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// must returns the fields that every row has.
func (t *table) must() []*field {
	return slices.DeleteFunc(slices.Clone(t.fields), func(f *field) bool { return !f.required })
}

// required returns the fields that every row has; all where none is.
func (t *table) required() []*field {
	if all := t.must(); len(all) > 0 {
		return all
	}
	return t.fields
}

// field is a column: a member of a row, or of an object inside it.
type field struct {
	name     string   // path with points between
	path     []string // members from the row
	node     *schema.Node
	required bool
	free     bool // its text is the model's own: a summary, a verdict
}

// newOutline makes the outline of a schema.
func newOutline(doc json.RawMessage) (*outline, error) {
	example, ok := schema.FromExample(doc)
	if ok {
		doc = example
	}
	check, err := schema.Compile(doc)
	if err != nil {
		return nil, err
	}
	form, err := schema.Forward(doc)
	if err != nil {
		return nil, err
	}
	o := &outline{form: form, check: check, schema: doc, warnings: slices.Concat(check.Warnings(), form.Warnings)}
	if ok {
		o.warnings = append(o.warnings, "the schema is an example: one was made of it")
	}
	record := &table{id: recordID, what: "the answer"}
	o.members(record, form.Root, nil, true)
	if len(record.fields) > 0 {
		o.tables = append([]*table{record}, o.tables...)
	}
	n := 1
	for _, t := range o.tables {
		if t != record {
			t.id = "T" + strconv.Itoa(n)
			n++
		}
		t.inferKeys()
	}
	if len(record.fields) > 0 && len(o.tables) > 1 {
		record.drawn = !slices.ContainsFunc(record.fields, func(f *field) bool { return !f.free })
	}
	return o, nil
}

// members sorts the members of an object at path into the record's fields and
// tables.
func (o *outline) members(record *table, n *schema.Node, path []string, required bool) {
	for _, f := range n.Fields {
		at := append(slices.Clone(path), f.Name)
		must := required && f.Required
		switch {
		case f.Node.Choices == nil && f.Node.Type == schema.List && len(o.tables) < maxTables && (f.Node.Items.Type == schema.Object && f.Node.Items.Choices == nil && len(f.Node.Items.Fields) > 0 || o.form.Wrapped() && len(path) == 0):
			t := &table{what: f.Node.Description, path: at}
			if t.what == "" && (!o.form.Wrapped() || len(path) > 0) {
				t.what = strings.Join(at, " ")
			}
			if f.Node.Items.Type == schema.Object && f.Node.Items.Choices == nil {
				t.columns(f.Node.Items, nil, true)
				if f.Node.IsMapping() && !slices.ContainsFunc(t.fields, func(f *field) bool { return f.name != "key" && f.name != "value" }) {
					t.keys = []string{"key"}
					t.fields[0].free = true // names are the model's own
				}
			} else {
				t.bare = true
				t.fields = []*field{{name: "value", path: []string{"value"}, node: f.Node.Items, required: true}}
			}
			o.tables = append(o.tables, t)
		case f.Node.Choices == nil && f.Node.Type == schema.Object && len(at) < value.MaxNested && len(f.Node.Fields) > 0:
			o.members(record, f.Node, at, must)
		default:
			record.fields = append(record.fields, newField(f.Node, at, must))
		}
	}
}

// columns adds the members of an object at path in a row.
func (t *table) columns(n *schema.Node, path []string, required bool) {
	for _, f := range n.Fields {
		at := append(slices.Clone(path), f.Name)
		must := required && f.Required
		if f.Node.Choices == nil && f.Node.Type == schema.Object && len(at) < value.MaxNested && len(f.Node.Fields) > 0 {
			t.columns(f.Node, at, must)
			continue
		}
		t.fields = append(t.fields, newField(f.Node, at, must))
	}
}

// linkNames are fields whose texts are addresses, which pages show as links.
var linkNames = []string{"url", "link", "href", "website", "homepage", "permalink"}

// freeWords mark fields whose text is nowhere on the page.
var freeWords = []string{"summar", "verdict", "sentiment", "conclusion", "assessment", "classif", "recommend", "rationale", "analysis", "tone", "energy", "audience", "personality"}

func newField(n *schema.Node, path []string, required bool) *field {
	f := &field{name: strings.Join(path, "."), path: path, node: n, required: required}
	if name := value.BareName(path[len(path)-1]); n.Type == schema.String && n.Format == "" && n.Enum == nil && n.Choices == nil &&
		(slices.Contains(linkNames, name) || strings.HasSuffix(name, "url")) {
		link := *n
		link.Format = "uri"
		f.node = &link
	}
	text := strings.ToLower(f.name + " " + n.Description)
	f.free = n.Type == schema.String && slices.ContainsFunc(freeWords, func(w string) bool { return strings.Contains(text, w) })
	return f
}

// kindOf names the type of a field in a prompt.
func kindOf(n *schema.Node) string {
	switch {
	case n.Type == schema.List && n.Choices == nil:
		return kindOf(n.Items) + "[]"
	case n.Type != schema.String || n.IsLoose() || n.Choices != nil:
		return string(n.Type)
	case n.Format == "date" || n.Format == "date-time":
		return "date"
	case n.Format == "uri" || n.Format == "url" || n.Format == "uri-reference" || n.Format == "iri":
		return "url"
	}
	return "string"
}

// keyNames are names of fields that tell rows apart, best first.
var keyNames = [][]string{
	{"id", "sku", "isbn", "ean", "gtin", "upc", "asin", "mpn", "code", "identifier", "uuid", "doi", "ticker", "symbol", "key"},
	{"name", "title", "fullname", "company", "companyname", "product", "productname", "model"},
	{"url", "link", "href", "website", "email"},
}

// inferKeys names the key of a table by the names of its fields. The reference
// adds one more column to a name; here a name alone is the key, and rows that
// contradict in a required cell stay apart.
func (t *table) inferKeys() {
	switch {
	case t.record() || len(t.keys) > 0:
		return
	case t.bare:
		t.keys = []string{t.fields[0].name}
		return
	}
	for _, names := range keyNames {
		for _, name := range names {
			for _, f := range t.fields {
				if value.BareName(f.path[len(f.path)-1]) == name && len(f.path) == 1 && kindOf(f.node) != "object" {
					t.keys = []string{f.name}
					return
				}
			}
		}
	}
	for _, suffix := range []string{"_id", "Id", "ID", "_code", "_name", "Name"} {
		for _, f := range t.fields {
			if strings.HasSuffix(f.name, suffix) && len(f.path) == 1 {
				t.keys = []string{f.name}
				return
			}
		}
	}
	for _, f := range t.fields { // the first text that every row has
		if f.required && kindOf(f.node) == "string" && f.node.Enum == nil {
			t.keys = []string{f.name}
			return
		}
	}
}

// prompt returns the table as prompts have it.
func (t *table) prompt() protocol.PromptTable {
	p := protocol.PromptTable{ID: t.id, What: value.Clip(t.what, 300), Keys: t.keys, Expect: t.expect}
	for _, f := range t.fields {
		p.Fields = append(p.Fields, protocol.PromptField{
			Name: f.name, Type: kindOf(f.node), Key: slices.Contains(t.keys, f.name), Required: f.required,
			Description: f.node.Description, Enum: f.node.Enum,
		})
	}
	return p
}

// valueSchema is the schema of a synthesize reply for a table.
func (t *table) valueSchema() json.RawMessage {
	values, names := map[string]any{}, []any{}
	for _, f := range t.fields {
		values[f.name] = schema.Nullable(f.node.Wire())
		names = append(names, f.name)
	}
	raw, err := json.Marshal(closed(map[string]any{"v": closed(values, names)}, []any{"v"}))
	if err != nil {
		return nil // cannot be: all values came from JSON
	}
	return raw
}

func closed(members map[string]any, required []any) map[string]any {
	return map[string]any{"type": "object", "properties": members, "required": required, "additionalProperties": false}
}

// replySchema is the schema of an extract reply for a table.
func (t *table) replySchema() json.RawMessage {
	values, lines, names := map[string]any{}, map[string]any{}, []any{}
	for _, f := range t.fields[:min(len(t.fields), maxCallFields)] {
		w := f.node.Wire()
		switch f.node.Type {
		case schema.Number, schema.Integer, schema.Boolean: // as printed; coercion is ours
			if f.node.Choices == nil && f.node.Enum == nil {
				w["type"] = []any{w["type"], "string"}
			}
		}
		if list, ok := w["type"].([]any); ok {
			if !slices.Contains(list, any("null")) {
				w["type"] = append(slices.Clone(list), "null")
			}
		} else {
			w = schema.Nullable(w)
		}
		values[f.name] = w
		lines[f.name] = map[string]any{"type": "array", "items": map[string]any{"type": "integer"}}
		names = append(names, f.name)
	}
	row := closed(map[string]any{"v": closed(values, names), "ln": closed(lines, names)}, []any{"v", "ln"})
	whole := map[string]any{"type": "integer"}
	raw, err := json.Marshal(closed(map[string]any{
		"rows":  map[string]any{"type": "array", "items": row},
		"total": whole, "total_ln": whole,
		"more": map[string]any{"type": "boolean"},
		"kind": map[string]any{"type": "string", "enum": []any{"list", "detail", "none", "blocked"}},
	}, []any{"rows", "total", "total_ln", "more", "kind"}))
	if err != nil {
		return nil // cannot be: all values came from JSON
	}
	return raw
}
