// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"encoding/json"
	"strings"

	"example.com/curlew/agent/internal/protocol"
)

// write answers calls for forms of a page and for crawl options. It fills each member
// of the schema according to its type. A text is taken from the line "Name: text", or
// else from the first line.
func (o *Oracle) write(q *request, a protocol.Asked) any {
	var s node
	if q.Format == nil || json.Unmarshal(q.Format.Schema.Schema, &s) != nil {
		return map[string]any{}
	}
	return s.fill("", a.Lines)
}

// node contains the parts of a JSON Schema that the oracle uses.
type node struct {
	Type       any             `json:"type"`
	Properties map[string]node `json:"properties"`
}

func (n node) is(kind string) bool {
	if list, ok := n.Type.([]any); ok {
		for _, t := range list {
			if t == kind {
				return true
			}
		}
		return false
	}
	return n.Type == kind
}

func (n node) fill(name string, lines []protocol.AskedLine) any {
	switch {
	case n.is("object"):
		out := map[string]any{}
		for k, m := range n.Properties {
			out[k] = m.fill(k, lines)
		}
		return out
	case n.is("array") && (name == "lines" || name == "numbers"):
		if len(lines) > 0 {
			return []any{lines[0].N}
		}
		return []any{}
	case n.is("array") && !n.is("null"):
		return []any{}
	}
	for _, l := range lines {
		label, text, ok := strings.Cut(plain.Replace(l.Text), ":")
		if ok && strings.EqualFold(strings.Trim(label, "-* "), name) {
			return strings.TrimSpace(text)
		}
	}
	switch {
	case n.is("null"):
		return nil
	case n.is("string") && len(lines) > 0:
		return strings.TrimLeft(lines[0].Text, "# ")
	case n.is("string"):
		return ""
	case n.is("boolean"):
		return false
	}
	return 0
}
