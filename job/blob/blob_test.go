// SPDX-License-Identifier: Apache-2.0

package blob_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/curlew/job/blob"
	"example.com/curlew/job/blob/blobtest"
)

func open(t *testing.T, dir string) *blob.Dir {
	t.Helper()
	d, err := blob.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return d
}

func TestDir(t *testing.T) {
	blobtest.Check(t, func(t *testing.T) blob.Store { return open(t, filepath.Join(t.TempDir(), "made", "here")) })
}

// TestDirUnfinished tests what a crash in the middle of a Put leaves behind.
func TestDirUnfinished(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir)
	if err := d.Put(t.Context(), "day/job/a", []byte("a")); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, "day", "job", ".unfinished-1")
	if err := os.WriteFile(left, []byte("hal"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, err := range d.List(t.Context(), "day/job") {
		if err != nil || name != "a" {
			t.Errorf("listed %q, %v", name, err)
		}
	}
	if err := d.Remove(t.Context(), "day/job"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the unfinished file stays: %v", err)
	}
}

// TestDirFailed tests that a failed Put leaves nothing, and that an earlier object stays.
func TestDirFailed(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir)
	if err := d.Put(t.Context(), "job/a", []byte("a")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "job", "b", "c"), 0o700); err != nil { // the rename fails
		t.Fatal(err)
	}
	if err := d.Put(t.Context(), "job/b", []byte("b")); err == nil {
		t.Error("a Put in the place of a folder succeeded")
	}
	if err := d.Put(t.Context(), "job/a/x", []byte("x")); err == nil {
		t.Error("a Put below an object succeeded")
	}
	files, err := os.ReadDir(filepath.Join(dir, "job"))
	if err != nil || len(files) != 2 {
		t.Errorf("files: %v, %v", files, err)
	}
	if got, err := d.Read(t.Context(), "job/a", 0, 1); err != nil || string(got) != "a" {
		t.Errorf("Read: %q, %v", got, err)
	}
}

// parts returns pieces of data that do and do not compress.
func parts() [][]byte {
	noise := make([]byte, 5000)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(noise)
	return [][]byte{{}, []byte("x"), []byte(strings.Repeat("word ", 50)), []byte(strings.Repeat("word ", 500)), noise, bytes.Repeat([]byte{0}, 100_000)}
}

func TestPack(t *testing.T) {
	var object []byte
	var packed []blob.Part
	plain := 0
	for _, data := range parts() {
		var p blob.Part
		object, p = blob.Pack(object, data)
		b, err := p.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		var read blob.Part
		if err := read.UnmarshalBinary(b); err != nil || read != p {
			t.Errorf("%+v became %+v, %v", p, read, err)
		}
		packed = append(packed, read)
		plain += len(data)
	}
	if len(object) > plain/10 {
		t.Errorf("%d bytes were packed into %d", plain, len(object))
	}
	for i, data := range parts() {
		p := packed[i]
		stored := object[p.At : p.At+p.Size]
		got, err := p.Open(stored)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("part %d: %d bytes, %v", i, len(got), err)
		}
		for at := 0; at < len(stored); at += 1 + len(stored)/50 {
			changed := bytes.Clone(stored)
			changed[at] ^= 1
			if got, err := p.Open(changed); !errors.Is(err, blob.ErrDamaged) || got != nil {
				t.Errorf("part %d with a change at %d: %d bytes, %v", i, at, len(got), err)
			}
			if got, err := p.Open(stored[:at]); !errors.Is(err, blob.ErrDamaged) || got != nil {
				t.Errorf("part %d cut at %d: %d bytes, %v", i, at, len(got), err)
			}
		}
		p.Plain++
		if _, err := p.Open(stored); p.Size != p.Plain-1 && !errors.Is(err, blob.ErrDamaged) {
			t.Errorf("part %d with another length: %v", i, err)
		}
	}
}

// FuzzPart reads references from foreign bytes.
func FuzzPart(f *testing.F) {
	_, p := blob.Pack(nil, []byte("data"))
	b, err := p.AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, []byte("data"))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, []byte("x"))
	f.Add(append([]byte{0, 4, 128, 128, 128, 4}, b[3:]...), []byte("data"))
	f.Fuzz(func(t *testing.T, b, stored []byte) {
		var p blob.Part
		if err := p.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, blob.ErrDamaged) {
				t.Errorf("error %v", err)
			}
			return
		}
		if data, err := p.Open(stored); err == nil && int64(len(data)) != p.Plain {
			t.Errorf("%d bytes, want %d", len(data), p.Plain)
		}
	})
}
