// SPDX-License-Identifier: Apache-2.0

// Mount adds curlew to an existing server with its own routes, middleware and
// shutdown. The added lines are marked "curlew".
package main

import (
	"context"
	"errors"
	"log"
	"net/http"
	"os"
	"os/signal"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/httpapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	service := new(curlew.Service) // curlew: the engines
	handler, err := newMux(service, os.Getenv("API_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{
		Addr:              "127.0.0.1:8080",
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err := service.Shutdown(ending) // curlew: jobs first, because the connection of a watcher ends with its job
		stopped <- errors.Join(err, server.Shutdown(ending))
	}()
	log.Print("http://", server.Addr)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	if err := <-stopped; err != nil { // wait until the open responses are sent
		log.Print(err)
	}
}

// newMux is the existing server.
func newMux(service *curlew.Service, key string) (http.Handler, error) {
	api, err := httpapi.NewHandler(service, &httpapi.Options{ // curlew: the contract
		Authenticator: httpapi.StaticKeys(map[string]account.Team{key: {ID: "us"}}),
		BaseURL:       "http://127.0.0.1:8080/data", // StripPrefix removes /data before the handler sees it
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("The server that was here before.\n"))
	})
	mux.Handle("/data/", http.StripPrefix("/data", api)) // curlew: its path
	return logged(mux), nil
}

// logged is middleware of the existing server.
func logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		next.ServeHTTP(w, r)
		log.Printf("%s %s %v", r.Method, r.URL.Path, time.Since(start).Round(time.Millisecond))
	})
}
