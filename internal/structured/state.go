// SPDX-License-Identifier: Apache-2.0

package structured

import "example.com/curlew/internal/dom"

// readState returns the objects that platforms embed in a page.
func readState(steps *dom.Steps, scripts []script, variations []string) []*Node {
	var all []*Node
	values, text := maxNodes*4, maxBytes
	read := func(s, kind string) {
		list, _ := readJSON(steps, s, values)
		m := maker{steps: steps, text: text, plain: true}
		for _, v := range list {
			values -= v.count()
			m.value(v, func(Value) {})
		}
		text = m.text
		for _, n := range m.nodes {
			if len(all) == maxNodes {
				return
			}
			n.Types = []string{kind}
			all = append(all, n)
		}
	}
	for _, s := range scripts {
		if s.kind != "ld" {
			read(s.text, s.kind)
		}
	}
	for _, s := range variations {
		read(s, "woocommerce")
	}
	return all
}
