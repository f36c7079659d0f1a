// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/job"
)

// By default the test is short. The long one uses -kills 1000 -pages 5000 -seed 1.
var (
	kills = flag.Int("kills", 25, "how often TestKill kills its server")
	pages = flag.Int("pages", 500, "pages of the site that TestKill crawls")
	seed  = flag.Uint64("seed", 0, "of TestKill; 0 draws one")
)

// killServer is an environment variable of the re-executed test binary. It
// contains the directory of its jobs.
const killServer = "CURLEW_KILL_SERVER"

// TestKillServer is not a test by itself. It runs the server that TestKill
// kills.
func TestKillServer(t *testing.T) {
	if dir := os.Getenv(killServer); dir != "" {
		serveKilled(t, dir, new(curlew.Service))
	}
}

// serveKilled serves service with its jobs in dir until it is killed or its
// parent process has ended.
func serveKilled(t *testing.T, dir string, service *curlew.Service) {
	t.Helper()
	files, err := job.OpenFiles(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	service.Fetcher = &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Ports: []int{-1}}
	service.Store = files
	h, err := httpapi.NewHandler(service, &httpapi.Options{
		Authenticator: httpapi.StaticKeys(map[string]account.Team{"k": {ID: killTeam, Policy: account.Policy{MaxConcurrency: killWorkers, MaxQueuedPages: curlew.Unlimited}}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\nserves http://%s\n", l.Addr())
	go func() { // exit when the parent process has ended
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() {
		<-told // like curlew serve
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), shutdownTime)
		defer cancel()
		ended <- errors.Join(service.Shutdown(ctx), server.Shutdown(ctx), files.Close())
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	os.Exit(0) // a goroutine may still read standard input
}

// shutdownTime is the time that the server gives its work to finish.
const shutdownTime = 8 * time.Second

const (
	killTeam    = "team"
	killWorkers = 8
)

// killSite is a site of n pages with known results. Page i links to pages 2i+1
// and 2i+2 and to others, most of them repeatedly. One page in nine is linked
// by a URL that redirects to it, and one links to a URL that robots.txt
// disallows.
type killSite struct {
	n    int
	seed uint64

	mu    sync.Mutex
	asked map[string]int // guarded by mu; requests by path, without robots.txt
}

func (k *killSite) url(i int) string {
	switch {
	case i == 0:
		return "/"
	case i%9 == 3:
		return fmt.Sprint("/moved/", i)
	case i%9 == 4:
		return fmt.Sprint("/closed/", i)
	}
	return fmt.Sprint("/page/", i)
}

func (k *killSite) links(i int) []int {
	r := rand.New(rand.NewPCG(k.seed, uint64(i)))
	links := []int{2*i + 1, 2*i + 2}
	for range 8 {
		links = append(links, r.IntN(k.n))
	}
	return slices.DeleteFunc(links, func(to int) bool { return to >= k.n })
}

func (k *killSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		io.WriteString(w, "User-agent: *\nDisallow: /private/\n")
		return
	}
	k.mu.Lock()
	k.asked[r.URL.Path]++
	k.mu.Unlock()
	time.Sleep(rand.N(10 * time.Millisecond))
	i, err := strconv.Atoi(path.Base(r.URL.Path))
	switch {
	case r.URL.Path == "/":
		i = 0
	case err != nil || i >= k.n:
		http.NotFound(w, r)
		return
	}
	switch path.Dir(r.URL.Path) {
	case "/moved":
		http.Redirect(w, r, fmt.Sprint("/page/", i), http.StatusFound)
		return
	case "/closed":
		http.Redirect(w, r, fmt.Sprint("/private/", i), http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	// Use letters, because pages that differ only in digits are taken for a
	// crawler trap.
	name := strings.Map(func(digit rune) rune { return digit + 'a' - '0' }, strconv.Itoa(i))
	fmt.Fprintf(w, "<title>%s</title><main><p>This is page %s of the site that is crawled while its crawler is killed.</p>", name, name)
	for _, to := range k.links(i) {
		fmt.Fprintf(w, `<p><a href="%s">page %d</a></p>`, k.url(to), to)
	}
	io.WriteString(w, "</main>")
}

// truth returns the paths that a crawl delivers, that fail, and that robots.txt
// disallows, sorted.
func (k *killSite) truth() (delivered, failed, blocked []string) {
	seen := map[int]bool{0: true}
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		if i%9 == 4 {
			failed = append(failed, k.url(i))
			blocked = append(blocked, fmt.Sprint("/private/", i))
			continue
		}
		delivered = append(delivered, k.url(i))
		for _, to := range k.links(i) {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	slices.Sort(delivered)
	slices.Sort(failed)
	slices.Sort(blocked)
	return delivered, failed, blocked
}

// repeated returns the number of requests that repeated an earlier one.
func (k *killSite) repeated() (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, times := range k.asked {
		n += times - 1
	}
	return n
}

// forget resets the counts.
func (k *killSite) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.asked)
}

// killed is a server process that is killed and restarted, with the results
// that its client has seen.
type killed struct {
	t      *testing.T
	server string   // the test function that runs it; empty means TestKillServer
	env    []string // additional environment variables
	quiet  bool     // do not print its output when it crashes
	dir    string
	client *http.Client
	base   string
	cmd    *exec.Cmd
	begun  time.Time
	stdin  io.Closer
	line   chan string
}

// start starts the server process and does not wait until it is ready.
func (k *killed) start() {
	k.t.Helper()
	server := k.server
	if server == "" {
		server = "TestKillServer"
	}
	k.cmd = exec.CommandContext(k.t.Context(), os.Args[0], "-test.run=^"+server+"$")
	k.cmd.Env = slices.Concat(os.Environ(), k.env, []string{killServer + "=" + k.dir})
	if !k.quiet {
		k.cmd.Stderr = os.Stderr
	}
	out, err := k.cmd.StdoutPipe()
	if err == nil {
		k.stdin, err = k.cmd.StdinPipe()
	}
	if err == nil {
		k.begun = time.Now()
		err = k.cmd.Start()
	}
	if err != nil {
		k.t.Fatal(err)
	}
	k.line = make(chan string, 1)
	go func() {
		defer close(k.line)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if base, ok := strings.CutPrefix(lines.Text(), "serves "); ok {
				k.line <- base
			} else if s := lines.Text(); s != "" && s != "=== RUN   "+server {
				k.t.Log("server: ", s)
			}
		}
	}()
}

// serves waits until the server is ready.
func (k *killed) serves() {
	k.t.Helper()
	base, ok := <-k.line
	if !ok {
		k.t.Fatal("the server does not start")
	}
	k.base = base
}

// kill ends the server like kill -9.
func (k *killed) kill() {
	_ = k.cmd.Process.Kill()
	for range k.line {
	}
	_ = k.cmd.Wait()
	k.stdin.Close()
	k.client.CloseIdleConnections()
}

// ask sends a request and reads its answer.
func (k *killed) ask(method, path, body string, answer any) {
	k.t.Helper()
	req, err := http.NewRequestWithContext(k.t.Context(), method, k.base+path, strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer k")
	resp, err := k.client.Do(req)
	if err != nil {
		k.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil {
		err = json.Unmarshal(raw, answer)
	}
	if err != nil || resp.StatusCode != http.StatusOK {
		k.t.Fatalf("%s %s: %d %.300s, %v", method, path, resp.StatusCode, raw, err)
	}
}

// crawlSeen is what a client has seen of a job.
type crawlSeen struct {
	id    string
	docs  []string // scrape IDs, by index
	paths []string // by index
	done  bool
}

type killStatus struct {
	Status                        string
	Completed, Total, CreditsUsed int
	Data                          []struct {
		Metadata struct{ ScrapeID, SourceURL string }
	}
}

// look reads the status and, if all is set, all documents, or otherwise the new
// ones. Documents that were seen before must be unchanged.
func (k *killed) look(s *crawlSeen, all bool) killStatus {
	k.t.Helper()
	at := len(s.docs)
	if all {
		at = 0
	}
	st := k.page(s, &at)
	if st.Completed < len(s.docs) {
		k.t.Errorf("%d pages were shown, of which %d are left", len(s.docs), st.Completed)
	}
	if st.CreditsUsed != st.Completed {
		k.t.Errorf("%d credits for %d pages", st.CreditsUsed, st.Completed)
	}
	for at < st.Completed {
		if before := at; k.page(s, &at).Completed < st.Completed || at == before {
			k.t.Fatalf("the documents end at %d of %d", at, st.Completed)
		}
	}
	s.done = st.Status != "scraping"
	return st
}

// patience returns how many kills in succession the crawl survives for certain. A job
// fails after crashes at its start: two, or five if it has begun before. On a slow machine
// the pauses between the kills are not always long enough to begin.
func (s *crawlSeen) patience() int {
	if len(s.docs) == 0 {
		return 1
	}
	return 4
}

// proceeds waits until the crawl has new documents or has ended.
func (k *killed) proceeds(s *crawlSeen) {
	k.t.Helper()
	k.look(s, false)
	for seen := len(s.docs); len(s.docs) == seen && !s.done; k.look(s, false) {
		time.Sleep(10 * time.Millisecond)
	}
}

// page reads the status and the documents from index at on, and advances at.
func (k *killed) page(s *crawlSeen, at *int) (st killStatus) {
	k.t.Helper()
	k.ask("GET", fmt.Sprintf("/v2/crawl/%s?skip=%d&limit=1000", s.id, *at), "", &st)
	for _, d := range st.Data {
		switch id := d.Metadata.ScrapeID; {
		case *at < len(s.docs) && id != s.docs[*at]:
			k.t.Errorf("document %d is another one", *at)
		case *at == len(s.docs):
			s.docs, s.paths = append(s.docs, id), append(s.paths, pathOf(d.Metadata.SourceURL))
		}
		*at++
	}
	return st
}

// pathOf returns the path of an http URL.
func pathOf(url string) string {
	_, p, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	return "/" + p
}

// judge compares a finished crawl with the known results.
func (k *killed) judge(s *crawlSeen, site *killSite) {
	k.t.Helper()
	st := k.look(s, true)
	delivered, failed, blocked := site.truth()
	if got := slices.Sorted(slices.Values(s.paths)); st.Status != "completed" || !slices.Equal(got, delivered) {
		k.t.Errorf("%s with %d pages, %d different; want %d: missing %q", st.Status, len(got), len(slices.Compact(got)), len(delivered), without(delivered, got))
	}
	if st.Total != len(delivered) {
		k.t.Errorf("total %d, want %d", st.Total, len(delivered))
	}
	var e struct {
		Errors        []struct{ URL string }
		RobotsBlocked []string
	}
	k.ask("GET", "/v2/crawl/"+s.id+"/errors", "", &e)
	var got []string
	for _, one := range e.Errors {
		got = append(got, one.URL)
	}
	for what, lists := range map[string][2][]string{"errors": {got, failed}, "robotsBlocked": {e.RobotsBlocked, blocked}} {
		for i, u := range lists[0] {
			lists[0][i] = pathOf(u)
		}
		if slices.Sort(lists[0]); !slices.Equal(lists[0], lists[1]) {
			k.t.Errorf("%s: %d, want %d: missing %q, too many %q", what, len(lists[0]), len(lists[1]), without(lists[1], lists[0]), without(lists[0], lists[1]))
		}
	}
}

// without returns the first few elements of list that are not in taken.
func without(list, taken []string) []string {
	m := map[string]bool{}
	for _, s := range list {
		m[s] = true
	}
	for _, s := range taken {
		delete(m, s)
	}
	left := slices.Sorted(maps.Keys(m))
	return left[:min(len(left), 5)]
}

// TestKill kills a server at random moments while crawls run, and restarts it.
// Delivered results remain, nothing is repeated or missing, and only requests
// that were in flight are repeated.
func TestKill(t *testing.T) {
	t.Parallel()
	seed := cmp.Or(*seed, rand.Uint64()) // tests that run beside each other do not change the flag
	r := rand.New(rand.NewPCG(seed, 0))
	defer func() {
		if t.Failed() {
			t.Logf("-seed %d", seed)
		}
	}()
	site := &killSite{n: *pages, seed: seed, asked: map[string]int{}}
	web := httptest.NewServer(site)
	defer web.Close()
	k := &killed{t: t, dir: t.TempDir(), client: &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}}
	k.start()
	defer func() { k.kill() }()

	var jobs []*crawlSeen
	var waits []time.Duration
	most := 0  // requests that may have been repeated in this crawl
	still := 0 // kills since the last crawl was seen to continue
	for kill := 0; ; {
		k.serves()
		for _, s := range jobs[max(0, len(jobs)-2):] {
			k.look(s, kill%10 == 0)
		}
		if len(jobs) > 0 {
			waits = append(waits, time.Since(k.begun))
		}
		if kill >= *kills && len(jobs) > 0 {
			break
		}
		if len(jobs) == 0 || jobs[len(jobs)-1].done {
			jobs, most, still = append(jobs, new(crawlSeen)), 0, 0
			site.forget()
			body := fmt.Sprintf(`{"url":%q,"maxConcurrency":%d}`, web.URL, killWorkers)
			k.ask("POST", "/v2/crawl", body, &struct{ ID *string }{&jobs[len(jobs)-1].id})
		}
		last := jobs[len(jobs)-1]
		if still >= last.patience() {
			k.proceeds(last)
			still = 0
		}
		time.Sleep(time.Duration(r.IntN(int(150 * time.Millisecond))))
		if seen := len(last.docs); r.IntN(2) == 0 {
			if k.look(last, false); len(last.docs) > seen {
				still = 0
			}
		}
		for again := true; again; again = kill < *kills && still < last.patience() && r.IntN(8) == 0 {
			k.kill()
			kill++
			still++
			k.start()
			time.Sleep(time.Duration(r.IntN(int(60 * time.Millisecond)))) // the server may not be ready yet
			most += killWorkers
		}
		if got := site.repeated(); got > most {
			t.Errorf("kill %d: %d requests were made twice; want at most %d", kill, got, most)
		}
	}
	for last := jobs[len(jobs)-1]; !last.done; {
		time.Sleep(10 * time.Millisecond)
		k.look(last, false)
	}
	if got := site.repeated(); got > most {
		t.Errorf("%d requests were made twice; want at most %d", got, most)
	}
	for _, s := range jobs {
		k.judge(s, site)
	}
	var queue struct{ JobsInQueue int }
	if k.ask("GET", "/v2/team/queue-status", "", &queue); queue.JobsInQueue != 0 {
		t.Errorf("%d pages are in the queue of ended crawls", queue.JobsInQueue)
	}
	slices.Sort(waits)
	t.Logf("seed %d: %d kills, %d crawls of %d pages; a status after the start: median %v, longest %v",
		seed, *kills, len(jobs), *pages, waits[len(waits)/2].Round(time.Millisecond), waits[len(waits)-1].Round(time.Millisecond))
}
