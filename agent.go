// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"errors"

	"example.com/curlew/agent"
	"example.com/curlew/internal/schema"
	"example.com/curlew/internal/wire"
	"example.com/curlew/threat"
)

// startAgent serves POST /v2/agent: steps 1 to 7 of contract.md 2.1, and then
// says that there is no model.
func (h *Handler) startAgent(c *call) error {
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodeAgent(body, h.wireOptions())
	check, err := h.service.newChecker(err)
	if err != nil {
		return err
	}
	for i, raw := range req.URLs {
		if raw == "" {
			check.custom("Invalid URL", "urls", i)
		}
		check.url(raw, "urls", i)
	}
	if req.Schema != nil {
		if _, err := schema.Compile(req.Schema); err != nil {
			check.custom("Invalid JSON schema: "+schemaFault(err), "schema")
		}
	}
	check.webhook(req.Webhook, kindAgent)
	over := check.override(req.Threat, "threatProtection")
	if err := check.err(); err != nil {
		return err
	}
	return h.once(c, body, func() ([]byte, error) {
		if _, err := h.retention(&c.team.Policy, req.ZeroDataRetention); err != nil {
			return nil, err
		}
		if _, err := threat.Resolve(c.team.Policy.Threat, over); err != nil {
			return nil, err
		}
		err := agent.ErrNoModel
		return nil, errors.Join(refuse(ErrEngine, "The agent needs a model, and this server has none configured."), err)
	})
}

// schemaFault returns why a schema does not compile.
func schemaFault(err error) string {
	if e, ok := errors.AsType[*schema.Error](err); ok && errors.Is(e, schema.ErrInvalid) && e.Detail != "" {
		return e.Detail
	}
	return err.Error()
}

// lostAgent serves GET and DELETE of an agent job: there is none.
func (h *Handler) lostAgent(c *call) error {
	if _, err := c.job(); err != nil {
		return err
	}
	return errAgentLost
}
