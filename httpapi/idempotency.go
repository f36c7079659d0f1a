// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strings"

	"example.com/curlew"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
)

// replay is the answer to the start of a job, without the job's ID and URL. The
// Service keeps it with the idempotency key.
type replay struct {
	Answer json.RawMessage
	Base   string // beginning of the URL
}

// idempotency reads the header X-Idempotency-Key of a request with this body.
func (c *call) idempotency(body []byte) (i curlew.Idempotency, err error) {
	keys := c.r.Header.Values("X-Idempotency-Key")
	if len(keys) == 0 {
		return i, nil
	}
	// If the header comes twice, this key is not valid (RFC 9110 5.3).
	i.Key, i.Fingerprint = strings.Join(keys, ", "), sha256.Sum256(body)
	if !i.Valid() {
		return i, refuse(curlew.ErrRequest, "Invalid x-idempotency-key: 1 to 255 visible ASCII characters")
	}
	return i, nil
}

// keep stores the answer that a repeated request gets.
func (c *call) keep(i *curlew.Idempotency, answer wire.Started) error {
	if i.Key == "" {
		return nil
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	i.Answer, err = json.Marshal(replay{Answer: raw, Base: c.base})
	return err
}

// started answers the start of a job. If the start repeated an earlier one, it gets
// the answer of that one.
func (c *call) started(j *curlew.Job, answer wire.Started) error {
	base := c.base
	if stored, ok := j.Repeated(); ok {
		var first replay
		if err := json.Unmarshal(stored, &first); err != nil {
			return err
		}
		answer, base = wire.Started{}, first.Base
		if err := json.Unmarshal(first.Answer, &answer); err != nil {
			return err
		}
		c.w.Header().Set("Idempotent-Replayed", "true")
	}
	answer.ID = j.ID()
	if j.Kind() == curlew.KindAgent {
		return c.answer(http.StatusOK, wire.AgentStarted{Success: true, ID: j.ID()}) // without a URL (contract.md 7.1)
	}
	if j.Kind() == curlew.KindExtract {
		return c.answer(http.StatusOK, wire.ExtractStarted{Success: true, ID: j.ID(), URLTrace: []string{}, InvalidURLs: answer.InvalidURLs})
	}
	answer.URL = base + pathOf(j.Kind()) + j.ID()
	answer.InvalidURLs = append(answer.InvalidURLs, j.Refused()...)
	body, err := jsonenc.Encode(answer)
	if err == nil {
		c.send(http.StatusOK, body)
	}
	return err
}
