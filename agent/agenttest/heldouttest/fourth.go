// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The fourth set has what none of the others has. The list was written before the sites:
//
//  1. Polish, Swedish, Turkish and Chinese pages and questions
//  2. a factor or a unit that only the head of a column states: £ thousand, € million
//  3. a property whose field names no unit, and pages with 840 m and 1,2 km
//  4. paragraphs of sentences: one line states all properties of a thing
//  5. cells that several rows share
//  6. listings that name no thing: only details state names and keys
//  7. former prices, struck out, before the price
//  8. booleans as ticks and crosses
//  9. amounts with "tys.", "mln", "万", "k"
//  10. days before months in figures, decided by other rows of the column
//  11. date ranges with days, number ranges, "at least", "at most", "neither nor"
//  12. the things of two sites in one answer, and the cheapest of both
//  13. three clicks: an index of groups, a listing, details

var clubs = []string{"Harriers United", "Tempo Collective", "Northline Runners"}

// fourthSites are the sites of the fourth set.
func fourthSites() []*site {
	return []*site{
		{
			host: "mosty.test", lang: "pl", title: "Katalog mostów", noun: "most", member: "mosty", n: 28, per: 14,
			names: pairs("Dębowy Kamienny Lipowy Młyński Parkowy Rybacki Stary", "Górny Dolny Wielki Mały", "Most %s %s"),
			list:  "prose", paging: "more",
			columns: []column{
				{name: "most", kind: "string", label: "Most"},
				{name: "dlugosc", kind: "number", about: "długość mostu", label: "Jego długość to", make: stretch(120, 3900)},
				{name: "otwarty", kind: "date", about: "data otwarcia", label: "Otwarto go dnia", make: day(1955, 2019, "pl", "D N Y")},
				{name: "koszt", kind: "number", about: "koszt budowy w złotych", label: "Budowa kosztowała", make: either(scaled(120, 980, 1e3, ",", "%s tys. zł"), scaled(1, 60, 1e6, ",", "%s mln zł"))},
				{name: "rowery", kind: "boolean", about: "można przejechać rowerem", label: "Rowery:", make: flag(0.5, "dozwolone", "zabronione")},
			},
		},
		{
			host: "vandrarhem.test", lang: "sv", title: "Vandrarhem längs kusten", noun: "vandrarhem", member: "hostels", n: 30,
			names: pairs("Björk Gran Havs Klipp Måsen Strand", "gården viken udden holmen näset", "%s%s"),
			list:  "table", detail: "terms", path: func(_ int, t *thing) string { return "/v/" + squashed(t.name) },
			columns: []column{
				{name: "namn", kind: "string", label: "Namn"},
				{name: "pris", kind: "integer", about: "pris för en natt i kronor", label: "Pris", on: "list", make: reduced(180, 990, "%d kr")},
				{name: "baddar", kind: "integer", about: "antal bäddar", label: "Bäddar", on: "list", make: whole(8, 140, " ", "%s")},
				{name: "frukost", kind: "boolean", about: "frukost ingår", label: "Frukost", on: "list", make: flag(0.5, "✓", "✗")},
				{name: "husdjur", kind: "boolean", about: "husdjur är välkomna", label: "Husdjur", on: "detail", make: flag(0.5, "ja", "nej")},
				{name: "avstand_m", kind: "integer", about: "avstånd till stationen i meter", label: "Till stationen", on: "detail", make: stretch(80, 5200)},
			},
		},
		{
			host: "kitapcilar.test", lang: "tr", title: "Kitapçılar rehberi", noun: "kitapçı", member: "bookshops", n: 36, by: "sehir",
			names: pairs("Ada Bulut Deniz Elma Gonca Kule", "Kitap Sahaf Yayla Sayfa Raf Kalem", "%s %s"),
			list:  "lines", paging: "groups", detail: "pairs", path: func(i int, _ *thing) string { return fmt.Sprintf("/dukkan/%d", 310+i*7) },
			columns: []column{
				{name: "kitapci", kind: "string", label: "Kitapçı"},
				{name: "sehir", kind: "string", about: "şehir", label: "Şehir", make: one("Ankara", "Bursa", "Konya", "Mersin")},
				{name: "kitap", kind: "integer", about: "kitap sayısı", label: "Kitap sayısı", on: "detail", make: whole(900, 48000, ".", "%s")},
				{name: "acilis", kind: "date", about: "açılış tarihi", label: "Açılış", on: "detail", make: day(1970, 2021, "tr", "D N Y")},
				{name: "kafe", kind: "boolean", about: "kafesi var mı", label: "Kafe", on: "detail", make: flag(0.5, "var", "yok")},
			},
		},
		{
			host: "chaguan.test", lang: "zh", title: "茶馆名录", noun: "茶馆", member: "teahouses", n: 24, per: 12,
			names: func(_ *rand.Rand, i int) string {
				return []string{"清风", "明月", "翠竹", "古井", "白云", "春山"}[i%6] + []string{"茶楼", "茶舍", "茶馆", "茶苑"}[i/6%4]
			},
			list: "cards", paging: "more",
			columns: []column{
				{name: "name", kind: "string", about: "名称", label: "名称"},
				{name: "city", kind: "string", about: "城市", label: "城市", make: one("成都", "杭州", "苏州")},
				{name: "price", kind: "integer", about: "人均消费(元)", label: "人均消费", make: whole(30, 390, ",", "%s元")},
				{name: "visitors", kind: "integer", about: "每年客人数", label: "年客流", make: scaled(1, 9, 1e4, ".", "%s万人")},
				{name: "opened", kind: "date", about: "开业日期", label: "开业", make: day(1980, 2020, "zh", "Y年N月D日")},
				{name: "private", kind: "boolean", about: "是否有包间", label: "包间", make: flag(0.5, "有", "无")},
			},
		},
		{
			host: "lamproom.test", lang: "en", title: "The lamp room, a list of lighthouses", noun: "lighthouse", member: "lighthouses", n: 32, by: "coast",
			names: pairs("Anvil Bleak Cormorant Drake Eddy Foul Gannet Hollow", "Point Skerry Ness Rock", "%s %s"),
			list:  "merged",
			columns: []column{
				{name: "lighthouse", kind: "string", label: "Light"},
				{name: "coast", kind: "string", about: "coast it stands on", label: "Coast", on: "section", make: one("Hebridean", "Cornish", "Northumbrian", "Antrim")},
				{name: "range_nm", kind: "integer", about: "range of the light in nautical miles", label: "Range (nm)", make: whole(6, 29, ",", "%s")},
				{name: "restoration_cost", kind: "number", about: "cost of the restoration in pounds", label: "Restoration (£ thousand)", make: scaledPlain(40, 900, 1e3)},
				{name: "lit", kind: "date", about: "date when it was first lit", label: "First lit", make: day(1990, 2020, "en", "DD/MM/Y")},
				{name: "automated", kind: "boolean", about: "nobody needs to tend it", label: "Automatic", make: flag(0.5, "Y", "N")},
			},
		},
		{
			host: "toollender.test", lang: "en", title: "Tool lender", noun: "tool", member: "tools", n: 30,
			names: pairs("Jigsaw Router Planer Sander Nailer Auger", "MK2 Pro Mini XL Duo", "%s %s"),
			list:  "tiles", detail: "table", anchor: "View", path: func(_ int, t *thing) string { return "/t/" + squashed(t.name) },
			columns: []column{
				{name: "tool", kind: "string", label: "Tool"},
				{name: "shelf", kind: "string", about: "shelf where it lies", label: "Shelf", make: one("wood", "metal", "garden")},
				{name: "code", kind: "string", about: "code of the tool", label: "Loan code", on: "detail", make: id(2000, 31, "TL-%d")},
				{name: "deposit", kind: "number", about: "deposit in dollars", label: "Deposit", on: "detail", make: decimal(10, 180, ".", "$%s0")},
				{name: "weight_g", kind: "integer", about: "weight in grams", label: "Weighs", on: "detail", make: mass(700, 24000, ".")},
				{name: "returned", kind: "boolean", about: "is on its shelf now", label: "State", on: "detail", make: flag(0.5, "on the shelf", "out on loan")},
			},
		},
		{
			host: "startlines.test", lang: "en", title: "Start lines, races on foot", noun: "race", member: "races", n: 40, per: 10, by: "held",
			names: pairs("Canal Forest Harbour Island Meadow Orchard Quarry Ridge", "Dash Loop Classic Night Trail", "%s %s"),
			list:  "terms", paging: "older", detail: "paragraphs", path: func(i int, t *thing) string { return "/race-" + opaque(t.site.host, i) },
			columns: []column{
				{name: "race", kind: "string", label: "Race"},
				{name: "held", kind: "date", about: "date of the race", label: "Race day", make: day(2024, 2025, "en", "A D, Y")},
				{name: "finishers", kind: "integer", about: "number of finishers", label: "Finishers last time", make: scaled(1, 19, 1e3, ".", "%sk")},
				{name: "distance_km", kind: "number", about: "distance in kilometres", label: "Distance", on: "detail", make: decimal(5, 60, ".", "%s km")},
				{name: "fee", kind: "number", about: "fee in euros", label: "To enter", on: "detail", make: decimal(10, 90, ".", "€%s0")},
				{name: "full", kind: "boolean", about: "no more entries are taken", label: "Entries", on: "detail", make: flag(0.4, "closed, full", "open")},
				{name: "club", kind: "string", about: "club that organises it", label: "Staged by", make: one(clubs...)},
			},
		},
		{
			host: "runningclubs.test", lang: "en", title: "Running clubs", noun: "club", member: "clubs", n: len(clubs), names: fixed(clubs...),
			list: "paragraphs", detail: "pairs", path: func(i int, _ *thing) string { return fmt.Sprintf("/?club=%d", 4+i) },
			columns: []column{
				{name: "name", kind: "string", label: "Club"},
				{name: "chair", kind: "string", about: "who chairs the club", label: "In the chair", on: "detail", make: turn("Maud Ferris", "Tobias Quill", "Yara Okoro")},
				{name: "budget", kind: "number", about: "budget of the club in euros", label: "Yearly budget (€ million)", on: "detail", make: turnOf([]float64{1_200_000, 3_400_000, 800_000}, "1.2", "3.4", "0.8")},
				{name: "seat", kind: "string", about: "town where the club has its seat", label: "Seat", on: "detail", make: turn("Galway", "Utrecht", "Bergen")},
			},
		},
		{
			host: "northmarket.test", lang: "en", title: "North market stalls", noun: "stall", member: "stalls", n: 18,
			names: pairs("Apple Barley Cider Damson Elder Fennel", "Corner Row Arch", "%s %s"),
			list:  "table",
			columns: []column{
				{name: "stall", kind: "string", label: "Stall"},
				{name: "rent", kind: "number", about: "rent for a week in pounds", label: "Weekly rent", make: decimal(20, 160, ".", "£%s0")},
				{name: "area_m2", kind: "integer", about: "area in square metres", label: "Area", make: whole(4, 60, ",", "%s m²")},
				{name: "covered", kind: "boolean", about: "has a roof", label: "Roof", make: flag(0.5, "covered", "open air")},
			},
		},
		{
			host: "southmarket.test", lang: "en", title: "Places at the south market", noun: "stall", member: "stalls", n: 15,
			names: pairs("Ginger Hazel Juniper Lovage Mint", "Gate Steps Quay", "%s %s"),
			list:  "accordion",
			columns: []column{
				{name: "stall", kind: "string", label: "Place"},
				{name: "rent", kind: "number", about: "rent for a week in pounds", label: "Rent", make: decimal(20, 160, ".", "GBP %s0 a week")},
				{name: "area_m2", kind: "integer", about: "area in square metres", label: "Size", make: whole(4, 60, ",", "%s sqm")},
				{name: "covered", kind: "boolean", about: "has a roof", label: "Roof", make: flag(0.5, "roofed", "no roof")},
			},
		},
	}
}

// fourthTasks are the questions about the fourth sites.
func (w *Web) fourthTasks() {
	markets := []string{"northmarket.test", "southmarket.test"}
	w.ask("gather", "mosty.test", "Wypisz wszystkie mosty z datą otwarcia, kosztem i informacją o rowerach.", "most otwarty koszt rowery")
	w.ask("gather", "vandrarhem.test", "Alla vandrarhem med pris, bäddar, frukost, husdjur och avstånd till stationen.", "namn pris baddar frukost husdjur avstand_m")
	w.ask("gather", "kitapcilar.test", "Bütün kitapçıları şehir, kitap sayısı, açılış tarihi ve kafe bilgisiyle listele.", "kitapci sehir kitap acilis kafe")
	w.ask("gather", "chaguan.test", "列出所有茶馆的城市、人均消费、年客流、开业日期和包间情况。", "name city price visitors opened private")
	w.ask("gather", "lamproom.test", "Put all the lighthouses in a table: coast, range, what the restoration cost, when first lit, automatic or not.", "lighthouse coast range_nm restoration_cost lit automated")
	w.ask("gather", "toollender.test", "What can be borrowed? Loan code, name, deposit, weight, and whether it is in.", "code tool deposit weight_g returned")
	w.ask("gather", "startlines.test", "All races: day, finishers, distance, entry fee, club and whether they are full.", "race held finishers distance_km fee full club")
	w.askAll("gather", markets, "Every stall of both markets with rent, size and roof", "stall rent area_m2 covered")

	w.ask("conditions", "mosty.test", "Mosty dłuższe niż 1 km, po których można jechać rowerem", "most otwarty", is("dlugosc", ">", "1", "dłuższe niż 1 km").in("km").means("1000"), is("rowery", "=", "true", "można jechać rowerem"))
	w.ask("conditions", "mosty.test", "Które mosty kosztowały co najmniej 5 mln zł i powstały przed rokiem 1990?", "most koszt otwarty", is("koszt", ">=", "5000000", "co najmniej 5 mln zł").in("zł"), is("otwarty", "<", "1990", "przed rokiem 1990"))
	w.ask("conditions", "vandrarhem.test", "Vandrarhem utan frukost som tar emot husdjur och ligger högst 2 km från stationen", "namn avstand_m", is("frukost", "=", "false", "utan frukost"), is("husdjur", "=", "true", "tar emot husdjur"), is("avstand_m", "<=", "2000", "högst 2 km från stationen"))
	w.ask("conditions", "vandrarhem.test", "Vilka vandrarhem har mellan 40 och 90 bäddar och kostar under 500 kr?", "namn pris baddar", is("baddar", ">=", "40", "mellan 40 och 90 bäddar"), is("baddar", "<=", "90", "mellan 40 och 90 bäddar"), is("pris", "<", "500", "under 500 kr").in("kr"))
	w.ask("conditions", "kitapcilar.test", "Ankara'da olmayan, kafesi olmayan ve 10.000'den fazla kitabı olan kitapçılar", "kitapci sehir kitap", is("sehir", "!=", "Ankara", "Ankara'da olmayan"), is("kafe", "=", "false", "kafesi olmayan"), is("kitap", ">", "10000", "10.000'den fazla kitabı olan"))
	w.ask("conditions", "chaguan.test", "成都或杭州有包间、人均不超过200元的茶馆", "name city price", is("city", "in", "成都 | 杭州", "成都或杭州"), is("private", "=", "true", "有包间"), is("price", "<=", "200", "人均不超过200元").in("元"))
	w.ask("conditions", "chaguan.test", "年客流超过5万人、2000年以后开业的茶馆", "name visitors opened", is("visitors", ">", "50000", "超过5万人"), is("opened", ">=", "2000", "2000年以后开业"))
	w.ask("conditions", "lamproom.test", "Lights first lit between 1 March 1998 and 31 August 2011 that still need a keeper", "lighthouse lit", is("lit", ">=", "1998-03-01", "between 1 March 1998"), is("lit", "<=", "2011-08-31", "and 31 August 2011"), is("automated", "=", "false", "still need a keeper"))
	w.ask("conditions", "lamproom.test", "Which restorations of more than £400,000 were on neither the Cornish nor the Antrim coast?", "lighthouse coast restoration_cost", is("restoration_cost", ">", "400000", "more than £400,000").in("£"), is("coast", "!=", "Cornish", "neither the Cornish"), is("coast", "!=", "Antrim", "nor the Antrim coast"))
	w.ask("conditions", "toollender.test", "Tools that I can take home today, lighter than 8 kg, with a deposit of at most $120", "code tool weight_g deposit", is("returned", "=", "true", "can take home today"), is("weight_g", "<", "8000", "lighter than 8 kg"), is("deposit", "<=", "120", "a deposit of at most $120").in("$"))
	w.ask("conditions", "startlines.test", "Races from 10 April to 20 September 2024 that are not full yet", "race held", is("held", ">=", "2024-04-10", "from 10 April"), is("held", "<=", "2024-09-20", "to 20 September 2024"), is("full", "=", "false", "not full yet"))
	w.ask("conditions", "startlines.test", "Races with 8,000 finishers or more that Harriers United do not stage", "race finishers club", is("finishers", ">=", "8000", "8,000 finishers or more"), is("club", "!=", "Harriers United", "that Harriers United do not stage"))
	w.askAll("conditions", markets, "Roofed stalls of both markets for less than £90 a week", "stall rent", is("covered", "=", "true", "Roofed stalls"), is("rent", "<", "90", "less than £90 a week").in("£"))

	w.ask("best", "mosty.test", "Trzy najdłuższe mosty", "most otwarty", is("dlugosc", "top", "3", "Trzy najdłuższe"))
	w.best("best", "vandrarhem.test", "Vilket är det billigaste vandrarhemmet med husdjur?", "namn pris", is("husdjur", "=", "true", "med husdjur"), is("pris", "bottom", "1", "det billigaste"))
	w.ask("best", "kitapcilar.test", "Bursa'daki en eski iki kitapçı", "kitapci acilis", is("sehir", "=", "Bursa", "Bursa'daki"), is("acilis", "bottom", "2", "en eski iki"))
	w.count("best", "chaguan.test", "苏州有几家没有包间的茶馆？", is("city", "=", "苏州", "苏州"), is("private", "=", "false", "没有包间"))
	w.best("best", "lamproom.test", "Which Hebridean light was the dearest to restore?", "lighthouse restoration_cost", is("coast", "=", "Hebridean", "Hebridean light"), is("restoration_cost", "top", "1", "the dearest to restore"))
	w.best("best", "toollender.test", "What is the heaviest tool out on loan?", "code tool weight_g", is("returned", "=", "false", "out on loan"), is("weight_g", "top", "1", "the heaviest tool"))
	w.count("best", "startlines.test", "How many races of more than 30 km are full?", is("distance_km", ">", "30", "more than 30 km").in("km"), is("full", "=", "true", "are full"))
	w.compare("best", "startlines.test", "Is %s or %s the longer race, and which one is dearer?", "race distance_km fee", 3, 22)
	w.askAll("best", markets, "The four cheapest stalls with a roof at either market", "stall rent", is("covered", "=", "true", "with a roof"), is("rent", "bottom", "4", "four cheapest stalls"))

	race := w.site("startlines.test").things[17]
	w.hop("hops", "startlines.test", "runningclubs.test", fmt.Sprintf("Who is the chair of the club that stages %s?", race.name), "chair", "club", race)
	w.hop("hops", "startlines.test", "runningclubs.test", fmt.Sprintf("What budget does the organiser of %s have?", race.name), "budget", "club", race)
	w.rowHop("hops", "startlines.test", "runningclubs.test", "Races with at most 4,000 finishers and the town of the club behind each", "race finishers club", "seat", "club", is("finishers", "<=", "4000", "at most 4,000 finishers"))
}

// either makes one of two kinds of values.
func either(a, b maker) maker {
	return func(rng *rand.Rand, i int) (any, string) {
		if rng.Float64() < 0.5 {
			return a(rng, i)
		}
		return b(rng, i)
	}
}

// reduced makes prices of which every second one shows a former price before it.
func reduced(least, most int, format string) maker {
	return func(rng *rand.Rand, i int) (any, string) {
		n := least + rng.IntN(most-least)
		text := fmt.Sprintf(format, n)
		if i%2 == 0 {
			return float64(n), text
		}
		return float64(n), fmt.Sprintf("<%s|<del>%s</del> <strong>%s</strong>", text, fmt.Sprintf(format, n+40+n/5), text)
	}
}

// scaledPlain makes amounts of which the text has no factor: the head of the column has it.
func scaledPlain(least, most int, factor float64) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		return float64(n) * factor, fmt.Sprint(n)
	}
}

// turnOf makes each of several numbers in its turn.
func turnOf(truths []float64, texts ...string) maker {
	return func(_ *rand.Rand, i int) (any, string) {
		return truths[i%len(truths)], strings.TrimSpace(texts[i%len(texts)])
	}
}
