// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"bytes"
	"compress/zlib"
	"io"

	"example.com/curlew/parse/internal/mapi"
)

// MaxInflated bounds the bytes to which all compressed contents of a message
// may expand together.
const MaxInflated = 32 << 20

const maxNesting = 16 // depth of segmented octet strings

// Content types of S/MIME (RFC 5652, RFC 3274), as object identifiers in
// DER.
const (
	signedData     = "\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02"
	compressedData = "\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x01\x09"
)

// The tags of ASN.1 that are used (X.690 8.1.2).
const (
	derSequence    = 0x30
	derNumber      = 0x06
	derBytes       = 0x04
	derManyBytes   = 0x24 // a segmented octet string
	derExplicit    = 0xA0
	derConstructed = 0x20
)

// sealed returns the message in signed or compressed content. It returns
// false if the content is encrypted or unknown. Decompressed bytes are
// subtracted from left.
func sealed(b []byte, left *int64) (content []byte, ok bool) {
	_, body, _, ok := der(b)
	if !ok || len(b) == 0 || b[0] != derSequence {
		return nil, false
	}
	tag, kind, rest, ok := der(body)
	if !ok || tag != derNumber {
		return nil, false
	}
	tag, body, _, ok = der(rest)
	if !ok || tag != derExplicit {
		return nil, false
	}
	tag, body, _, ok = der(body)
	if !ok || tag != derSequence {
		return nil, false
	}
	if k := string(kind); k != signedData && k != compressedData {
		return nil, false
	}
	for range 2 { // skip the version and the algorithms
		if _, _, body, ok = der(body); !ok {
			return nil, false
		}
	}
	tag, body, _, ok = der(body) // the content type and the content
	if !ok || tag != derSequence {
		return nil, false
	}
	if _, _, body, ok = der(body); !ok {
		return nil, false
	}
	tag, body, _, ok = der(body)
	if !ok || tag != derExplicit {
		return nil, false
	}
	if content = octets(nil, body, 0); string(kind) == compressedData {
		content = inflated(content, *left)
		*left -= int64(len(content))
	}
	return content, len(content) > 0
}

// WhySealed returns the warning for S/MIME content that has no message that can be read.
func WhySealed(data []byte) string {
	if bytes.Contains(data[:min(len(data), 32)], []byte(signedData)) {
		return "The message has only certificates, or a signature without a text that could be read."
	}
	return "The message is encrypted; only its head was read."
}

func inflated(b []byte, limit int64) []byte {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(z, limit)) // a damaged stream gives the data before the damage
	return text
}

// octets appends the octet string at the start of b, which may be segmented.
func octets(dst, b []byte, depth int) []byte {
	tag, body, _, ok := der(b)
	switch {
	case !ok || depth > maxNesting:
	case tag == derBytes:
		dst = append(dst, body...)
	case tag == derManyBytes:
		for len(body) > 0 {
			dst = octets(dst, body, depth+1)
			if _, _, body, ok = der(body); !ok {
				break
			}
		}
	}
	return dst
}

// der reads the element at the start of b (X.690 8.1, also BER) and returns
// its tag, its content and the rest of b. An element longer than b is cut,
// because signatures come last.
func der(b []byte) (tag byte, body, rest []byte, ok bool) {
	if len(b) < 2 || b[0]&0x1F == 0x1F { // tags of several bytes are not used
		return 0, nil, nil, false
	}
	tag = b[0]
	size := int(b[1])
	b = b[2:]
	switch {
	case size == 0x80: // indefinite length
		if tag&derConstructed == 0 {
			return 0, nil, nil, false
		}
		n := indefinite(b)
		return tag, b[:n], b[min(n+2, len(b)):], true
	case size > 0x80:
		count := size & 0x7F
		if count > 4 || count > len(b) {
			return 0, nil, nil, false
		}
		size = 0
		for _, c := range b[:count] {
			size = min(size<<8|int(c), 1<<30)
		}
		b = b[count:]
	}
	size = min(size, len(b))
	return tag, b[:size], b[size:], true
}

// indefinite returns the length of the content of an element of indefinite
// length.
func indefinite(b []byte) int {
	open := 1
	at := 0
	for at+2 <= len(b) {
		tag, size := b[at], int(b[at+1])
		at += 2
		switch {
		case tag == 0 && size == 0:
			if open--; open == 0 {
				return at - 2
			}
		case size == 0x80:
			open++
		case size > 0x80:
			count := size & 0x7F
			if count > 4 || at+count > len(b) {
				return len(b)
			}
			size = 0
			for _, c := range b[at : at+count] {
				size = min(size<<8|int(c), 1<<30)
			}
			at = min(at+count+size, len(b))
		default:
			at = min(at+size, len(b))
		}
	}
	return len(b)
}

// Opaque returns the message in an S/MIME file: signed or compressed
// content, or a multipart/signed message. It returns nil if the file is
// encrypted or has another format. Decompressed bytes are subtracted from
// left.
func Opaque(data []byte, left *int64) *Message {
	w := &walker{limit: maxParts, left: left, texts: mapi.MaxText}
	if len(data) == 0 {
		return nil
	}
	if data[0] == derSequence {
		content, ok := sealed(data, w.left)
		if !ok {
			return nil
		}
		data = content
	}
	e := parseEntity(data)
	if e.raw("content-type") == "" {
		return nil
	}
	l := &Message{}
	w.entity(e, l, 0)
	w.report(l)
	return l
}
