// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"example.com/curlew/export"
)

// own is the folder below the one of the pages that the program keeps for itself.
const own = "_curlew"

// folder is the folder that pages are written to. os.Root keeps every name inside.
type folder struct {
	root    *os.Root
	dir     string
	layout  string // one of layouts; empty means md
	all     *list  // file with all pages, unless each page has its own
	written int
	warned  int // files whose pages have a warning
	bytes   int64
}

func openFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &folder{root: root, dir: dir}, nil
}

func (f *folder) Close() error { return f.root.Close() }

// page is what the program reads of a document.
type page struct {
	Markdown *string `json:"markdown"`
	Metadata struct {
		Title      string `json:"title"`
		URL        string `json:"url"`
		SourceURL  string `json:"sourceURL"`
		StatusCode int    `json:"statusCode"`
		Error      string `json:"error"`
		Change     string `json:"change"`
		ScrapeID   string `json:"scrapeId"`
		CachedAt   string `json:"cachedAt"`
	} `json:"metadata"`
	Warning string          `json:"warning"`
	Data    json.RawMessage `json:"json"` // extracted data; null if the page has none

	// What Job.WatchExport adds. A server does not send it.
	Depth        *int   `json:"depth"`
	ETag         string `json:"etag"`
	LastModified string `json:"lastModified"`
}

// address returns the URL of the page.
func (p *page) address() string {
	if p.Metadata.URL != "" {
		return p.Metadata.URL
	}
	return p.Metadata.SourceURL
}

// fault returns why there is no document to write for the page, or nil.
func (p *page) fault() error {
	switch {
	case p.Metadata.StatusCode >= 400 && p.Metadata.Error != "":
		return fmt.Errorf("the site answered %d %s", p.Metadata.StatusCode, p.Metadata.Error)
	case p.Metadata.StatusCode >= 400:
		return fmt.Errorf("the site answered %d", p.Metadata.StatusCode)
	case p.Markdown == nil && p.Warning != "":
		return errors.New(p.Warning)
	case p.Markdown == nil:
		return errors.New("there is no Markdown")
	case p.empty():
		return errNoText
	}
	return nil
}

// errNoText is why a page without text is not a document: a file of it would be empty.
var errNoText = errors.New("the page has no text")

// empty reports whether the page has Markdown, but without anything in it.
func (p *page) empty() bool { return p.Markdown != nil && strings.TrimSpace(*p.Markdown) == "" }

// entry is a line of the manifest.
type entry struct {
	URL    string `json:"url"`
	File   string `json:"file,omitempty"`
	Status int    `json:"status,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	At     string `json:"fetchedAt,omitempty"`
	Depth  *int   `json:"depth,omitempty"` // links from the start page
	ETag   string `json:"etag,omitempty"`
	Last   string `json:"lastModified,omitempty"`
	Change string `json:"change,omitempty"`  // with --since: new, changed, same
	Error  string `json:"error,omitempty"`   // why there is no file
	Note   string `json:"warning,omitempty"` // what the page lacks, for example because it was cut off or needs JavaScript

	empty bool // the page was delivered, but has no text
}

// outcome says in words what became of the page.
func (e *entry) outcome() string {
	text := "no file: " + e.Error
	if e.File != "" {
		text = fmt.Sprintf("%d, %s", e.Status, e.File)
	}
	if e.Note != "" {
		text += ", warning: " + e.Note
	}
	return text
}

// write writes a page as a file with front matter, or to the file with all pages, and
// returns its line of the manifest. raw is the page as JSON.
func (f *folder) write(raw []byte, p *page) (*entry, error) {
	e := &entry{
		URL: p.address(), Status: p.Metadata.StatusCode, Change: p.Metadata.Change, At: export.FetchedAt(p.Metadata.ScrapeID, p.Metadata.CachedAt),
		Depth: p.Depth, ETag: p.ETag, Last: p.LastModified,
	}
	if why := p.fault(); why != nil {
		e.Error = why.Error()
		if e.empty = errors.Is(why, errNoText); e.empty {
			e.Note = p.Warning                          // for example that the page needs JavaScript
			return e, f.discard(export.FileName(e.URL)) // an earlier crawl may have found text
		}
		return e, nil
	}
	sum := sha256.Sum256([]byte(*p.Markdown))
	e.SHA256, e.File = hex.EncodeToString(sum[:]), export.FileName(e.URL)
	front, err := export.FrontMatter(&export.Front{URL: e.URL, Title: p.Metadata.Title, FetchedAt: e.At, Status: e.Status, Depth: e.Depth, ETag: e.ETag, LastModified: e.Last, SHA256: e.SHA256})
	if err != nil {
		return nil, err
	}
	e.Note = p.Warning
	text := front + *p.Markdown
	switch f.layout {
	case "jsonl":
		e.File = allJSON
		if text, err = line(e, raw); err != nil {
			return nil, err
		}
	case "single":
		e.File, text = allText, fmt.Sprintf("<!-- %s -->\n\n%s\n\n", commented(e.URL), strings.TrimRight(*p.Markdown, "\n"))
	}
	f.written++
	f.bytes += int64(len(text))
	if f.all == nil {
		return e, f.put(e.File, []byte(text))
	}
	return e, f.all.append([]byte(text))
}

// Files with all pages.
const (
	allJSON = "pages.jsonl"
	allText = "pages.md"
)

// others counts the Markdown files in the folder that the crawl has not written, such as
// those of an earlier crawl. They look like its pages.
func (f *folder) others() int {
	n := -f.written
	switch f.layout {
	case "jsonl":
		n = 0
	case "single":
		n = -1
	}
	// What cannot be read is not counted.
	_ = fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || name == own:
			return fs.SkipDir
		case path.Ext(name) == ".md" && d.Type().IsRegular():
			n++
		}
		return nil
	})
	return max(0, n)
}

// line returns the line of a document: the document after the time of its request.
func line(e *entry, raw []byte) (string, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return "", err
	}
	text := b.String() + "\n"
	if rest, ok := strings.CutPrefix(text, "{"); ok && e.At != "" {
		text = fmt.Sprintf(`{"fetchedAt":%q,%s`, e.At, rest)
	}
	return text, nil
}

// commented returns a text that can stand in a comment of HTML.
func commented(text string) string { return strings.ReplaceAll(text, "--", "%2D%2D") }

// begin creates the file with all pages, if the layout has one.
func (f *folder) begin() (err error) {
	switch f.layout {
	case "jsonl":
		f.all, err = f.create(allJSON)
	case "single":
		f.all, err = f.create(allText)
	}
	return err
}

// end completes the file with all pages, or removes it if the crawl was broken off.
func (f *folder) end(complete bool) error {
	all := f.all
	f.all = nil
	switch {
	case all == nil:
		return nil
	case complete:
		return all.end()
	}
	all.abandon()
	return nil
}

// put writes a file under a temporary name and renames it, so that no reader sees a part
// of it.
func (f *folder) put(name string, data []byte) error {
	if err := f.root.MkdirAll(path.Dir(name), 0o750); err != nil {
		return err
	}
	partial := name + ".partial"
	if err := f.root.WriteFile(partial, data, 0o640); err != nil {
		return errors.Join(err, f.discard(partial))
	}
	return f.root.Rename(partial, name)
}

func (f *folder) discard(name string) error {
	if err := f.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// list is a file of JSON lines, or of several texts. It has a temporary name until it is complete.
type list struct {
	f    *folder
	name string
	file *os.File
	w    *bufio.Writer
	n    int
}

// list creates the file own/name.
func (f *folder) list(name string) (*list, error) {
	if err := f.root.MkdirAll(own, 0o750); err != nil {
		return nil, err
	}
	return f.create(path.Join(own, name))
}

// create creates a file of the folder.
func (f *folder) create(name string) (*list, error) {
	file, err := f.root.Create(name + ".partial")
	if err != nil {
		return nil, err
	}
	return &list{f: f, name: name, file: file, w: bufio.NewWriter(file)}, nil
}

func (l *list) add(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.append(append(line, '\n'))
}

func (l *list) append(text []byte) error {
	l.n++
	_, err := l.w.Write(text)
	return err
}

// end completes the file and gives it its name. A file without lines is removed.
func (l *list) end() error {
	if err := errors.Join(l.w.Flush(), l.file.Sync(), l.file.Close()); err != nil {
		return err
	}
	if l.n == 0 {
		return l.f.discard(l.name + ".partial")
	}
	return l.f.root.Rename(l.name+".partial", l.name)
}

// abandon removes what has been written.
func (l *list) abandon() {
	_ = l.file.Close()
	_ = l.f.discard(l.name + ".partial")
}
