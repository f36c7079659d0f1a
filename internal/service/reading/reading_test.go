// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/admission"
	"example.com/curlew/internal/service/reading"
	"example.com/curlew/internal/service/slots"
	"example.com/curlew/job"
	"example.com/curlew/parse"
)

// budget returns a Budget for one document of size bytes of text, and its log.
func budget(size int64) (*reading.Budget, *bytes.Buffer) {
	var log bytes.Buffer
	return &reading.Budget{
		Memory: admission.NewPool(reading.Weighed(parse.Text, size, 0)), Wait: 10 * time.Second,
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}, &log
}

// text is a document of 1 KiB.
var text = reading.Document{Kind: parse.Text, Size: 1 << 10}

// TestDo checks that Do returns the result of the work, and a panic as an
// error.
func TestDo(t *testing.T) {
	r, log := budget(1 << 10)
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		work func() (int, error)
		v    int
		err  error
	}{
		"value": {func() (int, error) { return 7, nil }, 7, nil},
		"error": {func() (int, error) { return 0, broken }, 0, broken},
		"panic": {func() (int, error) { panic("over a document") }, 0, reading.ErrPanic},
	} {
		v, err := reading.Do(t.Context(), r, text, func(context.Context, func(int64)) (int, error) { return tt.work() })
		if v != tt.v || !errors.Is(err, tt.err) {
			t.Errorf("%s: %d, %v, want %d, %v", name, v, err, tt.v, tt.err)
		}
	}
	if !strings.Contains(log.String(), "over a document") {
		t.Errorf("the operator is told %q", log)
	}
	if stuck, _ := r.Stop(t.Context()); stuck != 0 {
		t.Errorf("%d documents are still read", stuck)
	}
}

// TestDoWaits checks that a document waits for memory for the time that the
// Budget allows, or without limit if it is patient.
func TestDoWaits(t *testing.T) {
	for _, patient := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r, _ := budget(1 << 10)
			release := make(chan struct{})
			go func() {
				_, err := reading.Do(t.Context(), r, text, func(context.Context, func(int64)) (int, error) {
					<-release
					return 0, nil
				})
				if err != nil {
					t.Errorf("the first document: %v", err)
				}
			}()
			synctest.Wait()
			time.AfterFunc(time.Minute, func() { close(release) })
			second, began := text, time.Now()
			second.Patient = patient
			v, err := reading.Do(t.Context(), r, second, func(context.Context, func(int64)) (int, error) { return 1, nil })
			took := time.Since(began)
			if patient && (v != 1 || err != nil || took != time.Minute) {
				t.Errorf("a patient document: %d, %v after %v", v, err, took)
			}
			if !patient && (!errors.Is(err, admission.ErrBusy) || took != 10*time.Second) {
				t.Errorf("a document without patience: %v after %v", err, took)
			}
			<-release
		})
	}
}

// TestDoLate checks that Do does not wait for work that continues after its
// context has ended, and that the slot is released only when the work has
// ended.
func TestDoLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, log := budget(1 << 10)
		var teams slots.Teams
		seat, _, err := teams.Sit(t.Context(), "us", 1)
		if err != nil {
			t.Fatal(err)
		}
		late := text
		late.Seat, late.Limit = seat, time.Second
		release, began := make(chan struct{}), time.Now()
		_, err = reading.Do(t.Context(), r, late, func(context.Context, func(int64)) (int, error) {
			<-release
			return 0, nil
		})
		if took := time.Since(began); !errors.Is(err, fetch.ErrTimeout) || took > 2*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		if seat.Drop(); teams.Used("us") != 1 || !strings.Contains(log.String(), "goes on after its end") {
			t.Errorf("%d slots are in use during the work; the operator is told %q", teams.Used("us"), log)
		}
		if stuck, oldest := r.Stop(t.Context()); stuck != 1 || oldest < time.Second {
			t.Errorf("%d documents are still read, the oldest for %v", stuck, oldest)
		}
		close(release)
		synctest.Wait()
		if stuck, _ := r.Stop(t.Context()); stuck != 0 || teams.Used("us") != 0 {
			t.Errorf("%d documents are still read and %d slots in use at the end", stuck, teams.Used("us"))
		}
	})
}

// TestStop checks that Stop ends the work of callers, including work that
// begins later, but not that of jobs, which ends with the jobs.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reading.Budget{Memory: admission.NewPool(-1), Logger: slog.New(slog.DiscardHandler)}
		until := func(ctx context.Context, _ func(int64)) (int, error) {
			select {
			case <-ctx.Done():
				return 0, context.Cause(ctx)
			case <-time.After(time.Hour):
				return 1, nil
			}
		}
		ofJob := text
		ofJob.Patient = true
		go func() {
			if _, err := reading.Do(t.Context(), r, text, until); !errors.Is(err, job.ErrShutdown) {
				t.Errorf("a caller's document: %v", err)
			}
		}()
		go func() {
			if v, err := reading.Do(t.Context(), r, ofJob, until); v != 1 || err != nil {
				t.Errorf("a job's document: %d, %v", v, err)
			}
		}()
		synctest.Wait()
		if stuck, _ := r.Stop(t.Context()); stuck != 1 {
			t.Errorf("%d documents are still read, want that of the job", stuck)
		}
		if _, err := reading.Do(t.Context(), r, text, until); !errors.Is(err, job.ErrShutdown) {
			t.Errorf("a document after the shutdown: %v", err)
		}
		time.Sleep(2 * time.Hour)
	})
}

// TestGrow checks that a document that decompresses to much data takes memory
// from a younger one, which starts again when there is memory.
func TestGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := reading.Document{Terms: reading.Terms{Patient: true}, Kind: parse.DOCX, Size: 1 << 10}
		r := &reading.Budget{Memory: admission.NewPool(2 * reading.Weighed(parse.DOCX, 1<<10, 0)), Logger: slog.New(slog.DiscardHandler)}
		begun, grown := make(chan struct{}), make(chan struct{})
		go func() {
			_, err := reading.Do(t.Context(), r, book, func(ctx context.Context, grow func(int64)) (int, error) {
				<-begun // of the younger one
				grow(64 << 20)
				close(grown)
				time.Sleep(time.Minute)
				return 0, ctx.Err()
			})
			if err != nil {
				t.Errorf("the older document: %v", err)
			}
		}()
		synctest.Wait()
		tries, began := 0, time.Now()
		v, err := reading.Do(t.Context(), r, book, func(ctx context.Context, _ func(int64)) (int, error) {
			if tries++; tries == 1 {
				close(begun)
				<-ctx.Done() // its memory was taken away
				return 0, context.Cause(ctx)
			}
			return 1, nil
		})
		<-grown
		if took := time.Since(began); v != 1 || err != nil || tries != 2 || took != time.Minute {
			t.Errorf("the younger document: %d, %v after %d tries and %v", v, err, tries, took)
		}
	})
}
