// SPDX-License-Identifier: Apache-2.0

package paging

import (
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/journal"
)

// Limits of the pages of a listing that are passed over because they cannot be read.
const (
	maxGap     = 2 // one after the other
	maxGaps    = 6 // of one listing
	maxGuessed = 1 // one after the other, if the site has no such page and no page links the next one
)

// Gaps lets the pages of a listing go on after some that cannot be read.
type Gaps struct {
	linked  []string // URLs that pages of the listing link
	row     int      // failed pages since the last one that was read
	all     int
	guessed int  // pages in row whose URLs were not linked
	lost    bool // the last failed page does not exist
}

// Read notes the links of a page of the listing.
func (g *Gaps) Read(links []journal.LinkRecord) {
	g.row, g.guessed = 0, 0
	for _, link := range links {
		g.linked = append(g.linked, link.URL)
	}
}

// Passes reports whether a page with a trouble is one to pass over: it does not exist, or its site
// failed. A site that turns visitors away is not asked for more.
func (g *Gaps) Passes(trouble finding.IssueKind) bool {
	g.lost = trouble == finding.IssueNotFound
	if !g.lost && trouble != finding.IssueUnreadable {
		return false
	}
	g.row++
	g.all++
	return g.row <= maxGap && g.all <= maxGaps
}

// Over returns the URL of the page after a failed one, or "" if there is probably none.
func (g *Gaps) Over(before, failed string) string {
	next, known := Beyond(before, failed, g.linked)
	if known {
		return next
	}
	if g.guessed++; g.lost && g.guessed > maxGuessed {
		return ""
	}
	return next
}
