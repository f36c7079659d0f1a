// SPDX-License-Identifier: Apache-2.0

package webrisk_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew/internal/netguard"
	"example.com/curlew/internal/test/leak"
	"example.com/curlew/internal/test/webtest"
	"example.com/curlew/threat"
	"example.com/curlew/threat/webrisk"
)

func TestMain(m *testing.M) { leak.Main(m) }

const key = "secret-key-canary"

// fake is an independent implementation of the provider, written from the
// published reference.
type fake struct {
	mu       sync.Mutex
	versions map[string][][]string        // guarded by mu; type -> version -> entries, in byte order
	threats  map[string]map[string]string // guarded by mu; expression -> type -> expiry (RFC 3339), or a duration from now
	negative time.Duration                // guarded by mu; lifetime of a clean answer
	next     time.Duration                // guarded by mu; recommended delay of the next update; zero means none
	log      []hit                        // guarded by mu

	// answer, if not nil, may write the response itself and then returns true.
	// It is guarded by mu while the server runs.
	answer func(w http.ResponseWriter, r *http.Request) bool
	// mangle, if not nil, may change the response before it is sent.
	mangle func(r *http.Request, answer map[string]any)
}

type hit struct {
	at     time.Time
	path   string
	query  string
	token  string
	kind   string
	prefix string
	key    string
}

// set makes entries the newest version of the list of a type.
func (f *fake) set(kind string, entries ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.versions == nil {
		f.versions = map[string][][]string{}
	}
	f.versions[kind] = append(f.versions[kind], slices.Sorted(slices.Values(entries)))
}

// threaten lists the first n bytes of the hash of an expression, and reports
// the expression as a threat until life has passed.
func (f *fake) threaten(kind, expression string, n int, life time.Duration) {
	f.mu.Lock()
	if f.threats == nil {
		f.threats = map[string]map[string]string{}
	}
	if f.threats[expression] == nil {
		f.threats[expression] = map[string]string{}
	}
	f.threats[expression][kind] = life.String()
	var old []string
	if v := f.versions[kind]; len(v) > 0 {
		old = v[len(v)-1]
	}
	f.mu.Unlock()
	f.set(kind, append(slices.Clone(old), prefix(expression, n))...)
}

// reply sets the function that writes the responses from now on. Nil restores
// the default.
func (f *fake) reply(answer func(w http.ResponseWriter, r *http.Request) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = answer
}

func prefix(expression string, n int) string {
	sum := sha256.Sum256([]byte(expression))
	return string(sum[:n])
}

// hits returns the requests for a path so far, and clears the log.
func (f *fake) hits(path string) []hit {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []hit
	for _, h := range f.log {
		if strings.HasSuffix(h.path, path) {
			list = append(list, h)
		}
	}
	f.log = nil
	return list
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	f.mu.Lock()
	f.log = append(f.log, hit{
		at: time.Now(), path: r.URL.Path, query: r.URL.RawQuery, token: q.Get("versionToken"),
		kind: q.Get("threatType"), prefix: q.Get("hashPrefix"), key: r.Header.Get("X-Goog-Api-Key"),
	})
	own := f.answer
	f.mu.Unlock()
	if own != nil && own(w, r) {
		return
	}
	var answer map[string]any
	switch {
	case r.Method != http.MethodGet:
	case strings.HasSuffix(r.URL.Path, "/v1/threatLists:computeDiff"):
		answer = f.diff(q.Get("threatType"), q.Get("versionToken"), q.Get("constraints.supportedCompressions"))
	case strings.HasSuffix(r.URL.Path, "/v1/hashes:search"):
		answer = f.search(q.Get("hashPrefix"), q["threatTypes"])
	}
	if answer == nil {
		http.Error(w, `{"error":{"code":400}}`, http.StatusBadRequest)
		return
	}
	if f.mangle != nil {
		f.mangle(r, answer)
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(answer)
}

func (f *fake) diff(kind, token, compression string) map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	versions := f.versions[kind]
	if len(versions) == 0 {
		versions = [][]string{{}}
	}
	now := versions[len(versions)-1]
	sum := sha256.Sum256([]byte(strings.Join(now, "")))
	a := map[string]any{
		"responseType":    "RESET",
		"newVersionToken": base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s?%d>", kind, len(versions)-1)),
		"checksum":        map[string]any{"sha256": base64.StdEncoding.EncodeToString(sum[:])},
	}
	if f.next != 0 {
		a["recommendedNextDiff"] = time.Now().Add(f.next).UTC().Format(time.RFC3339Nano)
	}
	added := now
	if token != "" {
		raw, err := base64.StdEncoding.DecodeString(token)
		i := 0
		if _, scan := fmt.Sscanf(string(raw), kind+"?%d>", &i); err != nil || scan != nil || i >= len(versions) {
			return nil
		}
		a["responseType"] = "DIFF"
		var indices []int
		var gone []string
		added, gone, indices = difference(versions[i], now)
		if len(gone) > 0 {
			a["removals"] = map[string]any{"rawIndices": map[string]any{"indices": indices}}
		}
	}
	if compression != "RAW" {
		return nil
	}
	bySize := map[int]string{}
	for _, e := range added {
		bySize[len(e)] += e
	}
	var raw []any
	for _, size := range slices.Sorted(maps.Keys(bySize)) {
		raw = append(raw, map[string]any{"prefixSize": size, "rawHashes": base64.StdEncoding.EncodeToString([]byte(bySize[size]))})
	}
	if raw != nil {
		a["additions"] = map[string]any{"rawHashes": raw}
	}
	return a
}

// difference returns the entries that only b has, and those that only a has
// with their indices.
func difference(a, b []string) (added, gone []string, indices []int) {
	for i, e := range a {
		if !slices.Contains(b, e) {
			gone, indices = append(gone, e), append(indices, i)
		}
	}
	for _, e := range b {
		if !slices.Contains(a, e) {
			added = append(added, e)
		}
	}
	return added, gone, indices
}

func (f *fake) search(text string, types []string) map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	want, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(want) < 4 || len(want) > 32 || len(types) == 0 {
		return nil
	}
	a := map[string]any{"negativeExpireTime": time.Now().Add(f.negative).UTC().Format(time.RFC3339Nano)}
	var threats []any
	for expression, kinds := range f.threats {
		for kind, life := range kinds {
			sum := sha256.Sum256([]byte(expression))
			if !strings.HasPrefix(string(sum[:]), string(want)) || !slices.Contains(types, kind) {
				continue
			}
			d, _ := time.ParseDuration(life)
			threats = append(threats, map[string]any{
				"hash": base64.StdEncoding.EncodeToString(sum[:]), "threatTypes": []string{kind},
				"expireTime": time.Now().Add(d).UTC().Format(time.RFC3339Nano),
			})
		}
	}
	if threats != nil {
		a["threats"] = threats
	}
	return a
}

// open returns a client that is connected to the provider in memory. Both are
// closed at the end of t.
func (f *fake) open(t *testing.T, c *webrisk.Client) *webrisk.Client {
	web := webtest.Serve(f)
	client := netguard.Policy{Resolver: web, Dial: web.Dial}.Client(netguard.ClientOptions{Roots: web.Roots()})
	t.Cleanup(func() {
		client.CloseIdleConnections()
		web.Close()
	})
	if c == nil {
		c = new(webrisk.Client)
	}
	c.BaseURL, c.Key, c.HTTP = "https://risk.test/gateway/", key, client
	return c
}

func target(t testing.TB, url string) threat.Target {
	t.Helper()
	tg, err := threat.ParseTarget(url)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// classify returns the verdict on one URL and fails t on an error.
func classify(t *testing.T, c *webrisk.Client, url string) threat.Verdict {
	t.Helper()
	verdicts, err := c.Classify(t.Context(), []threat.Target{target(t, url)})
	if err != nil || len(verdicts) != 1 {
		t.Fatalf("Classify(%s) = %v, %v", url, verdicts, err)
	}
	return verdicts[0]
}

func sync1(t *testing.T, c *webrisk.Client) {
	t.Helper()
	if err := c.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}
