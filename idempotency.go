// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"crypto/sha256"
	"net/http"
	"slices"
	"sync"
	"time"
)

// replayLife is how long an answer is kept for a repeated request.
const replayLife = 24 * time.Hour

// replays keeps the answers of requests that carried an idempotency key.
type replays struct {
	mu     sync.Mutex
	kept   map[replayKey]*replay // guarded by mu
	oldest []replayKey           // guarded by mu; of kept, by age
}

type replayKey struct{ team, endpoint, key string }

// replay is one request: under way until done is closed.
type replay struct {
	body   [sha256.Size]byte // hash of the request's
	done   chan struct{}
	answer []byte    // of the 200; nil where there was none, and the key is free again
	at     time.Time // when it began
}

// once serves a request that may be a repetition: work is called once for a key
// and body, and returns the answer.
func (h *Handler) once(c *call, body []byte, work func() ([]byte, error)) error {
	key := c.r.Header.Get("X-Idempotency-Key")
	if key == "" {
		answer, err := work()
		if err == nil {
			c.send(http.StatusOK, answer)
		}
		return err
	}
	if !visible(key) {
		return refuse(errBadRequest, "Invalid x-idempotency-key: 1 to 255 visible ASCII characters")
	}
	id, hash := replayKey{c.team.ID, c.route.pattern, key}, sha256.Sum256(body)
	for {
		kept, mine := h.replays.enter(id, hash)
		if mine {
			answer, err := h.replays.run(id, kept, work)
			if err == nil {
				c.send(http.StatusOK, answer)
			}
			return err
		}
		if kept.body != hash {
			return errIdempotency
		}
		select {
		case <-kept.done:
		case <-c.ctx().Done():
			return c.ctx().Err()
		}
		if kept.answer != nil {
			c.w.Header().Set("Idempotent-Replayed", "true")
			c.send(http.StatusOK, kept.answer)
			return nil
		}
	}
}

// enter returns what is kept under id; mine means that it is new, and the
// caller's to run.
func (r *replays) enter(id replayKey, body [sha256.Size]byte) (kept *replay, mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire()
	if kept := r.kept[id]; kept != nil {
		return kept, false
	}
	if r.kept == nil {
		r.kept = map[replayKey]*replay{}
	}
	kept = &replay{body: body, done: make(chan struct{}), at: time.Now()}
	r.kept[id] = kept
	r.oldest = append(r.oldest, id)
	return kept, true
}

// expire forgets what is past its life. The caller holds mu.
func (r *replays) expire() {
	for len(r.oldest) > 0 {
		if time.Since(r.kept[r.oldest[0]].at) < replayLife {
			return
		}
		delete(r.kept, r.oldest[0])
		r.oldest = r.oldest[1:]
	}
}

// run does the work, and keeps its answer or frees the key.
func (r *replays) run(id replayKey, kept *replay, work func() ([]byte, error)) (answer []byte, err error) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if kept.answer = answer; err != nil || answer == nil {
			delete(r.kept, id)
			// It is among the last: only what began meanwhile stands behind it.
			for i, k := range slices.Backward(r.oldest) {
				if k == id {
					r.oldest = slices.Delete(r.oldest, i, i+1)
					break
				}
			}
		}
		close(kept.done)
	}()
	return work()
}

// visible reports whether key is 1 to 255 visible ASCII characters.
func visible(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return key != "" && len(key) <= 255
}
