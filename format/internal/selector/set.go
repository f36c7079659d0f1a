// SPDX-License-Identifier: Apache-2.0

package selector

import "slices"

// Set is a set of selectors that are matched together. They are numbered in the
// order in which they were added. The zero Set is empty. No selector may be
// added after the first Start; from then on a Set is safe for concurrent use.
type Set struct {
	count int // number of selectors

	// Lists within :is and :not whose selectors have combinators are matched
	// separately, the innermost first: levels[0] are the selectors, levels[1]
	// the lists within them, and so on.
	levels    []index
	compounds []compound

	slots   int // number of compounds that another one refers to
	lists   int // number of lists whose matches are recorded
	finders int
	surveys []*survey

	classes, kinds, langs, forms bool // properties of elements that a pass must record
}

// A compound contains the tests for an element and for its position.
type compound struct {
	tests []test
	comb  byte
	prev  int32 // slot of the compound before the combinator
	slot  int32 // slot of this compound; -1 for the last one of a selector
	aside bool  // the next compound is a later sibling
	last  bool  // last compound of a selector of the set
	owner int32 // for the last compound: its selector
	list  int32 // for the last compound: the list to mark on a match, or -1
}

// An index finds compounds by a property that an element must have.
type index struct {
	any                []int32
	tags, ids, classes map[string]int32 // buckets
	attributes         map[string]int32
	buckets            [][]int32
}

// A survey is a :has or an :nth-child(of S), which is evaluated for the whole
// tree at once.
type survey struct {
	test  *test
	parts *Set    // the compounds of the arguments
	refs  [][]ref // for :has: its relative selectors
}

// A ref is a compound of a relative selector, by its number in survey.parts.
type ref struct {
	comb byte
	part int
}

// Len returns the number of selectors.
func (s *Set) Len() int { return s.count }

// Add adds a selector and returns its number.
func (s *Set) Add(sel *Selector) int {
	num := s.count
	s.count++
	list := int32(-1)
	if len(sel.list) > 1 {
		list = s.newList()
	}
	for _, c := range sel.list {
		s.add(c, 0, int32(num), list) //nolint:gosec // callers bound their lists
	}
	return num
}

func (s *Set) newList() int32 {
	s.lists++
	return int32(s.lists - 1) //nolint:gosec // bounded by the compounds
}

// add adds the compounds of c.
func (s *Set) add(c chain, level int, owner, list int32) {
	prev := int32(-1)
	for i := range c {
		one := compound{comb: c[i].comb, prev: prev, slot: -1, list: -1}
		if i == 0 {
			one.comb = 0
		}
		one.tests = s.compile(c[i].tests, level)
		if i+1 < len(c) {
			one.slot = int32(s.slots) //nolint:gosec // bounded by the compounds
			one.aside = c[i+1].comb == '+' || c[i+1].comb == '~'
			prev = one.slot
			s.slots++
		} else {
			one.owner, one.list, one.last = owner, list, level == 0
		}
		s.enter(one, level)
	}
}

// compile returns the tests with their numbers in this set.
func (s *Set) compile(tests []test, level int) []test {
	if len(tests) == 0 {
		return nil
	}
	tests = slices.Clone(tests)
	for i := range tests {
		t := &tests[i]
		switch t.kind {
		case isClass:
			s.classes = true
		case isNth, isOnly:
			s.kinds = s.kinds || t.kin
		case isLang:
			s.langs = true
		case isEnabled, isDisabled:
			s.forms = true
		case contains, matches:
			t.num = int32(s.finders) //nolint:gosec // bounded by the compounds
			s.finders++
		case isAny, isNone:
			if t.own {
				list := make([]chain, len(t.list))
				for j, c := range t.list {
					list[j] = chain{{tests: s.compile(c[0].tests, level)}}
				}
				t.list = list
				continue
			}
			t.num = s.newList()
			for _, c := range t.list {
				s.add(c, level+1, 0, t.num)
			}
			t.list = nil
		case isNthOf, isHaving:
			t.num = int32(len(s.surveys)) //nolint:gosec // bounded by the compounds
			s.surveys = append(s.surveys, newSurvey(t))
		}
	}
	return tests
}

func newSurvey(t *test) *survey {
	own := *t // a copy, because t changes when the index answers another test
	v := &survey{test: &own, parts: &Set{}}
	if t.kind == isNthOf {
		v.parts.Add(&Selector{list: t.list})
		return v
	}
	for _, c := range t.list {
		refs := make([]ref, len(c))
		for i := range c {
			refs[i] = ref{c[i].comb, v.parts.Add(&Selector{list: []chain{{{tests: c[i].tests}}}})}
		}
		v.refs = append(v.refs, refs)
	}
	return v
}

// enter adds a compound to the index by its most selective test, which is then
// omitted.
func (s *Set) enter(c compound, level int) {
	for len(s.levels) <= level {
		s.levels = append(s.levels, index{})
	}
	x := &s.levels[level]
	num := int32(len(s.compounds)) //nolint:gosec // callers bound their lists
	best := -1
	for i := range c.tests {
		switch c.tests[i].kind {
		case isID, isClass, isTag, hasAttribute, attributeTest:
			if c.tests[i].op == '!' {
				continue // also true for elements without the attribute
			}
			if best < 0 || rank(&c.tests[i]) < rank(&c.tests[best]) {
				best = i
			}
		}
	}
	if best < 0 {
		x.any = append(x.any, num)
		s.compounds = append(s.compounds, c)
		return
	}
	t := c.tests[best]
	answered := true
	switch t.kind {
	case isID:
		x.put(&x.ids, t.name, num)
	case isClass:
		x.put(&x.classes, t.name, num)
	case isTag:
		answered = t.name == t.raw
		x.put(&x.tags, t.name, num)
		if !answered {
			x.put(&x.tags, t.raw, num)
		}
	default:
		answered = t.kind == hasAttribute && t.name == t.raw
		x.put(&x.attributes, t.name, num)
		if t.name != t.raw {
			x.put(&x.attributes, t.raw, num)
			if c.last && c.list < 0 {
				c.list = s.newList() // an element may have both
			}
		}
	}
	if answered {
		c.tests = slices.Delete(c.tests, best, best+1)
	}
	s.compounds = append(s.compounds, c)
}

// rank estimates how few elements pass a test.
func rank(t *test) int {
	switch t.kind {
	case isID:
		return 0
	case isClass:
		return 1
	case hasAttribute, attributeTest:
		return 2
	default:
		return 3
	}
}

func (x *index) put(m *map[string]int32, key string, num int32) {
	if *m == nil {
		*m = map[string]int32{}
	}
	b, ok := (*m)[key]
	if !ok {
		b = int32(len(x.buckets)) //nolint:gosec // bounded by the compounds
		(*m)[key] = b
		x.buckets = append(x.buckets, nil)
	}
	x.buckets[b] = append(x.buckets[b], num)
}
