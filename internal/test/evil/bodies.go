// SPDX-License-Identifier: Apache-2.0

package evil

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"strings"
)

// redirects are hostile redirects. A client may reach 127.0.0.1 and no other
// private address.
func redirects() []Case {
	var all []Case
	to := func(location string, wants ...Outcome) {
		all = append(all, Case{Name: said("redirect to", location), Wants: wants, Serve: say("HTTP/1.1 302 Found\r\nLocation: " + location + "\r\nContent-Length: 0\r\n\r\n")})
	}
	for _, a := range []string{
		"http://10.0.0.1/", "http://192.168.0.1/", "http://172.16.0.1/", "http://169.254.169.254/latest/meta-data/", "http://100.100.100.200/", "http://0/", "http://[::1]/",
		"http://[::]/", "http://[::ffff:10.0.0.1]/", "http://[fd00:ec2::254]/", "http://[fe80::1]/", "http://0xa9fea9fe/", "http://2852039166/", "http://0251.0376.0251.0376/",
		"//10.0.0.1/", "\\\\10.0.0.1\\", "https://10.0.0.1/", "http://93.184.216.34:22/", "http://[64:ff9b::a9fe:a9fe]/", "http://[2002:7f00:1::]/", "http://user:pw@10.0.0.1/",
		"http://127.0.0.1@10.0.0.1/", "http:/\\10.0.0.1", "http://１０.0.0.1/",
	} {
		to(a, Address)
	}
	for _, s := range []string{
		"file:///etc/passwd", "FILE:/etc/passwd", "gopher://127.0.0.1:6379/_INFO", "ftp://127.0.0.1/", "dict://127.0.0.1:11211/", "javascript:alert(1)", "data:text/html,x",
		"about:blank", "ws://127.0.0.1/", "unix:/var/run/docker.sock", "chrome://version", "view-source:http://127.0.0.1/", "jar:http://127.0.0.1!/x", "mailto:a@b.c", "blob:http://x/y",
	} {
		to(s, Scheme)
	}
	for _, s := range []string{"", " ", "http://", "http:///", "http://[", "http://[::1", "http://a b/", "http://a%00b/", "http://127.0.0.1:99999/", "http://256.256.256.256/", "http://%zz/", "https://"} {
		to(s, OK)
	}
	for _, status := range []string{"301", "302", "303", "307", "308"} {
		all = append(all, Case{Name: "loop of " + status, Wants: []Outcome{Redirects}, Serve: serveMany(func(*Conn, string) string {
			return "HTTP/1.1 " + status + " x\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"
		})})
	}
	walk := func(name string, want Outcome, answer func(c *Conn, path string) string) {
		all = append(all, Case{Name: name, Wants: []Outcome{want}, Serve: serveMany(answer)})
	}
	moved := func(location string) string {
		return "HTTP/1.1 302 Found\r\nLocation: " + location + "\r\nContent-Length: 0\r\n\r\n"
	}
	walk("a chain without end", Redirects, func(_ *Conn, path string) string { return moved(path + "x") })
	walk("a chain of hosts", Redirects, func(c *Conn, path string) string { return moved(c.Self + path + "x") })
	walk("a scheme without slashes", Redirects, func(*Conn, string) string { return moved("HTTP:10.0.0.1") })
	walk("two that swap", Redirects, func(_ *Conn, path string) string {
		if path == "/a" {
			return moved("/b")
		}
		return moved("/a")
	})
	walk("a growing query", Redirects, func(_ *Conn, path string) string { return moved(path + "?" + strings.Repeat("x", 1000)) })
	walk("a cookie wall that does not open", Redirects, func(*Conn, string) string {
		return "HTTP/1.1 302 Found\r\nLocation: /\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
	})
	walk("a long Location", OK, func(_ *Conn, path string) string {
		if len(path) > 100 {
			return good
		}
		return moved("/" + strings.Repeat("x", 60_000))
	})
	walk("ten hops", OK, func(_ *Conn, path string) string {
		if len(path) == 11 {
			return good
		}
		return moved(path + "x")
	})
	walk("eleven hops", Redirects, func(_ *Conn, path string) string {
		if len(path) == 12 {
			return good
		}
		return moved(path + "x")
	})
	all = append(all,
		Case{Name: "a Location of 2 MB", Wants: []Outcome{Protocol}, Serve: say(moved("/" + strings.Repeat("x", 2<<20)))},
		Case{Name: "a Location with NUL", Wants: []Outcome{Protocol}, Serve: say(moved("/a\x00b"))},
		Case{Name: "a redirect with an endless body", Wants: []Outcome{OK}, Serve: func(c *Conn) {
			if c.Request() != "/" {
				c.Say(good)
				return
			}
			c.Say("HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n")
			c.Endless("x")
		}},
		Case{Name: "a redirect with a bomb", Wants: []Outcome{OK}, Serve: func(c *Conn) {
			if c.Request() != "/" {
				c.Say(good)
				return
			}
			c.Say("HTTP/1.1 302 Found\r\nContent-Encoding: gzip\r\nLocation: /x\r\n\r\n" + string(bomb("gzip", 24<<20)))
		}},
		Case{Name: "a redirect that ends early", Wants: []Outcome{OK}, Serve: func(c *Conn) {
			if c.Request() != "/" {
				c.Say(good)
				return
			}
			c.Say("HTTP/1.1 302 Found\r\nContent-Length: 99\r\nLocation: /x\r\n\r\n")
		}},
	)
	return all
}

// serveMany answers requests on one connection until the client closes it.
func serveMany(answer func(c *Conn, path string) string) func(*Conn) {
	return func(c *Conn) {
		for path := c.Request(); path != ""; path = c.Request() {
			if !c.Say(answer(c, path)) {
				return
			}
		}
	}
}

// bomb returns size zeros, in whole mebibytes, in a content coding. The
// checksum is wrong, but no client should read that far.
func bomb(coding string, size int) []byte {
	var block bytes.Buffer
	w, _ := flate.NewWriter(&block, flate.BestCompression) // the level is valid
	_, _ = w.Write(make([]byte, 1<<20))
	_ = w.Flush()
	out := []byte("\x78\xda")
	if coding == "gzip" {
		out = []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00")
	}
	out = append(out, bytes.Repeat(block.Bytes(), size>>20)...)
	return append(out, "\x03\x00no check sum"...)
}

// nest compresses b with gzip.
func nest(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}

// codings are bodies whose content coding is hostile or invalid.
func codings() []Case {
	var all []Case
	add := func(name, coding string, body func() []byte, wants ...Outcome) {
		all = append(all, Case{Name: name, Wants: wants, Serve: func(c *Conn) {
			c.Request()
			b := body()
			c.Say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", coding, len(b), b))
			c.Hold()
		}})
	}
	text := func(s string) func() []byte { return func() []byte { return []byte(s) } }
	for _, coding := range []string{"gzip", "deflate"} {
		for _, size := range []int{2 << 20, 5 << 20, 24 << 20} {
			add(fmt.Sprintf("%s bomb of %d MiB", coding, size>>20), coding, func() []byte { return bomb(coding, size) }, Inflate)
		}
	}
	add("nested bomb", "gzip, gzip", func() []byte { return nest(bomb("gzip", 24<<20)) }, Inflate)
	add("bomb in bomb", "deflate, gzip", func() []byte { return nest(bomb("deflate", 24<<20)) }, Inflate)
	add("three codings", "gzip, gzip, gzip", func() []byte { return nest(nest(nest([]byte("x")))) }, Inflate)
	add("a hundred codings", strings.Repeat("gzip, ", 99)+"gzip", text("x"), Inflate)
	add("a thousand members", "gzip", func() []byte { return bytes.Repeat(nest([]byte("hello")), 1000) }, OK)
	add("empty members", "gzip", func() []byte { return bytes.Repeat(nest(nil), 20_000) }, OK)
	add("members of zeros", "gzip", func() []byte { return bytes.Repeat(nest(make([]byte, 1<<16)), 1000) }, Inflate)
	for _, bad := range []string{"\x1f\x8b", "\x1f\x8b\x08", "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\x00\xff\xff", "\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x00name"} {
		add(said("cut gzip", bad), "gzip", text(bad), Truncated)
	}
	for _, bad := range []string{
		"\x1f\x8b\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\x1f\x8b\x08\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff",
		"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00",
	} {
		add(said("bad gzip", bad), "gzip", text(bad), Protocol)
	}
	for _, bad := range []string{"\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x28\xb5\x2f\xfd\x08\x00\x00\x00\x00\x00\x00", "\x28\xb5\x2f\xfd\x00\x58\x07\x00\x00"} {
		add(said("bad zstd", bad), "zstd", text(bad), Protocol)
	}
	for _, window := range []string{"\x70", "\x78", "\x80", "\xa0", "\xf8"} {
		add(said("zstd with window", window), "zstd", text("\x28\xb5\x2f\xfd\x00"+window+"\x01\x00\x00"), Inflate)
	}
	add("zstd that says 8 EiB", "zstd", text("\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x00\x00"), Inflate)
	add("zstd skippable of 4 GiB", "zstd", text("\x50\x2a\x4d\x18\xff\xff\xff\xffxx"), Truncated)
	for _, bad := range []string{"\xff\xff\xff\xff\xff\xff", "plain text that is no brotli", "\x11\x00\x00\x00\x00"} {
		add(said("bad br", bad), "br", text(bad), Protocol)
	}
	for _, bad := range []string{"\x78\x9c\xff\xff\xff\xff", "\xff\xff\xff\xff", "\x78\xbb\x00\x00\x00\x00\x00"} {
		add(said("bad deflate", bad), "deflate", text(bad), Protocol)
	}
	for _, lie := range []string{"gzip", "zstd", "x-gzip", "gzip, gzip", "identity", "none", "utf-8", "", ",", "\"gzip\"", "compress", "binary, identity"} {
		all = append(all, Case{
			Name: said("plain said to be", lie), Wants: []Outcome{OK}, Body: "hello",
			Serve: say("HTTP/1.1 200 OK\r\nContent-Encoding: " + lie + "\r\nContent-Length: 5\r\n\r\nhello"),
		})
	}
	return all
}

// oddities are unusual responses that are legal or almost legal.
func oddities() []Case {
	var all []Case
	add := func(name, text string, wants ...Outcome) {
		all = append(all, Case{Name: name, Wants: wants, Serve: say(text)})
	}
	for _, status := range []string{"204 No Content", "304 Not Modified", "205 Reset Content", "206 Partial Content", "416 Range", "300 Choices", "305 Use Proxy", "306 x", "402 Pay", "407 Proxy", "426 Upgrade", "511 Login", "600 x", "999 Denied"} {
		want := OK
		if strings.HasPrefix(status, "206") {
			want = Truncated
		}
		add("unasked "+status, "HTTP/1.1 "+status+"\r\nContent-Length: 5\r\nContent-Range: bytes 5-9/10\r\n\r\nhello", want)
	}
	for _, kind := range []string{"image/png", "text/html; charset=utf-16", "text/html; charset=nonsense", ";", "/", "text/html, text/plain", "multipart/x-mixed-replace; boundary=x", "message/http"} {
		add(said("a page as", kind), "HTTP/1.1 200 OK\r\nContent-Type: "+kind+"\r\nContent-Length: 14\r\n\r\n<p>\xff\xfe\x00hello</p>", OK)
	}
	add("a page in HTTP/0.9", "<html><body>hello</body></html>\r\n", Protocol)
	add("version 2.0 in text", "HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", OK)
	add("version 9.9", "HTTP/9.9 200 OK\r\nContent-Length: 5\r\n\r\nhello", OK)
	add("an upgrade it offers", "HTTP/1.1 200 OK\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 5\r\n\r\nhello", OK)
	add("Alt-Svc to a private host", "HTTP/1.1 200 OK\r\nAlt-Svc: h2=\"10.0.0.1:443\"\r\nContent-Length: 5\r\n\r\nhello", OK)
	add("Refresh", "HTTP/1.1 200 OK\r\nRefresh: 0; url=http://10.0.0.1/\r\nContent-Length: 5\r\n\r\nhello", OK)
	add("Content-Location elsewhere", "HTTP/1.1 200 OK\r\nContent-Location: http://10.0.0.1/\r\nContent-Length: 5\r\n\r\nhello", OK)
	add("proxy wants a password", "HTTP/1.1 407 Proxy\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n", OK)
	for _, after := range []string{"-1", "31536000", "soon", "Thu, 01 Jan 1970 00:00:00 GMT", "99999999999999999999"} {
		add(said("Retry-After", after), "HTTP/1.1 429 Too Many\r\nRetry-After: "+after+"\r\nContent-Length: 0\r\n\r\n", OK)
	}
	return all
}
