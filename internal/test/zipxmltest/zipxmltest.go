// SPDX-License-Identifier: Apache-2.0

// Package zipxmltest makes the containers that tests read: text -> ZIP.
package zipxmltest

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
)

// Part is one entry of a container.
type Part struct{ Name, Text string }

// Pack returns a container of parts, in that order. The first is stored, as
// the entry mimetype has to be; the others are deflated.
func Pack(parts ...Part) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, p := range parts {
		h := &zip.FileHeader{Name: p.Name, Method: zip.Deflate}
		if i == 0 {
			h.Method = zip.Store
		}
		w, err := z.CreateHeader(h)
		if err == nil && !strings.HasSuffix(p.Name, "/") {
			_, err = io.WriteString(w, p.Text)
		}
		if err != nil {
			panic(err) // a buffer takes all
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Sections cuts text at lines "-- name --", as txtar has them.
func Sections(text string) []Part {
	var parts []Part
	for line := range strings.Lines(text) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "-- ")
		if name, ends := strings.CutSuffix(name, " --"); ok && ends {
			parts = append(parts, Part{Name: name})
			continue
		}
		if n := len(parts); n > 0 {
			parts[n-1].Text += line
		}
	}
	return parts
}
