// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/job"
)

func Example() {
	ctx := context.Background()
	r := job.Runner{Works: map[string]job.Work{
		"split": func(ctx context.Context, j *job.Job, s job.Space) error {
			for word := range strings.FieldsSeq(string(j.Spec)) {
				if err := s.Append(ctx, job.Item{Kind: job.Result, Data: []byte(word), Cost: 1}); err != nil {
					return err
				}
			}
			return nil
		},
	}}
	defer r.Shutdown(ctx)

	j, err := r.Start(ctx, "split", "team-1", []byte("work becomes an id"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for item, err := range r.Watch(ctx, "team-1", j.ID, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(string(item.Data))
	}
	j, stats, err := r.Get(ctx, "team-1", j.ID)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(j.State, stats.Items[job.Result], stats.Cost)

	_, _, err = r.Get(ctx, "team-2", j.ID)
	fmt.Println(errors.Is(err, job.ErrNotFound))
	// Output:
	// work
	// becomes
	// an
	// id
	// completed 4 4
	// true
}

// Cancel returns when nothing more will be added to the job.
func ExampleRunner_Cancel() {
	ctx := context.Background()
	started := make(chan struct{})
	r := job.Runner{Works: map[string]job.Work{
		"wait": func(ctx context.Context, _ *job.Job, _ job.Space) error {
			close(started)
			<-ctx.Done()
			return context.Cause(ctx)
		},
	}}
	defer r.Shutdown(ctx)

	j, err := r.Start(ctx, "wait", "team-1", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	<-started
	if err := r.Cancel(ctx, "team-1", j.ID); err != nil {
		fmt.Println(err)
		return
	}
	j, _, err = r.Get(ctx, "team-1", j.ID)
	fmt.Println(j.State, err)
	// Output: cancelled <nil>
}

// A second process continues where the first one ended.
func ExampleOpenFiles() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "jobs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	// count has three inputs and waits after the one with the number stop.
	count := func(stop int) job.Work {
		return func(ctx context.Context, _ *job.Job, s job.Space) error {
			done, err := job.Settled(ctx, s)
			for n := 1; err == nil && n <= 3; n++ {
				if done(n) {
					continue
				}
				err = s.Append(ctx, job.Item{Data: fmt.Appendf(nil, "input %d", n), Input: n})
				if n == stop {
					<-ctx.Done()
				}
			}
			return err
		}
	}
	process := func(work job.Work, use func(*job.Runner) error) error {
		files, err := job.OpenFiles(dir, nil)
		if err != nil {
			return err
		}
		defer files.Close()
		r := &job.Runner{Store: files, Works: map[string]job.Work{"count": work}}
		defer r.Shutdown(ctx)
		if err := r.Resume(ctx); err != nil {
			return err
		}
		return use(r)
	}
	var id string
	err = process(count(2), func(r *job.Runner) error {
		j, err := r.Start(ctx, "count", "team-1", nil)
		if err != nil {
			return err
		}
		id = j.ID
		for item, err := range r.Watch(ctx, "team-1", id, 0) {
			fmt.Println("first:", string(item.Data), err)
			if string(item.Data) == "input 2" {
				break
			}
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	err = process(count(0), func(r *job.Runner) error {
		for item, err := range r.Watch(ctx, "team-1", id, 0) {
			fmt.Println("second:", string(item.Data), err)
		}
		j, _, err := r.Get(ctx, "team-1", id)
		if err == nil {
			fmt.Println(j.State)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// first: input 1 <nil>
	// first: input 2 <nil>
	// second: input 1 <nil>
	// second: input 2 <nil>
	// second: input 3 <nil>
	// completed
}

// A crawl that uses the frontier of its job continues in another process where
// the first one ended. No page is delivered twice.
func ExampleSpace_frontier() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "jobs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	engine := crawl.Engine{Fetcher: fetchtest.New(new(testing.T), []byte(`
-- wader.test/ --
<a href="/curlew">Curlew</a> <a href="/godwit">Godwit</a>
-- wader.test/curlew --
Its bill is curved.
-- wader.test/godwit --
Its bill is straight.
`))}
	// walk crawls. Before it commits the page of this URL, it waits for the end
	// of its process.
	waits := make(chan struct{})
	walk := func(stop string) job.Work {
		return func(ctx context.Context, j *job.Job, s job.Space) error {
			c := crawl.Config{URL: string(j.Spec), Concurrency: 1, Sitemap: crawl.SitemapSkip}
			f, err := s.Frontier(ctx, c.FrontierOptions())
			if err != nil {
				return err
			}
			defer f.Close()
			c.Frontier = f
			c.Visit = func(_ context.Context, p *crawl.Page) error {
				p.Payload = []byte(p.URL) // becomes the Data of the Item
				return nil
			}
			for page, err := range engine.Run(ctx, c) {
				if err != nil {
					return err
				}
				fmt.Println("page", page.URL)
				if page.URL == stop {
					close(waits)
					<-ctx.Done()
					return context.Cause(ctx)
				}
			}
			return nil
		}
	}
	process := func(work job.Work, use func(*job.Runner) error) {
		files, err := job.OpenFiles(dir, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer files.Close()
		r := &job.Runner{Store: files, Works: map[string]job.Work{"crawl": work}}
		defer r.Shutdown(ctx)
		if err := r.Resume(ctx); err != nil {
			fmt.Println(err)
		}
		if err := use(r); err != nil {
			fmt.Println(err)
		}
	}
	var id string
	process(walk("http://wader.test/curlew"), func(r *job.Runner) error {
		j, err := r.Start(ctx, "crawl", "team-1", []byte("http://wader.test/"))
		if err != nil {
			return err
		}
		id = j.ID
		<-waits
		return nil
	})
	fmt.Println("again")
	process(walk(""), func(r *job.Runner) error {
		n := 0
		for _, err := range r.Watch(ctx, "team-1", id, 0) {
			if err != nil {
				return err
			}
			n++
		}
		fmt.Println(n, "items")
		return nil
	})
	// Output:
	// page http://wader.test/
	// page http://wader.test/curlew
	// again
	// page http://wader.test/curlew
	// page http://wader.test/godwit
	// 3 items
}
