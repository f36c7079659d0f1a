// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// pipe is a connection whose input is given.
type pipe struct {
	io.Reader
	sent bytes.Buffer
}

func (p *pipe) Write(b []byte) (int, error) { return p.sent.Write(b) }
func (*pipe) Close() error                  { return nil }

func socketOf(t testing.TB, input []byte) (*socket, *pipe) {
	p := &pipe{Reader: bytes.NewReader(input)}
	s := &socket{conn: p, in: bufio.NewReader(p), idle: time.AfterFunc(time.Hour, func() {}), stop: func() bool { return true }}
	t.Cleanup(s.close)
	return s, p
}

func TestFrames(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want string // the messages
		err  error
		sent int // bytes that are sent
	}{
		"text":               {"\x81\x02hi\x81\x00", "hi||", io.EOF, 0},
		"parts with a ping":  {"\x01\x01h\x89\x01p\x80\x01i", "hi|", io.EOF, 7},
		"16 bits":            {"\x81\x7e\x01\x00" + strings.Repeat("x", 256), strings.Repeat("x", 256) + "|", io.EOF, 0},
		"64 bits":            {"\x81\x7f\x00\x00\x00\x00\x00\x00\x00\x01x", "x|", io.EOF, 0},
		"pong":               {"\x8a\x00\x81\x01x", "x|", io.EOF, 0},
		"close":              {"\x88\x02\x03\xe8", "", errClosed, 8},
		"close without code": {"\x88\x00", "", errClosed, 6},
		"masked":             {"\x81\x82mask", "", errFrame, 0},
		"extension":          {"\xc1\x00", "", errFrame, 0},
		"binary":             {"\x82\x01x", "", errFrame, 0},
		"unknown control":    {"\x8b\x00", "", errFrame, 0},
		"long ping":          {"\x89\x7e\x00\x80" + strings.Repeat("x", 128), "", errFrame, 0},
		"ping in parts":      {"\x09\x00", "", errFrame, 0},
		"no beginning":       {"\x80\x00", "", errFrame, 0},
		"two beginnings":     {"\x01\x00\x01\x00", "", errFrame, 0},
		"negative":           {"\x81\x7f\xff\x00\x00\x00\x00\x00\x00\x00", "", errFrame, 0},
		"too long":           {"\x81\x7f\x00\x00\x00\x00\x20\x00\x00\x00", "", errTooLarge, 0},
		"cut":                {"\x81\x7f\x00\x00\x00\x00\x08\x00\x00\x00x", "", io.EOF, 0},
		"cut head":           {"\x81", "", io.ErrUnexpectedEOF, 0},
	} {
		s, p := socketOf(t, []byte(tt.in))
		var got strings.Builder
		var err error
		for err == nil {
			var text []byte
			if text, err = s.next(); err == nil {
				got.WriteString(string(text) + "|")
			}
		}
		if got.String() != tt.want || !errors.Is(err, tt.err) || p.sent.Len() != tt.sent {
			t.Errorf("%s: %q, %v, %d bytes sent", name, got.String(), err, p.sent.Len())
		}
	}
}

func TestPong(t *testing.T) {
	s, p := socketOf(t, []byte("\x89\x03abc"))
	if _, err := s.next(); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	b := p.sent.Bytes()
	if b[0] != 0x8a || b[1] != 0x83 {
		t.Fatalf("%x", b)
	}
	for i, c := range b[6:] {
		if c^b[2+i%4] != "abc"[i] {
			t.Errorf("%x", b)
		}
	}
}

// TestAccepted uses the example of RFC 6455, section 1.3.
func TestAccepted(t *testing.T) {
	if got := accepted("dGhlIHNhbXBsZSBub25jZQ=="); got != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		t.Error(got)
	}
}

// FuzzFrames checks that messages are never longer than the input, so that no length in it
// determines how much memory is used.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x01\x01h\x89\x01p\x80\x01i\x88\x02\x03\xe8"))
	f.Add([]byte("\x81\x7f\x00\x00\x00\x00\x0f\x00\x00\x00x"))
	f.Fuzz(func(t *testing.T, in []byte) {
		s, _ := socketOf(t, in)
		total := 0
		for {
			text, err := s.next()
			if err != nil {
				break
			}
			if total += len(text); total > len(in) {
				t.Fatalf("%d bytes of %d", total, len(in))
			}
		}
	})
}
