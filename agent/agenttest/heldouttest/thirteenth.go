// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The thirteenth set tells whether what was mended for the twelfth helps elsewhere. It has the sites
// of the twelfth with other questions, and two more sites:
//
//  1. Polish courses, in a small table each, with periods whose first day is a number only
//  2. tools that an English library lends, with fees in pence, power in watts and kilowatts, and leads in
//     feet and metres

// thirteenthSites are the sites of the thirteenth set.
func thirteenthSites() []*site {
	return append(twelfthSites(), []*site{
		{
			host: "warsztaty-olza.test", lang: "pl", title: "Warsztaty i kursy", noun: "kurs", member: "kursy", n: 28, per: 14, onward: "Następne kursy",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Ceramika", "Fotografia", "Haft", "Introligatorstwo", "Kaligrafia", "Stolarka", "Tkanie"}[i%7] + []string{" od podstaw", " dla rodzin", " wieczorem", " zaawansowana grupa"}[i/7]
			},
			list: "form", paging: "more",
			form: form{
				item: `<h3>{name}</h3><table class="k"><tr><th>Termin</th><td>{poczatek} – {koniec}</td></tr><tr><th>Spotkanie</th><td>{czas}</td></tr><tr><th>Koszt</th><td>{koszt}</td></tr><tr><th>Prowadzi</th><td>{kto}</td></tr><tr><th>Sala</th><td>{sala}</td></tr><tr><th>Zapisy</th><td>{wolne}</td></tr></table>
`,
				after: `<p>Opłatę wnosi się przed pierwszym spotkaniem.</p>`,
			},
			columns: []column{
				{name: "kurs", kind: "string", about: "nazwa kursu", label: "Kurs"},
				{name: "poczatek", kind: "date", about: "pierwszy dzień", make: func(rng *rand.Rand, i int) (any, string) {
					d := 1 + rng.IntN(12)
					return fmt.Sprintf("2026-%02d-%02d", 1+i%12, d), fmt.Sprint(d)
				}},
				{name: "koniec", kind: "date", about: "ostatni dzień", make: func(rng *rand.Rand, i int) (any, string) {
					d := 14 + rng.IntN(14)
					return fmt.Sprintf("2026-%02d-%02d", 1+i%12, d), fmt.Sprintf("%d %s 2026", d, months["pl"][i%12])
				}},
				{name: "czas", kind: "integer", about: "czas jednego spotkania w minutach", make: anyOf([]float64{45, 60, 90, 150}, "45 min", "1 godz.", "1 godz. 30 min", "2 godz. 30 min")},
				{name: "koszt", kind: "number", about: "koszt w złotych", make: free(decimal(45, 380, ",", "%s0 zł"), 5, "bezpłatnie")},
				{name: "kto", kind: "string", about: "kto prowadzi", make: one("Anna Wilk", "Jerzy Mazur", "Lena Sowa")},
				{name: "sala", kind: "string", about: "sala", make: one("12", "14a", "Strych")},
				{name: "wolne", kind: "boolean", about: "są wolne miejsca", make: worded(0.5, []string{"są miejsca", "ostatnie miejsca"}, []string{"komplet", "lista rezerwowa"})},
			},
		},
		{
			host: "toolshare.test", lang: "en", title: "Borrow a tool", noun: "tool", member: "tools", n: 30, per: 10, pager: true, anchor: "details",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Bosun", "Makro", "Hiltern", "Ryobo", "Stanfield"}[i%5] + []string{" drill", " jigsaw", " sander", " pressure washer", " steam cleaner", " tile cutter"}[i/5]
			},
			list: "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/t/%d", 1900+i*7) },
			form: form{
				before: `<ul class="shelf">`, item: `<li><img src="/t.jpg" alt="tool"> {fee} a day <a href="{link}">details</a></li>` + "\n", after: `</ul>`,
				detail: `<div class="spec"><p>Tool: <b>{name}</b></p><p>Fee: {fee} a day</p><p>Power: {power_w}</p><p>Lead: {lead_m}</p><p>Weight: {weight_kg}</p><p>Last serviced {serviced}</p><p>{training}</p><p>{loan}</p></div>`,
			},
			columns: []column{
				{name: "tool", kind: "string", about: "make and kind of the tool", label: "Tool", on: "detail"},
				{name: "fee", kind: "number", about: "fee of a day in pounds", make: either(anyOf([]float64{0.5, 0.75, 0.9}, "50p", "75p", "90p"), anyOf([]float64{1, 1.5, 2.25}, "£1", "£1.50", "£2.25"))},
				{name: "power_w", kind: "integer", about: "power in watts", on: "detail", make: either(whole(320, 980, ",", "%s W"), anyOf([]float64{1100, 1400, 2200}, "1.1 kW", "1.4 kW", "2.2 kW"))},
				{name: "lead_m", kind: "number", about: "length of the lead in metres", on: "detail", make: anyOf([]float64{2.5, 4, 3.048, 1.8288}, "2.5 m", "4 m", "10 ft", "6 ft")},
				{name: "weight_kg", kind: "number", about: "weight in kilograms", on: "detail", make: anyOf([]float64{0.85, 1.2, 2.4, 0.6}, "850 g", "1.2 kg", "2.4 kg", "600 g")},
				{name: "serviced", kind: "date", about: "day of the last service", on: "detail", make: day(2024, 2026, "en", "D A Y")},
				{name: "training", kind: "boolean", about: "needs a training", on: "detail", make: worded(0.5, []string{"Training needed", "Only after our induction"}, []string{"No training needed", "Anyone can use it"})},
				{name: "loan", kind: "boolean", about: "is on loan now", on: "detail", make: worded(0.4, []string{"On loan", "Out until next week"}, []string{"On the shelf", "Ready to collect"})},
			},
		},
	}...)
}

// thirteenthTasks are the questions about the thirteenth sites.
func (w *Web) thirteenthTasks() {
	w.ask("same sites", "wohnen-steinach.test", "kleine wohnungn unter 50qm mit wärmepumpe, egal wo", "adresse flaeche heizung", is("flaeche", "<", "50", "unter 50qm").in("qm"), is("heizung", "=", "Wärmepumpe", "mit wärmepumpe"))
	w.ask("same sites", "skateswap.test", "who sells roces, sizes + prices", "offer size price", is("offer", "contains", "Roces", "who sells roces"))
	w.ask("same sites", "gullcoaststays.test", "cheapest rooms between 60 and 90 euro in skerrow or port ellin, no dogs", "house village low", is("low", ">=", "60", "between 60 and 90 euro").in("euro"), is("low", "<=", "90", "between 60 and 90 euro").in("euro"), is("village", "in", "Skerrow | Port Ellin", "in skerrow or port ellin"), is("dogs", "=", "false", "no dogs"))
	w.ask("same sites", "mineralhall.test", "stuff from botallack not on display, with formula", "mineral formula place", is("place", "=", "Botallack", "from botallack"), is("display", "=", "false", "not on display"))
	w.ask("same sites", "rugbyvalnera.test", "giocatori nati dopo il 1999 alti almeno 1,85 m con piu di 10 mete", "giocatore nato altezza mete", is("nato", ">", "1999-12-31", "nati dopo il 1999"), is("altezza", ">=", "1.85", "almeno 1,85 m").in("m").means("185"), is("mete", ">", "10", "più di 10 mete"))
	w.best("same sites", "fergeruter.test", "hva er den lengste overfarten", "rute tid", is("tid", "top", "1", "den lengste overfarten"))
	w.ask("same sites", "expos-garonne.test", "expos qui commencent avant le 1er mars 2026 à bordeaux, moins de 12 euros", "exposition debut tarif", is("debut", "<", "2026-03-01", "avant le 1er mars 2026"), is("ville", "=", "Bordeaux", "à bordeaux"), is("tarif", "<", "12", "moins de 12 euros").in("euros"))
	w.count("same sites", "aarhustal.test", "hvor mange har underskud", is("resultat", "<", "0", "har underskud"))
	w.lookup("same sites", "hizhi.test", "колко струва %s и колко се ходи", "cena hod", 11)
	w.ask("same sites", "boltbarn.test", "m5 or m6, plain finish, boxes of 100 or more, below 1 pound", "sku thread pack price", is("thread", "in", "M5 | M6", "m5 or m6"), is("finish", "=", "plain", "plain finish"), is("pack", ">=", "100", "boxes of 100 or more"), is("price", "<", "1", "below 1 pound").in("pound"))

	w.ask("new sites", "warsztaty-olza.test", "wszystkie kursy z terminem, czasem, kosztem, kto prowadzi, sala, czy są miejsca", "kurs poczatek koniec czas koszt kto sala wolne")
	w.ask("new sites", "warsztaty-olza.test", "kursy do 200 zl z wolnymi miejscami, zaczynają sie po 1 kwietnia 2026", "kurs poczatek koszt", is("koszt", "<=", "200", "do 200 zł").in("zł"), is("wolne", "=", "true", "z wolnymi miejscami"), is("poczatek", ">", "2026-04-01", "po 1 kwietnia 2026"))
	w.ask("new sites", "warsztaty-olza.test", "spotkania dłuższe niż godzina, bezpłatne", "kurs czas", is("czas", ">", "1", "dłuższe niż godzina").in("godzina").means("60"), is("koszt", "=", "0", "bezpłatne"))
	w.lookup("new sites", "warsztaty-olza.test", "kiedy jest %s i ile kosztuje?", "poczatek koniec koszt", 9)
	w.ask("new sites", "toolshare.test", "all tools: fee, power, lead, weight, last service, training?, on loan?", "tool fee power_w lead_m weight_kg serviced training loan")
	w.ask("new sites", "toolshare.test", "anything over 1kW i can take home today w/o training", "tool power_w", is("power_w", ">", "1", "over 1kW").in("kW").means("1000"), is("loan", "=", "false", "can take home today"), is("training", "=", "false", "w/o training"))
	w.ask("new sites", "toolshare.test", "tools lighter than a kilo for less than a quid a day", "tool weight_kg fee", is("weight_kg", "<", "1", "lighter than a kilo").in("kilo"), is("fee", "<", "1", "less than a quid").in("quid"))
	w.count("new sites", "toolshare.test", "how many r out on loan", is("loan", "=", "true", "out on loan"))
	w.best("new sites", "toolshare.test", "which drill has the longest lead?", "tool lead_m", is("tool", "contains", "drill", "which drill"), is("lead_m", "top", "1", "the longest lead"))
	things := w.site("toolshare.test").things
	w.compare("new sites", "toolshare.test", strings.Replace("%s or %s, whats lighter and whats the fee", "whats", "what's", 1), "tool weight_kg fee", 3, len(things)-2)
}
