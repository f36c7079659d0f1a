// SPDX-License-Identifier: Apache-2.0

package wrapper

import (
	"slices"
	"strings"
	"unicode"

	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// separators may stand between the items of a list.
var separators = []string{", ", "; ", " / ", " · ", " • ", " | ", " + ", " – ", " and ", " und ", " et "}

// maxListed is the number of items of a list that a template reads.
const maxListed = 50

// isTexts reports whether a field is a list of texts.
func isTexts(f *outline.Field) bool {
	return outline.KindOf(f.Node) == "string[]" && f.Node.Items.Enum == nil
}

// items returns the items of a list, or nil if it is not certain where they end: an item has no
// sign that no item of the seeds has, and no word more than theirs.
func (a *affix) items(text string) any {
	if a.separator == "" {
		return nil
	}
	var out []any
	for item := range strings.SplitSeq(text, a.separator) {
		item = strings.TrimSpace(item)
		if item == "" || len(out) == maxListed || strings.ContainsFunc(item, func(r rune) bool { return isSign(r) && !strings.ContainsRune(a.signs, r) }) {
			return nil
		}
		if len(strings.Fields(item)) > max(2, a.words) {
			return nil // a conjunction may separate two items
		}
		out = append(out, item)
	}
	return out
}

// isSign reports whether a rune is a sign that may separate items.
func isSign(r rune) bool {
	return r != '-' && r != '\'' && r != '’' && !unicode.IsSpace(r) && !value.WordRune(r)
}

// sameTexts reports whether a list has the texts of a value.
func sameTexts(list, want any) bool {
	a, okA := list.([]any)
	b, okB := want.([]any)
	return okA && okB && slices.EqualFunc(a, b, func(x, y any) bool {
		s, okS := x.(string)
		t, okT := y.(string)
		return okS && okT && value.Normal(s) == value.Normal(t)
	})
}

// listed returns the rules that select a text which is the list of a field. The separator is that
// of a seed with several items.
func listed(f *outline.Field, having []Seed) []rule {
	own := affix{}
	for _, s := range having { // what stands within items
		list, _ := s.Row[f.Name].Value.([]any)
		for _, item := range list {
			text, _ := item.(string)
			own.words = max(own.words, len(strings.Fields(text)))
			for _, r := range text {
				if isSign(r) && !strings.ContainsRune(own.signs, r) {
					own.signs += string(r)
				}
			}
		}
	}
	var out []rule
	for _, s := range having {
		list, _ := s.Row[f.Name].Value.([]any)
		if len(list) < 2 {
			continue
		}
		texts := s.Page.Short()
		for i := range texts {
			t := &texts[i]
			for _, separator := range separators {
				a := own
				a.separator = separator
				if !strings.Contains(t.Value, separator) || !sameTexts(a.items(t.Value), s.Row[f.Name].Value) {
					continue
				}
				for _, r := range append(rulesOf(t), placesOf(t, s.Page)...) {
					r.affix = a
					out = append(out, r)
				}
			}
		}
		break
	}
	sortRules(out)
	return slices.Compact(out)
}
