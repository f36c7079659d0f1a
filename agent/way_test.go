// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/llm"
)

// beers is the page of the example, as the Fetcher returns it.
const beers = `# Our beers

Free delivery from £45.

## Beer of the month

**[Old Badger](/beers/old-badger)** for only £4.60

## All beers

### [Old Badger](/beers/old-badger)

Stout · 6.2% ABV · 50 cl bottle

£4.60 · Vegan

### [Silver Magpie](/beers/silver-magpie)

Pale ale · 4.1% ABV · 440 ml can

£5.20 · Contains lactose
`

// reading is what the model of the example replies. It copies values and cites their lines. It
// makes one mistake: no line says that Silver Magpie is a lager.
const reading = `{"kind":"list","total":-1,"rows":[
 {"v":{"beer":"Old Badger","price":"£4.60"},"ln":{"beer":[4,4],"price":[4,4]}},
 {"v":{"beer":"Old Badger","style":"Stout","size_ml":"50 cl","price":"£4.60","vegan":true},
  "ln":{"beer":[6,6],"style":[7,7],"size_ml":[7,7],"price":[8,8],"vegan":[8,8]}},
 {"v":{"beer":"Silver Magpie","style":"Lager","size_ml":"440 ml","price":"£5.20","vegan":false},
  "ln":{"beer":[9,9],"style":[10,10],"size_ml":[10,10],"price":[11,11],"vegan":[11,11]}}]}`

// This example follows one page from its lines to a row of the answer. The section "From a
// line to a row" in docs/decisions/006-agent.md names the functions that do each step.
func Example_fromLineToRow() {
	titles := []string{"1. The lines that the model sees:", "3. It is asked once more about the row that lost a value, and gives the same reply:"}
	model := chat(func(_ context.Context, system, user string) (string, error) {
		if strings.Contains(system, "# curlew agent: plan") {
			return `{"shape":"list","tables":[{"id":"T1","what":"beer","keys":["beer"],"conditions":[{"field":"price","op":"<","value":"5","unit":"£","words":"under £5"}]}]}`, nil
		}
		if len(titles) == 1 {
			fmt.Println("2. It replies:\n" + reading)
		}
		_, page, _ := strings.Cut(user, "<<<page ")
		page, _, _ = strings.Cut(page[strings.IndexByte(page, '\n')+1:], "\n>>>")
		fmt.Println(titles[0] + "\n" + page)
		titles = titles[1:]
		return reading, nil
	})
	trace := &agent.Trace{Event: func(_ string, e journal.Event) {
		if e.Kind != journal.EventExtracted {
			return
		}
		fmt.Println("4. The values that the lines state:")
		for _, row := range e.Extracted.Rows {
			var cells []string
			for _, name := range slices.Sorted(maps.Keys(row)) {
				c := row[name]
				cells = append(cells, fmt.Sprintf("%s = %v (%s, line %d)", name, c.Value, c.Grade, c.Lines[0]))
			}
			fmt.Println(strings.Join(cells, "; "))
		}
	}}
	engine := agent.Engine{Model: model, Fetch: shelf{"https://brewery.test/": beers}, Trace: trace}
	result, err := engine.Run(context.Background(), agent.Task{
		Prompt: "Beers under £5",
		URLs:   []string{"https://brewery.test/"},
		Strict: true,
		Schema: json.RawMessage(`{"type":"object","properties":{"beers":{"type":"array","items":{"type":"object","properties":{
			"beer":{"type":"string"},"style":{"type":"string"},"size_ml":{"type":"integer"},"price":{"type":"number"},"vegan":{"type":"boolean"}},"required":["beer"]}}}}`),
		Limits: agent.Limits{Credits: 100 * llm.Credit},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("5. The answer, merged and filtered:\n" + string(result.Data))
	fmt.Println("6. Its evidence:")
	for _, pointer := range slices.Sorted(maps.Keys(result.Fields)) {
		e := result.Fields[pointer]
		fmt.Println(pointer, e.Source, e.Lines, e.Grade)
	}
	for _, i := range result.Issues {
		if i.Kind == finding.IssueUnsupported {
			fmt.Println("7. What was left out:", i.Detail)
		}
	}
	// Output:
	// 1. The lines that the model sees:
	// 1| # Our beers
	// 2| Free delivery from £45.
	// 3| ## Beer of the month
	// 4| **[Old Badger](L1)** for only £4.60
	// 5| ## All beers
	// 6| ### [Old Badger](L1)
	// 7| Stout · 6.2% ABV · 50 cl bottle
	// 8| £4.60 · Vegan
	// 9| ### [Silver Magpie](L2)
	// 10| Pale ale · 4.1% ABV · 440 ml can
	// 11| £5.20 · Contains lactose
	// 2. It replies:
	// {"kind":"list","total":-1,"rows":[
	//  {"v":{"beer":"Old Badger","price":"£4.60"},"ln":{"beer":[4,4],"price":[4,4]}},
	//  {"v":{"beer":"Old Badger","style":"Stout","size_ml":"50 cl","price":"£4.60","vegan":true},
	//   "ln":{"beer":[6,6],"style":[7,7],"size_ml":[7,7],"price":[8,8],"vegan":[8,8]}},
	//  {"v":{"beer":"Silver Magpie","style":"Lager","size_ml":"440 ml","price":"£5.20","vegan":false},
	//   "ln":{"beer":[9,9],"style":[10,10],"size_ml":[10,10],"price":[11,11],"vegan":[11,11]}}]}
	// 3. It is asked once more about the row that lost a value, and gives the same reply:
	// 7| Stout · 6.2% ABV · 50 cl bottle
	// 8| £4.60 · Vegan
	// 9| ### [Silver Magpie](L2)
	// 10| Pale ale · 4.1% ABV · 440 ml can
	// 11| £5.20 · Contains lactose
	// 4. The values that the lines state:
	// beer = Old Badger (exact, line 4); price = 4.6 (normalized, line 4)
	// beer = Old Badger (exact, line 6); price = 4.6 (normalized, line 8); size_ml = 500 (normalized, line 7); style = Stout (exact, line 7); vegan = true (derived, line 8)
	// beer = Silver Magpie (exact, line 9); price = 5.2 (normalized, line 11); size_ml = 440 (normalized, line 10); vegan = false (derived, line 11)
	// 5. The answer, merged and filtered:
	// {"beers":[{"beer":"Old Badger","price":4.6,"size_ml":500,"style":"Stout","vegan":true}]}
	// 6. Its evidence:
	// /beers/0/beer S1 [4 4] exact
	// /beers/0/price S1 [4 4] normalized
	// /beers/0/size_ml S1 [7 7] normalized
	// /beers/0/style S1 [7 7] exact
	// /beers/0/vegan S1 [8 8] derived
	// 7. What was left out: style "Lager"
}

// TestWay checks that the functions and types exist that decision 006 names in its section "From
// a line to a row".
func TestWay(t *testing.T) {
	text, err := os.ReadFile("../docs/decisions/006-agent.md")
	if err != nil {
		t.Fatal(err)
	}
	_, way, found := strings.Cut(string(text), "## From a line to a row\n")
	way, _, _ = strings.Cut(way, "\n## ")
	declared := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	internal, err := filepath.Glob("internal/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(files, internal, []string{"finding/row.go"}) {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				declared[nameOf(f.Name.Name, d)] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						declared[f.Name.Name+"."+t.Name.Name] = true
					}
				}
			}
		}
	}
	n := 0
	for _, m := range regexp.MustCompile("`([a-z]+\\.[A-Za-z]+(?:\\.[A-Za-z]+)?)`").FindAllStringSubmatch(way, -1) {
		if n++; !declared[m[1]] {
			t.Errorf("there is no %s", m[1])
		}
	}
	if !found || n < 15 {
		t.Errorf("%d functions", n)
	}
}

// nameOf returns the name of a function as the section writes it: lines.Numbered,
// grounding.Citer.Check. The package agent is left out: reader.take.
func nameOf(pkg string, fn *ast.FuncDecl) string {
	name := fn.Name.Name
	if fn.Recv != nil {
		of := fn.Recv.List[0].Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		if id, ok := of.(*ast.Ident); ok {
			name = id.Name + "." + name
		}
	}
	if pkg == "agent" && fn.Recv != nil {
		return name
	}
	return pkg + "." + name
}
