// SPDX-License-Identifier: Apache-2.0

package finding

// IssueKind is the kind of an issue.
type IssueKind string

// The kinds of issues.
const (
	IssueMissing     IssueKind = "missing"     // a required cell is missing, or there is no result at all
	IssueConflict    IssueKind = "conflict"    // sources contradict each other
	IssueWeakKey     IssueKind = "weak_key"    // rows with one key that describe different things
	IssueUnsupported IssueKind = "unsupported" // a value that its page does not contain
	IssueInvalid     IssueKind = "invalid"     // a cell or row that does not match the schema
	IssueDate        IssueKind = "ambiguous_date"
	IssueUndecided   IssueKind = "undecided"             // rows that may or may not meet a condition, or a condition that is not applied
	IssueTotal       IssueKind = "total"                 // fewer rows than a page announces, or a list that goes on at a page that could not be read
	IssueRedirect    IssueKind = "out_of_scope_redirect" // Detail names the target
	IssueScope       IssueKind = "out_of_scope"
	IssueRefused     IssueKind = "refused" // refused by the threat check
	IssueBlocked     IssueKind = "blocked" // blocked by bot protection
	IssueNotFound    IssueKind = "not_found"
	IssueScripts     IssueKind = "needs_javascript"
	IssueUnreadable  IssueKind = "unreadable" // the page could not be fetched or read
	IssueSearch      IssueKind = "search"     // a search or a map failed, or is not configured
	IssueProvider    IssueKind = "provider"   // the model failed
	IssueLimit       IssueKind = "limit"      // something was cut off at a limit, or the run was stopped
	IssueUnits       IssueKind = "units"      // numbers of one column in different units were converted to one of them
	IssueSchema      IssueKind = "schema"     // a part of the schema is not checked, or is read differently
)

// Issue is one problem of a run.
type Issue struct {
	Pointer string // JSON Pointer into Data; may be empty
	Kind    IssueKind
	Detail  string // for people; at most 500 bytes
	Source  string // ID of a Source; may be empty
	URL     string // of a page that is not a Source; may be empty
}
