// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// The twenty-first set has numbers in words within sentences, on pages and in questions:
//
//  1. English boarding kennels: "half a dozen dogs and no cats", "walked three times a day"
//  2. German driving schools: prices with a dash for cents, "zweimal die Woche", waiting in weeks or none
//  3. French jumble sales: weekdays before dates, "une centaine d'exposants", "dès six heures", sales that are cancelled
//  4. Spanish escape rooms: "de dos a seis jugadores", "hora y media", grades out of five
//  5. Swedish saunas and English ones, in one answer: degrees of two scales, seats in words
//  6. Dutch care farms: details that do not exist, areas in hectares and square metres
//  7. a log of a mountain rescue: times of the day, durations in words, "none" and "one" beside figures
//  8. Italian beach clubs: "un centinaio", distances in two units, days without a year
//  9. Portuguese places for motorhomes: nights in words, "grátis", thousands with a point
//  10. small presses, the groups that bought them, and who runs these
//
// Its questions say "more than three", "half a dozen at least", "under a hundred", "only" and "neither".

// twentyFirstSites are the sites of the twenty-first set.
func twentyFirstSites() []*site {
	groups := []string{"Halyard Media", "Quoin and Fell", "Bindery Lane", "Octavo Partners"}
	sauna := func(host, lang, title, noun, names, format string, price string, seats, temps maker, yes, no []string) *site {
		return &site{
			host: host, lang: lang, title: title, noun: noun, member: "saunas", n: 16, per: 8,
			names: pairs(names, "Norra Södra Östra Västra", format),
			list:  "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return "/s/" + opaque(host, i) },
			form: form{
				item: `<li class="s"><h3>{name}</h3><span>{price}</span></li>
`,
				detail: map[string]string{
					"sv": `<p>Plats för {seats} personer. Bastun blir {temp} varm.</p><p>Vedeldad: {wood}</p><p>Öppnade {opened}</p>`,
					"en": `<p>Seats {seats} bathers. The stove reaches {temp}.</p><p>Wood-fired: {wood}</p><p>Opened {opened}</p>`,
				}[lang],
			},
			columns: []column{
				{name: "sauna", kind: "string", about: "name of the sauna", label: "Sauna"},
				{name: "price", kind: "number", about: "price of a visit in kronor", on: "list", make: free(stepped(4, 22, 10, " ", price), 6, map[string]string{"sv": "gratis", "en": "free"}[lang])},
				{name: "seats", kind: "integer", about: "how many people it seats", on: "detail", make: seats},
				{name: "temp", kind: "integer", about: "temperature in °C", on: "detail", make: temps},
				{name: "wood", kind: "boolean", about: "is heated with wood", on: "detail", make: worded(0.5, yes, no)},
				{name: "opened", kind: "date", about: "day on which it opened", on: "detail", make: day(1996, 2024, lang, "D N Y")},
			},
		}
	}
	return []*site{
		{
			host: "pawsandrest.test", lang: "en-GB", title: "Boarding kennels and catteries", noun: "kennel", member: "kennels", n: 32, per: 8, pager: true,
			names: pairs("Barkham Copthorne Dunsfold Elmswell Foxhole Greenacre Harefield Ivybank", "Kennels Lodge Boarding Farm", "%s %s"),
			list:  "form", paging: "numbered", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/k/%s-%d", squashed(t.name), 40+i) },
			form: form{
				item: `<article class="k"><h3>{name}</h3><p class="where">{county}</p><p class="rate">{rate} a night</p></article>
`,
				detail: `<p>We have room for {dogs} dogs and {cats} cats.</p><p>Dogs are walked {walks} a day and can be collected until {close}.</p><dl><dt>Licensed until</dt><dd>{licence}</dd><dt>Heated runs</dt><dd>{heated}</dd><dt>Stars</dt><dd>{stars}</dd></dl><p>Family-run since {since}.</p>`,
			},
			columns: []column{
				{name: "kennel", kind: "string", about: "name of the kennels", label: "Kennels"},
				{name: "county", kind: "string", about: "county", on: "list", make: one("Rutland", "Surrey", "Norfolk")},
				{name: "rate", kind: "number", about: "price of a night for one dog in pounds", on: "list", make: cents(1400, 3900, "£%d.%02d")},
				{name: "dogs", kind: "integer", about: "number of dogs it has room for", on: "detail", make: either(whole(8, 60, "", "%s"), anyOf([]float64{6, 12, 20, 24}, "half a dozen", "a dozen", "twenty", "two dozen"))},
				{name: "cats", kind: "integer", about: "number of cats it has room for", on: "detail", make: anyOf([]float64{0, 4, 10, 15}, "no", "four", "ten", "15")},
				{name: "walks", kind: "integer", about: "walks a day", on: "detail", make: anyOf([]float64{1, 2, 3, 4}, "once", "twice", "three times", "four times")},
				{name: "close", kind: "string", about: "time until which dogs can be collected, as HH:MM", on: "detail", make: clock(16, 22)},
				{name: "licence", kind: "date", about: "end of the licence", on: "detail", make: day(2026, 2029, "en", "D N Y")},
				{name: "heated", kind: "boolean", about: "has heated runs", on: "detail", make: worded(0.6, []string{"all of them", "yes"}, []string{"none", "no"})},
				{name: "stars", kind: "integer", about: "stars of the licence, from 1 to 5", on: "detail", make: anyOf([]float64{3, 4, 5}, "★★★☆☆", "★★★★☆", "★★★★★"), missing: 0.15, blank: "not rated"},
				{name: "since", kind: "integer", about: "year since which the family runs it", on: "detail", make: year(1958, 2019)},
			},
		},
		{
			host: "fahrschulvergleich-weser.test", lang: "de", title: "Fahrschulen an der Weser im Vergleich", noun: "Fahrschule", member: "fahrschulen", n: 30, per: 15, onward: "Weitere Fahrschulen laden",
			names: spaced(pairs("Albers Brokmann Cordes Dierks Ehlers Finke", "am_Markt Nord Süd & Sohn 2000", "Fahrschule %s %s")),
			list:  "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/schule?id=%d", 812+i*5) },
			form: form{
				before: `<table><tr><th>Fahrschule</th><th>Ort</th><th>Grundbetrag</th><th>Übungsstunde (45 min)</th></tr>`,
				item: `<tr><td>{name}</td><td>{ort}</td><td>{grund}</td><td>{stunde}</td></tr>
`,
				after:  `</table>`,
				detail: `<p>Theorie gibt es {theorie} die Woche. Wir fahren mit {autos} Autos.</p><p>Wartezeit: {warten}</p><p>Bestanden: {quote} beim ersten Mal</p><p>Motorrad: {motorrad}</p><p>Gegründet {gegruendet}</p>`,
			},
			columns: []column{
				{name: "fahrschule", kind: "string", about: "Name der Fahrschule", label: "Fahrschule"},
				{name: "ort", kind: "string", about: "Ort", on: "list", make: one("Nienburg", "Verden", "Hoya")},
				{name: "grund", kind: "number", about: "Grundbetrag in Euro", on: "list", make: free(stepped(19, 79, 10, ".", "%s,- €"), 7, "entfällt")},
				{name: "stunde", kind: "number", about: "Preis einer Übungsstunde in Euro", on: "list", make: cents(5200, 7900, "%d,%02d €")},
				{name: "theorie", kind: "integer", about: "Theorieabende in der Woche", on: "detail", make: anyOf([]float64{1, 2, 3}, "einmal", "zweimal", "dreimal")},
				{name: "autos", kind: "integer", about: "Zahl der Autos", on: "detail", make: anyOf([]float64{1, 2, 3, 5, 14}, "einem", "zwei", "drei", "fünf", "14")},
				{name: "warten", kind: "integer", about: "Wartezeit in Wochen", on: "detail", make: anyOf([]float64{0, 2, 6, 10}, "keine", "zwei Wochen", "6 Wochen", "zehn Wochen")},
				{name: "quote", kind: "number", about: "Anteil der bestandenen Prüfungen in Prozent", on: "detail", make: decimal(51, 88, ",", "%s %%"), missing: 0.2, blank: "keine Angabe"},
				{name: "motorrad", kind: "boolean", about: "bildet auch für das Motorrad aus", on: "detail", make: worded(0.5, []string{"ja", "ja, alle Klassen"}, []string{"nein", "derzeit nicht"})},
				{name: "gegruendet", kind: "integer", about: "Jahr der Gründung", on: "detail", make: year(1951, 2021)},
			},
		},
		{
			host: "videgreniers-morvan.test", lang: "fr", title: "Vide-greniers et puces du Morvan", noun: "vide-greniers", member: "ventes", n: 30, per: 10, onward: "Dates suivantes",
			names: pairs("Alligny Brassy Chissey Dun Empury Fâchin", "bourg école stade halle gare", "Vide-greniers %s (%s)"),
			list:  "form", paging: "numbered",
			form: form{
				item: `<div class="evt"><h3>{name}</h3><p class="d">{jour}</p><p>Dès {heure}, {exposants} exposants attendus, {metre} le mètre.</p><p class="etat">{annule}</p><p>Buvette : {buvette}</p></div>
`,
				ad: `<div class="pub">Annoncez ici à partir de 25 € par mois</div>` + "\n",
			},
			columns: []column{
				{name: "vente", kind: "string", about: "nom du vide-greniers", label: "Vide-greniers"},
				{name: "jour", kind: "date", about: "jour", make: frenchWeekday},
				{name: "heure", kind: "integer", about: "heure de début", make: anyOf([]float64{5, 6, 7, 8}, "cinq heures", "six heures", "7 h", "8 h")},
				{name: "exposants", kind: "integer", about: "nombre d'exposants", make: either(whole(25, 240, " ", "%s"), anyOf([]float64{30, 50, 100}, "une trentaine d'", "une cinquantaine d'", "une centaine d'"))},
				{name: "metre", kind: "number", about: "prix du mètre en euros", make: anyOf([]float64{0, 2, 2.5, 3}, "gratuit", "2 €", "2,50 €", "trois euros")},
				{name: "annule", kind: "boolean", about: "est annulé", make: worded(0.2, []string{"Annulé", "Reporté à l'an prochain"}, []string{"Maintenu", "Inscriptions ouvertes"})},
				{name: "buvette", kind: "boolean", about: "a une buvette", make: worded(0.7, []string{"oui", "sur place"}, []string{"non", "aucune"})},
			},
		},
		{
			host: "salasdeescape-ebro.test", lang: "es", title: "Salas de escape del Ebro", noun: "sala", member: "salas", n: 30, by: "ciudad",
			names: pairs("Cripta Búnker Laboratorio Faro Submarino Biblioteca", "olvidada eterno secreto oscura perdido", "%s %s"),
			list:  "form", paging: "groups", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/salas/%d/%s", 77+i*2, squashed(t.name)) },
			form: form{
				item: `<div class="sala"><h4>{name}</h4><em>{precio} por grupo</em></div>
`,
				detail: `<p>{ciudad}</p><p>Para grupos de {minimo} a {maximo} jugadores. La partida dura {dura}.</p><ul><li>Dificultad: {dificultad}</li><li>Edad: {edad}</li><li>En inglés: {ingles}</li></ul><p>Abierta desde el {desde}</p>`,
			},
			columns: []column{
				{name: "sala", kind: "string", about: "nombre de la sala", label: "Sala"},
				{name: "ciudad", kind: "string", about: "ciudad", on: "detail", make: turn("Haro", "Calahorra", "Tudela")},
				{name: "precio", kind: "number", about: "precio por grupo en euros", on: "list", make: either(whole(48, 120, ".", "%s €"), whole(48, 120, ".", "desde %s €"))},
				{name: "minimo", kind: "integer", about: "mínimo de jugadores", on: "detail", make: anyOf([]float64{2, 3}, "dos", "3")},
				{name: "maximo", kind: "integer", about: "máximo de jugadores", on: "detail", make: anyOf([]float64{5, 6, 8, 10}, "cinco", "6", "ocho", "diez")},
				{name: "dura", kind: "integer", about: "duración en minutos", on: "detail", make: anyOf([]float64{60, 60, 75, 90}, "60 minutos", "una hora", "75 minutos", "hora y media")},
				{name: "dificultad", kind: "integer", about: "dificultad de 1 a 5", on: "detail", make: anyOf([]float64{2, 3, 4, 5}, "2/5", "3 de 5", "4/5", "5 de 5")},
				{name: "edad", kind: "integer", about: "edad mínima en años", on: "detail", make: anyOf([]float64{10, 12, 16}, "a partir de diez años", "12 años", "mayores de 16"), missing: 0.2, blank: "sin límite"},
				{name: "ingles", kind: "boolean", about: "se puede jugar en inglés", on: "detail", make: worded(0.5, []string{"sí", "con reserva previa"}, []string{"no", "todavía no"})},
				{name: "desde", kind: "date", about: "día de apertura", on: "detail", make: day(2017, 2026, "es", "D de N de Y")},
			},
		},
		sauna("bastuleden.test", "sv", "Bastur längs kusten", "bastu", "Ekvik Furuskär Granholm Lindö", "Bastun %s %s", "%s kr", either(whole(6, 30, "", "%s"), anyOf([]float64{4, 8, 12}, "fyra", "åtta", "ett dussin")), anyOf([]float64{70, 80, 85, 95}, "70 °C", "80 grader", "85 °C", "95 grader"), []string{"ja", "ja, med björkved"}, []string{"nej", "elaggregat"}),
		sauna("seasaunas.test", "en", "Saunas by the sea", "sauna", "Gull Kelp Limpet Marram", "The %s sauna %s", "SEK %s", either(whole(6, 30, "", "%s"), anyOf([]float64{4, 8, 12}, "four", "eight", "a dozen")), anyOf([]float64{75, 80, 85, 90}, "75 °C", "176 °F", "185 °F", "194°F"), []string{"yes", "yes, birch"}, []string{"no", "electric"}),
		{
			host: "zorgboerderijen-lopik.test", lang: "nl", title: "Zorgboerderijen in de polder", noun: "boerderij", member: "boerderijen", n: 32, per: 16, dead: 11,
			names: spaced(pairs("Hoeve Boerderij Erve Stee", "Zonneweide De_Wilgen Klaverland Het_Anker Elzenhof Rietzicht Kwakel Molenzicht", "%s %s")),
			list:  "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/boerderij/%d", 9000+i*17) },
			form: form{
				item: `<div class="b"><h3>{name}</h3><p>{dorp}, dagtarief {tarief}</p><p>{wacht}</p></div>
`,
				detail: `<p>Er is plaats voor {plekken} deelnemers, {dagen} dagen per week open.</p><table><tr><td>Oppervlakte</td><td>{land}</td></tr><tr><td>Koeien</td><td>{koeien}</td></tr><tr><td>Biologisch</td><td>{bio}</td></tr></table><p>Zorgboerderij sinds {sinds}.</p>`,
			},
			columns: []column{
				{name: "boerderij", kind: "string", about: "naam van de boerderij", label: "Boerderij"},
				{name: "dorp", kind: "string", about: "dorp", on: "list", make: one("Cabauw", "Polsbroek", "Willige")},
				{name: "tarief", kind: "number", about: "tarief per dag in euro", on: "list", make: cents(6200, 13900, "€ %d,%02d")},
				{name: "wacht", kind: "boolean", about: "heeft een wachtlijst", on: "list", make: worded(0.4, []string{"wachtlijst", "er is een wachtlijst"}, []string{"geen wachtlijst", "direct plaats"})},
				{name: "plekken", kind: "integer", about: "aantal deelnemers", on: "detail", lost: true, make: either(whole(7, 26, "", "%s"), anyOf([]float64{6, 12, 15}, "zes", "twaalf", "vijftien"))},
				{name: "dagen", kind: "integer", about: "dagen per week open", on: "detail", lost: true, make: anyOf([]float64{3, 4, 5, 6}, "drie", "vier", "5", "zes")},
				{name: "land", kind: "number", about: "oppervlakte in hectare", on: "detail", lost: true, make: anyOf([]float64{0.8, 2.5, 12, 31}, "8000 m²", "2,5 hectare", "12 ha", "31 hectare")},
				{name: "koeien", kind: "integer", about: "aantal koeien", on: "detail", lost: true, make: anyOf([]float64{0, 2, 40, 65}, "geen", "twee", "40", "65 melkkoeien")},
				{name: "bio", kind: "boolean", about: "werkt biologisch", on: "detail", lost: true, make: worded(0.5, []string{"ja", "gecertificeerd"}, []string{"nee", "gangbaar"})},
				{name: "sinds", kind: "integer", about: "jaar van het begin", on: "detail", lost: true, make: year(1994, 2023)},
			},
		},
		{
			host: "glenmoor-rescue.test", lang: "en", title: "Callouts of the Glenmoor rescue team", noun: "callout", member: "callouts", n: 36, per: 12,
			names: func(_ *rand.Rand, i int) string { return fmt.Sprintf("Callout 2026/%03d", 71-i) },
			list:  "form", paging: "older", by: "day", onward: "Earlier callouts",
			form: form{
				before: `<table class="log"><tr><th>No.</th><th>Day</th><th>Called at</th><th>Where</th><th>Volunteers</th><th>Duration</th><th>Injured</th><th>Helicopter</th></tr>`,
				item: `<tr><td>{name}</td><td>{day}</td><td>{called}</td><td>{place}</td><td>{team}</td><td>{hours}</td><td>{hurt}</td><td>{air}</td></tr>
`,
				after: `</table>`,
			},
			columns: []column{
				{name: "callout", kind: "string", about: "number of the callout", label: "No."},
				{name: "day", kind: "date", about: "day of the callout", make: day(2026, 2027, "en", "D A Y")},
				{name: "called", kind: "string", about: "time of the call, as HH:MM", make: clock(6, 24)},
				{name: "place", kind: "string", about: "where it was", make: one("Black Corrie", "Sron Ridge", "Lochan Path")},
				{name: "team", kind: "integer", about: "number of volunteers", make: either(whole(5, 34, "", "%s"), anyOf([]float64{6, 12, 19}, "six", "a dozen", "nineteen"))},
				{name: "hours", kind: "number", about: "duration in hours", make: anyOf([]float64{1.5, 2.5, 4, 0.75, 7}, "an hour and a half", "2.5 hours", "four hours", "45 minutes", "7 hrs")},
				{name: "hurt", kind: "integer", about: "number of injured people", make: anyOf([]float64{0, 1, 2, 3}, "none", "one", "two", "3")},
				{name: "air", kind: "boolean", about: "a helicopter took part", make: worded(0.4, []string{"yes", "Rescue 951"}, []string{"no", "stood down"})},
			},
		},
		{
			host: "lidi-dellaconchiglia.test", lang: "it", title: "Stabilimenti balneari della Conchiglia", noun: "lido", member: "lidi", n: 30, per: 10, unlinked: true,
			names: pairs("Aurora Bagno Corallo Delfino Eden Faro", "Azzurro Blu Bianco Rosso Verde", "Lido %s %s"),
			list:  "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return "/lido/" + opaque("lidi", i) },
			form: form{
				before: `<div class="griglia">`,
				item: `<div class="lido"><h3>{name}</h3><p>{comune}</p><p>Ombrellone e due lettini: {prezzo} al giorno</p></div>
`,
				after:  `</div>`,
				detail: `<ul><li>{ombrelloni} ombrelloni su {file} file</li><li>A {distanza} dalla stazione</li><li>Cani: {cani}</li><li>Doccia calda: {doccia}</li></ul><p>Aperto dal {apre}</p>`,
			},
			columns: []column{
				{name: "lido", kind: "string", about: "nome dello stabilimento", label: "Lido"},
				{name: "comune", kind: "string", about: "comune", on: "list", make: one("Portoscuso", "Bellamarina", "Torre Sale")},
				{name: "prezzo", kind: "number", about: "prezzo al giorno in euro", on: "list", make: either(cents(1800, 5200, "%d,%02d €"), whole(18, 52, ".", "€ %s"))},
				{name: "ombrelloni", kind: "integer", about: "numero di ombrelloni", on: "detail", make: either(whole(80, 420, ".", "%s"), anyOf([]float64{60, 100}, "Sessanta", "Un centinaio di"))},
				{name: "file", kind: "integer", about: "numero di file", on: "detail", make: anyOf([]float64{4, 6, 9}, "quattro", "sei", "9")},
				{name: "distanza", kind: "integer", about: "distanza dalla stazione in metri", on: "detail", make: anyOf([]float64{300, 850, 1200, 2000}, "300 m", "850 metri", "1,2 km", "due chilometri")},
				{name: "cani", kind: "boolean", about: "ammette i cani", on: "detail", make: worded(0.5, []string{"ammessi", "benvenuti"}, []string{"non ammessi", "solo di piccola taglia fuori stagione, d'estate no"})},
				{name: "doccia", kind: "number", about: "prezzo della doccia calda in euro", on: "detail", make: anyOf([]float64{0, 0.5, 1}, "inclusa", "50 centesimi", "1 €")},
				{name: "apre", kind: "date", about: "giorno di apertura della stagione", on: "detail", make: day(2026, 2027, "it", "D N Y")},
			},
		},
		{
			host: "autocaravanas-raia.test", lang: "pt", title: "Áreas para autocaravanas na Raia", noun: "área", member: "areas", n: 28, per: 14,
			names: spaced(pairs("Área Parque Terreiro Largo", "da_Barragem do_Castelo da_Ribeira das_Oliveiras do_Moinho da_Serra da_Fonte", "%s %s")),
			list:  "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/a/%d.html", 33+i*4) },
			form: form{
				item: `<div class="area"><h2>{name}</h2><p>{concelho}</p><p>{preco} por noite</p></div>
`,
				detail: `<p>Tem {lugares} lugares e fica a {altitude} de altitude. Estadia máxima: {noites}.</p><p>Eletricidade: {luz}</p><p>Última visita: {visita}</p>`,
			},
			columns: []column{
				{name: "area", kind: "string", about: "nome da área", label: "Área"},
				{name: "concelho", kind: "string", about: "concelho", on: "list", make: one("Marvão", "Elvas", "Idanha")},
				{name: "preco", kind: "number", about: "preço por noite em euros", on: "list", make: free(cents(400, 1400, "%d,%02d €"), 5, "grátis")},
				{name: "lugares", kind: "integer", about: "número de lugares", on: "detail", make: either(whole(5, 60, ".", "%s"), anyOf([]float64{8, 12, 20}, "oito", "uma dúzia de", "vinte"))},
				{name: "altitude", kind: "integer", about: "altitude em metros", on: "detail", make: whole(210, 1300, ".", "%s m")},
				{name: "noites", kind: "integer", about: "máximo de noites", on: "detail", make: anyOf([]float64{1, 2, 3, 7}, "uma noite", "duas noites", "3 noites", "sete noites")},
				{name: "luz", kind: "boolean", about: "tem eletricidade", on: "detail", make: worded(0.6, []string{"sim", "incluída"}, []string{"não", "ainda não"})},
				{name: "visita", kind: "date", about: "dia da última visita", on: "detail", make: day(2024, 2027, "pt", "D de N de Y")},
			},
		},
		{
			host: "smallpresses.test", lang: "en", title: "Small presses and who bought them", noun: "press", member: "presses", n: 28, per: 14,
			names: pairs("Anvil Bellows Crucible Dovetail", "Books Editions House Letters Pages Quarto Rare", "%s %s"),
			list:  "form", paging: "more", detail: "form", path: func(i int, t *thing) string { return "/press/" + squashed(t.name) },
			form: form{
				item: `<p class="press"><b>{name}</b>, {town}</p>
`,
				detail: `<p>Founded in {founded}, it brings out {titles} titles a year and employs {staff} people.</p><p>Bought by {group} in {bought}.</p><p>Open to submissions: {open}</p><p>Usual advance: {advance}</p>`,
			},
			columns: []column{
				{name: "press", kind: "string", about: "name of the press", label: "Press"},
				{name: "town", kind: "string", about: "town", on: "list", make: one("Whitby", "Hay", "Wigtown")},
				{name: "founded", kind: "integer", about: "year of foundation", on: "detail", make: year(1961, 2009)},
				{name: "titles", kind: "integer", about: "titles a year", on: "detail", make: anyOf([]float64{5, 12, 24, 30, 75}, "five", "a dozen", "two dozen", "30", "seventy-five")},
				{name: "staff", kind: "integer", about: "number of employees", on: "detail", make: anyOf([]float64{1, 2, 7, 16, 130}, "one", "two", "seven", "16", "130")},
				{name: "group", kind: "string", about: "company that bought it", on: "detail", make: turn(groups...)},
				{name: "bought", kind: "integer", about: "year in which it was bought", on: "detail", make: year(2010, 2026)},
				{name: "open", kind: "boolean", about: "takes submissions", on: "detail", make: worded(0.5, []string{"yes", "all year"}, []string{"no", "by agents only"})},
				{name: "advance", kind: "number", about: "usual advance in pounds", on: "detail", make: anyOf([]float64{0, 500, 1500, 2000}, "none", "£500", "£1,500", "£2k")},
			},
		},
		{
			host: "pressgroups.test", lang: "en", title: "Publishing groups and their directors", noun: "group", member: "groups", n: 4,
			names: fixed(groups...),
			list:  "tiles", detail: "terms", anchor: "Profile", path: func(i int, _ *thing) string { return fmt.Sprintf("/g/%d", 311+i*29) },
			columns: []column{
				{name: "group", kind: "string", about: "name of the group", label: "Group"},
				{name: "director", kind: "string", about: "managing director of the group", label: "Managing director", on: "detail", make: turn("Isolde Marchbanks", "Fergus Tallow", "Ngaio Prewett", "Casimir Dole")},
				{name: "revenue", kind: "number", about: "revenue of a year in pounds", label: "Revenue", on: "detail", make: scaled(2, 90, 1e6, ".", "£%sm")},
			},
		},
	}
}

// frenchWeekday makes French dates with a weekday.
func frenchWeekday(rng *rand.Rand, _ int) (any, string) {
	t := time.Date(2026, time.Month(3+rng.IntN(8)), 1+rng.IntN(28), 0, 0, 0, 0, time.UTC)
	name := strings.Fields("dimanche lundi mardi mercredi jeudi vendredi samedi")[t.Weekday()]
	return t.Format(time.DateOnly), fmt.Sprintf("%s %d %s 2026", name, t.Day(), months["fr"][t.Month()-1])
}

// spaced writes spaces for underscores in names.
func spaced(names func(rng *rand.Rand, i int) string) func(rng *rand.Rand, i int) string {
	return func(rng *rand.Rand, i int) string { return strings.ReplaceAll(names(rng, i), "_", " ") }
}

// twentyFirstTasks are the questions about the twenty-first sites.
func (w *Web) twentyFirstTasks() {
	w.ask("gather", "pawsandrest.test", "all kennels: county, price a night, how many dogs, how many cats, walks a day, collection until, licence until, heated?, stars, since", "kennel county rate dogs cats walks close licence heated stars since")
	w.ask("gather", "fahrschulvergleich-weser.test", "Alle Fahrschulen mit Ort, Grundbetrag, Übungsstunde, Theorieabenden, Autos, Wartezeit in Wochen, Quote, Motorrad, Gründungsjahr", "fahrschule ort grund stunde theorie autos warten quote motorrad gegruendet")
	w.ask("gather", "videgreniers-morvan.test", "tous les vide-greniers : jour, heure, exposants, prix du mètre, annulé ?, buvette ?", "vente jour heure exposants metre annule buvette")
	w.ask("gather", "salasdeescape-ebro.test", "todas las salas: ciudad, precio, mínimo y máximo de jugadores, duración en minutos, dificultad, edad, inglés, apertura", "sala ciudad precio minimo maximo dura dificultad edad ingles desde")
	w.askAll("gather", []string{"bastuleden.test", "seasaunas.test"}, "every sauna on both sites: price in kronor, seats, temperature in celsius, wood or not, since when", "sauna price seats temp wood opened")
	w.ask("gather", "zorgboerderijen-lopik.test", "alle zorgboerderijen: dorp, tarief, wachtlijst, deelnemers, dagen, oppervlakte (ha), koeien, biologisch, sinds", "boerderij dorp tarief wacht plekken dagen land koeien bio sinds")
	w.ask("gather", "glenmoor-rescue.test", "the whole log: day, time of call, place, volunteers, hours, injured, helicopter", "callout day called place team hours hurt air")
	w.ask("gather", "lidi-dellaconchiglia.test", "tutti i lidi: comune, prezzo, ombrelloni, file, distanza in metri, cani, doccia, apertura", "lido comune prezzo ombrelloni file distanza cani doccia apre")
	w.ask("gather", "autocaravanas-raia.test", "todas as áreas: concelho, preço, lugares, altitude, noites, eletricidade, última visita", "area concelho preco lugares altitude noites luz visita")
	w.ask("gather", "smallpresses.test", "all presses: town, founded, titles a year, staff, bought by, in which year, open for submissions, advance", "press town founded titles staff group bought open advance")

	w.ask("conditions", "pawsandrest.test", "kennels with more than three walks a day", "kennel walks", is("walks", ">", "3", "more than three walks"))
	w.ask("conditions", "pawsandrest.test", "takes cats too, under twenty-five pounds a night, not in norfolk", "kennel county rate cats", is("cats", ">", "0", "takes cats too"), is("rate", "<", "25", "under twenty-five pounds").in("pounds"), is("county", "!=", "Norfolk", "not in norfolk"))
	w.ask("conditions", "pawsandrest.test", "where can i collect my dog past eight in the evening", "kennel close", is("close", ">", "20:00", "past eight in the evening"))
	w.ask("conditions", "pawsandrest.test", "room for at most a dozen dogs, heated or five stars", "kennel dogs stars", is("dogs", "<=", "12", "at most a dozen dogs"), is("heated", "=", "true", "heated"), is("stars", "=", "5", "five stars").or())
	w.ask("conditions", "fahrschulvergleich-weser.test", "Fahrschulen mit mindestens zwei Theorieabenden und weniger als vier Wochen Wartezeit", "fahrschule theorie warten", is("theorie", ">=", "2", "mindestens zwei Theorieabenden"), is("warten", "<", "4", "weniger als vier Wochen").in("Wochen"))
	w.ask("conditions", "fahrschulvergleich-weser.test", "ohne Grundbetrag oder unter dreihundert Euro, in Verden oder Hoya", "fahrschule ort grund", is("grund", "<", "300", "ohne Grundbetrag oder unter dreihundert Euro").in("Euro"), is("ort", "in", "Verden | Hoya", "in Verden oder Hoya"))
	w.ask("conditions", "fahrschulvergleich-weser.test", "nur die mit Motorrad und mehr als einem Auto", "fahrschule autos", is("motorrad", "=", "true", "nur die mit Motorrad"), is("autos", ">", "1", "mehr als einem Auto"))
	w.ask("conditions", "videgreniers-morvan.test", "au moins une centaine d'exposants, ni annulé ni reporté", "vente jour exposants", is("exposants", ">=", "100", "au moins une centaine d'exposants"), is("annule", "=", "false", "ni annulé ni reporté"))
	w.ask("conditions", "videgreniers-morvan.test", "en mai ou juin, avant sept heures du matin", "vente jour heure", is("jour", ">=", "2026-05-01", "en mai ou juin"), is("jour", "<=", "2026-06-30", "en mai ou juin"), is("heure", "<", "7", "avant sept heures du matin"))
	w.ask("conditions", "videgreniers-morvan.test", "deux euros cinquante le mètre ou moins", "vente metre", is("metre", "<=", "2.5", "deux euros cinquante le mètre ou moins").in("euros"))
	w.ask("conditions", "salasdeescape-ebro.test", "salas para ocho o más jugadores que duren más de una hora", "sala maximo dura", is("maximo", ">=", "8", "ocho o más jugadores"), is("dura", ">", "60", "más de una hora").in("minutos"))
	w.ask("conditions", "salasdeescape-ebro.test", "solo en inglés, ni Haro ni Tudela", "sala ciudad", is("ingles", "=", "true", "solo en inglés"), is("ciudad", "!=", "Haro", "ni Haro"), is("ciudad", "!=", "Tudela", "ni Tudela"))
	w.ask("conditions", "salasdeescape-ebro.test", "aptas para niños de doce años, por menos de noventa euros", "sala edad precio", is("edad", "<=", "12", "aptas para niños de doce años"), is("precio", "<", "90", "menos de noventa euros").in("euros"))
	w.askAll("conditions", []string{"bastuleden.test", "seasaunas.test"}, "hotter than eighty degrees, at least eight seats, wood-fired", "sauna seats temp", is("temp", ">", "80", "hotter than eighty degrees"), is("seats", ">=", "8", "at least eight seats"), is("wood", "=", "true", "wood-fired"))
	w.ask("conditions", "glenmoor-rescue.test", "calls after nine in the evening with half a dozen volunteers or more", "callout called team", is("called", ">", "21:00", "after nine in the evening"), is("team", ">=", "6", "half a dozen volunteers or more"))
	w.ask("conditions", "glenmoor-rescue.test", "nobody hurt, over in less than two hours", "callout hours hurt", is("hurt", "=", "0", "nobody hurt"), is("hours", "<", "2", "less than two hours").in("hours"))
	w.ask("conditions", "glenmoor-rescue.test", "two or three injured, no helicopter, not on Sron Ridge", "callout place hurt", is("hurt", ">=", "2", "two or three injured"), is("hurt", "<=", "3", "two or three injured"), is("air", "=", "false", "no helicopter"), is("place", "!=", "Sron Ridge", "not on Sron Ridge"))
	w.ask("conditions", "lidi-dellaconchiglia.test", "a meno di un chilometro dalla stazione e sotto i trenta euro al giorno", "lido prezzo distanza", is("distanza", "<", "1", "meno di un chilometro").in("km").means("1000"), is("prezzo", "<", "30", "sotto i trenta euro").in("euro"))
	w.ask("conditions", "lidi-dellaconchiglia.test", "almeno cento ombrelloni, doccia calda gratis", "lido ombrelloni doccia", is("ombrelloni", ">=", "100", "almeno cento ombrelloni"), is("doccia", "=", "0", "doccia calda gratis"))
	w.ask("conditions", "autocaravanas-raia.test", "mais de uma dúzia de lugares, com luz, no máximo dez euros", "area preco lugares", is("lugares", ">", "12", "mais de uma dúzia de lugares"), is("luz", "=", "true", "com luz"), is("preco", "<=", "10", "no máximo dez euros").in("euros"))
	w.ask("conditions", "autocaravanas-raia.test", "acima dos mil metros ou onde se pode ficar uma semana", "area altitude noites", is("altitude", ">", "1000", "acima dos mil metros").in("metros"), is("noites", ">=", "7", "uma semana").or())
	w.ask("conditions", "smallpresses.test", "at least two dozen titles a year, fewer than ten people", "press titles staff", is("titles", ">=", "24", "at least two dozen titles"), is("staff", "<", "10", "fewer than ten people"))
	w.ask("conditions", "smallpresses.test", "bought by Octavo Partners or Bindery Lane since 2018, advance of a thousand pounds or more", "press group bought advance", is("group", "in", "Octavo Partners | Bindery Lane", "Octavo Partners or Bindery Lane"), is("bought", ">=", "2018", "since 2018"), is("advance", ">=", "1000", "a thousand pounds or more").in("pounds"))

	w.ask("top", "glenmoor-rescue.test", "the five callouts with most volunteers", "callout team", is("team", "top", "5", "five callouts with most volunteers"))
	w.ask("top", "fahrschulvergleich-weser.test", "die drei billigsten Übungsstunden", "fahrschule stunde", is("stunde", "bottom", "3", "drei billigsten Übungsstunden"))
	w.ask("top", "autocaravanas-raia.test", "as quatro áreas mais altas", "area altitude", is("altitude", "top", "4", "quatro áreas mais altas"))
	w.best("best", "pawsandrest.test", "dearest kennel in surrey", "kennel rate", is("county", "=", "Surrey", "in surrey"), is("rate", "top", "1", "dearest"))
	w.best("best", "lidi-dellaconchiglia.test", "il lido più economico che ammette i cani", "lido prezzo", is("cani", "=", "true", "ammette i cani"), is("prezzo", "bottom", "1", "più economico"))
	w.best("best", "zorgboerderijen-lopik.test", "duurste boerderij in cabauw", "boerderij tarief", is("dorp", "=", "Cabauw", "in cabauw"), is("tarief", "top", "1", "duurste"))
	w.count("count", "glenmoor-rescue.test", "how many callouts needed a helicopter?", is("air", "=", "true", "needed a helicopter"))
	w.count("count", "videgreniers-morvan.test", "combien ont lieu en juillet ?", is("jour", ">=", "2026-07-01", "en juillet"), is("jour", "<=", "2026-07-31", "en juillet"))
	w.count("count", "smallpresses.test", "how many presses have more than ten people", is("staff", ">", "10", "more than ten people"))
	w.count("count", "pawsandrest.test", "how many kennels take no cats at all", is("cats", "=", "0", "no cats at all"))
	w.compare("comparison", "salasdeescape-ebro.test", "¿%s o %s? jugadores, duración y dificultad", "sala maximo dura dificultad", 3, 16)
	w.compareAll("comparison", "smallpresses.test", "compare %s, %s and %s: titles, staff, advance", "press titles staff advance", 1, 12, 25)
	w.compare("comparison", "lidi-dellaconchiglia.test", "confronta %s e %s: prezzo, ombrelloni, distanza", "lido prezzo ombrelloni distanza", 5, 22)
	w.lookup("lookup", "autocaravanas-raia.test", "quantas noites posso ficar em %s e quanto custa?", "noites preco", 18)
	w.lookup("lookup", "fahrschulvergleich-weser.test", "wie lange wartet man bei %s und wie viele autos haben sie", "warten autos", 21)
	w.lookup("lookup", "glenmoor-rescue.test", "%s: how long did it take and how many were hurt", "hours hurt", 27)
	w.lookup("lookup", "pawsandrest.test", "how many dogs does %s take and until when can i collect", "dogs close", 13)
	w.absent("lookup", "salasdeescape-ebro.test", "¿cuántos jugadores caben en %s?", "Catedral sumergida", "maximo")
	presses := w.site("smallpresses.test").things
	w.hop("hops", "smallpresses.test", "pressgroups.test", "who runs the company that bought "+presses[6].name+"?", "director", "group", presses[6])
	w.hop("hops", "smallpresses.test", "pressgroups.test", "revenue of the group behind "+presses[19].name, "revenue", "group", presses[19])
	w.rowHop("hops", "smallpresses.test", "pressgroups.test", "presses in whitby with titles a year and the director of the group that bought them", "press titles", "director", "group", is("town", "=", "Whitby", "in whitby"))
	w.open("open", "smallpresses.test", "presses open to submissions and their advance", "press open advance", is("open", "=", "true", "open to submissions"))
	w.open("open", "glenmoor-rescue.test", "callouts at black corrie: day and hours", "callout day place hours", is("place", "=", "Black Corrie", "at black corrie"))
}
