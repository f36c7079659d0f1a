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
