// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// expected are the names of fields without which a message looks different. Shorter
// names resemble too many others.
var expected = [...]string{"from", "date", "subject", "content-type", "content-transfer-encoding"}

// maxName is how much of a damaged name a warning shows, in characters.
const maxName = 40

// checkHead adds a warning to l if the head of e seems to be damaged: it lacks a field
// but has one with a similar name, or it breaks off before other fields.
func (l *Message) checkHead(e entity) {
	for _, want := range expected {
		has := func(f field) bool { return f.name == want }
		if slices.ContainsFunc(e.fields, has) {
			continue
		}
		for _, f := range e.fields {
			if !resembles(f.name, want) {
				continue
			}
			name := []rune(strings.ToValidUTF8(f.name, "\uFFFD"))
			l.warn("part-unreadable", "The head may be damaged: it has no field "+strconv.Quote(want)+", but one called "+strconv.Quote(string(name[:min(len(name), maxName)]))+". It was left out.")
			break
		}
	}
	if n := e.unknown(); n > 0 && e.raw("from") == "" && len(l.Warnings) == 0 {
		l.warn("part-unreadable", fmt.Sprintf("The head may be damaged: it has no field \"from\". Fields with unknown names that were left out: %d.", n))
	}
	if n := e.again(); n > 0 {
		l.warn("part-unreadable", fmt.Sprintf("Fields that a message has only once are repeated. The first ones were read; left out: %d.", n))
	}
	if e.torn > 0 {
		l.warn("part-unreadable", fmt.Sprintf("The head ends at a line that is not a field. Lines after it that may be fields are read as text: %d.", e.torn))
	}
}

// unknown counts the fields whose names are neither usual nor private.
func (e entity) unknown() (n int) {
	for _, f := range e.fields {
		prefix, _, _ := strings.Cut(f.name, "-")
		if !slices.Contains(usual[:], f.name) && !slices.Contains(usual[:], prefix+"-") {
			n++
		}
	}
	return n
}

// again counts the fields that have the name of an earlier one, of which a message has only
// one (RFC 5322 3.6), and another value.
func (e entity) again() (n int) {
	var first [len(single)]*string
	for i := range e.fields {
		f := &e.fields[i]
		switch at := slices.Index(single[:], f.name); {
		case at < 0:
		case first[at] == nil:
			first[at] = &f.value
		case *first[at] != f.value:
			n++
		}
	}
	return n
}

// single are the names of fields of which a message has one, and whose text is read.
var single = [...]string{"from", "to", "cc", "bcc", "date", "subject", "mime-version", "content-type", "content-transfer-encoding"}

// usual are names of fields that programs write, and their prefixes.
var usual = [...]string{
	"date", "sender", "to", "cc", "bcc", "subject", "received", "references", "comments", "keywords", "precedence", "importance", "priority", "sensitivity", "autocrypt",
	"organization", "status", "lines", "path", "newsgroups", "return-", "delivered-", "reply-", "message-", "in-", "mime-", "content-", "x-", "list-", "dkim-", "arc-",
	"resent-", "authentication-", "thread-", "disposition-", "auto-", "errors-", "user-", "feedback-", "domainkey-", "snapshot-",
}

// resembles reports whether name may be a damaged form of want: the same with more
// characters, with up to two others, or without one.
func resembles(name, want string) bool {
	if strings.HasPrefix(name, "x-") || strings.HasPrefix(name, "resent-") {
		return false
	}
	switch {
	case len(name) == len(want):
		different := 0
		for i := range len(name) {
			if name[i] != want[i] {
				different++
			}
		}
		return different <= 1+len(want)/8
	case len(name) < len(want):
		return len(name) == len(want)-1 && occurs(name, want)
	}
	return occurs(want, name)
}

// occurs reports whether the bytes of short occur in long in this order.
func occurs(short, long string) bool {
	at := 0
	for i := 0; i < len(long) && at < len(short); i++ {
		if long[i] == short[at] {
			at++
		}
	}
	return at == len(short)
}

// fieldsIn counts the lines up to the first empty line that begin with the name of an
// expected field.
func fieldsIn(b []byte) (n int) {
	for len(b) > 0 {
		line, rest := cutLine(b)
		if len(line) == 0 {
			break
		}
		name, _, _ := strings.Cut(string(line[:min(len(line), maxName)]), ":")
		if slices.Contains(expected[:], strings.ToLower(name)) {
			n++
		}
		b = rest
	}
	return n
}
