// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/internal/netguard"
)

// entry is a response as a cache stores it. Its encoded form resembles HTTP:
//
//	200 1767225600000000000 5
//	http://a.test/
//	Content-Type: text/plain
//	Etag: "1"
//
//	Hello
//
// The first line holds the status, the time in nanoseconds since 1970, and the
// length of the body. The URL follows, then the header fields by name with
// their values in the order sent, an empty line, and the body. Lines end in LF.
type entry struct {
	url    string
	status int
	at     time.Time // when the site sent it, or last confirmed it
	header http.Header
	body   []byte
}

// maxEntryHead limits the part before the body: a header of at most 256 KiB,
// and the URL.
const maxEntryHead = 512 << 10

var errEntry = errors.New("damaged cache entry")

// encode returns e in its encoded form.
func (e *entry) encode() []byte {
	size := len(e.url) + len(e.body) + 64
	for name, values := range e.header {
		for _, v := range values {
			size += len(name) + len(v) + 3
		}
	}
	b := make([]byte, 0, size)
	b = fmt.Appendf(b, "%d %d %d\n%s\n", e.status, e.at.UnixNano(), len(e.body), e.url)
	for _, name := range slices.Sorted(maps.Keys(e.header)) {
		for _, v := range e.header[name] {
			if !netguard.IsToken(name) || !netguard.IsFieldValue(v) {
				continue // cannot be encoded; net/http never returns such a field
			}
			b = append(append(append(b, name...), ": "...), v...)
			b = append(b, '\n')
		}
	}
	b = append(b, '\n')
	return append(b, e.body...)
}

// decodeEntry decodes what encode has written. The body aliases b. The error
// wraps errEntry.
func decodeEntry(b []byte) (*entry, error) {
	n := bytes.Index(b[:min(len(b), maxEntryHead)], []byte("\n\n"))
	if n < 0 {
		return nil, fmt.Errorf("%w: its head does not end", errEntry)
	}
	e := &entry{header: http.Header{}, body: b[n+2 : len(b) : len(b)]}
	lines := strings.Split(string(b[:n]), "\n")
	if len(lines) < 2 || !netguard.IsFieldValue(lines[1]) || !e.first(lines[0]) {
		return nil, fmt.Errorf("%w: invalid first lines", errEntry)
	}
	e.url = lines[1]
	for _, line := range lines[2:] {
		name, value, ok := strings.Cut(line, ": ")
		if !ok || !netguard.IsToken(name) || !netguard.IsFieldValue(value) {
			return nil, fmt.Errorf("%w: invalid header field", errEntry)
		}
		e.header[name] = append(e.header[name], value)
	}
	return e, nil
}

// first parses the first line. It reports whether the line is valid and matches
// the size of the body.
func (e *entry) first(line string) bool {
	status, rest, _ := strings.Cut(line, " ")
	at, length, ok := strings.Cut(rest, " ")
	if !ok {
		return false
	}
	var errs [3]error
	var nanos int64
	var size int
	e.status, errs[0] = strconv.Atoi(status)
	nanos, errs[1] = strconv.ParseInt(at, 10, 64)
	size, errs[2] = strconv.Atoi(length)
	e.at = time.Unix(0, nanos)
	return errors.Join(errs[:]...) == nil && e.status >= 100 && e.status <= 999 && size == len(e.body)
}
