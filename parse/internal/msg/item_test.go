// SPDX-License-Identifier: Apache-2.0

package msg_test

import (
	"encoding/binary"
	"fmt"
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
		{
			"letter on behalf", nil,
			map[uint16]any{0x0C1A: "Assistant", 0x5D01: "as@a.example", 0x0042: "Boss", 0x5D02: "boss@a.example"},
			"<dl><dt>From</dt><dd>Boss &lt;boss@a.example&gt;</dd><dt>Sender</dt><dd>Assistant &lt;as@a.example&gt;</dd></dl>",
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

// TestElsewhere reads attachments that are a link or an embedded object, and recipients whose kind has flags.
func TestElsewhere(t *testing.T) {
	all := object("", 32, map[uint16]any{0x0037: "Subject"})
	all = append(all, object("__recip_version1.0_#00000000/", 8, map[uint16]any{0x3001: "Bert", 0x0C15: 0x10000001})...)
	all = append(all, object("__attach_version1.0_#00000000/", 8, map[uint16]any{0x3707: "plan.docx", 0x370D: "https://a.example/plan", 0x3705: 7})...)
	all = append(all, object("__attach_version1.0_#00000001/", 8, map[uint16]any{0x3001: "Sheet", 0x3705: 6})...)
	all = append(all, cfbtest.Stream{Name: "__attach_version1.0_#00000001/__substg1.0_3701000D/Package", Data: []byte("data")})
	got := doctreetest.Show(t, read(t, cfbtest.Pack(all...)))
	for _, want := range []string{"<dt>To</dt><dd>Bert</dd>", "<li>plan.docx https://a.example/plan (0 bytes)</li>", "<li>Sheet (4 bytes)</li>", "<p>: data</p>"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}

// TestManyRecipients counts the recipients that are left out.
func TestManyRecipients(t *testing.T) {
	all := object("", 32, map[uint16]any{0x0037: "Subject"})
	for i := range 1002 {
		all = append(all, object(fmt.Sprintf("__recip_version1.0_#%08X/", i), 8, map[uint16]any{0x3001: fmt.Sprint("R", i), 0x0C15: 1})...)
	}
	d := read(t, cfbtest.Pack(all...))
	if len(d.Warnings) != 1 || d.Warnings[0].Text != "The message has more than 1000 recipients; left out: 2." {
		t.Errorf("%v", d.Warnings)
	}
}

// TestMembers reads the members of a distribution list, and counts those that only an
// address book knows.
func TestMembers(t *testing.T) {
	const oneOff = "\x00\x00\x00\x00\x81\x2B\x1F\xA4\xBE\xA3\x10\x19\x9D\x6E\x00\xDD\x01\x0F\x54\x02\x00\x00"
	all := object("", 32, map[uint16]any{0x0037: "Subject", 0x001A: "IPM.DistList"})
	all = append(all, named(0x8054, 0x8055))
	for i, s := range []string{
		oneOff + "\x00\x80" + cfbtest.Wide("Änne\x00SMTP\x00aenne@a.example\x00"),
		oneOff + "\x00\x00J\xF6rg\x00SMTP\x00joerg@a.example\x00",
		oneOff + "\x00\x80" + cfbtest.Wide("Cut"), "reference",
	} {
		all = append(all, cfbtest.Stream{Name: fmt.Sprintf("__substg1.0_80001102-%08X", i), Data: []byte(s)})
	}
	all = append(all, cfbtest.Stream{Name: "__substg1.0_80011102-00000000", Data: []byte("reference")})
	d := read(t, cfbtest.Pack(all...))
	const want = "<dt>Members</dt><dd>Änne &lt;aenne@a.example&gt;, Jörg &lt;joerg@a.example&gt;, Cut</dd>"
	if got := doctreetest.Show(t, d); !strings.Contains(got, want) {
		t.Errorf("%s is not in\n%s", want, got)
	}
	if len(d.Warnings) != 1 || d.Warnings[0].Text != "Members of the distribution list that were not read: 1." {
		t.Errorf("%v", d.Warnings)
	}
}

// TestManyMembers counts the members of a list that has too many for its properties.
func TestManyMembers(t *testing.T) {
	all := object("", 32, map[uint16]any{0x0037: "Subject", 0x001A: "IPM.DistList", 0x8000: []byte("\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0C\x00\x00\x00")})
	d := read(t, cfbtest.Pack(append(all, named(0x8064))...))
	if len(d.Warnings) != 1 || d.Warnings[0].Text != "Members of the distribution list that were not read: 12." {
		t.Errorf("%v", d.Warnings)
	}
}

// TestCategories reads the categories of a message, whose property is named by a text.
func TestCategories(t *testing.T) {
	name := cfbtest.Wide("Keywords")
	all := object("", 32, map[uint16]any{0x0037: "Subject"})
	all = append(all, cfbtest.Stream{Name: "__nameid_version1.0/__substg1.0_00030102", Data: []byte("\x04\x00\x00\x00\x05\x00\x07\x00\xF0\xFF\x00\x00\x05\x00\x08\x00")},
		cfbtest.Stream{Name: "__nameid_version1.0/__substg1.0_00040102", Data: []byte("\x00\x00\x00\x00\x10\x00\x00\x00" + name)},
		cfbtest.Stream{Name: "__substg1.0_8007101F-00000000", Data: []byte(cfbtest.Wide("Blue"))}, cfbtest.Stream{Name: "__substg1.0_8007101F-00000001", Data: []byte(cfbtest.Wide("Offers"))})
	const want = "<dt>Categories</dt><dd>Blue, Offers</dd>"
	if got := doctreetest.Show(t, read(t, cfbtest.Pack(all...))); !strings.Contains(got, want) {
		t.Errorf("%s is not in\n%s", want, got)
	}
	for i := 2; i < 1003; i++ {
		all = append(all, cfbtest.Stream{Name: fmt.Sprintf("__substg1.0_8007101F-%08X", i), Data: []byte(cfbtest.Wide("c"))})
	}
	if got := doctreetest.Show(t, read(t, cfbtest.Pack(all...))); !strings.Contains(got, ", c, and 3 more</dd>") {
		t.Error("three of 1,003 categories are missing without a word")
	}
}
