// SPDX-License-Identifier: Apache-2.0

package wire

// Action is one step on a page. Which members it may have
// depends on its type.
type Action struct {
	Type         string    `json:"type"`
	Milliseconds *int      `json:"milliseconds,omitempty"` // wait
	Selector     *string   `json:"selector,omitempty"`     // wait, click, scroll
	All          *bool     `json:"all,omitempty"`          // click
	Text         *string   `json:"text,omitempty"`         // write
	Key          *string   `json:"key,omitempty"`          // press
	Direction    *string   `json:"direction,omitempty"`    // scroll
	FullPage     *bool     `json:"fullPage,omitempty"`     // screenshot
	Quality      *int      `json:"quality,omitempty"`      // screenshot
	Viewport     *Viewport `json:"viewport,omitempty"`     // screenshot
	Script       *string   `json:"script,omitempty"`       // executeJavascript
	Landscape    *bool     `json:"landscape,omitempty"`    // pdf
	Scale        *float64  `json:"scale,omitempty"`        // pdf
	Paper        *string   `json:"format,omitempty"`       // pdf
}

var actionTypes = []string{
	"wait", "click", "write", "press", "scroll", "screenshot", "scrape", "executeJavascript", "pdf",
}

func readActions(o *object) []Action {
	list := []Action{}
	if !o.list("actions", 0, 50, func(v value, path []any) {
		o.d.object(v, path, func(o *object) {
			a := Action{Type: o.kind(actionTypes)}
			if a.Type == "" {
				o.open = true
			}
			a.read(o)
			list = append(list, a)
		})
	}) {
		return nil
	}
	return list
}

// read reads the members of the action's type.
func (a *Action) read(o *object) {
	switch a.Type {
	case "wait":
		a.Milliseconds = o.int("milliseconds", 1, maxInt)
		a.Selector = o.text("selector", 1, -1)
		if o.has("milliseconds") == o.has("selector") {
			o.custom("Either 'milliseconds' or 'selector' must be provided, but not both.")
		}
	case "click":
		a.Selector = o.must("selector")
		a.All = o.bool("all")
	case "write":
		a.Text = o.must("text")
	case "press":
		a.Key = o.must("key")
	case "scroll":
		a.Direction = o.enum("direction", "up", "down")
		a.Selector = o.text("selector", 1, -1)
	case "screenshot":
		a.FullPage = o.bool("fullPage")
		a.Quality = o.int("quality", 1, 100)
		a.Viewport = readViewport(o)
	case "executeJavascript":
		a.Script = o.must("script")
	case "pdf":
		a.Landscape = o.bool("landscape")
		a.Scale = o.number("scale", 0.1, 2)
		a.Paper = o.enum("format", "Letter", "Legal", "Tabloid", "Ledger", "A0", "A1", "A2", "A3", "A4", "A5", "A6")
	}
}

// must reads a text that is required.
func (o *object) must(name string) *string { return new(o.needText(name, 0, -1)) }

// wait returns how long the action waits, in milliseconds. A wait for an
// element counts as one second.
func (a *Action) wait() int {
	switch {
	case a.Type != "wait":
		return 0
	case a.Milliseconds != nil:
		return min(*a.Milliseconds, 1<<30)
	default:
		return 1000
	}
}
