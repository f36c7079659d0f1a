// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
)

// The ninth set is written by hand, site by site, as price lists, registers and
// timetables are. The list was written before the sites:
//
//  1. two fields in one cell: a range of salaries, goals for and against, height × width,
//     a price for some months and the price after them
//  2. former prices that are struck out, "from" prices, amounts whose range names the currency once
//  3. rows that are sold, filled, cancelled or withdrawn, and stay in the list
//  4. names that are other names with a word behind them, and names of which several rows have the same
//  5. keys that are numbers of a register
//  6. fields that are lists of texts
//  7. times of the day
//  8. sums at the foot, advertisements between the rows, legends of abbreviations, related things
//  9. lines with dots between a service and its price, sections of an accordion
//  10. Brazilian, Croatian and Slovak pages and questions
//  11. questions about one thing by its name, yes or no
//  12. questions about things that do not exist, and with conditions that no page says anything about
//  13. who runs the company that holds a licence

// ninthSites are the sites of the ninth set.
func ninthSites() []*site {
	holders := []string{"Abernathy Labs", "Bryony Pharma", "Corvus Remedies", "Dunmore Health", "Eskdale Medicines", "Fairhaven Biologics"}
	lecturers := []string{"Dr. Imogen Ashe", "Prof. Jonas Birk", "Dr. Katya Crane", "Prof. Lionel Dray", "Dr. Mabel Eaves", "Prof. Nadim Farr", "Dr. Oona Gale"}
	return []*site{
		{
			host: "harbourjobs.test", lang: "en", title: "Harbour jobs", noun: "job", member: "jobs", n: 36, per: 12, sticky: 2, cursor: true, onward: "Load more jobs",
			names: pairs("Berth Cargo Customs Dock Harbour Quay Safety", "Planner Clerk Engineer Manager Analyst Foreman", "%s %s"),
			list:  "form", paging: "more",
			form: form{
				before: `<div class=results>`, after: `</div>`,
				item: `<article class="job-card"><h2>{name}</h2>
<p class=org>{employer}, {town}</p>
<p class=pay>{salary_min} – {salary_max} a year</p>
<p>{mode}. Languages: {languages}</p>
<p><small>Posted {posted}</small> <em>{open}</em></p></article>
`,
				ad: `<aside><p>Sponsored: forklift licence in five days for €690, ask for dates</p></aside>`,
			},
			columns: []column{
				{name: "job", kind: "string", about: "title of the job", label: "Job"},
				{name: "employer", kind: "string", about: "employer", make: one("Northgate Terminal", "Ostrand Shipping", "Pilot House", "Quayside Freight")},
				{name: "town", kind: "string", about: "town", make: one("Antwerp", "Bremen", "Gdynia")},
				{name: "salary_min", kind: "integer", about: "lowest salary of a year in euros", make: thousands(29, 58, "€%d,000")},
				{name: "salary_max", kind: "integer", about: "highest salary of a year in euros", make: thousands(59, 99, "%d,000"), missing: 0.1, blank: "open"},
				{name: "mode", kind: "string", about: "where one works", make: one("Remote", "On site", "Hybrid")},
				{name: "languages", kind: "string[]", about: "languages that are asked for", make: several(", ", "English", "English, German", "English, Polish, French", "German, French")},
				{name: "posted", kind: "date", about: "date of the advertisement", make: day(2024, 2027, "en", "D A Y")},
				{name: "open", kind: "boolean", about: "can still be applied for", make: worded(0.7, []string{"Apply now", "Applications are open"}, []string{"This position has been filled", "Closed"})},
			},
		},
		{
			host: "inselfaehren.test", lang: "de", title: "Fahrplan der Inselfähren", noun: "Fähre", member: "fahrten", n: 34,
			names: func(_ *rand.Rand, i int) string { return fmt.Sprintf("F %d", 101+i*3) },
			list:  "form",
			form: form{
				before: `<table class=plan><thead><tr><th>Fahrt</th><th>von</th><th>nach</th><th>ab</th><th>an</th><th>Dauer</th><th>verkehrt</th><th>Preis</th><th>Rad</th></tr></thead><tbody>`,
				item:   "<tr><td>{name}</td><td>{von}</td><td>{nach}</td><td>{ab}</td><td>{an}</td><td>{dauer_min}</td><td>{tage}</td><td>{preis}</td><td>{rad}</td></tr>\n",
				ad:     "<tr class=ad><td colspan=9>Anzeige: Strandkorb ab 9,50 € am Tag</td></tr>\n",
				after:  `</tbody></table><p>● Fahrräder werden mitgenommen, ○ keine Fahrräder. Alle Zeiten in Ortszeit.</p>`,
			},
			columns: []column{
				{name: "fahrt", kind: "string", about: "Nummer der Fahrt", label: "Fahrt"},
				{name: "von", kind: "string", about: "Hafen der Abfahrt", make: one("Emden", "Norddeich", "Harlesiel")},
				{name: "nach", kind: "string", about: "Insel", make: one("Borkum", "Juist", "Wangerooge")},
				{name: "ab", kind: "string", about: "Abfahrt (Uhrzeit)", make: clock(5, 13)},
				{name: "an", kind: "string", about: "Ankunft (Uhrzeit)", make: clock(14, 23)},
				{name: "dauer_min", kind: "integer", about: "Dauer in Minuten", make: stay(25, 150)},
				{name: "tage", kind: "string", about: "Tage, an denen sie fährt", make: one("täglich", "Mo–Fr", "Sa und So")},
				{name: "preis", kind: "number", about: "Preis in Euro", make: decimal(8, 39, ",", "%s0 €")},
				{name: "rad", kind: "boolean", about: "nimmt Fahrräder mit", make: flag(0.5, "●", "○")},
			},
		},
		{
			host: "coursebook.test", lang: "en", title: "Course book of Linfield University", noun: "course", member: "courses", n: 30, by: "department",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Algebra", "Optics", "Statistics", "Rhetoric", "Ecology", "Logic"}[i%6] + []string{" I", " II", " I for Engineers", " II for Engineers", " Seminar"}[i/6]
			},
			list: "form",
			form: form{
				section: "<h2>%s</h2>\n",
				item: `<details><summary>{name}</summary><p>{credits}, {term} term, held by {lecturer} in {languages}</p>
<p>Assessment: {exam}. In 2026: {runs}</p></details>
`,
			},
			columns: []column{
				{name: "course", kind: "string", about: "title of the course", label: "Course"},
				{name: "department", kind: "string", about: "department", on: "section", make: one("Department of Letters", "Department of Mathematics", "Department of Physics")},
				{name: "credits", kind: "number", about: "credits (ECTS)", make: half(2, 12, "%s ECTS")},
				{name: "term", kind: "string", about: "term", make: one("winter", "summer")},
				{name: "lecturer", kind: "string", about: "lecturer", make: turn(lecturers...)},
				{name: "languages", kind: "string[]", about: "languages that the course is held in", make: several(" and ", "English", "French", "English, French", "German")},
				{name: "exam", kind: "boolean", about: "has an exam", make: worded(0.6, []string{"written exam", "oral exam"}, []string{"no exam", "essay only"})},
				{name: "runs", kind: "boolean", about: "takes place in 2026", make: worded(0.75, []string{"takes place", "takes place online"}, []string{"cancelled", "does not take place"})},
			},
		},
		{
			host: "linfieldstaff.test", lang: "en", title: "Staff of Linfield", noun: "lecturer", member: "staff", n: len(lecturers),
			names: fixed(lecturers...),
			list:  "form", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/staff/person?id=%d", 4410+i*13) },
			form: form{
				before: "<ul class=people>", item: "<li>{name}</li>\n", after: "</ul>",
				detail: "<div class=vcard><p>Office: <span>{office}</span></p><p>Phone: {phone}</p><p>Consultation: {hours}</p></div>",
			},
			columns: []column{
				{name: "name", kind: "string", about: "name of the lecturer", label: "Name"},
				{name: "office", kind: "string", about: "office of the lecturer", on: "detail", make: turn("B 1.12", "B 2.07", "C 0.31", "C 4.18", "A 3.03", "D 1.26", "A 0.09")},
				{name: "phone", kind: "string", about: "telephone number of the lecturer", on: "detail", make: turn("+44 1632 960101", "+44 1632 960117", "+44 1632 960123", "+44 1632 960138", "+44 1632 960145", "+44 1632 960152", "+44 1632 960169")},
				{name: "hours", kind: "string", about: "when the lecturer can be consulted", on: "detail", make: turn("Monday 9 to 11", "Tuesday 14 to 15", "Wednesday 10 to 12", "Thursday 16 to 17", "Friday 8 to 9", "Monday 13 to 15", "by appointment")},
			},
		},
		{
			host: "imoveis.test", lang: "pt", title: "Imóveis no litoral", noun: "apartamento", member: "imoveis", n: 40, per: 10, pager: true, few: true,
			names: pairs("Aroeira Bromélia Caju Dália Embaúba Figueira Gaivota Hortênsia", "Praia Mar Sol Centro Serra", "Edifício %s %s"),
			list:  "form", paging: "numbered",
			form: form{
				before: `<ul class=cards>`, after: `</ul>`,
				item: `<li class="imovel"><h3>{name}</h3><span class=tag>{situacao}</span><p class=preco>{preco}</p>
<p>{area} | {quartos} | {bairro} | {vaga}</p><p>Condomínio: {condominio}</p></li>
`,
				ad: `<li class="banner"><p>Financie em 420 meses com juros a partir de 9,9% ao ano</p></li>`,
			},
			columns: []column{
				{name: "edificio", kind: "string", about: "nome do edifício", label: "Edifício"},
				{name: "situacao", kind: "string", about: "situação do imóvel", make: one("disponível", "vendido", "reservado")},
				{name: "preco", kind: "integer", about: "preço em reais", make: wasFrom(thousands(310, 990, "R$ %d.000"), "a partir de", "R$ %s", "."), missing: 0.08, blank: "sob consulta"},
				{name: "area", kind: "number", about: "área em metros quadrados", make: decimal(38, 160, ",", "%s m²")},
				{name: "quartos", kind: "integer", about: "número de quartos", make: few("%d quartos", 2, 3, 4, 5)},
				{name: "bairro", kind: "string", about: "bairro", make: one("Enseada", "Pontal", "Ribeira")},
				{name: "vaga", kind: "boolean", about: "tem vaga de garagem", make: worded(0.5, []string{"com vaga", "2 vagas"}, []string{"sem vaga"})},
				{name: "condominio", kind: "number", about: "condomínio por mês em reais", make: decimal(290, 1980, ",", "R$ %s0")},
			},
		},
		{
			host: "ligatablica.test", lang: "hr", title: "Prvenstvena ljestvica", noun: "klub", member: "klubovi", n: 22,
			names: pairs("Bura Dupin Galeb Jadran Lastva Maestral Neptun Orlan Pelikan Sokol Tramontana", "1921 Mladost", "%s %s"),
			list:  "form",
			form: form{
				before: `<table><thead><tr><th>Klub</th><th>UT</th><th>P</th><th>Golovi</th><th>Bod.</th><th>Osnovan</th><th>Gledatelja</th></tr></thead><tbody>`,
				item:   "<tr><th scope=row>{name}</th><td>{utakmice}</td><td>{pobjede}</td><td>{zabijeno}:{primljeno}</td><td>{bodovi}</td><td>{osnovan}</td><td>{gledatelja}</td></tr>\n",
				after:  `</tbody><tfoot><tr><td>Ukupno</td><td></td><td>{sum:pobjede}</td><td>{sum:zabijeno}:{sum:primljeno}</td><td>{sum:bodovi}</td><td></td><td>{sum:gledatelja}</td></tr></tfoot></table><p>UT = odigrane utakmice, P = pobjede. Golovi: postignuti i primljeni.</p>`,
			},
			columns: []column{
				{name: "klub", kind: "string", about: "ime kluba", label: "Klub"},
				{name: "utakmice", kind: "integer", about: "odigrane utakmice", make: few("%d", 26, 27, 28)},
				{name: "pobjede", kind: "integer", about: "broj pobjeda", make: whole(1, 25, ".", "%s")},
				{name: "zabijeno", kind: "integer", about: "postignuti golovi", make: whole(18, 79, ".", "%s")},
				{name: "primljeno", kind: "integer", about: "primljeni golovi", make: whole(14, 75, ".", "%s")},
				{name: "bodovi", kind: "integer", about: "bodovi", make: id3(9, 3)},
				{name: "osnovan", kind: "date", about: "datum osnivanja", make: day(1908, 1970, "hr", "D. N Y.")},
				{name: "gledatelja", kind: "integer", about: "prosječan broj gledatelja", make: whole(350, 9800, ".", "%s")},
			},
		},
		{
			host: "zakazky.test", lang: "sk", title: "Verejné zákazky okresu", noun: "zákazka", member: "zakazky", n: 33, per: 11, cursor: true, onward: "Ďalšie zákazky",
			names: func(_ *rand.Rand, i int) string { return fmt.Sprintf("VO-2026/%04d", 113+i*17) },
			list:  "form", paging: "more",
			form: form{
				item: `<div class=zakazka><h2>{name}</h2><p>{predmet}</p><dl><dt>Obstarávateľ</dt><dd>{obstaravatel}</dd><dt>Predpokladaná hodnota</dt><dd>{hodnota} <small>bez DPH</small></dd>
<dt>Lehota na ponuky</dt><dd>{lehota}, 10.00 h</dd><dt>Stav</dt><dd>{stav}</dd><dt>Elektronická aukcia</dt><dd>{aukcia}</dd></dl></div>
`,
				after: `<p class=spolu>Spolu na tejto strane: {sum:hodnota} EUR bez DPH</p>`,
			},
			columns: []column{
				{name: "cislo", kind: "string", about: "číslo zákazky", label: "Číslo"},
				{name: "predmet", kind: "string", about: "predmet zákazky", make: one("Oprava mosta", "Nákup autobusov", "Zimná údržba ciest", "Rekonštrukcia školy")},
				{name: "obstaravatel", kind: "string", about: "obstarávateľ", make: turn("Mesto Brezová", "Mesto Javorina", "Obec Lipovec", "Okresná nemocnica", "Správa ciest", "Mesto Topoľ", "Obec Vŕbky")},
				{name: "hodnota", kind: "number", about: "predpokladaná hodnota v eurách", make: either(whole(11000, 990000, "\u00a0", "%s,00 EUR"), scaled(1, 9, 1e6, ",", "%s mil. EUR"))},
				{name: "lehota", kind: "date", about: "lehota na predloženie ponúk", make: day(2025, 2027, "sk", "D. MM. Y")},
				{name: "stav", kind: "string", about: "stav zákazky", make: one("otvorená", "ukončená", "zrušená")},
				{name: "aukcia", kind: "boolean", about: "použije sa elektronická aukcia", make: flag(0.5, "áno", "nie")},
			},
		},
		{
			host: "medregister.test", lang: "en", title: "Register of medicines", noun: "medicine", member: "medicines", n: 45, per: 15, pager: true,
			names: func(_ *rand.Rand, i int) string { return fmt.Sprintf("PL %05d/%04d", 14010+i%6*31, 12+i*7) },
			list:  "form", paging: "numbered",
			form: form{
				before: `<table><tr><th>Licence</th><th>Product</th><th>Active substances</th><th>Strength</th><th>Pack</th><th>Holder</th><th>Legal status</th><th>Licence granted</th><th>State</th></tr>`,
				item:   "<tr><td><code>{name}</code></td><td>{product}</td><td>{substances}</td><td>{strength_mg}</td><td>{pack}</td><td>{holder}</td><td>{prescription}</td><td>{granted}</td><td>{valid}</td></tr>\n",
				after:  `</table><p>POM: prescription-only medicine. P: sold in pharmacies without a prescription.</p>`,
			},
			columns: []column{
				{name: "licence", kind: "string", about: "number of the licence", label: "Licence"},
				{name: "product", kind: "string", about: "name of the product", make: turn("Nalorex", "Nalorex Forte", "Pirolan", "Pirolan 24h", "Tivexin", "Tivexin Forte", "Zelomab")},
				{name: "substances", kind: "string[]", about: "active substances", make: several(" + ", "naloridine", "pirolactam, clavuline", "tivexate", "pirolactam", "zelomabine, tivexate, naloridine")},
				{name: "strength_mg", kind: "number", about: "strength in milligrams", make: strength(2, 980)},
				{name: "pack", kind: "integer", about: "number of tablets in a pack", make: few("%d tablets", 14, 28, 56, 100)},
				{name: "holder", kind: "string", about: "company that holds the licence", make: turn(holders...)},
				{name: "prescription", kind: "boolean", about: "needs a prescription", make: flag(0.5, "POM", "P")},
				{name: "granted", kind: "date", about: "date when the licence was granted", make: day(1995, 2025, "en", "DD/A/Y")},
				{name: "valid", kind: "boolean", about: "is authorised at present", make: worded(0.7, []string{"authorised"}, []string{"withdrawn", "suspended"})},
			},
		},
		{
			host: "holders.test", lang: "en", title: "Companies that hold licences", noun: "company", member: "companies", n: len(holders),
			names: fixed(holders...),
			list:  "form", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/c/%d-%s", 880+i*3, squashed(t.name)) },
			form: form{
				before: "<div class=az>", item: "<p>{name}</p>\n", after: "</div>",
				detail: `<table class=infobox><tr><th>Managing director</th><td>{director}</td></tr><tr><th>Seat</th><td>{seat}</td></tr><tr><th>Employees</th><td>{staff} <small>(2025)</small></td></tr></table>`,
			},
			columns: []column{
				{name: "company", kind: "string", about: "name of the company", label: "Company"},
				{name: "director", kind: "string", about: "managing director of the company", on: "detail", make: turn("Petra Vance", "Quentin Rhodes", "Ruth Sellick", "Stellan Moor", "Tamsin Ude", "Ugo Varley")},
				{name: "seat", kind: "string", about: "town where the company has its seat", on: "detail", make: turn("Alloa", "Bangor", "Cavan", "Derry", "Elgin", "Fishguard")},
				{name: "staff", kind: "integer", about: "number of employees of the company", on: "detail", make: whole(1100, 9800, ",", "%s")},
			},
		},
		{
			host: "garageprices.test", lang: "en", title: "Price list of the garage", noun: "service", member: "services", n: 28, by: "section",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Oil change", "Brake pads", "Wheel alignment", "Clutch", "Battery", "Air conditioning", "Exhaust"}[i%7] + []string{"", " Plus", " (van)", " Express"}[i/7]
			},
			list: "form",
			form: form{
				section: "<h3>%s</h3>\n",
				item:    "{name} ........ {price} / {minutes} / {warranty} / {booking}<br>\n",
				after:   "<p>All prices include VAT. Disposal of old oil: £4.50.</p>",
			},
			columns: []column{
				{name: "service", kind: "string", about: "name of the service", label: "Service"},
				{name: "section", kind: "string", about: "section of the price list", on: "section", make: one("Inspection", "Repairs", "Seasonal offers")},
				{name: "price", kind: "number", about: "price in pounds", make: wasFrom(whole(19, 480, ",", "£%s.00"), "from", "£%s.00", ",")},
				{name: "minutes", kind: "integer", about: "duration in minutes", make: duration(15, 300)},
				{name: "warranty", kind: "integer", about: "warranty in months", make: few("%d months' warranty", 6, 12, 24)},
				{name: "booking", kind: "boolean", about: "has to be booked", make: worded(0.5, []string{"by appointment", "please book"}, []string{"walk in"})},
			},
		},
		{
			host: "gallery.test", lang: "en", title: "Collection of the town gallery", noun: "work", member: "works", n: 36, per: 12,
			names: func(_ *rand.Rand, i int) string {
				return []string{"View of the Estuary", "Portrait of a Glazier", "Still Life with Quinces", "The Toll Gate", "Winter Market", "Study of Hands"}[i%6] + []string{"", " II", " (copy)", " at Dusk", " from Memory", " after Rain"}[i/6]
			},
			list: "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/object/19%02d.%d", 10+i%40, 3+i*2) },
			form: form{
				before: `<div class=masonry>`, item: `<figure><img src="/t/w.jpg" alt=""><figcaption>{name}</figcaption></figure>` + "\n", after: `</div>`,
				detail:  `<p class=tombstone>{artist}<br>{year}<br>{medium}<br>{height_cm} × {width_cm} cm</p><p>Acquired on {acquired}. {display}</p>`,
				related: `<div class=rel>{artist}: {year}, {medium}, {height_cm} × {width_cm} cm</div>`,
			},
			columns: []column{
				{name: "work", kind: "string", about: "title of the work", label: "Work"},
				{name: "artist", kind: "string", about: "artist", on: "detail", make: one("Agathe Voss", "Bernard Loy", "Cecilia Tarn", "unknown artist")},
				{name: "year", kind: "integer", about: "year when it was made", on: "detail", make: circa(1610, 1899)},
				{name: "medium", kind: "string", about: "medium", on: "detail", make: one("oil on canvas", "oil on panel", "watercolour", "etching")},
				{name: "height_cm", kind: "number", about: "height in centimetres", on: "detail", make: decimal(21, 180, ".", "%s")},
				{name: "width_cm", kind: "number", about: "width in centimetres", on: "detail", make: decimal(18, 240, ".", "%s")},
				{name: "acquired", kind: "date", about: "date of the acquisition", on: "detail", make: day(1901, 2020, "en", "D N Y")},
				{name: "display", kind: "boolean", about: "can be seen in the gallery", on: "detail", make: worded(0.5, []string{"On display in Room 4.", "On display in Room 7."}, []string{"Not on display.", "On loan to another museum."})},
			},
		},
		{
			host: "tariffs.test", lang: "en", title: "Mobile tariffs compared", noun: "tariff", member: "tariffs", n: 24,
			names: pairs("Breeze Comet Dart Echo Flux Glide", "S M L XL", "%s %s"),
			list:  "form",
			form: form{
				before: `<table><thead><tr><th></th><th>Data</th><th>Price</th><th>Minimum term</th><th>5G</th><th>EU roaming</th></tr></thead><tbody>`,
				item:   "<tr><th scope=row>{name}</th><td>{data_gb}</td><td>{intro} a month for 6 months, then {later}</td><td>{term}</td><td>{five_g}</td><td>{roaming}</td></tr>\n",
				after:  `</tbody></table><p>✓ included, ✗ not included. SIM card: £2.50 once.</p>`,
			},
			columns: []column{
				{name: "tariff", kind: "string", about: "name of the tariff", label: "Tariff"},
				{name: "data_gb", kind: "integer", about: "data of a month in gigabytes", make: few("%d GB", 5, 20, 50, 100), missing: 0.15, blank: "unlimited"},
				{name: "intro", kind: "number", about: "price of a month in the first months, in pounds", make: decimal(4, 14, ".", "£%s0")},
				{name: "later", kind: "number", about: "price of a month after the first months, in pounds", make: decimal(15, 48, ".", "£%s0")},
				{name: "term", kind: "integer", about: "minimum term in months", make: either(few("%d months", 12, 24), few("%d month", 1))},
				{name: "five_g", kind: "boolean", about: "has 5G", make: flag(0.5, "✓", "✗")},
				{name: "roaming", kind: "boolean", about: "has roaming in the EU", make: flag(0.5, "✓", "✗")},
			},
		},
	}
}

// ninthTasks are the questions about the ninth sites.
func (w *Web) ninthTasks() {
	w.ask("gather", "harbourjobs.test", "Every job: employer, town, lowest and highest salary, where one works, languages, date, still open or not.", "job employer town salary_min salary_max mode languages posted open")
	w.ask("gather", "inselfaehren.test", "Alle Fahrten mit Häfen, Abfahrt, Ankunft, Dauer, Tagen, Preis und Fahrradmitnahme.", "fahrt von nach ab an dauer_min tage preis rad")
	w.ask("gather", "coursebook.test", "All courses with department, credits, term, lecturer, languages, exam, and whether they take place.", "course department credits term lecturer languages exam runs")
	w.ask("gather", "imoveis.test", "Todos os apartamentos: situação, preço, área, quartos, bairro, vaga, condomínio.", "edificio situacao preco area quartos bairro vaga condominio")
	w.ask("gather", "ligatablica.test", "Cijela ljestvica: utakmice, pobjede, postignuti i primljeni golovi, bodovi, osnivanje, gledatelji.", "klub utakmice pobjede zabijeno primljeno bodovi osnovan gledatelja")
	w.ask("gather", "zakazky.test", "Všetky zákazky: predmet, obstarávateľ, hodnota, lehota, stav, aukcia.", "cislo predmet obstaravatel hodnota lehota stav aukcia")
	w.ask("gather", "medregister.test", "The whole register: product, substances, strength, pack, holder, prescription, date, still authorised.", "licence product substances strength_mg pack holder prescription granted valid")
	w.ask("gather", "garageprices.test", "The price list: section, price, duration, warranty, booking needed or not.", "service section price minutes warranty booking")
	w.ask("gather", "gallery.test", "Every work with artist, year, medium, height, width, acquisition and whether it can be seen.", "work artist year medium height_cm width_cm acquired display")
	w.ask("gather", "tariffs.test", "All tariffs: data, price at first and later, term, 5G, roaming.", "tariff data_gb intro later term five_g roaming")

	w.ask("conditions", "harbourjobs.test", "Which remote jobs start at €45,000 or more?", "job employer salary_min", is("mode", "=", "Remote", "remote jobs"), is("salary_min", ">=", "45000", "start at €45,000 or more").in("€"))
	w.ask("conditions", "harbourjobs.test", "Jobs in Bremen or Gdynia that one can still apply for and that ask for German", "job town languages", is("town", "in", "Bremen | Gdynia", "in Bremen or Gdynia"), is("open", "=", "true", "can still apply for"), is("languages", "contains", "German", "ask for German"))
	w.ask("conditions", "inselfaehren.test", "Fähren nach Borkum, die nach 9 Uhr abfahren und Fahrräder mitnehmen", "fahrt ab", is("nach", "=", "Borkum", "nach Borkum"), is("ab", ">", "09:00", "nach 9 Uhr"), is("rad", "=", "true", "Fahrräder mitnehmen"))
	w.ask("conditions", "inselfaehren.test", "Überfahrten von weniger als einer Stunde, die täglich fahren", "fahrt dauer_min tage", is("dauer_min", "<", "1", "weniger als einer Stunde").in("Stunde").means("60"), is("tage", "=", "täglich", "täglich fahren"))
	w.ask("conditions", "coursebook.test", "Winter courses of at least 6 ECTS that are not cancelled", "course credits", is("term", "=", "winter", "Winter courses"), is("credits", ">=", "6", "at least 6 ECTS").in("ECTS"), is("runs", "=", "true", "not cancelled"))
	w.ask("conditions", "coursebook.test", "Only the mathematics courses without an exam", "course", is("department", "contains", "mathematics", "mathematics courses"), is("exam", "=", "false", "without an exam"))
	w.ask("conditions", "imoveis.test", "Apartamentos disponíveis de até R$ 700 mil com vaga", "edificio preco", is("situacao", "=", "disponível", "Apartamentos disponíveis"), is("preco", "<=", "700000", "até R$ 700 mil").in("R$"), is("vaga", "=", "true", "com vaga"))
	w.ask("conditions", "imoveis.test", "Imóveis entre 80 e 120 m² com condomínio abaixo de R$ 1.000 que ainda não foram vendidos", "edificio area condominio", is("area", ">=", "80", "entre 80 e 120 m²").in("m²"), is("area", "<=", "120", "entre 80 e 120 m²").in("m²"), is("condominio", "<", "1000", "abaixo de R$ 1.000").in("R$"), is("situacao", "!=", "vendido", "não foram vendidos"))
	w.ask("conditions", "ligatablica.test", "Klubovi koji su postigli više od 50, a primili manje od 40 golova", "klub zabijeno primljeno", is("zabijeno", ">", "50", "postigli više od 50"), is("primljeno", "<", "40", "primili manje od 40 golova"))
	w.ask("conditions", "zakazky.test", "Otvorené zákazky nad 500 000 eur s lehotou po 1. marci 2026", "cislo hodnota lehota", is("stav", "=", "otvorená", "Otvorené zákazky"), is("hodnota", ">", "500000", "nad 500 000 eur").in("eur"), is("lehota", ">", "2026-03-01", "po 1. marci 2026"))
	w.ask("conditions", "medregister.test", "Medicines of 250 mg or more that need no prescription and are still authorised", "licence product strength_mg", is("strength_mg", ">=", "250", "250 mg or more").in("mg"), is("prescription", "=", "false", "need no prescription"), is("valid", "=", "true", "still authorised"))
	w.ask("conditions", "medregister.test", "Which licences cover a product with pirolactam in packs of 56 or more?", "licence product substances pack", is("substances", "contains", "pirolactam", "with pirolactam"), is("pack", ">=", "56", "packs of 56 or more"))
	w.ask("conditions", "garageprices.test", "Services under £120 that take less than an hour and need no appointment", "service price minutes", is("price", "<", "120", "under £120").in("£"), is("minutes", "<", "1", "less than an hour").in("hour").means("60"), is("booking", "=", "false", "need no appointment"))
	w.ask("conditions", "gallery.test", "Works taller than 1 m from before 1800 that I can see in the gallery", "work year height_cm", is("height_cm", ">", "1", "taller than 1 m").in("m").means("100"), is("year", "<", "1800", "before 1800"), is("display", "=", "true", "can see in the gallery"))
	w.ask("conditions", "gallery.test", "Watercolours and etchings that are not by an unknown artist", "work artist medium", is("medium", "in", "watercolour | etching", "Watercolours and etchings"), is("artist", "!=", "unknown artist", "not by an unknown artist"))
	w.ask("conditions", "tariffs.test", "Tariffs with 5G that cost no more than £30 a month later and can be left after a month", "tariff later", is("five_g", "=", "true", "with 5G"), is("later", "<=", "30", "no more than £30 a month").in("£"), is("term", "=", "1", "left after a month"))
	w.ask("conditions", "inselfaehren.test", "Fähren, die vor 4 Uhr morgens abfahren", "fahrt ab", is("ab", "<", "04:00", "vor 4 Uhr morgens"))
	w.unstated("conditions", "inselfaehren.test", "Fähren nach Juist mit WLAN", "fahrt ab", is("nach", "=", "Juist", "nach Juist"), is("wlan", "=", "true", "mit WLAN"))
	w.unstated("conditions", "garageprices.test", "Which services come with a courtesy car?", "service price", is("courtesy_car", "=", "true", "come with a courtesy car"))

	w.ask("top", "ligatablica.test", "Tri kluba s najviše bodova", "klub bodovi", is("bodovi", "top", "3", "Tri kluba s najviše bodova"))
	w.ask("top", "inselfaehren.test", "Die drei letzten Abfahrten nach Wangerooge", "fahrt ab", is("nach", "=", "Wangerooge", "nach Wangerooge"), is("ab", "top", "3", "drei letzten Abfahrten"))
	w.ask("top", "gallery.test", "The three largest paintings in oil on canvas by width", "work width_cm", is("medium", "=", "oil on canvas", "in oil on canvas"), is("width_cm", "top", "3", "three largest paintings in oil on canvas by width"))
	w.best("best", "garageprices.test", "What is the cheapest repair?", "service price", is("section", "contains", "repair", "cheapest repair"), is("price", "bottom", "1", "the cheapest"))
	w.best("best", "harbourjobs.test", "Who is looking for staff at the highest starting salary in Antwerp?", "employer", is("town", "=", "Antwerp", "in Antwerp"), is("salary_min", "top", "1", "the highest starting salary"))
	w.best("best", "imoveis.test", "Qual é o apartamento disponível mais barato com três quartos ou mais?", "edificio preco", is("situacao", "=", "disponível", "apartamento disponível"), is("quartos", ">=", "3", "três quartos ou mais"), is("preco", "bottom", "1", "mais barato"))
	w.best("best", "zakazky.test", "Ktorý obstarávateľ vypísal zákazku s najvyššou hodnotou?", "obstaravatel", is("hodnota", "top", "1", "s najvyššou hodnotou"))
	w.best("best", "inselfaehren.test", "Welche Fähre ab Emden fährt als erste?", "fahrt ab", is("von", "=", "Emden", "ab Emden"), is("ab", "bottom", "1", "als erste"))
	w.which("best", "tariffs.test", "Which is cheaper after the first six months, %s or %s?", "tariff later", 2, 15, is("later", "bottom", "1", "cheaper after the first six months"))
	w.count("count", "harbourjobs.test", "How many positions have been filled already?", is("open", "=", "false", "have been filled already"))
	w.count("count", "zakazky.test", "Koľko zákaziek bolo zrušených?", is("stav", "=", "zrušená", "bolo zrušených"))
	w.count("count", "medregister.test", "How many licences does Corvus Remedies hold?", is("holder", "=", "Corvus Remedies", "does Corvus Remedies hold"))
	w.count("count", "coursebook.test", "How many courses are held in French?", is("languages", "contains", "French", "held in French"))
	w.compare("comparison", "tariffs.test", "%s or %s: data, later price and term", "tariff data_gb later term", 5, 18)
	w.compare("comparison", "gallery.test", "Compare %s and %s by year, medium and height", "work year medium height_cm", 4, 25)
	w.compare("comparison", "ligatablica.test", "Usporedi klubove %s i %s: golovi i bodovi", "klub zabijeno primljeno bodovi", 3, 16)

	w.lookup("lookup", "inselfaehren.test", "Was kostet die Fahrt %s und wann fährt sie ab?", "preis ab", 8)
	w.lookup("lookup", "coursebook.test", "Does the course %s take place in 2026, and for how many credits?", "runs credits", 17)
	w.lookup("lookup", "garageprices.test", "How much is the %s, and how long does it take?", "price minutes", 7)
	w.lookup("lookup", "medregister.test", "Which substances are in the product under licence %s?", "substances product", 31)
	w.lookup("lookup", "gallery.test", "Who made %s, and when did the gallery acquire it?", "artist acquired", 20)
	w.lookup("lookup", "zakazky.test", "Aká je lehota a hodnota zákazky %s?", "lehota hodnota", 25)
	w.absent("lookup", "coursebook.test", "Who teaches %s?", "Underwater Basketry", "lecturer")
	w.absent("lookup", "medregister.test", "Which company holds licence %s?", "PL 99999/0001", "holder")

	courses, medicines := w.site("coursebook.test").things, w.site("medregister.test").things
	w.hop("hops", "coursebook.test", "linfieldstaff.test", fmt.Sprintf("In which office do I find the lecturer of %s?", courses[8].name), "office", "lecturer", courses[8])
	w.hop("hops", "coursebook.test", "linfieldstaff.test", fmt.Sprintf("What is the telephone number of whoever teaches %s?", courses[12].name), "phone", "lecturer", courses[12])
	w.hop("hops", "medregister.test", "holders.test", fmt.Sprintf("Who runs the company that holds licence %s?", medicines[22].name), "director", "holder", medicines[22])
	w.hop("hops", "medregister.test", "holders.test", fmt.Sprintf("How many people work for the company that holds licence %s?", medicines[40].name), "staff", "holder", medicines[40])
	w.rowHop("hops", "medregister.test", "holders.test", "Suspended or withdrawn medicines below 300 mg, and where the company behind each has its seat", "licence strength_mg holder", "seat", "holder", is("valid", "=", "false", "Suspended or withdrawn"), is("strength_mg", "<", "300", "below 300 mg").in("mg"))
}

// stay makes minutes, which German pages print with hours from one hour on.
func stay(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		if n < 60 {
			return float64(n), fmt.Sprintf("%d Min.", n)
		}
		return float64(n), fmt.Sprintf("%d Std. %02d Min.", n/60, n%60)
	}
}

// strength makes milligrams in steps of ten, which are printed as grams from half a gram on.
func strength(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := (least + rng.IntN(most-least)) / 10 * 10
		if n < 500 {
			return float64(n + 5), fmt.Sprintf("%d mg", n+5)
		}
		return float64(n), fmt.Sprintf("%d.%02d g", n/1000, n%1000/10)
	}
}

// circa makes years, of which some are estimated.
func circa(least, most int) maker {
	return func(rng *rand.Rand, i int) (any, string) {
		n := least + rng.IntN(most-least)
		if i%3 == 0 {
			text := fmt.Sprint(n)
			return float64(n), fmt.Sprintf("<%s|c. %s", text, text)
		}
		return float64(n), fmt.Sprint(n)
	}
}

// id3 makes whole numbers that differ from thing to thing.
func id3(first, step int) maker {
	return func(rng *rand.Rand, i int) (any, string) {
		n := first + i*7%22*step + rng.IntN(step)
		return float64(n), fmt.Sprint(n)
	}
}
