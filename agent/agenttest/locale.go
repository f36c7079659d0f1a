// SPDX-License-Identifier: Apache-2.0

package agenttest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// locale contains the rules by which a language writes numbers and dates, and its
// labels.
type locale struct {
	lang, group, point string
	prefix, suffix     string // of a price
	whole              bool   // prices have no decimals
	months             []string
	date               string // contains %d, %m and %y
	labels             map[string]string
	claim              string // contains %d for first, last and total
	next               string
	in, out            string // texts for available and sold out
}

var locales = map[string]locale{
	"en": {
		lang: "en", group: ",", point: ".", prefix: "$", date: "%m %d, %y",
		months: strings.Fields("January February March April May June July August September October November December"),
		labels: map[string]string{"code": "Reference", "name": "Name", "price": "Price", "stock": "Stock", "since": "Since", "maker": "Maker", "available": "Availability"},
		claim:  "Showing %d–%d of %d results", next: "Next", in: "In stock", out: "Sold out",
	},
	"de": {
		lang: "de", group: ".", point: ",", suffix: " €", date: "%d. %m %y",
		months: strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
		labels: map[string]string{"code": "Artikelnummer", "name": "Bezeichnung", "price": "Preis", "stock": "Bestand", "since": "Seit", "maker": "Hersteller", "available": "Verfügbarkeit"},
		claim:  "%d–%d von %d Treffern", next: "Weiter", in: "Auf Lager", out: "Ausverkauft",
	},
	"fr": {
		lang: "fr", group: "\u202f", point: ",", suffix: " €", date: "%d %m %y",
		months: strings.Fields("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
		labels: map[string]string{"code": "Référence", "name": "Nom", "price": "Prix", "stock": "Quantité", "since": "Depuis", "maker": "Fabricant", "available": "Disponibilité"},
		claim:  "%d–%d sur %d résultats", next: "Suivant", in: "En stock", out: "Épuisé",
	},
	"es": {
		lang: "es", group: ".", point: ",", suffix: " €", date: "%d de %m de %y",
		months: strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
		labels: map[string]string{"code": "Referencia", "name": "Nombre", "price": "Precio", "stock": "Existencias", "since": "Desde", "maker": "Fabricante", "available": "Disponibilidad"},
		claim:  "%d–%d de %d resultados", next: "Siguiente", in: "En existencia", out: "Agotado",
	},
	"ja": {
		lang: "ja", group: ",", point: ".", prefix: "¥", whole: true, date: "%y年%n月%d日",
		months: strings.Fields("1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月"),
		labels: map[string]string{"code": "商品番号", "name": "商品名", "price": "価格", "stock": "在庫数", "since": "発売日", "maker": "メーカー", "available": "在庫状況"},
		claim:  "%d〜%d件を表示、全%d件", next: "次へ", in: "在庫あり", out: "売り切れ",
	},
}

// integer returns n with its digits in groups.
func (l locale) integer(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + l.group + s[i:]
	}
	return s
}

// money returns an amount in cents as text.
func (l locale) money(cents int) string {
	if l.whole {
		return l.prefix + l.integer(cents/100) + l.suffix
	}
	return l.prefix + l.integer(cents/100) + l.point + fmt.Sprintf("%02d", cents%100) + l.suffix
}

// day returns a date in words.
func (l locale) day(t time.Time) string {
	return strings.NewReplacer("%d", strconv.Itoa(t.Day()), "%m", l.months[t.Month()-1], "%n", strconv.Itoa(int(t.Month())), "%y", strconv.Itoa(t.Year())).Replace(l.date)
}

func (l locale) claimed(first, last, total int) string {
	return fmt.Sprintf(l.claim, first, last, total)
}
