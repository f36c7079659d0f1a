// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/curlew/internal/jsonenc"
	"example.com/curlew/internal/netguard"
)

// Scrape contains the options for fetching and formatting a page: scrapeOptions
// of a crawl, members of scrape and batch, and the options part of a parse.
type Scrape struct {
	Formats             []Format          `json:"formats,omitzero"`
	OnlyMainContent     *bool             `json:"onlyMainContent,omitempty"`
	OnlyCleanContent    *bool             `json:"onlyCleanContent,omitempty"`
	IncludeTags         []string          `json:"includeTags,omitzero"`
	ExcludeTags         []string          `json:"excludeTags,omitzero"`
	Headers             map[string]string `json:"headers,omitzero"`
	Timeout             *int              `json:"timeout,omitempty"` // milliseconds
	WaitFor             *int              `json:"waitFor,omitempty"` // milliseconds
	Mobile              *bool             `json:"mobile,omitempty"`
	Parsers             []Parser          `json:"parsers,omitzero"`
	Actions             []Action          `json:"actions,omitzero"`
	Location            *Location         `json:"location,omitempty"`
	Scroll              *Scroll           `json:"scroll,omitempty"` // ours
	SkipTLSVerification *bool             `json:"skipTlsVerification,omitempty"`
	RemoveBase64Images  *bool             `json:"removeBase64Images,omitempty"`
	BlockAds            *bool             `json:"blockAds,omitempty"`
	FastMode            *bool             `json:"fastMode,omitempty"`
	Proxy               *string           `json:"proxy,omitempty"`
	MaxAge              *int              `json:"maxAge,omitempty"` // milliseconds
	MinAge              *int              `json:"minAge,omitempty"` // milliseconds
	StoreInCache        *bool             `json:"storeInCache,omitempty"`
	Lockdown            *bool             `json:"lockdown,omitempty"`
	RedactPII           *Redact           `json:"redactPII,omitempty"`
	Threat              *Threat           `json:"threatProtection,omitempty"`
	Audit               *Audit            `json:"auditMetadata,omitempty"`
	Profile             *Profile          `json:"profile,omitempty"`
	Source
}

// Source says which client sent a request. Any text is accepted.
type Source struct {
	Origin      *string `json:"origin,omitempty"`
	Integration *string `json:"integration,omitempty"`
}

func (s *Source) readSource(o *object) {
	s.Origin = o.text("origin", 0, -1)
	s.Integration = o.text("integration", 0, -1)
}

// Location is the place that a page is requested from.
type Location struct {
	Country   *string  `json:"country,omitempty"` // ISO 3166-1 alpha-2 in upper case, us-generic, us-whitelist
	Languages []string `json:"languages,omitzero"`
}

// Scroll asks a browser to scroll to the end of the page, and to click buttons that load more,
// until nothing new comes.
type Scroll struct {
	MaxScrolls *int    `json:"maxScrolls,omitempty"` // 50 if missing
	Button     *string `json:"button,omitempty"`     // the selector of the button that loads more
}

// Profile names a browser profile.
type Profile struct {
	Name        string `json:"name"`
	SaveChanges *bool  `json:"saveChanges,omitempty"`
}

// Redact says how personal data is replaced. In JSON it is a boolean if only On
// is set.
type Redact struct {
	On       bool
	Mode     *string
	Entities []string
	Style    *string
}

// MarshalJSON writes a boolean or an object.
func (r Redact) MarshalJSON() ([]byte, error) {
	if r.Mode == nil && r.Entities == nil && r.Style == nil {
		return jsonenc.Encode(r.On)
	}
	return jsonenc.Encode(struct {
		Mode     *string  `json:"mode,omitempty"`
		Entities []string `json:"entities,omitzero"`
		Style    *string  `json:"replaceStyle,omitempty"`
	}{r.Mode, r.Entities, r.Style})
}

// Defaults of Scrape, in milliseconds.
const (
	ScrapeTimeout = 60_000
	ParseTimeout  = 30_000
)

// readScrape reads s from o. timeout is the default in milliseconds.
func (s *Scrape) readScrape(o *object, timeout int) {
	s.Formats = readFormats(o)
	s.OnlyMainContent = o.bool("onlyMainContent")
	s.OnlyCleanContent = o.bool("onlyCleanContent")
	s.IncludeTags = o.texts("includeTags", 100)
	s.ExcludeTags = o.texts("excludeTags", 100)
	s.Headers = readHeaders(o)
	s.Timeout = o.int("timeout", 1000, 300_000)
	s.WaitFor = o.int("waitFor", 0, 60_000)
	s.Mobile = o.bool("mobile")
	s.Parsers = readParsers(o)
	s.Actions = readActions(o)
	s.Location = readLocation(o)
	o.object("scroll", func(o *object) {
		s.Scroll = &Scroll{MaxScrolls: o.int("maxScrolls", 1, 200), Button: o.text("button", 1, 1000)}
	})
	s.SkipTLSVerification = o.bool("skipTlsVerification")
	s.RemoveBase64Images = o.bool("removeBase64Images")
	s.BlockAds = o.bool("blockAds")
	s.FastMode = o.bool("fastMode")
	s.Proxy = o.enum("proxy", "basic", "stealth", "enhanced", "auto")
	s.MaxAge = o.int("maxAge", 0, maxInt)
	s.MinAge = o.int("minAge", 0, maxInt)
	s.StoreInCache = o.bool("storeInCache")
	s.Lockdown = o.bool("lockdown")
	s.RedactPII = readRedact(o)
	s.Threat = readThreat(o)
	s.Audit = readAudit(o)
	o.object("profile", func(o *object) {
		s.Profile = &Profile{Name: o.needText("name", 1, 128), SaveChanges: o.bool("saveChanges")}
	})
	s.readSource(o)

	wait := 0
	if s.WaitFor != nil {
		wait = *s.WaitFor
	}
	if s.Timeout != nil {
		timeout = *s.Timeout
	}
	if 2*wait > timeout {
		o.custom("waitFor must not exceed half of timeout", "waitFor")
	}
	for i := range s.Actions {
		wait += s.Actions[i].wait()
	}
	if wait > 60_000 {
		o.custom("Total wait time (waitFor + wait actions) cannot exceed 60 seconds", "actions")
	}
}

func readRedact(o *object) *Redact {
	var r *Redact
	o.either("redactPII", func(v value, path []any) {
		switch {
		case o.d.is(v, "boolean"):
			r = &Redact{On: *o.d.bool(v, path)}
		case o.d.is(v, "object"):
			r = &Redact{On: true}
			o.d.object(v, path, r.read)
		default:
			o.d.fault(Fault{Code: InvalidUnion, Path: path, Message: "Invalid input: expected boolean or object, received " + v.kind()})
			o.d.impossible()
		}
	})
	return r
}

func (r *Redact) read(o *object) {
	r.Mode = o.enum("mode", "accurate", "aggressive", "fast")
	r.Entities = o.enums("entities", "PERSON", "EMAIL", "PHONE", "LOCATION", "FINANCIAL", "SECRET")
	r.Style = o.enum("replaceStyle", "tag", "mask", "remove")
	if r.Mode == nil && r.Entities == nil && r.Style == nil {
		r.Mode = new("accurate") // {} means on; the default must survive encoding
	}
}

func readLocation(o *object) *Location {
	var l *Location
	o.object("location", func(o *object) {
		o.open = true
		l = &Location{Country: o.text("country", 0, -1), Languages: o.texts("languages", 100)}
		if l.Country == nil {
			return
		}
		country := *l.Country
		if country != "us-generic" && country != "us-whitelist" {
			country = strings.ToUpper(country)
			if !isCountry(country) {
				o.custom("Invalid country code. Use a valid ISO 3166-1 alpha-2 country code.", "country")
			}
			l.Country = &country
		}
	})
	return l
}

// countries are the codes of ISO 3166-1 alpha-2.
const countries = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS " +
	"BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET " +
	"FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO " +
	"IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH " +
	"MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM " +
	"PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG " +
	"TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW"

func isCountry(code string) bool {
	return len(code) == 2 && strings.Contains(" "+countries+" ", " "+code+" ")
}

// Limits for the headers that a caller may set, in bytes altogether.
const (
	maxHeaders     = 64
	maxHeaderBytes = 8 << 10
)

// refusedHeaders are headers that control the message framing, the connection
// or proxies. Package fetch refuses the same ones, so a page could never be
// fetched with them.
var refusedHeaders = []string{
	"connection", "content-length", "expect", "forwarded", "host", "http2-settings", "keep-alive", "te", "trailer",
	"transfer-encoding", "upgrade",
}

func readHeaders(o *object) map[string]string {
	h := o.strings("headers")
	if len(h) > maxHeaders {
		o.custom(fmt.Sprintf("headers must not hold more than %d names", maxHeaders), "headers")
	}
	size := 0
	seen := make(map[string]bool, len(h))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		size += len(name) + len(h[name])
		lower := strings.ToLower(name)
		again := seen[lower]
		seen[lower] = true
		switch {
		case again: // it is not clear which of the two values applies
			o.custom("Header "+name+" is given more than once", "headers", name)
		case !netguard.IsToken(name):
			o.custom(fmt.Sprintf("Invalid header name %q", name), "headers", name)
		case slices.Contains(refusedHeaders, lower), strings.HasPrefix(lower, "proxy-"), strings.HasPrefix(lower, "x-forwarded-"):
			o.custom("Header "+name+" cannot be set", "headers", name)
		case !netguard.IsFieldValue(h[name]):
			o.custom("Invalid value of header "+name, "headers", name)
		}
	}
	if size > maxHeaderBytes {
		o.custom(fmt.Sprintf("headers must not be longer than %d bytes together", maxHeaderBytes), "headers")
	}
	return h
}

// Parser contains the options for one kind of document.
type Parser struct {
	Type         string  `json:"type"` // pdf, image
	Mode         *string `json:"mode,omitempty"`
	MaxPages     *int    `json:"maxPages,omitempty"`
	Pages        *bool   `json:"pages,omitempty"`
	Blocks       *bool   `json:"blocks,omitempty"`
	PageMarkers  *bool   `json:"pageMarkers,omitempty"`
	PageMarkdown *bool   `json:"pageMarkdown,omitempty"` // older name of Pages
	Password     *string `json:"-"`                      // opens an encrypted document; no encoding has it, so that nothing can store it
}

// maxPassword is the maximal length of a password in characters.
const maxPassword = 1024

// noPassword reports passwords in the options of a job, which would have to store
// them.
func (s *Scrape) noPassword(o *object) {
	for i, p := range s.Parsers {
		if p.Password != nil {
			o.custom("A password is not supported here: jobs store their options. Use /v2/scrape or /v2/parse", "parsers", i, "password")
		}
	}
}

var parserTypes = []string{"pdf", "image"}

func readParsers(o *object) []Parser {
	list := []Parser{}
	if !o.list("parsers", 0, 16, func(v value, path []any) {
		if !o.d.is(v, "object") {
			if s := o.d.word(v, path, parserTypes); s != nil {
				list = append(list, Parser{Type: *s})
			}
			return
		}
		o.d.object(v, path, func(o *object) {
			p := Parser{Type: o.kind(parserTypes)}
			if p.Type == "pdf" {
				p.Mode = o.enum("mode", "fast", "auto", "ocr")
				p.MaxPages = o.int("maxPages", 1, 10_000)
				p.Pages = o.bool("pages")
				p.Blocks = o.bool("blocks")
				p.PageMarkers = o.bool("pageMarkers")
				p.PageMarkdown = o.bool("pageMarkdown")
				p.Password = o.text("password", 0, maxPassword)
			}
			list = append(list, p)
		})
	}) {
		return nil
	}
	return list
}

// Audit attributes a request to a user.
type Audit struct {
	Username string `json:"username"`
}

func readAudit(o *object) *Audit {
	var a *Audit
	o.object("auditMetadata", func(o *object) {
		o.closed = true
		a = &Audit{Username: o.needText("username", 0, 1024)}
	})
	return a
}

// Threat overrides a team's threat protection. A nil member keeps the team's
// value, and an empty list removes all entries.
type Threat struct {
	Mode      *string   `json:"mode,omitempty"` // off, normal
	Blacklist *[]string `json:"blacklist,omitempty"`
	Whitelist *[]string `json:"whitelist,omitempty"`
	TLDs      *[]string `json:"blockedTlds,omitempty"`
	Failure   *string   `json:"failurePolicy,omitempty"` // open, closed
	Threshold *int      `json:"riskScoreThreshold,omitempty"`
}

func readThreat(o *object) *Threat {
	var t *Threat
	o.object("threatProtection", func(o *object) {
		o.closed = true
		t = new(Threat)
		t.read(o)
	})
	return t
}

// read reads the members of a policy.
func (t *Threat) read(o *object) {
	t.Mode = o.enum("mode", "off", "normal")
	t.Failure = o.enum("failurePolicy", "open", "closed")
	t.Threshold = o.int("riskScoreThreshold", 0, 100)
	t.Blacklist = o.someTexts("blacklist", 1000)
	t.Whitelist = o.someTexts("whitelist", 1000)
	t.TLDs = o.someTexts("blockedTlds", 1000)
}

// Webhook is the receiver of a job's events. In JSON it may be just a URL.
type Webhook struct {
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers,omitzero"`
	Metadata map[string]string `json:"metadata,omitzero"`
	Events   []string          `json:"events,omitzero"`
	Batch    *int              `json:"batch,omitempty"`   // maximal number of delivered pages in one event
	Ordered  *bool             `json:"ordered,omitempty"` // false allows several events in flight
}

func readWebhook(o *object) *Webhook {
	var w *Webhook
	o.either("webhook", func(v value, path []any) {
		w = new(Webhook)
		if o.d.is(v, "string") {
			if s := o.d.text(v, path, 1, -1); s != nil {
				w.URL = *s
			}
			return
		}
		o.d.object(v, path, func(o *object) {
			w.URL = o.needText("url", 1, -1)
			w.Headers = readHeaders(o)
			w.Metadata = o.strings("metadata")
			w.Events = o.texts("events", 32)
			w.Batch = o.int("batch", 1, 100)
			w.Ordered = o.bool("ordered")
		})
	})
	return w
}
