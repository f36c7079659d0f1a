// SPDX-License-Identifier: Apache-2.0

package agenttest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
)

// answer is what the oracle said, to be spoilt.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask lets next answer, and returns the answer.
func ask(next http.Handler, r *http.Request) answer {
	rec := httptest.NewRecorder()
	next.ServeHTTP(rec, r)
	return answer{rec.Code, rec.Header(), rec.Body.Bytes()}
}

func (a answer) send(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// message changes the message and the finish reason of an answer.
func (a answer) message(change func(choice, message map[string]any)) answer {
	var v map[string]any
	if json.Unmarshal(a.body, &v) != nil {
		return a
	}
	choices, _ := v["choices"].([]any)
	if len(choices) == 0 {
		return a
	}
	choice := choices[0].(map[string]any)
	change(choice, choice["message"].(map[string]any))
	a.body, _ = json.Marshal(v)
	return a
}

// content changes the text of an answer.
func (a answer) content(change func(text string) string) answer {
	return a.message(func(_, m map[string]any) {
		if s, ok := m["content"].(string); ok {
			m["content"] = change(s)
		}
	})
}

// rows changes the object of an answer to an extract call.
func (a answer) rows(change func(reply map[string]any)) answer {
	return a.content(func(text string) string {
		var v map[string]any
		if json.Unmarshal([]byte(text), &v) != nil || v["rows"] == nil {
			return text
		}
		change(v)
		raw, _ := json.Marshal(v)
		return string(raw)
	})
}

// spoil is a fault of the model's server; n counts requests from 1.
type spoil func(w http.ResponseWriter, r *http.Request, next http.Handler, n int64)

// failing answers with a status, headers and a body.
func failing(status int, body string, header ...string) spoil {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler, _ int64) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// changed lets the oracle answer and changes that.
func changed(change func(a answer) answer) spoil {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler, _ int64) { change(ask(next, r)).send(w) }
}

// when spoils the requests that pick holds of.
func when(s spoil, pick func(n int64) bool) func(next http.Handler) http.Handler {
	var count atomic.Int64
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n := count.Add(1)
			body, err := io.ReadAll(r.Body) // only then the server sees that a client leaves
			if err != nil {
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			if pick(n) {
				s(w, r, next, n)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// each third request, at most three in all: every call gets through in its
// four tries.
func some(n int64) bool { return n%3 == 2 && n < 10 }

func always(int64) bool { return true }

func second(n int64) bool { return n == 2 }

func fault(code, text string) string {
	raw, _ := json.Marshal(map[string]any{"error": map[string]any{"message": text, "type": code, "code": code}})
	return string(raw)
}

// unless spoils the requests whose body holds a text.
func unless(text string, s spoil) spoil {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler, n int64) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(text)) {
			s(w, r, next, n)
			return
		}
		next.ServeHTTP(w, r)
	}
}

// ignoring plays a server that does not know response_format: it talks, unless
// the schema stands in the prompt.
func ignoring(w http.ResponseWriter, r *http.Request, next http.Handler, n int64) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	a := ask(next, r)
	if !bytes.Contains(body, []byte("It fits this JSON Schema")) {
		a = a.content(func(s string) string { return "The answer follows.\n\n" + s })
	}
	a.send(w)
}
