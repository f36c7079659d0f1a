// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/test/golden"
)

// sample returns a response that uses every field of an entry.
func sample() (*fetch.Response, time.Time) {
	return &fetch.Response{
		URL:    "http://a.test/page?q=1&r=%zz",
		Status: http.StatusOK,
		Header: http.Header{
			"Content-Type": {"text/html; charset=utf-8"},
			"Etag":         {`W/"1"`},
			"Link":         {"</a>; rel=next", "</b>; rel=prev"},
			"X-Empty":      {""},
			"X-Bytes":      {"gr\xfcn"},
		},
		Body: []byte("<title>A page</title>\n\nIts body.\n"),
	}, time.Date(2026, 1, 1, 0, 0, 0, 1, time.UTC)
}

// TestFileFormat fixes the format of cache files, which outlive the process.
func TestFileFormat(t *testing.T) {
	r, at := sample()
	file := fetch.EncodeFile(fetch.Key{0: 0xab, 31: 0x01}, fetch.EncodeEntry(r, at))
	golden.Check(t, golden.Testdata("fetch/page.cache"), file)
}

func TestEntry(t *testing.T) {
	want, at := sample()
	got, err := fetch.DecodeEntry(fetch.EncodeEntry(want, at))
	if err != nil {
		t.Fatal(err)
	}
	if !got.Cached.Equal(at) {
		t.Errorf("time = %v, want %v", got.Cached, at)
	}
	got.Cached = time.Time{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}

	odd := &fetch.Response{URL: "http://a.test/", Status: 200, Header: http.Header{
		"X-Line": {"a\nX-Other: b"}, "X Space": {"1"}, "": {"2"}, "X-Kept": {" spaces "},
	}}
	got, err = fetch.DecodeEntry(fetch.EncodeEntry(odd, at))
	if err != nil || len(got.Body) != 0 || cmp.Diff(got.Header, http.Header{"X-Kept": {" spaces "}}) != "" {
		t.Errorf("an odd header = %+v, %v", got, err)
	}
}

func TestEntryDamaged(t *testing.T) {
	tests := []struct{ name, entry string }{
		{"empty", ""},
		{"head without an end", "200 1 0\nhttp://a.test/\nA: b\n"},
		{"one line", "200 1 0\n\n"},
		{"no status", " 1 0\nhttp://a.test/\n\n"},
		{"a small status", "99 1 0\nhttp://a.test/\n\n"},
		{"a large status", "1000 1 0\nhttp://a.test/\n\n"},
		{"no time", "200  0\nhttp://a.test/\n\n"},
		{"a time past all times", "200 99999999999999999999 0\nhttp://a.test/\n\n"},
		{"no length", "200 1\nhttp://a.test/\n\n"},
		{"more than its length", "200 1 0\nhttp://a.test/\n\nx"},
		{"less than its length", "200 1 2\nhttp://a.test/\n\nx"},
		{"below zero", "200 1 -1\nhttp://a.test/\n\n"},
		{"a field without a colon", "200 1 0\nhttp://a.test/\nA\n\n"},
		{"a field without a name", "200 1 0\nhttp://a.test/\n: b\n\n"},
		{"a control character", "200 1 0\nhttp://a.test/\nA: \x00\n\n"},
		{"a control character in the URL", "200 1 0\nhttp://a.test/\r\n\n"},
		{"a head without end", "200 1 0\nhttp://a.test/\n" + strings.Repeat("A: b\n", 200_000) + "\n"},
	}
	for _, test := range tests {
		if r, err := fetch.DecodeEntry([]byte(test.entry)); err == nil {
			t.Errorf("%s: %+v, want an error", test.name, r)
		}
	}
	if _, err := fetch.DecodeEntry([]byte("200 -1 1\nhttp://a.test/\n\nx")); err != nil {
		t.Errorf("an entry from before 1970: %v", err)
	}
}

// FuzzCacheFile decodes arbitrary files. A file that decodes to a value must
// equal the encoding of that value, and a decoded entry must survive another
// round trip.
func FuzzCacheFile(f *testing.F) {
	key := fetch.Key{0: 0xab, 31: 0x01}
	r, at := sample()
	entry := fetch.EncodeEntry(r, at)
	f.Add(fetch.EncodeFile(key, entry))
	f.Add(fetch.EncodeFile(key, nil))
	f.Add(fetch.EncodeFile(fetch.Key{}, entry))
	f.Add(entry)
	f.Add([]byte("301 0 0\nhttp://a.test/\nLocation: /\n\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if value, err := fetch.DecodeFile(key, file); err == nil && !bytes.Equal(fetch.EncodeFile(key, value), file) {
			t.Errorf("%q is taken for a file of %q", file, value)
		}
		first, err := fetch.DecodeEntry(file)
		if err != nil {
			return
		}
		again, err := fetch.DecodeEntry(fetch.EncodeEntry(first, first.Cached))
		if err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("written again it differs (-first +again):\n%s", diff)
		}
	})
}
