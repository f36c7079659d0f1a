// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/agent"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
)

// ownAgent returns the team's agent job that the path names.
func (h *Handler) ownAgent(c *call) (*job.Job, job.Stats, error) {
	id, err := c.job()
	if err != nil {
		return nil, job.Stats{}, err
	}
	j, stats, err := h.own(c.ctx(), &c.team, kindAgent, id)
	if errors.Is(err, job.ErrNotFound) {
		err = errAgentLost
	}
	return j, stats, err
}

// agentState is the wire's word for a state of an agent. The Python client
// refuses the word cancelled.
func agentState(j *job.Job, from wire.Source) (state, fault string) {
	switch {
	case !j.State.Final():
		return "processing", ""
	case j.State == job.Cancelled && strings.HasPrefix(value(from.Origin, ""), "python-sdk@"):
		return "failed", "Agent was cancelled"
	}
	return states[j.State], j.Err
}

// agentStatus serves GET /v2/agent/{id}.
func (h *Handler) agentStatus(c *call) error {
	j, stats, err := h.ownAgent(c)
	if err != nil {
		return err
	}
	asked, from, err := readAgent(j)
	if err != nil {
		return err
	}
	var found Answer
	status := wire.AgentStatus{
		Success: true, ID: j.ID, Model: asked.Model, CreditsUsed: stats.Cost, ExpiresAt: jsonenc.Time(time.Now().Add(j.Keep)),
	}
	if j.State.Final() {
		status.ExpiresAt = jsonenc.Time(j.Expires)
	}
	status.Status, status.Error = agentState(j, from)
	if j.State == job.Completed {
		items, err := h.service.runner().Items(c.ctx(), c.team.ID, j.ID, job.Result, 0, 1)
		if err != nil {
			return err
		}
		if len(items) == 1 {
			if err := cmp.Or(items[0].Err, json.Unmarshal(items[0].Data, &found)); err != nil {
				return err
			}
		}
	}
	return c.answer(http.StatusOK, struct {
		wire.AgentStatus
		Answer
	}{status, found})
}

// readAgent returns what an agent was asked, and where the request came from. Of a
// damaged record that is nothing.
func readAgent(j *job.Job) (*AgentOptions, wire.Source, error) {
	var from wire.Source
	sp, err := readSpec(j)
	if err != nil {
		return nil, from, err
	}
	if sp.Agent == nil {
		return &AgentOptions{Model: defaultModel}, from, nil
	}
	err = json.Unmarshal(sp.Memo, &from)
	return sp.Agent, from, err
}

// cancelAgent serves DELETE /v2/agent/{id}.
func (h *Handler) cancelAgent(c *call) error {
	j, _, err := h.ownAgent(c)
	if err != nil {
		return err
	}
	err = h.service.runner().Cancel(c.ctx(), c.team.ID, j.ID)
	if errors.Is(err, job.ErrEnded) {
		return refuse(errFinished, "Agent already finished")
	}
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, map[string]bool{"success": true})
}

// stopAgent serves POST /v2/agent/{id}/stop: the run lands with what it knows.
func (h *Handler) stopAgent(c *call) error {
	j, _, err := h.ownAgent(c)
	if err != nil {
		return err
	}
	if j.State.Final() {
		return refuse(errFinished, "Agent already finished")
	}
	if run, ok := h.service.runs.Load(j.ID); ok {
		run.(*agent.Run).Stop() // nothing else is stored
	}
	return c.answer(http.StatusOK, map[string]bool{"success": true})
}

// agentsListed is how many agents one answer lists.
const agentsListed = 20

// listAgents serves GET /v2/agent.
func (h *Handler) listAgents(c *call) error {
	before, err := wire.DecodeBefore(c.r.URL.RawQuery)
	if err != nil {
		return err
	}
	jobs, err := h.service.runner().List(c.ctx(), c.team.ID, job.Filter{Kind: kindAgent})
	if err != nil {
		return err
	}
	answer := wire.AgentList{Success: true, Agents: []wire.ListedAgent{}}
	for _, j := range jobs {
		if before > 0 && j.Created.UnixMilli() >= before {
			continue
		}
		n := len(answer.Agents)
		if n >= agentsListed && j.Created.UnixMilli() != time.Time(answer.Agents[n-1].CreatedAt).UnixMilli() { // those of one millisecond stay together
			last := time.Time(answer.Agents[n-1].CreatedAt)
			answer.Next = c.base + "/v2/agent?before=" + strconv.FormatInt(last.UnixMilli(), 10)
			break
		}
		asked, from, err := readAgent(j)
		if err != nil {
			return err
		}
		state, _ := agentState(j, from)
		answer.Agents = append(answer.Agents, wire.ListedAgent{
			ID:          j.ID,
			CreatedAt:   jsonenc.Time(j.Created),
			TargetHint:  targetHint(asked),
			Origin:      value(from.Origin, "api"),
			Integration: value(from.Integration, ""),
			Status:      state,
			Options:     wire.AgentOptions{URLs: asked.URLs, Prompt: asked.Prompt, Schema: asked.Schema, Model: asked.Model},
		})
	}
	return c.answer(http.StatusOK, answer)
}

// targetHint says in few words where an agent looks.
func targetHint(asked *AgentOptions) string {
	const most = 80 // characters
	if len(asked.URLs) > 0 {
		return redacted(asked.URLs[0])
	}
	if text := []rune(asked.Prompt); len(text) > most {
		return string(text[:most])
	}
	return asked.Prompt
}
