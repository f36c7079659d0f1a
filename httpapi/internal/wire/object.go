// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/curlew/internal/jsonenc"
)

// decoder collects the faults of one body.
type decoder struct {
	Options
	faults []Fault

	choices *choices // only while a body is described
}

// decode decodes the object of a body with fill. Its error is ErrSyntax, ErrValues or an
// *Error. If it is an *Error, the valid members have been filled in.
func decode(body []byte, o Options, fill func(*object)) error {
	v, err := read(body)
	if err != nil {
		return err
	}
	d := &decoder{Options: o}
	d.object(v, nil, fill)
	if len(d.faults) > 0 {
		return &Error{Faults: d.faults}
	}
	return nil
}

func (d *decoder) fault(f Fault) {
	if len(d.faults) < MaxFaults {
		if f.Path == nil {
			f.Path = []any{}
		}
		d.faults = append(d.faults, f)
	}
}

// object passes v to fill if it is an object, and then reports the names that
// fill did not read.
func (d *decoder) object(v value, path []any, fill func(*object)) {
	if s, ok := v.v.(*Schema); ok {
		d.describe(s, path, fill)
		return
	}
	m, ok := v.v.(members)
	if !ok {
		d.mistyped(path, "object", v.kind())
		return
	}
	o := &object{d: d, path: path, members: m, asked: make(map[string]bool, len(m))}
	fill(o)
	o.finish()
}

func (d *decoder) mistyped(path []any, want, got string) {
	d.fault(Fault{Code: InvalidType, Path: path, Expected: want, Message: "Invalid input: expected " + want + ", received " + got})
}

func (d *decoder) custom(path []any, message string) {
	d.fault(Fault{Code: Custom, Path: path, Message: message})
}

// object is an object of a body that is being read.
type object struct {
	d       *decoder
	path    []any
	members members
	asked   map[string]bool
	into    *Schema // only while a body is described

	closed bool // null is a value, and unknown names are never tolerated
	open   bool // unknown names are ignored
}

// tolerated are names that newer clients send. They are ignored everywhere.
var tolerated = []string{
	"effort", "threadId", "mode", "exchange", "domainTools", "toolDetail",
	"checkPromptInjection", "overrideWhitelist", "useMock",
}

// finish reports the names that were not read.
func (o *object) finish() {
	if o.open || o.d.Lenient && !o.closed {
		return
	}
	var unknown []string
	for _, m := range o.members {
		known := o.asked[m.name]
		if !o.closed {
			known = known || strings.HasPrefix(m.name, "__") || slices.Contains(tolerated, m.name)
		}
		if !known {
			unknown = append(unknown, m.name)
		}
	}
	if unknown == nil {
		return
	}
	text := "Unrecognized key: "
	if len(unknown) > 1 {
		text = "Unrecognized keys: "
	}
	o.d.fault(Fault{Code: UnrecognizedKeys, Path: o.path, Keys: unknown, Message: text + quoted(unknown, ", ")})
}

// at returns the path of a member of o.
func (o *object) at(steps ...any) []any { return slices.Concat(o.path, steps) }

// get returns the named member. null counts as absent, except in a closed
// object.
func (o *object) get(name string) (value, bool) {
	if o.into != nil {
		return value{v: o.into.property(name)}, true
	}
	o.asked[name] = true
	for _, m := range o.members {
		if m.name != name {
			continue
		}
		if m.value.v == nil && !o.closed {
			return value{}, false
		}
		return m.value, true
	}
	return value{}, false
}

// need is get for a required member.
func (o *object) need(name, want string) (value, bool) {
	if o.into != nil {
		o.into.need(name)
	}
	v, ok := o.get(name)
	if !ok {
		o.d.mistyped(o.at(name), want, "undefined")
	}
	return v, ok
}

func (o *object) has(name string) bool { _, ok := o.get(name); return ok }

func (o *object) custom(message string, steps ...any) { o.d.custom(o.at(steps...), message) }

func (o *object) bool(name string) *bool {
	v, ok := o.get(name)
	if !ok {
		return nil
	}
	return o.d.bool(v, o.at(name))
}

func (d *decoder) bool(v value, path []any) *bool {
	if s, ok := v.v.(*Schema); ok {
		s.Type = "boolean"
		return new(true)
	}
	b, ok := v.v.(bool)
	if !ok {
		d.mistyped(path, "boolean", v.kind())
		return nil
	}
	return &b
}

// text reads a string of low to high code points. A negative high means no
// limit.
func (o *object) text(name string, low, high int) *string {
	v, ok := o.get(name)
	if !ok {
		return nil
	}
	return o.d.text(v, o.at(name), low, high)
}

// needText is text for a required member.
func (o *object) needText(name string, low, high int) string {
	v, ok := o.need(name, "string")
	if !ok {
		return ""
	}
	if s := o.d.text(v, o.at(name), low, high); s != nil {
		return *s
	}
	return ""
}

func (d *decoder) text(v value, path []any, low, high int) *string {
	if s, ok := v.v.(*Schema); ok {
		s.Type = "string"
		s.MinLength, s.MaxLength = bounds(low, high)
		return nil
	}
	s, ok := v.v.(string)
	if !ok {
		d.mistyped(path, "string", v.kind())
		return nil
	}
	if !d.within(utf8.RuneCountInString(s), low, high, "string", "characters", path) {
		return nil
	}
	return &s
}

// within reports a length outside low to high. A negative high means no limit.
func (d *decoder) within(n, low, high int, of, unit string, path []any) bool {
	if n < low {
		d.fault(Fault{
			Code: TooSmall, Path: path, Minimum: new(float64(low)),
			Message: fmt.Sprintf("Too small: expected %s to have >=%d %s", of, low, unit),
		})
		return false
	}
	if high >= 0 && n > high {
		d.fault(Fault{
			Code: TooBig, Path: path, Maximum: new(float64(high)),
			Message: fmt.Sprintf("Too big: expected %s to have <=%d %s", of, high, unit),
		})
		return false
	}
	return true
}

// number reads a number from low to high.
func (o *object) number(name string, low, high float64) *float64 {
	v, ok := o.get(name)
	if !ok {
		return nil
	}
	if s, ok := v.v.(*Schema); ok {
		s.Type, s.Minimum, s.Maximum = "number", &low, &high
		return new(high)
	}
	literal, ok := v.v.(json.Number)
	if !ok {
		o.d.mistyped(o.at(name), "number", v.kind())
		return nil
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	if err != nil {
		o.d.mistyped(o.at(name), "number", "Infinity")
		return nil
	}
	switch {
	case f < low:
		o.d.fault(Fault{
			Code: TooSmall, Path: o.at(name), Minimum: &low,
			Message: "Too small: expected number to be >=" + decimal(low),
		})
		return nil
	case f > high:
		o.d.fault(Fault{
			Code: TooBig, Path: o.at(name), Maximum: &high,
			Message: "Too big: expected number to be <=" + decimal(high),
		})
		return nil
	}
	if f == 0 {
		f = 0 // -0 would encode as itself
	}
	return &f
}

// positive reads a number above zero. Zero is reported, but returned.
func (o *object) positive(name string) *float64 {
	f := o.number(name, 0, math.MaxFloat64)
	if o.into != nil {
		s := o.into.property(name)
		s.Above, s.Minimum, s.Maximum = s.Minimum, nil, nil
	}
	if f != nil && *f == 0 {
		o.d.fault(Fault{Code: TooSmall, Path: o.at(name), Minimum: new(0.0), Message: "Too small: expected number to be >0"})
	}
	return f
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// maxInt is the largest integer that JavaScript's numbers represent exactly, or
// the largest int if that is smaller.
const maxInt = min(1<<53-1, math.MaxInt)

// int reads an integer from low to high. It accepts 75.0 as 75.
func (o *object) int(name string, low, high int) *int {
	before := len(o.d.faults)
	f := o.number(name, float64(low), float64(high))
	if f == nil {
		if n := len(o.d.faults); n > before && o.d.faults[n-1].Code == InvalidType {
			o.d.faults[n-1].Expected = "int"
		}
		return nil
	}
	if o.into != nil {
		o.into.property(name).Type = "integer"
		return new(high)
	}
	if math.Trunc(*f) != *f {
		o.d.mistyped(o.at(name), "int", "number")
		return nil
	}
	return new(int(*f))
}

// enum reads a string that must be one of values.
func (o *object) enum(name string, values ...string) *string {
	v, ok := o.get(name)
	if !ok {
		return nil
	}
	return o.d.enum(v, o.at(name), values)
}

func (d *decoder) enum(v value, path []any, values []string) *string {
	if s, ok := v.v.(*Schema); ok {
		s.Type, s.Enum = "string", texts(values)
		return nil
	}
	s, ok := v.v.(string)
	if !ok || !slices.Contains(values, s) {
		text := "Invalid option: expected one of "
		if len(values) == 1 {
			text = "Invalid input: expected "
		}
		d.fault(Fault{Code: InvalidValue, Path: path, Values: values, Message: text + quoted(values, "|")})
		return nil
	}
	return &s
}

// kind reads the member that says which other members the object has. Without it
// no name can be called unknown.
func (o *object) kind(values []string) string {
	if o.into != nil {
		o.into.need("type")
		word := values[o.d.choose(len(values))]
		*o.into.property("type") = Schema{Const: word}
		return word
	}
	if s := o.enum("type", values...); s != nil {
		return *s
	}
	if !o.has("type") {
		o.d.mistyped(o.at("type"), "string", "undefined")
	}
	return ""
}

// word reads one of values where an object could stand instead.
func (d *decoder) word(v value, path []any, values []string) *string {
	if s, ok := v.v.(*Schema); ok {
		word := values[d.choose(len(values))]
		s.Const = word
		return &word
	}
	return d.enum(v, path, values)
}

// is reports whether v has the kind. While a body is described, both answers
// are followed.
func (d *decoder) is(v value, kind string) bool {
	if _, ok := v.v.(*Schema); ok {
		return d.choose(2) == 0
	}
	return v.kind() == kind
}

// either calls read for a member that has more than one form, if it exists.
func (o *object) either(name string, read func(v value, path []any)) {
	v, ok := o.get(name)
	if !ok {
		return
	}
	if s, ok := v.v.(*Schema); ok {
		*s = *o.d.alternatives(func(v value) { read(v, o.at(name)) })
		return
	}
	read(v, o.at(name))
}

// list calls item for each item of a list with low to high items. It reports
// whether the member exists and is a list.
func (o *object) list(name string, low, high int, item func(v value, path []any)) bool {
	v, ok := o.get(name)
	if !ok {
		return false
	}
	if s, ok := v.v.(*Schema); ok {
		s.Type = "array"
		s.MinItems, s.MaxItems = bounds(low, high)
		s.Items = o.d.alternatives(func(v value) { item(v, o.at(name)) })
		return true
	}
	items, ok := v.v.([]value)
	if !ok {
		o.d.mistyped(o.at(name), "array", v.kind())
		return false
	}
	if !o.d.within(len(items), low, high, "array", "items", o.at(name)) {
		return false
	}
	for i, v := range items {
		item(v, o.at(name, i))
	}
	return true
}

// texts reads a list of at most high strings. If there is none, it returns nil.
func (o *object) texts(name string, high int) []string {
	list := []string{}
	if !o.list(name, 0, high, func(v value, path []any) {
		if s := o.d.text(v, path, 0, -1); s != nil {
			list = append(list, *s)
		}
	}) {
		return nil
	}
	return list
}

// someTexts is texts for a list where absent and empty have different meanings.
func (o *object) someTexts(name string, high int) *[]string {
	if list := o.texts(name, high); list != nil {
		return &list
	}
	return nil
}

// enums reads a list of strings that must be in values. If there is none, it
// returns nil.
func (o *object) enums(name string, values ...string) []string {
	list := []string{}
	if !o.list(name, 0, -1, func(v value, path []any) {
		if s := o.d.enum(v, path, values); s != nil {
			list = append(list, *s)
		}
	}) {
		return nil
	}
	return list
}

// strings reads an object whose members are strings. If there is none, it
// returns nil.
func (o *object) strings(name string) map[string]string {
	v, ok := o.get(name)
	if !ok {
		return nil
	}
	if s, ok := v.v.(*Schema); ok {
		s.Type, s.Values = "object", &Schema{Type: "string"}
		return nil
	}
	m, ok := v.v.(members)
	if !ok {
		o.d.mistyped(o.at(name), "object", v.kind())
		return nil
	}
	table := make(map[string]string, len(m))
	for _, m := range m {
		if s := o.d.text(m.value, o.at(name, m.name), 0, -1); s != nil {
			table[m.name] = *s
		}
	}
	return table
}

// object reads a member that is an object, and reports whether it exists.
func (o *object) object(name string, fill func(*object)) bool {
	v, ok := o.get(name)
	if ok {
		o.d.object(v, o.at(name), fill)
	}
	return ok
}

// schema returns the member schema, an object, as it was sent. Only white space is
// removed, and escapes of unpaired surrogates become U+FFFD, as in all texts.
func (o *object) schema() json.RawMessage {
	const name = "schema"
	v, ok := o.get(name)
	if !ok {
		return nil
	}
	if s, ok := v.v.(*Schema); ok {
		s.Type, s.Values = "object", &Schema{}
		return nil
	}
	if _, ok := v.v.(members); !ok {
		o.d.mistyped(o.at(name), "object", v.kind())
		return nil
	}
	compact, err := jsonenc.Encode(json.RawMessage(wholePairs(v.raw)))
	if err != nil {
		return nil // cannot happen, because the bytes are valid JSON
	}
	return compact
}
