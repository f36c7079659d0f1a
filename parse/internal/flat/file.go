// SPDX-License-Identifier: Apache-2.0

package flat

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"

	"example.com/curlew/internal/zipxml"
)

// Package is a package made from a document that is one XML file.
type Package struct {
	Data []byte   // a ZIP container
	Lost []string // sentences that say what is missing
}

// maxParts is the maximum number of parts, which is that of entries of a container.
const maxParts = 9_999 // without the part of the content types

// file is the package being written.
type file struct {
	b     bytes.Buffer
	z     *zip.Writer
	most  int // bytes
	parts int
	names map[string]bool // in lower case
	types strings.Builder // the elements of the content types

	torn    bool // the XML ends too early
	lost    int  // parts without a name or without content
	again   int  // parts with the name of another
	damaged int  // characters in base64 that do not belong to it
	over    int  // parts beyond maxParts
}

// newFile returns an empty package for a file of size bytes.
func newFile(size int) *file {
	f := &file{most: 2*size + 1<<20, names: map[string]bool{}}
	f.z = zip.NewWriter(&f.b)
	return f
}

// add adds a part.
func (f *file) add(name, contentType string, data []byte) error {
	lower := strings.ToLower(name)
	switch {
	case f.names[lower]:
		f.again++
		return nil
	case f.parts >= maxParts:
		f.over++
		return nil
	case f.b.Len()+len(data) > f.most:
		return &zipxml.LimitError{Name: "bytes of parts", Value: int64(f.most)}
	}
	f.names[lower] = true
	f.parts++
	if contentType != "" {
		f.types.WriteString(`<Override PartName="/` + escape.Replace(name) + `" ContentType="` + escape.Replace(contentType) + `"/>`)
	}
	return f.write(name, data)
}

func (f *file) write(name string, data []byte) error {
	w, err := f.z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err == nil {
		_, err = w.Write(data)
	}
	return err // never: it is in memory
}

// close ends the package.
func (f *file) close() (*Package, error) {
	const types = "[Content_Types].xml"
	if !f.names[strings.ToLower(types)] {
		if err := f.write(types, []byte(`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">`+f.types.String()+`</Types>`)); err != nil {
			return nil, err
		}
	}
	if err := f.z.Close(); err != nil {
		return nil, err
	}
	p := &Package{Data: f.b.Bytes()}
	say := func(n int, text string) {
		if n > 0 {
			p.Lost = append(p.Lost, text+": "+strconv.Itoa(n)+".")
		}
	}
	if f.torn {
		p.Lost = append(p.Lost, "The XML of the file is damaged or ends too early. Its end may be missing.")
	}
	say(f.lost, "Parts of the file without a name or without content, which were not read")
	say(f.again, "Parts of the file with the name of another part, which were not read")
	say(f.damaged, "Characters in the base64 of the file that are not base64, so that parts of it may be damaged")
	say(f.over, "Parts of the file that were not read because it has more than "+strconv.Itoa(maxParts))
	return p, nil
}

// decode decodes base64. It counts characters that do not belong to it.
func (f *file) decode(text string) []byte {
	clean := make([]byte, 0, len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '+', c == '/':
			clean = append(clean, c)
		case c == '=', c == ' ', c == '\t', c == '\r', c == '\n':
		default:
			f.damaged++
		}
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(clean)))
	n, err := base64.RawStdEncoding.Decode(out, clean)
	if err != nil {
		f.damaged++ // a character is missing at the end
	}
	return out[:n]
}
