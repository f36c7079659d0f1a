// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// Frames between the two processes: a letter, the length in eight bytes, and as
// many bytes.
const (
	frameRequest   = 'q' // to the child: what is asked
	frameData      = 'd' // to the child: bytes of the document; none ends it
	frameTree      = 't' // from the child: the answer
	frameError     = 'e' // from the child: the answer
	framePicture   = 'p' // from the child: a picture to recognise
	frameDraw      = 'D' // from the child: a page to draw
	frameReply     = 'r' // to the child: what was recognised or drawn
	frameRefused   = 'x' // to the child: why it was not
	frameReady     = 'y' // from the child: it is one
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

// receive reads a frame of at most most bytes. What the other end says of its
// length is not allocated before it has come.
func receive(r io.Reader, most func(kind byte) int64) (kind byte, payload []byte, err error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	kind = head[0]
	n := binary.LittleEndian.Uint64(head[1:])
	if limit := most(kind); limit < 0 || n > uint64(limit) { // #nosec G115 -- not negative
		return 0, nil, fmt.Errorf("%w: a frame %q of %d bytes", errAnswer, kind, n)
	}
	var b bytes.Buffer
	b.Grow(int(min(n, 64<<10)))                          // #nosec G115 -- small
	if _, err := io.CopyN(&b, r, int64(n)); err != nil { // #nosec G115 -- within the limit
		return 0, nil, err
	}
	return kind, b.Bytes(), nil
}

// upTo allows every frame n bytes.
func upTo(n int64) func(byte) int64 { return func(byte) int64 { return n } }
