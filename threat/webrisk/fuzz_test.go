// SPDX-License-Identifier: Apache-2.0

package webrisk_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/curlew/threat/webrisk"
)

// cutEntries returns the words of 4 to 32 bytes of a text as sorted prefixes.
func cutEntries(text string) []string {
	var list []string
	for w := range strings.FieldsSeq(text) {
		if len(w) >= 4 && len(w) <= 32 && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	slices.Sort(list)
	return list
}

// FuzzDiff applies arbitrary responses. Apply checks that the old list does not
// change and that the new one has the checksum of the response. The entries
// must be in byte order.
func FuzzDiff(f *testing.F) {
	f.Add("aaaa bbbbb", []byte(`{"responseType":"RESET","additions":{"rawHashes":[{"prefixSize":4,"rawHashes":"YWJjZA=="}]},"newVersionToken":"eA==","checksum":{"sha256":"`+sum("abcd")+`"}}`))
	f.Add("aaaa bbbbb", []byte(`{"responseType":"DIFF","removals":{"rawIndices":{"indices":[0]}},"checksum":{"sha256":"`+sum("bbbbb")+`"}}`))
	f.Add("aaaa", []byte(`{"responseType":"DIFF","removals":{"rawIndices":{"indices":[4294967296,-1,0,0]}}}`))
	f.Add("", []byte(`{"responseType":"RESET","additions":{"riceHashes":{}}}`))
	f.Fuzz(func(t *testing.T, old string, body []byte) {
		list, err := webrisk.Apply(cutEntries(old), body)
		if err == nil && !slices.IsSorted(list) {
			t.Errorf("%q is out of order", list)
		}
	})
}

// FuzzSearch decodes arbitrary responses to a search. Only confirmed hashes may
// be threats.
func FuzzSearch(f *testing.F) {
	hash := sha256.Sum256([]byte("bad.example/"))
	f.Add([]byte(`{"threats":[{"hash":"c9mG4A==","threatTypes":["MALWARE"],"expireTime":"2030-01-01T00:00:00Z"}],"negativeExpireTime":"2030-01-01T00:00:00Z"}`), 4)
	f.Add(fmt.Appendf(nil, `{"threats":[{"hash":"%s","threatTypes":["MALWARE","MALWARE","X"]},{"hash":"%[1]s","threatTypes":["SOCIAL_ENGINEERING"]}]}`, sum("bad.example/")), 9)
	f.Fuzz(func(t *testing.T, body []byte, n int) {
		prefix := string(hash[:4+max(n, 0)%29])
		types, _, err := webrisk.Search(body, prefix, hash)
		if err != nil || len(types) == 0 {
			return
		}
		for _, kind := range types {
			if kind != "MALWARE" && kind != "SOCIAL_ENGINEERING" {
				t.Errorf("type %q was not asked for", kind)
			}
		}
		if !bytes.Contains(body, []byte("hreat")) && !bytes.Contains(bytes.ToLower(body), []byte(`\u`)) && !bytes.Contains(bytes.ToLower(body), []byte("threat")) {
			t.Errorf("%q confirms a threat", body)
		}
	})
}

// FuzzListFile decodes arbitrary files. Each must be refused, or be a list that
// encodes to the same file.
func FuzzListFile(f *testing.F) {
	f.Add(webrisk.EncodeFile([]string{"aaaa", "bbbbb", "cccc"}, "token", time.Unix(1e9, 0)), true)
	f.Add([]byte("curlew/webrisk/1\n"), true)
	f.Fuzz(func(t *testing.T, b []byte, mend bool) {
		const start = len("curlew/webrisk/1\n")
		if mend && len(b) > start+sha256.Size { // repair the checksum, so that the rest is decoded
			b = bytes.Clone(b)
			copy(b, "curlew/webrisk/1\n")
			sum := sha256.Sum256(b[start+sha256.Size:])
			copy(b[start:], sum[:])
		}
		entries, again, err := webrisk.DecodeFile(b)
		if err != nil {
			return
		}
		if !slices.IsSorted(entries) {
			t.Errorf("%q is out of order", entries)
		}
		twice, third, err := webrisk.DecodeFile(again)
		if err != nil || !slices.Equal(twice, entries) || !bytes.Equal(third, again) {
			t.Errorf("written and read again: %q, %v, want %q", twice, err, entries)
		}
	})
}
