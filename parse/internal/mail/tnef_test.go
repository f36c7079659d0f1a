// SPDX-License-Identifier: Apache-2.0

package mail_test

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"

	"example.com/curlew/internal/test/doctreetest"
)

// winmail returns a TNEF stream with a text, a file, and a message with a
// file.
func winmail(within int) string {
	le := binary.LittleEndian
	attribute := func(level byte, id uint32, data string) string {
		b := le.AppendUint32(le.AppendUint32([]byte{level}, id)[:5], uint32(len(data)))
		return string(b) + data + "\x00\x00"
	}
	props := string(le.AppendUint32(le.AppendUint32(nil, 1), 0x0060_0040)) + "\x00\x6B\xB1\x0A\x10\x6B\xDA\x01" // the start
	b := "\x78\x9F\x3E\x22\x01\x00" + attribute(1, 0x00078008, "IPM.Appointment\x00") + attribute(1, 0x00069003, props) + attribute(1, 0x00078004, "Inner\x00") + attribute(1, 0x0002800C, "The words\x00") +
		attribute(2, 0x00069002, "") + attribute(2, 0x00018010, "t.csv\x00") + attribute(2, 0x0006800F, "a,b")
	if within > 0 {
		inner := strings.Repeat("i", 16) + winmail(within-1)
		p := le.AppendUint32(nil, 1)
		p = le.AppendUint16(p, 0x0D)
		p = le.AppendUint16(p, 0x3701)
		p = le.AppendUint32(le.AppendUint32(p, 1), uint32(len(inner)))
		b += attribute(2, 0x00069002, "") + attribute(2, 0x00069005, string(p)+inner)
	}
	return b
}

func TestTNEF(t *testing.T) {
	part := func(contentType, data string) string {
		return "--x\nContent-Type: " + contentType + "\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(data)) + "\n"
	}
	for _, c := range []struct {
		what, parts   string
		want, without []string
	}{
		{"by its type", part("application/ms-tnef; name=winmail.dat", winmail(0)), []string{"<p>The words</p>", "t.csv (3 bytes)", "<p>a,b</p>"}, []string{"winmail"}},
		{"by its content", part("application/octet-stream; name=att.dat", winmail(0)), []string{"<p>The words</p>", "t.csv"}, []string{"att.dat"}},
		{"beside the text", part("text/plain", "My words") + part("application/ms-tnef", winmail(0)), []string{"<dt>Start</dt><dd>2024-02-29 ", "<p>My words</p>", "t.csv"}, []string{"The words"}},
		{"message within", part("text/plain", "My words") + part("application/ms-tnef", winmail(1)), []string{"My words", ">Inner</h", "<p>The words</p>"}, nil},
		{"that is none", part("application/ms-tnef; name=winmail.dat", "nothing"), []string{"winmail.dat (application/ms-tnef, 7 bytes)"}, nil},
	} {
		d := read(t, "eml", "Subject: s\nContent-Type: multipart/mixed; boundary=x\n\n"+c.parts+"--x--\n", 0)
		got := doctreetest.Show(t, d)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", c.what, want, got)
			}
		}
		for _, no := range c.without {
			if strings.Contains(got, no) {
				t.Errorf("%s: %q is in\n%s", c.what, no, got)
			}
		}
	}
	d := read(t, "eml", "Subject: s\nContent-Type: multipart/mixed; boundary=x\n\n"+part("application/ms-tnef", winmail(15))+"--x--\n", 0)
	if len(d.Warnings) == 0 || d.Warnings[0].Code != "truncated" {
		t.Errorf("%v", d.Warnings)
	}
}

// TestCharsets reads texts with a missing, unknown or wrong charset.
func TestCharsets(t *testing.T) {
	for _, c := range []struct{ what, charset, text, want string }{
		{"right", "iso-8859-1", "caf\xE9", "café"},
		{"UTF-8 that says it is ASCII", "us-ascii", "café", "café"},
		{"UTF-8 that says it is Latin 1", "iso-8859-1", "caf\xC3\xA9 \xE2\x82\xAC", "café €"},
		{"Latin 1 that says it is UTF-8", "utf-8", "caf\xE9", "café"},
		{"unknown", "x-unknown", "café", "café"},
		{"none", "", "caf\xE9", "café"},
		{"Shift JIS", "shift_jis", "\x82\xA0\x82\xA2", "あい"},
		{"ISO-2022-JP", "iso-2022-jp", "\x1B$B$\"\x1B(B", "あ"},
		{"GB18030 that says it is GB2312", "gb2312", "\xC4\xE3\xBA\xC3", "你好"},
		{"of Windows", "windows-1251", "\xCF\xF0\xE8\xE2\xE5\xF2", "Привет"},
		{"UTF-7 is not read", "utf-7", "a+AOk-", "a+AOk-"},
	} {
		contentType := "text/plain"
		if c.charset != "" {
			contentType += "; charset=" + c.charset
		}
		got := doctreetest.Show(t, read(t, "eml", "Subject: s\nContent-Type: "+contentType+"\n\n"+c.text+"\n", 0))
		if !strings.Contains(got, "<p>"+c.want+"</p>") {
			t.Errorf("%s: %q is not in\n%s", c.what, c.want, got)
		}
	}
}
