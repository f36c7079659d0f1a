// SPDX-License-Identifier: Apache-2.0

package recrawl

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"example.com/curlew/crawl"
	"example.com/curlew/internal/jsonenc"
)

// record is what a crawl stores about a delivered page for a later comparison.
// In the job's item it follows the document and a zero byte, which JSON cannot
// contain.
type record struct {
	Asked       string `json:"a"`
	URL         string `json:"u,omitempty"` // after redirects; empty if it is the same
	Depth       int    `json:"d,omitempty"`
	Status      int    `json:"s"`
	ContentType string `json:"t,omitempty"`
	ETag        string `json:"e,omitempty"`
	Modified    string `json:"m,omitempty"`
	Sum         []byte `json:"h"`           // SHA-256 of the body
	Change      string `json:"c,omitempty"` // change since the earlier crawl
	Half        bool   `json:"n,omitempty"` // the server said that the page was not modified

	// Each link is stored as the length of the prefix that it shares with the
	// previous link, a space, and the rest. Nil means that the links were not
	// read.
	Links []string `json:"l,omitzero"`
}

// maxKeptLinks limits the stored links of one page, in bytes. A page with more
// links is requested in full the next time.
const maxKeptLinks = 256 << 10

// maxValidator limits an ETag and a Last-Modified, in bytes.
const maxValidator = 512

// Keep appends the record of a page to its document.
func Keep(payload []byte, p *crawl.Page) ([]byte, error) {
	k := record{
		Asked: cmp.Or(p.Asked, p.URL), Depth: p.Depth, Status: p.Status, ContentType: p.Header.Get("Content-Type"),
		ETag: validator(p.Header.Get("ETag")), Modified: validator(p.Header.Get("Last-Modified")),
		Sum: sumOf(p), Change: p.Change.String(), Half: p.Unmodified, Links: foldLinks(p.Links),
	}
	if p.Unmodified {
		k.ETag, k.Modified = p.Known.ETag, p.Known.Modified
	}
	if p.URL != k.Asked {
		k.URL = p.URL
	}
	if p.Truncated {
		k.ETag, k.Modified = "", "" // so that the next crawl requests it in full
	}
	data, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	return append(append(payload, 0), data...), nil
}

// sumOf returns the SHA-256 of a page's body.
func sumOf(p *crawl.Page) []byte {
	if p.Unmodified {
		return p.Known.Sum[:]
	}
	sum := sha256.Sum256(p.Body)
	return sum[:]
}

func validator(s string) string {
	if len(s) > maxValidator {
		return ""
	}
	return s
}

// Document returns the document in stored data, without its record.
func Document(data []byte) json.RawMessage {
	doc, _ := split(data)
	return doc
}

// Described returns the document in stored data, with members from its record before its
// own: depth, and etag and lastModified if the response had them. Without a record, it
// returns the document.
func Described(data []byte) json.RawMessage {
	doc, kept := split(data)
	var k struct { // without the links, which are many
		Depth    int    `json:"d"`
		ETag     string `json:"e"`
		Modified string `json:"m"`
	}
	members, isObject := bytes.CutPrefix(doc, []byte("{"))
	if !isObject || kept == nil || json.Unmarshal(kept, &k) != nil {
		return doc
	}
	head, err := jsonenc.Encode(struct {
		Depth        int    `json:"depth"`
		ETag         string `json:"etag,omitempty"`
		LastModified string `json:"lastModified,omitempty"`
	}{k.Depth, k.ETag, k.Modified})
	if err != nil {
		return doc
	}
	head = bytes.TrimSuffix(head, []byte("}"))
	if !bytes.HasPrefix(members, []byte("}")) {
		head = append(head, ',')
	}
	return append(head, members...)
}

// split divides stored data into the document and the record.
func split(data []byte) (doc json.RawMessage, kept []byte) {
	doc, kept, _ = bytes.Cut(data, []byte{0})
	return doc, kept
}

// foldLinks encodes links for [record]. If they were not read or are too many,
// it returns nil.
func foldLinks(links []crawl.Link) []string {
	if links == nil {
		return nil
	}
	folded, last, size := make([]string, 0, len(links)), "", 0
	for i := range links {
		url := links[i].URL
		n := 0
		for n < len(url) && n < len(last) && url[n] == last[n] {
			n++
		}
		text := strconv.Itoa(n) + " " + url[n:]
		if size += len(text); size > maxKeptLinks {
			return nil
		}
		folded, last = append(folded, text), url
	}
	return folded
}

// unfoldLinks decodes the output of foldLinks. If it is damaged, it returns
// nil.
func unfoldLinks(folded []string) []string {
	if folded == nil {
		return nil
	}
	links, last := make([]string, 0, len(folded)), ""
	for _, text := range folded {
		count, rest, _ := strings.Cut(text, " ")
		n, err := strconv.Atoi(count)
		if err != nil || n < 0 || n > len(last) {
			return nil // damaged: the page is requested in full
		}
		last = last[:n] + rest
		links = append(links, last)
	}
	return links
}

// stamp returns a document with members of its metadata set. Members that are nil are
// removed.
func stamp(doc []byte, set map[string]any) ([]byte, error) {
	var all struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	var members map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(doc, &members), json.Unmarshal(doc, &all)); err != nil {
		return nil, fmt.Errorf("earlier document: %w", err)
	}
	if all.Metadata == nil {
		all.Metadata = map[string]json.RawMessage{}
	}
	for name, v := range set {
		delete(all.Metadata, name)
		if v == nil {
			continue
		}
		raw, err := jsonenc.Encode(v)
		if err != nil {
			return nil, err
		}
		all.Metadata[name] = raw
	}
	var err error
	if members["metadata"], err = jsonenc.Encode(all.Metadata); err != nil {
		return nil, err
	}
	return jsonenc.Encode(members)
}
