// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// payer pays for calls. Each call is paid for once, also across restarts, and no more
// is spent than the budget allows.
type payer struct {
	*control
	model   llm.Model
	trace   func(task string, c CallTrace) // may be nil
	pool    *pool                          // shared by all runs of the engine
	slots   chan struct{}                  // of the run
	profile llm.Profile
	rates   llm.Rates
	price   budget.Price
	gauge   budget.Gauge
	tokens  int   // maximum number of tokens
	memo    *memo // calls in the journal

	mu    sync.Mutex // guards the fields below
	spend Spend
	heard hearing
}

// hearing counts replies.
type hearing struct {
	used map[llm.Role]int // usable replies
	bad  int              // unusable replies
	mute int              // consecutive unusable replies
}

// Numbers of consecutive unusable replies.
const (
	muteWaits = 3 // from this number on, no page is fetched before the model has read the others
	muteEnds  = 8 // from this number on, the model counts as not available
)

// judge counts a reply. After too many consecutive unusable replies, the model counts
// as not available.
func (p *payer) judge(role llm.Role, usable bool) {
	p.mu.Lock()
	if usable {
		p.heard.used[role]++
		p.heard.mute = 0
	} else {
		p.heard.bad++
		p.heard.mute++
	}
	ends := p.heard.mute >= muteEnds
	p.mu.Unlock()
	if ends {
		p.outage(strconv.Itoa(muteEnds) + " replies in a row could not be used")
	}
}

// refused counts a page, or a part of one, that the model refuses or cannot read. That
// says nothing about other pages.
func (p *payer) refused() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard.bad++
}

// silent reports whether no reply about a page was usable, although there were replies.
func (p *payer) silent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.heard.bad > 0 && p.heard.used[llm.RoleExtract] == 0
}

// muted reports whether the last replies were unusable.
func (p *payer) muted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.heard.mute >= muteWaits
}

// newPayer returns the payer of a run with calls concurrent calls.
func newPayer(c *control, e *Engine, p llm.Profile, r llm.Rates, tokens, calls int, m *memo) *payer {
	out := &payer{
		control: c, model: e.Model, pool: &e.calls, slots: make(chan struct{}, atLeast(calls, 8)), profile: p, rates: r,
		price: budget.NewPrice(r, p), tokens: tokens, memo: m, spend: m.spend,
		heard: hearing{used: map[llm.Role]int{}},
	}
	if e.Trace != nil {
		out.trace = e.Trace.Called
	}
	c.budget.Charge(m.spend.Credits)
	return out
}

// cleared charges a scan that was paid for before the start.
func (p *payer) cleared(cost Credits) {
	p.mu.Lock()
	p.spend.Scans += cost
	p.spend.Credits += cost
	p.spend.Scanned++
	p.mu.Unlock()
	p.budget.Charge(cost)
}

// spent returns the cost of the run so far.
func (p *payer) spent() Spend {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.spend
	s.Credits = p.budget.Total()
	return s
}

// known reports whether the journal contains the outcome of a call.
func (p *payer) known(id string) bool {
	_, ok := p.memo.answers[id]
	return ok
}

// ask is a question to the model.
type ask struct {
	role    llm.Role
	user    string
	schema  []byte
	output  int
	landing bool
	hold    *budget.Hold
	usable  func(reply json.RawMessage) bool // nil means [protocol.Answers]
}

// errModel means that a call gave no usable reply. The run continues.
var errModel = errors.New("the model gave no usable reply")

// because appends to text what an error that wraps errModel says in addition.
func because(text string, err error) string {
	return text + strings.TrimPrefix(err.Error(), errModel.Error())
}

// Names of errors in recorded answers.
const (
	faultProvider = "provider"
	faultModel    = "model"
)

// maxReply is the maximum number of bytes of a reply. A call allows a reply of some ten thousand
// bytes.
const maxReply = 4 << 20

// maxUsage is the maximum number of tokens that one call is said to have used. It is far more than
// any model reads or writes.
const maxUsage = 1 << 30

// heard returns the JSON object of a reply, and how the reply ended. A reply whose
// object is incomplete counts as truncated.
func heard(r llm.Reply) (json.RawMessage, string) {
	if len(r.JSON) == 0 {
		return r.JSON, r.Finish
	}
	object, _, err := llm.ReadObject(string(r.JSON))
	switch {
	case err == nil || r.Finish != "" && r.Finish != llm.FinishOK:
		return object, r.Finish
	case errors.Is(err, llm.ErrPartial):
		return object, llm.FinishLength
	}
	return nil, llm.FinishInvalid
}

// providerText returns the text of a provider's error on one line.
func providerText(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// pay performs a call that costs at most h. If the journal contains its outcome, it
// costs nothing. The reservation is in the journal before the call begins, and the
// outcome is there before pay returns. h is used up.
func (p *payer) pay(ctx context.Context, id string, h *budget.Hold, do func(ctx context.Context) (journal.AnswerRecord, Credits, error)) (journal.AnswerRecord, error) {
	return p.payFor(ctx, id, h, 0, do)
}

// payFor is like pay, for a call that the provider bills even if its answer is lost.
// estimate is its probable cost.
func (p *payer) payFor(ctx context.Context, id string, h *budget.Hold, estimate Credits, do func(ctx context.Context) (journal.AnswerRecord, Credits, error)) (journal.AnswerRecord, error) {
	defer p.budget.Drop(h)
	if a, ok := p.memo.answers[id]; ok {
		return a, nil
	}
	most := h.Amount
	if err := p.emit(ctx, journal.Event{Kind: journal.EventReserved, Call: id, Amount: most, Estimate: min(estimate, most)}); err != nil {
		return journal.AnswerRecord{}, err
	}
	a, cost, err := do(ctx)
	if err != nil {
		if !strings.HasPrefix(id, "model:") { // a model call that has begun may be billed, although its answer is lost
			_ = p.log.emit(ctx, journal.Event{Kind: journal.EventSpent, Call: id, Note: "not done"}) // the run ends in any case
		}
		return a, err
	}
	h.Amount = -1
	overrun := p.budget.Commit(most, cost)
	cost = max(cost, 0) - overrun
	p.mu.Lock()
	p.spend.count(id, cost, &a)
	p.spend.Overrun += overrun
	p.mu.Unlock()
	spent := journal.Event{Kind: journal.EventSpent, Call: id, Amount: cost, Answer: &a}
	if a.Reply != nil {
		spent.Usage = &a.Reply.Usage
	}
	return a, p.emit(ctx, spent)
}

// ask asks the model. The error is errBroke or errModel, wraps [llm.ErrProvider], or is
// the reason why the run ends.
func (p *payer) ask(ctx context.Context, q ask) (llm.Reply, error) {
	name := p.profile.Plan
	switch q.role {
	case llm.RoleExtract:
		name = cmp.Or(p.profile.Extract, p.profile.Plan)
	case llm.RoleVerify:
		name = cmp.Or(p.profile.Verify, p.profile.Extract, p.profile.Plan)
	}
	c := llm.Call{
		Role: q.role, Model: name, Effort: p.profile.Effort, System: protocol.System(q.role), User: q.user,
		Name: string(q.role), Schema: q.schema, MaxOutput: q.output,
	}
	id := value.CallID("model:"+string(c.Role), c.Model, c.Effort, c.System, c.User, string(c.Schema), strconv.Itoa(c.MaxOutput))
	if !p.known(id) {
		if p.out.Load() {
			p.budget.Drop(q.hold)
			return llm.Reply{}, llm.ErrProvider
		}
		h, err := p.hold(ctx, q, p.bound(c))
		if err != nil {
			return llm.Reply{}, err
		}
		q.hold = h
		// The call is recorded in the journal after this wait, because waiting costs
		// nothing.
		give, err := p.turn(ctx)
		if err != nil {
			p.budget.Drop(h)
			return llm.Reply{}, err
		}
		defer give()
	}
	a, err := p.payFor(ctx, id, q.hold, p.guess(c), func(ctx context.Context) (journal.AnswerRecord, Credits, error) { return p.complete(ctx, id, c) })
	if err != nil {
		return llm.Reply{}, err
	}
	switch {
	case a.Fault == faultProvider:
		p.outage(a.Detail)
		return llm.Reply{}, llm.ErrProvider
	case a.Fault != "" || a.Reply == nil:
		p.judge(c.Role, false)
		if a.Detail != "" {
			return llm.Reply{}, fmt.Errorf("%w: %s", errModel, a.Detail)
		}
		return llm.Reply{}, errModel
	}
	p.mu.Lock()
	tokens := p.spend.Usage.Input + p.spend.Usage.Output
	p.mu.Unlock()
	if p.tokens != Unlimited && tokens >= p.tokens {
		p.halt(finding.ReasonTokens)
	}
	reply := *a.Reply
	reply.Finish = cmp.Or(reply.Finish, llm.FinishOK)
	if c.Role == llm.RoleExtract && reply.Finish == llm.FinishLength && !protocol.HasRows(reply.JSON) {
		reply.JSON = nil // not even the first row is complete, so the reply does not say that there are none
	}
	return reply, p.weigh(q, reply)
}

// weigh counts a reply. If it does not contain an answer for its role, the error is
// [errModel]. If a reply is too long, the caller asks for less.
func (p *payer) weigh(q ask, r llm.Reply) error {
	switch r.Finish {
	case llm.FinishRefusal, llm.FinishFiltered:
		p.refused()
		return nil
	case llm.FinishOverflow:
		return nil
	case llm.FinishLength:
		if r.JSON == nil {
			return nil
		}
	}
	var usable bool
	if q.usable != nil {
		usable = q.usable(r.JSON)
	} else {
		usable = protocol.Answers(q.role, r.JSON)
	}
	p.judge(q.role, usable)
	if !usable {
		return errModel
	}
	return nil
}

// turn waits until the run and the engine may make one more call. The returned func
// ends the call. The error is [llm.ErrProvider] if the provider has become unavailable,
// or the reason why the run ends.
func (p *payer) turn(ctx context.Context) (end func(), err error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	give, err := p.pool.take(ctx, p, 4*cap(p.slots))
	if err != nil {
		<-p.slots
		return nil, err
	}
	end = func() { give(); <-p.slots }
	if p.out.Load() {
		end()
		return nil, llm.ErrProvider
	}
	return end, nil
}

// hold reserves the credits for a call. If they do not suffice, it reserves what such a
// call costs in more than half of all cases.
func (p *payer) hold(ctx context.Context, q ask, bound Credits) (*budget.Hold, error) {
	need := p.gauge.Need(q.role, bound)
	h, err := p.budget.Use(ctx, q.hold, need, q.landing)
	if less := p.gauge.Least(q.role, bound); errors.Is(err, budget.ErrBroke) && less < need {
		return p.budget.Use(ctx, q.hold, less, q.landing)
	}
	return h, err
}

// bound returns the most that a call can cost.
func (p *payer) bound(c llm.Call) Credits {
	return p.price.Bound(len(c.System)+len(c.User)+len(c.Schema), c.MaxOutput)
}

// guessed is the assumed number of tokens in a reply that was lost.
const guessed = 200

// guess returns the assumed cost of a call whose reply was lost.
func (p *payer) guess(c llm.Call) Credits {
	return p.price.Of(llm.Usage{Input: (len(c.System) + len(c.User) + len(c.Schema)) * 2 / 7, Output: min(guessed, c.MaxOutput)})
}

// complete makes one call.
func (p *payer) complete(ctx context.Context, id string, c llm.Call) (journal.AnswerRecord, Credits, error) {
	began := time.Now()
	reply, err := guarded(p.control, "Model", func() (llm.Reply, error) { return p.model.Complete(ctx, c) })
	if ctx.Err() != nil && err != nil {
		return journal.AnswerRecord{}, 0, context.Cause(ctx)
	}
	cost, overrun, bound := Credits(0), Credits(0), p.bound(c)
	if err == nil {
		for _, n := range []*int{&reply.Usage.Input, &reply.Usage.Cached, &reply.Usage.Output, &reply.Usage.Reasoning} {
			*n = min(max(*n, 0), maxUsage)
		}
		if u := reply.Usage; u.Input == 0 && u.Output == 0 {
			reply.Usage.Input = (len(c.System) + len(c.User) + len(c.Schema)) / 3
			reply.Usage.Output = len(reply.JSON) / 3 // estimated from the whole text
			reply.Usage.Estimated = true
		}
		if n := len(reply.JSON); n > maxReply {
			reply.JSON, err = nil, fmt.Errorf("the reply has %d bytes, and at most %d are read", n, maxReply)
		}
		reply.JSON, reply.Finish = heard(reply)
		cost = p.price.Of(reply.Usage)
		cost, overrun = min(cost, bound), max(cost-bound, 0) // what the provider used beyond its bound is not charged
		p.gauge.Note(c.Role, cost, bound)
		p.mu.Lock()
		p.spend.Overrun += overrun
		p.mu.Unlock()
	}
	if p.trace != nil {
		p.trace(p.task, CallTrace{
			ID: id, Role: c.Role, Model: c.Model, Level: reply.Level, Finish: reply.Finish, Usage: reply.Usage,
			Spent: cost, Overrun: overrun, Duration: time.Since(began), Err: err,
		})
	}
	switch {
	case errors.Is(err, llm.ErrProvider):
		detail := value.Clip(providerText(err), 300)
		p.outage(detail) // before the next call begins
		return journal.AnswerRecord{Fault: faultProvider, Detail: detail}, 0, nil
	case err != nil:
		return journal.AnswerRecord{Fault: faultModel, Detail: value.Clip(providerText(err), 300)}, cost, nil
	}
	return journal.AnswerRecord{Reply: &reply}, cost, nil
}

// lostShare limits the charge for lost calls to a twentieth of all other charges.
const lostShare = 20

// settle charges an estimate for model calls whose outcome was lost in a crash. Pages,
// searches and scans are requested again, and are charged then.
func (p *payer) settle(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(p.memo.open)) {
		p.mu.Lock()
		rest := (p.spend.Credits-p.spend.Lost)/lostShare - p.spend.Lost
		amount := max(min(p.memo.open[id], rest), 0)
		p.spend.count(id, amount, nil)
		p.mu.Unlock()
		p.budget.Charge(amount)
		if err := p.emit(ctx, journal.Event{Kind: journal.EventSpent, Call: id, Amount: amount, Note: "lost"}); err != nil {
			return err
		}
	}
	return nil
}

// readFree counts a page that was read without a model.
func (p *payer) readFree() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spend.Free++
}

// pool limits the model calls of all runs of an engine. Waiting runs are served in
// turn, each with its oldest call, so that a run with many calls does not delay the
// others. In the zero value no slot is in use.
type pool struct {
	mu    sync.Mutex // guards the fields below
	taken int
	turns []*turn // waiting runs; the first one is next
}

// turn contains the waiting calls of one run, at least one, the oldest first.
type turn struct {
	run   *payer
	calls []chan struct{} // each is closed when the call gets its slot
}

// take waits for one of n slots. The returned func frees it.
func (p *pool) take(ctx context.Context, r *payer, n int) (give func(), err error) {
	p.mu.Lock()
	if p.taken < n {
		p.taken++
		p.mu.Unlock()
		return p.give, nil
	}
	ready := make(chan struct{})
	i := slices.IndexFunc(p.turns, func(t *turn) bool { return t.run == r })
	if i < 0 {
		i = len(p.turns)
		p.turns = append(p.turns, &turn{run: r})
	}
	p.turns[i].calls = append(p.turns[i].calls, ready)
	p.mu.Unlock()
	select {
	case <-ready:
		return p.give, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, t := range p.turns {
		if k := slices.Index(t.calls, ready); k >= 0 {
			if t.calls = slices.Delete(t.calls, k, k+1); len(t.calls) == 0 {
				p.turns = slices.Delete(p.turns, i, i+1)
			}
			return nil, context.Cause(ctx)
		}
	}
	p.next() // it was served at the moment at which ctx ended
	return nil, context.Cause(ctx)
}

func (p *pool) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next()
}

// next passes a slot on. The caller holds mu.
func (p *pool) next() {
	if len(p.turns) == 0 {
		p.taken--
		return
	}
	t := p.turns[0]
	p.turns = p.turns[1:]
	close(t.calls[0])
	if t.calls = t.calls[1:]; len(t.calls) > 0 {
		p.turns = append(p.turns, t)
	}
}
