// SPDX-License-Identifier: Apache-2.0

// Package egress is a forward proxy on the loopback interface, through which a
// browser reaches the web under the network policy of [fetch.Client].
//
// A browser resolves names and connects by itself, so a check of its URLs alone
// does not hold: between the check and the connection, a name may get another
// address. Behind this proxy, each address is checked when it is dialed.
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
// limited and counted apart. [Proxy.OwnAddress] is for everything that a
// browser requests on its own behalf, such as updates: it refuses and counts
// all of it. With Chromium, start the browser with OwnAddress as
// --proxy-server, and give each browser context Address as its proxy. These
// flags close the other ways out:
//
//	--proxy-bypass-list=<-loopback>
//	--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1
//	--disable-quic
//	--webrtc-ip-handling-policy=disable_non_proxied_udp
//	--force-webrtc-ip-handling-policy
//
// # Security
//
// TLS is not intercepted. Of a request for an https page the proxy sees only
// the host and the port, of an http page the whole URL. The text of a refusal
// never says why, because it would tell a page about the network; the reason is
// in [Stats]. A page ends at its limits of time, bytes, connections and hosts:
// then its connections are cut, and no new one is made.
package egress
