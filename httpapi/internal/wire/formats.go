// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/json"
	"slices"
)

// Format is one requested form. Which members it may have depends on its type. In JSON it
// may be just its type.
type Format struct {
	Type      string          `json:"type"`
	Schema    json.RawMessage `json:"schema,omitempty"` // json, deterministicJson, changeTracking
	Prompt    *string         `json:"prompt,omitempty"` // the same, query
	Question  *string         `json:"question,omitempty"`
	Query     *string         `json:"query,omitempty"`    // highlights
	Mode      *string         `json:"mode,omitempty"`     // query
	Selectors []Attribute     `json:"selectors,omitzero"` // attributes
	FullPage  *bool           `json:"fullPage,omitempty"` // screenshot
	Quality   *int            `json:"quality,omitempty"`  // screenshot
	Viewport  *Viewport       `json:"viewport,omitempty"` // screenshot
	Modes     []string        `json:"modes,omitzero"`     // changeTracking
	Tag       *string         `json:"tag,omitempty"`      // changeTracking
	Size      *int            `json:"size,omitempty"`     // chunks
	Overlap   *int            `json:"overlap,omitempty"`  // chunks
}

// Attribute names attributes of elements.
type Attribute struct {
	Selector  string `json:"selector"`
	Attribute string `json:"attribute"`
}

// Viewport is the size of a browser's window, in pixels.
type Viewport struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// FormatTypes are the types of Format.
var FormatTypes = []string{
	"markdown", "html", "rawHtml", "rawBase64", "links", "images", "summary", "json", "deterministicJson", "question",
	"highlights", "query", "attributes", "screenshot", "changeTracking", "branding", "product", "menu", "audio", "video",
	"chunks", // ours
}

// fullPage is short for the type screenshot with fullPage, as older clients send it.
const fullPage = "screenshot@fullPage"

// formatWords are the strings that a format may be.
var formatWords = append(slices.Clone(FormatTypes), fullPage)

// The sizes of chunks, in tokens.
const (
	MinChunk     = 200
	MaxChunk     = 8000
	DefaultChunk = 1000
)

const maxPrompt = 10_000

func readFormats(o *object) []Format {
	list := []Format{}
	if !o.list("formats", 0, 100, func(v value, path []any) {
		if !o.d.is(v, "object") {
			if s := o.d.word(v, path, formatWords); s != nil {
				f := Format{Type: *s}
				if *s == fullPage {
					f.Type, f.FullPage = "screenshot", new(true)
				}
				f.need(o.d, nil, path)
				list = append(list, f)
			}
			return
		}
		o.d.object(v, path, func(o *object) {
			f := Format{Type: o.kind(FormatTypes)}
			if f.Type == "" {
				o.open = true // without a type no name can be called unknown
			}
			f.read(o)
			f.need(o.d, o, path)
			list = append(list, f)
		})
	}) {
		return nil
	}
	together(o, list)
	return list
}

// read fills in the members that the type has.
func (f *Format) read(o *object) {
	switch f.Type {
	case "json", "deterministicJson":
		f.Schema = o.schema()
		f.Prompt = o.text("prompt", 0, maxPrompt)
	case "question":
		f.Question = o.text("question", 1, maxPrompt)
	case "highlights":
		f.Query = o.text("query", 1, maxPrompt)
	case "query":
		f.Prompt = o.text("prompt", 0, maxPrompt)
		f.Mode = o.enum("mode", "freeform", "directQuote")
	case "attributes":
		f.Selectors = readAttributes(o)
	case "screenshot":
		f.FullPage = o.bool("fullPage")
		f.Quality = o.int("quality", 1, 100)
		f.Viewport = readViewport(o)
	case "chunks":
		f.Size = o.int("size", MinChunk, MaxChunk)
		size := DefaultChunk
		if f.Size != nil {
			size = *f.Size
		}
		f.Overlap = o.int("overlap", 0, size/2)
	case "changeTracking":
		f.Modes = o.enums("modes", "json", "git-diff")
		f.Schema = o.schema()
		f.Prompt = o.text("prompt", 0, maxPrompt)
		f.Tag = o.text("tag", 0, 1000)
	}
}

// needs are the members that a type cannot be without, and their types.
var needs = map[string][2]string{
	"question":   {"question", "string"},
	"highlights": {"query", "string"},
	"query":      {"prompt", "string"},
	"attributes": {"selectors", "array"},
}

// need reports a member that is missing although the type requires it. If the format is
// only a type, o is nil.
func (f *Format) need(d *decoder, o *object, path []any) {
	need, ok := needs[f.Type]
	switch {
	case !ok:
	case o != nil:
		o.need(need[0], need[1])
	default:
		d.mistyped(slices.Concat(path, []any{need[0]}), need[1], "undefined")
		d.impossible()
	}
}

func readAttributes(o *object) []Attribute {
	list := []Attribute{}
	if !o.list("selectors", 0, 1000, func(v value, path []any) {
		o.d.object(v, path, func(o *object) {
			list = append(list, Attribute{Selector: o.needText("selector", 1, -1), Attribute: o.needText("attribute", 1, -1)})
		})
	}) {
		return nil
	}
	return list
}

func readViewport(o *object) *Viewport {
	var v *Viewport
	o.object("viewport", func(o *object) {
		v = new(Viewport)
		v.Width = o.side("width", 7680)
		v.Height = o.side("height", 4320)
	})
	return v
}

// side reads a number of pixels that has to be there.
func (o *object) side(name string, high int) int {
	o.need(name, "number")
	if n := o.int(name, 1, high); n != nil {
		return *n
	}
	return 0
}

// together reports forms that cannot be asked for at once.
func together(o *object, list []Format) {
	count := func(kind string) int {
		n := 0
		for i := range list {
			if list[i].Type == kind {
				n++
			}
		}
		return n
	}
	if count("screenshot") > 1 {
		o.custom("You may only specify one screenshot format", "formats")
	}
	if count("changeTracking") > 0 && count("markdown") == 0 {
		o.custom("The changeTracking format requires the markdown format to be specified as well", "formats")
	}
	if count("json") > 0 && count("deterministicJson") > 0 {
		o.custom("You may not specify the json and deterministicJson formats together", "formats")
	}
	if count("rawBase64") > 0 && len(list) > 1 {
		o.custom("The rawBase64 format cannot be combined with other formats", "formats")
	}
}
