// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/outcome"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/uuid"
	"example.com/curlew/job"
)

// tracer converts the events of a run to trace events, which contain no prompts
// and no page content.
type tracer struct {
	run     string
	began   time.Time
	actions map[int][]journal.Action // by step
	rows    map[string]int           // rows seen, by table
	shown   time.Time                // of the last artifact
	usage   wire.AgentUsage
}

// count adds what an event has used.
func count(u *wire.AgentUsage, e *journal.Event) {
	if e.Kind != journal.EventSpent || e.Note != "" { // lost or not done
		return
	}
	if e.Usage != nil {
		u.InputTokens += e.Usage.Input
		u.OutputTokens += e.Usage.Output
	}
	kind, rest, _ := strings.Cut(e.Call, ":")
	role, _, _ := strings.Cut(rest, ":")
	switch {
	case kind == "page" && e.Amount > 0:
		u.Pages++
	case kind != "model":
	case role == string(llm.RolePlan):
		u.Calls.Plan++
	case role == string(llm.RoleDecide):
		u.Calls.Decide++
	case role == string(llm.RoleExtract):
		u.Calls.Extract++
	case role == string(llm.RoleVerify):
		u.Calls.Verify++
	case role == string(llm.RoleSynthesize):
		u.Calls.Synthesize++
	}
}

// usedBy returns what a job has used so far.
func usedBy(ctx context.Context, j *curlew.Job) (*wire.AgentUsage, error) {
	used := new(wire.AgentUsage)
	for from := 0; ; {
		events, n, err := j.Agent().Events(ctx, from)
		if err != nil || n == 0 {
			return used, err
		}
		for i := range events {
			count(used, &events[i])
		}
		from += n
	}
}

// planWords says in words what a run looks for.
func planWords(p *journal.PlannedRecord) string {
	var all []string
	for _, t := range p.Tables {
		text := "Each row is one thing that the task asks for"
		if t.What != "" {
			text = "Each row is about: " + t.What
		}
		if t.ID == "T0" { // the record of the answer
			if text = "The answer is one record"; t.What != "" && t.What != "the answer" {
				text += ": " + t.What
			}
		}
		all = append(all, text+".")
		if len(t.Keys) > 0 && t.ID != "T0" {
			all = append(all, "Rows with the same "+strings.Join(t.Keys, " and ")+" are one row.")
		}
		if t.Expect > 0 {
			all = append(all, "About "+strconv.Itoa(t.Expect)+" rows are expected.")
		}
		if len(t.Conditions) > 0 {
			all = append(all, "Rows are kept if "+conditionWords(t.Conditions)+".")
		}
		if names := fieldNames(t.Fields); len(names) > 0 {
			all = append(all, "Pages are read for "+strings.Join(names, ", ")+".")
		}
	}
	if text := shapeWords[p.Shape]; text != "" {
		all = append(all, text)
	}
	for _, h := range p.Hops {
		all = append(all, "Further question about "+h.Field+": "+h.Question)
	}
	if len(p.Queries) > 0 {
		all = append(all, "Searches: "+strings.Join(p.Queries, "; ")+".")
	}
	return strings.Join(all, " ")
}

// fieldNames returns the names of fields.
func fieldNames(fields []journal.PlannedField) []string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// shapeWords says what becomes of the rows, by the shape of the answer.
var shapeWords = map[string]string{
	"best": "The answer is the first of these rows.", "count": "The answer is the number of these rows.", "comparison": "The answer compares these rows.",
	"text": "The answer is a text about these rows, with its sources.",
}

// operatorWords are the words for operators of conditions. %s is the value.
var operatorWords = map[string]string{
	"=": "is %s", "==": "is %s", "!=": "is not %s", "<": "is less than %s", "<=": "is at most %s", ">": "is more than %s", ">=": "is at least %s",
	"in": "is one of %s", "contains": "contains %s",
}

// conditionWords says in words what rows are to meet.
func conditionWords(all []journal.Condition) string {
	var b strings.Builder
	for i, c := range all {
		switch {
		case i > 0 && c.Or:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(" and ")
		}
		value := strings.TrimSpace(strings.ReplaceAll(c.Value, " | ", ", ") + " " + c.Unit)
		switch words, ok := operatorWords[c.Op]; {
		case c.Op == "top" || c.Op == "bottom":
			end := map[string]string{"top": "highest or latest", "bottom": "lowest or earliest"}[c.Op]
			fmt.Fprintf(&b, "they are the %s %s by %s", cmp.Or(value, "1"), end, c.Field)
		case ok:
			fmt.Fprintf(&b, "%s "+words, c.Field, value)
		default:
			b.WriteString(strings.TrimSpace(c.Field + " " + c.Op + " " + value))
		}
		if c.Words != "" {
			b.WriteString(" (" + strconv.Quote(c.Words) + ")")
		}
	}
	return b.String()
}

// trace returns the trace events for e. Most events have none.
func (t *tracer) trace(e *journal.Event) []wire.TraceEvent {
	var out []wire.TraceEvent
	add := func(kind string, fill func(*wire.TraceEvent)) {
		w := wire.TraceEvent{
			SchemaVersion: 1, EventID: uuid.Derive(t.run, kind, e.Seq<<8+int64(len(out))), RunID: t.run, OccurredAt: jsonenc.Time(e.At),
			ProducerSequence: e.Seq, Agent: wire.TraceAgent{ID: t.run, Role: "orchestrator", Name: "agent"}, Type: kind,
		}
		fill(&w)
		out = append(out, w)
	}
	count(&t.usage, e)
	switch e.Kind {
	case journal.EventPlanned:
		if text := planWords(e.Planned); text != "" {
			add("reasoning.summary", func(w *wire.TraceEvent) { w.Text = text })
		}
	case journal.EventAccepted:
		t.began = e.At
		add("run.started", func(*wire.TraceEvent) {})
		add("agent.started", func(*wire.TraceEvent) {})
	case journal.EventPhase:
		add("progress.reported", func(w *wire.TraceEvent) { w.Phase, w.Message = string(e.Phase), phaseTexts[e.Phase] })
	case journal.EventDecided:
		t.decided(e, add)
	case journal.EventActed:
		add("tool_call.finished", func(w *wire.TraceEvent) {
			w.Message = actedWords(e.Acted)
			w.ToolCallID, w.ToolName = toolCall(e.Acted.Step, e.Acted.Index), e.Acted.Do
			w.Result, _ = jsonenc.Encode(map[string]any{
				"verdict": e.Acted.Verdict, "pages": e.Acted.Pages, "rows": e.Acted.Rows, "handles": e.Acted.Handles,
			}) // strings and numbers always encode
		})
	case journal.EventExtracted:
		t.extracted(e, add)
	case journal.EventIssue:
		add("error.occurred", func(w *wire.TraceEvent) { w.Error = string(e.Issue.Kind) + ": " + e.Issue.Detail })
	case journal.EventFinished:
		if e.Stop == finding.ReasonCancelled {
			add("run.cancel_requested", func(*wire.TraceEvent) {})
		}
		add("agent.finished", func(w *wire.TraceEvent) {
			w.Outcome, w.Error, w.DurationMs = outcome.StopReason(e.Stop), e.Note, new(max(e.At.Sub(t.began).Milliseconds(), 0))
		})
		add("run.finished", func(w *wire.TraceEvent) {
			w.Outcome, w.Error, w.Usage = outcome.StopReason(e.Stop), e.Note, new(t.usage)
		})
	}
	return out
}

var phaseTexts = map[finding.Phase]string{
	finding.PhasePlan: "Choosing where to look", finding.PhaseWork: "Reading pages", finding.PhaseFinish: "Putting the answer together",
}

func toolCall(step, index int) string { return fmt.Sprintf("%d.%d", step, index) }

func (t *tracer) decided(e *journal.Event, add func(string, func(*wire.TraceEvent))) {
	if t.actions == nil {
		t.actions = map[int][]journal.Action{}
	}
	t.actions[e.Decided.Step] = e.Decided.Actions
	if e.Decided.Note != "" {
		add("reasoning.summary", func(w *wire.TraceEvent) { w.Text = e.Decided.Note })
	}
	for i, a := range e.Decided.Actions {
		add("tool_call.started", func(w *wire.TraceEvent) {
			w.Message = actionWords(&a, e.Decided.Names)
			w.ToolCallID, w.ToolName = toolCall(e.Decided.Step, i), a.Do
			w.Parameters, _ = jsonenc.Encode(a) // strings and numbers always encode
		})
	}
}

// actionWords says in words what an action does. names are those of its handles.
func actionWords(a *journal.Action, names map[string]string) string {
	var all []string
	for _, h := range a.H[:min(len(a.H), journal.MaxNamed)] {
		all = append(all, cmp.Or(names[h], "something unknown"))
	}
	about := strings.Join(all, ", ")
	if n := len(a.H) - len(all); n > 0 {
		about += " and " + strconv.Itoa(n) + " more"
	}
	switch a.Do {
	case journal.DoSearch:
		return "Search for " + strconv.Quote(a.Q)
	case journal.DoMap:
		return "List the URLs of the site of " + about
	case journal.DoRead:
		return "Read " + about
	case journal.DoCollect:
		return "Read the list of " + about
	case journal.DoFind:
		return "Look for " + strconv.Quote(a.Q) + " in the pages that were read"
	case journal.DoFinish:
		return "End the search"
	}
	return "Something unknown"
}

// notDone says why an action had no effect.
var notDone = map[journal.Verdict]string{
	journal.VerdictUnknown:      "the action, or what it is about, is not known",
	journal.VerdictSeen:         "it was done before",
	journal.VerdictUnaffordable: "the credits that are left do not suffice for it",
	journal.VerdictRefused:      "the answer is not complete, and there are links that were not tried",
	journal.VerdictOff:          "this task, or this server, does not allow it",
	journal.VerdictFailed:       "nothing could be read",
}

// actedWords says in words how an action ended.
func actedWords(a *journal.ActedRecord) string {
	if why, ok := notDone[a.Verdict]; ok {
		return "Without effect: " + why
	}
	return fmt.Sprintf("Done: pages %d, rows %d, new links %d", a.Pages, a.Rows, a.Handles)
}

// extracted reports a table that has grown, at most once per second.
func (t *tracer) extracted(e *journal.Event, add func(string, func(*wire.TraceEvent))) {
	if t.rows == nil {
		t.rows = map[string]int{}
	}
	t.rows[e.Extracted.Table] += e.Extracted.Count
	if e.Extracted.Count == 0 || e.At.Sub(t.shown) < time.Second {
		return
	}
	t.shown = e.At
	add("artifact.updated", func(w *wire.TraceEvent) {
		sum := 0
		for _, n := range t.rows {
			sum += n
		}
		w.Artifact = &wire.TraceArtifact{Kind: "json", SnapshotID: strconv.FormatInt(e.Seq, 10), ItemCount: sum}
	})
}

// agentTrace serves GET /v2/agent/{id}/trace.
func agentTrace(h *Handler, c *call) error {
	j, err := ownAgent(h, c)
	if err != nil {
		return err
	}
	now, err := j.Status(c.ctx())
	if err != nil {
		return err
	}
	answer := wire.AgentTrace{Success: true, ID: j.ID(), Events: []wire.TraceEvent{}, CreditsUsed: now.Credits}
	t := tracer{run: j.ID()}
	for from := 0; from < now.Events; {
		events, n, err := j.Agent().Events(c.ctx(), from)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		for i := range events {
			answer.Events = append(answer.Events, t.trace(&events[i])...)
		}
		from += n
	}
	return c.answer(http.StatusOK, answer)
}

// agentSnapshot serves GET /v2/agent/{id}/snapshots/{sid}: the merged data at
// the time of an event.
func agentSnapshot(h *Handler, c *call) error {
	j, err := ownAgent(h, c)
	if err != nil {
		return err
	}
	seq, err := strconv.ParseInt(c.last(), 10, 64)
	if err != nil || seq < 1 {
		return errAgentLost
	}
	data, found, err := j.Agent().Snapshot(c.ctx(), seq)
	if err != nil {
		return err
	}
	if !found {
		return errAgentLost
	}
	return c.answer(http.StatusOK, wire.AgentSnapshot{Success: true, ID: j.ID(), SnapshotID: strconv.FormatInt(seq, 10), Snapshot: data})
}

// watchAgent serves GET /v2/agent/{id}/events: the trace as server-sent events
// until the job ends. It starts after the event in Last-Event-ID. If the job has ended
// with that event, the answer is 204.
func watchAgent(h *Handler, c *call) error {
	j, err := ownAgent(h, c)
	if err != nil {
		return err
	}
	seen := int64(0)
	if last := c.r.Header.Get("Last-Event-ID"); last != "" {
		if seen, err = strconv.ParseInt(last, 10, 64); err != nil || seen < 0 {
			return refuse(curlew.ErrRequest, "Invalid Last-Event-ID")
		}
	}
	header := c.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	if c.r.Method == http.MethodHead {
		c.w.WriteHeader(http.StatusOK)
		return nil // a HEAD request has no body, so do not wait for the job
	}
	if err = tellAgent(h, c, j, seen); c.w.wrote {
		return nil // the client only sees that the answer ends, and reconnects
	}
	return err
}

// tellAgent writes the events after seen until the job ends. It disconnects a
// client that does not read, like a WebSocket.
func tellAgent(h *Handler, c *call, j *curlew.Job, seen int64) error {
	t := tracer{run: j.ID()}
	control := http.NewResponseController(c.w)
	defer func() { _ = control.SetWriteDeadline(time.Time{}) }() // the next answer on this connection has its own deadline
	told := time.Now()
	for from := 0; ; {
		changed, err := j.Changed(c.ctx())
		if err != nil {
			return err
		}
		if j, err = h.service.Job(c.ctx(), c.team.ID, j.ID()); err != nil {
			return err
		}
		n, err := tellNew(c, j, &t, &from, seen)
		if err != nil {
			return err
		}
		if n > 0 {
			told = time.Now()
		}
		if seen > 0 && j.State().Final() && !c.w.wrote {
			c.w.WriteHeader(http.StatusNoContent) // after any other answer an EventSource would connect again and again (WHATWG HTML 9.2.3)
			return nil
		}
		_ = control.SetWriteDeadline(time.Now().Add(frameTime))
		// A comment keeps proxies from closing an idle connection (WHATWG HTML
		// 9.2.7) and detects that the client has gone.
		if time.Since(told) >= pingEvery {
			told = time.Now()
			if _, err := io.WriteString(c.w, ":\n\n"); err != nil {
				return err
			}
		}
		err = control.Flush()
		if err != nil && !errors.Is(err, http.ErrNotSupported) || j.State().Final() {
			return err
		}
		wait := pingEvery
		if changed == nil {
			wait = time.Second // no notification of new events
		}
		select {
		case <-changed:
		case <-time.After(wait):
		case <-h.service.Closing(): // the job continues in the next process
			return job.ErrShutdown
		case <-c.ctx().Done():
			return context.Cause(c.ctx())
		}
	}
}

// tellNew writes the events of a job from index from on, advances from, and
// returns the number of bytes written.
func tellNew(c *call, j *curlew.Job, t *tracer, from *int, seen int64) (wrote int64, err error) {
	for {
		events, n, err := j.Agent().Events(c.ctx(), *from)
		if err != nil || n == 0 {
			return wrote, err
		}
		*from += n
		var b bytes.Buffer
		if err := t.write(&b, events, seen); err != nil {
			return wrote, err
		}
		_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(frameTime)) // a deadline for each part, as for a WebSocket frame
		more, err := b.WriteTo(c.w)
		if wrote += more; err != nil {
			return wrote, err
		}
	}
}

// write writes the trace events after seen as server-sent events.
func (t *tracer) write(to io.Writer, events []journal.Event, seen int64) error {
	for i := range events {
		told := t.trace(&events[i])
		for k, w := range told {
			if w.ProducerSequence <= seen {
				continue
			}
			id := "" // set only on the last one, so that an interrupted client gets all of them again
			if k == len(told)-1 {
				id = fmt.Sprintf("id: %d\n", w.ProducerSequence)
			}
			data, err := jsonenc.Encode(w)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(to, "%sevent: %s\ndata: %s\n\n", id, w.Type, data); err != nil {
				return err
			}
		}
	}
	return nil
}
