// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/client"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
)

// maxFile is the largest file that the contract accepts.
const maxFile = 50 << 20

// block returns the first block of a language in the guide for operators.
func block(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile("deployment.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?m)^```" + language + "\n((?s:.*?))^```$").FindSubmatch(text)
	if m == nil {
		t.Fatalf("deployment.md has no block of %s", language)
	}
	return string(m[1])
}

// adapt replaces each pair of texts, which must be there, in a configuration.
func adapt(t *testing.T, config string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(config, pairs[i]) {
			t.Fatalf("the configuration lacks %q:\n%s", pairs[i], config)
		}
		config = strings.ReplaceAll(config, pairs[i], pairs[i+1])
	}
	return config
}

// TestProxies runs the configurations of the guide for operators in front of a server, with
// the programs that are installed: only addresses and certificates are replaced.
func TestProxies(t *testing.T) {
	for _, p := range []struct {
		program, language string
		command           func(t *testing.T, dir, config, addr, backend string) *exec.Cmd
	}{
		{"nginx", "nginx", nginx},
		{"caddy", "caddyfile", caddy},
	} {
		t.Run(p.program, func(t *testing.T) {
			config := block(t, p.language)
			if _, err := exec.LookPath(p.program); err != nil {
				t.Skip(err)
			}
			b := serve(t)
			dir, addr := t.TempDir(), free(t)
			roots := certificate(t, dir)
			cmd := p.command(t, dir, config, addr, strings.TrimPrefix(b.server.URL, "http://"))
			var output bytes.Buffer
			cmd.Stdout, cmd.Stderr = &output, &output
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := cmd.Process.Kill(); err != nil {
					t.Error(err)
				}
				_ = cmd.Wait()
				if t.Failed() {
					t.Log(output.String())
				}
			})
			_, port, _ := strings.Cut(addr, ":")
			through(t, b, "https://api.example.com:"+port, over(t, roots, addr))
		})
	}
}

// through makes the calls to which a proxy matters.
func through(t *testing.T, b *backend, base string, h *http.Client) {
	status := func(path string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := h.Do(r)
		if err != nil {
			return 0
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			if body, err := io.ReadAll(resp.Body); err != nil || len(body) == 0 {
				t.Errorf("%s: status 200 with %d bytes, %v", path, len(body), err)
			}
		}
		return resp.StatusCode
	}
	for range 200 { // until the proxy listens
		if status("/openapi.json") == http.StatusOK {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	for path, want := range map[string]int{
		"/openapi.json": 200, "/v2/team/queue-status": 401, "/livez": 404, "/readyz": 404, "/v2x": 404, "/openapi.jsonx": 404,
	} {
		if got := status(path); got != want {
			t.Errorf("GET %s: status %d, want %d", path, got, want)
		}
	}

	c := &client.Client{BaseURL: base, Key: "fc-secret", HTTP: h, Poll: time.Millisecond}
	job, err := c.StartCrawl(t.Context(), &client.Crawl{URL: "http://site.test/", Sitemap: new("skip")})
	if err != nil {
		t.Fatal(err)
	}
	if want := base + "/v2/crawl/" + job.ID; job.URL != want {
		t.Errorf("the URL of a crawl is %s, want %s", job.URL, want)
	}
	// The documents come over a WebSocket.
	n := 0
	for _, err := range c.Watch(t.Context(), client.CrawlJob, job.ID, 0) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if sockets := b.sockets.Load(); n != len(pages) || sockets != 1 {
		t.Errorf("%d documents, want %d; %d WebSockets, want 1", n, len(pages), sockets)
	}

	file := largeFile(t)
	doc, err := c.Parse(t.Context(), "large.odt", bytes.NewReader(file), nil)
	if err != nil {
		t.Fatalf("a file of %d bytes: %v", len(file), err)
	}
	if !strings.Contains(doc.Markdown, "Hello.") {
		t.Errorf("the Markdown of a file of %d bytes is %.100q", len(file), doc.Markdown)
	}
}

// largeFile returns a text document with a picture, as large as a file may be. Its text
// is at the end of the file, and is read fast.
func largeFile(t *testing.T) []byte {
	const content = `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text><text:p>Hello.</text:p></office:text></office:body></office:document-content>`
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range []struct {
		name string
		data []byte
	}{
		{"mimetype", []byte("application/vnd.oasis.opendocument.text")},
		{"Pictures/scan.png", make([]byte, maxFile-2<<10)},
		{"content.xml", []byte(content)},
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: part.name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(part.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pages is the site that is crawled.
var pages = map[string]string{
	"http://site.test/":  `<title>Site</title><p>Hello. <a href="/a">One</a> <a href="/b">two</a>`,
	"http://site.test/a": `<title>A</title><p>That is one.`,
	"http://site.test/b": `<title>B</title><p>That is two.`,
}

// site is a Fetcher of pages.
type site struct{}

func (site) Fetch(_ context.Context, r *fetch.Request) (*fetch.Response, error) {
	if body, ok := pages[r.URL]; ok {
		return &fetch.Response{URL: r.URL, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(body)}, nil
	}
	return &fetch.Response{URL: r.URL, Status: http.StatusNotFound, Header: http.Header{}}, nil
}

// backend is the server behind a proxy.
type backend struct {
	server  *httptest.Server
	sockets atomic.Int32 // WebSockets that were opened
}

// serve starts the server behind a proxy, with the settings of curlew serve --trust-proxy.
func serve(t *testing.T) *backend {
	service := &curlew.Service{Fetcher: site{}}
	handler, err := httpapi.NewHandler(service, &httpapi.Options{
		Authenticator:     httpapi.StaticKeys(map[string]account.Team{"fc-secret": {ID: "us"}}),
		TrustProxyHeaders: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", handler)
	b := &backend{}
	alive := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("/livez", alive)
	mux.Handle("/readyz", alive)
	b.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "websocket" {
			b.sockets.Add(1)
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(b.server.Close)
	t.Cleanup(func() {
		if err := service.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return b
}

// nginx adapts the configuration for nginx, and returns what runs it.
func nginx(t *testing.T, dir, config, addr, backend string) *exec.Cmd {
	server := adapt(t, config, "listen 443", "listen "+addr, "127.0.0.1:3002", backend,
		"/etc/ssl/api.example.com.pem", filepath.Join(dir, "cert.pem"), "/etc/ssl/api.example.com.key", filepath.Join(dir, "key.pem"))
	var temporary strings.Builder
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&temporary, "%s_temp_path %s/%s;\n", kind, dir, kind)
	}
	text := fmt.Sprintf("daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/log; events {}\nhttp {\naccess_log off;\n%[2]s%[3]s}\n", dir, &temporary, server)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), "nginx", "-p", dir, "-c", file, "-e", filepath.Join(dir, "log"))
}

// caddy adapts the configuration for Caddy, and returns what runs it.
func caddy(t *testing.T, dir, config, addr, backend string) *exec.Cmd {
	_, port, _ := strings.Cut(addr, ":")
	text := "{\nadmin off\nauto_https disable_redirects\n}\n" + adapt(t, config, "127.0.0.1:3002", backend,
		"api.example.com {\n", "https://api.example.com:"+port+" {\nbind 127.0.0.1\ntls "+filepath.Join(dir, "cert.pem")+" "+filepath.Join(dir, "key.pem")+"\n")
	file := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "caddy", "run", "--config", file, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	return cmd
}

// free returns an address of loopback on which nothing listens.
func free(t *testing.T) string {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// certificate writes cert.pem and key.pem of api.example.com to dir.
func certificate(t *testing.T, dir string) *x509.CertPool {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "api.example.com"}, DNSNames: []string{"api.example.com"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	for name, data := range map[string][]byte{"cert.pem": text, "key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	return roots
}

// over returns a client that finds all hosts at addr.
func over(t *testing.T, roots *x509.CertPool, addr string) *http.Client {
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots},
		ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
