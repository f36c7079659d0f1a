// SPDX-License-Identifier: Apache-2.0

package export

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"strings"

	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/weburl"
)

// archive writes a ZIP archive of Markdown files. Its files have no modification time, so
// that the same documents give the same bytes.
type archive struct {
	z        *zip.Writer
	manifest bytes.Buffer
	names    map[string]int // how many files have asked for the name, in lower case
}

func newArchive(w io.Writer) *archive {
	return &archive{z: zip.NewWriter(w), names: map[string]int{}}
}

// entry is a line of the manifest.
type entry struct {
	N      int    `json:"n"` // number of the document in the job
	URL    string `json:"url"`
	File   string `json:"file,omitempty"` // absent if the document has no file
	Status int    `json:"status,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	At     string `json:"fetchedAt,omitempty"`
	Depth  *int   `json:"depth,omitempty"`
	ETag   string `json:"etag,omitempty"`
	Last   string `json:"lastModified,omitempty"`
	Error  string `json:"error,omitempty"` // why there is no file
}

func (a *archive) add(r *Report, _ json.RawMessage, d *document) error {
	e := entry{N: r.Documents}
	why := ""
	switch {
	case d == nil:
		why = unreadable
	case d.Metadata.StatusCode >= firstError:
		why = failedPage
	case d.Markdown == nil:
		why = withoutMD
	case strings.TrimSpace(*d.Markdown) == "":
		why = empty
	}
	if d != nil {
		e.URL, e.Status, e.At = d.Metadata.address(), d.Metadata.StatusCode, d.Metadata.fetchedAt()
		e.Depth, e.ETag, e.Last = d.Depth, d.ETag, d.LastModified
	}
	if why != "" {
		r.LeftOut[why]++
		e.Error = "a document " + why
		if d != nil && d.Metadata.Error != "" {
			e.Error = d.Metadata.Error
		}
		return a.note(&e)
	}
	e.SHA256 = hash(*d.Markdown)
	e.File = a.name(e.URL)
	f, err := a.z.CreateHeader(&zip.FileHeader{Name: e.File, Method: zip.Deflate})
	if err != nil {
		return err
	}
	text, err := FrontMatter(&Front{URL: e.URL, Title: d.Metadata.Title, FetchedAt: e.At, Status: e.Status, Depth: e.Depth, ETag: e.ETag, LastModified: e.Last, SHA256: e.SHA256})
	if err != nil {
		return err
	}
	if _, err := io.WriteString(f, text+*d.Markdown); err != nil {
		return err
	}
	r.Written++
	return a.note(&e)
}

// name returns the name of a file for page. If another file of the archive has the name,
// as when two documents of a batch have the same URL, it adds a number.
func (a *archive) name(page string) string {
	first := FileName(page)
	name, folded := first, strings.ToLower(first)
	for a.names[strings.ToLower(name)] > 0 {
		a.names[folded]++
		name = fmt.Sprintf("%s-%d.md", strings.TrimSuffix(first, ".md"), a.names[folded])
	}
	a.names[strings.ToLower(name)] = 1
	return name
}

func (a *archive) note(e *entry) error {
	line, err := jsonenc.Encode(e)
	a.manifest.Write(line)
	a.manifest.WriteByte('\n')
	return err
}

func (a *archive) end() error {
	f, err := a.z.CreateHeader(&zip.FileHeader{Name: "manifest.jsonl", Method: zip.Deflate})
	if err != nil {
		return err
	}
	if _, err := f.Write(a.manifest.Bytes()); err != nil {
		return err
	}
	return a.z.Close()
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// Front is what the front matter of a Markdown file says about its page.
type Front struct {
	URL       string
	Title     string
	FetchedAt string // in RFC 3339, see [FetchedAt]; left out if it is empty
	Status    int    // HTTP status; left out if it is zero
	Depth     *int   // links from the start page of a crawl; nil means unknown

	// Validators of the response, as it wrote them. They are left out if they are empty.
	ETag, LastModified string

	SHA256 string // SHA-256 of the Markdown, in hexadecimal digits
}

// FrontMatter returns the YAML block before the Markdown. Strings are written as JSON,
// which is valid YAML, so that no title can end the block.
func FrontMatter(f *Front) (string, error) {
	var b strings.Builder
	number := func(name string, n int) { fmt.Fprintf(&b, "%s: %d\n", name, n) }
	var failed error
	text := func(name, s string) {
		quoted, err := jsonenc.Encode(s)
		failed = cmp.Or(failed, err)
		fmt.Fprintf(&b, "%s: %s\n", name, quoted)
	}
	b.WriteString("---\n")
	text("url", f.URL)
	text("title", f.Title)
	if f.FetchedAt != "" {
		text("fetched_at", f.FetchedAt)
	}
	if f.Status != 0 {
		number("status", f.Status)
	}
	if f.Depth != nil {
		number("depth", *f.Depth)
	}
	if f.ETag != "" {
		text("etag", f.ETag)
	}
	if f.LastModified != "" {
		text("last_modified", f.LastModified)
	}
	text("sha256", f.SHA256)
	b.WriteString("---\n\n")
	return b.String(), failed
}

// Limits of file names, in bytes.
const (
	maxName = 100 // of one segment of a path
	maxPath = 224 // of a path without hash and extension, which take up to 16 more
)

// FileName returns the path of the Markdown file for a URL: the host, a slash, the path
// of the URL, and .md. It depends only on the URL, so that a repeated crawl writes the
// same files.
//
// Characters that a file system might not accept are replaced. If anything was replaced,
// decoded or cut, if the URL has a query or a fragment, or if a part has capital letters,
// which some file systems do not distinguish from small ones, the name ends in a hash of
// the URL. So does a name that already looks as if it had such a hash, or that is the one
// of a path that ends in a slash. URLs that differ in more than http and https have
// different files, and no directory has the name of a file.
func FileName(page string) string {
	host, segments, changed := "other", page, true
	if u, err := weburl.Parse(page); err == nil {
		_, host, _ = strings.Cut(u.Origin(), "://")
		host = strings.NewReplacer(":", "_", "[", "", "]", "").Replace(host)
		segments = strings.TrimPrefix(u.Path(), "/")
		_, query := u.Query()
		changed = query || u.Fragment() != ""
	}
	if segments == "" || strings.HasSuffix(segments, "/") {
		segments += "index"
	} else if segments == "index" || strings.HasSuffix(segments, "/index") {
		changed = true
	}
	parts := []string{safeName(host)}
	changed = changed || parts[0] != host
	all := strings.Split(segments, "/")
	for i, part := range all {
		plain, err := url.PathUnescape(part)
		if err != nil {
			plain = part
		}
		safe := safeName(plain)
		if i < len(all)-1 && isFile(safe) {
			safe += "_" // otherwise a directory could have the name of a file
		}
		changed = changed || safe != part || strings.ToLower(part) != part
		parts = append(parts, safe)
	}
	// A name that looks as if it had a hash could be the name for another URL.
	changed = changed || hashed.MatchString(parts[len(parts)-1])
	name := path.Join(parts...)
	if len(name) > maxPath {
		name, changed = strings.TrimRight(name[:maxPath], "/."), true
	}
	if changed {
		name += "-" + hash(page)[:12]
	}
	return name + ".md"
}

// hashed matches a name to which FileName has added a hash.
var hashed = regexp.MustCompile(`-[0-9a-f]{12}$`)

// isFile reports whether the name could be that of the file of a page, or of such a file
// while it is being written.
func isFile(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".partial")
}

// devices are names that Windows gives to devices, with any extension.
var devices = map[string]bool{
	"con": true, "prn": true, "aux": true, "nul": true, "conin$": true, "conout$": true,
	"com0": true, "com1": true, "com2": true, "com3": true, "com4": true, "com5": true, "com6": true, "com7": true, "com8": true, "com9": true,
	"lpt0": true, "lpt1": true, "lpt2": true, "lpt3": true, "lpt4": true, "lpt5": true, "lpt6": true, "lpt7": true, "lpt8": true, "lpt9": true,
}

// safeName returns a name for one part of a path that every file system accepts.
func safeName(part string) string {
	safe := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, part)
	if len(safe) > maxName {
		safe = safe[:maxName]
	}
	if safe = strings.Trim(safe, "."); safe == "" {
		return "_"
	}
	if stem, _, _ := strings.Cut(strings.ToLower(safe), "."); devices[stem] {
		return "_" + safe
	}
	return safe
}
