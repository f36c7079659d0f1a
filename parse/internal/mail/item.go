// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"slices"
	"strings"
	"time"
)

// shown is a property of an item in a field that shows it, or several that are joined.
type shown struct {
	name string
	ids  []uint16
	time bool
}

// items are the properties of items that are not messages, by the beginnings of their class
// ([MS-OXPROPS]). Those from 0x8000 on are the numbers of named properties.
var items = []struct {
	classes    []string
	properties []shown
}{
	{[]string{"ipm.appointment", "ipm.schedule", "ipm.microsoft schedule"}, []shown{
		{"Start", []uint16{0x820D, 0x0060}, true},
		{"End", []uint16{0x820E, 0x0061}, true},
		{"Location", []uint16{0x8208}, false},
		{"Repeats", []uint16{0x8232}, false},
	}},
	{[]string{"ipm.task"}, []shown{
		{"Start", []uint16{0x8104}, true},
		{"Due", []uint16{0x8105}, true},
		{"Owner", []uint16{0x811F}, false},
	}},
	{[]string{"ipm.activity"}, []shown{
		{"Start", []uint16{0x8706}, true},
		{"End", []uint16{0x8708}, true},
	}},
	{[]string{"ipm.contact"}, []shown{
		{"Name", []uint16{0x3001}, false},
		{"Company", []uint16{0x3A16}, false},
		{"Department", []uint16{0x3A18}, false},
		{"Position", []uint16{0x3A17}, false},
		{"E-mail", []uint16{0x8083, 0x8093, 0x80A3}, false},
		{"Phone", []uint16{0x3A08, 0x3A09, 0x3A1C}, false},
		{"Fax", []uint16{0x3A24}, false},
		{"Address", []uint16{0x3A15, 0x801B, 0x801A, 0x801C}, false}, // the one for mail, and those of work, home and others
		{"Website", []uint16{0x3A51}, false},
		{"Birthday", []uint16{0x3A42}, true},
	}},
}

// Person formats a name and an address as in mail. It ignores Exchange addresses.
func Person(name, address string) string {
	name, address = strings.Trim(strings.TrimSpace(name), "'"), strings.TrimSpace(address)
	switch {
	case name == "" || address != "" && strings.EqualFold(name, address):
		return address
	case !strings.Contains(address, "@"):
		return name
	}
	return name + " <" + address + ">"
}

// Item returns the fields of an appointment, a task, a journal entry or a contact. text and
// moment return its properties.
func Item(class string, text func(uint16) string, moment func(uint16) time.Time) (fields []Field) {
	class = strings.ToLower(class)
	for _, item := range items {
		if !slices.ContainsFunc(item.classes, func(begin string) bool { return strings.HasPrefix(class, begin) }) {
			continue
		}
		for _, p := range item.properties {
			var values []string
			for _, id := range p.ids {
				v := ""
				if !p.time {
					v = strings.TrimSpace(text(id))
				} else if t := moment(id); !t.IsZero() && len(values) == 0 {
					v = t.Format("2006-01-02 15:04 UTC")
				}
				if v != "" && !slices.Contains(values, v) {
					values = append(values, v)
				}
			}
			fields = append(fields, Field{p.name, strings.Join(values, ", ")})
		}
	}
	return fields
}
