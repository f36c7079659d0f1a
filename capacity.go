// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"errors"
	"fmt"
	"time"

	"example.com/curlew/internal/service/admission"
	"example.com/curlew/job"
)

// Limits limit how much of its machine a Service uses. A zero field means its default,
// [Unlimited] means no limit. Work that does not fit waits, and is then refused with
// [ErrBusy]. Running jobs wait as long as necessary.
type Limits struct {
	// Memory bounds request bodies, documents that are being read and results of jobs
	// in memory together, in bytes. The garbage of Go's heap is included. Zero means
	// half of the machine's memory, or of the limit of the control group if that is
	// lower.
	Memory int64

	// Bodies bounds the part of Memory for request bodies, in bytes: one half for
	// those in JSON, the other for uploaded files as far as they are not on disk.
	// Zero means an eighth of Memory, and at most 128 MiB.
	Bodies int64

	// Results bounds the part of Memory for the results of jobs that are kept in
	// memory, in bytes after compression. More go to temporary files. Results
	// under zero data retention do not: above the bound such jobs are refused.
	// Zero means an eighth of Memory, and at most 256 MiB.
	Results int64

	// Connections bounds how many connections clients hold at once, see
	// package httpapi. Zero means half of the files that the process may have
	// open, and at most 4,096.
	Connections int

	// DiskFree is the free disk space below which no job is accepted, in bytes. Zero
	// means 256 MiB.
	DiskFree int64

	// Dirs are the directories whose disks DiskFree applies to. Nil means the directory
	// of the Store, if it has a method Dir() string, as [job.Files] does.
	Dirs []string

	// Wait is how long a request waits for memory. Zero means 10 s.
	Wait time.Duration
}

// busy returns the refusal of work while a resource is scarce, or nil if its name is empty.
func busy(resource string) error {
	if resource == "" {
		return nil
	}
	return &Error{Err: ErrBusy, Text: "The server is short of " + resource + ". Please try again later.", Wait: admission.BusyWhile}
}

// outOf returns err. If err means that the resource is used up, outOf returns the refusal
// that names the resource instead, which wraps err.
func outOf(resource string, err error) error {
	if errors.Is(err, job.ErrMemory) {
		resource = admission.OfMemory
	}
	if errors.Is(err, admission.ErrBusy) || errors.Is(err, job.ErrFull) || errors.Is(err, job.ErrMemory) {
		return fmt.Errorf("%w: %w", busy(resource), err)
	}
	return err
}
