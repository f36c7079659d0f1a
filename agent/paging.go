// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/value"
	"example.com/curlew/internal/weburl"
)

// nextWords are the texts of links to the next page.
var nextWords = map[string]bool{
	"next": true, "next page": true, "next »": true, "next ›": true, "next >": true, "next →": true, "older": true, "older posts": true, "more results": true, "load more": true, "show more": true,
	"weiter": true, "nächste": true, "nächste seite": true, "vor": true, "suivant": true, "suivante": true, "page suivante": true, "siguiente": true, "página siguiente": true,
	"próximo": true, "próxima": true, "seguinte": true, "successiva": true, "successivo": true, "avanti": true, "volgende": true, "nästa": true, "neste": true, "næste": true, "seuraava": true,
	"następna": true, "dalej": true, "další": true, "következő": true, "înainte": true, "sonraki": true, "далее": true, "следующая": true, "вперёд": true, "наступна": true,
	"次へ": true, "次のページ": true, "下一页": true, "下一頁": true, "다음": true, "التالي": true, "הבא": true, "अगला": true, "ถัดไป": true, "tiếp": true,
	"»": true, "›": true, ">": true, "→": true, ">>": true,
	"older entries": true, "older articles": true, "older items": true, "older news": true, "previous entries": true, "previous posts": true, "more": true, "see more": true, "view more": true, "show more results": true,
	"mehr": true, "mehr anzeigen": true, "mehr laden": true, "weitere": true, "weitere anzeigen": true, "ältere": true, "ältere beiträge": true, "ältere einträge": true,
	"afficher plus": true, "voir plus": true, "charger plus": true, "plus anciens": true, "articles plus anciens": true, "plus ancien": true,
	"cargar más": true, "ver más": true, "mostrar más": true, "anteriores": true, "más antiguos": true, "entradas antiguas": true,
	"mostra altro": true, "mostra di più": true, "carica altro": true, "altri risultati": true, "più vecchi": true, "più vecchie": true, "meno recenti": true, "precedenti": true, "articoli meno recenti": true,
	"meer": true, "meer tonen": true, "meer laden": true, "toon meer": true, "meer weergeven": true, "oudere": true, "oudere berichten": true,
	"ver mais": true, "mostrar mais": true, "carregar mais": true, "mais antigos": true, "mais antigas": true, "mensagens antigas": true, "postagens mais antigas": true,
	"visa fler": true, "ladda fler": true, "äldre": true, "äldre inlägg": true, "vis flere": true, "ældre": true, "eldre": true, "lataa lisää": true, "näytä lisää": true, "vanhemmat": true,
	"pokaż więcej": true, "więcej": true, "starsze": true, "starsze wpisy": true, "zobrazit více": true, "načíst další": true, "starší": true, "daha fazla": true, "daha eski": true, "eskiler": true,
	"показать ещё": true, "ещё": true, "больше": true, "старые": true, "более старые": true, "показати ще": true,
	"もっと見る": true, "さらに表示": true, "続きを見る": true, "過去の記事": true, "古い記事": true, "加载更多": true, "查看更多": true, "更多": true, "載入更多": true, "더 보기": true, "더보기": true, "이전 글": true,
}

// nextPage returns the canonical URL of the page after this one in a listing.
func nextPage(final string, links []Link, l *lines.Linker) string {
	resolve := func(ref string) string {
		u, err := l.Base.Link(ref)
		if err != nil {
			return ""
		}
		return value.Canonical(u.String())
	}
	here := value.Canonical(final)
	for _, link := range links {
		for rel := range strings.FieldsSeq(strings.ToLower(link.Rel)) {
			if c := resolve(link.URL); rel == "next" && c != "" && c != here {
				return c
			}
		}
	}
	for _, link := range links {
		text := value.Normal(link.Text)
		if nextWords[text] || nextWords[strings.Trim(text, " ›»→>")] && text != "" {
			if c := resolve(link.URL); c != "" && c != here && value.Host(c) == value.Host(here) {
				return c
			}
		}
	}
	base, k := pageNumber(here)
	first, at := offset(here)
	next, least := "", 0
	for _, link := range links {
		c := resolve(link.URL)
		if c == "" {
			continue
		}
		if other, n := pageNumber(c); n == k+1 && other == base && n > 1 {
			return c
		}
		if other, n := offset(c); other == first && n > at && (next == "" || n < least) {
			next, least = c, n
		}
	}
	if next != "" {
		return next
	}
	return nextNumber(here, links, resolve)
}

// maxNumber is the greatest number of a page of a listing that its links may have as
// their text. Greater numbers are years and the like.
const maxNumber = 1000

// nextNumber returns the URL of the page after this one, if links with the numbers of
// pages as their texts say which one it is.
func nextNumber(here string, links []Link, resolve func(ref string) string) string {
	byNumber := map[int]string{}
	own := 0
	for _, link := range links {
		n, err := strconv.Atoi(strings.TrimSpace(link.Text))
		if err != nil || n < 1 || n >= maxNumber || byNumber[n] != "" {
			continue
		}
		c := resolve(link.URL)
		if c == "" || value.Host(c) != value.Host(here) {
			continue
		}
		byNumber[n] = c
		if c == here && own == 0 {
			own = n
		}
	}
	if own > 0 {
		if next := byNumber[own+1]; next != here {
			return next
		}
		return ""
	}
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		c := byNumber[n]
		if was, is, ok := counts(here, c); ok && is == n && was == n-1 {
			return c
		}
	}
	if _, _, ok := counts(byNumber[2], byNumber[3]); ok && byNumber[1] == "" && strings.HasPrefix(byNumber[2], strings.TrimRight(here, "/")) {
		return byNumber[2] // this is the first page, which has no number
	}
	return ""
}

// counts returns the numbers in which two URLs differ. If they differ in anything but one
// number, ok is false.
func counts(a, b string) (x, y int, ok bool) {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	for i > 0 && a[i-1] >= '0' && a[i-1] <= '9' {
		i--
	}
	digits := func(s string) (n int, rest string, ok bool) {
		rest = strings.TrimLeft(s[i:], "0123456789")
		n, err := strconv.Atoi(s[i : len(s)-len(rest)])
		return n, rest, err == nil && n < 1e6
	}
	x, restA, okA := digits(a)
	y, restB, okB := digits(b)
	return x, y, okA && okB && restA == restB && x != y
}

// beyond returns the page of a listing after one that could not be read. That is the
// nearest of the linked pages whose URL differs from that of the failed page only in a
// greater number. If there is none, it is the page with the next number, because only
// the failed page would link it. before is the URL of the page before the failed one.
func beyond(before, failed string, linked []string) (next string, known bool) {
	least := 0
	for _, u := range linked {
		if x, y, ok := counts(failed, u); ok && y > x && (next == "" || y < least) {
			next, least = u, y
		}
	}
	if next != "" {
		return next, true
	}
	step := 0
	if x, y, ok := counts(before, failed); ok {
		step = y - x
	} else if base, n := pageNumber(failed); n == 2 {
		if first, one := pageNumber(before); first == base && one == 1 {
			step = 1
		}
	} else if base, n := offset(failed); n > 0 {
		if first, at := offset(before); first == base && at == 0 {
			step = n
		}
	}
	if step <= 0 {
		return "", false
	}
	return advanced(before, failed, step), false
}

// advanced returns a URL with its number increased by step. The number is what differs
// from the URL before it.
func advanced(before, failed string, step int) string {
	i := 0
	for i < min(len(before), len(failed)) && before[i] == failed[i] {
		i++
	}
	for i > 0 && failed[i-1] >= '0' && failed[i-1] <= '9' {
		i--
	}
	from := strings.IndexAny(failed[i:], "0123456789")
	if from < 0 {
		return ""
	}
	from += i
	to := from
	for to < len(failed) && failed[to] >= '0' && failed[to] <= '9' {
		to++
	}
	n, err := strconv.Atoi(failed[from:to])
	if err != nil {
		return ""
	}
	return failed[:from] + strconv.Itoa(n+step) + failed[to:]
}

// offset splits a URL into the number of the first thing that it lists, and the rest.
// If it has no such number, n is 0.
func offset(raw string) (base string, n int) {
	u, err := weburl.Parse(raw)
	if err != nil {
		return "", 0
	}
	query, _ := u.Query()
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		switch strings.ToLower(name) {
		case "start", "offset", "from", "skip", "first", "startindex":
			if k, err := strconv.Atoi(value); err == nil && k >= 0 {
				n = k
				continue
			}
		}
		if part != "" {
			kept = append(kept, part)
		}
	}
	return u.Origin() + u.Path() + "?" + strings.Join(kept, "&"), n
}

// pageNumber splits a URL into the number of its page and the rest. If it has no such
// number, n is 1.
func pageNumber(raw string) (base string, n int) {
	u, err := weburl.Parse(raw)
	if err != nil {
		return "", 0
	}
	query, _ := u.Query()
	n = 1
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "page", "p", "pg", "paged", "pagina", "seite":
			if k, err := strconv.Atoi(value); err == nil && k > 0 {
				n = k
				continue
			}
		}
		if part != "" {
			kept = append(kept, part)
		}
	}
	path := strings.TrimSuffix(strings.TrimSuffix(u.Path(), "/"), ".html")
	for _, mark := range []string{"/page/", "/page-", "/page"} {
		i := strings.LastIndex(path, mark)
		if i < 0 || !value.DigitsOnly(path[i+len(mark):]) {
			continue
		}
		if k, err := strconv.Atoi(path[i+len(mark):]); err == nil {
			n, path = k, path[:i]
			break
		}
	}
	return u.Origin() + path + "?" + strings.Join(kept, "&"), n
}
