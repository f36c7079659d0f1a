// SPDX-License-Identifier: Apache-2.0

package audittest_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"example.com/curlew/audit"
	"example.com/curlew/audit/audittest"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// memory is a sink that stores lines in memory.
type memory struct {
	mu    sync.Mutex
	lines []string
}

func (m *memory) Write(ctx context.Context, events []audit.Event) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range events {
		m.lines = append(m.lines, string(audit.Encoder{}.Append(nil, &events[i])))
	}
	return nil
}

func TestCheck(t *testing.T) {
	audittest.Check(t, func(*testing.T) (audit.Sink, func() []string) {
		m := new(memory)
		return m, func() []string {
			m.mu.Lock()
			defer m.mu.Unlock()
			return slices.Clone(m.lines)
		}
	})
}
