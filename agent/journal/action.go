// SPDX-License-Identifier: Apache-2.0

package journal

// What a decision can do.
const (
	DoSearch  = "search"
	DoMap     = "map"
	DoRead    = "read"
	DoCollect = "collect"
	DoFind    = "find"
	DoFinish  = "finish"
)

// Action is one action of a decision; members without use are empty, 0 or [].
type Action struct {
	Do     string   `json:"do"`
	Q      string   `json:"q,omitempty"`      // search: query; map: words; find: what
	N      int      `json:"n,omitempty"`      // most hits, URLs or details
	H      []string `json:"h,omitempty"`      // handles
	T      string   `json:"t,omitempty"`      // table; empty: all that fit
	Follow string   `json:"follow,omitempty"` // collect: none, pages, links, both
	Like   string   `json:"like,omitempty"`   // collect: a link of the shape of the details
	Why    string   `json:"why,omitempty"`    // for the trace
}
