// SPDX-License-Identifier: Apache-2.0

package wrapper_test

import (
	"fmt"
	"testing"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/wrapper"
)

// TestTwoPagesAgree trusts what a text means for a boolean when the model has said so for two
// pages. While a second page is being asked, the others wait.
func TestTwoPagesAgree(t *testing.T) {
	table := glasshouses(t)
	seed := func(n int, text string, heated bool) wrapper.Seed {
		return wrapper.Seed{Page: pageOf(n, fmt.Sprintf("Palm House %d", n), text), Row: finding.Row{
			"house":  {Value: fmt.Sprintf("Palm House %d", n), Grade: finding.GradeExact, Lines: [2]int{1, 1}},
			"heated": {Value: heated, Grade: finding.GradeDerived, Lines: [2]int{2, 2}},
		}}
	}
	reads := func(w *wrapper.Wrapper, text string) any {
		row, sure := w.Read(pageOf(99, "Palm House 99", text), table, nil)
		if got := row["heated"].Value; sure != (got != nil) {
			t.Errorf("%s: got %v, sure %v", text, got, sure)
		}
		return row["heated"].Value
	}
	learn := func() *wrapper.Wrapper {
		return wrapper.Induce(table, []wrapper.Seed{seed(1, "gas", true), seed(2, "cold", false), seed(3, "gas", true)})
	}
	w := learn()
	if got := reads(w, "gas"); got != true {
		t.Errorf("a text of two pages: got %v", got)
	}
	if got := reads(w, "cold"); got != nil {
		t.Errorf("a text of one page: got %v", got)
	}
	first, second := seed(4, "stoves", true), seed(5, "stoves", true)
	for _, s := range []wrapper.Seed{first, second} {
		wait, done := w.Ask(s.Page, table)
		if wait != nil || done == nil {
			t.Fatalf("page %s is not asked about", s.Page.Rec.ID)
		}
		if other, _ := w.Ask(pageOf(9, "Palm House 9", "stoves"), table); other == nil {
			t.Errorf("another page does not wait for page %s", s.Page.Rec.ID)
		}
		if got := reads(w, "stoves"); got != nil {
			t.Errorf("before page %s: got %v", s.Page.Rec.ID, got)
		}
		w.Teach(table, s)
		w.Teach(table, s) // the same page again is no second witness
		done()
	}
	if got := reads(w, "stoves"); got != true {
		t.Errorf("a text of two later pages: got %v", got)
	}
	w.Teach(table, seed(6, "cold", true)) // contradicts page 2
	if got := reads(w, "gas"); got != nil {
		t.Errorf("after a contradiction: got %v", got)
	}

	words := new(wrapper.Words)
	one, other := learn(), learn()
	one.Share(words)
	other.Share(words)
	if got := reads(other, "cold"); got != nil {
		t.Errorf("a text of one page that taught two templates: got %v", got)
	}
	one.Teach(table, seed(7, "cold", false))
	if got := reads(other, "cold"); got != false {
		t.Errorf("a text of one page of each of two templates: got %v", got)
	}
}
