// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"net/http"

	"example.com/curlew/internal/test/webtest"
)

// Server serves a handler on connections in memory. It works inside a bubble of
// testing/synctest, and must be closed before the bubble ends.
type Server struct {
	URL    string       // base URL
	Client *http.Client // reaches the server, whatever the host of a request

	net       *webtest.Net
	transport *http.Transport
}

// Serve starts a server for h. The caller must close it.
func Serve(h http.Handler) *Server {
	n := webtest.Serve(h)
	t := &http.Transport{DialContext: n.Dial, DisableCompression: true, MaxIdleConnsPerHost: 64}
	return &Server{URL: "http://oracle.test/v1", Client: &http.Client{Transport: t}, net: n, transport: t}
}

// Close ends all connections and waits until the server has finished.
func (s *Server) Close() {
	s.transport.CloseIdleConnections()
	s.net.Close()
}
