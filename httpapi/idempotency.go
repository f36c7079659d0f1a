// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/curlew"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/job"
)

// replayLife is how long an answer is kept for a repeated request.
const replayLife = 24 * time.Hour

// What the answers kept for repeated requests may take, in bytes: of one team,
// and of all together. An answer is not forgotten before its time to make room,
// because the request that repeats it would then do the work a second time: a
// request with a new key is refused instead.
const (
	maxTeamReplays = 32 << 20
	maxReplays     = 256 << 20
	replayBytes    = 512 // of one answer, besides the answer and its key
)

// replays keeps the answers of requests that carried an idempotency key. What
// it keeps of jobs stands in their specs too: a job and its key are durable in
// one step, and after a restart the jobs tell.
type replays struct {
	mu     sync.Mutex
	kept   map[replayKey]*replay // guarded by mu
	oldest []replayKey           // guarded by mu; of kept, by age
	used   map[string]int64      // guarded by mu; bytes of kept, by team
	total  int64                 // guarded by mu; bytes of kept
	told   map[string]chan error // guarded by mu; by team: holds the outcome of recall once

	mostOfTeam, most int64 // bytes; zero: maxTeamReplays, maxReplays
}

type replayKey struct{ team, endpoint, key string }

// replay is one request: under way until done is closed.
type replay struct {
	body   [sha256.Size]byte // hash of the request's
	done   chan struct{}
	answer []byte    // of the 200; nil where there was none, and the key is free again
	at     time.Time // when it began
}

// repeatable is what the spec of a job keeps of the request that began it.
type repeatable struct {
	Endpoint, Key string
	Body          [sha256.Size]byte // hash of the request's
	Answer        json.RawMessage   // of the 200, without the job's id and URL
	Base          string            // of its URL
}

// recall learns from the team's jobs what they were started with, once in the
// life of the handler.
func (h *Handler) recall(ctx context.Context, team string) error {
	h.replays.mu.Lock()
	told, later := h.replays.told[team]
	if !later {
		told = make(chan error, 1)
		if h.replays.told == nil {
			h.replays.told = map[string]chan error{}
		}
		h.replays.told[team] = told
	}
	h.replays.mu.Unlock()
	if later {
		select {
		case err := <-told:
			told <- err // for the next one who asks
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := h.recallJobs(ctx, team)
	if err != nil {
		h.replays.mu.Lock()
		delete(h.replays.told, team)
		h.replays.mu.Unlock()
	}
	told <- err
	return err
}

func (h *Handler) recallJobs(ctx context.Context, team string) error {
	for j, err := range h.service.Jobs(ctx, team, job.Filter{}) {
		switch {
		case j == nil:
			return err
		case time.Since(j.Created()) >= replayLife:
			return nil // the newest come first
		case err != nil:
			continue // a record that cannot be read
		}
		m, err := readMemo(j)
		if err != nil || m.Replay == nil {
			continue // without a key, or of another front end
		}
		var started wire.Started
		if err := json.Unmarshal(m.Replay.Answer, &started); err != nil {
			return err
		}
		started.ID, started.URL = j.ID(), m.Replay.Base+pathOf(j.Kind())+j.ID()
		started.InvalidURLs = append(started.InvalidURLs, j.Refused()...)
		var told any = started
		if j.Kind() == curlew.KindAgent {
			told = wire.AgentStarted{Success: true, ID: j.ID()} // without a URL (contract.md 7.1)
		}
		answer, err := jsonenc.Encode(told)
		if err != nil {
			return err
		}
		h.replays.remember(replayKey{team, m.Replay.Endpoint, m.Replay.Key}, &replay{body: m.Replay.Body, answer: answer, at: j.Created()})
	}
	return nil
}

// remember keeps what a job tells, unless this process knows better.
func (r *replays) remember(id replayKey, kept *replay) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept[id] != nil {
		return
	}
	if r.kept == nil {
		r.kept = map[replayKey]*replay{}
	}
	kept.done = make(chan struct{})
	close(kept.done)
	r.kept[id] = kept
	r.count(id, kept.size(id))
	at, _ := slices.BinarySearchFunc(r.oldest, kept.at, func(k replayKey, t time.Time) int { return r.kept[k].at.Compare(t) })
	r.oldest = slices.Insert(r.oldest, at, id)
}

// repeated returns what the spec of the job that c begins keeps of c; nil where
// c carries no key.
func (c *call) repeated(answer wire.Started) (*repeatable, error) {
	if c.key == "" {
		return nil, nil
	}
	raw, err := json.Marshal(answer)
	return &repeatable{Endpoint: c.route.pattern, Key: c.key, Body: c.hash, Answer: raw, Base: c.base}, err
}

// once serves a request that may be a repetition: work is called once for a key
// and body, and returns the answer.
func (h *Handler) once(c *call, body []byte, work func() ([]byte, error)) error {
	keys := c.r.Header.Values("X-Idempotency-Key")
	if len(keys) == 0 {
		answer, err := work()
		if err == nil {
			c.send(http.StatusOK, answer)
		}
		return err
	}
	key := strings.Join(keys, ", ") // of two headers none is taken (RFC 9110 5.3)
	if !visible(key) {
		return refuse(curlew.ErrRequest, "Invalid x-idempotency-key: 1 to 255 visible ASCII characters")
	}
	if err := h.recall(c.ctx(), c.team.ID); err != nil {
		return err
	}
	id, hash := replayKey{c.team.ID, c.route.pattern, key}, sha256.Sum256(body)
	c.key, c.hash = key, hash
	for {
		kept, mine, err := h.replays.enter(id, hash)
		if err != nil {
			return err
		}
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

// size returns the bytes that are counted for kept.
func (kept *replay) size(id replayKey) int64 {
	return int64(replayBytes + len(id.key) + len(kept.answer))
}

// count adds n bytes to what is kept for the team of id. The caller holds mu.
func (r *replays) count(id replayKey, n int64) {
	if r.used == nil {
		r.used = map[string]int64{}
	}
	r.total += n
	if r.used[id.team] += n; r.used[id.team] == 0 {
		delete(r.used, id.team)
	}
}

// full refuses a new key while the team of id, or all teams together, have no
// room for another answer. The refusal says when the next answer is forgotten.
// The caller holds mu.
func (r *replays) full(id replayKey) error {
	all := r.total >= cmp.Or(r.most, maxReplays)
	if !all && r.used[id.team] < cmp.Or(r.mostOfTeam, maxTeamReplays) {
		return nil
	}
	for _, k := range r.oldest {
		if all || k.team == id.team {
			return &curlew.Error{Err: curlew.ErrRate, Text: "too many idempotency keys are kept", Wait: time.Until(r.kept[k].at.Add(replayLife))}
		}
	}
	return nil // cannot happen: what is counted is in the list
}

// enter returns what is kept under id; mine means that it is new, and the
// caller's to run. It fails where it is new and there is no room for its answer.
func (r *replays) enter(id replayKey, body [sha256.Size]byte) (kept *replay, mine bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire()
	if kept := r.kept[id]; kept != nil {
		return kept, false, nil
	}
	if err := r.full(id); err != nil {
		return nil, false, err
	}
	if r.kept == nil {
		r.kept = map[replayKey]*replay{}
	}
	kept = &replay{body: body, done: make(chan struct{}), at: time.Now()}
	r.kept[id] = kept
	r.oldest = append(r.oldest, id)
	r.count(id, kept.size(id))
	return kept, true, nil
}

// expire forgets what is past its life. The caller holds mu.
func (r *replays) expire() {
	for len(r.oldest) > 0 {
		id := r.oldest[0]
		kept := r.kept[id]
		if time.Since(kept.at) < replayLife {
			return
		}
		delete(r.kept, id)
		r.count(id, -kept.size(id))
		r.oldest = r.oldest[1:]
	}
}

// run does the work, and keeps its answer or frees the key.
func (r *replays) run(id replayKey, kept *replay, work func() ([]byte, error)) (answer []byte, err error) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		listed := r.kept[id] == kept // false after a day: it is forgotten already
		if listed {
			r.count(id, -kept.size(id))
		}
		kept.answer = answer
		switch {
		case !listed:
		case err == nil && answer != nil:
			r.count(id, kept.size(id))
		default:
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
