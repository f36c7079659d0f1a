// SPDX-License-Identifier: Apache-2.0

package agenttest

// NewPages returns a web of the given HTML pages, by host and path with query. It has
// fetchers and mappers, but no tasks and no truth.
func NewPages(seed uint64, pages map[string]string) *Web {
	w := &Web{seed: seed, pages: site{}, cached: map[string]*brought{}}
	for key, text := range pages {
		w.pages.add(key, page{body: []byte(text)})
	}
	return w
}
