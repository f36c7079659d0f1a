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

// Why a call failed, besides [llm.ErrProvider].
var (
	ErrURL      = errors.New("base URL is not set or not usable")
	ErrTooLarge = errors.New("body over the limit")
	ErrCut      = errors.New("truncated reply")
	ErrRequest  = errors.New("provider refuses the request")
)

// maxText is the length of a provider's words in an error, in bytes.
const maxText = 300

// Error says what a provider answered.
type Error struct {
	Status int    // of HTTP, or the one that the body names; zero: there was no answer
	Code   string // the provider's; may be empty
	Text   string // the provider's, at most 300 bytes in one line; may be empty
	Tries  int    // requests sent
	Err    error  // wraps [llm.ErrProvider] where asking again is of no use

	later bool // the provider's words say when to ask again
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

// says reports whether the provider names one of the words.
func (e *Error) says(words ...string) bool {
	text := strings.ToLower(e.Code + " " + e.Text)
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// quota reports whether the account, not the rate, is at its end. Words about a
// rate name the pages of quotas and bills, too.
func (e *Error) quota() bool {
	if e.later {
		return strings.Contains(strings.ToLower(e.Code), "insufficient_quota")
	}
	return e.Status == http.StatusPaymentRequired || e.says("insufficient_quota", "billing", "quota_exceeded", "account_deactivated", "credit balance", "exceeded your current quota")
}

// refusal reports whether the server does not take the request as it is.
func (e *Error) refusal() bool {
	return e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity
}

// namesFormat reports whether the provider's words are about the response format.
// Such an error is about nothing else, however the rest of it is worded.
func (e *Error) namesFormat() bool {
	return e.says("response_format", "response format", "json_schema", "json schema", "json_object", "json mode", "structured output", "guided_json", "grammar")
}

// overflow reports whether the prompt is longer than the model's context, or than
// all tokens of a minute: no pause helps then.
func (e *Error) overflow() bool {
	if e.Status == http.StatusTooManyRequests {
		return e.says("request too large")
	}
	return e.Status == http.StatusRequestEntityTooLarge || e.says("context_length", "context length", "context window", "context size", "prompt is too long", "input is too long", "maximum number of tokens", "too many tokens")
}

// filtered reports whether the provider will not have the prompt.
func (e *Error) filtered() bool {
	return e.says("content_filter", "content management policy", "content_policy", "responsibleaipolicy")
}

// coded reports whether the provider's code, and not only its words, says that the
// prompt is too long, is not wanted, or is not paid for.
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

// sentinel returns why a call with this error ends.
func (e *Error) sentinel() error {
	switch e.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		if !e.quota() {
			return ErrRequest
		}
	}
	return llm.ErrProvider
}

// fault is an error of a body, in the forms that there are: an object with a
// member error that is an object or a text, the same in an array, an object
// with a message or detail of its own.
type fault struct {
	Error   json.RawMessage   `json:"error"`
	Message string            `json:"message"`
	Detail  json.RawMessage   `json:"detail"`
	Choices []json.RawMessage `json:"choices"`
}

// readFault returns the status (zero where it names none), code and words of
// an error in a body; ok is false where there is none.
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

// statusOf returns the status that a code of an error in a body of 200 means.
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

// cmpText returns text, or raw as text.
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

// plain returns foreign text in one line of at most 300 bytes, without key.
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
