// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/journal"
	"example.com/curlew/agent/openai"
	"example.com/curlew/job"
)

// By default the test is short. The published figure uses -agentkills 100.
var agentKills = flag.Int("agentkills", 3, "how often TestAgentKill kills its server")

// killModel is an environment variable of the re-executed test binary. It
// contains the URL of the model for its agents.
const killModel = "CURLEW_KILL_MODEL"

const (
	killCalls   = 8 // concurrent calls of the model
	killCredits = 2500
)

// TestAgentKillServer is not a test by itself. It runs the server that
// TestAgentKill kills.
func TestAgentKillServer(t *testing.T) {
	if dir := os.Getenv(killServer); dir != "" {
		serveKilled(t, dir, &curlew.Service{Agent: &agent.Engine{Model: &openai.Model{URL: os.Getenv(killModel)}, Calls: killCalls}})
	}
}

// killOracle is a proxy for an oracle model and the sites it knows. It counts
// requests.
type killOracle struct {
	oracle *agenttest.Oracle

	mu      sync.Mutex
	asked   map[uint64]int // guarded by mu; requests to the model, by a hash of their body
	before  int            // guarded by mu; requests left until reached is closed
	sites   bool           // guarded by mu; count requests to sites as well
	reached chan struct{}  // guarded by mu; nil if nothing waits for it
}

// tick counts a request to a site or to the model.
func (k *killOracle) tick(site bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if site && !k.sites {
		return
	}
	if k.before--; k.before == 0 && k.reached != nil {
		close(k.reached)
	}
}

// after returns a channel that is closed at the n-th request from now. It
// counts requests to the model, or all requests if sites is set.
func (k *killOracle) after(n int, sites bool) <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.before, k.sites, k.reached = n, sites, make(chan struct{})
	return k.reached
}

// forget resets the counts.
func (k *killOracle) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = map[uint64]int{}
}

// calls returns the number of calls of the model, and how many of them repeated
// an earlier request.
func (k *killOracle) calls() (all, again int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, n := range k.asked {
		all, again = all+n, again+n-1
	}
	return all, again
}

func (k *killOracle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the server was killed
	}
	h := fnv.New64a()
	h.Write(body)
	k.mu.Lock()
	k.asked[h.Sum64()]++
	k.mu.Unlock()
	k.tick(false)
	time.Sleep(rand.N(20 * time.Millisecond))
	r.Body = io.NopCloser(bytes.NewReader(body))
	k.oracle.ServeHTTP(w, r)
}

// killTask is a task about a site that listens on a real socket.
type killTask struct {
	agenttest.Task
	body string          // body of the request
	want json.RawMessage // data of an uninterrupted run
}

// open serves the site of a task on a socket.
func (k *killOracle) open(t *testing.T, web http.Handler, task agenttest.Task) *killTask {
	t.Helper()
	host, _, _ := strings.Cut(strings.TrimPrefix(task.Task.URLs[0], "https://"), "/")
	var base string
	local := func(s string) string { return strings.ReplaceAll(s, "https://"+host, base) }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k.tick(true)
		time.Sleep(rand.N(5 * time.Millisecond))
		r.Host = host
		answer := httptest.NewRecorder()
		web.ServeHTTP(answer, r)
		for name, values := range answer.Header() {
			w.Header().Set(name, local(values[0]))
		}
		w.WriteHeader(answer.Code)
		io.WriteString(w, local(answer.Body.String()))
	}))
	t.Cleanup(server.Close)
	base = server.URL
	urls := make([]string, len(task.Task.URLs))
	for i, u := range task.Task.URLs {
		urls[i] = local(u)
	}
	body, err := json.Marshal(map[string]any{
		"prompt": task.Task.Prompt, "urls": urls, "schema": task.Task.Schema, "strictConstrainToURLs": task.Task.Strict, "maxCredits": killCredits,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &killTask{Task: task, body: string(body)}
}

// agentSeen is what a client has seen of a run.
type agentSeen struct {
	id     string
	task   *killTask
	status struct {
		Status, StopReason, Error string
		CreditsUsed               int
		Data                      json.RawMessage
	}
	kills, calls, again int // again: calls that repeated an earlier request
}

func (s *agentSeen) done() bool { return s.status.Status != "processing" }

// begin starts a run.
func (k *killed) begin(task *killTask, o *killOracle) *agentSeen {
	k.t.Helper()
	o.forget()
	s := &agentSeen{task: task}
	k.ask("POST", "/v2/agent", task.body, &struct{ ID *string }{&s.id})
	s.status.Status = "processing"
	return s
}

// seen reads the status of a run. The credits used must never decrease.
func (k *killed) seen(s *agentSeen, o *killOracle) {
	k.t.Helper()
	before := s.status.CreditsUsed
	k.ask("GET", "/v2/agent/"+s.id, "", &s.status)
	if s.status.CreditsUsed < before || s.status.CreditsUsed > killCredits {
		k.t.Errorf("%d credits after %d", s.status.CreditsUsed, before)
	}
	s.calls, s.again = o.calls()
}

// until polls a run until it is over or reached is closed.
func (k *killed) until(s *agentSeen, o *killOracle, reached <-chan struct{}) {
	k.t.Helper()
	for !s.done() {
		select {
		case <-reached:
			return
		case <-time.After(5 * time.Millisecond):
			k.seen(s, o)
		}
	}
}

// judge compares a finished run with an uninterrupted one, and the model's
// count of calls with the journal. It returns the number of lost calls, which
// were reserved but whose answers were not stored.
func (s *agentSeen) judge(t *testing.T, store job.Store) (lost int) {
	t.Helper()
	if s.status.Status != "completed" || !bytes.Equal(s.status.Data, s.task.want) {
		t.Errorf("%s after %d kills: %s %s %s, data %s, want %s", s.task.Name, s.kills, s.status.Status, s.status.StopReason, s.status.Error, s.status.Data, s.task.want)
	}
	space, err := store.Space(t.Context(), s.id)
	if err != nil {
		t.Fatal(err)
	}
	items, err := space.Items(t.Context(), job.Event, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	var spent agent.Credits
	paid := map[string]bool{}
	for _, it := range items {
		var e journal.Event
		if err := json.Unmarshal(it.Data, &e); err != nil || it.Err != nil {
			t.Fatal(it.Err, err)
		}
		switch {
		case e.Kind == journal.EventReserved && paid[e.Call]:
			t.Errorf("%s after %d kills: %s is paid for again", s.task.Name, s.kills, e.Call)
		case e.Kind == journal.EventSpent && e.Answer == nil:
			if strings.HasPrefix(e.Call, "model:") {
				lost++
			}
		case e.Kind == journal.EventSpent:
			paid[e.Call] = true
		}
		if e.Kind == journal.EventSpent {
			spent += e.Amount
		}
	}
	if int(spent.Whole()) != s.status.CreditsUsed {
		t.Errorf("%s after %d kills: the journal says %v, the status %d", s.task.Name, s.kills, spent, s.status.CreditsUsed)
	}
	if s.again > lost || s.again > s.kills*killCalls {
		t.Errorf("%s after %d kills: %d calls were made again; %d were lost", s.task.Name, s.kills, s.again, lost)
	}
	return lost
}

// TestAgentKill kills a server at random moments while agents run, and restarts
// it. The data equal those of an uninterrupted run. No call is repeated if the
// journal contains its answer. No run exceeds its budget.
func TestAgentKill(t *testing.T) {
	t.Parallel()
	seed := cmp.Or(*seed, rand.Uint64()) // tests that run beside each other do not change the flag
	r := rand.New(rand.NewPCG(seed, 1))
	defer func() {
		if t.Failed() {
			t.Logf("-seed %d", seed)
		}
	}()
	web := agenttest.NewWeb(1)
	o := &killOracle{oracle: agenttest.NewOracle(web), asked: map[uint64]int{}}
	model := httptest.NewServer(o)
	defer model.Close()
	k := &killed{
		t: t, server: "TestAgentKillServer", env: []string{killModel + "=" + model.URL + "/v1"},
		dir: t.TempDir(), client: &http.Client{Transport: &http.Transport{}, Timeout: time.Minute},
	}
	var tasks []*killTask
	for _, task := range web.Tasks() {
		switch long := *agentKills > 10; {
		case task.Name == "details behind a listing", long && task.Name == "ten details", long && task.Name == "table with pages":
			tasks = append(tasks, o.open(t, web, task))
		}
	}
	k.start()
	defer func() { k.kill() }()
	k.serves()
	var runs []*agentSeen
	for _, task := range tasks {
		s := k.begin(task, o)
		k.until(s, o, nil)
		task.want = s.status.Data
		if items, rows := task.Score(task.want).F1(); items != 1 || rows != 1 {
			t.Fatalf("%s, undisturbed: %s %s, items %.3f, rows %.3f of %s", task.Name, s.status.Status, s.status.Error, items, rows, task.want)
		}
		t.Logf("%s: %d calls, %d credits", task.Name, s.calls, s.status.CreditsUsed)
		runs = append(runs, s)
	}
	undisturbed := len(runs)
	for kill := 0; kill < *agentKills; {
		if len(runs) == undisturbed || runs[len(runs)-1].done() {
			runs = append(runs, k.begin(tasks[(len(runs)-undisturbed)%len(tasks)], o))
		}
		s := runs[len(runs)-1]
		sites := r.IntN(2) == 0
		n := 1 + r.IntN(4)
		if sites {
			n = 1 + r.IntN(20)
		}
		if k.until(s, o, o.after(n, sites)); s.done() {
			continue
		}
		time.Sleep(time.Duration(r.IntN(int(10 * time.Millisecond))))
		for again := true; again; again = kill < *agentKills && r.IntN(8) == 0 {
			k.kill()
			kill++
			s.kills++
			k.start()
			time.Sleep(time.Duration(r.IntN(int(60 * time.Millisecond)))) // the server may not be ready yet
		}
		k.serves()
		k.seen(s, o)
	}
	last := runs[len(runs)-1]
	k.until(last, o, nil)
	k.kill()
	store, err := job.OpenFiles(k.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	calls, again, lost, most := 0, 0, 0, 0
	for _, s := range runs {
		lost += s.judge(t, store)
		calls, again, most = calls+s.calls, again+s.again, max(most, s.status.CreditsUsed)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	t.Logf("seed %d: %d kills, %d runs, %d calls of which %d again, %d lost, at most %d of %d credits", seed, *agentKills, len(runs), calls, again, lost, most, killCredits)
	k.start() // the deferred kill needs a running server
}
