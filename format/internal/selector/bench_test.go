// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"

	"example.com/curlew/format/internal/selector"
)

// BenchmarkMatch compares common selectors on a page of 3,000 elements with
// cascadia in the same run.
func BenchmarkMatch(b *testing.B) {
	root := page(b, "<main>"+strings.Repeat(`<div class="card wide"><h2 id=h>T</h2><p>Words <a class=more href=/x>more</a></p><ul><li>a<li class=last>b</ul></div>`, 430)+"</main>")
	list := elements(root)
	for _, text := range []string{"article", ".card", "main .card > p a", "a[href^='/']", "li:last-child, .card:first-child h2", ".card:not(.wide) ~ div", "div:has(a)"} {
		b.Run("ours/"+text, func(b *testing.B) {
			s, err := selector.Parse(text)
			if err != nil {
				b.Fatal(err)
			}
			var set selector.Set
			set.Add(s)
			b.ReportAllocs()
			for b.Loop() {
				p := set.Start(context.Background(), root)
				for _, n := range list {
					if _, err := p.Match(n); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run("cascadia/"+text, func(b *testing.B) {
			s, err := cascadia.ParseGroup(text)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, n := range list {
					s.Match(n)
				}
			}
		})
	}
}

// BenchmarkRules matches rules of filter lists, most of which do not apply to
// the page.
func BenchmarkRules(b *testing.B) {
	root := page(b, "<main>"+strings.Repeat(`<div class="card wide"><h2 id=h>T</h2><p>Words <a class=more href=/x>more</a></p><ul><li>a<li class=last>b</ul></div>`, 430)+"</main>")
	list := elements(root)
	var texts []string
	for i := range 20_000 {
		texts = append(texts, fmt.Sprintf([]string{".ad-%d", "#ad-%d", "div[id^='ad-%d']", "a[href*='ad%d']", ".wrap-%d > .ad"}[[]int{0, 0, 0, 0, 0, 1, 1, 1, 2, 3, 4}[i%11]], i))
	}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			var set selector.Set
			for _, text := range texts {
				s, err := selector.Parse(text)
				if err != nil {
					b.Fatal(err)
				}
				set.Add(s)
			}
		}
	})
	var set selector.Set
	for _, text := range texts {
		s, err := selector.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		set.Add(s)
	}
	b.Run("match", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p := set.Start(context.Background(), root)
			for _, n := range list {
				if _, err := p.Match(n); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
