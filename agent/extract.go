// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/llm"
)

// Bounds of extraction.
const (
	glanceRows  = 8 // of an index, to see what it states
	maxMore     = 5
	maxPageRows = 500
	leastChunk  = 2000
)

// extraction is what a page gave for a table.
type extraction struct {
	rows  []finding.Row
	total int
	kind  string
	raw   int // values that the model gave, before grounding
	lost  []lostCell
	thin  bool // an index that lacks a required field: details have it
}

// lostCell is a value that was not taken.
type lostCell struct {
	row   finding.Row
	field string
	value string
	issue finding.IssueKind
	raw   any // as the model gave it
}

// extract asks the model for the rows of t in the lines of one page. The error
// is errBroke, wraps [llm.ErrProvider], or is the run's end; what was read before
// it is returned. h may be nil.
func (r *Run) extract(ctx context.Context, p *page, g *ground, t *outline.Table, h *budget.Hold) (extraction, error) {
	defer r.budget.Drop(h)
	defer func() { g.values, g.days = nil, nil }() // no page needs them long
	var out extraction
	size := int(r.chunk.Load())
	parts := lines.Chunks(g.lines, size)
	for i := 0; i < len(parts); i++ {
		err := r.extractChunk(ctx, p, g, t, parts[i], &out, h)
		switch {
		case errors.Is(err, errOverflow) && (size > leastChunk || weight(g.lines, parts[i]) > 2*size):
			if weight(g.lines, parts[i]) <= size+size/2 { // else it was cut before size shrank
				size = max(size/2, leastChunk)
				r.shrink(size)
			}
			if smaller := split(g.lines, parts[i], size); len(smaller) > 1 {
				parts = slices.Concat(parts[:i], smaller, parts[i+1:])
				i--
			} else {
				r.note(ctx, finding.Issue{Kind: finding.IssueProvider, Detail: "a part of the page is too long for the model", Source: p.rec.ID})
			}
		case errors.Is(err, errLong):
			if smaller := split(g.lines, parts[i], weight(g.lines, parts[i])/2+1); len(smaller) > 1 {
				parts = slices.Concat(parts[:i], smaller, parts[i+1:])
				i--
			} else {
				r.note(ctx, finding.Issue{Kind: finding.IssueProvider, Detail: "what a line of the page states is too long for a reply", Source: p.rec.ID})
			}
		case errors.Is(err, errModel):
			r.note(ctx, finding.Issue{Kind: finding.IssueProvider, Detail: because("the model could not read the page", err), Source: p.rec.ID})
		case errors.Is(err, errOverflow):
			r.note(ctx, finding.Issue{Kind: finding.IssueProvider, Detail: "the model could not read the page", Source: p.rec.ID})
		case err != nil:
			return out, err
		}
		if out.thin {
			break
		}
		if len(out.rows) >= maxPageRows {
			out.rows = out.rows[:maxPageRows]
			r.note(ctx, finding.Issue{Kind: finding.IssueLimit, Detail: "a page has more than 500 rows", Source: p.rec.ID})
			break
		}
	}
	return out, nil
}

// weight returns the bytes of a chunk.
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

// shrink remembers that the model takes no longer chunks.
func (r *Run) shrink(size int) {
	for {
		have := r.chunk.Load()
		if have <= int64(size) || r.chunk.CompareAndSwap(have, int64(size)) {
			return
		}
	}
}

// Why a chunk is to be read in parts.
var (
	errOverflow = errors.New("prompt over the model's context")
	errLong     = errors.New("record over the room of a reply")
)

// extractChunk asks for the rows of one chunk, again for those that did not
// fit into the reply. Where a full reply cannot be paid for, it asks for a short
// one.
func (r *Run) extractChunk(ctx context.Context, p *page, g *ground, t *outline.Table, c lines.Chunk, out *extraction, h *budget.Hold) error {
	defer r.budget.Drop(h)
	output := protocol.MaxExtractOutput
	after, most := 0, t.Fitting(output)
	glance := p.glance && p.isIndex(t, glanceRows)
	if glance {
		most = min(most, glanceRows)
	}
	for more := 0; more <= maxMore*outline.RowCap/most; { // smaller replies may be more
		reply, err := r.ask(ctx, ask{
			role: llm.RoleExtract, user: r.extractPrompt(p, g, t, c, after, most), schema: t.Reply(),
			output: output, landing: true, hold: h,
		})
		if errors.Is(err, budget.ErrBroke) && output == protocol.MaxExtractOutput { // h keeps who waits from coming between
			output = protocol.ShortExtractOutput
			most = min(most, t.Fitting(output))
			continue
		}
		if err != nil {
			return err
		}
		switch reply.Finish {
		case llm.FinishOverflow:
			return errOverflow
		case llm.FinishRefusal, llm.FinishFiltered:
			r.note(ctx, finding.Issue{Kind: finding.IssueProvider, Detail: "the model would not read the page", Source: p.rec.ID})
			return nil
		case llm.FinishLength:
			asked := most
			most = max(most/2, 1)
			switch {
			case reply.JSON != nil: // the rows that are whole count
			case t.Record(): // fewer rows are no shorter reply
				return errLong
			case asked > 1:
				continue
			}
		}
		answer, ok := protocol.ReadExtract(reply.JSON)
		if !ok {
			return errModel
		}
		from, lost := len(out.rows), len(out.lost)
		last := r.take(p, g, t, answer, out)
		if glance {
			if out.thin = lacksColumn(t, out.rows[from:]); out.thin {
				return nil
			}
			glance, most = false, t.Fitting(output)
		}
		if err := r.repair(ctx, p, g, t, out, from, lost); err != nil {
			return err
		}
		if !answer.More && reply.Finish != llm.FinishLength || last <= after || len(answer.Rows) == 0 || t.Record() {
			return nil
		}
		after = last
		more++
	}
	return nil
}

// isIndex reports whether a page links at least n details, by their one shape.
func (p *page) isIndex(t *outline.Table, n int) bool {
	if t.Record() || t.Bare {
		return false
	}
	shapes := map[string]int{}
	for _, l := range p.rec.Links {
		s := value.Shape(l.URL)
		if shapes[s]++; shapes[s] >= n {
			return true
		}
	}
	return false
}

// lacksColumn reports whether there are rows, and all lack one required field.
func lacksColumn(t *outline.Table, rows []finding.Row) bool {
	return len(rows) >= leastGroup && slices.ContainsFunc(t.Fields, func(f *outline.Field) bool {
		return f.Required && !slices.ContainsFunc(rows, func(row finding.Row) bool { _, ok := row[f.Name]; return ok })
	})
}

// extractPrompt writes the prompt of one chunk.
func (r *Run) extractPrompt(p *page, g *ground, t *outline.Table, c lines.Chunk, after, most int) string {
	var b protocol.Prompt
	b.Value("task", r.task.Prompt)
	full := t.Prompt()
	full.Fields, full.Expect = nil, 0
	b.Value("table", full)
	fields := t.Prompt().Fields
	protocol.List(&b, "fields", fields[:min(len(fields), outline.MaxCallFields)])
	b.Value("source", p.rec.ID)
	b.Value("title", value.ClipRunes(p.rec.Title, lines.MaxAnchor))
	b.Value("rows", most)
	if after > 0 {
		b.Value("after", after)
	}
	mark := protocol.Nonce(g.lines, r.task.Seed, p.rec.Digest, t.ID)
	b.Fenced("page", mark, func(b *strings.Builder) { lines.Numbered(b, g.lines, c) })
	return b.String()
}

// take grounds a reply and adds its rows to out; it returns the line behind
// which further rows begin.
func (r *Run) take(p *page, g *ground, t *outline.Table, answer protocol.ExtractReply, out *extraction) int {
	styles := g.styles(t, answer)
	var rows []finding.Row
	was := len(out.lost)
	for _, said := range answer.Rows[:min(len(answer.Rows), maxPageRows)] {
		row := finding.Row{}
		for _, f := range t.Fields {
			raw, ok := said.V[f.Name]
			if !ok || raw == nil || raw == "" {
				continue
			}
			out.raw++
			got := g.check(f, raw, said.Ln[f.Name], styles[f.Name])
			if got.value == nil {
				if got.issue == finding.IssueUnsupported && r.e.Loose {
					a, b := g.span(said.Ln[f.Name], maxSpan)
					row[f.Name] = finding.Cell{Value: raw, Grade: finding.GradeUnsupported, Source: p.rec.ID, Lines: [2]int{a, b}, Full: g == p.full}
				} else if got.issue != "" {
					out.lost = append(out.lost, lostCell{row, f.Name, value.Clip(value.JSONText(raw), 100), got.issue, raw})
				}
				continue
			}
			row[f.Name] = finding.Cell{Value: got.value, Grade: got.grade, Source: p.rec.ID, Lines: got.lines, Full: g == p.full}
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
	}
	out.lost = append(out.lost[:was], newLayout(t, g, rows).settle(out.lost[was:], styles)...)
	if answer.Kind == "detail" && len(rows) == 1 {
		p.own(t, rows[0])
	}
	out.rows = append(out.rows, rows...)
	last := lastLine(t, rows)
	if n := answer.TotalLn; answer.Total > 0 && n >= 1 && n <= len(g.lines) {
		for _, m := range value.Numerals(g.line(n)) {
			if v, _ := m.Value(value.MarksOf(g.lang), true); int(v) == answer.Total {
				out.total = max(out.total, answer.Total)
			}
		}
	}
	out.kind = cmp.Or(out.kind, answer.Kind)
	return last
}

// lastLine returns the last line that a key of rows stands in; where there is
// none, that of any cell. A wrong line behind the last row would hide those that
// come next.
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

// styles decides how each column of a reply is written.
func (g *ground) styles(t *outline.Table, answer protocol.ExtractReply) map[string]style {
	out := map[string]style{}
	for _, f := range t.Fields {
		var texts []string
		for _, row := range answer.Rows[:min(len(answer.Rows), maxPageRows)] {
			texts = append(texts, value.ScalarText(row.V[f.Name]))
			if a, b := g.span(row.Ln[f.Name], maxSpan); a > 0 && len(texts) < 200 {
				texts = append(texts, g.text(a, b))
			}
		}
		out[f.Name] = g.styleOf(texts)
	}
	return out
}

// own fills the address of a page's one thing with that of the page.
func (p *page) own(t *outline.Table, row finding.Row) {
	for _, f := range t.Fields {
		if name := value.BareName(f.Name); (name == "url" || name == "link" || name == "permalink" || name == "pageurl") && outline.KindOf(f.Node) == "url" {
			if _, ok := row[f.Name]; !ok {
				row[f.Name] = finding.Cell{Value: cmp.Or(value.Canonical(p.rec.Final), p.rec.URL), Grade: finding.GradeExact, Source: p.rec.ID}
			}
		}
	}
}

// issueOf returns what is to be said about values that were not taken: at most
// one of a page and kind.
func issuesOf(lost []lostCell, source string) []finding.Issue {
	var all []finding.Issue
	for _, kind := range []finding.IssueKind{finding.IssueDate, finding.IssueUnsupported, finding.IssueInvalid} {
		var said []string
		count := 0
		for _, l := range lost {
			if l.issue == kind {
				count++
				if len(said) < 5 {
					said = append(said, l.field+" "+l.value)
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
