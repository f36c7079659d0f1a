// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/grid"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/linkrank"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/llm"
	"example.com/curlew/internal/schema"
)

// Limits of extraction.
const (
	glanceRows = 8 // rows of an index that show which fields it states
	maxMore    = 5
	leastChunk = 2000
)

// extraction contains what a page stated for a table.
type extraction struct {
	rows  []finding.Row
	total int
	kind  string
	lost  []grounding.LostCell
	thin  bool // an index without a required field, which the detail pages have

	parts  int // parts of the page
	unread int // parts of which something was not read, because there was no usable reply
	over   int // parts with more rows than the replies could hold
	odd    int // rows of replies that could not be read
}

// reader reads pages for tables. Unless it is loose, it returns only values that lines
// of the page state.
type reader struct {
	*control
	payer   *payer
	library *library
	tables  *tables
	learner *learner
	prompt  string        // of the task
	earlier []string      // questions that the task continues
	seed    uint64        // for nonces
	loose   bool          // keep values that no line supports
	chunk   atomic.Int64  // bytes of a page in one prompt
	terms   chan struct{} // held while the model is asked about texts
	dropped dropped
}

// newReader returns the reader of a task. A reader that only reads texts has no
// library, tables and learner.
func newReader(p *payer, b *library, s *tables, l *learner, t *Task, loose bool) *reader {
	r := &reader{control: p.control, payer: p, library: b, tables: s, learner: l, prompt: t.Prompt, seed: t.Seed, loose: loose, terms: make(chan struct{}, 1)}
	r.chunk.Store(lines.ChunkBytes)
	return r
}

// extract asks the model for the rows of t in the lines of one page. The error is
// errBroke, wraps [llm.ErrProvider], or is the reason why the run ends. Also after an
// error, the rows that were read are returned. h may be nil.
func (r *reader) extract(ctx context.Context, p *grounding.Page, g *grounding.Ground, t *outline.Table, h *budget.Hold) (out extraction, err error) {
	defer r.budget.Drop(h)
	defer func() { g.Values, g.Days = nil, nil }() // they take memory, and no page needs them for long
	size := int(r.chunk.Load())
	parts := lines.Chunks(g.Lines, size)
	defer func() { out.parts = len(parts) }()
	for i := 0; i < len(parts); i++ {
		unread := func(why string) {
			out.unread++
			what := "the page"
			if len(parts) > 1 {
				what = fmt.Sprintf("part %d of %d of the page", i+1, len(parts))
			}
			r.note(ctx, finding.Issue{Kind: finding.IssueProvider, Detail: "the model could not read " + what + why, Source: p.Rec.ID})
		}
		err := r.extractChunk(ctx, p, g, t, parts[i], &out, h)
		switch {
		case errors.Is(err, errOverflow) && (size > leastChunk || weight(g.Lines, parts[i]) > 2*size):
			if weight(g.Lines, parts[i]) <= size+size/2 { // otherwise it was cut before size shrank
				size = max(size/2, leastChunk)
				shrink(r, size)
			}
			if smaller := split(g.Lines, parts[i], size); len(smaller) > 1 {
				parts = slices.Concat(parts[:i], smaller, parts[i+1:])
				i--
			} else {
				r.payer.refused()
				unread(", because it is too long")
			}
		case errors.Is(err, errLong):
			if smaller := split(g.Lines, parts[i], weight(g.Lines, parts[i])/2+1); len(smaller) > 1 {
				parts = slices.Concat(parts[:i], smaller, parts[i+1:])
				i--
			} else {
				r.payer.refused()
				unread(", because what a line states is too long for a reply")
			}
		case errors.Is(err, errDeclined):
			unread(": it refused to")
		case errors.Is(err, errModel):
			unread(because("", err))
		case errors.Is(err, errOverflow):
			r.payer.refused()
			unread(", because it is too long")
		case err != nil:
			return out, err
		}
		if out.thin {
			break
		}
		if len(out.rows) >= grounding.MaxPageRows {
			out.rows = out.rows[:grounding.MaxPageRows]
			out.over++
			r.note(ctx, finding.Issue{Kind: finding.IssueLimit, Detail: "a page has more than 500 rows", Source: p.Rec.ID})
			break
		}
	}
	return out, nil
}

// weight returns the size of a chunk in bytes.
func weight(lines []string, c lines.Chunk) int {
	n := 0
	for _, at := range c {
		n += len(lines[at-1]) + 6
	}
	return n
}

// split cuts a chunk into smaller ones.
func split(body []string, c lines.Chunk, size int) []lines.Chunk {
	var out []lines.Chunk
	for _, part := range lines.Chunks(pick(body, c), size) {
		own := make(lines.Chunk, len(part))
		for k, n := range part {
			own[k] = c[n-1]
		}
		out = append(out, own)
	}
	return out
}

func pick(lines []string, c lines.Chunk) []string {
	out := make([]string, len(c))
	for i, n := range c {
		out[i] = lines[n-1]
	}
	return out
}

// shrink records that the model accepts no longer chunks.
func shrink(r *reader, size int) {
	for {
		have := r.chunk.Load()
		if have <= int64(size) || r.chunk.CompareAndSwap(have, int64(size)) {
			return
		}
	}
}

// Reasons why a chunk must be read in parts.
var (
	errOverflow = errors.New("prompt is longer than the context of the model")
	errLong     = errors.New("record does not fit into a reply")
	errDeclined = errors.New("model refused to read the page")
)

// extractChunk asks for the rows of one chunk, and again for those that did not fit
// into the reply. If a full reply cannot be paid for, it asks for a short one.
func (r *reader) extractChunk(ctx context.Context, p *grounding.Page, g *grounding.Ground, t *outline.Table, c lines.Chunk, out *extraction, h *budget.Hold) error {
	defer r.budget.Drop(h)
	output := protocol.MaxExtractOutput
	after, most := 0, t.Fitting(output)
	if r.library != nil { // a reader of texts has none
		after = r.library.readUntil(p, t)
	}
	glance := p.Glance && p.IsIndex(t, glanceRows) && after == 0
	if glance {
		most = min(most, glanceRows)
	}
	for asked := 0; asked <= maxMore*outline.RowCap/most; { // if replies are smaller, there may be more of them
		var answer *protocol.ExtractReply // nil unless the reply is about the fields of t
		reply, err := r.payer.ask(ctx, ask{
			role: llm.RoleExtract, user: r.extractPrompt(p, g, t, c, after, most), schema: t.Reply(),
			output: output, landing: true, hold: h, usable: answerAbout(t, &answer),
		})
		if errors.Is(err, budget.ErrBroke) && output > protocol.LeastExtractOutput { // keeping h prevents other waiters from taking the credits
			output = shorter(output)
			most = min(most, t.Fitting(output))
			continue
		}
		if err != nil {
			return err
		}
		next, again, err := afterReply(reply, t, most)
		if most = next; again {
			continue
		}
		if err != nil {
			return err
		}
		if answer == nil {
			r.payer.judge(llm.RoleExtract, false) // the reply is empty
			return errModel
		}
		r.skip(ctx, p, answer.Unread, out)
		from, lost := len(out.rows), len(out.lost)
		last := takeKnowing(ctx, r, p, g, t, *answer, out)
		if glance {
			if out.thin = isThin(r.tables, t, out.rows[from:]); out.thin {
				r.library.leaveOpen(p, t, last)
				return nil
			}
			glance, most = false, t.Fitting(output)
		}
		r.askAgain(p, t, *answer, out, from)
		err = r.repair(ctx, p, g, t, c, out, from, lost)
		out.rows = slices.DeleteFunc(out.rows, func(row finding.Row) bool { return len(row) == 0 })
		if err != nil {
			return err
		}
		if !answer.More && reply.Finish != llm.FinishLength || t.Record() {
			return nil
		}
		if last <= after || len(answer.Rows) == 0 {
			break // the model repeats itself
		}
		after = last
		asked++
	}
	out.over++
	r.note(ctx, finding.Issue{Kind: finding.IssueLimit, Detail: "the model announces more rows of a page than its replies hold", Source: p.Rec.ID})
	return nil
}

// shorter returns the next smaller size of a reply.
func shorter(output int) int {
	if output > protocol.ShortExtractOutput {
		return protocol.ShortExtractOutput
	}
	return protocol.LeastExtractOutput
}

// isThin reports whether rows lack a column that only detail pages may have.
func isThin(s *tables, t *outline.Table, rows []finding.Row) bool {
	return lacksColumn(t, rows) || lacksDecisive(rows, s.decisive(t))
}

// takeKnowing takes the rows of a reply, once more if the model has said which numbers some of its texts state.
func takeKnowing(ctx context.Context, r *reader, p *grounding.Page, g *grounding.Ground, t *outline.Table, answer protocol.ExtractReply, out *extraction) int {
	from, lost := len(out.rows), len(out.lost)
	last := r.take(p, g, t, answer, out)
	if interpret(ctx, r, t, out.lost[lost:]) {
		out.rows, out.lost = out.rows[:from], out.lost[:lost]
		last = r.take(p, g, t, answer, out)
	}
	return last
}

// askAgain adds an empty row, so that another reply is asked for, if no value of the reply
// about the thing of a further question was accepted. The rows of the reply begin with
// number from.
func (r *reader) askAgain(p *grounding.Page, t *outline.Table, answer protocol.ExtractReply, out *extraction, from int) {
	if t.Record() && len(out.rows) == from && len(answer.Rows) > 0 && r.tables.awaits(p, t) {
		out.rows = append(out.rows, finding.Row{})
	}
}

// afterReply returns how many rows the next reply may have, and whether to ask again
// because this one has none.
func afterReply(reply llm.Reply, t *outline.Table, most int) (next int, again bool, err error) {
	switch reply.Finish {
	case llm.FinishOverflow:
		return most, false, errOverflow
	case llm.FinishRefusal, llm.FinishFiltered:
		return most, false, errDeclined
	case llm.FinishLength:
		if reply.JSON == nil && t.Record() { // asking for fewer rows would not make the reply shorter
			return most, false, errLong
		}
		return max(most/2, 1), reply.JSON == nil && most > 1, nil // the complete rows of a cut reply count
	}
	return most, false, nil
}

// answerAbout returns a func that reads a reply into answer, and reports whether it is about
// the fields of t. If it is not, answer is nil.
func answerAbout(t *outline.Table, answer **protocol.ExtractReply) func(reply json.RawMessage) bool {
	fields := make(map[string]bool, len(t.Fields))
	for _, f := range t.Fields {
		switch f.Node.Type {
		case schema.String, schema.Number, schema.Integer, schema.Boolean:
			fields[f.Name] = len(f.Node.Choices) > 0
		default:
			fields[f.Name] = true
		}
	}
	return func(reply json.RawMessage) bool {
		*answer = protocol.ReadExtract(reply, fields)
		return *answer != nil
	}
}

// lacksColumn reports whether there are rows, and one required field is missing in all
// of them.
func lacksColumn(t *outline.Table, rows []finding.Row) bool {
	return len(rows) >= linkrank.LeastGroup && slices.ContainsFunc(t.Fields, func(f *outline.Field) bool {
		return f.Required && !slices.ContainsFunc(rows, func(row finding.Row) bool { _, ok := row[f.Name]; return ok })
	})
}

// extractPrompt returns the prompt for one chunk.
func (r *reader) extractPrompt(p *grounding.Page, g *grounding.Ground, t *outline.Table, c lines.Chunk, after, most int) string {
	var b protocol.Prompt
	b.Task(r.prompt, r.earlier)
	full := t.Prompt()
	full.Fields, full.Expect = nil, 0
	b.Value("table", full)
	fields := t.Prompt().Fields
	for i := range fields {
		fields[i].Required = false // the model that reads a page does not need to know it
	}
	protocol.List(&b, "fields", fields[:min(len(fields), outline.MaxCallFields)])
	b.Value("source", p.Rec.ID)
	b.Value("title", value.ClipRunes(p.Rec.Title, lines.MaxAnchor))
	b.Value("rows", most)
	if after > 0 {
		b.Value("after", after)
	}
	mark := protocol.Nonce(g.Lines, r.seed, p.Rec.Digest, t.ID)
	b.Fenced("page", mark, func(b *strings.Builder) { lines.Numbered(b, g.Lines, c) })
	return b.String()
}

// take checks a reply against the lines, and adds its rows to out. It returns the line
// after which further rows begin.
func (r *reader) take(p *grounding.Page, g *grounding.Ground, t *outline.Table, answer protocol.ExtractReply, out *extraction) int {
	styles := g.Styles(t, answer)
	cites := g.Citer(t, answer, styles, r.prompt)
	var rows []finding.Row
	was := len(out.lost)
	for i, said := range answer.Rows[:min(len(answer.Rows), grounding.MaxPageRows)] {
		row := finding.Row{}
		for _, f := range t.Fields {
			raw := said.V[f.Name]
			got := cites.Check(i, f, raw)
			if got.Value == nil {
				if got.Issue == finding.IssueUnsupported && r.loose {
					a, b := g.Span(said.Ln[f.Name], grounding.MaxSpan)
					row[f.Name] = finding.Cell{Value: raw, Grade: finding.GradeUnsupported, Source: p.Rec.ID, Lines: [2]int{a, b}, Full: g == p.Full}
				} else {
					out.lose(row, f.Name, raw, got, g.States(raw, said.Ln[f.Name]))
				}
				continue
			}
			out.shorten(row, f.Name, got)
			row[f.Name] = finding.Cell{Value: got.Value, Grade: got.Grade, Source: p.Rec.ID, Lines: got.Lines, Full: g == p.Full}
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
	}
	layout := grid.NewLayout(t, g, rows)
	layout.Share()
	out.lost = append(out.lost[:was], layout.Settle(out.lost[was:], styles)...)
	if answer.Kind == "detail" && len(rows) == 1 {
		p.Own(t, rows[0])
	}
	out.rows = append(out.rows, rows...)
	last := lastLine(t, rows)
	if n := answer.TotalLn; answer.Total > 0 && n >= 1 && n <= len(g.Lines) {
		for _, m := range value.Numerals(g.Line(n)) {
			if v, _ := m.Value(value.MarksOf(g.Lang), true); int(v) == answer.Total {
				out.total = max(out.total, answer.Total)
			}
		}
	}
	out.kind = cmp.Or(out.kind, answer.Kind)
	return last
}

// skip records n rows of a reply that could not be read.
func (r *reader) skip(ctx context.Context, p *grounding.Page, n int, out *extraction) {
	if n > 0 {
		out.odd += n
		r.note(ctx, finding.Issue{Kind: finding.IssueProvider, Detail: strconv.Itoa(n) + " rows of a reply have an unknown form, or none of the fields", Source: p.Rec.ID})
	}
}

// lose records a value that was not accepted. stated says that the cited lines contain its
// text.
func (e *extraction) lose(row finding.Row, field string, raw any, got grounding.Found, stated bool) {
	if got.Issue == "" {
		return
	}
	e.lost = append(e.lost, grounding.LostCell{
		Row: row, Field: field, Value: value.Clip(value.JSONText(raw), 100), Issue: got.Issue, Raw: raw,
		Stated: stated && got.Issue == finding.IssueInvalid,
	})
}

// flags returns the booleans that the model gave and that were not accepted, for each row.
func (e *extraction) flags(t *outline.Table) []map[string]bool {
	out := make([]map[string]bool, len(e.rows))
	for _, l := range e.lost {
		f := t.Field(l.Field)
		if f == nil || f.Node.Type != schema.Boolean || l.Row == nil {
			continue
		}
		v, ok := grounding.Truth(l.Raw)
		i := slices.IndexFunc(e.rows, func(row finding.Row) bool { return reflect.ValueOf(row).Pointer() == reflect.ValueOf(l.Row).Pointer() })
		if !ok || i < 0 {
			continue
		}
		if out[i] == nil {
			out[i] = map[string]bool{}
		}
		out[i][l.Field] = v
	}
	return out
}

// shorten records the items, or the sentences of a text, that a cell has lost.
func (e *extraction) shorten(row finding.Row, field string, got grounding.Found) {
	if got.Lost == 0 {
		return
	}
	parts := "items"
	if _, ok := got.Value.(string); ok {
		parts = "sentences"
	}
	e.lost = append(e.lost, grounding.LostCell{
		Row: row, Field: field, Value: "(" + strconv.Itoa(got.Lost) + " of its " + parts + ")", Issue: finding.IssueUnsupported, Items: got.Lost,
	})
}

// lastLine returns the last line that contains a row key. If no row has a key, it
// returns the last line of any cell. A wrong line after the last row would hide
// the rows that follow.
func lastLine(t *outline.Table, rows []finding.Row) int {
	last, lastKey := 0, 0
	for _, row := range rows {
		for name, c := range row {
			last = max(last, c.Lines[1])
			if slices.Contains(t.Keys, name) {
				lastKey = max(lastKey, c.Lines[1])
			}
		}
	}
	return cmp.Or(lastKey, last)
}

// issuesOf returns issues about values that were not accepted, at most one for each
// page and kind.
func issuesOf(lost []grounding.LostCell, source string) []finding.Issue {
	var all []finding.Issue
	for _, kind := range []finding.IssueKind{finding.IssueDate, finding.IssueUnsupported, finding.IssueInvalid} {
		var said []string
		count := 0
		for _, l := range lost {
			if l.Issue == kind {
				count++
				if len(said) < 5 {
					said = append(said, l.Field+" "+l.Value)
				}
			}
		}
		if count > 0 {
			detail := strings.Join(said, ", ")
			if count > len(said) {
				detail += " and " + strconv.Itoa(count-len(said)) + " more"
			}
			all = append(all, finding.Issue{Kind: kind, Detail: value.Clip(detail, 500), Source: source})
		}
	}
	return all
}

// readParts lets the model read a page for each part of a table. h is used up.
func readParts(ask func(part *outline.Table, h *budget.Hold) (extraction, error), t *outline.Table, h *budget.Hold) (extraction, error) {
	parts := t.Split()
	if len(parts) == 1 {
		return ask(t, h)
	}
	var out extraction
	var rows [][]finding.Row
	for _, part := range parts {
		got, err := ask(part, h)
		rows = append(rows, got.rows)
		out.lost = append(out.lost, got.lost...)
		out.total = max(out.total, got.total)
		out.parts, out.unread, out.over = out.parts+got.parts, out.unread+got.unread, out.over+got.over
		out.odd += got.odd
		if out.kind == "" {
			out.kind = got.kind
		}
		if err != nil {
			out.rows = t.Join(rows)
			return out, err
		}
	}
	out.rows = t.Join(rows)
	return out, nil
}
