// SPDX-License-Identifier: Apache-2.0

package value

import (
	"slices"
	"strings"
)

// denials are the words with which a text says that there is none of something.
var denials = wordSet(`no none nil kein keine keiner keines keinen ohne geen zonder aucun aucune sans ninguno ninguna ningún sin nessuno nessuna nessun senza nenhum nenhuma sem cap sense
	ingen inga inget intet uden uten utan ei ilman żaden żadna żadne brak bez žádný žádná žádné žádní žiadny žiadna žiadne nincs nélkül нет без немає няма χωρίς καμία fără niciun nicio yok tidak tanpa không なし 無し 没有 无 없음`)

// charges are the words of fields for what is paid besides a price, so that "none" means zero.
var charges = []string{
	"fee", "fees", "charge", "charges", "cost", "costs", "toll", "deposit", "surcharge", "gebühr", "gebühren", "kosten", "kaution", "frais", "supplément", "caution", "coste", "costes", "tasa", "tasas", "gastos",
	"costo", "costi", "custo", "taxa", "taxas", "leges", "toeslag", "borg", "avgift", "gebyr", "opłata", "opłaty", "kaucja", "poplatek", "poplatky", "сбор", "плата", "díj",
}

// counting are the words of fields for a number of things.
var counting = wordSet("number count anzahl nombre número numero aantal antal antall liczba počet кількість количество брой broj număr szám lukumäärä sayısı jumlah")

// Countable reports whether a field says that zero is one of its values: it counts things or is
// a charge, or its description says what 0 means.
func Countable(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return w == "0" || w == "zero" || counting[w] || slices.ContainsFunc(charges, func(c string) bool { return w == c || len(c) > leastUnitWord && strings.HasSuffix(w, c) })
	})
}

// None reports whether a normal text says only that there is none of what a field with these words
// is about: "none", "geen", "sin crianza" for months of crianza.
func None(s string, words []string) bool {
	said := Words(s)
	if len(said) == 0 || len(said) > 3 || !denials[said[0]] {
		return false
	}
	return len(said) == 1 || ShareStem(said[1:], words)
}

// Nones reports whether a part of a normal text says so: with a word of the field behind the
// denial, or behind the label of the field, or in a cell or a line of its own.
func Nones(s string, words []string) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("|·•;,()", r) }) {
		label, rest, labelled := strings.Cut(part, ": ")
		if said := strings.Trim(rest, " ."); labelled && denials[said] && ShareStem(Words(label), words) {
			return true
		}
		said := Words(part)
		for i, w := range said {
			if denials[w] && (len(said) == 1 || i+1 < len(said) && ShareStem(said[i+1:i+2], words)) {
				return true
			}
		}
	}
	return false
}
