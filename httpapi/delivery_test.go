// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/curlew/job"
)

// TestWebhookRestart stops the process between two attempts. The next process
// continues when the pause ends, and no event is lost.
func TestWebhookRestart(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		store, err := job.OpenFiles(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		failing := true
		h := newHooked(t, hookSite, store, "", func(int, hookEvent) int {
			if failing {
				return 500
			}
			return 200
		})
		h.start(t, "/v2/crawl", `{"url":"http://a.test/","limit":2,"webhook":{"url":"http://hook.test/","headers":{"X-Own":"v"}}}`)
		time.Sleep(2 * time.Minute) // after the second attempt
		h.close(t)
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}

		failing = false
		if store, err = job.OpenFiles(dir, nil); err != nil {
			t.Fatal(err)
		}
		h.open(t, hookSite, store, "")
		if err := h.service.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if diff := gocmp.Diff([]string{
			"0s crawl.started true 500", "1m0s crawl.started true 500", "6m0s crawl.started true 200",
			"6m0s crawl.page true http://a.test/ 200", "6m0s crawl.page true http://a.test/one 200", "6m0s crawl.completed true 200",
		}, h.story()); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
		if h.attempts[0].WebhookID != h.attempts[2].WebhookID || h.attempts[2].header.Get("X-Own") != "v" {
			t.Errorf("after the restart: id %s for %s, header %v", h.attempts[2].WebhookID, h.attempts[0].WebhookID, h.attempts[2].header)
		}
		h.close(t)
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestWebhookClock stops the process between two attempts and sets its clock
// back by a year. The next attempt is made after at most the longest pause.
func TestWebhookClock(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var h *hooked
		for round := range 2 {
			store, err := job.OpenFiles(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			if round == 0 {
				h = newHooked(t, hookSite, store, "", func(int, hookEvent) int { return 500 })
				h.start(t, "/v2/crawl", `{"url":"http://a.test/","limit":1,"webhook":{"url":"http://hook.test/","events":["completed"]}}`)
				time.Sleep(30 * time.Second) // after the first attempt
			} else {
				h.open(t, hookSite, store, "")
				if err := h.service.Resume(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(16 * time.Minute)
			}
			h.close(t)
			waiting, err := store.Unfinished(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range waiting {
				space, err := store.Space(t.Context(), j.ID)
				if err != nil {
					t.Fatal(err)
				}
				at := fmt.Sprintf(`{"Started":true,"Pages":1,"Tries":1,"Next":%q}`, time.Now().AddDate(1, 0, 0).Format(time.RFC3339))
				if err := space.Append(t.Context(), job.Item{Kind: job.Note, Data: []byte(at)}); err != nil {
					t.Fatal(err)
				}
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if len(h.attempts) != 2 {
			t.Errorf("%d attempts, want one before and one after: %v", len(h.attempts), h.story())
		}
	})
}

// countedStore counts how often jobs are listed.
type countedStore struct {
	*job.Files
	lists atomic.Int64
}

func (s *countedStore) List(ctx context.Context, owner string, by job.Filter) ([]*job.Job, error) {
	s.lists.Add(1)
	return s.Files.List(ctx, owner, by)
}

// TestWebhookResumes stops the process while many jobs deliver events. Each job
// that continues has one delivery, and resuming it does not list all other
// jobs.
func TestWebhookResumes(t *testing.T) {
	dir := t.TempDir()
	const jobs = 20
	synctest.Test(t, func(t *testing.T) {
		var h *hooked
		for round := range 2 {
			files, err := job.OpenFiles(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			store := &countedStore{Files: files}
			if round == 0 {
				h = newHooked(t, hookSite, store, "", func(int, hookEvent) int { return 200 })
				for range jobs {
					h.start(t, "/v2/crawl", `{"url":"http://a.test/","limit":2,"delay":60,"webhook":"http://hook.test/"}`)
				}
				time.Sleep(30 * time.Second) // after their first pages
			} else {
				h.open(t, hookSite, store, "")
				if err := h.service.Resume(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Hour)
				if n := store.lists.Load(); n != 0 {
					t.Errorf("jobs were listed %d times", n)
				}
			}
			h.close(t)
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		told := map[string]int{}
		for _, e := range h.attempts {
			told[e.Type]++
		}
		if want := map[string]int{"crawl.started": jobs, "crawl.page": 2 * jobs, "crawl.completed": jobs}; !maps.Equal(told, want) {
			t.Errorf("told %v, want %v", told, want)
		}
	})
}
