// SPDX-License-Identifier: Apache-2.0

package grounding

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

// absent matches the part of a line after its label if it says that there is no value.
var absent = regexp.MustCompile(`^(?:n/a|n\.a|k\. ?a|-*|[?…]+|tb[acd]|unknown|not (?:specified|stated|known)|unbekannt|keine angaben?|inconnu|non précisé|desconocido)$`)

// uponRequest matches a text in place of a number that sends the reader to somebody who knows it.
var uponRequest = regexp.MustCompile(`^(?:(?:please )?(?:contact|ask|call) (?:us|for (?:a )?(?:price|quote))|(?:price )?(?:(?:up)?on (?:request|application|enquiry|inquiry))|p\.?o\.?a|(?:preis )?auf anfrage|(?:prix )?sur demande|nous consulter|(?:precio )?a consultar|(?:preço )?sob consulta|(?:prezzo )?su richiesta|(?:prijs )?op aanvraag|(?:pris )?på (?:begäran|förfrågan|forespørsel)|(?:cena )?(?:na zapytanie|na dotaz|na vyžádání)|(?:цена )?по запросу|要問い?合わせ|询价|문의)$`)

// topic contains the phrases that pages use for one kind of boolean field instead of
// yes and no.
type topic struct {
	names   []string // the name or the description of the field contains one of them
	alone   bool     // the name must be one of them
	no, yes []string // normal texts; a text that contains one of no does not mean yes
}

// topics contains the topics about which pages of shops and directories often write
// phrases.
var topics = []topic{
	{
		names: []string{"available", "availability", "stock", "verfügbar", "lieferbar", "disponible"},
		no: []string{
			"out of stock", "sold out", "not in stock", "not available", "unavailable", "no longer available", "currently unavailable", "out-of-stock", "outofstock", "soldout",
			"nicht auf lager", "ausverkauft", "nicht verfügbar", "nicht lieferbar", "nicht vorrätig", "vergriffen",
			"rupture de stock", "en rupture", "épuisé", "épuisée", "indisponible", "non disponible", "pas en stock",
			"agotado", "agotada", "sin existencias", "no disponible", "fuera de stock",
			"esaurito", "esaurita", "esgotado", "esgotada", "indisponível", "uitverkocht", "niet op voorraad", "slutsåld", "udsolgt", "utsolgt", "wyprzedane", "niedostępny", "нет в наличии",
			"売り切れ", "在庫なし", "在庫切れ", "品切れ", "缺货", "售罄", "품절",
		},
		yes: []string{
			"in stock", "available", "instock", "in-stock", "auf lager", "verfügbar", "lieferbar", "vorrätig", "en stock", "disponible", "en existencia", "en existencias",
			"disponibile", "em estoque", "disponível", "op voorraad", "i lager", "på lager", "dostępny", "в наличии", "在庫あり", "有货", "有現貨", "재고 있음",
		},
	},
	{
		names: []string{"open", "is open", "open now", "currently open", "geöffnet", "ouvert", "abierto"},
		alone: true,
		no:    []string{"closed", "not open", "geschlossen", "fermé", "cerrado", "chiuso", "fechado", "gesloten"},
		yes:   []string{"open", "open now", "geöffnet", "ouvert", "abierto", "aperto", "aberto"},
	},
	{
		names: []string{"active", "is active", "aktiv"},
		alone: true,
		no:    []string{"inactive", "not active", "discontinued", "retired", "deprecated", "inaktiv", "eingestellt"},
		yes:   []string{"active", "aktiv"},
	},
}

// topicOf returns the topic of a boolean field, or nil if it has none.
func topicOf(f *outline.Field) *topic {
	name := value.Normal(strings.NewReplacer("_", " ", "-", " ", ".", " ").Replace(f.Name))
	description := value.Normal(f.Node.Description)
	for i := range topics {
		t := &topics[i]
		if slices.ContainsFunc(t.names, func(w string) bool {
			return name == w || !t.alone && (value.Holds(name, w) > 0 || value.Holds(description, w) > 0 || strings.HasSuffix(value.BareName(name), w))
		}) {
			return t
		}
	}
	return nil
}

// says returns what a normal line states about a topic. If it states nothing, or both
// values, ok is false. Only short texts count: cells, or the texts between points and
// commas.
func (t *topic) says(line string) (v, ok bool) {
	if t == nil {
		return false, false
	}
	yes, no := false, false
	for _, piece := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("|·•,;", r) }) {
		if utf8.RuneCountInString(piece) > maxPhrase {
			continue
		}
		if v, labelled, ok := t.labelled(piece); labelled {
			yes, no = yes || ok && v, no || ok && !v
			continue
		}
		if _, tail, ok := strings.Cut(piece, ": "); ok && t.alone { // "open to members: on request"
			piece = tail
		}
		for _, p := range t.no {
			if value.Holds(piece, p) > 0 {
				no, piece = true, strings.ReplaceAll(piece, p, "")
			}
		}
		yes = yes || slices.ContainsFunc(t.yes, func(p string) bool { return value.Holds(piece, p) > 0 })
	}
	return yes, yes != no
}

// labelled reports whether a text has a phrase of the topic as its label, and after it a
// word for yes or no, or nothing: "In stock: no", "In stock: n/a". If it has such a word,
// ok is true, and v is what the text states.
func (t *topic) labelled(piece string) (v, labelled, ok bool) {
	tail := unlabelled(piece)
	head := strings.TrimSuffix(strings.TrimRight(piece, " .!|"), tail)
	if v, ok = booleans[tail]; !ok && !absent.MatchString(tail) {
		return false, false, false
	}
	holds := func(p string) bool { return value.Holds(head, p) > 0 }
	if slices.ContainsFunc(t.no, holds) {
		return !v, true, ok
	}
	return v, slices.ContainsFunc(t.yes, holds), ok
}

// unlabelled returns the part of a normal line after the last mark that follows a
// label.
func unlabelled(line string) string {
	said := strings.Trim(line, "|-+> ")
	for _, mark := range []string{": ", "|", " - ", " = "} {
		if i := strings.LastIndex(said, mark); i >= 0 {
			said = strings.TrimSpace(said[i+len(mark):])
		}
	}
	return strings.Trim(said, " .!")
}

// statement returns the boolean that a normal line states about anything. Its last
// part, after a label or by itself, must be a word for yes or no, or a phrase of any
// topic.
func statement(line string) (v, ok bool) {
	piece := unlabelled(line)
	if v, ok := booleans[piece]; ok {
		return v, true
	}
	for _, t := range topics {
		if slices.Contains(t.no, piece) {
			return false, true
		}
		if slices.Contains(t.yes, piece) {
			return true, true
		}
	}
	return false, false
}

// Affirms reports whether a normal text has a word for yes or no, or a phrase that stands for
// one of them.
func Affirms(text string) bool {
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("|·•,;:", r) }) {
		if _, ok := statement(strings.TrimSpace(piece)); ok {
			return true
		}
	}
	return slices.ContainsFunc(topics, func(t topic) bool {
		_, ok := t.says(text)
		return ok
	})
}
