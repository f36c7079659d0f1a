// SPDX-License-Identifier: Apache-2.0

package ppt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/test/doctreetest"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/ppt"
)

// pad encrypts objects in these tests. The upper half of at is the object
// number.
func pad(b []byte, at int64) {
	for i := range b {
		b[i] ^= byte(at+int64(i))*7 ^ byte(at>>32)*31
	}
}

// encrypted encrypts every object of a presentation that the format
// encrypts, and adds the object with the encryption header, which gets the
// next number.
func encrypted(stream, user []byte, header string) []byte {
	le := binary.LittleEndian
	edit := le.Uint32(user[16:])
	directory := le.Uint32(stream[edit+8+12:])
	count := le.Uint32(stream[directory+8:]) >> 20
	entries := bytes.Clone(stream[directory+12 : directory+12+4*count])
	last := bytes.Clone(stream[edit+8 : edit+8+28])
	stream = bytes.Clone(stream[:directory])
	for i := range count {
		at := le.Uint32(entries[4*i:])
		end := at + 8 + le.Uint32(stream[at+4:])
		pad(stream[at:end], int64(i+1)<<32)
	}
	entries = le.AppendUint32(entries, uint32(len(stream)))
	stream = append(stream, rec(0x2F14, 0, header)...)
	le.PutUint32(last[12:], uint32(len(stream)))
	stream = append(stream, rec(0x1772, 0, 1|(count+1)<<20, string(entries))...)
	at := uint32(len(stream))
	stream = append(stream, rec(0xFF5, 0, string(last), count+1)...)
	return pack(stream, rec(0xFF6, 0, uint32(20), uint32(0xF3D1C4DF), at))
}

func TestEncrypted(t *testing.T) {
	wrong := fmt.Errorf("%w: password is wrong", cfb.ErrEncrypted)
	unlock := func(l cfb.Lock) (func([]byte, int64), error) {
		if string(l.Header) != "header" || l.Block != 1<<32 {
			return nil, wrong
		}
		return pad, nil
	}
	c, err := cfb.Open(talk())
	if err != nil {
		t.Fatal(err)
	}
	stream, user := c.Root.Stream("PowerPoint Document"), c.Root.Stream("Current User")
	data := encrypted(stream, user, "header")
	before := bytes.Clone(data)
	d, err := ppt.Read(t.Context(), data, ppt.Options{Unlock: unlock})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(doctreetest.Show(t, read(t, talk())), doctreetest.Show(t, d)); diff != "" {
		t.Errorf("encrypted, it differs (-plain +encrypted):\n%s", diff)
	}
	if !bytes.Equal(data, before) {
		t.Error("the caller's bytes were changed")
	}
	for what, c := range map[string]struct {
		data []byte
		o    ppt.Options
	}{
		"no password":      {data, ppt.Options{}},
		"a wrong one":      {encrypted(stream, user, "other"), ppt.Options{Unlock: unlock}},
		"nothing says how": {pack(stream, rec(0xFF6, 0, uint32(20), uint32(0xF3D1C4DF), uint32(0))), ppt.Options{Unlock: unlock}},
	} {
		if _, err := ppt.Read(t.Context(), c.data, c.o); !errors.Is(err, cfb.ErrEncrypted) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
