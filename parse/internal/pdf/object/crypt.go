// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5" // #nosec G501 -- the format's
	"crypto/rc4" // #nosec G503 -- the format's
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// method is the encryption method of strings or streams.
type method uint8

const (
	plain method = iota
	rc4Method
	aes128
	aes256
)

// crypt is the standard security handler (ISO 32000-2, 7.6.4). It does not
// change once it is made.
type crypt struct {
	key              []byte
	streams, strings method
	metadata         bool // metadata streams are encrypted too
}

// handler has the entries of an encryption dictionary.
type handler struct {
	revision, size int // size is the length of the key in bytes
	o, u, oe, ue   []byte
	permissions    uint32
	id             []byte
	metadata       bool
}

// newCrypt returns the security handler of a document, with the key that the
// empty or the given password yields. The error wraps ErrEncrypted if neither
// password opens the document, and ErrCorrupt if the encryption dictionary is
// invalid.
func newCrypt(f *File, d Dict, id []byte, password string) (*crypt, error) {
	if name := f.Name(d["Filter"]); name != "Standard" && name != "" {
		return nil, fmt.Errorf("%w: security handler %.32q", ErrEncrypted, string(name))
	}
	text := func(key Name) []byte { s, _ := f.Resolve(d[key]).(String); return []byte(s) }
	version := f.Int(d["V"], 0)
	h := handler{
		revision: f.Int(d["R"], 0), size: f.Int(d["Length"], 40) / 8,
		o: text("O"), u: text("U"), oe: text("OE"), ue: text("UE"),
		permissions: uint32(f.Int(d["P"], 0)), id: id, metadata: f.Resolve(d["EncryptMetadata"]) != false, //nolint:gosec // a set of bits
	}
	c := &crypt{streams: rc4Method, strings: rc4Method, metadata: h.metadata}
	if version >= 4 {
		c.streams = h.filter(f, d, "StmF")
		c.strings = h.filter(f, d, "StrF")
	}
	if version == 1 || h.size < 5 {
		h.size = 5
	}
	h.size = min(h.size, 16)
	least := 32
	if h.revision >= 5 {
		least = 48
	}
	if len(h.o) < least || len(h.u) < least/3 || h.revision < 2 || h.revision > 6 || h.revision >= 5 && (len(h.oe) < 32 || len(h.ue) < 32 || len(h.u) < 48) {
		return nil, fmt.Errorf("%w: encryption dictionary", ErrCorrupt)
	}
	for _, p := range []string{"", password, prepared(password), docBytes(password)} {
		if c.key = h.open([]byte(p)); c.key != nil {
			return c, nil
		}
	}
	if password == "" {
		return nil, fmt.Errorf("%w: it needs a password", ErrEncrypted)
	}
	return nil, ErrPassword
}

// filter returns the method of a crypt filter. If the filter is not
// described, it returns the usual one for its version.
func (h *handler) filter(f *File, d Dict, key Name) method {
	name := f.Name(d[key])
	if name == "Identity" {
		return plain
	}
	filter := f.Dict(f.Dict(d["CF"])[name])
	switch f.Name(filter["CFM"]) {
	case "None":
		return plain
	case "V2":
		// The length is in bytes, but some producers write bits.
		if n := f.Int(filter["Length"], 0); n >= 5 && n <= 16 && f.Int(d["Length"], 0) == 0 {
			h.size = n
		} else if n >= 40 && n <= 128 && f.Int(d["Length"], 0) == 0 {
			h.size = n / 8
		}
		return rc4Method
	case "AESV3":
		return aes256
	case "AESV2":
		h.size = 16
		return aes128
	}
	if h.revision >= 5 {
		return aes256
	}
	if filter == nil {
		return rc4Method
	}
	h.size = 16
	return aes128
}

// open returns the file key if password is the user's or the owner's
// password. Otherwise it returns nil.
func (h *handler) open(password []byte) []byte {
	if h.revision >= 5 {
		return h.open256(password[:min(len(password), 127)])
	}
	if key := h.userKey(password); key != nil {
		return key
	}
	// The O entry is the user password, encrypted with the owner password.
	sum := h.stretch(md5.Sum(pad(password))) // #nosec G401 -- the format's
	user := bytes.Clone(h.o[:32])
	if h.revision == 2 {
		rc4Apply(sum[:h.size], user)
	} else {
		for i := 19; i >= 0; i-- {
			rc4Apply(xored(sum[:h.size], byte(i)), user)
		}
	}
	return h.userKey(user)
}

// prepared normalizes a password like SASLprep (RFC 4013), but only with the
// steps for compatibility forms and for characters that are mapped to
// nothing.
func prepared(password string) string {
	return norm.NFKC.String(strings.Map(func(r rune) rune {
		if r == 0xad || r == 0x34f || r >= 0x200b && r <= 0x200d || r == 0x2060 || r >= 0xfe00 && r <= 0xfe0f || r == 0xfeff {
			return -1
		}
		return r
	}, password))
}

// docBytes returns a password in PDFDocEncoding, which the handlers before
// revision 5 use, or "" if it has other characters.
func docBytes(password string) string {
	code := make(map[rune]byte, 256)
	for c := range 256 {
		for _, r := range Text(string([]byte{byte(c)})) {
			code[r] = byte(c)
		}
	}
	var b []byte
	for _, r := range norm.NFC.String(password) {
		c, ok := code[r]
		if !ok {
			return ""
		}
		b = append(b, c)
	}
	return string(b)
}

// passwordPad is appended to short passwords (ISO 32000-1, 7.6.3.3).
const passwordPad = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A" // #nosec G101 -- public

func pad(password []byte) []byte {
	return append(bytes.Clone(password[:min(len(password), 32)]), passwordPad...)[:32]
}

// stretch repeats a hash, as required from revision 3 on.
func (h *handler) stretch(sum [16]byte) [16]byte {
	if h.revision >= 3 {
		for range 50 {
			sum = md5.Sum(sum[:h.size]) // #nosec G401 -- the format's
		}
	}
	return sum
}

// userKey implements algorithms 2 and 6. It returns the key, or nil if
// password is not the user password.
func (h *handler) userKey(password []byte) []byte {
	key := h.keyOf(password)
	if check := h.checkOf(key); !bytes.HasPrefix(h.u, check) {
		return nil
	}
	return key
}

// keyOf implements algorithm 2.
func (h *handler) keyOf(password []byte) []byte {
	b := append(pad(password), h.o[:32]...)
	b = binary.LittleEndian.AppendUint32(b, h.permissions)
	b = append(b, h.id...)
	if h.revision >= 4 && !h.metadata {
		b = append(b, 0xff, 0xff, 0xff, 0xff)
	}
	sum := h.stretch(md5.Sum(b)) // #nosec G401 -- the format's
	return sum[:h.size]
}

// checkOf implements algorithms 4 and 5. It returns the beginning of the U
// entry for a key.
func (h *handler) checkOf(key []byte) []byte {
	if h.revision == 2 {
		check := []byte(passwordPad)
		rc4Apply(key, check)
		return check
	}
	check := md5.Sum(append([]byte(passwordPad), h.id...)) // #nosec G401 -- the format's
	for i := range 20 {
		rc4Apply(xored(key, byte(i)), check[:])
	}
	return check[:]
}

// open256 implements algorithm 2.A.
func (h *handler) open256(password []byte) []byte {
	if key := h.unwrap(password, h.u, h.ue, nil); key != nil {
		return key
	}
	return h.unwrap(password, h.o, h.oe, h.u[:48])
}

// unwrap checks a password against its hash and validation salt, and
// decrypts the file key with the key salt.
func (h *handler) unwrap(password, hash, wrapped, user []byte) []byte {
	if !bytes.Equal(h.hash(password, hash[32:40], user), hash[:32]) {
		return nil
	}
	block, err := aes.NewCipher(h.hash(password, hash[40:48], user))
	if err != nil {
		return nil
	}
	key := make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, 16)).CryptBlocks(key, wrapped[:32])
	return key
}

// hash implements algorithm 2.B. Revision 5 has only its first step.
func (h *handler) hash(password, salt, user []byte) []byte {
	first := sha256.Sum256(append(append(bytes.Clone(password), salt...), user...))
	k := first[:]
	if h.revision == 5 {
		return k
	}
	const times = 64
	e := make([]byte, 0, times*(len(password)+sha512.Size+len(user)))
	for i := 0; ; i++ {
		e = e[:0]
		for range times {
			e = append(append(append(e, password...), k...), user...)
		}
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(e, e)
		sum := 0
		for _, b := range e[:16] { // 256 is 1 modulo 3, so the sum of the bytes has the same remainder
			sum += int(b)
		}
		switch sum % 3 {
		case 0:
			s := sha256.Sum256(e)
			k = s[:]
		case 1:
			s := sha512.Sum384(e)
			k = s[:]
		default:
			s := sha512.Sum512(e)
			k = s[:]
		}
		if i >= 63 && int(e[len(e)-1]) <= i-31 {
			return k[:32]
		}
	}
}

func xored(key []byte, with byte) []byte {
	out := bytes.Clone(key)
	for i := range out {
		out[i] ^= with
	}
	return out
}

func rc4Apply(key, data []byte) {
	if c, err := rc4.NewCipher(key); err == nil { // #nosec G405 -- the format's
		c.XORKeyStream(data, data)
	}
}

// decrypt returns the decrypted bytes of a string or stream of an object.
func (c *crypt) decrypt(m method, num, gen int, data []byte) []byte {
	switch m {
	case rc4Method:
		out := bytes.Clone(data)
		rc4Apply(c.objectKey(m, num, gen), out)
		return out
	case aes128, aes256:
		return aesDecrypt(c.objectKey(m, num, gen), data)
	}
	return data
}

// objectKey implements algorithm 1. AES-256 uses the same key for all
// objects.
func (c *crypt) objectKey(m method, num, gen int) []byte {
	if m == aes256 {
		return c.key
	}
	key := append(bytes.Clone(c.key), byte(num), byte(num>>8), byte(num>>16), byte(gen), byte(gen>>8)) //nolint:gosec // their low bytes
	if m == aes128 {
		key = append(key, "sAlT"...)
	}
	sum := md5.Sum(key) // #nosec G401 -- the format's
	return sum[:min(len(c.key)+5, 16)]
}

// aesDecrypt decrypts data that begins with its initialization vector. It
// drops an incomplete block at the end.
func aesDecrypt(key, data []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil || len(data) < 32 {
		return nil
	}
	n := (len(data) - 16) &^ 15
	out := make([]byte, n) // not larger than data
	cipher.NewCBCDecrypter(block, data[:16]).CryptBlocks(out, data[16:16+n])
	if p := int(out[n-1]); p >= 1 && p <= 16 {
		out = out[:n-p]
	}
	return out
}

// object decrypts all strings in an object, and its stream.
func (c *crypt) object(o Object, num, gen, depth int) Object {
	if depth > maxDepth {
		return nil
	}
	switch v := o.(type) {
	case String:
		return String(c.decrypt(c.strings, num, gen, []byte(v)))
	case Array:
		for i := range v {
			v[i] = c.object(v[i], num, gen, depth+1)
		}
	case Dict:
		for k := range v {
			v[k] = c.object(v[k], num, gen, depth+1)
		}
	case *Stream:
		if v.Dict["Type"] == Name("XRef") {
			return v
		}
		c.object(v.Dict, num, gen, depth+1)
		if v.Dict["Type"] == Name("Metadata") && !c.metadata || hasIdentity(v.Dict) {
			return v
		}
		v.raw = c.decrypt(c.streams, num, gen, v.raw)
	}
	return o
}

// hasIdentity reports whether a stream has a crypt filter that leaves it
// unencrypted.
func hasIdentity(d Dict) bool {
	first := d["Filter"]
	if a, ok := first.(Array); ok && len(a) > 0 {
		first = a[0]
	}
	if first != Name("Crypt") {
		return false
	}
	parms := d["DecodeParms"]
	if a, ok := parms.(Array); ok && len(a) > 0 {
		parms = a[0]
	}
	p, _ := parms.(Dict)
	name, _ := p["Name"].(Name)
	return name == "" || name == "Identity"
}
