// SPDX-License-Identifier: Apache-2.0

package lock

import (
	"bytes"
	"crypto/md5"  //nolint:gosec // what RC4 encryption uses
	"crypto/rc4"  //nolint:gosec // what the old formats use
	"crypto/sha1" //nolint:gosec // what the old formats use
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf16"

	"example.com/curlew/parse/internal/cfb"
)

// Stream decrypts RC4-encrypted streams of a legacy document ([MS-OFFCRYPTO]
// 2.3.5 and 2.3.6). Its key changes with each block, so any part can be
// decrypted independently. It is not safe for concurrent use.
type Stream struct {
	key   func(block uint32) []byte
	block int64
	at    int64 // number of the block of pad
	pad   []byte
	more  *rc4.Cipher // generates the continuation of pad
}

// OpenLock returns a function that decrypts the streams of a legacy document
// in place. The error is that of [OpenStream].
func OpenLock(l cfb.Lock, password string) (xor func(b []byte, at int64), err error) {
	if l.Block == 0 {
		o, err := openObfuscation(l.Header, password, l.Rotate)
		if err != nil {
			return nil, err
		}
		return o.xor, nil
	}
	s, err := OpenStream(l.Header, password, l.Block)
	if err != nil {
		return nil, err
	}
	return s.XOR, nil
}

// OpenStream returns a Stream whose key changes after block bytes. info is
// the encryption header from its version field on. The error wraps
// [ErrPassword], [ErrUnsupported] or [cfb.ErrMalformed].
func OpenStream(info []byte, password string, block int64) (*Stream, error) {
	secret := utf16.Encode([]rune(password))
	if len(secret) > maxPassword {
		return nil, ErrPassword
	}
	var word []byte
	for _, unit := range secret {
		word = binary.LittleEndian.AppendUint16(word, unit)
	}
	if len(info) < 4 {
		return nil, fmt.Errorf("%w: encryption header", cfb.ErrMalformed)
	}
	s := &Stream{block: block}
	major, minor := binary.LittleEndian.Uint16(info), binary.LittleEndian.Uint16(info[2:])
	switch {
	case major == 1 && minor == 1:
		return s, s.short(info[4:], word)
	case minor == 2 && major >= 2 && major <= 4:
		return s, s.long(info[4:], word)
	}
	return nil, fmt.Errorf("%w: version %d.%d", ErrUnsupported, major, minor)
}

// short prepares RC4 with 40-bit keys (2.3.6).
func (s *Stream) short(info, word []byte) error {
	if len(info) < 48 {
		return fmt.Errorf("%w: encryption header", cfb.ErrMalformed)
	}
	h := md5.New() //nolint:gosec // what the format uses
	start := sum(h, word)[:5]
	base := sum(h, bytes.Repeat(append(start, info[:16]...), 16))[:5]
	s.key = func(block uint32) []byte {
		return sum(md5.New(), base, binary.LittleEndian.AppendUint32(nil, block)) //nolint:gosec // what the format uses
	}
	plain := bytes.Clone(info[16:48])
	s.XOR(plain, 0)
	if subtle.ConstantTimeCompare(sum(h, plain[:16]), plain[16:]) != 1 {
		return ErrPassword
	}
	return nil
}

// long prepares RC4 with keys of up to 128 bits (2.3.5).
func (s *Stream) long(info, word []byte) error {
	bad := fmt.Errorf("%w: encryption header", cfb.ErrMalformed)
	if len(info) < 8 {
		return bad
	}
	size := uint64(binary.LittleEndian.Uint32(info[4:]))
	if size < 32 || size+8 > uint64(len(info)) {
		return bad
	}
	header, verifier := info[8:8+size], info[8+size:]
	if algorithm := binary.LittleEndian.Uint32(header[8:]); algorithm != 0x6801 {
		return fmt.Errorf("%w: algorithm %#x", ErrUnsupported, algorithm)
	}
	if len(verifier) < 4+16+16+4+sha1.Size {
		return bad
	}
	bits := binary.LittleEndian.Uint32(header[16:])
	if bits == 0 {
		bits = 40
	}
	if bits%8 != 0 || bits < 40 || bits > 128 {
		return fmt.Errorf("%w: key of %d bits", ErrUnsupported, bits)
	}
	h := sha1.New() //nolint:gosec // what the format uses
	base := sum(h, verifier[4:20], word)
	s.key = func(block uint32) []byte {
		key := sum(sha1.New(), base, binary.LittleEndian.AppendUint32(nil, block)) //nolint:gosec // what the format uses
		if bits > 40 {
			return key[:bits/8]
		}
		return append(key[:5], make([]byte, 11)...) // 40-bit keys are padded with zeros
	}
	plain := slices.Concat(verifier[20:36], verifier[40:60])
	s.XOR(plain, 0)
	if subtle.ConstantTimeCompare(sum(h, plain[:16]), plain[16:]) != 1 {
		return ErrPassword
	}
	return nil
}

// XOR decrypts b in place. at is the offset of b in its stream.
func (s *Stream) XOR(b []byte, at int64) {
	for len(b) > 0 {
		if n := at / s.block; n != s.at || s.more == nil {
			c, err := rc4.NewCipher(s.key(uint32(n))) //nolint:gosec // no stream has 2^32 blocks
			if err != nil {
				return // the key length is valid, so this cannot happen
			}
			s.more, s.at, s.pad = c, n, s.pad[:0]
		}
		from := at % s.block
		to := min(from+int64(len(b)), s.block)
		if had := len(s.pad); int64(had) < to {
			s.pad = append(s.pad, make([]byte, to-int64(had))...)
			s.more.XORKeyStream(s.pad[had:], s.pad[had:])
		}
		n := subtle.XORBytes(b, b, s.pad[from:to])
		b, at = b[n:], at+int64(n)
	}
}
