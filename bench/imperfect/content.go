// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"
)

// A block is a part of the content of a page.
type block struct {
	tag   string // h2, p, ul, pre, blockquote, figure, table, records, post or question
	text  string
	more  string // the answer, the caption or the name of who wrote the post
	items []string
	rows  [][]string
	list  []record
	day   time.Time
}

// A record is an entry of a list.
type record struct {
	title, link, price, text string
	day                      time.Time
}

// A page is what is to be found on a page.
type page struct {
	kind, title, author string
	day                 time.Time
	body                []block
	related, comments   []string // what is not content
	chrome              []string
}

// kinds are the kinds of pages.
var kinds = []string{"article", "documentation", "thread", "product", "product grid", "event grid", "service", "job list", "recipe", "questions"}

// newPage makes the content of a page.
func newPage(s *source, kind string) *page {
	p := &page{kind: kind, title: s.title(), author: s.name(), day: s.day()}
	for range 3 {
		p.related = append(p.related, s.title())
		p.comments = append(p.comments, s.text(1, 2))
		p.chrome = append(p.chrome, s.title())
	}
	add := func(b ...block) { p.body = append(p.body, b...) }
	paragraphs := func(n int) {
		for range n {
			add(block{tag: "p", text: s.text(2, 4)})
		}
	}
	heading := func() { add(block{tag: "h2", text: s.title()}) }
	list := func(n int) { add(block{tag: "ul", items: s.many(n, s.sentence)}) }
	switch kind {
	case "article":
		paragraphs(3)
		add(block{tag: "figure", text: "/photo.jpg", more: s.sentence()})
		heading()
		paragraphs(3)
		add(block{tag: "blockquote", text: s.sentence()})
		paragraphs(2)
		list(4)
		paragraphs(1)
	case "documentation":
		paragraphs(1)
		for range 3 {
			heading()
			paragraphs(1)
			add(block{tag: "pre", text: fmt.Sprintf("open(%q)\nread(%d)", s.phrase(2, 3), s.IntN(1000))})
			paragraphs(1)
		}
		add(block{tag: "table", rows: [][]string{{"Name", "Meaning"}, {s.phrase(1, 2), s.sentence()}, {s.phrase(1, 2), s.sentence()}, {s.phrase(1, 2), s.sentence()}}})
		list(4)
	case "thread":
		for range 5 {
			add(block{tag: "post", text: s.text(2, 5), more: s.name(), day: s.day()})
		}
	case "product":
		add(block{tag: "price", text: s.price()})
		paragraphs(2)
		list(5)
		heading()
		add(block{tag: "table", rows: [][]string{{"Weight", fmt.Sprint(3+s.IntN(90)) + " kg"}, {"Material", s.phrase(2, 3)}, {"Origin", s.phrase(2, 3)}}})
		paragraphs(1)
	case "product grid":
		paragraphs(1)
		add(block{tag: "records", list: s.records(8, true, false)})
	case "event grid", "job list":
		paragraphs(1)
		add(block{tag: "records", list: s.records(7, false, true)})
	case "service":
		paragraphs(1)
		for range 4 {
			heading()
			paragraphs(1)
		}
		list(3)
	case "recipe":
		paragraphs(1)
		heading()
		add(block{tag: "ul", items: s.many(7, func() string { return fmt.Sprintf("%d g %s", 10*(1+s.IntN(60)), s.phrase(2, 4)) })})
		heading()
		add(block{tag: "ol", items: s.many(5, s.sentence)})
		paragraphs(1)
	case "questions":
		for range 6 {
			add(block{tag: "question", text: s.phrase(5, 9) + "?", more: s.text(1, 3)})
		}
	}
	return p
}

// many returns n texts.
func (s *source) many(n int, make func() string) (all []string) {
	for range n {
		all = append(all, make())
	}
	return all
}

func (s *source) records(n int, priced, dated bool) (all []record) {
	for i := range n {
		r := record{title: s.title(), link: fmt.Sprintf("/item/%d-%d", i, s.IntN(10000)), text: s.sentence()}
		if priced {
			r.price = s.price()
		}
		if dated {
			r.day = s.day()
		}
		all = append(all, r)
	}
	return all
}

// A fact is something that the Markdown of a page must have, or must not.
type fact struct{ kind, text string }

// facts returns what the content of p has, with its title.
func (p *page) facts(site string) []fact {
	all := []fact{{"title", p.title}}
	add := func(kind, text string) {
		if text != "" {
			all = append(all, fact{kind, text})
		}
	}
	for _, b := range p.body {
		switch b.tag {
		case "h2":
			add("heading", b.text)
		case "price":
			add("price", b.text)
		case "figure":
			add("picture", site+b.text)
			add("text", b.more)
		case "question":
			add("heading", b.text)
			add("text", b.more)
		case "post":
			add("text", b.text)
			add("name", b.more)
			add("date", b.day.Format(time.DateOnly))
		default:
			add("text", b.text)
		}
		for _, item := range b.items {
			add("text", item)
		}
		for _, row := range b.rows {
			for _, cell := range row {
				add("text", cell)
			}
		}
		for _, r := range b.list {
			add("record", r.title)
			add("link", site+r.link)
			add("price", r.price)
			add("text", r.text)
			if !r.day.IsZero() {
				add("date", r.day.Format(time.DateOnly))
			}
		}
	}
	return all
}
