// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Numbers of the fences of a process; see [Store].fences.
const (
	hubFence = iota
	helpFence
	hostFence
	slotFence
	fences
)

// fence makes the exchanges of one goroutine exact although connections break. If the
// answer to an exchange is lost, the server may still execute it at any time, for example
// because the process that serves the connection had to wait. So the next exchange first
// raises the fence. From then on an earlier one has either been executed or cannot be.
//
// The fence of a process that has shown no sign of life for an hour is forgotten.
type fence struct {
	n     int64 // earlier exchanges had a smaller number
	doubt bool  // the outcome of the last exchange is unknown
}

// errForgotten means that the process is not in the database, because others have removed
// it or the database was replaced. Its next sign of life adds it.
var errForgotten = errors.New("the database does not know this process")

// raise makes sure that the outcome of earlier exchanges cannot change any more.
func (s *Store) raise(ctx context.Context, lane int) error {
	f := &s.fences[lane]
	if !f.doubt {
		return nil
	}
	var known bool
	if err := s.pool.QueryRow(ctx, `select curlew.raise_fence($1, $2, $3)`, s.self, lane+1, f.n+1).Scan(&known); err != nil {
		return storage(err)
	}
	if !known {
		signal(s.pulse)
		return storage(errForgotten)
	}
	f.n, f.doubt = f.n+1, false
	return nil
}

// batch returns a batch that fails if a later one was sent although its outcome was
// unknown. It must be sent with send.
func (s *Store) batch(ctx context.Context, lane int) (*pgx.Batch, error) {
	if err := s.raise(ctx, lane); err != nil {
		return nil, err
	}
	b := new(pgx.Batch)
	b.Queue(`select curlew.enter($1, $2, $3)`, s.self, lane+1, s.fences[lane].n)
	return b, nil
}

// send sends a batch. If it fails, its outcome is unknown.
func (s *Store) send(ctx context.Context, lane int, b *pgx.Batch) error {
	err := s.pool.SendBatch(ctx, b).Close()
	s.fences[lane].doubt = err != nil
	return storage(err)
}
