// SPDX-License-Identifier: Apache-2.0

package unread_test

import (
	"testing"

	"example.com/curlew/format/internal/unread"
	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// FuzzCount checks that any page can be counted.
func FuzzCount(f *testing.F) {
	f.Add(`<select><option>a b<canvas>c</canvas><noscript><img src=a alt="b c"></noscript><button><h2>d</h2></button><video><track src=e></video><div aria-hidden=true>`)
	f.Fuzz(func(t *testing.T, s string) {
		d, err := dom.Parse(t.Context(), []byte(s), "text/html; charset=utf-8")
		if err != nil {
			t.Skip()
		}
		var c unread.Count
		for n := range d.Root.Descendants() {
			c.Image(n)
			c.Media(n)
			c.Add(n)
		}
		_ = c.Text()
	})
}
