// SPDX-License-Identifier: Apache-2.0

// Package httpapi serves the v2 web-data contract. Its [Handler] answers requests for
// scrapes, documents, maps and searches, and for jobs such as crawls and agents, by calling
// a [curlew.Service].
//
//	h, err := httpapi.NewHandler(new(curlew.Service), &httpapi.Options{
//		Authenticator: httpapi.StaticKeys(map[string]account.Team{key: {ID: "me"}}),
//	})
//	...
//	mux.Handle("/v2/", h)
//
// The package knows routes, keys, rates, the JSON of requests and answers, and the status
// of an error. The Service decides what a team may do and what it costs. A program in Go
// can do all of this without this package.
//
// # Security
//
// The key is checked before a byte of the body is read. The ID of another team's job is
// answered like an unknown ID. Bodies must arrive at a minimum rate, and the Limits of the
// Service bound their memory. [Protect] sets bounds on an http.Server.
package httpapi
