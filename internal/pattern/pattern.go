// SPDX-License-Identifier: Apache-2.0

// Package pattern says what a regular expression would cost before it is
// compiled: syntax tree -> steps.
package pattern

import "regexp/syntax"

// Steps returns about how many instructions re compiles to. A repeat counts as
// often as it may repeat, so a small pattern can have very many. It takes time
// linear in the tree, whose depth the parser bounds at 1,000.
func Steps(re *syntax.Regexp) int {
	n := 0
	for _, sub := range re.Sub {
		n += Steps(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpRepeat:
		return n * max(1, re.Min, re.Max) // nested counts are at most 1,000: the parser's rule
	default:
		return n + 1
	}
}
