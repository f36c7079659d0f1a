// SPDX-License-Identifier: Apache-2.0

package robots

// Indexed returns r with an index, even if it has few rules.
func (r *Rules) Indexed() *Rules {
	s := *r
	s.index = newIndex(&s)
	return &s
}

// Plain returns r without an index.
func (r *Rules) Plain() *Rules {
	s := *r
	s.index = nil
	return &s
}
