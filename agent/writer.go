// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/budget"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/merge"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
	"example.com/curlew/internal/schema"
)

// Writer makes the forms of a page that need a model. It implements format.Writer and
// is safe for concurrent use. Model is required.
type Writer struct {
	Model   llm.Model
	Profile llm.Profile
	Rates   llm.Rates
	Calls   int                                               // concurrent calls of one Write; zero means 8
	Spent   func(ctx context.Context, c Credits, u llm.Usage) // called once for each Write; may be nil
}

// maxRepairs is how often the model is asked again if its reply does not match.
const maxRepairs = 2

// Write performs task on text and returns a value that matches schema. The text may
// have any length. The schema decides how this is done. If it has a single string (and
// possibly numbers of lines), the answers for the parts of a long text are reduced to
// one. Numbers of lines are combined. Anything else is extracted: what the text does
// not contain is left out, and null means that nothing was found. If the answer leaves
// out something else, such as a part of the text for which the model gave no usable
// reply, it comes together with a [*PartialError]. Any other error comes without an
// answer, and wraps [ErrNoModel], [ErrTask], [llm.ErrProvider], [ErrReply] or ctx's
// cause.
func (w *Writer) Write(ctx context.Context, task, text string, schema json.RawMessage) (json.RawMessage, error) {
	if w.Model == nil {
		return nil, &Error{Part: "writer", Err: ErrNoModel}
	}
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	o, err := outline.New(schema)
	if err != nil {
		return nil, &Error{Part: "schema", Err: fmt.Errorf("%w: %w", ErrTask, err)}
	}
	one := w.begin(task)
	defer func() {
		if w.Spent != nil {
			spend := one.payer.spent()
			w.Spent(ctx, spend.Credits, spend.Usage)
		}
	}()
	out, err := one.write(ctx, o, text)
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, errModel):
		err = ErrReply
	}
	if err != nil {
		return nil, &Error{Part: "writer", Err: err}
	}
	if one.partial.cut(text); len(one.partial.omissions) > 0 {
		return out, &one.partial
	}
	return out, nil
}

// A PartialError says what an answer of a [Writer] leaves out.
type PartialError struct {
	omissions []string
	unread    bool
}

// Error lists the omissions.
func (e *PartialError) Error() string {
	return "agent: writer: incomplete answer: " + strings.Join(e.omissions, "; ")
}

// Omissions returns what the answer leaves out, each with its number and reason, such as
// "2 of 5 parts of the text got no usable reply". It contains no text of the page.
func (e *PartialError) Omissions() []string { return slices.Clone(e.omissions) }

// Unread reports whether a part of the text was not read at all.
func (e *PartialError) Unread() bool { return e.unread }

// omit adds an omission if n is not zero.
func (e *PartialError) omit(n int, format string, args ...any) {
	if n > 0 {
		e.omissions = append(e.omissions, fmt.Sprintf(format, args...))
	}
}

// missed adds the omission of n of all parts of the text.
func (e *PartialError) missed(n, all int) {
	e.omit(n, "%d of %d parts of the text got no usable reply", n, all)
	e.unread = e.unread || n > 0
}

// cut adds the omission of the end of a text that is too long.
func (e *PartialError) cut(text string) {
	n := len(text) - lines.MaxMarkdown
	e.omit(n, "the last %d bytes of the text were not read, because it is longer than %d bytes", n, lines.MaxMarkdown)
	e.unread = e.unread || n > 0
}

// writing is the work on one text. It has no limits of calls, no journal and no pages.
type writing struct {
	payer   *payer
	reader  *reader
	partial PartialError
}

// begin returns the writing of one task.
func (w *Writer) begin(task string) *writing {
	e, t := &Engine{Model: w.Model}, &Task{Prompt: task}
	p := newPayer(newControl(e, t, Unlimited), e, w.Profile, w.Rates.WithDefaults(), Unlimited, w.Calls, &memo{})
	return &writing{payer: p, reader: newReader(p, nil, nil, nil, t, false)}
}

// write chooses how the task is performed.
func (w *writing) write(ctx context.Context, o *outline.Outline, text string) (json.RawMessage, error) {
	var numbers, prose, others int
	numbersName, proseName := "", ""
	for _, f := range o.Form.Root.Fields {
		switch {
		case f.Node.Type == schema.List && f.Node.Choices == nil && f.Node.Items.Type == schema.Integer && (f.Name == "numbers" || f.Name == "lines"):
			numbers++
			numbersName = f.Name
		case f.Node.Type == schema.String && f.Node.Enum == nil && (f.Name == "summary" || f.Name == "answer"):
			prose++
			proseName = f.Name
		default:
			others++
		}
	}
	lines, shown := numberedText(text)
	switch {
	case o.Form.Wrapped() || others > 0 || numbers > 1 || prose > 1:
		return w.writeRows(ctx, o, text)
	case prose == 1:
		return w.writeProse(ctx, o, lines, shown, proseName, numbersName)
	case numbers == 1:
		return w.writeNumbers(ctx, o, lines, shown, numbersName)
	}
	return w.writeRows(ctx, o, text)
}

// numberedText splits a text into lines. If all of them begin with a number of their
// own ("12: text"), the lines have those numbers. shown contains the numbers of the
// lines that are not blank.
func numberedText(text string) (body []string, shown lines.Chunk) {
	body = strings.Split(strings.TrimSuffix(value.Clip(text, lines.MaxMarkdown), "\n"), "\n")
	own := make(map[int]string, len(body))
	last := 0
	for _, line := range body {
		head, rest, ok := strings.Cut(line, ": ")
		n, err := strconv.Atoi(head)
		if line == "" {
			continue
		}
		if !ok || err != nil || n <= last || n > lines.MaxMarkdown {
			if last > 0 && (err != nil || !ok) { // a sentence that continues on the next line
				own[last] += " " + line
				continue
			}
			own = nil
			break
		}
		own[n] = rest
		last = n
	}
	if len(own) > 0 && last <= 2*len(body)+1000 {
		numberedLines := make([]string, last)
		for n, s := range own {
			numberedLines[n-1] = s
		}
		body = numberedLines
	}
	for i, line := range body {
		if strings.TrimSpace(line) != "" {
			shown = append(shown, i+1)
		}
	}
	return body, shown
}

// parts splits the lines in shown into chunks.
func (w *writing) parts(body []string, shown lines.Chunk) []lines.Chunk {
	out := split(body, shown, int(w.reader.chunk.Load()))
	if len(out) == 0 {
		out = []lines.Chunk{nil}
	}
	return out
}

// each asks about every chunk concurrently, and returns the usable answers in their
// order.
func (w *writing) each(ctx context.Context, o *outline.Outline, body []string, parts []lines.Chunk) ([]map[string]any, error) {
	answers := make([]map[string]any, len(parts))
	faults := make([]error, len(parts))
	done := make(chan struct{})
	for i, c := range parts {
		go func() {
			defer func() { done <- struct{}{} }()
			answers[i], faults[i] = guarded(w.payer.control, "answer", func() (map[string]any, error) {
				return w.writeOne(ctx, o, func(b *protocol.Prompt) {
					b.Fenced("text", protocol.Nonce(body, 0, w.reader.prompt, strconv.Itoa(i)), func(s *strings.Builder) { lines.Numbered(s, body, c) })
				}, llm.RoleWrite)
			})
		}()
	}
	for range parts {
		<-done
	}
	var usable []map[string]any
	for i := range parts {
		if faults[i] == nil {
			usable = append(usable, answers[i])
		}
	}
	if len(usable) == 0 {
		return nil, faults[0]
	}
	w.partial.missed(len(parts)-len(usable), len(parts))
	return usable, nil
}

// writeOne asks once, and again if the reply does not match the schema.
func (w *writing) writeOne(ctx context.Context, o *outline.Outline, text func(b *protocol.Prompt), role llm.Role) (map[string]any, error) {
	wire := o.Form.Wire()
	fault := ""
	for range maxRepairs + 1 {
		var b protocol.Prompt
		b.Value("task", w.reader.prompt+fault)
		text(&b)
		reply, err := w.payer.ask(ctx, ask{role: role, user: b.String(), schema: wire, output: protocol.MaxWriteOutput})
		if err != nil {
			return nil, err
		}
		var value any
		if reply.Finish == llm.FinishRefusal || reply.Finish == llm.FinishFiltered {
			return nil, errModel
		}
		if json.Unmarshal(reply.JSON, &value) != nil {
			fault = "\nThe last reply was no JSON object."
			continue
		}
		decoded := o.Form.Decode(value)
		faults := o.Check.Faults(decoded)
		if m, ok := decoded.(map[string]any); ok && len(faults) == 0 {
			return m, nil
		}
		fault = "\nThe last reply did not fit its schema"
		for _, f := range faults[:min(len(faults), 3)] {
			fault += fmt.Sprintf("; at %q: %s", f.Pointer, f.Text)
		}
	}
	return nil, errModel
}

// writeProse returns a text. If there are several parts, the answers that cite lines
// are reduced to one.
func (w *writing) writeProse(ctx context.Context, o *outline.Outline, lines []string, shown lines.Chunk, prose, cites string) (json.RawMessage, error) {
	answers, err := w.each(ctx, o, lines, w.parts(lines, shown))
	if err != nil {
		return nil, err
	}
	var cited []any
	if cites != "" {
		first := answers[0]
		answers = slices.DeleteFunc(answers, func(a map[string]any) bool {
			a[cites] = within(a[cites], shown)
			return len(a[cites].([]any)) == 0
		})
		if len(answers) == 0 { // all parts answered that no line states it
			first[cites] = []any{}
			return merge.Encode(first), nil
		}
		for _, a := range answers {
			cited = append(cited, a[cites].([]any)...)
		}
	}
	out := answers[0]
	if len(answers) > 1 {
		var notes []string
		for _, a := range answers {
			notes = append(notes, value.JSONText(a))
		}
		reduced, err := w.writeOne(ctx, o, func(b *protocol.Prompt) {
			b.Fenced("notes", protocol.Nonce(notes, 0, w.reader.prompt), func(s *strings.Builder) {
				for _, n := range notes {
					s.WriteString(n + "\n")
				}
			})
		}, llm.RoleReduce)
		if err != nil {
			return nil, err
		}
		out = map[string]any{prose: reduced[prose]}
	}
	if cites != "" {
		out[cites] = within(cited, shown)
	}
	return merge.Encode(out), nil
}

// writeNumbers returns the numbers of lines of all parts together.
func (w *writing) writeNumbers(ctx context.Context, o *outline.Outline, lines []string, shown lines.Chunk, name string) (json.RawMessage, error) {
	answers, err := w.each(ctx, o, lines, w.parts(lines, shown))
	if err != nil {
		return nil, err
	}
	var all []any
	for _, a := range answers {
		list, _ := a[name].([]any)
		all = append(all, list...)
	}
	return merge.Encode(map[string]any{name: within(all, shown)}), nil
}

// within returns the numbers in a list that are lines of shown, without duplicates, in
// ascending order.
func within(v any, shown lines.Chunk) []any {
	list, _ := v.([]any)
	var numbers []int
	for _, item := range list {
		n, ok := item.(float64)
		if !ok || n != float64(int(n)) {
			continue
		}
		if _, is := slices.BinarySearch(shown, int(n)); is {
			numbers = append(numbers, int(n))
		}
	}
	slices.Sort(numbers)
	out := []any{}
	for _, n := range slices.Compact(numbers) {
		out = append(out, float64(n))
	}
	return out
}

// writeRows extracts the data for a schema from one text.
func (w *writing) writeRows(ctx context.Context, o *outline.Outline, text string) (json.RawMessage, error) {
	l := lines.NewLinker("")
	sum := sha256.Sum256([]byte(text))
	rec := &journal.PageRecord{ID: merge.SourceID(1), Digest: hex.EncodeToString(sum[:]), Main: l.Lines(text)}
	rec.Links = l.Links
	p := grounding.NewPage(rec, 1, w.payer.memo.began)
	tables := map[string][]merge.Merged{}
	found := false
	var fault error
	for _, t := range o.Tables {
		got, err := readParts(func(part *outline.Table, h *budget.Hold) (extraction, error) {
			return w.reader.extract(ctx, p, p.Main, part, h)
		}, t, nil)
		w.left(t, got)
		if err != nil {
			fault = err
			w.partial.missed(1, 1)
			if ctx.Err() != nil || errors.Is(err, llm.ErrProvider) {
				return nil, err
			}
			continue
		}
		var seen []merge.Sighting
		for i, row := range got.rows {
			seen = append(seen, merge.Sighting{Page: 1, At: i, Row: row})
		}
		m := merge.Merger{Table: t}
		tables[t.ID] = m.Merge(seen)
		found = found || len(tables[t.ID]) > 0
	}
	if !found {
		if fault == nil && w.payer.silent() {
			fault = errModel // no reply says that the text contains nothing
		}
		if fault != nil {
			return nil, fault
		}
		return json.RawMessage("null"), nil
	}
	a := &merge.Assembly{Outline: o, Tables: tables}
	data, _, _ := a.Build()
	incomplete, refused := 0, 0
	for _, issue := range a.Issues {
		switch issue.Kind {
		case finding.IssueMissing:
			incomplete++
		case finding.IssueInvalid:
			refused++
		}
	}
	w.partial.omit(incomplete, "rows without a required value were left out, or required values were not found: %d", incomplete)
	w.partial.omit(refused, "rows or values that the schema refuses were left out: %d", refused)
	return merge.Encode(data), nil
}

// left adds the omissions of an extraction.
func (w *writing) left(t *outline.Table, got extraction) {
	w.partial.missed(got.unread, got.parts)
	w.partial.omit(got.over, "parts of the text with more rows than the replies could hold: %d", got.over)
	w.partial.omit(got.odd, "rows of replies that could not be read: %d", got.odd)
	lost := map[string]int{}
	for _, l := range got.lost {
		if _, ok := l.Row[l.Field]; !ok || l.Items > 0 {
			lost[l.Field] += max(l.Items, 1)
		}
	}
	for _, f := range t.Fields {
		n := lost[f.Name]
		w.partial.omit(n, "values of %s that the lines of the text do not support were left out: %d", f.Name, n)
	}
}
