// SPDX-License-Identifier: Apache-2.0

package agenttest

// NewPages returns a web of the given HTML pages, by host and path with query. It has
// fetchers and mappers, but no tasks and no truth. A page without text has the status 500.
func NewPages(seed uint64, pages map[string]string) *Web {
	w := &Web{seed: seed, pages: site{}, cached: map[string]*brought{}}
	for key, text := range pages {
		p := page{body: []byte(text)}
		if text == "" {
			p.status, p.body = 500, []byte("<!DOCTYPE html><title>500</title><h1>Internal error</h1>")
		}
		w.pages.add(key, p)
	}
	return w
}
