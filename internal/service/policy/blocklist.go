// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"
	"strings"
	"unicode"

	"example.com/curlew/account"
	"example.com/curlew/internal/weburl"
)

// Blocked refuses a URL that the blocklist of the team covers. what is the word for the URL
// at the beginning of the sentence.
func Blocked(p *account.Policy, what string, u weburl.URL) string {
	host := u.HostKey()
	i := slices.IndexFunc(p.Blocklist, func(entry string) bool {
		domain := strings.ToLower(strings.Trim(entry, ". "))
		if strings.ContainsFunc(domain, func(r rune) bool { return r > unicode.MaxASCII }) {
			u, err := weburl.Parse("http://" + domain)
			if err != nil {
				return false
			}
			domain = u.HostKey()
		}
		return domain != "" && (host == domain || strings.HasSuffix(host, "."+domain))
	})
	if i < 0 {
		return ""
	}
	return what + " " + weburl.Redacted(u.String()) + " is blocked for this team (rule: blocklist " + p.Blocklist[i] + ")"
}
