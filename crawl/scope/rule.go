// SPDX-License-Identifier: Apache-2.0

package scope

import "strconv"

// Rule says why a URL is not followed, as it reads on the wire. The zero Rule
// refuses nothing.
type Rule uint8

// Rules in the order in which they are asked; the first that refuses counts.
const (
	RuleParse       Rule = iota + 1 // does not resolve against the page's base
	RuleScheme                      // not http or https
	RuleDepth                       // found on a page at MaxDepth
	RuleSection                     // the page itself, but for a fragment
	RuleFileType                    // images, scripts, archives by extension
	RuleExternal                    // off the site, or found off the site
	RuleSocial                      // an external social network
	RuleBackward                    // outside the start page's path
	RuleExcluded                    // an exclude pattern matches
	RuleNotIncluded                 // no include pattern does
	RuleNofollow                    // the page or the link says so
	RuleThreat                      // Judge refuses it at discovery
	RuleDuplicate                   // its key is known
	RuleRobots                      // robots.txt of its own origin
	RuleTrap                        // shaped like one of endlessly many
	RuleRoom                        // the frontier holds all that it may ever ask for
	RuleEndless                     // one of an endless space: put last, and left where those have had their share

	RuleCount // how many there are, with the zero Rule
)

var ruleNames = [RuleCount]string{
	"", "parse", "scheme", "depth", "section", "file-type", "external", "social", "backward", "excluded",
	"not-included", "nofollow", "threat-list", "duplicate", "robots", "trap", "room", "endless",
}

// String returns the rule's name on the wire; empty for the zero Rule.
func (r Rule) String() string {
	if r < RuleCount {
		return ruleNames[r]
	}
	return "Rule(" + strconv.Itoa(int(r)) + ")"
}
