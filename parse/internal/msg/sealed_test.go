// SPDX-License-Identifier: Apache-2.0

package msg_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/doctreetest"
)

// TestSealed reads messages with opaque and detached signatures and
// encrypted ones, whose content is their only attachment.
func TestSealed(t *testing.T) {
	const inner = "Content-Type: text/plain; charset=utf-8\r\n\r\nThe words"
	der := func(tag byte, pieces ...string) string {
		body := strings.Join(pieces, "")
		return string([]byte{tag, 0x81, byte(len(body))}) + body
	}
	wrapped := func(kind byte) []byte {
		return []byte(der(0x30, der(0x06, "\x2A\x86\x48\x86\xF7\x0D\x01\x07"+string(kind)), der(0xA0, der(0x30, der(0x02, "\x01"), der(0x31),
			der(0x30, der(0x06, "\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01"), der(0xA0, der(0x04, inner)))))))
	}
	signed := "Content-Type: multipart/signed; boundary=x\r\n\r\n--x\r\n" + inner + "\r\n--x\r\nContent-Type: application/pkcs7-signature\r\n\r\nx\r\n--x--\r\n"
	for _, c := range []struct {
		what, class string
		data        []byte
		want        string
		warned      bool
	}{
		{"signed as a whole", "IPM.Note.SMIME", wrapped(2), "<p>The words</p>", false},
		{"signed beside", "IPM.Note.SMIME.MultipartSigned", []byte(signed), "<p>The words</p>", false},
		{"encrypted", "IPM.Note.SMIME", wrapped(3), "smime.p7m", true},
		{"empty", "IPM.Note.SMIME", nil, "Subject", true},
		{"no S/MIME", "IPM.Note", wrapped(2), "smime.p7m", false},
	} {
		all := slices.Concat(object("", 32, map[uint16]any{0x0037: "Subject", 0x001A: c.class}),
			object("__attach_version1.0_#00000000/", 8, map[uint16]any{0x3701: c.data, 0x3707: "smime.p7m", 0x3705: 1}))
		d := read(t, cfbtest.Pack(all...))
		if got := doctreetest.Show(t, d); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q is not in\n%s", c.what, c.want, got)
		}
		if warned := slices.ContainsFunc(d.Warnings, func(w doctree.Warning) bool { return w.Code == "part-unreadable" }); warned != c.warned {
			t.Errorf("%s: %v", c.what, d.Warnings)
		}
	}
}

// TestForms reads messages with a single form of their text.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		what   string
		values map[uint16]any
		want   string
	}{
		{"plain", map[uint16]any{0x1000: "One\r\n\r\nTwo"}, "<p>One</p>\n<p>Two</p>"},
		{"plain of a code page", map[uint16]any{0x3FFD: 1251, 0x1000: code("\xCF\xF0")}, "<p>Пр</p>"},
		{"HTML that is a text", map[uint16]any{0x1013: "<p>caf\u00E9"}, "<p>café</p>"},
		{"HTML of a code page", map[uint16]any{0x3FDE: 1251, 0x1013: []byte("<p>\xCF\xF0")}, "<p>Пр</p>"},
		{"HTML in RTF", map[uint16]any{0x1009: literal(`{\rtf1\ansi\fromhtml1 {\*\htmltag64 <p>}x}`)}, "<p>x</p>"},
		{"RTF alone", map[uint16]any{0x1009: literal(`{\rtf1\ansi x}`)}, `application/rtf: {\rtf1\ansi x}`},
		{"RTF of text, and the text", map[uint16]any{0x1009: literal(`{\rtf1\ansi\fromtext x}`), 0x1000: "y"}, "<p>y</p>"},
	} {
		c.values[0x0037] = "Subject"
		if got := doctreetest.Show(t, read(t, cfbtest.Pack(object("", 32, c.values)...))); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q is not in\n%s", c.what, c.want, got)
		}
	}
}
