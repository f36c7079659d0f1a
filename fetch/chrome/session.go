// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
)

// Limits of a session. The limits of bytes and requests of a page apply to a session as a
// whole.
const (
	maxSession  = 10 * time.Minute // since Open
	idleSession = 2 * time.Minute  // since the end of the last call
)

var (
	errOver = fmt.Errorf("%w: the session has lasted %v", render.ErrClosed, maxSession)
	errIdle = fmt.Errorf("%w: the session was not used for %v", render.ErrClosed, idleSession)
)

// session is an open page.
type session struct {
	view *view
	call sync.Mutex  // held during a call
	idle *time.Timer // ends the session if it is not used
}

// Open implements [render.Opener]. A session takes one of the tabs, and at most half of the
// tabs are used for sessions. If none is free in half of the Timeout, Open returns
// [render.ErrBusy]. A session ends at Close, when ctx ends, after 10 minutes, and after 2
// minutes without a call. Do then returns [render.ErrClosed] or the cause of ctx.
func (b *Browser) Open(ctx context.Context, r *render.Request) (render.Session, *render.Page, error) {
	return b.open(ctx, r, func(error) {})
}

// open is like Open. It calls leave when the session has ended, or with the error that it
// returns.
func (b *Browser) open(ctx context.Context, r *render.Request, leave func(error)) (_ render.Session, _ *render.Page, err error) {
	start, begun := time.Now(), false // begun: the session has begun, so that its end calls leave
	defer func() {
		if err != nil {
			leave(err)
		}
	}()
	own, err := b.check(r)
	if err != nil {
		return nil, nil, err
	}
	life, end := context.WithTimeoutCause(ctx, maxSession, errOver)
	timeout := cmp.Or(r.Timeout, defaultTimeout)
	first, cancel := context.WithTimeoutCause(life, timeout, fetch.ErrTimeout)
	defer cancel()
	if err := enter(first, b.sessions, timeout/2); err != nil {
		end()
		return nil, nil, err
	}
	if err := enter(first, b.tabs, timeout/2); err != nil {
		<-b.sessions
		end()
		return nil, nil, err
	}
	v, page, err := b.show(first, life, &view{request: r, browser: b, own: own, begun: start}, func() {
		end()
		<-b.tabs
		<-b.sessions
		if begun {
			leave(nil)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	begun = true
	s := &session{view: v, idle: time.AfterFunc(idleSession, func() { v.end(errIdle) })}
	context.AfterFunc(v.life, func() { //nolint:contextcheck // the session outlives the call
		s.idle.Stop()
		v.finish()
	})
	return s, page, nil
}

// Do implements [render.Session]. It takes at most the Timeout of the request of Open.
func (s *session) Do(ctx context.Context, steps []render.Step) (*render.Page, error) {
	v := s.view
	if err := v.browser.checkSteps(steps); err != nil {
		return nil, err
	}
	s.call.Lock()
	defer s.call.Unlock()
	if v.life.Err() != nil {
		return nil, context.Cause(v.life) //nolint:contextcheck // the context of the session
	}
	s.idle.Stop()
	defer func() {
		if v.life.Err() == nil {
			s.idle.Reset(idleSession)
		}
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(v.request.Timeout, defaultTimeout), fetch.ErrTimeout)
	defer cancel()
	ctx, done := v.work(ctx)
	defer done()
	v.mu.Lock()
	v.page = render.Page{URL: v.page.URL, Status: v.page.Status, Header: v.page.Header, Ready: v.page.Ready}
	v.mu.Unlock()
	if err := v.follow(ctx, steps); err != nil {
		err = v.blame(ctx, err)
		if errors.Is(err, render.ErrCrashed) {
			v.end(err)
		}
		return nil, err
	}
	return v.result(), nil
}

// Close implements [render.Session]. It returns when the tab is closed.
func (s *session) Close() error {
	s.view.end(render.ErrClosed)
	<-s.view.finish()
	return nil
}
