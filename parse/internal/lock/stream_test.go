// SPDX-License-Identifier: Apache-2.0

package lock_test

import (
	"bytes"
	"crypto/rc4"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/lock"
)

// bytesOf decodes hexadecimal text.
func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRC4Vectors checks the salts, verifiers and hashes of two real
// workbooks, published in the tests of Apache POI (TestBinaryRC4).
func TestRC4Vectors(t *testing.T) {
	for _, c := range []struct {
		salt, verifier, hash string
		err                  error
	}{
		{"DF 35 52 38 0D 75 4A E6 85 C2 FD 78 CE 3D D1 B6", "D4 04 43 EC B7 A7 6F 6A D2 68 C7 DF CF A8 80 68", "30 38 BE 5E 93 C5 7E B4 5F 52 CD A1 C6 8F B6 2A", nil},
		{"39 D7 80 41 DA E4 74 2C 8C 84 F9 4D 39 9A 19 2D", "C3 EA 8D 52 11 11 37 D2 BD 55 4C 01 0A 47 6E EB", "96 19 F5 D0 F1 63 08 F1 3E 09 40 1E 87 F0 4E 16", nil},
		{"9F 35 52 38 0D 75 4A E6 85 C2 FD 78 CE 3D D1 B6", "D4 04 43 EC B7 A7 6F 6A D2 68 C7 DF CF A8 80 68", "30 38 BE 5E 93 C5 7E B4 5F 52 CD A1 C6 8F B6 2A", lock.ErrPassword},
	} {
		header := slices.Concat([]byte{1, 0, 1, 0}, bytesOf(t, c.salt), bytesOf(t, c.verifier), bytesOf(t, c.hash))
		if _, err := lock.OpenStream(header, lock.Default, 1024); !errors.Is(err, c.err) {
			t.Errorf("salt %s: %v, want %v", c.salt, err, c.err)
		}
		if _, err := lock.OpenStream(header, "other", 1024); !errors.Is(err, lock.ErrPassword) {
			t.Errorf("salt %s, wrong password: %v", c.salt, err)
		}
	}
}

// long encrypts by the rules of [MS-OFFCRYPTO] 2.3.5, because no available
// library does.
func long(plain []byte, password string, bits uint32, block int) (header, locked []byte) {
	le := binary.LittleEndian
	salt, verifier := []byte("fedcba9876543210"), []byte("0123456789abcdef")
	h := sha1.New()
	h.Write(salt)
	h.Write([]byte(cfbtest.Wide(password)))
	base := h.Sum(nil)
	stream := func(n uint32) *rc4.Cipher {
		sum := sha1.Sum(le.AppendUint32(bytes.Clone(base), n))
		key := sum[:max(16, bits/8)]
		if bits <= 40 {
			clear(key[5:])
		} else {
			key = key[:bits/8]
		}
		c, err := rc4.NewCipher(key)
		if err != nil {
			panic(err)
		}
		return c
	}
	sum := sha1.Sum(verifier)
	proof := slices.Concat(verifier, sum[:])
	stream(0).XORKeyStream(proof, proof)
	header = []byte{2, 0, 2, 0, 4, 0, 0, 0, 34, 0, 0, 0}
	for _, v := range []uint32{4, 0, 0x6801, 0x8004, bits, 1, 0, 0} {
		header = le.AppendUint32(header, v)
	}
	header = append(header, 0, 0) // name of the provider
	header = slices.Concat(header, le.AppendUint32(nil, 16), salt, proof[:16], le.AppendUint32(nil, 20), proof[16:])
	n := uint32(0)
	for piece := range slices.Chunk(plain, block) {
		b := bytes.Clone(piece)
		stream(n).XORKeyStream(b, b)
		locked = append(locked, b...)
		n++
	}
	return header, locked
}

func TestStream(t *testing.T) {
	want := bytes.Repeat([]byte("some text of a stream "), 200)
	for _, bits := range []uint32{0, 40, 56, 128} {
		header, locked := long(want, "pässwort", bits, 512)
		s, err := lock.OpenStream(header, "pässwort", 512)
		if err != nil {
			t.Errorf("%d bits: %v", bits, err)
			continue
		}
		for _, piece := range [][2]int{{0, len(locked)}, {3, 5}, {510, 515}, {1024, 1025}, {700, 4000}, {68, 68}} {
			got := bytes.Clone(locked[piece[0]:piece[1]])
			s.XOR(got, int64(piece[0]))
			if !bytes.Equal(got, want[piece[0]:piece[1]]) {
				t.Errorf("%d bits: bytes %v are %q", bits, piece, got)
			}
		}
		if _, err := lock.OpenStream(header, "passwort", 512); !errors.Is(err, lock.ErrPassword) {
			t.Errorf("%d bits, wrong password: %v", bits, err)
		}
	}
}

func TestStreamErrors(t *testing.T) {
	good, _ := long(nil, "x", 128, 512)
	changed := func(at int, to ...byte) []byte {
		b := bytes.Clone(good)
		copy(b[at:], to)
		return b
	}
	for name, c := range map[string]struct {
		header []byte
		want   error
	}{
		"nothing":          {nil, cfb.ErrMalformed},
		"version alone":    {good[:4], cfb.ErrMalformed},
		"short, cut":       {[]byte{1, 0, 1, 0, 9}, cfb.ErrMalformed},
		"unknown version":  {changed(0, 7, 0), lock.ErrUnsupported},
		"header too long":  {changed(8, 0xFF, 0xFF, 0xFF, 0xFF), cfb.ErrMalformed},
		"header too short": {changed(8, 31, 0, 0, 0), cfb.ErrMalformed},
		"AES":              {changed(20, 0x0E, 0x66, 0, 0), lock.ErrUnsupported},
		"odd key":          {changed(28, 41, 0, 0, 0), lock.ErrUnsupported},
		"long key":         {changed(28, 0, 1, 0, 0), lock.ErrUnsupported},
		"no verifier":      {good[:50], cfb.ErrMalformed},
	} {
		if _, err := lock.OpenStream(c.header, "x", 512); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := lock.OpenStream(good, strings.Repeat("x", 300), 512); !errors.Is(err, lock.ErrPassword) {
		t.Errorf("long password: %v", err)
	}
}

func FuzzStream(f *testing.F) {
	header, _ := long(nil, "x", 128, 512)
	f.Add(header, 0)
	f.Add(append([]byte{1, 0, 1, 0}, make([]byte, 48)...), 513)
	f.Fuzz(func(_ *testing.T, header []byte, at int) {
		if s, err := lock.OpenStream(header, "x", 512); err == nil && at >= 0 {
			s.XOR(make([]byte, 2000), int64(at))
		}
	})
}
