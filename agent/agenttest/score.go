// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"encoding/json"
	"math"
	"strings"
)

// Score says how good an answer is, according to WideSearch. Rows are matched by their
// keys. A cell is right if its value is right, and a row is right if all its cells are.
type Score struct {
	Rows, RowsRight, RowsTrue int // rows of the answer, right rows, and rows of the truth
	Items, Right, True        int // cells of the answer, right cells, and cells of the truth
	Wrong                     []Wrong
}

// Wrong is a cell that differs from the truth, a row that is not in the truth, or a row
// of the truth that is missing.
type Wrong struct {
	Key, Field string // an empty Field means the whole row
	Got, Want  any    // nil means that there is none
}

// F1 returns the scores of cells and of rows, from 0 to 1.
func (s Score) F1() (items, rows float64) {
	f := func(have, right, truth int) float64 {
		if have+truth == 0 {
			return 1
		}
		return 2 * float64(right) / float64(have+truth)
	}
	return f(s.Items, s.Right, s.True), f(s.Rows, s.RowsRight, s.RowsTrue)
}

// Score compares data with the truth.
func (t Task) Score(data json.RawMessage) Score {
	var s Score
	var answer map[string]any
	if json.Unmarshal(data, &answer) != nil {
		answer = nil
	}
	for _, truth := range t.Truth {
		var rows []map[string]any
		if truth.Path == "" {
			if answer != nil && (len(truth.Rows) > 0 || says(answer)) {
				rows = append(rows, answer)
			}
		} else if list, ok := answer[truth.Path].([]any); ok {
			for _, v := range list {
				row, _ := v.(map[string]any)
				rows = append(rows, row)
			}
		}
		s.add(truth, rows)
	}
	return s
}

// says reports whether an answer has a value.
func says(answer map[string]any) bool {
	for _, v := range answer {
		if v != nil {
			return true
		}
	}
	return false
}

func (s *Score) add(truth Truth, rows []map[string]any) {
	key := func(row map[string]any) string {
		var parts []string
		for _, k := range truth.Keys {
			parts = append(parts, fold(row[k]))
		}
		return strings.Join(parts, "|")
	}
	want := map[string]map[string]any{}
	for _, row := range truth.Rows {
		want[key(row)] = row
		s.True += len(row)
	}
	s.RowsTrue += len(truth.Rows)
	s.Rows += len(rows)
	for _, row := range rows {
		k := key(row)
		right, whole := want[k], true
		delete(want, k) // a second row with the same key is wrong
		if right == nil {
			s.Wrong = append(s.Wrong, Wrong{Key: k, Got: row})
		}
		for field, v := range row {
			if v == nil {
				continue
			}
			s.Items++
			if right != nil && equal(v, right[field]) {
				s.Right++
				continue
			}
			whole = false
			if right != nil {
				s.Wrong = append(s.Wrong, Wrong{k, field, v, right[field]})
			}
		}
		for field, v := range right {
			if row[field] == nil {
				whole = false
				s.Wrong = append(s.Wrong, Wrong{k, field, nil, v})
			}
		}
		if right != nil && whole {
			s.RowsRight++
		}
	}
	for k, row := range want {
		s.Wrong = append(s.Wrong, Wrong{Key: k, Want: row})
	}
}

// equal compares a value with the truth. Case and outer space of texts do not matter.
// Numbers may differ by a millionth.
func equal(got, want any) bool {
	x, okX := got.(float64)
	y, okY := want.(float64)
	if okX && okY {
		return math.Abs(x-y) <= 1e-6*math.Max(1, math.Abs(y))
	}
	return want != nil && fold(got) == fold(want)
}

func fold(v any) string {
	if s, ok := v.(string); ok {
		return strings.ToLower(strings.TrimSpace(s))
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(raw)
}
