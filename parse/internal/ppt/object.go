// SPDX-License-Identifier: Apache-2.0

package ppt

import (
	"bytes"
	"compress/zlib"
	"io"

	"golang.org/x/net/html"

	"example.com/curlew/parse/internal/cfb"
)

// objectOf is an embedded object.
type objectOf struct {
	persist int64
	program string
}

// maxRatio is the maximum ratio of the size of an object to its compressed size.
const maxRatio = 200

// embeds records an embedded object ([MS-PPT] 2.10.27).
func (r *reader) embeds(b []byte) {
	id, o := int64(-1-len(r.embedded)), objectOf{persist: -1} // no shape refers to an object without a number
	for one := range r.records(b) {
		switch {
		case one.kind == rObjectAtom:
			id, o.persist = u32(one.data, 8), u32(one.data, 16)
		case one.kind == rCString && one.inst == 2:
			o.program = cfb.UTF16(one.data)
		}
	}
	if r.embedded == nil {
		r.embedded = map[int64]objectOf{}
	}
	if len(r.embedded) < maxPersist {
		r.embedded[id] = o
	}
}

// hide removes the objects of a hidden slide from the list, so that they are not
// written as objects that no slide shows.
func (r *reader) hide(slide []byte) {
	d := &drawing{reader: r, bullets: &bullets{}}
	d.read(r.first(slide, rDrawing).data)
	for _, s := range d.shapes {
		delete(r.embedded, s.object)
		for _, cell := range s.table {
			delete(r.embedded, cell.object)
		}
	}
}

// object reads an object once. It returns nil if there is none or if it cannot be
// read.
func (r *reader) object(id int64) *html.Node {
	o, ok := r.embedded[id]
	if !ok {
		return nil
	}
	delete(r.embedded, id)
	var data []byte
	if at, ok := r.persist[o.persist]; ok {
		if one, ok := recordAt(r.stream, at); ok && one.kind == rObjectData {
			data = r.inflated(one)
		}
	}
	return r.objects.Read(r.ctx, &r.b, cfb.Object{Program: o.program, Data: data}, r.options.Nodes-r.b.Count()-r.objects.Made)
}

// inflated returns the bytes of an object ([MS-PPT] 2.10.34). It returns nil if
// they are damaged or over the limit.
func (r *reader) inflated(one record) []byte {
	if one.inst == 0 {
		return one.data
	}
	if len(one.data) < 4 {
		return nil
	}
	limit := min(r.objects.Left(), maxRatio*int64(len(one.data)))
	z, err := zlib.NewReader(bytes.NewReader(one.data[4:]))
	if err != nil {
		return nil
	}
	defer z.Close()
	data, err := io.ReadAll(io.LimitReader(z, limit+1))
	r.objects.Take(len(data))
	if err != nil || int64(len(data)) > limit {
		return nil
	}
	return data
}
