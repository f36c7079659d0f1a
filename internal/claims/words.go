// SPDX-License-Identifier: Apache-2.0

package claims

import "strings"

// set returns the words of a text.
func set(text string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		all[word] = true
	}
	return all
}

// numbered returns the number of the line of each word in text. The first line has the number first.
func numbered(first int, text string) map[string]int {
	all := map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		for word := range strings.FieldsSeq(line) {
			all[word] = first + i
		}
	}
	return all
}

// numerals contains small numbers as words.
var numerals = numbered(0, "zero\none\ntwo zwei deux\nthree drei trois\nfour vier quatre\nfive fünf cinq\nsix sechs\nseven sieben\neight acht\nnine neun\nten zehn\neleven\ntwelve")

// months contains the names of months.
var months = numbered(1, `january jan januar janvier enero gennaio janeiro januari
february feb februar février febrero febbraio fevereiro februari
march mar märz mars marzo março maart marts
april apr avril abril aprile
may mai mayo maggio maio mei maj
june jun juni juin junio giugno junho
july jul juli juillet julio luglio julho
august aug août agosto augusti augustus
september sep sept septembre septiembre settembre setembro
october oct oktober okt octobre octubre ottobre outubro
november nov novembre noviembre novembro
december dec dezember dez décembre diciembre dicembre dezembro`)

// scales contains the exponents of words for powers of ten.
var scales = numbered(3, `k thousand tsd tausend mille mil
万

m mn mio mill million millions millionen milioni millones milhões miljoner млн

億 亿
b bn mrd billion billionen milliarden milliards miliardi miljarder млрд


tn trillion`)

// units contains for each word for a unit or a currency the first word for it.
var units = grouped(`€ eur euro euros, $ usd dollar dollars, £ gbp, ¥ jpy yen 円, chf franken francs fr, kr sek nok dkk, zł pln,
	% percent prozent procent, kg kilogram kilograms kilo kilos, g gram grams gramm grammes, mg, lb lbs, km kilometre kilometer kilometers kilometres, m metre metres meter meters, cm, mm,
	mi mile miles, ft feet, l litre litres liter liters, ml, cl, day days tag tage tagen jour jours día días giorni dagen, week weeks woche wochen semaines semanas settimane weken,
	month months monat monate monaten mois meses mesi maanden, year years jahr jahre jahren ans años anni jaar, hour hours h stunde stunden heures horas ore, minute minutes min minuten minutos minuti,
	second seconds s sekunden secondes segundos, w, kw, mw, kwh, mwh, kb, mb, gb, tb, °c celsius, °f fahrenheit`)

// money reports whether a unit is a currency.
func money(unit string) bool { return unit != "" && strings.Contains("€ $ £ ¥ chf kr zł", unit) }

// grouped maps each word to the first one of its group. Commas separate the groups.
func grouped(text string) map[string]string {
	all := map[string]string{}
	for group := range strings.SplitSeq(text, ",") {
		words := strings.Fields(group)
		for _, word := range words {
			all[word] = words[0]
		}
	}
	return all
}

// roles contains for each word for what somebody does the first word for it. Most pages say "managing director"
// where people ask who runs the company.
var roles = grouped(`lead leads led leader run runs ran head heads headed manage manages managed manager managing director directors directs ceo chief executive chair chairs
	president boss leitet leiter leiterin leitung geleitet führt geführt geschäftsführer geschäftsführerin geschäftsführung chef chefin dirige dirigée dirigé directeur directrice direction gérant gérante dirigeant
	director directora dirige gerente direttore direttrice presidente,
	found founded founder founders established gegründet gründer gründerin gründete fondé fondateur fondatrice fondée fundó fundador fundadora fundada fondato fondatore,
	write wrote written author authors writer autor autorin verfasst geschrieben auteur autrice écrit autora escrito autore scritto,
	teach teaches taught teacher tutor instructor trainer lecturer lehrer lehrerin dozent dozentin unterrichtet kursleiter kursleiterin kursleitung enseigne professeur formateur enseignant profesor profesora insegnante,
	own owns owned owner owners proprietor inhaber inhaberin besitzer besitzerin gehört eigentümer propriétaire propietario propietaria dueño proprietario titolare,
	win wins won winner winners gewinner gewinnerin gewann sieger siegerin gagnant gagnante lauréat vainqueur ganador ganadora vincitore vincitrice`)

// pronouns are words for who or what stands before.
var pronouns = set(`he she it they his her its their er sie es ihr seine ihre il elle ils elles son sa él ella ellos su lui lei essi`)

// comparing are words with which an answer compares a number with one of the question.
var comparing = set(`than under over below above less more least most within exceeds cheaper between unter über weniger mehr mindestens höchstens als moins plus que menos más meno più di`)

// lessening are words that say that a number is negative.
var lessening = set(`minus below negative fell fall falls fallen decrease decreased decline declined drop dropped loss lost down less lower shrank
	unter negativ sank gesunken gefallen rückgang verlust weniger baisse baissé perte bajó caída pérdida calo perdita`)

// joining are words between parts of a sentence, like a comma.
var joining = set(`and or but while und oder aber et ou mais y pero e o ma och en`)

// turning are those behind which a negation before them does not reach.
var turning = set(`but while whereas aber sondern mais pero sino ma però mas maar но`)

// negations are words that say that something is not so.
var negations = set(`not no never none neither nor without cannot nicht kein keine keinen keiner keinem nein nie niemals ohne pas jamais aucun aucune sans ni non nunca ningún ninguna sin não sem
	niet geen nooit zonder inte ingen inget aldrig nej ikke aldri nei ekki nie bez nu fără není nejsou nesmí nem nincs sem ei eivät değil yok nėra nav tidak bukan không
	не нет нету никогда без няма немає δεν μη μην χωρίς לא אין لا غير ليس ليست لم لن नहीं न`)

// negates reports whether a word says that something is not so.
func negates(word string) bool {
	return negations[word] || word >= "\u3000" && strings.ContainsAny(word, "不没沒無无未勿않없못") || word == "ない" || word == "なし" || word == "せん" || word == "禁止"
}

// verdicts and affirmations are the words for no and yes as answers.
var (
	verdicts     = set(`no nein non não nee nej nei нет`)
	affirmations = set(`yes ja oui sí sì sim tak да`)
)

// exceptions are words with which a sentence restricts what it says.
var exceptions = set(`only except excepting excluding excludes excluded unless but closed sold lacks lack lacking missing absent fails failed until
	nur außer ausgenommen geschlossen ausverkauft fehlt sauf hormis fermé seulement salvo excepto cerrado solo sólo tranne chiuso behalve`)

// telling are words with which an answer says that a page does not state something.
var telling = set(`state say mention contain provide give list specify include answer appear find know describe tell show indicate name
	steht nennt sagt erwähnt enthält angegeben erwähnung angabe mentionne indique précise menciona indica dice`)

// opposites contains for each word the words with the opposite meaning.
var opposites = pairs(`open closed, included excluded, includes excludes, increased decreased, increase decrease, rose fell, higher lower, allowed forbidden, allowed prohibited,
	permitted prohibited, legal illegal, possible impossible, available unavailable, accepted rejected, won lost, active inactive, largest smallest, highest lowest, maximum minimum, left right, least most, before after, under over, below above, few many,
	geöffnet geschlossen, offen geschlossen, gestiegen gesunken, erlaubt verboten, inklusive exklusive, möglich unmöglich, ouvert fermé, inclus exclu, autorisé interdit,
	abierto cerrado, incluido excluido, permitido prohibido, aperto chiuso`)

// pairs returns both directions of pairs of words that are separated by commas.
func pairs(text string) map[string][]string {
	all := map[string][]string{}
	for pair := range strings.SplitSeq(text, ",") {
		words := strings.Fields(pair)
		for i, word := range words {
			all[word] = append(all[word], words[1-i])
		}
	}
	return all
}

// empty contains words that state nothing by themselves.
var empty = set(`a an the of to in on at by for from with and or but if as is are was were be been being it its this that these those there here they them their he she his her we our you your i
	do does did has have had will would can could may might shall should must which who whom whose what when where why how than then so also only about into over under between after before during
	yes per each all any some more most very up out
	der die das den dem des ein eine einen einem einer und oder aber ist sind war waren sein wird werden hat haben von zu zum zur im am auf für mit aus bei nach als auch es sie er wir ihr ja
	le la les un une des du de et ou est sont était à au aux en dans sur pour par avec il elle ils elles qui que ce cette ces oui se sa son ses
	el los las una unos unas y o es son era en por para con su sus se al del lo sí
	il lo gli i e è di da nel della dei con per si sì
	het een en van voor met op te zijn was ja`)
