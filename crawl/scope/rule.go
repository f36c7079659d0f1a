// SPDX-License-Identifier: Apache-2.0

package scope

import "strconv"

// Rule is a reason not to follow a URL. The zero Rule refuses nothing.
type Rule uint8

// Rules in the order in which they are applied. The first one that refuses
// decides.
const (
	RuleParse       Rule = iota + 1 // does not resolve against the page's base
	RuleScheme                      // not http or https
	RuleDepth                       // found on a page at MaxDepth
	RuleSection                     // the same page, except for the fragment
	RuleFileType                    // images, scripts and archives, by extension
	RuleExternal                    // outside the site, or found outside the site
	RuleSocial                      // an external social network
	RuleBackward                    // outside the start page's path
	RuleExcluded                    // an exclude pattern matches
	RuleNotIncluded                 // no include pattern matches
	RuleNofollow                    // the page or the link says so
	RuleThreat                      // Judge refuses it when it is found
	RuleDuplicate                   // its key is already known
	RuleRobots                      // disallowed by the robots.txt of its origin
	RuleTrap                        // shaped like a URL of an endless site
	RuleRoom                        // the frontier is full, or too many links on a page or sitemaps
	RuleEndless                     // in an endless space: queued last, and left out if enough of its URLs were delivered

	RuleCount // the number of rules, including the zero Rule
)

var ruleNames = [RuleCount]string{
	"", "parse", "scheme", "depth", "section", "file-type", "external", "social", "backward", "excluded",
	"not-included", "nofollow", "threat-list", "duplicate", "robots", "trap", "room", "endless",
}

// String returns the name of the rule in answers. For the zero Rule it is
// empty.
func (r Rule) String() string {
	if r < RuleCount {
		return ruleNames[r]
	}
	return "Rule(" + strconv.Itoa(int(r)) + ")"
}
