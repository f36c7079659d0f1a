// SPDX-License-Identifier: Apache-2.0

package webrisk

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// A list file contains, in this order: magic; the SHA-256 of the rest; the time
// when the provider last confirmed the list, in seconds since 1970, in 8 bytes;
// the length of the token in 2 bytes, and the token; and for each size of
// prefix the size in 1 byte, the number of bytes in 4 bytes, and the prefixes.
// Numbers are big-endian.
const (
	magic    = "curlew/webrisk/1\n"
	maxFile  = 256 << 20
	maxToken = 4 << 10
)

// errFile says that a file is not a valid list.
var errFile = errors.New("list file is damaged")

// encode returns l as a list file.
func (l *list) encode() []byte {
	b := append([]byte(magic), make([]byte, sha256.Size)...)
	b = binary.BigEndian.AppendUint64(b, uint64(l.synced.Unix())) //nolint:gosec // decode reverses the conversion
	b = binary.BigEndian.AppendUint16(b, uint16(len(l.token)))    //nolint:gosec // G115: at most maxToken
	b = append(b, l.token...)
	for _, k := range l.blocks() {
		b = append(b, byte(k.size))                               //nolint:gosec // G115: at most longest
		b = binary.BigEndian.AppendUint32(b, uint32(len(k.data))) //nolint:gosec // a response has at most 64 MiB, and maxFile limits the file
		b = append(b, k.data...)
	}
	sum := sha256.Sum256(b[len(magic)+sha256.Size:])
	copy(b[len(magic):], sum[:])
	return b
}

// decode decodes a list file.
func decode(b []byte) (*list, error) {
	const start = len(magic) + sha256.Size
	if len(b) < start+10 || string(b[:len(magic)]) != magic {
		return nil, errFile
	}
	if sum := sha256.Sum256(b[start:]); string(sum[:]) != string(b[len(magic):start]) {
		return nil, errFile
	}
	synced := time.Unix(int64(binary.BigEndian.Uint64(b[start:])), 0) //nolint:gosec // reverses the conversion of encode
	token := int(binary.BigEndian.Uint16(b[start+8:]))
	b = b[start+10:]
	if token > maxToken || token > len(b) {
		return nil, errFile
	}
	text, b := string(b[:token]), b[token:]
	var blocks []block
	for len(b) > 0 {
		if len(b) < 5 {
			return nil, errFile
		}
		size, n := int(b[0]), int64(binary.BigEndian.Uint32(b[1:]))
		if b = b[5:]; n > int64(len(b)) {
			return nil, errFile
		}
		blocks = append(blocks, block{size, b[:n]})
		b = b[n:]
	}
	l, err := newList(nil, nil, blocks)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFile, err)
	}
	l.token, l.synced = text, synced
	return l, nil
}

// load reads the list file of a threat type. If there is none, it returns nil
// without an error.
func load(dir, kind string) (*list, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(kind + ".list")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(b) > maxFile:
		return nil, errFile
	}
	return decode(b)
}

// save replaces the list file of a threat type atomically.
func save(dir, kind string, l *list) (err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	temp := kind + ".new"
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(l.encode())
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	if err := root.Rename(temp, kind+".list"); err != nil {
		return err
	}
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
