// SPDX-License-Identifier: Apache-2.0

package value

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Order says whether a column writes the day or the month first.
type Order byte

// Values of Order.
const (
	OrderOpen  Order = iota // the column does not show it
	OrderDay                // the day first
	OrderMonth              // the month first
)

// OrderOf returns the order that is usual in the language of a page. For English it
// depends on the country.
func OrderOf(lang string) Order {
	lang = strings.ReplaceAll(strings.ToLower(lang), "_", "-")
	base, region, _ := strings.Cut(lang, "-")
	switch {
	case base == "" || lang == "en":
		return OrderOpen
	case base == "en" && (region == "us" || region == "ph"):
		return OrderMonth
	}
	return OrderDay
}

// months contains the names of months and their abbreviations, in the languages that
// most pages use.
var months = func() map[string]time.Month {
	all := map[string]time.Month{}
	for _, list := range []string{
		"january february march april may june july august september october november december",
		"jan feb mar apr may jun jul aug sep oct nov dec",
		"januar februar märz april mai juni juli august september oktober november dezember",
		"jän feb mrz apr mai jun jul aug sept okt nov dez",
		"janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		"janv févr mars avr mai juin juil août sept oct nov déc",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"ene feb mar abr may jun jul ago set oct nov dic",
		"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
		"gen feb mar apr mag giu lug ago set ott nov dic",
		"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
		"jan fev mar abr mai jun jul ago set out nov dez",
		"januari februari maart april mei juni juli augustus september oktober november december",
		"stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
		"января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
		"januari februari mars april maj juni juli augusti september oktober november december",
		"ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
		"januar februar marts april maj juni juli august september oktober november december",
		"januar februar mars april mai juni juli august september oktober november desember",
		"tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta",
		"ledna února března dubna května června července srpna září října listopadu prosince",
		"januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra",
		"január február március április május június július augusztus szeptember október november december",
		"ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
		"ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου",
		"січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
		"януари февруари март април май юни юли август септември октомври ноември декември",
		"januar februar mart april maj jun jul avgust septembar oktobar novembar decembar",
		"gener febrer març abril maig juny juliol agost setembre octubre novembre desembre",
		"januari februari maret april mei juni juli agustus september oktober november desember",
		"янв фев мар апр мая июн июл авг сен окт ноя дек",
		"sty lut mar kwi maj cze lip sie wrz paź lis gru",
		"siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
		"siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenog prosinca",
		"يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
		"जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
		"जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितम्बर अक्तूबर नवम्बर दिसम्बर",
		"জানুয়ারি ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর",
		"มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม",
		"ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر",
		"januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra",
		"јануар фебруар март април мај јун јул август септембар октобар новембар децембар",
		"јануари февруари март април мај јуни јули август септември октомври ноември декември",
		"студзеня лютага сакавіка красавіка мая чэрвеня ліпеня жніўня верасня кастрычніка лістапада снежня",
		"sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio",
		"janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris novembris decembris",
		"janvārī februārī martā aprīlī maijā jūnijā jūlijā augustā septembrī oktobrī novembrī decembrī",
		"jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember",
		"janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember",
		"xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro",
		"januari februari mac april mei jun julai ogos september oktober november disember",
		"yanvar fevral mart aprel may iyun iyul avqust sentyabr oktyabr noyabr dekabr",
		"janar shkurt mars prill maj qershor korrik gusht shtator tetor nëntor dhjetor",
		"enero pebrero marso abril mayo hunyo hulyo agosto setyembre oktubre nobyembre disyembre",
		"ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר",
	} {
		for i, name := range strings.Fields(list) {
			if name = Normal(name); all[name] == 0 {
				all[name] = time.Month(i + 1)
			}
		}
	}
	return all
}()

// listopada is October in Croatian and November in Polish. Croatian writes a full stop
// after the number of the day, and Polish does not. In any other form its month is unknown.
const listopada = "listopada"

// Day is a date in a text.
type Day struct {
	year, a, b int  // a and b are in the order of the text if open is set
	open       bool // the text does not show which of a and b is the month
}

// Dates returns the dates in a normal text, at most 50. If only the end of a period has a year,
// its first day is in the same year, or in the year before.
func Dates(s string) []Day {
	tokens := dateTokens(s)
	var all []Day
	end := 0 // of the previous date
	for i := 0; i < len(tokens) && len(all) < 50; i++ {
		d, n := dateAt(tokens[i:])
		if n == 0 {
			if first, last, n := monthSpan(tokens[i:]); n > 0 {
				all = append(all, first, last)
				end = i + n
				i += n - 1
			}
			continue
		}
		if first, ok := begins(tokens, end, i, d); ok {
			all = append(all, first)
		}
		all = append(all, d)
		end = i + n
		i += n - 1
	}
	return all
}

// dateTokens splits s into numbers, words and marks, and drops spaces.
func dateTokens(s string) []string {
	kind := func(r rune) int {
		switch {
		case r >= '0' && r <= '9':
			return 1
		case unicode.Is(unicode.Thai, r), (unicode.IsLetter(r) || unicode.IsMark(r)) && !Unspaced(r) && !unicode.Is(unicode.Hangul, r):
			return 2
		}
		return 0
	}
	var all []string
	for i := 0; i < len(s) && len(all) < 4000; {
		r, n := utf8.DecodeRuneInString(s[i:])
		first := kind(r)
		j := i + n
		for first != 0 && j < len(s) {
			r, n := utf8.DecodeRuneInString(s[j:])
			if kind(r) != first {
				break
			}
			j += n
		}
		if t := strings.TrimSpace(s[i:j]); t != "" {
			all = append(all, t)
		}
		i = j
	}
	return all
}

// tokens are the tokens of a text that is searched for dates. A position after the end
// has an empty token.
type tokens []string

func (t tokens) at(i int) string {
	if i < len(t) {
		return t[i]
	}
	return ""
}

// number returns the number at position i, or -1 if it is not a number or has more than
// the given number of digits.
func (t tokens) number(i, digits int) int {
	s := t.at(i)
	if len(s) == 0 || len(s) > digits || s[0] < '0' || s[0] > '9' {
		return -1
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// year returns the year of four digits at position i, or -1 if there is none.
func (t tokens) year(i int) int {
	n := t.number(i, 4)
	switch {
	case len(t.at(i)) != 4 || n < 1000:
		return -1
	case n >= buddhist+1900 && n < buddhist+2200: // Buddhist calendar: 2567 is 2024
		return n - buddhist
	}
	return n
}

// buddhist is the difference between the years of the Thai calendar and ours.
const buddhist = 543

// shortYear returns a year of four or two digits, or -1 if there is none. Two digits
// from 70 to 99 mean the twentieth century. (The bound of strptime in POSIX is 69.)
func (t tokens) shortYear(i int) int {
	switch n := t.number(i, 2); {
	case n < 0 || len(t.at(i)) != 2:
		return t.year(i)
	case n < 70:
		return 2000 + n
	default:
		return 1900 + n
	}
}

// skip returns the first position from i on whose token is not one of words.
func (t tokens) skip(i int, words ...string) int {
	for i < len(t) && slices.Contains(words, t[i]) {
		i++
	}
	return i
}

// dateAt reads a date at the start of t. It returns the date and the number of its
// tokens, which is zero if there is none.
func dateAt(t tokens) (Day, int) {
	switch {
	case t.year(0) > 0:
		return t.yearFirst()
	case len(t.at(0)) == 8 && DigitsOnly(t[0]): // 20240303
		return valid(Day{year: t.part(0, 4), a: t.part(4, 6), b: t.part(6, 8)}, 1)
	case eras[t.at(0)+t.at(1)] > 0:
		return t.eraFirst()
	case t.number(0, 2) > 0:
		if d, n := t.dayFirst(); n > 0 {
			return d, n
		}
		return t.numeric()
	case month(t.at(0)) > 0:
		return t.monthFirst()
	}
	return Day{}, 0
}

// part returns the number in the digits from a to b of a compact date. If they are a
// year, it must be in the last or this century.
func (t tokens) part(a, b int) int {
	n, err := strconv.Atoi(t[0][a:b])
	if err != nil || a == 0 && (n < 1900 || n > 2100) {
		return 0
	}
	return n
}

// eras maps the Japanese eras, and that of the Republic of China, to the year before their first.
var eras = map[string]int{"民國": 1911, "民国": 1911, "令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867}

// eraFirst reads 令和6年3月3日, and the form in which 元 stands for the first year.
func (t tokens) eraFirst() (Day, int) {
	n := t.number(2, 3)
	if t.at(2) == "元" {
		n = 1
	}
	if n < 1 || t.at(3) != "年" || t.at(5) != "月" {
		return Day{}, 0
	}
	return valid(Day{year: eras[t.at(0)+t.at(1)] + n, a: t.number(4, 2), b: t.number(6, 2)}, 7)
}

// yearFirst reads 2024-03-03, 2024/3/3, 2024.3.3, 2024年3月3日, 2024년 3월 3일, 2024. március
// 3., 2024 m. kovo 3 d. and 2024-Mar-03. It does not accept years of the Persian calendar, such as
// 1403/01/15.
func (t tokens) yearFirst() (Day, int) {
	if i := t.skip(1, ".", "gada", "жылғы"); i > 1 && t.at(i-1) != "." && t.number(i, 2) > 0 { // 2024. gada 3. marts
		if j := t.skip(i+1, "."); month(t.at(j)) > 0 {
			return valid(Day{year: t.year(0), a: int(month(t.at(j))), b: t.number(i, 2)}, j+1)
		}
	}
	if i := t.skip(1, ".", "-", ",", "/", "m"); month(t.at(i)) > 0 && t.at(i) != listopada {
		if j := t.skip(i+1, ".", "-", "/"); t.number(j, 2) > 0 && t.year(t.skip(j+1, ",")) < 0 {
			return valid(Day{year: t.year(0), a: int(month(t.at(i))), b: t.number(j, 2)}, j+1)
		}
	}
	if y := t.year(0); y >= 1300 && y < 1500 {
		return Day{}, 0
	}
	if slices.Contains([]string{"-", "/", ".", "年", "년"}, t.at(1)) && t.number(2, 2) > 0 && slices.Contains([]string{"-", "/", ".", "月", "월"}, t.at(3)) && t.number(4, 2) > 0 {
		return valid(Day{year: t.year(0), a: t.number(2, 2), b: t.number(4, 2)}, 5)
	}
	return Day{}, 0
}

// dayFirst reads 3 March 2024, 3rd of March 2024, 3. März 2024, 3 de marzo de
// 2024.
func (t tokens) dayFirst() (Day, int) {
	i := t.skip(1, ".", "st", "nd", "rd", "th", "º", "ª", "er", "of", "de", "d", "'", "-", "/", "tháng")
	m := month(t.at(i))
	if i > 1 && t.at(i-1) == "tháng" {
		m = time.Month(max(t.number(i, 2), 0)) // in Vietnamese, months have numbers instead of names
	}
	j := t.skip(i+1, ".", ",", "de", "of", "del", "-", "/", "'", "năm")
	if t.at(i) == listopada && i > 1 {
		if m = 0; t.at(1) == "." {
			m = time.October
		}
	}
	if m == 0 || t.shortYear(j) < 0 || len(t.at(j)) == 2 && t.goesOn(j+1) {
		return Day{}, 0
	}
	return valid(Day{year: t.shortYear(j), a: int(m), b: t.number(0, 2)}, j+1)
}

// goesOn reports whether the tokens from i on show that two digits before them are not
// a year, but the hour of a time or the day of the next date, as in "28 May - 10 June
// 2024".
func (t tokens) goesOn(i int) bool {
	if slices.Contains([]string{":", "h", "am", "pm"}, t.at(i)) || t.year(t.skip(i, ",")) > 0 { // March 3 - June 14, 2026
		return true
	}
	return month(t.at(t.skip(i, ".", "st", "nd", "rd", "th", "º", "ª", "er", "of", "de"))) > 0
}

// monthFirst reads "March 3, 2024" and "Mar. 3rd 2024".
func (t tokens) monthFirst() (Day, int) {
	i := t.skip(1, ".")
	n := t.number(i, 2)
	j := t.skip(i+1, ",", "st", "nd", "rd", "th", ".", "'")
	year := t.year(j)
	if j > 0 && t.at(j-1) == "'" {
		year = t.shortYear(j)
	}
	if n < 1 || year < 0 || t.at(0) == listopada {
		return Day{}, 0
	}
	return valid(Day{year: year, a: int(month(t.at(0))), b: n}, j+1)
}

// numeric reads 04/05/2024, 03.04.2024 and 03-04-2024, and with points or slashes also
// 03.04.24. Points mean that the day is first.
func (t tokens) numeric() (Day, int) {
	mark := t.at(1)
	a, b, year := t.number(0, 2), t.number(2, 2), t.year(4)
	if mark == "/" || mark == "." && t.at(5) != "." { // 1.2.30.4 is a version, not a date
		year = t.shortYear(4)
	}
	if mark != "/" && mark != "." && mark != "-" || t.at(3) != mark || b < 1 || year < 0 {
		return Day{}, 0
	}
	switch {
	case mark == "." || a > 12 || a == b:
		return valid(Day{year: year, a: b, b: a}, 5)
	case b > 12:
		return valid(Day{year: year, a: a, b: b}, 5)
	}
	return Day{year: year, a: a, b: b, open: true}, 5
}

// month returns the month that a word names. Hebrew writes "in", "of" and "the" as the first
// letter of the word.
func month(word string) time.Month {
	m := months[word]
	if first, n := utf8.DecodeRuneInString(word); m == 0 && strings.ContainsRune("בלמה", first) {
		return months[word[n:]]
	}
	return m
}

// valid returns d and n, or nothing if d, whose a is the month, is not a day of the
// calendar.
func valid(d Day, n int) (Day, int) {
	t := time.Date(d.year, time.Month(d.a), d.b, 0, 0, 0, 0, time.UTC)
	if d.a < 1 || d.a > 12 || t.Day() != d.b {
		return Day{}, 0
	}
	return d, n
}

// Text returns d in the form 2024-03-03, or "" if it is unknown which number is the
// month.
func (d Day) Text(o Order) string {
	m, n := d.a, d.b
	if d.open {
		switch o {
		case OrderOpen:
			return ""
		case OrderDay:
			m, n = d.b, d.a
		}
	}
	t := time.Date(d.year, time.Month(m), n, 0, 0, 0, 0, time.UTC)
	if m < 1 || m > 12 || t.Day() != n {
		return ""
	}
	return t.Format(time.DateOnly)
}

// DayOrders returns the order that the dates of a column show. A date such as
// 13/05/2024 shows it.
func DayOrders(s string) Order {
	if strings.Count(s, "/") < 2 && strings.Count(s, "-") < 2 { // most lines
		return OrderOpen
	}
	tokens := dateTokens(s)
	for i := 0; i+4 < len(tokens); i++ {
		if tokens[i+1] != "/" && tokens[i+1] != "-" || tokens[i+3] != tokens[i+1] || len(tokens[i+4]) != 4 && (len(tokens[i+4]) != 2 || tokens[i+1] == "-") {
			continue
		}
		a, errA := strconv.Atoi(tokens[i])
		b, errB := strconv.Atoi(tokens[i+2])
		switch {
		case errA != nil || errB != nil || a > 31 || b > 31:
		case a > 12 && b <= 12:
			return OrderDay
		case b > 12 && a <= 12:
			return OrderMonth
		}
	}
	return OrderOpen
}

// readEra gives a year of a Japanese era, of the Republic of China or of the Buddhist era its number in our
// calendar: 1923 for 大正12年 and 民國12年, and 2026 for พ.ศ. 2569.
func (n *Numeral) readEra(s string) {
	before := strings.TrimSuffix(s[:n.at], " ")
	if y, ok := OfBuddha(n.digits); ok && ofBuddha.MatchString(before) {
		n.digits = y
		return
	}
	if !strings.HasPrefix(strings.TrimPrefix(s[n.End:], " "), "年") {
		return
	}
	for era, first := range eras {
		if year, err := strconv.Atoi(n.digits); err == nil && year > 0 && year < 200 && strings.HasSuffix(before, era) {
			n.digits = strconv.Itoa(first + year)
			return
		}
	}
}

// ofBuddha matches what stands before a year of the Buddhist era.
var ofBuddha = regexp.MustCompile(`(?:พ\.? ?ศ\.?|พุทธศักราช|(?:^|\P{L})b\.? ?e\.?)$`)

// OfBuddha returns the year of our calendar for one of the Buddhist era. It accepts years of four digits
// that are in the last, this or the next century.
func OfBuddha(year string) (string, bool) {
	if len(year) != 4 || year[0] != '2' {
		return "", false
	}
	n, err := strconv.Atoi(year)
	if err != nil || n < buddhist+1900 || n >= buddhist+2200 {
		return "", false
	}
	return strconv.Itoa(n - buddhist), true
}
