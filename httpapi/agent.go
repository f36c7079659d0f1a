// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"encoding/json"
	"errors"
	"math"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/schema"
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
	if r.Memo, err = json.Marshal(memo{Source: req.Source}); err != nil {
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
