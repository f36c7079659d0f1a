// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"iter"
	"strings"
	"sync"
	"time"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// log is the list of events of a run. The journal contains complete events, and the
// memory contains them without their large members.
type log struct {
	mu      sync.Mutex // guards the fields below; held while the journal writes
	journal journal.Journal
	trace   func(task string, e journal.Event)
	task    string
	seq     int64
	total   Credits // sum of spent
	known   map[string]bool
	events  []journal.Event
	wake    chan struct{} // closed at the next event
	closed  bool
	fault   error
}

// emit records an event. For each kind and key, only the first event is recorded.
func (l *log) emit(ctx context.Context, e journal.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fault != nil {
		return l.fault
	}
	if e.Key != "" {
		id := string(e.Kind) + "\x00" + e.Key
		if l.known[id] {
			return nil
		}
		l.known[id] = true
	}
	e.Seq, e.At = l.seq+1, time.Now().UTC()
	if e.Kind == journal.EventSpent {
		l.total += e.Amount
	}
	e.Spent = l.total
	if l.journal != nil {
		if err := l.journal.Append(context.WithoutCancel(ctx), e); err != nil {
			l.fault = &Error{Task: l.task, Part: "journal", Err: err}
			return l.fault
		}
	}
	l.keep(e)
	if l.trace != nil {
		l.trace(l.task, e)
	}
	return nil
}

// keep adds an event to those in memory.
func (l *log) keep(e journal.Event) {
	l.seq = e.Seq
	l.events = append(l.events, e.Light())
	close(l.wake)
	l.wake = make(chan struct{})
}

// end is called when no more events follow.
func (l *log) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	close(l.wake)
	l.wake = make(chan struct{})
}

// all yields the events. It waits for further events until the log or ctx ends.
func (l *log) all(ctx context.Context) iter.Seq[journal.Event] {
	return func(yield func(journal.Event) bool) {
		for i := 0; ; {
			l.mu.Lock()
			next := l.events[i:len(l.events):len(l.events)]
			wake, closed := l.wake, l.closed
			l.mu.Unlock()
			for _, e := range next {
				if ctx.Err() != nil || !yield(e) {
					return
				}
			}
			if i += len(next); len(next) > 0 {
				continue
			}
			if closed {
				return
			}
			select {
			case <-wake:
			case <-ctx.Done():
				return
			}
		}
	}
}

// memo contains the outcomes in a journal, which are not paid for again. It does not
// change after it was read.
type memo struct {
	answers  map[string]journal.AnswerRecord
	pages    map[string]*journal.PageRecord // by canonical URL
	at       map[string]time.Time           // when pages were read
	began    time.Time
	accepted journal.AcceptedRecord
	spend    Spend
	open     map[string]Credits // estimates for calls that had begun but not ended
}

// recall reads a journal.
func (l *log) recall(history iter.Seq2[journal.Event, error], want *journal.AcceptedRecord) (*memo, error) {
	m := &memo{answers: map[string]journal.AnswerRecord{}, pages: map[string]*journal.PageRecord{}, at: map[string]time.Time{}, open: map[string]Credits{}}
	if history == nil {
		return m, nil
	}
	for e, err := range history {
		if err != nil {
			return nil, err
		}
		if e.Seq != l.seq+1 || l.seq == 0 && (e.Kind != journal.EventAccepted || !want.Same(e.Accepted)) {
			return nil, ErrHistory
		}
		if e.Key != "" && e.Stop != finding.ReasonCancelled { // the end of a cancelled run may be recorded again
			l.known[string(e.Kind)+"\x00"+e.Key] = true
		}
		l.total = e.Spent
		l.keep(e)
		m.fold(e)
	}
	return m, nil
}

func (m *memo) fold(e journal.Event) {
	switch e.Kind {
	case journal.EventAccepted:
		m.began, m.accepted = e.At, *e.Accepted
	case journal.EventReserved:
		m.open[e.Call] = e.Estimate
	case journal.EventSpent:
		delete(m.open, e.Call)
		if e.Answer != nil {
			m.answers[e.Call] = *e.Answer
		}
		m.spend.count(e.Call, e.Amount, e.Answer)
	case journal.EventPage:
		if e.Page != nil {
			m.pages[e.Page.URL] = e.Page
			m.at[e.Page.URL] = e.At
		}
	}
}

// count adds a paid call to the spend.
func (s *Spend) count(call string, amount Credits, a *journal.AnswerRecord) {
	s.Credits += amount
	if a == nil {
		s.Lost += amount
		return
	}
	kind, _, _ := strings.Cut(call, ":")
	switch kind {
	case "scan":
		s.Scans += amount
		s.Scanned++
	case "page":
		if a.Fault != "" {
			s.Failed++
		} else {
			s.Pages++
		}
	case "search":
		s.Searches++
	case "map":
		s.Maps++
	case "model":
		s.Calls++
		if strings.HasPrefix(call, "model:"+string(llm.RoleDecide)+":") {
			s.Steps++
		}
		if a.Reply != nil {
			u := a.Reply.Usage
			s.Usage.Input += u.Input
			s.Usage.Cached += u.Cached
			s.Usage.Output += u.Output
			s.Usage.Reasoning += u.Reasoning
			s.Usage.Estimated = s.Usage.Estimated || u.Estimated
		}
	}
}
