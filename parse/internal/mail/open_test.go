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

// TestUnseen reads pages with texts that people cannot see. What is shown has the word "shown".
func TestUnseen(t *testing.T) {
	for _, page := range []string{
		`<p>shown</p><div style="color:#ffffff">white</div>`,
		`<style>.w{color:#FFF}</style><p>shown</p><p class=w>white</p>`,
		`<body bgcolor=black text=white>shown<p style="color:#000">black</p>`,
		`<p style="background:#036;color:#fff">shown</p><font color=white>white</font>`,
		`<table bgcolor="#222222"><tr><td style="color:rgb(255, 255, 255)">shown<span style="color:#202020">dark</span></table>`,
		`<div style="background:#fff url(a.png)"><p style="color:white">shown</p></div>`,
		`<div style="background-image:url(a.png)"><p style="color:white">shown</p></div>`,
		`<div style="position:absolute;color:white">shown</div>`,
		`<style>td p{background:black}</style><p style="color:white">shown</p>`,
		`<p>shown</p><p style="color:transparent">clear</p>`,
		`<p style="opacity:.5">shown</p><p style="opacity:0">clear</p>`,
		`<p>shown</p><div style="max-height:0;overflow:hidden">flat</div>`,
		`<p style="max-height:0">shown</p><p style="text-indent:-9999px">beside</p>`,
		`<div style="font-size:0">tiny<span style="font-size:12px">shown</span></div>`,
	} {
		d := read(t, "eml", "Content-Type: text/html\n\n"+page, 0)
		got := doctreetest.Show(t, d)
		for _, word := range []string{"white", "black", "dark", "clear", "flat", "beside", "tiny"} {
			if strings.Contains(got, ">"+word+"<") || strings.Contains(got, word+"<span") {
				t.Errorf("%s: %q is shown", page, word)
			}
		}
		if hides := strings.Contains(page, "</style><p>shown") || !strings.Contains(page, "td p{") && !strings.Contains(page, "url(") && !strings.Contains(page, "position"); hides != (len(d.Warnings) > 0) {
			t.Errorf("%s: %v", page, d.Warnings)
		}
		if !strings.Contains(got, "shown") {
			t.Errorf("%s: nothing is shown", page)
		}
	}
}
