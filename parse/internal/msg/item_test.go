// SPDX-License-Identifier: Apache-2.0

package msg_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/doctreetest"
)

// named returns the stream that lists named properties, whose IDs begin at
// 0x8000.
func named(numbers ...uint32) cfbtest.Stream {
	var b []byte
	for i, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
		b = binary.LittleEndian.AppendUint16(b, 3<<1)
		b = binary.LittleEndian.AppendUint16(b, uint16(i))
	}
	return cfbtest.Stream{Name: "__nameid_version1.0/__substg1.0_00030102", Data: b}
}

// TestItems reads items that are not messages.
func TestItems(t *testing.T) {
	start, end := time.Date(2024, 2, 29, 13, 5, 0, 0, time.UTC), time.Date(2024, 2, 29, 14, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		what   string
		names  []uint32
		values map[uint16]any
		want   string
	}{
		{
			"appointment",
			[]uint32{0x8208, 0x820D, 0x820E},
			map[uint16]any{0x001A: "IPM.Appointment", 0x8000: "Room 5", 0x8001: start, 0x8002: end},
			"<dl><dt>Start</dt><dd>2024-02-29 13:05 UTC</dd><dt>End</dt><dd>2024-02-29 14:00 UTC</dd><dt>Location</dt><dd>Room 5</dd></dl>",
		},
		{"request", []uint32{0x820D}, map[uint16]any{0x001A: "IPM.Schedule.Meeting.Request", 0x8000: start}, "<dl><dt>Start</dt><dd>2024-02-29 13:05 UTC</dd></dl>"},
		{"task", []uint32{0x8105}, map[uint16]any{0x001A: "IPM.Task", 0x8000: end}, "<dl><dt>Due</dt><dd>2024-02-29 14:00 UTC</dd></dl>"},
		{
			"contact",
			[]uint32{0x8083},
			map[uint16]any{0x001A: "IPM.Contact", 0x3001: "Anna", 0x3A16: "Firm", 0x3A17: "Boss", 0x8000: "anna@a.example", 0x3A08: "+1", 0x3A1C: "+2"},
			"<dl><dt>Name</dt><dd>Anna</dd><dt>Company</dt><dd>Firm</dd><dt>Position</dt><dd>Boss</dd><dt>E-mail</dt><dd>anna@a.example</dd><dt>Phone</dt><dd>+1, +2</dd></dl>",
		},
		{"letter", []uint32{0x820D}, map[uint16]any{0x001A: "IPM.Note", 0x8000: start}, "<h1 id=\"subject\">Subject</h1></body>"},
		{"without names", nil, map[uint16]any{0x001A: "IPM.Appointment", 0x8000: start, 0x0000: "x"}, "<h1 id=\"subject\">Subject</h1></body>"},
	} {
		c.values[0x0037] = "Subject"
		all := object("", 32, c.values)
		if c.names != nil {
			all = slices.Concat(all, []cfbtest.Stream{named(c.names...)})
		}
		if got := doctreetest.Show(t, read(t, cfbtest.Pack(all...))); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q is not in\n%s", c.what, c.want, got)
		}
	}
}
