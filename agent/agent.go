// SPDX-License-Identifier: Apache-2.0

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

	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// Engine answers questions. Model and Fetch are required. It is set before the
// first run, not changed afterwards, not copied, and serves any number of runs
// at once.
type Engine struct {
	Model    llm.Model
	Fetch    Fetcher
	Search   Searcher               // nil: no search action
	Map      Mapper                 // nil: no map action
	Admit    Admit                  // nil: only the scope decides
	Profiles map[string]llm.Profile // by the name a task asks for; nil: the name is the provider's
	Rates    llm.Rates
	Limits   Limits       // what a task's zeros mean, and its most
	Fetches  int          // pages at once per run; zero means 8
	Calls    int          // model calls at once per run, four times as many per Engine; zero means 8
	Learned  *Wrappers    // nil: wrappers die with their run, as those of rendered pages and of tasks with headers always do
	Isolate  bool         // planner sees no string of a page
	Loose    bool         // keep unsupported values
	Trace    *Trace       // nil is silent
	Logger   *slog.Logger // an outage, a broken Fetcher, a journal that fails; nil is silent

	calls pool
}

// Trace is told what happens. Its funcs may be nil, are called by several
// goroutines at once, and must not block nor ask the [Run] that they are told of.
type Trace struct {
	Called func(task string, c CallTrace)
	Event  func(task string, e journal.Event)
}

// JoinTraces returns a trace that calls each of traces in their order. Nil traces
// and nil funcs are left out. It returns nil if all traces are nil.
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

// CallTrace is one model call.
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

// Task is one question.
type Task struct {
	ID     string          // empty: events and errors carry none
	Prompt string          // at most 10,000 characters, not blank
	URLs   []string        // where to look: their hosts, or with Strict exactly they
	Strict bool            // no page but URLs; no effect without
	Schema json.RawMessage // JSON Schema of Data, or an example of it; empty: the plan makes one
	Model  string          // of Engine.Profiles; empty: the name "" of the table
	Limits Limits          // zeros mean Engine.Limits, and no more counts than those allow

	Policy  any                             // handed to Admit
	Scan    Credits                         // most that one Admit charges; zero means Rates.Scan, -1 nothing
	Cleared map[string]Credits              // URLs admitted before the start, and what that cost
	Headers map[string]string               // sent to the hosts of URLs only, never shown to a model; implies Isolate
	Journal journal.Journal                 // nil: no resume
	History iter.Seq2[journal.Event, error] // journal to resume from; nil: a new run
	Earlier iter.Seq2[journal.Event, error] // journal of a run that has ended, to which Prompt is a further question; nil: none
	Seed    uint64                          // of nonces and samples
}

// Check reports why Start would refuse t: [ErrNoModel], [ErrNoFetcher] or
// [ErrTask]. It asks nobody and costs nothing.
func (e *Engine) Check(t Task) error {
	_, err := e.prepare(t)
	return err
}

// Start begins to answer t. The end of ctx cancels the run. Errors are those
// of [Engine.Check], what reading Task.History fails with, and [ErrHistory].
func (e *Engine) Start(ctx context.Context, t Task) (*Run, error) {
	j, err := e.prepare(t)
	if err != nil {
		return nil, err
	}
	return start(ctx, e, j)
}

// Run answers t: Start and Wait.
func (e *Engine) Run(ctx context.Context, t Task) (*Result, error) {
	r, err := e.Start(ctx, t)
	if err != nil {
		return nil, err
	}
	return r.Wait(ctx)
}

// Credits is an amount of money, in millionths of a credit.
type Credits = llm.Credits

// Unlimited switches a limit off.
const Unlimited = -1

// Limits bound a run. -1 means none.
type Limits struct {
	Credits Credits       // zero means 2,500 credits; parts of a credit are cut off
	Tokens  int           // input and output; zero means none
	Pages   int           // fetched; zero means 2,000
	Steps   int           // decide calls; zero means 60
	Wall    time.Duration // zero means 15 minutes
}

// within returns the limits of a run: those of a task, whose zeros are the
// engine's or the standard, and at most what the engine allows.
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

// Why a run is refused or fails.
var (
	ErrNoModel   = errors.New("no model is configured")
	ErrNoFetcher = errors.New("no fetcher is configured")
	ErrTask      = errors.New("task is not valid")           // the caller's fault
	ErrBudget    = errors.New("max credits exceeded")        // and nothing was found
	ErrScope     = errors.New("request outside the scope")   // a gate's refusal, or a broken Fetcher
	ErrHistory   = errors.New("journal is not of this task") // resume
	ErrStopped   = errors.New("run was stopped")
	ErrReply     = errors.New("model reply cannot be used") // Writer, Planner: after the second
)

// Error says which part of a run failed.
type Error struct {
	Task string // id of the task; may be empty
	Part string // prompt, urls, schema, model, limits, history, journal, page, plan ...
	Err  error  // wraps a sentinel of this package or ctx's cause
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

// Fetcher fetches one page and reads it. A fetch.Fetcher returns bytes, a Fetcher
// returns text. [example.com/curlew/agent/web] makes one of any fetch.Fetcher.
//
// A Fetcher calls Gate with every URL it is about to request, the first and each
// redirect target, and requests none that Gate refuses; the error then wraps
// Gate's. A page with an HTTP status of 400 or more is a page.
// Implementations are safe for concurrent use, obey robots.txt and the pace of
// hosts, send no cookies but those of Header and no Referer, and return when ctx
// ends. They do not change r, and do not keep it.
type Fetcher interface {
	Fetch(ctx context.Context, r *Request) (*Page, error)
}

// Request asks for a page.
type Request struct {
	URL    string
	Gate   func(ctx context.Context, url string) error
	Render bool // run the page's scripts, if the Fetcher can

	// Header is sent with the first request, and with those that follow a redirect
	// within its host. No other host gets it.
	Header map[string]string
}

// Page is a page that was fetched. The engine does not change it. Full is what is read;
// all else may be empty.
type Page struct {
	URL, Final string     // as asked, as answered; Final empty: as asked
	Hops       []string   // all URLs requested, in order, the first included
	Status     int        // of HTTP; zero counts as 200
	Title      string     //
	Type       string     // media type without parameters
	Digest     string     // of the body, hexadecimal; empty: of Full
	Root       *html.Node // one tree, whatever the kind; may be nil
	Main, Full string     // Markdown: main content, all of it; Main may be empty
	Links      []Link     // in document order
	Rendered   bool       // its scripts were run: no text of it is told to the planner or a search
}

// Link is a link of a page.
type Link struct {
	URL  string // absolute
	Text string // anchor, else label
	Rel  string // as written
}

// Searcher searches the web. Implementations are safe for concurrent use.
type Searcher interface {
	Search(ctx context.Context, q Query) ([]Hit, error)
}

// Query is one search.
type Query struct {
	Text  string   // at most 256 characters
	N     int      // hits wanted, 1 to 20
	Sites []string // hosts to stay on; empty: the web
}

// Hit is one result of a search.
type Hit struct{ URL, Title, Snippet string }

// Mapper lists the URLs of the site that r names, those that hold words of
// filter first, at most n. Each request passes r.Gate. Implementations are
// safe for concurrent use.
type Mapper interface {
	Map(ctx context.Context, r *Request, filter string, n int) ([]Link, error)
}

// Admit is asked once for each canonical URL of a run, right before its
// request. It returns what the scan cost, which is charged whatever err is; an
// error refuses the URL.
type Admit func(ctx context.Context, t *Task, url string) (spent Credits, err error)
