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
	Source string // ID of a Source; empty if the value was synthesised from rows
	Lines  [2]int // first and last of the page's numbered lines, from 1; zero: the value is of its structured data
	Full   bool   // Lines count the lines of the whole page, not of its main content
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
