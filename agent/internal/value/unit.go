// SPDX-License-Identifier: Apache-2.0

package value

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unit is a unit of measurement. The zero Unit means that there is none.
type Unit struct {
	quantity string
	factor   float64 // of the quantity's own unit
	zero     float64 // in that unit; not zero for the degrees of Fahrenheit
}

// units contains the words and signs of units in normal text.
var units, names = unitsOf(`
mass 0.001 mg milligram milligrams milligramm milligrammes
mass 1 g gr gram grams gramm gramme grammes grammi grammo gramas gramos гр γρ גרם ग्राम غرام グラム 克 公克
mass 1000 kg kgs kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes chilogrammi chilo chili quilo quilos quilogramas kilogramos kilogramů kilogramów kilogrammaa kilogramme kiló кг кило κιλά κιλό ק"ג किग्रा किलो كغ كجم キロ 公斤 千克
mass 1e6 t tonne tonnes tonnen toneladas tonnellate ton т тон тона тонове tona tony tone tonai tấn τόνοι τόνους טון टन طن ตัน
mass 453.59237 lb lbs
mass 28.349523125 oz ounce ounces
length 0.001 mm мм millimetre millimetres millimeter millimetern millimeters millimetri milímetros ミリ 毫米 公釐
length 0.01 cm см centimetre centimetres centimeter centimeters zentimeter centimètres centimetri centímetros センチ 厘米 公分
length 1 m м метр metrů metry metrów metrach metru metra μ metre metres metern mét मी מטר מטרים متر ม เมตร meter meters mètre mètres metri metro metros メートル 米 公尺
length 1000 km км χλμ kms ק"מ किमी كم กม kilometre kilometres kilometer kilometern kilometers kilomètre kilomètres chilometri chilometro quilómetro quilómetros quilômetro quilômetros kilómetros 公里
length 10000 skandmil
length 1609.344 mi mile miles meilen
length 0.3048 ft feet foot fuß fuss
length 0.9144 yd yds yard yards
length 0.0254 inch inches zoll pollici polegadas
time 1 s sec secs сек seconds sekunden secondes secondi segundos seconden sek 秒
time 60 min хв мин phút perc дакика dakika dk דקות minutter minuter minút минут минути mins minute minutes minuten minuti minuto minutos minuut 分 分鐘 分钟 分間
time 3600 h ч godz giờ óra saat שעות שעה घंटे घंटा ساعة ساعات ชั่วโมง hr hrs hour hours stunde stunden std heure heures ora ore hora horas uur uren timmar timer 時間 小时 小時
time 86400 day days tag tage tagen jour jours giorno giorni día días dia dias dag dagen 日間 天 night nights nacht nächte nächten nuit nuits noche noches notte notti noite noites nachten
time 604800 week weeks woche wochen semaine semaines settimana settimane semana semanas weken 週間
calendar 1 month months mos monat monate monaten mois mese mesi mes meses mês maand maanden måned måneder månad månader kuukausi kuukautta miesiąc miesiące miesięcy měsíc měsíce měsíců mesiac mesiace mesiacov hónap месяц месяца месяцев місяць місяці місяців bulan ヶ月 か月 カ月 个月 個月 개월 μήνες mesecev mjeseca mjeseci
calendar 12 year years yr yrs jahr jahre jahren ans année années anno anni año años ano anos jaar år vuosi vuotta rok roky roků rokov lata lat év yıl год года лет рік роки років tahun 年間 χρόνια έτη godina godine
volume 0.001 ml millilitre millilitres milliliter milliliters
volume 0.01 cl centilitre centilitres
volume 1 l litre litres liter liters litri litros
area 1 m² м² sqm qm quadratmeter quadratmetern kvadratmeter kvadratmetri négyzetméter neliömetriä 平方米 平米
area 1e4 ha га हेक्टेयर hectare hectares hektar hectáreas hectarea ettari hectaren 公頃 公顷
area 1e6 km² км² quadratkilometer quadratkilometern kvadratkilometer
area 4046.8564224 acre acres
data 1e3 kb kilobyte kilobytes
data 1e6 mb megabyte megabytes
data 1e9 gb gigabyte gigabytes
data 1e12 tb terabyte terabytes
power 1 w watt watts вт
power 1000 kw квт kilowatt kilowatts
power 1e6 mw мвт megawatt megawatts
power 745.7 hp bhp horsepower
power 735.49875 ps
temperature 1 celsius °c
temperature 0.55555555555555556@-17.777777777777778 fahrenheit °f`)

// unitsOf makes the table of units by word, and that of their first words.
func unitsOf(table string) (all map[string]Unit, first map[Unit]string) {
	all, first = map[string]Unit{}, map[Unit]string{}
	for _, line := range linesOf(table) {
		text, offset, _ := strings.Cut(line[1], "@")
		factor, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic(err)
		}
		u := Unit{line[0], factor, 0}
		if offset != "" {
			u.zero, _ = strconv.ParseFloat(offset, 64)
		}
		for _, word := range line[2:] {
			all[squares(Normal(word))] = u
			if first[u] == "" {
				first[u] = word
			}
		}
	}
	return all, first
}

// unitStems are the beginnings of words for units that have endings, behind the word in the
// table. The longer ones come first.
var unitStems = linesOf(`
kg килограмм
kg кілограм
kg килограм
kg kilogram
kg kilogramm
kg χιλιόγραμμ
kg किलोग्राम
g грамм
g грамів
g γραμμάρι
t тонн
t tonni
t τόν
km километр
km кілометр
km километър
km kilometr
km kilométer
km χιλιόμετρ
km किलोमीटर
cm сантиметр
cm centimetr
mm миллиметр
mm міліметр
m метра
m метры
m метри
m метров
m метрів
m метър
m méter
m μέτρ
m मीटर
m² kvadrātmetr
m² kvadratmetr
ha гектар
ha hektar
ha hektár
min минут
min хвилин
min minut
min λεπτ
min мінут
h часов
h часа
h годин
h godzin
h hodin
h ώρ
l литр
l літр
l λίτρ
l litr`)

// maxUnitEnding is how many letters may follow the stem of a unit.
const maxUnitEnding = 4

// unitOf returns the unit that a word of normal text names.
func unitOf(word string) (Unit, bool) {
	if u, ok := units[word]; ok {
		return u, true
	}
	for _, s := range unitStems {
		if word == "" || word[0] != s[1][0] {
			continue
		}
		if rest, ok := strings.CutPrefix(word, s[1]); ok && utf8.RuneCountInString(rest) <= maxUnitEnding {
			return units[s[0]], true
		}
	}
	return Unit{}, false
}

// inUnit matches the part of a description that says in which unit a number is: after
// in, or in parentheses.
var inUnit = regexp.MustCompile(`(?:(?:^|\P{L})(?:in|en|em|i|à|w|v|ve|в|у|σε|în|bằng)\s+|[(（])([\p{L}\p{M}]+[²]?)`)

// perUnit are the words and signs before a unit that a price or a rate refers to.
var perUnit = wordSet("per pro je par por al a an each / every the one")

// calendarNames are the names of fields for a month or a year of the calendar. Fields for
// durations have a plural: "age_months", "in years".
var calendarNames = wordSet("month monat mois mese mes mês maand måned månad hónap bulan year jahr année anno año ano jaar år rok év yıl год рік tahun kuukausi vuosi miesiąc měsíc mesiac месяц місяць godina година")

// leastUnitWord is the number of letters that a word must have to name the unit of a
// field by itself, in the middle of its description.
const leastUnitWord = 4

// UnitOf returns the unit in which a field wants its numbers, by its name or its
// description, such as weight_g or "length in kilometres". If they name no unit, or
// different ones, it returns the zero Unit.
func UnitOf(name, description string) Unit {
	if u := degreeIn(squares(snake(name)) + " " + Normal(description)); u != (Unit{}) {
		return u
	}
	u := unitNamed(name, description)
	if u.quantity != units["m"].quantity || !powers.MatchString(Normal(description)) {
		return u
	}
	if text := Normal(description); !cubic.MatchString(text) { // square metres
		return map[Unit]Unit{units["m"]: units["m²"], units["km"]: units["km²"]}[u]
	}
	return Unit{}
}

// degreeIn returns the only unit of temperature whose sign or name a text has.
func degreeIn(text string) Unit {
	named := func(word string) bool {
		return strings.Contains(text, word) || strings.Contains(text, "°"+word[:1]) || strings.Contains(text, "° "+word[:1]+" ")
	}
	switch c, f := named("celsius"), named("fahrenheit"); {
	case c == f:
		return Unit{}
	case c:
		return units["celsius"]
	}
	return units["fahrenheit"]
}

// degrees matches what stands behind a temperature: "°C", "degrees Fahrenheit".
var degrees = regexp.MustCompile(`^(?:[°º]|deg(?:rees?)?|grad[eiou]?[rns]?|degrés?|stopni) ?(celsius|fahrenheit|[cf])(?:$|[^\p{L}])`)

// powers matches the words that make an area or a volume of a length, and cubic those that make
// a volume.
var (
	powers = regexp.MustCompile(`(?:^|\P{L})(?:square|sq|quadrat|cuadrad|quadrad|carré|kvadr[aā]t|квадрат|vierkant|kwadrat|čtver|štvor|négyzet|neliö|τετραγων|مربع|वर्ग|cubi|cúbic|cube|kubi|куби|sześcienn)`)
	cubic  = regexp.MustCompile(`(?:^|\P{L})(?:cubi|cúbic|cube|kubi|куби|sześcienn)`)
)

// unitNamed is UnitOf for units without a power.
func unitNamed(name, description string) Unit {
	words := strings.FieldsFunc(squares(snake(name)), func(r rune) bool { return !unicode.IsLetter(r) && r != '²' })
	if n := len(words); n > 0 && !pays(Words(Normal(description))) {
		last := words[n-1]
		if u, ok := units[last]; ok && !calendarNames[last] && (n > 1 && last != "min" || utf8.RuneCountInString(last) >= leastUnitWord && last != "foot") {
			return u
		}
	}
	text := squares(Normal(description))
	for _, m := range inUnit.FindAllStringSubmatch(text, -1) {
		if u, ok := unitOf(m[1]); ok && !calendarNames[m[1]] {
			return u
		}
	}
	if OfMoney(Words(snake(name) + " " + text)) { // "price of a kilo" is in a currency
		return Unit{}
	}
	var found Unit
	before, rate := "", Unit{} // the first word, if it is a unit: "ore di lavoro alla settimana" are hours
	for i, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '/' }) {
		u, ok := unitOf(word)
		if ok && i == 0 {
			rate = u
		}
		if ok && (u.quantity != calendar || !calendarNames[word]) && utf8.RuneCountInString(word) >= leastUnitWord && !perUnit[before] {
			switch {
			case rate.quantity == u.quantity:
				found = rate
			case found != (Unit{}) && found != u:
				return Unit{}
			default:
				found = u
			}
		}
		before = word
	}
	return found
}

// pays reports whether a description says that a field is a price in a currency: the unit in its name is what
// is paid for, such as an hour.
func pays(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return priced[w] }) && slices.ContainsFunc(words, func(w string) bool { return currencies[w] })
}

// UnitWord returns the unit that a text is the word of, such as "kg", or the zero Unit.
func UnitWord(text string) Unit {
	u, _ := unitOf(strings.Trim(squares(Normal(text)), " ."))
	return u
}

// Measure is a number with a unit in a text.
type Measure struct {
	Value float64   // in the wanted unit
	Plain []float64 // the numbers as they are printed; more than one for 1 h 25 min
}

// Measures returns the measures in a normal text whose unit is of the same quantity as u.
// Their values are in u. Amounts of money, and quantities that a price refers to, are
// none.
func Measures(s string, u Unit, m Marks) []Measure {
	var out []Measure
	var last Unit // of the previous number
	end := 0      // of the previous number with its unit
	if u.quantity == units["min"].quantity {
		s = spoken(s)
	}
	for _, n := range Numerals(s) {
		of, after := n.unit(s)
		if of.quantity != u.quantity {
			if short, end := n.short(s, u); end > 0 {
				of, after = short, end
			}
		}
		millions := of == units["m"] && n.Scale == 1e6 && !n.IsLength(s) // 3.4m users
		if of.quantity != u.quantity || u.quantity == "" || n.paid(s, after) || n.refers(s) || millions {
			last = Unit{}
			continue
		}
		plain := n
		if n.IsLength(s) || of == units["m"] || after == n.after { // m is no million
			plain.Scale, plain.more = 1, 0
		}
		v, _ := plain.Value(m, false)
		if math.IsNaN(v) {
			last = Unit{}
			continue
		}
		minutes := 0.0
		if rest := clocked(s[after:]); rest != "" && of == units["h"] && s[after-1] < utf8.RuneSelf { // after other letters, the digits are a number of their own
			minutes, _ = strconv.ParseFloat(rest, 64)
			after += len(rest)
		}
		value, _ := of.In(v, u)
		value = Rounded(value + minutes*units["min"].factor/u.factor)
		if k := len(out) - 1; k >= 0 && last.factor > of.factor && last.zero == of.zero && end <= n.at && joins(s[end:n.at]) {
			out[k].Value = Rounded(out[k].Value + value)
			out[k].Plain = append(out[k].Plain, v)
		} else if k >= 0 && last.factor != of.factor && end <= n.at && again.MatchString(s[end:n.at]) && math.Abs(value-out[k].Value) <= coarse*math.Abs(value) {
			if of.factor == u.factor { // it is printed as the field wants it
				out[k].Value = value
			}
			out[k].Plain = append(out[k].Plain, v)
		} else {
			out = append(out, Measure{value, []float64{v}})
		}
		last, end = of, after
	}
	return out
}

// shorts contains words for units that mean other things too, or that are abbreviated to a
// letter or a sign. They count where a measure of their quantity is wanted: 1 t 20 min is a time
// and 3 in a length, but 3 in stock is none.
var shorts = func() map[string]Unit {
	all := map[string]Unit{}
	for _, line := range linesOf(`
h t tim time timen timer tima u jam hod val st sa klst ure ura uri sat sata sati tund tundi tuntia tunti orë oră hores
min m menit mín minit dak
s sek seg sn
day d j g dni dagar dager dage dnů päivää nap gün дней дня дни дні days`) {
		for _, word := range line[1:] {
			all["time "+Normal(word)] = units[line[0]]
		}
	}
	all["length in"], all[`length "`], all["length '"] = units["inch"], units["inch"], units["ft"]
	return all
}()

// short returns the unit after n in s that shorts has for a quantity, and where it ends.
func (n Numeral) short(s string, u Unit) (of Unit, end int) {
	rest := strings.TrimLeft(s[n.End:], " ")
	word := firstWord(rest)
	if word == "" && rest != "" && len(rest) == len(s[n.End:]) {
		word = rest[:1]
	}
	of, ok := shorts[u.quantity+" "+word]
	if !ok || strings.HasPrefix(rest[len(word):], "/") || strings.HasPrefix(rest[len(word):], "²") {
		return Unit{}, 0
	}
	return of, len(s) - len(rest) + len(word)
}

// HalfKnown reports whether a normal text is a measure of two parts, of which the first one has
// a word that is not known as a unit of time: "1 lig 20 min". Its second part would be a wrong
// measure by itself.
func HalfKnown(s string) bool {
	m := twoParts.FindStringSubmatch(s)
	if m == nil || units[m[2]] != units["min"] && units[m[2]] != units["s"] && !shorts["time "+m[2]].IsTime() {
		return false
	}
	word, known := unitOf(m[1])
	return (!known || !word.IsTime()) && !shorts["time "+m[1]].IsTime()
}

// twoParts matches two whole numbers, each with a word behind it.
var twoParts = regexp.MustCompile(`^[0-9]{1,3} ?(\p{L}[\p{L}\p{M}]*)\.? ?[0-9]{1,2} ?(\p{L}[\p{L}\p{M}]*)\.?$`)

// paid reports whether a number whose unit ends at after is an amount of money. The unit may
// itself be the name of a currency: ft.
func (n Numeral) paid(s string, after int) bool {
	if !currencies[strings.Trim(s[n.End:after], " .")] {
		return n.IsMoney(s)
	}
	return n.paidBefore(s)
}

// again matches the text between a measure and the same one in another unit: "300 ft (91 m)".
var again = regexp.MustCompile(`^\.? ?(?:\( ?|/ ?|= ?|≈ ?|~ ?)(?:ca\.? |about |approx\.? |~|≈)?$`)

// coarse is how much the two may differ, because they are rounded.
const coarse = 0.1

// Rounded removes the error of a conversion.
func Rounded(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err != nil {
		return v
	}
	return out
}

// unit returns the unit after n in s, and where it ends.
func (n Numeral) unit(s string) (of Unit, end int) {
	for _, from := range []int{n.End, n.after} {
		rest := strings.TrimLeft(strings.TrimPrefix(s[from:], "+"), " ") // 50+ kW
		if rest != "" && strings.IndexByte("\xc2dgs", rest[0]) >= 0 {    // most texts have no degrees
			if m := degrees.FindStringSubmatchIndex(rest); m != nil {
				return degreeIn("°" + rest[m[2]:m[3]]), len(s) - len(rest) + m[3]
			}
		}
		word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || r == '²' }))]
		switch power := powerAfter(rest[len(word):]); {
		case strings.HasPrefix(rest[len(word):], "/") || power != "" && power != "2": // km/h, m³
			return Unit{}, 0
		case power == "2":
			u := units[word+"²"]
			return u, len(s) - len(rest) + len(word) + 1
		}
		if quoted := abbreviated(rest, word); quoted != "" { // ק"מ
			return units[quoted], len(s) - len(rest) + len(quoted)
		}
		if u, ok := unitOf(word); ok {
			if u.quantity == calendar && len(n.digits) == 4 && DigitsOnly(n.digits) { // the number of a year: 2015 год
				return Unit{}, 0
			}
			return u, len(s) - len(rest) + len(word)
		}
		if r, _ := utf8.DecodeRuneInString(word); Unspaced(r) { // no space follows the unit
			for end := len(word); end > 0; {
				if u, ok := units[word[:end]]; ok {
					return u, len(s) - len(rest) + end
				}
				_, size := utf8.DecodeLastRuneInString(word[:end])
				end -= size
			}
		}
	}
	return Unit{}, 0
}

// abbreviated returns the unit at the start of rest that has a quote before its last letter, as
// Hebrew writes abbreviations. word is the letters before the quote.
func abbreviated(rest, word string) string {
	tail, ok := strings.CutPrefix(rest[len(word):], `"`)
	if !ok || word == "" {
		return ""
	}
	if whole := word + `"` + firstWord(tail); units[whole] != (Unit{}) {
		return whole
	}
	return ""
}

// powerAfter returns the digit after the word of a unit, which is a power: m2 is m² in
// normal text.
func powerAfter(rest string) string {
	if digits := leading(rest); len(digits) == 1 {
		return digits
	}
	return ""
}

// squared matches the units of areas as normal text and names write them.
var squared = regexp.MustCompile(`(^|[^\p{L}])(k?m)2($|[^0-9\p{L}])`)

// squares returns s with the sign of a square for the digit in m2 and km2.
func squares(s string) string {
	if !strings.Contains(s, "m2") {
		return s
	}
	return squared.ReplaceAllString(s, "${1}${2}²${3}")
}

// refers reports whether a price or a rate refers to n, as in "per 500 g". Where a line has
// several slashes between spaces, they separate its values.
func (n Numeral) refers(s string) bool {
	before := strings.TrimRight(s[:n.at], " ")
	separates := strings.HasSuffix(s[:n.at], " / ") && strings.Count(s, " / ") > 1
	return strings.HasSuffix(before, "/") && !separates || slices.Contains([]string{"per", "pro", "je", "par", "por", "al"}, lastWord(before))
}

// clocked returns the two digits after the sign for hours in 1h25.
func clocked(rest string) string {
	if len(rest) >= 2 && DigitsOnly(rest[:2]) && (len(rest) == 2 || rest[2] < '0' || rest[2] > '9') {
		return rest[:2]
	}
	return ""
}

// colons matches a duration with colons. With two parts, the unit behind them says what
// the first one is.
var colons = regexp.MustCompile(`(^|[^0-9:])([0-9]{1,3}):([0-5][0-9])(?::([0-5][0-9])|(?: ?(\p{L}+)))`)

// hundredths matches a duration in minutes and seconds, or with hours, that has a fraction of
// a second: 1:51.22.
var hundredths = regexp.MustCompile(`(^|[^0-9:.])(?:([0-9]{1,2}):)?([0-9]{1,3}):([0-5][0-9][.,][0-9]{1,3})($|[^0-9:.,])`)

// spoken returns a normal text with units for the colons of durations: "2:35 h" is "2 h 35
// min", "4:10 min" is "4 min 10 s", and "1:02:03" is "1 h 2 min 3 s". A fraction follows
// seconds. Another time with two parts and without a unit stays as it is, because it may be
// either.
func spoken(s string) string {
	if !hasColon(s) {
		return s
	}
	s = hundredths.ReplaceAllStringFunc(s, func(text string) string {
		m := hundredths.FindStringSubmatch(text)
		hours := ""
		if m[2] != "" {
			hours = m[2] + " h "
		}
		return m[1] + hours + m[3] + " min " + m[4] + " s" + m[5]
	})
	return colons.ReplaceAllStringFunc(s, func(text string) string {
		m := colons.FindStringSubmatch(text)
		switch {
		case m[4] != "":
			return m[1] + m[2] + " h " + m[3] + " min " + m[4] + " s"
		case units[m[5]] == units["h"]:
			return m[1] + m[2] + " h " + m[3] + " min"
		case units[m[5]] == units["min"]:
			return m[1] + m[2] + " min " + m[3] + " s"
		}
		return text
	})
}

// Clocked reports whether a normal text has a duration or a time with colons, whose parts
// are no numbers of their own.
func Clocked(s string) bool { return hasColon(s) && pair.MatchString(s) }

// hasColon reports whether s has a colon between two digits, as all durations with colons
// have. Most texts have other colons only, and searching them for a pattern takes long.
func hasColon(s string) bool {
	for i := 1; i+1 < len(s); i++ {
		if s[i] == ':' && isDigit(s[i-1]) && isDigit(s[i+1]) {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// pair matches two numbers with a colon.
var pair = regexp.MustCompile(`(?:^|[^0-9:])[0-9]{1,3}:[0-5][0-9](?:$|[^0-9])`)

// Scored reports whether a normal text has two numbers with a colon that are no time, such as
// goals for and against: 63:71.
func Scored(s string) bool { return strings.Contains(s, ":") && score.MatchString(s) }

var score = regexp.MustCompile(`(?:^|[^0-9:.])[0-9]{1,3}:[6-9][0-9](?:$|[^0-9:])`)

// Durations returns the durations in u that a text with a time of two parts may mean: hours
// and minutes, or minutes and seconds.
func Durations(s string, u Unit) []float64 {
	var all []float64
	for _, m := range pairParts.FindAllStringSubmatch(s, 20) {
		a, _ := strconv.ParseFloat(m[1], 64)
		b, _ := strconv.ParseFloat(m[2], 64)
		all = append(all, Rounded((a*3600+b*60)/u.factor), Rounded((a*60+b)/u.factor))
	}
	return all
}

// pairParts matches the parts of a time.
var pairParts = regexp.MustCompile(`(?:^|[^0-9:])([0-9]{1,3}):([0-5][0-9])(?:$|[^0-9:])`)

// calendar is the quantity of months and years. Their length in days varies, so that they
// are not converted to units of time.
const calendar = "calendar"

// IsCalendar reports whether u is months or years.
func (u Unit) IsCalendar() bool { return u.quantity == calendar }

// Kindred reports whether u and v both measure durations, one of them in months or years and
// the other one in units of time, so that neither can be converted to the other.
func (u Unit) Kindred(v Unit) bool {
	return u.IsCalendar() && v.IsTime() || u.IsTime() && v.IsCalendar()
}

// IsTime reports whether u is a unit of time.
func (u Unit) IsTime() bool { return u.quantity == units["min"].quantity }

// joins reports whether the text between two measures makes them one.
func joins(between string) bool {
	switch strings.Trim(between, " .") {
	case "", ",", "and", "und", "et", "e", "y", "en", "と":
		return true
	}
	return false
}
