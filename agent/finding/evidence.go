// SPDX-License-Identifier: Apache-2.0

package finding

import "time"

// Grade says how certain a value is. The grades are ordered from best to worst.
type Grade string

// The grades.
const (
	GradeExact       Grade = "exact"
	GradeNormalized  Grade = "normalized"
	GradeWrapper     Grade = "wrapper"
	GradeDerived     Grade = "derived"
	GradeUnsupported Grade = "unsupported" // only with agent.Engine.Loose
)

// Evidence says where a value was found.
type Evidence struct {
	Source string // ID of a Source; empty if the value was computed from rows
	Lines  [2]int // first and last numbered line of the page, from 1; zero if the value is from structured data
	Full   bool   // Lines count the lines of the whole page, not of its main content
	Grade  Grade
	Also   []string // other sources that contain the same value

	Sentences []Sentence // of a text that was written about rows; nil for all other values
}

// Sentence is a sentence of a text that was written about rows, with what it rests on.
type Sentence struct {
	Text  string     `json:"t"`
	Cited []Citation `json:"c"`
}

// Citation names lines of a page.
type Citation struct {
	Source string `json:"s"`          // ID of the page
	Lines  [2]int `json:"l,omitzero"` // first and last line, from 1; zero for structured data
	Full   bool   `json:"f,omitempty"`
}

// Source is a page that was read.
type Source struct {
	ID     string // S1, S2 ...
	URL    string // after redirects
	Title  string
	SHA256 string // of the text that was read, in hexadecimal
	At     time.Time
}
