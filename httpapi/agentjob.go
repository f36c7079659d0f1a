// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/curlew"
	"example.com/curlew/agent/outcome"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/job"
)

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
		answer, err := j.Answer(c.ctx())
		if err != nil {
			return err
		}
		if answer != nil {
			found = *answer
		}
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
func stopAgent(h *Handler, c *call) error { return endAgent(h, c, (*curlew.Job).Stop) }

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
		if err != nil {
			return err
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
