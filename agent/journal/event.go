// SPDX-License-Identifier: Apache-2.0

// Package journal defines the events that a run records. A run can be resumed
// from them, and its result rebuilt.
package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/llm"
)

// Journal stores the events of one run. An event that Append accepted survives
// the process. The engine calls Append from one goroutine at a time, in the
// order of Event.Seq. If Append fails, the run ends.
type Journal interface {
	Append(ctx context.Context, e Event) error // durable on return
}

// Kind is the kind of an event.
type Kind string

// The kinds of events.
const (
	EventAccepted  Kind = "accepted"  // Accepted
	EventPlanned   Kind = "planned"   // Planned
	EventEstimated Kind = "estimated" // Amount
	EventReserved  Kind = "reserved"  // Call, Amount
	EventSpent     Kind = "spent"     // Call, Amount, Answer
	EventDecided   Kind = "decided"   // Decided
	EventActed     Kind = "acted"     // Acted, at the end of one action
	EventPage      Kind = "page"      // Page
	EventExtracted Kind = "extracted" // Extracted
	EventLearned   Kind = "learned"   // Note
	EventDemoted   Kind = "demoted"   // Note
	EventIssue     Kind = "issue"     // Issue
	EventPhase     Kind = "phase"     // Phase
	EventStopped   Kind = "stopped"   // Stop
	EventFinished  Kind = "finished"  // Stop; Result; Note: why it failed
)

// Event is one event of a run. Only the members in the comment of its kind are
// set. Answer, Result and most members of Page are large and contain text of
// pages. [Event.Light] removes them for traces and webhooks.
type Event struct {
	Seq   int64       `json:"seq"` // from 1, without gaps
	At    time.Time   `json:"at"`
	Kind  Kind        `json:"kind"`
	Spent llm.Credits `json:"spent,omitempty"` // credits spent by the run so far

	Key       string           `json:"key,omitempty"` // identifies the subject; there is one event for each kind and key
	Call      string           `json:"call,omitempty"`
	Amount    llm.Credits      `json:"amount,omitempty"`
	Estimate  llm.Credits      `json:"estimate,omitempty"` // charge for a reserved call whose outcome is lost
	Usage     *llm.Usage       `json:"usage,omitempty"`    // of the paid model call
	Note      string           `json:"note,omitempty"`
	Phase     finding.Phase    `json:"phase,omitempty"`
	Stop      finding.Reason   `json:"stop,omitempty"`
	Accepted  *AcceptedRecord  `json:"accepted,omitempty"`
	Planned   *PlannedRecord   `json:"planned,omitempty"`
	Decided   *DecidedRecord   `json:"decided,omitempty"`
	Acted     *ActedRecord     `json:"acted,omitempty"`
	Page      *PageRecord      `json:"page,omitempty"`
	Extracted *ExtractedRecord `json:"extracted,omitempty"`
	Issue     *finding.Issue   `json:"issue,omitempty"`
	Answer    *AnswerRecord    `json:"answer,omitempty"`
	Result    json.RawMessage  `json:"result,omitempty"` // Data
}

// Light returns e without the parts that a trace must not contain: text of
// pages and of models, and data.
func (e Event) Light() Event {
	e.Answer, e.Result = nil, nil
	if p := e.Page; p != nil {
		e.Page = &PageRecord{ID: p.ID, URL: p.URL, Final: p.Final, Trouble: p.Trouble, Why: p.Why}
	}
	if e.Extracted != nil {
		light := *e.Extracted
		light.Rows = nil
		e.Extracted = &light
	}
	return e
}

// AcceptedRecord is a task without its secrets.
type AcceptedRecord struct {
	Prompt  string          `json:"prompt"`
	URLs    []string        `json:"urls,omitempty"`
	Strict  bool            `json:"strict,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	Model   string          `json:"model,omitempty"`
	Credits llm.Credits     `json:"credits"`
	Seed    uint64          `json:"seed,omitempty"`
	Private bool            `json:"private,omitempty"` // pages may show what only the sender of headers may see
	Earlier []string        `json:"earlier,omitempty"` // questions of the runs that this one continues, oldest first
	Left    int             `json:"left,omitempty"`    // older questions that are not in Earlier
}

// PlannedRecord is the result of planning.
type PlannedRecord struct {
	Tables  []PlannedTable  `json:"tables,omitempty"`
	Queries []string        `json:"queries,omitempty"`
	Shape   string          `json:"shape,omitempty"` // shape of the answer
	Hops    []Hop           `json:"hops,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"` // set if the task had none
}

// PlannedTable is one table of a plan.
type PlannedTable struct {
	ID     string   `json:"id"`
	What   string   `json:"what,omitempty"`
	Keys   []string `json:"keys,omitempty"`
	Expect int      `json:"expect,omitempty"`

	Conditions []Condition    `json:"conditions,omitempty"` // conditions that the rows of the answer meet
	Fields     []PlannedField `json:"fields,omitempty"`     // fields for which pages are read
}

// PlannedField is a field of a planned table.
type PlannedField struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // kind of its values, such as number
}

// Condition is a condition of the question that rows must meet.
type Condition struct {
	Field string `json:"field"`
	Op    string `json:"op"` // = != < <= > >= contains in top bottom
	Value string `json:"value"`
	Unit  string `json:"unit,omitempty"`
	Words string `json:"words"`        // words of the question that state the condition
	Or    bool   `json:"or,omitempty"` // the condition is an alternative to the previous one
}

// Hop is a field whose value is the subject of a further question.
type Hop struct {
	Field    string   `json:"field"`
	Question string   `json:"question"`
	Fills    []string `json:"fills,omitempty"` // fields that the answer fills
}

// DecidedRecord is one decision: the model's note and its actions.
type DecidedRecord struct {
	Step    int      `json:"step"`
	Note    string   `json:"note,omitempty"`
	Actions []Action `json:"actions,omitempty"`

	Names map[string]string `json:"names,omitempty"` // what the first handles of each action stand for, for people
}

// MaxNamed is the number of handles of an action that have names.
const MaxNamed = 3

// ActedRecord is the end of one action.
type ActedRecord struct {
	Step    int     `json:"step"`
	Index   int     `json:"index"` // in Actions
	Do      string  `json:"do"`
	Verdict Verdict `json:"verdict"`
	Pages   int     `json:"pages,omitempty"`
	Rows    int     `json:"rows,omitempty"`
	Handles int     `json:"handles,omitempty"`
}

// Verdict is the result of an action.
type Verdict string

// The verdicts.
const (
	VerdictOK           Verdict = "ok"
	VerdictUnknown      Verdict = "unknown"      // unknown action or handle
	VerdictSeen         Verdict = "seen"         // done before
	VerdictUnaffordable Verdict = "unaffordable" // its maximal cost cannot be reserved
	VerdictRefused      Verdict = "refused"      // the model wants to finish while work is left
	VerdictOff          Verdict = "off"          // not supported by the scope or the engine
	VerdictFailed       Verdict = "failed"
)

// PageRecord is a page as the run stores it.
type PageRecord struct {
	ID       string            `json:"id"`  // S1, S2 ...
	URL      string            `json:"url"` // canonical form of the requested URL
	Final    string            `json:"final,omitempty"`
	Hops     []string          `json:"hops,omitempty"`
	Title    string            `json:"title,omitempty"`
	Digest   string            `json:"digest,omitempty"` // hash of Main or Full
	Main     []string          `json:"main,omitempty"`   // lines
	Full     []string          `json:"full,omitempty"`   // lines, if they differ from Main
	Links    []LinkRecord      `json:"links,omitempty"`
	Facts    []Fact            `json:"facts,omitempty"`    // structured data
	Texts    []Text            `json:"texts,omitempty"`    // texts for wrappers
	Shape    string            `json:"shape,omitempty"`    // template key
	Trouble  finding.IssueKind `json:"trouble,omitempty"`  // why the page is not read
	Why      string            `json:"why,omitempty"`      // Trouble as a text
	Lang     string            `json:"lang,omitempty"`     // language of the page, in lower case
	Next     string            `json:"next,omitempty"`     // canonical URL of the next page of a listing
	Slugs    []string          `json:"slugs,omitempty"`    // shapes of its links that differ in one segment only
	Rendered bool              `json:"rendered,omitempty"` // its scripts were run
}

// Fact is one value in the structured data of a page.
type Fact struct {
	Thing int    `json:"n,omitempty"` // number of the thing that is described; facts with one number describe one thing
	Type  string `json:"k,omitempty"` // type of the thing, such as Product
	Path  string `json:"p"`           // offers.price
	Value string `json:"v"`
}

// Text is a short text of a page with its position, for wrappers.
type Text struct {
	Path  string `json:"p"`           // tags and classes of the element and up to three above it
	Attr  string `json:"a,omitempty"` // attribute that contains it; empty if it is the text of the element, # if it stands there beside others, . if it is a sentence of a paragraph
	Label string `json:"l,omitempty"` // text of the preceding element, or what stands before it
	Value string `json:"v"`
}

// LinkRecord is a link of a page.
type LinkRecord struct {
	URL  string `json:"u"` // canonical
	Text string `json:"t,omitempty"`
}

// HitRecord is a result of a search.
type HitRecord struct{ URL, Title, Snippet string }

// ExtractedRecord contains the rows that one page gave for one table.
type ExtractedRecord struct {
	Source string        `json:"source"`
	Table  string        `json:"table"`
	Method string        `json:"method"` // model, whole (the model read the whole page), structured, table, or wrapper
	Count  int           `json:"count"`
	Total  int           `json:"total,omitempty"` // number of rows that the page announces; zero if there is none
	Rows   []finding.Row `json:"rows,omitempty"`
}

// AnswerRecord is the result of a paid call. A call with a record is not paid
// for again.
type AnswerRecord struct {
	Reply  *llm.Reply   `json:"reply,omitempty"`
	Hits   []HitRecord  `json:"hits,omitempty"`
	Links  []LinkRecord `json:"links,omitempty"`
	Fault  string       `json:"fault,omitempty"` // name of the error; empty if there was none
	Detail string       `json:"detail,omitempty"`
}

// Same reports whether two tasks are the same.
func (a *AcceptedRecord) Same(b *AcceptedRecord) bool {
	return b != nil && a.Prompt == b.Prompt && slices.Equal(a.URLs, b.URLs) && a.Strict == b.Strict && compactEqual(a.Schema, b.Schema) &&
		a.Model == b.Model && a.Seed == b.Seed
}

// compactEqual reports whether two texts of JSON differ only in white space.
func compactEqual(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	if json.Compact(&x, a) != nil || json.Compact(&y, b) != nil {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(x.Bytes(), y.Bytes())
}
