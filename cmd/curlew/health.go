// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// probeHealth asks a server whether it is ready. It is the health check of the image, which
// has no shell and no other client.
func probeHealth(e *env, flags *flag.FlagSet) action {
	url := flags.String("url", "http://127.0.0.1:3002", "`URL` of the server")
	return func(rest []string) error {
		switch {
		case len(rest) > 0:
			return usageOf(rest)
		case !strings.HasPrefix(*url, "http://") && !strings.HasPrefix(*url, "https://"):
			return usage("--url %q does not begin with http:// or https://", *url)
		}
		return e.probe(*url)
	}
}

// probe asks the server at url whether it is ready.
func (e *env) probe(url string) error {
	client := http.Client{Timeout: 4 * time.Second, Transport: &http.Transport{DialContext: new(net.Dialer).DialContext, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(e.ctx, http.MethodGet, strings.TrimRight(url, "/")+"/readyz", nil)
	if err != nil {
		return usage("--url: %w", err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 200))
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	said := strings.TrimSpace(string(text))
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: status %d: %s", answer.StatusCode, said)
	}
	_, err = fmt.Fprintln(e.out, "ready")
	return err
}
