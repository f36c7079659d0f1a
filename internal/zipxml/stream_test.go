// SPDX-License-Identifier: Apache-2.0

package zipxml_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"example.com/curlew/internal/zipxml"
	"example.com/curlew/internal/zipxml/zipxmltest"
)

// TestStream reads parts piece by piece and as texts, within the limits.
func TestStream(t *testing.T) {
	long := strings.Repeat("<a>long part</a>", 10_000)
	data := zipxmltest.Pack(zipxmltest.Part{Name: "stored", Text: "one"}, zipxmltest.Part{Name: "long", Text: long}, zipxmltest.Part{Name: "zeros", Text: strings.Repeat("\x00", 20<<20)})
	open := func(l zipxml.Limits) *zipxml.Archive {
		a, err := zipxml.Open(bytes.NewReader(data), int64(len(data)), l)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, c := range []struct {
		name   string
		limits zipxml.Limits
		size   int
		want   error
	}{
		{"stored", zipxml.Limits{}, 3, nil},
		{"long", zipxml.Limits{}, len(long), nil},
		{"long", zipxml.Limits{Part: 10}, len(long), nil}, // streams go to the total
		{"long", zipxml.Limits{Total: int64(len(long))}, len(long), nil},
		{"long", zipxml.Limits{Total: int64(len(long)) - 1}, -1, zipxml.ErrLimit},
		{"zeros", zipxml.Limits{}, -1, zipxml.ErrLimit}, // by its ratio
		{"none", zipxml.Limits{}, -1, fs.ErrNotExist},
	} {
		a := open(c.limits)
		r, err := a.Stream(c.name)
		var got []byte
		if err == nil {
			got, err = io.ReadAll(r)
			r.Close()
		}
		if !errors.Is(err, c.want) || err != nil && c.want == nil || c.size >= 0 && len(got) != c.size {
			t.Errorf("%s %+v: %d bytes, %v", c.name, c.limits, len(got), err)
		}
	}
	if text, err := open(zipxml.Limits{}).Text("long"); err != nil || text != long {
		t.Errorf("Text: %d bytes, %v", len(text), err)
	}
	if text, err := open(zipxml.Limits{}).Text("zeros"); !errors.Is(err, zipxml.ErrLimit) || text != "" {
		t.Errorf("Text of a bomb: %d bytes, %v", len(text), err)
	}
}
