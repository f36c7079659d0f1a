// SPDX-License-Identifier: Apache-2.0

// Package sharing makes bytes of the tasks, results and audit events that processes pass to
// each other, and keeps the values of the jobs with which a process helps.
package sharing

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"example.com/curlew/crawl"
	"example.com/curlew/job"
)

// version is the version of the tasks that processes share. Processes with different
// versions do not help each other.
const version = 1

// Kind returns the kind of the tasks of processes that have a configuration in common.
func Kind(configuration ...any) string {
	text := fmt.Appendf(nil, "%d", version)
	for _, v := range configuration {
		text = fmt.Appendf(text, " %#v", v)
	}
	sum := sha256.Sum256(text)
	return "page-" + hex.EncodeToString(sum[:8])
}

// Encode returns the length of the head, the head as JSON, and the payload as it is.
func Encode(head any, payload []byte) ([]byte, error) {
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, binary.MaxVarintLen64+len(text)+len(payload))
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(append(b, text...), payload...), nil
}

// Decode reads what [Encode] has returned. The payload is a part of b. The error wraps
// [job.ErrCorrupt].
func Decode(b []byte, head any) (payload []byte, err error) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) { //nolint:gosec // G115: n is at most len(b)
		return nil, fmt.Errorf("result of another process: %w", job.ErrCorrupt)
	}
	end := n + int(size) //nolint:gosec // G115: just compared
	if err := json.Unmarshal(b[n:end], head); err != nil {
		return nil, fmt.Errorf("result of another process: %w: %w", job.ErrCorrupt, err)
	}
	return b[end:], nil
}

// Pages returns a [crawl.Share] whose tasks and results pass has as bytes. The
// function pass does what [job.Share] does.
func Pages(pass func(ctx context.Context, task []byte, gap time.Duration, here func()) ([]byte, error)) crawl.Share {
	return func(ctx context.Context, task *crawl.SharedTask, here func()) (*crawl.SharedResult, error) {
		data, err := json.Marshal(task)
		if err != nil {
			return nil, err
		}
		result, err := pass(ctx, data, task.Gap, here)
		if result == nil || err != nil {
			return nil, err
		}
		return DecodePage(result)
	}
}

// Do does a task that [Pages] has made, with [crawl.Assistant.Do], and returns the
// result as at most [job.MaxTaskResult] bytes.
func Do(ctx context.Context, a *crawl.Assistant, task []byte, finish func(*crawl.Page) error) ([]byte, error) {
	var t crawl.SharedTask
	if err := json.Unmarshal(task, &t); err != nil {
		return nil, fmt.Errorf("task of another process: %w", err)
	}
	found, err := a.Do(ctx, &t, finish)
	if err != nil {
		return nil, err
	}
	return EncodePage(found, job.MaxTaskResult)
}

// EncodePage returns the result of a page of a crawl as bytes. If these are more than
// most, the result only says that it is too large.
func EncodePage(p *crawl.SharedResult, most int) ([]byte, error) {
	head := *p
	head.Payload = nil // it follows the head, because JSON would enlarge it
	b, err := Encode(&head, p.Payload)
	if err == nil && len(b) > most {
		b, err = Encode(&crawl.SharedResult{TooLarge: true, Answer: p.Answer, Took: p.Took, Wait: p.Wait}, nil)
	}
	return b, err
}

// DecodePage reads what [EncodePage] has returned. The error wraps [job.ErrCorrupt].
func DecodePage(b []byte) (*crawl.SharedResult, error) {
	var p crawl.SharedResult
	payload, err := Decode(b, &p)
	if err != nil {
		return nil, err
	}
	p.Payload = nil
	if len(payload) > 0 {
		p.Payload = payload
	}
	return &p, nil
}
