// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
)

// leftOut says which known URLs a crawl that ended below its limit did not
// visit, and why.
func leftOut(s *frontier.Stats) (texts []string) {
	if e := s.Endless; e.Left > 0 {
		text := fmt.Sprintf("At least %d known URL(s) seem to belong to spaces without an end and were not visited, beside %d that were.", e.Left, e.Taken)
		if len(e.Spaces) > 0 {
			first := e.Spaces[0]
			text += fmt.Sprintf(" %d of them are like %s, for example %s.", first.Left, first.Pattern, first.Example)
		}
		texts = append(texts, text)
	}
	if n := s.Refused[scope.RuleTrap]; n > 0 {
		texts = append(texts, fmt.Sprintf("%d link(s) were not followed because their URLs are too long, too deep or repeat themselves.", n))
	}
	if s.Spent {
		texts = append(texts, fmt.Sprintf("The crawl ended after %d requests, the most for its limit: pages that failed or moved have used them up.", s.Requests))
	}
	if n := s.Refused[scope.RuleRoom]; n > 0 {
		texts = append(texts, fmt.Sprintf("%d link(s) were not followed because the crawl knew as many URLs as it may for its limit.", n))
	}
	return texts
}

// join returns the texts that are not empty, with spaces between.
func join(texts ...string) string {
	kept := texts[:0:0]
	for _, t := range texts {
		if t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, " ")
}

// robotsNotice says that robots.txt kept n URLs out of what; empty of none.
func robotsNotice(n int, what string) string {
	if n == 0 {
		return ""
	}
	return "The robots.txt of the site kept " + strconv.Itoa(n) + " URL(s) out of this " + what +
		". Single pages can be asked for through the /scrape endpoint."
}
