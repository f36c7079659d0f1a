// SPDX-License-Identifier: Apache-2.0

package pdf

import (
	"sort"
	"strconv"
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/pdf/object"
)

// numbering is an entry of the page label tree: how the pages from one index
// on are labelled (ISO 32000-1, 12.4.2).
type numbering struct {
	from   int // index of the first page
	style  object.Name
	prefix string
	start  int
}

// readLabels returns the labels of the pages with an index below n, except
// those that equal the page number. The result is nil if the document has no
// page labels.
func readLabels(f *object.File, n int) map[int]string {
	var ranges []numbering
	nodes := 0
	seen := map[object.Ref]bool{}
	var walk func(o object.Object, depth int)
	walk = func(o object.Object, depth int) {
		if r, ok := o.(object.Ref); ok {
			if seen[r] {
				return
			}
			seen[r] = true
		}
		if nodes++; nodes > maxNames || depth > maxNameDepth {
			return
		}
		node := f.Dict(o)
		nums := f.Array(node["Nums"])
		for i := 0; i+1 < len(nums) && len(ranges) < maxNames; i += 2 {
			d := f.Dict(nums[i+1])
			if at, ok := object.Int(f.Resolve(nums[i])); ok && at >= 0 && at < n && d != nil {
				ranges = append(ranges, numbering{at, f.Name(d["S"]), line(f.Text(d["P"])), max(1, f.Int(d["St"], 1))})
			}
		}
		for _, k := range f.Array(node["Kids"]) {
			walk(k, depth+1)
		}
	}
	walk(f.Catalog()["PageLabels"], 0)
	sort.SliceStable(ranges, func(i, j int) bool { return ranges[i].from < ranges[j].from })
	labels := map[int]string{}
	for i, r := range ranges {
		end := n
		if i+1 < len(ranges) {
			end = ranges[i+1].from
		}
		for page := r.from; page < end; page++ {
			if label := r.label(page); label != "" && label != strconv.Itoa(page+1) {
				labels[page] = label
			}
		}
	}
	return labels
}

// maxLabel is the maximum length of a page label in bytes.
const maxLabel = 64

// label returns the label of a page. It is empty if there is none or if it
// is too long.
func (r numbering) label(page int) string {
	v, s := r.start+page-r.from, ""
	switch r.style {
	case "D":
		s = strconv.Itoa(v)
	case "r":
		s = strings.ToLower(doctree.Roman(v))
	case "R":
		s = doctree.Roman(v)
	case "a":
		s = alphabetic(v)
	case "A":
		s = strings.ToUpper(alphabetic(v))
	}
	if s = r.prefix + s; len(s) > maxLabel {
		return ""
	}
	return s
}

// alphabetic returns a to z, aa to zz, aaa and so on, and a decimal number
// if that would be too long.
func alphabetic(v int) string {
	if v > 26*maxLabel {
		return strconv.Itoa(v)
	}
	return strings.Repeat(string(rune('a'+(v-1)%26)), 1+(v-1)/26)
}
