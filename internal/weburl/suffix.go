// SPDX-License-Identifier: Apache-2.0

package weburl

import (
	"compress/gzip"
	_ "embed" // the list
	"io"
	"strings"
	"sync"
)

// zippedSuffixes is the Public Suffix List of publicsuffix.org, which is available under the
// Mozilla Public License 2.0. Each line is a domain and, after it, the labels in front of
// it that make a public suffix. A label "*" stands for any label, and "!" begins an
// exception. A top-level domain is a public suffix without being listed. Each domain above
// another one has a line too.
//
// golang.org/x/net/publicsuffix has the same list, but it imports net/http, so that each
// program that parses a URL would contain an HTTP client with TLS. A test compares the
// two, and rewrites the file with -update.
//
//go:embed suffixes.txt.gz
var zippedSuffixes string

// Registrable returns the registrable domain of a host in HostKey form: the
// public suffix and one more label. For an address or a public suffix it
// returns the host itself. Private suffixes (github.io) count.
func Registrable(host string) string {
	if strings.HasPrefix(host, "[") || endsInNumber(host) || strings.HasPrefix(host, ".") || strings.HasSuffix(host, ".") || strings.Contains(host, "..") {
		return host
	}
	suffix := publicSuffix(host)
	if suffix == 0 {
		return host
	}
	return host[strings.LastIndexByte(host[:suffix-1], '.')+1:]
}

// publicSuffix returns the index in host at which its public suffix begins.
func publicSuffix(host string) int {
	at := strings.LastIndexByte(host, '.') + 1
	suffix := at
	for at > 0 {
		labels, ok := suffixLabels()[host[at:]]
		if !ok {
			break
		}
		next := strings.LastIndexByte(host[:at-1], '.') + 1
		switch listed, except := findLabel(labels, host[next:at-1]); {
		case except:
			return at
		case listed || strings.Contains(labels, " *"):
			suffix = next
		}
		at = next
	}
	return suffix
}

// suffixLines is filled by the first call of suffixLabels. A package-level initialization
// would keep the list in programs that never use it.
var suffixLines struct {
	once     sync.Once
	byDomain map[string]string
}

// suffixLabels returns the labels in the line of each domain, with a space before each.
func suffixLabels() map[string]string {
	suffixLines.once.Do(func() {
		suffixes := suffixList()
		suffixLines.byDomain = make(map[string]string, strings.Count(suffixes, "\n"))
		for line := range strings.Lines(suffixes) {
			line = strings.TrimSuffix(line, "\n")
			domain, _, _ := strings.Cut(line, " ")
			suffixLines.byDomain[domain] = line[len(domain):]
		}
	})
	return suffixLines.byDomain
}

// suffixList returns the text of the list.
func suffixList() string {
	r, err := gzip.NewReader(strings.NewReader(zippedSuffixes))
	if err == nil {
		var text []byte
		if text, err = io.ReadAll(r); err == nil {
			return string(text)
		}
	}
	panic(err) // the list is part of the program
}

// findLabel reports whether a label is among labels, and whether it is an exception.
func findLabel(labels, label string) (listed, except bool) {
	for from := 0; ; {
		i := strings.Index(labels[from:], label)
		if i < 0 {
			return false, false
		}
		start := from + i
		from = start + len(label)
		if from < len(labels) && labels[from] != ' ' {
			continue
		}
		if before := labels[:start]; strings.HasSuffix(before, " ") {
			return true, false
		} else if strings.HasSuffix(before, "!") {
			return false, true
		}
	}
}
