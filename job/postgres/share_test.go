// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/curlew/crawl"
	"example.com/curlew/crawl/pace"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/service/sharing"
	"example.com/curlew/job"
	"example.com/curlew/job/postgres"
	"example.com/curlew/job/postgres/pgtest"
)

var (
	runs    = flag.Int("runs", 3, "how many random crawls TestPostgres/share_limits makes")
	helpers = flag.Int("helpers", 4, "how many processes help in TestPostgres/share_limits")
)

// siteConfig is the crawl of a site whose pages processes share.
func siteConfig(url string, limit, concurrency int) crawl.Config {
	return crawl.Config{
		URL: url, Limit: limit, Concurrency: concurrency, External: true, Sitemap: crawl.SitemapSkip,
		Visit: func(_ context.Context, p *crawl.Page) error {
			p.Payload, p.Cost = []byte(p.URL), 1
			return nil
		},
	}
}

// siteWork crawls a site and shares its pages. The specification is its URL, the limit
// and the concurrency.
func siteWork(f fetch.Fetcher, hosts pace.Scheduler) job.Work {
	return func(ctx context.Context, j *job.Job, s job.Space) error {
		c, err := siteOf(j)
		if err != nil {
			return err
		}
		c.Share, c.Hosts = sharePages(s, "site"), hosts
		if c.Frontier, err = s.Frontier(ctx, c.FrontierOptions()); err != nil {
			return err
		}
		defer c.Frontier.Close() // leaves the hosts
		for _, err := range (&crawl.Engine{Fetcher: f}).Run(ctx, c) {
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// sharePages passes pages of a crawl to the processes that help with the kind.
func sharePages(s job.Space, kind string) crawl.Share {
	return sharing.Pages(func(ctx context.Context, task []byte, gap time.Duration, here func()) ([]byte, error) {
		return job.Share(ctx, s, job.Task{Kind: kind, Data: task, Gap: gap}, here)
	})
}

func siteOf(j *job.Job) (crawl.Config, error) {
	var url string
	var limit, concurrency int
	_, err := fmt.Sscan(string(j.Spec), &url, &limit, &concurrency)
	return siteConfig(url, limit, concurrency), err
}

// siteHelp does pages for other processes.
func siteHelp(f fetch.Fetcher, hosts pace.Scheduler, most int) job.Help {
	e := &crawl.Engine{Fetcher: f}
	var mu sync.Mutex
	all := map[string]*crawl.Assistant{}
	return job.Help{Kind: "site", Most: most, Grace: time.Second, Do: func(ctx context.Context, j *job.Job, task []byte) ([]byte, error) {
		mu.Lock()
		a := all[j.ID]
		if a == nil {
			c, err := siteOf(j)
			c.Hosts = hosts
			if err == nil {
				a, err = e.Assist(c)
			}
			if err != nil {
				mu.Unlock()
				return nil, err
			}
			all[j.ID] = a
		}
		mu.Unlock()
		return sharing.Do(ctx, a, task, nil)
	}}
}

// loopback is a client that reaches the site of a test.
func loopback() *fetch.Client {
	return &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Ports: []int{-1}, UserAgent: fmt.Sprint("curlew/", os.Getpid())}
}

// web is a site on several loopback addresses. It records when each URL is requested. The
// pages of the first host are a tree. Some of them link to a page of another host. The
// other hosts have a Crawl-delay.
type web struct {
	t     *testing.T
	size  int
	delay time.Duration // of the other hosts
	hosts []string      // with their ports

	mu       sync.Mutex
	inflight map[string]int       // by host
	most     map[string]int       // by host
	ended    map[string]time.Time // by host, of the last page
	closest  map[string]time.Duration
	asked    map[string]int
	now      map[string]int    // by URL
	before   map[string]string // last page, by host
	agents   map[string]bool   // that have asked the other hosts
	twice    int               // requests for a URL during another one for it
}

func newWeb(t *testing.T, size, others int, delay time.Duration) *web {
	w := &web{
		t: t, size: size, delay: delay, inflight: map[string]int{}, most: map[string]int{}, ended: map[string]time.Time{}, closest: map[string]time.Duration{},
		asked: map[string]int{}, now: map[string]int{}, agents: map[string]bool{}, before: map[string]string{},
	}
	for i := range others + 1 {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.%d:0", i+1))
		if err != nil {
			t.Fatal(err)
		}
		s := &httptest.Server{Listener: l, Config: &http.Server{Handler: w}}
		s.Start()
		t.Cleanup(s.Close)
		w.hosts = append(w.hosts, l.Addr().String())
	}
	return w
}

func (w *web) url() string { return "http://" + w.hosts[0] + "/" }

// ServeHTTP implements http.Handler.
func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	first := r.Host == w.hosts[0]
	if r.URL.Path == "/robots.txt" {
		if !first {
			fmt.Fprintf(out, "User-agent: *\nCrawl-delay: %.3f\n", w.delay.Seconds())
		}
		return
	}
	url := r.Host + r.URL.Path
	w.mu.Lock()
	w.asked[url]++
	if !first {
		w.agents[r.UserAgent()] = true
	}
	if w.now[url]++; w.now[url] > 1 {
		w.twice++
	}
	w.inflight[r.Host]++
	w.most[r.Host] = max(w.most[r.Host], w.inflight[r.Host])
	if end := w.ended[r.Host]; !end.IsZero() {
		if gap := time.Since(end); w.closest[r.Host] == 0 || gap < w.closest[r.Host] {
			w.closest[r.Host] = gap
		}
		if !first && time.Since(end) < w.delay {
			w.t.Logf("%s asks for %s %v after %s", r.UserAgent(), url, time.Since(end), w.before[r.Host])
		}
	}
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.now[url]--
		w.before[r.Host] = fmt.Sprintf("%s asked for %s (%v)", r.UserAgent(), url, r.Context().Err())
		w.inflight[r.Host]--
		w.ended[r.Host] = time.Now()
	}()
	h := fnv.New32a()
	_, _ = h.Write([]byte(url))
	wait(r.Context(), time.Duration(5+h.Sum32()%30)*time.Millisecond)
	out.Header().Set("Content-Type", "text/html")
	var i int
	_, _ = fmt.Sscanf(r.URL.Path, "/%d", &i)
	if !first {
		fmt.Fprint(out, "<p>external</p>")
		return
	}
	for next := 4*i + 1; next <= 4*i+4 && next < w.size; next++ {
		fmt.Fprintf(out, `<a href="/%d">x</a>`, next)
	}
	for k, host := range w.hosts[1:] {
		if i%8 == k {
			fmt.Fprintf(out, `<a href="http://%s/%d">x</a>`, host, i)
		}
	}
}

// pages returns the URLs of all pages.
func (w *web) pages() map[string]bool {
	all := map[string]bool{}
	for i := range w.size {
		path := fmt.Sprintf("/%d", i)
		if i == 0 {
			path = "/"
		}
		all["http://"+w.hosts[0]+path] = true
		for k, host := range w.hosts[1:] {
			if i%8 == k {
				all[fmt.Sprintf("http://%s/%d", host, i)] = true
			}
		}
	}
	return all
}

// TestShareKill lets three processes do crawls together, and kills them and the server of
// the database at random. Nothing is lost, nothing is doubled, and no host is asked
// faster than its pause.
func TestShareKill(t *testing.T) {
	t.Parallel() // it mostly waits for leases to end
	if testing.Short() {
		t.Skip("slow")
	}
	s := pgtest.Start(t, true)
	url := s.Database(t)
	if p := earlier(t, url); p != nil {
		defer p.kill()
	}
	w := newWeb(t, *pages, 3, 100*time.Millisecond)
	st := open(t, url, &postgres.Options{Lease: 3 * time.Second})
	var jobs []*job.Job
	for _, limit := range []int{100_000, *pages / 3} {
		j := &job.Job{ID: job.NewID(), Kind: "site", Owner: "team", State: job.Running, Keep: time.Hour, Spec: fmt.Append(nil, w.url(), " ", limit, " 12")}
		if limit < *pages { // a crawl of its own site, so that the other one is measured alone
			own := newWeb(t, *pages, 0, 0)
			j.Spec = fmt.Append(nil, own.url(), " ", limit, " 12")
		}
		if err := st.Create(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	if err := st.Close(); err != nil { // the workers may have the jobs
		t.Fatal(err)
	}
	processes := make([]*process, 3)
	for i := range processes {
		processes[i] = spawn(t, url)
	}
	defer func() {
		for _, p := range processes {
			p.kill()
		}
	}()
	killAtRandom(t, s, url, processes, 1500*time.Millisecond)
	st = open(t, url, nil)
	deadline := time.Now().Add(5 * time.Minute)
	for i, j := range jobs {
		awaitEnd(t, st, j, deadline)
		got, stats, counts, err := stored(t, st, j)
		if err != nil {
			t.Fatal(err)
		}
		want := len(w.pages())
		if i > 0 {
			want = *pages / 3
		}
		total := 0
		for u, n := range counts {
			total += n
			if n > 1 {
				t.Errorf("%s is stored %d times", u, n)
			}
			if i == 0 && !w.pages()[u] {
				t.Errorf("%s is not a page of the site", u)
			}
		}
		if got.State != job.Completed || len(counts) != want || total != want || stats.Cost != want || stats.Crawl.Failed > 0 {
			t.Errorf("%s is %s (%s) with %d results, %d different, %+v; want %d", j.Spec, got.State, got.Err, total, len(counts), stats, want)
		}
	}
	w.check(12)
}

// check verifies how the site was asked. The first host and URLs are only checked if there
// was one crawl, whose concurrency is not zero.
func (w *web) check(concurrency int) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	total := 0
	for _, n := range w.asked {
		total += n
	}
	w.t.Logf("%d requests for %d URLs, at most %v in flight, the shortest pauses are %v", total, len(w.asked), w.most, w.closest)
	if concurrency > 0 && w.twice > 0 {
		w.t.Errorf("%d requests for a URL were made while another one for it was in progress", w.twice)
	}
	for i, host := range w.hosts {
		switch {
		case i == 0 && concurrency > 0 && w.most[host] > concurrency:
			w.t.Errorf("%d requests to the first host were in flight, want at most %d", w.most[host], concurrency)
		case i > 0 && (w.most[host] > 1 || w.closest[host] < w.delay):
			w.t.Errorf("host %d: %d requests in flight, the shortest pause was %v, want 1 and %v", i, w.most[host], w.closest[host], w.delay)
		}
	}
}

// testShareLimits crawls sites of random sizes with random limits. Many processes help,
// and some of them leave and join again. The limit is exact.
func testShareLimits(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	site := &memory{}
	for range *helpers {
		st := open(t, url+" pool_max_conns=2", nil)
		ctx, stop := context.WithCancel(t.Context())
		var helper sync.WaitGroup
		t.Cleanup(helper.Wait)
		t.Cleanup(stop)
		helper.Go(func() {
			for ctx.Err() == nil {
				once, leave := context.WithTimeout(ctx, time.Duration(200+rand.IntN(2000))*time.Millisecond)
				if err := st.Help(once, siteHelp(site, st.Hosts(), 1+rand.IntN(4))); err != nil {
					t.Errorf("Help: %v", err)
				}
				leave()
			}
		})
	}
	st := open(t, url, &postgres.Options{Concurrency: 2})
	r := job.Runner{Store: st, Works: map[string]job.Work{"site": siteWork(site, st.Hosts())}}
	defer func() { _ = r.Shutdown(context.WithoutCancel(t.Context())) }()
	for i := range *runs + 1 {
		size, limit := 50+rand.IntN(200), 1+rand.IntN(250)
		concurrency := 1 + rand.IntN(32)
		if i == 0 { // while the processes begin to help
			size, limit, concurrency = 500, 500, 4
		}
		j, err := r.Start(t.Context(), "site", "team", fmt.Append(nil, "http://a.test/", size, "/ ", limit, " ", concurrency))
		if err != nil {
			t.Fatal(err)
		}
		for range r.Watch(t.Context(), "team", j.ID, 0) { // until it has ended
		}
		got, stats, counts, err := stored(t, st, j)
		if want := min(size, limit); err != nil || got.State != job.Completed || len(counts) != want || stats.Items[job.Result] != want || stats.Cost != want {
			t.Errorf("run %d, %d pages, limit %d, concurrency %d: %s %s, %d results, %+v, %v", i, size, limit, concurrency, got.State, got.Err, len(counts), stats, err)
		}
	}
	t.Logf("%d pages were fetched, and %d tasks were shared", site.fetched(), tasksOf(t, url))
}

// tasksOf returns how many tasks were shared in a database, or a few less, because the
// server counts late.
func tasksOf(t *testing.T, url string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), `select n_tup_ins from pg_stat_user_tables where relname = 'task'`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// memory is a fetcher of sites in memory: page i of the site /n/ links four others.
type memory struct {
	slow func() bool // whether a page takes long now; nil means never

	mu sync.Mutex
	n  int
}

func (m *memory) fetched() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n
}

// Fetch implements fetch.Fetcher.
func (m *memory) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	if strings.HasSuffix(r.URL, "robots.txt") {
		return &fetch.Response{URL: r.URL, Status: http.StatusNotFound}, nil
	}
	m.mu.Lock()
	m.n++
	m.mu.Unlock()
	wait(ctx, time.Duration(rand.IntN(16))*time.Millisecond)
	if m.slow != nil && m.slow() {
		wait(ctx, 60*time.Millisecond)
	}
	var size, i int
	_, _ = fmt.Sscanf(r.URL, "http://a.test/%d/%d", &size, &i) // the start page has no number
	var b strings.Builder
	for _, next := range slices.Compact([]int{4*i + 1, 4*i + 2, 4*i + 3, 4*i + 4, i / 2}) {
		if next > 0 && next < size {
			fmt.Fprintf(&b, "<a href=/%d/%d>x</a>", size, next)
		}
	}
	return &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(b.String())}, nil
}

// testShareCut cuts the connections of the process that holds a crawl, and of one that
// helps, again and again.
func testShareCut(t *testing.T, s *pgtest.Server) {
	url := s.Database(t)
	proxies := make([]*proxy, 2)
	stores := make([]*postgres.Store, 2)
	for i := range proxies {
		var through string
		proxies[i], through = cutting(t, url)
		stores[i] = open(t, through, &postgres.Options{Lease: 10 * time.Minute, Concurrency: 2})
	}
	j, sp := begin(t, stores[0], "site")
	j.Spec = []byte("http://a.test/400/ 350 12") // the stored one is only read by helpers
	pgtest.Exec(t, url, `update curlew.job set spec = $2 where id = $1`, j.ID, j.Spec)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	theirs := &memory{}
	ours := &memory{slow: func() bool { return theirs.fetched() < 20 }}
	all.Go(func() {
		if err := stores[1].Help(ctx, siteHelp(theirs, stores[1].Hosts(), 6)); err != nil {
			t.Errorf("Help: %v", err)
		}
	})
	all.Go(func() {
		for theirs.fetched() == 0 && ctx.Err() == nil {
			wait(ctx, 10*time.Millisecond)
		}
		watched := watch(t, url)
		for i := 0; ctx.Err() == nil; i++ {
			proxies[i%2].cutAfter(i * 97 % 9000)
			watched.moved(ctx)
			wait(ctx, 40*time.Millisecond)
		}
		for _, p := range proxies {
			p.cutAfter(-1)
		}
	})
	err := siteWork(ours, stores[0].Hosts())(t.Context(), j, sp)
	stop()
	all.Wait()
	for _, st := range stores { // connections that were cut may still be in the pool
		for n := 0; st.Ready(t.Context()) != nil; n++ {
			if n > 1000 {
				t.Fatal("the database does not answer")
			}
			wait(t.Context(), 10*time.Millisecond)
		}
	}
	if err != nil {
		t.Fatalf("crawl: %v", err)
	}
	_, stats, counts, err := stored(t, open(t, url, nil), j)
	if err != nil || len(counts) != 350 || stats.Items[job.Result] != 350 || stats.Cost != 350 || stats.Crawl.Delivered != 350 {
		t.Errorf("%d results, %+v, %v; want 350", len(counts), stats, err)
	}
	t.Logf("%d pages were fetched by the holder and %d by another process", ours.fetched(), theirs.fetched())
}

// TestShareDead kills a worker with pages in progress. They are leased again after its
// lease has ended.
func TestShareDead(t *testing.T) {
	t.Parallel() // it mostly waits for leases to end
	if testing.Short() {
		t.Skip("slow")
	}
	s := pgtest.Start(t, false)
	url := s.Database(t)
	stuck, again := make(chan string, 1000), make(chan string, 1000)
	var mu sync.Mutex
	held := map[string]bool{}
	free := make(chan struct{}) // closed when the holder may go on
	site := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(out, r)
			return
		case "/":
			for i := range 40 {
				fmt.Fprintf(out, "<a href=/%d>x</a>", i)
			}
			return
		}
		mu.Lock()
		before := held[r.URL.Path]
		if r.UserAgent() != "holder" {
			held[r.URL.Path] = true
		}
		mu.Unlock()
		switch {
		case before:
			again <- r.URL.Path
		case r.UserAgent() != "holder":
			stuck <- r.URL.Path
			<-r.Context().Done()
		default:
			select {
			case <-free:
			case <-r.Context().Done():
			}
		}
	}))
	defer site.Close()
	worker := spawn(t, url)
	defer worker.kill()
	const lease = 3 * time.Second // also that of the worker
	st := open(t, url, &postgres.Options{Lease: lease, Concurrency: 4})
	client := loopback()
	client.UserAgent = "holder"
	r := job.Runner{Store: st, Works: map[string]job.Work{"site": siteWork(client, st.Hosts())}}
	defer func() { _ = r.Shutdown(context.WithoutCancel(t.Context())) }()
	deadline := time.NewTimer(3 * time.Minute)
	defer deadline.Stop()
	for postgres.Capacity(st, "site") == 0 { // until the holder knows that there is a worker
		select {
		case <-deadline.C:
			t.Fatal("no worker helps")
		default:
			wait(t.Context(), 10*time.Millisecond)
		}
	}
	j, err := r.Start(t.Context(), "site", "team", fmt.Append(nil, site.URL, "/ 1000 8"))
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-stuck:
	case <-deadline.C:
		t.Fatal("the worker gets no page")
	}
	worker.kill()
	killed := time.Now()
	close(free)
	select {
	case path := <-again:
		t.Logf("%s was leased again %v after its worker was killed; the lease is %v", path, time.Since(killed).Round(10*time.Millisecond), lease)
	case <-deadline.C:
		t.Fatal("the pages of a dead worker are not leased again")
	}
	for range r.Watch(t.Context(), "team", j.ID, 0) { // until it has ended
	}
	if got, stats, counts, err := stored(t, st, j); err != nil || got.State != job.Completed || len(counts) != 41 || stats.Items[job.Result] != 41 || stats.Crawl.Retries > 0 {
		t.Errorf("%s with %d results, %+v, %v; want 41", got.State, len(counts), stats, err)
	}
}
