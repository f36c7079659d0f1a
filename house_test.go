// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "example.com/curlew"

// A room is one package: the rooms it may open a door to, the outside
// packages that are its own, and the outside packages of its tests alone.
// An outside path stands for itself and for what lies below it.
type room struct{ rooms, outside, tests []string }

// What several rooms own together; every other outside path has one owner.
const (
	nodes = "golang.org/x/net/html"    // the tree between the rooms
	text  = "golang.org/x/text"        // charsets, bidi
	cmp   = "github.com/google/go-cmp" // every test
)

// arrows is all that a room may ever reach, by whatever way. The plan grows
// with the tree; the arrows do not.
var arrows = map[string][]string{
	"account":  {"audit", "threat"},
	"agent":    nil,
	"audit":    nil,
	"crawl":    {"fetch"},
	"fetch":    nil,
	"format":   {"markdown"},
	"job":      {"crawl", "fetch"},
	"markdown": nil,
	"parse":    nil,
	"threat":   nil,
	"webhook":  {"crawl", "fetch", "job"},
}

// house is the floor plan: one line a room, written with the room's first
// file.
var house = map[string]room{
	".":                           {rooms: []string{"account", "agent", "audit", "crawl", "crawl/pace", "crawl/robots", "fetch", "format", "internal/admission", "internal/jsonenc", "internal/links", "internal/netguard", "internal/schema", "internal/uuid", "internal/weburl", "internal/wire", "job", "parse", "threat", "webhook"}, outside: []string{"github.com/coder/websocket"}},
	"account":                     {rooms: []string{"audit", "internal/journal", "internal/uuid", "threat"}},
	"agent":                       {rooms: []string{"internal/dom", "internal/schema", "internal/structured", "internal/weburl"}, outside: []string{nodes, text}},
	"agent/agenttest":             {rooms: []string{"agent", "internal/links", "internal/test/pdftest", "internal/test/webtest", "internal/weburl", "markdown", "parse"}, outside: []string{nodes}},
	"agent/openai":                {rooms: []string{"agent", "internal/netguard"}, outside: []string{"github.com/sashabaranov/go-openai"}},
	"agent/search":                {rooms: []string{"agent", "internal/weburl"}},
	"audit":                       {rooms: []string{"internal/netguard", "internal/weburl"}},
	"audit/audittest":             {rooms: []string{"audit"}},
	"crawl":                       {rooms: []string{"crawl/pace", "crawl/robots", "crawl/sitemap", "fetch", "internal/dom", "internal/links", "internal/weburl"}, outside: []string{"github.com/cespare/xxhash/v2", nodes}},
	"crawl/frontiertest":          {rooms: []string{"crawl"}},
	"crawl/pace":                  {},
	"crawl/robots":                {tests: []string{"github.com/temoto/robotstxt"}},
	"crawl/sitemap":               {rooms: []string{"internal/weburl"}},
	"fetch":                       {rooms: []string{"internal/netguard", "internal/weburl"}, outside: []string{"github.com/andybalholm/brotli", "github.com/klauspost/compress"}},
	"fetch/fetchtest":             {rooms: []string{"fetch", "internal/test/webtest"}},
	"format":                      {rooms: []string{"internal/adblock", "internal/content", "internal/doctree", "internal/dom", "internal/linediff", "internal/pii", "internal/schema", "internal/selector", "internal/structured", "internal/weburl", "markdown"}, outside: []string{"github.com/tdewolff/parse/v2", nodes}},
	"format/formattest":           {rooms: []string{"format"}, outside: []string{"github.com/google/go-cmp/cmp"}},
	"internal/adblock":            {rooms: []string{"internal/selector", "internal/weburl"}, outside: []string{nodes}},
	"internal/admission":          {},
	"internal/cfb":                {outside: []string{text}, tests: []string{"github.com/richardlehane/mscfb"}},
	"internal/content":            {rooms: []string{"internal/dom"}, outside: []string{nodes}},
	"internal/content/train":      {rooms: []string{"internal/content", "internal/dom"}},
	"internal/csv":                {rooms: []string{"internal/doctree"}, outside: []string{nodes}},
	"internal/doc":                {rooms: []string{"internal/cfb", "internal/doctree", "internal/mathtex", "internal/odraw", "internal/ooxml"}, outside: []string{nodes}},
	"internal/doctree":            {outside: []string{nodes}},
	"internal/docx":               {rooms: []string{"internal/doctree", "internal/mathtex", "internal/ooxml", "internal/zipxml"}, outside: []string{nodes}},
	"internal/dom":                {outside: []string{nodes, text}},
	"internal/epub":               {rooms: []string{"internal/doctree", "internal/dom", "internal/mathtex", "internal/weburl", "internal/zipxml"}, outside: []string{nodes}},
	"internal/journal":            {},
	"internal/jsonenc":            {},
	"internal/linediff":           {},
	"internal/links":              {rooms: []string{"internal/weburl"}, outside: []string{nodes}},
	"internal/lock":               {rooms: []string{"internal/cfb"}, tests: []string{"github.com/xuri/excelize/v2"}},
	"internal/mail":               {rooms: []string{"internal/doctree", "internal/dom", "internal/mapi", "internal/weburl"}, outside: []string{nodes}},
	"internal/mapi":               {rooms: []string{"internal/cfb"}},
	"internal/mathtex":            {rooms: []string{"internal/zipxml"}, outside: []string{nodes}},
	"internal/md":                 {outside: []string{"github.com/yuin/goldmark"}},
	"internal/msg":                {rooms: []string{"internal/cfb", "internal/doctree", "internal/mail", "internal/mapi"}, tests: []string{nodes}},
	"internal/netguard":           {rooms: []string{"internal/weburl"}},
	"internal/numfmt":             {},
	"internal/odf":                {rooms: []string{"internal/doctree", "internal/mathtex", "internal/ooxml", "internal/sheet", "internal/zipxml"}, outside: []string{nodes}},
	"internal/odraw":              {},
	"internal/ooxml":              {rooms: []string{"internal/doctree", "internal/numfmt", "internal/zipxml"}, outside: []string{nodes}},
	"internal/pattern":            {},
	"internal/pdf":                {rooms: []string{"internal/doctree", "internal/pdf/content", "internal/pdf/font", "internal/pdf/layout", "internal/pdf/object", "internal/pdf/raster", "internal/weburl", "internal/zipxml"}, outside: []string{nodes}},
	"internal/pdf/content":        {rooms: []string{"internal/pdf/font", "internal/pdf/object"}},
	"internal/pdf/fax":            {},
	"internal/pdf/font":           {rooms: []string{"internal/pdf/object"}},
	"internal/pdf/jbig2":          {rooms: []string{"internal/pdf/fax", "internal/pdf/mq"}},
	"internal/pdf/jpx":            {rooms: []string{"internal/pdf/mq"}},
	"internal/pdf/layout":         {rooms: []string{"internal/pdf/content", "internal/pdf/font"}, outside: []string{text}},
	"internal/pdf/mq":             {},
	"internal/pdf/object":         {outside: []string{text}, tests: []string{"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"}},
	"internal/pdf/raster":         {rooms: []string{"internal/pdf/content", "internal/pdf/fax", "internal/pdf/jbig2", "internal/pdf/jpx", "internal/pdf/object"}},
	"internal/picture":            {rooms: []string{"internal/pdf/content", "internal/pdf/object", "internal/pdf/raster"}},
	"internal/pii":                {},
	"internal/ppt":                {rooms: []string{"internal/cfb", "internal/doctree", "internal/odraw"}, outside: []string{nodes}},
	"internal/pptx":               {rooms: []string{"internal/doctree", "internal/mathtex", "internal/ooxml", "internal/zipxml"}, outside: []string{nodes}},
	"internal/program":            {},
	"internal/rtf":                {rooms: []string{"internal/cfb", "internal/doctree", "internal/mathtex", "internal/ooxml", "internal/zipxml"}, outside: []string{nodes}},
	"internal/schema":             {rooms: []string{"internal/pattern"}, outside: []string{"github.com/santhosh-tekuri/jsonschema/v6"}},
	"internal/selector":           {rooms: []string{"internal/pattern"}, outside: []string{nodes}, tests: []string{"github.com/andybalholm/cascadia"}},
	"internal/sheet":              {rooms: []string{"internal/doctree", "internal/numfmt", "internal/zipxml"}, outside: []string{nodes}},
	"internal/structured":         {rooms: []string{"internal/dom"}, outside: []string{nodes}},
	"internal/test/cfbtest":       {},
	"internal/test/doctreetest":   {rooms: []string{"internal/doctree"}},
	"internal/test/evil":          {},
	"internal/test/golden":        {outside: []string{cmp}},
	"internal/test/journaltest":   {rooms: []string{"internal/journal"}},
	"internal/test/leak":          {},
	"internal/test/memtest":       {},
	"internal/test/pdftest":       {},
	"internal/test/roundtriptest": {},
	"internal/test/scoretest":     {outside: []string{nodes}},
	"internal/test/webtest":       {},
	"internal/test/zipxmltest":    {},
	"internal/uuid":               {},
	"internal/weburl":             {outside: []string{"golang.org/x/net/idna", "golang.org/x/net/publicsuffix"}, tests: []string{text}},
	"internal/wire":               {rooms: []string{"internal/jsonenc", "internal/pattern"}},
	"internal/xls":                {rooms: []string{"internal/cfb", "internal/doctree", "internal/odraw", "internal/ooxml", "internal/sheet"}, outside: []string{nodes}},
	"internal/xlsx":               {rooms: []string{"internal/doctree", "internal/ooxml", "internal/sheet", "internal/zipxml"}, outside: []string{nodes}, tests: []string{"github.com/xuri/excelize/v2"}},
	"internal/zipxml":             {},
	"job":                         {rooms: []string{"crawl", "internal/journal", "internal/uuid"}},
	"job/jobtest":                 {rooms: []string{"crawl", "job"}},
	"markdown":                    {rooms: []string{"internal/doctree", "internal/dom", "internal/mathtex", "internal/weburl"}, outside: []string{nodes}, tests: []string{"github.com/yuin/goldmark"}},
	"parse":                       {rooms: []string{"internal/cfb", "internal/csv", "internal/doc", "internal/doctree", "internal/docx", "internal/dom", "internal/epub", "internal/lock", "internal/mail", "internal/md", "internal/msg", "internal/odf", "internal/pdf", "internal/picture", "internal/ppt", "internal/pptx", "internal/rtf", "internal/xls", "internal/xlsx", "internal/zipxml"}, outside: []string{nodes}, tests: []string{"github.com/xuri/excelize/v2"}},
	"parse/ocr/poppler":           {rooms: []string{"internal/program", "parse"}},
	"parse/ocr/tesseract":         {rooms: []string{"internal/program", "parse"}},
	"parse/ocr/vision":            {rooms: []string{"internal/netguard", "parse"}},
	"parse/parsetest":             {rooms: []string{"parse"}},
	"parse/subprocess":            {rooms: []string{"parse"}, outside: []string{nodes}},
	"threat":                      {rooms: []string{"internal/weburl"}},
	"threat/threattest":           {rooms: []string{"threat"}},
	"threat/webrisk":              {rooms: []string{"internal/netguard", "threat"}},
	"webhook":                     {rooms: []string{"internal/jsonenc", "internal/netguard", "internal/uuid", "internal/weburl", "job"}},
}

// calls is what only the named rooms may use of a package that all may
// import. A pointer type such as *http.Client is no use: it names a thing
// that somebody else made.
var calls = []struct {
	path, names string // names is a regular expression; empty means the import itself
	rooms       []string
	why         string
}{
	{"net", `^(Dial.*|Lookup.*|Resolver|DefaultResolver)$`, []string{"internal/netguard"}, "netguard dials and resolves"},
	{"crypto/tls", `^Dial`, []string{"internal/netguard"}, "netguard dials"},
	{"net/http", `^(Client|Transport|Default.*|Get|Head|Post.*|ProxyFromEnvironment)$`, []string{"internal/netguard"}, "clients come from netguard"},
	{"net/url", `^Parse(RequestURI)?$`, []string{"internal/weburl"}, "weburl is the only URL parser"},
	{"os/exec", ``, []string{"internal/program", "parse/subprocess"}, "no outside programs but what an operator installs; subprocess runs its own"},
	{"golang.org/x/net/html", `^Parse`, []string{"internal/dom"}, "dom bounds the document and survives deep nesting"},
	{"os", `^(Getenv|LookupEnv|Environ|ExpandEnv)$`, []string{"internal/program"}, "configuration is the caller's"},
	{"context", `^(Background|TODO)$`, []string{"internal/content/train", "parse/subprocess"}, "the caller's context; a program has none"},
	{"time", `^Sleep$`, nil, "a timer and ctx.Done()"},
	{"fmt", `^Print`, nil, "a library is silent"},
	{"log", ``, nil, "slog, through the caller's Logger"},
	{"math/rand", ``, nil, "math/rand/v2"},
	{"testing", ``, nil, "test support lives in rooms of its own"},
}

// anyTest is what every test may import besides its room's own.
var anyTest = []string{cmp}

func TestHouse(t *testing.T) {
	used := map[string][]string{} // room -> entries of its plan that some file needs
	ownModule := func(dir string) bool { _, err := os.Stat(filepath.Join(dir, "go.mod")); return err == nil }
	walk(t, ownModule, func(file, name string, f *ast.File) {
		plan, ok := house[name]
		if !ok {
			t.Errorf("%s: the room %s is not in the plan", file, name)
			return
		}
		used[name] = append(used[name], "")
		for _, imp := range imports(f) {
			entry, fault := plan.admit(imp, strings.HasSuffix(file, "_test.go"))
			if fault != "" {
				t.Errorf("%s imports %s: %s", file, imp, fault)
			}
			used[name] = append(used[name], entry)
		}
	})
	for _, name := range slices.Sorted(maps.Keys(house)) {
		if used[name] == nil {
			t.Errorf("the plan has a room %s, the tree has none", name)
			continue
		}
		plan := house[name]
		for _, entry := range slices.Concat(plan.rooms, plan.outside, plan.tests) {
			if !slices.Contains(used[name], entry) {
				t.Errorf("the plan gives %s the door %s, which no file uses", name, entry)
			}
		}
	}
}

// TestHouseCalls covers the nested modules too.
func TestHouseCalls(t *testing.T) {
	walk(t, func(string) bool { return false }, func(file, name string, f *ast.File) {
		if support(name) || strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, c := range calls {
			switch names := regexp.MustCompile(c.names); {
			case slices.Contains(c.rooms, name):
			case c.names == "" && slices.Contains(imports(f), c.path):
				t.Errorf("%s imports %s: %s", file, c.path, c.why)
			case c.names != "":
				for _, use := range uses(f, c.path) {
					if names.MatchString(use) {
						t.Errorf("%s uses %s.%s: %s", file, c.path, use, c.why)
					}
				}
			}
		}
	})
}

// TestHousePlan checks the plan itself: doors lead to rooms, no room reaches
// past its arrows, internal rooms are leaves, test support stays in tests, and
// an outside path has one owner.
func TestHousePlan(t *testing.T) {
	owner := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(house)) {
		for _, to := range house[name].rooms {
			if _, ok := house[to]; !ok {
				t.Errorf("%s has a door to %s, which is no room", name, to)
			}
			if strings.HasPrefix(name, "internal/") && !strings.HasPrefix(to, "internal/") {
				t.Errorf("%s has a door to %s: internal rooms are leaves", name, to)
			}
			if support(to) && !support(name) {
				t.Errorf("%s has a door to %s, which is for tests", name, to)
			}
		}
		for _, p := range house[name].outside {
			if first, taken := owner[p]; taken && p != nodes && p != text && p != cmp {
				t.Errorf("%s and %s both own %s", first, name, p)
			}
			owner[p] = name
		}
	}
	for name, may := range arrows {
		for to := range reach(name, map[string]bool{}) {
			top, _, _ := strings.Cut(to, "/")
			if top != "internal" && top != name && !slices.Contains(may, top) {
				t.Errorf("%s reaches %s, and may reach %v only", name, to, may)
			}
		}
	}
}

// support reports whether the room exists for tests.
func support(name string) bool {
	return strings.HasSuffix(name, "test") || strings.HasPrefix(name, "internal/test/")
}

// walk calls visit for every Go file of the tree, whatever its build tags,
// but for data, for programs, and for directories that skip names.
func walk(t *testing.T, skip func(dir string) bool, visit func(file, room string, f *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != ".":
			programs := slices.Contains([]string{"bench", "cmd", "examples", "tools"}, p)
			if programs || d.Name() == "testdata" || strings.ContainsAny(d.Name()[:1], "._") || skip(p) {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() || filepath.Ext(p) != ".go":
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, 0)
		if err == nil {
			visit(p, filepath.ToSlash(filepath.Dir(p)), f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// imports returns the paths that f imports.
func imports(f *ast.File) []string {
	var paths []string
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value) // the parser took it
		paths = append(paths, p)
	}
	return paths
}

// uses returns the names that f uses of the package at from.
func uses(f *ast.File, from string) []string {
	local := ""
	for i, p := range imports(f) {
		if p == from {
			local = path.Base(p)
			if name := f.Imports[i].Name; name != nil {
				local = name.Name
			}
		}
	}
	var names []string
	if local == "" {
		return names
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StarExpr:
			_, named := n.X.(*ast.SelectorExpr)
			return !named
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && id.Name == local {
				names = append(names, n.Sel.Name)
			}
		}
		return true
	})
	return names
}

// admit returns the entry of r's plan that lets a file import imp, or the
// fault that forbids it. Both are empty where no entry is needed.
func (r room) admit(imp string, test bool) (entry, fault string) {
	covers := func(p string) bool { return imp == p || strings.HasPrefix(imp, p+"/") }
	inner, ours := strings.CutPrefix(imp, module+"/")
	first, _, _ := strings.Cut(imp, "/")
	if i := slices.IndexFunc(r.outside, covers); i >= 0 {
		return r.outside[i], ""
	}
	switch {
	case ours && slices.Contains(r.rooms, inner):
		return inner, ""
	case test && (ours || imp == module):
		return "", "" // tests may use the library as anyone would
	case imp == module:
		return "", "nothing imports the root"
	case ours:
		return "", "no such door in the plan"
	case imp == "C" || imp == "unsafe":
		return "", "pure Go only"
	case !strings.Contains(first, "."):
		return "", "" // the standard library
	case !test:
		return "", "another room's dependency, or nobody's"
	}
	if i := slices.IndexFunc(r.tests, covers); i >= 0 {
		return r.tests[i], ""
	}
	if slices.ContainsFunc(anyTest, covers) {
		return "", ""
	}
	return "", "not a dependency of this room's tests"
}

// reach adds to seen every room that name reaches, and returns it.
func reach(name string, seen map[string]bool) map[string]bool {
	for _, to := range house[name].rooms {
		if !seen[to] {
			seen[to] = true
			reach(to, seen)
		}
	}
	return seen
}
