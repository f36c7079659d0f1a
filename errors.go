// SPDX-License-Identifier: Apache-2.0

package curlew

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"syscall"
	"time"

	"example.com/curlew/account"
	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/internal/wire"
	"example.com/curlew/job"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
)

// ErrEngine means that the host has not configured what a request needs.
var ErrEngine = errors.New("engine not configured")

// Why the handler refuses a request.
var (
	errNoRoute     = errors.New("Not found")                       //nolint:staticcheck // the wire's text
	errMethod      = errors.New("Method not allowed")              //nolint:staticcheck // the wire's text
	errNoKey       = errors.New("Unauthorized")                    //nolint:staticcheck // the contract's text
	errNoToken     = errors.New("Unauthorized: Token missing")     //nolint:staticcheck // the contract's text
	errBadToken    = errors.New("Unauthorized: Invalid token")     //nolint:staticcheck // the contract's text
	errRate        = errors.New("rate limit")                      // or a full queue
	errTooLarge    = errors.New("Request body is too large")       //nolint:staticcheck // the contract's text
	errCoding      = errors.New("content coding other than gzip")  // of a body
	errBadRequest  = errors.New("bad request")                     // with a text of its own
	errJobID       = errors.New("no UUID")                         // in a path
	errIdempotency = errors.New("idempotency key used already")    // for another body
	errFinished    = errors.New("job is finished")                 // and cannot be cancelled
	errAgentLost   = errors.New("no such agent job")               // or another team's
	errMultipart   = errors.New("malformed multipart")             // of an upload
	errUploadSize  = errors.New("upload over the limit")           // of one file
	errUnparsable  = errors.New("option has no effect on uploads") // with a text of its own
	errEmpty       = errors.New("document is empty")               // an upload without a byte
	errActions     = errors.New("actions need a browser")          // and none is configured
	errNoCache     = errors.New("nothing cached")                  // minAge without a cache
	errLockdown    = errors.New("nothing cached, and no request allowed")
	errMapTimeout  = errors.New("map timed out")
	errPanic       = errors.New("panic")
	errCrashed     = errors.New("the server's process ended twice before the job's first page")
	errJob         = errors.New("the job could not go on")   // for its team
	errMaxCredits  = errors.New("Max credits exceeded")      //nolint:staticcheck // the contract's text
	errModel       = errors.New("The model provider failed") //nolint:staticcheck // the wire's text
	errBlocked     = errors.New("blocked by the team's blocklist")
	errNoURLs      = errors.New("No valid URLs provided") //nolint:staticcheck // the contract's text
	errNoPlanner   = errors.New("no planner")             // for the prompt of a crawl
	errSince       = errors.New("no such earlier crawl")  // or another team's
)

// refusal is a reason with a text of its own for the client.
type refusal struct {
	why  error // a sentinel of the table
	text string
	wait time.Duration // until another try makes sense; zero: no such time
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.why }

// refuse returns a reason with a text of its own.
func refuse(why error, text string) error { return &refusal{why: why, text: text} }

// scope is where an error arose.
type scope uint8

const (
	anywhere    scope = iota
	uploads           // POST /v2/parse
	pages             // one page of a scrape, crawl or batch
	mappings          // POST /v2/map
	crawlStarts       // POST /v2/crawl
)

// answer is one line of the table: what the wire says to a cause.
type answer struct {
	is     func(error) bool
	scope  scope // anywhere, or the one place where the line holds
	status int
	code   string
	text   string // empty: the error's own
	bare   bool   // the body has no success member
}

// is and as wrap errors.Is and errors.AsType.
func is(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }

func as[E error](err error) bool { _, ok := errors.AsType[E](err); return ok }

func always(error) bool { return true }

// Texts that the contract fixes, and those that several lines have.
const (
	textPayment = "Payment required to access this resource."
	textRate    = "Request rate limit exceeded. Please wait and try again later."
	textUnknown = "An unexpected error occurred on the server."
	textJSON    = "Bad request, malformed JSON"
	textRefused = "connection refused by the site"

	// The same for every address and port: what a name leads to is not for a
	// remote caller. The operator's Go error says more.
	textNetwork = "blocked by network policy: this server asks only for public addresses on the ports 80, 443, 8080 and 8443, and for what its operator has opened besides"
)

// answers is the one table from Go errors to the wire. The first line that
// holds wins.
var answers = []answer{
	{is: is(errNoRoute), status: http.StatusNotFound},
	{is: is(errMethod), status: http.StatusMethodNotAllowed},
	{is: is(errNoKey), status: http.StatusUnauthorized},
	{is: is(errNoToken), status: http.StatusUnauthorized},
	{is: is(errBadToken), status: http.StatusUnauthorized},
	{is: is(account.ErrKey), status: http.StatusUnauthorized, text: "Unauthorized: Invalid token"},
	{is: is(account.ErrForbidden), status: http.StatusForbidden},
	{is: is(errRate), status: http.StatusTooManyRequests, text: textRate, bare: true},
	{is: is(account.ErrPayment), status: http.StatusPaymentRequired, text: textPayment, bare: true},
	{is: is(errTooLarge), status: http.StatusRequestEntityTooLarge},
	{is: is(errCoding), status: http.StatusUnsupportedMediaType, text: "Unsupported Content-Encoding: a body may come in gzip, or as it is."},
	{is: is(wire.ErrSyntax), scope: uploads, status: http.StatusBadRequest, code: "BAD_REQUEST", text: "Invalid JSON in the options."},
	{is: is(wire.ErrSyntax), status: http.StatusBadRequest, code: "BAD_REQUEST_INVALID_JSON", text: textJSON},
	{is: is(wire.ErrPaging), status: http.StatusBadRequest},
	{is: is(wire.ErrBefore), status: http.StatusBadRequest},
	{is: as[*wire.Error], status: http.StatusBadRequest, code: "BAD_REQUEST"},
	{is: is(errBadRequest), status: http.StatusBadRequest, code: "BAD_REQUEST"},
	{is: is(errJobID), status: http.StatusBadRequest, text: "Invalid job ID format. Job ID must be a valid UUID."},
	{is: is(errIdempotency), status: http.StatusConflict, text: "Idempotency key already used"},
	{is: is(ErrEngine), status: http.StatusNotImplemented, code: "ENGINE_NOT_CONFIGURED"},
	{is: is(errUnparsed), status: http.StatusTooManyRequests, code: "PARSE_UPLOAD_UNPARSED_LIMIT_REACHED"},
	{is: is(errNoUploads), status: http.StatusServiceUnavailable, code: "PARSE_UPLOAD_STORAGE_DISABLED"},
	{is: is(errReference), status: http.StatusForbidden, code: "FORBIDDEN"},
	{is: is(errNoUpload), status: http.StatusNotFound, code: "NOT_FOUND"},
	{is: is(errUploaded), status: http.StatusConflict},
	{is: is(errAgentLost), status: http.StatusNotFound, text: "Agent job not found"},
	{is: is(errFinished), status: http.StatusConflict},
	{is: is(job.ErrNotFound), status: http.StatusNotFound, text: "Job not found"},
	{is: is(job.ErrShutdown), status: http.StatusServiceUnavailable, text: "The server is shutting down."},
	{is: is(ErrBusy), status: http.StatusServiceUnavailable, code: "SERVICE_BUSY"},

	{is: is(errMultipart), status: http.StatusBadRequest, code: "BAD_REQUEST", text: "Invalid multipart form-data request."},
	{is: is(errUploadSize), status: http.StatusBadRequest, code: "BAD_REQUEST", text: "Uploaded file exceeds maximum size of 50MB."},
	{is: is(errUnparsable), status: http.StatusBadRequest, code: "PARSE_UNSUPPORTED_OPTIONS"},
	{is: is(parse.ErrUnsupported), scope: uploads, status: http.StatusBadRequest, code: "UNSUPPORTED_FILE_TYPE", text: unsupportedUpload},
	{is: is(errEmpty), status: http.StatusUnprocessableEntity, code: "PARSE_MALFORMED_DOCUMENT", text: "The document is empty."},
	// Of a page these are what contract.md 12 leaves to 500; of an upload they are
	// the sender's.
	{is: is(parse.ErrCorrupt), scope: pages, status: http.StatusInternalServerError, code: "PARSE_MALFORMED_DOCUMENT", text: "The document is malformed."},
	{is: is(parse.ErrOCRRequired), scope: pages, status: http.StatusInternalServerError, code: "SCRAPE_PDF_OCR_REQUIRED", text: "The PDF has no text, only images, and must be recognised (OCR)."},
	{is: is(parse.ErrEncrypted), scope: pages, status: http.StatusInternalServerError, code: "PARSE_ENCRYPTED_DOCUMENT", text: "The document is encrypted."},
	{is: is(parse.ErrLimit), scope: pages, status: http.StatusInternalServerError, code: "PARSE_LIMIT_EXCEEDED", text: "The document is over a limit of this server."},
	{is: is(parse.ErrCorrupt), status: http.StatusUnprocessableEntity, code: "PARSE_MALFORMED_DOCUMENT", text: "The document is malformed."},
	{is: is(parse.ErrOCRRequired), status: http.StatusUnprocessableEntity, code: "SCRAPE_PDF_OCR_REQUIRED", text: "The PDF has no text, only images, and must be recognised (OCR)."},
	{is: is(parse.ErrEncrypted), status: http.StatusUnprocessableEntity, code: "PARSE_ENCRYPTED_DOCUMENT", text: "The document is encrypted."},
	{is: is(parse.ErrLimit), status: http.StatusUnprocessableEntity, code: "PARSE_LIMIT_EXCEEDED", text: "The document is over a limit of this server."},

	{is: is(errBlocked), status: http.StatusForbidden, code: "unsafe_domain_blocked"},
	{is: is(errNoURLs), status: http.StatusBadRequest},
	{is: is(errNoPlanner), status: http.StatusBadRequest},
	{is: is(errSince), status: http.StatusNotFound},
	{is: as[*threat.BlockedError], status: http.StatusForbidden, code: "unsafe_domain_blocked"},
	{is: as[*threat.ForbiddenError], status: http.StatusForbidden},
	{is: is(errActions), status: http.StatusBadRequest, code: "SCRAPE_ACTIONS_NOT_SUPPORTED"},
	{is: is(errMapTimeout), status: http.StatusRequestTimeout, code: "MAP_TIMEOUT", text: "The map timed out."},
	{is: is(fetch.ErrAddress), scope: mappings, status: http.StatusInternalServerError, code: "MAP_FAILED", text: "The site could not be mapped: " + textNetwork},
	{is: is(syscall.ECONNREFUSED), scope: mappings, status: http.StatusInternalServerError, code: "MAP_FAILED", text: "The site could not be mapped: " + textRefused},
	{is: always, scope: mappings, status: http.StatusInternalServerError, code: "MAP_FAILED", text: "The site could not be mapped."},
	{is: is(errNoCache), status: http.StatusNotFound, code: "SCRAPE_NO_CACHED_DATA", text: "No cached data of the age asked for: this server has no cache."},
	{is: is(errLockdown), status: http.StatusNotFound, code: "SCRAPE_LOCKDOWN_CACHE_MISS", text: "Not cached, and lockdown forbids a request."},
	{is: is(fetch.ErrNotCached), status: http.StatusNotFound, code: "SCRAPE_NO_CACHED_DATA", text: "No cached data of the age asked for."},
	{is: is(crawl.ErrDenied), status: http.StatusInternalServerError, code: "CRAWL_DENIAL", text: "The URL is refused by the rules of the crawl."},
	{is: is(parse.ErrUnsupported), status: http.StatusInternalServerError, code: "SCRAPE_UNSUPPORTED_FILE_ERROR", text: "The page is of a kind that cannot be read."},
	{is: is(pace.ErrPause), status: http.StatusRequestTimeout, code: "SCRAPE_TIMEOUT", text: "The site asked to be left alone for longer than the request may take."},
	{is: is(fetch.ErrTimeout), status: http.StatusRequestTimeout, code: "SCRAPE_TIMEOUT", text: "The request timed out."},
	{is: is(context.DeadlineExceeded), status: http.StatusRequestTimeout, code: "SCRAPE_TIMEOUT", text: "The request timed out."},

	// A target that cannot be reached is no fault of the server: 200, as the
	// clients of the public API expect.
	{is: is(fetch.ErrDNS), status: http.StatusOK, code: "SCRAPE_DNS_RESOLUTION_ERROR", text: "The host name could not be resolved."},
	{is: is(fetch.ErrProxy), status: http.StatusInternalServerError, code: "SCRAPE_PROXY_SELECTION_ERROR", text: "The proxy of this server cannot be used."},
	{is: is(fetch.ErrTLS), status: http.StatusInternalServerError, code: "SCRAPE_SSL_ERROR", text: "The certificate of the site or its TLS handshake is not acceptable."},
	{is: is(fetch.ErrAddress), status: http.StatusInternalServerError, code: "SCRAPE_SITE_ERROR", text: textNetwork},
	{is: is(fetch.ErrTooLarge), status: http.StatusInternalServerError, code: "SCRAPE_SITE_ERROR", text: "The page is larger than this server takes."},
	{is: is(fetch.ErrInflate), status: http.StatusInternalServerError, code: "SCRAPE_SITE_ERROR", text: "The page inflates beyond reason."},
	{is: is(fetch.ErrRedirects), status: http.StatusInternalServerError, code: "SCRAPE_SITE_ERROR", text: "The page redirects too often."},
	{is: is(fetch.ErrScheme), status: http.StatusInternalServerError, code: "SCRAPE_SITE_ERROR", text: "The page redirects to a URL that is not http(s)."},
	{is: is(syscall.ECONNREFUSED), status: http.StatusInternalServerError, code: "SCRAPE_SITE_ERROR", text: textRefused},
	{is: as[*fetch.Error], status: http.StatusInternalServerError, code: "SCRAPE_SITE_ERROR", text: "The site could not be reached."},
	{is: is(crawl.ErrRobots), status: http.StatusInternalServerError, code: "CRAWL_DENIAL", text: "The robots.txt of the site cannot be reached, so nothing may be crawled."},
	{is: is(crawl.ErrRedirectLoop), status: http.StatusInternalServerError, code: "SCRAPE_SITE_ERROR", text: "The page redirects too often."},
	{is: is(crawl.ErrHostDown), status: http.StatusInternalServerError, code: "SCRAPE_SITE_ERROR", text: "The site does not answer."},

	{is: is(job.ErrCrashed), status: http.StatusInternalServerError, code: "UNKNOWN_ERROR", text: "Reading the page has ended the server's process more than once. It is not tried again."},
	{is: always, scope: crawlStarts, status: http.StatusInternalServerError, text: textUnknown, bare: true},
	{is: always, status: http.StatusInternalServerError, code: "UNKNOWN_ERROR", text: textUnknown},
}

const unsupportedUpload = "Unsupported upload type. Supported kinds: html, htm, xhtml, mhtml, pdf, docx, docm, doc, xlsx, xlsm, xlsb, xls, pptx, pptm, ppt, odt, ods, odp, epub, rtf, eml, msg, txt, md, csv, tsv, json, xml."

// find returns the line that holds for err at place, its text filled in.
func find(err error, place scope) answer {
	for _, line := range answers {
		if (line.scope == anywhere || line.scope == place) && line.is(err) {
			if line.text == "" {
				line.text = ownText(err)
			}
			return line
		}
	}
	return answer{status: http.StatusInternalServerError, code: "UNKNOWN_ERROR", text: textUnknown} // cannot happen: the last line always holds
}

// ownText returns what an error says to the client: its refusal's or faults'
// text where it has one.
func ownText(err error) string {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.text
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e.Error()
	}
	if b, ok := errors.AsType[*threat.BlockedError](err); ok {
		return b.Error()
	}
	return err.Error()
}

// failure returns status and body that answer err at place.
func failure(err error, place scope) (int, wire.Failure) {
	line := find(err, place)
	body := wire.Failure{Code: line.code, Error: line.text}
	if !line.bare {
		body.Success = new(bool)
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		body.Details = e.Faults
	}
	return line.status, body
}

// pageFailure returns the entry of the errors list for one page.
func pageFailure(id, url string, err error) wire.PageError {
	line := find(err, pages)
	e := wire.PageError{ID: id, Timestamp: jsonenc.Time(time.Now()), URL: url, Code: line.code, Error: line.text}
	if d, ok := errors.AsType[*crawl.Error](err); ok && d.Rule != 0 {
		e.Details = &wire.RuleDetails{Rule: d.Rule.String(), Value: d.Value}
	}
	if b, ok := errors.AsType[*threat.BlockedError](err); ok && !b.Decision.Scanned {
		e.Details = &wire.RuleDetails{Rule: crawl.RuleThreat.String(), Value: b.Decision.Rule.String()}
	}
	return e
}

// redacted returns url for messages: without userinfo.
func redacted(url string) string {
	u, err := weburl.Parse(url)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.WithoutUser().String(), "#")
}
