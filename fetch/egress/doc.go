// SPDX-License-Identifier: Apache-2.0

// Package egress is a forward proxy on the loopback interface, through which a
// browser reaches the web under the network policy of [fetch.Client].
//
// A browser resolves names and connects by itself, so checking its URLs is not
// enough: a name may resolve to another address after the check. This proxy
// checks each address when it dials it.
//
//	p, err := egress.Listen(ctx, nil)
//	if err != nil {
//		return err
//	}
//	defer p.Close()
//	page := p.Page(ctx, &egress.Rules{Timeout: time.Minute})
//	defer page.Close()
//	show(url, p.Address(), page.User, page.Password) // in a browser
//
// The proxy has two ports. [Proxy.Address] is for pages. It admits only requests
// with the credentials of an open [Page], so that the traffic of each page is
// limited and counted separately. [Proxy.OwnAddress] is for everything that a
// browser requests on its own behalf, such as updates. It refuses and counts
// these requests. With Chromium, start the browser with OwnAddress as
// --proxy-server, and give each browser context Address as its proxy. These
// flags prevent connections that bypass the proxy:
//
//	--proxy-bypass-list=<-loopback>
//	--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1    (the address of the proxy)
//	--disable-quic
//	--webrtc-ip-handling-policy=disable_non_proxied_udp
//	--force-webrtc-ip-handling-policy
//
// # Security
//
// TLS is not intercepted. The proxy sees the whole URL of a request for an http
// page, but only the host and the port of a request for an https page. A refusal
// does not tell the page its reason, because that would reveal details of the
// network. The caller finds the reason in [Stats].
//
// A page that exceeds its limit of time or bytes ends: its connections are cut,
// and new requests are refused. At the limits of requests and hosts, only the
// requests that exceed the limit are refused.
package egress
