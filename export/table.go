// SPDX-License-Identifier: Apache-2.0

package export

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
)

// table writes a line of CSV (RFC 4180) for each link of each page.
type table struct {
	w     *csv.Writer
	begun bool
}

func newTable(w *bufio.Writer) *table { return &table{w: csv.NewWriter(w)} }

func (t *table) add(r *Report, _ json.RawMessage, d *document) error {
	if err := t.begin(); err != nil {
		return err
	}
	switch {
	case d == nil:
		r.LeftOut[unreadable]++
		return nil
	case d.Links == nil:
		r.LeftOut[withoutURL]++
		return nil
	}
	from, status := cell(d.Metadata.address()), ""
	if d.Metadata.StatusCode != 0 {
		status = strconv.Itoa(d.Metadata.StatusCode)
	}
	for _, to := range *d.Links {
		if err := t.w.Write([]string{from, status, cell(to)}); err != nil {
			return err
		}
		r.Written++
	}
	return nil
}

// begin writes the header before anything else.
func (t *table) begin() error {
	if t.begun {
		return nil
	}
	t.begun = true
	return t.w.Write([]string{"from", "status", "to"})
}

func (t *table) end() error {
	if err := t.begin(); err != nil {
		return err
	}
	t.w.Flush()
	return t.w.Error()
}

// cell returns a text for a cell. A text that a spreadsheet would take for a formula gets
// an apostrophe.
func cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
