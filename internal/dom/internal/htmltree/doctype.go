// SPDX-License-Identifier: BSD-3-Clause
// Copyright 2010 The Go Authors. All rights reserved.
// Use of this source code is governed by the license in the file LICENSE.

package htmltree

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// parseDoctype returns the node of a doctype, whose identifiers are the
// attributes "public" and "system", and whether the document is in quirks mode.
func parseDoctype(s string) (n *html.Node, quirks bool) {
	n = &html.Node{Type: html.DoctypeNode}
	space := strings.IndexAny(s, whitespace)
	if space == -1 {
		space = len(s)
	}
	name := s[:space]
	n.Data = strings.ToLower(name)
	rest := strings.TrimLeft(s[space:], whitespace)
	sound := rest == ""
	if len(rest) >= len("PUBLIC") {
		n.Attr, sound = identifiers(rest)
	}
	return n, name != "html" || !sound || quirky(n.Attr)
}

// identifiers parses what follows the name of a doctype, and reports whether it
// is valid.
func identifiers(s string) (attrs []html.Attribute, sound bool) {
	key := strings.ToLower(s[:len("PUBLIC")])
	s = s[len("PUBLIC"):]
	for key == "public" || key == "system" {
		s = strings.TrimLeft(s, whitespace)
		if s == "" || s[0] != '"' && s[0] != '\'' {
			break
		}
		id, rest, _ := strings.Cut(s[1:], s[:1])
		attrs = append(attrs, html.Attribute{Key: key, Val: id})
		s = rest
		if key == "public" {
			key = "system"
		} else {
			key = ""
		}
	}
	return attrs, key == "" && s == ""
}

// quirky reports whether the identifiers of a doctype mean quirks mode.
func quirky(attrs []html.Attribute) bool {
	if len(attrs) == 0 {
		return false
	}
	last := attrs[len(attrs)-1]
	if last.Key == "system" && strings.EqualFold(last.Val, "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd") {
		return true
	}
	if attrs[0].Key != "public" {
		return false
	}
	public := strings.ToLower(attrs[0].Val)
	switch public {
	case "-//w3o//dtd w3 html strict 3.0//en//", "-/w3d/dtd html 4.0 transitional/en", "html":
		return true
	}
	begins := func(id string) bool { return strings.HasPrefix(public, id) }
	// These two mean quirks mode only if there is no system identifier.
	return slices.ContainsFunc(quirkyIDs, begins) || len(attrs) == 1 &&
		(begins("-//w3c//dtd html 4.01 frameset//") || begins("-//w3c//dtd html 4.01 transitional//"))
}

// quirkyIDs is a list of public doctype identifiers that cause a document
// to be interpreted in quirks mode. The identifiers should be in lower case.
var quirkyIDs = []string{
	"+//silmaril//dtd html pro v0r11 19970101//",
	"-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
	"-//as//dtd html 3.0 aswedit + extensions//",
	"-//ietf//dtd html 2.0 level 1//",
	"-//ietf//dtd html 2.0 level 2//",
	"-//ietf//dtd html 2.0 strict level 1//",
	"-//ietf//dtd html 2.0 strict level 2//",
	"-//ietf//dtd html 2.0 strict//",
	"-//ietf//dtd html 2.0//",
	"-//ietf//dtd html 2.1e//",
	"-//ietf//dtd html 3.0//",
	"-//ietf//dtd html 3.2 final//",
	"-//ietf//dtd html 3.2//",
	"-//ietf//dtd html 3//",
	"-//ietf//dtd html level 0//",
	"-//ietf//dtd html level 1//",
	"-//ietf//dtd html level 2//",
	"-//ietf//dtd html level 3//",
	"-//ietf//dtd html strict level 0//",
	"-//ietf//dtd html strict level 1//",
	"-//ietf//dtd html strict level 2//",
	"-//ietf//dtd html strict level 3//",
	"-//ietf//dtd html strict//",
	"-//ietf//dtd html//",
	"-//metrius//dtd metrius presentational//",
	"-//microsoft//dtd internet explorer 2.0 html strict//",
	"-//microsoft//dtd internet explorer 2.0 html//",
	"-//microsoft//dtd internet explorer 2.0 tables//",
	"-//microsoft//dtd internet explorer 3.0 html strict//",
	"-//microsoft//dtd internet explorer 3.0 html//",
	"-//microsoft//dtd internet explorer 3.0 tables//",
	"-//netscape comm. corp.//dtd html//",
	"-//netscape comm. corp.//dtd strict html//",
	"-//o'reilly and associates//dtd html 2.0//",
	"-//o'reilly and associates//dtd html extended 1.0//",
	"-//o'reilly and associates//dtd html extended relaxed 1.0//",
	"-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
	"-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
	"-//spyglass//dtd html 2.0 extended//",
	"-//sq//dtd html 2.0 hotmetal + extensions//",
	"-//sun microsystems corp.//dtd hotjava html//",
	"-//sun microsystems corp.//dtd hotjava strict html//",
	"-//w3c//dtd html 3 1995-03-24//",
	"-//w3c//dtd html 3.2 draft//",
	"-//w3c//dtd html 3.2 final//",
	"-//w3c//dtd html 3.2//",
	"-//w3c//dtd html 3.2s draft//",
	"-//w3c//dtd html 4.0 frameset//",
	"-//w3c//dtd html 4.0 transitional//",
	"-//w3c//dtd html experimental 19960712//",
	"-//w3c//dtd html experimental 970421//",
	"-//w3c//dtd w3 html//",
	"-//w3o//dtd w3 html 3.0//",
	"-//webtechs//dtd mozilla html 2.0//",
	"-//webtechs//dtd mozilla html//",
}
