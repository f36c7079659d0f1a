// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxEvents = 10_000 // in one calendar
	maxLines  = 1000   // of one event
)

// event is one entry of a calendar.
type event struct {
	fields []Field
	about  string
}

// calendar writes the entries of a calendar (RFC 5545). It returns false if
// there are none.
func (d *builder) calendar(ctx context.Context, into *html.Node, text string) bool {
	events, beyond := readCalendar(text)
	d.doc.WarnCount("truncated", 0, "Lines of calendars that were left out, because they are too many", beyond)
	for i, e := range events {
		if d.full(ctx) {
			d.omitted.events += len(events) - i
			break
		}
		section := d.b.Append(into, atom.Section, "data-role", "event")
		list := d.b.Append(section, atom.Dl)
		for _, f := range e.fields {
			d.b.Text(d.b.Append(list, atom.Dt), f.Name)
			d.b.Text(d.b.Append(list, atom.Dd), f.Value)
		}
		done := 0
		for line := range strings.Lines(e.about) {
			if d.full(ctx) {
				d.omitted.bytes += len(e.about) - done
				break
			}
			done += len(line)
			if line = strings.TrimSpace(line); line != "" {
				d.b.Text(d.b.Append(section, atom.P), line)
			}
		}
	}
	return len(events) > 0
}

// schedules notes the entries of a calendar, and reports whether no other one in the
// message has the same. Programs attach a copy of the calendar that they send as text.
func (l *Message) schedules(text string) bool {
	events, _ := readCalendar(text)
	key := fmt.Sprintf("%q", events)
	if l.calendars[key] {
		return false
	}
	if l.calendars == nil {
		l.calendars = map[string]bool{}
	}
	l.calendars[key] = true
	return true
}

// kindOf returns the name of a component of a calendar, or "" if it is not shown.
func kindOf(component string) string {
	switch strings.ToUpper(component) {
	case "VEVENT":
		return "Event"
	case "VTODO":
		return "Task"
	case "VJOURNAL":
		return "Journal"
	}
	return ""
}

// eventFields are the properties that are shown, in order.
var eventFields = []Field{
	{"SUMMARY", "Event"},
	{"STATUS", "Status"},
	{"DTSTART", "Start"},
	{"DTEND", "End"},
	{"DUE", "Due"},
	{"DURATION", "Duration"},
	{"RRULE", "Repeats"},
	{"RDATE", "Also on"},
	{"EXDATE", "Except on"},
	{"LOCATION", "Location"},
	{"ORGANIZER", "Organizer"},
	{"ATTENDEE", "Attendees"},
	{"CONTACT", "Contact"},
	{"CATEGORIES", "Categories"},
	{"VALARM", "Reminder"},
	{"COMMENT", "Comment"},
	{"ATTACH", "Attached"},
	{"URL", "URL"},
}

// readCalendar returns the entries of a calendar, and the number of lines beyond the limits.
func readCalendar(text string) (events []event, beyond int) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = strings.NewReplacer("\n ", "", "\n\t", "").Replace(text) // unfold lines (RFC 5545 3.1)
	var values map[string][]string
	var inner []string // open components inside the event, such as an alarm
	lines, kind := 0, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		name, params, value := property(line)
		switch {
		case name == "BEGIN" && values == nil:
			if kind = kindOf(value); kind != "" {
				values, inner, lines = map[string][]string{}, nil, 0
			}
		case values == nil:
		case name == "BEGIN":
			if inner = append(inner, value); len(inner) > maxDepth {
				inner = inner[:maxDepth]
			}
		case name == "END" && len(inner) > 0:
			inner = inner[:len(inner)-1]
		case name == "END":
			if e := newEvent(kind, values); len(e.fields) > 0 || e.about != "" {
				events = append(events, e)
			}
			values = nil
		case len(inner) > 0 && (!strings.EqualFold(inner[0], "VALARM") || name != "TRIGGER" && name != "SUMMARY" && name != "DESCRIPTION"):
		case lines == maxLines || len(events) == maxEvents:
			beyond++
		default:
			lines++
			if v := show(name, params, value); v != "" {
				if len(inner) > 0 {
					name = inner[0]
				}
				values[strings.ToUpper(name)] = append(values[strings.ToUpper(name)], v)
			}
		}
	}
	return events, beyond
}

func newEvent(kind string, values map[string][]string) (e event) {
	for _, f := range eventFields {
		if v := values[f.Name]; len(v) > 0 {
			name := f.Value
			if f.Name == "SUMMARY" {
				name = kind
			}
			e.fields = append(e.fields, Field{name, strings.Join(strings.Fields(strings.Join(v, ", ")), " ")})
		}
	}
	e.about = strings.Join(values["DESCRIPTION"], "\n")
	return e
}

// property parses a content line.
func property(line string) (name string, params map[string]string, value string) {
	quoted := false
	at := strings.IndexFunc(line, func(r rune) bool {
		quoted = quoted != (r == '"')
		return r == ':' && !quoted
	})
	if at < 0 {
		return "", nil, ""
	}
	pieces := splitParams(line[:at])
	params = map[string]string{}
	for _, p := range pieces[1:] {
		key, v, _ := strings.Cut(p, "=")
		params[strings.ToUpper(strings.TrimSpace(key))] = strings.Trim(v, `"`)
	}
	return strings.ToUpper(strings.TrimSpace(pieces[0])), params, line[at+1:]
}

// show returns a value in readable form.
func show(name string, params map[string]string, value string) string {
	switch name {
	case "DTSTART", "DTEND", "DUE", "RDATE", "EXDATE":
		days := strings.Split(strings.TrimSpace(value), ",")
		for i, day := range days {
			days[i] = instant(day, params["TZID"])
		}
		return strings.Join(days, ", ")
	case "ATTACH":
		if params["VALUE"] == "BINARY" {
			return cmp.Or(params["FILENAME"], params["X-FILENAME"], params["FMTTYPE"], "file")
		}
	case "ORGANIZER", "ATTENDEE":
		address := strings.TrimSpace(value)
		if i := strings.IndexByte(address, ':'); i >= 0 && strings.EqualFold(address[:i], "mailto") {
			address = address[i+1:]
		}
		if who := params["CN"]; who != "" && !strings.EqualFold(who, address) {
			return who + " <" + address + ">"
		}
		return address
	}
	return strings.TrimSpace(strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\\`, `\`).Replace(value))
}

// instant formats 20240229T130500Z as 2024-02-29 13:05 UTC (RFC 5545 3.3.4
// and 3.3.5). It returns other values unchanged.
func instant(v, zone string) string {
	date, clock, timed := strings.Cut(v, "T")
	if len(date) != 8 || strings.Trim(date, "0123456789") != "" {
		return v
	}
	text := date[:4] + "-" + date[4:6] + "-" + date[6:]
	clock, utc := strings.CutSuffix(clock, "Z")
	if !timed {
		return text
	}
	if len(clock) < 4 || strings.Trim(clock, "0123456789") != "" {
		return v
	}
	text += " " + clock[:2] + ":" + clock[2:4]
	switch {
	case utc:
		text += " UTC"
	case zone != "":
		text += " " + zone
	}
	return text
}
