// SPDX-License-Identifier: Apache-2.0

// Package zipxmltest creates ZIP containers for tests.
package zipxmltest

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
)

// Part is one entry of a container.
type Part struct{ Name, Text string }

// Pack returns a container of parts in this order. The first one is stored
// uncompressed, as required for the entry mimetype.
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
			panic(err) // a bytes.Buffer never fails
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Sections splits text at lines "-- name --", as in txtar.
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
