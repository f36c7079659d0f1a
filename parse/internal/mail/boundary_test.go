// SPDX-License-Identifier: Apache-2.0

package mail_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/parse/internal/mail"
)

// TestDamagedBoundary reads a part whose boundary is not that of the message.
func TestDamagedBoundary(t *testing.T) {
	const warning = "The boundary of some parts is not that of the message"
	message := func(first, preamble string) string {
		return "Subject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b1\"\r\n\r\n" + preamble + "--" + first + "\r\nContent-Type: text/plain\r\n\r\nHello Bob\r\n" +
			"--b1\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nattached\r\n--b1--\r\n"
	}
	for _, c := range []struct {
		what, in string
		damaged  bool
	}{
		{"whole", message("b1", ""), false},
		{"with a preamble", message("b1", "This is a message in several parts.\r\n--\r\nContent below\r\n"), false},
		{"the first boundary is damaged", message("bX", ""), true},
		{"the boundary of the head is damaged", strings.Replace(message("b1", "Hello Bob\r\n"), `boundary="b1"`, `boundary="b`, 1), true},
		{"half of the first boundary", strings.Replace(message("b1", ""), "--b1\r\nContent-Type: text/plain\r\n\r\n", "--half-of-it: 7bit\r\n", 1), true},
		{"text behind the first boundary in its line", message("b1 and\xFF more; charset=\"utf-8\"", ""), true},
		{"the head of a part before the first boundary", message("b1", "Subject: s\r\nMIME-Version: 1.0\r\n\r\nHello Bob\r\n\r\n"), true},
		{"text behind the parts", strings.Replace(message("b1", ""), "Hello Bob", "Hi", 1) + "\r\n--broken-boundary\r\nHello Bob\r\n", true},
	} {
		d, err := mail.Read(t.Context(), "eml", []byte(c.in), mail.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := doctreetest.Show(t, d); !strings.Contains(got, "Hello Bob") || strings.Contains(got, warning) != c.damaged {
			t.Errorf("%s: %s", c.what, got)
		}
	}
}

// TestDamagedHead reads messages whose head is damaged. What a field with a damaged name
// costs is said, and unusual fields are not taken for damaged ones.
func TestDamagedHead(t *testing.T) {
	const whole = "From: Alice <a@example.com>\nTo: Bob <b@example.com>\nSubject: A duck\nDate: Fri, 1 Sep 2023 10:00:00 +0000\nContent-Type: text/plain\nX-From: me\nThread-Topic: ducks\n\nHello\n"
	change := func(from, to string) string { return strings.Replace(whole, from, to, 1) }
	for _, c := range []struct{ what, in, want string }{
		{"whole", whole, ""},
		{"no subject", change("Subject: A duck\n", ""), ""},
		{"no sender", change("From: Alice <a@example.com>\n", ""), ""},
		{"a longer name", change("From:", "Frosomem:"), `it has no field "from", but one called "frosomem"`},
		{"another letter", change("Subject:", "Sxbject:"), `it has no field "subject", but one called "sxbject"`},
		{"a shorter name", change("Content-Type:", "Content-Tpe:"), `it has no field "content-type", but one called "content-tpe"`},
		{"a lost name", change("From:", "F#$:"), `it has no field "from". Fields with unknown names that were left out: 1.`},
		{"a line that is no field", change("To:", "no field\nTo:"), "The head ends at a line that is not a field. Lines after it that may be fields are read as text: 3."},
		{"an encoding", change("\n\n", "\nContent-Transfer-Encoding: 7BIT\n\n"), ""},
		{"an unknown encoding", change("\n\n", "\nContent-Transfer-Encoding: base1\n\n"), "Parts whose transfer encoding is not known, which are shown as they are: 1."},
		{"foreign base64", "From: a\nContent-Transfer-Encoding: base64\n\nSGVsbG8g(RHVjaw)==\n", "The base64 of the message has 2 characters that are not base64"},
	} {
		d, err := mail.Read(t.Context(), "eml", []byte(c.in), mail.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, w := range d.Warnings {
			got.WriteString(w.Text + "\n")
		}
		if c.want == "" && got.Len() > 0 || !strings.Contains(got.String(), c.want) {
			t.Errorf("%s: %s", c.what, got.String())
		}
	}
}
