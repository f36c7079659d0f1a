// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/internal/wire"
)

// planner returns what turns a crawl's prompt into options; nil where there is
// no model.
func (s *Service) planner() *agent.Planner {
	if s.Agent == nil || s.Agent.Model == nil {
		return nil
	}
	return &agent.Planner{Model: s.Agent.Model, Profile: s.Agent.Profiles[defaultModel], Rates: s.Agent.Rates}
}

// maxSample is how many URLs of a site the planner is shown.
const maxSample = 120

// planned returns the request with the options that the planner makes of its
// prompt: those that the request does not have itself. The site's URLs are asked
// for within the job's gate.
func (h *Handler) planned(c *call, req *wire.Crawl, start weburl.URL, a *meter, sp *spec) (*wire.Crawl, wire.Started, error) {
	answer := wire.Started{Success: true}
	// Without a sample the planner goes by the prompt alone.
	sample, _ := h.service.Map(c.ctx(), start.String(), &MapOptions{Limit: maxSample, Timeout: 15 * time.Second, Gate: a.gate})
	plan, err := h.service.planner().Plan(c.ctx(), *req.Prompt, start.String(), sample)
	if err != nil {
		return nil, answer, errors.Join(refuse(errNoPlanner, "The prompt could not be turned into options of a crawl."), err)
	}
	own, err := jsonenc.Encode(req)
	if err != nil {
		return nil, answer, err
	}
	merged, err := mergeOptions(own, plan.Options)
	if err != nil {
		return nil, answer, err
	}
	final, err := wire.DecodeCrawl(merged, wire.Options{Lenient: true})
	if err != nil {
		return nil, answer, errors.Join(refuse(errNoPlanner, "The prompt could not be turned into options of a crawl."), err)
	}
	if n := value(final.Limit, sp.Limit); n < sp.Limit {
		sp.Limit = n
	}
	sp.Warnings = append(sp.Warnings, plan.Warnings...)
	answer.PromptGeneratedOptions = plan.Options
	answer.FinalCrawlerOptions, err = final.Options()
	return final, answer, err
}

// mergeOptions returns the members of own, and of more those that own lacks.
func mergeOptions(own, more json.RawMessage) ([]byte, error) {
	var o, m map[string]json.RawMessage
	if err := json.Unmarshal(own, &o); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(more, &m); err != nil {
		return nil, fmt.Errorf("a plan is no object: %w", err)
	}
	for name, v := range m {
		if _, ok := o[name]; !ok {
			o[name] = v
		}
	}
	return json.Marshal(o)
}

// previewCrawl serves POST /v2/crawl/params-preview: a plan by the prompt alone.
func (h *Handler) previewCrawl(c *call) error {
	body, err := h.body(c)
	if err != nil {
		return err
	}
	req, err := wire.DecodePreview(body)
	check, err := h.service.newChecker(err)
	if err != nil {
		return err
	}
	start := check.url(req.URL, "url")
	if len(check.faults) > 0 {
		return refuse(errBadRequest, "Invalid request parameters: "+check.faults[0].Message)
	}
	planner := h.service.planner()
	if planner == nil {
		return refuse(ErrEngine, "Crawl parameters are made by a model, and this server has none configured.")
	}
	plan, err := planner.Plan(c.ctx(), req.Prompt, start.String(), nil)
	if err != nil {
		return errors.Join(refuse(errNoPlanner, "The prompt could not be turned into options of a crawl."), err)
	}
	url, err := jsonenc.Encode(map[string]string{"url": start.String()})
	if err != nil {
		return err
	}
	data, err := mergeOptions(url, plan.Options)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, wire.Data{Success: true, Data: data})
}
