// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/agent/outcome"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/schema"
	"example.com/curlew/job"
)

// startExtract serves POST /v2/extract. An extract is an agent run. Without a web search and
// without external links it stays on the given pages, or on the hosts of URLs that end in /*.
func startExtract(h *Handler, c *call) error {
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodeExtract(body, h.wireOptions())
	check, err := h.newChecker(err)
	if err != nil {
		return err
	}
	urls, hosts, invalid := extractURLs(check, req)
	if req.Schema != nil {
		if _, err := schema.Compile(req.Schema); err != nil {
			check.custom("Invalid JSON schema: "+schemaFault(err), "schema")
		}
	}
	r := &curlew.AgentRequest{AgentOptions: extractOptions(req, urls, hosts), Extract: true}
	r.Warnings = extractWarnings(req, &r.AgentOptions, hosts)
	r.Webhook = check.webhook(req.Webhook, curlew.KindExtract)
	r.Threat = check.override(req.Threat, "threatProtection")
	if err := check.err(); err != nil {
		return err
	}
	if r.Idempotency, err = c.idempotency(body); err != nil {
		return err
	}
	r.Caller = *c.caller(req.Audit, &req.Source)
	r.ZeroRetention = value(req.ZeroDataRetention, false)
	if err := c.keep(&r.Idempotency, wire.Started{Success: true, InvalidURLs: invalid}); err != nil {
		return err
	}
	if r.Memo, err = (memo{Source: req.Source, ShowSources: value(req.ShowSources, false)}).encode(req); err != nil {
		return err
	}
	j, err := h.service.StartAgent(c.ctx(), r)
	if e, ok := errors.AsType[*agent.Error](err); ok && errors.Is(e, agent.ErrTask) {
		return &wire.Error{Faults: []wire.Fault{{Code: wire.Custom, Path: []any{e.Part}, Message: schemaFault(e.Err)}}}
	}
	if err != nil {
		return err
	}
	return c.started(j, wire.Started{InvalidURLs: invalid})
}

// extractURLs returns the URLs of a request, whether some of them stand for their whole host,
// and those that are not valid. They are faults if the request says so, or if none is left.
func extractURLs(check *checker, req *wire.Extract) (urls []string, hosts bool, invalid []string) {
	lenient := value(req.IgnoreInvalidURLs, true)
	for i, raw := range req.URLs {
		address, host := strings.CutSuffix(strings.TrimSpace(raw), "/*")
		if host {
			address += "/"
		}
		before := len(check.faults)
		if address == "" {
			check.custom("Invalid URL", "urls", i)
		}
		u := check.url(address, "urls", i)
		if len(check.faults) == before {
			urls, hosts = append(urls, u.String()), hosts || host
			continue
		}
		if lenient {
			check.faults, invalid = check.faults[:before], append(invalid, raw)
		}
	}
	if len(urls) == 0 && len(invalid) > 0 && strings.TrimSpace(value(req.Prompt, "")) == "" {
		check.custom("No valid URLs provided", "urls")
	}
	return urls, hosts, invalid
}

// extractPrompt is the question of a request that has only URLs and perhaps a schema.
const extractPrompt = "Extract the data of the given pages."

// extractOptions converts a request to a question for an agent.
func extractOptions(req *wire.Extract, urls []string, hosts bool) curlew.AgentOptions {
	prompt := strings.TrimSpace(value(req.Prompt, ""))
	if prompt == "" {
		prompt = extractPrompt
	}
	if system := strings.TrimSpace(value(req.SystemPrompt, "")); system != "" {
		prompt = system + "\n\n" + prompt
	}
	open := value(req.EnableWebSearch, false) || value(req.AllowExternalLinks, false)
	o := curlew.AgentOptions{Prompt: prompt, URLs: urls, Schema: req.Schema, Model: defaultModel, Open: open, Strict: len(urls) > 0 && !open && !hosts}
	if req.Scrape != nil && !open {
		o.Headers = req.Scrape.Headers
	}
	return o
}

// extractWarnings returns a sentence for each option of a request that has no effect.
func extractWarnings(req *wire.Extract, o *curlew.AgentOptions, hosts bool) []string {
	var all []string
	told := func(is bool, text string) {
		if is {
			all = append(all, text)
		}
	}
	told(hosts && !o.Open && len(o.URLs) > 1, "One URL ends in /*, so the run may read other pages on the hosts of all URLs.")
	told(!value(req.IncludeSubdomains, true) && hosts && !o.Open, "The option includeSubdomains has no effect: a host includes its subdomains.")
	told(req.Timeout != nil, "The option timeout has no effect: a run ends by its own limits.")
	if req.Scrape == nil {
		return all
	}
	rest := *req.Scrape
	told(rest.Headers != nil && o.Headers == nil, "The headers of scrapeOptions have no effect with enableWebSearch or allowExternalLinks: no host is sure to be meant.")
	rest.Headers, rest.Source = nil, wire.Source{}
	raw, err := json.Marshal(&rest)
	told(err != nil || string(raw) != "{}", "The scrapeOptions other than headers have no effect: the agent reads pages in its own way.")
	return all
}

// extractStatus serves GET /v2/extract/{id}.
func extractStatus(h *Handler, c *call) error {
	j, err := h.own(c.ctx(), c, curlew.KindExtract)
	if errors.Is(err, job.ErrNotFound) {
		err = errExtractLost
	}
	if err != nil {
		return err
	}
	now, err := j.Status(c.ctx())
	if err != nil {
		return err
	}
	m, err := readMemo(j)
	if err != nil {
		return err
	}
	status := wire.ExtractStatus{Success: true, ID: j.ID(), CreditsUsed: now.Credits, ExpiresAt: jsonenc.Time(now.Expires), Warning: now.Warning}
	status.Status, status.Error = agentState(now.State, now.Err, m.Source)
	if now.State == job.Completed {
		found, err := j.Agent().Answer(c.ctx())
		if err != nil {
			return err
		}
		if found != nil {
			status.Data, status.Warning = found.Data, join(now.Warning, found.Notice)
			if m.ShowSources {
				status.Sources = extractSources(found)
			}
		}
	}
	return c.answer(http.StatusOK, status)
}

// extractSources returns the URLs of the pages that state each value, by the path of the
// value, such as offers[0].price.
func extractSources(found *outcome.Answer) map[string][]string {
	all := map[string][]string{}
	for pointer, e := range found.Fields {
		var urls []string
		for _, i := range append([]int{e.Source}, e.Also...) {
			if i >= 0 && i < len(found.Sources) {
				urls = append(urls, found.Sources[i].URL)
			}
		}
		if urls != nil {
			all[dotted(pointer)] = urls
		}
	}
	return all
}

// dotted returns a JSON Pointer as a path, such as offers[0].price.
func dotted(pointer string) string {
	var b strings.Builder
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch {
		case step != "" && strings.Trim(step, "0123456789") == "":
			b.WriteString("[" + step + "]")
		case b.Len() > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	return b.String()
}
