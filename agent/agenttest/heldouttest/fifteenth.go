// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
)

// The fifteenth set tells whether what was mended for the fourteenth helps elsewhere. It has three
// sites of other kinds:
//
//  1. old trees, in an accordion, with girths in metres and feet, ages as ranges, and footnotes
//  2. lots of a Swedish auction in sections, with a reserve, a price that unsold lots lack, two
//     dimensions in one text, and carriage that some lots do not have
//  3. a bilingual snow report, with lifts and runs as "8/12", temperatures, and snow as a range

// fifteenthSites are the sites of the fifteenth set.
func fifteenthSites() []*site {
	return []*site{
		{
			host: "oldtrees.marchlands.test", lang: "en", title: "Old trees of the Marchlands", noun: "tree", member: "trees", n: 30, per: 10, pager: true,
			names: func(_ *rand.Rand, i int) string {
				return []string{"Abbot's", "Bellringer's", "Crooked", "Drover's", "Hollow", "Twelve Apostles"}[i%6] + []string{" Oak", " Yew", " Lime", " Sweet Chestnut", " Ash"}[i/6]
			},
			list: "form", paging: "numbered", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/coed/%s-%d", squashed(t.name)[:5], 70+i) },
			form: form{
				before: `<div class="et_pb_section"><div class="et_pb_row">`,
				item: `<div class="et_pb_toggle"><h5 class="et_pb_toggle_title">{name}</h5><div class="et_pb_toggle_content"><p>{species} • {parish} • girth {girth}</p></div></div>
`,
				after:  `</div></div><p><sup>†</sup> measured at the base because of low branches. Mesurwyd gan wirfoddolwyr.</p>`,
				detail: `<div class="et_pb_text_inner"><p><em>{species}</em> (coeden hynafol)</p><ul><li>Girth: {girth}</li><li>Height: {height}</li><li>Age: {age_min} to {age_max} years</li><li>Last measured: {measured}</li><li>Grid ref. {grid}</li><li>Access: {access}</li><li>Cavities: {holes}</li></ul></div>`,
			},
			columns: []column{
				{name: "tree", kind: "string", about: "name of the tree", label: "Tree"},
				{name: "species", kind: "string", about: "Latin name of the species", make: one("Quercus robur", "Taxus baccata", "Tilia cordata", "Castanea sativa")},
				{name: "parish", kind: "string", about: "parish", make: one("Llanfair", "Clunbury", "Much Birch", "Penybont")},
				{name: "girth", kind: "number", about: "girth in metres", note: "†", make: func(rng *rand.Rand, _ int) (any, string) {
					n := 310 + rng.IntN(900)
					return float64(n) / 100, fmt.Sprintf("%d.%02d m (%d ft)", n/100, n%100, int(float64(n)/30.48+0.5))
				}},
				{name: "height", kind: "number", about: "height in metres", on: "detail", make: either(whole(9, 34, ",", "c. %s m"), decimal(9, 34, ".", "%s m"))},
				{name: "age_min", kind: "integer", about: "least age in years", on: "detail", make: stepped(2, 6, 100, ",", "%s")},
				{name: "age_max", kind: "integer", about: "greatest age in years", on: "detail", make: stepped(7, 15, 100, ",", "%s")},
				{name: "measured", kind: "date", about: "day of the last measurement", on: "detail", make: day(2016, 2026, "en", "D A Y")},
				{name: "grid", kind: "string", about: "grid reference", on: "detail", make: id(400112, 137, "SO %d")},
				{name: "access", kind: "boolean", about: "can be visited without asking", on: "detail", make: worded(0.6, []string{"public footpath", "open parkland"}, []string{"private, ask at the farm", "no public access"})},
				{name: "holes", kind: "integer", about: "number of cavities", on: "detail", make: free(few("%d", 1, 2, 3, 5), 4, "none")},
			},
		},
		{
			host: "klubba-eker.test", lang: "sv", title: "Sommarauktion: alla utrop", noun: "utrop", member: "utrop", n: 32, by: "avdelning",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Olja på duk", "Akvarell", "Litografi", "Tavla i tenn"}[i%4] + []string{", skärgård", ", stilleben", ", fåglar", ", hamnmotiv", ", vinterlandskap", ", porträtt", ", torg", ", björkar"}[i/4]
			},
			list: "form",
			form: form{
				section: `<h2 id="avd">Avdelning: %s</h2>` + "\n",
				item: `<div class="lot"><div><a href="#"><img src="/t.jpg" alt=""></a></div><div><div><strong>{nr}.</strong> {name}</div><div>{konstnar}, {signerad}, {hojd} × {bredd} cm</div><div>Utropspris {utrop_kr} · Slutpris {slut_kr}</div><div>{bud} – avslutades {slut}</div><div>Frakt: {frakt}</div></div></div>
`,
				ad:    `<div class="lot info">Visning i lokalen: lördag 10–14. Inropsavgift 22,5 % tillkommer, minst 60 kr.</div>`,
				after: `<p>Alla priser i kronor exklusive inropsavgift.</p>`,
			},
			columns: []column{
				{name: "foremal", kind: "string", about: "föremålets namn", label: "Föremål"},
				{name: "avdelning", kind: "string", about: "avdelning", on: "section", make: one("Konst före 1900", "Modern konst")},
				{name: "nr", kind: "string", about: "utropsnummer", on: "nowhere", make: id(201, 3, "%d")},
				{name: "konstnar", kind: "string", about: "konstnär", make: one("Axel Brunn", "Elsa Norlin", "okänd konstnär", "Greta Wiking")},
				{name: "signerad", kind: "boolean", about: "är signerad", make: worded(0.5, []string{"signerad", "signerad och daterad"}, []string{"osignerad", "utan signatur"})},
				{name: "hojd", kind: "number", about: "höjd i centimeter", make: whole(18, 90, " ", "%s")},
				{name: "bredd", kind: "number", about: "bredd i centimeter", make: whole(91, 160, " ", "%s")},
				{name: "utrop_kr", kind: "integer", about: "utropspris i kronor", make: stepped(2, 70, 100, " ", "%s kr")},
				{name: "slut_kr", kind: "integer", about: "slutpris i kronor", make: stepped(71, 300, 100, " ", "%s kr"), missing: 0.2, blank: "ej såld"},
				{name: "bud", kind: "integer", about: "antal bud", make: free(whole(1, 48, " ", "%s bud"), 7, "inga bud")},
				{name: "slut", kind: "date", about: "dag då budgivningen avslutades", make: day(2026, 2027, "sv", "D N Y")},
				{name: "frakt", kind: "number", about: "fraktkostnad i kronor, 0 om frakten ingår", make: either(few("%d kr", 79, 119, 245), anyOf([]float64{0, 0}, "fri frakt", "ingår"))},
			},
		},
		{
			host: "neige-laurentia.test", lang: "en", title: "Snow report / Bulletin de neige", noun: "resort", member: "resorts", n: 26, per: 13, onward: "More resorts / Plus de stations",
			names: pairs("Mont-Alix Belle-Côte Cap-Tremble Deux-Lacs Echo Ferme-Neuve Grand-Brûlé", "Nord Station Heights Massif", "%s %s"),
			list:  "form", paging: "more",
			form: form{
				before: `<div><div><div>`,
				item: `<div><h4>{name}</h4><div><div>Base / Base</div><div>{base_lo}–{base_hi} cm</div></div><div><div>New snow (24 h) / Neige fraîche</div><div>{fresh}</div></div><div><div>Lifts / Remontées</div><div>{lifts_open}/{lifts}</div></div><div><div>Runs / Pistes</div><div>{runs_open} of {runs}</div></div><div><div>Temp.</div><div>{temp}</div></div><div><div>Day pass / Billet</div><div>{pass}</div></div><div><div>Night skiing / Ski de soirée</div><div>{night}</div></div><div><div>Updated / Mis à jour</div><div>{updated}</div></div></div>
`,
				after: `</div></div></div><p>Conditions change. Les conditions peuvent changer.</p>`,
			},
			columns: []column{
				{name: "resort", kind: "string", about: "name of the resort", label: "Resort"},
				{name: "base_lo", kind: "integer", about: "least depth of the base in centimetres", make: whole(20, 79, ",", "%s")},
				{name: "base_hi", kind: "integer", about: "greatest depth of the base in centimetres", make: whole(80, 190, ",", "%s")},
				{name: "fresh", kind: "number", about: "new snow in centimetres", label: "New snow (24 h) / Neige fraîche", make: anyOf([]float64{0, 3, 5.5, 12, 25}, "0 cm", "3 cm", "5.5 cm", "12 cm", "25 cm")},
				{name: "lifts_open", kind: "integer", about: "lifts that run", label: "Lifts / Remontées", make: few("%d", 2, 3, 4, 5)},
				{name: "lifts", kind: "integer", about: "number of lifts", label: "Lifts / Remontées", make: few("%d", 6, 8, 9, 12)},
				{name: "runs_open", kind: "integer", about: "runs that are open", label: "Runs / Pistes", make: whole(7, 39, ",", "%s")},
				{name: "runs", kind: "integer", about: "number of runs", label: "Runs / Pistes", make: whole(41, 96, ",", "%s")},
				{name: "temp", kind: "number", about: "temperature in degrees Celsius", label: "Temp.", make: func(rng *rand.Rand, i int) (any, string) {
					n := rng.IntN(22)
					if i%6 == 5 {
						return float64(n%4 + 1), fmt.Sprintf("+%d °C", n%4+1)
					}
					return -float64(n + 1), fmt.Sprintf("−%d °C", n+1)
				}},
				{name: "pass", kind: "number", about: "price of a day pass in Canadian dollars", label: "Day pass / Billet", make: either(cents(3900, 12900, "CA$%d.%02d"), whole(39, 129, ",", "%s $")), missing: 0.1, blank: "—"},
				{name: "night", kind: "boolean", about: "there is night skiing", label: "Night skiing / Ski de soirée", make: worded(0.5, []string{"Yes / Oui", "Fri & Sat only / ven. et sam."}, []string{"No / Non", "Closed for the season / fermé"})},
				{name: "updated", kind: "date", about: "day of the report", label: "Updated / Mis à jour", make: day(2026, 2027, "en", "Y-MM-DD")},
			},
		},
	}
}

// fifteenthTasks are the questions about the fifteenth sites.
func (w *Web) fifteenthTasks() {
	w.ask("gather", "oldtrees.marchlands.test", "every tree: species, parish, girth, height, age from-to, last measured, grid ref, free access?, cavities", "tree species parish girth height age_min age_max measured grid access holes")
	w.ask("gather", "klubba-eker.test", "alla utrop med avdelning, konstnär, signerad el ej, mått, utropspris, slutpris, antal bud, slutdatum, frakt", "foremal avdelning konstnar signerad hojd bredd utrop_kr slut_kr bud slut frakt")
	w.ask("gather", "neige-laurentia.test", "all resorts - base min/max, new snow, lifts open + total, runs open + total, temp, day pass, night skiing, date", "resort base_lo base_hi fresh lifts_open lifts runs_open runs temp pass night updated")

	w.ask("conditions", "oldtrees.marchlands.test", "yews or oaks more than 8m round that anyone can visit", "tree species girth", is("species", "in", "Taxus baccata | Quercus robur", "yews or oaks"), is("girth", ">", "8", "more than 8m round").in("m"), is("access", "=", "true", "anyone can visit"))
	w.ask("conditions", "oldtrees.marchlands.test", "trees over 20 metres w/o cavities", "tree height", is("height", ">", "20", "over 20 metres").in("metres"), is("holes", "=", "0", "w/o cavities"))
	w.ask("conditions", "oldtrees.marchlands.test", "not measured in the last 5 years (today: 1 june 2026)", "tree measured", is("measured", "<", "2021-06-01", "not measured in the last 5 years"))
	w.ask("conditions", "klubba-eker.test", "signerade, slutpris under 15 000 kr, fri frakt", "foremal slut_kr", is("signerad", "=", "true", "signerade"), is("slut_kr", "<", "15000", "slutpris under 15 000 kr").in("kr"), is("frakt", "=", "0", "fri frakt"))
	w.ask("conditions", "klubba-eker.test", "modern konst högre än en halv meter med fler än 10 bud", "foremal hojd bud", is("avdelning", "=", "Modern konst", "modern konst"), is("hojd", ">", "0.5", "högre än en halv meter").in("meter").means("50"), is("bud", ">", "10", "fler än 10 bud"))
	w.ask("conditions", "neige-laurentia.test", "at least 10cm fresh and colder than -8", "resort fresh temp", is("fresh", ">=", "10", "at least 10cm fresh").in("cm"), is("temp", "<", "-8", "colder than -8"))
	w.ask("conditions", "neige-laurentia.test", "night skiing, day pass max 80 dollars, min 20 runs open", "resort pass runs_open", is("night", "=", "true", "night skiing"), is("pass", "<=", "80", "max 80 dollars").in("dollars"), is("runs_open", ">=", "20", "min 20 runs open"))

	w.best("best", "oldtrees.marchlands.test", "fattest tree in clunbury", "tree girth", is("parish", "=", "Clunbury", "in clunbury"), is("girth", "top", "1", "fattest tree"))
	w.best("best", "neige-laurentia.test", "where is it coldest", "resort temp", is("temp", "bottom", "1", "coldest"))
	w.ask("top", "klubba-eker.test", "de fem dyraste", "foremal slut_kr", is("slut_kr", "top", "5", "de fem dyraste"))
	w.count("count", "klubba-eker.test", "hur många fick inga bud", is("bud", "=", "0", "inga bud"))
	w.count("count", "neige-laurentia.test", "how many resorts have 12 lifts", is("lifts", "=", "12", "12 lifts"))
	w.compare("comparison", "oldtrees.marchlands.test", "%s vs %s: how old, how tall", "tree age_min age_max height", 2, 21)
	w.lookup("lookup", "klubba-eker.test", "vad gick %s för och hur många bud?", "slut_kr bud", firstWith(w.site("klubba-eker.test"), "slut_kr", 9))
	w.lookup("lookup", "neige-laurentia.test", "how many lifts and runs are open at %s", "lifts_open runs_open", 15)
	w.lookup("lookup", "oldtrees.marchlands.test", "grid ref of %s pls", "grid", 17)
	w.open("open", "neige-laurentia.test", "resorts above freezing", "resort temp", is("temp", ">", "0", "above freezing"))
}

// firstWith returns the first thing from i on that has a field.
func firstWith(s *site, field string, i int) int {
	for ; s.things[i].cells[field].truth == nil; i++ {
	}
	return i
}
