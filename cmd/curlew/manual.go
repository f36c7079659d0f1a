// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// exits describes the exit codes.
var exits = []struct{ code, meaning string }{
	{"0", "done"},
	{strconv.Itoa(exitBroken), "nothing was produced, or the run broke off"},
	{strconv.Itoa(exitUsage), "the command line is wrong"},
	{strconv.Itoa(exitInput), "an input failed (scrape, parse), or a page (crawl --strict), or an answer is not complete (agent)"},
	{strconv.Itoa(exitRefused), "a server or a provider refused the request (status 401, 402, 403 or 429)"},
	{strconv.Itoa(exitEngine), "a model or a search provider is not configured"},
	{strconv.Itoa(exitChanged), "crawl --since or --once: something has changed"},
	{"130, 143", "stopped by SIGINT or SIGTERM; a crawl can be continued"},
}

// environment describes the variables of the environment that commands other than serve
// and mcp read.
var environment = []struct{ name, meaning string }{
	{"CURLEW_CONFIG", "the file of settings, if --config is not given"},
	{"CURLEW_PROXY, CURLEW_PROXY_FILE, CURLEW_USER_AGENT, CURLEW_ALLOW_PRIVATE, CURLEW_REMOTE", "the values of these flags, if they are not given"},
	{"NO_COLOR", "no colors, as --no-color, if it is not empty"},
	{"CURLEW_SEARXNG_URL", "the SearXNG instance for searches"},
	{"CURLEW_BRAVE_KEY", "the key of the Brave Search API"},
	{"CURLEW_MODEL_URL, CURLEW_MODEL, CURLEW_MODEL_KEY", "the chat completions API of agents, its model and its key"},
	{"CURLEW_API_KEY", "the key for --remote; FIRECRAWL_API_KEY if it is not set"},
	{"CURLEW_WEBHOOK_SECRET", "the secret that signs what crawl --webhook sends"},
	{"CURLEW_API_KEY_FILE, CURLEW_BRAVE_KEY_FILE, CURLEW_MODEL_KEY_FILE, CURLEW_WEBHOOK_SECRET_FILE", "files that contain these keys"},
}

// printManual is the command man.
func printManual(e *env, _ *flag.FlagSet) action {
	return func(rest []string) error {
		if len(rest) > 0 {
			return usageOf(rest)
		}
		_, err := io.WriteString(e.out, e.manual())
		return err
	}
}

// manual returns the manual page, in the macros of man(7).
func (e *env) manual() string {
	var b strings.Builder
	b.WriteString(".TH CURLEW 1\n.SH NAME\ncurlew \\- turn sites and documents into data\n.SH SYNOPSIS\n.B curlew\n.I COMMAND\n[flags] [arguments]\n")
	b.WriteString(".SH DESCRIPTION\n" + roff("Curlew crawls sites, reads pages and documents, lists the URLs of sites, asks models, and serves all this over HTTP. "+
		"Results go to the standard output, everything else to the standard error. Flags may stand before and after arguments, with one dash or two.") + "\n")
	b.WriteString(".SH COMMANDS\n")
	common := map[string]bool{}
	shared := flag.NewFlagSet("", flag.ContinueOnError)
	new(env).define(shared)
	shared.VisitAll(func(g *flag.Flag) { common[g.Name] = true })
	var every []option
	for _, c := range commands() {
		fmt.Fprintf(&b, ".SS %s\n%s.\n", roff(strings.TrimSpace(c.name+" "+c.args)), roff(strings.ToUpper(c.summary[:1])+c.summary[1:]))
		options := e.options(&c)
		for _, o := range options {
			if c.define == nil || !common[o.name] {
				b.WriteString(o.roff())
			}
		}
		if c.name == "version" {
			every = options
		}
	}
	b.WriteString(".SH FLAGS OF ALL COMMANDS BUT SERVE, MCP AND KEYS\n")
	for _, o := range every {
		b.WriteString(o.roff())
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, x := range exits {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(x.code), roff(x.meaning))
	}
	b.WriteString(".SH ENVIRONMENT\n")
	for _, v := range environment {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(v.name), roff(v.meaning))
	}
	b.WriteString(roffParagraph("Each flag of serve and mcp can also be given as a variable, such as CURLEW_DATA for --data."))
	b.WriteString(".SH EXAMPLES\n")
	for _, line := range []string{
		"curlew crawl https://example.com/docs/ --limit 500",
		"curlew crawl --since last https://example.com/docs/",
		"curlew parse -o text reports/",
		"curlew serve --data data",
	} {
		fmt.Fprintf(&b, ".PP\n.nf\n%s\n.fi\n", roff(line))
	}
	return b.String()
}

// roff returns the flag as a tagged paragraph.
func (o *option) roff() string {
	dashes := "--"
	if len(o.name) == 1 {
		dashes = "-"
	}
	tag := ".TP\n\\fB" + roff(dashes+o.name) + "\\fR"
	if o.value != "" {
		tag += " \\fI" + roff(o.value) + "\\fR"
	}
	text := o.usage
	if o.initial != "" {
		text += " (default " + o.initial + ")"
	}
	return tag + "\n" + roff(text) + "\n"
}

func roffParagraph(text string) string { return ".PP\n" + roff(text) + "\n" }

// roff escapes a text of one line for roff.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
