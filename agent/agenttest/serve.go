// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"net/http"

	"example.com/curlew/internal/test/webtest"
)

// Server is a handler on connections in memory. It works inside a bubble of
// testing/synctest, where it is closed before the bubble ends.
type Server struct {
	URL    string       // its base
	Client *http.Client // reaches it, whatever the host of a request

	net       *webtest.Net
	transport *http.Transport
}

// Serve starts a server for h; the caller closes it.
func Serve(h http.Handler) *Server {
	n := webtest.Serve(h)
	t := &http.Transport{DialContext: n.Dial, DisableCompression: true, MaxIdleConnsPerHost: 64}
	return &Server{URL: "http://oracle.test/v1", Client: &http.Client{Transport: t}, net: n, transport: t}
}

// Close ends all connections and waits until the server is still.
func (s *Server) Close() {
	s.transport.CloseIdleConnections()
	s.net.Close()
}
