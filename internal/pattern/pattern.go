// SPDX-License-Identifier: Apache-2.0

// Package pattern estimates the cost of a regular expression before it is
// compiled.
package pattern

import "regexp/syntax"

// Steps estimates the number of instructions that re compiles to. A repetition
// counts as often as it may repeat, so a small pattern can have very many. It
// takes time linear in the tree, whose depth the parser limits to 1,000.
func Steps(re *syntax.Regexp) int {
	n := 0
	for _, sub := range re.Sub {
		n += Steps(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpRepeat:
		return n * max(1, re.Min, re.Max) // the parser limits the product of nested counts to 1,000
	default:
		return n + 1
	}
}
