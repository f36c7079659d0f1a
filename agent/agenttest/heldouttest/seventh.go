// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// The seventh set has what none of the others has. The list was written before the sites:
//
//  1. Norwegian, Hungarian, Greek, Russian and Arabic pages and questions, Arabic digits
//  2. tables with a head of two rows, a row of totals, and a row that is an advertisement
//  3. a factor that only the heading above a table states, beside a column of counts that
//     it does not apply to
//  4. cards that state their properties in a different order each
//  5. cells that say that a value is not known ("n/a", "ukjent"), also of booleans
//  6. marks of footnotes behind values
//  7. two views of the same things, each with other properties
//  8. details that also state the values of their neighbours, and details that do not exist
//  9. next pages behind a sign, without a word
//  10. a list that claims more things than it has
//  11. numbered lists, durations, dates with weekdays and with ordinals
//  12. negations that contain what they negate ("not open", "не действует")
//  13. "exactly", "no more than", "in the 1990s", "either", "apart from"

// arabic writes the digits and separators of a number as Arabic pages do.
func arabic(s string) string {
	return strings.NewReplacer("0", "٠", "1", "١", "2", "٢", "3", "٣", "4", "٤", "5", "٥", "6", "٦", "7", "٧", "8", "٨", "9", "٩", ".", "٫", ",", "٬").Replace(s)
}

// inArabic prints what another maker makes with Arabic digits.
func inArabic(m maker) maker {
	return func(rng *rand.Rand, i int) (any, string) {
		truth, text := m(rng, i)
		return truth, arabic(text)
	}
}

// weekday makes dates with the day of the week.
func weekday(from, to int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		t := time.Date(from+rng.IntN(to-from), time.Month(1+rng.IntN(12)), 1+rng.IntN(28), 0, 0, 0, 0, time.UTC)
		return t.Format(time.DateOnly), t.Format("Mon 2 Jan 2006")
	}
}

// ordinal makes dates with an ordinal number of the day.
func ordinal(from, to int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		t := time.Date(from+rng.IntN(to-from), time.Month(1+rng.IntN(12)), 1+rng.IntN(28), 0, 0, 0, 0, time.UTC)
		suffix := map[int]string{1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd"}[t.Day()]
		if suffix == "" {
			suffix = "th"
		}
		return t.Format(time.DateOnly), fmt.Sprintf("the %d%s of %s", t.Day(), suffix, t.Format("January 2006"))
	}
}

// clocked makes minutes, which are printed as hours with a colon.
func clocked(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		return float64(n), fmt.Sprintf("%d:%02d h", n/60, n%60)
	}
}

// thousands makes whole amounts of which the text names the factor.
func thousands(least, most int, format string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		return float64(n) * 1000, fmt.Sprintf(format, n)
	}
}

// seventhSites are the sites of the seventh set.
func seventhSites() []*site {
	carvers := []string{"Anselm Reed", "Bettina Kroll", "Corwin Lathe", "Dagny Holt", "Edmund Pine", "Flora Gouge", "Gregor Spall", "Hanne Burr", "Ivor Chisel"}
	return []*site{
		{
			host: "cablecars.test", lang: "en", title: "Cable cars of the range", noun: "cable car", member: "cablecars", n: 34, per: 12, onward: "»",
			names: pairs("Arven Blauberg Cima Drei Eggen Firn Gamsgrat", "Bahn Lift Express Gondola Tram", "%s %s"),
			list:  "totals", paging: "more",
			columns: []column{
				{name: "cablecar", kind: "string", label: "Line"},
				{name: "length_m", kind: "integer", about: "length in metres", label: "Length", make: whole(640, 4900, ",", "%s m"), note: "[a]"},
				{name: "cabins", kind: "integer", about: "number of cabins", label: "Cabins", make: few("%d", 2, 4, 8, 16, 24)},
				{name: "opened", kind: "date", about: "date of opening", label: "Opened", make: day(1965, 2015, "en", "A D, Y")},
				{name: "night", kind: "boolean", about: "runs at night", label: "At night", make: flag(0.5, "runs", "does not run")},
			},
		},
		{
			host: "tunneler.test", lang: "no", title: "Tunneler i fylket", noun: "tunnel", member: "tunneler", n: 30,
			names: pairs("Bjørne Dal Elve Furu Grå Hval", "fjelltunnelen nestunnelen viktunnelen åstunnelen bergtunnelen", "%s%s"),
			list:  "shuffled",
			columns: []column{
				{name: "tunnel", kind: "string", label: "Tunnel"},
				{name: "lengde_m", kind: "integer", about: "lengde i meter", label: "Lengde", make: stretch(120, 9800)},
				{name: "aapnet", kind: "date", about: "dato for åpning", label: "Åpnet", make: day(1970, 2018, "no", "D. N Y")},
				{name: "kostnad", kind: "integer", about: "byggekostnad i kroner", label: "Kostnad", make: either(scaled(20, 900, 1e6, ",", "%s mill. kr"), scaled(1, 6, 1e9, ",", "%s mrd. kr"))},
				{name: "bom", kind: "boolean", about: "har bompenger", label: "Bompenger", make: flag(0.5, "ja", "nei"), missing: 0.12, blank: "ukjent"},
			},
		},
		{
			host: "termal.test", lang: "hu", title: "Termálfürdők jegyzéke", noun: "fürdő", member: "furdok", n: 28, per: 14,
			names: pairs("Akác Bükk Csillag Dália Erdő Forrás Gyöngy", "fürdő liget telep kert", "%s%s"),
			list:  "boxes", paging: "more",
			columns: []column{
				{name: "furdo", kind: "string", label: "Fürdő"},
				{name: "hofok", kind: "number", about: "a víz hőfoka Celsius-fokban", label: "Hőfok", make: decimal(26, 58, ",", "%s °C")},
				{name: "jegy", kind: "integer", about: "belépőjegy ára forintban", label: "Belépő", make: whole(1200, 9800, " ", "%s Ft")},
				{name: "vendeg", kind: "integer", about: "vendégek száma évente", label: "Vendégek évente", make: thousands(12, 480, "%d ezer fő")},
				{name: "nyitas", kind: "date", about: "a megnyitás napja", label: "Megnyitás", make: day(1930, 2015, "hu", "Y. N D.")},
				{name: "fedett", kind: "boolean", about: "van fedett medencéje", label: "Fedett medence", make: flag(0.5, "van", "nincs")},
			},
		},
		{
			host: "faroi.test", lang: "el", title: "Κατάλογος φάρων", noun: "φάρος", member: "lights", n: 26,
			names: pairs("Άσπρος Βαθύς Γαλάζιος Δυτικός Ερημικός", "Κάβος Μώλος Βράχος Όρμος Κόλπος Λόφος", "%s %s"),
			list:  "paragraphs",
			columns: []column{
				{name: "faros", kind: "string", about: "όνομα του φάρου", label: "Φάρος"},
				{name: "ypsos", kind: "number", about: "ύψος σε μέτρα", label: "Ύψος", make: decimal(6, 48, ",", "%s μ.")},
				{name: "emveleia", kind: "integer", about: "εμβέλεια σε μίλια", label: "Εμβέλεια", make: few("%d μίλια", 8, 12, 17, 21, 25)},
				{name: "episkeptes", kind: "integer", about: "επισκέπτες τον χρόνο", label: "Επισκέπτες", make: whole(1100, 48000, ".", "%s")},
				{name: "anamma", kind: "date", about: "ημερομηνία πρώτης λειτουργίας", label: "Πρώτη λειτουργία", make: day(1850, 1935, "el", "D N Y")},
				{name: "anoichto", kind: "boolean", about: "είναι ανοιχτός στο κοινό", label: "Ανοιχτός", make: flag(0.5, "ναι", "όχι")},
			},
		},
		{
			host: "plotiny.test", lang: "ru", title: "Плотины области", noun: "плотина", member: "dams", n: 30,
			names: pairs("Берёзовая Верхняя Горная Дальняя Еловая Заречная", "запруда плотина гать дамба перемычка", "%s %s"),
			list:  "table",
			columns: []column{
				{name: "plotina", kind: "string", label: "Плотина"},
				{name: "vysota", kind: "number", about: "высота в метрах", label: "Высота", make: decimal(8, 120, ",", "%s м")},
				{name: "stoimost", kind: "integer", about: "стоимость в рублях", label: "Стоимость", make: either(scaled(40, 950, 1e6, ",", "%s млн руб."), scaled(1, 9, 1e9, ",", "%s млрд руб."))},
				{name: "obyom", kind: "integer", about: "объём в тысячах кубометров", label: "Объём, тыс. м³", make: whole(1100, 98000, "\u00a0", "%s")},
				{name: "pusk", kind: "date", about: "дата пуска", label: "Пуск", make: day(1948, 2010, "ru", "D N Y г.")},
				{name: "rabotaet", kind: "boolean", about: "действует", label: "Состояние", make: flag(0.5, "действует", "не действует")},
			},
		},
		{
			host: "foundations.test", lang: "en", title: "Charitable foundations", noun: "foundation", member: "foundations", n: 32, caption: "Accounts for 2024 (in thousands of euros)",
			names: pairs("Aldous Benning Carrow Delphine Ettrick Farraday Galloway Hythe", "Trust Fund Foundation Bequest", "%s %s"),
			list:  "headed",
			columns: []column{
				{name: "foundation", kind: "string", label: "Foundation"},
				{name: "income_eur", kind: "integer", about: "income of the year in euros", label: "Income", make: scaledPlain(120, 990, 1e3)},
				{name: "grants_eur", kind: "integer", about: "grants of the year in euros", label: "Grants paid", make: scaledPlain(12, 480, 1e3)},
				{name: "staff", kind: "integer", about: "number of employees", label: "Staff", make: whole(3, 240, ",", "%s")},
				{name: "town", kind: "string", about: "town", label: "Seat", make: one("Leuven", "Graz", "Tartu")},
				{name: "open", kind: "boolean", about: "accepts applications", label: "Applications", make: flag(0.5, "accepted", "not accepted")},
			},
		},
		{
			host: "observatories.test", lang: "en", title: "Observatories to visit", noun: "observatory", member: "observatories", n: 42,
			names: pairs("Aldebaran Bellatrix Capella Deneb Electra Fomalhaut Gienah", "Dome Hill House Park Peak Tower", "%s %s"),
			list:  "table", detail: "neighbours", path: func(i int, _ *thing) string { return fmt.Sprintf("/visit/o%d.html", 60+i*2) }, dead: 14,
			columns: []column{
				{name: "observatory", kind: "string", label: "Observatory"},
				{name: "country", kind: "string", about: "country", label: "Country", on: "list", make: one("Chile", "Spain", "Namibia", "Japan")},
				{name: "altitude_m", kind: "integer", about: "altitude in metres", label: "Altitude", on: "detail", make: whole(210, 4200, ",", "%s m")},
				{name: "mirror_cm", kind: "integer", about: "diameter of the mirror in centimetres", label: "Mirror", on: "detail", make: whole(30, 320, ",", "%s cm"), missing: 0.1, blank: "n/a"},
				{name: "first_light", kind: "date", about: "date of first light", label: "First light", on: "detail", make: weekday(1950, 2019)},
				{name: "public", kind: "boolean", about: "is open to the public", label: "Public", on: "detail", make: flag(0.5, "open", "not open"), missing: 0.1, blank: "not known"},
			},
		},
		{
			host: "clockhouse.test", lang: "en", title: "The clock house", noun: "clock", member: "clocks", n: 33,
			names: pairs("Bracket Carriage Lantern Longcase Mantel Regulator Skeleton", "One Two Three Four Five", "%s %s"),
			list:  "table", paging: "views", views: []string{"Movements", "Cases"},
			columns: []column{
				{name: "clock", kind: "string", label: "Clock"},
				{name: "days", kind: "integer", about: "days that it runs when wound", label: "Runs for", on: "Movements", make: few("%d days", 1, 8, 14, 31)},
				{name: "strikes", kind: "boolean", about: "strikes the hours", label: "Strike", on: "Movements", make: flag(0.5, "striking", "silent")},
				{name: "height_cm", kind: "number", about: "height in centimetres", label: "Height", on: "Cases", make: decimal(18, 240, ".", "%s cm")},
				{name: "wood", kind: "string", about: "wood of the case", label: "Wood", on: "Cases", make: one("oak", "walnut", "mahogany", "pine")},
			},
		},
		{
			host: "puppets.test", lang: "en", title: "Puppets on show", noun: "puppet", member: "puppets", n: 30, per: 15, onward: "→",
			names: pairs("Baron Captain Doctor King Miller Old", "Ambler Bodkin Crumb Dottle Ember", "%s %s"),
			list:  "boxes", paging: "more",
			columns: []column{
				{name: "puppet", kind: "string", label: "Puppet"},
				{name: "height_cm", kind: "integer", about: "height in centimetres", label: "Height", make: whole(24, 130, ",", "%s cm")},
				{name: "carver", kind: "string", about: "who carved it", label: "Carved by", make: turn(carvers...)},
				{name: "made", kind: "integer", about: "year when it was made", label: "Made", make: year(1890, 1990)},
			},
		},
		{
			host: "carvers.test", lang: "en", title: "Who carved what", noun: "carver", member: "carvers", n: len(carvers), per: 5, onward: "»",
			names: fixed(carvers...),
			list:  "table", paging: "more", detail: "terms", path: func(i int, _ *thing) string { return fmt.Sprintf("/p/%d/", 12+i*5) },
			columns: []column{
				{name: "name", kind: "string", label: "Carver"},
				{name: "birthplace", kind: "string", about: "birthplace of the carver", label: "Born in", on: "detail", make: turn("Oldcastle", "Prestbury", "Quarndon", "Ryhope", "Seaham", "Tarporley", "Ulverston", "Wetherby", "Yarm")},
				{name: "born", kind: "integer", about: "year of birth of the carver", label: "Year of birth", on: "detail", make: id2(1861, 7)},
			},
		},
		{
			host: "springs.test", lang: "en", title: "Holy springs", noun: "spring", member: "springs", n: 24, claim: "The register has %d springs.", short: 3,
			names: pairs("Bride Chad Dunstan Edith Frideswide Guthlac", "Well Spring Pool Fount", "Saint %s's %s"),
			list:  "ranked",
			columns: []column{
				{name: "spring", kind: "string", label: "Spring"},
				{name: "flow", kind: "integer", about: "flow in litres a minute", label: "Flow", make: whole(3, 90, ",", "%s litres a minute")},
				{name: "blessed", kind: "date", about: "date of the blessing", label: "Blessed on", make: ordinal(1890, 1990)},
				{name: "dry_summer", kind: "boolean", about: "dries up in summer", label: "In summer", make: flag(0.5, "dries up", "keeps flowing")},
			},
		},
		{
			host: "aflaj.test", lang: "ar", title: "سجل الأفلاج", noun: "فلج", member: "aflaj", n: 25,
			names: func(_ *rand.Rand, i int) string {
				return []string{"فلج النخيل", "فلج الرمان", "فلج الصفا", "فلج الوادي", "فلج القمر"}[i%5] + " " + []string{"الكبير", "الصغير", "القديم", "الجديد", "الشرقي"}[i/5%5]
			},
			list: "table",
			columns: []column{
				{name: "name", kind: "string", about: "الاسم", label: "الفلج"},
				{name: "length_m", kind: "integer", about: "الطول بالمتر", label: "الطول", make: inArabic(whole(1100, 9800, ",", "%s متر"))},
				{name: "depth_m", kind: "number", about: "العمق بالمتر", label: "العمق", make: inArabic(decimal(3, 40, ".", "%s متر"))},
				{name: "restored", kind: "date", about: "تاريخ الترميم", label: "تاريخ الترميم", make: inArabic(day(1980, 2020, "ar", "D N Y"))},
				{name: "flows", kind: "boolean", about: "هل يجري الماء فيه", label: "جارٍ", make: flag(0.5, "نعم", "لا")},
			},
		},
		{
			host: "steamtrips.test", lang: "en", title: "Trips behind steam", noun: "trip", member: "trips", n: 32,
			names: pairs("Bluebell Coastal Dales Estuary Fenland Gorge Highland Islander", "Flyer Rambler Limited Mail", "%s %s"),
			list:  "ranked", detail: "paragraphs", path: func(_ int, t *thing) string { return "/trips/" + squashed(t.name) },
			columns: []column{
				{name: "trip", kind: "string", label: "Trip"},
				{name: "fare", kind: "number", about: "fare in pounds", label: "Fare", on: "list", make: decimal(9, 120, ".", "£%s0")},
				{name: "minutes", kind: "integer", about: "duration in minutes", label: "Takes", on: "detail", make: clocked(25, 290)},
				{name: "next_run", kind: "date", about: "date of the next run", label: "Next run", on: "detail", make: weekday(2026, 2028)},
				{name: "stops", kind: "integer", about: "number of stops", label: "Stops", on: "detail", make: whole(1, 14, ",", "%s")},
				{name: "dining", kind: "boolean", about: "has a dining car", label: "Dining car", on: "detail", make: flag(0.5, "included", "not on this train")},
			},
		},
	}
}

// seventhTasks are the questions about the seventh sites.
func (w *Web) seventhTasks() {
	w.ask("gather", "cablecars.test", "All cable cars: length, cabins, opening, night service.", "cablecar length_m cabins opened night")
	w.ask("gather", "tunneler.test", "Alle tunneler med lengde, åpning, kostnad og bompenger.", "tunnel lengde_m aapnet kostnad bom")
	w.ask("gather", "termal.test", "Minden fürdő: hőfok, belépő, vendégek, megnyitás, fedett medence.", "furdo hofok jegy vendeg nyitas fedett")
	w.ask("gather", "faroi.test", "Όλοι οι φάροι με ύψος, εμβέλεια, επισκέπτες, πρώτη λειτουργία και πρόσβαση.", "faros ypsos emveleia episkeptes anamma anoichto")
	w.ask("gather", "plotiny.test", "Все плотины: высота, стоимость, объём, пуск, действует ли.", "plotina vysota stoimost obyom pusk rabotaet")
	w.ask("gather", "foundations.test", "Every foundation with its income, grants, staff, seat and whether one can apply.", "foundation income_eur grants_eur staff town open")
	w.ask("gather", "observatories.test", "List the observatories: country, altitude, mirror, first light, public or not.", "observatory country altitude_m mirror_cm first_light public")
	w.ask("gather", "clockhouse.test", "Each clock in the house with days, strike, height and wood.", "clock days strikes height_cm wood")
	w.ask("gather", "springs.test", "All holy springs with flow, blessing and what they do in summer.", "spring flow blessed dry_summer")
	w.ask("gather", "aflaj.test", "كل الأفلاج مع الطول والعمق وتاريخ الترميم وهل تجري.", "name length_m depth_m restored flows")
	w.ask("gather", "steamtrips.test", "Every steam trip: fare, minutes, next run, stops, dining car.", "trip fare minutes next_run stops dining")

	w.ask("conditions", "cablecars.test", "Cable cars of no more than 2.5 km that do not run at night", "cablecar length_m", is("length_m", "<=", "2.5", "no more than 2.5 km").in("km").means("2500"), is("night", "=", "false", "do not run at night"))
	w.ask("conditions", "cablecars.test", "Lines with exactly 8 cabins that opened in the 1980s or later", "cablecar cabins opened", is("cabins", "=", "8", "exactly 8 cabins"), is("opened", ">=", "1980", "opened in the 1980s or later"))
	w.ask("conditions", "tunneler.test", "Tunneler over 2 km uten bompenger", "tunnel lengde_m", is("lengde_m", ">", "2", "over 2 km").in("km").means("2000"), is("bom", "=", "false", "uten bompenger"))
	w.ask("conditions", "tunneler.test", "Hvilke tunneler kostet minst 500 mill. kr og åpnet før 1. juli 2000?", "tunnel kostnad aapnet", is("kostnad", ">=", "500000000", "minst 500 mill. kr").in("kr"), is("aapnet", "<", "2000-07-01", "åpnet før 1. juli 2000"))
	w.ask("conditions", "termal.test", "Fürdők fedett medence nélkül, legfeljebb 5 000 Ft-os belépővel", "furdo jegy", is("fedett", "=", "false", "fedett medence nélkül"), is("jegy", "<=", "5000", "legfeljebb 5 000 Ft").in("Ft"))
	w.ask("conditions", "termal.test", "Melyik fürdőben van legalább 40 °C-os víz és több mint 100 ezer vendég?", "furdo hofok vendeg", is("hofok", ">=", "40", "legalább 40 °C").in("°C"), is("vendeg", ">", "100000", "több mint 100 ezer vendég"))
	w.ask("conditions", "faroi.test", "Φάροι που άναψαν πριν από το 1900 και δεν είναι ανοιχτοί", "faros anamma", is("anamma", "<", "1900", "πριν από το 1900"), is("anoichto", "=", "false", "δεν είναι ανοιχτοί"))
	w.ask("conditions", "faroi.test", "Φάροι ψηλότεροι από 20,5 μέτρα με τουλάχιστον 10.000 επισκέπτες", "faros ypsos episkeptes", is("ypsos", ">", "20.5", "ψηλότεροι από 20,5 μέτρα").in("μέτρα"), is("episkeptes", ">=", "10000", "τουλάχιστον 10.000 επισκέπτες"))
	w.ask("conditions", "plotiny.test", "Недействующие плотины выше 40 метров", "plotina vysota", is("rabotaet", "=", "false", "Недействующие"), is("vysota", ">", "40", "выше 40 метров").in("метров"))
	w.ask("conditions", "plotiny.test", "Плотины дороже 1 млрд рублей, пущенные с 1960 по 1985 год", "plotina stoimost pusk", is("stoimost", ">", "1000000000", "дороже 1 млрд рублей").in("рублей"), is("pusk", ">=", "1960", "с 1960 по 1985 год"), is("pusk", "<=", "1985", "с 1960 по 1985 год"))
	w.ask("conditions", "foundations.test", "Foundations apart from those in Graz with an income of more than €500,000", "foundation income_eur town", is("town", "!=", "Graz", "apart from those in Graz"), is("income_eur", ">", "500000", "an income of more than €500,000").in("€"))
	w.ask("conditions", "foundations.test", "Which foundations with fewer than 100 staff accept no applications?", "foundation staff", is("staff", "<", "100", "fewer than 100 staff"), is("open", "=", "false", "accept no applications"))
	w.ask("conditions", "observatories.test", "Observatories above 2,000 m that are not open to the public", "observatory altitude_m", is("altitude_m", ">", "2000", "above 2,000 m").in("m"), is("public", "=", "false", "not open to the public"))
	w.ask("conditions", "observatories.test", "Either Chilean or Namibian observatories with a mirror of at least 1 m", "observatory country mirror_cm", is("country", "in", "Chile | Namibia", "Either Chilean or Namibian"), is("mirror_cm", ">=", "1", "at least 1 m").in("m").means("100"))
	w.ask("conditions", "observatories.test", "Public observatories with first light in the 1990s", "observatory first_light", is("public", "=", "true", "Public observatories"), is("first_light", ">=", "1990", "in the 1990s"), is("first_light", "<", "2000", "in the 1990s"))
	w.ask("conditions", "clockhouse.test", "Silent clocks in walnut or oak", "clock wood", is("strikes", "=", "false", "Silent clocks"), is("wood", "in", "walnut | oak", "in walnut or oak"))
	w.ask("conditions", "clockhouse.test", "Clocks lower than 1 m that run for more than a week", "clock days height_cm", is("height_cm", "<", "1", "lower than 1 m").in("m").means("100"), is("days", ">", "7", "more than a week"))
	w.ask("conditions", "springs.test", "Springs that never dry up and were blessed before 1950", "spring blessed", is("dry_summer", "=", "false", "never dry up"), is("blessed", "<", "1950", "blessed before 1950"))
	w.ask("conditions", "aflaj.test", "الأفلاج التي لا تجري ويزيد طولها على ٣٠٠٠ متر", "name length_m", is("flows", "=", "false", "لا تجري"), is("length_m", ">", "3000", "يزيد طولها على ٣٠٠٠ متر"))
	w.ask("conditions", "aflaj.test", "الأفلاج التي رممت بعد عام ٢٠٠٠", "name restored", is("restored", ">", "2000", "بعد عام ٢٠٠٠"))
	w.ask("conditions", "steamtrips.test", "Trips of up to two hours without a dining car for less than £60", "trip minutes fare", is("minutes", "<=", "2", "up to two hours").in("hours").means("120"), is("dining", "=", "false", "without a dining car"), is("fare", "<", "60", "less than £60").in("£"))
	w.ask("conditions", "steamtrips.test", "Trips with 5 to 9 stops whose next run is after 30 June 2027", "trip stops next_run", is("stops", ">=", "5", "5 to 9 stops"), is("stops", "<=", "9", "5 to 9 stops"), is("next_run", ">", "2027-06-30", "after 30 June 2027"))

	w.ask("top", "cablecars.test", "The four longest cable cars", "cablecar length_m", is("length_m", "top", "4", "four longest"))
	w.ask("top", "plotiny.test", "Три самые дорогие действующие плотины", "plotina stoimost", is("rabotaet", "=", "true", "действующие"), is("stoimost", "top", "3", "Три самые дорогие"))
	w.ask("top", "foundations.test", "The three foundations in Tartu that paid the most grants", "foundation grants_eur", is("town", "=", "Tartu", "in Tartu"), is("grants_eur", "top", "3", "paid the most grants"))
	w.ask("top", "observatories.test", "The five highest observatories that anybody may visit", "observatory altitude_m", is("public", "=", "true", "anybody may visit"), is("altitude_m", "top", "5", "five highest"))
	w.ask("top", "termal.test", "A három legmelegebb fürdő", "furdo hofok", is("hofok", "top", "3", "három legmelegebb"))

	w.best("best", "tunneler.test", "Hvilken tunnel med bompenger er kortest?", "tunnel lengde_m", is("bom", "=", "true", "med bompenger"), is("lengde_m", "bottom", "1", "kortest"))
	w.best("best", "clockhouse.test", "Which striking clock is the tallest?", "clock height_cm", is("strikes", "=", "true", "striking clock"), is("height_cm", "top", "1", "the tallest"))
	w.best("best", "steamtrips.test", "What is the shortest trip with a dining car?", "trip minutes", is("dining", "=", "true", "with a dining car"), is("minutes", "bottom", "1", "the shortest trip"))
	w.best("best", "faroi.test", "Ποιος φάρος είναι ο παλαιότερος;", "faros anamma", is("anamma", "bottom", "1", "ο παλαιότερος"))
	w.best("best", "aflaj.test", "ما أعمق فلج يجري فيه الماء؟", "name depth_m", is("flows", "=", "true", "يجري فيه الماء"), is("depth_m", "top", "1", "أعمق"))
	w.count("count", "clockhouse.test", "How many oak clocks strike the hours?", is("wood", "=", "oak", "oak clocks"), is("strikes", "=", "true", "strike the hours"))
	w.count("count", "plotiny.test", "Сколько плотин не действует?", is("rabotaet", "=", "false", "не действует"))
	w.count("count", "cablecars.test", "How many lines have 16 cabins or more?", is("cabins", ">=", "16", "16 cabins or more"))
	w.compare("comparison", "observatories.test", "What sets %s and %s apart: altitude, first light, country?", "observatory altitude_m first_light country", 3, 17)
	w.compare("comparison", "steamtrips.test", "%s or %s: minutes, stops and fare of each", "trip minutes stops fare", 5, 20)
	w.compare("comparison", "foundations.test", "%s and %s side by side, income and staff", "foundation income_eur staff", 4, 11)

	first, second := w.site("puppets.test").things[4], w.site("puppets.test").things[24]
	w.hop("hops", "puppets.test", "carvers.test", fmt.Sprintf("Where was the person who carved %s born?", first.name), "birthplace", "carver", first)
	w.hop("hops", "puppets.test", "carvers.test", fmt.Sprintf("In what year was the carver of %s born?", second.name), "born", "carver", second)
	w.rowHop("hops", "puppets.test", "carvers.test", "Puppets taller than 1 m, and the birthplace of each one's carver", "puppet height_cm carver", "birthplace", "carver", is("height_cm", ">", "1", "taller than 1 m").in("m").means("100"))
}
