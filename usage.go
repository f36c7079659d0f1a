// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"math"
	"net/http"
	"time"

	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
)

// creditUsage serves GET /v2/team/credit-usage.
func (h *Handler) creditUsage(c *call) error { return h.usage(c, "Credits", 1) }

// tokenUsage serves GET /v2/team/token-usage.
func (h *Handler) tokenUsage(c *call) error { return h.usage(c, "Tokens", tokensPerCredit) }

// tokensPerCredit is the public API's rate: the two are one balance.
const tokensPerCredit = 15

func (h *Handler) usage(c *call, unit string, per int) error {
	b, err := h.service.credits().Balance(c.ctx(), c.team.ID)
	if err != nil {
		return err
	}
	// Clients take 32 bits; the largest stands for no bound.
	shown := func(n int) int {
		if n < 0 || n > math.MaxInt32/per {
			return math.MaxInt32
		}
		return n * per
	}
	return c.answer(http.StatusOK, wire.Usage{Unit: unit, Remaining: shown(b.Left), Plan: shown(b.Plan)})
}

// queueStatus serves GET /v2/team/queue-status: pages of all jobs that run.
func (h *Handler) queueStatus(c *call) error {
	done, err := h.service.runner().List(c.ctx(), c.team.ID, job.Filter{State: job.Completed})
	if err != nil {
		return err
	}
	var last time.Time
	for _, j := range done {
		if j.Kind != kindHook && j.Ended.After(last) {
			last = j.Ended
		}
	}
	left := h.service.backlog.left(c.team.ID)
	active := min(left, h.service.slots.used(c.team.ID))
	answer := wire.Queue{
		Success: true, Jobs: left, Active: active, Waiting: left - active, MaxConcurrency: concurrency(&c.team.Policy),
	}
	if !last.IsZero() {
		answer.MostRecentSuccess = new(jsonenc.Time(last))
	}
	return c.answer(http.StatusOK, answer)
}

// concurrencyCheck serves GET /v2/concurrency-check.
func (h *Handler) concurrencyCheck(c *call) error {
	return c.answer(http.StatusOK, wire.Concurrency{
		Success: true, Concurrency: h.service.slots.used(c.team.ID), MaxConcurrency: concurrency(&c.team.Policy),
	})
}
