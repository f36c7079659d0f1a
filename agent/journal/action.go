// SPDX-License-Identifier: Apache-2.0

package journal

// Kinds of actions.
const (
	DoSearch  = "search"
	DoMap     = "map"
	DoRead    = "read"
	DoCollect = "collect"
	DoFind    = "find"
	DoFinish  = "finish"
)

// Action is one action of a decision. Members that are not used are empty, 0 or
// [].
type Action struct {
	Do     string   `json:"do"`
	Q      string   `json:"q,omitempty"`      // search: query; map: words; find: text to find
	N      int      `json:"n,omitempty"`      // maximal number of hits, URLs or details
	H      []string `json:"h,omitempty"`      // handles
	T      string   `json:"t,omitempty"`      // table; empty means all that fit
	Follow string   `json:"follow,omitempty"` // collect: none, pages, links, both
	Like   string   `json:"like,omitempty"`   // collect: a link with the shape of the details
	Why    string   `json:"why,omitempty"`    // explanation for the trace
}
