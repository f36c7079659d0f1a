// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// A loop is a goroutine of a [Store] that makes one exchange with the database after
// another. Each has a fence of its own, so that none waits for the exchanges of others.
type loop int

const (
	hubLoop  loop = iota // shares tasks of jobs that this process holds; see hub
	helpLoop             // takes tasks of other processes; see helping
	hostLoop             // asks for turns at hosts; see hosts
	slotLoop             // asks for slots of teams; see slots
	loops                // number of loops
)

// lane is the number of the loop in the functions of the database, which count from 1.
func (l loop) lane() int { return int(l) + 1 }

// fence makes the exchanges of one loop exact although connections break. If the
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

// raise makes sure that the outcome of earlier exchanges of l cannot change any more.
func (s *Store) raise(ctx context.Context, l loop) error {
	f := &s.fences[l]
	if !f.doubt {
		return nil
	}
	var known bool
	if err := s.pool.QueryRow(ctx, `select curlew.raise_fence($1, $2, $3)`, s.self, l.lane(), f.n+1).Scan(&known); err != nil {
		return storage(err)
	}
	if !known {
		signal(s.pulse)
		return storage(errForgotten)
	}
	f.n, f.doubt = f.n+1, false
	return nil
}

// batch begins an exchange of l. If its outcome is unknown and the next one begins, the
// database refuses what it has not executed until then. The batch must be sent with send.
func (s *Store) batch(ctx context.Context, l loop) (*pgx.Batch, error) {
	if err := s.raise(ctx, l); err != nil {
		return nil, err
	}
	b := new(pgx.Batch)
	b.Queue(`select curlew.enter($1, $2, $3)`, s.self, l.lane(), s.fences[l].n)
	return b, nil
}

// send sends a batch of l. After an error, the outcome of the exchange is unknown.
func (s *Store) send(ctx context.Context, l loop, b *pgx.Batch) error {
	err := s.pool.SendBatch(ctx, b).Close()
	s.fences[l].doubt = err != nil
	return storage(err)
}
