// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
)

// The nineteenth set tells whether what was mended for the eighteenth helps elsewhere. It has three sites of
// other makers:
//
//  1. Lithuanian libraries as terms and definitions, with dates as "2024 m. gegužės 12 d.", opaque next pages, and
//     numbers in words
//  2. results of English sales in tables whose caption states the units, with estimates as ranges, the day of
//     the sale as a heading, and a next page that no word names
//  3. French halls for hire in cards with pictures as labels, and the rest in a sentence of their pages

// nineteenthSites are the sites of the nineteenth set.
func nineteenthSites() []*site {
	return []*site{
		{
			host: "bibliotekos-pavilnis.test", lang: "lt", title: "Pavilnio rajono bibliotekos", noun: "biblioteka", member: "bibliotekos", n: 30, per: 10,
			names: pairs("Ąžuolų Beržų Drebulių Gluosnių Klevų Liepų", "filialas skyrius skaitykla knygynėlis namai", "%s %s"),
			list:  "form", paging: "more", cursor: true, token: "zyma", onward: "Likusios bibliotekos", detail: "form", path: func(i int, _ *thing) string { return "/b/" + opaque("lt", i) },
			form: form{
				before: `<dl class="sarasas">`,
				item: `<dt>{name}</dt><dd>{vieta}</dd><dd>Fondas: {fondas|Fondas: } egz.</dd><dd>Darbuotojai: {zmones|Darbuotojai: }</dd><dd>Wi-Fi: {wifi|Wi-Fi: }</dd>
`,
				after:  `</dl>`,
				detail: `<div class="info"><p><b>Plotas</b><br>{plotas}</p><p><b>Įkurta</b><br>{ikurta}</p><p><b>Paskutinė inventorizacija</b><br>{inv}</p><p><b>Kompiuteriai</b><br>{pc}</p><p><b>Keltuvas</b><br>{keltuvas}</p></div>`,
			},
			columns: []column{
				{name: "biblioteka", kind: "string", about: "bibliotekos pavadinimas", label: "Biblioteka"},
				{name: "vieta", kind: "string", about: "vietovė", on: "list", make: one("Pavilnys", "Rokantiškės", "Kairėnai")},
				{name: "fondas", kind: "integer", about: "knygų skaičius", on: "list", make: whole(2100, 48000, " ", "%s")},
				{name: "zmones", kind: "integer", about: "darbuotojų skaičius", on: "list", make: anyOf([]float64{1, 2, 3, 5, 12}, "vienas", "du", "trys", "penki", "dvylika")},
				{name: "wifi", kind: "boolean", about: "yra belaidis internetas", on: "list", make: flag(0.7, "taip", "ne")},
				{name: "plotas", kind: "number", about: "plotas kvadratiniais metrais", on: "detail", make: decimal(60, 1400, ",", "%s m²")},
				{name: "ikurta", kind: "integer", about: "įkūrimo metai", on: "detail", make: whole(1921, 2004, "", "%s m.")},
				{name: "inv", kind: "date", about: "inventorizacijos diena", on: "detail", make: day(2021, 2026, "lt", "Y m. N D d.")},
				{name: "pc", kind: "integer", about: "kompiuterių skaičius", on: "detail", make: either(whole(2, 20, "", "%s"), anyOf([]float64{0, 1, 4}, "nėra", "vienas", "keturi"))},
				{name: "keltuvas", kind: "boolean", about: "yra keltuvas", on: "detail", make: worded(0.4, []string{"yra", "taip"}, []string{"nėra", "neveikia"})},
			},
		},
		{
			host: "saltmarsh-sales.test", lang: "en-GB", title: "Silver sales at Saltmarsh", noun: "lot", member: "lots", n: 36, per: 12, paging: "older", by: "sold_on", onward: "Sales before these",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Cream jug", "Sugar tongs", "Salver", "Caddy spoon", "Mustard pot", "Snuff box"}[i%6] + fmt.Sprintf(" %d%s", 104+i*3, []string{"", "A", "B"}[i%3])
			},
			list: "form",
			form: form{
				before: `<table class="res"><caption>Hammer prices and estimates in £, weights in g, heights in mm</caption><thead><tr><th>Lot</th><th>Maker</th><th>Made</th><th>Weight</th><th>Height</th><th>Estimate</th><th>Hammer</th><th>Sold on</th><th>Marks</th></tr></thead><tbody>`,
				item: `<tr><td>{name}</td><td>{maker}</td><td>{made}</td><td>{weight}</td><td>{height}</td><td>{low}–{high}</td><td>{hammer}</td><td>{sold_on}</td><td>{marked}</td></tr>
`,
				after: `</tbody></table><p class="small">Buyer's premium of 24% is not included.</p>`,
			},
			columns: []column{
				{name: "lot", kind: "string", about: "what the lot is, with its number", label: "Lot"},
				{name: "maker", kind: "string", about: "maker", make: one("H. Bexley", "Widow Cotes", "unknown")},
				{name: "made", kind: "integer", about: "year in which it was made", make: either(year(1710, 1890), whole(1710, 1890, "", "c.%s"))},
				{name: "weight", kind: "number", about: "weight in kilograms", make: scaled(21, 90, 0.01, "", "%s")},
				{name: "height", kind: "number", about: "height in centimetres", make: anyOf([]float64{4.5, 6.2, 11, 15.8}, "45", "62", "110", "158")},
				{name: "low", kind: "integer", about: "low estimate in pounds", make: stepped(4, 19, 20, ",", "%s")},
				{name: "high", kind: "integer", about: "high estimate in pounds", make: stepped(20, 90, 20, ",", "%s")},
				{name: "hammer", kind: "integer", about: "hammer price in pounds", make: stepped(91, 180, 20, ",", "%s"), missing: 0.12, blank: "unsold"},
				{name: "sold_on", kind: "date", about: "day of the sale", make: day(2023, 2026, "en", "D A Y")},
				{name: "marked", kind: "boolean", about: "is hallmarked", make: worded(0.7, []string{"full", "clear"}, []string{"none", "unmarked"})},
			},
		},
		{
			host: "salles-du-gave.test", lang: "fr", title: "Louer une salle dans la vallée du Gave", noun: "salle", member: "salles", n: 28, per: 14, pager: true, paging: "numbered",
			names: pairs("Salle Foyer Grange Pavillon", "Béliou d'Arrious Cézy des Isards Estaubé Fontfroide Gerde", "%s %s"),
			list:  "form", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/salles/%d-%s", 12+i, opaque("fr", i)) },
			form: form{
				before: `<div class="grille">`,
				item: `<div class="carte"><h3>{name}</h3><p><img src="/p/lieu.svg" alt="Commune"> {commune}</p><p>{assis|<img src="/p/assis.svg" alt="Places assises"> } <img src="/p/debout.svg" alt="Debout"> {debout}</p><p><img src="/p/prix.svg" alt="Prix à la journée"> {prix}</p></div>
`,
				after:  `</div>`,
				detail: `<p>Construite en {an}, {salle} offre {surface} et {cuisine}. Le ménage coûte {menage}, la caution est de {caution}. {sono} Réservation au plus tard {delai} avant la date. Prochaine date libre : {libre}.</p>`,
			},
			columns: []column{
				{name: "salle", kind: "string", about: "nom de la salle", label: "Salle"},
				{name: "commune", kind: "string", about: "commune", on: "list", make: one("Luz", "Gavarnie-Dessus", "Saint-Pé")},
				{name: "assis", kind: "integer", about: "places assises", on: "list", make: either(whole(25, 99, " ", "%s"), anyOf([]float64{12, 24, 70}, "une douzaine", "deux douzaines", "soixante-dix"))},
				{name: "debout", kind: "integer", about: "personnes debout", on: "list", make: whole(110, 420, " ", "%s debout")},
				{name: "prix", kind: "number", about: "prix à la journée en euros", on: "list", make: free(stepped(18, 130, 5, " ", "%s €"), 7, "sans frais")},
				{name: "an", kind: "integer", about: "année de construction", on: "detail", make: year(1890, 2015)},
				{name: "surface", kind: "integer", about: "surface en mètres carrés", on: "detail", make: whole(60, 390, " ", "%s m²")},
				{name: "cuisine", kind: "boolean", about: "il y a une cuisine", on: "detail", make: worded(0.6, []string{"une cuisine équipée", "un coin cuisine"}, []string{"pas de cuisine", "un simple évier"})},
				{name: "menage", kind: "number", about: "coût du ménage en euros", on: "detail", make: anyOf([]float64{40, 60, 75}, "quarante euros", "60 €", "75 euros")},
				{name: "caution", kind: "integer", about: "caution en euros", on: "detail", make: stepped(3, 16, 50, " ", "%s €")},
				{name: "sono", kind: "boolean", about: "il y a une sonorisation", on: "detail", make: worded(0.5, []string{"Sonorisation comprise.", "La salle est sonorisée."}, []string{"Pas de sonorisation.", "Apportez votre matériel."})},
				{name: "delai", kind: "integer", about: "délai de réservation en jours", on: "detail", make: anyOf([]float64{2, 7, 14, 21}, "deux jours", "une semaine", "quinze jours moins un, soit 14 jours", "trois semaines")},
				{name: "libre", kind: "date", about: "prochaine date libre", on: "detail", make: day(2026, 2027, "fr", "D N Y")},
			},
		},
	}
}

// nineteenthTasks are the questions about the nineteenth sites.
func (w *Web) nineteenthTasks() {
	w.ask("gather", "bibliotekos-pavilnis.test", "visos bibliotekos: vieta, fondas, darbuotojai, wifi, plotas, įkurta, inventorizacija, kompiuteriai, keltuvas", "biblioteka vieta fondas zmones wifi plotas ikurta inv pc keltuvas")
	w.ask("gather", "saltmarsh-sales.test", "all lots: maker, year, weight (kg), height (cm), estimates, hammer price, date sold, hallmarked?", "lot maker made weight height low high hammer sold_on marked")
	w.ask("gather", "salles-du-gave.test", "toutes les salles avec commune, assis, debout, prix, année, surface, cuisine, ménage, caution, sono, délai, date libre", "salle commune assis debout prix an surface cuisine menage caution sono delai libre")

	w.ask("conditions", "bibliotekos-pavilnis.test", "su wifi ir keltuvu, bent trys darbuotojai", "biblioteka zmones", is("wifi", "=", "true", "su wifi"), is("keltuvas", "=", "true", "keltuvu"), is("zmones", ">=", "3", "bent trys darbuotojai"))
	w.ask("conditions", "bibliotekos-pavilnis.test", "daugiau kaip 500 m² ir inventorizuota nuo 2024", "biblioteka plotas inv", is("plotas", ">", "500", "daugiau kaip 500 m²").in("m²"), is("inv", ">=", "2024", "nuo 2024"))
	w.ask("conditions", "saltmarsh-sales.test", "hallmarked, heavier than half a kilo, sold for 2,000 or more", "lot weight hammer", is("marked", "=", "true", "hallmarked"), is("weight", ">", "0.5", "heavier than half a kilo").in("kg"), is("hammer", ">=", "2000", "2,000 or more"))
	w.ask("conditions", "saltmarsh-sales.test", "over 10 cm tall made before 1800, sold in 2024 or later", "lot height made sold_on", is("height", ">", "10", "over 10 cm").in("cm"), is("made", "<", "1800", "before 1800"), is("sold_on", ">=", "2024", "2024 or later"))
	w.ask("conditions", "salles-du-gave.test", "au moins 50 assis avec cuisine et sono, moins de 400 € la journée", "salle assis prix", is("assis", ">=", "50", "au moins 50 assis"), is("cuisine", "=", "true", "avec cuisine"), is("sono", "=", "true", "sono"), is("prix", "<", "400", "moins de 400 €").in("€"))
	w.ask("conditions", "salles-du-gave.test", "réservables à moins de dix jours, plus de 100 m²", "salle delai surface", is("delai", "<", "10", "moins de dix jours").in("jours"), is("surface", ">", "100", "plus de 100 m²").in("m²"))

	w.ask("top", "saltmarsh-sales.test", "three heaviest lots", "lot weight", is("weight", "top", "3", "three heaviest"))
	w.best("best", "salles-du-gave.test", "la plus grande salle à luz", "salle surface", is("commune", "=", "Luz", "à luz"), is("surface", "top", "1", "plus grande"))
	w.count("count", "bibliotekos-pavilnis.test", "kiek bibliotekų neturi kompiuterių", is("pc", "=", "0", "neturi kompiuterių"))
	w.count("count", "saltmarsh-sales.test", "how many by widow cotes?", is("maker", "=", "Widow Cotes", "by widow cotes"))
	w.compare("comparison", "salles-du-gave.test", "%s ou %s ? prix, surface, caution", "salle prix surface caution", 4, 19)
	w.lookup("lookup", "bibliotekos-pavilnis.test", "kiek knygų turi %s ir kiek ten kompiuterių", "fondas pc", 17)
	w.lookup("lookup", "saltmarsh-sales.test", "what did %s weigh and make", "weight hammer", 20)
	w.open("open", "saltmarsh-sales.test", "caddy spoons: weight, hammer price", "lot weight hammer", is("lot", "contains", "Caddy spoon", "caddy spoons"))
}
