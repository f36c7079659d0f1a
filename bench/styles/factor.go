// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// factor is a property of a table's style with its levels.
type factor struct {
	name   string
	levels []string
}

// factors are all properties of a style. They say nothing about the content of a
// table.
var factors = []factor{
	{"frame", []string{"none", "box", "ends"}},
	{"rules", []string{"none", "head", "rows", "grid"}},
	{"stripes", []string{"none", "zebra"}},
	{"head", []string{"plain", "bold", "shade", "spanning", "none"}},
	{"cells", []string{"full", "sparse"}},
	{"wrap", []string{"none", "text", "label"}},
	{"stand", []string{"top", "middle"}},
	{"columns", []string{"1", "2", "4", "7"}},
	{"rows", []string{"1", "5", "14", "70"}},
	{"values", []string{"words", "left", "right", "notes"}},
	{"span", []string{"none", "section", "group"}},
	{"size", []string{"7", "9", "12"}},
	{"space", []string{"tight", "usual", "loose"}},
	{"caption", []string{"none", "above", "below"}},
}

// extras are levels that no design has. The flag -set gives them to all documents,
// so that the documents of a seed stay the same when a level is added here.
var extras = map[string][]string{
	"rules": {"stub"},    // a line below the header, and one beside the labels
	"stand": {"centred"}, // like middle, also if nothing is drawn between the rows
	"wrap":  {"several"}, // the labels and the texts of two columns
}

// setLevels gives all styles the levels in a list such as "rules=stub,frame=none". It
// drops those styles that are barred then.
func setLevels(styles []style, list string) ([]style, error) {
	for assignment := range strings.SplitSeq(list, ",") {
		name, level, _ := strings.Cut(assignment, "=")
		i := slices.IndexFunc(factors, func(f factor) bool { return f.name == name })
		if i < 0 || !slices.Contains(factors[i].levels, level) && !slices.Contains(extras[name], level) {
			return nil, fmt.Errorf("no factor has the level %q", assignment)
		}
		for _, s := range styles {
			s[name] = level
		}
	}
	return slices.DeleteFunc(styles, func(s style) bool { return why(s) != nil }), nil
}

// style has the level of each factor.
type style map[string]string

func (s style) String() string {
	var parts []string
	for _, f := range factors {
		parts = append(parts, f.name+"="+s[f.name])
	}
	return strings.Join(parts, " ")
}

// is reports whether the factor has one of the levels.
func (s style) is(factor string, levels ...string) bool { return slices.Contains(levels, s[factor]) }

// walled reports whether something is drawn between all rows of the body.
func (s style) walled() bool { return s.is("rules", "rows", "grid") || s.is("stripes", "zebra") }

// rule names styles that no document has.
type rule struct {
	reason string
	holds  func(s style) bool

	undecidable bool // such a table could be drawn, but its page does not show how to read it
}

var barred = []rule{
	{"a single column has no other cells to leave empty, to group, to span or to label", func(s style) bool {
		return s.is("columns", "1") && (s.is("cells", "sparse") || !s.is("span", "none") || s.is("head", "spanning") || s.is("wrap", "label", "several") || !s.is("values", "words"))
	}, false},
	{"a heading spans at least two of the columns beside the labels", func(s style) bool { return s.is("columns", "2") && s.is("head", "spanning") }, false},
	{"a single row has no groups, no sections and no stripes", func(s style) bool {
		return s.is("rows", "1") && (!s.is("span", "none") || s.is("stripes", "zebra"))
	}, false},
	{"a page has no room for seven columns of wrapped text in a large size", func(s style) bool {
		return s.is("columns", "7") && s.is("size", "12") && !s.is("wrap", "none")
	}, false},
	{"a column without a frame and without rules between its rows is a list of lines", func(s style) bool {
		return s.is("columns", "1") && !(s.is("frame", "box") && s.walled())
	}, true},
	{"a frame around a line and a paragraph is a box of text", func(s style) bool {
		return s.is("columns", "1") && s.is("rows", "1") && s.is("wrap", "text")
	}, true},
	{"a row without a header is a line of words", func(s style) bool { return s.is("rows", "1") && s.is("head", "none") }, true},
	{"two lines of words without a rule are text", func(s style) bool {
		return s.is("rows", "1") && s.is("frame", "none", "ends") && s.is("rules", "none")
	}, true},
	{"a label beside several rows needs rules that show which", func(s style) bool {
		return s.is("span", "group") && (!s.is("rules", "grid") || s.is("stripes", "zebra"))
	}, true},
	{"labels that wrap beside empty cells need something between the rows", func(s style) bool {
		return s.is("wrap", "label", "several") && !s.walled() && (s.is("cells", "sparse") || s.is("space", "tight") || s.is("span", "section"))
	}, true},
	{"cells of several lines in the middle of rows, without anything between the rows, have the level stand=centred", func(s style) bool {
		return !s.is("wrap", "none") && s.is("stand", "middle") && !s.walled()
	}, false},
}

// why returns the rule that bars a style, or nil.
func why(s style) *rule {
	for i := range barred {
		if barred[i].holds(s) {
			return &barred[i]
		}
	}
	return nil
}

// pair is two levels of different factors.
type pair [2]string

// pairs returns the pairs of levels that a style has.
func (s style) pairs() []pair {
	var out []pair
	for i, a := range factors {
		for _, b := range factors[i+1:] {
			out = append(out, pair{a.name + "=" + s[a.name], b.name + "=" + s[b.name]})
		}
	}
	return out
}

// tries is the number of styles of which the one that adds most is taken.
const tries = 200

// random returns a style that is not barred.
func random(r *rand.Rand) style {
	for {
		s := style{}
		for _, f := range factors {
			s[f.name] = f.levels[r.IntN(len(f.levels))]
		}
		if why(s) == nil {
			return s
		}
	}
}

// design returns n styles that have as many pairs of levels as possible, and
// those pairs as equally often as possible. It also returns the pairs that no
// style has.
func design(seed uint64, n int) (styles []style, missing []pair) {
	r := rand.New(rand.NewPCG(seed, 1)) // #nosec G404 -- not for secrets
	seen := map[pair]int{}
	for range n {
		var best style
		most := -1.0
		for range tries {
			s := random(r)
			gain := 0.0
			for _, p := range s.pairs() {
				gain += 1 / float64(1+seen[p]*seen[p]*4)
			}
			if gain > most {
				best, most = s, gain
			}
		}
		for _, p := range best.pairs() {
			seen[p]++
		}
		styles = append(styles, best)
	}
	for i, a := range factors {
		for _, b := range factors[i+1:] {
			for _, x := range a.levels {
				for _, y := range b.levels {
					if p := (pair{a.name + "=" + x, b.name + "=" + y}); seen[p] == 0 {
						missing = append(missing, p)
					}
				}
			}
		}
	}
	return styles, missing
}

// undecidable prints what the documents leave out because a page does not show
// how to read it.
func undecidable() {
	for _, b := range barred {
		if b.undecidable {
			fmt.Println("undecidable:", b.reason)
		}
	}
	fmt.Println("undecidable: a row of empty cells beside a label of several rows has no height; it gets a number")
}
