// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/audit"
	"example.com/curlew/audit/audittest"
	"example.com/curlew/internal/test/golden"
)

var (
	began = time.Date(2026, 3, 4, 5, 6, 7, 890_123_456, time.FixedZone("", 3600))
	ended = began.Add(1234567 * time.Microsecond)
)

// events returns one event of each kind, by name.
func events() map[string]audit.Event {
	base := audit.Event{
		ScrapeID: "0198-scrape", RequestID: "0198-crawl", Endpoint: "crawl", TeamID: "team-1", OrgID: "org-1",
		Key: audit.Key{ID: "key-7", Name: "CI"}, Username: "mü|ller=\"x\"\\]\nrt=0", Started: began, Completed: ended,
		URL: "https://u:p@a.example/x%20y?q=1|2&r=\\#part", Domain: "a.example", HTTPMethod: "GET", HTTPStatus: 200,
		Origin: "api", Integration: "zapier",
		Threat: &audit.Threat{Allowed: true, Rule: "default-allow", Provider: "webrisk", Categories: []string{}},
	}
	blocked := base
	blocked.Result, blocked.HTTPStatus = audit.Blocked, 0
	blocked.Threat = &audit.Threat{Rule: "risk-score", Provider: "webrisk", Categories: []string{"MALWARE", "SOCIAL_ENGINEERING"}}
	blocked.Error = &audit.Fault{Code: "unsafe_domain_blocked", Message: "URL https://a.example/x is blocked\r\nby threat protection (rule: risk-score)"}
	network := base
	network.Result, network.HTTPMethod, network.HTTPStatus, network.Threat = audit.Blocked, "POST", 0, nil
	network.Network = &audit.Network{Address: "169.254.169.254:80", Reason: "link-local"}
	zero := blocked.Stripped()
	zero.ZeroRetention = true
	admin := func(a audit.Action) audit.Event {
		return audit.Event{Type: audit.AdminActivity, Action: a, TeamID: "team-1", OrgID: "org-1", Key: base.Key, Started: began, Completed: began}
	}
	refused := admin(audit.KeyRefused)
	refused.Result, refused.Error = audit.Blocked, &audit.Fault{Code: "UNAUTHORIZED", Message: "Unauthorized: Invalid token"}
	gap := admin(audit.EventsDropped)
	gap.Result, gap.Dropped = audit.Failure, 17
	return map[string]audit.Event{
		"success": base, "blocked": blocked, "network": network, "zero": zero, "created": admin(audit.KeyCreated),
		"revoked": admin(audit.KeyRevoked), "policy": admin(audit.PolicyChanged), "refused": refused, "gap": gap, "empty": {},
	}
}

var formats = map[string]audit.Format{
	"ocsf": audit.OCSF, "ecs": audit.ECS, "cef": audit.CEF, "rfc5424": audit.RFC5424, "envelope": audit.Envelope,
}

func TestAuditGolden(t *testing.T) {
	for format, f := range formats {
		for name, e := range events() {
			enc := audit.Encoder{Format: f, Version: "1.2.3", Host: "host.example"}
			golden.Check(t, "testdata/"+format+"/"+name+".golden", append(enc.Append(nil, &e), '\n'))
		}
	}
}

// written returns e as it is read back from an envelope, which all formats
// write in the same way.
func written(t testing.TB, e audit.Event) audit.Event {
	t.Helper()
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	again, err := decodeEnvelope(string(b))
	if err != nil {
		t.Fatalf("%v of %s", err, b)
	}
	if second, _ := json.Marshal(again); string(second) != string(b) {
		t.Errorf("an event that was read is written otherwise:\n%s\n%s", b, second)
	}
	return again
}

// checkLines compares the line of each format with its event.
func checkLines(t testing.TB, e audit.Event) {
	t.Helper()
	want := written(t, e)
	lines := map[string]string{}
	for name, f := range formats {
		line := string(audit.Encoder{Format: f, Version: "v|\\", Host: "h\nost"}.Append(nil, &e))
		if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }) {
			t.Errorf("%s: not one line of UTF-8: %q", name, line)
		}
		lines[name] = line
	}
	compare := func(name string, got, want audit.Event, err error) {
		if err != nil {
			t.Errorf("%s: %v of %q", name, err, lines[name])
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	mapped := want
	if mapped.Error != nil && *mapped.Error == (audit.Fault{}) {
		mapped.Error = nil // these formats omit empty fields
	}
	if mapped.Type == audit.AdminActivity || mapped.Type == audit.ScrapeActivity && mapped.Action == "" {
		got, err := decodeECS(lines["ecs"])
		compare("ecs", got, mapped, err)
		if mapped.Type == audit.ScrapeActivity {
			mapped.Action = "" // OCSF has an action only for administrative actions
		}
		got, err = decodeOCSF(lines["ocsf"])
		compare("ocsf", got, mapped, err)
	}
	m, err := decodeSyslog(lines["rfc5424"])
	if err != nil {
		t.Errorf("rfc5424: %v of %q", err, lines["rfc5424"])
	}
	got, err := decodeEnvelope(m.text)
	compare("rfc5424", got, want, err)
	line := strings.NewReplacer("\r", " ", "\n", " ")
	if m.params["username"] != line.Replace(want.Username) || m.params["scrape_id"] != line.Replace(want.ScrapeID) || m.sdID != "curlew@32473" || m.host != "host" {
		t.Errorf("rfc5424: %+v", m)
	}
	checkCEF(t, lines["cef"], want)
}

func checkCEF(t testing.TB, text string, want audit.Event) {
	t.Helper()
	header, ext, err := decodeCEF(text)
	if err != nil {
		t.Errorf("cef: %v of %q", err, text)
		return
	}
	line := strings.NewReplacer("\r", " ", "\n", " ")
	if header[2] != `v|\` || header[3] != line.Replace(string(want.Result)) || header[4] != line.Replace(string(want.Type)) {
		t.Errorf("cef: header %q", header)
	}
	for key, value := range map[string]string{
		"request": want.URL, "requestMethod": want.HTTPMethod, "dhost": want.Domain, "suser": want.Username, "externalId": want.ScrapeID,
		"cs2": want.TeamID, "cs3": want.RequestID, "cs4": want.Endpoint, "cs5": want.Key.ID, "end": strconv.FormatInt(want.Completed.UnixMilli(), 10),
	} {
		if ext[key] != value {
			t.Errorf("cef: %s is %q, want %q, in %q", key, ext[key], value, text)
		}
	}
}

func TestAuditRoundTrip(t *testing.T) {
	for name, e := range events() {
		t.Run(name, func(t *testing.T) { checkLines(t, e) })
	}
	for _, s := range audittest.Hostile {
		t.Run("hostile", func(t *testing.T) { checkLines(t, hostile(s, s, s)) })
	}
}

// hostile returns an event with the given texts.
func hostile(url, name, message string) audit.Event {
	e := events()["blocked"]
	e.URL, e.Domain, e.Username, e.ScrapeID, e.RequestID, e.TeamID = url, name, name, message, name, message
	e.Endpoint, e.HTTPMethod, e.Origin, e.Integration, e.Result = name, message, name, message, audit.Result(name)
	e.Key = audit.Key{ID: message, Name: name}
	e.Error = &audit.Fault{Code: name, Message: message}
	e.Threat = &audit.Threat{Rule: message, Provider: name, Categories: []string{message, name}}
	e.Network = &audit.Network{Address: url, Reason: message}
	return e
}

func FuzzAudit(f *testing.F) {
	for _, s := range audittest.Hostile {
		f.Add("https://a.test/"+s, s, s, int64(1e15))
	}
	f.Add("https://a@b@c/?", " =", "a|b", int64(0))
	f.Fuzz(func(t *testing.T, url, name, message string, at int64) {
		e := hostile(url, name, message)
		if at > 0 && at < 1e17 { // years that RFC 3339 can represent
			e.Started = time.UnixMicro(at)
			e.Completed = e.Started.Add(time.Second)
		}
		checkLines(t, e)
	})
}

// TestAuditBounds checks that the length of every line is limited.
func TestAuditBounds(t *testing.T) {
	long := strings.Repeat("x\x01é", 100_000)
	e := hostile("https://a.test/"+long, long, long)
	e.Threat.Categories = strings.Split(long, "x")
	got := written(t, e)
	for name, n := range map[string][2]int{
		"url": {len(got.URL), 8192}, "username": {len(got.Username), 1024}, "message": {len(got.Error.Message), 2048},
		"scrape id": {len(got.ScrapeID), 128}, "categories": {len(got.Threat.Categories), 16},
	} {
		if n[0] > n[1] || n[0] < n[1]-3 {
			t.Errorf("%s: %d, want %d or hardly less", name, n[0], n[1])
		}
	}
	for name, f := range formats {
		if n := len(audit.Encoder{Format: f}.Append(nil, &e)); n > 64<<10 {
			t.Errorf("%s: a line of %d bytes", name, n)
		}
	}
}

func TestAuditURL(t *testing.T) {
	for raw, want := range map[string]string{
		"https://u:p@A.example/x?q#f": "https://a.example/x?q",
		"https://a.example":           "https://a.example/",
		"ftp://u:p@h/y":               "ftp://h/y",
		"http:\\\\u:p@999.0.0.1\\y@z": "http:\\\\999.0.0.1\\y@z",
		"u:p@h":                       "u:h",
		"u@h?@":                       "h?@",
		"":                            "",
		"#f":                          "",
	} {
		if got := written(t, audit.Event{URL: raw}).URL; got != want {
			t.Errorf("%q is written as %q, want %q", raw, got, want)
		}
	}
}

func TestStripped(t *testing.T) {
	e := events()["network"]
	e.Error = &audit.Fault{Code: "code", Message: "about https://a.example/canary"}
	got := e.Stripped()
	if got.URL != "" || got.Domain != "" || got.Network != nil || *got.Error != (audit.Fault{Code: "code"}) || got.ScrapeID != e.ScrapeID {
		t.Errorf("%+v", got)
	}
	if e.URL == "" || e.Network == nil || e.Error.Message == "" {
		t.Error("the event itself has changed")
	}
}

func TestUnmarshal(t *testing.T) {
	for _, text := range []string{
		``, `{}`, `[]`, `{"schema_version":2}`, `{"schema_version":1,"started_at":"x","completed_at":"x"}`,
		`{"schema_version":1,"started_at":"2026-01-01T00:00:00Z","completed_at":"x"}`, `{"schema_version":1,"url":1}`,
	} {
		var e audit.Event
		if err := json.Unmarshal([]byte(text), &e); err == nil {
			t.Errorf("%s is read as %+v", text, e)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	e := events()["blocked"]
	for name, f := range formats {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				buf = audit.Encoder{Format: f}.Append(buf[:0], &e)
			}
		})
	}
}
