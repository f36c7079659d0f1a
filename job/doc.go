// SPDX-License-Identifier: Apache-2.0

// Package job runs long work in the background under an id.
//
// A [Runner] starts a [Work] and returns the id of the job. With the id, a caller
// reads the figures and the items of the job, waits for further items, or cancels
// the job, until the job expires. The specification of a job (Spec) and its
// results ([Item]) are opaque bytes, because this package knows no formats.
//
//	r := job.Runner{Works: map[string]job.Work{"crawl": crawl}}
//	j, err := r.Start(ctx, "crawl", team, spec)
//	...
//	for item, err := range r.Watch(ctx, team, j.ID, 0) {
//		...
//	}
//
// A [Store] stores the jobs. [Memory], the default, loses them with the
// process. [Files] stores them in a directory. After the end of a process, even
// by a crash, [Runner.Resume] continues the jobs that were running. A [Work]
// that takes its tasks from its [Space.Frontier], or asks [Settled] which are
// done, does no task twice. [example.com/curlew/job/jobtest] tests other
// stores. Import this package to offer work to clients, or for a crawl that
// outlives its process. All other crawls need only [example.com/curlew/crawl].
//
// # Security
//
// A caller that reads a job names its owner. A job of another owner is reported
// like one that does not exist: [ErrNotFound]. A Work that panics fails only
// its job, and readers do not see the text of the panic. If [Runner.Begin]
// starts a job as Volatile, nothing of it is written to a disk.
package job
