// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"
	"time"
)

// Reason says why a run ended.
type Reason string

// The reasons.
const (
	ReasonDone      Reason = "done"      // required cells filled and totals reached, or finish accepted
	ReasonDry       Reason = "dry"       // the last pages gave nothing new
	ReasonStalled   Reason = "stalled"   // three decisions in a row led nowhere
	ReasonCredits   Reason = "credits"   // on the wire credit_limit_reached
	ReasonWall      Reason = "wall"      // on the wire time
	ReasonPages     Reason = "pages"     //
	ReasonTokens    Reason = "tokens"    //
	ReasonSteps     Reason = "steps"     //
	ReasonStopped   Reason = "stopped"   // [Run.Stop]
	ReasonProvider  Reason = "provider"  // the model is out
	ReasonCancelled Reason = "cancelled" // the context ended; there is no data
)

// Grade says how sure a value is, best first.
type Grade string

// The grades.
const (
	GradeExact       Grade = "exact"
	GradeNormalized  Grade = "normalized"
	GradeWrapper     Grade = "wrapper"
	GradeDerived     Grade = "derived"
	GradeUnsupported Grade = "unsupported" // only with [Engine.Loose]
)

// Result is what a run found.
type Result struct {
	Data    json.RawMessage     // fits Schema where Valid; nil after an error
	Schema  json.RawMessage     // the task's, or the one the plan made
	Valid   bool                // Data satisfies Schema
	Partial bool                // the run ended before it was done or dry
	Found   bool                // at least one row or field
	Fields  map[string]Evidence // by JSON Pointer into Data
	Sources []Source            // pages that were read, by ID
	Issues  []Issue             // what is missing, conflicting or could not be read
	Stop    Reason
	Spend   Spend
	Prompts string // hash of the prompt set
}

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

// IssueKind says what an issue is about.
type IssueKind string

// The kinds of issues.
const (
	IssueMissing     IssueKind = "missing"     // a required cell, or nothing at all
	IssueConflict    IssueKind = "conflict"    // sources contradict each other
	IssueWeakKey     IssueKind = "weak_key"    // rows with one key that are not one thing
	IssueUnsupported IssueKind = "unsupported" // a value that its page does not state
	IssueInvalid     IssueKind = "invalid"     // a cell or row that the schema refuses
	IssueDate        IssueKind = "ambiguous_date"
	IssueTotal       IssueKind = "total"                 // fewer rows than a page claims
	IssueRedirect    IssueKind = "out_of_scope_redirect" // Detail names the target
	IssueScope       IssueKind = "out_of_scope"
	IssueRefused     IssueKind = "refused" // by the threat hook
	IssueBlocked     IssueKind = "blocked" // bot wall
	IssueNotFound    IssueKind = "not_found"
	IssueScripts     IssueKind = "needs_javascript"
	IssueUnreadable  IssueKind = "unreadable" // the page could not be brought or read
	IssueSearch      IssueKind = "search"     // search or map failed, or there is none
	IssueProvider    IssueKind = "provider"   // the model failed
	IssueLimit       IssueKind = "limit"      // a bound of ours cut something
	IssueSchema      IssueKind = "schema"     // what of the schema is not asserted, or read otherwise
)

// Issue is one thing that did not go well.
type Issue struct {
	Pointer string // JSON Pointer into Data; empty where none applies
	Kind    IssueKind
	Detail  string // for people; at most 500 bytes
	Source  string // ID of a Source; may be empty
	URL     string // where no Source has it; may be empty
}

// Spend is what a run has cost.
type Spend struct {
	Credits  Credits // sum of all charges, never above the limit
	Scans    Credits // part of Credits that Admit charged
	Lost     Credits // part of Credits: reserved before a crash, outcome unknown
	Overrun  Credits // used by the provider beyond its bound, not charged
	Pages    int     // brought and billed
	Failed   int     // not brought, or blocked; not billed
	Scanned  int     // URLs
	Searches int
	Maps     int
	Calls    int // of models
	Steps    int // decide calls
	Free     int // pages read without a model
	Usage    Usage
}

// Phase says what a run does.
type Phase string

// The phases.
const (
	PhasePlan   Phase = "planning"
	PhaseWork   Phase = "working"
	PhaseFinish Phase = "finalizing"
	PhaseEnd    Phase = "finished"
)

// Snapshot is the state of a run at one moment.
type Snapshot struct {
	Phase          Phase
	Spend          Spend
	Rows           int // of all tables
	Filled, Wanted int // cells of the required fields
	Pages          int // read
	Seq            int64
}
