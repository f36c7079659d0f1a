// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "example.com/curlew"

// parts is the folder of the packages that only the root imports. Because the
// internal folder of a root package belongs to the whole module, the compiler does
// not enforce this.
const parts = "internal/service/"

// above lists, for each public package, the packages that it and the packages
// below it may import, unless these have their own entry. The packages of one
// folder may import each other. The compiler enforces the rules for internal
// packages.
var above = map[string][]string{
	"account":  {"audit", "threat"},
	"agent":    nil,
	"audit":    nil,
	"client":   nil,
	"crawl":    {"fetch"},
	"export":   nil,
	"fetch":    nil,
	"format":   {"markdown"},
	"job":      {"crawl/frontier", "crawl/pace"},
	"markdown": nil,
	"observe":  {"crawl"},
	"parse":    nil,
	"threat":   nil,
	"webhook":  nil,

	"crawl/frontier": nil,
	"crawl/scope":    nil,

	"observe/label": {"account", "agent", "crawl", "fetch", "job", "parse", "threat"},

	"agent/web": {"crawl", "fetch", "format", "markdown", "parse"},
}

// owners names the only package that may import a dependency. A path stands for
// itself and everything below it. An empty owner allows every package.
var owners = map[string]string{
	"github.com/andybalholm/brotli":            "fetch",
	"github.com/cespare/xxhash/v2":             "crawl/internal/shape",
	"github.com/coder/websocket":               "httpapi",
	"github.com/klauspost/compress/flate":      "internal/inflate",
	"github.com/klauspost/compress/gzip":       "fetch",
	"github.com/klauspost/compress/zlib":       "fetch",
	"github.com/klauspost/compress/zstd":       "fetch",
	"github.com/santhosh-tekuri/jsonschema/v6": "internal/schema",
	"github.com/sashabaranov/go-openai":        "agent/openai",
	"github.com/tdewolff/parse/v2":             "format",
	"github.com/yuin/goldmark":                 "parse/internal/md",
	"golang.org/x/net/html":                    "", // the tree that packages exchange
	"golang.org/x/net/idna":                    "internal/weburl",
	"golang.org/x/text":                        "", // charsets and bidirectional text
}

// judges are dependencies that tests compare with, in addition to owners.
var judges = []string{
	"github.com/andybalholm/cascadia",
	"github.com/google/go-cmp",
	"github.com/pdfcpu/pdfcpu",
	"github.com/richardlehane/mscfb",
	"github.com/temoto/robotstxt",
	"github.com/xuri/excelize/v2",
	"golang.org/x/net/http/httpguts",
	"golang.org/x/net/publicsuffix",
}

// calls lists the parts of a package that only the named packages may use,
// although all may import it. A pointer type such as *http.Client does not
// count, because it only names a value that other code has created.
var calls = []struct {
	path, names string // names is a regular expression; empty forbids the import itself
	packages    []string
	why         string
}{
	{"net", `^(Dial.*|Lookup.*|Resolver|DefaultResolver)$`, []string{"internal/netguard"}, "netguard dials and resolves"},
	{"crypto/tls", `^Dial`, []string{"internal/netguard"}, "netguard dials"},
	{"net/http", `^(Client|Transport|Default.*|Get|Head|Post.*|ProxyFromEnvironment)$`, []string{"client", "internal/netguard", "job/blob/s3", "mcp"}, "clients come from netguard; client calls the server that its user names, mcp a handler in the same process, and s3 a service through the proxy of the environment"},
	{"net/url", `^Parse(RequestURI)?$`, []string{"internal/weburl"}, "weburl is the only URL parser"},
	{"os/exec", ``, []string{"fetch/chrome", "parse/ocr/internal/program", "parse/subprocess"}, "no outside programs but what an operator installs; subprocess runs its own"},
	{"golang.org/x/net/html", `^Parse`, nil, "dom bounds the document and survives deep nesting"},
	{"os", `^(Getenv|LookupEnv|Environ|ExpandEnv)$`, []string{"parse/ocr/internal/program"}, "configuration is the caller's"},
	{"context", `^(Background|TODO)$`, []string{"format/internal/content/train", "parse/subprocess"}, "the caller's context; a program has none"},
	{"time", `^Sleep$`, nil, "a timer and ctx.Done()"},
	{"fmt", `^Print`, nil, "a library is silent"},
	{"log", ``, nil, "slog, through the caller's Logger"},
	{"math/rand", ``, nil, "math/rand/v2"},
	{"testing", ``, nil, "test support lives in packages of its own"},
}

// TestDependencies covers this module. The nested modules are its users.
func TestDependencies(t *testing.T) {
	nested := func(dir string) bool { _, err := os.Stat(filepath.Join(dir, "go.mod")); return err == nil }
	imported := map[string]bool{}
	walk(t, nested, func(file, name string, f *ast.File) {
		test := support(name) || strings.HasSuffix(file, "_test.go")
		for _, imp := range imports(f) {
			if inner, ours := strings.CutPrefix(imp, module); ours {
				if fault := forbidden(name, strings.TrimPrefix(inner, "/")); fault != "" && !test {
					t.Errorf("%s imports %s: %s", file, imp, fault)
				}
				continue
			}
			covers := func(p string) bool { return imp == p || strings.HasPrefix(imp, p+"/") }
			switch first, _, _ := strings.Cut(imp, "/"); {
			case imp == "C" || imp == "unsafe":
				t.Errorf("%s imports %s: pure Go only", file, imp)
			case !strings.Contains(first, "."), test && slices.ContainsFunc(judges, covers):
				continue
			}
			known := false
			for p, owner := range owners {
				if covers(p) {
					known = true
					imported[p] = true
					if owner != "" && owner != name && !test {
						t.Errorf("%s imports %s, which belongs to %s", file, imp, owner)
					}
				}
			}
			if !known && strings.Contains(imp, ".") {
				t.Errorf("%s imports %s, which no package owns", file, imp)
			}
		}
	})
	for p := range owners {
		if !imported[p] {
			t.Errorf("no file imports %s", p)
		}
	}
}

// forbidden returns the reason why package from may not import package to, or
// "".
func forbidden(from, to string) string {
	top := func(name string) string { first, _, _ := strings.Cut(name, "/"); return first }
	switch {
	case support(to):
		return "it is for tests"
	case top(from) == "httpapi" || top(from) == "console":
		return "" // a front end may import everything
	case to == "":
		return "only front ends import the root"
	case strings.HasPrefix(from, parts):
		return "" // a part of the root
	case strings.HasPrefix(to, parts) && from != ".":
		return "it is a part of the root"
	case top(to) == "internal" || from == "." || top(from) == top(to):
		return ""
	case top(from) == "internal":
		return "internal packages know no public one"
	}
	may, public := above[from]
	if !public {
		may, public = above[top(from)]
	}
	if !public || !slices.Contains(may, top(to)) && !slices.Contains(may, to) {
		return "imports point down, and this one is not in the table"
	}
	return ""
}

// TestCalls covers the nested modules as well.
func TestCalls(t *testing.T) {
	walk(t, func(string) bool { return false }, func(file, name string, f *ast.File) {
		if support(name) || strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, c := range calls {
			switch names := regexp.MustCompile(c.names); {
			case slices.Contains(c.packages, name):
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

// TestLinked checks that programs with an engine that does not use the network contain
// no HTTP client and no TLS, which would make them 1.3 MB larger.
func TestLinked(t *testing.T) {
	for _, engine := range []string{"./agent", "./format", "./markdown", "./parse"} {
		list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", engine).Output()
		if err != nil {
			t.Fatalf("go list %s: %v", engine, err)
		}
		for path := range strings.Lines(string(list)) {
			if path = strings.TrimSpace(path); path == "net/http" || path == "crypto/tls" {
				t.Errorf("%s links %s", engine, path)
			}
		}
	}
}

// support reports whether the package is only for tests.
func support(name string) bool {
	return strings.HasSuffix(name, "test") || strings.HasPrefix(name, "internal/test/")
}

// walk calls visit for every Go file of the tree, with any build tags. It
// leaves out data, programs, and directories for which skip returns true.
func walk(t *testing.T, skip func(dir string) bool, visit func(file, name string, f *ast.File)) {
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
		p, _ := strconv.Unquote(spec.Path.Value) // the parser has accepted it
		paths = append(paths, p)
	}
	return paths
}

// uses returns the names from the package at from that f uses.
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
