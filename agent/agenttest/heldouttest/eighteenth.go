// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
)

// The eighteenth set has sites of quite different makers, four of them in languages that no set before it has:
//
//  1. an Estonian register of playgrounds of a town: a table with decimal commas and days, whose next pages
//     are named by a word and have opaque addresses
//  2. a table of harbours by half-years, in thousands of tonnes, with marks of footnotes behind some numbers,
//     a mark for what is not known, and a copy of last year
//  3. Icelandic huts in accordions, with tabs on their pages, numbers in words, and a row of pages in which the
//     current one is no link and no address has a number
//  4. a German price list in sections, with units in the headings, and long numbers in words
//  5. narrowboats in cards whose labels are pictures, and on whose pages all stands in sentences
//  6. a Galician archive of decisions by year, with amounts, votes and who proposed them
//  7. second-hand organs behind a form that can only be sent, in three spellings of one date, with "a dozen"
//
// Its questions are worded as people type them.

// eighteenthSites are the sites of the eighteenth set.
func eighteenthSites() []*site {
	return []*site{
		{
			host: "manguvaljakud.luigelinn.test", lang: "et", title: "Luigelinna mänguväljakute register", noun: "mänguväljak", member: "valjakud", n: 36, per: 12,
			names: pairs("Kase Männi Toome Pihlaka Sireli Vahtra", "põik park aed väljak rada tänav", "%s %s"),
			list:  "form", paging: "more", cursor: true, token: "seis", onward: "Järgmised kirjed", detail: "form", path: func(i int, _ *thing) string { return "/kirje/" + opaque("kirje", i) },
			form: form{
				before: `<form method="post" action="/otsi"><label>Linnaosa <select name="o"><option>Kõik</option><option>Kesklinn</option></select></label> <button>Otsi</button></form><table class="reg"><thead><tr><th>Nimetus</th><th>Linnaosa</th><th>Pindala, m²</th><th>Vahendeid</th><th>Rajatud</th><th>Viimati kontrollitud</th><th>Seisund</th></tr></thead><tbody>`,
				item: `<tr><td>{name}</td><td>{linnaosa}</td><td>{pindala}</td><td>{vahendeid}</td><td>{rajatud}</td><td>{kontroll}</td><td>{korras}</td></tr>
`,
				after:  `</tbody></table><p>Andmed: Luigelinna Linnavalitsus.</p>`,
				detail: `<table class="kirje"><tr><th>Nimetus</th><td>{valjak}</td></tr><tr><th>Linnaosa</th><td>{linnaosa}</td></tr><tr><th>Aluskate</th><td>{kate}</td></tr><tr><th>Valgustus</th><td>{valgus}</td></tr><tr><th>Haldaja</th><td>{haldaja}</td></tr><tr><th>Aastane hoolduskulu</th><td>{kulu}</td></tr><tr><th>Vanusepiir</th><td>{vanus}</td></tr></table>`,
			},
			columns: []column{
				{name: "valjak", kind: "string", about: "mänguväljaku nimetus", label: "Nimetus"},
				{name: "linnaosa", kind: "string", about: "linnaosa", label: "Linnaosa", make: one("Kesklinn", "Raudalu", "Veskimäe")},
				{name: "pindala", kind: "number", about: "pindala ruutmeetrites", on: "list", make: decimal(180, 2400, ",", "%s")},
				{name: "vahendeid", kind: "integer", about: "mänguvahendite arv", on: "list", make: whole(3, 28, " ", "%s")},
				{name: "rajatud", kind: "integer", about: "rajamise aasta", on: "list", make: year(1984, 2025)},
				{name: "kontroll", kind: "date", about: "viimase kontrolli kuupäev", on: "list", make: day(2023, 2026, "et", "D. N Y")},
				{name: "korras", kind: "boolean", about: "mänguväljak on korras", on: "list", make: worded(0.7, []string{"korras", "heas korras"}, []string{"vajab remonti", "suletud"})},
				{name: "kate", kind: "string", about: "aluskate", on: "detail", make: one("liiv", "kummikate", "hakkpuit")},
				{name: "valgus", kind: "boolean", about: "on valgustatud", on: "detail", make: flag(0.6, "jah", "ei")},
				{name: "haldaja", kind: "string", about: "haldaja", on: "detail", make: one("OÜ Rohepark", "Linnahooldus AS", "MTÜ Meie õu")},
				{name: "kulu", kind: "number", about: "hoolduskulu aastas eurodes", on: "detail", make: stepped(9, 88, 50, " ", "%s €")},
				{name: "vanus", kind: "integer", about: "alampiir aastates", on: "detail", make: anyOf([]float64{0, 3, 5, 7}, "piiranguta", "alates 3. eluaastast", "alates 5. eluaastast", "alates 7. eluaastast")},
			},
		},
		{
			host: "harbourfigures.test", lang: "en", title: "Goods handled by harbour and half-year", noun: "harbour", member: "harbours", n: 34,
			names: pairs("North South Inner Outer New Old", "Skerry Haven Quay Roads Mole Basin", "%s %s"),
			list:  "form", archive: "Last year's table",
			form: form{
				before: `<table><caption>Goods handled, thousand tonnes (except where stated)</caption><thead><tr><th rowspan="2">Harbour</th><th rowspan="2">Authority</th><th colspan="2">2024</th><th>2025</th><th rowspan="2">Change, %</th><th rowspan="2">Ship calls (number)</th><th rowspan="2">Deepest berth, m</th></tr><tr><th>Jan–Jun</th><th>Jul–Dec</th><th>Jan–Jun</th></tr></thead><tbody>`,
				item: `<tr><th scope="row">{name}</th><td>{authority}</td><td>{a}</td><td>{b}</td><td>{c}</td><td>{change}</td><td>{calls}</td><td>{berth}</td></tr>
`,
				after: `</tbody></table><ol class="notes"><li>(p) – provisional figure.</li><li>(r) – revised since the last edition.</li><li>.. – not available.</li></ol>`,
			},
			columns: []column{
				{name: "harbour", kind: "string", about: "name of the harbour", label: "Harbour"},
				{name: "authority", kind: "string", about: "authority that runs it", make: one("Crown Harbours", "Firth Council", "Trust port")},
				{name: "a", kind: "number", about: "tonnes handled in the first half of 2024", make: scaled(21, 400, 1000, ".", "%s"), note: "(r)"},
				{name: "b", kind: "number", about: "tonnes handled in the second half of 2024", make: scaled(401, 700, 1000, ".", "%s")},
				{name: "c", kind: "number", about: "tonnes handled in the first half of 2025", make: scaled(701, 999, 1000, ".", "%s"), note: "(p)", missing: 0.1, blank: ".."},
				{name: "change", kind: "number", about: "change in per cent", make: signed(0.3, 19)},
				{name: "calls", kind: "integer", about: "number of ship calls", make: whole(1010, 6400, ",", "%s")},
				{name: "berth", kind: "number", about: "depth of the deepest berth in metres", make: decimal(10, 18, ".", "%s")},
			},
		},
		{
			host: "skalar-heidar.test", lang: "is", title: "Skálar á heiðum", noun: "skáli", member: "skalar", n: 30, per: 8, paging: "numbered", unlinked: true,
			names: pairs("Grá Blá Hvíta Rauð Svört", "skáli borg tunga gil hlíð kot", "%s%s"),
			list:  "form", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/skali/%s-%d", opaque("s", i), 40+i) },
			form: form{
				item: `<details class="acc"><summary>{name}</summary><ul><li>Svæði: {svaedi|Svæði: }</li><li>Gistipláss: {plass|Gistipláss: }</li><li>Verð á mann: {verd|Verð á mann: }</li><li>{hiti}</li></ul></details>
`,
				detail: `<div class="tabs"><button>Um skálann</button><button>Aðstaða</button></div><section class="tab"><h2>Um skálann</h2><dl><dt>Byggður</dt><dd>{byggdur}</dd><dt>Hæð yfir sjó</dt><dd>{haed}</dd><dt>Opnar</dt><dd>{opnar}</dd></dl></section><section class="tab" hidden><h2>Aðstaða</h2><dl><dt>Herbergi</dt><dd>{herbergi}</dd><dt>Sturta</dt><dd>{sturta}</dd><dt>Tjaldstæði</dt><dd>{tjald}</dd></dl></section>`,
			},
			columns: []column{
				{name: "skali", kind: "string", about: "heiti skálans", label: "Skáli"},
				{name: "svaedi", kind: "string", about: "svæði", on: "list", make: one("Austurheiði", "Miðland", "Vesturöræfi")},
				{name: "plass", kind: "integer", about: "fjöldi gistiplássa", on: "list", make: either(whole(13, 64, ".", "%s"), anyOf([]float64{4, 6, 8, 10, 12}, "fjögur", "sex", "átta", "tíu", "tólf"))},
				{name: "verd", kind: "integer", about: "verð á mann í krónum", on: "list", make: stepped(31, 128, 100, ".", "%s kr.")},
				{name: "hiti", kind: "boolean", about: "skálinn er upphitaður", on: "list", make: worded(0.6, []string{"Upphitaður", "Hitaveita"}, []string{"Óupphitaður", "Enginn hiti"})},
				{name: "byggdur", kind: "integer", about: "byggingarár", on: "detail", make: either(year(1931, 2015), whole(1931, 2015, "", "árið %s"))},
				{name: "haed", kind: "integer", about: "hæð yfir sjó í metrum", on: "detail", make: whole(310, 1080, ".", "%s m")},
				{name: "opnar", kind: "date", about: "dagurinn sem hann opnar", on: "detail", make: day(2026, 2027, "is", "D. N Y")},
				{name: "herbergi", kind: "integer", about: "fjöldi herbergja", on: "detail", make: anyOf([]float64{1, 2, 3, 5}, "eitt", "tvö", "þrjú", "fimm")},
				{name: "sturta", kind: "boolean", about: "það er sturta", on: "detail", make: worded(0.5, []string{"já", "já, gegn gjaldi"}, []string{"nei", "engin"})},
				{name: "tjald", kind: "integer", about: "fjöldi tjaldstæða", on: "detail", make: free(whole(5, 60, ".", "%s tjöld"), 4, "engin tjaldstæði")},
			},
		},
		{
			host: "kies-hagenow.test", lang: "de", title: "Preisliste Kies, Sand und Splitt", noun: "Sorte", member: "sorten", n: 33, by: "gruppe",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Estrich", "Mauer", "Füll", "Spiel", "Zier", "Riesel", "Frostschutz", "Filter", "Schüttel", "Wege", "Dränage"}[i%11] + []string{" fein", " mittel", " grob"}[i/11]
			},
			list: "form",
			form: form{
				before: `<p>Gültig ab dem ersten März 2026. Alle Preise netto ab Werk.</p>`,
				section: `<h2>%s – Preise in € je t, Mindestmengen in t</h2>
`,
				item: `<div class="sorte"><h3>{name}</h3><span class="k">Körnung {koernung}</span><ul><li>ab Werk {preis}</li><li>frei Baustelle {frei}</li><li>ab {menge}</li></ul><p>{zeit}; Haufen: {haufen}. Zertifiziert: {zert}.</p></div>
`,
				ad: `<div class="hinweis">Bei Abnahme von mehr als 100 t sprechen Sie uns bitte an.</div>` + "\n",
			},
			columns: []column{
				{name: "sorte", kind: "string", about: "Name der Sorte", label: "Sorte"},
				{name: "gruppe", kind: "string", about: "Gruppe", on: "section", make: one("Kies", "Sand", "Splitt")},
				{name: "koernung", kind: "string", about: "Körnung in mm", make: one("0/2", "2/8", "8/16", "16/32")},
				{name: "preis", kind: "number", about: "Preis ab Werk in Euro je Tonne", make: cents(640, 1990, "%d,%02d")},
				{name: "frei", kind: "number", about: "Preis frei Baustelle in Euro je Tonne", make: cents(2010, 3990, "%d,%02d")},
				{name: "menge", kind: "number", about: "Mindestmenge in Kilogramm", make: anyOf([]float64{500, 1000, 2500, 5000}, "0,5", "1", "2,5", "5")},
				{name: "zeit", kind: "integer", about: "Lieferzeit in Tagen", make: anyOf([]float64{0, 1, 3, 14, 22, 35}, "sofort lieferbar", "Lieferzeit ein Tag", "Lieferzeit drei Tage", "Lieferzeit zwei Wochen", "Lieferzeit zweiundzwanzig Tage", "Lieferzeit fünfunddreißig Tage")},
				{name: "haufen", kind: "integer", about: "Anzahl der Haufen im Lager", make: anyOf([]float64{1, 2, 12, 21}, "ein Haufen", "zwei Haufen", "ein Dutzend Haufen", "einundzwanzig Haufen")},
				{name: "zert", kind: "boolean", about: "ist zertifiziert", make: worded(0.6, []string{"ja", "ja, DIN EN 12620"}, []string{"nein", "noch nicht"})},
			},
		},
		{
			host: "slowwater-boats.test", lang: "en", title: "Narrowboats for hire | Slow Water", noun: "boat", member: "boats", n: 30, per: 10, cursor: true, token: "k", onward: "Further afloat",
			names: pairs("Bluebell Comfrey Damson Elder Foxglove Gorse", "Maid Lady Rambler Rose Wanderer", "%s %s"),
			list:  "form", paging: "more", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/boats/%s/%x", squashed(t.name), 4099+i*97) },
			form: form{
				before: `<div class="fleet">`,
				item: `<div class="boat"><a href="{link}"><img src="/img/b.jpg" alt=""></a><div class="boat-name">{name}</div><div class="icons"><span><img src="/i/berth.svg" alt="Berths"> {berths|<img src="/i/x.svg" alt="Berths"> }</span><span><img src="/i/len.svg" alt="Length"> {length}</span><span>{wc|<img src="/i/wc.svg" alt="Toilets"> }</span><span><img src="/i/dog.svg" alt="Dogs"> {dogs}</span></div><div class="from">from {price}<sub>/week</sub></div></div>
`,
				after:  `</div>`,
				detail: `<p class="intro">{boat} was built in {built} by {builder} at {yard}. {bed} She has {stove} and takes on {water} litres of water; the tank lasts {lasts}. Hand over is on {handover}, and the deposit is {deposit}.</p><p>{cycles}</p>`,
			},
			columns: []column{
				{name: "boat", kind: "string", about: "name of the boat", label: "Boat"},
				{name: "berths", kind: "integer", about: "number of berths", on: "list", make: anyOf([]float64{2, 4, 6, 8, 10, 12}, "two", "four", "six", "eight", "ten", "a dozen")},
				{name: "length", kind: "integer", about: "length in feet", on: "list", make: whole(32, 72, ",", "%s ft")},
				{name: "wc", kind: "integer", about: "number of toilets", on: "list", make: anyOf([]float64{1, 2, 3}, "1 loo", "2 loos", "3 loos")},
				{name: "dogs", kind: "boolean", about: "dogs may come", on: "list", make: worded(0.6, []string{"welcome", "one dog"}, []string{"no dogs", "sorry, none"})},
				{name: "price", kind: "number", about: "lowest price of a week in pounds", on: "list", make: stepped(132, 490, 5, ",", "£%s")},
				{name: "built", kind: "integer", about: "year in which it was built", on: "detail", make: year(1979, 2022)},
				{name: "builder", kind: "string", about: "who built it", on: "detail", make: one("Hannah Pole & Sons", "Tring Dock", "M. Orwin")},
				{name: "yard", kind: "string", about: "where it was built", on: "detail", make: one("Braunwell", "Stoke Lock", "Great Haywain")},
				{name: "bed", kind: "boolean", about: "it has a fixed double bed", on: "detail", make: worded(0.5, []string{"There is a fixed double aft.", "A fixed double stays made up all day."}, []string{"All beds fold away.", "The beds are made up from the dinette."})},
				{name: "stove", kind: "string", about: "kind of stove", on: "detail", make: one("a solid fuel stove", "a diesel heater", "radiators only")},
				{name: "water", kind: "integer", about: "litres of water in the tank", on: "detail", make: stepped(31, 79, 10, ",", "%s")},
				{name: "lasts", kind: "integer", about: "days that the water lasts", on: "detail", make: anyOf([]float64{2, 3, 4, 5}, "two days", "three days", "four days", "five days")},
				{name: "handover", kind: "string", about: "day on which it is handed over", on: "detail", make: one("Friday", "Saturday", "Monday")},
				{name: "deposit", kind: "number", about: "deposit in pounds", on: "detail", make: few("£%d", 100, 150, 250)},
				{name: "cycles", kind: "boolean", about: "bicycles can be carried", on: "detail", make: worded(0.5, []string{"Bicycles travel on the roof.", "There is a rack for bicycles."}, []string{"We regret that bicycles cannot be carried.", "No bicycles, please."})},
			},
		},
		{
			host: "acordos-vilaboa.test", lang: "gl", title: "Acordos do pleno de Vilaboa", noun: "acordo", member: "acordos", n: 36, by: "data", paging: "years",
			names: func(_ *rand.Rand, i int) string {
				return fmt.Sprintf("%s do %s", []string{"Reforma", "Ampliación", "Limpeza", "Iluminación", "Venda", "Cesión"}[i%6], []string{"mercado", "cemiterio", "pavillón", "río Outo", "paseo", "lavadoiro"}[i/6])
			},
			list: "form",
			form: form{
				item: `<article><h3>{name}</h3><p><b>Data:</b> {data|Data: }</p><p><b>Importe:</b> {importe|Importe: }</p><p><b>Votos a favor:</b> {favor|Votos a favor: } <b>en contra:</b> {contra|en contra: }</p><p>{estado} <i>(proposta de {grupo})</i></p><p>Prazo de execución: {prazo|Prazo de execución: }</p></article>
`,
			},
			columns: []column{
				{name: "acordo", kind: "string", about: "título do acordo", label: "Acordo"},
				{name: "data", kind: "date", about: "data do acordo", make: day(2022, 2026, "gl", "D de N de Y")},
				{name: "importe", kind: "number", about: "importe en euros", make: free(stepped(30, 1900, 250, ".", "%s €"), 6, "sen custo")},
				{name: "favor", kind: "integer", about: "votos a favor", make: anyOf([]float64{7, 8, 9, 11, 13}, "sete", "oito", "9", "once", "13")},
				{name: "contra", kind: "integer", about: "votos en contra", make: anyOf([]float64{0, 1, 2, 4, 6}, "ningún", "un", "dous", "catro", "6")},
				{name: "estado", kind: "boolean", about: "foi aprobado", make: worded(0.8, []string{"Aprobado.", "Aprobado por unanimidade."}, []string{"Rexeitado.", "Retirado da orde do día."})},
				{name: "grupo", kind: "string", about: "grupo que o propuxo", make: one("Veciñanza", "Mar Aberto", "goberno local")},
				{name: "prazo", kind: "integer", about: "prazo en meses", make: anyOf([]float64{3, 6, 12, 24, 18}, "tres meses", "seis meses", "un ano", "dous anos", "ano e medio")},
			},
		},
		{
			host: "organ-exchange.test", lang: "en-GB", title: "The Organ Exchange: instruments seeking a home", noun: "organ", member: "organs", n: 28, per: 7, paging: "older", by: "listed", onward: "Farther back",
			names: pairs("Ardley Bexcombe Cawton Drayle Eskdon Frimpton Garth", "Chapel Hall School House", "%s %s"),
			list:  "form",
			form: form{
				before: `<form method="post"><fieldset><legend>Filter</legend><label><input type="checkbox" name="pipe"> Pipe organs</label> <input type="submit" value="Apply"></fieldset></form>`,
				item: `<div class="lot"><p class="lot-h">{name}</p><p>{maker}, {made}. {manuals}, {stops}; blown by {blown}. {state}</p><p>Offers over {price}. Must be gone by {gone}. {pedals} Advertised {listed}.</p></div>
`,
				after: `<p>Buyers dismantle and remove at their own cost.</p>`,
			},
			columns: []column{
				{name: "organ", kind: "string", about: "where the organ stands", label: "Organ"},
				{name: "maker", kind: "string", about: "maker", make: one("Hollis & Tubb", "Jn. Perriam", "Wadsworth Bros")},
				{name: "made", kind: "integer", about: "year in which it was made", make: either(year(1861, 1969), whole(1861, 1969, "", "about %s"))},
				{name: "manuals", kind: "integer", about: "number of manuals", make: anyOf([]float64{1, 2, 3}, "single manual", "two manuals", "three manuals")},
				{name: "stops", kind: "integer", about: "number of stops", make: anyOf([]float64{5, 9, 12, 18, 24, 31}, "five stops", "nine stops", "a dozen stops", "18 stops", "two dozen stops", "thirty-one stops")},
				{name: "blown", kind: "string", about: "how it is blown", make: one("hand", "electric blower", "hand or electric blower")},
				{name: "state", kind: "boolean", about: "is in playing order", make: worded(0.6, []string{"In playing order.", "Plays, needs tuning."}, []string{"Not playable.", "Dismantled and in store."})},
				{name: "price", kind: "number", about: "lowest offer in pounds", make: stepped(2, 90, 100, ",", "£%s")},
				{name: "gone", kind: "date", about: "day by which it must be gone", make: mixed(2026, 2028)},
				{name: "pedals", kind: "boolean", about: "has pedals", make: worded(0.6, []string{"Full pedalboard.", "Thirty-note pedalboard."}, []string{"No pedals.", "Without pedals."})},
				{name: "listed", kind: "date", about: "day on which it was advertised", make: ordinal(2023, 2026)},
			},
		},
	}
}

// eighteenthTasks are the questions about the eighteenth sites.
func (w *Web) eighteenthTasks() {
	w.ask("gather", "manguvaljakud.luigelinn.test", "kõik mänguväljakud: linnaosa, pindala, vahendid, rajatud, kontrollitud, korras?, aluskate, valgustus, haldaja, kulu, vanusepiir", "valjak linnaosa pindala vahendeid rajatud kontroll korras kate valgus haldaja kulu vanus")
	w.ask("gather", "harbourfigures.test", "every harbour w/ authority, tonnes for each half year, % change, calls, deepest berth", "harbour authority a b c change calls berth")
	w.ask("gather", "skalar-heidar.test", "allir skálar: svæði, gistipláss, verð, hiti, byggingarár, hæð, opnun, herbergi, sturta, tjaldstæði", "skali svaedi plass verd hiti byggdur haed opnar herbergi sturta tjald")
	w.ask("gather", "kies-hagenow.test", "alle sorten mit gruppe, körnung, preisen, mindestmenge, lieferzeit, haufen, zertifikat", "sorte gruppe koernung preis frei menge zeit haufen zert")
	w.ask("gather", "slowwater-boats.test", "all boats. berths, length, loos, dogs, price + built, builder, yard, fixed bed, stove, water, how long it lasts, handover, deposit, bikes", "boat berths length wc dogs price built builder yard bed stove water lasts handover deposit cycles")
	w.ask("gather", "acordos-vilaboa.test", "todos os acordos: data, importe, votos, aprobado, quen o propuxo, prazo", "acordo data importe favor contra estado grupo prazo")
	w.ask("gather", "organ-exchange.test", "all organs: maker, year, manuals, stops, blowing, playable, price, gone by, pedals, advertised", "organ maker made manuals stops blown state price gone pedals listed")

	w.ask("conditions", "manguvaljakud.luigelinn.test", "valgustatud väljakud kesklinnas, mida kontrolliti 2024 või hiljem", "valjak linnaosa kontroll", is("valgus", "=", "true", "valgustatud"), is("linnaosa", "=", "Kesklinn", "kesklinnas"), is("kontroll", ">=", "2024", "2024 või hiljem"))
	w.ask("conditions", "manguvaljakud.luigelinn.test", "üle 1000 ruutmeetri ja liivaga", "valjak pindala kate", is("pindala", ">", "1000", "üle 1000 ruutmeetri").in("m²"), is("kate", "=", "liiv", "liivaga"))
	w.ask("conditions", "manguvaljakud.luigelinn.test", "hoolduskulu alla 1500 euro, vanusepiirita, haldab rohepark", "valjak kulu haldaja", is("kulu", "<", "1500", "alla 1500 euro").in("euro"), is("vanus", "=", "0", "vanusepiirita"), is("haldaja", "=", "OÜ Rohepark", "haldab rohepark"))
	w.ask("conditions", "harbourfigures.test", "trust ports that grew, at least 850,000 tonnes in jan-jun 2025", "harbour c change", is("authority", "=", "Trust port", "trust ports"), is("change", ">", "0", "that grew"), is("c", ">=", "850000", "at least 850,000 tonnes").in("tonnes"))
	w.ask("conditions", "harbourfigures.test", "berth deeper than 14m and fewer than 3000 calls", "harbour berth calls", is("berth", ">", "14", "deeper than 14m").in("m"), is("calls", "<", "3000", "fewer than 3000 calls"))
	w.ask("conditions", "skalar-heidar.test", "upphitaðir skálar með sturtu og pláss fyrir minnst tíu", "skali plass", is("hiti", "=", "true", "upphitaðir"), is("sturta", "=", "true", "með sturtu"), is("plass", ">=", "10", "minnst tíu"))
	w.ask("conditions", "skalar-heidar.test", "fyrir ofan 600 metra, ódýrari en 8000 kr, opnar fyrir júlí 2026", "skali haed verd opnar", is("haed", ">", "600", "fyrir ofan 600 metra").in("m"), is("verd", "<", "8000", "ódýrari en 8000 kr").in("kr"), is("opnar", "<", "2026-07-01", "fyrir júlí 2026"))
	w.ask("conditions", "kies-hagenow.test", "zertifizierter sand unter 12 euro die tonne, lieferbar binnen drei tagen", "sorte preis zeit", is("gruppe", "=", "Sand", "sand"), is("zert", "=", "true", "zertifizierter"), is("preis", "<", "12", "unter 12 euro").in("euro"), is("zeit", "<=", "3", "binnen drei tagen").in("tage"))
	w.ask("conditions", "kies-hagenow.test", "8/16 oder 16/32 mit einer mindestmenge bis zu einer tonne", "sorte koernung menge", is("koernung", "in", "8/16 | 16/32", "8/16 oder 16/32"), is("menge", "<=", "1", "bis zu einer tonne").in("t").means("1000"))
	w.ask("conditions", "slowwater-boats.test", "boats for 8 or more that take dogs and bikes, under £1,800", "boat berths price", is("berths", ">=", "8", "8 or more"), is("dogs", "=", "true", "take dogs"), is("cycles", "=", "true", "bikes"), is("price", "<", "1800", "under £1,800").in("£"))
	w.ask("conditions", "slowwater-boats.test", "built after 2000 with a fixed double, saturday handover, deposit no more than 150", "boat built deposit", is("built", ">", "2000", "after 2000"), is("bed", "=", "true", "fixed double"), is("handover", "=", "Saturday", "saturday handover"), is("deposit", "<=", "150", "no more than 150"))
	w.ask("conditions", "acordos-vilaboa.test", "acordos aprobados con máis de dous votos en contra", "acordo contra", is("estado", "=", "true", "aprobados"), is("contra", ">", "2", "máis de dous votos en contra"))
	w.ask("conditions", "acordos-vilaboa.test", "propostas de mar aberto desde 2024 que custan 100.000 € ou máis", "acordo data importe", is("grupo", "=", "Mar Aberto", "mar aberto"), is("data", ">=", "2024", "desde 2024"), is("importe", ">=", "100000", "100.000 € ou máis").in("€"))
	w.ask("conditions", "organ-exchange.test", "playable organs with a dozen stops or more and pedals", "organ stops", is("state", "=", "true", "playable"), is("stops", ">=", "12", "a dozen stops or more"), is("pedals", "=", "true", "pedals"))
	w.ask("conditions", "organ-exchange.test", "made before 1900, under 5 grand, gone by end of 2026", "organ made price gone", is("made", "<", "1900", "before 1900"), is("price", "<", "5000", "under 5 grand").in("£"), is("gone", "<=", "2026-12-31", "by end of 2026"))

	w.ask("top", "harbourfigures.test", "five busiest by calls", "harbour calls", is("calls", "top", "5", "five busiest"))
	w.ask("top", "kies-hagenow.test", "die drei teuersten splittsorten frei baustelle", "sorte frei", is("gruppe", "=", "Splitt", "splittsorten"), is("frei", "top", "3", "drei teuersten"))
	w.best("best", "skalar-heidar.test", "hæsti skálinn", "skali haed", is("haed", "top", "1", "hæsti"))
	w.best("best", "organ-exchange.test", "oldest organ there", "organ made", is("made", "bottom", "1", "oldest"))
	w.best("best", "slowwater-boats.test", "longest boat w/ three loos", "boat length", is("wc", "=", "3", "three loos"), is("length", "top", "1", "longest"))
	w.count("count", "manguvaljakud.luigelinn.test", "mitu mänguväljakut vajab remonti või on suletud", is("korras", "=", "false", "vajab remonti või on suletud"))
	w.count("count", "organ-exchange.test", "how many are blown by hand only?", is("blown", "=", "hand", "by hand only"))
	w.count("count", "acordos-vilaboa.test", "cantos acordos de 2023?", is("data", ">=", "2023-01-01", "2023"), is("data", "<=", "2023-12-31", "2023"))
	w.compare("comparison", "slowwater-boats.test", "%s vs %s: price, berths, how long the water lasts", "boat price berths lasts", 3, 22)
	w.which("comparison", "harbourfigures.test", "%s or %s - which had more in jan-jun 2024?", "harbour a", 4, 27, is("a", "top", "1", "more"))
	w.lookup("lookup", "skalar-heidar.test", "hvað kostar %s og hvenær opnar hann?", "verd opnar", 20)
	w.lookup("lookup", "organ-exchange.test", "%s: manuals, stops, price", "manuals stops price", 23)
	w.lookup("lookup", "manguvaljakud.luigelinn.test", "kes haldab väljakut %s ja mis see aastas maksab", "haldaja kulu", 30)
	w.absent("lookup", "kies-hagenow.test", "was kostet %s?", "Basalt grob", "preis")
	w.open("open", "acordos-vilaboa.test", "reformas e canto custan", "acordo importe", is("acordo", "contains", "Reforma", "reformas"))
	w.open("open", "organ-exchange.test", "wadsworth organs and their stops", "organ maker stops", is("maker", "=", "Wadsworth Bros", "wadsworth"))
}

// signed makes changes in per cent, of which some are negative and have a minus sign that is no hyphen.
func signed(share float64, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := 1 + rng.IntN(most*10)
		text := fmt.Sprintf("%d.%d", n/10, n%10)
		if rng.Float64() < share {
			return -float64(n) / 10, "−" + text
		}
		return float64(n) / 10, "+" + text
	}
}

// paged writes links to the pages of a list with their numbers. The current one is no link.
func paged(paths []string, k int) string {
	var b strings.Builder
	b.WriteString(`<p class="pager">`)
	for i, path := range paths {
		if i == k {
			fmt.Fprintf(&b, `<strong>%d</strong> `, i+1)
		} else {
			fmt.Fprintf(&b, `<a href="%s">%d</a> `, html.EscapeString(path), i+1)
		}
	}
	b.WriteString("</p>")
	return b.String()
}

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
