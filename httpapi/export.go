// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/export"
	"example.com/curlew/httpapi/internal/pacing"
)

// Trailers of an export: how many documents were read, and which were left out.
const (
	trailerDocuments = "Export-Documents"
	trailerLeftOut   = "Export-Left-Out"
)

// exportOf serves the export of an ended job, or of a running one if the query has
// partial=true. An answer that fails on the way is cut off, so that no client takes it for
// complete.
func exportOf(kind string) func(*Handler, *call) error {
	return func(h *Handler, c *call) error {
		j, err := h.own(c.ctx(), c, kind)
		if err != nil {
			return err
		}
		query := c.r.URL.Query()
		form := export.Format(query.Get("format"))
		if form == "" {
			form = export.JSONL
		}
		now, err := j.Status(c.ctx())
		if err != nil {
			return err
		}
		if !now.State.Final() && query.Get("partial") != "true" {
			return refuse(errRunning, "The job is running. Ask for partial=true to export what it has delivered so far.")
		}
		w := &exporting{c: c, name: "curlew-" + j.ID() + form.Extension(), kind: form.ContentType()}
		report, err := export.Write(w, form, delivered(c, j, now.Delivered))
		switch {
		case errors.Is(err, export.ErrFormat), errors.Is(err, export.ErrMissing):
			text := err.Error()
			return refuse(curlew.ErrRequest, strings.ToUpper(text[:1])+text[1:])
		case err != nil && w.begun:
			h.logger().ErrorContext(c.ctx(), "export failed", "request", c.id, "job", j.ID(), "err", err)
			panic(http.ErrAbortHandler)
		case err != nil:
			return err
		}
		w.begin() // for a job without documents
		c.w.Header().Set(trailerDocuments, fmt.Sprint(report.Documents))
		c.w.Header().Set(trailerLeftOut, report.String())
		return nil
	}
}

// delivered yields the first n documents of a job, so that an export of a running job
// ends.
func delivered(c *call, j *curlew.Job, n int) iter.Seq2[json.RawMessage, error] {
	const atOnce, room = 100, 4 << 20
	return func(yield func(json.RawMessage, error) bool) {
		for from := 0; from < n; {
			documents, err := j.Documents(c.ctx(), from, min(atOnce, n-from), room)
			if err == nil && len(documents) == 0 {
				err = fmt.Errorf("%d documents of %d are there", from, n)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for _, d := range documents {
				if !yield(d, nil) {
					return
				}
			}
			from += len(documents)
		}
	}
}

// exporting writes an export to a client. It sends what it has each second, and gives up
// a client that takes less than the rate for bodies.
type exporting struct {
	c          *call
	name, kind string
	begun      bool
	flushed    time.Time
}

// begin sends the header.
func (w *exporting) begin() {
	if w.begun {
		return
	}
	w.begun = true
	header := w.c.w.Header()
	header.Set("Content-Type", w.kind)
	header.Set("Content-Disposition", `attachment; filename="`+w.name+`"`)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Trailer", trailerDocuments+", "+trailerLeftOut)
	w.c.w.WriteHeader(http.StatusOK)
	w.flushed = time.Now()
}

// Write implements [io.Writer].
func (w *exporting) Write(b []byte) (int, error) {
	w.begin()
	control := http.NewResponseController(w.c.w)
	_ = control.SetWriteDeadline(time.Now().Add(pacing.Grace + time.Duration(len(b))*time.Second/pacing.Rate))
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }()
	n, err := w.c.w.Write(b)
	if err == nil && time.Since(w.flushed) >= time.Second {
		w.flushed = time.Now()
		err = control.Flush()
	}
	return n, err
}
