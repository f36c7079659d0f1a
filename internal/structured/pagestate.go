// SPDX-License-Identifier: Apache-2.0

package structured

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/curlew/internal/dom"
	"example.com/curlew/internal/weburl"
)

// PageState is what the state in the scripts of a page says about the page itself, which is
// an article, a product or a list.
type PageState struct {
	Source string // kind of the state, with the names of [dom.Embedded]
	Title  string
	Texts  []string // in reading order; may contain markup
	Price  string
	Items  []string // items of a list
	Left   int      // number of items and texts beyond the limits
	Kinds  []string // kinds of state that were read, whether or not they say something
	Others int      // number of other states of the kind Source
}

// Limits for the result of ReadPageState.
const (
	maxTexts = 2000
	maxItems = 200
)

// ReadPageState finds what the states in the scripts below root say about the page with the
// URL href, whose title is one of titles. It reads only objects that have such a title
// or the path of the URL, and of these only the texts of articles, products and lists,
// but never drafts, translations or secrets. Of several objects it takes the one with
// the most text. If there is none, Texts and Items are empty. The error is the cause of
// ctx.
func ReadPageState(ctx context.Context, root *html.Node, href string, titles ...string) (state *PageState, err error) {
	s := &stateReader{steps: dom.NewSteps(ctx), values: 4 * maxNodes, bytes: maxBytes, found: map[string]int{}, state: &PageState{}}
	defer s.steps.Recover(&err)
	for _, t := range titles {
		if t = folded(t); t != "" {
			s.titles = append(s.titles, t)
		}
	}
	if u, err := weburl.Parse(href); err == nil {
		s.path = strings.Trim(u.Path(), "/")
	}
	for n := dom.Next(root, root); n != nil; n = dom.Next(n, root) {
		s.steps.Take(1)
		if props := dom.Attr(n, "props"); n.Data == "astro-island" && props != "" && len(props) <= s.bytes {
			s.bytes -= len(props)
			for _, v := range s.json(props) {
				s.found[n.Data]++
				left := 4 * maxNodes
				s.read(n.Data, s.island(jsonValue{kind: '[', list: []jsonValue{{kind: '0', text: "0"}, v}}, &left))
			}
		}
		if page := dom.Attr(n, "data-page"); strings.HasPrefix(page, "{") && len(page) <= s.bytes {
			s.bytes -= len(page)
			s.data("data-page", page)
		}
		if n.DataAtom == atom.Script && n.FirstChild != nil && len(n.FirstChild.Data) <= s.bytes {
			s.bytes -= len(n.FirstChild.Data)
			s.script(n, n.FirstChild.Data)
		}
	}
	s.flight()
	s.turbo()
	s.state.Others = max(s.found[s.state.Source]-1, 0)
	return s.state, nil
}

// A stateReader reads the states of one page.
type stateReader struct {
	steps  dom.Steps
	values int // number of values that may still be read
	bytes  int
	titles []string // titles of the page, folded
	path   string   // path of its URL, without the outer slashes

	rows   strings.Builder   // rows of __next_f
	stream strings.Builder   // lines of the stream of React Router, which was Remix
	texts  map[string]string // rows of __next_f, by number

	promises map[string]int // indices of the values that promises become, in the stream of React Router, or nil elsewhere

	source string
	found  map[string]int // number of states of each kind, apart from __next_f, which is one
	state  *PageState
	best   int // size of state in bytes
}

// states contains the names of variables that contain state, and the names of these
// kinds of state.
var states = []struct{ mark, name string }{
	{"__NEXT_DATA__", "__NEXT_DATA__"},
	{"__NUXT__", "__NUXT__"},
	{"__APOLLO_STATE__", "__APOLLO_STATE__"},
	{"__INITIAL_STATE__", "__INITIAL_STATE__"},
	{"__PRELOADED_STATE__", "__PRELOADED_STATE__"},
	{"__INITIAL_DATA__", "__INITIAL_DATA__"},
	{"__remixContext", "__remixContext"},
	{"__REACT_QUERY_STATE__", "__REACT_QUERY_STATE__"},
	{"__staticRouterHydrationData", "__staticRouterHydrationData"},
}

// angular replaces what older versions of Angular write in place of characters.
var angular = strings.NewReplacer("&q;", `"`, "&s;", "'", "&l;", "<", "&g;", ">", "&a;", "&")

// script reads the script element n, which contains text.
func (s *stateReader) script(n *html.Node, text string) {
	switch id := dom.Attr(n, "id"); id {
	case "__NEXT_DATA__":
		s.data(id, text)
		return
	case "__NUXT_DATA__":
		s.flat(text)
		return
	case "ng-state", "serverApp-state":
		if strings.HasPrefix(strings.TrimSpace(text), "{&q;") {
			text = angular.Replace(text)
		}
		s.data("ng-state", text)
		return
	}
	if _, ok := dom.LookupAttr(n, "data-page"); ok {
		s.data("data-page", text)
		return
	}
	if _, ok := dom.LookupAttr(n, "data-sveltekit-fetched"); ok {
		for _, v := range s.json(text) {
			s.data("__sveltekit", v.member("body").text)
		}
		return
	}
	for _, k := range states {
		if _, rest, ok := strings.Cut(text, k.mark); ok {
			s.assigned(k.name, rest)
		}
	}
	if _, rest, ok := strings.Cut(text, "kit.start("); ok && strings.Contains(text, "__sveltekit") {
		_, rest, _ = strings.Cut(rest, "data:")
		s.data("__sveltekit", strings.TrimSpace(rest))
	}
	for rest := text; ; {
		var ok bool
		if _, rest, ok = strings.Cut(rest, ".streamController.enqueue("); !ok {
			break
		}
		r := jsonReader{steps: &s.steps, s: rest}
		if c := r.peek(); c == '"' || c == '\'' {
			line, _ := r.text()
			s.stream.WriteString(line)
		}
	}
	for rest := text; ; {
		var ok bool
		if _, rest, ok = strings.Cut(rest, "__next_f.push("); !ok {
			return
		}
		for _, v := range s.json(rest) { // the argument of the call, or nothing
			if len(v.list) > 1 && v.list[1].kind == '"' {
				s.rows.WriteString(v.list[1].text)
			}
		}
	}
}

// turbo reads the stream of React Router: a line with an array of values as in the state of Nuxt 3, where the names of
// members are indices too, and lines such as "P7:[...]" with further values of the same array, of which the first is what
// the promise 7 becomes.
func (s *stateReader) turbo() {
	const kind = "__reactRouterContext"
	var all []jsonValue
	s.promises = map[string]int{}
	for line := range strings.SplitSeq(s.stream.String(), "\n") {
		s.steps.Take(1)
		if id, rest, ok := strings.Cut(line, ":"); ok && strings.HasPrefix(id, "P") {
			s.promises[id[1:]], line = len(all), rest
		}
		for _, v := range s.json(line) {
			all = append(all, v.list...)
		}
	}
	if len(all) > 0 {
		left := 4 * maxNodes
		s.found[kind]++
		s.read(kind, s.unflatten(all, 0, 0, &left))
	}
}

// json returns the object or array at the start of text. If there is none, it returns
// nil.
func (s *stateReader) json(text string) []jsonValue {
	if s.values <= 0 {
		return nil
	}
	r := jsonReader{steps: &s.steps, s: text, values: s.values}
	if c := r.peek(); c != '{' && c != '[' {
		return nil
	}
	v, ok := r.value(0)
	s.values = r.values
	if !ok {
		return nil
	}
	return []jsonValue{v}
}

// data reads the JSON of one kind of state.
func (s *stateReader) data(kind, text string) {
	for _, v := range s.json(text) {
		s.found[kind]++
		s.read(kind, v)
	}
}

// read looks for objects about the page in v.
func (s *stateReader) read(kind string, v jsonValue) {
	if !slices.Contains(s.state.Kinds, kind) {
		s.state.Kinds = append(s.state.Kinds, kind)
	}
	s.source = kind
	s.look(v)
}

// assigned reads the JSON that a script assigns to a variable. text begins after the
// name of the variable. Other expressions are not read.
func (s *stateReader) assigned(kind, text string) {
	text = strings.TrimLeft(text, `"'] `+"\t\n\r")
	text, ok := strings.CutPrefix(text, "=")
	if !ok {
		return
	}
	text = strings.TrimSpace(text)
	if call, ok := strings.CutPrefix(text, "(function("); ok {
		s.called(kind, call)
		return
	}
	quoted, ok := strings.CutPrefix(text, "JSON.parse(")
	if !ok {
		s.data(kind, text)
		return
	}
	r := jsonReader{steps: &s.steps, s: quoted}
	if c := r.peek(); c != '"' && c != '\'' {
		return
	}
	if text, ok = r.text(); ok {
		s.data(kind, text)
	}
}

// called reads the object that the function at the start of text returns, as Nuxt 2 writes it: the function has
// parameters for values that occur more than once, and is called at once. Of statements before the object, of
// which there are few, nothing is read.
func (s *stateReader) called(kind, text string) {
	names, text, ok := strings.Cut(text, ")")
	_, text, isReturn := strings.Cut(text, "return ")
	if !ok || !isReturn {
		return
	}
	r := jsonReader{steps: &s.steps, s: text, values: s.values, params: map[string]jsonValue{}}
	_, ok = r.value(0) // to find its end
	s.values = r.values
	if _, rest, isCall := strings.Cut(r.s[r.i:], "}("); ok && isCall {
		r.s, r.i = "["+rest, 0
		args, _ := r.array(0) // up to the parenthesis behind them
		for i, name := range strings.Split(names, ",") {
			if i < len(args.list) && args.list[i].members == nil && args.list[i].list == nil { // otherwise the object could grow without a bound
				r.params[strings.TrimSpace(name)] = args.list[i]
			}
		}
		r = jsonReader{steps: &s.steps, s: text, values: r.values, params: r.params, room: maxBytes}
		v, _ := r.value(0)
		s.values = r.values
		s.found[kind]++
		s.read(kind, v)
		if s.state.Source == kind {
			s.state.Left += r.left
		}
	}
}

// island returns the value that Astro writes as a pair of a type and a value. It makes at most left values.
func (s *stateReader) island(pair jsonValue, left *int) jsonValue {
	s.steps.Take(1)
	if *left--; *left < 0 || len(pair.list) != 2 || pair.list[0].kind != '0' {
		return jsonValue{kind: 'w'}
	}
	v := pair.list[1]
	out := jsonValue{kind: v.kind, text: v.text}
	for _, m := range v.members {
		out.members = append(out.members, jsonMember{m.name, s.island(m.value, left)})
	}
	for _, i := range v.list {
		out.list = append(out.list, s.island(i, left))
	}
	return out
}

// flat reads the state of Nuxt 3: an array of values, in which numbers inside objects
// and arrays are the indices of other values.
func (s *stateReader) flat(text string) {
	for _, v := range s.json(text) {
		if len(v.list) > 0 {
			left := 4 * maxNodes
			s.found["__NUXT__"]++
			s.read("__NUXT__", s.unflatten(v.list, 0, 0, &left))
		}
	}
}

// unflatten returns value i of all. It makes at most left values.
func (s *stateReader) unflatten(all []jsonValue, i, depth int, left *int) jsonValue {
	s.steps.Take(1)
	if *left--; *left < 0 || i < 0 || i >= len(all) || depth > maxDepth {
		return jsonValue{kind: 'w'}
	}
	at := func(v jsonValue) jsonValue {
		n, err := strconv.Atoi(v.text)
		if err != nil || v.kind != '0' {
			return jsonValue{kind: 'w'}
		}
		return s.unflatten(all, n, depth+1, left)
	}
	out := jsonValue{kind: all[i].kind, text: all[i].text}
	for _, m := range all[i].members {
		if s.promises != nil {
			n, err := strconv.Atoi(strings.TrimPrefix(m.name, "_"))
			if err != nil || n < 0 || n >= len(all) {
				continue
			}
			m.name = all[n].text
		}
		out.members = append(out.members, jsonMember{m.name, at(m.value)})
	}
	list := all[i].list
	if len(list) == 2 && list[0].text == "P" && s.promises != nil {
		if n, ok := s.promises[list[1].text]; ok && list[0].kind == '"' {
			return s.unflatten(all, n, depth+1, left)
		}
		return jsonValue{kind: 'w'}
	}
	if len(list) > 0 && list[0].kind == '"' { // a type and its value
		if len(list) == 2 && list[1].kind == '0' {
			return at(list[1])
		}
		list = list[1:]
	}
	for _, v := range list {
		out.list = append(out.list, at(v))
	}
	return out
}

// flight reads the rows of the variable __next_f of Next.js. A row is a number, a
// colon, and JSON or a text with its length.
func (s *stateReader) flight() {
	s.texts = map[string]string{}
	var all []jsonValue
	for rest := s.rows.String(); rest != ""; {
		s.steps.Take(1)
		id, row, ok := strings.Cut(rest, ":")
		if !ok {
			break
		}
		if text, isText := strings.CutPrefix(row, "T"); isText {
			size, body, _ := strings.Cut(text, ",")
			n, err := strconv.ParseUint(size, 16, 31)
			if err != nil || int(n) > len(body) {
				break
			}
			s.texts["$"+strings.TrimSpace(id)] = body[:n]
			rest = body[n:]
			continue
		}
		row, rest, _ = strings.Cut(row, "\n")
		all = append(all, s.json(row)...)
	}
	for _, v := range all {
		s.read("__next_f", v)
	}
}

// member returns the member of an object with one of these names, or null.
func (v jsonValue) member(names ...string) jsonValue {
	for _, name := range names {
		for _, m := range v.members {
			if m.name == name && (m.value.text != "" || m.value.members != nil || m.value.list != nil) {
				return m.value
			}
		}
	}
	return jsonValue{kind: 'w'}
}

// secret contains parts of the names of members that are not content of the page, in
// lower case.
var secret = []string{
	"token", "secret", "password", "csrf", "authorization", "session", "cookie", "apikey", "api_key", "i18n", "translation",
	"locale", "messages", "dictionary", "draft", "preview", "config", "related", "recommend",
}

// isSecret reports whether the name of a member contains a part that is in secret.
func isSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(secret, func(part string) bool { return strings.Contains(name, part) })
}

// isDraft reports whether an object is not published.
func isDraft(v jsonValue) bool {
	return v.member("draft", "isDraft").text == "true" || strings.EqualFold(v.member("status").text, "draft") ||
		v.member("published", "isPublished").text == "false"
}

// look looks for objects about the page in v.
func (s *stateReader) look(v jsonValue) {
	s.steps.Take(1)
	for _, i := range v.list {
		s.look(i)
	}
	if v.kind != '{' || isDraft(v) {
		return
	}
	if s.isPage(v) {
		t := &stateText{s: s, state: PageState{Source: s.source, Title: plainText(v.member(titleNames...))}}
		t.tell(v)
		if t.size > s.best {
			s.best = t.size
			t.state.Kinds = s.state.Kinds
			s.state = &t.state
		}
	}
	for _, m := range v.members {
		if !isSecret(m.name) {
			s.look(m.value)
		}
	}
}

// Names of members.
var (
	titleNames = []string{"headline", "title", "name", "heading"}
	pathNames  = []string{"slug", "handle", "path", "url", "canonicalUrl", "canonical", "permalink", "link", "href", "uri", "pathname", "webUrl", "id", "sku"}
	leadNames  = []string{"subtitle", "subheadline", "dek", "standfirst", "lead", "intro", "summary", "excerpt", "shortDescription", "description"}
	bodyNames  = []string{
		"articleBody", "body", "bodyHtml", "body_html", "content", "contentHtml", "html", "text", "descriptionHtml", "longDescription",
		"blocks", "paragraphs", "sections", "components", "json",
	}
	listNames  = []string{"items", "products", "articles", "posts", "results", "entries", "stories", "recipes", "events", "jobs", "listings", "hits", "list"}
	innerNames = []string{"title", "heading", "text", "value", "html", "content", "children", "paragraphs", "body", "blocks", "data", "items", "rendered", "markdown"}
)

// plainText returns v if it is a string, or the rendered text in v, which WordPress
// has.
func plainText(v jsonValue) string {
	if v.kind == '{' {
		v = v.member("rendered")
	}
	if v.kind != '"' && v.kind != '0' {
		return ""
	}
	return strings.TrimSpace(v.text)
}

// isPage reports whether an object describes the page: it has the title of the page or
// the path of its URL.
func (s *stateReader) isPage(v jsonValue) bool {
	const least = 3 // minimum length of a path, in bytes
	for _, name := range pathNames {
		path := plainText(v.member(name))
		if _, rest, ok := strings.Cut(path, "://"); ok {
			_, path, _ = strings.Cut(rest, "/")
		}
		path, _, _ = strings.Cut(path, "?")
		path = strings.Trim(path, "/")
		if len(path) >= least && (path == s.path || strings.HasSuffix(s.path, "/"+path)) {
			return true
		}
	}
	title := folded(plainText(v.member(titleNames...)))
	return title != "" && slices.ContainsFunc(s.titles, func(t string) bool {
		return t == title || 2*len(title) >= len(t) && strings.Contains(t, title)
	})
}

// folded returns the letters and digits of s in lower case, with a space between
// words.
func folded(s string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(clip(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}), " "))
}
