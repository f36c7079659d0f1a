// SPDX-License-Identifier: Apache-2.0

package mail_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/internal/test/golden"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/mail"
)

func TestMain(m *testing.M) { leak.Main(m) }

// child reads a document as one paragraph of its bytes. It refuses binary
// data.
func child(_ context.Context, _, _ string, data []byte, _ int) *html.Node {
	if bytes.IndexByte(data, 0) >= 0 {
		return nil
	}
	var b doctree.Builder
	body := b.Element(atom.Body)
	b.Text(b.Append(body, atom.P), string(data))
	return body
}

func read(t testing.TB, kind, data string, nodes int) *doctree.Document {
	t.Helper()
	d, err := mail.Read(t.Context(), kind, []byte(data), mail.Options{Nodes: nodes, Child: child})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestGolden(t *testing.T) {
	for p, text := range doctreetest.Cases(t, "testdata/*.eml", "testdata/*.mhtml") {
		t.Run(filepath.Base(p), func(t *testing.T) {
			golden.Check(t, strings.TrimSuffix(p, filepath.Ext(p))+".html", []byte(doctreetest.Show(t, read(t, filepath.Ext(p)[1:], text, 0))))
		})
	}
}

// bodyOf returns what follows the subject "S".
func bodyOf(t testing.TB, kind, data string) string {
	t.Helper()
	var b strings.Builder
	for n := range read(t, kind, data, 0).Root.Descendants() {
		if n.DataAtom == atom.Body {
			for c := range n.ChildNodes() {
				if err := html.Render(&b, c); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return strings.Join(strings.Fields(strings.TrimPrefix(b.String(), `<h1 id="s">S</h1>`)), " ")
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"=?utf-8?Q?caf=C3=A9?=", "café"},
		{"=?ISO-8859-1?q?a_b=E9?= x", "a bé x"},
		{"=?utf-8?B?w6k=?= =?utf-8?B?w6k=?=", "éé"},
		{"=?utf-8?B?4oI=?=\r\n =?utf-8?B?rA==?=", "€"}, // a character split across two words
		{"=?utf-8*de?Q?gr=C3=BCn?=", "grün"},
		{"a =?utf-8?Q?b?= c", "a b c"},
		{"=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"},
		{"=?no-such?Q?abc?=", "abc"},
		{"=?utf-8?X?abc?=", "=?utf-8?X?abc?="},
		{"=?broken", "=?broken"},
		{"=?utf-8?Q??= empty", " empty"},
		{"caf\xE9", "café"},
	} {
		if got := mail.Words(c.in); got != c.want {
			t.Errorf("Words(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// TestBody reads single messages and compares their trees without the
// subject.
func TestBody(t *testing.T) {
	for _, c := range []struct{ what, in, want string }{
		{"text", "\na\nb\n\nc", "<p>a<br/>b</p><p>c</p>"},
		{"bare carriage returns and line feeds", "\r\na\r\nb", "<p>a<br/>b</p>"},
		{"quotes", "\n> a\n>> b\nc", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote><p>c</p>"},
		{"flowed", "Content-Type: text/plain; format=flowed\n\none \ntwo\n> q \n> r\n-- \nme", "<p>one two</p><blockquote><p>q r</p></blockquote><p>--<br/>me</p>"},
		{"delsp", "Content-Type: text/plain; format=flowed; delsp=yes\n\none \ntwo", "<p>onetwo</p>"},
		{"quoted-printable", "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\ncaf=E9 a=\nb =zz  \nc=", "<p>café ab =zz<br/>c</p>"},
		{"base64 with rubbish", "Content-Transfer-Encoding: BASE64\n\naG Vs\n!bG8=\nd29ybGQ", "<p>helloworld</p>"},
		{"uuencode", "Content-Transfer-Encoding: x-uuencode\n\nbegin 644 a\n#0V%T\n`\nend\n", "<p>Cat</p>"},
		{"charset by its bytes", "Content-Type: text/plain; charset=us-ascii\n\ncafé", "<p>café</p>"},
		{"html", "Content-Type: text/html\n\n<style>x</style><p onclick=x>a <a href='javascript:x'>b</a><script>c</script>", "<p>a <a>b</a></p>"},
		{"bare type", "Content-Type: html\n\n<p>a", "<p>a</p>"},
		{"comment in a type", "Content-Type: text/html (really); charset=\"utf-8\"\n\n<p>a", "<p>a</p>"},
		{"alternative", multi("alternative", "text/plain\n\nplain", "text/html\n\n<p>rich"), "<p>rich</p>"},
		{"alternative with a blank page", multi("alternative", "text/plain\n\nplain", "text/html\n\n<style>p{}</style><body>&nbsp;<br>"), "<p>plain</p>"},
		{"alternative with an unknown form", multi("alternative", "text/plain\n\nplain", "text/x-amp-html\n\n<p>amp"), "<p>plain</p>"},
		{"alternative in related", multi("related", "text/html\n\n<img src='cid:a@b' alt='A'><img src='https://a.example/i.png'>", "image/png\nContent-ID: <a@b>\n\nx"), `<img alt="A"/><img src="https://a.example/i.png"/>`},
		{"no boundary", "Content-Type: multipart/mixed\n\ntext", "<p>text</p>"},
		{"boundary that never comes", "Content-Type: multipart/mixed; boundary=x\n\ntext", "<p>text</p>"},
		{"no boundary, but parts", "Content-Type: multipart/mixed\n\nSee:\n--y\nContent-Type: text/html\n\n<p>a</p>\n--y--\n", "<p>a</p>"},
		{"another boundary", "Content-Type: multipart/mixed; boundary=x\n\n--y\ncontent-type: text/plain\n\na\n--y\n\nb\n--y--\n", "<p>a</p><p>b</p>"},
		{"no last boundary", "Content-Type: multipart/mixed; boundary=x\n\npreamble\n--x\n\na\n--x\n\nb", "<p>a</p><p>b</p>"},
		{"boundary that begins another", "Content-Type: multipart/mixed; boundary=x\n\n--x\n\na\n--xy\nb\n--x--\nepilogue", "<p>a<br/>--xy<br/>b</p>"},
		{"signed", multi("signed", "text/plain\n\na", "application/pgp-signature\n\n-----BEGIN"), "<p>a</p>"},
		{"message within", multi("mixed", "text/plain\n\na", "message/rfc822\n\nSubject: T\nFrom: x@y\n\nb"), `<p>a</p><section data-role="message"><h2 id="t">T</h2><dl><dt>From</dt><dd>x@y</dd></dl><p>b</p></section>`},
		{"digest", multi("digest", "\n\nSubject: T\n\nb"), `<section data-role="message"><h2 id="t">T</h2><p>b</p></section>`},
		{
			"attachment by its name", multi("mixed", "text/plain\n\na", "text/plain; name*0*=utf-8''n%C3%A9; name*1=\".txt\"\n\nb"),
			`<p>a</p><h2 id="attachments">Attachments</h2><ul><li>né.txt (text/plain, 1 bytes)</li></ul><section data-role="attachment" data-name="né.txt"><h2 id="né-txt">né.txt</h2><p>b</p></section>`,
		},
		{
			"attachment with a path", multi("mixed", "text/plain\n\na", "application/x\nContent-Disposition: attachment; filename=\"C:\\\\tmp\\\\=?utf-8?Q?a=C3=A9?=\"\n\n\x00"),
			`<p>a</p><h2 id="attachments">Attachments</h2><ul><li>aé (application/x, 1 bytes)</li></ul>`,
		},
		{"report", multi("report", "text/plain\n\na", "message/delivery-status\n\nAction: failed"), "<p>a</p><p>Action: failed</p>"},
	} {
		if got := bodyOf(t, "eml", "Subject: S\n"+c.in); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, got, c.want)
		}
	}
}

// multi returns a multipart body. Each part begins with its media type.
func multi(kind string, parts ...string) string {
	var b strings.Builder
	b.WriteString("Content-Type: multipart/" + kind + "; boundary=\"=_b\"\n\npreamble\n")
	for _, p := range parts {
		if p != "" && p[0] != '\n' {
			p = "Content-Type: " + p
		}
		b.WriteString("--=_b\n" + p + "\n")
	}
	return b.String() + "--=_b--\n"
}

func TestMeta(t *testing.T) {
	d := read(t, "eml", "From a@b Mon Jan 1\nFrom: =?utf-8?Q?J=C3=B6?= <a@b>\nSubject: =?utf-8?Q?a?=\n =?utf-8?Q?b?=\nDate: Mon, 2 Jan 2006 15:04:05 -0700 (MST)\n\nx", 0)
	if m := d.Meta; m.Title != "ab" || m.Author != "Jö <a@b>" || m.Created.UTC().Format("2006-01-02 15:04") != "2006-01-02 22:04" {
		t.Errorf("%+v", m)
	}
	d = read(t, "eml", "\xFF\xFES\x00u\x00b\x00j\x00e\x00c\x00t\x00:\x00 \x00é\x00\n\x00\n\x00x\x00", 0)
	if !strings.HasPrefix(doctreetest.Show(t, d), "<html data-kind=\"eml\">") {
		t.Error("a message in UTF-16 was not read")
	}
}

func TestEncrypted(t *testing.T) {
	for _, in := range []string{
		multi("encrypted; protocol=\"application/pgp-encrypted\"", "application/pgp-encrypted\n\nVersion: 1", "application/octet-stream\n\nx"),
		"Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nMII",
		"Content-Type: application/x-pkcs7-mime; smime-type=signed-data\n\nMII",
		"\n-----BEGIN PGP MESSAGE-----\n\nx",
	} {
		d := read(t, "eml", "Subject: S\n"+in, 0)
		if len(d.Warnings) != 1 || d.Warnings[0].Code != "part-unreadable" || d.Meta.Title != "S" {
			t.Errorf("%q: %+v", in, d.Warnings)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, in := range []string{"", " \n\n", "\r\n"} {
		if _, err := mail.Read(t.Context(), "eml", []byte(in), mail.Options{}); !errors.Is(err, mail.ErrMalformed) {
			t.Errorf("%q: %v", in, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, kind := range []string{"eml", "mhtml"} {
		if _, err := mail.Read(ctx, kind, []byte("From: a\nContent-Type: text/html\n\n<p>x"), mail.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestHostile reads messages that expand or pretend to.
func TestHostile(t *testing.T) {
	deep := "\n\nx"
	for i := range 200 {
		deep = fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n%s\n--b%d--\n", i, i, deep, i)
	}
	nested := "Subject: x\n\nx"
	for range 12 {
		nested = "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(nested))
	}
	self := "Content-Type: multipart/alternative; boundary=b\n\n--b\n"
	for name, in := range map[string]string{
		"deep multiparts":    deep,
		"nested messages":    nested,
		"many parts":         multi("mixed", make([]string, 5000)...),
		"same boundary":      strings.Repeat(self, 2000),
		"long header":        "Subject: " + strings.Repeat("x\n ", 1<<20),
		"many fields":        strings.Repeat("A: b\n", 1<<18),
		"many parameters":    "Content-Type: text/plain" + strings.Repeat("; a*1*=b", 1<<16) + "\n\nx",
		"comments":           "Content-Type: text/plain " + strings.Repeat("(", 1<<18) + "\n\nx",
		"many words":         "Subject: " + strings.Repeat("=?utf-8?Q?a?= ", 1<<14) + "\n\nx",
		"half words":         "Subject: " + strings.Repeat("=?a", 1<<14) + "\n\nx",
		"white space":        "Content-Transfer-Encoding: quoted-printable\n\n" + strings.Repeat(" ", 1<<20) + "x",
		"quote marks":        "\n" + strings.Repeat(">", 1<<20) + "x",
		"many lines":         "\n" + strings.Repeat("a\n\n", 1<<18),
		"frame of itself":    "Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\nContent-ID: <a>\nContent-Location: https://a.example/\n\n<iframe src='cid:a'></iframe><iframe src='/'></iframe>\n--b\nContent-Type: text/html\nContent-ID: <a>\n\n" + strings.Repeat("<iframe src='cid:a'></iframe>", 20) + "\n--b--",
		"tags":               "Content-Type: text/html\n\n" + strings.Repeat("<div>", 100_000),
		"escapes of nothing": "Content-Type: text/plain; name*=utf-8''" + strings.Repeat("%", 1<<16) + "\n\nx",
	} {
		for _, kind := range []string{"eml", "mhtml"} {
			d := read(t, kind, "Subject: S\n"+in, 20_000)
			nodes := 0
			for range d.Root.Descendants() {
				nodes++
			}
			if nodes > 60_000 {
				t.Errorf("%s: %d nodes", name, nodes)
			}
		}
	}
	for _, name := range []string{deep, multi("mixed", make([]string, 5000)...)} {
		if d := read(t, "eml", name, 0); len(d.Warnings) == 0 || d.Warnings[0].Code != "truncated" {
			t.Errorf("no warning, but %+v", d.Warnings)
		}
	}
}

// TestOmitted counts what is left out of large messages.
func TestOmitted(t *testing.T) {
	parts := make([]string, 130)
	for i := range parts {
		parts[i] = "Content-Type: text/plain\n\nx"
	}
	nested := "Subject: x\n\nx"
	for range 12 {
		nested = "Content-Type: message/rfc822\n\n" + nested
	}
	event := "BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT\n"
	frames := "Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n<iframe src='cid:a'></iframe>\n--b\nContent-Type: text/html\nContent-ID: <a>\n\n<p>x</p><iframe src='cid:a'></iframe>\n--b--"
	for _, tt := range []struct {
		name, kind, data string
		nodes            int
		want             string
	}{
		{"an unknown encoding", "eml", "Content-Type: text/plain; charset=utf-7\n\nHi +AOk-", 0, "A part of the message declares an encoding that is not known, \"utf-7\". It was read as windows-1252."},
		{"repeated fields", "eml", "Subject: x\nTo: a@x.test\nTo: b@x.test\nTo: a@x.test\nSubject: y\nReceived: 1\nReceived: 2\n\nx", 0, "Fields that a message has only once are repeated. The first ones were read; left out: 2."},
		{"a guessed encoding", "eml", "Subject: x\n\ncaf\xE9", 0, "The text of the message does not say its encoding, or it says another one than it has. It was read as windows-1252. Bytes beyond ASCII: 1."},
		{"parts", "eml", multi("mixed", parts...), 0, "The message has more than 100 parts; left out: 31."},
		{"nested messages", "eml", nested, 0, "The message has parts in more than 10 levels; left out: 1."},
		{"lines", "eml", "\n" + strings.Repeat("ab\n\n", 1000), 300, "The message needs more than 300 nodes: left out: 2977 bytes of text."},
		{"attachments without room", "eml", multi("mixed", parts[:20]...), 20, "The message needs more than 20 nodes: left out: 20 attachments."},
		{"events", "eml", "Content-Type: text/calendar\n\nBEGIN:VCALENDAR\n" + strings.Repeat(event, 20) + "END:VCALENDAR\n", 50, "The message needs more than 50 nodes: left out: 12 events."},
		{"frames", "mhtml", frames, 0, "Frames that were left out, because they are nested too deeply or the message is too large: 1."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, w := range read(t, tt.kind, tt.data, tt.nodes).Warnings {
				if slices.Contains([]string{"truncated", "code-page-guessed", "part-unreadable"}, w.Code) {
					got = append(got, w.Text)
				}
			}
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range doctreetest.Cases(f, "testdata/*.eml", "testdata/*.mhtml") {
		f.Add(true, []byte(text))
		f.Add(false, []byte(text))
	}
	f.Add(false, []byte("Subject: =?utf-8?B?4oI=?=\nContent-Type: text/plain; name*0*=a''%20; format=flowed\nContent-Transfer-Encoding: x-uuencode\n\nbegin\n#0V%T\n"))
	f.Fuzz(func(t *testing.T, web bool, data []byte) {
		kind := "eml"
		if web {
			kind = "mhtml"
		}
		d, err := mail.Read(t.Context(), kind, data, mail.Options{Nodes: 10_000, Child: child})
		if err == nil && d.Root == nil {
			t.Error("neither a tree nor an error")
		}
	})
}

// TestCalendars reads a message that has one calendar twice and another one once.
func TestCalendars(t *testing.T) {
	const event = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:%s\nEXDATE;TZID=Europe/Berlin:20240305T100000,20240312T100000\nCATEGORIES:work\nATTACH;VALUE=BINARY;FILENAME=a.pdf:AAAA\nEND:VEVENT\nEND:VCALENDAR\n"
	var text strings.Builder
	text.WriteString("From: a@example.org\nSender: b@example.org\nSubject: s\nContent-Type: multipart/mixed; boundary=x\n\n")
	for _, name := range []string{"one", "one", "two"} {
		text.WriteString("--x\nContent-Type: application/ics; name=a.ics\nContent-Disposition: attachment\n\n" + fmt.Sprintf(event, name))
	}
	text.WriteString("--x--\n")
	d, err := mail.Read(t.Context(), "eml", []byte(text.String()), mail.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := doctreetest.Show(t, d)
	for want, times := range map[string]int{"<dd>one</dd>": 1, "<dd>two</dd>": 1, "<dt>Except on</dt><dd>2024-03-05 10:00 Europe/Berlin, 2024-03-12 10:00 Europe/Berlin</dd>": 2, "<dd>work</dd><dt>Attached</dt><dd>a.pdf</dd>": 2, "<dt>Sender</dt><dd>b@example.org</dd>": 1} {
		if n := strings.Count(got, want); n != times {
			t.Errorf("%q is there %d times, want %d\n%s", want, n, times, got)
		}
	}
	long := "Subject: s\nContent-Type: text/calendar\n\nBEGIN:VEVENT\nSUMMARY:a\n" + strings.Repeat("ATTENDEE:b\n", 1002) + "END:VEVENT\n"
	if d, err = mail.Read(t.Context(), "eml", []byte(long), mail.Options{}); err != nil || len(d.Warnings) != 1 || !strings.HasSuffix(d.Warnings[0].Text, "too many: 3.") {
		t.Errorf("warnings %v, error %v", d.Warnings, err)
	}
}
