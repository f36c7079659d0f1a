// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"
)

// channel is the channel of the notifications about jobs. Their payload is the
// identifier of a job, a space, and the identifier of the process that has changed it.
const channel = "curlew"

// taskChannel is the channel of the notifications about tasks that processes share.
const taskChannel = "curlew_task"

// Payloads of taskChannel.
const (
	payloadOffer    = "offer"  // there are new tasks
	payloadDone     = "done "  // there are results for the process that follows
	payloadRevoke   = "revoke" // some results are not wanted any more
	payloadCapacity = "room"   // a process has begun or stopped to help others; older processes know it by this word
)

// quiet is how long changes are collected before other processes are told.
const quiet = 100 * time.Millisecond

// changed returns a channel that is closed at the next change of a job.
func (s *Store) changed(id string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.waits[id]
	if c == nil {
		c = make(chan struct{})
		s.waits[id] = c
	}
	return c
}

// wake wakes the goroutines of this process that wait for a change. The caller
// holds mu.
func (s *Store) wake(id string) {
	if c := s.waits[id]; c != nil {
		close(c)
		delete(s.waits, id)
	}
}

// notify records changes that this process has made to jobs. It wakes the goroutines that
// wait for one here, and announce sends them to other processes.
func (s *Store) notify(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.wake(id)
		s.dirty[id] = true
	}
	select {
	case s.announcing <- struct{}{}:
	default:
	}
}

// announce tells other processes of changes. They are collected for a moment and
// not sent by the transactions that make them, because transactions with
// notifications are committed one after the other.
func (s *Store) announce() {
	for {
		select {
		case <-s.announcing:
		case <-s.alive.Done():
			return
		}
		s.mu.Lock()
		ids := slices.Collect(maps.Keys(s.dirty))
		clear(s.dirty)
		s.mu.Unlock()
		// A lost notification only delays a watch, which asks again by itself.
		_, _ = s.pool.Exec(s.alive, `select pg_notify($1, id || ' ' || $2) from unnest($3::text[]) id`, channel, s.self, ids)
		if !pause(s.alive, quiet) {
			return
		}
	}
}

// listen wakes waiting goroutines when another process announces a change. After
// a connection was lost, it wakes all.
func (s *Store) listen() {
	for s.alive.Err() == nil {
		err := s.receive()
		if s.alive.Err() != nil {
			return
		}
		s.logger.Warn("notifications of the database were interrupted", slog.Any("err", err))
		pause(s.alive, time.Second)
	}
}

// receive listens until the connection breaks.
func (s *Store) receive() error {
	pooled, err := s.pool.Acquire(s.alive)
	if err != nil {
		return err
	}
	conn := pooled.Hijack()
	defer func() { _ = conn.Close(context.WithoutCancel(s.alive)) }()
	if _, err := conn.Exec(s.alive, `listen `+channel+`; listen `+taskChannel+`; listen `+hostChannel+`; listen `+slotChannel); err != nil {
		return err
	}
	s.hub.poke()
	s.hosts.changed(true)
	s.slots.notified("")
	s.taskNotified(payloadOffer)
	s.taskNotified(payloadRevoke)
	s.taskNotified(payloadCapacity)
	s.mu.Lock()
	for id := range s.waits {
		s.wake(id)
	}
	s.mu.Unlock()
	for {
		n, err := conn.WaitForNotification(s.alive)
		if err != nil {
			return err
		}
		if n.Channel == hostChannel {
			if n.Payload == s.self || n.Payload == "" {
				s.hosts.changed(n.Payload == "")
			}
			continue
		}
		if n.Channel == slotChannel {
			s.slots.notified(n.Payload)
			continue
		}
		if n.Channel == taskChannel {
			s.taskNotified(n.Payload)
			continue
		}
		id, sender, _ := strings.Cut(n.Payload, " ")
		if sender == s.self {
			continue
		}
		s.mu.Lock()
		s.wake(id)
		c := s.claims[id]
		s.mu.Unlock()
		if c != nil { // probably another process has ended or deleted it
			s.all.Go(func() { c.verify(s.alive) })
		}
	}
}

// taskNotified handles a notification about tasks.
func (s *Store) taskNotified(payload string) {
	help := s.helper()
	switch {
	case payload == payloadDone+s.self:
		s.hub.poke()
	case payload == payloadOffer && help != nil:
		signal(help.wake)
	case payload == payloadRevoke && help != nil:
		signal(help.look)
	case payload == payloadCapacity:
		s.all.Go(s.readCapacity)
	}
}

// pause waits for a time. If ctx ends first, it returns false.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
