// SPDX-License-Identifier: Apache-2.0

package value

import (
	"slices"
	"strings"
)

// denials are the words with which a text says that there is none of something.
var denials = wordSet(`no none nil kein keine keiner keines keinen ohne geen zonder aucun aucune sans ninguno ninguna ningún sin sen ningún ningunha enginn engin ekkert án puudub puuduvad nav nėra nessuno nessuna nessun senza nenhum nenhuma sem cap sense
	ingen inga inget intet uden uten utan ei ilman żaden żadna żadne brak bez žádný žádná žádné žádní žiadny žiadna žiadne nincs nélkül нет без немає няма χωρίς καμία fără niciun nicio yok tidak tanpa không ไม่มี なし 無し 没有 无 없음`)

// Denies reports whether a normal word says that there is none of something.
func Denies(word string) bool { return denials[word] }

// waived are words that deny a charge before its name: "fri frakt", "free delivery".
var waived = wordSet("free fri fritt fria freie freier gratis libre livre frit zdarma darmowa darmowy бесплатная бесплатный δωρεάν")

// included are the texts that say that a charge is part of the price, or that it is not asked for.
var included = wordSet("waived erlassen entfällt offert offerts exento exenta kwijtgescholden incl inbegriffen inkl enthalten compris comprise compreso compresa comprese compresi inbegrepen ingår iberegnet sisältyy wliczone wliczona zahrnuto включено включена dahil ไม่เก็บ ไม่คิด ไม่ต้องจ่าย รวมแล้ว 込み 込 含む 免除 不要 불필요")

// includes reports whether a word is one of them: many languages say it with one stem.
func includes(word string) bool {
	return included[word] || strings.HasPrefix(word, "inclu") || strings.HasPrefix(word, "inklu")
}

// needs are words such as "needed". Behind a denial they say that nothing is asked for: "none needed", "nicht erforderlich".
var needs = wordSet(`needed required necessary asked charged nötig erforderlich notwendig verlangt requis requise nécessaire exigé exigée demandé demandée requerido requerida necesario necesaria exigido exigida
	richiesto richiesta necessario necessaria necessário necessária nodig vereist krävs behövs kræves kreves nødvendig vyžaduje požaduje wymagany wymagana wymagane требуется нужен нужна нужно взимается`)

// negations are the words that deny what follows, besides those that say that there is none.
var negations = wordSet("not nicht niet non no não inte ikke nie ne не pas")

// charges are the words of fields for what is paid besides a price, so that "none" means zero.
var charges = strings.Fields(Normal(`advance bonus discount commission tax debt grant subsidy grundbetrag beitrag anzahlung vorschuss provision zuschuss cotisation remise acompte subvention cuota anticipo descuento comisión subvención contributo sconto acconto sovvenzione
	desconto adiantamento comissão bijdrage korting aanbetaling voorschot subsidie rabatt förskott bidrag rabat zaliczka fee fees charge charges cost costs toll deposit surcharge gebühr gebühren kosten kaution frais supplément caution coste costes tasa tasas gastos costo costi spese spesa custo taxa taxas leges toeslag
	borg avgift gebyr kostnad kostnader omkostninger shipping delivery postage porto versand frakt fragt livraison envío spedizione verzending dostawa opłata opłaty kaucja poplatek poplatky сбор плата díj มัดจำ ค่าธรรมเนียม ค่าส่ง 手数料 送料 敷金 礼金 保証金 押金 手续费 运费 보증금 수수료 배송비`))

// counting are the words of fields for a number of things.
var counting = wordSet("wait waiting delay wartezeit verspätung attente retard espera attesa wachttijd väntetid ventetid odotusaika oczekiwania ожидания очікування votes stimmen voix votos voti stemmen röster stemmer głosy hlasy głosów голоса голосов count anzahl aantal antal antall liczba počet кількість количество брой broj număr szám lukumäärä sayısı jumlah fjöldi arv skaits skaičius počet število αριθμός αριθμό брой số 수 数 מספר عدد")

// zeroes are the words that follow a number where a description says when a field is 0, and counts
// those that follow "number" where it is none of a register.
var (
	zeroes = wordSet("if when where for means si wenn falls bei als indien se quando om när hvis når jos jeśli gdy když pokud ak ha если якщо ако αν dacă")
	counts = wordSet("of de d des di du dos das")
)

// Countable reports whether a field says that zero is one of its values: it counts things or is
// a charge, or its description says what 0 means.
func Countable(words []string) bool {
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch w {
		case "0", "zero":
			if zeroes[next] {
				return true
			}
		case "number", "nombre", "número", "numero":
			if counts[next] {
				return true
			}
		}
		if counting[w] {
			return true
		}
	}
	return ofCharge(words)
}

// ofCharge reports whether the words of a field say that it is a charge.
func ofCharge(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.ContainsFunc(charges, func(c string) bool { return w == c || len(c) > leastUnitWord && strings.HasSuffix(w, c) })
	})
}

// left are the words of fields that count what is still to be had, so that "sold out" means zero.
var left = wordSet(`left remaining available vacancies vacant free spare stock restant restante restantes restants restam restan quedan disponible disponibles disponível disponíveis libre libres livre livres übrig frei freie freien verfügbar verfügbare
	vorrat bestand beschikbaar beschikbare vrij vrije rimanenti rimasti disponibili liberi lediga ledige kvar wolne wolnych volná volných свободных осталось вільних залишилось vapaita jäljellä 残り 空き 剩余 남은`)

// OfLeft reports whether a field counts what is still to be had, such as free seats or goods in stock. words are those of
// its name and description.
func OfLeft(words []string) bool {
	return !OfMoney(words) && slices.ContainsFunc(words, func(w string) bool { return left[w] })
}

// finals are the words for the last one of several things.
var finals = wordSet("last letzter letzte letztes dernier dernière último última ultimo ultima ultimul laatste sista siste sidste ostatni ostatnia ostatnie poslední последний последняя последнее останній остання останнє viimeinen utolsó τελευταία τελευταίο")

// Final reports whether a normal text says only that something is the last one: "the last place".
func Final(s string) bool {
	said := Words(s)
	return len(said) > 0 && len(said) <= 3 && (finals[said[0]] || len(said) > 1 && finals[said[1]])
}

// unzeroed are words of fields of which the lack is no zero.
var unzeroed = wordSet(`rating score rank grade year age price limit limits maximum max minimum min size code id level floor position capacity value name bewertung note jahr alter preis grenze größe wert année âge prix limite taille
	año edad precio límite tamaño nota puntuación anno età prezzo voto ano idade preço jaar leeftijd prijs år ålder pris`)

// Lacks reports whether a normal text says only that there is none of what a field is named for:
// "no parking" for parking, "sin experiencia" for experiencia. That is zero if it can be counted.
func Lacks(s string, name []string) bool {
	said := Words(s)
	if len(said) < 2 || len(said) > 3 || !denials[said[0]] || strings.ContainsAny(s, "0123456789") || OfMoney(name) {
		return false
	}
	return mentions(said[1:], name) && !slices.ContainsFunc(append(said[1:], name...), func(w string) bool { return unzeroed[w] })
}

// LacksPart reports whether a part of a normal text says so, such as a cell or what follows a label.
func LacksPart(s string, name []string) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("|·•;:,()", r) }) {
		if Lacks(part, name) {
			return true
		}
	}
	return false
}

// mentions reports whether a text has a word of a field, or a part of a compound: "frakt" for
// "fraktkostnad".
func mentions(said, words []string) bool {
	return ShareStem(said, words) || slices.ContainsFunc(said, func(w string) bool {
		return len(w) >= leastUnitWord && slices.ContainsFunc(words, func(f string) bool { return strings.HasPrefix(f, w) || strings.HasSuffix(f, w) })
	})
}

// None reports whether a normal text says only that there is none of what a field with these words
// is about: "none", "geen", "sin crianza" for months of crianza.
func None(s string, words []string) bool {
	if strings.ContainsAny(s, "0123456789") {
		return false
	}
	said := Words(s)
	if len(said) == 0 || len(said) > 3 {
		return false
	}
	if len(said) == 1 && includes(said[0]) || len(said) > 1 && waived[said[0]] {
		return ofCharge(words) && (len(said) == 1 || mentions(said[1:], words))
	}
	if needless(said) {
		return true
	}
	if !denials[said[0]] {
		return false
	}
	return len(said) == 1 || mentions(said[1:], words)
}

// needless reports whether some words say only that a thing is not needed.
func needless(said []string) bool {
	return len(said) == 2 && (denials[said[0]] || negations[said[0]]) && needs[said[1]]
}

// Nones reports whether a part of a normal text says so: with a word of the field behind the
// denial, or behind the label of the field, or in a cell or a line of its own.
func Nones(s string, words []string) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("|·•;,()", r) }) {
		label, rest, labelled := strings.Cut(part, ": ")
		if said := strings.Trim(rest, " ."); labelled && (denials[said] || includes(said) && ofCharge(words) || needless(Words(said))) && mentions(Words(label), words) {
			return true
		}
		said := Words(part)
		if needless(said) {
			return true
		}
		for i, w := range said {
			if (denials[w] || waived[w] && len(said) > 1 && ofCharge(words)) && (len(said) == 1 || i+1 < len(said) && mentions(said[i+1:i+2], words)) {
				return true
			}
			if i > 0 && needless(said[i:]) && mentions(said[:i], words) {
				return true
			}
		}
	}
	return false
}
