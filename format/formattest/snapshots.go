// SPDX-License-Identifier: Apache-2.0

// Package formattest checks implementations of the interfaces of package format.
package formattest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/format"
)

// CheckSnapshots checks that the store that open returns keeps the contract of
// [format.Snapshots]. Each call of open must return an empty store.
func CheckSnapshots(t *testing.T, open func(t *testing.T) format.Snapshots) {
	t.Helper()
	t.Run("keeps the last", func(t *testing.T) {
		s := open(t)
		if _, err := s.Last(t.Context(), "00"); !errors.Is(err, format.ErrNoSnapshot) {
			t.Errorf("empty: got %v, want ErrNoSnapshot", err)
		}
		for i, key := range []string{"00", "0a", "00"} {
			want := &format.Snapshot{
				Time: time.Unix(int64(i), 0).UTC(), Markdown: fmt.Sprintf("# <%d>\n\u2028é", i),
				Fields: map[string]json.RawMessage{"a": json.RawMessage(`[1,"x"]`)},
			}
			if err := s.Save(t.Context(), key, want); err != nil {
				t.Fatal(err)
			}
			got, err := s.Last(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			got.Markdown = "changed"
			clear(got.Fields)
			if again, err := s.Last(t.Context(), key); err != nil || again.Markdown != want.Markdown || len(again.Fields) != 1 {
				t.Errorf("what was returned is still the store's: %v, %v", again, err)
			}
		}
		if got, err := s.Last(t.Context(), "0a"); err != nil || got.Time.Unix() != 1 {
			t.Errorf("another key: %v, %v", got, err)
		}
	})
	t.Run("at once", func(t *testing.T) {
		s := open(t)
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				key := fmt.Sprintf("%02x", i%4)
				if err := s.Save(t.Context(), key, &format.Snapshot{Markdown: key}); err != nil {
					t.Error(err)
				}
				if got, err := s.Last(t.Context(), key); err != nil || got.Markdown != key {
					t.Errorf("%s: %v, %v", key, got, err)
				}
			})
		}
		wg.Wait()
	})
	t.Run("ctx", func(t *testing.T) {
		s := open(t)
		ctx, stop := context.WithCancel(t.Context())
		stop()
		_, _ = s.Last(ctx, "00") // both may fail, but they must return
		_ = s.Save(ctx, "00", &format.Snapshot{})
	})
}
