// SPDX-License-Identifier: Apache-2.0

// Package curlew serves the v2 web-data contract: HTTP -> crawls, scrapes,
// parses, maps.
//
// [Service] composes the rooms: fetch, threat, parse and format in a row make a
// [Service.Scrape]; crawl and job make crawls that run under an id. [NewHandler]
// puts the contract before it:
//
//	h, err := curlew.NewHandler(new(curlew.Service), curlew.Options{
//		Authenticator: curlew.StaticKeys(map[string]account.Team{key: {ID: "me"}}),
//	})
//	...
//	mux.Handle("/v2/", h)
//
// Who wants one engine imports that room alone: [example.com/curlew/crawl] walks
// sites, [example.com/curlew/parse] reads documents, [example.com/curlew/fetch]
// brings pages.
//
// # Security
//
// Only public addresses are dialled unless the Service's Fetcher opens others;
// no request can. A key is asked for before a byte of a body is read. Another
// team's id answers like one that never was. The host's http.Server sets
// ReadHeaderTimeout, IdleTimeout and MaxHeaderBytes.
package curlew
