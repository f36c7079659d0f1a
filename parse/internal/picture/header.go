// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"bytes"
	"encoding/binary"
)

// bytesAt reads integers at offsets of untrusted data. They are zero outside
// of it.
type bytesAt []byte

func (b bytesAt) take(at, n int) []byte {
	if at < 0 || at > len(b)-n {
		return make([]byte, n)
	}
	return b[at : at+n]
}

func (b bytesAt) le16(at int) int { return int(binary.LittleEndian.Uint16(b.take(at, 2))) }
func (b bytesAt) le24(at int) int { return b.le16(at) | int(b.take(at+2, 1)[0])<<16 }
func (b bytesAt) le32(at int) int { return int(binary.LittleEndian.Uint32(b.take(at, 4))) }
func (b bytesAt) be16(at int) int { return int(binary.BigEndian.Uint16(b.take(at, 2))) }
func (b bytesAt) be32(at int) int { return int(binary.BigEndian.Uint32(b.take(at, 4))) }

const (
	inch  = .0254 // metres
	centi = 2.54  // centimetres per inch
)

// measure returns the media type, size and resolution of WebP, BMP and JPEG
// 2000 images. The type of others is empty.
func measure(data []byte) (mime string, w, h int, dpi float64) {
	b := bytesAt(data)
	switch {
	case bytes.HasPrefix(data, []byte("RIFF")) && string(b.take(8, 4)) == "WEBP":
		switch string(b.take(12, 4)) {
		case "VP8X":
			w, h = b.le24(24)+1, b.le24(27)+1
		case "VP8L":
			v := b.le32(21)
			w, h = v&0x3fff+1, v>>14&0x3fff+1
		default:
			w, h = b.le16(26)&0x3fff, b.le16(28)&0x3fff
		}
		return "image/webp", w, h, 0
	case bytes.HasPrefix(data, []byte("BM")):
		h = int(int32(b.le32(22))) //nolint:gosec // below zero where the rows run downwards
		return "image/bmp", b.le32(18), max(h, -h), float64(b.le32(38)) * inch
	case bytes.HasPrefix(data, []byte("\xff\x4f\xff\x51")):
		return "image/jp2", b.be32(8) - b.be32(16), b.be32(12) - b.be32(20), 0
	case string(b.take(4, 4)) == "jP  ":
		if i := bytes.Index(data[:min(len(data), 1<<12)], []byte("ihdr")); i > 0 {
			return "image/jp2", b.be32(i + 8), b.be32(i + 4), 0
		}
	}
	return "", 0, 0, 0
}

// pngResolution returns the resolution in the pHYs chunk in dpi, or 0 if
// there is none.
func pngResolution(data []byte) float64 {
	b := bytesAt(data)
	for at := 8; at+12 <= len(data); {
		size := b.be32(at)
		switch string(b.take(at+4, 4)) {
		case "pHYs":
			if b.take(at+16, 1)[0] == 1 {
				return float64(b.be32(at+8)) * inch
			}
			return 0
		case "IDAT":
			return 0
		}
		at += size + 12
	}
	return 0
}

// jpegHeader returns the resolution in a JPEG's header, or 0, and the
// orientation in its EXIF data, or 1.
func jpegHeader(data []byte) (dpi float64, turn int) {
	b := bytesAt(data)
	turn = 1
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		mark, size := data[at+1], b.be16(at+2)
		if mark == 0xda || size < 2 {
			break
		}
		part := data[at+4 : min(at+2+size, len(data))]
		switch {
		case mark == 0xe0 && bytes.HasPrefix(part, []byte("JFIF\x00")):
			p := bytesAt(part)
			switch p.take(7, 1)[0] {
			case 1:
				dpi = float64(p.be16(8))
			case 2:
				dpi = float64(p.be16(8)) * centi
			}
		case mark == 0xe1 && bytes.HasPrefix(part, []byte("Exif\x00\x00")):
			if t, err := newTIFF(part[6:]); err == nil {
				if all := t.directories(1); len(all) > 0 {
					turn = all[0].int(tagOrientation, 1)
				}
			}
		}
		at += 2 + size
	}
	return dpi, min(max(turn, 1), 8)
}
