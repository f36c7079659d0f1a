// SPDX-License-Identifier: Apache-2.0

// Package warc writes requests and responses as a web archive, WARC 1.1 (ISO 28500).
// It makes the records of each [fetch.Recording]. Each record is a gzip member of its
// own, so that archives can be concatenated, and read from the start of any record.
//
//	archive := &warc.Archive{Software: "wader/1.0"}
//	_, err := out.Write(archive.Info("site.warc.gz"))
//	...
//	ctx = fetch.WithRecorder(ctx, func(_ context.Context, r *fetch.Recording) error {
//		_, err := out.Write(archive.Records(r)) // one goroutine at a time
//		return err
//	})
//
// A response is stored as it arrived, but without its transfer coding: the block has no
// Transfer-Encoding, and its Content-Length is the length of the stored body. An HTTP/2
// response gets a status line of HTTP/1.1, and WARC-Protocol names the protocol that was used.
package warc

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1" //nolint:gosec // the format's usual digest; it identifies content and protects nothing
	"encoding/base32"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/fetch"
	"example.com/curlew/internal/uuid"
	"example.com/curlew/internal/weburl"
)

// Archive writes the records of one archive. Its methods may be called by several
// goroutines at once.
type Archive struct {
	Software string // name and version of the program; empty means curlew
	Robots   string // how robots.txt was treated: obey (the default) or ignore
}

// Info returns the record that describes an archive with a file name, which may be empty. It
// is the first record of a file.
func (a *Archive) Info(name string) []byte {
	var block strings.Builder
	for _, f := range []field{
		{"software", orElse(a.Software, "curlew")},
		{"format", "WARC File Format 1.1"},
		{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{"robots", orElse(a.Robots, "obey")},
	} {
		block.WriteString(f.name + ": " + oneLine(f.value) + "\r\n")
	}
	r := record{kind: "warcinfo", id: uuid.New(), at: time.Now(), contentType: "application/warc-fields", block: []byte(block.String())}
	if name != "" {
		r.fields = append(r.fields, field{"WARC-Filename", name})
	}
	return r.encode()
}

// Records returns the records of one exchange: the response, the request, and metadata. A
// response with status 304 becomes a revisit record, which refers to the same URL.
func (a *Archive) Records(x *fetch.Recording) []byte {
	page := address(x.URL)
	answer := record{kind: "response", id: uuid.New(), at: x.Sent, contentType: "application/http;msgtype=response", fields: []field{{"WARC-Target-URI", page}}}
	if x.IP != "" {
		answer.fields = append(answer.fields, field{"WARC-IP-Address", x.IP})
	}
	if strings.HasPrefix(x.Proto, "HTTP/2") {
		answer.fields = append(answer.fields, field{"WARC-Protocol", "h2"})
	}
	if x.Status == http.StatusNotModified {
		answer.kind = "revisit"
		answer.fields = append(answer.fields, field{"WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified"}, field{"WARC-Refers-To-Target-URI", page})
	} else {
		answer.fields = append(answer.fields, field{"WARC-Payload-Digest", digest(x.Body)})
	}
	if x.Cut != "" {
		answer.fields = append(answer.fields, field{"WARC-Truncated", x.Cut})
	}
	answer.block = append(head(fmt.Sprintf("HTTP/1.1 %d %s", x.Status, http.StatusText(x.Status)), received(x)), x.Body...)
	answer.fields = append(answer.fields, field{"WARC-Block-Digest", digest(answer.block)})

	target, host := "/", ""
	if u, err := weburl.Parse(x.URL); err == nil { // it was requested, so it is a URL
		target, host = u.HTTP().RequestURI(), u.HostPort()
	}
	sent := x.Header.Clone()
	if sent == nil {
		sent = http.Header{}
	}
	sent.Set("Host", host)
	question := record{kind: "request", id: uuid.New(), at: x.Sent, contentType: "application/http;msgtype=request", block: head("GET "+target+" HTTP/1.1", sent)}
	question.fields = []field{{"WARC-Target-URI", page}, {"WARC-Concurrent-To", urn(answer.id)}, {"WARC-Block-Digest", digest(question.block)}}

	about := record{kind: "metadata", id: uuid.New(), at: x.Sent, contentType: "application/warc-fields", fields: []field{{"WARC-Target-URI", page}, {"WARC-Concurrent-To", urn(answer.id)}}}
	about.block = fmt.Appendf(nil, "fetchTimeMs: %d\r\n", x.Took.Milliseconds())
	return slices.Concat(answer.encode(), question.encode(), about.encode())
}

// received returns the header of the stored response.
func received(x *fetch.Recording) http.Header {
	h := x.Received.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Del("Transfer-Encoding")
	if h.Get("Content-Length") != "" || len(x.Body) > 0 {
		h.Set("Content-Length", strconv.Itoa(len(x.Body)))
	}
	return h
}

// field is a named field.
type field struct{ name, value string }

// record is one record of an archive before it is encoded.
type record struct {
	kind, id    string
	at          time.Time
	contentType string
	fields      []field // in addition to those of every record
	block       []byte
}

// encode returns the record as a gzip member.
func (r *record) encode() []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	var b strings.Builder
	b.WriteString("WARC/1.1\r\n")
	for _, f := range append([]field{
		{"WARC-Type", r.kind},
		{"WARC-Record-ID", urn(r.id)},
		{"WARC-Date", r.at.UTC().Format("2006-01-02T15:04:05.000000Z")},
	}, r.fields...) {
		b.WriteString(f.name + ": " + oneLine(f.value) + "\r\n")
	}
	fmt.Fprintf(&b, "Content-Type: %s\r\nContent-Length: %d\r\n\r\n", r.contentType, len(r.block))
	// The errors are ignored, because writing to a bytes.Buffer never fails.
	_, _ = z.Write([]byte(b.String()))
	_, _ = z.Write(r.block)
	_, _ = z.Write([]byte("\r\n\r\n"))
	_ = z.Close()
	return out.Bytes()
}

// head returns a start line with a header, in the order of the names, and the blank line.
func head(line string, h http.Header) []byte {
	var b bytes.Buffer
	b.WriteString(oneLine(line) + "\r\n")
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, v := range h[name] {
			b.WriteString(oneLine(name) + ": " + oneLine(v) + "\r\n")
		}
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// oneLine replaces the characters that would end the line of a field by spaces.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' || r == 0 {
			return ' '
		}
		return r
	}, s)
}

// address returns a URL without characters that end a field.
func address(u string) string { return strings.ReplaceAll(oneLine(u), " ", "%20") }

func urn(id string) string { return "<urn:uuid:" + id + ">" }

// digest returns the SHA-1 digest of b in the notation of the fields of a record.
func digest(b []byte) string {
	sum := sha1.Sum(b) //nolint:gosec // see the import
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
