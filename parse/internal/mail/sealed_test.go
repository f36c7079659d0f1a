// SPDX-License-Identifier: Apache-2.0

package mail_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"

	"example.com/curlew/parse/internal/mail"

	"example.com/curlew/internal/test/doctreetest"
)

// der returns an element in DER.
func der(tag byte, pieces ...string) string {
	body := strings.Join(pieces, "")
	n := len(body)
	switch {
	case n < 0x80:
		return string([]byte{tag, byte(n)}) + body
	case n < 0x100:
		return string([]byte{tag, 0x81, byte(n)}) + body
	}
	return string(binary.BigEndian.AppendUint16([]byte{tag, 0x82}, uint16(n))) + body
}

// ber returns an element of indefinite length in BER.
func ber(tag byte, pieces ...string) string {
	return string([]byte{tag, 0x80}) + strings.Join(pieces, "") + "\x00\x00"
}

const (
	signed     = "\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02"
	enveloped  = "\x2A\x86\x48\x86\xF7\x0D\x01\x07\x03"
	compressed = "\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x01\x09"
	dataKind   = "\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01"
)

// wrapped returns an S/MIME object of a content type with a message, which
// is given as an encoded octet string.
func wrapped(kind, content string) string {
	return der(0x30, der(0x06, kind), der(0xA0, der(0x30, der(0x02, "\x01"), der(0x31), der(0x30, der(0x06, dataKind), der(0xA0, content)), der(0x31))))
}

func TestSealed(t *testing.T) {
	const inner = "Content-Type: text/plain; charset=utf-8\r\n\r\nThe words"
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write([]byte(inner)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	deep := der(0x04, inner)
	for range 100 {
		deep = der(0x24, deep)
	}
	for _, c := range []struct {
		what, data string
		ok         bool
	}{
		{"signed", wrapped(signed, der(0x04, inner)), true},
		{"signed, in pieces", wrapped(signed, der(0x24, der(0x04, inner[:10]), der(0x04, inner[10:]))), true},
		{"signed, without lengths", ber(0x30, der(0x06, signed), ber(0xA0, ber(0x30, der(0x02, "\x01"), der(0x31), ber(0x30, der(0x06, dataKind), ber(0xA0, ber(0x24, der(0x04, inner[:3]), ber(0x24, der(0x04, inner[3:]))))), der(0x31)))), true},
		{"compressed", wrapped(compressed, der(0x04, packed.String())), true},
		{"compressed, and cut", wrapped(compressed, der(0x04, packed.String()[:packed.Len()-6])), true},
		{"signature is cut", wrapped(signed, der(0x04, inner))[:len(wrapped(signed, der(0x04, inner)))-2], true},
		{"no compression", wrapped(compressed, der(0x04, inner)), false},
		{"encrypted", wrapped(enveloped, der(0x04, inner)), false},
		{"detached", der(0x30, der(0x06, signed), der(0xA0, der(0x30, der(0x02, "\x01"), der(0x31), der(0x30, der(0x06, dataKind))))), false},
		{"deep", wrapped(signed, deep), false},
		{"empty", "", false},
		{"no DER", "hello", false},
		{"tag of several bytes", "\x30\x04\x1F\x81\x01\x00", false},
		{"length of many bytes", "\x30\x85\x01\x00\x00\x00\x00\x00", false},
		{"no end", "\x30\x80\x30\x80\x30\x80\x30\x80", false},
		{"number without a length", "\x30\x80\x06\x80\x00\x00", false},
	} {
		message := "Subject: s\nContent-Type: application/pkcs7-mime; smime-type=signed-data\nContent-Transfer-Encoding: base64\n\n" +
			base64.StdEncoding.EncodeToString([]byte(c.data))
		d := read(t, "eml", message, 0)
		if ok := strings.Contains(doctreetest.Show(t, d), "<p>The words</p>"); ok != c.ok {
			t.Errorf("%s: %v, want %v\n%s", c.what, ok, c.ok, doctreetest.Show(t, d))
		}
		if warned := len(d.Warnings) > 0; warned == c.ok {
			t.Errorf("%s: %v", c.what, d.Warnings)
		}
		if certificates := strings.HasPrefix(c.what, "detached") || strings.HasPrefix(c.what, "deep"); !c.ok && certificates == strings.Contains(d.Warnings[0].Text, "encrypted") {
			t.Errorf("%s: %v", c.what, d.Warnings)
		}
	}
}

// TestSealedInSealed checks the depth limit for nested S/MIME messages.
func TestSealedInSealed(t *testing.T) {
	message := "Content-Type: text/plain\n\nThe words"
	for range 30 {
		message = "Content-Type: application/pkcs7-mime\n\n" + wrapped(signed, der(0x04, message))
	}
	d := read(t, "eml", "Subject: s\n"+message, 0)
	if len(d.Warnings) == 0 || d.Warnings[0].Code != "truncated" {
		t.Errorf("%v", d.Warnings)
	}
}

// TestInflated checks the limit on all decompressed parts together.
func TestInflated(t *testing.T) {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	block := append([]byte("Content-Type: text/plain\n\n"), bytes.Repeat([]byte("a"), 1<<20)...)
	for range 20 {
		if _, err := z.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	content := packed.String()
	data := "\x30\x80" + der(0x06, compressed) + "\xA0\x80\x30\x80" + der(0x02, "\x01") + der(0x30) + "\x30\x80" + der(0x06, dataKind) + "\xA0\x80" +
		string(binary.BigEndian.AppendUint32([]byte{0x04, 0x84}, uint32(len(content)))) + content
	var all strings.Builder
	all.WriteString("Content-Type: multipart/mixed; boundary=x\n\n")
	for range 5 {
		all.WriteString("--x\nContent-Type: application/pkcs7-mime\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(data)) + "\n")
	}
	l := mail.Opaque([]byte(all.String()+"--x--\n"), new(int64(mail.MaxInflated)))
	if l == nil {
		t.Fatal("nothing")
	}
	size := 0
	for _, p := range l.Parts {
		size += len(p.Data)
	}
	if size == 0 || size > 32<<20 {
		t.Errorf("%d bytes", size)
	}
}

func FuzzOpaque(f *testing.F) {
	f.Add([]byte(wrapped(signed, der(0x24, der(0x04, "Content-Type: text/plain\n\n"), der(0x04, "x")))))
	f.Add([]byte(ber(0x30, der(0x06, signed), ber(0xA0, ber(0x30, der(0x02, "\x01"), der(0x31), ber(0x30, der(0x06, dataKind), ber(0xA0, ber(0x24, der(0x04, "x")))))))))
	f.Add([]byte("Content-Type: text/plain\n\nx"))
	f.Fuzz(func(_ *testing.T, data []byte) { mail.Opaque(data, new(int64(1<<16))) })
}
