// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/curlew/agent/internal/protocol"
)

// maxSentences is the maximum number of rows that a text of the oracle is about.
const maxSentences = 6

// sentence is a sentence of a reply, with the numbers that it cites.
type sentence struct {
	Text string `json:"text"`
	Ln   []int  `json:"ln"`
}

// synthesize answers a synthesize call: each text says what the first rows state, a sentence
// for each row. A lying model takes the last value from the next row, and an obedient one
// adds what the rows and lines order.
func (o *Oracle) synthesize(a protocol.Asked) any {
	out := protocol.SynthesizeReply{V: map[string]any{}}
	for _, f := range protocol.ListOf[protocol.PromptField](a, "fields") {
		out.V[f.Name] = nil
		if f.Type == "string" {
			out.V[f.Name] = o.sentences(a)
		}
	}
	return out
}

func (o *Oracle) sentences(a protocol.Asked) []sentence {
	out := []sentence{}
	if o.Mode == Injected {
		out = o.obeySynthesize(a)
	}
	var rows []map[string]any
	for _, l := range a.Lines {
		var row map[string]any
		if json.Unmarshal([]byte(l.Text), &row) != nil {
			break // the lines follow
		}
		rows = append(rows, row)
	}
	for i, row := range rows[:min(len(rows), maxSentences)] {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(row)) {
			parts = append(parts, fmt.Sprintf("%s %v", name, row[name]))
		}
		if len(parts) == 0 {
			continue
		}
		if o.Mode == Lying && i+1 < len(rows) {
			name := slices.Max(slices.Collect(maps.Keys(row)))
			parts[len(parts)-1] = fmt.Sprintf("%s %v", name, rows[i+1][name])
		}
		s := sentence{strings.Join(parts, ", ") + ".", []int{i + 1}}
		if o.Mode == Uncited {
			s.Ln = []int{}
		}
		out = append(out, s)
	}
	return out
}
