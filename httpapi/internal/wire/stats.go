// SPDX-License-Identifier: Apache-2.0

package wire

import "example.com/curlew/internal/jsonenc"

// CrawlStats contains the counters of a crawl.
type CrawlStats struct {
	Delivered int `json:"delivered"`
	Failed    int `json:"failed"`
	Duplicate int `json:"duplicate"` // links to known pages
	Robots    int `json:"robots"`    // URLs disallowed only by robots.txt
	Scope     int `json:"scope"`     // links refused by the crawl's options or by rules for all crawls
	Endless   int `json:"endless"`   // known URLs of endless spaces, pending or left out
	Queued    int `json:"queued"`    // pending pages
	InFlight  int `json:"inFlight"`
	Requests  int `json:"requests"` // requests for pages, including redirects and retries

	Rules         map[string]int `json:"rules"` // refused links by rule; rules without any are absent
	Deepest       *Deepest       `json:"deepest,omitempty"`
	EndlessTaken  int            `json:"endlessTaken,omitempty"`
	EndlessSpaces []EndlessSpace `json:"endlessSpaces,omitempty"`
}

// Deepest says how far from the start page a crawl has come. At the depth
// maxDiscoveryDepth, the links of pages are not read.
type Deepest struct {
	Depth int `json:"depth"`
	Pages int `json:"pages"` // delivered pages at this depth
}

// HostWait is the reason why a host gets fewer requests than the crawl could
// make.
type HostWait struct {
	Host  string        `json:"host"`
	GapMS int64         `json:"gapMs"` // from the end of an answer to the next request; 0 if several may be in flight
	Cause string        `json:"cause"` // unreachable, retry-after, crawl-delay, overload, busy
	Until *jsonenc.Time `json:"until,omitempty"`
}

// EndlessSpace is one pattern of URLs that are requested last.
type EndlessSpace struct {
	Pattern string `json:"pattern"`
	Example string `json:"example"`
	Left    int    `json:"left"` // known URLs that are left
}
