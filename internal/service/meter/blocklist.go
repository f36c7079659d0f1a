// SPDX-License-Identifier: Apache-2.0

package meter

import (
	"slices"
	"strings"
	"unicode"

	"example.com/curlew/account"
	"example.com/curlew/internal/weburl"
)

// Blocked returns the entry of the blocklist of p that covers u, if there is one.
func Blocked(p *account.Policy, u weburl.URL) (string, bool) {
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
		return "", false
	}
	return p.Blocklist[i], true
}
