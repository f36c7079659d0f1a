// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strconv"
)

// A reference is the target of links that is listed at the end of the document.
type reference struct{ dest, title string }

// targets assigns numbers to references.
type targets struct {
	numbers map[reference]int
	list    []reference // the first one has number 1
}

// number returns the number of a reference. Numbers start at 1.
func (t *targets) number(r reference) int {
	if n := t.numbers[r]; n > 0 {
		return n
	}
	if t.numbers == nil {
		t.numbers = map[reference]int{}
	}
	t.list = append(t.list, r)
	t.numbers[r] = len(t.list)
	return len(t.list)
}

// linkEnd writes the part of a link after its text.
func (w *lineWriter) linkEnd(dest, title string) {
	switch w.options.Links {
	case LinksReference:
		w.out = append(w.out, ']')
		w.linkNumber(dest, title)
	case LinksCitation:
		w.linkNumber(dest, title)
	default:
		w.out = append(w.out, "]("...)
		w.destination(dest, title)
		w.out = append(w.out, ')')
	}
}

func (w *lineWriter) linkNumber(dest, title string) {
	w.out = append(w.out, '[')
	w.out = strconv.AppendInt(w.out, int64(w.targets.number(reference{dest, title})), 10)
	w.out = append(w.out, ']')
}

// writeTargets lists the targets of links at the end of the document.
func (w *lineWriter) writeTargets() {
	for i, r := range w.targets.list {
		if i == 0 {
			w.start(definitions)
		} else {
			w.newline()
		}
		w.out = append(w.out, '[')
		w.out = strconv.AppendInt(w.out, int64(i+1), 10)
		w.out = append(w.out, "]: "...)
		if r.dest == "" && r.title == "" {
			w.out = append(w.out, "<>"...)
			continue
		}
		w.destination(r.dest, r.title)
	}
}
