// SPDX-License-Identifier: Apache-2.0

package finding

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
