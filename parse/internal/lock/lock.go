// SPDX-License-Identifier: Apache-2.0

package lock

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1" //nolint:gosec // what Standard encryption uses
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"hash"
	"unicode/utf16"

	"example.com/curlew/parse/internal/cfb"
)

// The reasons why a document cannot be decrypted, besides the errors of
// [cfb.Open].
var (
	ErrPassword    = errors.New("password is wrong")
	ErrUnsupported = errors.New("encryption method is not supported")
	ErrLimit       = errors.New("over a limit")
)

// Default is the password of documents that are only protected against
// changes. Office opens them without asking for a password.
const Default = "VelvetSweatshop"

const (
	maxSpin     = 1_000_000
	spins       = 50_000 // hash iterations of Standard encryption
	segment     = 4096   // bytes of a segment in Agile encryption
	maxPassword = 255    // characters
	checkEvery  = 1 << 14
)

// Open returns the decrypted package in the container data. The error wraps
// [ErrPassword], [ErrUnsupported], [ErrLimit], [cfb.ErrMalformed] or the
// cause that ended ctx.
func Open(ctx context.Context, data []byte, password string) ([]byte, error) {
	f, err := cfb.Open(data)
	if err != nil {
		return nil, err
	}
	info, locked := f.Root.Stream("EncryptionInfo"), f.Root.Stream("EncryptedPackage")
	if len(info) < 8 || len(locked) < 8 {
		return nil, fmt.Errorf("%w: no encrypted package", cfb.ErrMalformed)
	}
	secret := utf16.Encode([]rune(password))
	if len(secret) > maxPassword {
		return nil, ErrPassword
	}
	var word []byte
	for _, unit := range secret {
		word = binary.LittleEndian.AppendUint16(word, unit)
	}
	major, minor := binary.LittleEndian.Uint16(info), binary.LittleEndian.Uint16(info[2:])
	size := binary.LittleEndian.Uint64(locked)
	locked = locked[8:]
	if size > uint64(len(locked)) {
		return nil, fmt.Errorf("%w: encrypted package of %d bytes", cfb.ErrMalformed, size)
	}
	var plain []byte
	switch {
	case major == 4 && minor == 4:
		plain, err = agile(ctx, info[8:], locked, word)
	case minor == 2 && major >= 2 && major <= 4:
		plain, err = standard(ctx, info[8:], locked, word)
	default:
		return nil, fmt.Errorf("%w: version %d.%d", ErrUnsupported, major, minor)
	}
	if err != nil {
		return nil, err
	}
	return plain[:min(size, uint64(len(plain)))], nil
}

// spin hashes a salt and a password, then repeatedly a counter and the last
// hash.
func spin(ctx context.Context, h hash.Hash, salt, word []byte, times uint32) ([]byte, error) {
	h.Write(salt)
	h.Write(word)
	sum := h.Sum(nil)
	var counter [4]byte
	for i := range times {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		h.Reset()
		binary.LittleEndian.PutUint32(counter[:], i)
		h.Write(counter[:])
		h.Write(sum)
		sum = h.Sum(sum[:0])
	}
	return sum, nil
}

// sum returns the hash of the concatenated pieces.
func sum(h hash.Hash, pieces ...[]byte) []byte {
	h.Reset()
	for _, p := range pieces {
		h.Write(p)
	}
	return h.Sum(nil)
}

// standard decrypts Standard encryption (2.3.4.5 to 2.3.4.9).
func standard(ctx context.Context, info, locked, word []byte) ([]byte, error) {
	bad := fmt.Errorf("%w: encryption header", cfb.ErrMalformed)
	if len(info) < 4 {
		return nil, bad
	}
	size := uint64(binary.LittleEndian.Uint32(info))
	if size < 32 || size+4 > uint64(len(info)) {
		return nil, bad
	}
	header, verifier := info[4:4+size], info[4+size:]
	algorithm, bits := binary.LittleEndian.Uint32(header[8:]), binary.LittleEndian.Uint32(header[16:])
	switch algorithm {
	case 0, 0x660E, 0x660F, 0x6610:
	default:
		return nil, fmt.Errorf("%w: algorithm %#x", ErrUnsupported, algorithm)
	}
	if bits != 128 && bits != 192 && bits != 256 {
		return nil, fmt.Errorf("%w: key of %d bits", ErrUnsupported, bits)
	}
	if len(verifier) < 4+16+16+4+32 || binary.LittleEndian.Uint32(verifier) != 16 {
		return nil, bad
	}
	h := sha1.New() //nolint:gosec // what the format uses
	key, err := spin(ctx, h, verifier[4:20], word, spins)
	if err != nil {
		return nil, err
	}
	key = sum(h, key, []byte{0, 0, 0, 0})
	inner, outer := bytes.Repeat([]byte{0x36}, 64), bytes.Repeat([]byte{0x5C}, 64)
	subtle.XORBytes(inner, inner, key)
	subtle.XORBytes(outer, outer, key)
	key = append(sum(h, inner), sum(h, outer)...)[:bits/8]
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	given, want := blocks(block, verifier[20:36]), blocks(block, verifier[40:72])
	if subtle.ConstantTimeCompare(sum(h, given), want[:sha1.Size]) != 1 {
		return nil, ErrPassword
	}
	return blocks(block, locked), nil
}

// blocks decrypts in ECB mode and drops an incomplete last block.
func blocks(b cipher.Block, locked []byte) []byte {
	plain := make([]byte, len(locked)/aes.BlockSize*aes.BlockSize)
	for i := 0; i < len(plain); i += aes.BlockSize {
		b.Decrypt(plain[i:], locked[i:i+aes.BlockSize])
	}
	return plain
}

// binaryText is binary data, encoded in base64 in XML.
type binaryText []byte

// UnmarshalText decodes base64.
func (b *binaryText) UnmarshalText(text []byte) (err error) {
	*b, err = base64.StdEncoding.DecodeString(string(text))
	return err
}

// keyData has the encryption parameters of a key (2.3.4.10).
type keyData struct {
	BlockSize int        `xml:"blockSize,attr"`
	KeyBits   int        `xml:"keyBits,attr"`
	HashSize  int        `xml:"hashSize,attr"`
	Cipher    string     `xml:"cipherAlgorithm,attr"`
	Chaining  string     `xml:"cipherChaining,attr"`
	Hash      string     `xml:"hashAlgorithm,attr"`
	Salt      binaryText `xml:"saltValue,attr"`
}

type encryptedKey struct {
	keyData

	Spin  uint32     `xml:"spinCount,attr"`
	Input binaryText `xml:"encryptedVerifierHashInput,attr"`
	Value binaryText `xml:"encryptedVerifierHashValue,attr"`
	Key   binaryText `xml:"encryptedKeyValue,attr"`
}

// check returns an error if a parameter of k is not supported.
func (k *keyData) check() error {
	if k.Cipher != "AES" || k.Chaining != "ChainingModeCBC" || k.BlockSize != aes.BlockSize || hashOf(k.Hash) == nil {
		return fmt.Errorf("%w: %s, %s, %s", ErrUnsupported, k.Cipher, k.Chaining, k.Hash)
	}
	if k.KeyBits != 128 && k.KeyBits != 192 && k.KeyBits != 256 {
		return fmt.Errorf("%w: key of %d bits", ErrUnsupported, k.KeyBits)
	}
	return nil
}

func hashOf(name string) hash.Hash {
	switch name {
	case "SHA1", "SHA-1":
		return sha1.New() //nolint:gosec // the document says so
	case "SHA256", "SHA-256":
		return sha256.New()
	case "SHA384", "SHA-384":
		return sha512.New384()
	case "SHA512", "SHA-512":
		return sha512.New()
	}
	return nil
}

// Block keys for deriving keys for different purposes (2.3.4.11 and
// 2.3.4.13).
const (
	forInput = "\xFE\xA7\xD2\x76\x3B\x4B\x9E\x79"
	forValue = "\xD7\xAA\x0F\x6D\x30\x61\x34\x4E"
	forKey   = "\x14\x6E\x0B\xE7\xAB\xAC\xD0\xD6"
)

// agile decrypts Agile encryption (2.3.4.10 to 2.3.4.15).
func agile(ctx context.Context, info, locked, word []byte) ([]byte, error) {
	var e struct {
		Data keyData        `xml:"keyData"`
		Keys []encryptedKey `xml:"keyEncryptors>keyEncryptor>encryptedKey"`
	}
	if err := xml.Unmarshal(info, &e); err != nil {
		return nil, fmt.Errorf("%w: encryption header: %w", cfb.ErrMalformed, err)
	}
	if err := e.Data.check(); err != nil {
		return nil, err
	}
	err := fmt.Errorf("%w: no key for a password", ErrUnsupported)
	for i := range e.Keys {
		if i > 0 {
			break // the others are for certificates
		}
		var key []byte
		if key, err = e.Keys[i].open(ctx, word); err == nil {
			return e.Data.segments(ctx, key, locked)
		}
	}
	return nil, err
}

// open returns the key of the package.
func (k *encryptedKey) open(ctx context.Context, word []byte) ([]byte, error) {
	if err := k.check(); err != nil {
		return nil, err
	}
	if k.Spin > maxSpin {
		return nil, fmt.Errorf("%w: the password is hashed %d times", ErrLimit, k.Spin)
	}
	h := hashOf(k.Hash)
	base, err := spin(ctx, h, k.Salt, word, k.Spin)
	if err != nil {
		return nil, err
	}
	decrypt := func(use string, locked []byte) []byte {
		plain, _ := chained(fit(sum(h, base, []byte(use)), k.KeyBits/8), k.Salt, locked)
		return plain
	}
	input, value := decrypt(forInput, k.Input), decrypt(forValue, k.Value)
	want := sum(h, input[:min(len(input), len(k.Salt))])
	if len(value) < len(want) || subtle.ConstantTimeCompare(value[:len(want)], want) != 1 {
		return nil, ErrPassword
	}
	key := decrypt(forKey, k.Key)
	return fit(key, k.KeyBits/8), nil
}

// segments decrypts a package segment by segment.
func (k *keyData) segments(ctx context.Context, key, locked []byte) ([]byte, error) {
	h := hashOf(k.Hash)
	key = fit(key, k.KeyBits/8)
	plain := make([]byte, 0, len(locked))
	var counter [4]byte
	for i := uint32(0); len(locked) > 0; i++ {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		n := min(segment, len(locked))
		binary.LittleEndian.PutUint32(counter[:], i)
		piece, err := chained(key, sum(h, k.Salt, counter[:]), locked[:n])
		if err != nil {
			return nil, err
		}
		plain = append(plain, piece...)
		locked = locked[n:]
	}
	return plain, nil
}

// chained decrypts in CBC mode and drops an incomplete last block.
func chained(key, start, locked []byte) ([]byte, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	plain := make([]byte, len(locked)/aes.BlockSize*aes.BlockSize)
	cipher.NewCBCDecrypter(block, fit(start, aes.BlockSize)).CryptBlocks(plain, locked[:len(plain)])
	return plain, nil
}

// fit truncates or pads b to n bytes.
func fit(b []byte, n int) []byte {
	if len(b) >= n {
		return b[:n]
	}
	return append(bytes.Clone(b), bytes.Repeat([]byte{0x36}, n-len(b))...)
}
