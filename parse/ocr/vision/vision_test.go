// SPDX-License-Identifier: Apache-2.0

package vision_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/curlew/internal/test/leak"
	"example.com/curlew/parse"
	"example.com/curlew/parse/ocr/vision"
	"example.com/curlew/parse/parsetest"
)

func TestMain(m *testing.M) { leak.Main(m) }

// serve starts a server that passes the image URL of each request to answer.
func serve(t *testing.T, answer func(w http.ResponseWriter, image string)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model    string `json:"model"`
			Messages []struct {
				Role    string          `json:"role"`
				Content json.RawMessage `json:"content"`
			} `json:"messages"`
		}
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("asked for %s with %q", r.URL, r.Header.Get("Authorization"))
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Model != "m" || len(body.Messages) != 2 {
			t.Errorf("the request is %+v, %v", body, err)
			return
		}
		var parts []struct {
			Image struct{ URL string } `json:"image_url"`
		}
		if err := json.Unmarshal(body.Messages[1].Content, &parts); err != nil || len(parts) != 1 {
			t.Errorf("parts %s, %v", body.Messages[1].Content, err)
			return
		}
		answer(w, parts[0].Image.URL)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func say(w http.ResponseWriter, text string) {
	raw, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": text}}}}) // strings can always be encoded
	_, _ = w.Write(raw)
}

func TestCheck(t *testing.T) {
	page := base64.StdEncoding.EncodeToString(parsetest.Page(t).Data)
	parsetest.CheckOCR(t, func(t *testing.T) parse.OCR {
		url := serve(t, func(w http.ResponseWriter, image string) {
			text := ""
			if image == "data:image/png;base64,"+page {
				text = strings.Join(parsetest.Words(), " ")
			}
			say(w, text)
		})
		return &vision.Engine{BaseURL: url, Key: "secret", Model: "m"}
	})
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"# A\n", "# A"},
		{"```markdown\n# A\n```", "# A"},
		{"```\n# A\n```\n", "# A"},
		{"```go\nx\n```", "```go\nx\n```"},
		{"```\na\n```\nb\n```\nc\n```", "```\na\n```\nb\n```\nc\n```"},
		{"```", "```"},
	} {
		e := vision.Engine{BaseURL: serve(t, func(w http.ResponseWriter, _ string) { say(w, c.said) }), Key: "secret", Model: "m"}
		r, err := e.Recognize(t.Context(), parse.Picture{})
		if err != nil || r.Markdown != c.want || r.Confidence != -1 {
			t.Errorf("of %q came %+v, %v", c.said, r, err)
		}
	}
}

func TestFailures(t *testing.T) {
	for what, e := range map[string]*vision.Engine{
		"nothing set": {},
		"no URL":      {BaseURL: "::", Model: "m"},
		"no choices":  {BaseURL: serve(t, func(w http.ResponseWriter, _ string) { _, _ = io.WriteString(w, "{}") })},
		"no JSON":     {BaseURL: serve(t, func(w http.ResponseWriter, _ string) { _, _ = io.WriteString(w, "<html>") })},
		"a status":    {BaseURL: serve(t, func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusTooManyRequests) })},
		"too long":    {BaseURL: serve(t, func(w http.ResponseWriter, _ string) { say(w, strings.Repeat("x", 5<<20)) })},
	} {
		if e.BaseURL != "" {
			e.Key, e.Model, e.Tries = "secret", "m", 1
		}
		if _, err := e.Recognize(t.Context(), parse.Picture{}); !errors.Is(err, vision.ErrModel) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
