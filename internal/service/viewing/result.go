// SPDX-License-Identifier: Apache-2.0

package viewing

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/curlew/fetch/render"
	"example.com/curlew/format"
)

// Keep stores files and returns their URLs.
type Keep func(ctx context.Context, files []File) ([]string, error)

// Attachment puts the results of a browser into a document.
type Attachment struct {
	Keep Keep // nil makes URLs that contain the files

	// Redact removes personal data from the HTML of a page. If the data cannot be
	// removed, it returns an error. Nil leaves the data in. If it is not nil, pictures,
	// PDFs and values of scripts are left out, because they cannot be searched.
	Redact func(ctx context.Context, url string, html []byte) (string, error)
}

// Attach adds the results of a page to its document. asked is what the browser was asked
// for, or nil if the page was only shown because it needs its scripts.
func (a *Attachment) Attach(ctx context.Context, doc *format.Document, page *render.Page, asked *render.Request) error {
	notes := make([]string, 0, len(page.Warnings)+1)
	for _, w := range page.Warnings {
		notes = append(notes, sentence(w))
	}
	if page.Ready == render.ReadyCap {
		notes = append(notes, "The page was still busy when it was read.")
	}
	if asked != nil {
		more, err := a.results(ctx, doc, page, asked)
		if err != nil {
			return err
		}
		notes = append(notes, more...)
	}
	doc.Warning = strings.TrimSpace(strings.Join(append([]string{doc.Warning}, notes...), " "))
	return nil
}

// results adds the screenshot and the results of the actions.
func (a *Attachment) results(ctx context.Context, doc *format.Document, page *render.Page, asked *render.Request) (notes []string, err error) {
	c := collection{Attachment: a, out: format.ActionResults{Screenshots: []string{}, Scrapes: []format.ScrapeResult{}, JavascriptReturns: []format.ScriptResult{}, PDFs: []string{}}}
	for i := range page.Results {
		if r := &page.Results[i]; r.Step >= 0 && r.Step < len(asked.Steps) {
			c.add(ctx, asked.Steps[r.Step].Kind, r)
		}
	}
	if asked.Screenshot != nil && page.Screenshot != nil {
		doc.Screenshot = new(string)
		c.file(File{page.Screenshot.Type, page.Screenshot.Data}, func(url string) { *doc.Screenshot = url })
	}
	if err := c.keep(ctx); err != nil {
		return nil, err
	}
	if len(asked.Steps) > 0 {
		doc.Actions = &c.out
	}
	if c.left > 0 {
		notes = append(notes, strconv.Itoa(c.left)+" results of the browser are empty, because redactPII cannot search them.")
	}
	return notes, nil
}

// collection is the results of one page.
type collection struct {
	*Attachment
	out   format.ActionResults
	files []File
	place []func(url string) // where the URL of each file goes
	left  int                // results that were left out
}

// add adds the result of a step.
func (c *collection) add(ctx context.Context, kind render.Kind, r *render.Result) {
	switch kind {
	case render.Screenshot:
		n := len(c.out.Screenshots)
		c.out.Screenshots = append(c.out.Screenshots, "")
		c.file(File{r.Type, r.Data}, func(url string) { c.out.Screenshots[n] = url })
	case render.PDF:
		n := len(c.out.PDFs)
		c.out.PDFs = append(c.out.PDFs, "")
		c.file(File{r.Type, r.Data}, func(url string) { c.out.PDFs[n] = url })
	case render.Scrape:
		text := string(r.Data)
		if c.Redact != nil {
			var err error
			if text, err = c.Redact(ctx, r.URL, r.Data); err != nil {
				text = ""
				c.left++
			}
		}
		c.out.Scrapes = append(c.out.Scrapes, format.ScrapeResult{URL: r.URL, HTML: text})
	case render.Script:
		value := json.RawMessage("null")
		switch {
		case c.Redact != nil:
			c.left++
		case json.Valid(r.Value):
			value = r.Value
		}
		c.out.JavascriptReturns = append(c.out.JavascriptReturns, format.ScriptResult{Type: r.Type, Value: value})
	}
}

// file adds a file, unless personal data must be removed.
func (c *collection) file(f File, place func(url string)) {
	if c.Redact != nil {
		c.left++
		return
	}
	c.files, c.place = append(c.files, f), append(c.place, place)
}

// keep stores the files and sets their URLs.
func (c *collection) keep(ctx context.Context) error {
	if len(c.files) == 0 {
		return nil
	}
	var urls []string
	if c.Keep == nil {
		for i := range c.files {
			urls = append(urls, c.files[i].DataURL())
		}
	} else {
		var err error
		if urls, err = c.Keep(ctx, c.files); err != nil {
			return err
		}
	}
	for i, place := range c.place {
		place(urls[i])
	}
	return nil
}

// sentence returns a text of a browser as a sentence.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
