// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

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

// Cancel returns when nothing will be added any more.
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
