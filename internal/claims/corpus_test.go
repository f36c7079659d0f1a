// SPDX-License-Identifier: Apache-2.0

package claims_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/internal/claims"
	"example.com/curlew/internal/test/golden"
)

// twoWords matches a name of two words within a sentence.
var twoWords = regexp.MustCompile(`[a-z,] ([A-Z][a-z]+ [A-Z][a-z]+)(?:[.,;:]| [a-z])`)

// TestSwappedNames puts into sentences of pages the name of something else on the same page. Few such claims may
// pass, and hardly any true one may fail that leaves a third of the words out.
func TestSwappedNames(t *testing.T) {
	dir := golden.Root("../shared/corpora/wcxb-dev/truth")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the shared corpora are absent: no sentences of real pages")
	}
	const every, each, words = 15, 20, 6 // pages, sentences of a page, the fewest words of one
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var swapped, passed, thinned, kept float64
	for i := 0; i < len(files); i += every {
		data, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Text string `json:"main_content"`
		}
		if err := json.Unmarshal(data, &page); err != nil {
			t.Fatal(err)
		}
		var names, sentences []string
		for _, s := range claims.Sentences(page.Text) {
			if found := twoWords.FindStringSubmatch(s); found != nil && len(strings.Fields(s)) >= words {
				names, sentences = append(names, found[1]), append(sentences, s)
			}
		}
		if len(names) == 0 {
			continue
		}
		source := claims.NewSource(page.Text)
		others := slices.Compact(slices.Sorted(slices.Values(names)))
		for range min(len(sentences), each) {
			k := rng.IntN(len(sentences))
			s := sentences[k]
			if other := others[rng.IntN(len(others))]; !strings.Contains(s, other) {
				swapped++
				if source.States(strings.Replace(s, names[k], other, 1)) {
					passed++
				}
			}
			thinned++
			if source.States(strings.Join(slices.DeleteFunc(strings.Fields(s), func(string) bool { return rng.IntN(3) == 0 }), " ")) {
				kept++
			}
		}
	}
	t.Logf("of %.0f claims with another name %.3f pass; of %.0f true ones without a third of their words %.3f", swapped, passed/swapped, thinned, kept/thinned)
	if passed/swapped > 0.45 || kept/thinned < 0.96 {
		t.Error("too many wrong claims pass, or too many true ones do not")
	}
}
