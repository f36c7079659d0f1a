// SPDX-License-Identifier: Apache-2.0

package evil

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const good = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

// say answers a request with s and closes the connection.
func say(s string) func(*Conn) {
	return func(c *Conn) {
		c.Request()
		c.Say(s)
	}
}

// said returns the name of a case with these bytes.
func said(prefix, s string) string {
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return prefix + " " + strconv.Quote(s)
}

// heads are status lines and headers that are invalid, or unusual but valid.
func heads() []Case {
	var all []Case
	add := func(prefix, s string, wants ...Outcome) {
		all = append(all, Case{Name: said(prefix, s), Wants: wants, Serve: say(s)})
	}
	for _, line := range []string{
		"\x00\x00\x00\x00", "HTTP", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1  ", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1 2OO OK", "HTTP/1.1 -20 OK",
		"HTTP/1.1 +20 OK", "HTTP/1.1 0x2 OK", "HTTP/1.1 200OK", "HTTP/1 200 OK", "HTTP/11 200 OK", "HTTP/1.1.1 200 OK", "HTTP/a.b 200 OK", "http/1.1 200 OK",
		"HTP/1.1 200 OK", " HTTP/1.1 200 OK", "\tHTTP/1.1 200 OK", "\xef\xbb\xbfHTTP/1.1 200 OK", "ICY 200 OK", "SSH-2.0-OpenSSH_9.6", "220 mail ESMTP", "+OK POP3",
		"* OK IMAP4", "-ERR unknown command", "<html><body>no head", "GET / HTTP/1.1", "\x16\x03\x01\x00\x05hello", "\x15\x03\x03\x00\x02\x02\x28",
		"PRI * HTTP/2.0", "200", "OK", "\n",
	} {
		add("status line", line+"\r\n\r\n", Protocol)
	}
	for _, header := range []string{
		"no colon", ": no name", " leading: space", "\tleading: tab", "n\x00ame: x", "n\x7fme: x", "n\xe4me: x", "na(me: x", "\x00",
		"a: \x00", "a: x\x00y", "a: x\x01y", "a: \x7f",
	} {
		add("header", "HTTP/1.1 200 OK\r\n"+header+"\r\nContent-Length: 5\r\n\r\nhello", Protocol)
	}
	for _, header := range []string{"space : before", "na me: x", "a:", "a: ", "a:\t x \t", "a: x\r\n folded", "a: \xff\xfe", "!#$%&'*+-.^_`|~: x"} {
		add("harmless header", "HTTP/1.1 200 OK\r\n"+header+"\r\nContent-Length: 5\r\n\r\nhello", OK)
	}
	add("harmless", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", OK)
	add("harmless", "HTTP/1.1 999 \r\nContent-Length: 0\r\n\r\n", OK)
	add("harmless", "HTTP/1.0 200 OK\r\n\r\nhello", OK)
	add("harmless", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", OK)
	return all
}

// lengths are bodies with a wrong Content-Length or Transfer-Encoding, or with an
// unusual one that is valid.
func lengths() []Case {
	var all []Case
	for _, v := range []string{
		"-1", "+5", "5.0", "0x5", "5 5", "5,6", "5;6", "five", "99999999999999999999", "18446744073709551616", "9223372036854775808", "-9223372036854775808", "5\x00",
		"\u0665", "5e3", "1_0",
	} {
		all = append(all, Case{
			Name: said("Content-Length", v), Wants: []Outcome{Protocol},
			Serve: say("HTTP/1.1 200 OK\r\nContent-Length: " + v + "\r\n\r\nhello"),
		})
	}
	for _, v := range []string{"9223372036854775807", "1000000000000", strconv.Itoa(MaxBytes + 1)} {
		all = append(all, Case{
			Name: said("Content-Length", v), Wants: []Outcome{TooLarge},
			Serve: say("HTTP/1.1 200 OK\r\nContent-Length: " + v + "\r\n\r\nhello"),
		})
	}
	for name, head := range map[string]string{
		"conflicting lengths": "Content-Length: 5\r\nContent-Length: 6\r\n",
		"a length and a bad":  "Content-Length: 5\r\nContent-Length: x\r\n",
		"unknown coding":      "Transfer-Encoding: gzip\r\n",
		"chunked of chunked":  "Transfer-Encoding: chunked, chunked\r\n",
		"two codings":         "Transfer-Encoding: gzip, chunked\r\n",
		"two lines of coding": "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
		"nearly chunked":      "Transfer-Encoding: xchunked\r\n",
		"chunked and \\v":     "Transfer-Encoding: \x0bchunked\r\n",
		"identity":            "Transfer-Encoding: identity\r\n",
	} {
		all = append(all, Case{Name: name, Wants: []Outcome{Protocol}, Serve: say("HTTP/1.1 200 OK\r\n" + head + "\r\nhello")})
	}
	return append(all,
		Case{Name: "equal lengths", Wants: []Outcome{OK}, Body: "hello", Serve: say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello")},
		Case{Name: "length beside chunks", Wants: []Outcome{OK}, Body: "hello", Serve: say("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")},
		Case{Name: "a body past its length", Wants: []Outcome{OK}, Body: "hello", Serve: say(good + " and " + good)},
		Case{Name: "a body short of its length", Wants: []Outcome{Truncated}, Serve: say("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello")},
		Case{Name: "no body of its length", Wants: []Outcome{Truncated}, Serve: say("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n")},
	)
}

// chunks are chunked bodies that are invalid, truncated or endless, and some valid
// ones.
func chunks() []Case {
	const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	var all []Case
	for _, body := range []string{
		"zz\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "\r\nhello\r\n0\r\n\r\n", ";x\r\nhello\r\n0\r\n\r\n",
		"10000000000000005\r\nhello\r\n", "fffffffffffffffff\r\nhello\r\n", "5\r\nhelloXX0\r\n\r\n", "5\r\nhello0\r\n\r\n", "5\r\nhello\r\n0\r\n", "3\r\nhello\r\n0\r\n\r\n", "5 5\r\nhello\r\n0\r\n\r\n",
		"5\x00\r\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", "<html>no chunk at all</html>\r\n",
	} {
		all = append(all, Case{Name: said("chunks", body), Wants: []Outcome{Protocol}, Serve: say(head + body)})
	}
	for _, body := range []string{"", "hello", "5", "5\r", "5\r\n", "5\r\nhel", "5\r\nhello", "5\r\nhello\r\n", "5\r\nhello\r\n0", "ffffffff\r\nhello", "7fffffffffffffff\r\nhello"} {
		all = append(all, Case{Name: said("chunks cut", body), Wants: []Outcome{Truncated}, Serve: say(head + body)})
	}
	for _, body := range []string{"5\r\nhello\r\n0\r\n\r\n", "005;a=b\r\nhello\r\n000\r\n\r\n", "5\r\nhello\r\n0\r\nX-Trailer: yes\r\n\r\n"} {
		all = append(all, Case{Name: said("harmless chunks", body), Wants: []Outcome{OK}, Body: "hello", Serve: say(head + body)})
	}
	endless := func(name, before, unit string, wire int64, wants ...Outcome) {
		all = append(all, Case{Name: name, Wants: wants, Wire: wire, Serve: func(c *Conn) {
			c.Request()
			c.Say(head + before)
			c.Endless(unit)
		}})
	}
	endless("endless chunks", "", "1000\r\n"+strings.Repeat("x", 4096)+"\r\n", MaxBytes+1<<20, TooLarge)
	endless("endless chunks of one byte", "", "1\r\nx\r\n", 3<<20, Protocol)
	endless("endless chunk", "7fffffffffffffff\r\n", "x", MaxBytes+1<<20, TooLarge)
	endless("endless chunk size", "", "0", 0, Protocol)
	endless("endless chunk extension", "5;", "x", 0, Protocol)
	endless("chunk extension flood", "", "1;"+strings.Repeat("x", 1000)+"\r\nx\r\n", 0, Protocol)
	endless("endless trailer", "0\r\n", "X-Trailer: "+strings.Repeat("x", 100)+"\r\n", 0, Protocol)
	endless("endless trailer line", "0\r\nX: ", "x", 0, Protocol)
	return all
}

// floods are endless responses, and responses with very large headers.
func floods() []Case {
	var all []Case
	add := func(name, head, unit string, wire int64, wants ...Outcome) {
		all = append(all, Case{Name: name, Wants: wants, Wire: wire, Serve: func(c *Conn) {
			c.Request()
			c.Say(head)
			c.Endless(unit)
		}})
	}
	const line = "HTTP/1.1 200 OK\r\n"
	for _, kind := range []string{"text/html", "application/pdf", "text/event-stream", "video/mp4", "application/octet-stream", ""} {
		head := line
		if kind != "" {
			head += "Content-Type: " + kind + "\r\n"
		}
		add("endless "+kind, head+"\r\n", "data: x\n\n", MaxBytes+1<<20, TooLarge)
	}
	add("endless length", line+"Content-Length: 9223372036854775807\r\n\r\n", "x", 0, TooLarge)
	add("endless after an HTTP/1.0 head", "HTTP/1.0 200 OK\r\n\r\n", "x", MaxBytes+1<<20, TooLarge)
	for coding, want := range map[string]Outcome{"gzip": TooLarge, "zstd": TooLarge, "rot13": TooLarge, "br": Protocol, "deflate": Protocol} {
		add("endless plain as "+coding, line+"Content-Encoding: "+coding+"\r\n\r\n", "no such coding ", MaxBytes+1<<20, want)
	}
	add("endless status line", "HTTP/1.1 200 ", "x", 0, Protocol)
	add("endless nothing", "", "\x00", 0, Protocol)
	add("endless line feeds", "", "\r\n", 0, Protocol)
	add("endless header name", line, "x", 0, Protocol)
	add("endless header value", line+"X: ", "x", 0, Protocol)
	add("endless headers", line, "X-Header: "+strings.Repeat("x", 80)+"\r\n", 0, Protocol)
	add("endless folded header", line+"X: x\r\n", " x\r\n", 0, Protocol)
	add("endless Set-Cookie", line, "Set-Cookie: a=b\r\n", 0, Protocol)
	for _, n := range []int{4_000, 20_000} {
		cookies := strings.Builder{}
		for i := range n {
			fmt.Fprintf(&cookies, "Set-Cookie: c%d=%s\r\n", i, strings.Repeat("x", 30))
		}
		want := Protocol
		if n < 5_000 {
			want = OK // 256 KiB are allowed
		}
		all = append(all, Case{Name: fmt.Sprint(n, " cookies"), Wants: []Outcome{want}, Serve: say(line + cookies.String() + "Content-Length: 0\r\n\r\n")})
	}
	all = append(all, Case{Name: "a header of 250 KB", Wants: []Outcome{OK}, Serve: say(line + "X: " + strings.Repeat("x", 250_000) + "\r\nContent-Length: 0\r\n\r\n")})
	all = append(all, Case{Name: "a header of 300 KB", Wants: []Outcome{Protocol}, Serve: say(line + "X: " + strings.Repeat("x", 300_000) + "\r\nContent-Length: 0\r\n\r\n")})
	return all
}

// interims are 1xx responses.
func interims() []Case {
	var all []Case
	for _, status := range []string{"100 Continue", "102 Processing", "103 Early Hints", "110 x", "199 x"} {
		one := "HTTP/1.1 " + status + "\r\nLink: </x>\r\n\r\n"
		all = append(all,
			Case{Name: "ten " + status, Wants: []Outcome{OK}, Body: "hello", Serve: say(strings.Repeat(one, 10) + good)},
			Case{Name: "eleven " + status, Wants: []Outcome{Protocol}, Serve: say(strings.Repeat(one, 11) + good)},
			Case{Name: "endless " + status, Wants: []Outcome{Protocol}, Serve: func(c *Conn) { c.Request(); c.Endless(one) }},
			Case{Name: "fat " + status, Wants: []Outcome{Protocol}, Serve: func(c *Conn) {
				c.Request()
				c.Endless("HTTP/1.1 " + status + "\r\nX: " + strings.Repeat("x", 200_000) + "\r\n\r\n")
			}},
			Case{Name: "only " + status, Wants: []Outcome{Connect}, Serve: say(one)},
		)
	}
	return append(all,
		Case{Name: "upgrade that nobody asked for", Wants: []Outcome{Protocol}, Serve: func(c *Conn) {
			c.Request()
			c.Say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
			c.Endless("\x81\x05hello")
		}},
	)
}

// slow are servers that send a byte from time to time.
func slow() []Case {
	var all []Case
	for _, every := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond} {
		for place, text := range map[string][2]string{
			"status line": {"", "HTTP/1.1 200 " + strings.Repeat("x", 300)},
			"header":      {"HTTP/1.1 200 OK\r\n", "X: " + strings.Repeat("x", 300)},
			"headers":     {"HTTP/1.1 200 OK\r\n", "X: x\r\n"},
			"interim":     {"", "HTTP/1.1 100 Continue\r\nX: " + strings.Repeat("x", 300)},
			"body":        {"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "x"},
			"open body":   {"HTTP/1.1 200 OK\r\n\r\n", "x"},
			"chunks":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"},
			"chunk size":  {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "0000000000000001\r\nx\r\n"},
			"trailer":     {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X: " + strings.Repeat("x", 300)},
			"events":      {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", "data: x\n\n"},
			"gzip":        {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x00", "x"}, // a file name without end
			"redirect":    {"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 60000\r\n\r\n", "x"},
		} {
			all = append(all, Case{Name: fmt.Sprintf("slow %s, %v", place, every), Wants: []Outcome{Timeout}, Serve: func(c *Conn) {
				c.Request()
				if c.Say(text[0]) {
					c.Trickle(text[1], every)
				}
			}})
		}
	}
	for place, head := range map[string]string{
		"nothing": "", "half a status line": "HTTP/1.1 2", "a status line": "HTTP/1.1 200 OK\r\n", "half a header": "HTTP/1.1 200 OK\r\nContent-",
		"a head with a length": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "an open head": "HTTP/1.1 200 OK\r\n\r\n", "half a body": "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello",
		"a chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "half a chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe",
		"the last chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "an interim": "HTTP/1.1 100 Continue\r\n\r\n",
		"a gzip header": "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08",
	} {
		all = append(all, Case{Name: "silence after " + place, Wants: []Outcome{Timeout}, Serve: func(c *Conn) {
			c.Request()
			c.Say(head)
			c.Hold()
		}})
	}
	return append(all,
		Case{Name: "does not read", Wants: []Outcome{Timeout}, Serve: func(c *Conn) { c.Pause(time.Minute) }},
	)
}

// ends close or reset the connection at various points.
func ends() []Case {
	var all []Case
	for _, stage := range []struct {
		name, text string
		closed     Outcome
	}{
		{"the request", "", Connect},
		{"a byte", "H", Protocol},
		{"half a status line", "HTTP/1.1 2", Protocol},
		{"a status line", "HTTP/1.1 200 OK\r\n", Connect},
		{"half a header", "HTTP/1.1 200 OK\r\nContent-Le", Protocol},
		{"a header", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", Connect},
		{"the head", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", Truncated},
		{"an open head", "HTTP/1.1 200 OK\r\n\r\n", OK},
		{"a part", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", Truncated},
		{"an open part", "HTTP/1.1 200 OK\r\n\r\nhello", OK},
		{"a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", Truncated},
	} {
		all = append(all,
			Case{Name: "close after " + stage.name, Wants: []Outcome{stage.closed}, Serve: say(stage.text)},
			Case{Name: "half close after " + stage.name, Wants: []Outcome{stage.closed}, Serve: func(c *Conn) {
				c.Request()
				c.Say(stage.text)
				_ = c.raw.CloseWrite()
				c.Hold()
			}},
			Case{Name: "reset after " + stage.name, Wants: []Outcome{Connect, Protocol}, Serve: func(c *Conn) {
				c.Request()
				c.Say(stage.text)
				c.Pause(30 * time.Millisecond) // until the client has read it
				c.Reset()
			}},
		)
	}
	return append(all,
		Case{Name: "close at once", Wants: []Outcome{Connect}, Serve: func(*Conn) {}},
		Case{Name: "reset at once", Wants: []Outcome{Connect}, Serve: (*Conn).Reset},
		Case{Name: "answers before it is asked", Wants: []Outcome{OK, Protocol, Connect}, Serve: func(c *Conn) { c.Say(good); c.Hold() }},
		Case{Name: "answers twice before it is asked", Wants: []Outcome{OK, Protocol, Connect}, Serve: func(c *Conn) { c.Say(good + good); c.Hold() }},
	)
}
