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

// Marks says which mark separates the decimals in a column of numbers.
type Marks byte

// Values of Marks.
const (
	MarksOpen  Marks = 0 // the column does not show it
	MarksPoint Marks = '.'
	MarksComma Marks = ','
)

// commaLanguages are the languages that write a comma before decimals.
const commaLanguages = " af az be bg bs ca cs da de el es et eu fi fr gl hr hu hy id is it ka kk lt lv mk nb nl nn no pl pt ro ru sk sl sq sr sv tr uk uz vi "

// pointLanguages are the languages that write a point before decimals.
const pointLanguages = " en ja zh ko he th ms hi bn ta te ur ga cy mt "

// MarksOf returns the mark that is usual in the language of a page.
func MarksOf(lang string) Marks {
	base, region, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(lang), "_", "-"), "-")
	switch {
	case base == "de" && (region == "ch" || region == "li"), base == "es" && (region == "mx" || region == "us"):
		return MarksPoint
	case base == "":
		return MarksOpen
	case strings.Contains(commaLanguages, " "+base+" "):
		return MarksComma
	case strings.Contains(pointLanguages, " "+base+" "):
		return MarksPoint
	}
	return MarksOpen
}

// Numeral is a number in a text.
type Numeral struct {
	digits  string // with marks, such as 1.234,50
	Scale   float64
	more    float64 // value of what follows the scale: 2000万 in 1億2000万, ½ in 1 ½
	percent bool
	minus   bool
	debit   bool // negative in the notation of bookkeepers: (12), (3.4bn), 12-
	bullet  bool // after "- " at the start of a text: a minus, or the mark of a list item
	at, End int  // start and end in the text, in bytes
	after   int  // end of the scale in the text, in bytes
}

// scales contains words and letters that multiply the number before them, in normal form.
var scales = numbersOf(`
1e3 k thousand tsd tausend mil mille тыс tkr tchf teur keur kusd tys tis тис тысяч tusen tusind tusinde tuhat tuhatta ezer tisíc tysięcy duizend mila ribu 천 mii mijë tisuća tisoč tūkst tuh хил хиљада χιλ þúsund nghìn ngàn rb אלף אלפים ألف آلاف هزار हज़ार हजार হাজার พัน 千 千円 千元
1e6 m mn mio million millions millionen millones milhões milioni miljoen млн mln mkr mchf meur musd milj mill milyon miljon miljoner millioner miljoonaa millió milion miliony milionów milionů milhão juta миллион миллионов мільйонів εκατ triệu jt מיליון מיליוני مليون ملايين میلیون ล้าน मिलियन मिलियन्स 百万 百萬
1e9 b bn billion billions mrd milliarden milliarde milliards miljard млрд bln mld mds mdkr mia milyar miljarder milliarder milliárd miliard miliardy miliardów miliardi miliardo miliar миллиард миллиардов अरब δισ tỷ tỉ mlrd מיליארד מיליארדי مليار مليارات میلیارد พันล้าน 十億 十亿
1e5 lakh lakhs แสน लाख লাখ लक्ष 十万
1e7 crore crores करोड़ করোড় কোটি 千万 千萬
1e12 trn tn biljoen billionen trillion
1e4 万 萬 만 หมื่น vạn
1e8 億 亿 억
1e10 百億 百亿
1e11 千億 千亿`)

// numbersOf reads a table with a number and the words for it in each line. The keys are in normal
// form. The letters of some scripts are written in another way there.
func numbersOf(table string) map[string]float64 {
	all := map[string]float64{}
	for _, line := range linesOf(table) {
		n, err := strconv.ParseFloat(line[0], 64)
		if err != nil {
			panic(err)
		}
		for _, word := range line[1:] {
			all[Normal(word)] = n
		}
	}
	return all
}

// linesOf returns the words of each line of a table. Empty lines are left out.
func linesOf(table string) (all [][]string) {
	for line := range strings.SplitSeq(table, "\n") {
		if words := strings.Fields(line); len(words) > 0 {
			all = append(all, words)
		}
	}
	return all
}

// scaleOf returns the factor of a word after a number: of the word itself, or of the stem
// that it is a form of.
func scaleOf(word string) (float64, bool) {
	if f, ok := scales[word]; ok || len(word) < 2*leastStem {
		return f, ok && f != 0
	}
	for _, s := range stems {
		if rest, ok := strings.CutPrefix(word, s.stem); ok && utf8.RuneCountInString(rest) <= maxEnding && !personal.MatchString(rest) {
			return s.scale, true
		}
	}
	return 0, false
}

const (
	leastStem = 3 // letters
	maxEnding = 4 // letters of the ending of a stem
)

// personal matches the endings with which the name of a number becomes that of a person, such
// as in millionaire, Millionär and миллионер.
var personal = regexp.MustCompile(`^(?:air|är|ár|ář|ār|er[iayuęe]?$|eer|ari|ário|ер|ор|νύχ|ούχ)`)

// millions are the currencies next to which "mil" is an abbreviation of a million. In
// Spanish and Portuguese, it is a thousand.
var millions = wordSet("kč czk lei ron din rsd")

// millionLanguages are the languages in which "mil." is an abbreviation of a million.
const millionLanguages = " bs cs hr ro sk sl sr "

// mileLanguages are the languages in which "mil" is a unit of ten kilometres.
const mileLanguages = " da nb nn no sv "

// thousandOrMillion matches "mil" after a number.
var thousandOrMillion = regexp.MustCompile(`([0-9] ?)mil\b`)

// Millions returns a normal text with "mio" for "mil" after a number, if that means a
// million in the language of the text, or with "skandmil" if it is a Scandinavian mile.
func Millions(s, lang string) string {
	base, _, _ := strings.Cut(strings.ToLower(lang), "-")
	if base == "" || !strings.Contains(s, "mil") {
		return s
	}
	if strings.Contains(mileLanguages, " "+base+" ") {
		return thousandOrMillion.ReplaceAllString(s, "${1}skandmil")
	}
	if !strings.Contains(millionLanguages, " "+base+" ") {
		return s
	}
	return thousandOrMillion.ReplaceAllString(s, "${1}mio")
}

// Numerals returns the numbers in a normal text, at most 200.
func Numerals(s string) []Numeral {
	var all []Numeral
	for i := 0; i < len(s) && len(all) < 200; {
		if s[i] < '0' || s[i] > '9' {
			_, n := utf8.DecodeRuneInString(s[i:])
			i += n
			continue
		}
		start := i
		if i > 0 && s[i-1] == '.' && (i == 1 || strings.IndexByte(" $(|-+", s[i-2]) >= 0) {
			start-- // the number starts with its mark, such as .5
		}
		j := i
		for j < len(s) {
			if s[j] >= '0' && s[j] <= '9' {
				j++
				continue
			}
			if n := groupMark(s, j); n > 0 {
				j += n
				continue
			}
			break
		}
		n := Numeral{digits: s[start:j], Scale: 1, at: start, End: j}
		before, _ := utf8.DecodeLastRuneInString(s[:start])
		if WordRune(before) && !currencies[lastWord(s[:start])] { // the digits of A4 and v2 are part of a name
			i = j
			continue
		}
		n.readEra(s)
		n.minus, n.bullet = minusBefore(s[:start])
		n.minus = n.minus || below(strings.TrimLeft(s[j:], " "))
		n.End += n.readExponent(s[j:])
		scale := n.readSuffix(s[n.End:])
		n.after = n.End + scale
		n.readRest(s, scale)
		n.after = max(n.after, n.End)
		n.debit = strings.HasPrefix(strings.TrimLeft(s[n.after:], " .$€£¥"), ")") && strings.HasSuffix(strings.TrimRight(s[:start], " $€£¥"), "(") ||
			strings.HasPrefix(s[n.End:], "-") && (n.End+1 == len(s) || s[n.End+1] == ' ')
		all = append(all, n)
		i = max(n.End, j)
	}
	return all
}

// below reports whether what stands behind a number makes it negative: a direction from the equator or
// from Greenwich, as in "59.19°S" (south, west), or the words for a year before Christ.
func below(rest string) bool {
	if after, ok := strings.CutPrefix(rest, "°"); ok {
		word := firstWord(strings.TrimLeft(after, " "))
		return word == "s" || word == "w"
	}
	word := firstWord(rest)
	return word == "bc" || word == "bce" || strings.HasPrefix(rest, "v. chr") || strings.HasPrefix(rest, "av. j.") || strings.HasPrefix(rest, "a.c.")
}

// groupMark returns the length of the mark at s[j] if it stands between digits of one
// number. A mark is a point, a comma, an apostrophe, or a space before three digits.
func groupMark(s string, j int) int {
	digits := func(k int) int {
		n := 0
		for k+n < len(s) && s[k+n] >= '0' && s[k+n] <= '9' {
			n++
		}
		return n
	}
	switch s[j] {
	case '.', ',':
		if digits(j+1) > 0 {
			return 1
		}
	case '\'', ' ':
		before := 0
		for j-1-before >= 0 && s[j-1-before] >= '0' && s[j-1-before] <= '9' {
			before++
		}
		decimals := j > before && (s[j-1-before] == '.' || s[j-1-before] == ',') // 26.65 828 is two numbers, and 3.141 592 is one
		if digits(j+1) == 3 && (before == 3 || before < 3 && !decimals) {
			return 1
		}
	}
	return 0
}

// minusBefore reports whether the text before a number makes it negative. A dash
// between spaces after a word is a separator, as in "founded - 1955". At the start of a
// text it may be the mark of a list item, and after the end of a sentence or a part of it
// a separator or a minus. In these two cases bullet is set. A dash after an amount is that of a
// range, as in "17 € - 22 €".
func minusBefore(s string) (minus, bullet bool) {
	if text := strings.TrimRight(s, " "); minusWords[lastWord(text)] {
		before := strings.TrimRight(text[:len(text)-len(lastWord(text))], " ")
		return !endsInDigit(before) && !strings.HasSuffix(before, "/") && lastWord(before) != "plus", false
	}
	if strings.IndexByte(s, '-') < 0 { // most texts
		return false, false
	}
	s = strings.TrimRight(s, "$€£¥")
	spaced := strings.HasSuffix(s, " ")
	s = strings.TrimRight(s, " $€£¥")
	rest, ok := strings.CutSuffix(s, "-")
	if !ok {
		return false, false
	}
	if amount := strings.TrimRight(rest, " $€£¥"); amount != strings.TrimRight(rest, " ") && endsInDigit(amount) {
		return false, false
	}
	if spaced && strings.HasSuffix(rest, " ") {
		word, _ := utf8.DecodeLastRuneInString(strings.TrimRight(rest, " "))
		if WordRune(word) || strings.ContainsRune(")]%\"'", word) {
			return false, false
		}
		if strings.ContainsRune(".,;!?", word) { // between two parts of a text: "Porto, 2021. - 312 p."
			return false, true
		}
	}
	r, _ := utf8.DecodeLastRuneInString(rest)
	return rest == "" || r == ' ' || r == '(' || r == '|' || r == ':' || unicode.Is(unicode.Sc, r), spaced && rest == ""
}

// minusWords are words for a minus sign that mean nothing else before a number, as "moins", "menos" and "meno" do.
var minusWords = wordSet("minus miinus mínus mínusz минус мінус eksi")

// endsInDigit reports whether the last character of a text is a digit, or a mark behind one: 17,-.
func endsInDigit(s string) bool {
	s = strings.TrimRight(s, ".,-")
	return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9'
}

// exponent matches the text after the digits of 1.5e3 or 1.5e-3.
var exponent = regexp.MustCompile(`^e[+-]?[0-9]{1,2}\b`)

// readExponent reads an exponent and returns its length.
func (n *Numeral) readExponent(rest string) int {
	if !strings.HasPrefix(rest, "e") {
		return 0
	}
	e := exponent.FindString(rest)
	if e != "" {
		by, err := strconv.Atoi(strings.TrimPrefix(e[1:], "+"))
		if err != nil {
			return 0
		}
		n.Scale = math.Pow10(by)
	}
	return len(e)
}

// readRest reads the part of a number that follows its scale: the next smaller unit in
// scripts that count in units of 10,000, or a fraction. scale is the length of the
// scale in bytes.
func (n *Numeral) readRest(s string, scale int) {
	if i := strings.Index(s[n.End:], "⁄"); i >= 0 && i < 4 {
		whole, top := n.digits, s[n.End:n.End+i]
		bottom := leading(s[n.End+i+len("⁄"):])
		if i == 0 { // the digits that were read are the numerator
			if top, whole = whole, "0"; strings.Contains(top, " ") {
				whole, top, _ = strings.Cut(top, " ")
			}
		} else {
			top = strings.TrimPrefix(top, " ")
		}
		a, errA := strconv.Atoi(top)
		b, errB := strconv.Atoi(bottom)
		if errA == nil && errB == nil && b > 0 && DigitsOnly(whole) {
			n.digits, n.more = whole, float64(a)/float64(b)
			n.End += i + len("⁄") + len(bottom)
		}
		return
	}
	if n.Scale < 1e4 {
		return
	}
	for last, at := n.Scale, n.End; ; {
		part := leading(s[at+scale:])
		if r, _ := utf8.DecodeRuneInString(s[at:]); !Unspaced(r) && !unicode.Is(unicode.Hangul, r) || part == "" {
			return
		}
		next := Numeral{Scale: 1}
		at += scale + len(part)
		scale = next.readSuffix(s[at:])
		v, err := strconv.ParseFloat(part, 64)
		if err != nil || next.Scale >= last {
			return
		}
		n.more += v * next.Scale
		last, n.End = next.Scale, at
	}
}

// leading returns the digits at the start of s.
func leading(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}

// readSuffix reads the scale or the percent sign after a number. It returns the length
// of the scale.
func (n *Numeral) readSuffix(rest string) int {
	trimmed := strings.TrimPrefix(strings.TrimPrefix(rest, "+"), " ") // 2+ million
	if strings.HasPrefix(trimmed, "%") || strings.HasPrefix(trimmed, "percent") || strings.HasPrefix(trimmed, "prozent") {
		n.percent = true
		return 0
	}
	end := 0
	for i, r := range trimmed {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		end = i + utf8.RuneLen(r)
		if Unspaced(r) && !unicode.Is(unicode.Thai, r) && !strings.ContainsRune("十百千", r) { // 千万 is a single scale
			break
		}
	}
	word := trimmed[:end]
	if first, _ := utf8.DecodeRuneInString(word); unicode.Is(unicode.Thai, first) {
		word = longest(word) // no space follows it
		end = len(word)
	}
	if f, ok := scaleOf(word); ok && n.Scale == 1 && (len(word) > 1 || rest == trimmed || word == "m" || word == "k") {
		if word == "mil" && millions[firstWord(strings.TrimLeft(trimmed[end:], " ."))] {
			f = 1e6
		}
		n.Scale = f
		return len(rest) - len(trimmed) + end
	}
	return 0
}

// longest returns the longest scale at the start of a text in a script without spaces.
func longest(s string) string {
	for len(s) > 0 && scales[s] == 0 {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}

// ungrouped returns digits without the marks that only group them.
func ungrouped(digits string) string {
	if strings.IndexByte(digits, ' ') < 0 && strings.IndexByte(digits, '\'') < 0 {
		return digits
	}
	return strings.NewReplacer(" ", "", "'", "").Replace(digits)
}

// Start returns where n begins in the text, in bytes.
func (n Numeral) Start() int { return n.at }

// Value returns the value of n if m separates decimals. If the value depends on m and m
// is open, sure is false. In that case, whole says that a mark is more likely to group
// thousands.
func (n Numeral) Value(m Marks, whole bool) (v float64, sure bool) {
	s := ungrouped(n.digits)
	point, comma := strings.Count(s, "."), strings.Count(s, ",")
	sure = true
	decimal := byte(0)
	switch {
	case point > 0 && comma > 0: // the last mark separates decimals
		decimal = s[strings.LastIndexAny(s, ".,")]
		if strings.Count(s, string(decimal)) > 1 {
			return math.NaN(), false
		}
	case point+comma == 1:
		i := max(strings.IndexByte(s, '.'), strings.IndexByte(s, ','))
		mark := s[i]
		switch {
		case len(s)-i-1 != 3 || i > 3 || i == 0 || s[0] == '0':
			decimal = mark
		case n.digits != s: // spaces group the digits, so the mark separates decimals
			decimal = mark
		default:
			sure = false
			switch {
			case m == Marks(mark) && !whole:
				decimal = mark
			case m == MarksOpen && !whole && mark == '.':
				decimal = mark
			}
		}
	}
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			b.WriteByte(c)
		case c == decimal:
			b.WriteByte('.')
		}
	}
	v, err := strconv.ParseFloat(b.String(), 64)
	if err != nil {
		return math.NaN(), false
	}
	if n.Scale != 1 { // computed so that the result is exact for the printed digits: 3.4 M is 3400000
		if v, err = strconv.ParseFloat(strconv.FormatFloat(v*n.Scale, 'g', 15, 64), 64); err != nil {
			return math.NaN(), false
		}
	}
	v += n.more
	if n.minus {
		v = -v
	}
	if math.IsInf(v, 0) {
		return math.NaN(), false
	}
	return v, sure
}

// Reading contains the values that a number in a text can have.
type Reading struct {
	Value   float64
	Percent bool
	Clock   bool // it is a part of a time or a duration with a colon, so that it hardly is a number of its own
	Timed   bool // so it certainly is, because a word says so: 3:34 h
}

// ReadingsOf returns the readings of the numbers in a normal text.
func ReadingsOf(s string) []Reading {
	var all []Reading
	var clocks [][]int
	if hasColon(s) {
		clocks = pair.FindAllStringIndex(s, 200)
	}
	for _, n := range Numerals(s) {
		k := slices.IndexFunc(clocks, func(at []int) bool { return n.at >= at[0] && n.at < at[1] })
		timed := k >= 0 && timeWord.MatchString(s[clocks[k][1]-1:])
		for _, v := range n.Readings() {
			all = append(all, Reading{v, n.percent, k >= 0, timed})
		}
	}
	return all
}

// timeWord matches what follows a time: the last digit of it, and a unit or a word.
var timeWord = regexp.MustCompile(`^[0-9]? ?(?:h|hrs?|hours?|std|min|mins|minutes|s|sec|uhr|[ap]\.?m|utc|gmt)\b`)

// Readings returns all values that n can have.
func (n Numeral) Readings() []float64 {
	var all []float64
	for _, m := range []Marks{MarksPoint, MarksComma} {
		v, _ := n.Value(m, false)
		all = append(all, v)
		if n.debit || n.bullet {
			all = append(all, -v)
		}
		if n.Scale != 1 {
			plain := n
			plain.Scale, plain.more = 1, 0
			v, _ := plain.Value(m, false)
			all = append(all, v)
		}
	}
	return all
}

// Decides returns the mark that separates decimals according to n, or MarksOpen if n
// does not show it.
func (n Numeral) Decides() Marks {
	s := ungrouped(n.digits)
	i := max(strings.LastIndexByte(s, '.'), strings.LastIndexByte(s, ','))
	if i < 0 {
		return MarksOpen
	}
	if _, sure := n.Value(MarksOpen, false); !sure {
		return MarksOpen
	}
	mark := Marks(s[i])
	if strings.Count(s, s[i:i+1]) > 1 { // a mark that is repeated groups thousands
		if mark == MarksComma {
			return MarksPoint
		}
		return MarksComma
	}
	return mark
}

// Same reports whether two numbers are equal except for the rounding of the texts that
// they come from.
func Same(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))
}

// Beside returns the word that stands directly after a number in a normal text, if its
// meaning is not known: it may be a factor or a unit. The text must have the number v. If no
// such word follows it, word is "".
func Beside(s string, v float64) (word string, ok bool) {
	for _, n := range Numerals(s) {
		if n.Scale != 1 || n.percent {
			continue
		}
		a, sure := n.Value(MarksPoint, false)
		if !Same(a, v) {
			if sure {
				continue
			}
			if b, _ := n.Value(MarksComma, false); !Same(b, v) {
				continue
			}
		}
		word = firstWord(strings.TrimPrefix(s[n.End:], " "))
		if n.IsMoney(s) || counted[word] || UnitWord(word) != (Unit{}) {
			return "", true
		}
		return word, true
	}
	return "", false
}

// spokenLanguages are the languages whose words for factors, units and months are known.
const spokenLanguages = " ar az be bg bn bs ca cs da de el en es et fa fi fil fr gl he hi hr hu id is it ja ko lt lv mk ms nb nl nn no pl pt ro ru sk sl sq sr sv th tl tr uk vi zh "

// Speaks reports whether the words for factors, units and months are known in the language
// that a page names.
func Speaks(lang string) bool {
	base, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(lang), "_", "-"), "-")
	return base != "" && strings.Contains(spokenLanguages, " "+base+" ")
}
