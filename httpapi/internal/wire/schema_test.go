// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/schema"
)

// full are bodies with nearly all members, by the name of their schema.
var full = map[string]string{
	"Crawl": `{"url":"https://a.test/","prompt":"p","excludePaths":["^/x"],"includePaths":["y"],"maxDiscoveryDepth":2,"sitemap":"only",
		"ignoreQueryParameters":true,"regexOnFullURL":false,"limit":10,"crawlEntireDomain":true,"allowExternalLinks":false,"allowSubdomains":true,
		"deduplicateSimilarURLs":false,"ignoreRobotsTxt":false,"robotsUserAgent":"bot","delay":0.5,"maxConcurrency":3,"retainHours":720,"warc":true,
		"webhook":{"url":"https://b.test/","headers":{"X-A":"b"},"metadata":{"k":"v"},"events":["page"],"batch":100,"ordered":true},
		"scrapeOptions":{"formats":["markdown",{"type":"json","prompt":"q","schema":{"type":"object"}},{"type":"chunks","size":400,"overlap":10}],
		"waitFor":10,"parsers":["pdf",{"type":"pdf","maxPages":3,"mode":"fast"}],"redactPII":{"mode":"fast","entities":["EMAIL"]}},
		"zeroDataRetention":false,"origin":"api","integration":"x"}`,
	"Batch": `{"urls":["https://a.test/","https://b.test/"],"webhook":"https://c.test/","ignoreInvalidURLs":true,"maxConcurrency":2,
		"actions":[{"type":"wait","milliseconds":5},{"type":"click","selector":"a","all":true},{"type":"write","text":"t"},{"type":"press","key":"k"},
		{"type":"scroll","direction":"up"},{"type":"screenshot","quality":100,"viewport":{"width":7680,"height":1}},{"type":"scrape"},
		{"type":"executeJavascript","script":"1"},{"type":"pdf","scale":0.1,"format":"A4","landscape":true}]}`,
	"Scrape": `{"url":"https://a.test/","formats":[{"type":"question","question":"q"},{"type":"highlights","query":"q"},{"type":"query","prompt":"p","mode":"directQuote"},
		{"type":"attributes","selectors":[{"selector":"a","attribute":"href"}]},{"type":"screenshot","fullPage":true,"quality":1},{"type":"links"},"images"],
		"onlyMainContent":true,"includeTags":["a"],"excludeTags":["b"],"headers":{"X-B":"c"},"timeout":300000,"mobile":true,
		"location":{"country":"DE","languages":["de"]},"skipTlsVerification":true,"proxy":"auto","maxAge":0,"minAge":5,"redactPII":true,"lockdown":false,
		"threatProtection":{"mode":"normal","blacklist":["x"],"whitelist":[],"blockedTlds":["zip"],"failurePolicy":"open","riskScoreThreshold":100},
		"auditMetadata":{"username":"u"},"profile":{"name":"p","saveChanges":false}}`,
	"Map": `{"url":"https://a.test/","search":"s","sitemap":"skip","includeSubdomains":true,"limit":100000,"timeout":1,"headers":{},"includePaths":[],"ignoreCache":true}`,
	"Agent": `{"prompt":"p","urls":["https://a.test/"],"schema":{"type":"object"},"strictConstrainToURLs":true,"maxCredits":0.5,"model":"spark-1-pro",
		"headers":{"X-A":"b"},"threatProtection":{},"auditMetadata":{"username":""}}`,
	"Extract": `{"urls":["https://a.test/*"],"prompt":"p","systemPrompt":"s","schema":{"type":"object"},"enableWebSearch":true,"showSources":true,
		"timeout":1000,"scrapeOptions":{"onlyMainContent":false},"webhook":{"url":"https://b.test/"},"threatProtection":{"mode":"off"},"agent":{"model":"x"}}`,
	"Search": `{"query":"q","limit":100,"sources":["web","alexandria",{"type":"news","tbs":"qdr:d","filter":"f","lang":"de","country":"DE","location":"Bonn"}],
		"categories":["docs",{"type":"research","sites":["a.test"]}],"includeDomains":["a.test"],"excludeDomains":[],"tbs":"sbd:1","lang":"en","country":"US",
		"location":"Leeds","timeout":1000,"ignoreInvalidURLs":true,"filter":"f","safe":true,"highlights":false,"asyncScraping":false,"enterprise":["zdr"],
		"scrapeOptions":{"formats":["markdown"]},"threatProtection":{"mode":"off"},"auditMetadata":{"username":"u"}}`,
	"ThreatPolicy": `{"mode":"normal","blacklist":["x"],"whitelist":[],"blockedTlds":[],"failurePolicy":"closed","riskScoreThreshold":0,"allowRequestOverrides":true}`,
	"Parse":        `{"password":"x","formats":["markdown"],"timeout":1000}`,
	"Reference":    `{"uploadRef":"r","formats":[],"timeout":1000}`,
	"Upload":       `{"filename":"a.pdf","contentType":"application/pdf","declaredSizeBytes":52428800}`,
	"Preview":      `{"url":"https://a.test/","prompt":"p","other":1}`,
}

// decodeAs decodes a body as the type of a schema.
func decodeAs(name string, body []byte) (err error) {
	switch name {
	case "Crawl":
		_, err = wire.DecodeCrawl(body, wire.Options{})
	case "Preview":
		_, err = wire.DecodePreview(body)
	case "Batch":
		_, err = wire.DecodeBatch(body, wire.Options{})
	case "Scrape":
		_, err = wire.DecodePage(body, wire.Options{})
	case "Map":
		_, err = wire.DecodeMap(body, wire.Options{})
	case "Agent":
		_, err = wire.DecodeAgent(body, wire.Options{})
	case "Parse":
		_, err = wire.DecodeParse(body, wire.Options{})
	case "Reference":
		_, _, err = wire.DecodeReference(body, wire.Options{})
	case "Search":
		_, err = wire.DecodeSearch(body, wire.Options{})
	case "Extract":
		_, err = wire.DecodeExtract(body, wire.Options{})
	case "ThreatPolicy":
		_, _, err = wire.DecodeThreatPolicy(body)
	case "Upload":
		_, err = wire.DecodeUpload(body)
	default:
		err = errors.New("no decoder for " + name)
	}
	return err
}

// beyond reports whether no schema can say what the fault is: rules about the text of a
// member, or about two members.
func beyond(f *wire.Fault) bool {
	last, _ := slices.Concat([]any{""}, f.Path)[len(f.Path)].(string)
	return f.Code == wire.Custom || f.Code == wire.InvalidFormat || last == "overlap" && f.Code == wire.TooBig
}

// TestSchemasAgree changes valid bodies at random. The schema must refuse what the
// decoder refuses, but for rules that a schema cannot express, and nothing else.
func TestSchemasAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	schemas := wire.Schemas()
	refused, accepted := 0, 0
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		doc, err := json.Marshal(schemas[name])
		if err != nil {
			t.Fatal(err)
		}
		checker, err := schema.Compile(doc)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range 200 {
			var body any
			if err := json.Unmarshal([]byte(full[name]), &body); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if i > 0 {
				body = mutate(random, body)
			}
			raw, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			if agree(t, name, checker, raw, i == 0) {
				accepted++
			} else {
				refused++
			}
		}
	}
	if refused < 600 || accepted < 300 {
		t.Errorf("%d bodies were refused and %d accepted, which tests too little", refused, accepted)
	}
}

// agree compares the two readers of a body, and reports whether the schema accepts it.
func agree(t *testing.T, name string, checker *schema.Schema, raw []byte, unchanged bool) bool {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		t.Fatal(err)
	}
	said := checker.Validate(t.Context(), value)
	decoded := decodeAs(name, raw)
	var faults *wire.Error
	switch {
	case decoded == nil && said != nil:
		t.Errorf("%s: the schema refuses %s: %v", name, raw, said)
	case unchanged && decoded != nil:
		t.Errorf("%s: %s is not valid: %v", name, raw, decoded)
	case errors.As(decoded, &faults):
		expressible := slices.ContainsFunc(faults.Faults, func(f wire.Fault) bool { return !beyond(&f) })
		if expressible && said == nil {
			t.Errorf("%s: the schema accepts %s, but %v", name, raw, faults.Faults)
		}
		if !expressible && said != nil {
			t.Errorf("%s: the schema refuses %s, which breaks only rules beyond it: %v", name, raw, said)
		}
	}
	return said == nil
}

// mutate changes one value of the tree.
func mutate(random *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		switch n := random.IntN(10); {
		case n == 0 || len(names) == 0:
			v[[]string{"unknown", "__x", "effort", "limit", "url"}[random.IntN(5)]] = 1
		case n == 1:
			delete(v, names[random.IntN(len(names))])
		default:
			name := names[random.IntN(len(names))]
			v[name] = mutate(random, v[name])
		}
		return v
	case []any:
		switch n := random.IntN(4); {
		case n == 0 || len(v) == 0:
			return append(v, otherwise(random))
		case n == 1:
			return v[:0]
		default:
			i := random.IntN(len(v))
			v[i] = mutate(random, v[i])
			return v
		}
	case float64:
		return []any{v + 1, v - 1, v + 0.5, -v, otherwise(random)}[random.IntN(5)]
	case string:
		return []any{"", strings.Repeat("x", 10_001), v + "x", "pdf", otherwise(random)}[random.IntN(5)]
	case bool:
		return []any{!v, otherwise(random)}[random.IntN(2)]
	default:
		return otherwise(random)
	}
}

// otherwise returns a value of any type.
func otherwise(random *rand.Rand) any {
	return []any{nil, true, 0.0, -1.0, 1e9, "", "markdown", []any{}, []any{nil}, map[string]any{}, map[string]any{"type": "pdf"}}[random.IntN(11)]
}
