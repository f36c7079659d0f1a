// SPDX-License-Identifier: Apache-2.0

package ppt_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/test/cfbtest"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/ppt"
)

// TestOld reads presentations of PowerPoint 95, and those that have a copy for 97.
func TestOld(t *testing.T) {
	cyrillic := bytes.Replace(cfbtest.Summary(map[uint32]any{2: "\xC4\xE0"}), []byte("\xE4\x04"), []byte("\xE3\x04"), 1) // the code page 1251 instead of 1252
	newer, user := deck(nil, [][]byte{slide(0x3EE, 0, 0, shape(1, box(text(4, "newer"))))}, nil)
	stream := func(name, data string) cfbtest.Stream { return cfbtest.Stream{Name: name, Data: []byte(data)} }
	older := []cfbtest.Stream{
		stream("PowerPoint Document", strings.Repeat("\x03\x00\x00\x00\xFF\xFF\x00\x00", 20)), stream("PersistentStorage Directory", "x"),
		stream("Text_Content", "Title\r\rof \xC4\xE0\vnext\x00\r \r"), stream("\x05SummaryInformation", string(cyrillic)),
	}
	for _, c := range []struct {
		what     string
		streams  []cfbtest.Stream
		nodes    int
		want     string
		warnings int
	}{
		{"text", older, 0, "<title>Да</title></head><body><p>Title</p><p>of Да</p><p>next</p></body>", 1},
		{"too many nodes", older, 7, "<body><p>Title</p></body>", 2},
		{"with a copy for 97", append(older[:3:3], cfbtest.Stream{Name: "PP97_DUALSTORAGE/PowerPoint Document", Data: newer}, cfbtest.Stream{Name: "PP97_DUALSTORAGE/Current User", Data: user}), 0, "<p>newer</p>", 0},
	} {
		d, err := ppt.Read(t.Context(), cfbtest.Pack(c.streams...), ppt.Options{Nodes: c.nodes})
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		var b strings.Builder
		if err := html.Render(&b, d.Root); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want) || len(d.Warnings) != c.warnings {
			t.Errorf("%s: %s\n%v\nwant %s", c.what, b.String(), d.Warnings, c.want)
		}
	}
	if _, err := ppt.Read(t.Context(), cfbtest.Pack(older[0], older[1]), ppt.Options{}); !errors.Is(err, cfb.ErrMalformed) {
		t.Errorf("without its text: %v", err)
	}
}
