// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/httpapi"
	"example.com/curlew/internal/test/memtest"
	"example.com/curlew/internal/test/zipxmltest"
)

// By default the test is short. The full test needs -admission.
var admissions = flag.Bool("admission", false, "run TestAdmission in full: 1,000 clients, 64 documents")

// admissionServer is an environment variable of the re-executed test binary. It
// contains the configuration of the server of TestAdmission.
const admissionServer = "CURLEW_ADMISSION_SERVER"

// admissionTold is the configuration of the server.
type admissionTold struct {
	Limits      curlew.Limits
	Descriptors uint64 // limit of open file descriptors; zero leaves it unchanged
}

// TestAdmissionServer is not a test by itself. It runs the server of
// TestAdmission.
func TestAdmissionServer(t *testing.T) {
	raw := os.Getenv(admissionServer)
	if raw == "" {
		return
	}
	var told admissionTold
	if err := json.Unmarshal([]byte(raw), &told); err != nil {
		t.Fatal(err)
	}
	if n := told.Descriptors; n > 0 {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			t.Fatal(err)
		}
	}
	service := &curlew.Service{Fetcher: fakeWeb{}, Limits: told.Limits}
	h, err := httpapi.NewHandler(service, &httpapi.Options{
		Authenticator: httpapi.StaticKeys(map[string]account.Team{"k": {ID: "team", Policy: account.Policy{MaxConcurrency: 64}}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.Handle("/livez", httpapi.Health(service))
	mux.Handle("/readyz", httpapi.Health(service))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	httpapi.Protect(server, service)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\nserves http://%s\n", l.Addr())
	signal.Ignore(syscall.SIGTERM)
	go func() { // exit when the parent process has ended
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		t.Fatal(err)
	}
}

// admitted starts a server with this configuration. The returned function gives
// its peak memory in bytes, or zero if that is unknown.
func admitted(t *testing.T, told admissionTold) (k *killed, peak func() int64) {
	t.Helper()
	raw, err := json.Marshal(told)
	if err != nil {
		t.Fatal(err)
	}
	k = &killed{
		t: t, server: "TestAdmissionServer", env: []string{admissionServer + "=" + string(raw)},
		client: &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Minute},
	}
	k.start()
	t.Cleanup(k.kill)
	k.serves()
	return k, func() int64 {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", k.cmd.Process.Pid))
		if err != nil {
			return 0
		}
		_, after, _ := strings.Cut(string(status), "VmHWM:")
		line, _, _ := strings.Cut(after, "kB")
		kb, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return kb << 10
	}
}

// host returns the address of a server for net.Dial.
func host(k *killed) string { return strings.TrimPrefix(k.base, "http://") }

// TestAdmission checks that a server in a process of its own stays within its
// limits.
func TestAdmission(t *testing.T) {
	t.Run("bodies", testStalledBodies)
	t.Run("sockets", testStrangers)
	t.Run("documents", testManyDocuments)
}

// testStalledBodies sends gzip bodies of 10 KB that decompress to 10 MB, and
// stalls before their end.
func testStalledBodies(t *testing.T) {
	clients := 200
	if *admissions {
		clients = 1000
	}
	k, peak := admitted(t, admissionTold{})
	var body bytes.Buffer
	w := gzip.NewWriter(&body)
	fmt.Fprintf(w, `{"url":"http://a.test/%s"}`, strings.Repeat("a", 10_000_000))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for range clients {
		conn := dial(t, host(k))
		if _, err := fmt.Fprintf(conn, "POST /v2/scrape HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer k\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", body.Len(), body.Bytes()[:body.Len()-10]); err != nil {
			t.Fatal(err)
		}
	}
	var answer struct{ Success bool }
	k.ask("GET", "/v2/team/queue-status", "", &answer)
	time.Sleep(time.Second) // let the server read them
	t.Logf("%d stalled bodies of %d bytes: peak of %d MiB", clients, body.Len(), peak()>>20)
	if !memtest.Race && peak() > 400<<20 {
		t.Errorf("peak of %d MiB, want at most 400", peak()>>20)
	}
}

// testStrangers opens more connections than the server allows, without a key,
// and sends bytes slowly. A request of another client must still be served.
func testStrangers(t *testing.T) {
	for _, descriptors := range []uint64{0, 64} {
		clients := 200
		if *admissions {
			clients = 1000
		}
		k, peak := admitted(t, admissionTold{Descriptors: descriptors})
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for i := range clients {
			conn := dial(t, host(k))
			head := []string{"POST /livez HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n", "GET / HTTP/1.1\r\nX-A: ", "POST /v2/crawl HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1000\r\n\r\n"}[i%3]
			wg.Go(func() {
				defer conn.Close()
				_, err := io.WriteString(conn, head)
				for err == nil {
					select {
					case <-stop:
						return
					case <-time.After(500 * time.Millisecond):
						_, err = io.WriteString(conn, "1")
					}
				}
			})
		}
		var slowest time.Duration
		for range 10 {
			begun := time.Now()
			var answer struct{ Success bool }
			k.ask("GET", "/v2/team/queue-status", "", &answer)
			slowest = max(slowest, time.Since(begun))
			k.client.CloseIdleConnections()
		}
		close(stop)
		wg.Wait()
		t.Logf("%d dripping sockets, %d descriptors: the slowest of 10 requests took %v, peak of %d MiB", clients, descriptors, slowest.Round(time.Millisecond), peak()>>20)
	}
}

// testManyDocuments parses many documents at once. The server stays within its
// memory limit, and each request returns the text or asks the client to retry.
func testManyDocuments(t *testing.T) {
	documents, size, limit := 12, 50_000, int64(384<<20)
	if *admissions {
		documents, size, limit = 64, 350_000, 2<<30
	}
	doc := zipxmltest.Paragraphs(size)
	k, peak := admitted(t, admissionTold{Limits: curlew.Limits{Memory: limit}})
	body := "--b\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n{\"timeout\":300000}\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.docx\"\r\n\r\n" + string(doc) + "\r\n--b--\r\n"
	var mu sync.Mutex
	statuses := map[int]int{}
	begun := time.Now()
	inParallel(documents, documents, func(int) {
		req, err := http.NewRequestWithContext(t.Context(), "POST", k.base+"/v2/parse", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Authorization", "Bearer k")
		req.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		resp, err := k.client.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		n, err := io.Copy(io.Discard, resp.Body)
		switch {
		case err != nil:
			t.Error(err)
		case resp.StatusCode == http.StatusOK && n < 1000, resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") == "":
			t.Errorf("%d, %d bytes, Retry-After %q", resp.StatusCode, n, resp.Header.Get("Retry-After"))
		}
		mu.Lock()
		defer mu.Unlock()
		statuses[resp.StatusCode]++
	})
	t.Logf("%d documents of %d bytes under a limit of %d MiB: statuses %v after %v, peak of %d MiB",
		documents, len(doc), limit>>20, statuses, time.Since(begun).Round(time.Second), peak()>>20)
	if statuses[200] == 0 || statuses[200]+statuses[503] != documents {
		t.Errorf("statuses %v", statuses)
	}
	if !memtest.Race && peak() > limit {
		t.Errorf("peak of %d MiB, want at most %d", peak()>>20, limit>>20)
	}
}
