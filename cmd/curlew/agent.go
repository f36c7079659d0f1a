// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/llm"
	"example.com/curlew/agent/openai"
	"example.com/curlew/agent/outcome"
	"example.com/curlew/agent/search"
	"example.com/curlew/client"
	"example.com/curlew/cmd/curlew/internal/serve"
	"example.com/curlew/fetch"
	"example.com/curlew/format"
)

// secret returns the value of an environment variable, or the content of the file that
// the variable with _FILE names.
func secret(name string) (string, error) { return secretOf(name, "") }

// secretOf returns the content of the file that a flag names, or the secret if there is none.
func secretOf(name, file string) (string, error) {
	fail := usage
	from := "--api-key-file"
	if file == "" {
		file, from, fail = os.Getenv(name+"_FILE"), name+"_FILE", fmt.Errorf
	}
	if file == "" {
		return os.Getenv(name), nil
	}
	text, err := os.ReadFile(file) //nolint:gosec // the user names the file
	if err != nil {
		return "", fail("%s: %w", from, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// missing returns an error for an engine that is not configured.
func missing(format string, args ...any) error {
	return &fault{exitEngine, fmt.Errorf(format, args...)}
}

// configuredModel returns the writer of the model that the environment names, or nil. The
// caller must call the function at the end.
func configuredModel() (format.Writer, func(), error) {
	base, name := os.Getenv("CURLEW_MODEL_URL"), os.Getenv("CURLEW_MODEL")
	if base == "" || name == "" {
		return nil, func() {}, nil
	}
	key, err := secret("CURLEW_MODEL_KEY")
	if err != nil {
		return nil, nil, err
	}
	if err := serve.CheckURL(base); err != nil {
		return nil, nil, usage("CURLEW_MODEL_URL: %w", err)
	}
	model := &openai.Model{URL: base, Key: key}
	return &agent.Writer{Model: model, Profile: llm.Profile{Plan: name}}, model.CloseIdleConnections, nil
}

// provider returns the search provider that the environment names, or nil. The caller
// must call the function at the end.
func provider() (search.Provider, func(), error) {
	base := os.Getenv("CURLEW_SEARXNG_URL")
	key, err := secret("CURLEW_BRAVE_KEY")
	if base == "" && (err != nil || key == "") {
		return nil, func() {}, err
	}
	if err := serve.CheckURL(base); base != "" && err != nil {
		return nil, func() {}, usage("CURLEW_SEARXNG_URL: %w", err)
	}
	provider, end := serve.Provider(base, key)
	return provider, end, nil
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
	table := new(tabular)
	f.BoolVar(&table.on, "csv", false, "write the rows of the answer as CSV; nested values are JSON")
	f.BoolVar(&table.sources, "sources", false, "with --csv, add a column with the URLs of the pages that state the values of a row")
	e.networkFlags(f)
	e.remoteFlags(f)
	return func(words []string) error {
		switch {
		case len(words) == 0:
			return usage(`agent needs a question, such as: curlew agent --url example.com "Which birds nest here?"`)
		case *credits < 1:
			return usage("--max-credits is at least 1")
		case *strict && urls == nil:
			return usage("--strict-urls needs --url")
		case table.on && e.asJSON:
			return usage("--csv excludes --json")
		case table.sources && !table.on:
			return usage("--sources needs --csv: otherwise the sources are listed on the standard error")
		}
		task := agent.Task{
			Prompt: strings.Join(words, " "), URLs: urls, Strict: *strict, Model: os.Getenv("CURLEW_MODEL"),
			Limits: agent.Limits{Credits: agent.Credits(*credits) * llm.Credit},
		}
		if *schema != "" {
			var err error
			if task.Schema, err = os.ReadFile(*schema); err != nil {
				return usage("--schema: %w", err)
			}
		}
		server, err := e.remote()
		if err != nil {
			return err
		}
		if server != nil {
			return e.askServer(server, &task, table)
		}
		return e.ask(&task, table)
	}
}

// tabular says whether an answer is written as CSV.
type tabular struct{ on, sources bool }

// ask runs an agent in this process.
func (e *env) ask(task *agent.Task, table *tabular) error {
	base := os.Getenv("CURLEW_MODEL_URL")
	if base == "" || task.Model == "" {
		return missing("no model is configured: set CURLEW_MODEL_URL (such as https://api.openai.com/v1), CURLEW_MODEL and CURLEW_MODEL_KEY")
	}
	key, err := secret("CURLEW_MODEL_KEY")
	if err != nil {
		return err
	}
	if err := serve.CheckURL(base); err != nil {
		return usage("CURLEW_MODEL_URL: %w", err)
	}
	from, end, err := provider()
	if err != nil {
		return err
	}
	defer end()
	client, err := e.fetcher()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	model := &openai.Model{URL: base, Key: key, Logger: e.logger()}
	defer model.CloseIdleConnections()
	var refusal atomic.Int64 // status of the last refusal of the provider
	engine := &agent.Engine{Model: model, Logger: e.logger(), Trace: &agent.Trace{Called: func(_ string, c agent.CallTrace) {
		if answer, ok := errors.AsType[*openai.Error](c.Err); ok {
			refusal.Store(int64(answer.Status))
		}
	}}}
	service := &curlew.Service{Fetcher: client, UserAgent: e.agent, LocalNames: e.private, Searcher: from, Agent: engine, Logger: e.logger()}
	run, err := service.Agents().Start(e.ctx, *task)
	if err != nil {
		return err
	}
	e.follow(run)
	result, err := run.Wait(e.ctx)
	if err != nil {
		return fruitless(result, err, int(refusal.Load()))
	}
	found := outcome.Of(result)
	if err := e.answer(&found, &found, table); err != nil {
		return err
	}
	e.say("%s credits, %d pages, %d calls of the model", result.Spend.Credits, result.Spend.Pages, result.Spend.Calls)
	if result.Stop != finding.ReasonDone || found.Partial || !result.Valid {
		return incomplete(&found)
	}
	return nil
}

// fruitless returns the error of a run that found nothing, with what its issues say about the
// cause. status is that of the last refusal of the provider of the model, or zero.
func fruitless(result *agent.Result, err error, status int) error {
	if result == nil {
		return err
	}
	var texts []string
	for _, i := range result.Issues {
		if i.Kind == finding.IssueProvider && i.Source == "" && i.URL == "" || i.Kind == finding.IssueLimit {
			texts = append(texts, strings.TrimPrefix(i.Detail, "the model's provider failed: "))
		}
	}
	if texts != nil {
		err = fmt.Errorf("%w: %s", err, strings.Join(texts, "; "))
	}
	if code := refused(status); code != 0 && errors.Is(err, llm.ErrProvider) {
		return &fault{code, err}
	}
	return err
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

// askServer runs an agent on a server. If the command ends before, the agent is cancelled.
func (e *env) askServer(server *client.Client, task *agent.Task, table *tabular) error {
	r := &client.Agent{Prompt: task.Prompt, URLs: task.URLs, Schema: task.Schema, MaxCredits: new(float64(task.Limits.Credits) / float64(llm.Credit))}
	if task.Strict {
		r.StrictConstrainToURLs = new(true)
	}
	begun, err := server.StartAgent(e.ctx, r)
	if err != nil {
		return err
	}
	stop := e.waiting("the agent "+begun.ID+" of the server", 0)
	result, err := server.WaitAgent(e.ctx, begun.ID)
	stop()
	if err != nil {
		ending, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), 10*time.Second)
		defer cancel()
		return errors.Join(err, server.CancelAgent(ending, begun.ID))
	}
	found := new(outcome.Answer)
	if err := json.Unmarshal(result.Raw, found); err != nil {
		return fmt.Errorf("the answer of the server cannot be read: %w", err)
	}
	if err := e.answer(result.Raw, found, table); err != nil {
		return err
	}
	e.say("%d credits", result.CreditsUsed)
	switch {
	case result.Status != "completed":
		return fmt.Errorf("the agent ended as %s: %s", result.Status, result.Error)
	case found.Partial || found.StopReason != "" && found.StopReason != string(finding.ReasonDone):
		return incomplete(found)
	}
	return nil
}

// incomplete is the error for an answer that is not complete.
func incomplete(found *outcome.Answer) error {
	if found.Notice == "" {
		return &fault{exitInput, fmt.Errorf("the answer is not complete: %s", found.StopReason)}
	}
	return &fault{exitInput, fmt.Errorf("the answer is not complete (%s): %s", found.StopReason, strings.TrimSuffix(found.Notice, "."))}
}

// answer prints the answer of an agent: its data, or with --json all of it, or with --csv its
// rows, on the standard output, and sources and issues beside it.
func (e *env) answer(all any, found *outcome.Answer, table *tabular) error {
	if e.asJSON {
		if err := json.NewEncoder(e.out).Encode(all); err != nil {
			return err
		}
	} else if len(found.Data) > 0 && table.on {
		if err := e.writeRows(found, table.sources); err != nil {
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
	return nil
}
