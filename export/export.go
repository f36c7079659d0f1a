// SPDX-License-Identifier: Apache-2.0

// Package export writes the documents of a crawl or batch for other programs: JSON
// lines, a ZIP archive of Markdown, a CSV table of links, or chunks for retrieval.
//
// It holds one document in memory at a time, so that the memory does not depend on the
// size of the job. Only the archive keeps a line for each document until its end. A
// document that cannot be written, because the page failed or the document lacks a form,
// is counted in the [Report] and, if the format allows it, named in the output.
package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/uuid"
)

// Format is a format of the output.
type Format string

// The formats.
const (
	JSONL    Format = "jsonl"  // JSON lines: each document, with its number as n, the time at which it was fetched as fetchedAt, and members of Job.WatchExport
	Markdown Format = "md"     // ZIP: a Markdown file for each document, and manifest.jsonl as the last file
	Links    Format = "links"  // CSV: a line for each link, from and to
	Chunks   Format = "chunks" // JSON lines: each chunk with an id, and the URL and title of its page
)

// Formats returns all formats.
func Formats() []Format { return []Format{JSONL, Markdown, Links, Chunks} }

// Errors of [Write].
var (
	// ErrFormat means that a format is unknown. Its text lists the formats.
	ErrFormat = errors.New("unknown export format")
	// ErrMissing means that no document has the form from which a format is made. In this
	// case nothing was written.
	ErrMissing = errors.New("no document has the form that the export needs")
)

// ContentType returns the media type of the output.
func (f Format) ContentType() string {
	switch f {
	case Markdown:
		return "application/zip"
	case Links:
		return "text/csv; charset=utf-8"
	default:
		return "application/x-ndjson"
	}
}

// Extension returns the usual extension of a file with the output, with its dot.
func (f Format) Extension() string {
	switch f {
	case Markdown:
		return ".zip"
	case Links:
		return ".csv"
	default:
		return ".jsonl"
	}
}

// Report counts what an export has written.
type Report struct {
	Documents int            // documents that were read
	Written   int            // documents that were written; for Links and Chunks, lines
	LeftOut   map[string]int // documents that are not in the output, or only in part, by reason
}

// String says in words what was left out. It is empty if nothing was.
func (r *Report) String() string {
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(r.LeftOut)) {
		parts = append(parts, fmt.Sprintf("%d %s", r.LeftOut[why], why))
	}
	return strings.Join(parts, ", ")
}

// Reasons in a [Report] for leaving a document out.
const (
	failedPage = "with an error status" // statuses of 400 and more
	withoutMD  = "without Markdown"
	empty      = "without text"
	withoutURL = "without links"
	withoutCut = "without chunks"
	unreadable = "that cannot be read"
	inPart     = "written without lines that other pages have too" // see WithoutRepeats
)

// document contains the members of a document that exports read.
type document struct {
	Markdown *string         `json:"markdown"`
	Links    *[]string       `json:"links"`
	Chunks   *[]chunk        `json:"chunks"`
	Metadata metadata        `json:"metadata"`
	Warning  json.RawMessage `json:"warning"`

	// From Job.WatchExport, for a crawl.
	Depth        *int   `json:"depth"`
	ETag         string `json:"etag"`
	LastModified string `json:"lastModified"`
}

type metadata struct {
	Title      string `json:"title"`
	URL        string `json:"url"`
	SourceURL  string `json:"sourceURL"`
	StatusCode int    `json:"statusCode"`
	Error      string `json:"error"`
	ScrapeID   string `json:"scrapeId"`
	CachedAt   string `json:"cachedAt"`
}

// address returns the URL of the page.
func (m *metadata) address() string {
	if m.URL != "" {
		return m.URL
	}
	return m.SourceURL
}

// FetchedAt returns when a document was fetched, in RFC 3339, from two members of its
// metadata: cachedAt, which a document from a cache has, or else scrapeId, a UUIDv7 that
// was made when the page arrived. It returns "" if both are missing or invalid.
func FetchedAt(scrapeID, cachedAt string) string {
	if at, err := time.Parse(time.RFC3339, cachedAt); err == nil {
		return jsonenc.Time(at).String()
	}
	if at := uuid.Time(scrapeID); !at.IsZero() {
		return jsonenc.Time(at).String()
	}
	return ""
}

// fetchedAt returns when the document was fetched, or "".
func (m *metadata) fetchedAt() string { return FetchedAt(m.ScrapeID, m.CachedAt) }

// read returns the members of a document that an export needs. If raw is not such a
// JSON object, it returns nil.
func read(raw json.RawMessage) *document {
	d := new(document)
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) || json.Unmarshal(raw, d) != nil {
		return nil
	}
	return d
}

// has reports whether the document has the form that the output f needs.
func (d *document) has(f Format) bool {
	switch f {
	case Markdown:
		return d.Markdown != nil
	case Links:
		return d.Links != nil
	case Chunks:
		return d.Chunks != nil
	default:
		return true
	}
}

// Write writes documents to w in the format f. The documents are JSON, as a job delivers
// them: by Job.WatchExport, or without depth and validators by Job.WatchJSON. Write iterates over them twice: up to the first
// one that has the needed form, and then again from the start.
//
// The error wraps ErrFormat or ErrMissing, or it is an error of w or of the documents. In
// the last two cases w may contain a part of the output. A reader of an archive notices
// that it is incomplete, but a reader of lines does not.
func Write(w io.Writer, f Format, documents iter.Seq2[json.RawMessage, error]) (Report, error) {
	r := Report{LeftOut: map[string]int{}}
	if !slices.Contains(Formats(), f) {
		return r, fmt.Errorf("%w: %q is not one of %v", ErrFormat, string(f), Formats())
	}
	if documents == nil {
		return r, fmt.Errorf("%w: there is no sequence of documents", ErrMissing)
	}
	if err := find(f, documents); err != nil {
		return r, err
	}
	buffered := bufio.NewWriterSize(w, 64<<10)
	out := writer(buffered, f)
	for raw, err := range documents {
		if err != nil {
			return r, err
		}
		d := read(raw)
		if err := out.add(&r, raw, d); err != nil {
			return r, err
		}
		if f != Links && d != nil && bytes.Contains(d.Warning, []byte(shortened)) {
			r.LeftOut[inPart]++
		}
		r.Documents++
	}
	if err := out.end(); err != nil {
		return r, err
	}
	return r, buffered.Flush()
}

// find returns ErrMissing if there are documents, but none has the form that f needs.
func find(f Format, documents iter.Seq2[json.RawMessage, error]) error {
	n := 0
	for raw, err := range documents {
		if err != nil {
			return err
		}
		n++
		if d := read(raw); d != nil && d.has(f) {
			return nil
		}
	}
	if n == 0 {
		return nil
	}
	need := map[Format]string{Markdown: "markdown", Links: "links", Chunks: "chunks"}[f]
	return fmt.Errorf("%w: ask for the format %s when the job starts", ErrMissing, need)
}

// output writes one format. A nil document stands for one that cannot be read.
type output interface {
	add(r *Report, raw json.RawMessage, d *document) error
	end() error
}

func writer(w *bufio.Writer, f Format) output {
	switch f {
	case Markdown:
		return newArchive(w)
	case Links:
		return newTable(w)
	case Chunks:
		return &pieces{w}
	default:
		return &lines{w}
	}
}

// lines writes each document on a line.
type lines struct{ w *bufio.Writer }

func (l *lines) add(r *Report, raw json.RawMessage, d *document) error {
	line := fmt.Appendf(nil, `{"n":%d`, r.Documents)
	if d == nil { // the number still shows that there was a document
		r.LeftOut[unreadable]++
		line = append(line, `,"error":"This document cannot be read."}`...)
	} else {
		r.Written++
		if at := d.Metadata.fetchedAt(); at != "" {
			line = fmt.Appendf(line, `,"fetchedAt":%q`, at)
		}
		rest := bytes.TrimSpace(bytes.TrimSpace(raw)[1:]) // without the brace
		if rest[0] != '}' {
			line = append(line, ',')
		}
		line = append(line, rest...)
	}
	_, err := l.w.Write(append(line, '\n'))
	return err
}

func (l *lines) end() error { return nil }

// chunk is a chunk of a document.
type chunk struct {
	Text     string   `json:"text"`
	Headings []string `json:"headings"`
	Page     int      `json:"page"`
	Sheet    string   `json:"sheet"`
	Start    int      `json:"start"`
	End      int      `json:"end"`
	Tokens   int      `json:"tokens"`
}

// piece is a chunk in the output.
type piece struct {
	ID       string   `json:"id"` // hash of the URL and number of the chunk
	URL      string   `json:"url"`
	Title    string   `json:"title,omitempty"`
	Headings []string `json:"headings"`
	Text     string   `json:"text"`
	Tokens   int      `json:"tokens"`
	Start    int      `json:"start"`
	End      int      `json:"end"`
	Page     int      `json:"page,omitempty"`
	Sheet    string   `json:"sheet,omitempty"`
}

// pieces writes each chunk on a line.
type pieces struct{ w *bufio.Writer }

func (p *pieces) add(r *Report, _ json.RawMessage, d *document) error {
	switch {
	case d == nil:
		r.LeftOut[unreadable]++
		return nil
	case d.Metadata.StatusCode >= firstError:
		r.LeftOut[failedPage]++
		return nil
	case d.Chunks == nil:
		r.LeftOut[withoutCut]++
		return nil
	case len(*d.Chunks) == 0:
		r.LeftOut[empty]++
		return nil
	}
	page := d.Metadata.address()
	for i, c := range *d.Chunks {
		if c.Headings == nil {
			c.Headings = []string{}
		}
		line, err := jsonenc.Encode(piece{
			ID: hash(page) + fmt.Sprintf("#%d", i), URL: page, Title: d.Metadata.Title,
			Headings: c.Headings, Text: c.Text, Tokens: c.Tokens, Start: c.Start, End: c.End, Page: c.Page, Sheet: c.Sheet,
		})
		if err != nil {
			return err
		}
		if _, err := p.w.Write(append(line, '\n')); err != nil {
			return err
		}
		r.Written++
	}
	return nil
}

func (p *pieces) end() error { return nil }

// firstError is the lowest HTTP status of a failed page.
const firstError = 400
