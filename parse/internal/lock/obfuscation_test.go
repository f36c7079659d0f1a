// SPDX-License-Identifier: Apache-2.0

package lock_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
	"strings"
	"testing"

	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/lock"
)

// TestObfuscationVectors checks published keys and verifiers, such as that
// of "Example" in ECMA-376 part 4, 14.7.1.
func TestObfuscationVectors(t *testing.T) {
	header := []byte{0xCE, 0x64, 0x7E, 0xED}
	for _, rotate := range []bool{false, true} {
		if _, err := lock.OpenLock(cfb.Lock{Header: header, Rotate: rotate}, "Example"); err != nil {
			t.Error(err)
		}
	}
	for password, want := range map[string]error{
		"example": lock.ErrPassword, "": lock.ErrPassword, "Example ": lock.ErrPassword, strings.Repeat("x", 16): lock.ErrPassword,
	} {
		if _, err := lock.OpenLock(cfb.Lock{Header: header}, password); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", password, err, want)
		}
	}
	if _, err := lock.OpenLock(cfb.Lock{Header: header[:3]}, "Example"); !errors.Is(err, cfb.ErrMalformed) {
		t.Errorf("half a header: %v", err)
	}
}

// TestObfuscation decrypts with a key for the password "Example" that was
// computed by hand from the halves CE and 64.
func TestObfuscation(t *testing.T) {
	header := []byte{0xCE, 0x64, 0x7E, 0xED}
	var keys [16]byte
	for i, c := range []byte("Example\xBB\xFF\xFF\xBA\xFF\xFF\xB9\x80\x00") {
		keys[i] = bits.RotateLeft8(c^header[i%2], 7)
	}
	plain := []byte("Some words, \x00 and\x00\x00 what is zero stays\xFF.")
	for _, at := range []int64{0, 5, 52, 1 << 40} {
		words, sheet := bytes.Clone(plain), bytes.Clone(plain)
		for i, c := range plain {
			k := keys[(int(at)+i)%16]
			if words[i] = c; c != 0 && c != k {
				words[i] = c ^ k
			}
			sheet[i] = bits.RotateLeft8(c, 5) ^ k
		}
		for rotate, locked := range map[bool][]byte{false: words, true: sheet} {
			xor, err := lock.OpenLock(cfb.Lock{Header: header, Rotate: rotate}, "Example")
			if err != nil {
				t.Fatal(err)
			}
			if xor(locked, at); !bytes.Equal(locked, plain) {
				t.Errorf("from %d on, rotated %v: %q", at, rotate, locked)
			}
		}
	}
}

// FuzzOpenLock checks that nothing panics and that decryption in pieces
// gives the same result as at once.
func FuzzOpenLock(f *testing.F) {
	header := []byte{1, 0, 1, 0}
	f.Add(append(header, bytes.Repeat([]byte{7}, 48)...), "secret", int64(512), 700)
	f.Add([]byte{0xCE, 0x64, 0x7E, 0xED}, "Example", int64(0), 3)
	f.Add(binary.LittleEndian.AppendUint32([]byte{2, 0, 2, 0, 4, 0, 0, 0}, 34), "x", int64(1)<<32, 9)
	f.Fuzz(func(t *testing.T, header []byte, password string, block int64, cut int) {
		if block < 0 {
			return
		}
		xor, err := lock.OpenLock(cfb.Lock{Header: header, Block: block, Rotate: block == 0}, password)
		if err != nil {
			return
		}
		whole, pieces := make([]byte, 1500), make([]byte, 1500)
		xor(whole, 0)
		cut = min(max(cut, 0), len(pieces))
		xor(pieces[cut:], int64(cut))
		xor(pieces[:cut], 0)
		if !bytes.Equal(whole, pieces) {
			t.Errorf("cut at %d it differs", cut)
		}
	})
}
