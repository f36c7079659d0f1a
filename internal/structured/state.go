// SPDX-License-Identifier: Apache-2.0

package structured

import (
	"slices"
	"strings"

	"example.com/curlew/internal/dom"
)

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

// A stateText contains the text of one object of the state.
type stateText struct {
	s     *stateReader
	state PageState
	size  int // bytes of the texts and items
}

// add adds a text.
func (t *stateText) add(text string) {
	if row, ok := t.s.texts[text]; ok {
		text = row
	}
	text = strings.ToValidUTF8(strings.TrimSpace(text), "")
	if text == "" || text == t.state.Title || slices.Contains(t.state.Texts[max(0, len(t.state.Texts)-4):], text) || strings.HasPrefix(text, "$undefined") {
		return
	}
	if len(t.state.Texts) >= maxTexts {
		t.state.Left++
		return
	}
	t.state.Texts = append(t.state.Texts, text)
	t.size += len(text)
}

// tell adds the texts of the object v.
func (t *stateText) tell(v jsonValue) {
	for _, name := range leadNames {
		if text := plainText(v.member(name)); text != "" {
			t.add(text)
			break
		}
	}
	t.state.Price = price(v)
	for _, name := range bodyNames {
		t.gather(v.member(name), 0)
	}
	for _, name := range listNames {
		t.list(v.member(name))
	}
}

// gather adds all texts of a value that is the body of an article. The value is one text, or a list or an object in
// which paragraphs and their parts are nested.
func (t *stateText) gather(v jsonValue, depth int) {
	t.s.steps.Take(1)
	switch v.kind {
	case '"':
		t.add(v.text)
	case '[':
		var line strings.Builder
		flush := func() {
			t.add(line.String())
			line.Reset()
		}
		for _, i := range v.list {
			if text, ok := inline(i); ok {
				line.WriteString(text)
				continue
			}
			flush()
			t.gather(i, depth+1)
		}
		flush()
	case '{':
		if isDraft(v) {
			return
		}
		for _, name := range innerNames {
			t.gather(v.member(name), depth+1)
		}
	}
}

// inline returns the text of a part of a paragraph, in the form in which editors store
// documents.
func inline(v jsonValue) (string, bool) {
	switch v.member("type", "nodeType", "_type").text {
	case "text", "span":
		return v.member("text", "value").text, true
	case "link", "hyperlink", "a":
		var b strings.Builder
		for _, c := range v.member("children", "content").list {
			text, _ := inline(c)
			b.WriteString(text)
		}
		return b.String(), b.Len() > 0
	}
	return "", false
}

// list adds the titles of the items of a list, with their prices.
func (t *stateText) list(v jsonValue) {
	if v.kind == '{' {
		v = v.member("nodes", "edges", "items")
	}
	var items []string
	for _, i := range v.list {
		t.s.steps.Take(1)
		if node := i.member("node"); node.kind == '{' {
			i = node
		}
		title := plainText(i.member(titleNames...))
		if i.kind != '{' || isDraft(i) || title == "" {
			continue
		}
		items = append(items, strings.TrimSpace(title+" "+price(i)))
	}
	if len(items) < 2 {
		return
	}
	for _, item := range items {
		if len(t.state.Items) >= maxItems {
			t.state.Left++
			continue
		}
		t.state.Items = append(t.state.Items, item)
		t.size += len(item)
	}
}

// price returns the price of a product with its currency, or "".
func price(v jsonValue) string {
	p := v.member("price", "currentPrice", "salePrice")
	currency := v.member("currency", "currencyCode", "priceCurrency")
	if p.kind == '{' {
		currency = p.member("currency", "currencyCode")
		p = p.member("amount", "value", "current")
	}
	if amount := plainText(p); amount != "" {
		return strings.TrimSpace(amount + " " + plainText(currency))
	}
	return ""
}
