// SPDX-License-Identifier: Apache-2.0

package repeats_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/internal/service/repeats"
	"example.com/curlew/job"
)

// TestElsewhere reads the start of another process an hour later, for the same request and
// for another one, and a damaged one.
func TestElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := repeats.Start{Fingerprint: [32]byte{1}, Answer: []byte(`{"id":1}`), Refused: []string{"http://a.test/"}}
		key, err := own.StoredAs("k")
		if err != nil || key.Name != "k" || key.Life != repeats.Life {
			t.Fatalf("%+v, %v", key, err)
		}
		key.Job, key.Life = "j", key.Life-time.Hour
		want := &repeats.Start{Fingerprint: own.Fingerprint, Answer: own.Answer, Refused: own.Refused, Job: "j", At: time.Now().Add(-time.Hour)}
		if got, err := repeats.Elsewhere(key, own.Fingerprint); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%v, %s", err, cmp.Diff(got, want))
		}
		if got, err := repeats.Elsewhere(key, [32]byte{2}); !errors.Is(err, repeats.ErrConflict) {
			t.Errorf("%+v, %v, want %v", got, err, repeats.ErrConflict)
		}
		key.Data = key.Data[:len(key.Data)-1]
		if got, err := repeats.Elsewhere(key, own.Fingerprint); !errors.Is(err, job.ErrCorrupt) {
			t.Errorf("%+v, %v, want %v", got, err, job.ErrCorrupt)
		}
	})
}
