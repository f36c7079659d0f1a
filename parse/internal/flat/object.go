// SPDX-License-Identifier: Apache-2.0

package flat

import (
	"bytes"
	"compress/zlib"
	"io"
	"strconv"

	"example.com/curlew/internal/zipxml"
	"example.com/curlew/parse/internal/cfb"
)

// maxRatio is the maximum ratio of the size of an object to its compressed size.
const maxRatio = 200

// objects keeps the container of all embedded objects, for the shapes that show them.
func (w *word) objects(e *zipxml.Element) {
	for data := e.Named("w:binData"); data != nil; data = data.Same() {
		if f, err := cfb.Open(w.decode(data.Content())); err == nil {
			w.embedded = f.Root
		}
	}
}

// object returns the ID of the relationship to an embedded object, or "" if there is none
// or if it cannot be read, so that it is named as unread.
func (w *word) object(name string) string {
	if w.embedded == nil || w.err != nil {
		return ""
	}
	part := w.opened[name]
	if part == "" {
		data := inflated(w.embedded.Stream(name), w.most-w.b.Len())
		if data == nil {
			return ""
		}
		part = "embeddings/object" + strconv.Itoa(len(w.opened)+1) + ".bin"
		w.opened[name] = part
		w.err = w.add("word/"+part, "", data)
	}
	return w.relate("oleObject", part, false)
}

// inflated returns the bytes of an object, which are compressed after their length. It
// returns nil if they are damaged or more than most.
func inflated(b []byte, most int) []byte {
	if len(b) < 4 {
		return nil
	}
	most = min(most, maxRatio*len(b))
	z, err := zlib.NewReader(bytes.NewReader(b[4:]))
	if err != nil {
		return nil
	}
	defer z.Close()
	data, err := io.ReadAll(io.LimitReader(z, int64(most)+1))
	if err != nil || len(data) > most {
		return nil
	}
	return data
}
