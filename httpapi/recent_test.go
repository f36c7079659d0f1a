// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestRecent fills the memory of scraped pages. The oldest are dropped, a page
// that is too large is not kept, and no page is returned after its expiry or to
// another team.
func TestRecent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r recent
		quarter := bytes.Repeat([]byte("x"), maxRecent/4)
		for i := range 6 {
			r.keep(fmt.Sprint(i), "team", quarter, time.Hour)
		}
		r.keep("large", "team", append(quarter, 'x'), time.Hour)
		for i := range 6 {
			if _, ok := r.find(fmt.Sprint(i), "team"); ok != (i >= 2) {
				t.Errorf("document %d is there: %v", i, ok)
			}
		}
		for _, id := range []string{"large", "unknown"} {
			if _, ok := r.find(id, "team"); ok {
				t.Errorf("%s is there", id)
			}
		}
		if _, ok := r.find("5", "other"); ok {
			t.Error("another team's is there")
		}
		if r.size != maxRecent || r.order.Len() != 4 || len(r.byID) != 4 {
			t.Errorf("%d bytes of %d documents, %d ids", r.size, r.order.Len(), len(r.byID))
		}
		time.Sleep(time.Hour)
		if _, ok := r.find("5", "team"); ok || r.order.Len() != 3 {
			t.Error("an expired one is there")
		}
	})
}
