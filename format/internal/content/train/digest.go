// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"example.com/curlew/format/internal/content"
)

// digestLine begins the line of weights.go that contains the digest.
const digestLine = "// Digest of what they are fitted to: "

// digest returns a hash of all that the stages are fitted to: the pages, their truths, all features, and
// the parameters. The scorers are not fitted yet, so their answers are taken from the truth. It
// changes with the code that computes features or candidates, but not with the code that fits.
func (t *trainer) digest() string {
	h := sha256.New()
	fmt.Fprintln(h, ofFirst, ofSecond, ofRank, ofTrust, ofKind, folds, groups)
	for _, n := range t.names {
		fmt.Fprintln(h, n.word.Value(), n.near)
	}
	fmt.Fprintln(h, lexiconRate, lexiconL1, lexiconL2, lexiconRounds)
	put(h, t.target)
	put(h, t.weight)
	for _, s := range t.all {
		fmt.Fprintln(h, s.id, s.set, s.kind, s.fold, s.group, s.size, s.weight(), s.known, s.terms)
		if len(s.blocks) == 0 {
			continue
		}
		second := s.page.NewSecond(s.label)
		var row content.Row
		for i := range s.rows {
			copy(row[:], s.rows[i])
			second.Features(i, &row)
			put(h, row[:])
		}
		for _, pick := range s.page.Picks(s.label) {
			put(h, pick.Row[:])
			put(h, []float32{float32(s.f1(pick.Keep))})
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// put adds values to h.
func put(h hash.Hash, values []float32) {
	_ = binary.Write(h, binary.LittleEndian, values) // a hash takes everything
}

var errOther = errors.New("the weights were fitted to something else")

// verify reports whether the weights in a file are fitted to what t would fit them to.
func (t *trainer) verify(w io.Writer, file string) error {
	text, err := os.ReadFile(file) //nolint:gosec // the caller names it
	if err != nil {
		return err
	}
	_, after, _ := bytes.Cut(text, []byte(digestLine))
	stored, _, _ := bytes.Cut(after, []byte("\n"))
	now := t.digest()
	fmt.Fprintf(w, "digest now %s, of %s %s\n", now, file, stored)
	if string(stored) != now {
		return errOther
	}
	return nil
}
