// SPDX-License-Identifier: Apache-2.0

package repeats_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/service/repeats"
	"example.com/curlew/job"
)

// TestElsewhere reads the start of another process an hour later, for the same request and
// for another one, and a damaged one. The other process may also come first while the start
// begins here, and the store may fail.
func TestElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := repeats.Start{Fingerprint: [32]byte{1}, Answer: []byte(`{"id":1}`), Refused: []string{"http://a.test/"}}
		key, err := own.StoredAs("k")
		if err != nil || key.Name != "k" || key.Life != repeats.Life {
			t.Fatalf("%+v, %v", key, err)
		}
		key.Job, key.Life = "j", key.Life-time.Hour
		want := &repeats.Start{Fingerprint: own.Fingerprint, Answer: own.Answer, Refused: own.Refused, Job: "j", At: time.Now().Add(-time.Hour)}
		first := func(fingerprint [32]byte) (*repeats.Start, error) {
			r := &repeats.Repeats{
				Stored: stored(new(int), nil),
				Key:    func(context.Context, repeats.ID) (*job.Key, error) { return key, nil },
			}
			return r.Once(t.Context(), id, fingerprint, func(*repeats.Start) error {
				t.Error("the start began again")
				return nil
			})
		}
		if got, err := first(own.Fingerprint); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%v, %s", err, cmp.Diff(got, want))
		}
		if got, err := first([32]byte{2}); !errors.Is(err, repeats.ErrConflict) {
			t.Errorf("%+v, %v, want %v", got, err, repeats.ErrConflict)
		}
		late := repeats.Repeats{Stored: stored(new(int), nil), Key: func(context.Context, repeats.ID) (*job.Key, error) { return nil, nil }} //nolint:nilnil // no key is not an error
		got, err := late.Once(t.Context(), id, own.Fingerprint, func(*repeats.Start) error { return &job.KeyError{Key: *key} })
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("the other process came first: %v, %s", err, cmp.Diff(got, want))
		}
		broken := errors.New("broken store")
		late.Key = func(context.Context, repeats.ID) (*job.Key, error) { return nil, broken }
		if got, err := late.Once(t.Context(), id, own.Fingerprint, nil); !errors.Is(err, broken) {
			t.Errorf("%+v, %v, want %v", got, err, broken)
		}
		key.Data = key.Data[:len(key.Data)-1]
		if got, err := first(own.Fingerprint); !errors.Is(err, job.ErrCorrupt) {
			t.Errorf("%+v, %v, want %v", got, err, job.ErrCorrupt)
		}
	})
}
