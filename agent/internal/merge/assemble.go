// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/schema"
)

// leaf is a cell in the tree of a result, before its value takes its place.
type leaf struct {
	origin
	cell  finding.Cell
	value any
}

// origin says which cell of the tables a leaf is.
type origin struct {
	table string
	row   int
	field string
}

// Text returns the text of a cell that is the key of a map.
func (l *leaf) Text() string {
	s, _ := l.value.(string)
	return s
}

// Assembly makes the data of a result from merged tables.
type Assembly struct {
	Outline *outline.Outline
	Tables  map[string][]Merged
	Issues  []finding.Issue
}

// maxRounds limits how often values that the schema refuses are removed.
const maxRounds = 5

// Build returns the data, whether it satisfies the schema, and its evidence by JSON
// Pointer. What the schema refuses is left out and noted: an optional cell by itself, a
// required one with its row.
func (a *Assembly) Build() (data any, valid bool, evidence map[string]finding.Evidence) {
	for _, t := range a.Outline.Tables {
		if !t.Hidden {
			a.complete(t)
		}
	}
	for round := range maxRounds {
		tree := a.Outline.Form.Decode(a.tree())
		var leaves map[string]*leaf
		data, leaves = resolve(tree)
		faults := a.Outline.Check.Faults(data)
		valid = len(faults) == 0
		if !valid && round < maxRounds-1 && a.prune(tree, faults) {
			continue
		}
		evidence = make(map[string]finding.Evidence, len(leaves))
		for pointer, l := range leaves {
			evidence[pointer] = finding.Evidence{Source: l.cell.Source, Lines: l.cell.Lines, Full: l.cell.Full, Grade: l.cell.Grade, Also: l.cell.Also, Sentences: l.cell.Sentences}
		}
		a.place(leaves)
		break
	}
	return data, valid, evidence
}

// complete leaves out rows without a required cell, and notes which required cells a
// record does not have.
func (a *Assembly) complete(t *outline.Table) {
	if t.Record() {
		rows := a.Tables[t.ID]
		for _, f := range t.Fields {
			if !f.Required || f.Node.Null {
				continue
			}
			stated := false
			if len(rows) > 0 {
				_, stated = rows[0].Row[f.Name]
			}
			if !stated {
				a.Issues = append(a.Issues, finding.Issue{Kind: finding.IssueMissing, Pointer: a.Outline.Pointer(f.Path), Detail: "no page that was read states it"})
			}
		}
		return
	}
	lacking := map[string][]Merged{} // by field
	a.Tables[t.ID] = slices.DeleteFunc(a.Tables[t.ID], func(m Merged) bool {
		open, why := openCells(t, m.Row)
		if why != "" {
			a.Issues = append(a.Issues, finding.Issue{Kind: finding.IssueMissing, Pointer: a.Outline.Pointer(t.Path), Detail: value.Clip("a row without "+why+" is left out: "+RowValues(m.Row), 500), Source: rowSource(m.Row)})
			return true
		}
		for _, name := range open {
			lacking[name] = append(lacking[name], m)
		}
		return false
	})
	for _, name := range slices.Sorted(maps.Keys(lacking)) {
		rows := lacking[name]
		a.Issues = append(a.Issues, finding.Issue{Kind: finding.IssueMissing, Pointer: a.Outline.Pointer(t.Path), Detail: value.Clip(fmt.Sprintf("no page that was read states %s for %d rows, such as %s", name, len(rows), RowValues(rows[0].Row)), 500), Source: rowSource(rows[0].Row)})
	}
}

// openCells returns the required cells that a row lacks and that may be null, or why the row is left out: a
// required cell that it lacks.
func openCells(t *outline.Table, row finding.Row) (open []string, why string) {
	wanted := 0
	for _, f := range t.Fields {
		if !f.Required {
			continue
		}
		if f.Node.Null {
			wanted++
		}
		switch _, ok := row[f.Name]; {
		case !ok && f.Node.Null:
			open = append(open, f.Name)
		case !ok:
			why = cmp.Or(why, f.Name)
		}
	}
	if t.Planned && 2*len(open) > wanted { // another page may only name the thing
		why = cmp.Or(why, open[0])
	}
	return open, why
}

// RowValues returns the values of a row as JSON.
func RowValues(r finding.Row) string {
	values := map[string]any{}
	for k, c := range r {
		values[k] = c.Value
	}
	return value.JSONText(values)
}

// rowSource returns the first source of a row.
func rowSource(r finding.Row) string {
	best := ""
	for _, c := range r {
		if best == "" || CompareIDs(c.Source, best) < 0 {
			best = c.Source
		}
	}
	return best
}

// tree returns the data as a tree with leaves for cells.
func (a *Assembly) tree() map[string]any {
	root := map[string]any{}
	for _, t := range a.Outline.Tables {
		if t.Hidden {
			continue
		}
		if t.Record() {
			var row finding.Row
			if rows := a.Tables[t.ID]; len(rows) > 0 {
				row = rows[0].Row
			}
			fill(root, t, 0, row)
			continue
		}
		list := []any{}
		for i, m := range a.Tables[t.ID] {
			row := map[string]any{}
			fill(row, t, i, m.Row)
			if t.Bare {
				list = append(list, row["value"])
			} else {
				list = append(list, row)
			}
		}
		set(root, t.Path, list)
	}
	return root
}

// fill puts the cells of row i into an object. A required member without a cell becomes
// null if it may be null.
func fill(into map[string]any, t *outline.Table, i int, r finding.Row) {
	for _, f := range t.Fields {
		if f.Hidden {
			continue
		}
		if c, ok := r[f.Name]; ok {
			set(into, f.Path, &leaf{origin{t.ID, i, f.Name}, c, f.Node.Decode(c.Value)})
		} else if f.Required && f.Node.Null {
			set(into, f.Path, nil)
		}
	}
}

func set(into map[string]any, path []string, v any) {
	for _, step := range path[:len(path)-1] {
		next, ok := into[step].(map[string]any)
		if !ok {
			next = map[string]any{}
			into[step] = next
		}
		into = next
	}
	into[path[len(path)-1]] = v
}

// resolve returns the tree with values in place of leaves, and the leaves by pointer.
func resolve(tree any) (any, map[string]*leaf) {
	leaves := map[string]*leaf{}
	var walk func(v any, pointer string) any
	walk = func(v any, pointer string) any {
		switch v := v.(type) {
		case *leaf:
			leaves[pointer] = v
			return v.value
		case map[string]any:
			out := make(map[string]any, len(v))
			for k, m := range v {
				out[k] = walk(m, pointer+"/"+outline.EscapePointer(k))
			}
			return out
		case []any:
			out := make([]any, len(v))
			for i, m := range v {
				out[i] = walk(m, pointer+"/"+strconv.Itoa(i))
			}
			return out
		}
		return v
	}
	return walk(tree, ""), leaves
}

// addressed returns the cells, and the rows of tables, that have faults, with the texts
// of the faults.
func addressed(tree any, faults []schema.Fault) (cells, rows map[origin]string) {
	cells, rows = map[origin]string{}, map[origin]string{}
	for _, fault := range faults {
		switch v := follow(tree, fault.Path).(type) {
		case *leaf:
			cells[v.origin] = fault.Text
		case map[string]any:
			for _, m := range v {
				if l, ok := m.(*leaf); ok && l.table != outline.RecordID {
					rows[origin{table: l.table, row: l.row}] = fault.Text
				}
			}
		}
	}
	return cells, rows
}

// follow returns the value or the leaf at a path. If there is none, it returns nil.
func follow(at any, path []string) any {
	for _, step := range path {
		switch v := at.(type) {
		case map[string]any:
			at = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		}
	}
	return at
}

// prune removes the values that have faults. If such a value is an object of a table,
// its row is removed. It reports whether it has removed anything.
func (a *Assembly) prune(tree any, faults []schema.Fault) bool {
	cells, rows := addressed(tree, faults)
	for _, t := range a.Outline.Tables {
		if t.Hidden {
			continue
		}
		var kept []Merged
		for i, m := range a.Tables[t.ID] {
			why, gone := rows[origin{table: t.ID, row: i}]
			if gone {
				a.Issues = append(a.Issues, finding.Issue{Kind: finding.IssueInvalid, Detail: value.Clip("the schema refuses a row ("+why+"): "+RowValues(m.Row), 500), Source: rowSource(m.Row)})
				continue
			}
			row := finding.Row{}
			for _, f := range t.Fields {
				c, ok := m.Row[f.Name]
				why, bad := cells[origin{t.ID, i, f.Name}]
				switch {
				case ok && bad:
					gone = gone || f.Required && !f.Node.Null && !t.Record()
					a.Issues = append(a.Issues, finding.Issue{Kind: finding.IssueInvalid, Detail: value.Clip("the schema refuses "+f.Name+" ("+why+"): "+value.JSONText(c.Value), 500), Source: c.Source})
				case ok:
					row[f.Name] = c
				}
			}
			if !gone {
				m.Row = row
				kept = append(kept, m)
			}
		}
		a.Tables[t.ID] = kept
	}
	return len(cells)+len(rows) > 0
}

// place writes the issues of merging, with pointers to their cells.
func (a *Assembly) place(leaves map[string]*leaf) {
	at := make(map[origin]string, len(leaves))
	for pointer, l := range leaves {
		at[l.origin] = pointer
	}
	for _, t := range a.Outline.Tables {
		if t.Hidden {
			continue
		}
		for i, m := range a.Tables[t.ID] {
			for _, issue := range m.Issues {
				if issue.Pointer != "" {
					issue.Pointer = at[origin{t.ID, i, issue.Pointer}]
				}
				a.Issues = append(a.Issues, issue)
			}
		}
	}
}

// Encode returns data as JSON without escapes for HTML.
func Encode(data any) json.RawMessage {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(data) != nil {
		return nil
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}
