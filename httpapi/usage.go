// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"math"
	"net/http"

	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
)

// creditUsage serves GET /v2/team/credit-usage.
func creditUsage(h *Handler, c *call) error { return usage(h, c, "Credits", 1) }

// tokenUsage serves GET /v2/team/token-usage.
func tokenUsage(h *Handler, c *call) error { return usage(h, c, "Tokens", tokensPerCredit) }

// tokensPerCredit is the rate of the public API. Tokens and credits are one
// balance.
const tokensPerCredit = 15

func usage(h *Handler, c *call, unit string, per int) error {
	b, err := h.service.Balance(c.ctx(), c.team.ID)
	if err != nil {
		return err
	}
	// Clients expect 32-bit numbers. The largest one means that there is no
	// limit.
	shown := func(n int) int {
		if n < 0 || n > math.MaxInt32/per {
			return math.MaxInt32
		}
		return n * per
	}
	return c.answer(http.StatusOK, wire.Usage{Unit: unit, Remaining: shown(b.Left), Plan: shown(b.Plan)})
}

// queueStatus serves GET /v2/team/queue-status: the pending pages of all
// running jobs.
func queueStatus(h *Handler, c *call) error {
	last, err := h.service.LastSuccess(c.ctx(), c.team.ID)
	if err != nil {
		return err
	}
	load := h.service.Load(c.caller(nil, nil))
	active := min(load.Pages, load.Slots)
	answer := wire.Queue{
		Success: true, Jobs: load.Pages, Active: active, Waiting: load.Pages - active, MaxConcurrency: load.AtOnce,
	}
	if !last.IsZero() {
		answer.MostRecentSuccess = new(jsonenc.Time(last))
	}
	return c.answer(http.StatusOK, answer)
}

// concurrencyCheck serves GET /v2/concurrency-check.
func concurrencyCheck(h *Handler, c *call) error {
	load := h.service.Load(c.caller(nil, nil))
	return c.answer(http.StatusOK, wire.Concurrency{Success: true, Concurrency: load.Slots, MaxConcurrency: load.AtOnce})
}
