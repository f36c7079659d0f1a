// SPDX-License-Identifier: Apache-2.0

package xls

import (
	"bytes"

	"example.com/curlew/internal/cfb"
)

// keyEvery is how many bytes of the stream one key is for ([MS-XLS] 2.2.10).
const keyEvery = 1024

// Records that are never encrypted, besides those before the password's.
const (
	rFileLock   = 0x0195
	rInterface  = 0x00E1
	rRRDHead    = 0x0138
	rRRDInfo    = 0x0196
	rUserExcept = 0x0194
)

// decrypt replaces the stream by what it is without encryption. Password is
// the record that says how it is encrypted; the next one begins at from. The
// heads of records are plain, and count nevertheless.
func (r *reader) decrypt(password []byte, from int) error {
	if !r.unicode || u16(password, 0) != 1 || r.unlock == nil {
		return cfb.ErrEncrypted // the older way, or nobody knows a password
	}
	xor, err := r.unlock(password[2:], keyEvery)
	if err != nil {
		return err
	}
	r.stream = bytes.Clone(r.stream)
	s := scanner{data: r.stream, at: from}
	for {
		id, b, ok := s.next()
		if !ok {
			return nil
		}
		switch id {
		case rBOF, rFilePass, rFileLock, rInterface, rRRDHead, rRRDInfo, rUserExcept:
			continue
		case rSheet: // its place is plain
			b = b[min(4, len(b)):]
		}
		xor(b, int64(s.at-len(b)))
	}
}
