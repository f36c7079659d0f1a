// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/internal/service/explain"
	"example.com/curlew/job"
	"example.com/curlew/threat"
)

// TestExplain asks about URLs inside and outside a crawl of part of a site.
func TestExplain(t *testing.T) {
	const start = "http://a.test/docs/"
	rules := scope.NewRobotsFile("http://a.test/robots.txt", 200, []byte("User-agent: *\nDisallow: /docs/no"))
	known := map[string]scope.RobotsFile{rules.URL: rules}
	down := map[string]scope.RobotsFile{rules.URL: {URL: rules.URL, Unreachable: true}}
	silent := map[string]scope.RobotsFile{rules.URL: {URL: rules.URL, Unreachable: true, Silence: "connection refused"}}
	lists := threat.Policy{Mode: threat.Normal, Blacklist: []string{"bad.test"}}
	endless := frontier.Endless{Taken: 12, Left: 9, Spaces: []frontier.EndlessSpace{{Pattern: "/docs/day/N", Left: 7}}}
	for name, tt := range map[string]struct {
		query   explain.Query
		config  crawl.Config
		files   map[string]scope.RobotsFile
		threat  threat.Policy
		endless frontier.Endless
		want    explain.Answer
	}{
		"followed": {
			query: explain.Query{URL: "/docs/one"}, files: known,
			want: explain.Answer{URL: "http://a.test/docs/one", Follow: true, Depth: 1, From: "http://a.test/docs/", Robots: "known"},
		},
		"the start page": {
			query: explain.Query{URL: start}, files: known,
			want: explain.Answer{URL: start, Follow: true, Robots: "known"},
		},
		"from a page": {
			query: explain.Query{URL: "two", From: "http://a.test/docs/one/", Depth: 3}, files: known,
			want: explain.Answer{URL: "http://a.test/docs/one/two", Follow: true, Depth: 4, From: "http://a.test/docs/one/", Robots: "known"},
		},
		"robots.txt": {
			query: explain.Query{URL: "/docs/no/x"}, files: known,
			want: explain.Answer{URL: "http://a.test/docs/no/x", Rule: "robots", Value: "2: /docs/no", Depth: 1, From: start, Robots: "known"},
		},
		"robots.txt ignored": {
			query: explain.Query{URL: "/docs/no/x"}, files: known, config: crawl.Config{Robots: crawl.RobotsIgnore},
			want: explain.Answer{URL: "http://a.test/docs/no/x", Follow: true, Depth: 1, From: start, Robots: "ignored"},
		},
		"robots.txt unknown": {
			query: explain.Query{URL: "/docs/no/x"},
			want:  explain.Answer{URL: "http://a.test/docs/no/x", Follow: true, Depth: 1, From: start, Robots: "unknown"},
		},
		"robots.txt unreachable": {
			query: explain.Query{URL: "/docs/one"}, files: down,
			want: explain.Answer{URL: "http://a.test/docs/one", Rule: "robots", Depth: 1, From: start, Robots: "unreachable"},
		},
		"a silent site": {
			query: explain.Query{URL: "/docs/one"}, files: silent,
			want: explain.Answer{URL: "http://a.test/docs/one", Follow: true, Value: "connection refused", Depth: 1, From: start, Robots: "unreachable"},
		},
		"a threat": {
			query: explain.Query{URL: "http://bad.test/"}, config: crawl.Config{External: true}, threat: lists,
			want: explain.Answer{URL: "http://bad.test/", Rule: "threat-list", Value: "blacklist", Depth: 1, From: start, Robots: "unknown"},
		},
		"an endless space": {
			query: explain.Query{URL: "/docs/day/17"}, files: known, endless: endless,
			want: explain.Answer{URL: "http://a.test/docs/day/17", Rule: "endless", Value: "/docs/day/N: the crawl requests such URLs last and only so many. It delivered 12 of all endless spaces. Of this pattern, 7 wait or were left out.", Depth: 1, From: start, Robots: "known"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tt.config.URL = start
			site, err := tt.config.Compile()
			if err != nil {
				t.Fatal(err)
			}
			x := explain.Explainer{Scope: site, Config: &tt.config, Threat: tt.threat, Agent: "curlew", Files: tt.files, Endless: tt.endless}
			got, err := x.Explain(&tt.query, start)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// space stores items in memory.
type space struct {
	job.Space
	items []job.Item
	err   error
}

func (s *space) Items(context.Context, job.ItemKind, int, int) ([]job.Item, error) {
	return s.items, s.err
}

func (s *space) Append(_ context.Context, items ...job.Item) error {
	s.items = append(s.items, items...)
	return s.err
}

// TestKeeper checks that the last version of a file is stored, also across a
// restart, and that an unchanged file is not stored again.
func TestKeeper(t *testing.T) {
	var s space
	file := func(host, body string) scope.RobotsFile {
		return scope.RobotsFile{URL: "http://" + host + "/robots.txt", Body: []byte(body)}
	}
	keep := func(want int, files ...scope.RobotsFile) {
		t.Helper()
		k, err := explain.NewKeeper(t.Context(), &s)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			k.Keep(t.Context(), f)
		}
		if len(s.items) != want {
			t.Errorf("%d items, want %d", len(s.items), want)
		}
	}
	keep(2, file("a.test", "1"), file("a.test", "1"), file("b.test", "1"))
	keep(3, file("a.test", "1"), file("a.test", "2")) // the next process
	down := scope.RobotsFile{URL: "http://b.test/robots.txt", Unreachable: true, Silence: "connection refused"}
	keep(4, down)
	s.items = append(s.items, job.Item{Data: []byte("damaged")}, job.Item{Err: job.ErrCorrupt})
	want := map[string]scope.RobotsFile{"http://a.test/robots.txt": file("a.test", "2"), down.URL: down}
	if diff := cmp.Diff(want, explain.Files(s.items)); diff != "" {
		t.Error(diff)
	}
	broken := &space{err: errors.New("disk is broken")}
	if _, err := explain.NewKeeper(t.Context(), broken); !errors.Is(err, broken.err) {
		t.Errorf("a store that cannot be read: %v", err)
	}
}

// TestKeeperFull checks that beyond 4 MiB a new file is not stored, and that a
// file that grew counts as unknown.
func TestKeeperFull(t *testing.T) {
	var s space
	k, err := explain.NewKeeper(t.Context(), &s)
	if err != nil {
		t.Fatal(err)
	}
	small := scope.RobotsFile{URL: "http://a.test/robots.txt", Body: []byte("1")}
	k.Keep(t.Context(), small)
	k.Keep(t.Context(), scope.RobotsFile{URL: "http://b.test/robots.txt", Body: []byte(strings.Repeat("x", 2<<20))})
	k.Keep(t.Context(), scope.RobotsFile{URL: "http://c.test/robots.txt", Body: []byte(strings.Repeat("x", 2<<20))})
	files := explain.Files(s.items)
	if _, ok := files["http://c.test/robots.txt"]; ok || len(files) != 2 {
		t.Errorf("%d files are kept, want 2", len(files))
	}
	small.Body = []byte(strings.Repeat("x", 2<<20))
	k.Keep(t.Context(), small)
	if _, ok := explain.Files(s.items)[small.URL]; ok {
		t.Error("the old version of a file counts that has changed")
	}
}

// TestKeeperCut checks that a file which is not read to its end gives one note.
func TestKeeperCut(t *testing.T) {
	var s space
	k, err := explain.NewKeeper(t.Context(), &s)
	if err != nil {
		t.Fatal(err)
	}
	long := scope.RobotsFile{URL: "http://a.test/robots.txt", Body: []byte(strings.Repeat("#\n", 300<<10))}
	k.Keep(t.Context(), long)
	k.Keep(t.Context(), long)
	if len(s.items) != 2 || s.items[1].Kind != job.Note || !strings.Contains(string(s.items[1].Data), "500 KiB of "+long.URL) {
		t.Errorf("%d items, the last is %.80q", len(s.items), s.items[len(s.items)-1].Data)
	}
}
