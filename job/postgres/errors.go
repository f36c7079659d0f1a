// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"example.com/curlew/job"
	"example.com/curlew/job/blob"
)

// wrap returns err as a [job.Error] of the job id. A nil error stays nil.
func wrap(id string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*job.Error](err); ok && e.ID == id {
		return err
	}
	return &job.Error{ID: id, Err: err}
}

// storage returns an error of the database as one that wraps [job.ErrStorage],
// or [job.ErrFull] if its disk is full. An error of a caller's ctx stays as it
// is.
func storage(err error) error {
	switch e, ok := errors.AsType[*pgconn.PgError](err); {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, job.ErrStorage):
		return err
	case ok && e.Code == "53100":
		return fmt.Errorf("%w: %w", job.ErrFull, err)
	}
	return fmt.Errorf("%w: %w", job.ErrStorage, err)
}

// passes reports whether a statement or a call of the store of blobs that failed with err may succeed later. It
// is true if the connection broke, so that the outcome may be unknown, and if the
// server is full, starting, stopping, or not the primary one any more.
func passes(err error) bool {
	if errors.Is(err, blob.ErrTooLarge) || errors.Is(err, blob.ErrName) {
		return false
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return true // no answer of the server
	}
	switch e.Code {
	case "25006", "25P03", "25P04", "40001", "40P01", "55P03": // read-only, timeouts of a transaction, serialization, deadlock, lock timeout
		return true
	}
	switch e.Code[:2] {
	case "08", "53", "57", "58": // connection, resources, operator, system
		return true
	}
	return false
}

// noPartition reports whether a row could not be inserted because there is no partition
// for its day.
func noPartition(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "23514" && e.ConstraintName == ""
}

// text returns s as it can be stored in a column of text.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
