// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
)

// TestSessions asks the Authenticator for every request, so that a server can use
// its own sessions instead of keys.
func TestSessions(t *testing.T) {
	asked := 0
	h, err := httpapi.NewHandler(new(curlew.Service), &httpapi.Options{Authenticator: func(r *http.Request, key string) (account.Team, error) {
		asked++
		if cookie, err := r.Cookie("session"); err == nil && cookie.Value == "good" || key == "key" {
			return account.Team{ID: "us"}, nil
		}
		return account.Team{}, account.ErrKey
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct {
		authorization, cookie string
		want                  int
		text                  string
	}{
		{"", "good", http.StatusOK, ""},
		{"Basic dTpw", "good", http.StatusOK, ""},
		{"Bearer key", "", http.StatusOK, ""},
		{"Bearer other", "bad", http.StatusUnauthorized, "Unauthorized: Invalid token"},
		{"Basic key", "", http.StatusUnauthorized, "Unauthorized: Invalid token"},
		{"Bearer", "", http.StatusUnauthorized, "Unauthorized: Token missing"},
		{"", "", http.StatusUnauthorized, `"Unauthorized"`},
	} {
		header := []string{"Authorization", test.authorization}
		if test.cookie != "" {
			header = append(header, "Cookie", "session="+test.cookie)
		}
		w, answer := ask(t, h, "GET", "/v2/concurrency-check", "", header...)
		if w.Code != test.want || !strings.Contains(answer, test.text) {
			t.Errorf("%q with session %q: %d %s, want %d %s", test.authorization, test.cookie, w.Code, answer, test.want, test.text)
		}
		if asked != i+1 {
			t.Errorf("%q: the Authenticator was asked %d times, want %d", test.authorization, asked, i+1)
		}
	}
}

// TestStripPrefix mounts a handler below prefixes and checks that URLs in its
// answers include them.
func TestStripPrefix(t *testing.T) {
	service := &curlew.Service{Fetcher: fetchtest.New(t, []byte(oneSite))}
	defer func() {
		if err := service.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true, TrustProxyHeaders: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ prefix, forwarded, want string }{
		{"", "", "http://example.com/v2/crawl/"},
		{"/data", "", "http://example.com/data/v2/crawl/"},
		{"/a%20b/c", "", "http://example.com/a%20b/c/v2/crawl/"},
		{"/data", "/outer/", "http://example.com/outer/data/v2/crawl/"},
	} {
		path := strings.ReplaceAll(test.prefix, "%20", " ")
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, test.prefix+"/v2/crawl?x=/v2/crawl", strings.NewReader(`{"url":"a.test","limit":1}`))
		r.Header.Set("X-Forwarded-Prefix", test.forwarded)
		w := httptest.NewRecorder()
		http.StripPrefix(path, h).ServeHTTP(w, r)
		if want := fmt.Sprintf(`"url":"%s`, test.want); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s behind %q: %d %s, want %s", test.prefix, test.forwarded, w.Code, w.Body, want)
		}
	}
}
