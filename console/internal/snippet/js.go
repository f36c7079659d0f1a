// SPDX-License-Identifier: Apache-2.0

package snippet

import (
	"regexp"
	"slices"
	"strings"
)

// kind is what the programs need to know about a call.
type kind struct {
	path string

	// In Go: the type of the request, and the statements that make it, in which REQUEST
	// stands for the request.
	request any
	golang  string

	// In JavaScript: the method, the member that is its first argument (empty if the options
	// contain all members), what it prints, and the members that the client sends. If they
	// are nil, it sends all.
	method, first, print string
	sends                []string
}

// word is a name that needs no quotes in JavaScript.
var word = regexp.MustCompile(`^[A-Za-z_$][\w$]*$`)

// jsName writes the name of a member. The name __proto__ would set the prototype.
func jsName(s string) string {
	switch {
	case s == "__proto__":
		return `["__proto__"]`
	case word.MatchString(s):
		return s
	}
	return string(plain(s))
}

// script returns a module that uses the official JavaScript client, and the members that
// the client does not send.
func script(k kind, base string, body object) (text string, missing []string) {
	var args []string
	write := func(v any) {
		var b strings.Builder
		layout(&b, v, "", jsName)
		args = append(args, b.String())
	}
	options := body
	if k.first != "" {
		write(body.get(k.first))
		options = body.without(k.first)
	}
	if k.sends != nil {
		for _, m := range options {
			if !slices.Contains(k.sends, m.name) {
				missing = append(missing, m.name)
			}
		}
		options = options.without(missing...)
	}
	if k.method == "batchScrape" { // its options for pages are in a member of their own
		var pages object
		own := object{}
		for _, m := range options {
			if slices.Contains(batchMembers, m.name) {
				own = append(own, m)
			} else {
				pages = append(pages, m)
			}
		}
		if options = own; len(pages) > 0 {
			options = append(object{{"options", pages}}, own...)
		}
	}
	if len(options) > 0 {
		write(options)
	}
	return `import Firecrawl from "@mendable/firecrawl-js";

const client = new Firecrawl({ apiUrl: ` + string(plain(base)) + `, apiKey: process.env.CURLEW_API_KEY });
const result = await client.` + k.method + "(" + strings.Join(args, ", ") + `);
console.log(` + k.print + ");\n", missing
}
