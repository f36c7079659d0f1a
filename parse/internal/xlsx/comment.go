// SPDX-License-Identifier: Apache-2.0

package xlsx

import (
	"strings"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/sheet"
)

// faults counts comments that the file describes wrongly, messages beside cells, and formulas
// that nobody has computed.
type faults struct {
	strangers  int // their authors are not in the list of persons
	placeless  int // they name no cell, so they are left out
	uncomputed int // formulas without a value whose text stands with another cell
	prompts    int // messages that appear beside selected cells; they are left out
}

// prompt counts the message of the rule for cells that s is at.
func (f *faults) prompt(s *scanner) {
	if s.on("showInputMessage") && (len(s.attr("prompt")) > 0 || len(s.attr("promptTitle")) > 0) {
		f.prompts++
	}
}

func (f *faults) warn(d *doctree.Document) {
	d.WarnCount("part-unreadable", 0, "Comments whose authors are not in the file's list of persons", f.strangers)
	d.WarnCount("part-unreadable", 0, "Comments that name no cell, which were left out", f.placeless)
	d.WarnCount("part-unreadable", 0, "Formulas that have no value, and whose text stands only with the first cell that shares it", f.uncomputed)
	d.WarnCount("part-unreadable", 0, "Messages that appear beside selected cells, which were left out", f.prompts)
}

// comments reads the notes of a sheet, except those that repeat a comment
// thread.
func (d *reader) comments(to *sheet.Sheet, part string, threaded map[string]bool) error {
	var authors []string
	return d.each(part, func(s *scanner, name string) error {
		switch name {
		case "author":
			text, err := s.content(nil)
			if len(authors) < maxSheets {
				authors = append(authors, string(text))
			}
			return err
		case "comment":
			ref, author := s.value("ref"), s.integer("authorId", -1)
			text, err := s.rich(nil)
			r, ok := sheet.ParseRange(ref)
			if !ok && len(text) > 0 {
				d.faults.placeless++
			}
			if ok && !threaded[ref] {
				who := ""
				if author >= 0 && author < len(authors) {
					who = authors[author]
				}
				to.Comment(r.Row, r.Column, who, "", unsigned(string(text), who))
			}
			return err
		}
		return nil
	})
}

// unsigned returns the text of a note without the author's name, which
// programs put before it.
func unsigned(text, author string) string {
	if rest, ok := strings.CutPrefix(text, author+":"); ok && author != "" {
		return strings.TrimSpace(rest)
	}
	return text
}

// threads reads the threaded comments of a sheet. Replies follow the comment
// that they refer to.
func (d *reader) threads(to *sheet.Sheet, part string, threaded map[string]bool) error {
	if err := d.people(); err != nil {
		return err
	}
	return d.each(part, func(s *scanner, name string) error {
		if name != "threadedComment" {
			return nil
		}
		ref, date := s.value("ref"), s.value("dT")
		author, ok := d.persons[s.value("personId")]
		if !ok {
			d.faults.strangers++
		}
		say := to.Comment
		if s.value("parentId") != "" {
			say = to.Reply
		}
		text, err := s.inside("text")
		r, ok := sheet.ParseRange(ref)
		if !ok && len(text) > 0 {
			d.faults.placeless++
		}
		if ok && err == nil {
			threaded[ref] = true
			say(r.Row, r.Column, author, date, string(text))
		}
		return err
	})
}

// people reads the authors of threaded comments once.
func (d *reader) people() error {
	part := d.relations.Part("person")
	if d.persons != nil || part == "" {
		return nil
	}
	d.persons = map[string]string{}
	return d.tolerate(part, d.each(part, func(s *scanner, name string) error {
		if name == "person" && len(d.persons) < maxSheets {
			d.persons[s.value("id")] = s.value("displayName")
		}
		return nil
	}))
}

// inside returns the text of the descendants with a name inside the element
// of the last start tag.
func (s *scanner) inside(name string) (text []byte, err error) {
	if s.empty {
		return nil, nil
	}
	depth := s.depth - 1
	for s.depth > depth {
		t, err := s.next()
		if err == nil && t == start && string(s.name) == name {
			text, err = s.content(text)
		}
		if err != nil {
			return text, err
		}
	}
	return text, nil
}
