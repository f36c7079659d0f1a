// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/curlew/agent/agenttest"
	"example.com/curlew/agent/internal/protocol"
	"example.com/curlew/agent/journal"
)

// The eighth set has what none of the others has. The list was written before the sites:
//
//  1. Ukrainian, Romanian, Vietnamese, Hebrew, Hindi and Catalan pages and questions, and
//     the digits of Devanagari
//  2. the same things on a page in Catalan and on a page in English
//  3. whole sentences without labels, each with several values
//  4. a page whose list stands only in the state that a script would read
//  5. an archived copy of a list, with old values and with things that are gone
//  6. hosts and ports that look like the site and say other things
//  7. things that stand at the top of every page of a list
//  8. pages of a list that link only a few others, and pages behind opaque addresses
//  9. dates in five forms in one column
//  10. amounts with a currency and a suffix (US$1.2M, £850k), and "free"
//  11. negative temperatures, feet with metres behind them, kilowatts with horsepower
//  12. labels and values that are abbreviated ("Cap. 120", "est. 1932")
//  13. booleans of which each value has several wordings
//  14. marks of footnotes in brackets, and notes with other values
//  15. "leave out", "anybody but", "unless", "half a million", miles, tonnes, "or newer"
//  16. a superlative whose answer is another property: "who", "which town"
//  17. "which of A and B", and a question behind a question behind a question

// devanagari writes the digits of a number as Hindi pages do.
func devanagari(m maker) maker {
	digits := strings.NewReplacer("0", "०", "1", "१", "2", "२", "3", "३", "4", "४", "5", "५", "6", "६", "7", "७", "8", "८", "9", "९")
	return func(rng *rand.Rand, i int) (any, string) {
		truth, text := m(rng, i)
		return truth, digits.Replace(text)
	}
}

// worded makes booleans of which each value has several wordings.
func worded(share float64, yes, no []string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		if rng.Float64() < share {
			return true, yes[rng.IntN(len(yes))]
		}
		return false, no[rng.IntN(len(no))]
	}
}

// mixed makes dates in one of five forms.
func mixed(from, to int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		t := time.Date(from+rng.IntN(to-from), time.Month(1+rng.IntN(12)), 1+rng.IntN(28), 0, 0, 0, 0, time.UTC)
		forms := []string{time.DateOnly, "2 January 2006", "Jan 2, 2006", "02-Jan-2006", "Monday, 2 January 2006"}
		return t.Format(time.DateOnly), t.Format(forms[rng.IntN(len(forms))])
	}
}

// free makes one of several values say that a thing costs nothing.
func free(m maker, one int, text string) maker {
	return func(rng *rand.Rand, i int) (any, string) {
		truth, printed := m(rng, i)
		if i%one == 0 {
			return 0.0, text
		}
		return truth, printed
	}
}

// feet makes whole feet, with the metres behind them, which are the truth.
func feet(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		tenths := (n*3048 + 500) / 1000
		return float64(tenths) / 10, fmt.Sprintf("%s ft (%s.%d m)", grouped(n, ","), grouped(tenths/10, ","), tenths%10)
	}
}

// power makes kilowatts, with horsepower behind them.
func power(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		return float64(n), fmt.Sprintf("%d kW (%d hp)", n, n*134/100)
	}
}

// frost makes temperatures below and above zero, with the sign of mathematics.
func frost(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least*10 + rng.IntN((most-least)*10)
		sign, m := "", n
		if n < 0 {
			sign, m = "−", -n
		}
		return float64(n) / 10, fmt.Sprintf("%s%d.%d °C", sign, m/10, m%10)
	}
}

// tonnes makes kilograms in steps of 100, which are printed as tonnes from one tonne on.
func tonnes(least, most int, point, kilo, tonne string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := (least + rng.IntN(most-least)) / 100 * 100
		if n < 1000 {
			return float64(n), fmt.Sprintf("%d %s", n, kilo)
		}
		return float64(n), fmt.Sprintf("%d%s%d %s", n/1000, point, n%1000/100, tonne)
	}
}

// say prints the truth about a number or a date in another language.
func say(format string) func(truth any) string {
	return func(truth any) string {
		switch v := truth.(type) {
		case float64:
			return fmt.Sprintf(format, grouped(int(v), ","))
		case bool:
			yes, no, _ := strings.Cut(format, "|")
			return map[bool]string{true: yes, false: no}[v]
		}
		t, err := time.Parse(time.DateOnly, fmt.Sprint(truth))
		if err != nil {
			return fmt.Sprint(truth)
		}
		return t.Format(format)
	}
}

// eighthSites are the sites of the eighth set.
func eighthSites() []*site {
	conductors := []string{"Ottoline Marsh", "Percival Agu", "Rosalind Thwaite", "Silvester Kamara", "Theodora Lunn", "Ulrike Sand", "Valentin Osei"}
	academies := []string{"Academy of Holm", "Brightwater College", "Conservatory at Ness", "Dell School of Music", "Elmhurst Institute"}
	return []*site{
		{
			host: "pasiky.test", lang: "uk", title: "Пасіки області", noun: "пасіка", member: "apiaries", n: 40, per: 6, pager: true, few: true,
			names: pairs("Вербова Гірська Дубова Зелена Калинова Липова Медова Нова", "долина криниця левада балка гора", "%s %s"),
			list:  "table", paging: "numbered",
			columns: []column{
				{name: "pasika", kind: "string", about: "назва пасіки", label: "Пасіка"},
				{name: "vulyky", kind: "integer", about: "кількість вуликів", label: "Вуликів", make: whole(12, 480, " ", "%s")},
				{name: "med_kg", kind: "number", about: "мед за рік у кілограмах", label: "Мед за рік", make: tonnes(200, 9800, ",", "кг", "т")},
				{name: "zasnovano", kind: "date", about: "дата заснування", label: "Засновано", make: day(1985, 2020, "uk", "D N Y р.")},
				{name: "tsina", kind: "integer", about: "ціна екскурсії в гривнях", label: "Екскурсія", make: whole(150, 2900, " ", "%s грн"), missing: 0.1, blank: "—"},
				{name: "kramnytsia", kind: "boolean", about: "має крамницю", label: "Крамниця", make: flag(0.5, "є", "немає")},
			},
		},
		{
			host: "manastiri.test", lang: "ro", title: "Mănăstiri din munți", noun: "mănăstire", member: "monasteries", n: 33, per: 11, sticky: 2, cursor: true,
			names: pairs("Arinul Bradul Cerbul Fagul Izvorul Jgheabul Lupul", "Alb Negru Mare Mic Vechi", "%s %s"),
			list:  "cards", paging: "more",
			columns: []column{
				{name: "manastire", kind: "string", about: "numele mănăstirii", label: "Mănăstirea"},
				{name: "altitudine_m", kind: "integer", about: "altitudinea în metri", label: "Altitudine", make: whole(420, 1980, ".", "%s m")},
				{name: "vizitatori", kind: "integer", about: "vizitatori pe an", label: "Vizitatori pe an", make: scaled(2, 98, 1000, ",", "%s mii")},
				{name: "sfintita", kind: "date", about: "data sfințirii", label: "Sfințită la", make: day(1880, 1990, "ro", "D N Y")},
				{name: "bilet", kind: "integer", about: "prețul biletului în lei", label: "Bilet", make: free(whole(5, 60, ".", "%s lei"), 7, "gratuit")},
				{name: "cazare", kind: "boolean", about: "oferă cazare", label: "Cazare", make: flag(0.5, "da", "nu")},
			},
		},
		{
			host: "chonoi.test", lang: "vi", title: "Danh bạ chợ nổi", noun: "chợ", member: "markets", n: 27,
			names: func(_ *rand.Rand, i int) string {
				return "Chợ " + []string{"An Bình", "Bến Tre", "Cồn Phụng", "Dương Hòa", "Giồng Riềng", "Hàm Luông", "Kênh Xáng", "Long Mỹ", "Mỹ Thọ"}[i%9] + " " + []string{"Đông", "Tây", "Nam"}[i/9%3]
			},
			list: "paragraphs",
			columns: []column{
				{name: "cho", kind: "string", about: "tên chợ", label: "Chợ"},
				{name: "dien_tich", kind: "integer", about: "diện tích mặt nước tính bằng mét vuông", label: "Diện tích", make: whole(1200, 48000, ".", "%s m²")},
				{name: "so_ghe", kind: "integer", about: "số ghe thuyền", label: "Số ghe", make: whole(40, 900, ".", "%s chiếc")},
				{name: "phi", kind: "integer", about: "phí thuê chỗ mỗi năm bằng đồng", label: "Phí mỗi năm", make: either(scaled(2, 95, 1e6, ",", "%s triệu đồng"), scaled(1, 4, 1e9, ",", "%s tỷ đồng"))},
				{name: "khai_truong", kind: "date", about: "ngày khai trương", label: "Khai trương", make: day(1975, 2020, "vi", "ngày D tháng N năm Y")},
				{name: "ban_dem", kind: "boolean", about: "họp ban đêm", label: "Họp ban đêm", make: flag(0.5, "có", "không")},
			},
		},
		{
			host: "sifriyot.test", lang: "he", title: "ספריות בגליל", noun: "ספרייה", member: "libraries", n: 28, per: 14,
			names: func(_ *rand.Rand, i int) string {
				return []string{"ספריית האורן", "ספריית הברוש", "ספריית הגפן", "ספריית הדקל"}[i%4] + " " + []string{"הישנה", "החדשה", "הצפונית", "הדרומית", "המזרחית", "המערבית", "הגדולה"}[i/4%7]
			},
			list: "terms", paging: "more",
			columns: []column{
				{name: "sifriya", kind: "string", about: "שם הספרייה", label: "ספרייה"},
				{name: "sfarim", kind: "integer", about: "מספר הספרים", label: "ספרים", make: whole(1200, 98000, ",", "%s")},
				{name: "taktsiv", kind: "integer", about: "תקציב שנתי בשקלים", label: "תקציב", make: either(scaled(1, 9, 1e6, ".", "%s מיליון ₪"), thousands(120, 950, "%d אלף ₪"))},
				{name: "niftach", kind: "date", about: "תאריך הפתיחה", label: "נפתחה", make: day(1950, 2015, "he", "D בN Y")},
				{name: "nagish", kind: "boolean", about: "נגישה לכיסאות גלגלים", label: "נגישות", make: flag(0.5, "נגישה", "לא נגישה")},
			},
		},
		{
			host: "jheelen.test", lang: "hi", title: "पहाड़ी झीलें", noun: "झील", member: "lakes", n: 26,
			names: func(_ *rand.Rand, i int) string {
				return []string{"कमल", "चाँद", "नीलम", "मोती", "हंस"}[i%5] + " " + []string{"ताल", "सागर", "कुंड", "सरोवर", "झील", "बावली"}[i/5%6]
			},
			list: "table",
			columns: []column{
				{name: "jheel", kind: "string", about: "झील का नाम", label: "झील"},
				{name: "unchai_m", kind: "integer", about: "समुद्र तल से ऊँचाई मीटर में", label: "ऊँचाई", make: devanagari(whole(1100, 4900, ",", "%s मीटर"))},
				{name: "gahrai_m", kind: "number", about: "गहराई मीटर में", label: "गहराई", make: devanagari(decimal(2, 48, ".", "%s मीटर"))},
				{name: "kharch", kind: "integer", about: "संरक्षण पर खर्च रुपये में", label: "खर्च", make: devanagari(either(scaled(1, 9, 1e7, ".", "₹%s करोड़"), scaled(10, 95, 1e5, ".", "₹%s लाख")))},
				{name: "khuli", kind: "date", about: "पर्यटकों के लिए खुलने की तारीख", label: "खुली", make: devanagari(day(1960, 2015, "hi", "D N Y"))},
				{name: "naukayan", kind: "boolean", about: "नौकायन की सुविधा है", label: "नौकायन", make: flag(0.5, "हाँ", "नहीं")},
			},
		},
		{
			host: "colles.test", lang: "ca", title: "Colles de la vall", noun: "colla", member: "teams", n: 24,
			names: pairs("Alzina Bruc Cirera Dolmen Espiga Falcó", "Vella Nova Alta Baixa", "Colla %s %s"),
			list:  "boxes", paging: "views", views: []string{"Català", "English"}, tongues: map[string]string{"English": "en"},
			columns: []column{
				{name: "colla", kind: "string", about: "name of the team", label: "Colla"},
				{name: "membres", kind: "integer", about: "number of members", label: "Membres", alias: map[string]string{"English": "Members"}, retold: map[string]func(any) string{"English": say("%s")}, make: whole(1020, 3900, ".", "%s")},
				{name: "pressupost", kind: "integer", about: "budget in euros", label: "Pressupost", alias: map[string]string{"English": "Budget"}, retold: map[string]func(any) string{"English": say("€%s")}, make: whole(12000, 98000, ".", "%s €")},
				{name: "fundada", kind: "date", about: "date of foundation", label: "Fundada el", alias: map[string]string{"English": "Founded on"}, retold: map[string]func(any) string{"English": say("2 January 2006")}, make: day(1950, 2015, "ca", "D de N de Y")},
				{name: "canalla", kind: "boolean", about: "has a children's section", label: "Secció infantil", alias: map[string]string{"English": "Children's section"}, retold: map[string]func(any) string{"English": say("yes|no")}, make: flag(0.5, "sí", "no")},
			},
		},
		{
			host: "sawmills.test", lang: "en", title: "Water-driven sawmills", noun: "sawmill", member: "sawmills", n: 30,
			names: pairs("Alderbeck Birkenshaw Cragside Dunnerdale Ewesley Fallowlees", "Upper Lower Old New Great", "%s %s"),
			list:  "story",
			story: "%s was built in {built} and is powered by a wheel of {wheel_m}. It cuts {output} a year with {blades}, and visitors {visits}. Its owner is {owner}.",
			columns: []column{
				{name: "sawmill", kind: "string", about: "name of the sawmill", label: "Sawmill"},
				{name: "built", kind: "integer", about: "year when it was built", make: year(1710, 1899)},
				{name: "wheel_m", kind: "number", about: "diameter of the wheel in metres", make: decimal(2, 9, ".", "%s metres")},
				{name: "output", kind: "integer", about: "timber cut in a year in cubic metres", make: whole(1050, 9800, ",", "%s cubic metres")},
				{name: "blades", kind: "integer", about: "number of saw blades", make: few("%d blades", 2, 3, 6, 12)},
				{name: "owner", kind: "string", about: "owner", make: one("the county", "a family trust", "the forest board")},
				{name: "visits", kind: "boolean", about: "visitors are admitted", make: worded(0.5, []string{"are welcome", "may come in on Sundays"}, []string{"are not admitted", "have to stay outside"})},
			},
		},
		{
			host: "drones.test", lang: "en", title: "Survey drones to rent", noun: "drone", member: "drones", n: 24,
			names: pairs("Kestrel Merlin Osprey Peregrine Swift Harrier", "Mini Pro Max Cargo", "%s %s"),
			list:  "state",
			columns: []column{
				{name: "drone", kind: "string", about: "name of the drone", label: "Name"},
				{name: "range_km", kind: "number", about: "range in kilometres", label: "Range", make: decimal(4, 90, ".", "%s km")},
				{name: "payload_g", kind: "integer", about: "payload in grams", label: "Payload", make: whole(150, 9000, ",", "%s g")},
				{name: "day_rate", kind: "number", about: "rate for a day in pounds", label: "Day rate", make: decimal(25, 480, ".", "£%s0")},
				{name: "released", kind: "date", about: "date of release", label: "Released", make: day(2016, 2025, "en", "D N Y")},
				{name: "waterproof", kind: "boolean", about: "is waterproof", label: "Waterproof", make: flag(0.5, "yes", "no")},
			},
		},
		{
			host: "lotledger.test", lang: "en", title: "Lot ledger, results of auctions", noun: "lot", member: "lots", n: 36, per: 12, cursor: true,
			likes: []string{"lotledger-test.test", "lotledger.test:8443"},
			names: pairs("Amber Bronze Coral Ebony Gilt Ivory Jade Onyx Pearl", "casket figurine goblet mirror", "%s %s"),
			list:  "glossary", paging: "more",
			columns: []column{
				{name: "lot", kind: "string", about: "what was sold", label: "Lot"},
				{name: "estimate", kind: "integer", about: "estimate in US dollars", label: "Estimate", make: either(scaled(1, 9, 1e6, ".", "US$%sM"), thousands(120, 950, "US$%dk"))},
				{name: "hammer", kind: "integer", about: "hammer price in US dollars", label: "Hammer price", make: either(scaled(1, 9, 1e6, ".", "US$%sM"), thousands(90, 950, "US$%dk")), missing: 0.2, blank: "unsold"},
				{name: "sale", kind: "date", about: "date of the sale", label: "Sale", make: mixed(2019, 2025)},
				{name: "bids", kind: "integer", about: "number of bids", label: "Bids", make: few("%d", 2, 5, 9, 14, 31)},
				{name: "room", kind: "string", about: "saleroom", label: "Saleroom", make: one("Geneva", "Lisbon", "Antwerp")},
			},
		},
		{
			host: "icestations.test", lang: "en", title: "Weather stations in the ice", noun: "station", member: "stations", n: 30, archive: "archived copy of 2016",
			names: pairs("Amundsen Borchgrevink Drygalski Filchner Gerlache Nobile", "Cape Ridge Plateau Nunatak Bay", "%s %s"),
			list:  "abbreviated",
			columns: []column{
				{name: "station", kind: "string", about: "name of the station", label: "Station"},
				{name: "established", kind: "integer", about: "year when it was established", label: "Est.", make: year(1948, 2012)},
				{name: "altitude_m", kind: "number", about: "altitude in metres", label: "Alt.", make: feet(120, 9800)},
				{name: "beds", kind: "integer", about: "capacity, in persons", label: "Cap.", make: whole(6, 140, ",", "%s pers.")},
				{name: "mean_c", kind: "number", about: "mean temperature of the year in degrees Celsius", label: "Mean temp.", make: frost(-48, 3)},
				{name: "staffed", kind: "boolean", about: "is staffed in winter", label: "Winter", make: worded(0.5, []string{"staffed", "crew of the year"}, []string{"unstaffed", "automatic"})},
			},
		},
		{
			host: "playbarns.test", lang: "en", title: "Play barns and soft play", noun: "play barn", member: "barns", n: 35,
			names: pairs("Acorn Bumble Cuddle Dizzy Flopsy Giggle Hoppity", "Barn Castle Jungle Den Corner", "%s %s"),
			list:  "tableless", detail: "table", path: func(i int, t *thing) string { return fmt.Sprintf("/b/%s-%d", squashed(t.name), 4000+i*3) },
			columns: []column{
				{name: "barn", kind: "string", about: "name of the play barn", label: "Play barn"},
				{name: "town", kind: "string", about: "town", label: "Town", on: "list", make: one("Ashford", "Buxton", "Corby", "Didcot")},
				{name: "entry", kind: "number", about: "entry for a child in pounds", label: "Entry", on: "detail", make: free(decimal(3, 15, ".", "£%s0"), 6, "free")},
				{name: "min_age", kind: "integer", about: "lowest age in years", label: "Ages", on: "detail", make: few("from %d years", 1, 2, 4, 5)},
				{name: "area_m2", kind: "integer", about: "area in square metres", label: "Area", on: "detail", make: whole(180, 2600, ",", "%s m²"), note: "[1]", remark: "Measured by the owner in 2018: 4,321 m²."},
				{name: "inspected", kind: "date", about: "date of the last inspection", label: "Last inspected", on: "detail", make: mixed(2021, 2025), missing: 0.12, blank: "see the notice at the door"},
				{name: "dogs", kind: "boolean", about: "dogs may come in", label: "Dogs", on: "detail", make: worded(0.5, []string{"welcome", "welcome on a lead", "yes, in the café"}, []string{"not allowed", "guide dogs only", "sorry, no dogs"})},
				{name: "step_free", kind: "boolean", about: "has step-free access", label: "Access", on: "detail", make: worded(0.5, []string{"step-free", "level all the way"}, []string{"stairs only", "9 steps at the door"})},
			},
		},
		{
			host: "oldtractors.test", lang: "en", title: "Old tractors for sale", noun: "tractor", member: "tractors", n: 36, by: "make", twice: true,
			names: func(_ *rand.Rand, i int) string { return fmt.Sprintf("Model %c%d", 'A'+rune(i%6), 20+i*7) },
			list:  "shuffled", paging: "groups",
			columns: []column{
				{name: "model", kind: "string", about: "name of the model", label: "Model"},
				{name: "make", kind: "string", about: "make", label: "Make", make: one("Brockley", "Corran", "Dunstall")},
				{name: "power_kw", kind: "integer", about: "power in kilowatts", label: "Pwr.", make: power(12, 140)},
				{name: "weight_kg", kind: "integer", about: "weight in kilograms", label: "Wt.", make: tonnes(700, 6900, ".", "kg", "t")},
				{name: "price", kind: "integer", about: "price in pounds", label: "Price", make: either(scaled(2, 48, 1000, ".", "£%sk"), whole(1200, 9900, ",", "£%s")), missing: 0.15, blank: "on request"},
				{name: "year", kind: "integer", about: "year of manufacture", label: "Yr. of mfr.", make: year(1938, 1989)},
				{name: "runs", kind: "boolean", about: "is in running order", label: "Cond.", make: worded(0.5, []string{"runs", "runs well", "good runner"}, []string{"does not run", "non-runner", "seized"})},
			},
		},
		{
			host: "choirs.test", lang: "en", title: "Choirs of the coast", noun: "choir", member: "choirs", n: 28, per: 7, onward: "Choirs further down the coast",
			names: pairs("Anchor Beacon Compass Drift Eddy Fathom Gull", "Singers Voices Chorus Chorale", "%s %s"),
			list:  "lines", paging: "more",
			columns: []column{
				{name: "choir", kind: "string", about: "name of the choir", label: "Choir"},
				{name: "members", kind: "integer", about: "number of members", label: "Members", make: whole(14, 160, ",", "%s members")},
				{name: "conductor", kind: "string", about: "conductor", label: "Conductor", make: turn(conductors...)},
				{name: "founded", kind: "integer", about: "year of foundation", label: "Founded", make: id(1890, 3, "founded in %d")},
				{name: "auditions", kind: "boolean", about: "asks for an audition", label: "Auditions", make: worded(0.5, []string{"by audition"}, []string{"open to all", "no audition"})},
			},
		},
		{
			host: "conductors.test", lang: "en", title: "People who conduct", noun: "conductor", member: "conductors", n: len(conductors),
			names: fixed(conductors...),
			list:  "table", detail: "paragraphs", path: func(_ int, t *thing) string { return "/people/" + squashed(t.name) },
			columns: []column{
				{name: "name", kind: "string", about: "name of the conductor", label: "Name"},
				{name: "academy", kind: "string", about: "academy where the conductor trained", label: "Trained at", on: "detail", make: turn(academies...)},
				{name: "home", kind: "string", about: "home town of the conductor", label: "Lives in", on: "detail", make: turn("Amble", "Bude", "Cromer", "Deal", "Exmouth", "Filey", "Grimsby")},
			},
		},
		{
			host: "academies.test", lang: "en", title: "Schools for musicians", noun: "academy", member: "academies", n: len(academies),
			names: fixed(academies...),
			list:  "table", detail: "terms", path: func(i int, _ *thing) string { return fmt.Sprintf("/school/%d", 310+i*11) },
			columns: []column{
				{name: "academy", kind: "string", about: "name of the academy", label: "School"},
				{name: "opened", kind: "integer", about: "year when the academy opened", label: "Opened", on: "detail", make: id2(1822, 17)},
				{name: "fees", kind: "integer", about: "fees of a year in pounds", label: "Fees", on: "detail", make: whole(4100, 19900, ",", "£%s")},
			},
		},
	}
}

// eighthTasks are the questions about the eighth sites.
func (w *Web) eighthTasks() {
	w.ask("gather", "pasiky.test", "Усі пасіки: вулики, мед за рік, дата заснування, ціна екскурсії, крамниця.", "pasika vulyky med_kg zasnovano tsina kramnytsia")
	w.ask("gather", "manastiri.test", "Toate mănăstirile, cu altitudine, vizitatori, sfințire, bilet și cazare.", "manastire altitudine_m vizitatori sfintita bilet cazare")
	w.ask("gather", "chonoi.test", "Tất cả các chợ: diện tích, số ghe, phí, ngày khai trương, có họp ban đêm không.", "cho dien_tich so_ghe phi khai_truong ban_dem")
	w.ask("gather", "sifriyot.test", "כל הספריות עם ספרים, תקציב, תאריך פתיחה ונגישות.", "sifriya sfarim taktsiv niftach nagish")
	w.ask("gather", "jheelen.test", "सभी झीलें: ऊँचाई, गहराई, खर्च, खुलने की तारीख, नौकायन।", "jheel unchai_m gahrai_m kharch khuli naukayan")
	w.ask("gather", "colles.test", "Each team once: members, budget, foundation, children's section.", "colla membres pressupost fundada canalla")
	w.ask("gather", "sawmills.test", "Every sawmill: when built, wheel, output, blades, owner, visitors or not.", "sawmill built wheel_m output blades owner visits")
	w.ask("gather", "drones.test", "The whole fleet with range, payload, day rate, release and whether it is waterproof.", "drone range_km payload_g day_rate released waterproof")
	w.ask("gather", "lotledger.test", "All lots: estimate, hammer price if any, date of the sale, bids, saleroom.", "lot estimate hammer sale bids room")
	w.ask("gather", "icestations.test", "All stations as they are today: established, altitude, capacity, mean temperature, staffed in winter.", "station established altitude_m beds mean_c staffed")
	w.ask("gather", "playbarns.test", "Every play barn: town, entry, ages, area, last inspection, dogs, access.", "barn town entry min_age area_m2 inspected dogs step_free")
	w.ask("gather", "oldtractors.test", "All tractors for sale, each once: make, power, weight, price, year, condition.", "model make power_kw weight_kg price year runs")

	w.ask("conditions", "pasiky.test", "Пасіки без крамниці, де збирають понад 2,5 т меду на рік", "pasika med_kg", is("kramnytsia", "=", "false", "без крамниці"), is("med_kg", ">", "2.5", "понад 2,5 т").in("т").means("2500"))
	w.ask("conditions", "pasiky.test", "Які пасіки засновано до 1 січня 2000 року, а екскурсія коштує не більше 1 000 грн?", "pasika zasnovano tsina", is("zasnovano", "<", "2000-01-01", "до 1 січня 2000 року"), is("tsina", "<=", "1000", "не більше 1 000 грн").in("грн"))
	w.ask("conditions", "manastiri.test", "Mănăstiri cu intrare gratuită sau cu bilet de cel mult 10 lei, care oferă cazare", "manastire bilet", is("bilet", "<=", "10", "gratuită sau cu bilet de cel mult 10 lei").in("lei"), is("cazare", "=", "true", "care oferă cazare"))
	w.ask("conditions", "manastiri.test", "Mănăstiri aflate la peste 1.200 m cu mai puțin de 50 de mii de vizitatori pe an", "manastire altitudine_m vizitatori", is("altitudine_m", ">", "1200", "peste 1.200 m").in("m"), is("vizitatori", "<", "50000", "mai puțin de 50 de mii"))
	w.ask("conditions", "chonoi.test", "Chợ không họp ban đêm có phí dưới 50 triệu đồng", "cho phi", is("ban_dem", "=", "false", "không họp ban đêm"), is("phi", "<", "50000000", "dưới 50 triệu đồng").in("đồng"))
	w.ask("conditions", "chonoi.test", "Chợ khai trương từ năm 1990 đến năm 2005 với ít nhất 200 ghe", "cho khai_truong so_ghe", is("khai_truong", ">=", "1990", "từ năm 1990"), is("khai_truong", "<=", "2005", "đến năm 2005"), is("so_ghe", ">=", "200", "ít nhất 200 ghe"))
	w.ask("conditions", "sifriyot.test", "ספריות לא נגישות שנפתחו אחרי 1980", "sifriya niftach", is("nagish", "=", "false", "לא נגישות"), is("niftach", ">", "1980", "אחרי 1980"))
	w.ask("conditions", "sifriyot.test", "ספריות עם יותר מ-40,000 ספרים ותקציב של פחות ממיליון שקלים", "sifriya sfarim taktsiv", is("sfarim", ">", "40000", "יותר מ-40,000 ספרים"), is("taktsiv", "<", "1000000", "פחות ממיליון שקלים"))
	w.ask("conditions", "jheelen.test", "३००० मीटर से ऊँची झीलें जहाँ नौकायन नहीं है", "jheel unchai_m", is("unchai_m", ">", "3000", "३००० मीटर से ऊँची").in("मीटर"), is("naukayan", "=", "false", "नौकायन नहीं है"))
	w.ask("conditions", "jheelen.test", "जिन झीलों पर कम से कम २ करोड़ रुपये खर्च हुए और जो १९९० से पहले खुलीं", "jheel kharch khuli", is("kharch", ">=", "20000000", "कम से कम २ करोड़ रुपये"), is("khuli", "<", "1990", "१९९० से पहले"))
	w.ask("conditions", "colles.test", "Teams with a children's section whose budget is between €30,000 and €70,000", "colla pressupost", is("canalla", "=", "true", "with a children's section"), is("pressupost", ">=", "30000", "between €30,000 and €70,000").in("€"), is("pressupost", "<=", "70000", "between €30,000 and €70,000").in("€"))
	w.ask("conditions", "colles.test", "Colles de més de 2.000 membres fundades abans del 1990", "colla membres fundada", is("membres", ">", "2000", "més de 2.000 membres"), is("fundada", "<", "1990", "abans del 1990"))
	w.ask("conditions", "sawmills.test", "Sawmills from before 1800 that belong to anybody but the county", "sawmill built owner", is("built", "<", "1800", "from before 1800"), is("owner", "!=", "the county", "anybody but the county"))
	w.ask("conditions", "sawmills.test", "Sawmills with a wheel of five metres or more; leave out those that keep visitors outside", "sawmill wheel_m", is("wheel_m", ">=", "5", "five metres or more").in("metres"), is("visits", "=", "true", "leave out those that keep visitors outside"))
	w.ask("conditions", "drones.test", "Waterproof drones that fly farther than 20 miles", "drone range_km", is("waterproof", "=", "true", "Waterproof drones"), is("range_km", ">", "20", "farther than 20 miles").in("miles").means("32.18688"))
	w.ask("conditions", "drones.test", "Drones from 2020 or newer that carry at least 2.5 kg for under £200 a day", "drone payload_g day_rate released", is("released", ">=", "2020", "from 2020 or newer"), is("payload_g", ">=", "2.5", "at least 2.5 kg").in("kg").means("2500"), is("day_rate", "<", "200", "under £200 a day").in("£"))
	w.ask("conditions", "lotledger.test", "Lots that made more than half a million dollars anywhere except Geneva", "lot hammer room", is("hammer", ">", "500000", "more than half a million dollars"), is("room", "!=", "Geneva", "except Geneva"))
	w.ask("conditions", "lotledger.test", "Lots sold or offered from April 2021 through June 2022", "lot sale", is("sale", ">=", "2021-04", "from April 2021 through June 2022"), is("sale", "<=", "2022-06", "from April 2021 through June 2022"))
	w.ask("conditions", "lotledger.test", "Which lots had fewer than ten bids and an estimate of at least US$1.5M?", "lot bids estimate", is("bids", "<", "10", "fewer than ten bids"), is("estimate", ">=", "1500000", "at least US$1.5M").in("US$"))
	w.ask("conditions", "icestations.test", "Stations where the year's mean is below −20 °C and nobody stays in winter", "station mean_c", is("mean_c", "<", "-20", "below −20 °C").in("°C"), is("staffed", "=", "false", "nobody stays in winter"))
	w.ask("conditions", "icestations.test", "Stations above 5,000 feet with room for 50 people or more", "station altitude_m beds", is("altitude_m", ">", "5000", "above 5,000 feet").in("feet").means("1524"), is("beds", ">=", "50", "room for 50 people or more"))
	w.ask("conditions", "icestations.test", "Stations established in the seventies or eighties unless they are automatic in winter", "station established", is("established", ">=", "1970", "in the seventies or eighties"), is("established", "<", "1990", "in the seventies or eighties"), is("staffed", "=", "true", "unless they are automatic in winter"))
	w.ask("conditions", "playbarns.test", "Play barns in Corby or Buxton where dogs are not allowed", "barn town", is("town", "in", "Corby | Buxton", "in Corby or Buxton"), is("dogs", "=", "false", "dogs are not allowed"))
	w.ask("conditions", "playbarns.test", "Step-free barns that take a two-year-old and cost no more than £8", "barn min_age entry", is("step_free", "=", "true", "Step-free barns"), is("min_age", "<=", "2", "take a two-year-old"), is("entry", "<=", "8", "no more than £8").in("£"))
	w.ask("conditions", "playbarns.test", "Barns of 1,000 m² or more that nobody has inspected since the end of 2022", "barn area_m2 inspected", is("area_m2", ">=", "1000", "1,000 m² or more").in("m²"), is("inspected", "<=", "2022-12-31", "nobody has inspected since the end of 2022"))
	w.ask("conditions", "oldtractors.test", "Tractors lighter than 2.5 tonnes that still run, but no Corrans", "model make weight_kg", is("weight_kg", "<", "2.5", "lighter than 2.5 tonnes").in("tonnes").means("2500"), is("runs", "=", "true", "still run"), is("make", "!=", "Corran", "no Corrans"))
	w.ask("conditions", "oldtractors.test", "Tractors built 1950–1970 with a stated price under £10k", "model price year", is("year", ">=", "1950", "built 1950–1970"), is("year", "<=", "1970", "built 1950–1970"), is("price", "<", "10000", "under £10k").in("£"))
	w.ask("conditions", "choirs.test", "Choirs of at most 60 members that one can join without an audition", "choir members", is("members", "<=", "60", "at most 60 members"), is("auditions", "=", "false", "without an audition"))

	w.ask("top", "pasiky.test", "Три пасіки з найбільшою кількістю вуликів", "pasika vulyky", is("vulyky", "top", "3", "Три пасіки з найбільшою кількістю вуликів"))
	w.ask("top", "chonoi.test", "Ba chợ lâu đời nhất có họp ban đêm", "cho khai_truong", is("ban_dem", "=", "true", "có họp ban đêm"), is("khai_truong", "bottom", "3", "Ba chợ lâu đời nhất"))
	w.ask("top", "lotledger.test", "The four dearest lots by hammer price that were sold in Lisbon", "lot hammer", is("room", "=", "Lisbon", "sold in Lisbon"), is("hammer", "top", "4", "four dearest lots by hammer price"))
	w.ask("top", "icestations.test", "The five coldest stations with a crew in winter", "station mean_c", is("staffed", "=", "true", "with a crew in winter"), is("mean_c", "bottom", "5", "five coldest stations"))
	w.ask("top", "playbarns.test", "The three largest barns in Didcot or Ashford that let dogs in", "barn area_m2", is("town", "in", "Didcot | Ashford", "in Didcot or Ashford"), is("dogs", "=", "true", "let dogs in"), is("area_m2", "top", "3", "three largest barns"))
	w.ask("top", "oldtractors.test", "The two most powerful tractors that do not run", "model power_kw", is("runs", "=", "false", "do not run"), is("power_kw", "top", "2", "two most powerful tractors"))

	w.best("best", "choirs.test", "Who conducts the largest choir that asks for an audition?", "conductor", is("auditions", "=", "true", "asks for an audition"), is("members", "top", "1", "the largest choir"))
	w.best("best", "playbarns.test", "Which town has the play barn with the smallest area?", "town", is("area_m2", "bottom", "1", "the smallest area"))
	w.best("best", "manastiri.test", "Care mănăstire fără cazare se află la cea mai mare altitudine?", "manastire altitudine_m", is("cazare", "=", "false", "fără cazare"), is("altitudine_m", "top", "1", "cea mai mare altitudine"))
	w.best("best", "sifriyot.test", "לאיזו ספרייה נגישה יש הכי הרבה ספרים?", "sifriya sfarim", is("nagish", "=", "true", "ספרייה נגישה"), is("sfarim", "top", "1", "הכי הרבה ספרים"))
	w.best("best", "drones.test", "What is the newest drone that is not waterproof?", "drone released", is("waterproof", "=", "false", "not waterproof"), is("released", "top", "1", "the newest drone"))
	w.which("best", "sawmills.test", "Which of %s and %s has the larger wheel?", "sawmill wheel_m", 3, 20, is("wheel_m", "top", "1", "the larger wheel"))
	w.which("best", "oldtractors.test", "Of %s and %s, which one is older?", "model year", 2, 25, is("year", "bottom", "1", "which one is older"))
	w.count("count", "jheelen.test", "कितनी झीलों में नौकायन की सुविधा है?", is("naukayan", "=", "true", "नौकायन की सुविधा है"))
	w.count("count", "lotledger.test", "How many lots were offered in Antwerp in 2022 or later?", is("room", "=", "Antwerp", "in Antwerp"), is("sale", ">=", "2022", "in 2022 or later"))
	w.count("count", "playbarns.test", "How many barns let children in for nothing?", is("entry", "=", "0", "for nothing"))
	w.count("count", "icestations.test", "How many stations have a mean temperature above freezing?", is("mean_c", ">", "0", "above freezing"))
	w.compare("comparison", "playbarns.test", "%s versus %s: entry, ages, dogs", "barn entry min_age dogs", 8, 23)
	w.compare("comparison", "colles.test", "En què es diferencien %s i %s: membres, pressupost i fundació?", "colla membres pressupost fundada", 2, 17)
	w.compare("comparison", "drones.test", "Range, payload and price of %s next to those of %s", "drone range_km payload_g day_rate", 1, 14)

	first, second := w.site("choirs.test").things[9], w.site("choirs.test").things[26]
	w.hop("hops", "choirs.test", "conductors.test", fmt.Sprintf("In which town does the conductor of the %s live?", first.name), "home", "conductor", first)
	w.hop("hops", "choirs.test", "conductors.test", fmt.Sprintf("Where did the person who conducts the %s train?", second.name), "academy", "conductor", second)
	w.hopTwice("hops", []string{"choirs.test", "conductors.test", "academies.test"}, []string{"conductor", "academy"}, fmt.Sprintf("When did the school open at which the conductor of the %s trained?", first.name), "opened", first)
	w.rowHop("hops", "choirs.test", "conductors.test", "Choirs with 100 members or more, and the home town of each conductor", "choir members conductor", "home", "conductor", is("members", ">=", "100", "100 members or more"))
}

// which adds a question that one of two things by name answers.
func (w *Web) which(class, host, format, fields string, a, b int, by condition) {
	s := w.site(host)
	x, y := s.things[a], s.things[b]
	prompt := fmt.Sprintf(format, x.name, y.name)
	named := is(s.columns[0].name, "in", x.name+" | "+y.name, prompt[strings.Index(prompt, x.name):strings.Index(prompt, y.name)+len(y.name)])
	before := len(w.Tasks)
	w.best(class, host, prompt, fields, named, by)
	if len(w.Tasks) > before {
		w.plans[prompt].subjects = []*thing{x, y}
	}
}

// hopTwice adds a question about what a field of a thing names, whose own field names what
// is asked about.
func (w *Web) hopTwice(class string, hosts, by []string, prompt, wanted string, t *thing) {
	s, middle, last := w.site(hosts[0]), w.site(hosts[1]), w.site(hosts[2])
	columns := last.some(wanted)
	to := last.named(middle.named(t, by[0]), by[1])
	p := &plan{site: s, shape: protocol.ShapeOne, fields: []string{wanted}, subjects: []*thing{t}}
	for i, o := range []*site{middle, last} {
		about := o.column(append(slices.Clone(by), wanted)[i+1]).about
		p.hops = append(p.hops, journal.Hop{Field: by[i], Question: about, Fills: []string{}})
	}
	w.keep(class, prompt, p, schema(columns), agenttest.Truth{Rows: []map[string]any{to.row(columns)}}, s.entry(), middle.entry(), last.entry())
}

// restate returns columns with the labels that a view has for them.
func (b *writer) restate(columns []*column) []*column {
	if b.view == "" {
		return columns
	}
	var out []*column
	for _, c := range columns {
		if label := c.alias[b.view]; label != "" {
			other := *c
			other.label = label
			c = &other
		}
		out = append(out, c)
	}
	return out
}

// state writes a list as the state of a script, and nothing that can be read without it.
func (b *writer) state(s *site, columns []*column, all []*thing) {
	var items []map[string]any
	for i, t := range all {
		item := map[string]any{"id": 9100 + i, "thumbnail": fmt.Sprintf("/img/%s.webp", opaque(s.host, i)), camel(s.columns[0].name): t.name}
		for _, c := range columns {
			if v, ok := t.cells[c.name]; ok {
				item[camel(c.name)] = v.truth
			}
		}
		items = append(items, item)
	}
	state, err := json.Marshal(map[string]any{"props": map[string]any{"pageProps": map[string]any{s.member: items}}, "page": "/", "buildId": "k2f9"})
	if err != nil {
		return
	}
	fmt.Fprintf(b, `<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">%s</script>`, state)
}

// camel writes a name with underscores as scripts do.
func camel(name string) string {
	parts := strings.Split(name, "_")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
	}
	return strings.Join(parts, "")
}

// tell writes a paragraph of sentences about each thing, without labels.
func (b *writer) tell(s *site, columns []*column, all []*thing) {
	for _, t := range all {
		text := fmt.Sprintf(s.story, b.name(s, t))
		for _, c := range columns {
			text = strings.Replace(text, "{"+c.name+"}", b.cell(t, c, ""), 1)
		}
		fmt.Fprintf(b, "<p>%s</p>\n", text)
	}
}

// elsewhere links hosts and ports that look like the site, and makes their pages, which
// say other things.
func (w *Web) elsewhere(s *site, b *writer) {
	for _, host := range s.likes {
		fmt.Fprintf(b, `<p><a rel=next href="https://%s/?start=%d">Mirror: %s</a></p>`, host, s.per, s.next())
		var list strings.Builder
		for _, t := range s.things {
			fmt.Fprintf(&list, "<dt>%s</dt><dd>Estimate: US$7k</dd><dd>Bids: 77</dd>", html.EscapeString(t.name))
		}
		w.html[fmt.Sprintf("%s/?start=%d", host, s.per)] = fmt.Sprintf("<!DOCTYPE html><title>%s</title><h1>%s</h1><dl>%s</dl>", s.title, s.title, list.String())
	}
}

// archived makes the page of an old copy of a list: with other numbers, and with two
// things that are gone.
func (w *Web) archived(s *site, rng *rand.Rand) {
	if s.archive == "" {
		return
	}
	p := &page{url: "https://" + s.host + "/old/" + strconv.Itoa(len(s.archive)), title: s.title + ", " + s.archive, stale: true}
	b := &writer{page: p}
	fmt.Fprintf(b, "<h1>%s</h1>\n<p>This %s is kept for reference. It is out of date and is not corrected any more.</p>\n", html.EscapeString(p.title), s.archive)
	var old []*thing
	for i := range s.n + 2 {
		t := &thing{site: s, index: i, name: s.names(rng, i), cells: map[string]cell{}}
		if i >= s.n {
			t.name = fmt.Sprintf("Former %s %d", s.noun, i)
			w.things[strings.ToLower(t.name)] = t
		}
		for k := range s.columns {
			c := &s.columns[k]
			truth, text := any(t.name), t.name
			if c.make != nil {
				truth, text = c.make(rng, i)
			}
			t.cells[c.name] = cell{truth: truth, text: text}
		}
		old = append(old, t)
	}
	b.things(s, s.list, old)
	w.add(s, p, "", b.String())
}
