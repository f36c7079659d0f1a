// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestRun explains URLs of a server, which records its requests.
func TestRun(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path+" "+r.UserAgent())
		mu.Unlock()
		_, _ = io.WriteString(w, "User-agent: heron\nDisallow: /docs/\nUser-agent: *\nDisallow: /docs/private\n")
	}))
	defer server.Close()
	for _, tt := range []struct {
		args    string // $ stands for the server's URL
		follows bool
		says    []string // expected in this order
	}{
		{"$/docs/ $/docs/a", true, []string{`robots.txt: HTTP status 200, \d+ bytes`, `internal; known by the key http://[^ ]+/docs/a\n`, `file-type +passes`, `robots +passes`, `trap +passes`, `followed\n$`}},
		{"$/docs/ private/x", false, []string{`/docs/private/x\n`, `robots +REFUSES +4: /docs/private`, `not followed\n$`}},
		{"-agent heron/2.0 $/docs/ a", false, []string{`robots +REFUSES +2: /docs/`}},
		{"-robots-agent heron $/docs/ a", false, []string{`robots +REFUSES +2: /docs/`}},
		{"-robots ignore $/docs/ private/x", true, []string{`robots +passes`, `followed\n$`}},
		{"-robots lenient -keep-similar $/docs/ b/", true, []string{`known by the key http://[^ ]+/docs/b/\n`}},
		{"-exclude old -depth 3 $/docs/ older", false, []string{`depth +passes`, `excluded +REFUSES +old`}},
		{"-depth 1 -from $/docs/b -from-depth 1 $/docs/ c", false, []string{`depth +REFUSES`}},
		{"-offline $/docs/ private/x", true, []string{`^robots.txt: unknown\n`, `robots +passes +\n`}},
		{"-offline -page-robots -rel nofollow $/docs/ x", false, []string{`nofollow +REFUSES +nofollow`}},
		{"-offline -include ^/docs/[ab] $/docs/ c", false, []string{`not-included +REFUSES`}},
		{"-offline -external -from http://b.test/ $/docs/ /x", false, []string{`external; known by the key http://b.test/x`, `external +REFUSES +b.test`}},
		{"$/docs/ mailto:a@b.test", false, []string{`^mailto:a@b.test\n`, `scheme +REFUSES`}},
	} {
		asked = nil
		var out bytes.Buffer
		args := strings.Fields(strings.ReplaceAll(tt.args, "$", server.URL))
		follows, err := run(t.Context(), append([]string{"-allow-private"}, args...), &out, io.Discard)
		if err != nil || follows != tt.follows {
			t.Errorf("%s: follows %v, %v", tt.args, follows, err)
		}
		rest := out.String()
		for _, says := range tt.says {
			at := regexp.MustCompile(says).FindStringIndex(rest)
			if at == nil {
				t.Errorf("%s: no %s in\n%s", tt.args, says, out.String())
				break
			}
			rest = rest[at[1]:]
		}
		quiet := strings.Contains(tt.args, "-offline") || strings.Contains(tt.args, "ignore") || strings.Contains(tt.args, "mailto:")
		if quiet && len(asked) > 0 || !quiet && (len(asked) != 1 || !strings.HasPrefix(asked[0], "/robots.txt ")) {
			t.Errorf("%s: asked for %q", tt.args, asked)
		}
	}
}

// TestUnreachable uses a private address, which is not admitted here.
func TestUnreachable(t *testing.T) {
	for policy, says := range map[string]string{"strict": "is not crawled", "lenient": "all is allowed"} {
		var out bytes.Buffer
		follows, err := run(t.Context(), []string{"-robots", policy, "http://127.0.0.1/", "/x"}, &out, io.Discard)
		if err != nil || follows != (policy == "lenient") || !strings.Contains(out.String(), says) {
			t.Errorf("%s: follows %v, %v:\n%s", policy, follows, err, &out)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, args := range []string{"", "http://a.test/", "ftp://a b", "-depth x http://a.test/ b", "-depth 1x http://a.test/ b", "-robots maybe http://a.test/ b", "-include ( http://a.test/ b", "a b c"} {
		if _, err := run(t.Context(), strings.Fields(args), io.Discard, io.Discard); err == nil || errors.Is(err, flag.ErrHelp) {
			t.Errorf("explain %s: %v", args, err)
		}
	}
}
