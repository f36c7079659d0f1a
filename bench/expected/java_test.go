// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"testing"
)

// TestExpectations reads tests in Java.
func TestExpectations(t *testing.T) {
	find := func(name string) string { return map[string]string{"a.doc": "A", "b.doc": "B"}[name] }
	for _, c := range []struct {
		what, source string
		want         []expectation
	}{
		{"of the file that the method names", `class T { void test() { open("a.doc"); assertEquals("one", x.getText()); open("b.doc"); assertContains(text, "two"); } }`, []expectation{{"A", "one"}, {"B", "two"}}},
		{"joined and escaped", `class T { static final String S = "b"; void test() { open("a.doc"); assertEquals("a\u20ac" + S + "\"", t.getText()); } }`, []expectation{{"A", "a€b\""}}},
		{"of the set-up", `class T { void setUp() { open("a.doc"); } void test() { assertTrue(text.contains("one")); } }`, []expectation{{"A", "one"}}},
		{"of a set-up with several", `class T { void setUp() { open("a.doc"); open("b.doc"); } void test() { assertTrue(text.contains("one")); } }`, nil},
		{"not of another method", `class T { void a() { open("a.doc"); } void test() { assertEquals("one", x.getText()); } }`, nil},
		{"negations, messages and other values", `class T { void test() { open("a.doc"); assertTrue(!text.contains("no")); assertFalse(text.contains("no")); assertEquals("msg", e.getMessage()); assertEquals("A1+B1", c.getCellFormula()); assertContains(text, "<p>x</p>"); } }`, nil},
		{"what the class writes", `class T { void test() { open("a.doc"); r.setText("mine"); assertEquals("mine", r.getText()); } }`, nil},
		{"in comments", `class T { void test() { open("a.doc"); /* assertEquals("one", x.getText()); */ // assertEquals("two", x.getText());
		} }`, nil},
	} {
		if got := expectations(c.source, find); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// TestHas compares strings with the text of a document.
func TestHas(t *testing.T) {
	text := squeezed("Mid header\nOne, two\tThree Bob's")
	for expected, want := range map[string]bool{"Mid  header": true, "One, two\nMid": true, "From: Bob's\n": true, "SUBJECT = Three": true, "One\nfour": false, "four": false} {
		if has(text, expected) != want {
			t.Errorf("%q: %v", expected, !want)
		}
	}
}
