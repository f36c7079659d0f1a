// SPDX-License-Identifier: Apache-2.0

package wire

import "example.com/curlew/internal/jsonenc"

// CrawlStats is how far a crawl is: pages, and the URLs and links that are none.
type CrawlStats struct {
	Delivered int `json:"delivered"`
	Failed    int `json:"failed"`
	Duplicate int `json:"duplicate"` // links to pages that are known
	Robots    int `json:"robots"`    // URLs that robots.txt alone kept out
	Scope     int `json:"scope"`     // links that the crawl's options or the rules of all crawls refuse
	Endless   int `json:"endless"`   // known URLs of endless spaces that wait, or were left out
	Queued    int `json:"queued"`    // pages that wait
	InFlight  int `json:"inFlight"`
	Requests  int `json:"requests"` // for pages, redirects and retries among them

	Rules         map[string]int `json:"rules"` // links refused, by rule (contract.md 5); rules that refused none are absent
	EndlessTaken  int            `json:"endlessTaken,omitempty"`
	EndlessSpaces []EndlessSpace `json:"endlessSpaces,omitempty"`
}

// HostWait is why a host is not asked as fast as the crawl could.
type HostWait struct {
	Host  string        `json:"host"`
	GapMS int64         `json:"gapMs"` // from the end of an answer to the next request; 0: several at a time
	Cause string        `json:"cause"` // unreachable, retry-after, crawl-delay, overload, busy
	Until *jsonenc.Time `json:"until,omitempty"`
}

// EndlessSpace is one pattern of URLs that are left for last.
type EndlessSpace struct {
	Pattern string `json:"pattern"`
	Example string `json:"example"`
	Left    int    `json:"left"` // known URLs
}
