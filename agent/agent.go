// SPDX-License-Identifier: Apache-2.0

// Package agent answers questions with data from the web. Given a question, a JSON
// Schema and a budget, it reads pages and returns data in which each value names the
// page and the lines that state it.
//
// Most programs only need [Engine.Run], with an [llm.Model] and a [Fetcher]. Package
// agent/openai has a Model, and package agent/web has a Fetcher. The method Agents of
// curlew.Service returns an engine with a Fetcher:
//
//	e := agent.Engine{Model: model, Fetch: web}
//	r, err := e.Run(ctx, agent.Task{Prompt: "Plans and their prices", URLs: urls, Schema: schema})
//
// The types for adapters and for readers of a run are in packages of their own:
// agent/llm for models and the cost of their calls, agent/finding for rows, evidence
// and issues, and agent/journal for the events of a run.
//
// The control flow is code. The model is asked small questions, each in a new prompt:
// which pages to read next, and what the numbered lines of one page state. [llm.Role]
// lists the questions, and the internal package protocol describes the prompts. Code
// finds each value in those lines, converts it, and merges rows by their keys. Data
// from structured data, tables and learned templates costs no model call. The decision
// docs/decisions/006-agent.md follows one page through the code, from its lines to a row.
//
// If a run ends early (because of the credits, a limit, [Run.Stop], or a model that
// fails), the result contains what was found until then. [Result.Stop] gives the
// reason, and [Result.Issues] says what is missing, contradictory or could not be read.
//
// A run begins with a plan, which contains the conditions, comparisons and further
// questions of the prompt. If Task.Schema is set, but the credits are not enough for
// the plan and one page, or the model returns no usable plan, the rows only match the
// schema. The result then has the issue [finding.IssueUndecided] and is partial.
//
// A run with Task.Headers may read private pages. It is isolated as with
// [Engine.Isolate], so it may choose links less well. A resumed run is charged an
// estimate for model calls that were in progress: [Spend.Lost]. The estimate is at most
// a twentieth of its other charges.
//
// If the scripts of a page were run (Page.Rendered), the planner sees no text of it,
// and no search contains any, because such a page may show data of a session.
//
// A zero in the limits of a task means that of [Engine.Limits]. A zero there means
// 2,500 credits, 2,000 pages, 60 decisions or 15 minutes. -1 means no limit.
//
// # Security
//
// Pages are untrusted and may try to instruct the model. The model that reads pages has
// no actions. The model that chooses actions sees no page text, and names pages by
// handles, never by URLs. Every request must pass the scope of the task and
// [Engine.Admit]. Every credit is reserved before it is spent. No text of a model is
// executed, or used as a URL, a pattern or a file name.
package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"golang.org/x/net/html"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// Engine answers questions. Model and Fetch are required. It must not be changed after
// its first run, nor copied. It can serve any number of runs at once.
type Engine struct {
	Model    llm.Model
	Fetch    Fetcher
	Search   Searcher               // nil means that nothing is searched
	Map      Mapper                 // nil means that no site is mapped
	Admit    Admit                  // nil means that only the scope decides
	Profiles map[string]llm.Profile // by the name in Task.Model; nil means that Task.Model is the provider's name
	Rates    llm.Rates
	Limits   Limits       // defaults and maximum values for the limits of a task
	Fetches  int          // pages in progress for each run; zero means 8
	Calls    int          // model calls in progress for each run, and four times as many for the Engine; zero means 8
	Learned  *Wrappers    // nil means that wrappers end with their run, as do those of rendered pages and of tasks with headers
	Isolate  bool         // the planner sees no text of a page
	Loose    bool         // keep values that no line supports
	Trace    *Trace       // may be nil
	Logger   *slog.Logger // gets outages, faulty Fetchers and failing journals; nil discards them

	calls pool
}

// Trace contains funcs that are called during a run. They may be nil. They are called
// by several goroutines concurrently, and must neither block nor call methods of the
// [Run].
type Trace struct {
	Called func(task string, c CallTrace)
	Event  func(task string, e journal.Event)
}

// JoinTraces returns a trace that calls each of traces in order. Nil traces and nil
// funcs are left out. If all traces are nil, the result is nil.
func JoinTraces(traces ...*Trace) *Trace {
	var joined *Trace
	for _, t := range traces {
		switch {
		case t == nil:
		case joined == nil:
			joined = new(*t)
		default:
			joined.Called = both(joined.Called, t.Called)
			joined.Event = both(joined.Event, t.Event)
		}
	}
	return joined
}

// both returns a func that calls a and then b, either of which may be nil.
func both[T any](a, b func(string, T)) func(string, T) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(task string, v T) {
		a(task, v)
		b(task, v)
	}
}

// CallTrace describes one model call.
type CallTrace struct {
	ID       string
	Role     llm.Role
	Model    string
	Level    string
	Finish   string
	Usage    llm.Usage
	Spent    Credits
	Overrun  Credits
	Duration time.Duration
	Err      error
}

// Task is a question.
type Task struct {
	ID     string          // appears in events and errors; may be empty
	Prompt string          // 1 to 10,000 characters, not only white space
	URLs   []string        // where to look: the hosts of these URLs, or with Strict only the URLs
	Strict bool            // read only URLs; without URLs it has no effect
	Schema json.RawMessage // JSON Schema of the data, or an example of it; if empty, the plan makes one
	Model  string          // name of a model in Engine.Profiles, which may contain the empty name
	Limits Limits          // zeros mean those of Engine.Limits, which are also the maximum

	Policy  any                             // passed to Admit
	Scan    Credits                         // the most that one call of Admit charges; zero means Rates.Scan, -1 means nothing
	Cleared map[string]Credits              // URLs that were admitted before the start, with their cost
	Headers map[string]string               // sent only to the hosts of URLs, and never shown to a model; implies Isolate
	Journal journal.Journal                 // nil means that the run cannot be resumed
	History iter.Seq2[journal.Event, error] // journal of the run to be resumed; nil means a new run
	Earlier iter.Seq2[journal.Event, error] // journal of a completed run, which Prompt asks a further question about; nil if there is none
	Seed    uint64                          // determines nonces and samples
}

// Check returns the error with which Start would refuse t: [ErrNoModel], [ErrNoFetcher]
// or [ErrTask]. It makes no request and costs nothing.
func (e *Engine) Check(t Task) error {
	_, err := e.prepare(t)
	return err
}

// Start begins to answer t. If ctx ends, the run is cancelled. Errors are those of
// [Engine.Check], errors of reading Task.History, and [ErrHistory].
func (e *Engine) Start(ctx context.Context, t Task) (*Run, error) {
	j, err := e.prepare(t)
	if err != nil {
		return nil, err
	}
	return start(ctx, e, j)
}

// Run answers t. It calls Start and Wait.
func (e *Engine) Run(ctx context.Context, t Task) (*Result, error) {
	r, err := e.Start(ctx, t)
	if err != nil {
		return nil, err
	}
	return r.Wait(ctx)
}

// Credits is an amount of money, in millionths of a credit.
type Credits = llm.Credits

// Unlimited disables a limit.
const Unlimited = -1

// Limits limit a run. -1 means no limit.
type Limits struct {
	Credits Credits       // zero means 2,500 credits; fractions of a credit are cut off
	Tokens  int           // of input and output; zero means no limit
	Pages   int           // fetched pages; zero means 2,000
	Steps   int           // decisions of the planner; zero means 60
	Wall    time.Duration // time of the whole run; zero means 15 minutes
}

// within returns the limits of a run. A zero in the limits of the task means that of
// the engine, or else the default. The engine's limits are also the maximum.
func (l Limits) within(e Limits) Limits {
	return Limits{
		Credits: limit(l.Credits, e.Credits, 2500*llm.Credit),
		Tokens:  limit(l.Tokens, e.Tokens, Unlimited),
		Pages:   limit(l.Pages, e.Pages, 2000),
		Steps:   limit(l.Steps, e.Steps, 60),
		Wall:    limit(l.Wall, e.Wall, 15*time.Minute),
	}
}

func limit[N ~int | ~int64](task, engine, standard N) N {
	n := cmp.Or(task, engine, standard)
	if engine > 0 && (n == Unlimited || n > engine) {
		return engine
	}
	return n
}

// validate returns what is wrong with the limits of a task.
func (l Limits) validate() error {
	var faults []error
	if l.Credits < 0 && l.Credits != Unlimited || l.Credits > 0 && l.Credits < llm.Credit {
		faults = append(faults, fmt.Errorf("a limit of %v credits", l.Credits))
	}
	if l.Tokens < Unlimited || l.Pages < Unlimited || l.Steps < Unlimited || l.Wall < Unlimited {
		faults = append(faults, errors.New("a limit is below -1"))
	}
	return errors.Join(faults...)
}

// Reasons why a run is refused or fails.
var (
	ErrNoModel   = errors.New("no model is configured")
	ErrNoFetcher = errors.New("no fetcher is configured")
	ErrTask      = errors.New("task is not valid")           // by its caller's fault
	ErrBudget    = errors.New("max credits exceeded")        // and nothing was found
	ErrScope     = errors.New("request outside the scope")   // the Fetcher was refused by its Gate, or has not called it
	ErrHistory   = errors.New("journal is not of this task") // Task.History belongs to another task
	ErrStopped   = errors.New("run was stopped")
	ErrReply     = errors.New("model reply cannot be used") // of a Writer or Planner, after it has tried again
	ErrPartial   = errors.New("search is not complete")     // of a Searcher, beside the hits that there are
)

// Error says which part of a run has failed.
type Error struct {
	Task string // id of the task; may be empty
	Part string // such as prompt, urls, schema, model, limits, history, journal, page, plan
	Err  error  // wraps an error of this package or ctx's cause
}

// Error returns the package, the task, the part and the cause.
func (e *Error) Error() string {
	text := "agent"
	if e.Task != "" {
		text += " " + e.Task
	}
	if e.Part != "" {
		text += ": " + e.Part
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Fetcher fetches a page and reads it. While a fetch.Fetcher returns bytes, a Fetcher
// returns text. Package [example.com/curlew/agent/web] makes a Fetcher from any
// fetch.Fetcher.
//
// A Fetcher calls Gate with every URL before it requests it, including the targets of
// redirects. If Gate refuses a URL, the Fetcher does not request it, and returns an
// error that wraps Gate's. A page with an HTTP status of 400 or more is a page, not an
// error. Implementations are safe for concurrent use, obey robots.txt and the pace of
// hosts, send no cookies except those in Header, send no Referer, and return when ctx
// ends. They neither change nor keep r.
type Fetcher interface {
	Fetch(ctx context.Context, r *Request) (*Page, error)
}

// Request is a request for a page.
type Request struct {
	URL    string
	Gate   func(ctx context.Context, url string) error
	Render bool // run the scripts of the page, if the Fetcher can do so

	// Header is sent with the first request, and after redirects within its host. No
	// other host gets it.
	Header map[string]string
}

// Page is a page that was fetched. The engine does not change it. Full is the text that
// is read. All other fields may be empty.
type Page struct {
	URL, Final string     // requested URL, and URL after redirects; an empty Final means URL
	Hops       []string   // all requested URLs in order, including the first
	Status     int        // HTTP status; zero counts as 200
	Title      string     //
	Type       string     // media type without parameters
	Digest     string     // hash of the body in hexadecimal; empty means that of Full
	Root       *html.Node // tree of the document, of whatever kind it is; may be nil
	Main, Full string     // Markdown of the main content, which may be empty, and of the whole page
	Links      []Link     // in document order
	Rendered   bool       // its scripts were run, so no text of it is passed to the planner or to a search
}

// Link is a link of a page.
type Link struct {
	URL  string // absolute
	Text string // text of the link, or else its label
	Rel  string // as the page writes it
}

// Searcher searches the web. If a part of the provider has not answered, it returns the
// hits that there are, and an error that wraps [ErrPartial] and says what is missing. The
// error becomes an issue. Implementations are safe for concurrent use.
type Searcher interface {
	Search(ctx context.Context, q Query) ([]Hit, error)
}

// Query is a search.
type Query struct {
	Text  string   // at most 256 characters
	N     int      // number of wanted hits, 1 to 20
	Sites []string // hosts to which the hits are restricted; empty means the whole web
}

// Hit is one result of a search.
type Hit struct{ URL, Title, Snippet string }

// Mapper lists at most n URLs of the site that r names. Those that contain words of
// filter come first. A Mapper calls r.Gate before each request. Implementations are
// safe for concurrent use.
type Mapper interface {
	Map(ctx context.Context, r *Request, filter string, n int) ([]Link, error)
}

// Admit is called once for each canonical URL of a run, directly before its request. It
// returns the cost of the scan, which is charged even if there is an error. If it
// returns an error, the URL is refused.
type Admit func(ctx context.Context, t *Task, url string) (spent Credits, err error)

// Result is the result of a run.
type Result struct {
	Data    json.RawMessage             // matches Schema if Valid is set; nil after an error
	Schema  json.RawMessage             // the task's schema, or the one that the plan made
	Valid   bool                        // Data matches Schema
	Partial bool                        // the run ended before it was done or dry
	Found   bool                        // there is at least one row or field
	Fields  map[string]finding.Evidence // by JSON Pointer into Data
	Sources []finding.Source            // pages that were read, by ID
	Issues  []finding.Issue             // what is missing, conflicting or could not be read
	Stop    finding.Reason
	Spend   Spend
	Prompts string // hash of the set of prompts
}

// Spend is the cost of a run.
type Spend struct {
	Credits  Credits // sum of all charges, never above the limit
	Scans    Credits // the part of Credits that Admit charged
	Lost     Credits // the part of Credits for calls whose outcome was lost in a crash
	Overrun  Credits // used by the provider beyond its bound, and not charged
	Pages    int     // fetched and billed
	Failed   int     // not fetched, or blocked; not billed
	Scanned  int     // scanned URLs
	Searches int
	Maps     int
	Calls    int // model calls
	Steps    int // decisions of the planner
	Free     int // pages that were read without a model
	Usage    llm.Usage
}

// Snapshot is the state of a run at one time.
type Snapshot struct {
	Phase          finding.Phase
	Spend          Spend
	Rows           int // in all tables
	Filled, Wanted int // cells of the required fields
	Pages          int // that were read
	Seq            int64
}

// Fold returns the data of a run after the event with the number seq, in the form of
// [Result].Data. It contains what pages stated, merged, without what is added at the
// end of a run. The events must be complete, as a [journal.Journal] stores them. Before
// there is a schema, it returns null. Errors are those of events and [ErrHistory].
func Fold(events iter.Seq2[journal.Event, error], seq int64) (json.RawMessage, error) {
	var o *outline.Outline
	hosts := map[string]string{}
	seen := map[string][]merge.Sighting{}
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		if e.Seq > seq {
			break
		}
		switch {
		case e.Accepted != nil && len(e.Accepted.Schema) > 0:
			o, err = outline.New(e.Accepted.Schema)
		case e.Planned != nil:
			if o == nil {
				o, err = outline.New(e.Planned.Schema)
			}
			if err == nil {
				o.Planned(e.Planned.Tables)
			}
		case e.Page != nil:
			hosts[e.Page.ID] = value.Host(cmp.Or(e.Page.Final, e.Page.URL))
		case e.Extracted != nil:
			n, ok := value.HandleNumber(e.Extracted.Source, 'S')
			if !ok {
				return nil, ErrHistory
			}
			for i, row := range e.Extracted.Rows {
				seen[e.Extracted.Table] = append(seen[e.Extracted.Table], merge.Sighting{Page: n, At: i, Method: e.Extracted.Method, Row: row})
			}
		}
		if err != nil {
			return nil, ErrHistory
		}
	}
	if o == nil {
		return json.RawMessage("null"), nil
	}
	a := &merge.Assembly{Outline: o, Tables: map[string][]merge.Merged{}}
	for _, t := range o.Tables {
		m := merge.Merger{Table: t, Hosts: hosts}
		a.Tables[t.ID] = m.Merge(seen[t.ID])
	}
	data, _, _ := a.Build()
	return merge.Encode(data), nil
}
