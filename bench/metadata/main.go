// SPDX-License-Identifier: Apache-2.0

// Metadata compares the metadata that curlew reads from pages with what the
// annotators of wcxb-dev and news-dev wrote down:
//
//	go run ./metadata
//	go run ./metadata -list author
//	go run ./metadata -list author -pages 0027,0331
//
// A title is right if it has the words of the truth, in order, after parts that a
// separator divides from them (the name of the site) are cut off its ends. The annotators
// wrote down the heading, which often differs from the title element in its words, so a
// further row accepts the first heading of the Markdown. An author is right
// if most of the words of both are the same. Some truths of news-dev have a second line
// with the date or the name of the site, which is ignored. A date is right to the day. The truth often
// has the day of the last change, which is a field of its own, so a further row accepts
// either date. "of those in the page" leaves out the values
// whose words, or whose day in any of the usual notations, are nowhere in the HTML: the
// annotators saw the page in a browser. Values of curlew that the truth does not have are
// counted separately, because the annotators left out what the page does not show.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"example.com/curlew/format"
	"example.com/curlew/internal/dom"
)

// A truth is what the annotators say of a page. Empty members are unknown.
type truth struct {
	id, set, url string
	of           map[string]string // by name of the field
}

// fields in the order of the table.
var fields = []string{"title", "title or heading", "title or only heading", "author", "date", "date or change", "language", "site name"}

func main() {
	log.SetFlags(0)
	corpus := flag.String("corpus", "../../shared/corpora/wcxb-dev", "directory of the pages")
	news := flag.String("news", "../../shared/corpora/news-dev", "directory of more pages")
	list := flag.String("list", "", "field of which all wrong values are printed")
	only := flag.String("pages", "", "pages to read, separated by commas; empty reads all")
	flag.Parse()
	ctx := context.Background()
	all, err := readPages(*corpus)
	if err != nil {
		log.Fatalf("no development data: %v", err)
	}
	more, err := readNews(*news)
	if err != nil {
		log.Fatalf("no development data: %v", err)
	}
	counts := map[string]map[string]*count{"wcxb": {}, "read": {}}
	for _, set := range counts {
		for _, f := range fields {
			set[f] = &count{}
		}
	}
	for i, t := range append(all, more...) {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), t.id) {
			continue
		}
		dir := *corpus
		if i >= len(all) {
			dir = *news
		}
		p, err := readPage(ctx, dir, t)
		if err != nil {
			log.Fatalf("%s: %v", t.id, err)
		}
		for _, f := range fields {
			counts[t.set][f].add(p, f, *list)
		}
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "field\tset\tknown\tright\tof those in the page\tof those with a value\tabsent\tnot in the truth\t")
	for _, f := range fields {
		for _, set := range []string{"wcxb", "read"} {
			if c := counts[set][f]; c != nil && c.known > 0 {
				fmt.Fprintf(out, "%s\t%s\t%d\t%.3f\t%.3f\t%.3f\t%d\t%d\t\n", f, set, c.known, float64(c.right)/float64(c.known), min(float64(c.right)/float64(max(c.present, 1)), 1),
					float64(c.right)/float64(max(c.known-c.absent, 1)), c.absent, c.more)
			}
		}
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

// add compares curlew's value of a field of p with the truth, and counts the result. It
// prints a wrong value if list names the field, and a value that the truth does not have if
// list names the field and "more".
func (c *count) add(p *page, field, list string) {
	kind, _, _ := strings.Cut(field, " or ")
	want, got := p.truth.of[kind], p.value(field)
	if want == "" {
		if got != "" {
			c.more++
			if list == field+" more" {
				fmt.Printf("%s\t%q\t%s\n", p.truth.id, got, p.truth.url)
			}
		}
		return
	}
	c.known++
	if hasValue(kind, p.body, want) {
		c.present++
	}
	right := p.isRight(field, want)
	switch {
	case right:
		c.right++
	case got == "":
		c.absent++
	}
	if !right && list == field {
		fmt.Printf("%s\t%q\t%q\t%s\n", p.truth.id, want, got, p.truth.url)
	}
}

// A count of the values of one field in one set.
type count struct {
	known, right, absent int
	present              int // values that the HTML has somewhere
	more                 int // values that the truth does not have
}

// readPages reads the truths of wcxb-dev.
func readPages(dir string) ([]truth, error) {
	names, err := filepath.Glob(filepath.Join(dir, "truth", "*.json"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no truths in %s", dir)
	}
	slices.Sort(names)
	var all []truth
	for _, name := range names {
		raw, err := os.ReadFile(name) //nolint:gosec // the caller chooses the corpus
		if err != nil {
			return nil, err
		}
		var t struct {
			ID, URL, Title, Author string
			Date                   string `json:"publish_date"`
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, truth{t.ID, "wcxb", t.URL, map[string]string{"title": t.Title, "author": t.Author, "date": t.Date}})
	}
	return all, nil
}

// readNews reads the truths of news-dev that have metadata.
func readNews(dir string) ([]truth, error) {
	list, err := os.Open(filepath.Join(dir, "truth.jsonl")) //nolint:gosec // the caller chooses the corpus
	if err != nil {
		return nil, err
	}
	defer list.Close()
	var all []truth
	lines := bufio.NewScanner(list)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var t struct {
			ID, Set, URL string
			Meta         struct{ Title, Byline, Lang, SiteName, PublishedTime string }
		}
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, err
		}
		if t.Set == "read" {
			m := t.Meta
			m.Byline, _, _ = strings.Cut(m.Byline, "\n")
			all = append(all, truth{t.ID, t.Set, t.URL, map[string]string{
				"title": m.Title, "author": m.Byline, "date": m.PublishedTime, "language": m.Lang, "site name": m.SiteName,
			}})
		}
	}
	return all, lines.Err()
}

// A page is what curlew says of a page.
type page struct {
	truth         *truth
	meta          format.Metadata
	heading, body string // the first heading of its Markdown, and its HTML
}

// value returns what curlew says of a field, or both values if either may be right.
func (p *page) value(field string) string {
	m := &p.meta
	return map[string]string{
		"title": m.Title, "title or heading": m.Title + "\n" + p.heading, "title or only heading": p.heading, "author": m.Extra["author"], "date": m.PublishedTime,
		"date or change": m.PublishedTime + m.ModifiedTime, "language": m.Language, "site name": m.OGSiteName,
	}[field]
}

// isRight reports whether curlew says of a field what the truth says.
func (p *page) isRight(field, want string) bool {
	m := &p.meta
	switch field {
	case "title":
		return isRight(field, want, m.Title) || isRight(field, want, m.OGTitle)
	case "title or heading":
		return isRight("title", want, m.Title) || isRight("title", want, m.OGTitle) || isRight("title", want, p.heading)
	case "title or only heading":
		return isRight("title", want, p.heading)
	case "date or change":
		return isRight("date", want, m.PublishedTime) || isRight("date", want, m.ModifiedTime)
	}
	return isRight(field, want, p.value(field))
}

// readPage returns what curlew says of a page of dir.
func readPage(ctx context.Context, dir string, t truth) (*page, error) {
	packed, err := os.ReadFile(filepath.Join(dir, "html", t.id+".html.gz")) //nolint:gosec // the caller chooses the corpus
	if err != nil {
		return nil, err
	}
	unpack, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(unpack)
	if err != nil {
		return nil, err
	}
	tree, err := dom.Parse(ctx, body, "text/html; charset=utf-8")
	if err != nil {
		return nil, err
	}
	d, err := (&format.Engine{}).Build(ctx, &format.Input{Root: tree.Root, URL: t.url}, &format.Options{Forms: []format.Form{format.Markdown}})
	if err != nil {
		return nil, err
	}
	return &page{&t, d.Metadata, firstHeading(*d.Markdown), string(body)}, nil
}

// firstHeading returns the text of the first heading of Markdown, without links and
// emphasis, or "".
func firstHeading(markdown string) string {
	for line := range strings.Lines(markdown) {
		if text := strings.TrimLeft(line, "#"); len(text) < len(line) && strings.HasPrefix(text, " ") {
			text = link.ReplaceAllString(text, "$1")
			return strings.TrimSpace(strings.NewReplacer("\\", "", "**", "").Replace(text))
		}
	}
	return ""
}

// link matches a link of Markdown. Its group is the text.
var link = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// hasValue reports whether the HTML of a page may have a value of the truth: most of
// its words, or its day in one of the usual notations.
func hasValue(field, body, want string) bool {
	if strings.HasPrefix(field, "date") {
		t, err := time.Parse(time.DateOnly, day(want))
		if err != nil {
			return false
		}
		for _, layout := range []string{
			time.DateOnly, "20060102", "2006/01/02", "2006/1/2", "1/2/2006", "01/02/2006", "2/1/2006", "02/01/2006", "01/02/06", "2.1.2006", "02.01.2006",
			"02-01-2006", "01-02-2006", "January 2", "Jan 2", "Jan. 2", "January 02", "Jan 02", "2 January", "2 Jan", "02 Jan", "2th January", "2-Jan-2006",
		} {
			if strings.Contains(body, t.Format(layout)) {
				return true
			}
		}
		return false
	}
	found, all := 0, words(want)
	body = strings.ToLower(body)
	for _, w := range all {
		if strings.Contains(body, w) {
			found++
		}
	}
	return 2*found > len(all)
}

// isRight compares a value with the truth.
func isRight(field, want, got string) bool {
	switch field {
	case "title":
		return hasTitle(got, want)
	case "author":
		return sameName(want, got)
	case "date":
		a, b := day(want), day(got)
		return a != "" && a == b
	case "language":
		a, _, _ := strings.Cut(strings.ToLower(want), "-")
		b, _, _ := strings.Cut(strings.ToLower(got), "-")
		return a == b
	default:
		return slices.Equal(words(want), words(got))
	}
}

// hasTitle reports whether the wanted title is the title that was read, or a part of
// it between separators, as in "Title | Name of the site".
func hasTitle(got, want string) bool {
	wanted := words(want)
	if slices.Equal(words(got), wanted) {
		return true
	}
	bounds := []int{0}
	for i, r := range got {
		if strings.ContainsRune("|-–—·•:»«>/\\~_＿｜", r) {
			bounds = append(bounds, i, i+len(string(r)))
		}
	}
	bounds = append(bounds, len(got))
	for i, from := range bounds {
		for _, to := range bounds[i:] {
			if slices.Equal(words(got[from:to]), wanted) {
				return true
			}
		}
	}
	return false
}

// sameName compares the words of two names, without "by".
func sameName(a, b string) bool {
	x, y := words(a), words(b)
	by := func(s string) bool { return s == "by" || s == "and" }
	x, y = slices.DeleteFunc(x, by), slices.DeleteFunc(y, by)
	both := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			both++
		}
	}
	return both > 0 && 2*both > max(len(x), len(y))
}

// day returns the day of a date as 2006-01-02, or "".
func day(s string) string {
	s = strings.NewReplacer("th ", " ", "st ", " ", "nd ", " ", "rd ", " ").Replace(strings.TrimSpace(s))
	for _, layout := range []string{
		time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC, "January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006",
		"January 2, 2006 3:04 PM", "Mon, 02 Jan 2006 15:04:05 -0700", "2006/1/2", "Jan 2 2006",
		"Mon, 01/02/2006 - 15:04",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	if len(s) >= 8 && strings.Trim(s[:8], "0123456789") == "" {
		s = s[:4] + "-" + s[4:6] + "-" + s[6:]
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "/", "-"), ".", "-")
	if len(s) > len(time.DateOnly) {
		s = s[:len(time.DateOnly)]
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t.Format(time.DateOnly)
	}
	return ""
}

// words returns the words of s in lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}
