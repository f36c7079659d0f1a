// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// asked is a user text of package agent as its model reads it.
type asked struct {
	values map[string]json.RawMessage
	lists  map[string][]json.RawMessage
	lines  []line // of the foreign text, numbers increasing
	hash   uint64 // of all of it
}

type line struct {
	n    int
	text string
}

func readAsked(user string) asked {
	a := asked{values: map[string]json.RawMessage{}, lists: map[string][]json.RawMessage{}}
	h := fnv.New64a()
	h.Write([]byte(user))
	a.hash = h.Sum64()
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
				n, rest = len(a.lines)+1, text
			}
			a.lines = append(a.lines, line{n, rest})
		case strings.HasPrefix(text, "<<<"):
			end = ">>>" + text[3:]
		case strings.HasPrefix(text, "- "):
			a.lists[name] = append(a.lists[name], json.RawMessage(text[2:]))
		default:
			var value string
			name, value, _ = strings.Cut(text, ":")
			a.values[name] = json.RawMessage(strings.TrimSpace(value))
		}
	}
	return a
}

func (a asked) text(name string) string {
	var s string
	if json.Unmarshal(a.values[name], &s) != nil {
		return string(a.values[name])
	}
	return s
}

func (a asked) number(name string) int {
	n, err := strconv.Atoi(string(a.values[name]))
	if err != nil {
		return 0
	}
	return n
}

// list decodes the items of a list; those of another shape are left out.
func list[T any](a asked, name string) []T {
	var out []T
	for _, raw := range a.lists[name] {
		var v T
		if json.Unmarshal(raw, &v) == nil {
			out = append(out, v)
		}
	}
	return out
}

// can reports whether a word is among those of "can:".
func (a asked) can(word string) bool {
	return slices.Contains(strings.Fields(string(a.values["can"])), word)
}

// plain removes what Markdown writes around text.
var plain = strings.NewReplacer(`\`, "", "**", "", "`", "")

// place returns where text stands in s as a token of its own; -1 where it does
// not.
func place(s, text string) int {
	if text == "" {
		return -1
	}
	for from := 0; ; {
		i := strings.Index(s[from:], text)
		if i < 0 {
			return -1
		}
		i += from
		end := i + len(text)
		last := text[len(text)-1]
		before := i > 0 && joins(s[i-1], text[0])
		behind := end < len(s) && joins(s[end], last)
		decimals := end+1 < len(s) && (s[end] == '.' || s[end] == ',') && isDigit(s[end+1]) && isDigit(last)
		if !before && !behind && !decimals {
			return i
		}
		from = i + 1
	}
}

// joins reports whether two bytes side by side are of one token.
func joins(a, b byte) bool { return isWord(a) && isWord(b) }

func isWord(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
