// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
)

var (
	lengths   = regexp.MustCompile(`/Length\s+\d+`)
	starts    = regexp.MustCompile(`startxref\s+\d+`)
	tableRows = regexp.MustCompile(`\d{10} \d{5} [nf]`)
	trailers  = regexp.MustCompile(`trailer`)
	xrefs     = regexp.MustCompile(`/Type\s*/XRef`)
	ends      = regexp.MustCompile(`endobj|endstream`)
	roots     = regexp.MustCompile(`/Root\s+\d+ \d+ R`)
	sizes     = regexp.MustCompile(`/(Size|N|First|Count|Prev)\s+\d+`)
)

// unmap returns a copy of a PDF in which one to three parts of the
// cross-reference data are damaged.
func unmap(r *rand.Rand, data []byte) []byte {
	out := slices.Clone(data)
	replace := func(re *regexp.Regexp, with func(old []byte) []byte, one bool) {
		chosen := -1
		if one {
			chosen = r.IntN(max(1, len(re.FindAllIndex(out, -1))))
		}
		i := -1
		out = re.ReplaceAllFunc(out, func(old []byte) []byte {
			if i++; one && i != chosen {
				return old
			}
			return with(old)
		})
	}
	blank := func(old []byte) []byte { return bytes.Repeat([]byte(" "), len(old)) }
	other := func(old []byte) []byte {
		at := bytes.IndexAny(old, "0123456789")
		if at < 0 {
			return old
		}
		return fmt.Appendf(slices.Clone(old[:at]), "%0*d", len(old)-at, r.IntN(1+min(len(out), pow10(len(old)-at))))
	}
	for range 1 + r.IntN(3) {
		switch r.IntN(12) {
		case 0:
			replace(starts, other, false)
		case 1:
			replace(tableRows, func(old []byte) []byte { return slices.Concat(other(old[:10]), old[10:]) }, r.IntN(2) == 0)
		case 2:
			replace(trailers, blank, false)
		case 3:
			replace(xrefs, blank, false)
		case 4:
			replace(lengths, other, r.IntN(2) == 0)
		case 5:
			replace(ends, blank, r.IntN(2) == 0)
		case 6:
			replace(roots, other, false)
		case 7:
			replace(sizes, other, true)
		case 8:
			out = out[:len(out)-r.IntN(1+len(out)/2)] // truncate
		case 9:
			out = slices.Concat(bytes.Repeat([]byte("junk\r\n"), r.IntN(140)), out)
		case 10:
			out = bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n"))
		case 11:
			at := r.IntN(len(out) + 1)
			out = slices.Insert(out, at, []byte("\ninserted\n")...)
		}
	}
	return out
}

// pow10 returns the smallest number with more than n digits, at most
// 1,000,000,000.
func pow10(n int) int {
	v := 1
	for range min(n, 9) {
		v *= 10
	}
	return v
}
