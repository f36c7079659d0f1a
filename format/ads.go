// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"io"

	"github.com/andybalholm/cascadia"

	"example.com/curlew/internal/adblock"
)

// AdRules are filter lists that a host loads: what they hide, and links,
// frames and images of what they block, is no content where ads are blocked.
// They are immutable and safe for concurrent use.
type AdRules struct{ list *adblock.List }

// ReadAdRules reads filter lists in the syntax of EasyList: rules that block
// requests (||host^, with options) and rules that hide elements (##selector),
// each with exceptions (@@, #@#). Rules that need a browser are left out; Rules
// and Skipped say how many were read and were not. All lists together hold at most
// 64 MiB, or the error wraps [ErrTooLong]; else it is the reader's.
func ReadAdRules(lists ...io.Reader) (*AdRules, error) {
	l, err := adblock.Read(compileSelector, lists...)
	if err != nil {
		return nil, fmt.Errorf("format ads: %w", err)
	}
	return &AdRules{l}, nil
}

// ErrTooLong means that filter lists are over the limit.
var ErrTooLong = adblock.ErrTooLong

// Rules returns the number of rules.
func (a *AdRules) Rules() int { return a.list.Rules() }

// Skipped returns the number of rules that were left out.
func (a *AdRules) Skipped() int { return a.list.Skipped() }

func compileSelector(s string) (adblock.Matcher, error) { return cascadia.Parse(s) }
