// SPDX-License-Identifier: Apache-2.0

package fetchtest

import (
	"runtime"
	"sync"
	"testing"

	"example.com/curlew/fetch/render"
)

// FailedRenderer returns the names of the tests of [CheckRenderer] that fail.
func FailedRenderer(t *testing.T, open func(t testing.TB) render.Renderer) (failed []string) {
	for _, s := range rendererSuite {
		r := &recorder{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.run(r, open(t))
		}()
		<-done
		if r.failed {
			failed = append(failed, s.name)
		}
	}
	return failed
}

// recorder is a testing.TB that notes a failure instead of failing.
type recorder struct {
	testing.TB
	mu     sync.Mutex
	failed bool
}

func (r *recorder) note() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
}

func (r *recorder) Error(...any)          { r.note() }
func (r *recorder) Errorf(string, ...any) { r.note() }
func (r *recorder) Fatalf(string, ...any) {
	r.note()
	runtime.Goexit()
}
