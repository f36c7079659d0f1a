// SPDX-License-Identifier: Apache-2.0

package lock_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/lock"
)

func TestMain(m *testing.M) { leak.Main(m) }

// agile returns a container encrypted by excelize.
func agile(t testing.TB, plain []byte, password string) []byte {
	t.Helper()
	data, err := excelize.Encrypt(plain, &excelize.Options{Password: password})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAgile(t *testing.T) {
	// excelize writes shorter streams that no other program can read.
	for _, size := range []int{4095, 4096, 4097, 20_000} {
		want := bytes.Repeat([]byte("PK\x03\x04 package "), size/12+1)[:size]
		data := agile(t, want, "pässwort")
		got, err := lock.Open(t.Context(), data, "pässwort")
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d bytes, %v", size, len(got), err)
		}
		if _, err := lock.Open(t.Context(), data, "passwort"); !errors.Is(err, lock.ErrPassword) {
			t.Errorf("wrong password: %v", err)
		}
	}
}

// standard encrypts by the rules of [MS-OFFCRYPTO] 2.3.4.7, because no
// available library writes Standard encryption.
func standard(plain []byte, password string, bits uint32) (info, locked []byte) {
	le := binary.LittleEndian
	salt := []byte("0123456789abcdef")
	h := sha1.New()
	h.Write(salt)
	h.Write([]byte(cfbtest.Wide(password)))
	sum := h.Sum(nil)
	for i := range uint32(50_000) {
		h.Reset()
		h.Write(le.AppendUint32(nil, i))
		h.Write(sum)
		sum = h.Sum(nil)
	}
	h.Reset()
	h.Write(sum)
	h.Write([]byte{0, 0, 0, 0})
	sum = h.Sum(nil)
	var key []byte
	for _, pad := range []byte{0x36, 0x5C} {
		b := bytes.Repeat([]byte{pad}, 64)
		for i := range sum {
			b[i] ^= sum[i]
		}
		k := sha1.Sum(b)
		key = append(key, k[:]...)
	}
	block, _ := aes.NewCipher(key[:bits/8])
	encrypt := func(b []byte) []byte {
		b = append(bytes.Clone(b), make([]byte, (16-len(b)%16)%16)...)
		for i := 0; i < len(b); i += 16 {
			block.Encrypt(b[i:], b[i:i+16])
		}
		return b
	}
	verifier := []byte("fedcba9876543210")
	check := sha1.Sum(verifier)
	info = le.AppendUint16(le.AppendUint16(nil, 4), 2)
	info = le.AppendUint32(info, 0x24)
	info = le.AppendUint32(info, 32+2)
	for _, v := range []uint32{0x24, 0, 0x660E, 0x8004, bits, 0x18, 0, 0} {
		info = le.AppendUint32(info, v)
	}
	info = append(info, 0, 0)
	info = append(le.AppendUint32(info, 16), salt...)
	info = append(info, encrypt(verifier)...)
	info = append(le.AppendUint32(info, 20), encrypt(append(check[:], make([]byte, 12)...))...)
	return info, append(le.AppendUint64(nil, uint64(len(plain))), encrypt(plain)...)
}

// container returns an OLE container with two streams.
func container(info, locked []byte) []byte {
	return cfbtest.Pack(cfbtest.Stream{Name: "EncryptionInfo", Data: info}, cfbtest.Stream{Name: "EncryptedPackage", Data: locked})
}

func TestStandard(t *testing.T) {
	want := []byte(strings.Repeat("PK\x03\x04 old package ", 300))
	for _, bits := range []uint32{128, 256} {
		data := container(standard(want, "secret", bits))
		got, err := lock.Open(t.Context(), data, "secret")
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bits: %d bytes, %v", bits, len(got), err)
		}
		if _, err := lock.Open(t.Context(), data, "Secret"); !errors.Is(err, lock.ErrPassword) {
			t.Errorf("wrong password: %v", err)
		}
	}
}

// header returns an Agile encryption header with given parameters.
func header(spin, hash, bits string) []byte {
	key := `saltSize="16" blockSize="16" keyBits="` + bits + `" hashSize="64" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="` + hash + `" saltValue="AAAAAAAAAAAAAAAAAAAAAA=="`
	return []byte("\x04\x00\x04\x00\x40\x00\x00\x00" + `<encryption><keyData ` + key + `/><keyEncryptors><keyEncryptor><encryptedKey spinCount="` + spin + `" ` + key +
		` encryptedVerifierHashInput="AAAA" encryptedVerifierHashValue="AAAA" encryptedKeyValue="AAAA"/></keyEncryptor></keyEncryptors></encryption>`)
}

func TestErrors(t *testing.T) {
	body := make([]byte, 5000)
	old, locked := standard([]byte("x"), "", 128)
	for _, c := range []struct {
		what string
		data []byte
		want error
	}{
		{"nothing", nil, cfb.ErrMalformed},
		{"no streams", container(nil, nil)[:512], cfb.ErrMalformed},
		{"spin count", container(header("4294967295", "SHA512", "256"), body), lock.ErrLimit},
		{"hash", container(header("1", "MD2", "256"), body), lock.ErrUnsupported},
		{"key", container(header("1", "SHA1", "40"), body), lock.ErrUnsupported},
		{"short values", container(header("1", "SHA256", "128"), body), lock.ErrPassword},
		{"no XML", container([]byte("\x04\x00\x04\x00\x40\x00\x00\x00<a"), body), cfb.ErrMalformed},
		{"version", container([]byte("\x03\x00\x03\x00\x40\x00\x00\x00<a"), body), lock.ErrUnsupported},
		{"size", container(old, append(bytes.Repeat([]byte{0xFF}, 8), locked...)), cfb.ErrMalformed},
	} {
		if _, err := lock.Open(t.Context(), c.data, "x"); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("enough"))
	if _, err := lock.Open(ctx, agile(t, body, "x"), "x"); err == nil || err.Error() != "enough" {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := lock.Open(t.Context(), agile(t, body, "x"), strings.Repeat("x", 300)); !errors.Is(err, lock.ErrPassword) {
		t.Errorf("long password: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(container(standard([]byte("PK"), "x", 128)))
	f.Add(container(header("1", "SHA256", "128"), make([]byte, 5000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		plain, err := lock.Open(t.Context(), data, "x")
		if err == nil && len(plain) > 8*len(data)+1<<20 {
			t.Errorf("%d bytes of %d", len(plain), len(data))
		}
	})
}
