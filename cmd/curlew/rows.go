// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent/outcome"
)

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of a JSON object in their order, or false if raw is not an
// object.
func members(raw json.RawMessage) ([]member, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	all := []member{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		m := member{name: fmt.Sprint(name)}
		if err := d.Decode(&m.value); err != nil {
			return nil, false
		}
		all = append(all, m)
	}
	return all, true
}

// elements returns the elements of a JSON list, or false if raw is not a list.
func elements(raw json.RawMessage) (all []json.RawMessage, ok bool) {
	ok = bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) && json.Unmarshal(raw, &all) == nil
	return all, ok
}

// row is a row of an answer.
type row struct {
	table   string          // name of the list that contains it
	pointer string          // JSON Pointer
	value   json.RawMessage // an object, or else the value of the column "value"
}

// rowsOf returns the rows of the data of an answer, and the pointers to values that are in no
// row. The rows are the elements of all lists of the outermost object that has a list. If there
// is no list, the data are one row.
func rowsOf(data json.RawMessage) (rows []row, left []string) {
	add := func(table, pointer string, list []json.RawMessage) {
		for i, value := range list {
			rows = append(rows, row{table, pointer + "/" + strconv.Itoa(i), value})
		}
	}
	at := ""
	for inner := data; ; {
		if list, ok := elements(inner); ok {
			add("", at, list)
			return rows, nil
		}
		all, ok := members(inner)
		if ok && len(all) == 1 {
			if _, object := members(all[0].value); object { // it only names the answer
				at, inner = at+"/"+escaped(all[0].name), all[0].value
				continue
			}
		}
		lists := 0
		for _, m := range all {
			pointer := at + "/" + escaped(m.name)
			if list, ok := elements(m.value); ok {
				add(m.name, pointer, list)
				lists++
			} else {
				left = append(left, pointer)
			}
		}
		if lists == 0 {
			return []row{{"", at, inner}}, nil
		}
		return rows, left
	}
}

// escaped returns a name as a step of a JSON Pointer.
func escaped(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// writeRows writes the rows of an answer as CSV (RFC 4180) with a header. If they come from
// several lists, the first column is the name of the list. With sources, the last column has
// the URLs of the pages that state the values of the row.
func (e *env) writeRows(found *outcome.Answer, sources bool) error {
	rows, left := rowsOf(found.Data)
	for _, pointer := range left {
		e.warn("", fmt.Sprintf("%s is not in the CSV, because it is in no row: use --json", clean(pointer)))
	}
	if len(rows) == 0 {
		e.warn("", "the answer has no rows, so the CSV is empty")
		return nil
	}
	several := slices.ContainsFunc(rows, func(r row) bool { return r.table != rows[0].table })
	var header []string // of the values
	cells := make([]map[string]string, len(rows))
	for i, r := range rows {
		all, ok := members(r.value)
		if !ok {
			all = []member{{"value", r.value}}
		}
		cells[i] = map[string]string{}
		for _, m := range all {
			if !slices.Contains(header, m.name) {
				header = append(header, m.name)
			}
			cells[i][m.name] = cell(m.value)
		}
	}
	free := func(name string) string { // a name that no value has
		for slices.Contains(header, name) {
			name += "_"
		}
		return name
	}
	var before, after []string
	if several {
		before = []string{free("table")}
	}
	if sources {
		after = []string{free("sources")}
	}
	w := csv.NewWriter(e.out)
	texts := slices.Concat(before, header, after)
	for i := range texts {
		texts[i] = plain(texts[i])
	}
	if err := w.Write(texts); err != nil {
		return err
	}
	for i, r := range rows {
		line := make([]string, 0, len(texts))
		if several {
			line = append(line, plain(r.table))
		}
		for _, name := range header {
			line = append(line, cells[i][name])
		}
		if sources {
			line = append(line, strings.Join(sourcesOf(found, r.pointer), " "))
		}
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// sourcesOf returns the URLs of the pages that state values at or below a pointer, in the
// order of the sources.
func sourcesOf(found *outcome.Answer, pointer string) (urls []string) {
	used := make([]bool, len(found.Sources))
	for at, evidence := range found.Fields {
		if at != pointer && !strings.HasPrefix(at, pointer+"/") {
			continue
		}
		for _, i := range append([]int{evidence.Source}, evidence.Also...) {
			if i >= 0 && i < len(used) { // -1 means that the value was computed
				used[i] = true
			}
		}
	}
	for i, s := range found.Sources {
		if used[i] && !slices.Contains(urls, s.URL) {
			urls = append(urls, s.URL)
		}
	}
	return urls
}

// cell returns a JSON value as the text of a cell: a string without its quotes, nothing for
// null, and all else as JSON.
func cell(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil { // null is an empty string
		return plain(s)
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}

// plain returns a text for a cell. A text that a spreadsheet would take for a formula gets an
// apostrophe, because pages are written by strangers.
func plain(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}
