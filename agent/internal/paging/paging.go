// SPDX-License-Identifier: Apache-2.0

// Package paging finds the page of a listing that follows another one, by links, texts and
// numbers.
package paging

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"example.com/curlew/agent/internal/lines"
	"example.com/curlew/agent/internal/value"
)

// Link is a link of a page.
type Link struct {
	URL  string // as on the page
	Text string
	Rel  string
}

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
	"încarcă mai multe": true, "mai multe": true, "vezi mai multe": true, "arată mai multe": true, "următoarea": true, "pagina următoare": true, "xem thêm": true, "tải thêm": true, "hiển thị thêm": true, "trang sau": true, "tiếp theo": true,
	"טען עוד": true, "הצג עוד": true, "עוד": true, "לעמוד הבא": true, "और देखें": true, "और दिखाएँ": true, "और लोड करें": true, "अगला पृष्ठ": true, "carrega'n més": true, "mostra'n més": true, "més": true, "següent": true, "pàgina següent": true,
	"daha fazla göster": true, "sonraki sayfa": true, "показать еще": true, "загрузить ещё": true, "загрузить еще": true, "следующая страница": true, "показати більше": true, "завантажити ще": true, "далі": true, "наступна сторінка": true,
	"više": true, "prikaži više": true, "učitaj još": true, "sljedeća": true, "sledeća": true, "naslednja": true, "prikaži več": true, "zobraziť viac": true, "načítať ďalšie": true, "ďalšia": true, "zobrazit další": true, "další strana": true, "следваща": true, "покажи още": true, "још": true,
	"rodyti daugiau": true, "kitas": true, "rādīt vairāk": true, "nākamā": true, "näita rohkem": true, "järgmine": true, "seuraava sivu": true, "næste side": true, "hent flere": true, "vis mer": true, "last inn flere": true, "neste side": true, "nästa sida": true, "sýna meira": true, "næsta": true,
	"επόμενη": true, "επόμενο": true, "περισσότερα": true, "επόμενη σελίδα": true, "عرض المزيد": true, "المزيد": true, "تحميل المزيد": true, "الصفحة التالية": true, "بیشتر": true, "بعدی": true, "โหลดเพิ่ม": true, "ดูเพิ่มเติม": true, "หน้าถัดไป": true,
	"muat lebih banyak": true, "lihat lainnya": true, "selanjutnya": true, "berikutnya": true, "halaman berikutnya": true, "seterusnya": true, "további": true, "továbbiak": true, "több": true, "következő oldal": true, "następna strona": true, "załaduj więcej": true, "volgende pagina": true,
	"もっと見る": true, "さらに表示": true, "続きを見る": true, "過去の記事": true, "古い記事": true, "加载更多": true, "查看更多": true, "更多": true, "載入更多": true, "더 보기": true, "더보기": true, "이전 글": true,
}

// Next returns the canonical URL of the page after this one in a listing.
func Next(final string, links []Link, l *lines.Linker) string {
	resolve := func(ref string) string {
		u, err := l.Base.Link(ref)
		if err != nil {
			return ""
		}
		return value.Canonical(u.String())
	}
	here := value.Canonical(final)
	elsewhere := "" // a next page on another host, which may be a mirror or an advertisement
	for _, link := range links {
		for rel := range strings.FieldsSeq(strings.ToLower(link.Rel)) {
			c := resolve(link.URL)
			switch {
			case rel != "next" || c == "" || c == here:
			case origin(c) == origin(here):
				return c
			default:
				elsewhere = cmp.Or(elsewhere, c)
			}
		}
	}
	if next := pageBehind(here, links, resolve); next != "" {
		return next
	}
	return elsewhere
}

// origin returns the scheme, the host and the port of a canonical URL.
func origin(canonical string) string {
	scheme, rest, _ := strings.Cut(canonical, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	return scheme + "://" + host
}

// saysNext reports whether the normal text of a link says that the next page is behind it:
// "Load more", or "Load more recipes".
func saysNext(text string) bool {
	text = strings.Trim(text, " ›»→>…+")
	if nextWords[text] {
		return text != ""
	}
	first := moreOf.FindString(text)
	return first != "" && len(strings.Fields(text[len(first):])) <= maxThings
}

// moreOf matches the beginning of the text of a link that names what it brings more of.
var moreOf = regexp.MustCompile(`^(?:(?:load|show|see|view) (?:\d+ )?more|next \d+|afficher plus de|voir plus de|cargar más|mostrar más|ver más|mostra altri|carica altri|weitere|nächste \d+|carregar mais|mostrar mais|toon meer|meer|visa fler|vis flere|pokaż więcej|показать ещё)(?: |$)`)

// maxThings is the number of words that may name them.
const maxThings = 3

// leastDetails is the number of addresses that links with one text lead to if the text stands
// beside each thing of a list, such as "more information".
const leastDetails = 3

// wordBehind returns the URL of the page of the same host behind the first text that says that it
// is the next one.
func wordBehind(here string, links []Link, resolve func(ref string) string) string {
	behind := map[string][]string{}
	var texts []string
	for _, link := range links {
		text := value.Normal(link.Text)
		if !nextWords[text] && !saysNext(text) || len(behind[text]) >= leastDetails {
			continue
		}
		c := resolve(link.URL)
		if c == "" || c == here || origin(c) != origin(here) || slices.Contains(behind[text], c) {
			continue
		}
		if behind[text] == nil {
			texts = append(texts, text)
		}
		behind[text] = append(behind[text], c)
	}
	for _, text := range texts {
		if all := behind[text]; len(all) < leastDetails {
			return all[0]
		}
	}
	return ""
}

// pageBehind returns the URL of the page of the same host that links say is the next one.
func pageBehind(here string, links []Link, resolve func(ref string) string) string {
	if next := wordBehind(here, links, resolve); next != "" {
		return next
	}
	base, k := Number(here)
	first, at := Offset(here)
	next, least := "", 0
	for _, link := range links {
		c := resolve(link.URL)
		if c == "" {
			continue
		}
		if other, n := Number(c); n == k+1 && other == base && n > 1 {
			return c
		}
		if other, n := Offset(c); other == first && n > at && (next == "" || n < least) {
			next, least = c, n
		}
	}
	if next != "" {
		return next
	}
	if next = nextNumber(here, links, resolve); next != "" {
		return next
	}
	return nextCursor(here, links, resolve)
}
