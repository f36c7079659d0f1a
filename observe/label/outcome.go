// SPDX-License-Identifier: Apache-2.0

package label

import (
	"context"
	"errors"

	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/agent/llm"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/job"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
)

// outcomes are the classes of errors. The first match applies.
var outcomes = []struct {
	err  error
	name string
}{
	{job.ErrShutdown, "shutdown"},
	{job.ErrCancelled, "cancelled"},
	{account.ErrPayment, "credits"},
	{agent.ErrBudget, "credits"},
	{threat.ErrBlocked, "blocked"},
	{fetch.ErrAddress, "blocked"},
	{crawl.ErrDenied, "denied"},
	{crawl.ErrRobots, "robots"},
	{crawl.ErrHostDown, "host_down"},
	{fetch.ErrDNS, "dns"},
	{fetch.ErrTLS, "tls"},
	{fetch.ErrTimeout, "timeout"},
	{fetch.ErrConnect, "connect"},
	{fetch.ErrProtocol, "protocol"},
	{fetch.ErrTooLarge, "too_large"},
	{fetch.ErrInflate, "too_large"},
	{fetch.ErrRedirects, "redirects"},
	{fetch.ErrNotCached, "not_cached"},
	{parse.ErrUnsupported, "unsupported"},
	{parse.ErrEncrypted, "encrypted"},
	{parse.ErrCorrupt, "corrupt"},
	{parse.ErrLimit, "limit"},
	{parse.ErrOCRRequired, "ocr"},
	{llm.ErrProvider, "provider"},
	{job.ErrFull, "storage"},
	{job.ErrStorage, "storage"},
	{context.DeadlineExceeded, "timeout"},
	{context.Canceled, "cancelled"},
}

// Outcome returns "ok", the class of an error, or "error" for an unknown class.
func Outcome(err error) string {
	if err == nil {
		return "ok"
	}
	for _, o := range outcomes {
		if errors.Is(err, o.err) {
			return o.name
		}
	}
	return "error"
}
