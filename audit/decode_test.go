// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/curlew/audit"
)

// The decoders parse lines as a SIEM would, by the rules of each format, and
// return the fields of the event that the format contains.

func decodeEnvelope(line string) (audit.Event, error) {
	var e audit.Event
	err := json.Unmarshal([]byte(line), &e)
	return e, err
}

// tree is a JSON object. at looks up a value by its path.
type tree map[string]any

func at[T any](t tree, path string) T {
	var v any = map[string]any(t)
	for name := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	got, _ := v.(T)
	return got
}

func parseTree(line string) (tree, error) {
	var t tree
	if err := json.Unmarshal([]byte(line), &t); err != nil {
		return nil, err
	}
	return t, nil
}

// rest sets the fields that OCSF and ECS store under the envelope's names.
func rest(t tree, under string, e *audit.Event) {
	e.Endpoint, e.TeamID = at[string](t, under+".endpoint"), at[string](t, under+".team_id")
	e.Key = audit.Key{ID: at[string](t, under+".api_key.id"), Name: at[string](t, under+".api_key.name")}
	e.Result = audit.Result(at[string](t, under+".result"))
	e.Origin, e.Integration = at[string](t, under+".origin"), at[string](t, under+".integration")
	e.ZeroRetention = at[bool](t, under+".zero_data_retention")
	e.Dropped = int(at[float64](t, under+".dropped"))
	if threat := at[map[string]any](t, under+".threat"); threat != nil {
		e.Threat = &audit.Threat{
			Allowed: threat["decision"] == "allow", Rule: threat["rule"].(string), Provider: threat["provider"].(string), Categories: []string{},
		}
		for _, c := range threat["categories"].([]any) {
			e.Threat.Categories = append(e.Threat.Categories, c.(string))
		}
	}
	if n := at[map[string]any](t, under+".network"); n != nil {
		e.Network = &audit.Network{Address: n["address"].(string), Reason: n["reason"].(string)}
	}
}

func decodeOCSF(line string) (audit.Event, error) {
	t, err := parseTree(line)
	if err != nil {
		return audit.Event{}, err
	}
	e := audit.Event{
		Type: audit.Type(at[string](t, "unmapped.event_type")), ScrapeID: at[string](t, "metadata.uid"), RequestID: at[string](t, "metadata.correlation_uid"),
		OrgID: at[string](t, "unmapped.org_id"), Username: at[string](t, "actor.user.name"),
		Started: time.UnixMilli(int64(at[float64](t, "start_time"))).UTC(), Completed: time.UnixMilli(int64(at[float64](t, "end_time"))).UTC(),
		URL: at[string](t, "http_request.url.url_string"), Domain: at[string](t, "http_request.url.hostname"),
		HTTPMethod: at[string](t, "http_request.http_method"), HTTPStatus: int(at[float64](t, "http_response.code")),
		Action: audit.Action(at[string](t, "api.operation")),
	}
	if code, detail := at[string](t, "status_code"), at[string](t, "status_detail"); code+detail != "" {
		e.Error = &audit.Fault{Code: code, Message: detail}
	}
	rest(t, "unmapped", &e)
	return e, nil
}

func decodeECS(line string) (audit.Event, error) {
	t, err := parseTree(line)
	if err != nil {
		return audit.Event{}, err
	}
	e := audit.Event{
		Type: audit.ScrapeActivity, ScrapeID: at[string](t, "event.id"), RequestID: at[string](t, "curlew.request_id"),
		OrgID: at[string](t, "organization.id"), Username: at[string](t, "user.name"),
		URL: at[string](t, "url.full"), Domain: at[string](t, "url.domain"),
		HTTPMethod: at[string](t, "http.request.method"), HTTPStatus: int(at[float64](t, "http.response.status_code")),
	}
	if action := at[string](t, "event.action"); action != string(audit.ScrapeActivity) {
		e.Type, e.Action = audit.AdminActivity, audit.Action(action)
	}
	var errs [2]error
	e.Started, errs[0] = time.Parse(time.RFC3339, at[string](t, "event.start"))
	e.Completed, errs[1] = time.Parse(time.RFC3339, at[string](t, "@timestamp"))
	if code, message := at[string](t, "error.code"), at[string](t, "error.message"); code+message != "" {
		e.Error = &audit.Fault{Code: code, Message: message}
	}
	rest(t, "curlew", &e)
	return e, errors.Join(errs[:]...)
}

// decodeCEF returns the seven fields of the header, and the extension.
func decodeCEF(line string) (header []string, ext map[string]string, err error) {
	body, ok := strings.CutPrefix(line, "CEF:0|")
	if !ok {
		return nil, nil, errors.New("no CEF")
	}
	field := ""
	for len(header) < 6 {
		switch {
		case body == "":
			return nil, nil, errors.New("header ends early")
		case strings.HasPrefix(body, `\\`), strings.HasPrefix(body, `\|`):
			field, body = field+body[1:2], body[2:]
		case body[0] == '\\':
			return nil, nil, errors.New("escape in the header")
		case body[0] == '|':
			header, field, body = append(header, field), "", body[1:]
		default:
			field, body = field+body[:1], body[1:]
		}
	}
	// A key is the word before an unescaped equals sign.
	ext = map[string]string{}
	var equals []int
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '=':
			equals = append(equals, i)
		}
	}
	for n, eq := range equals {
		start := strings.LastIndexByte(body[:eq], ' ') + 1
		end := len(body)
		if n+1 < len(equals) {
			end = strings.LastIndexByte(body[:equals[n+1]], ' ')
		}
		if end < eq+1 {
			return nil, nil, fmt.Errorf("extension at %d", eq)
		}
		value, err := unescapeCEF(body[eq+1 : end])
		if err != nil {
			return nil, nil, err
		}
		if _, twice := ext[body[start:eq]]; twice {
			return nil, nil, fmt.Errorf("key %q twice", body[start:eq])
		}
		ext[body[start:eq]] = value
	}
	return header, ext, nil
}

func unescapeCEF(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", errors.New("escape of nothing")
		}
		c, ok := map[byte]byte{'\\': '\\', '=': '=', 'n': '\n', 'r': '\r'}[s[i]]
		if !ok {
			return "", fmt.Errorf("escape of %q", s[i])
		}
		b.WriteByte(c)
	}
	return b.String(), nil
}

// message is an RFC 5424 message.
type message struct {
	priority                  int
	stamp                     time.Time
	host, app, proc, id, sdID string
	params                    map[string]string
	text                      string
}

// decodeSyslog parses a message by the grammar of RFC 5424, section 6.
func decodeSyslog(line string) (m message, err error) {
	if !utf8.ValidString(line) {
		return m, errors.New("no UTF-8")
	}
	fields := strings.SplitN(line, " ", 7)
	if len(fields) != 7 || !strings.HasPrefix(fields[0], "<") || !strings.HasSuffix(fields[0], ">1") {
		return m, errors.New("header")
	}
	if m.priority, err = strconv.Atoi(strings.TrimSuffix(fields[0][1:], ">1")); err != nil {
		return m, err
	}
	if m.stamp, err = time.Parse(time.RFC3339Nano, fields[1]); err != nil {
		return m, err
	}
	m.host, m.app, m.proc, m.id = fields[2], fields[3], fields[4], fields[5]
	for _, s := range fields[:6] {
		if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			return m, fmt.Errorf("header field %q", s)
		}
	}
	rest, ok := strings.CutPrefix(fields[6], "[")
	if !ok {
		return m, errors.New("no structured data")
	}
	end := strings.IndexAny(rest, " ]")
	if end < 0 {
		return m, errors.New("SD-ID")
	}
	m.sdID, rest = rest[:end], rest[end:]
	m.params = map[string]string{}
	for strings.HasPrefix(rest, " ") {
		name, value, ok := strings.Cut(rest[1:], `="`)
		if !ok {
			return m, errors.New("parameter")
		}
		text := ""
		for {
			i := strings.IndexAny(value, `"]\`)
			if i < 0 || value[i] == ']' {
				return m, errors.New("value")
			}
			if text += value[:i]; value[i] == '"' {
				rest = value[i+1:]
				break
			}
			if len(value) < i+2 || !strings.ContainsRune(`"]\`, rune(value[i+1])) {
				return m, errors.New("escape")
			}
			text, value = text+value[i+1:i+2], value[i+2:]
		}
		m.params[name] = text
	}
	if m.text, ok = strings.CutPrefix(rest, "] \ufeff"); !ok {
		return m, errors.New("no BOM before the text")
	}
	return m, nil
}
