// SPDX-License-Identifier: Apache-2.0

// Agent answers a question from the web, with a source for each value:
//
//	export CURLEW_MODEL_KEY=...
//	go run ./examples/agent -url https://shop.test/ -schema rows.json "Products and their prices"
//
// It works with any model behind the chat completions API. -model-url is the
// base URL of the API, and -model is the name of the model. A local model needs
// no key:
//
//	go run ./examples/agent -model-url http://localhost:11434/v1 -model qwen3 -url https://go.dev/dl "Newest releases of Go"
//
// With -searxng the agent can search, and then needs no -url. While it works,
// it reports the pages that it reads and their cost on standard error. Then it
// prints the rows as a table with their sources, or with -json the whole
// result.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/openai"
	"example.com/curlew/agent/search"
	"example.com/curlew/fetch"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

// run answers one question.
func run(ctx context.Context, args []string, getenv func(string) string, out, status io.Writer) error {
	flags := flag.NewFlagSet("agent", flag.ContinueOnError)
	flags.SetOutput(status)
	flags.Usage = func() {
		fmt.Fprintln(status, "usage: agent [flags] QUESTION")
		flags.PrintDefaults()
	}
	var urls []string
	flags.Func("url", "search the site of this `URL`; may be repeated", func(u string) error {
		urls = append(urls, fetch.AddScheme(u))
		return nil
	})
	strict := flags.Bool("strict", false, "read only the given URLs")
	schemaFile := flags.String("schema", "", "`file` with the JSON Schema of the answer; if not given, the agent creates a schema")
	credits := flags.Int64("max-credits", 100, "maximum cost in credits: one credit for each page, and the model by its tokens")
	base := flags.String("model-url", "https://api.openai.com/v1", "`URL` of the chat completions API")
	model := flags.String("model", "gpt-5-mini", "`name` of the model; its key is read from CURLEW_MODEL_KEY")
	searxng := flags.String("searxng", "", "`URL` of a SearXNG instance with JSON output")
	private := flags.Bool("allow-private", false, "allow loopback and private addresses")
	asJSON := flags.Bool("json", false, "print the whole result as JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	task := agent.Task{
		Prompt: strings.Join(flags.Args(), " "), URLs: urls, Strict: *strict, Model: *model,
		Limits: agent.Limits{Credits: agent.Credits(*credits) * llm.Credit},
	}
	if *schemaFile != "" {
		schema, err := os.ReadFile(*schemaFile)
		if err != nil {
			return err
		}
		task.Schema = schema
	}

	client := &fetch.Client{}
	if *private {
		client.Allow, client.Ports = private4and6(), []int{-1}
	}
	m := &openai.Model{URL: *base, Key: getenv("CURLEW_MODEL_KEY")}
	defer m.CloseIdleConnections()
	service := &curlew.Service{Fetcher: client, Agent: &agent.Engine{Model: m}}
	if *searxng != "" {
		service.Agent.Search = &search.SearXNG{Base: *searxng, Get: get}
	}
	run, err := service.Agents().Start(ctx, task)
	if err != nil {
		return err
	}
	progress(ctx, run, status)
	result, err := run.Wait(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(status, "%s credits, %d pages, %d model calls, %d tokens in; ended: %s\n",
		result.Spend.Credits, result.Spend.Pages, result.Spend.Calls, result.Spend.Usage.Input, result.Stop)
	if *asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(result)
	}
	return show(out, result)
}

// get sends a request to the search provider. The operator chose it, so it may
// have a private address.
func get(ctx context.Context, url string) ([]byte, error) {
	client := &fetch.Client{Allow: private4and6(), Ports: []int{-1}}
	defer client.CloseIdleConnections()
	resp, err := client.Fetch(ctx, &fetch.Request{URL: url})
	if err != nil {
		return nil, err
	}
	if resp.Status != 200 {
		return nil, &search.StatusError{Status: resp.Status}
	}
	return resp.Body, nil
}

// progress reports events until the run ends.
func progress(ctx context.Context, run *agent.Run, status io.Writer) {
	for e := range run.Events(ctx) {
		switch {
		case e.Page != nil:
			fmt.Fprintf(status, "%8s  read %s %s\n", e.Spent, e.Page.URL, e.Page.Trouble)
		case e.Extracted != nil && e.Extracted.Count > 0:
			fmt.Fprintf(status, "%8s  %d rows of %s by %s\n", e.Spent, e.Extracted.Count, e.Extracted.Source, e.Extracted.Method)
		case e.Decided != nil && e.Decided.Note != "":
			fmt.Fprintf(status, "%8s  %s\n", e.Spent, e.Decided.Note)
		case e.Issue != nil:
			fmt.Fprintf(status, "%8s  %s: %s\n", e.Spent, e.Issue.Kind, e.Issue.Detail)
		}
	}
}

// show prints the tables of a result and the list of its pages.
func show(out io.Writer, r *agent.Result) error {
	var data any
	if err := json.Unmarshal(r.Data, &data); err != nil {
		return err
	}
	index := map[string]int{}
	for i, s := range r.Sources {
		index[s.ID] = i + 1
	}
	printTables(out, "", data, func(pointer string) string {
		var sources []string
		for p, e := range r.Fields {
			if i := index[e.Source]; (p == pointer || strings.HasPrefix(p, pointer+"/")) && i > 0 {
				sources = append(sources, fmt.Sprintf("[%d]", i))
			}
		}
		slices.Sort(sources)
		return strings.Join(slices.Compact(sources), "")
	})
	for i, s := range r.Sources {
		fmt.Fprintf(out, "[%d] %s  %s  %s\n", i+1, s.URL, s.At.UTC().Format(time.RFC3339), s.Title)
	}
	for _, issue := range r.Issues {
		fmt.Fprintf(out, "! %s %s%s\n", issue.Kind, issue.Pointer, ": "+issue.Detail)
	}
	return nil
}

// printTables prints an array of objects as a table. It prints an object field
// by field.
func printTables(out io.Writer, pointer string, data any, sources func(string) string) {
	switch v := data.(type) {
	case []any:
		printTable(out, pointer, v, sources)
	case map[string]any:
		for _, name := range sortedKeys(v) {
			at := pointer + "/" + name
			if _, nested := v[name].([]any); nested {
				fmt.Fprintf(out, "\n%s\n", name)
				printTables(out, at, v[name], sources)
				continue
			}
			fmt.Fprintf(out, "%s: %s %s\n", name, text(v[name]), sources(at))
		}
	default:
		fmt.Fprintln(out, text(v))
	}
}

func printTable(out io.Writer, pointer string, rows []any, sources func(string) string) {
	columns := map[string]any{}
	for _, row := range rows {
		if m, ok := row.(map[string]any); ok {
			for name := range m {
				columns[name] = nil
			}
		}
	}
	names := sortedKeys(columns)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(names, "\t")+"\tsources")
	for i, row := range rows {
		m, ok := row.(map[string]any)
		if !ok {
			fmt.Fprintln(w, text(row))
			continue
		}
		for _, name := range names {
			fmt.Fprint(w, text(m[name]), "\t")
		}
		fmt.Fprintln(w, sources(fmt.Sprintf("%s/%d", pointer, i)))
	}
	_ = w.Flush()
}

func sortedKeys(m map[string]any) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// text returns a value as a single line.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return strings.Join(strings.Fields(v), " ")
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// private4and6 returns the loopback and private networks (RFC 1918, 4193, 6598).
func private4and6() []netip.Prefix {
	var prefixes []netip.Prefix
	for _, n := range []string{"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"} {
		prefixes = append(prefixes, netip.MustParsePrefix(n))
	}
	return prefixes
}
