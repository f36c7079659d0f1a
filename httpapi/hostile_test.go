// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/evil"
	"example.com/curlew/internal/test/golden"
)

// By default the test is short. The long one uses -docs 10000.
var docs = flag.Int("docs", 300, "number of mutated documents in TestHostile")

// mutated returns a document with parts removed, duplicated, moved or changed.
func mutated(r *rand.Rand, doc []byte) []byte {
	doc = bytes.Clone(doc)
	for range 1 + r.IntN(8) {
		if len(doc) < 2 {
			break
		}
		at := r.IntN(len(doc))
		end := at + r.IntN(min(len(doc)-at, 512))
		switch r.IntN(6) {
		case 0:
			doc[at] ^= 1 << r.IntN(8)
		case 1:
			doc = doc[:at] // truncated
		case 2:
			doc = append(doc[:at:at], doc[end:]...) // removed part
		case 3:
			doc = append(doc[:end:end], doc[at:]...) // duplicated part
		case 4:
			for i := at; i < end; i++ {
				doc[i] = byte(r.Uint32())
			}
		case 5: // larger numbers
			for i := at; i < end; i++ {
				if doc[i] >= '0' && doc[i] <= '9' {
					doc[i] = '9'
				}
			}
		}
	}
	return doc
}

// TestHostile parses mutated documents, eight at a time. No answer may be a
// server error.
func TestHostile(t *testing.T) {
	names, err := filepath.Glob(golden.Testdata("parse/*"))
	if err != nil {
		t.Fatal(err)
	}
	var seeds [][]byte
	var kinds []string
	for _, name := range names {
		if strings.HasSuffix(name, ".tree.html") {
			continue
		}
		doc, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(doc) > 1<<20 {
			continue
		}
		seeds, kinds = append(seeds, doc), append(kinds, filepath.Base(name))
	}
	if len(seeds) < 10 {
		t.Fatalf("%d documents to begin with", len(seeds))
	}
	var logged safeBuffer
	logger := slog.New(slog.NewTextHandler(&logged, nil))
	service := &curlew.Service{Fetcher: fakeWeb{}, Logger: logger}
	h, err := httpapi.NewHandler(service, &httpapi.Options{InsecureNoAuth: true, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	first := *seed
	if first == 0 {
		first = 1 // a default run uses the same documents each time
	}
	var mu sync.Mutex
	statuses := map[int]int{}
	inParallel(8, *docs, func(i int) {
		r := rand.New(rand.NewPCG(first, uint64(i)))
		of := r.IntN(len(seeds))
		body := "--curlew-b\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n{\"formats\":[\"markdown\",\"html\",\"links\"],\"timeout\":30000}\r\n" +
			"--curlew-b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + kinds[of] + "\"\r\n\r\n" +
			string(mutated(r, seeds[of])) + "\r\n--curlew-b--\r\n"
		w, answer := ask(t, h, "POST", "/v2/parse", body, "Content-Type", "multipart/form-data; boundary=curlew-b")
		mu.Lock()
		defer mu.Unlock()
		statuses[w.Code]++
		if w.Code >= 500 || !json.Valid([]byte(answer)) {
			t.Errorf("-seed %d, document %d of %s: %d %.300s", first, i, kinds[of], w.Code, answer)
		}
	})
	if s := logged.String(); s != "" {
		t.Errorf("logged: %.2000s", s)
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	t.Logf("%d documents: statuses %v, heap %d KiB, peak %s", *docs, statuses, heap()>>10, peak())
}

// TestHostileServers scrapes all servers of package evil through the handler.
// Each answer says what is wrong with the site, and none is an error of this
// server.
func TestHostileServers(t *testing.T) {
	log.SetOutput(io.Discard) // net/http logs protocol errors
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	client := &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Ports: []int{-1}, MaxBytes: evil.MaxBytes}
	defer client.CloseIdleConnections()
	var logged safeBuffer
	logger := slog.New(slog.NewTextHandler(&logged, nil))
	service := &curlew.Service{Fetcher: client, Logger: logger}
	h, err := httpapi.NewHandler(service, &httpapi.Options{Logger: logger, Authenticator: httpapi.StaticKeys(map[string]account.Team{
		"fc-test": {ID: "team", Policy: account.Policy{MaxConcurrency: 64}},
	})})
	if err != nil {
		t.Fatal(err)
	}
	cases := evil.Cases()
	var mu sync.Mutex
	codes := map[string]int{}
	inParallel(64, len(cases), func(i int) {
		s, err := evil.Start(t.Context(), cases[i])
		if err != nil {
			t.Error(err)
			return
		}
		defer s.Close()
		w, answer := ask(t, h, "POST", "/v2/scrape", fmt.Sprintf(`{"url":%q,"timeout":1000,"skipTlsVerification":%t}`, s.URL, cases[i].Insecure))
		var a struct {
			Success bool
			Code    string
		}
		if err := json.Unmarshal([]byte(answer), &a); err != nil || !a.Success && a.Code == "UNKNOWN_ERROR" || w.Code == http.StatusBadRequest {
			t.Errorf("%s: %d %.300s, %v", cases[i].Name, w.Code, answer, err)
		}
		mu.Lock()
		defer mu.Unlock()
		codes[a.Code]++
	})
	for line := range strings.Lines(logged.String()) {
		if !strings.Contains(line, "work over a document goes on after its end") { // on a busy machine this can happen with any document
			t.Errorf("logged: %.2000s", line)
		}
	}
	if err := service.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	t.Logf("%d servers: %v, heap %d KiB, peak %s", len(cases), codes, heap()>>10, peak())
}

// inParallel calls f with the numbers below n, several at the same time.
func inParallel(atOnce, n int, f func(int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range atOnce {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// peak returns the peak memory of the process, which is known only on Linux.
func peak() string {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "unknown"
}

// safeBuffer is a buffer for several goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer // guarded by mu
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
