// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"fmt"
	"math"
	"net/http"
	"sync"
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

// limiter holds a token bucket for each team and class.
type limiter struct {
	mu      sync.Mutex
	buckets map[bucketKey]*bucket // guarded by mu; as many as there are teams and classes
}

type bucketKey struct {
	team  string
	class class
}

// bucket fills at the rate of the team, up to the tokens of one minute.
type bucket struct {
	tokens float64
	at     time.Time // time of the last update
}

// take takes one token if there is one. It returns how many are left, and how long it takes
// until there is one.
func (l *limiter) take(key bucketKey, perMinute int) (taken bool, left int, next time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.buckets == nil {
		l.buckets = map[bucketKey]*bucket{}
	}
	now, full := time.Now(), float64(perMinute)
	b := l.buckets[key]
	if b == nil {
		b = &bucket{tokens: full, at: now}
		l.buckets[key] = b
	}
	b.tokens = min(full, b.tokens+now.Sub(b.at).Minutes()*full)
	b.at = now
	if taken = b.tokens >= 1; taken {
		b.tokens--
	}
	if b.tokens < 1 {
		next = time.Duration((1 - b.tokens) / full * float64(time.Minute))
	}
	return taken, int(b.tokens), next
}

// admit checks the rate of the route's class, and writes the rate headers
// (draft-ietf-httpapi-ratelimit-headers-11).
func (h *Handler) admit(w http.ResponseWriter, team *account.Team, c class) error {
	rate := perMinute(&team.Policy.Rates, c)
	if rate <= 0 {
		return nil
	}
	taken, left, next := h.limiter.take(bucketKey{team.ID, c}, rate)
	w.Header().Set("RateLimit-Policy", fmt.Sprintf(`"%s";q=%d;w=60`, c, rate))
	w.Header().Set("RateLimit", fmt.Sprintf(`"%s";r=%d;t=%d`, c, left, seconds(next)))
	if !taken {
		return &curlew.Error{Err: curlew.ErrRate, Wait: next}
	}
	return nil
}

// seconds returns d in whole seconds, rounded up.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
