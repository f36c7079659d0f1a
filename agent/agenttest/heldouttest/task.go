// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
)

// plan is what a person who reads a task understands.
type plan struct {
	site       *site
	shape      string
	conditions []journal.Condition
	fields     []string // that rows need
	hops       []journal.Hop
	subjects   []*thing // that the task names
	across     bool     // they are on different sites
	sites      []*site  // if the things of more than one site are wanted
}

// condition is a part of a question.
type condition struct {
	journal.Condition
	against string // the value in the unit of the truth; empty: that of the condition
}

func is(field, op, value, words string) condition {
	return condition{Condition: journal.Condition{Field: field, Op: op, Value: value, Words: words}}
}

func (c condition) in(unit string) condition { c.Unit = unit; return c }

func (c condition) means(value string) condition { c.against = value; return c }

func (c condition) or() condition { c.Or = true; return c }

// meets reports whether a thing meets one condition; top and bottom are met by all.
func (c condition) meets(t *thing) bool {
	v, ok := t.cells[c.Field]
	if c.Op == "top" || c.Op == "bottom" {
		return ok
	}
	if !ok {
		return false
	}
	order := 0
	switch v := v.truth.(type) {
	case float64:
		want, _ := strconv.ParseFloat(cmp.Or(c.against, c.Value), 64)
		order = cmp.Compare(v, want)
	case bool:
		if v != (c.Value == "true") {
			order = 1
		}
	case []any:
		return has(v, c.Value) == (c.Op != "!=")
	case string:
		if c.Op == "contains" {
			return strings.Contains(strings.ToLower(v), strings.ToLower(c.Value))
		}
		if c.Op == "in" {
			return slices.Contains(strings.Split(c.Value, " | "), v)
		}
		if t.site.column(c.Field).kind == "date" {
			v = v[:min(len(v), len(c.Value))]
		}
		order = cmp.Compare(v, c.Value)
	}
	switch c.Op {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// meeting returns the things of a site that meet all conditions.
func (s *site) meeting(conditions []condition) []*thing { return meeting(s.things, conditions) }

// meeting returns the things that meet all conditions.
func meeting(things []*thing, conditions []condition) []*thing {
	var kept []*thing
	for _, t := range things {
		all, group := true, false
		for i, c := range conditions {
			if !c.Or {
				all, group = all && (i == 0 || group), c.meets(t)
			} else {
				group = group || c.meets(t)
			}
		}
		if all && (len(conditions) == 0 || group) {
			kept = append(kept, t)
		}
	}
	for _, c := range conditions {
		n, _ := strconv.Atoi(c.Value)
		if c.Op != "top" && c.Op != "bottom" {
			continue
		}
		slices.SortStableFunc(kept, func(a, b *thing) int {
			order := 0
			switch x := a.cells[c.Field].truth.(type) {
			case float64:
				order = cmp.Compare(x, b.cells[c.Field].truth.(float64))
			case string:
				order = cmp.Compare(x, b.cells[c.Field].truth.(string))
			}
			if c.Op == "top" {
				return -order
			}
			return order
		})
		if n < len(kept) { // what is equal to the last one belongs to the answer too
			last := kept[n-1].cells[c.Field].truth
			for n < len(kept) && kept[n].cells[c.Field].truth == last {
				n++
			}
			kept = kept[:n]
		}
	}
	return kept
}

// schema returns the schema of an object with columns as its members.
func schema(columns []*column) string {
	var parts, required []string
	for _, c := range columns {
		kind := c.kind
		format := ""
		if kind == "date" {
			kind, format = "string", `,"format":"date"`
		}
		if item, ok := strings.CutSuffix(kind, "[]"); ok {
			kind, format = "array", fmt.Sprintf(`,"items":{"type":%q}`, item)
		}
		parts = append(parts, fmt.Sprintf(`%q:{"type":%q%s,"description":%q}`, c.name, kind, format, c.about))
		if c.missing == 0 && !c.lost {
			required = append(required, strconv.Quote(c.name))
		}
	}
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s]}`, strings.Join(parts, ","), strings.Join(required, ","))
}

func (s *site) some(fields string) []*column {
	var out []*column
	for f := range strings.FieldsSeq(fields) {
		out = append(out, s.column(f))
	}
	return out
}

// row returns the truth about a thing.
func (t *thing) row(columns []*column) map[string]any {
	row := map[string]any{}
	for _, c := range columns {
		if v, ok := t.cells[c.name]; ok {
			row[c.name] = v.truth
		}
	}
	return row
}

// keep keeps a task and what a reader understands of it.
func (w *Web) keep(class, prompt string, p *plan, schema string, truth agenttest.Truth, urls ...string) {
	w.plans[prompt] = p
	w.Tasks = append(w.Tasks, Task{Class: class, Severed: p.site.cut > 0 || p.site.gap > 0 || p.site.short > 0, Task: agenttest.Task{
		Name:  prompt,
		Task:  agent.Task{ID: fmt.Sprintf("task %d", len(w.Tasks)), Prompt: prompt, URLs: urls, Schema: json.RawMessage(schema)},
		Truth: []agenttest.Truth{truth},
	}})
}

func plain(conditions []condition) []journal.Condition {
	out := []journal.Condition{}
	for _, c := range conditions {
		out = append(out, c.Condition)
	}
	return out
}

// ask adds a question that a list answers.
func (w *Web) ask(class, host, prompt, fields string, conditions ...condition) {
	s := w.site(host)
	columns := s.some(fields)
	truth := agenttest.Truth{Path: s.member, Keys: []string{columns[0].name}}
	for _, t := range s.meeting(conditions) {
		truth.Rows = append(truth.Rows, t.row(columns))
	}
	object := fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"array","items":%s}},"required":[%q]}`, s.member, schema(columns), s.member)
	w.keep(class, prompt, &plan{site: s, shape: protocol.ShapeList, conditions: plain(conditions), fields: strings.Fields(fields)}, object, truth, s.entry())
}

// askAll adds a question that the things of several sites answer.
func (w *Web) askAll(class string, hosts []string, prompt, fields string, conditions ...condition) {
	s := w.site(hosts[0])
	p := &plan{site: s, shape: protocol.ShapeList, conditions: plain(conditions), fields: strings.Fields(fields)}
	var things []*thing
	var urls []string
	for _, h := range hosts {
		o := w.site(h)
		p.sites, things, urls = append(p.sites, o), append(things, o.things...), append(urls, o.entry())
	}
	columns := s.some(fields)
	w.keep(class, prompt, p, listSchema(s.member, columns), truthOf(s.member, columns, meeting(things, conditions)...), urls...)
}

// best adds a question that the first of all things by a measure answers.
func (w *Web) best(class, host, prompt, fields string, conditions ...condition) {
	s := w.site(host)
	columns := s.some(fields)
	kept := s.meeting(conditions)
	if len(kept) != 1 { // a draw has no answer
		return
	}
	w.keep(class, prompt, &plan{site: s, shape: protocol.ShapeBest, conditions: plain(conditions), fields: strings.Fields(fields)},
		schema(columns), agenttest.Truth{Rows: []map[string]any{kept[0].row(columns)}}, s.entry())
}

// count adds a question for a number of things.
func (w *Web) count(class, host, prompt string, conditions ...condition) {
	s := w.site(host)
	w.keep(class, prompt, &plan{site: s, shape: protocol.ShapeCount, conditions: plain(conditions), fields: []string{s.columns[0].name}},
		`{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}`,
		agenttest.Truth{Rows: []map[string]any{{"count": float64(len(s.meeting(conditions)))}}}, s.entry())
}

// compare adds a question about two things by name.
func (w *Web) compare(class, host, format, fields string, a, b int) {
	s := w.site(host)
	x, y := s.things[a], s.things[b]
	name := s.columns[0].name
	columns := s.some(fields)
	prompt := fmt.Sprintf(format, x.name, y.name)
	w.keep(class, prompt, &plan{
		site: s, shape: protocol.ShapeComparison, fields: strings.Fields(fields), subjects: []*thing{x, y},
		conditions: plain([]condition{is(name, "in", x.name+" | "+y.name, prompt[strings.Index(prompt, x.name):strings.Index(prompt, y.name)+len(y.name)])}),
	}, listSchema("compared", columns), truthOf("compared", columns, x, y), s.entry())
}

// listSchema returns the schema of an object with a list of rows.
func listSchema(member string, columns []*column) string {
	return fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"array","items":%s}},"required":[%q]}`, member, schema(columns), member)
}

// truthOf returns the truth about some things in a list of rows.
func truthOf(member string, columns []*column, things ...*thing) agenttest.Truth {
	out := agenttest.Truth{Path: member, Keys: []string{columns[0].name}}
	for _, t := range things {
		out.Rows = append(out.Rows, t.row(columns))
	}
	return out
}

// named returns the thing of a site that a cell of another one names.
func (s *site) named(t *thing, field string) *thing {
	i := slices.IndexFunc(s.things, func(o *thing) bool { return o.name == t.cells[field].truth })
	return s.things[i]
}

// hop adds a question about what a field of a thing names.
func (w *Web) hop(class, host, other, prompt, wanted, field string, t *thing) {
	s, o := w.site(host), w.site(other)
	to := o.named(t, field)
	columns := o.some(wanted)
	w.keep(class, prompt, &plan{
		site: s, shape: protocol.ShapeOne, fields: []string{wanted}, subjects: []*thing{t},
		hops: []journal.Hop{{Field: field, Question: columns[0].about, Fills: []string{}}},
	}, schema(columns), agenttest.Truth{Rows: []map[string]any{to.row(columns)}}, s.entry(), o.entry())
}

// rowHop adds a question whose rows need what another site says about a value of theirs.
func (w *Web) rowHop(class, host, other, prompt, fields, wanted, field string, conditions ...condition) {
	s, o := w.site(host), w.site(other)
	columns, more := s.some(fields), o.some(wanted)
	truth := agenttest.Truth{Path: s.member, Keys: []string{columns[0].name}}
	for _, t := range s.meeting(conditions) {
		row := t.row(columns)
		row[wanted] = o.named(t, field).cells[wanted].truth
		truth.Rows = append(truth.Rows, row)
	}
	object := fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"array","items":%s}},"required":[%q]}`, s.member, schema(append(slices.Clone(columns), more...)), s.member)
	w.keep(class, prompt, &plan{
		site: s, shape: protocol.ShapeList, conditions: plain(conditions), fields: append(strings.Fields(fields), wanted),
		hops: []journal.Hop{{Field: field, Question: cmp.Or(more[0].about, more[0].label), Fills: []string{wanted}}},
	}, object, truth, s.entry(), o.entry())
}

type maker = func(rng *rand.Rand, i int) (truth any, text string)

// grouped writes a whole number with a separator between thousands.
func grouped(n int, sep string) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + sep + s[i:]
	}
	return s
}

// whole makes whole numbers, printed with a separator between thousands, as format says.
func whole(least, most int, sep, format string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		return float64(n), fmt.Sprintf(format, grouped(n, sep))
	}
}

// id makes numbers that differ from thing to thing, printed without separators.
func id(first, step int, format string) maker {
	return func(rng *rand.Rand, i int) (any, string) {
		text := fmt.Sprintf(format, first+i*step+rng.IntN(step))
		return text, text
	}
}

// year makes years.
func year(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		return float64(n), strconv.Itoa(n)
	}
}

// decimal makes numbers with one decimal.
func decimal(least, most int, point, format string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least*10 + rng.IntN((most-least)*10)
		return float64(n) / 10, fmt.Sprintf(format, fmt.Sprintf("%d%s%d", n/10, point, n%10))
	}
}

// scaled makes amounts of a factor, with one decimal.
func scaled(least, most int, factor float64, point, format string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least*10 + rng.IntN((most-least)*10)
		return float64(n) * factor / 10, fmt.Sprintf(format, fmt.Sprintf("%d%s%d", n/10, point, n%10))
	}
}

// flag makes booleans in two words.
func flag(share float64, yes, no string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		if rng.Float64() < share {
			return true, yes
		}
		return false, no
	}
}

// one makes one of several texts.
func one(texts ...string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		s := texts[rng.IntN(len(texts))]
		return s, s
	}
}

// turn makes each of several texts in its turn.
func turn(texts ...string) maker {
	return func(_ *rand.Rand, i int) (any, string) { return texts[i%len(texts)], texts[i%len(texts)] }
}

var months = map[string][]string{
	"en": strings.Fields("January February March April May June July August September October November December"),
	"de": strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
	"fr": strings.Fields("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
	"it": strings.Fields("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"),
	"ja": strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12"),
	"pl": strings.Fields("stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"),
	"sv": strings.Fields("januari februari mars april maj juni juli augusti september oktober november december"),
	"tr": strings.Fields("Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık"),
	"zh": strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12"),
	"da": strings.Fields("januar februar marts april maj juni juli august september oktober november december"),
	"fi": strings.Fields("tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta"),
	"cs": strings.Fields("ledna února března dubna května června července srpna září října listopadu prosince"),
	"ko": strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12"),
	"no": strings.Fields("januar februar mars april mai juni juli august september oktober november desember"),
	"hu": strings.Fields("január február március április május június július augusztus szeptember október november december"),
	"el": strings.Fields("Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου"),
	"ru": strings.Fields("января февраля марта апреля мая июня июля августа сентября октября ноября декабря"),
	"ar": strings.Fields("يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"),
	"uk": strings.Fields("січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня"),
	"ro": strings.Fields("ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie"),
	"vi": strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12"),
	"he": strings.Fields("ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר"),
	"hi": strings.Fields("जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर"),
	"ca": strings.Fields("gener febrer març abril maig juny juliol agost setembre octubre novembre desembre"),
	"hr": strings.Fields("siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca"),
	"sk": strings.Fields("januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra"),
	"lt": strings.Fields("sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio"),
	"et": strings.Fields("jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember"),
	"is": strings.Fields("janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember"),
	"lv": strings.Fields("janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris novembris decembris"),
	"th": strings.Fields("มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม"),
	"nl": strings.Fields("januari februari maart april mei juni juli augustus september oktober november december"),
	"pt": strings.Fields("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"),
	"gl": strings.Fields("xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro"),
	"es": strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
}

// day makes dates: D, M and Y are day, month and year; DD and MM have two digits; N is
// the month's name and A its abbreviation.
func day(from, to int, lang, format string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		t := time.Date(from+rng.IntN(to-from), time.Month(1+rng.IntN(12)), 1+rng.IntN(28), 0, 0, 0, 0, time.UTC)
		name := months[lang][t.Month()-1]
		text := strings.NewReplacer("DD", fmt.Sprintf("%02d", t.Day()), "D", strconv.Itoa(t.Day()), "MM", fmt.Sprintf("%02d", int(t.Month())), "Y", strconv.Itoa(t.Year()), "N", name, "A", string([]rune(name)[:min(3, len([]rune(name)))])).Replace(format)
		return t.Format(time.DateOnly), text
	}
}

// pairs makes names of two words.
func pairs(first, second string, format string) func(rng *rand.Rand, i int) string {
	a, b := strings.Fields(first), strings.Fields(second)
	return func(_ *rand.Rand, i int) string {
		return fmt.Sprintf(format, a[i%len(a)], b[i/len(a)%len(b)])
	}
}

// fixed makes given names.
func fixed(names ...string) func(rng *rand.Rand, i int) string {
	return func(_ *rand.Rand, i int) string { return names[i] }
}

// squashed makes an address of a name, without spaces and marks.
func squashed(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}
