// SPDX-License-Identifier: Apache-2.0

package evil

import (
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Frame types and flags of RFC 9113 section 6.
const (
	frameData, frameHeaders, framePriority, frameReset, frameSettings = 0, 1, 2, 3, 4
	framePush, framePing, frameGoAway, frameWindow, frameContinuation = 5, 6, 7, 8, 9

	flagEnd, flagAck, flagEndHeaders, flagPadded = 1, 1, 4, 8
)

// frame returns an HTTP/2 frame.
func frame(kind, flags byte, stream uint32, payload string) string {
	head := make([]byte, 0, 9)
	head = append(head, byte(len(payload)>>16), byte(len(payload)>>8), byte(len(payload)), kind, flags)
	return string(binary.BigEndian.AppendUint32(head, stream)) + payload
}

// number returns n as four bytes.
func number(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

// setting returns one entry of a SETTINGS frame.
func setting(id uint16, value uint32) string {
	return string(binary.BigEndian.AppendUint16(nil, id)) + number(value)
}

// field returns a header field as a literal without indexing (RFC 7541 section
// 6.2.2).
func field(name, value string) string { return "\x00" + hpackText(name) + hpackText(value) }

// hpackText returns a string without Huffman coding.
func hpackText(s string) string {
	n := len(s)
	if n < 127 {
		return string([]byte{byte(n)}) + s
	}
	out := []byte{127}
	for n -= 127; n >= 128; n >>= 7 {
		out = append(out, byte(n)|128)
	}
	return string(append(out, byte(n))) + s
}

const status200 = "\x88" // of the static table

// head is the header of a plain 200 response.
var head = frame(frameHeaders, flagEndHeaders, 1, status200)

// preface reads the connection preface and sends settings. Then it reads up to
// the request's HEADERS frame, and reads the rest in the background.
func (c *Conn) preface(settings string) bool {
	if _, err := io.CopyN(io.Discard, c.in, 24); err != nil {
		return false
	}
	c.Say(settings)
	for {
		h := make([]byte, 9)
		if _, err := io.ReadFull(c.in, h); err != nil {
			return false
		}
		size := int64(h[0])<<16 | int64(h[1])<<8 | int64(h[2])
		if _, err := io.CopyN(io.Discard, c.in, size); err != nil {
			return false
		}
		if h[3] == frameHeaders {
			c.rest.Go(c.Hold)
			return true
		}
	}
}

// frames are HTTP/2 responses with invalid or hostile frames.
func frames() []Case {
	now := time.Now()
	config := &tls.Config{
		Certificates: []tls.Certificate{certificate(now.Add(-time.Hour), now.Add(time.Hour), "127.0.0.1")},
		NextProtos:   []string{"h2"},
	}
	var all []Case
	serve := func(name string, wire int64, serve func(*Conn), wants ...Outcome) {
		if slices.Contains(wants, Protocol) && !slices.Contains(wants, Connect) {
			// If the client reads the fault before it uses the connection, it
			// reports a connection error. The order depends on chance.
			wants = append(slices.Clone(wants), Connect)
		}
		all = append(all, Case{Name: "h2: " + name, Wants: wants, Wire: wire, HTTPS: true, TLS: config, Insecure: true, Serve: serve})
	}
	settings := frame(frameSettings, 0, 0, "")
	add := func(name, answer string, wants ...Outcome) {
		serve(name, 0, func(c *Conn) {
			if c.preface(settings) {
				c.Say(answer)
				c.rest.Wait()
			}
		}, wants...)
	}
	endless := func(name, before, unit string, wire int64, wants ...Outcome) {
		serve(name, wire, func(c *Conn) {
			if c.preface(settings) {
				c.Say(before)
				c.Endless(unit)
			}
		}, wants...)
	}
	data := func(s string) string { return frame(frameData, 0, 1, s) }
	last := func(s string) string { return frame(frameData, flagEnd, 1, s) }
	full := strings.Repeat("x", 16384)

	add("plain", head+last("hello"), OK)
	add("padded", head+frame(frameData, flagEnd|flagPadded, 1, "\x03hello\x00\x00\x00"), OK)
	add("head only", frame(frameHeaders, flagEndHeaders|flagEnd, 1, status200), OK)
	add("header in pieces", frame(frameHeaders, 0, 1, status200)+frame(frameContinuation, 0, 1, field("a", "b"))+frame(frameContinuation, flagEndHeaders, 1, field("c", "d"))+last("hello"), OK)
	add("unknown frames", frame(99, 0xff, 0, full)+frame(99, 0xff, 1, "x")+head+frame(200, 0, 1, "x")+last("hello"), OK)

	for code := range uint32(15) {
		inBody := Connect
		wants := []Outcome{Connect}
		switch code {
		case 1: // the client itself uses this code for streams that break the protocol
			inBody = Protocol
		case 7: // the request was not processed, so the client retries after a pause
			wants = append(wants, Timeout)
		}
		add(fmt.Sprint("reset with ", code), frame(frameReset, 0, 1, number(code)), wants...)
		add(fmt.Sprint("reset in the body with ", code), head+data("hello")+frame(frameReset, 0, 1, number(code)), inBody)
	}
	for _, code := range []uint32{0, 1, 2, 7, 11, 13, 99} {
		add(fmt.Sprint("farewell with ", code), frame(frameGoAway, 0, 0, number(0)+number(code)+"go"), Connect)
		serve(fmt.Sprint("farewell in the body with ", code), 0, func(c *Conn) {
			if c.preface(settings) {
				c.Say(head + data("hello") + frame(frameGoAway, 0, 0, number(1)+number(code)+"go"))
			}
		}, Connect, Truncated)
	}
	for _, s := range []struct {
		name, text string
		want       Outcome
	}{
		{"window of 2^31", setting(4, 1<<31), Protocol},
		{"window of 2^32-1", setting(4, 1<<32-1), Protocol},
		{"frames of 100", setting(5, 100), Protocol},
		{"frames of 2^24", setting(5, 1<<24), Protocol},
		{"push of 2", setting(2, 2), Protocol},
		{"five bytes", "\x00\x04\x00\x00\x00", Protocol},
		{"no streams", setting(3, 0), OK}, // but a stream was open before
		{"table of 2^32-1", setting(1, 1<<32-1), OK},
		{"headers of 0", setting(6, 0), OK},
		{"a thousand of unknown", strings.Repeat(setting(99, 1), 1000), OK},
		{"all of them many times", strings.Repeat(setting(3, 100)+setting(4, 65535), 1000), OK},
	} {
		serve("settings: "+s.name, 0, func(c *Conn) {
			if c.preface(frame(frameSettings, 0, 0, s.text)) {
				c.Say(head + last("hello"))
				c.rest.Wait()
			}
		}, s.want)
	}
	for name, bad := range map[string]string{
		"data on stream 0":             frame(frameData, 0, 0, "hello"),
		"data before the head":         data("hello"),
		"data on a stream never begun": frame(frameData, 0, 99, "hello"),
		"head on stream 0":             frame(frameHeaders, flagEndHeaders, 0, status200),
		"a push":                       frame(framePush, flagEndHeaders, 1, number(2)+status200),
		"continuation of nothing":      frame(frameContinuation, flagEndHeaders, 1, status200),
		"continuation interrupted":     frame(frameHeaders, 0, 1, status200) + data("x"),
		"continuation elsewhere":       frame(frameHeaders, 0, 1, status200) + frame(frameContinuation, flagEndHeaders, 3, ""),
		"a frame too large":            head + data(full+full),
		"padding beyond the frame":     head + frame(frameData, flagPadded, 1, "\xffhello"),
		"window grown by 0":            frame(frameWindow, 0, 0, number(0)),
		"window grown past 2^31":       frame(frameWindow, 0, 0, number(1<<31-1)) + frame(frameWindow, 0, 0, number(1<<31-1)),
		"window of three bytes":        frame(frameWindow, 0, 0, "\x00\x00\x01"),
		"ping of five bytes":           frame(framePing, 0, 0, "hello"),
		"ping on a stream":             frame(framePing, 0, 1, "12345678"),
		"settings on a stream":         frame(frameSettings, 0, 1, ""),
		"settings ack with more":       frame(frameSettings, flagAck, 0, setting(4, 1)),
		"reset on stream 0":            frame(frameReset, 0, 0, number(1)),
		"reset of three bytes":         frame(frameReset, 0, 1, "\x00\x00\x01"),
		"farewell of three bytes":      frame(frameGoAway, 0, 0, "bye"),
		"farewell on a stream":         frame(frameGoAway, 0, 1, number(0)+number(0)),
		"priority of three bytes":      frame(framePriority, 0, 1, "bye"),
		"hpack index 0":                frame(frameHeaders, flagEndHeaders, 1, "\x80"),
		"hpack index unknown":          frame(frameHeaders, flagEndHeaders, 1, status200+"\xff\xff\xff\x7f"),
		"hpack number without end":     frame(frameHeaders, flagEndHeaders, 1, status200+"\xff"+strings.Repeat("\xff", 100)),
		"hpack text cut":               frame(frameHeaders, flagEndHeaders, 1, status200+"\x00\x7f"),
		"hpack bad Huffman":            frame(frameHeaders, flagEndHeaders, 1, status200+"\x00\x84\xff\xff\xff\xff\x01x"),
		"hpack table over its bound":   frame(frameHeaders, flagEndHeaders, 1, "\x3f\xff\xff\xff\x0f"+status200),
		"no status":                    frame(frameHeaders, flagEndHeaders, 1, field("a", "b")),
		"two statuses":                 frame(frameHeaders, flagEndHeaders, 1, status200+status200),
		"status behind a field":        frame(frameHeaders, flagEndHeaders, 1, field("a", "b")+status200),
		"status of text":               frame(frameHeaders, flagEndHeaders, 1, field(":status", "two")),
		"status of nothing":            frame(frameHeaders, flagEndHeaders, 1, field(":status", "")),
		"a request's pseudo-field":     frame(frameHeaders, flagEndHeaders, 1, status200+field(":path", "/")),
		"an unknown pseudo-field":      frame(frameHeaders, flagEndHeaders, 1, status200+field(":x", "y")),
		"upper case":                   frame(frameHeaders, flagEndHeaders, 1, status200+field("Server", "x")),
		"a field with a line end":      frame(frameHeaders, flagEndHeaders, 1, status200+field("a", "b\r\nc: d")),
		"a field name with a colon":    frame(frameHeaders, flagEndHeaders, 1, status200+field("a:b", "c")),
		"an empty field name":          frame(frameHeaders, flagEndHeaders, 1, status200+field("", "c")),
		"trailer with a status":        head + data("x") + frame(frameHeaders, flagEndHeaders|flagEnd, 1, status200),
		"a head in the body":           head + data("x") + frame(frameHeaders, flagEndHeaders, 1, status200),
		"HTTP/1.1":                     good,
		"zeros":                        strings.Repeat("\x00", 100),
		"noise":                        strings.Repeat("\xff\x80\x13\x37", 100),
		"a frame of 16 MiB":            "\xff\xff\xff\x00\x00\x00\x00\x00\x01",
	} {
		add(name, bad, Protocol)
	}
	add("an upgrade", frame(frameHeaders, flagEndHeaders, 1, field(":status", "101")), Timeout)
	add("head on a stream never begun", frame(frameHeaders, flagEndHeaders, 99, status200), Timeout)
	add("head on an even stream", frame(frameHeaders, flagEndHeaders, 2, status200), Timeout)
	add("reset before it is begun", frame(frameReset, 0, 99, number(1)), Timeout)
	add("padding of nothing", head+frame(frameData, flagPadded, 1, ""), Truncated)
	add("length past the body", frame(frameHeaders, flagEndHeaders, 1, status200+field("content-length", "50"))+last("hello"), Truncated)
	add("length without a body", frame(frameHeaders, flagEndHeaders|flagEnd, 1, status200+field("content-length", "50")), Truncated)
	add("length short of the body", frame(frameHeaders, flagEndHeaders, 1, status200+field("content-length", "2"))+last("hello"), Protocol)
	add("two lengths", frame(frameHeaders, flagEndHeaders, 1, status200+field("content-length", "5")+field("content-length", "6"))+last("hello"), OK)
	add("length of 2^63-1", frame(frameHeaders, flagEndHeaders, 1, status200+field("content-length", "9223372036854775807"))+last("hello"), TooLarge)
	add("a hop-by-hop field", frame(frameHeaders, flagEndHeaders, 1, status200+field("connection", "close")+field("transfer-encoding", "chunked"))+last("hello"), OK)
	add("silence after the head", head, Timeout)
	add("silence", "", Timeout)
	serve("silence before settings", 0, (*Conn).Hold, Timeout)
	serve("no settings", 0, func(c *Conn) {
		if c.preface("") {
			c.Say(head + last("hello"))
			c.rest.Wait()
		}
	}, Protocol)
	serve("close after the head", 0, func(c *Conn) {
		if c.preface(settings) {
			c.Say(head)
			_ = c.raw.CloseWrite() // closing the connection could discard the header
			c.rest.Wait()
		}
	}, Truncated)
	serve("close at once", 0, func(*Conn) {}, Connect)

	endless("endless data, whatever the window", head, data(full), MaxBytes+3<<20, TooLarge, Protocol)
	endless("empty data without end", head, data(""), 3<<20, Protocol)
	endless("data of one byte without end", head, data("x"), 3<<20, Protocol)
	endless("padding without end", head, frame(frameData, flagPadded, 1, "\xff"+strings.Repeat("\x00", 255)), 3<<20, Protocol)
	endless("settings without end", "", settings, 3<<20, Protocol, Timeout)                        // each is acknowledged
	endless("pings without end", "", frame(framePing, 0, 0, "12345678"), 3<<20, Protocol, Timeout) // each is acknowledged too
	endless("window updates without end", "", frame(frameWindow, 0, 1, number(1)), 3<<20, Protocol)
	endless("priorities without end", "", frame(framePriority, 0, 1, number(3)+"\x10"), 3<<20, Protocol)
	endless("unknown frames without end", "", frame(99, 0, 0, full), 3<<20, Protocol)
	endless("resets of other streams without end", "", frame(frameReset, 0, 99, number(8)), 3<<20, Protocol)
	endless("continuation without end", frame(frameHeaders, 0, 1, status200), frame(frameContinuation, 0, 1, field("x", strings.Repeat("y", 1000))), 2<<20, Protocol)
	endless("empty continuation without end", frame(frameHeaders, 0, 1, status200), frame(frameContinuation, 0, 1, ""), 3<<20, Protocol)
	endless("interim answers without end", "", frame(frameHeaders, flagEndHeaders, 1, field(":status", "103")), 2<<20, Protocol)
	// An entry of 4,000 bytes in the dynamic table, which single bytes refer
	// to: 16 KB expand to 64 MB.
	entry := "\x40" + hpackText("x") + hpackText(strings.Repeat("y", 4000))
	add("hpack bomb", frame(frameHeaders, flagEndHeaders, 1, status200+entry+strings.Repeat("\xbe", 12_000))+last("hello"), Protocol)
	endless("hpack bombs without end", frame(frameHeaders, 0, 1, status200+entry), frame(frameContinuation, 0, 1, strings.Repeat("\xbe", 16_000)), 2<<20, Protocol)
	add("a header of 300 KB", frame(frameHeaders, 0, 1, status200)+strings.Repeat(frame(frameContinuation, 0, 1, field("x", strings.Repeat("y", 10_000))), 30)+frame(frameContinuation, flagEndHeaders, 1, "")+last("hello"), Protocol)
	return all
}
