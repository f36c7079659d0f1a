// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
)

// protected serves like curlew serve on a loopback address.
func protected(t *testing.T, service *curlew.Service) (address string) {
	t.Helper()
	h, err := httpapi.NewHandler(service, &httpapi.Options{Authenticator: httpapi.StaticKeys(map[string]account.Team{"fc-test": {ID: "team"}})})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.Handle("/livez", httpapi.Health(service))
	mux.Handle("/readyz", httpapi.Health(service))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	httpapi.Protect(server, service)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		if err := service.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// TestProtectBodies sends endless bodies to routes that read no body. Each
// request is answered, and its connection is closed.
func TestProtectBodies(t *testing.T) {
	address := protected(t, &curlew.Service{Fetcher: fakeWeb{}})
	for _, c := range []struct {
		request string
		want    int
	}{
		{"POST /livez", 405},
		{"GET /readyz", 200},
		{"OPTIONS *", 400},
		{"POST //v2/crawl", 307},
		{"POST /v2/nothing", 404},
		{"OPTIONS /v2/crawl", 204},
		{"GET /v2/crawl/x", 401},
		{"PUT /v2/parse/upload/x", 400},
	} {
		t.Run(c.request, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, address)
			if _, err := fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n", c.request); err != nil {
				t.Fatal(err)
			}
			_ = conn.SetReadDeadline(time.Now().Add(8 * time.Second)) // less than the time allowed for bodies
			r := bufio.NewReader(conn)
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != c.want || !resp.Close {
				t.Errorf("%s, close %t; want %d", resp.Status, resp.Close, c.want)
			}
			if _, err := r.ReadByte(); err == nil || errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "timeout") {
				t.Errorf("the connection is held: %v", err)
			}
		})
	}
}

// TestProtectConnections opens more connections than allowed. Connections
// without a key are closed, and one with a key stays open.
func TestProtectConnections(t *testing.T) {
	const most = 8
	service := &curlew.Service{Fetcher: fakeWeb{}, Limits: curlew.Limits{Connections: most}}
	address := protected(t, service)
	ask := func(conn net.Conn) error {
		if _, err := fmt.Fprint(conn, "GET /v2/team/queue-status HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer fc-test\r\n\r\n"); err != nil {
			return err
		}
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = errors.New(resp.Status)
		}
		return err
	}
	member := dial(t, address)
	if err := ask(member); err != nil {
		t.Fatal(err)
	}
	var strangers []net.Conn
	for range 10 * most {
		conn := dial(t, address)
		if _, err := fmt.Fprint(conn, "GET /livez HTTP/1.1\r\nX-"); err != nil {
			t.Log(err) // it is closed already
		}
		strangers = append(strangers, conn)
	}
	if err := ask(member); err != nil {
		t.Error("strangers take a client's place:", err)
	}
	if err := ask(dial(t, address)); err != nil {
		t.Error("strangers keep a client out:", err)
	}
	open := 0
	for _, conn := range strangers {
		_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		if _, err := conn.Read(make([]byte, 1)); err != nil && strings.Contains(err.Error(), "timeout") {
			open++
		}
	}
	if open >= most {
		t.Errorf("%d strangers are connected, beside two clients", open)
	}
}

// stillWeb is a Fetcher that never answers.
type stillWeb struct{}

func (stillWeb) Fetch(ctx context.Context, _ *fetch.Request) (*fetch.Response, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// TestProtectSockets lets WebSockets use all connections. They count until they
// end.
func TestProtectSockets(t *testing.T) {
	const most = 4
	service := &curlew.Service{Fetcher: stillWeb{}, Limits: curlew.Limits{Connections: most}}
	address := protected(t, service)
	exchange := func(request string) (net.Conn, int, string) {
		conn := dial(t, address)
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		if _, err := fmt.Fprint(conn, request); err != nil {
			return conn, 0, ""
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return conn, 0, ""
		}
		body := ""
		if resp.StatusCode != http.StatusSwitchingProtocols {
			b, _ := io.ReadAll(resp.Body)
			body = string(b)
		}
		resp.Body.Close()
		return conn, resp.StatusCode, body
	}
	const crawl = `{"url":"http://a.test/"}`
	conn, status, answer := exchange(fmt.Sprintf("POST /v2/crawl HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer fc-test\r\n"+
		"Content-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(crawl), crawl))
	conn.Close()
	_, after, _ := strings.Cut(answer, `"id":"`)
	id, _, _ := strings.Cut(after, `"`)
	if status != http.StatusOK || id == "" {
		t.Fatal(status, answer)
	}
	watch := "GET /v2/crawl/" + id + " HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer fc-test\r\nConnection: Upgrade\r\n" +
		"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	socket := func(what string) net.Conn {
		for begun := time.Now(); time.Since(begun) < 30*time.Second; time.Sleep(20 * time.Millisecond) {
			conn, status, _ := exchange(watch)
			if status == http.StatusSwitchingProtocols {
				return conn
			}
			conn.Close()
		}
		t.Fatal(what)
		return nil
	}
	var last net.Conn
	for range most {
		last = socket("a socket finds no place") // after the connection above is closed
	}
	if _, status, _ := exchange(watch); status != 0 {
		t.Errorf("one more than there may be: %d", status)
	}
	last.Close()
	socket("the place of a socket that has ended stays taken")
}
