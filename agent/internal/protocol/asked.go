// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// Asked is a user text as the model of a test reads it.
type Asked struct {
	Values map[string]json.RawMessage
	Lists  map[string][]json.RawMessage
	Lines  []AskedLine // of the foreign text, numbers increasing
	Hash   uint64      // of all of it
}

// AskedLine is a line of foreign text with its number.
type AskedLine struct {
	N    int
	Text string
}

// ReadAsked reads a user text.
func ReadAsked(user string) Asked {
	a := Asked{Values: map[string]json.RawMessage{}, Lists: map[string][]json.RawMessage{}}
	h := fnv.New64a()
	h.Write([]byte(user))
	a.Hash = h.Sum64()
	name, end := "", ""
	for text := range strings.Lines(user) {
		text = strings.TrimSuffix(text, "\n")
		switch {
		case end != "" && text == end:
			end = ""
		case end != "":
			number, rest, ok := strings.Cut(text, "| ")
			n, err := strconv.Atoi(number)
			if !ok || err != nil {
				n, rest = len(a.Lines)+1, text
			}
			a.Lines = append(a.Lines, AskedLine{n, rest})
		case strings.HasPrefix(text, "<<<"):
			end = ">>>" + text[3:]
		case strings.HasPrefix(text, "- "):
			a.Lists[name] = append(a.Lists[name], json.RawMessage(text[2:]))
		default:
			var value string
			name, value, _ = strings.Cut(text, ":")
			a.Values[name] = json.RawMessage(strings.TrimSpace(value))
		}
	}
	return a
}

// Text returns a value as text.
func (a Asked) Text(name string) string {
	var s string
	if json.Unmarshal(a.Values[name], &s) != nil {
		return string(a.Values[name])
	}
	return s
}

// Number returns a value as a number, or 0 if it is not a number.
func (a Asked) Number(name string) int {
	n, err := strconv.Atoi(string(a.Values[name]))
	if err != nil {
		return 0
	}
	return n
}

// ListOf decodes the items of a list. Those of another shape are left out.
func ListOf[T any](a Asked, name string) []T {
	var out []T
	for _, raw := range a.Lists[name] {
		var v T
		if json.Unmarshal(raw, &v) == nil {
			out = append(out, v)
		}
	}
	return out
}

// Can reports whether a word is among those of "can:".
func (a Asked) Can(word string) bool {
	return slices.Contains(strings.Fields(string(a.Values["can"])), word)
}
