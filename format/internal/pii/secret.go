// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"strings"
)

// keys lists the prefixes of the keys of services, with the minimal number of
// characters that follow.
var keys = []struct {
	prefix string
	least  int
}{
	{"AKIA", 16},
	{"ASIA", 16},
	{"ABIA", 16},
	{"AIza", 35},
	{"ya29.", 20},
	{"GOCSPX-", 20},
	{"ghp_", 30},
	{"gho_", 30},
	{"ghu_", 30},
	{"ghs_", 30},
	{"ghr_", 30},
	{"github_pat_", 22},
	{"glpat-", 18},
	{"glptt-", 18},
	{"sk_live_", 16},
	{"sk_test_", 16},
	{"rk_live_", 16},
	{"rk_test_", 16},
	{"pk_live_", 16},
	{"pk_test_", 16},
	{"whsec_", 16},
	{"sk-ant-", 20},
	{"sk-proj-", 20},
	{"sk-", 32},
	{"xoxb-", 16},
	{"xoxp-", 16},
	{"xoxa-", 16},
	{"xoxr-", 16},
	{"xoxs-", 16},
	{"xapp-", 16},
	{"SG.", 40},
	{"key-", 32},
	{"npm_", 30},
	{"pypi-", 40},
	{"hf_", 30},
	{"dop_v1_", 60},
	{"shpat_", 30},
	{"shpss_", 30},
	{"sq0atp-", 20},
	{"sq0csp-", 40},
	{"EAACEdEose0cBA", 20},
	{"fc-", 30},
}

// pairs lists names whose values are secret. A longer name precedes the names
// that it contains.
var pairs = []string{
	"client_secret", "clientsecret", "client-secret", "secret_key", "secret-key", "secretkey", "access_token", "access-token", "accesstoken",
	"refresh_token", "auth_token", "authtoken", "api_key", "api-key", "apikey", "api key", "private_key", "access_key", "accesskey",
	"password", "passwort", "passwd", "passphrase", "pwd", "kennwort", "contraseña", "mot de passe", "secret", "token", "bearer", "pin code",
}

// secrets finds keys, tokens, passwords and IP and MAC addresses.
func (x *scan) secrets() {
	if !x.Entities.Has(Secret) {
		return
	}
	x.pem()
	for i := range x.words {
		if x.stopped() {
			return
		}
		w := x.words[i]
		switch x.s[w.start] {
		case 'e':
			x.jwt(w.start)
		default:
			if isDigit(x.s[w.start]) || isHex(x.s[w.start:w.start+1]) {
				x.machine(w.start)
			}
		}
		x.key(w.start)
		x.pair(i)
	}
	for i := 0; i < len(x.s) && !x.stopped(); i++ { // IPv6 addresses may begin with colons
		if x.s[i] == ':' && strings.HasPrefix(x.s[i:], "::") && (i == 0 || !isAlnum(x.s[i-1]) && x.s[i-1] != ':') {
			x.machine(i)
			i++
		}
	}
}

// tokenEnd returns the end of the token at start, at most longest bytes later.
// A token consists of letters, digits and the characters in more.
func (x *scan) tokenEnd(start, longest int, more string) int {
	i := start
	for i < len(x.s) && i-start < longest && (isAlnum(x.s[i]) || strings.IndexByte(more, x.s[i]) >= 0) {
		i++
	}
	return i
}

// key finds a key of a known service at start.
func (x *scan) key(start int) {
	if start > 0 && (isAlnum(x.s[start-1]) || x.s[start-1] == '_') {
		return
	}
	for i := range keys {
		k := &keys[i]
		if !strings.HasPrefix(x.s[start:], k.prefix) {
			continue
		}
		more := "_-"
		if k.prefix == "SG." || k.prefix == "ya29." {
			more = "_-."
		}
		from := start + len(k.prefix)
		end := x.tokenEnd(from, 512, more)
		if token := x.s[from:end]; len(token) >= k.least && diverse(token) {
			x.add(start, end, Secret)
			return
		}
	}
}

// diverse reports whether a token looks random: it has many different
// characters, including digits or letters of both cases.
func diverse(s string) bool {
	var seen [256]bool
	different := 0
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			different++
		}
	}
	return different >= 6 && (digits(s) > 0 || s != strings.ToLower(s) && s != strings.ToUpper(s))
}

// jwt finds a JSON web token at start. Its header must be JSON.
func (x *scan) jwt(start int) {
	if start < x.tokens || !strings.HasPrefix(x.s[start:], "eyJ") {
		return
	}
	end := x.tokenEnd(start, 8<<10, "-_.=")
	x.tokens = end
	parts := strings.Split(x.s[start:end], ".")
	if len(parts) < 3 || len(parts) > 8 {
		return
	}
	header, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[0], "="))
	if err == nil && json.Valid(header) {
		x.add(start, start+len(strings.TrimRight(x.s[start:end], ".")), Secret)
	}
}

// pem finds private keys.
func (x *scan) pem() {
	const begin, marks = "-----BEGIN ", "PRIVATE KEY"
	for at := 0; ; {
		i := strings.Index(x.s[at:], begin)
		if i < 0 {
			return
		}
		start := at + i
		at = start + len(begin)
		label, _, ok := strings.Cut(x.s[at:min(len(x.s), at+64)], "-----")
		if !ok || !strings.HasSuffix(strings.TrimSuffix(label, " BLOCK"), marks) {
			continue
		}
		tail := "-----END " + label + "-----"
		end := len(x.s)
		if j := strings.Index(x.s[at:], tail); j >= 0 {
			end = at + j + len(tail)
		}
		x.add(start, end, Secret)
		at = end
	}
}

// pair finds the value of a secret whose name begins at word i, such as x in
// "password: x".
func (x *scan) pair(i int) {
	at := x.words[i].start
	rest := x.s[at:min(len(x.s), at+maxPairName)]
	for _, name := range pairs {
		if len(rest) < len(name) || !strings.EqualFold(rest[:len(name)], name) {
			continue
		}
		j := at + len(name)
		for j < len(x.s) && strings.IndexByte("\"'`*", x.s[j]) >= 0 && j < at+len(name)+3 {
			j++
		}
		space := j
		for j < len(x.s) && x.s[j] == ' ' && j-space < 3 {
			j++
		}
		switch {
		case j < len(x.s) && (x.s[j] == '=' || x.s[j] == ':'):
			j++
		case name == "bearer" && j > space:
		default:
			return
		}
		for j < len(x.s) && strings.IndexByte(" \t\"'`*=>", x.s[j]) >= 0 && j-space < 12 {
			j++
		}
		end := j
		for end < len(x.s) && end-j < 512 && x.s[end] > ' ' && strings.IndexByte("\"'`<>,;&)", x.s[end]) < 0 {
			end++
		}
		value := strings.TrimRight(x.s[j:end], ".*")
		if isSecretValue(value, name, x.Loose) {
			x.add(j, j+len(value), Secret)
		}
		return
	}
}

// maxPairName limits the length of a name in pairs, in bytes.
const maxPairName = 24

// isSecretValue reports whether a value is more than an ordinary word.
// "Password: required" contains no secret.
func isSecretValue(value, name string, loose bool) bool {
	if len(value) < 4 || strings.Contains(value, "://") {
		return false
	}
	switch strings.ToLower(value) {
	case "null", "none", "true", "false", "required", "optional", "string", "undefined", "forgot", "forgotten", "password", "change", "reset", "your", "hidden":
		return false
	}
	odd := digits(value) > 0 || strings.ContainsAny(value, "!$%^&#@*_+=/\\-") || loose
	if name == "token" || name == "secret" || name == "bearer" || name == "pin code" {
		return odd && len(value) >= 8 && diverse(value)
	}
	mixed := value != strings.ToLower(value) && value[1:] != strings.ToLower(value[1:])
	return odd || mixed
}

// machine finds the IP or MAC address at start.
func (x *scan) machine(start int) {
	if start > 0 && (isAlnum(x.s[start-1]) || strings.IndexByte(".:-_", x.s[start-1]) >= 0 && (start < 2 || isAlnum(x.s[start-2]))) {
		return
	}
	end := start
	for end < len(x.s) && end-start < 48 && (isHex(x.s[end:end+1]) || strings.IndexByte(".:-", x.s[end]) >= 0) {
		end++
	}
	if end < len(x.s) && isAlnum(x.s[end]) {
		return
	}
	s := strings.TrimRight(x.s[start:end], ".-")
	if t := strings.TrimSuffix(s, ":"); t != s && !strings.HasSuffix(s, "::") {
		s = t
	}
	port := s
	if i := strings.LastIndexByte(s, ':'); i >= 0 && strings.Count(s, ":") == 1 {
		port = s[:i]
	}
	switch {
	case isIPv4(port):
		if x.before(start, "version", "ver", "v", "release") || port == "0.0.0.0" || strings.HasPrefix(port, "127.") {
			return
		}
		x.add(start, start+len(port), Secret)
	case strings.Count(s, ":") >= 2 && isIPv6(s), isMAC(s):
		x.add(start, start+len(s), Secret)
	}
}

// isIPv4 reports whether s consists of four numbers from 0 to 255.
func isIPv4(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is4()
}

// isIPv6 reports whether s is an IPv6 address of more than six characters.
// Shorter ones, such as ::1, are not personal data.
func isIPv6(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is6() && len(s) > 6
}

// isMAC reports whether s is six pairs of hexadecimal digits.
func isMAC(s string) bool {
	if len(s) != 17 || s[2] != ':' && s[2] != '-' {
		return false
	}
	for i := range len(s) {
		if i%3 == 2 && s[i] != s[2] || i%3 != 2 && !isHex(s[i:i+1]) {
			return false
		}
	}
	return true
}
