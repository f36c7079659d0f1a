// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
	"example.com/curlew/internal/claims"
)

// saying is a reply in the form in which a model wrote it. Models that do not follow
// the schema write a number as text, one item instead of a list, or members in another
// place. Whatever is clear is accepted, and anything else counts as absent, so that one
// odd member does not cost the whole reply.
type saying map[string]any

func readSaying(raw json.RawMessage) (saying, bool) {
	s := saying{}
	d := json.NewDecoder(bytes.NewReader(raw))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		text, _ := name.(string)
		var v any
		if err != nil || d.Decode(&v) != nil {
			return nil, false
		}
		if list, ok := s[text].([]any); ok { // some models begin a list a second time
			if more, ok := v.([]any); ok {
				v = append(list, more...)
			}
		}
		s[text] = v
	}
	if len(raw) > maxSaid {
		clipped(map[string]any(s))
	}
	return s, true
}

// maxSaid is the maximum number of bytes of a text in a reply. It is more than the lines of a page
// that a value may be cited from can have, so that a longer text is a value of no page.
const maxSaid = 32 << 10

// clipped returns v without what texts in it have beyond maxSaid.
func clipped(v any) any {
	switch v := v.(type) {
	case string:
		return value.Clip(v, maxSaid)
	case []any:
		for i := range v {
			v[i] = clipped(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = clipped(v[name])
		}
	}
	return v
}

// text returns a member as text. It also accepts numbers and booleans.
func (s saying) text(name string) string { return value.ScalarText(s[name]) }

// number returns a member as a whole number. It also accepts a text. If there is no
// number, it returns 0.
func (s saying) number(name string) int {
	n, _ := wholeOf(s[name])
	return n
}

// flag returns a member as a boolean. It also accepts a text.
func (s saying) flag(name string) bool {
	return s[name] == true || strings.EqualFold(value.ScalarText(s[name]), "true")
}

// list returns the items of a list. It also accepts a single item without its list.
func (s saying) list(name string) []any {
	switch v := s[name].(type) {
	case nil:
		return nil
	case []any:
		return v
	default:
		return []any{v}
	}
}

// texts returns the texts in a list.
func (s saying) texts(name string) []string {
	var out []string
	for _, v := range s.list(name) {
		if t := value.ScalarText(v); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// handles returns the handles in a list. It also accepts a list that is written as a
// text.
func (s saying) handles(name string) []string {
	return strings.FieldsFunc(strings.Join(s.texts(name), " "), func(r rune) bool { return r == ' ' || r == ',' })
}

// objects returns the objects in a list.
func (s saying) objects(name string) []saying {
	var out []saying
	for _, v := range s.list(name) {
		if m, ok := v.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// wholeOf returns v as a whole number of at most nine digits. If it is not a number, it
// returns false.
func wholeOf(v any) (int, bool) {
	n, ok := v.(float64)
	if text, is := v.(string); is {
		var err error
		n, err = strconv.ParseFloat(strings.TrimSpace(text), 64)
		ok = err == nil
	}
	if !ok || n != math.Trunc(n) || math.IsInf(n, 0) {
		return 0, false
	}
	return int(min(max(n, -999_999_999), 999_999_999)), true
}

// Answers reports whether a reply contains what the role asks for, in any form that the
// functions of this package read. A model that returns an object with other members
// only has ignored the question.
func Answers(role llm.Role, raw json.RawMessage) bool {
	s, ok := readSaying(raw)
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { _, ok := s[name]; return ok })
	}
	switch role {
	case llm.RolePlan:
		return ok && has("tables", "queries", "start", "fields", "conditions", "shape", "hops")
	case llm.RoleDecide:
		return ok && has("actions", "do")
	case llm.RoleExtract:
		_, readable := s.extract()
		return ok && readable && has("rows", "kind")
	case llm.RoleVerify:
		return ok && has("cells")
	}
	return ok
}

// ReadExtract returns a reply of the role extract if [Answers] accepts it, and it
// contains rows with the fields of a table, or says that there are none. Otherwise it
// returns nil. A field maps to true if its value may be an object. Rows that are null,
// that have none of the fields, or whose values all have another type answer another
// question. The lines of a value may be a single number, and the values of a row may be
// the row itself.
func ReadExtract(raw json.RawMessage, fields map[string]bool) *ExtractReply {
	s, _ := readSaying(raw)
	out, ok := s.extract()
	_, rows := s["rows"]
	if _, kind := s["kind"]; !ok || !rows && !kind {
		return nil
	}
	_, empty := s["rows"].([]any)
	none := out.Kind == "none" || out.Kind == "blocked"
	suits := len(out.Rows) == 0 && (empty || none)
	for _, row := range out.Rows {
		known, said := false, false
		for name, v := range row.V {
			nested, ok := fields[name]
			suits = suits || ok && (nested || isPlain(v))
			known = known || ok && v != nil
			said = said || v != nil
		}
		suits = suits || none && len(row.V) == 0
		if said && !known {
			out.Unread++
		}
	}
	if !suits {
		return nil
	}
	return &out
}

// isPlain reports whether v is null, a text, a number, a boolean, or a list with one of
// them.
func isPlain(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return false
	case []any:
		return len(v) == 0 || slices.ContainsFunc(v, func(item any) bool { return item == nil || value.ScalarText(item) != "" })
	}
	return true
}

// HasRows reports whether a reply contains at least one row.
func HasRows(raw json.RawMessage) bool {
	s, _ := readSaying(raw)
	out, ok := s.extract()
	return ok && len(out.Rows) > 0
}

// conditions returns the conditions of a table or of a plan.
func (s saying) conditions() []journal.Condition {
	var out []journal.Condition
	for _, c := range s.objects("conditions") {
		out = append(out, journal.Condition{
			Field: c.text("field"), Op: strings.ToLower(c.text("op")), Value: strings.Join(c.texts("value"), " | "),
			Unit: c.text("unit"), Words: c.text("words"), Or: c.flag("or"),
		})
	}
	return out
}

// ReadPlan reads a [PlanReply].
func ReadPlan(raw json.RawMessage) (out PlanReply, ok bool) {
	s, ok := readSaying(raw)
	for _, t := range s.objects("tables") {
		table := journal.PlannedTable{ID: t.text("id"), What: t.text("what"), Keys: t.texts("keys"), Expect: t.number("expect")}
		table.Conditions = t.conditions()
		out.Tables = append(out.Tables, table)
	}
	if loose := s.conditions(); len(loose) > 0 { // conditions that are not inside a table
		at := max(0, slices.IndexFunc(out.Tables, func(t journal.PlannedTable) bool { return t.ID != "T0" }))
		if len(out.Tables) == 0 {
			out.Tables = append(out.Tables, journal.PlannedTable{})
		}
		out.Tables[at].Conditions = append(out.Tables[at].Conditions, loose...)
	}
	for _, h := range s.objects("hops") {
		out.Hops = append(out.Hops, journal.Hop{Field: h.text("field"), Question: h.text("question"), Fills: h.texts("fills")})
	}
	out.Shape = strings.ToLower(s.text("shape"))
	for _, f := range s.objects("fields") {
		out.Fields = append(out.Fields, PromptField{
			Name: f.text("name"), Type: f.text("type"), Description: f.text("description"), Key: f.flag("key"), Required: f.flag("required"),
		})
	}
	out.Queries, out.Start, out.Same = s.texts("queries"), s.handles("start"), s.flag("same")
	return out, ok
}

// ReadDecide reads a [DecideReply]. It also accepts a single action.
func ReadDecide(raw json.RawMessage) (out DecideReply, ok bool) {
	s, ok := readSaying(raw)
	out.Note = s.text("note")
	actions := s.objects("actions")
	if _, alone := s["do"]; alone && len(actions) == 0 {
		actions = []saying{s}
	}
	for _, a := range actions {
		out.Actions = append(out.Actions, journal.Action{
			Do: strings.ToLower(a.text("do")), Q: a.text("q"), N: a.number("n"), H: a.handles("h"), T: a.text("t"),
			Follow: strings.ToLower(a.text("follow")), Like: a.text("like"), Why: a.text("why"),
		})
	}
	return out, ok
}

// pageKinds are the kinds of pages. Any other text is ignored, because the planner sees
// the kind of a page, but must see no text of a page.
var pageKinds = []string{"list", "detail", "none", "blocked"}

// extract returns an object as an [ExtractReply]. It may change the object.
func (s saying) extract() (out ExtractReply, ok bool) {
	if s == nil {
		return out, false
	}
	objects, all := s.objects("rows"), s.list("rows")
	if rows, is := s["rows"]; is && rows != nil && len(objects) == 0 && len(all) > 0 {
		return out, false // rows have an unknown form
	}
	for _, row := range all {
		if _, ok := row.(map[string]any); !ok && row != nil {
			out.Unread++
		}
	}
	for _, row := range objects {
		lines, _ := row["ln"].(map[string]any)
		values, ok := row["v"].(map[string]any)
		if _, has := row["v"]; !ok && !has {
			values = row
			delete(values, "ln")
		}
		values, lines = flattened(values), flattened(lines)
		said := saidRow{V: values, Ln: make(map[string][]int, len(lines))}
		for name := range lines {
			for _, v := range saying(lines).list(name) {
				if n, ok := wholeOf(v); ok && len(said.Ln[name]) < 2*value.MaxLong {
					said.Ln[name] = append(said.Ln[name], n)
				}
			}
		}
		out.Rows = append(out.Rows, said)
	}
	out.Total, out.TotalLn, out.More = s.number("total"), s.number("total_ln"), s.flag("more")
	if kind := s.text("kind"); slices.Contains(pageKinds, kind) {
		out.Kind = kind
	}
	return out, true
}

// flattened returns m with the members of objects in it, by their paths. Fields of nested
// objects have names with points, but some models write the objects. It returns m itself
// if there are none.
func flattened(m map[string]any) map[string]any {
	for _, v := range m {
		if _, ok := v.(map[string]any); ok {
			return flat(m, make(map[string]any, len(m)), "")
		}
	}
	return m
}

// flat adds the members of m, and of objects in it, to out by their paths.
func flat(m, out map[string]any, prefix string) map[string]any {
	for name, v := range m {
		name = prefix + name
		if _, ok := out[name]; !ok || prefix == "" {
			out[name] = v
		}
		if inner, ok := v.(map[string]any); ok && strings.Count(name, ".") < value.MaxNested {
			flat(inner, out, name+".")
		}
	}
	return out
}

// saidRow is a row of an [ExtractReply].
type saidRow = struct {
	V  map[string]any   `json:"v"`
	Ln map[string][]int `json:"ln"`
}

// ReadVerify reads a [VerifyReply].
func ReadVerify(raw json.RawMessage) (out VerifyReply, ok bool) {
	s, ok := readSaying(raw)
	for _, c := range s.objects("cells") {
		_, named := wholeOf(c["i"])
		if _, picked := wholeOf(c["pick"]); !named || !picked && c["value"] == nil && !strings.EqualFold(c.text("verdict"), "none") {
			continue // the reply does not name the cell or the candidate
		}
		out.Cells = append(out.Cells, VerifiedCell{c.number("i"), strings.ToLower(c.text("verdict")), c.number("pick"), c["value"]})
	}
	return out, ok
}

// ReadSynthesize reads a [SynthesizeReply]. It also accepts the values by themselves.
func ReadSynthesize(raw json.RawMessage) (out SynthesizeReply, ok bool) {
	s, ok := readSaying(raw)
	values, inside := s["v"].(map[string]any)
	if !inside {
		values = s
	}
	out.V = values
	return out, ok
}

// Sentence is a sentence of a text with the numbers of the rows and lines that it cites.
type Sentence struct {
	Text string
	Ln   []int
}

// Sentences returns the sentences of a text in the reply. It also accepts a text without
// citations, or with numbers in brackets behind its sentences.
func (r SynthesizeReply) Sentences(field string) (out []Sentence) {
	items, ok := r.V[field].([]any)
	if !ok {
		items = []any{r.V[field]}
	}
	for _, item := range items {
		var cited []int
		text, _ := item.(string)
		if m, ok := item.(map[string]any); ok {
			s := saying(m)
			text = s.text("text")
			cited = numbersOf(m["ln"])
		}
		for _, sentence := range claims.Sentences(text) {
			own, numbers := claims.Bracketed(sentence)
			if own != "" {
				out = append(out, Sentence{own, append(numbers, cited...)})
			}
		}
	}
	return out
}

// numbersOf returns the whole numbers of a list, or a single one.
func numbersOf(v any) (out []int) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, item := range list {
		if n, ok := wholeOf(item); ok {
			out = append(out, n)
		}
	}
	return out
}
