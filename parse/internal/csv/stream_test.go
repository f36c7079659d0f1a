// SPDX-License-Identifier: Apache-2.0

package csv

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func keep(s string) string { return s }

// streamed reads records with a small window.
func streamed(text string, size, most int, comma byte) (list [][]string, err error) {
	s := stream{r: iotest.HalfReader(strings.NewReader(text)), clean: keep, size: size, most: most}
	if err := s.fill(); err != nil {
		return nil, err
	}
	s.comma = comma
	var record []string
	for {
		ok, err := s.next(&record)
		if !ok || err != nil {
			return list, err
		}
		list = append(list, slices.Clone(record))
	}
}

// TestStream compares streams with small windows with the records of the whole
// text.
func TestStream(t *testing.T) {
	for _, text := range []string{
		"", "\n\n", "a,b\n1,2", "a,b\r\n1,2\r\n", "a\rb\r", "ä,\"b\nc\"\"d\",e\n1,2,3\n", `"never,closed` + "\nnext,line\n",
		strings.Repeat("x", 100) + ",y\nz", "a, \"b,c\" ,d\n", `"a"b,c` + "\n1,2\n", "水鳥,泳\n\U0001F986\n",
	} {
		var want [][]string
		for r := range Records(text, ',') {
			want = append(want, r)
		}
		for size := 1; size < 40; size++ {
			got, err := streamed(text, size, 1<<20, ',')
			if d := cmp.Diff(want, got); d != "" || err != nil {
				t.Fatalf("%q in parts of %d: %v %s", text, size, err, d)
			}
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add("a,\"b\r\nc\"\r\n1, \"2\",3\r\n\"x", uint8(3))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		var want [][]string
		for r := range Records(text, ',') {
			want = append(want, r)
		}
		got, err := streamed(text, 1+int(size), 1<<30, ',')
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Fatalf("%v %s", err, d)
		}
	})
}

// TestStreamLimits reads records that are longer than the window may be.
func TestStreamLimits(t *testing.T) {
	if _, err := streamed(strings.Repeat("x", 1000)+"\ny", 10, 100, ','); !errors.Is(err, errRecord) {
		t.Errorf("a long record: %v", err)
	}
	got, err := streamed("\"a\n"+strings.Repeat("x\n", 1000), 10, 100, ',')
	if err != nil || len(got) != 1001 || got[0][0] != `"a` {
		t.Errorf("a quote that is not closed: %d records, %v", len(got), err)
	}
	broken := errors.New("broken")
	n := 0
	for record, err := range Stream(io.MultiReader(strings.NewReader("a;b\n1;2\n"), iotest.ErrReader(broken)), 0, keep, new([]string)) {
		if n++; err != nil && (!errors.Is(err, broken) || record != nil) {
			t.Errorf("%v, %v", record, err)
		}
	}
	if n != 1 {
		t.Errorf("%d results of a source that fails", n)
	}
	var said []string
	for record, err := range Stream(strings.NewReader("sep=;\na;b\n1;2\n"), 0, keep, new([]string)) {
		said = append(said, fmt.Sprint(record, err))
	}
	if d := cmp.Diff([]string{"[a b] <nil>", "[1 2] <nil>"}, said); d != "" {
		t.Error(d)
	}
}
