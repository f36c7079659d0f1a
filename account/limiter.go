// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"sync"
	"time"
)

// Limiter counts the requests of teams, to enforce their [Rates]. A team has a bucket of
// tokens for each class of endpoints, such as "crawl". The bucket is full at first, has as
// many tokens as the team may make requests per minute, and fills at this rate.
// Implementations are safe for concurrent use and return when ctx ends.
type Limiter interface {
	// Take takes a token for one request. perMinute is above zero. If the rate of a team
	// changes, its bucket keeps its tokens, up to the new size.
	Take(ctx context.Context, team, class string, perMinute int) (Allowance, error)
}

// Allowance says whether a request may be served now, and which ones after it.
type Allowance struct {
	OK   bool
	Left int           // requests that may be made at once after this one
	Wait time.Duration // until the next request may be made; zero if Left is above zero
}

// Buckets implements [Limiter] in memory, for one process. In the zero value all buckets
// are full.
type Buckets struct {
	mu      sync.Mutex
	buckets map[bucketKey]*bucket // guarded by mu; as many as there are teams and classes
}

type bucketKey struct{ team, class string }

// bucket counts in units of a request per minute and microsecond, so that its
// numbers are exact.
type bucket struct {
	level int64
	at    time.Time // time of the last update
}

// bucketToken is the level of one token.
const bucketToken = int64(time.Minute / time.Microsecond)

// Take implements [Limiter].
func (b *Buckets) Take(_ context.Context, team, class string, perMinute int) (Allowance, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rate := int64(min(perMinute, maxRate))
	key, now, full := bucketKey{team, class}, time.Now(), rate*bucketToken
	k := b.buckets[key]
	if k == nil {
		if b.buckets == nil {
			b.buckets = map[bucketKey]*bucket{}
		}
		k = &bucket{level: full, at: now}
		b.buckets[key] = k
	}
	passed := min(now.Sub(k.at), time.Minute).Microseconds()
	k.level = min(full, k.level+passed*rate)
	if passed < bucketToken {
		k.at = k.at.Add(time.Duration(passed) * time.Microsecond) // the rest of a microsecond counts later
	} else {
		k.at = now
	}
	a := Allowance{OK: k.level >= bucketToken}
	if a.OK {
		k.level -= bucketToken
	}
	a.Left, a.Wait = int(k.level/bucketToken), untilToken(k.level, rate)
	return a, nil
}

// maxRate is the highest number of requests per minute. A higher one counts as this one.
const maxRate = 1_000_000_000

// untilToken returns how long it takes until a bucket has a token.
func untilToken(level, rate int64) time.Duration {
	if level >= bucketToken {
		return 0
	}
	return time.Duration((bucketToken-level+rate-1)/rate) * time.Microsecond
}
