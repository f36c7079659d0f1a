// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of [Metadata.Extra].
const (
	maxExtra      = 256     // keys
	maxExtraKey   = 256     // bytes of a key
	maxExtraValue = 8 << 10 // bytes of a value
)

// Metadata is the metadata object of the HTTP contract. Build
// fills in the metadata of the page and the fields of [Input]; the caller sets
// the others. In JSON, zero fields are absent, and the members of Extra follow
// the typed ones, sorted by name.
type Metadata struct {
	// What the page says.
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Language    string `json:"language,omitempty"`
	Keywords    string `json:"keywords,omitempty"`
	Robots      string `json:"robots,omitempty"`
	Favicon     string `json:"favicon,omitempty"` // absolute

	OGTitle           string   `json:"ogTitle,omitempty"`
	OGDescription     string   `json:"ogDescription,omitempty"`
	OGURL             string   `json:"ogUrl,omitempty"`
	OGImage           string   `json:"ogImage,omitempty"` // absolute
	OGAudio           string   `json:"ogAudio,omitempty"`
	OGDeterminer      string   `json:"ogDeterminer,omitempty"`
	OGLocale          string   `json:"ogLocale,omitempty"`
	OGLocaleAlternate []string `json:"ogLocaleAlternate,omitempty"`
	OGSiteName        string   `json:"ogSiteName,omitempty"`
	OGVideo           string   `json:"ogVideo,omitempty"`

	ArticleSection string `json:"articleSection,omitempty"`
	ArticleTag     string `json:"articleTag,omitempty"`
	PublishedTime  string `json:"publishedTime,omitempty"` // as the page writes it; a guessed one as 2006-01-02
	ModifiedTime   string `json:"modifiedTime,omitempty"`  // likewise

	// Guessed names the members that Build found in the text that the page shows,
	// because nothing in the page states them for programs, or nothing credible: "author" for a byline,
	// "publishedTime" for a date near the heading, beside a label, in or after a byline, in an element
	// whose class says so, at the beginning of a report or in the URL, or for one just below the heading that is before the stated one in
	// every time zone or is also in the URL; "modifiedTime" for a date beside a label, or for one below the heading that is between the stated
	// publication and the stated change. Both also stand for a date in numbers, such as 02-03-2025, whose month other dates
	// of the page or its language show. They may be wrong.
	Guessed []string `json:"guessed,omitempty"`

	DCTermsCreated  string `json:"dcTermsCreated,omitempty"`
	DCDateCreated   string `json:"dcDateCreated,omitempty"`
	DCDate          string `json:"dcDate,omitempty"`
	DCTermsType     string `json:"dcTermsType,omitempty"`
	DCType          string `json:"dcType,omitempty"`
	DCTermsAudience string `json:"dcTermsAudience,omitempty"`
	DCTermsSubject  string `json:"dcTermsSubject,omitempty"`
	DCSubject       string `json:"dcSubject,omitempty"`
	DCDescription   string `json:"dcDescription,omitempty"`
	DCTermsKeywords string `json:"dcTermsKeywords,omitempty"`

	// What the response says.
	SourceURL   string `json:"sourceURL,omitempty"`
	URL         string `json:"url,omitempty"`
	StatusCode  int    `json:"statusCode,omitempty"`
	NumPages    int    `json:"numPages,omitempty"`   // parsed; zero is absent
	TotalPages  int    `json:"totalPages,omitempty"` // in the file; zero is absent
	ContentType string `json:"contentType,omitempty"`
	Error       string `json:"error,omitempty"`
	Timezone    string `json:"timezone,omitempty"`
	Rendered    bool   `json:"rendered,omitempty"` // a browser has shown the page
	ScrapeID    string `json:"scrapeId,omitempty"`
	ProxyUsed   string `json:"proxyUsed,omitempty"`
	CacheState  string `json:"cacheState,omitempty"`
	CachedAt    string `json:"cachedAt,omitempty"`
	CreditsUsed int    `json:"creditsUsed,omitempty"`

	ConcurrencyLimited         *bool `json:"concurrencyLimited,omitempty"`         // nil is absent
	ConcurrencyQueueDurationMs *int  `json:"concurrencyQueueDurationMs,omitempty"` // nil is absent

	// Extra is every other meta element of the page, by name as written. The member
	// "author" is also filled in from JSON-LD, microdata and bylines (see Guessed).
	// Values of one name are joined by ", ". Build keeps at most 256 keys of 256 bytes, and
	// cuts values at 8 KB. The name of a typed member, in camel case or snake
	// case, is neither read from a page nor written to JSON, because clients rely
	// on the types of those members.
	Extra map[string]string `json:"-"`
}

// typed is Metadata without its methods.
type typed Metadata

// MarshalJSON writes m as one flat object: typed members in the order of the
// struct, then Extra by key. It does not escape HTML itself. [json.Marshal] escapes
// the result, an encoder with SetEscapeHTML(false) does not.
func (m Metadata) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(typed(m)); err != nil {
		return nil, err
	}
	b.Truncate(b.Len() - len("}\n"))
	for _, key := range slices.Sorted(maps.Keys(m.Extra)) {
		if reserved(key) {
			continue
		}
		if b.Len() > len("{") {
			b.WriteByte(',')
		}
		for i, s := range []string{key, m.Extra[key]} {
			if i > 0 {
				b.WriteByte(':')
			}
			if err := e.Encode(s); err != nil {
				return nil, err
			}
			b.Truncate(b.Len() - len("\n"))
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads the output of MarshalJSON. A member that is neither typed nor
// a string is an error.
func (m *Metadata) UnmarshalJSON(data []byte) error {
	var t typed
	if err := json.Unmarshal(data, &t); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	for key, raw := range all {
		if reserved(key) {
			continue
		}
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return fmt.Errorf("metadata %q: %w", key, err)
		}
		if t.Extra == nil {
			t.Extra = map[string]string{}
		}
		t.Extra[key] = s
	}
	*m = Metadata(t)
	return nil
}

// reserved reports whether key is the name of a typed member, regardless of case
// and underscores.
func reserved(key string) bool {
	if len(key) > 64 { // all names are shorter
		return false
	}
	_, found := slices.BinarySearch(reservedKeys, fold(key))
	return found
}

// reservedKeys are the folded names of the typed members, sorted.
var reservedKeys = []string{
	"articlesection", "articletag", "cachedat", "cachestate", "concurrencylimited",
	"concurrencyqueuedurationms", "contenttype", "creditsused", "dcdate", "dcdatecreated",
	"dcdescription", "dcsubject", "dctermsaudience", "dctermscreated", "dctermskeywords",
	"dctermssubject", "dctermstype", "dctype", "description", "error", "favicon", "guessed", "keywords",
	"language", "modifiedtime", "numpages", "ogaudio", "ogdescription", "ogdeterminer", "ogimage",
	"oglocale", "oglocalealternate", "ogsitename", "ogtitle", "ogurl", "ogvideo", "proxyused",
	"publishedtime", "rendered", "robots", "scrapeid", "sourceurl", "statuscode", "timezone", "title",
	"totalpages", "url",
}

// fold makes camel case and snake case of one name equal.
func fold(key string) string {
	return strings.ToLower(strings.ReplaceAll(key, "_", ""))
}

// addExtra appends value to the value of key in Extra, within the limits.
func (m *Metadata) addExtra(key, value string) {
	if key == "" || len(key) > maxExtraKey || reserved(key) {
		return
	}
	old, known := m.Extra[key]
	switch {
	case !known && len(m.Extra) >= maxExtra, len(old) >= maxExtraValue:
		return
	case !known && m.Extra == nil:
		m.Extra = map[string]string{}
	case known:
		value = old + ", " + value
	}
	m.Extra[key] = cut(value, maxExtraValue)
}

// cut returns the longest prefix of s of at most n bytes that ends with a whole
// character.
// Its many callers would be larger if it were inlined.
//
//go:noinline
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
