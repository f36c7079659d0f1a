// SPDX-License-Identifier: Apache-2.0

package finding

import "time"

// Grade says how sure a value is, best first.
type Grade string

// The grades.
const (
	GradeExact       Grade = "exact"
	GradeNormalized  Grade = "normalized"
	GradeWrapper     Grade = "wrapper"
	GradeDerived     Grade = "derived"
	GradeUnsupported Grade = "unsupported" // only with agent.Engine.Loose
)

// Evidence says where a value comes from.
type Evidence struct {
	Source string // ID of a Source; empty for what is synthesised from rows
	Lines  [2]int // first and last, from 1, of the page's numbered lines; zero: of its structured data
	Full   bool   // Lines are of the whole page, where its main content is numbered by itself
	Grade  Grade
	Also   []string // other sources that agree
}

// Source is a page that was read.
type Source struct {
	ID     string // S1, S2 ...
	URL    string // after redirects
	Title  string
	SHA256 string // of the text that was read, hexadecimal
	At     time.Time
}
