// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"example.com/curlew"
	"example.com/curlew/job"
)

// Health returns a handler for the probes of a host. GET /livez answers 200
// while the process runs. GET /readyz answers 200 while the Store answers,
// memory and disk suffice and Shutdown has not begun. Otherwise it answers 503
// with a line that gives the reason. The handler requires no key, so mount it
// where only the probes reach it.
func Health(s *curlew.Service) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { healthy(w, nil) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		healthy(w, s.Ready(ctx))
	})
	return mux
}

// healthy answers a probe. The answer says only which part fails and contains
// no details of why.
func healthy(w http.ResponseWriter, why error) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	text := "ok\n"
	switch {
	case errors.Is(why, job.ErrShutdown):
		w.WriteHeader(http.StatusServiceUnavailable)
		text = "shutting down\n"
	case errors.Is(why, curlew.ErrBusy):
		w.WriteHeader(http.StatusServiceUnavailable)
		_, text = curlew.Fault(why)
		text += "\n"
	case why != nil:
		w.WriteHeader(http.StatusServiceUnavailable)
		text = "the store does not answer\n"
	}
	_, _ = w.Write([]byte(text))
}
