// SPDX-License-Identifier: Apache-2.0

package wrapper_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/wrapper"
)

// dogs returns a table of dogs with texts and a boolean.
func dogs(t *testing.T) *outline.Table {
	t.Helper()
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string"},"sex":{"type":"string"},"breed":{"type":"string"},"stock":{"type":"boolean"}},"required":["name"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return o.Tables[0]
}

// dog returns page n, whose first line says its sex and breed.
func dog(n int, text, sex, breed string) wrapper.Seed {
	name := fmt.Sprintf("Rex %d", n)
	return wrapper.Seed{Page: pageOf(n, name, text), Row: finding.Row{
		"name":  {Value: name, Grade: finding.GradeExact, Lines: [2]int{1, 1}},
		"sex":   {Value: sex, Grade: finding.GradeExact, Lines: [2]int{2, 2}},
		"breed": {Value: breed, Grade: finding.GradeExact, Lines: [2]int{2, 2}},
	}}
}

// TestReadSplit reads two values that stand beside each other, of which one has one word on all
// pages. Two pages must have shown that word.
func TestReadSplit(t *testing.T) {
	table := dogs(t)
	ahead := []wrapper.Seed{
		dog(1, "Female Collie, aged 3 years", "Female", "Collie"), dog(2, "Male Terrier cross, aged 9 years", "Male", "Terrier cross"),
		dog(3, "Female Greyhound, aged 8 months", "Female", "Greyhound"), dog(4, "Male Collie, aged 8 years", "Male", "Collie"),
	}
	behind := []wrapper.Seed{
		dog(1, "Collie female, aged 3 years", "female", "Collie"), dog(2, "Terrier cross male, aged 9 years", "male", "Terrier cross"),
		dog(3, "Greyhound female, aged 8 months", "female", "Greyhound"), dog(4, "Collie male, aged 8 years", "male", "Collie"),
	}
	for _, test := range []struct {
		name       string
		seeds      []wrapper.Seed
		page       string
		sex, breed any
	}{
		{"a breed of two words", ahead, "Female Basset hound, aged 2 years", "Female", "Basset hound"},
		{"a breed of three words", ahead, "Male Old English sheepdog, aged 2 years", "Male", "Old English sheepdog"},
		{"a word that was not there before", ahead, "Neutered Basset, aged 2 years", nil, nil},
		{"a word that one page has", ahead[:3], "Male Basset, aged 2 years", nil, nil},
		{"a single word", ahead, "Female, aged 2 years", nil, nil},
		{"another part", ahead, "Female Basset, a hound, aged 2 years", nil, nil},
		{"behind", behind, "Basset hound female, aged 2 years", "female", "Basset hound"},
		{"an unknown word behind", behind, "Basset hound unknown, aged 2 years", nil, nil},
	} {
		row, _ := wrapper.Induce(table, test.seeds).Read(pageOf(9, "Rex 9", test.page), table, nil)
		if row["sex"].Value != test.sex || row["breed"].Value != test.breed {
			t.Errorf("%s: got %v, %v, want %v, %v", test.name, row["sex"].Value, row["breed"].Value, test.sex, test.breed)
		}
	}
}

// TestAskSplit lets pages with the same unknown word wait for one of them.
func TestAskSplit(t *testing.T) {
	table := dogs(t)
	w := wrapper.Induce(table, []wrapper.Seed{
		dog(1, "Female Collie, aged 3 years", "Female", "Collie"), dog(2, "Male Terrier cross, aged 9 years", "Male", "Terrier cross"), dog(3, "Female Greyhound, aged 8 months", "Female", "Greyhound"),
	})
	s := dog(4, "Male Whippet, aged 1 year", "Male", "Whippet")
	wait, done := w.Ask(s.Page, table)
	if wait != nil || done == nil {
		t.Fatal("no page is asked about")
	}
	later := pageOf(5, "Rex 5", "Male Saint Bernard, aged 2 years")
	if wait, _ := w.Ask(later, table); wait == nil {
		t.Error("a page with the same word does not wait")
	}
	w.Teach(table, s)
	done()
	if row, _ := w.Read(later, table, nil); row["breed"].Value != "Saint Bernard" {
		t.Errorf("after the second page: got %v", row)
	}
}

// TestLearnAgain learns a field again if what stands around it on the first pages is not the same
// on a later one. Other pages wait for that.
func TestLearnAgain(t *testing.T) {
	table := dogs(t)
	w := wrapper.Induce(table, []wrapper.Seed{
		dog(1, "Female Collie, aged 3 years", "Female", "Collie"), dog(2, "Female Terrier cross, aged 9 years", "Female", "Terrier cross"), dog(3, "Female Greyhound, aged 8 months", "Female", "Greyhound"),
	})
	breed := func(n int, text string) any {
		row, _ := w.Read(pageOf(n, fmt.Sprintf("Rex %d", n), text), table, nil)
		return row["breed"].Value
	}
	if got := breed(9, "Male Saint Bernard, aged 2 years"); got != nil {
		t.Errorf("before: got %v", got)
	}
	for n, text := range []string{"Male Whippet, aged 1 year", "Male Spitz, aged 5 years"} {
		s := dog(n+4, text, "Male", []string{"Whippet", "Spitz"}[n])
		wait, done := w.Ask(s.Page, table)
		if wait != nil || done == nil {
			t.Fatalf("%s: not asked about", text)
		}
		if wait, _ := w.Ask(pageOf(8, "Rex 8", "Male Beagle, aged 5 years"), table); wait == nil {
			t.Errorf("%s: another page does not wait", text)
		}
		w.Teach(table, s)
		done()
	}
	if got := breed(9, "Male Saint Bernard, aged 2 years"); got != "Saint Bernard" {
		t.Errorf("after: got %v", got)
	}
	if got := breed(10, "Female Basset hound, aged 4 years"); got != "Basset hound" {
		t.Errorf("after, as on the first pages: got %v", got)
	}
}

// TestTogether reads pages, asks about them and learns a field again at the same time, as the pages of
// a run do. It would stand still if asking and learning took their locks in different orders.
func TestTogether(t *testing.T) {
	t.Parallel()
	table := dogs(t)
	for range 40 {
		w := wrapper.Induce(table, []wrapper.Seed{
			dog(1, "Female Collie, aged 3 years", "Female", "Collie"), dog(2, "Female Terrier cross, aged 9 years", "Female", "Terrier cross"), dog(3, "Female Greyhound, aged 8 months", "Female", "Greyhound"),
		})
		var all sync.WaitGroup
		for worker := range 4 {
			all.Go(func() {
				for n := 4 * (worker + 1); n < 4*(worker+2); n++ {
					text := fmt.Sprintf("Male Whippet, aged %d years", n)
					s := dog(n, text, "Male", "Whippet")
					if _, done := w.Ask(s.Page, table); done != nil {
						w.Teach(table, s)
						done()
					}
					w.Read(s.Page, table, nil)
				}
			})
		}
		all.Wait()
		w.Teach(table, dog(40, "Male Spitz, aged 5 years", "Male", "Spitz"))
		row, _ := w.Read(pageOf(41, "Rex 41", "Male Saint Bernard, aged 2 years"), table, nil)
		if got := row["breed"].Value; got != "Saint Bernard" {
			t.Fatalf("got %v", row)
		}
	}
}

// stocked returns page n with a text that says whether it is in stock, in the given place.
func stocked(n int, text string, stock bool) wrapper.Seed {
	name := fmt.Sprintf("Rex %d", n)
	return wrapper.Seed{Page: pageOf(n, name, text), Row: finding.Row{
		"name":  {Value: name, Grade: finding.GradeExact, Lines: [2]int{1, 1}},
		"stock": {Value: stock, Grade: finding.GradeDerived, Lines: [2]int{2, 2}},
	}}
}

// TestReadWord reads a word for yes or no that no page has shown, if another such word means what
// it says.
func TestReadWord(t *testing.T) {
	table := dogs(t)
	for _, test := range []struct {
		name   string
		texts  [3]string
		values [3]bool
		page   string
		want   any
	}{
		{"a phrase beside another one", [3]string{"In stock", "Only a few left", "In stock"}, [3]bool{true, true, true}, "Out of stock", false},
		{"no such phrase", [3]string{"Only a few left", "None for now", "Only a few left"}, [3]bool{true, false, true}, "Out of stock", nil},
		{"a phrase that means the opposite", [3]string{"In stock", "Only a few left", "In stock"}, [3]bool{false, true, false}, "Out of stock", nil},
		{"more than a phrase", [3]string{"In stock", "Only a few left", "In stock"}, [3]bool{true, true, true}, "Out of stock until May", nil},
	} {
		var all []wrapper.Seed
		for i, text := range test.texts {
			all = append(all, stocked(i+1, text, test.values[i]))
		}
		row, sure := wrapper.Induce(table, all).Read(pageOf(9, "Rex 9", test.page), table, nil)
		if got := row["stock"].Value; got != test.want || sure != (test.want != nil) {
			t.Errorf("%s: got %v, sure %v, want %v", test.name, got, sure, test.want)
		}
	}
}

// TestRepeats prefers a part of a text that pages have in common to the whole text, also if two
// pages have the same text by chance.
func TestRepeats(t *testing.T) {
	table := dogs(t)
	w := wrapper.Induce(table, []wrapper.Seed{
		stocked(1, "20 seeds • organic", true), stocked(2, "20 seeds • organic", true), stocked(3, "45 seeds • sprayed", false), stocked(4, "90 seeds • sprayed", false),
	})
	if row, sure := w.Read(pageOf(9, "Rex 9", "33 seeds • sprayed"), table, nil); row["stock"].Value != false || !sure {
		t.Errorf("got %v, sure %v", row, sure)
	}
}

// TestExcuse learns what a text means although the model was wrong about one page, if texts of
// other pages mean what they say in words, and prefers such texts to others that go with the values
// by chance. Two mistakes are too many.
func TestExcuse(t *testing.T) {
	table := dogs(t)
	seeds := func(lies ...int) []wrapper.Seed {
		var all []wrapper.Seed
		for i, text := range []string{"c. 20 eggs • stock kept", "c. 45 eggs • stock kept", "approx. 90 eggs • sold", "c. 12 eggs • sold", "approx. 31 eggs • stock kept"} {
			v := !strings.HasSuffix(text, "sold")
			all = append(all, stocked(i+1, text, v != slices.Contains(lies, i)))
		}
		return all
	}
	for _, test := range []struct {
		name string
		lies []int
		page string
		want any
	}{
		{"no mistake", nil, "approx. 40 eggs • stock kept", true},
		{"a mistake about words", []int{0}, "approx. 40 eggs • stock kept", true},
		{"a mistake about another text", []int{3}, "c. 40 eggs • sold", nil},
	} {
		row, _ := wrapper.Induce(table, seeds(test.lies...)).Read(pageOf(9, "Rex 9", test.page), table, nil)
		if got := row["stock"].Value; got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
	w := wrapper.Induce(table, seeds())
	for i, want := range []any{true, nil} { // the second page that contradicts
		w.Teach(table, stocked(20+i, "c. 77 eggs • stock kept", false))
		if row, _ := w.Read(pageOf(9, "Rex 9", "approx. 40 eggs • stock kept"), table, nil); row["stock"].Value != want {
			t.Errorf("after %d contradictions: got %v, want %v", i+1, row["stock"].Value, want)
		}
	}
}

// TestSiblings learns a field without a sibling that shows it in another place.
func TestSiblings(t *testing.T) {
	table := birds(t)
	own := []wrapper.Seed{seedOf(birdPage(1, "Heron", "$3"), "Heron", 3)}
	alike := []wrapper.Seed{seedOf(birdPage(2, "Stork", "$5"), "Stork", 5), seedOf(birdPage(3, "Crane", "$8"), "Crane", 8)}
	other := []wrapper.Seed{seedOf(pageOf(4, "Ibis", "$9"), "Ibis", 9)}
	if w := wrapper.Induce(table, own, other); w.Enough() {
		t.Error("a single page is enough")
	}
	for _, siblings := range [][][]wrapper.Seed{{alike, other}, {other, alike}} {
		w := wrapper.Induce(table, own, siblings...)
		row, sure := w.Read(birdPage(9, "Teal", "$4"), table, nil)
		if got := row["price"].Value; got != 4.0 || !sure || !w.Enough() {
			t.Errorf("got %v, sure %v, enough %v", got, sure, w.Enough())
		}
	}
}

// TestLearnPlaceAgain learns fields again if other texts beside theirs have figures than on the first
// pages. Other pages wait for that, and the texts of the page are kept for the next time.
func TestLearnPlaceAgain(t *testing.T) {
	table := dogs(t)
	seed := func(n int, stock bool, texts ...string) wrapper.Seed {
		name := fmt.Sprintf("Rex %d", n)
		return wrapper.Seed{Page: pageOf(n, name, texts...), Row: finding.Row{
			"name":  {Value: name, Grade: finding.GradeExact, Lines: [2]int{1, 1}},
			"breed": {Value: strings.TrimPrefix(texts[1], "Breed "), Grade: finding.GradeExact, Lines: [2]int{3, 3}},
			"stock": {Value: stock, Grade: finding.GradeDerived, Lines: [2]int{4, 4}},
		}}
	}
	w := wrapper.Induce(table, []wrapper.Seed{
		seed(1, true, "3 years", "Breed Collie", "Free now", "No fee"), seed(2, false, "9 years", "Breed Terrier", "Given away", "No fee"), seed(3, true, "8 years", "Breed Whippet", "Free now", "No fee"),
	})
	later := seed(9, false, "Newborn", "Breed Spitz", "Given away", "12 euros")
	for n, s := range []wrapper.Seed{seed(4, true, "Newborn", "Breed Spitz", "Free now", "No fee"), seed(5, false, "7 years", "Breed Beagle", "Given away", "Fee 4 euros")} {
		if _, sure := w.Read(later.Page, table, nil); sure {
			t.Fatalf("%d: read at once", n)
		}
		if wait, done := w.Ask(s.Page, table); wait != nil || done == nil {
			t.Fatalf("%d: not asked about", n)
		} else {
			defer done()
		}
		if wait, _ := w.Ask(later.Page, table); wait == nil {
			t.Errorf("%d: another page does not wait", n)
		}
		w.Teach(table, s)
		if !s.Page.Taught.Load() {
			t.Errorf("%d: the texts of the page may be released", n)
		}
	}
	if row, sure := w.Read(later.Page, table, nil); row["breed"].Value != "Spitz" || row["stock"].Value != false || !sure {
		t.Errorf("got %s, sure %v", shown(row), sure)
	}
}
