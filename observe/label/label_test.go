// SPDX-License-Identifier: Apache-2.0

package label_test

import (
	"errors"
	"fmt"
	"testing"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/job"
	"example.com/curlew/observe/label"
	"example.com/curlew/parse"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestOutcome checks that errors are found below others, and that no value contains the
// text of an error.
func TestOutcome(t *testing.T) {
	for want, err := range map[string]error{
		"ok":        nil,
		"dns":       fmt.Errorf("secret: %w", &fetch.Error{URL: "http://secret.test/", Err: fetch.ErrDNS}),
		"timeout":   fetch.ErrTimeout,
		"blocked":   fetch.ErrAddress,
		"shutdown":  fmt.Errorf("%w: %w", job.ErrShutdown, t.Context().Err()),
		"corrupt":   &parse.Error{Name: "secret.pdf", Err: parse.ErrCorrupt},
		"host_down": crawl.ErrHostDown,
		"error":     errors.New("secret"),
	} {
		if got := label.Outcome(err); got != want {
			t.Errorf("Outcome(%v) = %q, want %q", err, got, want)
		}
	}
}

// TestUnknown checks that values from outside never become values of labels.
func TestUnknown(t *testing.T) {
	for _, v := range []struct{ got, want string }{
		{label.Method("PATCH"), "PATCH"},
		{label.Method("BREW"), "other"},
		{label.Status(103), "1xx"},
		{label.Status(503), "5xx"},
		{label.Status(799), "other"},
		{label.Status(-1), "other"},
		{label.Task(frontier.RobotsTask), "robots"},
		{label.Task(frontier.SitemapTask), "sitemap"},
		{label.Task(0), "page"},
		{label.Commit(frontier.Duplicate), "duplicate"},
		{label.Commit(255), "other"},
	} {
		if v.got != v.want {
			t.Errorf("got %q, want %q", v.got, v.want)
		}
	}
}
