// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/schema"
)

// Table is a list of objects. The table with the ID T0 contains the members of the
// root.
type Table struct {
	ID      string
	What    string
	Path    []string // members from the root to the list; empty for a record
	Fields  []*Field
	Keys    []string // names of fields; may be empty
	Expect  int
	Drawn   bool     // all fields follow from the rows of other tables, so no page is read for it
	Bare    bool     // rows are scalars, so the only field is the row
	Hidden  bool     // other tables follow from its rows, but the answer does not contain it
	Subject bool     // rows are about the values of one field of another table
	Planned bool     // its fields are those of a plan, so a row may lack some that are required
	Joined  []*Field // fields that come from the rows of such tables; no page is read for them

	once sync.Once
	wire json.RawMessage // schema of replies

	cut   sync.Once
	parts []*Table // result of Split
}

// Limits of rows.
const (
	MaxRows    = 50_000 // rows of a table
	RowCap     = 40     // rows of a reply
	CellTokens = 16     // tokens of a reply for a value with its name and lines
)

// Split returns tables with at most 100 fields each, for which a model is asked instead
// of t. Members of one object stay together if possible, and each table has the keys.
// If t has no more than 100 fields, it is returned itself.
func (t *Table) Split() []*Table {
	t.cut.Do(func() {
		if len(t.Fields) <= MaxCallFields {
			t.parts = []*Table{t}
			return
		}
		var keys, rest []*Field
		for _, f := range t.Fields {
			if slices.Contains(t.Keys, f.Name) {
				keys = append(keys, f)
			} else {
				rest = append(rest, f)
			}
		}
		room := MaxCallFields - len(keys)
		var at []*Field
		add := func() {
			t.parts = append(t.parts, &Table{ID: t.ID, What: t.What, Path: t.Path, Keys: t.Keys, Expect: t.Expect, Fields: slices.Concat(keys, at)})
			at = nil
		}
		for len(rest) > 0 {
			n := 1
			for n < len(rest) && n < room && rest[n].Path[0] == rest[0].Path[0] {
				n++
			}
			if len(at)+n > room {
				add()
			}
			at = append(at, rest[:n]...)
			rest = rest[n:]
		}
		add()
	})
	return t.parts
}

// Join combines the rows of the parts of a page. Rows with the same key are one row. If
// the table has no keys, those at the same index are one.
func (t *Table) Join(parts [][]finding.Row) []finding.Row {
	var out []finding.Row
	at := map[string]int{}
	for _, rows := range parts {
		for i, row := range rows {
			k, ok := t.KeyOf(row)
			place := i
			if t.Record() {
				place = 0
			} else if len(t.Keys) > 0 {
				have, known := at[k]
				if place = have; !ok || !known {
					place = len(out)
				}
			}
			if place >= len(out) {
				place = len(out)
				out = append(out, finding.Row{})
			}
			for name, c := range row {
				if _, there := out[place][name]; !there {
					out[place][name] = c
				}
			}
			if ok {
				at[k] = place
			}
		}
	}
	return out
}

// KeyOf returns the key of a row. If a part of it is missing, it returns false.
func (t *Table) KeyOf(row finding.Row) (string, bool) {
	var parts []string
	for _, name := range t.Keys {
		c, ok := row[name]
		if !ok {
			return "", false
		}
		parts = append(parts, value.Canon(c.Value))
	}
	return strings.Join(parts, "\x00"), len(parts) > 0
}

// Record reports whether t contains the members of the root, and therefore has at most
// one row.
func (t *Table) Record() bool { return t.ID == RecordID }

// Field returns the field with a name, or nil if there is none.
func (t *Table) Field(name string) *Field {
	for _, f := range t.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Must returns the fields that every row has.
func (t *Table) Must() []*Field {
	return slices.DeleteFunc(slices.Clone(t.Fields), func(f *Field) bool { return !f.Required })
}

// Required returns the fields that every row has. If there are none, it returns all
// fields that the answer contains.
func (t *Table) Required() []*Field {
	if all := t.Must(); len(all) > 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(t.Fields), func(f *Field) bool { return f.Hidden })
}

// Needed returns the required fields, including those that are joined.
func (t *Table) Needed() []*Field {
	all := t.Required()
	bare := len(t.Must()) == 0
	for _, f := range t.Joined {
		if f.Required || bare {
			all = append(all, f)
		}
	}
	return all
}

// Lacks reports whether a row has no value of one of some fields.
func Lacks(fields []*Field, row finding.Row) bool {
	return slices.ContainsFunc(fields, func(f *Field) bool { _, ok := row[f.Name]; return !ok })
}

// Find returns the field that a model means by a name, or nil if there is none.
func (t *Table) Find(name string) *Field {
	if f := t.Field(name); f != nil {
		return f
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 { // the model wrote T1.price
		name = name[i+1:]
	}
	bare := value.BareName(name)
	for _, f := range t.Fields {
		if bare != "" && (value.BareName(f.Name) == bare || value.BareName(f.Path[len(f.Path)-1]) == bare) {
			return f
		}
	}
	return nil
}

// Hide adds a field that the answer does not contain. It must be called before pages
// are read for the table. If the table cannot have such a field, it returns nil.
func (t *Table) Hide(name, kind, description string) *Field {
	if t.Bare || len(t.Fields) >= MaxCallFields {
		return nil
	}
	o, err := New(schemaOf([]protocol.PromptField{{Name: name, Type: kind, Description: description}}, true))
	if err != nil || len(o.Tables) != 1 || len(o.Tables[0].Fields) != 1 || t.Field(o.Tables[0].Fields[0].Name) != nil {
		return nil
	}
	f := o.Tables[0].Fields[0]
	f.Hidden, f.Free, f.Prose = true, false, false
	t.Fields = append(t.Fields, f)
	return f
}

// columns adds the members of an object at path in a row.
func (t *Table) columns(n *schema.Node, path []string, required bool) {
	for _, f := range n.Fields {
		at := append(slices.Clone(path), f.Name)
		must := required && f.Required
		if f.Node.Choices == nil && f.Node.Type == schema.Object && len(at) < value.MaxNested && len(f.Node.Fields) > 0 {
			t.columns(f.Node, at, must)
			continue
		}
		t.Fields = append(t.Fields, newField(f.Node, at, must))
	}
}

// keyNames contains names of fields that identify rows, the best first.
var keyNames = [][]string{
	{"id", "sku", "isbn", "ean", "gtin", "upc", "asin", "mpn", "code", "identifier", "uuid", "doi", "ticker", "symbol", "key"},
	{"name", "title", "fullname", "company", "companyname", "product", "productname", "model"},
	{"url", "link", "href", "website", "email"},
}

// keyAmong returns the field whose name is most likely that of a key, or "" if there is
// none.
func keyAmong(fields []*Field) string {
	for _, names := range keyNames {
		for _, name := range names {
			for _, f := range fields {
				if value.BareName(f.Path[len(f.Path)-1]) == name && len(f.Path) == 1 && KindOf(f.Node) != "object" {
					return f.Name
				}
			}
		}
	}
	return ""
}

// inferKeys chooses the key of a table by the names of its fields. It prefers fields
// that every row has. The reference adds one more column to a name. Here a name is the
// key by itself, and rows that contradict in a required cell stay apart.
func (t *Table) inferKeys() {
	switch {
	case t.Record() || len(t.Keys) > 0:
		return
	case t.Bare:
		t.Keys = []string{t.Fields[0].Name}
		return
	}
	for _, fields := range [][]*Field{t.Must(), t.Fields} {
		if name := keyAmong(fields); name != "" {
			t.Keys = []string{name}
			return
		}
	}
	for _, suffix := range []string{"_id", "Id", "ID", "_code", "_name", "Name"} {
		for _, f := range t.Fields {
			if strings.HasSuffix(f.Name, suffix) && len(f.Path) == 1 {
				t.Keys = []string{f.Name}
				return
			}
		}
	}
	for _, f := range t.Fields { // the first text that every row has
		if f.Required && KindOf(f.Node) == "string" && f.Node.Enum == nil {
			t.Keys = []string{f.Name}
			return
		}
	}
}

// Prompt returns the table in the form for prompts.
func (t *Table) Prompt() protocol.PromptTable {
	p := protocol.PromptTable{ID: t.ID, What: value.Clip(t.What, 300), Keys: t.Keys, Expect: t.Expect}
	for _, f := range t.Fields {
		about := f.Node.Description
		if f.Free { // its words are compared with those of the page
			about = strings.TrimSpace(about + " (in the language of the page)")
		}
		p.Fields = append(p.Fields, protocol.PromptField{
			Name: f.Name, Type: KindOf(f.Node), Key: slices.Contains(t.Keys, f.Name), Required: f.Required,
			Description: about, Enum: f.Node.Enum,
		})
	}
	return p
}

// ValueSchema returns the schema of a synthesize reply for the table. A text is a list of
// sentences with the numbers of the rows and lines that they cite.
func (t *Table) ValueSchema() json.RawMessage {
	values, names := map[string]any{}, []any{}
	for _, f := range t.Fields {
		values[f.Name] = schema.Nullable(f.Node.Wire())
		if f.Free {
			sentence := closed(map[string]any{"text": map[string]any{"type": "string"}, "ln": map[string]any{"type": "array", "items": map[string]any{"type": "integer"}}}, []any{"text", "ln"})
			values[f.Name] = map[string]any{"type": "array", "items": sentence}
		}
		names = append(names, f.Name)
	}
	raw, err := json.Marshal(closed(map[string]any{"v": closed(values, names)}, []any{"v"}))
	if err != nil {
		return nil // cannot happen, because all values came from JSON
	}
	return raw
}

func closed(members map[string]any, required []any) map[string]any {
	return map[string]any{"type": "object", "properties": members, "required": required, "additionalProperties": false}
}

// replySchema returns the schema of an extract reply for the table.
func (t *Table) replySchema() json.RawMessage {
	values, lines, names := map[string]any{}, map[string]any{}, []any{}
	for _, f := range t.Fields[:min(len(t.Fields), MaxCallFields)] {
		w := f.Node.Wire()
		switch f.Node.Type {
		case schema.Number, schema.Integer, schema.Boolean: // the model returns the printed text, which is converted here
			if f.Node.Choices == nil && f.Node.Enum == nil {
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
		values[f.Name] = w
		lines[f.Name] = map[string]any{"type": "array", "items": map[string]any{"type": "integer"}}
		names = append(names, f.Name)
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
		return nil // cannot happen, because all values came from JSON
	}
	return raw
}

// Fitting returns how many rows of t fit into a reply with so many tokens.
func (t *Table) Fitting(tokens int) int {
	return min(max(tokens/(CellTokens*max(len(t.Fields), 1)), 1), RowCap)
}

// Only returns the row of the only thing that rows are about: they all have the same keys.
// The cells of earlier rows count. If there are several things or none, it returns nil.
func (t *Table) Only(rows []finding.Row) finding.Row {
	switch len(rows) {
	case 0:
		return nil
	case 1:
		return rows[0]
	}
	one := finding.Row{}
	first, _ := t.KeyOf(rows[0])
	for _, row := range rows {
		if key, ok := t.KeyOf(row); !ok || key != first {
			return nil
		}
		for name, c := range row {
			if _, ok := one[name]; !ok {
				one[name] = c
			}
		}
	}
	return one
}

// Reply returns the schema of replies for t. It is made once.
func (t *Table) Reply() json.RawMessage {
	t.once.Do(func() { t.wire = t.replySchema() })
	return t.wire
}

// adopt sets the properties of the table that a plan contains.
func (t *Table) adopt(said journal.PlannedTable) {
	if t.What == "" || t.What == strings.Join(t.Path, " ") {
		t.What = value.Clip(said.What, 200)
	}
	if said.Expect > 0 && said.Expect <= MaxRows && !t.Record() {
		t.Expect = said.Expect
	}
	var keys []string
	for _, k := range said.Keys {
		if t.Field(k) != nil && !slices.Contains(keys, k) && len(keys) < 4 {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 || t.Record() {
		return
	}
	required := func(name string) bool { return t.Field(name).Required }
	if !slices.ContainsFunc(keys, required) && slices.ContainsFunc(t.Keys, required) {
		keys = append(slices.DeleteFunc(slices.Clone(t.Keys), func(name string) bool { return !required(name) }), keys...)
	}
	t.Keys = keys
}
