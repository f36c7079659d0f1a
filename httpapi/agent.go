// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/agent/outcome"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/schema"
	"example.com/curlew/internal/service/faults"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
)

// startAgent serves POST /v2/agent.
func startAgent(h *Handler, c *call) error {
	body, err := h.body(c)
	if err != nil {
		return err
	}
	o := h.wireOptions()
	o.Models = c.team.Policy.Models
	req, err := wire.DecodeAgent(body, o)
	check, err := h.newChecker(err)
	if err != nil {
		return err
	}
	for i, raw := range req.URLs {
		if raw == "" {
			check.custom("Invalid URL", "urls", i)
		}
		if u := check.url(raw, "urls", i); !u.IsZero() {
			req.URLs[i] = u.String()
		}
	}
	if req.Schema != nil {
		if _, err := schema.Compile(req.Schema); err != nil {
			check.custom("Invalid JSON schema: "+schemaFault(err), "schema")
		}
	}
	if len(check.faults) == 0 && agentCredits(req) == 0 {
		check.custom("maxCredits must be at least 1: a part of a credit buys nothing", "maxCredits")
	}
	r := &curlew.AgentRequest{Credits: agentCredits(req)}
	r.AgentOptions = agentOptions(req)
	r.Webhook = check.webhook(req.Webhook, curlew.KindAgent)
	r.Threat = check.override(req.Threat, "threatProtection")
	if err := check.err(); err != nil {
		return err
	}
	if r.Idempotency, err = c.idempotency(body); err != nil {
		return err
	}
	r.Caller = *c.caller(req.Audit, &req.Source)
	r.ZeroRetention = value(req.ZeroDataRetention, false)
	if err := c.keep(&r.Idempotency, wire.Started{Success: true}); err != nil {
		return err
	}
	if r.Memo, err = (memo{Source: req.Source}).encode(req); err != nil {
		return err
	}
	j, err := h.service.StartAgent(c.ctx(), r)
	if e, ok := errors.AsType[*agent.Error](err); ok && errors.Is(e, agent.ErrTask) {
		part := e.Part
		if part == "limits" {
			part = "maxCredits"
		}
		return &wire.Error{Faults: []wire.Fault{{Code: wire.Custom, Path: []any{part}, Message: schemaFault(e.Err)}}}
	}
	if err != nil {
		return err
	}
	return c.started(j, wire.Started{})
}

// agentOptions converts a request to options.
func agentOptions(req *wire.Agent) curlew.AgentOptions {
	return curlew.AgentOptions{
		Prompt: req.Prompt,
		URLs:   req.URLs,
		Strict: value(req.StrictConstrainToURLs, false),
		Schema: req.Schema,
		Model:  value(req.Model, defaultModel),

		Headers: req.Headers,
		Thread:  req.Thread,
	}
}

// Defaults for a request without a model or without a limit of credits.
const (
	defaultModel   = "spark-1-mini"
	defaultCredits = 2500
)

// agentCredits returns the credit limit of a request in whole credits.
func agentCredits(req *wire.Agent) int {
	return int(min(value(req.MaxCredits, defaultCredits), math.MaxInt32))
}

// schemaFault returns the reason why a schema does not compile.
func schemaFault(err error) string {
	if e, ok := errors.AsType[*schema.Error](err); ok && errors.Is(e, schema.ErrInvalid) && e.Detail != "" {
		return e.Detail
	}
	return err.Error()
}

// ownAgent returns the team's agent job that the path names.
func ownAgent(h *Handler, c *call) (*curlew.Job, error) {
	j, err := h.own(c.ctx(), c, curlew.KindAgent)
	if errors.Is(err, job.ErrNotFound) {
		err = errAgentLost
	}
	return j, err
}

// agentState returns the status of an agent as it appears in answers. Python
// clients get another word than cancelled, which their SDK rejects.
func agentState(state job.State, why string, from wire.Source) (word, fault string) {
	switch {
	case !state.Final():
		return "processing", ""
	case state == job.Cancelled && strings.HasPrefix(value(from.Origin, ""), "python-sdk@"):
		return "failed", "Agent was cancelled"
	}
	return states[state], why
}

// textPoor tells what to do about a run that found nothing within its credits.
// How many credits it needs is unknown until a page states the answer, so it says what
// things cost.
const textPoor = "The credits did not suffice for a page that states a part of the answer. A run pays one or two credits for its plan, two for each search, and one to two for each page with its reading, " +
	"up to the first page that states something. Ask again with a larger maxCredits. Of a failed run only threat scans are charged."

// agentStatus serves GET /v2/agent/{id}.
func agentStatus(h *Handler, c *call) error {
	j, err := ownAgent(h, c)
	if err != nil {
		return err
	}
	now, err := j.Status(c.ctx())
	if err != nil {
		return err
	}
	asked, from, err := readAgent(j)
	if err != nil {
		return err
	}
	status := wire.AgentStatus{
		Success: true, ID: j.ID(), Model: asked.Model, CreditsUsed: now.Credits, ExpiresAt: jsonenc.Time(now.Expires),
	}
	status.Status, status.Error = agentState(now.State, now.Err, from)
	if c.r.URL.Query().Get("usage") == "true" {
		if status.Usage, err = usedBy(c.ctx(), j); err != nil {
			return err
		}
	}
	var found outcome.Answer
	if now.State == job.Completed {
		answer, err := j.Agent().Answer(c.ctx())
		if err != nil {
			return err
		}
		if answer != nil {
			found = *answer
		}
	}
	if now.State == job.Failed && now.Err == faults.ErrMaxCredits.Error() {
		found.Notice = textPoor
	}
	found.Notice = strings.TrimSpace(now.Warning + " " + found.Notice)
	return c.answer(http.StatusOK, struct {
		wire.AgentStatus
		outcome.Answer
	}{status, found})
}

// readAgent returns the options of an agent and the source of its request. If
// the record is damaged, both are empty.
func readAgent(j *curlew.Job) (*curlew.AgentOptions, wire.Source, error) {
	asked := j.Question()
	if asked == nil {
		asked = &curlew.AgentOptions{Model: defaultModel}
	}
	m, err := readMemo(j)
	return asked, m.Source, err
}

// cancelAgent serves DELETE /v2/agent/{id}.
func cancelAgent(h *Handler, c *call) error {
	return endAgent(h, c, func(j *curlew.Job) error { return j.Cancel(c.ctx()) })
}

// stopAgent serves POST /v2/agent/{id}/stop: the run ends with what it knows.
func stopAgent(h *Handler, c *call) error {
	return endAgent(h, c, func(j *curlew.Job) error { return j.Agent().Stop(c.ctx()) })
}

func endAgent(h *Handler, c *call, end func(*curlew.Job) error) error {
	j, err := ownAgent(h, c)
	if err != nil {
		return err
	}
	if err := end(j); err != nil {
		return err
	}
	return c.answer(http.StatusOK, map[string]bool{"success": true})
}

// agentsListed is the number of agents in one answer.
const agentsListed = 20

// listAgents serves GET /v2/agent.
func listAgents(h *Handler, c *call) error {
	before, err := wire.DecodeBefore(c.r.URL.RawQuery)
	if err != nil {
		return err
	}
	answer := wire.AgentList{Success: true, Agents: []wire.ListedAgent{}}
	for j, err := range h.service.Jobs(c.ctx(), c.team.ID, job.Filter{Kind: curlew.KindAgent}) {
		if err != nil {
			return err
		}
		if before > 0 && j.Created().UnixMilli() >= before {
			continue
		}
		n := len(answer.Agents)
		if n >= agentsListed && j.Created().UnixMilli() != time.Time(answer.Agents[n-1].CreatedAt).UnixMilli() { // agents created in the same millisecond stay in one answer
			last := time.Time(answer.Agents[n-1].CreatedAt)
			answer.Next = c.base + "/v2/agent?before=" + strconv.FormatInt(last.UnixMilli(), 10)
			break
		}
		asked, from, err := readAgent(j)
		if err != nil { // one damaged job does not hide the others
			h.logger().WarnContext(c.ctx(), "an agent is listed without its origin", "job", j.ID(), "err", err)
		}
		state, _ := agentState(j.State(), "", from)
		answer.Agents = append(answer.Agents, wire.ListedAgent{
			ID:          j.ID(),
			CreatedAt:   jsonenc.Time(j.Created()),
			TargetHint:  targetHint(asked),
			Origin:      value(from.Origin, "api"),
			Integration: value(from.Integration, ""),
			Status:      state,
			Options:     wire.AgentOptions{URLs: asked.URLs, Prompt: asked.Prompt, Schema: asked.Schema, Model: asked.Model},
		})
	}
	return c.answer(http.StatusOK, answer)
}

// targetHint describes in a few words where an agent looks.
func targetHint(asked *curlew.AgentOptions) string {
	const most = 80 // characters
	if len(asked.URLs) > 0 {
		return weburl.Redacted(asked.URLs[0])
	}
	if text := []rune(asked.Prompt); len(text) > most {
		return string(text[:most])
	}
	return asked.Prompt
}
