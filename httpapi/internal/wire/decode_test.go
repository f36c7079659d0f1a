// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/httpapi/internal/wire"
)

// faults returns the faults of err as "code path: message". It fails if err is
// another error.
func faults(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*wire.Error](err)
	if !ok {
		t.Fatalf("error %v (%T), want *wire.Error", err, err)
	}
	var list []string
	for _, f := range e.Faults {
		list = append(list, fmt.Sprintf("%s %v: %s", f.Code, f.Path, f.Message))
	}
	return list
}

func TestDecodeCrawl(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       []string // faults
		text       string   // error member of the answer
	}{
		{"least", `{"url":"a.test"}`, nil, ""},
		{"all", `{"url":"https://a.test","prompt":"p","excludePaths":["^/x"],"includePaths":[],"maxDiscoveryDepth":0,` +
			`"sitemap":"only","ignoreQueryParameters":true,"regexOnFullURL":false,"limit":1,"crawlEntireDomain":true,` +
			`"allowExternalLinks":true,"allowSubdomains":true,"deduplicateSimilarURLs":false,"ignoreRobotsTxt":false,` +
			`"robotsUserAgent":"x","delay":0.5,"maxConcurrency":2,"webhook":"https://h.test","scrapeOptions":{},` +
			`"zeroDataRetention":false,"origin":"js-sdk@4","integration":"i"}`, nil, ""},
		{"null is absent", `{"url":"a.test","limit":null,"scrapeOptions":null,"webhook":null}`, nil, ""},
		{"tolerated", `{"url":"a.test","__x":1,"effort":2,"useMock":"m","mode":3}`, nil, ""},
		{"no url", `{}`, []string{"invalid_type [url]: Invalid input: expected string, received undefined"}, "Bad Request"},
		{"null url", `{"url":null}`, []string{"invalid_type [url]: Invalid input: expected string, received undefined"}, "Bad Request"},
		{"not an object", `[]`, []string{"invalid_type []: Invalid input: expected object, received array"}, "Bad Request"},
		{"unknown", `{"url":"a.test","foo":1,"bar":2}`, []string{`unrecognized_keys []: Unrecognized keys: "foo", "bar"`}, `Unrecognized key in body: "foo", "bar"`},
		{"case counts", `{"URL":"a.test","url":"b.test"}`, []string{`unrecognized_keys []: Unrecognized key: "URL"`}, `Unrecognized key in body: "URL"`},
		{"unknown option", `{"url":"a.test","scrapeOptions":{"foo":1}}`, []string{`unrecognized_keys [scrapeOptions]: Unrecognized key: "foo"`}, `Unrecognized key in body: "foo"`},
		{
			"unknown of a format", `{"url":"a.test","scrapeOptions":{"formats":[{"type":"json","systemPrompt":"x"}]}}`,
			[]string{`unrecognized_keys [scrapeOptions formats 0]: Unrecognized key: "systemPrompt"`},
			"Bad Request",
		},
		{"limit 0", `{"url":"a.test","limit":0}`, []string{"too_small [limit]: Too small: expected number to be >=1"}, "Bad Request"},
		{"limit 1.5", `{"url":"a.test","limit":1.5}`, []string{"invalid_type [limit]: Invalid input: expected int, received number"}, "Bad Request"},
		{"limit 1e999", `{"url":"a.test","limit":1e999}`, []string{"invalid_type [limit]: Invalid input: expected number, received Infinity"}, "Bad Request"},
		{"limit as text", `{"url":"a.test","limit":"1"}`, []string{"invalid_type [limit]: Invalid input: expected number, received string"}, "Bad Request"},
		{"delay 61", `{"url":"a.test","delay":61}`, []string{"too_big [delay]: Too big: expected number to be <=60"}, "Bad Request"},
		{"delay -1", `{"url":"a.test","delay":-1}`, []string{"too_small [delay]: Too small: expected number to be >=0"}, "Bad Request"},
		{"sitemap", `{"url":"a.test","sitemap":"all"}`, []string{`invalid_value [sitemap]: Invalid option: expected one of "skip"|"include"|"only"`}, "Bad Request"},
		{
			"look-around", `{"url":"a.test","includePaths":["a","(?=x)"]}`,
			[]string{"custom [includePaths 1]: includePaths[1] is not a valid regular expression: error parsing regexp: invalid or unsupported Perl syntax: `(?=`"},
			"includePaths[1] is not a valid regular expression: error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
		},
		{
			"pattern that unfolds", `{"url":"a.test","excludePaths":["\\d{1000}","(?:ab?){1000}"]}`,
			[]string{"custom [excludePaths 1]: excludePaths[1] repeats too much: it has more than 2500 steps"},
			"excludePaths[1] repeats too much: it has more than 2500 steps",
		},
		{"longest pattern", `{"url":"a.test","excludePaths":["` + strings.Repeat("a?", 500) + `"]}`, nil, ""},
		{"pattern in JavaScript", `{"url":"a.test","includePaths":["\\u00e9\\u{1F600}\\\\u"]}`, nil, ""},
		{"two faults", `{"url":1,"limit":0}`, []string{
			"invalid_type [url]: Invalid input: expected string, received number",
			"too_small [limit]: Too small: expected number to be >=1",
		}, "Bad Request"},
		{
			"waitFor", `{"url":"a.test","scrapeOptions":{"timeout":60000,"waitFor":40000}}`,
			[]string{"custom [scrapeOptions waitFor]: waitFor must not exceed half of timeout"},
			"waitFor must not exceed half of timeout",
		},
		{"waitFor under the default", `{"url":"a.test","scrapeOptions":{"waitFor":30000}}`, nil, ""},
		{
			"two screenshots", `{"url":"a.test","scrapeOptions":{"formats":["screenshot",{"type":"screenshot","fullPage":true}]}}`,
			[]string{"custom [scrapeOptions formats]: You may only specify one screenshot format"},
			"You may only specify one screenshot format",
		},
		{
			"webhook", `{"url":"a.test","webhook":{"url":"https://h.test","foo":1}}`,
			[]string{`unrecognized_keys [webhook]: Unrecognized key: "foo"`},
			`Unrecognized key in body: "foo"`,
		},
		{"user agent", `{"url":"a.test","robotsUserAgent":"a\r\nb: c"}`, []string{"custom [robotsUserAgent]: Invalid user agent"}, "Invalid user agent"},
	} {
		_, err := wire.DecodeCrawl([]byte(test.body), wire.Options{})
		if diff := cmp.Diff(test.want, faults(t, err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if err != nil && err.Error() != test.text {
			t.Errorf("%s: text %q, want %q", test.name, err, test.text)
		}
	}
}

func TestDecodeScrape(t *testing.T) {
	for _, test := range []struct {
		options string
		want    []string
	}{
		{`"formats":["markdown",{"type":"html"},"rawHtml","links","images","summary","branding","product","menu","audio","video"]`, nil},
		{`"formats":["pdf"]`, []string{`invalid_value [formats 0]: Invalid option: expected one of "markdown"|"html"|"rawHtml"|"rawBase64"|"links"|"images"|"summary"|"json"|"deterministicJson"|"question"|"highlights"|"query"|"attributes"|"screenshot"|"changeTracking"|"branding"|"product"|"menu"|"audio"|"video"|"chunks"|"screenshot@fullPage"`}},
		{`"formats":["screenshot@fullPage"]`, nil},
		{`"formats":["screenshot@fullPage",{"type":"screenshot"}]`, []string{"custom [formats]: You may only specify one screenshot format"}},
		{`"formats":[{"type":"screenshot@fullPage"}]`, []string{`invalid_value [formats 0 type]: Invalid option: expected one of "markdown"|"html"|"rawHtml"|"rawBase64"|"links"|"images"|"summary"|"json"|"deterministicJson"|"question"|"highlights"|"query"|"attributes"|"screenshot"|"changeTracking"|"branding"|"product"|"menu"|"audio"|"video"|"chunks"`}},
		{`"formats":[{}]`, []string{"invalid_type [formats 0 type]: Invalid input: expected string, received undefined"}},
		{`"formats":["question"]`, []string{"invalid_type [formats 0 question]: Invalid input: expected string, received undefined"}},
		{`"formats":[{"type":"question","question":""}]`, []string{"too_small [formats 0 question]: Too small: expected string to have >=1 characters"}},
		{`"formats":[{"type":"attributes","selectors":[{"selector":"a","attribute":"href"}]}]`, nil},
		{`"formats":[{"type":"attributes","selectors":[{"selector":"a"}]}]`, []string{"invalid_type [formats 0 selectors 0 attribute]: Invalid input: expected string, received undefined"}},
		{`"formats":["rawBase64","html"]`, []string{"custom [formats]: The rawBase64 format cannot be combined with other formats"}},
		{`"formats":["changeTracking"]`, []string{"custom [formats]: The changeTracking format requires the markdown format to be specified as well"}},
		{`"formats":[{"type":"json"},{"type":"deterministicJson"}]`, []string{"custom [formats]: You may not specify the json and deterministicJson formats together"}},
		{`"formats":[{"type":"screenshot","quality":0,"viewport":{"width":7681}}]`, []string{
			"too_small [formats 0 quality]: Too small: expected number to be >=1",
			"too_big [formats 0 viewport width]: Too big: expected number to be <=7680",
			"invalid_type [formats 0 viewport height]: Invalid input: expected number, received undefined",
		}},
		{`"headers":{"X-A":"b"}`, nil},
		{`"headers":{"Host":"b","proxy-x":"1","X-Forwarded-For":"1","a b":"1","X":"\n"}`, []string{
			"custom [headers Host]: Header Host cannot be set",
			"custom [headers X]: Invalid value of header X",
			"custom [headers X-Forwarded-For]: Header X-Forwarded-For cannot be set",
			`custom [headers a b]: Invalid header name "a b"`,
			"custom [headers proxy-x]: Header proxy-x cannot be set",
		}},
		{`"headers":{"cookie":"a=1","Expect":"100-continue","Cookie":"b=2","HTTP2-Settings":"x"}`, []string{
			"custom [headers Expect]: Header Expect cannot be set",
			"custom [headers HTTP2-Settings]: Header HTTP2-Settings cannot be set",
			"custom [headers cookie]: Header cookie is given more than once",
		}},
		{`"headers":{"X":"` + strings.Repeat("x", 8192) + `"}`, []string{"custom [headers]: headers must not be longer than 8192 bytes together"}},
		{`"timeout":999`, []string{"too_small [timeout]: Too small: expected number to be >=1000"}},
		{`"parsers":["pdf",{"type":"pdf","mode":"fast","maxPages":3,"pageMarkdown":true},"image"]`, nil},
		{`"parsers":[{"type":"pdf","foo":1}]`, []string{`unrecognized_keys [parsers 0]: Unrecognized key: "foo"`}},
		{`"actions":[{"type":"wait","milliseconds":10},{"type":"click","selector":"a"},{"type":"write","text":""},` +
			`{"type":"press","key":"Enter"},{"type":"scroll","direction":"up"},{"type":"screenshot"},{"type":"scrape"},` +
			`{"type":"executeJavascript","script":"1"},{"type":"pdf","format":"A4","scale":1.5}]`, nil},
		{`"actions":[{"type":"wait"}]`, []string{"custom [actions 0]: Either 'milliseconds' or 'selector' must be provided, but not both."}},
		{`"actions":[{"type":"wait","milliseconds":60001}]`, []string{"custom [actions]: Total wait time (waitFor + wait actions) cannot exceed 60 seconds"}},
		{`"actions":[{"type":"jump"}]`, []string{`invalid_value [actions 0 type]: Invalid option: expected one of "wait"|"click"|"write"|"press"|"scroll"|"screenshot"|"scrape"|"executeJavascript"|"pdf"`}},
		{`"location":{"country":"de","languages":["de"],"city":"x"}`, nil},
		{`"location":{"country":"XX"}`, []string{"custom [location country]: Invalid country code. Use a valid ISO 3166-1 alpha-2 country code."}},
		{`"location":{"country":"A "}`, []string{"custom [location country]: Invalid country code. Use a valid ISO 3166-1 alpha-2 country code."}},
		{`"proxy":"tor"`, []string{`invalid_value [proxy]: Invalid option: expected one of "basic"|"stealth"|"enhanced"|"auto"`}},
		{`"redactPII":true`, nil},
		{`"redactPII":{"mode":"fast","entities":["EMAIL"],"replaceStyle":"mask"}`, nil},
		{`"redactPII":"yes"`, []string{"invalid_union [redactPII]: Invalid input: expected boolean or object, received string"}},
		{`"auditMetadata":{"username":"u"}`, nil},
		{`"auditMetadata":{"username":"u","__x":1}`, []string{`unrecognized_keys [auditMetadata]: Unrecognized key: "__x"`}},
		{`"auditMetadata":{"username":null}`, []string{"invalid_type [auditMetadata username]: Invalid input: expected string, received null"}},
		{`"auditMetadata":{}`, []string{"invalid_type [auditMetadata username]: Invalid input: expected string, received undefined"}},
		{`"auditMetadata":{"username":"` + strings.Repeat("ä", 1025) + `"}`, []string{"too_big [auditMetadata username]: Too big: expected string to have <=1024 characters"}},
		{`"threatProtection":{"mode":"normal","blacklist":[],"whitelist":["a.test"],"blockedTlds":["zip"],"failurePolicy":"open","riskScoreThreshold":75.0}`, nil},
		{`"threatProtection":{"riskScoreThreshold":101}`, []string{"too_big [threatProtection riskScoreThreshold]: Too big: expected number to be <=100"}},
		{`"threatProtection":{"riskScoreThreshold":1.5}`, []string{"invalid_type [threatProtection riskScoreThreshold]: Invalid input: expected int, received number"}},
		{`"threatProtection":{"mode":null}`, []string{`invalid_value [threatProtection mode]: Invalid option: expected one of "off"|"normal"`}},
		{`"threatProtection":{"effort":1}`, []string{`unrecognized_keys [threatProtection]: Unrecognized key: "effort"`}},
		{`"threatProtection":{"blacklist":["x"` + strings.Repeat(`,"x"`, 1000) + `]}`, []string{"too_big [threatProtection blacklist]: Too big: expected array to have <=1000 items"}},
		{`"formats":["chunks",{"type":"chunks","size":200,"overlap":100},{"type":"chunks","overlap":500}]`, nil},
		{`"formats":[{"type":"chunks","size":199}]`, []string{"too_small [formats 0 size]: Too small: expected number to be >=200"}},
		{`"formats":[{"type":"chunks","size":400,"overlap":201}]`, []string{"too_big [formats 0 overlap]: Too big: expected number to be <=200"}},
		{`"formats":[{"type":"chunks","sizes":400}]`, []string{`unrecognized_keys [formats 0]: Unrecognized key: "sizes"`}},
		{`"profile":{"name":""}`, []string{"too_small [profile name]: Too small: expected string to have >=1 characters"}},
	} {
		_, err := wire.DecodePage([]byte(`{"url":"a.test",`+test.options+`}`), wire.Options{})
		if diff := cmp.Diff(test.want, faults(t, err)); diff != "" {
			t.Errorf("%.80s (-want +got):\n%s", test.options, diff)
		}
	}
}

func TestDecodeAgent(t *testing.T) {
	prompt := func(n int) string { return `{"prompt":"` + strings.Repeat("é", n) + `"}` }
	for _, test := range []struct {
		body string
		want []string
	}{
		{prompt(10_000), nil},
		{prompt(10_001), []string{"too_big [prompt]: Too big: expected string to have <=10000 characters"}},
		{`{"prompt":" \n "}`, []string{"custom [prompt]: prompt must not be blank"}},
		{`{"prompt":"p","maxCredits":0}`, []string{"too_small [maxCredits]: Too small: expected number to be >0"}},
		{`{"prompt":"p","maxCredits":0.5,"model":"spark-1-pro","urls":["a.test"],"schema":{"a":1},"strictConstrainToURLs":true}`, nil},
		{`{"prompt":"p","model":"spark-9"}`, []string{`invalid_value [model]: Invalid option: expected one of "spark-1-mini"|"spark-1-pro"|"mine"`}},
		{`{"prompt":"p","model":"mine","schema":true}`, []string{"invalid_type [schema]: Invalid input: expected object, received boolean"}},
	} {
		_, err := wire.DecodeAgent([]byte(test.body), wire.Options{Models: []string{"mine"}})
		if diff := cmp.Diff(test.want, faults(t, err)); diff != "" {
			t.Errorf("%.80s (-want +got):\n%s", test.body, diff)
		}
	}
}

func TestDecodeOthers(t *testing.T) {
	batch := func(b string) error { _, err := wire.DecodeBatch([]byte(b), wire.Options{}); return err }
	maps := func(b string) error { _, err := wire.DecodeMap([]byte(b), wire.Options{}); return err }
	preview := func(b string) error { _, err := wire.DecodePreview([]byte(b)); return err }
	parse := func(b string) error { _, err := wire.DecodeParse([]byte(b), wire.Options{}); return err }
	for _, test := range []struct {
		decode func(string) error
		body   string
		want   []string
	}{
		{batch, `{"urls":["a.test"],"formats":["html"],"ignoreInvalidURLs":false,"appendToId":"0199d7a4-0000-7000-8000-000000000000"}`, nil},
		{batch, `{"urls":[]}`, []string{"too_small [urls]: Too small: expected array to have >=1 items"}},
		{batch, `{}`, []string{"invalid_type [urls]: Invalid input: expected array, received undefined"}},
		{batch, `{"urls":["a.test"],"appendToId":"x"}`, []string{"invalid_format [appendToId]: Invalid UUID"}},
		{maps, `{"url":"a.test","limit":100000,"search":"x","sitemap":"skip","useIndex":true}`, nil},
		{maps, `{"url":"a.test","limit":100001}`, []string{"too_big [limit]: Too big: expected number to be <=100000"}},
		{maps, `{"url":"a.test","formats":[]}`, []string{`unrecognized_keys []: Unrecognized key: "formats"`}},
		{preview, `{"url":"a.test","prompt":"p","more":1}`, nil},
		{preview, `{"url":"a.test"}`, []string{"invalid_type [prompt]: Invalid input: expected string, received undefined"}},
		{parse, `{"waitFor":20000}`, []string{"custom [waitFor]: waitFor must not exceed half of timeout"}},
	} {
		if diff := cmp.Diff(test.want, faults(t, test.decode(test.body))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.body, diff)
		}
	}
}

func TestLenient(t *testing.T) {
	lenient := wire.Options{Lenient: true}
	if _, err := wire.DecodeCrawl([]byte(`{"url":"a.test","foo":1,"scrapeOptions":{"bar":2}}`), lenient); err != nil {
		t.Errorf("unknown names: %v, want none", err)
	}
	for _, body := range []string{
		`{"url":"a.test","scrapeOptions":{"threatProtection":{"foo":1}}}`,
		`{"url":"a.test","scrapeOptions":{"auditMetadata":{"username":"u","foo":1}}}`,
	} {
		if _, err := wire.DecodeCrawl([]byte(body), lenient); err == nil {
			t.Errorf("%s was taken", body)
		}
	}
}

func TestSyntax(t *testing.T) {
	deep := func(n int) string {
		return `{"url":"a.test","origin":"o","__d":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	for _, body := range []string{
		``, ` `, `{`, `{"url":"a.test"`, `{"url":"a.test"}}`, `{"url":"a.test"} {}`, `{"url":"a.test",}`, `{'url':1}`,
		`{"url":"a.test","url":"b.test"}`, `{"url":"a.test","__x":{"a":1,"a":1}}`, "\ufeff{}",
		deep(64),
	} {
		if _, err := wire.DecodeCrawl([]byte(body), wire.Options{}); !errors.Is(err, wire.ErrSyntax) {
			t.Errorf("%.40q: %v, want ErrSyntax", body, err)
		}
	}
	if _, err := wire.DecodeCrawl([]byte(`{"url":"a.test","__v":[`+strings.Repeat("1,", wire.MaxValues)+`1]}`), wire.Options{}); !errors.Is(err, wire.ErrValues) {
		t.Errorf("too many values: %v, want ErrValues", err)
	}
	if _, err := wire.DecodeCrawl([]byte(deep(63)), wire.Options{}); err != nil {
		t.Errorf("64 levels: %v", err)
	}
	c, err := wire.DecodeCrawl([]byte("{\"url\":\"a.test\",\"origin\":\"a\xffb\"}"), wire.Options{})
	if err != nil || *c.Origin != "a\uFFFDb" {
		t.Errorf("invalid UTF-8: %v, %v", c.Origin, err)
	}
}

// TestHalfPairs checks that escapes of unpaired surrogates are replaced, in
// strings and in objects that are kept as sent.
func TestHalfPairs(t *testing.T) {
	for sent, want := range map[string]string{
		`{"a":"\ud83d\ude00 \\ud800 \u0041"}`:            `{"a":"\ud83d\ude00 \\ud800 \u0041"}`,
		`{"a":"\ud800"}`:                                 `{"a":"\ufffd"}`,
		`{"\uDC00":"\uDC00\uD800"}`:                      `{"\ufffd":"\ufffd\ufffd"}`,
		`{"a":"\ud800\ud83d\ude00","b":"\ud83d\\ude00"}`: `{"a":"\ufffd\ud83d\ude00","b":"\ufffd\\ude00"}`,
		"{\"a\":\"\\ud83d\xff\"}":                        "{\"a\":\"\\ufffd\uFFFD\"}",
	} {
		e, err := wire.DecodeAgent([]byte(`{"prompt":"p","schema":`+sent+`}`), wire.Options{})
		if err != nil || string(e.Schema) != want {
			t.Errorf("%q: %q, %v, want %q", sent, e.Schema, err, want)
		}
	}
}

func TestManyFaults(t *testing.T) {
	_, err := wire.DecodeBatch([]byte(`{"urls":[1`+strings.Repeat(",1", 50_000)+`]}`), wire.Options{})
	if n := len(faults(t, err)); n != 1000 {
		t.Errorf("%d faults reported, want 1000", n)
	}
	_, err = wire.DecodePage([]byte(`{"url":"a.test","`+strings.Repeat("k", 1<<20)+`":1}`), wire.Options{})
	if n := len(err.Error()); n > 400 {
		t.Errorf("the text has %d bytes", n)
	}
}

func TestRE2(t *testing.T) {
	for in, want := range map[string]string{
		`^/a`:        `^/a`,
		`\u00e9`:     `\x{00e9}`,
		`\u{1F600}x`: `\x{1F600}x`,
		`\\u00e9`:    `\\u00e9`,
		`\u00g9`:     `\u00g9`,
		`\`:          `\`,
		`\d\u`:       `\d\u`,
	} {
		if got := wire.RE2(in); got != want {
			t.Errorf("RE2(%q) = %q, want %q", in, got, want)
		}
	}
}
