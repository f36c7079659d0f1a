// SPDX-License-Identifier: Apache-2.0

package lock

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"unicode/utf16"

	"example.com/curlew/parse/internal/cfb"
)

const maxObfuscated = 15 // characters of a password

// Tables for keys of XOR obfuscation ([MS-OFFCRYPTO] 2.3.7.2).
var (
	initialCodes = [maxObfuscated]uint16{
		0xE1F0, 0x1D0F, 0xCC9C, 0x84C0, 0x110C, 0x0E10, 0xF1CE, 0x313E, 0x1872, 0xE139, 0xD40F, 0x84F9, 0x280C, 0xA96A, 0x4EC3,
	}
	xorMatrix = [7 * maxObfuscated]uint16{
		0xAEFC, 0x4DD9, 0x9BB2, 0x2745, 0x4E8A, 0x9D14, 0x2A09,
		0x7B61, 0xF6C2, 0xFDA5, 0xEB6B, 0xC6F7, 0x9DCF, 0x2BBF,
		0x4563, 0x8AC6, 0x05AD, 0x0B5A, 0x16B4, 0x2D68, 0x5AD0,
		0x0375, 0x06EA, 0x0DD4, 0x1BA8, 0x3750, 0x6EA0, 0xDD40,
		0xD849, 0xA0B3, 0x5147, 0xA28E, 0x553D, 0xAA7A, 0x44D5,
		0x6F45, 0xDE8A, 0xAD35, 0x4A4B, 0x9496, 0x390D, 0x721A,
		0xEB23, 0xC667, 0x9CEF, 0x29FF, 0x53FE, 0xA7FC, 0x5FD9,
		0x47D3, 0x8FA6, 0x0F6D, 0x1EDA, 0x3DB4, 0x7B68, 0xF6D0,
		0xB861, 0x60E3, 0xC1C6, 0x93AD, 0x377B, 0x6EF6, 0xDDEC,
		0x45A0, 0x8B40, 0x06A1, 0x0D42, 0x1A84, 0x3508, 0x6A10,
		0xAA51, 0x4483, 0x8906, 0x022D, 0x045A, 0x08B4, 0x1168,
		0x76B4, 0xED68, 0xCAF1, 0x85C3, 0x1BA7, 0x374E, 0x6E9C,
		0x3730, 0x6E60, 0xDCC0, 0xA9A1, 0x4363, 0x86C6, 0x1DAD,
		0x3331, 0x6662, 0xCCC4, 0x89A9, 0x0373, 0x06E6, 0x0DCC,
		0x1021, 0x2042, 0x4084, 0x8108, 0x1231, 0x2462, 0x48C4,
	}
	padding = [maxObfuscated]byte{0xBB, 0xFF, 0xFF, 0xBA, 0xFF, 0xFF, 0xB9, 0x80, 0x00, 0xBE, 0x0F, 0x00, 0xBF, 0x0F, 0x00}
)

// obfuscation is XOR obfuscation ([MS-OFFCRYPTO] 2.3.7), which repeats a key
// of sixteen bytes.
type obfuscation struct {
	bytes  [16]byte
	rotate bool // the variant for workbooks
}

// openObfuscation returns the obfuscation if the password matches the key
// and the verifier in header.
func openObfuscation(header []byte, password string, rotate bool) (*obfuscation, error) {
	if len(header) < 4 {
		return nil, fmt.Errorf("%w: encryption header", cfb.ErrMalformed)
	}
	word := narrow(password)
	if len(word) == 0 || len(word) > maxObfuscated {
		return nil, ErrPassword
	}
	key := obfuscationKey(word)
	if binary.LittleEndian.Uint16(header) != key || binary.LittleEndian.Uint16(header[2:]) != verifier(word) {
		return nil, ErrPassword
	}
	o := &obfuscation{rotate: rotate}
	half := [2]byte{byte(key), byte(key >> 8)} //nolint:gosec // its halves
	for i := range o.bytes {
		c := padding[max(i-len(word), 0)%len(padding)]
		if i < len(word) {
			c = word[i]
		}
		o.bytes[i] = bits.RotateLeft8(c^half[i%2], -1)
	}
	return o, nil
}

// narrow converts a password to one byte per character, as legacy formats
// do: the low byte unless it is zero.
func narrow(password string) (word []byte) {
	for _, u := range utf16.Encode([]rune(password)) {
		if u&0xFF == 0 {
			u >>= 8
		}
		word = append(word, byte(u&0xFF))
	}
	return word
}

// obfuscationKey implements CreateXorKey_Method1 (2.3.7.2).
func obfuscationKey(word []byte) uint16 {
	key := initialCodes[len(word)-1]
	at := len(xorMatrix) - 1
	for _, c := range slices.Backward(word) {
		for bit := 6; bit >= 0; bit-- {
			if c>>bit&1 != 0 {
				key ^= xorMatrix[at]
			}
			at--
		}
	}
	return key
}

// verifier implements CreatePasswordVerifier_Method1 (2.3.7.1).
func verifier(word []byte) uint16 {
	var v uint16
	add := func(c byte) { v = (v>>14&1 | v<<1&0x7FFF) ^ uint16(c) }
	for _, c := range slices.Backward(word) {
		add(c)
	}
	add(byte(len(word))) //nolint:gosec // at most 15
	return v ^ 0xCE4B
}

// xor decrypts b in place. at is the position in the key.
func (o *obfuscation) xor(b []byte, at int64) {
	for i, c := range b {
		k := o.bytes[(at+int64(i))&15]
		switch {
		case o.rotate:
			b[i] = bits.RotateLeft8(c^k, 3)
		case c != 0 && c != k: // MS-DOC 2.2.6.1: a byte is kept if it is zero or would become zero
			b[i] = c ^ k
		}
	}
}
