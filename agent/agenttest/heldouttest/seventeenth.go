// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
)

// The seventeenth set tells whether what was mended for the sixteenth helps elsewhere. It has three
// sites of other trades and languages:
//
//  1. Dutch allotments with waiting times in words, sizes as "10 x 12,5 m", and offers "3 dagen geleden"
//  2. a British directory of choirs as paragraphs, with "a dozen" habits of people: "every second Tuesday",
//     subscriptions for a term, and members as ranges
//  3. Italian apartments with floors as ordinals and words, energy classes, and costs that are included

// seventeenthSites are the sites of the seventeenth set.
func seventeenthSites() []*site {
	return []*site{
		{
			host: "volkstuin-vechtzoom.test", lang: "nl", title: "Vrije tuinen – Volkstuinvereniging Vechtzoom", noun: "tuin", member: "tuinen", n: 30, per: 10,
			names: func(_ *rand.Rand, i int) string {
				return []string{"Merel", "Spreeuw", "Kievit", "Roodborst", "Winterkoning"}[i%5] + fmt.Sprintf(" %d", 11+i*2)
			},
			list: "form", paging: "more", onward: "Volgende tuinen", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/aanbod/%x", 0xb71c4+i*6133) },
			form: form{
				before: `<p><small>Bijgewerkt: maandag 4 mei 2026</small></p><div class="cards">`,
				item: `<div class="card"><div class="card-body"><h5 class="card-title">{name}</h5><h6>{laan}</h6><p class="card-text">{maat} · {pacht} per jaar</p><p class="card-text"><span class="badge">{huisje}</span> <span class="badge">{water}</span></p></div><div class="card-footer">Aangeboden: {sinds}</div></div>
`,
				after:  `</div>`,
				detail: `<table class="table table-borderless"><tbody><tr><th>Laan</th><td>{laan}</td></tr><tr><th>Grondsoort</th><td>{grond}</td></tr><tr><th>Overname</th><td>{overname}</td></tr><tr><th>Wachttijd</th><td>{wacht}</td></tr><tr><th>Fruitbomen</th><td>{bomen}</td></tr><tr><th>Borg</th><td>{borg}</td></tr></tbody></table>`,
			},
			columns: []column{
				{name: "tuin", kind: "string", about: "naam en nummer van de tuin", label: "Tuin"},
				{name: "laan", kind: "string", about: "laan", make: one("Appellaan", "Perenlaan", "Kersenpad")},
				{name: "maat", kind: "string", about: "afmetingen", make: one("10 x 12,5 m", "8 x 20 m", "12 x 15 m")},
				{name: "pacht", kind: "number", about: "pacht per jaar in euro", make: decimal(95, 280, ",", "€ %s0")},
				{name: "huisje", kind: "boolean", about: "er staat een huisje", make: worded(0.5, []string{"met huisje", "tuinhuisje aanwezig"}, []string{"zonder huisje", "geen opstal"})},
				{name: "water", kind: "boolean", about: "er is een waterpunt", make: worded(0.6, []string{"waterpunt", "pomp"}, []string{"geen water", "water op 50 m"})},
				{name: "sinds", kind: "date", about: "dag waarop de tuin is aangeboden", on: "list", make: since("2026-05-04", []int{0, 1, 3, 4, 7, 21}, "vandaag", "gisteren", "3 dagen geleden", "vier dagen geleden", "een week geleden", "drie weken geleden")},
				{name: "grond", kind: "string", about: "grondsoort", on: "detail", make: one("zand", "klei", "veen")},
				{name: "overname", kind: "integer", about: "overnamekosten in euro", on: "detail", make: free(stepped(2, 60, 25, ".", "€ %s,-"), 5, "gratis")},
				{name: "wacht", kind: "integer", about: "wachttijd in maanden", on: "detail", make: anyOf([]float64{2, 6, 12, 18, 24}, "twee maanden", "zes maanden", "een jaar", "anderhalf jaar", "2 jaar")},
				{name: "bomen", kind: "integer", about: "aantal fruitbomen", on: "detail", make: anyOf([]float64{0, 1, 2, 3, 5}, "geen", "één", "twee", "drie", "5")},
				{name: "borg", kind: "number", about: "borg in euro", on: "detail", make: anyOf([]float64{0, 50, 100}, "geen", "€ 50", "€ 100")},
			},
		},
		{
			host: "choirs.estuary.test", lang: "en-GB", title: "Choirs of the estuary", noun: "choir", member: "choirs", n: 28,
			names: pairs("Avocet Barnacle Cockle Dunlin Estuary Foreshore Gannet", "Singers Voices Chorale Consort", "%s %s"),
			list:  "form",
			form: form{
				item: `<p><strong>{name}</strong> ({town}) – {kind}. Meets every {day} at {hour} in term time. {members} members, {parts}. {audition}. Subscription {fee} a term. Founded {founded}. Conductor: {conductor}. {joined}</p>
`,
			},
			columns: []column{
				{name: "choir", kind: "string", about: "name of the choir", label: "Choir"},
				{name: "town", kind: "string", about: "town", make: one("Fleetmouth", "Saltash Quay", "Northam Strand")},
				{name: "kind", kind: "string", about: "kind of choir", make: one("mixed voices", "ladies' choir", "male voice choir", "chamber choir")},
				{name: "day", kind: "string", about: "day of rehearsals", make: one("Tuesday", "second Thursday", "Monday")},
				{name: "hour", kind: "string", about: "time of rehearsals", make: one("7.30pm", "8pm", "2pm")},
				{name: "members", kind: "integer", about: "number of members", make: either(whole(16, 89, ",", "%s"), anyOf([]float64{20, 24, 30, 45}, "Twenty", "Twenty-four", "Thirty", "Forty-five"))},
				{name: "parts", kind: "integer", about: "number of parts", make: anyOf([]float64{2, 3, 4, 8}, "two parts", "three parts", "four parts", "eight parts")},
				{name: "audition", kind: "boolean", about: "new members are auditioned", make: worded(0.4, []string{"Auditions apply", "By audition"}, []string{"No audition", "All welcome, no audition"})},
				{name: "fee", kind: "number", about: "subscription for a term in pounds", make: anyOf([]float64{0, 25, 37.5, 45, 60}, "free", "£25", "£37.50", "£45", "£60")},
				{name: "founded", kind: "integer", about: "year of foundation", make: either(year(1904, 1990), whole(1904, 1990, "", "in the year %s"))},
				{name: "conductor", kind: "string", about: "conductor", make: one("Hilary Venn", "Owen Trask", "Miriam Lodge")},
				{name: "joined", kind: "boolean", about: "takes new members now", make: worded(0.6, []string{"New members welcome", "Tenors especially wanted"}, []string{"Currently full", "Waiting list"})},
			},
		},
		{
			host: "case-lungofiume.test", lang: "it", title: "Appartamenti in affitto – Lungofiume", noun: "appartamento", member: "appartamenti", n: 30, per: 15, pager: true,
			names: func(_ *rand.Rand, i int) string {
				return []string{"Via Argine", "Via Molino", "Vicolo Stretto", "Piazza Vecchia", "Corso Ponte"}[i%5] + fmt.Sprintf(" %d", 2+i*3)
			},
			list: "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/annunci/%d.html", 20410+i*17) },
			form: form{
				before: `<div class="annunci">`,
				item: `<section class="annuncio"><h2>{name}</h2><div class="prezzo">{canone}<small>/mese</small></div><ul><li>{locali}</li><li>{mq}</li><li>{piano}</li></ul><div>{ascensore}</div></section>
`,
				after:  `</div>`,
				detail: `<h2>Dettagli</h2><dl class="dettagli"><dt>Bagni</dt><dd>{bagni}</dd><dt>Classe energetica</dt><dd>{classe}</dd><dt>Spese condominiali</dt><dd>{spese}</dd><dt>Cauzione</dt><dd>{cauzione}</dd><dt>Disponibile dal</dt><dd>{libero}</dd><dt>Arredato</dt><dd>{arredato}</dd></dl>`,
			},
			columns: []column{
				{name: "indirizzo", kind: "string", about: "indirizzo dell'appartamento", label: "Indirizzo"},
				{name: "canone", kind: "integer", about: "canone mensile in euro", on: "list", make: wasFrom(stepped(42, 180, 10, ".", "€ %s"), "da", "€ %s", ".")},
				{name: "locali", kind: "integer", about: "numero di locali", on: "list", make: anyOf([]float64{1, 2, 3, 4, 5}, "monolocale (un locale)", "due locali", "tre locali", "quattro locali", "5 locali")},
				{name: "mq", kind: "integer", about: "superficie in metri quadrati", on: "list", make: whole(28, 148, ".", "%s mq")},
				{name: "piano", kind: "integer", about: "piano, 0 se è il piano terra", on: "list", make: anyOf([]float64{1, 2, 3, 4}, "primo piano", "2° piano", "terzo piano", "4° piano")},
				{name: "ascensore", kind: "boolean", about: "c'è l'ascensore", on: "list", make: worded(0.6, []string{"con ascensore", "ascensore"}, []string{"senza ascensore", "no ascensore"})},
				{name: "bagni", kind: "integer", about: "numero di bagni", on: "detail", label: "Bagni", make: anyOf([]float64{1, 2, 3}, "uno", "due", "3")},
				{name: "classe", kind: "string", about: "classe energetica", on: "detail", make: one("A2", "C", "F", "G")},
				{name: "spese", kind: "integer", about: "spese condominiali al mese in euro", on: "detail", make: free(stepped(4, 22, 10, ".", "%s € al mese"), 4, "incluse")},
				{name: "cauzione", kind: "integer", about: "cauzione in mensilità", on: "detail", make: anyOf([]float64{1, 2, 3}, "una mensilità", "due mensilità", "tre mensilità")},
				{name: "libero", kind: "date", about: "giorno da cui è disponibile", on: "detail", make: day(2026, 2027, "it", "D N Y")},
				{name: "arredato", kind: "boolean", about: "è arredato", on: "detail", make: worded(0.5, []string{"sì", "solo cucina"}, []string{"no", "non arredato"})},
			},
		},
	}
}

// seventeenthTasks are the questions about the seventeenth sites.
func (w *Web) seventeenthTasks() {
	w.ask("gather", "volkstuin-vechtzoom.test", "alle tuinen met laan, afmetingen, pacht, huisje, water, aangeboden op, grondsoort, overname, wachttijd (maanden), fruitbomen, borg", "tuin laan maat pacht huisje water sinds grond overname wacht bomen borg")
	w.ask("gather", "choirs.estuary.test", "all choirs: town, kind, rehearsal day + time, members, parts, audition?, fee per term, founded, conductor, taking new members?", "choir town kind day hour members parts audition fee founded conductor joined")
	w.ask("gather", "case-lungofiume.test", "tutti gli appartamenti: canone, locali, mq, piano, ascensore, bagni, classe, spese, cauzione, disponibile dal, arredato", "indirizzo canone locali mq piano ascensore bagni classe spese cauzione libero arredato")

	w.ask("conditions", "volkstuin-vechtzoom.test", "tuinen met huisje die deze week zijn aangeboden (vanaf 28 april 2026) en hooguit 200 euro pacht", "tuin pacht sinds", is("huisje", "=", "true", "met huisje"), is("sinds", ">=", "2026-04-28", "vanaf 28 april 2026"), is("pacht", "<=", "200", "hooguit 200 euro pacht").in("euro"))
	w.ask("conditions", "volkstuin-vechtzoom.test", "wachttijd korter dan een jaar, geen borg", "tuin wacht borg", is("wacht", "<", "1", "korter dan een jaar").in("jaar").means("12"), is("borg", "=", "0", "geen borg"))
	w.ask("conditions", "volkstuin-vechtzoom.test", "klei of zand met minstens twee fruitbomen", "tuin grond bomen", is("grond", "in", "klei | zand", "klei of zand"), is("bomen", ">=", "2", "minstens twee fruitbomen"))
	w.ask("conditions", "choirs.estuary.test", "choirs w/o audition that still take people, not more than £40 a term", "choir fee", is("audition", "=", "false", "w/o audition"), is("joined", "=", "true", "still take people"), is("fee", "<=", "40", "not more than £40 a term").in("£"))
	w.ask("conditions", "choirs.estuary.test", "four part or more, between 20 and 50 members, founded before 1950", "choir parts members founded", is("parts", ">=", "4", "four part or more"), is("members", ">=", "20", "between 20 and 50 members"), is("members", "<=", "50", "between 20 and 50 members"), is("founded", "<", "1950", "founded before 1950"))
	w.ask("conditions", "case-lungofiume.test", "trilocali o più grandi sotto i 1.000 euro con ascensore", "indirizzo locali canone", is("locali", ">=", "3", "trilocali o più grandi"), is("canone", "<", "1000", "sotto i 1.000 euro").in("euro"), is("ascensore", "=", "true", "con ascensore"))
	w.ask("conditions", "case-lungofiume.test", "dal terzo piano in su, almeno due bagni, spese incluse", "indirizzo piano bagni", is("piano", ">=", "3", "dal terzo piano in su"), is("bagni", ">=", "2", "almeno due bagni"), is("spese", "=", "0", "spese incluse"))
	w.ask("conditions", "case-lungofiume.test", "liberi entro giugno 2026 con una sola mensilità di cauzione", "indirizzo libero cauzione", is("libero", "<=", "2026-06-30", "entro giugno 2026"), is("cauzione", "=", "1", "una sola mensilità"))

	w.ask("top", "case-lungofiume.test", "i tre più economici", "indirizzo canone", is("canone", "bottom", "3", "tre più economici"))
	w.best("best", "choirs.estuary.test", "which choir has most members", "choir members", is("members", "top", "1", "most members"))
	w.best("best", "volkstuin-vechtzoom.test", "goedkoopste tuin aan het kersenpad", "tuin pacht", is("laan", "=", "Kersenpad", "aan het kersenpad"), is("pacht", "bottom", "1", "goedkoopste"))
	w.count("count", "volkstuin-vechtzoom.test", "hoeveel tuinen hebben geen fruitbomen?", is("bomen", "=", "0", "geen fruitbomen"))
	w.count("count", "choirs.estuary.test", "how many are conducted by miriam lodge", is("conductor", "=", "Miriam Lodge", "conducted by miriam lodge"))
	w.count("count", "case-lungofiume.test", "quanti al primo piano?", is("piano", "=", "1", "primo piano"))
	w.compare("comparison", "case-lungofiume.test", "%s o %s? mq, bagni, spese", "indirizzo mq bagni spese", 3, 18)
	w.lookup("lookup", "volkstuin-vechtzoom.test", "hoe lang is de wachttijd voor %s en sinds wanneer staat hij erop", "wacht sinds", 14)
	w.lookup("lookup", "choirs.estuary.test", "%s - how many parts and what does it cost?", "parts fee", 11)
	w.open("open", "choirs.estuary.test", "chamber choirs with number of members", "choir kind members", is("kind", "=", "chamber choir", "chamber choirs"))
}
