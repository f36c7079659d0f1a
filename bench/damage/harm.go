// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
)

// maxInflated limits the data that is decompressed to be damaged.
const maxInflated = 16 << 20

// damage returns a damaged copy of data. It damages bytes of the file, or bytes inside a
// compressed part, because a checksum would otherwise prevent the damage from reaching a
// reader.
func damage(r *rand.Rand, data []byte) []byte {
	if r.IntN(4) > 0 {
		if bytes.HasPrefix(data, []byte("PK")) {
			if out := inZip(r, data); out != nil {
				return out
			}
		}
		if out := inStream(r, data); out != nil {
			return out
		}
	}
	return harm(r, data)
}

// harm changes bytes at one to four places.
func harm(r *rand.Rand, data []byte) []byte {
	out := slices.Clone(data)
	for range 1 + r.IntN(4) {
		if len(out) == 0 {
			return out
		}
		at := r.IntN(len(out))
		end := min(len(out), at+1+r.IntN(1<<r.IntN(12)))
		switch r.IntN(9) {
		case 0:
			out[at] ^= 1 << r.IntN(8)
		case 1:
			for i := at; i < end; i++ {
				out[i] = byte(r.Uint32() & 0xFF)
			}
		case 2:
			if r.IntN(4) == 0 {
				out = out[:at] // truncate
			}
		case 3:
			out = slices.Delete(out, at, end)
		case 4:
			piece := slices.Clone(out[at:end]) // repeat a part
			for range 1 << r.IntN(6) {
				out = slices.Insert(out, r.IntN(len(out)), piece...)
			}
		case 5:
			copy(out[r.IntN(len(out)):], out[at:end])
		case 6:
			word := [...]string{"\x00\x00\x00\x00", "\xff\xff\xff\xff", "\xff\xff\xff\x7f", "\x00\x00\x00\x80", "\x00\x01", "\xff\xff"}[r.IntN(6)]
			copy(out[at:], word)
		default:
			out = number(r, out, at)
		}
	}
	return out
}

var digits = regexp.MustCompile(`-?[0-9]+`)

// number replaces the first number after at.
func number(r *rand.Rand, data []byte, at int) []byte {
	m := digits.FindIndex(data[at:min(len(data), at+4096)])
	if m == nil {
		return data
	}
	others := [...]string{"0", "-1", "1", "65536", "2147483647", "4294967296", "9223372036854775807", "99999999999999999999", "1e9", strconv.Itoa(r.IntN(2000))}
	return slices.Concat(data[:at+m[0]], []byte(others[r.IntN(len(others))]), data[at+m[1]:])
}

// inZip damages one entry of a ZIP file, or returns nil if there is none.
func inZip(r *rand.Rand, data []byte) []byte {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(z.File) == 0 {
		return nil
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	chosen := r.IntN(len(z.File))
	for i, f := range z.File {
		if i != chosen {
			if err := w.Copy(f); err != nil {
				return nil
			}
			continue
		}
		src, err := f.Open()
		if err != nil {
			return nil
		}
		part, err := io.ReadAll(io.LimitReader(src, maxInflated))
		if err != nil {
			return nil
		}
		dst, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: f.Method})
		if err != nil {
			return nil
		}
		if _, err := dst.Write(harm(r, part)); err != nil {
			return nil
		}
	}
	if w.Close() != nil {
		return nil
	}
	return out.Bytes()
}

var stream = regexp.MustCompile(`stream\r?\n`)

// inStream damages the content of a deflated stream of a PDF, or returns nil if
// there is none.
func inStream(r *rand.Rand, data []byte) []byte {
	if !bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF")) {
		return nil
	}
	found := stream.FindAllIndex(data, -1)
	for range 8 {
		if len(found) == 0 {
			return nil
		}
		at := found[r.IntN(len(found))][1]
		end := bytes.Index(data[at:], []byte("endstream"))
		if end < 0 {
			continue
		}
		z, err := zlib.NewReader(bytes.NewReader(data[at : at+end]))
		if err != nil {
			continue
		}
		part, err := io.ReadAll(io.LimitReader(z, maxInflated))
		if err != nil && len(part) == 0 {
			continue
		}
		var packed bytes.Buffer
		w := zlib.NewWriter(&packed)
		if _, err := w.Write(harm(r, part)); err != nil {
			return nil
		}
		if w.Close() != nil {
			return nil
		}
		for packed.Len() < end { // so that later offsets remain valid if possible
			packed.WriteByte('\n')
		}
		return slices.Concat(data[:at], packed.Bytes(), data[at+end:])
	}
	return nil
}
