// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"example.com/curlew/agent/internal/protocol"
)

// The third set has what neither of the others has. The list was written before the
// sites:
//
//  1. Italian, Dutch, Portuguese and Japanese pages and questions
//  2. one column in several units: 850 g and 1,2 kg, 45 min and 1 h 25 min
//  3. conditions on dates with two ends, or with a month
//  4. negations: without, neither nor
//  5. "the three cheapest" among those that meet a condition which only details state
//  6. a comparison of a thing on one site with a thing on another site
//  7. listings that go on under "older", the newest first
//  8. tables whose columns are the things and whose rows are the properties
//  9. numbers and booleans that only the alternative text of an image states
//  10. details behind opaque addresses, under links without text
//  11. a property that only the heading of a section states
//  12. definition lists within definition lists

var prefectures = []string{"長野県", "群馬県", "大分県", "秋田県"}

// thirdSites are the sites of the third set.
func thirdSites() []*site {
	return []*site{
		{
			host: "ricettario.test", lang: "it", title: "Ricette della domenica", noun: "ricetta", member: "recipes", n: 30, per: 10, by: "pubblicata",
			names: pairs("Zuppa Torta Insalata Frittata Crostata Polenta", "Rustica Estiva Antica Verde Leggera", "%s %s"),
			list:  "cards", paging: "older", detail: "terms", bare: true, path: func(i int, t *thing) string { return "/r/" + opaque(t.site.host, i) },
			columns: []column{
				{name: "ricetta", kind: "string", label: "Ricetta"},
				{name: "pubblicata", kind: "date", about: "data di pubblicazione", label: "Pubblicata il", make: day(2021, 2025, "it", "D N Y")},
				{name: "tempo", kind: "integer", about: "tempo di preparazione in minuti", label: "Tempo", make: duration(15, 170)},
				{name: "costo", kind: "number", about: "costo a persona in euro", label: "Costo", make: decimal(2, 14, ",", "€ %s0")},
				{name: "vegetariana", kind: "boolean", about: "è vegetariana", label: "Vegetariana", on: "detail", make: flag(0.5, "sì", "no")},
			},
		},
		{
			host: "fietsvergelijker.test", lang: "nl", title: "Fietsen vergelijken", noun: "fiets", member: "bikes", n: 18, per: 6,
			names: pairs("Gazelle Koga Sparta Batavus Cortina Union", "Stad Tour Sport", "%s %s"),
			list:  "columns", paging: "more",
			columns: []column{
				{name: "model", kind: "string", label: "Model"},
				{name: "prijs", kind: "number", about: "prijs in euro", label: "Adviesprijs", make: whole(450, 3900, ".", "€ %s,-")},
				{name: "gewicht_g", kind: "integer", about: "gewicht in gram", label: "Gewicht", make: mass(9000, 27000, ",")},
				{name: "versnellingen", kind: "integer", about: "aantal versnellingen", label: "Versnellingen", make: whole(3, 27, ".", "%s")},
				{name: "elektrisch", kind: "boolean", about: "heeft een motor", label: "Elektrisch", make: flag(0.5, "ja", "nee")},
			},
		},
		{
			host: "praias.test", lang: "pt", title: "Guia das praias", noun: "praia", member: "beaches", n: 32, by: "concelho",
			names: pairs("Areia Barra Carvalho Dunas Estrela Falésia Galé Ilha", "Norte Sul Grande Velha", "Praia da %s %s"),
			list:  "sections",
			columns: []column{
				{name: "praia", kind: "string", label: "Praia"},
				{name: "concelho", kind: "string", about: "concelho", label: "Concelho", on: "section", make: one("Faro", "Lagos", "Sines", "Nazaré")},
				{name: "extensao_m", kind: "integer", about: "extensão em metros", label: "Extensão", make: stretch(150, 4800)},
				{name: "bandeira_azul", kind: "boolean", about: "tem bandeira azul", label: "Qualidade", make: flag(0.5, `<Bandeira azul|<img src="/i/b1.png" alt="Bandeira azul">`, `<Sem bandeira azul|<img src="/i/b0.png" alt="Sem bandeira azul">`)},
				{name: "vigiada", kind: "boolean", about: "tem nadador-salvador", label: "Vigilância", make: flag(0.5, "vigiada", "não vigiada")},
			},
		},
		{
			host: "onsen.test", lang: "ja", title: "温泉案内", noun: "温泉", member: "springs", n: 24, per: 12,
			names: func(_ *rand.Rand, i int) string {
				return []string{"湯元", "白骨", "草津", "別府", "乳頭", "野沢"}[i%6] + []string{"館", "荘", "の湯", "旅館"}[i/6%4]
			},
			list: "nested", paging: "more",
			columns: []column{
				{name: "name", kind: "string", about: "名称", label: "名称"},
				{name: "prefecture", kind: "string", about: "所在地", label: "所在地", make: one(prefectures...)},
				{name: "fee", kind: "integer", about: "入浴料(円)", label: "入浴料", make: whole(300, 2900, ",", "%s円")},
				{name: "opened", kind: "date", about: "開業日", label: "開業", make: day(1950, 2015, "ja", "Y年N月D日")},
				{name: "outdoor", kind: "boolean", about: "露天風呂の有無", label: "露天風呂", make: flag(0.5, "あり", "なし")},
			},
		},
		{
			host: "releasenotes.test", lang: "en", title: "Release notes of Quillpad", noun: "release", member: "releases", n: 36, per: 9, by: "released",
			names: func(_ *rand.Rand, i int) string { return fmt.Sprintf("Quillpad %d.%d", 1+i/6, i%6) },
			list:  "paragraphs", paging: "older",
			columns: []column{
				{name: "release", kind: "string", label: "Release"},
				{name: "released", kind: "date", about: "date of the release", label: "Released on", make: day(2020, 2024, "en", "D N Y")},
				{name: "download_kb", kind: "integer", about: "size of the download in kilobytes", label: "Download", make: whole(900, 9900, ",", "%s KB")},
				{name: "fixes", kind: "integer", about: "number of mended faults", label: "Faults mended", make: whole(1, 90, ",", "%s")},
				{name: "supported", kind: "boolean", about: "is still supported", label: "Support", make: flag(0.5, "supported", "end of life")},
			},
		},
		{
			host: "meeplehall.test", lang: "en", title: "Meeple Hall, board games", noun: "game", member: "games", n: 20,
			names: pairs("Amber Basalt Copper Dune Ember", "Harvest Voyage Siege Market", "%s %s"),
			list:  "table",
			columns: []column{
				{name: "game", kind: "string", label: "Title"},
				{name: "rating", kind: "number", about: "rating of the players, out of ten", label: "Rating", make: rated(31, 97)},
				{name: "minutes", kind: "integer", about: "minutes of a game", label: "Play time", make: duration(20, 190)},
				{name: "price", kind: "number", about: "price in US dollars", label: "Price", make: decimal(14, 90, ".", "$%s0")},
			},
		},
		{
			host: "dicetower.test", lang: "en", title: "Games at the dice tower", noun: "game", member: "games", n: 16,
			names: pairs("Frost Garnet Hollow Iron", "Crown Tide Bazaar Relic", "%s %s"),
			list:  "accordion",
			columns: []column{
				{name: "game", kind: "string", label: "Game"},
				{name: "rating", kind: "number", about: "rating of the players, out of ten", label: "Our players say", make: rated(31, 97)},
				{name: "minutes", kind: "integer", about: "minutes of a game", label: "Duration", make: duration(20, 190)},
				{name: "price", kind: "number", about: "price in US dollars", label: "Costs", make: decimal(14, 90, ".", "USD %s0")},
			},
		},
	}
}

// thirdTasks are the questions about the third sites.
func (w *Web) thirdTasks() {
	w.ask("gather", "ricettario.test", "Tutte le ricette con tempo, costo, data e se sono vegetariane.", "ricetta pubblicata tempo costo vegetariana")
	w.ask("gather", "fietsvergelijker.test", "Geef alle fietsen met prijs, gewicht, versnellingen en of ze elektrisch zijn.", "model prijs gewicht_g versnellingen elektrisch")
	w.ask("gather", "praias.test", "Todas as praias com concelho, extensão, bandeira azul e vigilância.", "praia concelho extensao_m bandeira_azul vigiada")
	w.ask("gather", "onsen.test", "すべての温泉の所在地、入浴料、開業日、露天風呂の有無を教えてください。", "name prefecture fee opened outdoor")
	w.ask("gather", "releasenotes.test", "List every release with its date, size, number of fixes and whether it is supported.", "release released download_kb fixes supported")
	w.ask("gather", "meeplehall.test", "All games with rating, play time and price", "game rating minutes price")

	w.ask("conditions", "ricettario.test", "Ricette vegetariane pronte in meno di un'ora", "ricetta tempo", is("vegetariana", "=", "true", "Ricette vegetariane"), is("tempo", "<", "60", "meno di un'ora"))
	w.ask("conditions", "ricettario.test", "Le ricette pubblicate da marzo 2023 in poi", "ricetta pubblicata", is("pubblicata", ">=", "2023-03", "da marzo 2023 in poi"))
	w.ask("conditions", "fietsvergelijker.test", "Welke fietsen zonder motor wegen minder dan 15 kg?", "model gewicht_g", is("elektrisch", "=", "false", "zonder motor"), is("gewicht_g", "<", "15000", "minder dan 15 kg"))
	w.ask("conditions", "praias.test", "Praias que não ficam em Faro nem em Lagos e têm bandeira azul", "praia concelho", is("concelho", "!=", "Faro", "não ficam em Faro"), is("concelho", "!=", "Lagos", "nem em Lagos"), is("bandeira_azul", "=", "true", "têm bandeira azul"))
	w.ask("conditions", "praias.test", "Praias não vigiadas com mais de 1 km", "praia extensao_m", is("vigiada", "=", "false", "não vigiadas"), is("extensao_m", ">", "1000", "mais de 1 km"))
	w.ask("conditions", "onsen.test", "露天風呂がなく、入浴料が1,000円以下の温泉", "name fee", is("outdoor", "=", "false", "露天風呂がなく"), is("fee", "<=", "1000", "1,000円以下").in("円"))
	w.ask("conditions", "releasenotes.test", "Releases between March 2021 and June 2022", "release released", is("released", ">=", "2021-03", "between March 2021"), is("released", "<=", "2022-06", "and June 2022"))
	w.ask("conditions", "releasenotes.test", "Which releases without support mended more than 40 faults?", "release fixes", is("supported", "=", "false", "without support"), is("fixes", ">", "40", "more than 40 faults"))
	w.ask("conditions", "meeplehall.test", "Games rated at least 7 that take no more than 90 minutes", "game rating minutes", is("rating", ">=", "7", "rated at least 7"), is("minutes", "<=", "90", "no more than 90 minutes"))

	w.ask("best", "ricettario.test", "Le tre ricette vegetariane più economiche", "ricetta costo", is("vegetariana", "=", "true", "ricette vegetariane"), is("costo", "bottom", "3", "tre ricette più economiche"))
	w.ask("best", "fietsvergelijker.test", "De drie goedkoopste elektrische fietsen", "model prijs", is("elektrisch", "=", "true", "elektrische fietsen"), is("prijs", "bottom", "3", "drie goedkoopste"))
	w.best("best", "praias.test", "Qual é a praia mais extensa de Sines?", "praia extensao_m", is("concelho", "=", "Sines", "de Sines"), is("extensao_m", "top", "1", "a praia mais extensa"))
	w.best("best", "releasenotes.test", "What is the latest release that is no longer supported?", "release released", is("supported", "=", "false", "no longer supported"), is("released", "top", "1", "latest release"))
	w.count("best", "onsen.test", "露天風呂のある温泉はいくつありますか?", is("outdoor", "=", "true", "露天風呂のある"))
	w.across("best", "meeplehall.test", "dicetower.test", "Compare %s (Meeple Hall) with %s (dice tower): rating, minutes, price.", "game rating minutes price", 7, 5)
}

// across adds a question about two things of different sites.
func (w *Web) across(class, host, other, format, fields string, a, b int) {
	s, o := w.site(host), w.site(other)
	x, y := s.things[a], o.things[b]
	columns := s.some(fields)
	prompt := fmt.Sprintf(format, x.name, y.name)
	p := &plan{site: s, shape: protocol.ShapeComparison, fields: strings.Fields(fields), subjects: []*thing{x, y}, across: true}
	p.conditions = plain([]condition{is(columns[0].name, "in", x.name+" | "+y.name, x.name+" (Meeple Hall) with "+y.name)})
	w.keep(class, prompt, p, listSchema("compared", columns), truthOf("compared", columns, x, y), s.entry(), o.entry())
}

// opaque makes an address of letters and digits that tells nothing.
func opaque(host string, i int) string {
	const signs = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	x := uint64(i+1) * 0x9e3779b97f4a7c15
	for _, r := range host {
		x = (x ^ uint64(r)) * 0xff51afd7ed558ccd
	}
	var b strings.Builder
	for range 8 {
		b.WriteByte(signs[x>>33%uint64(len(signs))])
		x = x*6364136223846793005 + 1442695040888963407
	}
	return b.String()
}

// duration makes minutes, which are printed with hours from one hour on.
func duration(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		switch {
		case n < 60:
			return float64(n), fmt.Sprintf("%d min", n)
		case n%60 == 0:
			return float64(n), fmt.Sprintf("%d h", n/60)
		}
		return float64(n), fmt.Sprintf("%d h %d min", n/60, n%60)
	}
}

// mass makes grams in steps of 100, which are printed as kilograms from ten kilograms on.
func mass(least, most int, point string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := (least + rng.IntN(most-least)) / 100 * 100
		if n < 10_000 {
			return float64(n), fmt.Sprintf("%d g", n)
		}
		return float64(n), fmt.Sprintf("%d%s%d kg", n/1000, point, n%1000/100)
	}
}

// stretch makes metres in steps of ten, which are printed as kilometres from one
// kilometre on.
func stretch(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := (least + rng.IntN(most-least)) / 10 * 10
		if n < 1000 {
			return float64(n), fmt.Sprintf("%d m", n)
		}
		n = n / 100 * 100
		return float64(n), fmt.Sprintf("%d,%d km", n/1000, n%1000/100)
	}
}

// rated makes ratings out of ten, which are images with an alternative text.
func rated(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		text := fmt.Sprintf("%d.%d out of 10", n/10, n%10)
		return float64(n) / 10, fmt.Sprintf(`<%s|<img src="/s/%d.svg" alt="%s">`, text, n, text)
	}
}
