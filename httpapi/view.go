// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"example.com/curlew/fetch/render"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/job"
)

// kinds maps the types of actions in the contract to steps of a browser.
var kinds = map[string]render.Kind{
	"wait": render.Wait, "click": render.Click, "write": render.Write, "press": render.Press, "scroll": render.Scroll,
	"screenshot": render.Screenshot, "scrape": render.Scrape, "executeJavascript": render.Script, "pdf": render.PDF,
}

// papers are the sizes of paper in inches, in portrait orientation.
var papers = map[string][2]float64{
	"Letter": {8.5, 11}, "Legal": {8.5, 14}, "Tabloid": {11, 17}, "Ledger": {17, 11}, "A0": {33.11, 46.81}, "A1": {23.39, 33.11},
	"A2": {16.54, 23.39}, "A3": {11.69, 16.54}, "A4": {8.27, 11.69}, "A5": {5.83, 8.27}, "A6": {4.13, 5.83},
}

// bytesOnly reports whether only the bytes of a page are asked for.
func bytesOnly(w *wire.Scrape) bool { return len(w.Formats) == 1 && w.Formats[0].Type == "rawBase64" }

// view returns what the browser is asked for. It is nil if there is no browser, or if
// nothing of the request needs one. It leaves out what the browser cannot do, which
// idle and actions report.
func (c *checker) view(w *wire.Scrape) *render.Request {
	if !c.browser || bytesOnly(w) {
		return nil
	}
	r := &render.Request{
		Wait:   time.Duration(value(w.WaitFor, 0)) * time.Millisecond,
		Mobile: value(w.Mobile, false) && c.able.Mobile,
		Steps:  steps(w.Actions),
	}
	if l := w.Location; l != nil {
		if c.able.Languages {
			r.Languages = l.Languages
		}
		if country := value(l.Country, ""); slices.Contains(c.able.Countries, country) {
			r.Country = country
		}
	}
	if s := w.Scroll; s != nil && c.able.Scroll {
		r.Scroll = &render.Until{MaxScrolls: value(s.MaxScrolls, 0), Button: value(s.Button, "")}
	}
	for i := range w.Formats {
		if f := &w.Formats[i]; f.Type == "screenshot" {
			r.Screenshot = new(shot(f.FullPage, f.Quality, f.Viewport))
		}
	}
	if r.Wait == 0 && !r.Mobile && len(r.Steps) == 0 && len(r.Languages) == 0 && r.Country == "" && r.Screenshot == nil && r.Scroll == nil {
		return nil
	}
	return r
}

// steps converts actions.
func steps(list []wire.Action) []render.Step {
	var all []render.Step
	for i := range list {
		a := &list[i]
		s := render.Step{
			Kind:     kinds[a.Type],
			Selector: value(a.Selector, ""),
			Text:     value(a.Text, value(a.Key, value(a.Script, ""))),
			Time:     milliseconds(a.Milliseconds),
			All:      value(a.All, false),
			Up:       value(a.Direction, "") == "up",
		}
		switch s.Kind {
		case render.Screenshot:
			s.Shot = shot(a.FullPage, a.Quality, a.Viewport)
		case render.PDF:
			size := papers[value(a.Paper, "Letter")]
			s.Paper = render.Paper{Width: size[0], Height: size[1], Landscape: value(a.Landscape, false), Scale: value(a.Scale, 0)}
		}
		all = append(all, s)
	}
	return all
}

// shot converts the options of a screenshot.
func shot(full *bool, quality *int, v *wire.Viewport) render.Shot {
	s := render.Shot{Full: value(full, false), Quality: value(quality, 0)}
	if v != nil {
		s.Viewport = render.Viewport{Width: v.Width, Height: v.Height}
	}
	return s
}

// actions returns an error if the browser cannot do an action of the request. w may be nil.
func (c *checker) actions(w *wire.Scrape) error {
	if w == nil {
		return nil
	}
	for i := range w.Actions {
		a := &w.Actions[i]
		switch {
		case !c.browser:
			return refuse(errActions, "Actions are not supported by this server: the action "+a.Type+" needs a browser, and none is configured.")
		case !c.able.Can(kinds[a.Type]):
			return refuse(errActions, "Actions are not supported by this server: the action "+a.Type+" cannot be done by its browser.")
		case a.Type == "screenshot" && value(a.FullPage, false) && !c.able.FullPage:
			return refuse(errActions, "Actions are not supported by this server: a screenshot of the full page cannot be done by its browser.")
		}
	}
	return nil
}

// files returns the beginning of the URLs of files.
func (h *Handler) files(c *call) string {
	if h.options.InlineFiles {
		return ""
	}
	return c.base + "/v2/files/"
}

// serveFile serves GET /v2/files/{id}/{sid}, a picture or PDF of a page. Its key is in the
// URL.
func serveFile(h *Handler, c *call) error {
	n, err := strconv.Atoi(c.last())
	if err != nil || !wire.IsUUID(c.param) {
		return errFile
	}
	data, kind, err := h.service.File(c.ctx(), c.param, n, c.r.URL.Query().Get("sig"))
	if err != nil {
		if errors.Is(err, job.ErrNotFound) {
			return errFile
		}
		return err
	}
	known(c.ctx())
	header := c.w.Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	header.Set("Cache-Control", "private, max-age=3600")
	header.Set("Referrer-Policy", "no-referrer")
	c.write(http.StatusOK, data)
	return nil
}
