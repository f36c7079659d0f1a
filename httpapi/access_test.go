// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/agent"
	"example.com/curlew/audit"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/webtest"
	"example.com/curlew/threat"
)

// gatekeeper counts lookups of keys and policies, and audit events.
type gatekeeper struct {
	account.Keys
	keys   map[string]string // keys by what is wrong with them
	latest audit.Recent

	mu    sync.Mutex
	asked int // calls of the Authenticator; guarded by mu
	teams int // lookups of a team's policy; guarded by mu
	told  int // audit events about refused keys; guarded by mu
}

// Write implements [audit.Sink].
func (g *gatekeeper) Write(ctx context.Context, events []audit.Event) error {
	if err := g.latest.Write(ctx, events); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range events {
		if events[i].Action == audit.KeyRefused {
			g.told++
		}
	}
	return nil
}

// Recent implements [httpapi.Activities].
func (g *gatekeeper) Recent(ctx context.Context, team string, since time.Time) ([]audit.Event, error) {
	return g.latest.Recent(ctx, team, since)
}

// counted returns the counts since the last call.
func (g *gatekeeper) counted() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := fmt.Sprintf("asked %d, teams %d, told %d", g.asked, g.teams, g.told)
	g.asked, g.teams, g.told = 0, 0, 0
	return s
}

func (g *gatekeeper) authenticator() httpapi.Authenticator {
	auth := httpapi.KeyAuthenticator(&g.Keys, func(id string) (account.Team, error) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.teams++
		switch id {
		case "suspended":
			return account.Team{}, fmt.Errorf("the team is suspended: %w", account.ErrForbidden)
		case "narrow":
			return account.Team{ID: id, Policy: account.Policy{AllowEndpoints: []string{}, Threat: threat.Team{Enabled: true}}}, nil
		}
		return account.Team{ID: id, Policy: account.Policy{Threat: threat.Team{Enabled: true}}}, nil
	})
	return func(r *http.Request, key string) (account.Team, error) {
		g.mu.Lock()
		g.asked++
		g.mu.Unlock()
		return auth(r, key)
	}
}

// newGatekeeper creates a key of each kind.
func newGatekeeper(t *testing.T) *gatekeeper {
	t.Helper()
	g := &gatekeeper{keys: map[string]string{"unknown": "fc-" + strings.Repeat("u", 43), "too long": strings.Repeat("k", 257), "own": "", "foreign": "", "suspended": "", "narrow": "", "expired": "", "revoked": ""}}
	for _, name := range []string{"own", "foreign", "suspended", "narrow", "expired", "revoked"} {
		life := 100 * time.Hour
		if name == "expired" {
			life = time.Second
		}
		text, key, err := g.Create(t.Context(), name, name, life)
		if err != nil {
			t.Fatal(err)
		}
		if g.keys[name] = text; name == "revoked" {
			err = g.Revoke(t.Context(), key.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(time.Minute) // synctest time
	return g
}

// openTo serves the keys of g, with an agent that finds nothing.
func openTo(t *testing.T, g *gatekeeper) (*server, http.Handler) {
	t.Helper()
	s := &server{t: t, service: &curlew.Service{Fetcher: fetchtest.New(t, []byte(oneSite)), Audit: g, Agent: &agent.Engine{Model: chooser{}}}}
	h, err := httpapi.NewHandler(s.service, &httpapi.Options{Authenticator: g.authenticator()})
	if err != nil {
		t.Fatal(err)
	}
	s.net = webtest.Serve(h)
	s.client = &http.Client{Transport: &http.Transport{DialContext: s.net.Dial}}
	return s, h
}

// socket opens a WebSocket and returns its messages and how it is closed.
func (s *server) socket(path, authorization string) string {
	s.t.Helper()
	header := http.Header{}
	if authorization != "" {
		header.Set("Authorization", authorization)
	}
	conn, _, err := websocket.Dial(s.t.Context(), "ws://api.test"+path, &websocket.DialOptions{HTTPClient: s.client, HTTPHeader: header}) //nolint:bodyclose // the connection has no body any more
	if err != nil {
		s.t.Fatal(path, err)
	}
	defer conn.CloseNow()
	var said strings.Builder
	for {
		_, raw, err := conn.Read(s.t.Context())
		if closed, ok := errors.AsType[websocket.CloseError](err); ok {
			fmt.Fprintf(&said, "close %d %s", closed.Code, closed.Reason)
			return said.String()
		}
		if err != nil {
			s.t.Fatal(path, err)
		}
		fmt.Fprintf(&said, "%s\n", raw)
	}
}

// whole returns an answer without the parts that differ between requests.
func whole(w *httptest.ResponseRecorder) string {
	header := maps.Clone(w.Header())
	for _, name := range []string{"X-Request-Id", "X-Response-Time"} {
		header.Del(name)
	}
	return fmt.Sprint(w.Code, header, w.Body)
}

const (
	noJob   = "0199d7a4-0000-7000-8000-000000000000"
	badJob  = "0199d7a4-0000-7000-8000-00000000000"
	watched = "WebSocket" // stands for a method in the tables below
)

// everyRoute returns method and path of each route that requires a key,
// including WebSockets.
func everyRoute() (all [][2]string) {
	for _, pattern := range httpapi.RoutePatterns() {
		method, path, _ := strings.Cut(pattern, " ")
		if pattern == "GET /openapi.json" {
			continue // needs no key: TestOpenAPI
		}
		if pattern == "PUT /v2/parse/upload/{id}" || pattern == "GET /v2/files/{id}/{sid}" {
			continue // has a signature instead of a key: TestReference, TestFiles
		}
		path = strings.Replace(path, "{sid}", "1", 1)
		if strings.HasSuffix(path, "/explain") {
			path += "?url=http://a.test/"
		}
		all = append(all, [2]string{method, path})
	}
	return append(all, [2]string{watched, "/v2/crawl/{id}"}, [2]string{watched, "/v2/batch/scrape/{id}"})
}

// TestAccessKeys sends each kind of invalid key to every route, for jobs that
// exist and for jobs that do not. The answer says what is
// wrong with the key and nothing about the job. No byte of the body is read.
// Each request looks up its key once and writes one audit event.
func TestAccessKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGatekeeper(t)
		s, h := openTo(t, g)
		defer s.close()
		_, job := ask(t, h, "POST", "/v2/crawl", `{"url":"a.test"}`, "Authorization", "Bearer "+g.keys["own"])
		synctest.Wait()
		_, own, _ := strings.Cut(job, `"id":"`)
		own, _, _ = strings.Cut(own, `"`)
		g.counted()

		const (
			invalid = `401 {"success":false,"error":"Unauthorized: Invalid token"}`
			missing = `401 {"success":false,"error":"Unauthorized: Token missing"}`
		)
		for _, test := range []struct {
			name, authorization, want, counts string
		}{
			{"no key", "", `401 {"success":false,"error":"Unauthorized"}`, "asked 1, teams 0, told 1"},
			{"no token", "Bearer", missing, "asked 1, teams 0, told 1"},
			{"a space instead of a token", "Bearer ", missing, "asked 1, teams 0, told 1"},
			{"bad scheme", "Basic " + g.keys["own"], invalid, "asked 1, teams 0, told 1"},
			{"bad scheme, unknown", "Basic " + g.keys["unknown"], invalid, "asked 1, teams 0, told 1"},
			{"unknown", "Bearer " + g.keys["unknown"], invalid, "asked 1, teams 0, told 1"},
			{"too long", "Bearer " + g.keys["too long"], invalid, "asked 1, teams 0, told 1"},
			{"expired", "Bearer " + g.keys["expired"], invalid, "asked 1, teams 0, told 1"},
			{"revoked", "Bearer " + g.keys["revoked"], invalid, "asked 1, teams 0, told 1"},
			{"suspended", "Bearer " + g.keys["suspended"], `403 {"success":false,"error":"the team is suspended: forbidden"}`, "asked 1, teams 1, told 1"},
		} {
			for _, route := range everyRoute() {
				for _, id := range []string{own, noJob, badJob} {
					path := strings.Replace(route[1], "{id}", id, 1)
					if route[0] == watched {
						status, body, _ := strings.Cut(test.want, " ")
						text := strings.TrimSuffix(strings.TrimPrefix(body, `{"success":false,"error":"`), `"}`)
						said := s.socket(path, test.authorization)
						if code := map[string]string{"401": "3000", "403": "1008"}[status]; !strings.Contains(said, text) || !strings.HasSuffix(said, "close "+code+" ") || strings.Contains(said, own) {
							t.Errorf("%s, %s %s: %s", test.name, route[0], path, said)
						}
					} else {
						r := httptest.NewRequestWithContext(t.Context(), route[0], path, unread{t})
						r.Header.Set("Content-Type", "application/json")
						if test.authorization != "" {
							r.Header.Set("Authorization", test.authorization)
						}
						w := httptest.NewRecorder()
						h.ServeHTTP(w, r)
						if got := fmt.Sprint(w.Code, " ", w.Body); got != test.want {
							t.Errorf("%s, %s %s: %s, want %s", test.name, route[0], path, got, test.want)
						}
					}
					if got := g.counted(); got != test.counts {
						t.Errorf("%s, %s %s: %s, want %s", test.name, route[0], path, got, test.counts)
					}
				}
			}
		}
	})
}

// TestAccessEndpoints uses a key that may not start anything. Every POST except
// the one that stops an agent, and every PUT, is refused before its body is read.
// All other requests succeed.
func TestAccessEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGatekeeper(t)
		s, h := openTo(t, g)
		defer s.close()
		for _, route := range everyRoute() {
			if route[0] == watched {
				if said := s.socket(strings.Replace(route[1], "{id}", noJob, 1), "Bearer "+g.keys["narrow"]); !strings.Contains(said, "Job not found") {
					t.Errorf("%v: %s", route, said)
				}
				continue
			}
			starts := route[0] == http.MethodPut || route[0] == http.MethodPost && !strings.HasSuffix(route[1], "/stop")
			r := httptest.NewRequestWithContext(t.Context(), route[0], strings.Replace(route[1], "{id}", noJob, 1), unread{t})
			r.Header.Set("Authorization", "Bearer "+g.keys["narrow"])
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if refused := w.Code == http.StatusForbidden && strings.HasPrefix(w.Body.String(), `{"success":false,"error":"This key may not use the endpoint `); refused != starts {
				t.Errorf("%v: %d %s", route, w.Code, w.Body)
			}
		}
	})
}

// TestAccessSteps compares the allocations of an Authenticator that refuses
// keys. The hash and the comparison are the same for all keys.
func TestAccessSteps(t *testing.T) {
	g := new(gatekeeper)
	synctest.Test(t, func(t *testing.T) { g = newGatekeeper(t) })
	static := httpapi.StaticKeys(map[string]account.Team{g.keys["own"]: {ID: "own"}})
	auth := httpapi.KeyAuthenticator(&g.Keys, func(string) (account.Team, error) {
		t.Error("a refused key's team was asked for")
		return account.Team{}, nil
	})
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	for kind, auth := range map[string]httpapi.Authenticator{"static": static, "keys": auth} {
		allocated := map[string]float64{}
		for _, name := range []string{"unknown", "expired", "revoked"} {
			allocated[name] = testing.AllocsPerRun(100, func() {
				if team, err := auth(request, g.keys[name]); !errors.Is(err, account.ErrKey) || team.ID != "" {
					t.Errorf("%s, %s: %v, %v", kind, name, team.ID, err)
				}
			})
		}
		if n := allocated["unknown"]; n != allocated["expired"] || n != allocated["revoked"] {
			t.Errorf("%s: allocations differ: %v", kind, allocated)
		}
	}
}

// TestAccessTenancy requests every route with an id for the team's own job, for
// a job of another team, and for jobs that do not exist. The answers for
// another team's job and for a missing job must be identical.
func TestAccessTenancy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGatekeeper(t)
		s, h := openTo(t, g)
		defer s.close()
		own, foreign := "Bearer "+g.keys["own"], "Bearer "+g.keys["foreign"]
		ids := map[string]string{}
		for kind, body := range map[string]string{"crawl": `{"url":"a.test"}`, "batch": `{"urls":["a.test"]}`, "scrape": `{"url":"a.test"}`, "agent": `{"prompt":"p","urls":["http://a.test/"]}`, "extract": `{"prompt":"p","urls":["http://a.test/"]}`} {
			path := map[string]string{"batch": "batch/scrape"}[kind]
			if path == "" {
				path = kind
			}
			w, answer := ask(t, h, "POST", "/v2/"+path, body, "Authorization", own)
			name := `"id":"`
			if kind == "scrape" {
				name = `"scrapeId":"`
			}
			_, id, _ := strings.Cut(answer, name)
			if ids[kind], _, _ = strings.Cut(id, `"`); len(ids[kind]) != len(noJob) {
				t.Fatalf("%s: %d %s", kind, w.Code, answer)
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		n := 0
		for _, route := range everyRoute() {
			if !strings.Contains(route[1], "{id}") {
				continue
			}
			n++
			kind, _, _ := strings.Cut(strings.TrimPrefix(route[1], "/v2/"), "/")
			at := func(id, authorization string) string {
				path := strings.Replace(route[1], "{id}", id, 1)
				if route[0] == watched {
					return s.socket(path, authorization)
				}
				r := httptest.NewRequestWithContext(t.Context(), route[0], path, unread{t})
				r.Header.Set("Authorization", authorization)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				return whole(w)
			}
			unknown := at(noJob, own)
			malformed := at(badJob, own)
			if !strings.Contains(unknown, "ob not found") || !strings.Contains(malformed, "Invalid job ID format") {
				t.Errorf("%v: unknown: %s; malformed: %s", route, unknown, malformed)
			}
			if got := at(badJob, foreign); got != malformed {
				t.Errorf("%v, malformed, with another key: %s, want %s", route, got, malformed)
			}
			for other, id := range ids {
				if got := at(id, foreign); got != unknown {
					t.Errorf("%v, foreign %s: %s, want what an unknown one gets: %s", route, other, got, unknown)
				}
				if got := at(strings.ToUpper(id), foreign); got != unknown {
					t.Errorf("%v, foreign %s in upper case: %s", route, other, got)
				}
				if other == kind {
					continue
				}
				if got := at(id, own); got != unknown {
					t.Errorf("%v, own %s: %s, want %s", route, other, got, unknown)
				}
			}
			if got := at(ids[kind], own); got == unknown || got == malformed || strings.HasPrefix(got, "4") && !strings.HasPrefix(got, "409") {
				t.Errorf("%v, own: %s", route, got)
			}
		}
		if n < 15 {
			t.Errorf("only %d routes have an id", n)
		}
		lists := slices.DeleteFunc(everyRoute(), func(r [2]string) bool { return r[0] != "GET" || strings.Contains(r[1], "{id}") })
		for _, route := range lists {
			w, body := ask(t, h, route[0], route[1], "", "Authorization", foreign)
			for kind, id := range ids {
				if w.Code != http.StatusOK || strings.Contains(body, id) {
					t.Errorf("%v shows another team's %s: %d %s", route, kind, w.Code, body)
				}
			}
		}
	})
}

// BenchmarkAccess times refused keys of each kind against unknown keys. For
// each kind it prints the ratio of the medians and the share of pairs in which
// the kind takes longer (Mann–Whitney U divided by the number of pairs). If
// they cannot be distinguished, the share is a half.
//
//	go test ./httpapi -run "^$" -bench Access -benchtime 10000x
func BenchmarkAccess(b *testing.B) {
	keys := new(account.Keys)
	create := func(life time.Duration) (string, string) {
		text, key, err := keys.Create(b.Context(), "a", "", life)
		if err != nil {
			b.Fatal(err)
		}
		return text, key.ID
	}
	expired, _ := create(1)
	revoked, id := create(0)
	if err := keys.Revoke(b.Context(), id); err != nil {
		b.Fatal(err)
	}
	unknown := "fc-" + strings.Repeat("u", 43)
	h, err := httpapi.NewHandler(new(curlew.Service), &httpapi.Options{Authenticator: httpapi.KeyAuthenticator(keys, policies)})
	if err != nil {
		b.Fatal(err)
	}
	kinds := []struct{ name, header string }{
		{"unknown", "Bearer " + unknown},
		{"again", "Bearer " + unknown}, // measures the effect of chance
		{"expired", "Bearer " + expired},
		{"revoked", "Bearer " + revoked},
		{"malformed", "Bearer fc-" + strings.Repeat("\u00e9", 21) + "u"},
		{"scheme", "Basic " + unknown},
	}
	took := make([][]time.Duration, len(kinds))
	for b.Loop() {
		for _, i := range rand.Perm(len(kinds)) {
			r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/v2/crawl/active", http.NoBody)
			r.Header.Set("Authorization", kinds[i].header)
			w := httptest.NewRecorder()
			start := time.Now()
			h.ServeHTTP(w, r)
			took[i] = append(took[i], time.Since(start))
			if w.Code != http.StatusUnauthorized {
				b.Fatalf("%s: %d %s", kinds[i].name, w.Code, w.Body)
			}
		}
	}
	for _, list := range took {
		slices.Sort(list)
	}
	base := took[0]
	for i, list := range took[1:] {
		name := kinds[i+1].name
		pairs := float64(len(list) * len(base))
		longer := 0.0
		for _, d := range list {
			below, _ := slices.BinarySearch(base, d)
			upTo, _ := slices.BinarySearch(base, d+1)
			longer += float64(below) + float64(upTo-below)/2
		}
		b.ReportMetric(float64(list[len(list)/2])/float64(base[len(base)/2]), name+"/unknown")
		b.ReportMetric(longer/pairs, name+"-longer")
	}
}

// policies returns the policy of each team.
func policies(id string) (account.Team, error) {
	return account.Team{ID: id, Policy: account.Policy{MaxConcurrency: 3}}, nil
}
