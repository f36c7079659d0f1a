// SPDX-License-Identifier: Apache-2.0

package mq_test

import (
	"encoding/hex"
	"testing"

	"example.com/curlew/parse/internal/pdf/mq"
)

// TestDecoder decodes the test sequence of ITU-T T.88, H.2, both with Bit
// and with Likely.
func TestDecoder(t *testing.T) {
	coded, _ := hex.DecodeString("84c73bfce1a1430402200000410dbb86f4317fff88ff37471adb6adfffac")
	want, _ := hex.DecodeString("00020051000000c0035287" + "2aaaaaaaaa82c02000fcd79ef6bf7fed904f46a3bf")
	var slow, fast mq.Decoder
	slow.Start(coded)
	fast.Start(coded)
	var s mq.State
	cx := s.Context()
	for i, b := range want {
		var got, same byte
		for range 8 {
			got = got<<1 | byte(slow.Bit(&s))
			bit, slack := cx.Likely(fast.Slack)
			if slack < 0 {
				bit, slack = fast.Settle(&cx, slack)
			}
			fast.Slack = slack
			same = same<<1 | byte(bit)
		}
		if got != b || same != b {
			t.Fatalf("byte %d: %#x and %#x, want %#x", i, got, same, b)
		}
	}
	if cx != s.Context() {
		t.Errorf("the contexts end in %v and %v", cx, s.Context())
	}
}

// TestOver checks that reads after the end return ones and are counted.
func TestOver(t *testing.T) {
	var d mq.Decoder
	d.Start(nil)
	s := mq.At(46) // both values are equally probable
	for range 800 {
		d.Bit(&s)
	}
	if d.Over < 100 || d.Over > 104 { // up to four bytes are read ahead
		t.Errorf("800 bits of nothing are %d bytes", d.Over)
	}
}

// TestStates checks that the last state of the table does not adapt.
func TestStates(t *testing.T) {
	if s := mq.At(46); s.Next(0) != s || s.Next(1) != s {
		t.Errorf("line 46 leads to %d and %d", s.Next(0), s.Next(1))
	}
}
