// SPDX-License-Identifier: Apache-2.0

package weburl_test

import (
	"testing"

	"example.com/curlew/internal/weburl"
)

func TestAppendKey(t *testing.T) {
	similar, keep := weburl.KeyOptions{}, weburl.KeyOptions{KeepSimilar: true}
	ignore := weburl.KeyOptions{IgnoreQuery: true}
	for _, tt := range []struct {
		raw  string
		o    weburl.KeyOptions
		want string
	}{
		{"https://www.x.test/a/", similar, "http://x.test/a"},
		{"http://x.test/a", similar, "http://x.test/a"},
		{"http://x.test/a/index.php", similar, "http://x.test/a"},
		{"http://x.test/a/index.html", similar, "http://x.test/a"},
		{"http://x.test/a/INDEX.html", similar, "http://x.test/a/INDEX.html"},
		{"http://x.test/aindex.html", similar, "http://x.test/aindex.html"},
		{"http://x.test/index.html", similar, "http://x.test"},
		{"http://x.test", similar, "http://x.test"},
		{"http://x.test/a//", similar, "http://x.test/a/"}, // only one is removed
		{"http://x.test/a/index.html/", similar, "http://x.test/a/index.html"},
		{"http://www.www.x.test/", similar, "http://www.x.test"},
		{"http://www./", similar, "http://www"}, // a label must remain
		{"http://www.x.test./a", similar, "http://x.test/a"},
		{"http://x.test.:8080/a", similar, "http://x.test:8080/a"},
		{"http://x.test./a", keep, "http://x.test./a"},
		{"http://./", similar, "http://."},
		{"http://x.test../", similar, "http://x.test.."},
		{"http://wwww.x.test/", similar, "http://wwww.x.test"},
		{"https://u:p@www.x.test:8443/a/?q=1&r", similar, "http://x.test:8443/a?q=1&r"},
		{"https://x.test/a/?", similar, "http://x.test/a?"},
		{"https://x.test/a#top", similar, "http://x.test/a"},
		{"https://x.test/a#/", similar, "http://x.test/a"},
		{"https://x.test/a#/b", similar, "http://x.test/a#/b"},
		{"https://x.test/a/#!/b", similar, "http://x.test/a#!/b"},
		{"https://x.test/a#!b", similar, "http://x.test/a"},
		{"https://x.test/a?q#/b", ignore, "http://x.test/a#/b"},
		{"https://x.test/a?q", ignore, "http://x.test/a"},
		{"https://x.test/a?", ignore, "http://x.test/a"},
		{"https://u:p@www.x.test/a/?q#t", keep, "https://www.x.test/a/?q"},
		{"https://x.test/", keep, "https://x.test/"},
		{"https://x.test/index.html?q", weburl.KeyOptions{IgnoreQuery: true, KeepSimilar: true}, "https://x.test/index.html"},
	} {
		if got := string(must(t, tt.raw).AppendKey([]byte(">"), tt.o)); got != ">"+tt.want {
			t.Errorf("AppendKey of %q with %+v = %q, want %q", tt.raw, tt.o, got, ">"+tt.want)
		}
	}
}
