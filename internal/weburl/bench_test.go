// SPDX-License-Identifier: Apache-2.0

package weburl_test

import (
	"testing"

	"example.com/curlew/internal/weburl"
)

func BenchmarkLink(b *testing.B) {
	base := must(b, "https://www.example.com/shop/list.html?page=2#top")
	for _, bm := range []struct{ name, ref string }{
		{"absolute-path", "/shop/garden/tools/item-1234.html?ref=list"},
		{"same-origin", "https://www.example.com/shop/garden/item-1234.html"},
		{"other-origin", "https://shop.example.org/garden/tools/item-1234.html"},
		{"bare-origin", "https://shop.example.org"},
		{"relative", "item-1234.html"},
		{"query", "?page=3"},
		{"fragment", "#comments"},
		{"slow-dots", "../garden/item-1234.html"},
		{"slow-scheme-relative", "//cdn.example.net/a/b.html"},
		{"slow-escape", "/straße/größe?q=ä b"},
		{"slow-idna", "http://bücher.example/"},
		{"slow-ipv4", "http://192.168.0.1/a"},
		{"slow-ipv6", "http://[2001:db8::1]:8080/a"},
		{"refused", "mailto:someone@example.com"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bm.ref)))
			for b.Loop() {
				_, _ = base.Link(bm.ref)
			}
		})
	}
}

func BenchmarkAppendKey(b *testing.B) {
	u := must(b, "https://www.example.com/shop/garden/index.html?ref=list#top")
	dst := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		dst = u.AppendKey(dst[:0], weburl.KeyOptions{})
	}
}

func BenchmarkHostKey(b *testing.B) {
	u := must(b, "https://www.shop.example.com/a")
	b.ReportAllocs()
	for b.Loop() {
		_ = u.HostKey()
	}
}

func BenchmarkRobotsPath(b *testing.B) {
	u := must(b, "https://www.example.com/shop/%E4%B8%AD/list.html?page=2")
	b.ReportAllocs()
	for b.Loop() {
		_ = u.RobotsPath()
	}
}

func BenchmarkRegistrable(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = weburl.Registrable("www.shop.example.co.uk")
	}
}
