// SPDX-License-Identifier: Apache-2.0

package weburl_test

import (
	"errors"
	"testing"

	"example.com/curlew/internal/weburl"
)

// Texts of the contract.
const (
	badScheme = "URL uses unsupported protocol"
	badDomain = "URL must have a valid top-level domain or be an IP address"
	badSyntax = "Invalid URL"
)

func TestInput(t *testing.T) {
	for _, tt := range []struct {
		raw    string
		single bool
		want   string // the href, or the error text
	}{
		{"example.com", false, "http://example.com/"},
		{" \n\u00a0\ufeffhttps://Example.com/a b \u2028", false, "https://example.com/a%20b"},
		{"http://example.com", false, "http://example.com/"},
		{"HTTPS:example.com", false, "https://example.com/"},
		{"//example.com/a", false, "http://example.com/a"},
		{"example.com:8080/a", false, "http://example.com:8080/a"},
		{"example.com:8080", false, "http://example.com:8080/"},
		{"example.com:8080?a", false, "http://example.com:8080/?a"},
		{"example.com/a:b", false, "http://example.com/a:b"},
		{"bücher.example", false, "http://xn--bcher-kva.example/"},
		{"example.рф", false, "http://example.xn--p1ai/"},
		{"example.com.", false, "http://example.com./"},
		{"93.184.216.34", false, "http://93.184.216.34/"},
		{"1.1", false, "http://1.0.0.1/"},
		{"[2606:4700::1111]:8080/a", false, "http://[2606:4700::1111]:8080/a"},
		{"localhost:3000/a", true, "http://localhost:3000/a"},
		{"intranet", true, "http://intranet/"},

		{"ftp://example.com/", false, badScheme},
		{"file:///etc/passwd", false, badScheme},
		{"javascript:alert(1)", false, badScheme},
		{"mailto:a@example.com", false, badScheme},
		{"data:text/html,a", true, badScheme},

		{"localhost", false, badDomain},
		{"localhost.", false, badDomain},
		{"localhost:3000", false, badDomain},
		{"http://example.c", false, badDomain},
		{"http://example.c", true, badDomain},
		{"http//example.com", false, badDomain},
		{"tel:123", false, badDomain},
		{"/path", false, badDomain}, // slashes before a host are ignored

		{"", false, badSyntax},
		{"   ", false, badSyntax},
		{"http://", false, badSyntax},
		{"://example.com", false, badSyntax},
		{"exa mple.com", false, badSyntax},
		{"http://a..com/", false, badSyntax},
		{"http://xn--a.com/", false, badSyntax},
		{"http://user:pass@example.com/", false, badSyntax},
		{"user@example.com", false, badSyntax},
		{"http://example.com:99999/", false, badSyntax},
		{"http://256.1.1.1/", true, badSyntax},
		{"[::1", true, badSyntax},
	} {
		u, err := weburl.Input(tt.raw, tt.single)
		got := u.String()
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("Input(%q, %t) = %q, want %q", tt.raw, tt.single, got, tt.want)
		}
		for text, why := range map[string]error{badScheme: weburl.ErrScheme, badDomain: weburl.ErrDomain, badSyntax: weburl.ErrSyntax} {
			if is := errors.Is(err, why); is != (tt.want == text) {
				t.Errorf("Input(%q, %t): error is %v: %t", tt.raw, tt.single, why, is)
			}
		}
	}
}
