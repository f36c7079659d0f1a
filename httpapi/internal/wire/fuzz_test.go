// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/httpapi/internal/wire"
	"example.com/curlew/internal/jsonenc"
)

// again checks that a decoded value encodes to JSON that decodes to the same
// value.
func again[T any](t *testing.T, body []byte, decode func([]byte) (*T, error)) {
	t.Helper()
	first, err := decode(body)
	if err != nil {
		return
	}
	encoded, err := jsonenc.Encode(first)
	if err != nil {
		t.Fatalf("%q: %v", body, err)
	}
	second, err := decode(encoded)
	if err != nil {
		t.Fatalf("%q encodes to %q: %v", body, encoded, err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Fatalf("%q encodes to %q (-first +second):\n%s", body, encoded, diff)
	}
}

func FuzzCrawl(f *testing.F) {
	f.Add([]byte(`{"url":"a.test"}`))
	f.Add([]byte(`{"url":"https://a.test","prompt":"p","excludePaths":["^/x"],"includePaths":[],"maxDiscoveryDepth":0,` +
		`"sitemap":"only","limit":1.0,"delay":-0,"webhook":"https://h.test","origin":"o","__x":[[]]}`))
	f.Add([]byte(`{"url":"a","webhook":{"url":"h","headers":{"a":"b"},"metadata":{},"events":["page"]},"scrapeOptions":{"formats":` +
		`["html",{"type":"json","schema":{"a": [1, 2]}},{"type":"attributes","selectors":[]}],"redactPII":{},"location":{"country":"de"},` +
		`"actions":[{"type":"wait","milliseconds":1},{"type":"pdf","scale":0.5}],"parsers":["pdf",{"type":"pdf","maxPages":1}],` +
		`"threatProtection":{"blacklist":[],"mode":"off"},"headers":{"X":"y"},"auditMetadata":{"username":"ü"}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		again(t, body, func(b []byte) (*wire.Crawl, error) { return wire.DecodeCrawl(b, wire.Options{}) })
		again(t, body, func(b []byte) (*wire.Batch, error) { return wire.DecodeBatch(b, wire.Options{}) })
		again(t, body, func(b []byte) (*wire.Map, error) { return wire.DecodeMap(b, wire.Options{}) })
	})
}

func FuzzAgent(f *testing.F) {
	f.Add([]byte(`{"prompt":"p"}`))
	f.Add([]byte(`{"prompt":"p","urls":["a.test"],"schema":{"type":"object"},"maxCredits":1e300,"model":"spark-1-pro","webhook":"h"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		again(t, body, func(b []byte) (*wire.Agent, error) { return wire.DecodeAgent(b, wire.Options{}) })
	})
}

func FuzzExtract(f *testing.F) {
	f.Add([]byte(`{"prompt":"p","schema":{},"enableWebSearch":true,"timeout":1000}`))
	f.Add([]byte(`{"urls":["a.test","b.test/*"],"systemPrompt":"s","scrapeOptions":{"headers":{"a":"b"}},"agent":{"model":"m"},"webhook":"h"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		again(t, body, func(b []byte) (*wire.Extract, error) { return wire.DecodeExtract(b, wire.Options{}) })
	})
}

func FuzzThreatPolicy(f *testing.F) {
	f.Add([]byte(`{"mode":"normal","blacklist":["a.test"],"whitelist":[],"blockedTlds":["zip"],"failurePolicy":"open","riskScoreThreshold":0}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		again(t, body, func(b []byte) (*wire.Threat, error) {
			policy, _, err := wire.DecodeThreatPolicy(b)
			if err == nil && policy.Mode == nil {
				t.Errorf("%q has no mode", b)
			}
			return policy, err
		})
	})
}

func FuzzParseOptions(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"formats":["markdown"],"onlyMainContent":true,"includeTags":["a"],"headers":{},"timeout":30000,"parsers":["pdf"],` +
		`"skipTlsVerification":true,"redactPII":false,"origin":"api","zeroDataRetention":false}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		again(t, body, func(b []byte) (*wire.Parse, error) { return wire.DecodeParse(b, wire.Options{}) })
		again(t, body, func(b []byte) (*wire.Page, error) { return wire.DecodePage(b, wire.Options{}) })
	})
}

func FuzzPage(f *testing.F) {
	f.Add("skip=1&limit=2")
	f.Add("limit=%31")
	f.Fuzz(func(t *testing.T, query string) {
		first, err := wire.DecodePaging(query)
		if err != nil {
			return
		}
		if second, err := wire.DecodePaging(first.Query()); err != nil || second != first {
			t.Fatalf("%q is %v, and %q %v, %v", query, first, first.Query(), second, err)
		}
	})
}
