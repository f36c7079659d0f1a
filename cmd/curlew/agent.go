// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/openai"
	"example.com/curlew/agent/outcome"
	"example.com/curlew/agent/search"
	"example.com/curlew/cmd/curlew/internal/serve"
	"example.com/curlew/fetch"
)

// secret returns the value of an environment variable, or the content of the file that
// the variable with _FILE names.
func secret(name string) (string, error) {
	if path := os.Getenv(name + "_FILE"); path != "" {
		text, err := os.ReadFile(path) //nolint:gosec // the user names the file
		if err != nil {
			return "", fmt.Errorf("%s_FILE: %w", name, err)
		}
		return strings.TrimSpace(string(text)), nil
	}
	return os.Getenv(name), nil
}

// missing returns an error for an engine that is not configured.
func missing(format string, args ...any) error {
	return &fault{exitEngine, fmt.Errorf(format, args...)}
}

// provider returns the search provider that the environment names, or nil. The caller
// must call the function at the end.
func provider() (search.Provider, func(), error) {
	base := os.Getenv("CURLEW_SEARXNG_URL")
	key, err := secret("CURLEW_BRAVE_KEY")
	if base == "" && (err != nil || key == "") {
		return nil, func() {}, err
	}
	provider, end := serve.Provider(base, key)
	return provider, end, nil
}

// searchWeb is the command search.
func searchWeb(e *env, f *flag.FlagSet) action {
	r := new(search.Request)
	several := func(to *[]string) func(string) error {
		return func(s string) error { *to = append(*to, s); return nil }
	}
	f.IntVar(&r.N, "limit", 10, "maximum `number` of hits")
	f.Func("site", "only hits of this `domain`; may be repeated", several(&r.Include))
	f.Func("not-site", "no hits of this `domain`; may be repeated", several(&r.Exclude))
	timeout := f.Duration("timeout", time.Minute, "give up after this `time`")
	return func(words []string) error {
		switch {
		case len(words) == 0:
			return usage("search needs a query, such as: curlew search curlew conservation")
		case r.N < 1 || r.N > 100:
			return usage("--limit is 1 to 100")
		case r.Include != nil && r.Exclude != nil:
			return usage("--site and --not-site exclude each other")
		}
		r.Text = strings.Join(words, " ")
		from, end, err := provider()
		if err != nil {
			return err
		}
		defer end()
		if from == nil {
			return missing("no search provider is configured: set CURLEW_SEARXNG_URL, or CURLEW_BRAVE_KEY")
		}
		service := &curlew.Service{Searcher: from}
		found, err := service.Search(e.ctx, r, &curlew.SearchOptions{Timeout: *timeout})
		if err != nil {
			return err
		}
		if found.Warning != "" {
			e.say("warning: %s", clean(found.Warning))
		}
		hits := found.Hits[search.Web]
		for _, h := range hits {
			if e.asJSON {
				err = json.NewEncoder(e.out).Encode(map[string]any{"url": h.URL, "title": h.Title, "description": h.Text, "position": h.Position})
			} else {
				_, err = fmt.Fprintf(e.out, "%s\n  %s\n", h.URL, clean(h.Title))
			}
			if err != nil {
				return err
			}
		}
		if len(hits) == 0 {
			return errors.New("nothing was found")
		}
		return nil
	}
}

// askAgent is the command agent.
func askAgent(e *env, f *flag.FlagSet) action {
	var urls []string
	f.Func("url", "look on the site of this `URL`; may be repeated", func(s string) error {
		urls = append(urls, fetch.AddScheme(s))
		return nil
	})
	strict := f.Bool("strict-urls", false, "read only the given URLs")
	schema := f.String("schema", "", "`file` with the JSON Schema of the answer; if not given, the agent makes one")
	credits := f.Int64("max-credits", 100, "maximum `number` of credits: one for a page, and the model by its tokens")
	return func(words []string) error {
		switch {
		case len(words) == 0:
			return usage(`agent needs a question, such as: curlew agent --url example.com "Which birds nest here?"`)
		case *credits < 1:
			return usage("--max-credits is at least 1")
		case *strict && urls == nil:
			return usage("--strict-urls needs --url")
		}
		task := agent.Task{
			Prompt: strings.Join(words, " "), URLs: urls, Strict: *strict, Model: os.Getenv("CURLEW_MODEL"),
			Limits: agent.Limits{Credits: agent.Credits(*credits) * llm.Credit},
		}
		if *schema != "" {
			var err error
			if task.Schema, err = os.ReadFile(*schema); err != nil {
				return err
			}
		}
		base := os.Getenv("CURLEW_MODEL_URL")
		if base == "" || task.Model == "" {
			return missing("no model is configured: set CURLEW_MODEL_URL (such as https://api.openai.com/v1), CURLEW_MODEL and CURLEW_MODEL_KEY")
		}
		key, err := secret("CURLEW_MODEL_KEY")
		if err != nil {
			return err
		}
		from, end, err := provider()
		if err != nil {
			return err
		}
		defer end()
		client := e.client()
		defer client.CloseIdleConnections()
		model := &openai.Model{URL: base, Key: key}
		defer model.CloseIdleConnections()
		service := &curlew.Service{Fetcher: client, UserAgent: e.agent, LocalNames: e.private, Searcher: from, Agent: &agent.Engine{Model: model}}
		run, err := service.Agents().Start(e.ctx, task)
		if err != nil {
			return err
		}
		e.follow(run)
		result, err := run.Wait(e.ctx)
		if err != nil {
			return err
		}
		return e.answer(result)
	}
}

// follow says what an agent does, until it ends.
func (e *env) follow(run *agent.Run) {
	for event := range run.Events(e.ctx) {
		switch {
		case event.Page != nil:
			e.say("%8s  read %s %s", event.Spent, clean(event.Page.URL), clean(string(event.Page.Trouble)))
		case event.Extracted != nil && event.Extracted.Count > 0:
			e.say("%8s  %d rows from %s", event.Spent, event.Extracted.Count, clean(event.Extracted.Source))
		}
	}
}

// answer prints the result of an agent: its data on the standard output, and sources and
// issues beside it. An answer that is not complete ends with exit code 3.
func (e *env) answer(result *agent.Result) error {
	found := outcome.Of(result)
	if e.asJSON {
		if err := json.NewEncoder(e.out).Encode(&found); err != nil {
			return err
		}
	} else if len(found.Data) > 0 {
		indented, err := json.MarshalIndent(found.Data, "", "  ")
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(e.out, "%s\n", indented); err != nil {
			return err
		}
	}
	for _, s := range found.Sources {
		e.say("source: %s  %s", clean(s.URL), clean(s.Title))
	}
	for _, i := range found.Issues {
		e.say("%s: %s %s", i.Code, clean(i.Path), clean(i.Message))
	}
	e.say("%s credits, %d pages, %d calls of the model", result.Spend.Credits, result.Spend.Pages, result.Spend.Calls)
	if result.Stop != finding.ReasonDone || found.Partial || !result.Valid {
		return &fault{exitInput, fmt.Errorf("the answer is not complete: %s", found.StopReason)}
	}
	return nil
}
