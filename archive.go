// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"iter"

	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/warc"
	"example.com/curlew/internal/service/stored"
	"example.com/curlew/job"
)

// writer returns what writes the records of the job's requests.
func (s *spec) writer() *warc.Archive {
	a := new(warc.Archive)
	if s.Crawl != nil && s.Crawl.Robots == crawl.RobotsIgnore {
		a.Robots = "ignore"
	}
	return a
}

// archive stores a request and its response. The job must not go on without the record.
func (w *work) archive(ctx context.Context, r *fetch.Recording) error {
	return w.space.Append(ctx, job.Item{Kind: job.Exchange, Data: w.writer().Records(r)})
}

// recorded returns a context under which requests are archived if the job should be.
func (w *work) recorded(ctx context.Context) context.Context {
	if w.Archive {
		ctx = fetch.WithRecorder(ctx, w.archive)
	}
	return ctx
}

// Archive yields a web archive of what a crawl or batch with Archive has requested so far: WARC 1.1,
// whose records are gzip members, to be written one after another. For a record that is
// damaged it yields an error that wraps [job.ErrCorrupt], and then continues. For a job
// without Archive the error is an [*Error] that wraps [ErrRequest].
func (j *Job) Archive(ctx context.Context) iter.Seq2[[]byte, error] {
	if !j.spec.Archive {
		return func(yield func([]byte, error) bool) {
			yield(nil, refuse(ErrRequest, "The "+j.record.Kind+" was not archived. Ask for warc when it starts."))
		}
	}
	return stored.Archive(ctx, j, j.spec.writer().Info("curlew-"+j.ID()+".warc.gz"))
}
