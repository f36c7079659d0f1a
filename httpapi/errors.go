// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"errors"
	"net/http"
	"strings"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/job"
	"example.com/curlew/parse"
	"example.com/curlew/threat"
)

// Reasons for the handler to refuse a request.
var (
	errNoRoute     = errors.New("Not found")                              //nolint:staticcheck // the wire's text
	errMethod      = errors.New("Method not allowed")                     //nolint:staticcheck // the wire's text
	errNoKey       = errors.New("Unauthorized")                           //nolint:staticcheck // the contract's text
	errNoToken     = errors.New("Unauthorized: Token missing")            //nolint:staticcheck // the contract's text
	errBadToken    = errors.New("Unauthorized: Invalid token")            //nolint:staticcheck // the contract's text
	errTooLarge    = errors.New("Request body is too large")              //nolint:staticcheck // the contract's text
	errSlow        = errors.New("Request body arrived too slowly")        //nolint:staticcheck // the wire's text
	errCoding      = errors.New("content coding other than gzip")         // of a body
	errJobID       = errors.New("no UUID")                                // in a path
	errAgentLost   = errors.New("no such agent job")                      // or another team's
	errExtractLost = errors.New("no such extract")                        // or another team's
	errPartCoding  = errors.New("a part has a Content-Transfer-Encoding") // RFC 7578, 4.7
	errSecondPart  = errors.New("a second file or options part")
	errOptionsSize = errors.New("the options part is too large")
	errMultipart   = errors.New("malformed multipart")             // of an upload
	errUploadSize  = errors.New("upload over the limit")           // of one file
	errUnparsable  = errors.New("option has no effect on uploads") // with a text of its own
	errFile        = errors.New("File not found")                  //nolint:staticcheck // the wire's text
	errActions     = errors.New("actions need a browser")          // and none is configured
	errRunning     = errors.New("job is running")                  // and only ended ones can be exported
	errPanic       = errors.New("panic")
)

// scope is the place where an error occurred.
type scope uint8

const (
	anywhere    scope = iota
	uploads           // POST /v2/parse
	pages             // one page of a scrape, crawl or batch
	mappings          // POST /v2/map
	crawlStarts       // POST /v2/crawl
)

// answer is the response to an error.
type answer struct {
	err    *error           // the variable of the error, or nil if is says which errors are meant
	is     func(error) bool // nil if err is set
	scope  scope            // anywhere, or the only place where the line applies
	status int
	code   string
	text   string // empty means the text of [curlew.Fault]
	bare   bool   // the body has no success member
	told   bool   // the text of [curlew.Fault] follows this text
}

// answers are the errors with a status or a text of their own. The first matching line
// counts. The status of all other errors follows from their code.
var answers = []answer{
	{err: &errNoRoute, status: http.StatusNotFound},
	{err: &errMethod, status: http.StatusMethodNotAllowed},
	{err: &errNoKey, status: http.StatusUnauthorized},
	{err: &errNoToken, status: http.StatusUnauthorized},
	{err: &errBadToken, status: http.StatusUnauthorized},
	{err: &account.ErrKey, status: http.StatusUnauthorized, text: "Unauthorized: Invalid token"},
	{err: &account.ErrForbidden, status: http.StatusForbidden},
	{err: &curlew.ErrRate, status: http.StatusTooManyRequests, bare: true},
	{err: &account.ErrPayment, status: http.StatusPaymentRequired, bare: true},
	{err: &errTooLarge, status: http.StatusRequestEntityTooLarge},
	{err: &wire.ErrValues, status: http.StatusRequestEntityTooLarge, text: "Request body is too large: it has more than 100,000 values. A batch takes more URLs with appendToId."},
	{err: &errSlow, status: http.StatusRequestTimeout},
	{err: &errCoding, status: http.StatusUnsupportedMediaType, text: "Unsupported Content-Encoding: a body may come in gzip, or as it is."},
	{err: &wire.ErrSyntax, scope: uploads, status: http.StatusBadRequest, code: "BAD_REQUEST", text: "Invalid JSON in the options."},
	{err: &wire.ErrSyntax, status: http.StatusBadRequest, code: "BAD_REQUEST_INVALID_JSON", text: textJSON},
	{err: &wire.ErrPaging, status: http.StatusBadRequest},
	{err: &wire.ErrBefore, status: http.StatusBadRequest},
	{err: &wire.ErrActivity, status: http.StatusBadRequest},
	{is: as[*wire.Error], status: http.StatusBadRequest, code: "BAD_REQUEST"},
	{err: &errJobID, status: http.StatusBadRequest, text: "Invalid job ID format. Job ID must be a valid UUID."},
	{err: &curlew.ErrConflict, status: http.StatusConflict},
	{err: &errUnparsed, status: http.StatusTooManyRequests, code: "PARSE_UPLOAD_UNPARSED_LIMIT_REACHED"},
	{err: &errNoUploads, status: http.StatusServiceUnavailable, code: "PARSE_UPLOAD_STORAGE_DISABLED"},
	{err: &errReference, status: http.StatusForbidden, code: "FORBIDDEN"},
	{err: &errNoUpload, status: http.StatusNotFound, code: "NOT_FOUND"},
	{err: &errUploaded, status: http.StatusConflict},
	{err: &errAgentLost, status: http.StatusNotFound, text: "Agent job not found"},
	{err: &errExtractLost, status: http.StatusNotFound, text: "Extract job not found"},
	{err: &curlew.ErrFinished, status: http.StatusConflict},
	{err: &errRunning, status: http.StatusConflict},
	{err: &job.ErrNotFound, status: http.StatusNotFound},
	{err: &job.ErrShutdown, status: http.StatusServiceUnavailable},
	{err: &job.ErrStorage, status: http.StatusServiceUnavailable, code: "SERVICE_BUSY", text: "The server cannot read or write its storage at the moment. Please try again later."},
	{err: &errPartCoding, status: http.StatusBadRequest, code: "BAD_REQUEST", text: "Invalid multipart form-data request: a part has a Content-Transfer-Encoding. Send the bytes of the file as they are."},
	{err: &errOptionsSize, status: http.StatusBadRequest, code: "BAD_REQUEST", text: "The options part exceeds the maximum size of 64 KiB."},
	{err: &errSecondPart, status: http.StatusBadRequest, code: "BAD_REQUEST", text: "Invalid multipart form-data request: it has more than one part \"file\" or \"options\". Send one file in a request."},
	{err: &errMultipart, status: http.StatusBadRequest, code: "BAD_REQUEST", text: "Invalid multipart form-data request."},
	{err: &errUploadSize, status: http.StatusBadRequest, code: "BAD_REQUEST", text: "Uploaded file exceeds maximum size of 50MB."},
	{err: &errUnparsable, status: http.StatusBadRequest, code: "PARSE_UNSUPPORTED_OPTIONS"},
	{err: &parse.ErrUnsupported, scope: uploads, status: http.StatusBadRequest, code: "UNSUPPORTED_FILE_TYPE", text: unsupportedUpload},
	{err: &errFile, status: http.StatusNotFound},
	{err: &errActions, status: http.StatusBadRequest, code: "SCRAPE_ACTIONS_NOT_SUPPORTED"},
	{is: uncoded(curlew.ErrRequest), status: http.StatusBadRequest},
	{is: as[*threat.ForbiddenError], status: http.StatusForbidden},
	{is: unmapped, scope: mappings, status: http.StatusInternalServerError, code: codeMap, text: "The site could not be mapped: ", told: true},
}

const (
	codeMap     = "MAP_FAILED"
	codeSite    = "SCRAPE_SITE_ERROR"
	codeUnknown = "UNKNOWN_ERROR"
	textUnknown = "An unexpected error occurred on the server."
	textJSON    = "Bad request, malformed JSON"
)

func (a *answer) matches(err error) bool {
	if a.is != nil {
		return a.is(err)
	}
	return errors.Is(err, *a.err)
}

// as wraps errors.AsType.
func as[E error](err error) bool { _, ok := errors.AsType[E](err); return ok }

// uncoded reports whether an error is target and has no code.
func uncoded(target error) func(error) bool {
	return func(err error) bool {
		code, _ := curlew.Fault(err)
		return code == "" && errors.Is(err, target)
	}
}

// refuse returns an error with a text of its own.
//
//go:noinline
func refuse(why error, text string) error { return &curlew.Error{Err: why, Text: text} }

// unmapped reports whether a site could not be mapped because a page of it failed.
func unmapped(err error) bool {
	code, _ := curlew.Fault(err)
	return strings.HasPrefix(code, "SCRAPE_") || code == "CRAWL_DENIAL" || code == codeUnknown
}

// statuses are the statuses of codes. If a code has another status in one place, the line of
// that place comes first.
var statuses = []struct {
	code   string
	scope  scope
	status int
}{
	{"BAD_REQUEST", anywhere, http.StatusBadRequest},
	{"ENGINE_NOT_CONFIGURED", anywhere, http.StatusNotImplemented},
	{"SERVICE_BUSY", anywhere, http.StatusServiceUnavailable},

	// For a page these get 500. For an upload they are errors of the
	// client.
	{"PARSE_MALFORMED_DOCUMENT", pages, http.StatusInternalServerError},
	{"SCRAPE_PDF_OCR_REQUIRED", pages, http.StatusInternalServerError},
	{"PARSE_ENCRYPTED_DOCUMENT", pages, http.StatusInternalServerError},
	{"PARSE_LIMIT_EXCEEDED", pages, http.StatusInternalServerError},
	{"PARSE_MALFORMED_DOCUMENT", anywhere, http.StatusUnprocessableEntity},
	{"SCRAPE_PDF_OCR_REQUIRED", anywhere, http.StatusUnprocessableEntity},
	{"PARSE_ENCRYPTED_DOCUMENT", anywhere, http.StatusUnprocessableEntity},
	{"PARSE_LIMIT_EXCEEDED", anywhere, http.StatusUnprocessableEntity},

	{"unsafe_domain_blocked", anywhere, http.StatusForbidden},
	{"SEARCH_FAILED", anywhere, http.StatusInternalServerError},
	{"SCRAPE_ACTIONS_NOT_SUPPORTED", anywhere, http.StatusBadRequest},
	{"SCRAPE_ACTION_ERROR", anywhere, http.StatusInternalServerError},
	{"SCRAPE_ALL_ENGINES_FAILED", anywhere, http.StatusInternalServerError},
	{"MAP_TIMEOUT", anywhere, http.StatusRequestTimeout},
	{"SCRAPE_NO_CACHED_DATA", anywhere, http.StatusNotFound},
	{"SCRAPE_LOCKDOWN_CACHE_MISS", anywhere, http.StatusNotFound},
	{"SCRAPE_TIMEOUT", anywhere, http.StatusRequestTimeout},
	{"CRAWL_DENIAL", anywhere, http.StatusInternalServerError},
	{"SCRAPE_UNSUPPORTED_FILE_ERROR", anywhere, http.StatusInternalServerError},

	// A target that cannot be reached is not an error of the server. Clients of the
	// public API expect 200.
	{"SCRAPE_DNS_RESOLUTION_ERROR", anywhere, http.StatusOK},
	{"SCRAPE_PROXY_SELECTION_ERROR", anywhere, http.StatusInternalServerError},
	{"SCRAPE_SSL_ERROR", anywhere, http.StatusInternalServerError},
	{codeSite, anywhere, http.StatusInternalServerError},
	{codeUnknown, anywhere, http.StatusInternalServerError},
}

const unsupportedUpload = "Unsupported upload type. Supported kinds: html, htm, xhtml, mhtml, pdf, docx, docm, doc, xlsx, xlsm, xlsb, xls, pptx, pptm, ppt, vsdx, odt, ods, odp, epub, rtf, eml, msg, txt, md, csv, tsv, json, xml."

// find returns the response to err at place.
func find(err error, place scope) answer {
	code, text := curlew.Fault(err)
	for _, line := range answers {
		if (line.scope == anywhere || line.scope == place) && line.matches(err) {
			switch {
			case line.told:
				line.text += text
			case line.text != "":
			case code == codeUnknown: // the Service has no text for it
				line.text = err.Error()
				if e, ok := errors.AsType[*curlew.Error](err); ok {
					line.text = e.Error()
				}
				if e, ok := errors.AsType[*wire.Error](err); ok {
					line.text = e.Error()
				}
			default:
				line.text = text
			}
			return line
		}
	}
	if code == codeUnknown && place == crawlStarts {
		return answer{status: http.StatusInternalServerError, text: text, bare: true}
	}
	for _, line := range statuses {
		if line.code == code && (line.scope == anywhere || line.scope == place) {
			return answer{status: line.status, code: code, text: text}
		}
	}
	return answer{status: http.StatusInternalServerError, code: code, text: text} // cannot happen: TestStatuses
}

// failure returns the status and the body of the response to err at place.
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
