// SPDX-License-Identifier: Apache-2.0

// Package faults maps each error that ends the work of a team to one code and one sentence.
package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"

	"example.com/curlew/account"
	"example.com/curlew/audit"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/render"
	"example.com/curlew/internal/service/repeats"
	"example.com/curlew/internal/service/viewing"
	"example.com/curlew/job"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
)

// Errors with which a Service refuses work. The root exports them.
var (
	ErrEngine   = errors.New("engine not configured")
	ErrRequest  = errors.New("bad request")
	ErrBusy     = errors.New("service is busy")
	ErrRate     = errors.New("rate limit")
	ErrFinished = errors.New("job is finished")
)

// Internal errors with which a Service refuses work or its jobs fail.
var (
	ErrEmpty      = errors.New("document is empty") // an upload of zero bytes
	ErrNoCache    = errors.New("nothing cached")    // minAge was requested and there is no cache
	ErrLockdown   = errors.New("nothing cached, and no request allowed")
	ErrMapTimeout = errors.New("map timed out")
	ErrPanic      = errors.New("panic")
	ErrCrashed    = errors.New("the server's process ended twice before the job's first page")
	ErrJob        = errors.New("the job could not continue") // what the team sees instead of an internal error
	ErrMaxCredits = errors.New("Max credits exceeded")       //nolint:staticcheck // the contract's text
	ErrModel      = errors.New("The model provider failed")  //nolint:staticcheck // the wire's text
	ErrSearch     = errors.New("The search provider failed") //nolint:staticcheck // the wire's text
	ErrActions    = errors.New("actions are not supported")
	ErrBlocked    = errors.New("blocked by the team's blocklist")

	ErrNoURLs    = fmt.Errorf("%w: no URLs", ErrRequest)
	ErrNoPlanner = fmt.Errorf("%w: no planner", ErrRequest)                      // a crawl has a prompt, and there is no model
	ErrSince     = fmt.Errorf("%w: the earlier crawl of since", job.ErrNotFound) // or it belongs to another team
)

// Texts that the contract prescribes, and texts of several lines.
const (
	textPayment = "Payment required to access this resource."
	textRate    = "Request rate limit exceeded. Please wait and try again later."
	textUnknown = "An unexpected error occurred on the server."
	textRefused = "connection refused by the site"

	// This text is the same for every address and port, because a remote caller must not
	// learn what a name resolves to. The Go error that the operator sees says more.
	textNetwork = "blocked by network policy: this server asks only for public addresses on the ports 80, 443, 8080 and 8443, and for what its operator has opened besides"
)

// fault says what a team is told about an error that ended its work. It is used in
// responses, in the errors of jobs and in the audit log.
type fault struct {
	of   condition
	code string // empty if there is no code
	text string // empty means the text of the error
}

// A condition decides to which errors an entry of the table applies. Its types refer to a variable or a
// function and are not closures, so that the compiler can store the table as data, without code that fills it.
type condition interface{ holds(err error) bool }

// is holds for errors that wrap the value of a variable.
type is struct{ target *error }

func (c is) holds(err error) bool { return errors.Is(err, *c.target) }

// when is a condition that a function decides.
type when func(error) bool

func (c when) holds(err error) bool { return c(err) }

func as[E error](err error) bool { _, ok := errors.AsType[E](err); return ok }

func always(error) bool { return true }

// siteRefuses tells a site that refuses the connection from a database, or another
// service of this server, that does.
func siteRefuses(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) && (as[*fetch.Error](err) || as[*crawl.Error](err) || errors.Is(err, fetch.ErrConnect))
}

// siteCloses reports whether a site that was reached closed the connection.
func siteCloses(err error) bool {
	return as[*fetch.Error](err) && (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF))
}

// table is the only one that maps errors to codes and sentences. The first matching
// entry applies.
var table = []fault{
	{is{&account.ErrForbidden}, "", ""},
	{is{&ErrRate}, "", textRate},
	{is{&account.ErrPayment}, "", textPayment},
	{is{&ErrNoURLs}, "", ""},
	{is{&ErrNoPlanner}, "", ""},
	{is{&ErrSince}, "", ""},
	{is{&ErrRequest}, "BAD_REQUEST", ""},
	{is{&ErrEngine}, "ENGINE_NOT_CONFIGURED", ""},
	{is{&ErrActions}, "SCRAPE_ACTIONS_NOT_SUPPORTED", ""},
	{is{&ErrFinished}, "", ""},
	{is{&repeats.ErrConflict}, "", "Idempotency key already used"},
	{is{&job.ErrNotFound}, "", "Job not found"},
	{is{&job.ErrShutdown}, "", "The server is shutting down."},
	{is{&job.ErrCancelled}, "", "The job was cancelled."},
	{is{&ErrBusy}, "SERVICE_BUSY", ""},

	{is{&ErrEmpty}, "PARSE_MALFORMED_DOCUMENT", "The document is empty."},
	{is{&parse.ErrCorrupt}, "PARSE_MALFORMED_DOCUMENT", "The document is malformed."},
	{is{&parse.ErrOCRRequired}, "SCRAPE_PDF_OCR_REQUIRED", "The PDF has no text, only images, and must be recognised (OCR)."},
	{is{&parse.ErrPassword}, "PARSE_ENCRYPTED_DOCUMENT", "The document is encrypted, and the password is wrong."},
	{is{&parse.ErrEncrypted}, "PARSE_ENCRYPTED_DOCUMENT", "The document is encrypted."},
	{is{&parse.ErrLimit}, "PARSE_LIMIT_EXCEEDED", "The document exceeds a limit of this server."},

	{is{&ErrBlocked}, "unsafe_domain_blocked", ""},
	{when(as[*threat.BlockedError]), "unsafe_domain_blocked", ""},
	{when(as[*threat.ForbiddenError]), "", ""},
	{is{&ErrSearch}, "SEARCH_FAILED", "The search provider failed. Try again later."},
	{is{&ErrMapTimeout}, "MAP_TIMEOUT", "The map timed out."},
	{is{&ErrNoCache}, "SCRAPE_NO_CACHED_DATA", "No cached data of the age asked for: this server has no cache."},
	{is{&ErrLockdown}, "SCRAPE_LOCKDOWN_CACHE_MISS", "Not cached, and lockdown forbids a request."},
	{is{&fetch.ErrNotCached}, "SCRAPE_NO_CACHED_DATA", "No cached data of the age asked for."},
	{is{&crawl.ErrRobots}, "CRAWL_DENIAL", "The robots.txt of the site cannot be reached, so nothing may be crawled."},
	{is{&crawl.ErrDenied}, "CRAWL_DENIAL", "The URL is refused by the rules of the crawl."},
	{is{&parse.ErrUnsupported}, "SCRAPE_UNSUPPORTED_FILE_ERROR", "The page is a file of a type that this server cannot read."},
	{is{&pace.ErrPause}, "SCRAPE_TIMEOUT", "The site asked for a pause that is longer than the timeout of the request. Set a larger timeout, or try again later."},
	{is{&fetch.ErrBusy}, "SERVICE_BUSY", "No tab of the browser was free in time. Try again later."},
	{is{&render.ErrClosed}, "SERVICE_BUSY", "The browser is closed. Try again later."},
	{when(as[*render.StepError]), "SCRAPE_ACTION_ERROR", ""},
	{is{&render.ErrCrashed}, "SCRAPE_ALL_ENGINES_FAILED", "The browser crashed twice while it showed the page."},
	{is{&fetch.ErrTimeout}, "SCRAPE_TIMEOUT", "The request timed out."},
	{is{&context.DeadlineExceeded}, "SCRAPE_TIMEOUT", "The request timed out."},

	{is{&fetch.ErrDNS}, "SCRAPE_DNS_RESOLUTION_ERROR", "The host name could not be resolved."},
	{is{&fetch.ErrProxy}, "SCRAPE_PROXY_SELECTION_ERROR", "The proxy of this server cannot be used."},
	{is{&fetch.ErrTLS}, "SCRAPE_SSL_ERROR", "The certificate of the site is not valid, or its TLS handshake failed."},
	{is{&fetch.ErrAddress}, codeSite, textNetwork},
	{is{&fetch.ErrTooLarge}, codeSite, "The page is larger than this server accepts."},
	{is{&fetch.ErrInflate}, codeSite, "The page is compressed in a way that this server refuses: it expands too much, or it has too many content codings."},
	{is{&fetch.ErrRedirects}, codeSite, "The page redirects too often."},
	{is{&fetch.ErrScheme}, codeSite, "The page redirects to a URL that is not http(s)."},
	{is{&fetch.ErrHeader}, codeSite, "A header of the request cannot be sent to a site."},
	{when(siteRefuses), codeSite, textRefused},
	{is{&fetch.ErrProtocol}, codeSite, "The answer of the site is not valid HTTP."},
	{when(siteCloses), codeSite, "The site closed the connection before its answer was complete."},
	{when(as[*fetch.Error]), codeSite, "The site could not be reached."},
	{is{&crawl.ErrRedirectLoop}, codeSite, "The page redirects too often."},
	{is{&crawl.ErrHostDown}, codeSite, "The site does not answer."},

	{is{&job.ErrCrashed}, codeUnknown, "Reading the page has ended the server's process more than once. It is not tried again."},
	{when(always), codeUnknown, textUnknown},
}

// Codes that several entries use.
const (
	codeSite    = "SCRAPE_SITE_ERROR"
	codeUnknown = "UNKNOWN_ERROR"
)

// Of returns what a team is told about an error that ended its work: a code, which may be
// empty, and a sentence. The sentence is empty if the team may read the text of the error,
// see [Text].
func Of(err error) (code, text string) {
	i := slices.IndexFunc(table, func(f fault) bool { return f.of.holds(err) }) // the last entry matches every error
	return table[i].code, table[i].text
}

// Text returns the text of an error for the team.
func Text(err error) string {
	if b, ok := errors.AsType[*threat.BlockedError](err); ok {
		return b.Error()
	}
	if s, ok := errors.AsType[*render.StepError](err); ok {
		return fmt.Sprintf("Action(s) failed to complete. Error code: Error in action %d (%s): %s", s.Index+1, viewing.ActionName(s.Kind), s.Reason)
	}
	return err.Error()
}

// OfSearch returns what a team is told about a search that failed: an error of the Service,
// or that the provider failed.
func OfSearch(err error) error {
	switch {
	case errors.Is(err, fetch.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return fetch.ErrTimeout
	case errors.Is(err, account.ErrPayment), errors.Is(err, context.Canceled):
		return err
	}
	return errors.Join(ErrSearch, err)
}

// Rule returns the rule that refused a URL, and its value, such as a pattern. They are empty
// if no rule has caused the error.
func Rule(err error) (rule, value string) {
	if d, ok := errors.AsType[*crawl.Error](err); ok && d.Rule != 0 {
		rule, value = d.Rule.String(), d.Value
	}
	if b, ok := errors.AsType[*threat.BlockedError](err); ok && !b.Decision.Scanned {
		rule, value = scope.RuleThreat.String(), b.Decision.Rule.String()
	}
	return rule, value
}

// Codes returns the codes of all errors, some of them more than once.
func Codes() []string {
	var all []string
	for _, f := range table {
		if f.code != "" {
			all = append(all, f.code)
		}
	}
	return all
}

// Result returns how the audit log classifies the error of a URL.
func Result(ctx context.Context, err error) audit.Result {
	switch {
	case errors.Is(err, threat.ErrBlocked), errors.Is(err, ErrBlocked), errors.Is(err, fetch.ErrAddress):
		return audit.Blocked
	case errors.Is(err, job.ErrCancelled), errors.Is(context.Cause(ctx), job.ErrCancelled), errors.Is(context.Cause(ctx), context.Canceled):
		return audit.Cancelled
	}
	return audit.Failure
}
