// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// The sixth set has other shapes of sites and of questions. The list was written before the sites:
//
//  1. Danish, Finnish, Czech, Korean and Indian forms of numbers, amounts and dates
//  2. captions of tables that state the units and factors of their columns
//  3. numbered lists of which one page in the middle fails; later pages are reached only by
//     their number, or by links from all pages
//  4. definition lists whose terms are the things, and cards without headings
//  5. keys and names that only details state
//  6. things that stand in two groups, with different case
//  7. many equal values in superlatives
//  8. two hops, of which the second leads through an index and its letters
//  9. "without", "none of", "not made by", "neither"
// 10. "at least", "at most", "between", "before", "after", "from ... to"
// 11. a superlative of dates, and one among the things that lack a property

// indian writes a whole number in groups of two digits before the last three.
func indian(n int) string {
	s := strconv.Itoa(n)
	if len(s) <= 3 {
		return s
	}
	head, tail := s[:len(s)-3], s[len(s)-3:]
	for i := len(head) - 2; i > 0; i -= 2 {
		head = head[:i] + "," + head[i:]
	}
	return head + "," + tail
}

// sixthSites are the sites of the sixth set.
func sixthSites() []*site {
	founders := []string{"Ambrose Tilling", "Barnaby and Daughters", "Cuthbert Vane", "Hedley Foundry", "Josiah Marl", "Norrington Works", "Prudence Oake", "Wilfred Sturt"}
	return []*site{
		{
			host: "signalboxes.test", lang: "en", title: "Signal boxes of the county", noun: "signal box", member: "boxes", n: 46, per: 8, gap: 3,
			names: pairs("Abbey Barrow Crossgate Dunmoor Eastfold Ferrypool Grange Hollin", "Junction North South East West Sidings", "%s %s"),
			list:  "boxes", paging: "numbered",
			columns: []column{
				{name: "box", kind: "string", label: "Box"},
				{name: "line", kind: "string", about: "railway line", label: "Line", make: one("Coast line", "Valley line", "Moor line")},
				{name: "levers", kind: "integer", about: "number of levers", label: "Levers", make: whole(8, 95, ",", "%s")},
				{name: "closed", kind: "date", about: "date of closing", label: "Closed on", make: day(1961, 1998, "en", "D N Y")},
				{name: "listed", kind: "boolean", about: "is a listed building", label: "Status", make: flag(0.5, "listed", "not listed")},
			},
		},
		{
			host: "faergeruter.test", lang: "da", title: "Færgeruter i farvandet", noun: "rute", member: "routes", n: 40, per: 10, gap: 2, pager: true,
			caption: "Afstand i kilometer, passagerer i tusind om året",
			names:   pairs("Anholt Bogø Drejø Endelave Fur Hjarnø Livø Mandø", "Havn Nord Syd Øst Vest", "%s %s"),
			list:    "captioned", paging: "numbered",
			columns: []column{
				{name: "rute", kind: "string", label: "Rute"},
				{name: "afstand_m", kind: "integer", about: "afstand i meter", label: "Afstand", make: scaled(2, 90, 1e3, ",", "%s")},
				{name: "passagerer", kind: "integer", about: "passagerer om året", label: "Passagerer", make: scaledPlain(3, 480, 1e3)},
				{name: "pris", kind: "integer", about: "pris for en bil i kroner", label: "Pris", make: whole(120, 1900, ".", "%s kr.")},
				{name: "vinter", kind: "boolean", about: "sejler om vinteren", label: "Vinterdrift", make: flag(0.5, "ja", "nej")},
			},
		},
		{
			host: "lintutornit.test", lang: "fi", title: "Lintutornien luettelo", noun: "lintutorni", member: "towers", n: 26,
			names: pairs("Haapa Kaisla Lahti Niitty Ranta Suo", "torni niemi lava kallio saari", "%s%s"),
			list:  "glossary",
			columns: []column{
				{name: "torni", kind: "string", label: "Torni"},
				{name: "korkeus", kind: "number", about: "korkeus metreinä", label: "Korkeus", make: decimal(4, 24, ",", "%s m")},
				{name: "kavijat", kind: "integer", about: "kävijöitä vuodessa", label: "Kävijöitä", make: whole(1200, 48000, "\u00a0", "%s")},
				{name: "avattu", kind: "date", about: "avauspäivä", label: "Avattu", make: day(1985, 2020, "fi", "D. N Y")},
				{name: "esteeton", kind: "boolean", about: "on esteetön", label: "Esteetön", make: flag(0.5, "kyllä", "ei")},
			},
		},
		{
			host: "rozhledny.test", lang: "cs", title: "Rozhledny a vyhlídky", noun: "rozhledna", member: "towers", n: 28,
			names: pairs("Borová Dubová Jasanová Lipová Smrková Vrbová", "hora skála stráň hůrka louka", "%s %s"),
			list:  "table", detail: "pairs", path: func(i int, _ *thing) string { return fmt.Sprintf("/vyhlidka/%d-x", 40+i*3) },
			columns: []column{
				{name: "rozhledna", kind: "string", label: "Rozhledna"},
				{name: "schody", kind: "integer", about: "počet schodů", label: "Schodů", on: "list", make: whole(40, 320, " ", "%s")},
				{name: "vstupne", kind: "number", about: "vstupné v korunách", label: "Vstupné", on: "list", make: decimal(20, 180, ",", "%s0 Kč")},
				{name: "otevreno", kind: "date", about: "datum otevření", label: "Otevřeno dne", on: "detail", make: day(1990, 2021, "cs", "D. N Y")},
				{name: "naklady", kind: "integer", about: "náklady na stavbu v korunách", label: "Náklady", on: "detail", make: scaled(1, 24, 1e6, ",", "%s mil. Kč")},
				{name: "celorocne", kind: "boolean", about: "otevřeno celoročně", label: "Celoročně", on: "detail", make: flag(0.5, "ano", "ne")},
			},
		},
		{
			host: "bells.test", lang: "en", title: "Great bells", noun: "bell", member: "bells", n: 30,
			names: pairs("Old New Deep Silver Iron Grey", "Margery Thomas Agnes Harold Beatrix", "%s %s"),
			list:  "table",
			columns: []column{
				{name: "bell", kind: "string", label: "Bell"},
				{name: "weight_kg", kind: "integer", about: "weight in kilograms", label: "Weight", make: whole(300, 9800, ",", "%s kg")},
				{name: "cast", kind: "date", about: "date of casting", label: "Cast on", make: day(1850, 1950, "en", "N D, Y")},
				{name: "founder", kind: "string", about: "founder who cast it", label: "Cast by", make: turn(founders...)},
				{name: "cracked", kind: "boolean", about: "is cracked", label: "Cracked", make: flag(0.4, "yes", "no")},
			},
		},
		{
			host: "bellfounders.test", lang: "en", title: "Lives of the bell founders", noun: "founder", member: "founders", n: len(founders),
			names: fixed(founders...),
			list:  "lines", paging: "letters", detail: "paragraphs", path: func(i int, t *thing) string { return "/life/" + opaque(t.site.host, i) },
			columns: []column{
				{name: "name", kind: "string", label: "Name"},
				{name: "town", kind: "string", about: "town of the foundry", label: "Foundry at", on: "detail", make: turn("Ashwater", "Brindle", "Coldhope", "Dinton", "Ewehurst", "Fallow", "Gristhorpe", "Holm")},
				{name: "apprentices", kind: "integer", about: "number of apprentices", label: "Apprentices", on: "detail", make: id2(4, 9)},
			},
		},
		{
			host: "loomroom.test", lang: "en", title: "The loom room", noun: "loom", member: "looms", n: 30,
			names: pairs("Tapestry Counterbalance Dobby Jack Rigid Table", "Alpha Birch Cedar Delta Elm", "%s %s"),
			list:  "tiles", detail: "paragraphs", anchor: "Open record", path: func(i int, _ *thing) string { return fmt.Sprintf("/record?no=%d", 900+i*11) },
			columns: []column{
				{name: "loom", kind: "string", label: "Loom"},
				{name: "hall", kind: "string", about: "hall where it stands", label: "Hall", make: one("north", "south", "loft")},
				{name: "serial", kind: "string", about: "serial number", label: "Serial", on: "detail", make: id(5100, 17, "LR/%d")},
				{name: "width_cm", kind: "integer", about: "weaving width in centimetres", label: "Weaving width", on: "detail", make: whole(60, 240, ",", "%s cm")},
				{name: "used", kind: "date", about: "date of the last use", label: "Last used", on: "detail", make: day(2015, 2024, "en", "Y-MM-DD")},
				{name: "works", kind: "boolean", about: "works", label: "Condition", on: "detail", make: flag(0.5, "in working order", "out of order")},
			},
		},
		{
			host: "hanok.test", lang: "ko", title: "한옥 숙소 안내", noun: "한옥", member: "houses", n: 27, per: 9,
			names: func(_ *rand.Rand, i int) string {
				return []string{"청송", "백암", "금강", "은하", "초록", "하늘"}[i%6] + []string{"재", "당", "루", "헌", "원"}[i/6%5]
			},
			list: "cards", paging: "more",
			columns: []column{
				{name: "name", kind: "string", about: "이름", label: "이름"},
				{name: "city", kind: "string", about: "도시", label: "도시", make: one("서울", "전주", "경주")},
				{name: "price", kind: "integer", about: "1박 요금(원)", label: "요금", make: either(manwon(6, 38), whole(50000, 380000, ",", "%s원"))},
				{name: "rooms", kind: "integer", about: "객실 수", label: "객실", make: whole(2, 18, ",", "%s개")},
				{name: "opened", kind: "date", about: "개업일", label: "개업일", make: day(1990, 2022, "ko", "Y년 N월 D일")},
				{name: "parking", kind: "boolean", about: "주차 가능 여부", label: "주차", make: flag(0.5, "가능", "불가")},
			},
		},
		{
			host: "stepwells.test", lang: "en", title: "Stepwells of the plains", noun: "stepwell", member: "stepwells", n: 28,
			names: pairs("Amba Chandra Ganga Hira Kamal Mota Surya", "Vav Baoli Kund Bawdi", "%s %s"),
			list:  "paragraphs",
			columns: []column{
				{name: "stepwell", kind: "string", label: "Stepwell"},
				{name: "state", kind: "string", about: "state", label: "State", make: one("Gujarat", "Rajasthan", "Haryana")},
				{name: "visitors", kind: "integer", about: "visitors in a year", label: "Visitors a year", make: lakhs(40_000, 900_000)},
				{name: "restoration", kind: "integer", about: "cost of the restoration in rupees", label: "Restored for", make: either(scaled(3, 95, 1e5, ".", "₹%s lakh"), scaled(1, 6, 1e7, ".", "₹%s crore"))},
				{name: "depth", kind: "integer", about: "depth in metres", label: "Depth", make: whole(9, 34, ",", "%s m")},
				{name: "open", kind: "boolean", about: "is open to visitors", label: "Access", make: flag(0.5, "open to visitors", "closed to visitors")},
			},
		},
		{
			host: "weirs.test", lang: "en", title: "Weirs and sluices", noun: "weir", member: "weirs", n: 36, by: "river", twice: true, loud: true,
			names: pairs("Amber Bramble Cuckoo Damson Eel Ferret", "Lock Mill Bridge Ford Gate Reach", "%s %s"),
			list:  "boxes", paging: "groups", detail: "terms", path: func(_ int, t *thing) string { return "/weir/" + squashed(t.name) },
			columns: []column{
				{name: "weir", kind: "string", label: "Weir"},
				{name: "river", kind: "string", about: "river", label: "River", make: one("Arrow", "Teme", "Lugg")},
				{name: "fall_m", kind: "integer", about: "fall in metres", label: "Fall", on: "list", make: few("%d m", 1, 2, 3, 4)},
				{name: "gates", kind: "integer", about: "number of gates", label: "Gates", on: "detail", make: few("%d", 2, 3, 5, 8, 13)},
				{name: "rebuilt", kind: "integer", about: "year of rebuilding", label: "Rebuilt in", on: "detail", make: year(1900, 2015), missing: 0.12},
				{name: "fish_pass", kind: "boolean", about: "has a fish pass", label: "Fish pass", on: "detail", make: flag(0.5, "present", "absent")},
			},
		},
	}
}

// manwon makes amounts in ten thousands of won.
func manwon(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		return float64(n * 10_000), fmt.Sprintf("%d만 원", n)
	}
}

// lakhs makes whole numbers in the groups of India.
func lakhs(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		return float64(n), indian(n)
	}
}

// id2 makes small numbers of which each differs from all others.
func id2(first, step int) maker {
	return func(_ *rand.Rand, i int) (any, string) {
		n := first + i*step
		return float64(n), strconv.Itoa(n)
	}
}

// sixthTasks are the questions about the sixth sites.
func (w *Web) sixthTasks() {
	w.ask("gather", "signalboxes.test", "Every signal box with its line, levers, closing date and whether it is listed.", "box line levers closed listed")
	w.ask("gather", "faergeruter.test", "Alle ruter med afstand, passagerer, pris og vinterdrift.", "rute afstand_m passagerer pris vinter")
	w.ask("gather", "lintutornit.test", "Kaikki lintutornit: korkeus, kävijät, avauspäivä ja esteettömyys.", "torni korkeus kavijat avattu esteeton")
	w.ask("gather", "rozhledny.test", "Všechny rozhledny: schody, vstupné, datum otevření, náklady, celoročně.", "rozhledna schody vstupne otevreno naklady celorocne")
	w.ask("gather", "loomroom.test", "All looms by serial number, with name, width, last use and condition.", "serial loom width_cm used works")
	w.ask("gather", "hanok.test", "모든 한옥의 도시, 요금, 객실, 개업일, 주차 여부.", "name city price rooms opened parking")
	w.ask("gather", "stepwells.test", "All stepwells: state, visitors, restoration cost, depth, and access.", "stepwell state visitors restoration depth open")
	w.ask("gather", "weirs.test", "List each weir once, with river, fall, gates, rebuilding and fish pass.", "weir river fall_m gates rebuilt fish_pass")

	w.ask("conditions", "signalboxes.test", "Boxes closed before 1 March 1975 that are not listed", "box closed", is("closed", "<", "1975-03-01", "closed before 1 March 1975"), is("listed", "=", "false", "not listed"))
	w.ask("conditions", "signalboxes.test", "Signal boxes with between 20 and 60 levers on neither the Coast line nor the Moor line", "box levers line", is("levers", ">=", "20", "between 20 and 60 levers"), is("levers", "<=", "60", "between 20 and 60 levers"), is("line", "!=", "Coast line", "neither the Coast line"), is("line", "!=", "Moor line", "nor the Moor line"))
	w.ask("conditions", "faergeruter.test", "Ruter på mindst 30 km med højst 200.000 passagerer om året", "rute afstand_m passagerer", is("afstand_m", ">=", "30", "mindst 30 km").in("km").means("30000"), is("passagerer", "<=", "200000", "højst 200.000 passagerer"))
	w.ask("conditions", "faergeruter.test", "Hvilke ruter sejler ikke om vinteren og koster under 1.000 kr.?", "rute pris", is("vinter", "=", "false", "sejler ikke om vinteren"), is("pris", "<", "1000", "under 1.000 kr.").in("kr."))
	w.ask("conditions", "lintutornit.test", "Esteettömät tornit, jotka avattiin 1.1.2000 jälkeen", "torni avattu", is("esteeton", "=", "true", "Esteettömät tornit"), is("avattu", ">", "2000-01-01", "avattiin 1.1.2000 jälkeen"))
	w.ask("conditions", "lintutornit.test", "Yli 10,5 metriä korkeat tornit, joissa käy alle 30 000 ihmistä", "torni korkeus kavijat", is("korkeus", ">", "10.5", "Yli 10,5 metriä korkeat").in("m"), is("kavijat", "<", "30000", "alle 30 000 ihmistä"))
	w.ask("conditions", "rozhledny.test", "Rozhledny se vstupným do 100 Kč otevřené celoročně", "rozhledna vstupne", is("vstupne", "<=", "100", "vstupným do 100 Kč").in("Kč"), is("celorocne", "=", "true", "otevřené celoročně"))
	w.ask("conditions", "rozhledny.test", "Které rozhledny stály nejméně 10 mil. Kč a byly otevřeny před rokem 2010?", "rozhledna naklady otevreno", is("naklady", ">=", "10000000", "nejméně 10 mil. Kč").in("Kč"), is("otevreno", "<", "2010", "před rokem 2010"))
	w.ask("conditions", "bells.test", "Bells not made by Cuthbert Vane or Hedley Foundry that weigh 4 tonnes or more", "bell weight_kg founder", is("founder", "!=", "Cuthbert Vane", "not made by Cuthbert Vane"), is("founder", "!=", "Hedley Foundry", "or Hedley Foundry"), is("weight_kg", ">=", "4", "4 tonnes or more").in("tonnes").means("4000"))
	w.ask("conditions", "bells.test", "Bells cast after June 1880 and before 1921 without a crack", "bell cast", is("cast", ">", "1880-06", "cast after June 1880"), is("cast", "<", "1921", "before 1921"), is("cracked", "=", "false", "without a crack"))
	w.ask("conditions", "loomroom.test", "Serial numbers of the looms that are out of order and at most 1.5 m wide", "serial width_cm", is("works", "=", "false", "out of order"), is("width_cm", "<=", "1.5", "at most 1.5 m wide").in("m").means("150"))
	w.ask("conditions", "loomroom.test", "Looms last used from 1 June 2017 to 31 May 2021", "serial loom used", is("used", ">=", "2017-06-01", "from 1 June 2017"), is("used", "<=", "2021-05-31", "to 31 May 2021"))
	w.ask("conditions", "hanok.test", "주차가 안 되고 1박 20만 원 이하인 한옥", "name price", is("parking", "=", "false", "주차가 안 되고"), is("price", "<=", "200000", "20만 원 이하").in("원"))
	w.ask("conditions", "hanok.test", "2005년 이후 개업한, 객실 5개 이상인 전주의 한옥", "name opened rooms", is("opened", ">=", "2005", "2005년 이후"), is("rooms", ">=", "5", "객실 5개 이상"), is("city", "=", "전주", "전주의"))
	w.ask("conditions", "stepwells.test", "Stepwells restored for more than 50 lakh rupees that visitors cannot enter", "stepwell restoration", is("restoration", ">", "5000000", "more than 50 lakh rupees").in("rupees"), is("open", "=", "false", "visitors cannot enter"))
	w.ask("conditions", "stepwells.test", "Wells outside Rajasthan with at least 2,00,000 visitors", "stepwell state visitors", is("state", "!=", "Rajasthan", "outside Rajasthan"), is("visitors", ">=", "200000", "at least 2,00,000 visitors"))
	w.ask("conditions", "weirs.test", "Weirs without a fish pass on the Teme", "weir river", is("fish_pass", "=", "false", "without a fish pass"), is("river", "=", "Teme", "on the Teme"))
	w.ask("conditions", "weirs.test", "Weirs rebuilt between 1930 and 1975 with 5 gates or more", "weir rebuilt gates", is("rebuilt", ">=", "1930", "between 1930 and 1975"), is("rebuilt", "<=", "1975", "between 1930 and 1975"), is("gates", ">=", "5", "5 gates or more"))

	w.ask("top", "weirs.test", "The three weirs with the most gates", "weir gates", is("gates", "top", "3", "three weirs with the most gates"))
	w.ask("top", "weirs.test", "The two weirs with the smallest fall that have no fish pass", "weir fall_m", is("fish_pass", "=", "false", "have no fish pass"), is("fall_m", "bottom", "2", "two weirs with the smallest fall"))
	w.ask("top", "bells.test", "The five most recently cast bells", "bell cast", is("cast", "top", "5", "five most recently cast"))
	w.ask("top", "faergeruter.test", "De fire længste ruter", "rute afstand_m", is("afstand_m", "top", "4", "fire længste ruter"))
	w.ask("top", "stepwells.test", "The three deepest wells in Gujarat", "stepwell depth", is("state", "=", "Gujarat", "in Gujarat"), is("depth", "top", "3", "three deepest wells"))

	w.best("best", "bells.test", "Which cracked bell is the heaviest?", "bell weight_kg", is("cracked", "=", "true", "cracked bell"), is("weight_kg", "top", "1", "the heaviest"))
	w.best("best", "loomroom.test", "Which loom in working order was used longest ago?", "serial loom used", is("works", "=", "true", "in working order"), is("used", "bottom", "1", "used longest ago"))
	w.best("best", "hanok.test", "경주에서 가장 싼 한옥은?", "name price", is("city", "=", "경주", "경주에서"), is("price", "bottom", "1", "가장 싼"))
	w.best("best", "rozhledny.test", "Která rozhledna, která není otevřená celoročně, byla nejdražší?", "rozhledna naklady", is("celorocne", "=", "false", "není otevřená celoročně"), is("naklady", "top", "1", "nejdražší"))
	w.count("count", "weirs.test", "How many weirs on the Lugg have a fish pass?", is("river", "=", "Lugg", "on the Lugg"), is("fish_pass", "=", "true", "have a fish pass"))
	w.count("count", "lintutornit.test", "Montako tornia ei ole esteettömiä?", is("esteeton", "=", "false", "ei ole esteettömiä"))
	w.compare("comparison", "bells.test", "How do %s and %s differ in weight and age, and who cast them?", "bell weight_kg cast founder", 4, 19)
	w.compare("comparison", "weirs.test", "Set %s against %s: fall, gates, fish pass", "weir fall_m gates fish_pass", 2, 6)

	bell, other := w.site("bells.test").things[11], w.site("bells.test").things[21]
	w.hop("hops", "bells.test", "bellfounders.test", fmt.Sprintf("In which town did the founder of %s work?", bell.name), "town", "founder", bell)
	w.hop("hops", "bells.test", "bellfounders.test", fmt.Sprintf("How many apprentices did the maker of %s have?", other.name), "apprentices", "founder", other)
	w.rowHop("hops", "bells.test", "bellfounders.test", "Bells of 6,000 kg or more, and the town where each was cast", "bell weight_kg founder", "town", "founder", is("weight_kg", ">=", "6000", "6,000 kg or more"))
}

// drop forgets the things of the page of a list that fails, and makes the page fail: with
// status 500, or, if all pages link it, with 404.
func (w *Web) drop(s *site) {
	if s.gap == 0 {
		return
	}
	path := fmt.Sprintf("%s/seite/%d/", s.host, s.gap)
	if s.pager {
		delete(w.html, path)
	} else {
		w.html[path] = ""
	}
	kept := s.things[: (s.gap-1)*s.per : (s.gap-1)*s.per]
	s.things = append(kept, s.things[min(s.gap*s.per, len(s.things)):]...)
}

// pagesOf writes links to all pages of a list, or only to the first, the last and the
// neighbours of page k.
func pagesOf(paths []string, k int, few bool) string {
	var b strings.Builder
	b.WriteString(`<ol class="pages">`)
	for i, path := range paths {
		if !few || i == 0 || i == len(paths)-1 || i >= k-1 && i <= k+1 {
			fmt.Fprintf(&b, `<li><a href="%s">%d</a></li>`, path, i+1)
		}
	}
	b.WriteString("</ol>")
	return b.String()
}
