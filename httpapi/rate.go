// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
)

// class is a class of endpoints that share a rate.
type class uint8

const (
	classNone class = iota
	classCrawl
	classAgent
	classParse
	classScrape
	classMap
	classSearch
	classStatus
	classAccount
)

var classNames = [...]string{"", "crawl", "agent", "parse", "scrape", "map", "search", "status", "account"}

func (c class) String() string { return classNames[c] }

// perMinute returns the rate of a class. Zero means no limit.
func perMinute(r *account.Rates, c class) int {
	return [...]int{0, r.Crawl, r.Agent, r.Parse, r.Scrape, r.Map, r.Search, r.Status, r.Account}[c]
}

// limiter returns what counts the requests of teams.
func (h *Handler) limiter() account.Limiter {
	if h.options.Limiter != nil {
		return h.options.Limiter
	}
	return &h.buckets
}

// admit checks the rate of the route's class, and writes the rate headers
// (draft-ietf-httpapi-ratelimit-headers-11).
func (h *Handler) admit(ctx context.Context, w http.ResponseWriter, team *account.Team, c class) error {
	rate := perMinute(&team.Policy.Rates, c)
	if rate <= 0 {
		return nil
	}
	a, err := h.limiter().Take(ctx, team.ID, c.String(), rate)
	if err != nil {
		return err
	}
	w.Header().Set("RateLimit-Policy", fmt.Sprintf(`"%s";q=%d;w=60`, c, rate))
	w.Header().Set("RateLimit", fmt.Sprintf(`"%s";r=%d;t=%d`, c, a.Left, seconds(a.Wait)))
	if !a.OK {
		return &curlew.Error{Err: curlew.ErrRate, Wait: a.Wait}
	}
	return nil
}

// seconds returns d in whole seconds, rounded up.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
