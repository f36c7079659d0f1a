// SPDX-License-Identifier: Apache-2.0

package mail_test

import (
	"strings"
	"testing"

	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/parse/internal/mail"
)

// TestOpen cuts a message with parts after each line. Wherever its last boundary is
// missing, the warning says so.
func TestOpen(t *testing.T) {
	const head = "From: a@a.test\nContent-Type: multipart/mixed; boundary=b\n\n"
	const whole = head + "--b\nContent-Type: text/plain\n\nfirst\n--b\nContent-Type: text/plain\n\nsecond\n--b--\n"
	for at := len(head); at <= len(whole); at++ {
		d, err := mail.Read(t.Context(), "eml", []byte(whole[:at]), mail.Options{})
		if err != nil {
			t.Fatal(err)
		}
		said := false
		for _, w := range d.Warnings {
			said = said || strings.Contains(w.Text, "may have been cut")
		}
		if want := at < len(whole)-1; said != want { // the last line break is not needed
			t.Errorf("cut at %d, %q: %v", at, whole[max(0, at-10):at], d.Warnings)
		}
	}
}

// TestDrawing reads the texts of a drawing in a page.
func TestDrawing(t *testing.T) {
	d := read(t, "eml", "Subject: s\nContent-Type: text/html\n\n<p>One</p><svg><title>Sales</title><desc>rise</desc><style>text {}</style><g><text>20<tspan>24</tspan></text><text>of <a href=x>us</a></text></g></svg><p>Two</p>", 0)
	const want = `<p>One</p><span><img alt="Sales: rise"/> 2024 of us</span><p>Two</p>`
	if got := doctreetest.Show(t, d); !strings.Contains(strings.ReplaceAll(got, "\n", ""), want) {
		t.Errorf("%s is not in\n%s", want, got)
	}
}
