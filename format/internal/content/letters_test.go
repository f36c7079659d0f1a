// SPDX-License-Identifier: Apache-2.0

package content

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLetters compares the count that reads eight bytes at a time with one that looks up
// each byte, on texts in several scripts and on every byte at every position.
func TestLetters(t *testing.T) {
	slow := func(s string) (n int32) {
		for i := range len(s) {
			n += int32(kinds[s[i]] >> 7)
		}
		return n
	}
	texts := []string{"", "word", "eight by", "two  words\tand\n more\r\f.", "žluťoučký kůň, 漢字かな 🦩 \u00a0\u200b", strings.Repeat("a b", 50)}
	for c := range 256 {
		for at := range 9 {
			b := []byte("abc def ghi")
			b[at] = byte(c)
			texts = append(texts, string(b))
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		b := make([]byte, rnd.IntN(40))
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		texts = append(texts, string(b))
	}
	for _, s := range texts {
		if got, want := letters(s), slow(s); got != want {
			t.Errorf("letters(%q) = %d, want %d", s, got, want)
		}
	}
}
