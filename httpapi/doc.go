// SPDX-License-Identifier: Apache-2.0

// Package httpapi serves the v2 web-data contract over a [curlew.Service]: HTTP ->
// crawls, scrapes, parses, maps, agents.
//
//	h, err := httpapi.NewHandler(new(curlew.Service), &httpapi.Options{
//		Authenticator: httpapi.StaticKeys(map[string]account.Team{key: {ID: "me"}}),
//	})
//	...
//	mux.Handle("/v2/", h)
//
// It knows routes, keys, rates, the JSON of requests and answers, and which
// status an error has. What is done, for whom and at what price is the Service's,
// and a program in Go can ask for all of it without this package.
//
// # Security
//
// A key is asked for before a byte of a body is read. Another team's id answers
// like one that never was. Bodies have to come at a pace, and their memory is
// shared out by the Service's Limits. [Protect] gives a host's http.Server bounds
// of its own.
package httpapi
