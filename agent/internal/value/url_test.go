// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"testing"

	"example.com/curlew/agent/internal/value"
)

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"HTTP://A.test:80/x#y":                              "http://a.test/x",
		"https://a.test/?utm_source=a&b=1&gclid=2&fbclid=3": "https://a.test/?b=1",
		"https://a.test/?UTM_Medium=a":                      "https://a.test/",
		"https://a.test":                                    "https://a.test/",
		"https://u@a.test/":                                 "",
		"mailto:x@a.test":                                   "",
		"L17":                                               "",
		"https://a.test/?b=2&a=1":                           "https://a.test/?b=2&a=1",
	} {
		if got := value.Canonical(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestShape(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"https://a.test/p/123", "a.test/p/{n}"},
		{"https://a.test/p/550e8400-e29b-41d4-a716-446655440000", "a.test/p/{h}"},
		{"https://a.test/p/deadbeef01", "a.test/p/{h}"},
		{"https://a.test/p/abc123z", "a.test/p/{x}"},
		{"https://a.test/blog/how-to-do-it", "a.test/blog/{s}"},
		{"https://a.test/about-us", "a.test/about-us"},
		{"https://a.test/x?b=1&a=2", "a.test/x?a&b"},
		{"https://a.test/item-12.html", "a.test/{x}.html"},
		{"https://a.test/", "a.test/"},
	} {
		if got := value.Shape(test.in); got != test.want {
			t.Errorf("%q: %q, want %q", test.in, got, test.want)
		}
	}
}
