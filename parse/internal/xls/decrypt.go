// SPDX-License-Identifier: Apache-2.0

package xls

import (
	"bytes"

	"example.com/curlew/parse/internal/cfb"
)

// keyEvery is the number of bytes of the stream after which the key changes
// ([MS-XLS] 2.2.10).
const keyEvery = 1024

// Record types that are never encrypted, besides those before the FilePass
// record.
const (
	rFileLock   = 0x0195
	rInterface  = 0x00E1
	rRRDHead    = 0x0138
	rRRDInfo    = 0x0196
	rUserExcept = 0x0194
)

// decrypt decrypts the stream. password is the FilePass record with the
// encryption header; the next record begins at from. Record headers are not
// encrypted, but they count for the position in the key stream.
func (r *reader) decrypt(password []byte, from int) error {
	if r.unlock == nil {
		return cfb.ErrEncrypted
	}
	l := cfb.Lock{Block: keyEvery}
	switch {
	case !r.unicode:
		l = cfb.Lock{Header: password, Rotate: true}
	case u16(password, 0) == 0:
		l = cfb.Lock{Header: password[min(2, len(password)):], Rotate: true}
	default:
		l.Header = password[min(2, len(password)):]
	}
	xor, err := r.unlock(l)
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
		size := len(b)
		switch id {
		case rBOF:
			if v := u16(b, 0); v == 0x0500 || v == 0x0600 {
				continue
			} // otherwise it is the BOF record of a chart written by LibreOffice
		case rFilePass, rFileLock, rInterface, rRRDHead, rRRDInfo, rUserExcept:
			continue
		case rSheet: // its offset is not encrypted
			b = b[min(4, len(b)):]
		}
		at := s.at - len(b)
		if l.Block == 0 { // the position depends on the length of the record too (MS-XLS 2.2.10)
			at += size
		}
		xor(b, int64(at))
	}
}
