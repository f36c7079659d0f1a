// SPDX-License-Identifier: Apache-2.0

package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"example.com/curlew/agent/llm"
)

// Reasons why a call fails, besides [llm.ErrProvider].
var (
	ErrURL      = errors.New("no http(s) URL is set")
	ErrTooLarge = errors.New("response is larger than the limit")
	ErrCut      = errors.New("truncated reply")
	ErrRequest  = errors.New("provider refused the request")
)

// maxText is the maximum length of a provider's words in an error, in bytes.
const maxText = 300

// Error describes an error that a provider returned.
type Error struct {
	Status int    // HTTP status, or the one that the body names; zero if there was no answer
	Code   string // error code of the provider; may be empty
	Text   string // words of the provider, at most 300 bytes on one line; may be empty
	Tries  int    // number of requests that were sent
	Err    error  // wraps [llm.ErrProvider] if another try would fail too

	later bool // the provider says when to try again
}

// Error returns the status, the code, the provider's words and the cause.
func (e *Error) Error() string {
	parts := []string{"agent/openai"}
	if e.Status > 0 {
		parts = append(parts, "status "+strconv.Itoa(e.Status))
	}
	for _, s := range []string{e.Code, e.Text, e.Err.Error()} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// says reports whether the provider uses one of the words.
func (e *Error) says(words ...string) bool {
	text := strings.ToLower(e.Code + " " + e.Text)
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// quota reports whether the account is exhausted, and not only the rate. The texts of
// errors about rates also mention the pages of quotas and bills.
func (e *Error) quota() bool {
	if e.later {
		return strings.Contains(strings.ToLower(e.Code), "insufficient_quota")
	}
	return e.Status == http.StatusPaymentRequired || e.says("insufficient_quota", "billing", "quota_exceeded", "account_deactivated", "credit balance", "exceeded your current quota")
}

// refusal reports whether the server does not accept the request in this form.
func (e *Error) refusal() bool {
	return e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity
}

// namesFormat reports whether the provider's words are about the response format. Such
// an error has no other cause, whatever else it says.
func (e *Error) namesFormat() bool {
	return e.says("response_format", "response format", "json_schema", "json schema", "json_object", "json mode", "structured output", "guided_json", "grammar")
}

// overflow reports whether the prompt is longer than the model's context, or than all
// tokens that may be sent in a minute. A pause does not help then.
func (e *Error) overflow() bool {
	if e.Status == http.StatusTooManyRequests {
		return e.says("request too large")
	}
	return e.Status == http.StatusRequestEntityTooLarge || e.says("context_length", "context length", "context window", "context size", "prompt is too long", "input is too long", "maximum number of tokens", "too many tokens")
}

// filtered reports whether the provider rejects the content of the prompt.
func (e *Error) filtered() bool {
	return e.says("content_filter", "content management policy", "content_policy", "responsibleaipolicy")
}

// coded reports whether the error code of the provider, and not only its text, says
// that the prompt is too long, is rejected, or cannot be paid for.
func (e *Error) coded() bool {
	code := Error{Status: http.StatusBadRequest, Code: e.Code}
	return code.overflow() || code.filtered() || code.quota()
}

// transient reports whether the same request may succeed later.
func (e *Error) transient() bool {
	switch e.Status {
	case 0, http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, 529:
		return !e.quota() && !e.overflow()
	}
	return false
}

// sentinel returns the reason for which a call with this error ends.
func (e *Error) sentinel() error {
	switch e.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		if !e.quota() {
			return ErrRequest
		}
	}
	return llm.ErrProvider
}

// fault is an error in a body, in any of these forms: an object whose member error is
// an object or a text, the same inside an array, or an object with a message or detail.
type fault struct {
	Error   json.RawMessage   `json:"error"`
	Message string            `json:"message"`
	Detail  json.RawMessage   `json:"detail"`
	Choices []json.RawMessage `json:"choices"`
}

// readFault returns the status, code and words of an error in a body. If the body names
// no status, it is zero. If the body contains no error, ok is false.
func readFault(body []byte) (status int, code, words string, ok bool) {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if len(body) > 0 && body[0] == '[' && json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var f fault
	if json.Unmarshal(body, &f) != nil || len(f.Choices) > 0 {
		return 0, "", "", false
	}
	var inner struct {
		Message json.RawMessage `json:"message"`
		Type    string          `json:"type"`
		Code    any             `json:"code"`
		Status  any             `json:"status"`
		Param   string          `json:"param"`
	}
	switch {
	case len(f.Error) == 0 || string(f.Error) == "null":
		if f.Message == "" && len(f.Detail) == 0 {
			return 0, "", "", false
		}
		return 0, "", cmpText(f.Message, f.Detail), true
	case json.Unmarshal(f.Error, &inner) != nil:
		return 0, "", cmpText(f.Message, f.Error), true
	}
	for _, v := range []any{inner.Status, inner.Code} {
		if n, is := v.(float64); is && n >= 400 && n < 600 {
			status = int(n)
		}
	}
	code, _ = inner.Code.(string)
	for _, s := range []string{inner.Type, inner.Param} {
		if s != "" && s != code {
			code = strings.TrimSpace(code + " " + s)
		}
	}
	if status == 0 {
		status = statusOf(code)
	}
	return status, code, cmpText("", inner.Message), true
}

// statusOf returns the status that corresponds to the code of an error in a response
// with status 200.
func statusOf(code string) int {
	code = strings.ToLower(code)
	for _, c := range []struct {
		word   string
		status int
	}{
		{"insufficient_quota", http.StatusPaymentRequired},
		{"rate", http.StatusTooManyRequests},
		{"overloaded", http.StatusServiceUnavailable},
		{"auth", http.StatusUnauthorized},
		{"permission", http.StatusForbidden},
		{"not_found", http.StatusNotFound},
		{"invalid_request", http.StatusBadRequest},
		{"context_length", http.StatusBadRequest},
	} {
		if strings.Contains(code, c.word) {
			return c.status
		}
	}
	return 0
}

// cmpText returns text, or raw as text if text is empty.
func cmpText(text string, raw json.RawMessage) string {
	if text != "" {
		return text
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// plain returns text from outside on one line of at most 300 bytes, without the key.
func plain(text, key string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if key != "" {
		text = strings.ReplaceAll(text, key, "[key]")
	}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	return strings.ToValidUTF8(text, "�")
}
