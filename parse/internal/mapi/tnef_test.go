// SPDX-License-Identifier: Apache-2.0

package mapi_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/mapi"
)

func TestMain(m *testing.M) { leak.Main(m) }

func cat(values ...any) string { return string(cfbtest.Bytes(values...)) }

func wide(s string) string { return cfbtest.Wide(s + "\x00") }

// attribute returns one attribute with its checksum.
func attribute(level byte, id uint32, data string) string {
	sum := 0
	for _, c := range []byte(data) {
		sum += int(c)
	}
	return cat(level, id, uint32(len(data)), data, sum&0xFFFF)
}

func stream(attributes ...string) string {
	return cat("\x78\x9F\x3E\x22", 1) + attribute(1, 0x00089006, cat(uint32(0x10000))) + strings.Join(attributes, "")
}

// long returns a value with its length and padding.
func long(s string) string {
	return cat(uint32(1), uint32(len(s)), s, strings.Repeat("\x00", -len(s)&3))
}

func props(all ...string) string {
	return cat(uint32(len(all))) + strings.Join(all, "")
}

// TestItem reads the properties of an appointment.
func TestItem(t *testing.T) {
	named := func(kind, number int, value string) string {
		return cat(kind, 0x8001+number&0xF, strings.Repeat("g", 16), uint32(0), uint32(number), value)
	}
	m, err := mapi.TNEF([]byte(stream(attribute(1, 0x00078008, "IPM.Microsoft Schedule.MtgReq\x00"), attribute(1, 0x00069003, props(
		cat(0x1F, 0x0C1A, long(wide("Anna"))), cat(0x1F, 0x5D01, long(wide("a@a.example"))), cat(0x1F, 0x0E03, long(wide("Carla"))), cat(0x1F, 0x0E02, long(wide("Dora"))),
		named(0x1F, 0x8208, long(wide("Room 5"))), named(0x40, 0x820D, cat(uint64(133536855060000000))), cat(0x1F, 0x8000, strings.Repeat("g", 16), uint32(0), uint32(0x37), long(wide("no subject"))),
	)))))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{m.Class, m.From, m.Mail, m.Cc, m.Bcc, m.Subject, m.Text(0x8208), m.Time(0x820D).String(), m.Text(0x9999), m.Time(0x8208).String()}
	want := []string{"IPM.Microsoft Schedule.MtgReq", "Anna", "a@a.example", "Carla", "Dora", "", "Room 5", "2024-02-29 13:05:06 +0000 UTC", "", time.Time{}.String()}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// literal compresses RTF without back references.
func literal(rtf string) string {
	b := make([]byte, 16)
	copy(b[8:], "LZFu")
	size := len(rtf)
	for len(rtf) > 0 {
		n := min(8, len(rtf))
		b = append(append(b, 0), rtf[:n]...)
		rtf = rtf[n:]
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)-4))
	binary.LittleEndian.PutUint32(b[4:], uint32(size))
	return string(b)
}

// letter returns a message with one attribute of every kind.
func letter() string {
	inner := stream(
		attribute(1, 0x00069003, props(cat(0x1F, 0x37, long(wide("Inner"))), cat(0x1E, 0x1000, long("text\x00")))),
		attribute(2, 0x00069002, cat(strings.Repeat("\x00", 14))), attribute(2, 0x0006800F, "x"))
	return stream(
		attribute(1, 0x00069007, cat(uint32(1253), uint32(0))),
		attribute(1, 0x00078004, "\xD3ubject\x00"),
		attribute(1, 0x00038005, cat(2024, 2, 29, 13, 5, 6, 4)),
		attribute(1, 0x00069003, props(
			cat(0x03, 0x3FDE, uint32(65001)), cat(0x1003, 0x1234, uint32(2), uint32(1), uint32(2)), cat(0x0B, 0x0E1F, 1, 0),
			cat(0x1F, 0x8001, strings.Repeat("g", 16), uint32(1), uint32(6), "ab\x00\x00c\x00\x00\x00", long(wide("named"))),
			cat(0x1E, 0x8002, strings.Repeat("g", 16), uint32(0), uint32(7), long("named")),
			cat(0x48, 0x0001, strings.Repeat("c", 16)), cat(0x40, 0x0039, uint64(133536855060000000)),
			cat(0x1E, 0x0C1A, long("\xC1nna\x00")), cat(0x1F, 0x0E04, long(wide("Bert"))),
			cat(0x102, 0x1009, long(literal(`{\rtf1\ansi\fromhtml1 {\*\htmltag64 <p>}caf\'e9}`))),
			cat(0x99, 0x1013, "unknown"), cat(0x1F, 0x0037, long(wide("not read"))),
		)),
		attribute(2, 0x00069002, cat(strings.Repeat("\x00", 14))), attribute(2, 0x00018010, "short.csv\x00"), attribute(2, 0x0006800F, "a,b"),
		attribute(2, 0x00069005, props(cat(0x1F, 0x3707, long(wide("long name.csv"))), cat(0x1E, 0x370E, long("text/csv\x00")), cat(0x1E, 0x3712, long("<id@x>\x00")))),
		attribute(2, 0x00069002, cat(strings.Repeat("\x00", 14))),
		attribute(2, 0x00069005, props(cat(0x0D, 0x3701, long("\x07\x03\x02\x00\x00\x00\x00\x00\xC0\x00\x00\x00\x00\x00\x00F"+inner)), cat(0x1E, 0x3001, long("Inner\x00")))),
		attribute(2, 0x00069002, cat(strings.Repeat("\x00", 14))),
		attribute(2, 0x00069005, props(cat(0x102, 0x3701, long("data")), cat(0x1F, 0x3704, long(wide("d.bin"))))),
	)
}

func TestTNEF(t *testing.T) {
	got, err := mapi.TNEF([]byte(letter()))
	if err != nil {
		t.Fatal(err)
	}
	left := mapi.MaxText
	contentType, text := got.Texts.Richest(&left)
	if contentType != "text/html; charset=utf-8" || string(text) != "<p>café" {
		t.Errorf("%s: %s", contentType, text)
	}
	got.Texts = mapi.Texts{}
	want := &mapi.Message{
		Subject: "Σubject", From: "Αnna", To: "Bert", Sent: time.Date(2024, 2, 29, 13, 5, 6, 0, time.UTC),
		Files: []mapi.File{
			{Name: "long name.csv", ContentType: "text/csv", ID: "id@x", Data: []byte("a,b")},
			{Name: "Inner", Message: &mapi.Message{Subject: "Inner", Texts: mapi.Texts{Plain: "text"}, Files: []mapi.File{{Data: []byte("x")}}}},
			{Name: "d.bin", Data: []byte("data")},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(mapi.Message{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestTopic reads a message whose subject is only in the mail around it.
func TestTopic(t *testing.T) {
	for _, c := range []struct{ what, subject, want string }{
		{"no subject", "", "topic"},
		{"blank subject", cat(0x1E, 0x0037, long(" \x00")), "topic"},
		{"subject", cat(0x1E, 0x0037, long("Re: topic\x00")), "Re: topic"},
	} {
		p := cat(0x1E, 0x0070, long("topic\x00"))
		if c.subject != "" {
			p = props(p, c.subject)
		} else {
			p = props(p)
		}
		if m, err := mapi.TNEF([]byte(stream(attribute(1, 0x00069003, p)))); err != nil || m.Subject != c.want {
			t.Errorf("%s: %+v, %v, want %q", c.what, m, err, c.want)
		}
	}
}

// TestTNEFHostile reads truncated streams, nested messages, and too large
// counts.
func TestTNEFHostile(t *testing.T) {
	for _, b := range []string{"", "x", "\x78\x9F\x3E\x22", "\x78\x9F\x3E\x22\x00", letter()[1:]} {
		if _, err := mapi.TNEF([]byte(b)); !errors.Is(err, mapi.ErrMalformed) {
			t.Errorf("%q: %v", b, err)
		}
	}
	whole := letter()
	for n := 6; n < len(whole); n++ {
		if _, err := mapi.TNEF([]byte(whole[:n])); err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
	deep := stream(attribute(1, 0x00078004, "deep\x00"))
	for range 20 {
		deep = stream(attribute(2, 0x00069002, ""), attribute(2, 0x00069005, props(cat(0x0D, 0x3701, long(strings.Repeat("i", 16)+deep)))))
	}
	m, err := mapi.TNEF([]byte(deep))
	if err != nil {
		t.Fatal(err)
	}
	depth := 0
	for ; len(m.Files) > 0 && m.Files[0].Message != nil; m = m.Files[0].Message {
		depth++
	}
	if depth != 9 || m.Omitted != 1 {
		t.Errorf("%d messages within, %d left out of the last", depth, m.Omitted)
	}
	m, err = mapi.TNEF([]byte(stream(strings.Repeat(attribute(2, 0x00069002, ""), 1000))))
	if err != nil || len(m.Files) != 100 || m.Omitted != 900 {
		t.Errorf("%d files, %d left out, %v", len(m.Files), m.Omitted, err)
	}
	for _, p := range []string{
		cat(uint32(0xFFFFFFFF)), cat(uint32(1), 0x1E, 0x37, uint32(0xFFFFFFFF), uint32(0xFFFFFFFF), "x"), cat(uint32(1), 0x1003, 0x37, uint32(0xFFFFFFFF), "abcd"),
		cat(uint32(1), 0x1F, 0x8000, "short"),
	} {
		if m, err := mapi.TNEF([]byte(stream(attribute(1, 0x00069003, p)))); err != nil || len(m.Subject) > 1 {
			t.Errorf("%q: %+v, %v", p, m, err)
		}
	}
}

func FuzzTNEF(f *testing.F) {
	f.Add([]byte(letter()))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := mapi.TNEF(b)
		if (m == nil) == (err == nil) {
			t.Errorf("%v, %v", m, err)
		}
	})
}

func FuzzUnwrap(f *testing.F) {
	f.Add([]byte(`{\rtf1\ansi\ansicpg932\fromhtml1 \deff0{\fonttbl{\f0 Arial;}}{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 caf\'e9 \u8364?{\*\htmltag84 <b>}\{x\}}}`))
	f.Add([]byte(literal(`{\rtf1\fromhtml1 x}`)))
	f.Fuzz(func(t *testing.T, b []byte) {
		mapi.Unwrap(b)
		if text := mapi.Inflate(b, 1000); len(text) > 1000 {
			t.Errorf("%d bytes of at most 1000", len(text))
		}
	})
}

// TestUnwrap checks one rule of HTML in RTF at a time.
func TestUnwrap(t *testing.T) {
	for _, c := range []struct{ what, in, want string }{
		{"tags", `{\*\htmltag64 <p>}a{\*\htmltag72 </p>}`, "<p>a</p>"},
		{"what is RTF alone", `a\htmlrtf b\par\htmlrtf0 c`, "ac"},
		{"marks", `\{a\}\\b\~c\_`, `{a}\b&nbsp;c&shy;`},
		{"signs", `\lquote a\rquote\ldblquote b\rdblquote\bullet\endash\emdash\tab c\line d`, "&lsquo;a&rsquo;&ldquo;b&rdquo;&bull;&ndash;&mdash;\tc\r\nd"},
		{"code page", `\'e9`, "é"},
		{"two bytes of one character", `\ansicpg932\'82\'a0`, "あ"},
		{"Unicode and what stands for it", `\uc1\u8364?x\uc2\u-10179??\u-8704??y`, "€x😀y"},
		{"no text", `{\fonttbl{\f0 Arial;}}{\colortbl;\red0;}{\*\generator x}a`, "a"},
		{"unknown", `\foo12 a`, "a"},
		{"ends of groups that are none", `}}}a`, "a"},
		{"cut", `a\`, "a"},
		{"cut byte", `a\'e`, "a"},
	} {
		got, ok := mapi.Unwrap([]byte(`{\rtf1\ansi\ansicpg1252\fromhtml1 ` + c.in + `}`))
		if !ok || strings.TrimRight(got, "}") != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	if _, ok := mapi.Unwrap([]byte(`{\rtf1\ansi a}`)); ok {
		t.Error("RTF of its own is no HTML")
	}
}

func TestRichest(t *testing.T) {
	for _, c := range []struct {
		what        string
		texts       mapi.Texts
		contentType string
		data        string
	}{
		{"nothing", mapi.Texts{}, "", ""},
		{"HTML", mapi.Texts{HTML: []byte("<p>"), RTF: []byte(literal(`{\rtf1 x}`)), Plain: "x"}, "text/html", "<p>"},
		{"HTML of a charset", mapi.Texts{HTML: []byte("<p>"), Charset: "koi8-r"}, "text/html; charset=koi8-r", "<p>"},
		{"RTF", mapi.Texts{RTF: []byte(literal(`{\rtf1 x}`)), Plain: "x"}, "application/rtf", `{\rtf1 x}`},
		{"RTF of text", mapi.Texts{RTF: []byte(literal(`{\rtf1\fromtext x}`)), Plain: "x"}, "text/plain; charset=utf-8", "x"},
		{"RTF of text that is lost", mapi.Texts{RTF: []byte(literal(`{\rtf1\fromtext x}`))}, "application/rtf", `{\rtf1\fromtext x}`},
		{"RTF that is none", mapi.Texts{RTF: []byte("0123456789abcdef"), Plain: "x"}, "text/plain; charset=utf-8", "x"},
	} {
		left := 100
		contentType, data := c.texts.Richest(&left)
		if contentType != c.contentType || string(data) != c.data {
			t.Errorf("%s: %s, %s", c.what, contentType, data)
		}
	}
}
