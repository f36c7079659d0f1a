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
	var files []File
	var places []*string // where the URL of each file goes
	out := format.ActionResults{Scrapes: []format.ScrapeResult{}, JavascriptReturns: []format.ScriptResult{}}
	left := 0 // results that were left out
	put := func(f File, place *string) {
		if a.Redact != nil {
			left++
			return
		}
		files, places = append(files, f), append(places, place)
	}
	shots, prints := 0, 0
	for _, s := range asked.Steps {
		switch s.Kind {
		case render.Screenshot:
			shots++
		case render.PDF:
			prints++
		}
	}
	out.Screenshots, out.PDFs = make([]string, 0, shots), make([]string, 0, prints) // so that pointers to elements stay valid
	for _, r := range page.Results {
		if r.Step < 0 || r.Step >= len(asked.Steps) {
			continue
		}
		switch asked.Steps[r.Step].Kind {
		case render.Screenshot:
			if len(out.Screenshots) < shots {
				out.Screenshots = append(out.Screenshots, "")
				put(File{r.Type, r.Data}, &out.Screenshots[len(out.Screenshots)-1])
			}
		case render.PDF:
			if len(out.PDFs) < prints {
				out.PDFs = append(out.PDFs, "")
				put(File{r.Type, r.Data}, &out.PDFs[len(out.PDFs)-1])
			}
		case render.Scrape:
			text := string(r.Data)
			if a.Redact != nil {
				if text, err = a.Redact(ctx, r.URL, r.Data); err != nil {
					text = ""
					left++
				}
			}
			out.Scrapes = append(out.Scrapes, format.ScrapeResult{URL: r.URL, HTML: text})
		case render.Script:
			value := json.RawMessage("null")
			switch {
			case a.Redact != nil:
				left++
			case len(r.Value) > 0 && json.Valid(r.Value):
				value = r.Value
			}
			out.JavascriptReturns = append(out.JavascriptReturns, format.ScriptResult{Type: r.Type, Value: value})
		}
	}
	if asked.Screenshot != nil && page.Screenshot != nil {
		doc.Screenshot = new("")
		put(File{page.Screenshot.Type, page.Screenshot.Data}, doc.Screenshot)
	}
	if err := a.keep(ctx, files, places); err != nil {
		return nil, err
	}
	if len(asked.Steps) > 0 {
		doc.Actions = &out
	}
	if left > 0 {
		notes = append(notes, strconv.Itoa(left)+" results of the browser are empty, because redactPII cannot search them.")
	}
	return notes, nil
}

// keep stores files and writes their URLs to places.
func (a *Attachment) keep(ctx context.Context, files []File, places []*string) error {
	urls := make([]string, len(files))
	if a.Keep != nil && len(files) > 0 {
		var err error
		if urls, err = a.Keep(ctx, files); err != nil {
			return err
		}
	} else {
		for i := range files {
			urls[i] = files[i].DataURL()
		}
	}
	for i, place := range places {
		*place = urls[i]
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
