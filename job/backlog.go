// SPDX-License-Identifier: Apache-2.0

package job

import "time"

// Backlog is the work in a store that several processes share, at one instant, for
// metrics.
type Backlog struct {
	Running map[string]KindBacklog // by the kind of the jobs

	// Orphans is the number of running jobs that nobody works on, because their process
	// has died or has left them. They should be taken over within seconds.
	Orphans int

	Waiting int           // tasks that no process has begun
	Oldest  time.Duration // how long the oldest of them has waited; zero if there is none
	Taken   int           // tasks in progress in another process than the one that holds the job

	Processes int           // processes that live
	Lease     time.Duration // time until this process is taken for dead; negative if it is
}

// KindBacklog is the running jobs of one kind.
type KindBacklog struct {
	Jobs   int
	Oldest time.Duration // age of the oldest one
}
