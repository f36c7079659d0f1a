// SPDX-License-Identifier: Apache-2.0

package sharing_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/audit"
	"example.com/curlew/crawl"
	"example.com/curlew/internal/service/sharing"
	"example.com/curlew/job"
)

// TestInputs passes a URL of a batch to a process that scrapes it, to one that answers
// nonsense, to processes that die, and to one whose result is too large.
func TestInputs(t *testing.T) {
	broken := errors.New("broken store")
	here := job.Item{Kind: job.Result, Data: []byte("here")}
	there := job.Item{Kind: job.Failure, Data: []byte("\xff\x00there"), Cost: 3}
	scrape := func(item job.Item, err error) func(context.Context, []byte) ([]byte, error) {
		return func(ctx context.Context, task []byte) ([]byte, error) {
			return sharing.DoInput(ctx, task, func(ctx context.Context, url string, n int) (job.Item, int, error) {
				if url != "http://a.test/" || n != 7 {
					t.Errorf("the task is %q, %d", url, n)
				}
				_ = sharing.Notes{}.Write(ctx, []audit.Event{{URL: url}})
				return item, 503, err
			})
		}
	}
	answer := func(b string, err error) func(context.Context, []byte) ([]byte, error) {
		return func(context.Context, []byte) ([]byte, error) { return []byte(b), err }
	}
	large := job.Item{Kind: job.Result, Data: make([]byte, job.MaxTaskResult)}
	for name, c := range map[string]struct {
		do      func(ctx context.Context, task []byte) ([]byte, error) // nil means that this process is the first that is free
		want    job.Item
		err     error
		lost    int
		charged int
	}{
		"here":       {want: here},
		"there":      {do: scrape(there, nil), want: there, charged: 3},
		"too large":  {do: scrape(large, nil), want: here},
		"failed":     {do: scrape(there, broken), err: broken},
		"died":       {do: answer("", job.ErrLost), err: crawl.ErrLost, lost: 5},
		"damaged":    {do: answer("damaged", nil), err: crawl.ErrLost, lost: 5},
		"wrong kind": {do: answer("\x0a"+`{"Kind":7}`, nil), err: crawl.ErrLost, lost: 5},
	} {
		t.Run(name, func(t *testing.T) {
			lost, charged := 0, 0
			b := sharing.Inputs{
				Turn: func(context.Context, string) *crawl.Turn { return new(crawl.Turn) },
				Pass: func(ctx context.Context, task []byte, _ time.Duration, here func()) ([]byte, error) {
					if c.do == nil {
						here()
						return nil, nil
					}
					return c.do(ctx, task)
				},
				Here: func(context.Context, string, int) (job.Item, int, error) { return here, 503, nil },
				Charge: func(_ context.Context, cost int, note []byte) error {
					if e, ok := sharing.Event(note); !ok || e.URL != "http://a.test/" {
						t.Errorf("the note is %q", note)
					}
					charged += cost
					return nil
				},
				Lost: func(context.Context, int, error) { lost++ },
			}
			got, status, err := b.One(t.Context(), "http://a.test/", 7)
			if err == nil && status != 503 {
				t.Errorf("status %d", status)
			}
			if !errors.Is(err, c.err) || err == nil && !cmp.Equal(got, c.want) {
				t.Errorf("%+v, %v, want %+v, %v", got, err, c.want, c.err)
			}
			if lost != c.lost || charged != c.charged {
				t.Errorf("lost %d and charged %d, want %d and %d", lost, charged, c.lost, c.charged)
			}
		})
	}
}

// TestInputsHere checks that a URL without a turn is not passed on, and that nothing is
// passed on again after the job was cancelled.
func TestInputsHere(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	passed := 0
	b := sharing.Inputs{
		Turn: func(context.Context, string) *crawl.Turn { return nil },
		Pass: func(context.Context, []byte, time.Duration, func()) ([]byte, error) {
			passed++
			cancel(job.ErrCancelled)
			return nil, job.ErrLost
		},
		Here: func(context.Context, string, int) (job.Item, int, error) { return job.Item{Cost: 1}, 503, nil },
	}
	if item, status, err := b.One(ctx, "x", 1); item.Cost != 1 || status != 503 || err != nil || passed != 0 {
		t.Errorf("%+v, %v after %d tasks", item, err, passed)
	}
	b.Turn = func(context.Context, string) *crawl.Turn { return new(crawl.Turn) }
	if _, _, err := b.One(ctx, "x", 1); !errors.Is(err, job.ErrCancelled) || passed != 1 {
		t.Errorf("%v after %d tasks, want %v after 1", err, passed, job.ErrCancelled)
	}
}

// TestDoInput gives a process bytes that are not a task.
func TestDoInput(t *testing.T) {
	for _, task := range []string{"", "{", `{"URL":1}`} {
		b, err := sharing.DoInput(t.Context(), []byte(task), func(context.Context, string, int) (job.Item, int, error) {
			t.Errorf("task %q is done", task)
			return job.Item{}, 0, nil
		})
		if err == nil || !strings.Contains(err.Error(), "another process") {
			t.Errorf("task %q: %q, %v", task, b, err)
		}
	}
}

// TestNote writes events with and without a note, and reads damaged notes.
func TestNote(t *testing.T) {
	ctx, note := sharing.Noted(t.Context())
	if b := note.Encode(); b != nil {
		t.Errorf("a note without an event is %q", b)
	}
	if err := (sharing.Notes{}).Write(t.Context(), []audit.Event{{URL: "lost"}}); err != nil {
		t.Error(err)
	}
	if err := (sharing.Notes{}).Write(ctx, []audit.Event{{URL: "kept"}}); err != nil {
		t.Error(err)
	}
	if e, ok := sharing.Event(note.Encode()); !ok || e.URL != "kept" {
		t.Errorf("the event is %+v, %t", e, ok)
	}
	for _, b := range []string{"", "{", "[]"} {
		if e, ok := sharing.Event([]byte(b)); ok {
			t.Errorf("note %q is %+v", b, e)
		}
	}
}
