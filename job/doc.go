// SPDX-License-Identifier: Apache-2.0

// Package job runs long work under an id: work -> id.
//
// A [Runner] starts a [Work], hands out its id, and answers for it from then
// on: figures, items by page, a live sequence, cancellation, and nothing any
// more once the job has expired. What a job is told (Spec) and what it yields
// ([Item]) are opaque bytes; this package knows no format.
//
//	r := job.Runner{Works: map[string]job.Work{"crawl": crawl}}
//	j, err := r.Start(ctx, "crawl", team, spec)
//	...
//	for item, err := range r.Watch(ctx, team, j.ID, 0) {
//		...
//	}
//
// A [Store] keeps the jobs. [Memory] is the default and forgets all with the
// process. [Files] keeps them in a directory: after whatever end of the process
// [Runner.Resume] goes on with those that ran, and a [Work] that takes its tasks
// from its [Space.Frontier], or asks [Settled] which are done, does none twice.
// [example.com/curlew/job/jobtest] checks any other. Import this
// package to serve work to others, or for a crawl that outlives its process;
// any other needs only [example.com/curlew/crawl].
//
// # Security
//
// Whoever reads a job names its owner, and another owner's job answers like
// one that never was: [ErrNotFound]. A Work that panics fails its job and
// nothing else; its text does not reach the reader. Nothing of a job begun by
// [Runner.Begin] as Volatile is written to a disk.
package job
