// SPDX-License-Identifier: Apache-2.0

package repeats

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"example.com/curlew/job"
)

// shared is a start as it is stored for other processes, in [job.Key].Data.
type shared struct {
	Fingerprint [sha256.Size]byte
	Answer      json.RawMessage `json:",omitempty"`
	Refused     []string        `json:",omitempty"`
}

// StoredAs returns the key with which the store of jobs keeps s for other processes.
func (s *Start) StoredAs(name string) (*job.Key, error) {
	raw, err := json.Marshal(shared{s.Fingerprint, s.Answer, s.Refused})
	return &job.Key{Name: name, Data: raw, Life: Life}, err
}

// elsewhere returns the start of another process that used a key. If it was another
// request, the error is [ErrConflict]. If the stored start is damaged, the error wraps
// [job.ErrCorrupt].
func elsewhere(k *job.Key, fingerprint [sha256.Size]byte) (*Start, error) {
	var stored shared
	if err := json.Unmarshal(k.Data, &stored); err != nil {
		return nil, fmt.Errorf("idempotency key: %w: %w", job.ErrCorrupt, err)
	}
	if stored.Fingerprint != fingerprint {
		return nil, ErrConflict
	}
	return &Start{
		Fingerprint: stored.Fingerprint, Answer: stored.Answer, Job: k.Job, Refused: stored.Refused,
		At: time.Now().Add(k.Life - Life),
	}, nil
}
