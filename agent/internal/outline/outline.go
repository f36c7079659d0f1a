// SPDX-License-Identifier: Apache-2.0

// Package outline turns a JSON Schema into the tables that a run fills.
package outline

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/internal/schema"
)

// Limits of an outline.
const (
	maxTables     = 20
	MaxCallFields = 100  // fields of a reply
	RecordID      = "T0" // ID of the table with the members of the root
)

// Outline describes a schema as tables.
type Outline struct {
	Form   *schema.Form
	Check  *schema.Schema
	Schema json.RawMessage
	Tables []*Table // a record, if there is one, comes first

	Warnings []string // what the schema demands but nobody checks
}

// Pointer returns the JSON Pointer of a path in the data of the result.
func (o *Outline) Pointer(path []string) string {
	var b strings.Builder
	if o.Form.Wrapped() {
		path = path[1:]
	}
	for _, step := range path {
		b.WriteString("/" + EscapePointer(step))
	}
	return b.String()
}

// At returns the JSON Pointer of a table. If the answer does not contain it, it returns
// "".
func (o *Outline) At(t *Table) string {
	if t.Hidden || t.Record() {
		return ""
	}
	return o.Pointer(t.Path)
}

// Named returns the ID of the table that a plan means by a name. The name is its ID or
// that of its member. If there is only one list, it may be any name.
func (o *Outline) Named(name string) string {
	var lists []string
	for _, t := range o.Tables {
		if t.ID == name || len(t.Path) > 0 && t.Path[len(t.Path)-1] == name {
			return t.ID
		}
		if !t.Record() {
			lists = append(lists, t.ID)
		}
	}
	if len(lists) == 1 && name != RecordID {
		return lists[0]
	}
	return name
}

// Planned sets the keys of tables, and what their rows are, from a plan.
func (o *Outline) Planned(tables []journal.PlannedTable) {
	for _, said := range tables {
		for _, t := range o.Tables {
			if t.ID == said.ID {
				t.adopt(said)
			}
		}
	}
}

// MaxProposed is the maximum number of fields in a row that a plan can propose.
const MaxProposed = 30

// Proposed returns the outline of the fields that a plan proposes, with their keys. It
// uses the first [MaxProposed] of them. They are the fields of the rows of a list, unless the
// plan has no table and no key, and is not for a list: then they are single facts. Required fields of rows but
// their keys may be null.
func Proposed(plan protocol.PlanReply) (*Outline, error) {
	fields := plan.Fields
	facts := len(plan.Tables)+len(plan.Hops) == 0 && (plan.Shape == protocol.ShapeOne || plan.Shape == protocol.ShapeText) &&
		!slices.ContainsFunc(fields, func(f protocol.PromptField) bool { return f.Key })
	doc := schemaOf(fields, !facts)
	if plan.Shape == protocol.ShapeCount && !facts && len(fields) > 0 {
		doc = counted(doc)
	}
	o, err := New(doc)
	if err != nil {
		return nil, err
	}
	for _, t := range o.Tables {
		t.Planned = true
		t.Drawn = t.Record() && len(o.Tables) > 1 // the number of rows
		var keys []string
		for _, f := range fields {
			if f.Key && t.Field(f.Name) != nil {
				keys = append(keys, f.Name)
			}
		}
		if len(keys) > 0 && !t.Record() {
			t.Keys = keys
		}
	}
	return o, nil
}

// Gather adds a hidden table from whose rows the record is derived. Its fields are
// those that a plan proposes, or else those of the record. If the outline has a list
// already, or there are no fields, it returns nil.
func (o *Outline) Gather(fields []protocol.PromptField, what string) *Table {
	if len(o.Tables) != 1 || !o.Tables[0].Record() || o.Form.Wrapped() {
		return nil
	}
	record := o.Tables[0]
	t := &Table{ID: "T1", What: what, Hidden: true}
	if made, err := New(schemaOf(fields, true)); err == nil && len(fields) > 0 && len(made.Tables) == 1 && !made.Tables[0].Record() {
		t.Fields, t.Keys = made.Tables[0].Fields, made.Tables[0].Keys
		for _, f := range fields {
			if f.Key && t.Field(f.Name) != nil && len(t.Keys) == 0 {
				t.Keys = append(t.Keys, f.Name)
			}
		}
	}
	for _, f := range record.Fields {
		if own := t.Field(f.Name); own != nil {
			own.Node, own.Required = f.Node, f.Required
		} else if len(fields) == 0 && !f.Free {
			t.Fields = append(t.Fields, &Field{Name: f.Name, Path: f.Path, Node: f.Node, Required: f.Required})
		}
	}
	if len(t.Fields) == 0 {
		return nil
	}
	t.inferKeys()
	record.Drawn = true
	o.Tables = append(o.Tables, t)
	return t
}

// Join moves fields of a list to a hidden table about the values of the field by. They
// are read from the pages about these values, and then joined to the rows of the list.
// It returns the names of the moved fields. There are none if the table cannot have
// such fields.
func (o *Outline) Join(t *Table, by *Field, names []string, question string) []string {
	if t.Record() || t.Bare || o.Joined(t, by.Name) != nil {
		return nil
	}
	var moved []*Field
	for _, name := range names {
		if f := t.Find(name); f != nil && f != by && !slices.Contains(t.Keys, f.Name) && !slices.Contains(moved, f) {
			moved = append(moved, f)
		}
	}
	key := "name"
	if slices.ContainsFunc(moved, func(f *Field) bool { return f.Name == key }) {
		key = "subject of the row"
	}
	made, err := New(schemaOf([]protocol.PromptField{{Name: key, Type: "string", Description: "name of the thing", Key: true, Required: true}}, true))
	if err != nil || len(moved) == 0 {
		return nil
	}
	own := made.Tables[0].Fields[0]
	of := &Table{ID: subjectID(t, by.Name), What: by.Name + ": " + question, Hidden: true, Subject: true, Keys: []string{own.Name}, Fields: append([]*Field{own}, moved...)}
	t.Fields = slices.DeleteFunc(slices.Clone(t.Fields), func(f *Field) bool { return slices.Contains(moved, f) })
	t.Joined = append(t.Joined, moved...)
	o.Tables = append(o.Tables, of)
	var out []string
	for _, f := range moved {
		out = append(out, f.Name)
	}
	return out
}

// subjectID returns the ID of the hidden table about the values of a field.
func subjectID(t *Table, by string) string { return t.ID + "." + by }

// Joined returns the hidden table about the values of a field, or nil if there is none.
func (o *Outline) Joined(t *Table, by string) *Table {
	i := slices.IndexFunc(o.Tables, func(of *Table) bool { return of.Subject && of.ID == subjectID(t, by) })
	if i < 0 {
		return nil
	}
	return o.Tables[i]
}

// Complete gives the joined fields back to their tables. It is called when no more
// pages are read.
func (o *Outline) Complete() {
	for _, t := range o.Tables {
		t.Fields, t.Joined = append(slices.Clone(t.Fields), t.Joined...), nil
	}
}

// counted adds the number of the rows to the schema of an object with a list.
func counted(doc json.RawMessage) json.RawMessage {
	const before = `"properties":{`
	at := bytes.Index(doc, []byte(before+`"items":`)) + len(before)
	if at < len(before) {
		return doc
	}
	return slices.Concat(doc[:at], []byte(`"count":{"type":"integer","description":"number of items"},`), doc[at:])
}

// schemaOf makes a schema from the fields that a plan proposes: of a list of rows, or of one object.
// If there are no fields, it has one text.
func schemaOf(fields []protocol.PromptField, list bool) json.RawMessage {
	members, required := map[string]any{}, []string{}
	for _, f := range fields[:min(len(fields), MaxProposed)] {
		name := strings.Map(func(r rune) rune {
			if r < ' ' || r == '/' || r == '~' || r == '.' {
				return '_'
			}
			return r
		}, value.ClipRunes(strings.TrimSpace(f.Name), 60))
		if name == "" {
			continue
		}
		m := map[string]any{"description": value.Clip(f.Description, 300)}
		kind := "string"
		switch f.Type {
		case "number", "integer", "boolean":
			kind = f.Type
		case "date":
			m["format"] = "date"
		case "url":
			m["format"] = "uri"
		}
		m["type"] = kind
		if list && f.Required && !f.Key { // a page may not state it for each thing
			m["type"] = []string{kind, "null"}
		}
		members[name] = m
		if f.Key || f.Required {
			required = append(required, name)
		}
	}
	doc := map[string]any{"type": "object", "properties": map[string]any{"answer": map[string]any{"type": "string", "description": "summary of what was found"}}}
	if len(members) > 0 {
		row := map[string]any{"type": "object", "properties": members}
		if len(required) > 0 {
			row["required"] = slices.Compact(required)
		}
		doc = row
		if list {
			doc = map[string]any{"type": "object", "properties": map[string]any{"items": map[string]any{"type": "array", "items": row}}, "required": []string{"items"}}
		}
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`) // cannot happen
	}
	return raw
}

// Readable returns the tables for which pages are read.
func (o *Outline) Readable() []*Table {
	return slices.DeleteFunc(slices.Clone(o.Tables), func(t *Table) bool { return t.Drawn || t.Subject })
}

// For returns the table with an ID. If the ID is empty, it returns all tables for which
// pages are read.
func (o *Outline) For(id string) []*Table {
	all := o.Readable()
	if id == "" {
		return all
	}
	return slices.DeleteFunc(all, func(t *Table) bool { return t.ID != id })
}

// New makes the outline of a schema.
func New(doc json.RawMessage) (*Outline, error) {
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
	o := &Outline{Form: form, Check: check, Schema: doc, Warnings: slices.Concat(check.Warnings(), form.Warnings)}
	if ok {
		o.Warnings = append(o.Warnings, "the schema is an example: one was made of it")
	}
	record := &Table{ID: RecordID, What: "the answer"}
	o.members(record, form.Root, nil, true)
	if len(record.Fields) > 0 {
		o.Tables = append([]*Table{record}, o.Tables...)
	}
	n := 1
	for _, t := range o.Tables {
		if t != record {
			t.ID = "T" + strconv.Itoa(n)
			n++
		}
		t.inferKeys()
	}
	if len(record.Fields) > 0 && len(o.Tables) > 1 {
		record.Drawn = !slices.ContainsFunc(record.Fields, func(f *Field) bool { return !f.Free })
	}
	return o, nil
}

// members adds the members of an object at path to the fields of the record and to the
// tables.
func (o *Outline) members(record *Table, n *schema.Node, path []string, required bool) {
	for _, f := range n.Fields {
		at := append(slices.Clone(path), f.Name)
		must := required && f.Required
		switch {
		case f.Node.Choices == nil && f.Node.Type == schema.List && len(o.Tables) < maxTables && (f.Node.Items.Type == schema.Object && f.Node.Items.Choices == nil && len(f.Node.Items.Fields) > 0 || o.Form.Wrapped() && len(path) == 0):
			t := &Table{What: f.Node.Description, Path: at}
			if t.What == "" && (!o.Form.Wrapped() || len(path) > 0) {
				t.What = strings.Join(at, " ")
			}
			if f.Node.Items.Type == schema.Object && f.Node.Items.Choices == nil {
				t.columns(f.Node.Items, nil, true)
				if f.Node.IsMapping() && !slices.ContainsFunc(t.Fields, func(f *Field) bool { return f.Name != "key" && f.Name != "value" }) {
					t.Keys = []string{"key"}
					t.Fields[0].Free = true // names are the model's own
				}
			} else {
				t.Bare = true
				t.Fields = []*Field{{Name: "value", Path: []string{"value"}, Node: f.Node.Items, Required: true}}
			}
			o.Tables = append(o.Tables, t)
		case f.Node.Choices == nil && f.Node.Type == schema.Object && len(at) < value.MaxNested && len(f.Node.Fields) > 0:
			o.members(record, f.Node, at, must)
		default:
			record.Fields = append(record.Fields, newField(f.Node, at, must))
		}
	}
}

// pointerMarks escapes steps of JSON Pointers (RFC 6901, 3).
var pointerMarks = strings.NewReplacer("~", "~0", "/", "~1")

// EscapePointer returns a step of a path in the form for a JSON Pointer.
func EscapePointer(s string) string {
	return pointerMarks.Replace(s)
}
