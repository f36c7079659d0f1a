// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// The frames between host and child. Each has a letter, a length in eight
// bytes (little endian) and a payload of that length.
const (
	frameRequest   = 'q' // to the child: the request
	frameData      = 'd' // to the child: a part of the document; an empty one ends it
	frameTree      = 't' // from the child: the resulting tree
	frameError     = 'e' // from the child: the resulting error
	framePicture   = 'p' // from the child: a picture to recognise
	frameDraw      = 'D' // from the child: a page to draw
	frameReply     = 'r' // to the child: the result for framePicture or frameDraw
	frameRefused   = 'x' // to the child: the error for framePicture or frameDraw
	frameReady     = 'y' // from the child: the process has started as a child
	frameHead      = 9   // bytes of letter and length
	maxCallback    = 128 << 20
	maxRecognition = 64 << 20
)

// send writes a frame.
func send(w io.Writer, kind byte, payload []byte) error {
	head := append(make([]byte, 0, frameHead), kind)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(payload)))
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

// receive reads a frame. most returns the maximum length of a frame of a
// kind, or a negative number if the kind is not allowed. Memory is allocated
// as data arrives, not by the length that the other side claims.
func receive(r io.Reader, most func(kind byte) int64) (kind byte, payload []byte, err error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	kind = head[0]
	n := binary.LittleEndian.Uint64(head[1:])
	if limit := most(kind); limit < 0 || n > uint64(limit) { // #nosec G115 -- not negative
		return 0, nil, fmt.Errorf("%w: unexpected frame %q of %d bytes", errAnswer, kind, n)
	}
	var b bytes.Buffer
	b.Grow(int(min(n, 64<<10)))                          // #nosec G115 -- small
	if _, err := io.CopyN(&b, r, int64(n)); err != nil { // #nosec G115 -- within the limit
		return 0, nil, err
	}
	return kind, b.Bytes(), nil
}

// upTo allows n bytes for every kind of frame.
func upTo(n int64) func(byte) int64 { return func(byte) int64 { return n } }
