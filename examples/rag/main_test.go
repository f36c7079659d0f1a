// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/internal/test/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// TestRun splits a page and a file.
func TestRun(t *testing.T) {
	site := fetchtest.New(t, []byte(`
-- birds.test/ --
<title>Birds</title><nav><a href="/x">Menu</a></nav><main><h1>Birds</h1><p>They fly, all but a few of them.</p><h2>Waders</h2><p>They wade in water all day long.</p></main>
`))
	file := filepath.Join(t.TempDir(), "sizes.csv")
	if err := os.WriteFile(file, []byte("bird,cm\ncurlew,55\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, status bytes.Buffer
	if err := run(t.Context(), &curlew.Service{Fetcher: site}, []string{"http://birds.test/", file}, &out, &status); err != nil {
		t.Fatal(err)
	}
	want := `{"source":"http://birds.test/","title":"Birds","text":"# Birds\n\nThey fly, all but a few of them.\n\n## Waders\n\nThey wade in water all day long.","headings":["Birds"],"start":0,"end":86,"tokens":23}
{"source":"FILE","text":"| bird | cm |\n| --- | --- |\n| curlew | 55 |","headings":[],"start":0,"end":43,"tokens":17}
`
	if diff := cmp.Diff(want, strings.ReplaceAll(out.String(), file, "FILE")); diff != "" {
		t.Errorf("%s\n%s", diff, &status)
	}
	if err := run(t.Context(), new(curlew.Service), []string{"127.0.0.1/"}, &out, &status); err == nil || !strings.Contains(err.Error(), "https://127.0.0.1/") {
		t.Errorf("what is neither a file nor a page that may be asked for: %v", err)
	}
}
