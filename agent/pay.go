// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// pay does what costs at most h, or nothing where the journal knows the
// outcome. The journal knows of the reservation before it is done, and of the
// outcome before pay returns. h is used up.
func (r *Run) pay(ctx context.Context, id string, h *budget.Hold, do func(ctx context.Context) (journal.AnswerRecord, Credits, error)) (journal.AnswerRecord, error) {
	defer r.budget.Drop(h)
	if a, ok := r.memo.answers[id]; ok {
		return a, nil
	}
	most := h.Amount
	if err := r.emit(ctx, journal.Event{Kind: journal.EventReserved, Call: id, Amount: most}); err != nil {
		return journal.AnswerRecord{}, err
	}
	a, cost, err := do(ctx)
	if err != nil {
		if !strings.HasPrefix(id, "model:") { // what a model began may be billed: that is lost
			_ = r.log.emit(ctx, journal.Event{Kind: journal.EventSpent, Call: id, Note: "not done"}) // the run ends anyway
		}
		return a, err
	}
	h.Amount = -1
	overrun := r.budget.Commit(most, cost)
	cost = min(max(cost, 0), most)
	r.mu.Lock()
	r.spend.count(id, cost, &a)
	r.spend.Overrun += overrun
	r.mu.Unlock()
	return a, r.emit(ctx, journal.Event{Kind: journal.EventSpent, Call: id, Amount: cost, Answer: &a})
}

// ask is one question to the model.
type ask struct {
	role    llm.Role
	user    string
	schema  []byte
	output  int
	landing bool
	hold    *budget.Hold
}

// errModel means that a call gave nothing usable; the run goes on.
var errModel = errors.New("the model gave no usable reply")

// because adds to text what an error that wraps errModel says beyond it.
func because(text string, err error) string {
	return text + strings.TrimPrefix(err.Error(), errModel.Error())
}

// Names of sentinels in answers.
const (
	faultProvider = "provider"
	faultModel    = "model"
)

// ask asks the model. The error is errBroke, errModel, wraps [llm.ErrProvider], or
// is the run's end.
func (r *Run) ask(ctx context.Context, q ask) (llm.Reply, error) {
	name := r.profile.Plan
	switch q.role {
	case llm.RoleExtract:
		name = cmp.Or(r.profile.Extract, r.profile.Plan)
	case llm.RoleVerify:
		name = cmp.Or(r.profile.Verify, r.profile.Extract, r.profile.Plan)
	}
	c := llm.Call{
		Role: q.role, Model: name, Effort: r.profile.Effort, System: protocol.System(q.role), User: q.user,
		Name: string(q.role), Schema: q.schema, MaxOutput: q.output,
	}
	id := journal.CallID("model:"+string(c.Role), c.Model, c.Effort, c.System, c.User, string(c.Schema), strconv.Itoa(c.MaxOutput))
	if _, ok := r.memo.answers[id]; !ok {
		if r.out.Load() {
			r.budget.Drop(q.hold)
			return llm.Reply{}, llm.ErrProvider
		}
		h, err := r.budget.Use(ctx, q.hold, r.price.Bound(len(c.System)+len(c.User)+len(c.Schema), c.MaxOutput), q.landing)
		if err != nil {
			return llm.Reply{}, err
		}
		q.hold = h
		// Before the journal knows of the call: one that only waits costs nothing.
		give, err := r.turn(ctx)
		if err != nil {
			r.budget.Drop(h)
			return llm.Reply{}, err
		}
		defer give()
	}
	a, err := r.pay(ctx, id, q.hold, func(ctx context.Context) (journal.AnswerRecord, Credits, error) { return r.complete(ctx, id, c) })
	if err != nil {
		return llm.Reply{}, err
	}
	switch {
	case a.Fault == faultProvider:
		r.outage(a.Detail)
		return llm.Reply{}, llm.ErrProvider
	case a.Fault != "" && a.Detail != "":
		return llm.Reply{}, fmt.Errorf("%w: %s", errModel, a.Detail)
	case a.Fault != "" || a.Reply == nil:
		return llm.Reply{}, errModel
	}
	r.mu.Lock()
	tokens := r.spend.Usage.Input + r.spend.Usage.Output
	r.mu.Unlock()
	if r.limits.Tokens != Unlimited && tokens >= r.limits.Tokens {
		r.halt(finding.ReasonTokens)
	}
	reply := *a.Reply
	reply.Finish = cmp.Or(reply.Finish, llm.FinishOK)
	return reply, nil
}

// turn waits until one more call may be under way, of this run and of the engine;
// the func ends it. The error is [llm.ErrProvider] where the provider went away
// meanwhile, or the run's end.
func (r *Run) turn(ctx context.Context) (end func(), err error) {
	select {
	case r.calls <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	give, err := r.e.calls.take(ctx, r, 4*cap(r.calls))
	if err != nil {
		<-r.calls
		return nil, err
	}
	end = func() { give(); <-r.calls }
	if r.out.Load() {
		end()
		return nil, llm.ErrProvider
	}
	return end, nil
}

// complete does one call.
func (r *Run) complete(ctx context.Context, id string, c llm.Call) (journal.AnswerRecord, Credits, error) {
	began := time.Now()
	reply, err := guarded(r.control, "Model", func() (llm.Reply, error) { return r.e.Model.Complete(ctx, c) })
	if ctx.Err() != nil && err != nil {
		return journal.AnswerRecord{}, 0, context.Cause(ctx)
	}
	cost := Credits(0)
	if err == nil {
		if u := reply.Usage; u.Input == 0 && u.Output == 0 {
			reply.Usage.Input = (len(c.System) + len(c.User) + len(c.Schema)) / 3
			reply.Usage.Output = len(reply.JSON) / 3 // of all that it wrote
			reply.Usage.Estimated = true
		}
		reply.JSON, reply.Finish = heard(reply)
		cost = r.price.Of(reply.Usage)
	}
	if t := r.e.Trace; t != nil && t.Called != nil {
		bound := r.price.Bound(len(c.System)+len(c.User)+len(c.Schema), c.MaxOutput)
		t.Called(r.task.ID, CallTrace{
			ID: id, Role: c.Role, Model: c.Model, Level: reply.Level, Finish: reply.Finish, Usage: reply.Usage,
			Spent: min(cost, bound), Overrun: max(cost-bound, 0), Duration: time.Since(began), Err: err,
		})
	}
	switch {
	case errors.Is(err, llm.ErrProvider):
		detail := value.Clip(providerText(err), 300)
		r.outage(detail) // before the next call has its turn
		return journal.AnswerRecord{Fault: faultProvider, Detail: detail}, 0, nil
	case err != nil:
		return journal.AnswerRecord{Fault: faultModel, Detail: value.Clip(providerText(err), 300)}, 0, nil
	}
	return journal.AnswerRecord{Reply: &reply}, cost, nil
}

// heard returns the JSON object of a reply and how it ended. An object that ends
// before its end counts as one that was cut.
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

// providerText returns what a provider's error says, in one line.
func providerText(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}
