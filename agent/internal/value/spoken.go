// SPDX-License-Identifier: Apache-2.0

package value

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// cardinals are the words for the numbers from zero on, by language. A slash stands between forms of
// one number. A word with ~ is also an article, or another word: it is a number only before a unit or a word of the field.
var cardinals = wordNumbers(0, `
en zero one/~single/~once two/twice three/thrice four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
de null eins/~ein/~eine/~einen/~einem/~einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig
fr zéro ~un/~une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize ~ ~ ~ vingt
es cero uno/~un/~una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte
gl cero ~un/~unha dous/dúas tres catro cinco seis sete oito nove dez once doce trece catorce quince dezaseis dezasete dezaoito dezanove vinte
ca zero ~un/~una dos/dues tres quatre cinc sis set vuit nou deu onze dotze tretze catorze quinze setze disset divuit dinou vint
it zero ~un/~uno/~una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti
pt zero ~um/~uma dois/duas três quatro cinco seis sete oito nove dez onze doze treze catorze/quatorze quinze dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove vinte
ro zero ~un/~o doi/două trei patru cinci șase șapte opt nouă zece unsprezece doisprezece/douăsprezece treisprezece paisprezece cincisprezece șaisprezece șaptesprezece optsprezece nouăsprezece
nl nul één/~een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig
sv noll ~en/~ett två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton sjutton arton nitton tjugo
da nul én/~en/~et to tre fire fem seks syv otte ni ti elleve tolv tretten fjorten femten seksten sytten atten nitten tyve
no null én/~en/~ett/~et to tre fire fem seks sju/syv åtte ni ti elleve tolv tretten fjorten femten seksten sytten atten nitten tjue
is núll einn/ein/eitt tveir/tvær/tvö þrír/þrjár/þrjú fjórir/fjórar/fjögur fimm sex sjö átta níu tíu ellefu tólf þrettán fjórtán fimmtán sextán sautján átján nítján tuttugu
fi nolla yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen yksitoista kaksitoista kolmetoista neljätoista viisitoista kuusitoista seitsemäntoista kahdeksantoista yhdeksäntoista
et null üks kaks kolm neli viis kuus seitse kaheksa üheksa kümme üksteist kaksteist kolmteist neliteist viisteist kuusteist seitseteist kaheksateist üheksateist
lv nulle viens/viena divi/divas trīs četri/četras pieci/piecas seši/sešas septiņi/septiņas astoņi/astoņas deviņi/deviņas desmit vienpadsmit divpadsmit
lt nulis vienas/viena du/dvi trys keturi/keturios penki/penkios šeši/šešios septyni/septynios aštuoni/aštuonios devyni/devynios dešimt vienuolika dvylika
pl zero jeden/jedna/jedno dwa/dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście trzynaście czternaście piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście
cs nula jeden/jedna/jedno dva/dvě tři čtyři pět šest sedm osm devět deset jedenáct dvanáct třináct čtrnáct patnáct šestnáct sedmnáct osmnáct devatenáct
sk nula jeden/jedna/jedno dva/dve tri štyri päť šesť sedem osem deväť desať jedenásť dvanásť trinásť štrnásť pätnásť šestnásť sedemnásť osemnásť devätnásť
hr nula jedan/jedna/jedno dva/dvije tri četiri pet šest sedam osam devet deset jedanaest dvanaest trinaest četrnaest petnaest šesnaest sedamnaest osamnaest devetnaest
sl nič ena/~en/~eno dva/dve tri/trije štiri/štirje pet šest sedem osem devet deset enajst dvanajst trinajst štirinajst petnajst šestnajst sedemnajst osemnajst devetnajst
bg нула един/една/едно два/две три четири пет шест седем осем девет десет единадесет/единайсет дванадесет/дванайсет
ru ноль один/одна/одно два/две три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать
uk нуль один/одна/одне два/дві три чотири п'ять шість сім вісім дев'ять десять одинадцять дванадцять тринадцять чотирнадцять п'ятнадцять шістнадцять сімнадцять вісімнадцять дев'ятнадцять
el μηδέν ~ένα/~ένας/~μία/~μια δύο/δυο τρία/τρεις τέσσερα/τέσσερις πέντε έξι επτά/εφτά οκτώ/οχτώ εννέα/εννιά δέκα έντεκα δώδεκα δεκατρία/δεκατρείς δεκατέσσερα/δεκατέσσερις δεκαπέντε δεκαέξι δεκαεπτά/δεκαεφτά δεκαοκτώ/δεκαοχτώ δεκαεννέα/δεκαεννιά είκοσι
hu nulla egy/~egy két/kettő három négy öt hat hét nyolc kilenc tíz tizenegy tizenkettő/tizenkét tizenhárom tizennégy tizenöt tizenhat tizenhét tizennyolc tizenkilenc húsz
tr sıfır ~bir iki üç dört beş altı yedi sekiz dokuz on
id nol satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas
vi ~không một hai ba bốn ~năm sáu bảy tám chín mười
ko 영 ~한/하나 ~두/둘 ~세/셋 ~네/넷 다섯 여섯 일곱 여덟 아홉 ~열`)

// decades are the words for 20, 30 and so on, which a number below ten may follow.
var decades = wordNumbers(2, `
en twenty thirty forty fifty sixty seventy eighty ninety
fr vingt trente quarante cinquante soixante
es veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa
pt vinte trinta quarenta cinquenta sessenta setenta oitenta noventa
gl vinte trinta corenta cincuenta sesenta setenta oitenta noventa
ca vint trenta quaranta cinquanta seixanta setanta vuitanta noranta
it venti trenta quaranta cinquanta sessanta settanta ottanta novanta
ro douăzeci treizeci patruzeci cincizeci șaizeci șaptezeci optzeci nouăzeci
de zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig
nl twintig dertig veertig vijftig zestig zeventig tachtig negentig
sv tjugo trettio fyrtio femtio sextio sjuttio åttio nittio
da tyve tredive fyrre halvtreds tres halvfjerds firs halvfems
no tjue tretti førti femti seksti sytti åtti nitti
is tuttugu þrjátíu fjörutíu fimmtíu sextíu sjötíu áttatíu níutíu
fi kaksikymmentä kolmekymmentä neljäkymmentä viisikymmentä kuusikymmentä seitsemänkymmentä kahdeksankymmentä yhdeksänkymmentä
et kakskümmend kolmkümmend nelikümmend viiskümmend kuuskümmend seitsekümmend kaheksakümmend üheksakümmend
pl dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt
cs dvacet třicet čtyřicet padesát šedesát sedmdesát osmdesát devadesát
sk dvadsať tridsať štyridsať päťdesiat šesťdesiat sedemdesiat osemdesiat deväťdesiat
hr dvadeset trideset četrdeset pedeset šezdeset sedamdeset osamdeset devedeset
sl dvajset trideset štirideset petdeset šestdeset sedemdeset osemdeset devetdeset
ru двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто
uk двадцять тридцять сорок п'ятдесят шістдесят сімдесят вісімдесят дев'яносто
bg двадесет тридесет четиридесет петдесет шестдесет седемдесет осемдесет деветдесет
el είκοσι τριάντα σαράντα πενήντα εξήντα εβδομήντα ογδόντα ενενήντα
hu huszon/húsz harminc negyven ötven hatvan hetven nyolcvan kilencven
tr yirmi otuz kırk elli altmış yetmiş seksen doksan`)

// groups are the words for a number of things, behind an article or a number: "a dozen", "une centaine".
var groups = numbersOf(`
10 dizaine dizaines decina decine decena decenas dezena dezenas desena desenes tiental tiotal
12 dozen dutzend docena docenas douzaine douzaines dúzia dúzias dúcia dúcias dotzena dotzenes dozzina dozzine dozijn dussin dusin tylft tylftir tusina tosin tosinat tosinaa duzină duzini tuzin tuziny tucet tucty дюжина дюжины δωδεκάδα δωδεκάδες tucat düzine lusin
15 quinzaine
20 vingtaine ventina veintena vintena twintigtal
30 trentaine trentina treintena trintena dertigtal
40 veertigtal
50 cinquantaine cinquantina cincuentena vijftigtal
60 soixantaine sessantina
100 centaine centaines centinaio centinaia centenar centenares centena centenas honderdtal hundratal`)

// pairs are texts that say only that there are two of something.
var pairs = wordSet("pair paire")

// compounded are what stands within a word between a number and its tens: "zweiundzwanzig". Without it, the
// number follows: "tjugotvå".
var compounded = map[string]string{"de": "und", "nl": "en", "da": "og", "sl": "in"}

// leastCompound is the length in bytes of the shortest words that have a number in two parts, such as "ventuno".
const leastCompound = 7

// compound returns the number that a word has in two parts. A vowel may be lost between them: "ventuno".
func compound(word, lang string) (v float64, ok bool) {
	if len(word) < leastCompound {
		return 0, false
	}
	for tens, ten := range decades[lang] {
		if low, found := strings.CutSuffix(word, tens); found && compounded[lang] != "" {
			if low, found = strings.CutSuffix(strings.ReplaceAll(low, "ë", "e"), compounded[lang]); found {
				if one, ok := cardinals[lang][low]; ok && one.value > 0 && one.value < 10 {
					return ten.value + one.value, true
				}
			}
			continue
		}
		low, found := strings.CutPrefix(word, tens)
		if !found && lang == "it" {
			low, found = strings.CutPrefix(word, tens[:len(tens)-1])
		}
		if one, ok := cardinals[lang][low]; found && ok && one.value > 0 && one.value < 10 {
			return ten.value + one.value, true
		}
	}
	return 0, false
}

// ordinals are the words for first, second and so on.
var ordinals = wordNumbers(1, `
en first second third fourth fifth sixth seventh eighth ninth tenth
de erste/erster/ersten/erstem/erstes zweite/zweiter/zweiten/zweitem/zweites dritte/dritter/dritten/drittem/drittes vierte/vierter/vierten/viertem/viertes fünfte/fünfter/fünften/fünftem/fünftes sechste/sechster/sechsten
fr premier/première deuxième/second/seconde troisième quatrième cinquième sixième septième huitième neuvième dixième
es primero/primera/primer segundo/segunda tercero/tercera/tercer cuarto/cuarta quinto/quinta sexto/sexta
it primo/prima secondo/seconda terzo/terza quarto/quarta quinto/quinta sesto/sesta
pt primeiro/primeira segundo/segunda terceiro/terceira quarto/quarta quinto/quinta sexto/sexta
nl eerste tweede derde vierde vijfde zesde zevende achtste negende tiende`)

// halves are the words for a half, and what may stand between a number and them, or behind them.
var (
	halves  = wordSet("half demi demie medio media meio meia mezzo mezza halb halbe halber halbes halben halve halv halvt halva pół půl")
	joints  = wordSet("and a an et y e und en och og i")
	spliced = numbersOf(`
1.5 anderthalb eineinhalb anderhalf półtora
2.5 zweieinhalb
3.5 dreieinhalb`)
)

// larger are words behind a number word with which it is a part of a larger number.
var larger = wordSet("hundred hundreds hundert cent cents cien ciento cientos cento honderd hundra hundre hundrede vingts thousand tausend mille mil mila duizend tusen tusind dozens million millions millionen millones")

// wordNumber is what a word means as a number.
type wordNumber struct {
	value   float64
	article bool
}

// wordNumbers reads a table of words, with a line for each language. The first word is the number first; above one, the
// words are tens.
func wordNumbers(first int, table string) map[string]map[string]wordNumber {
	step := 1
	if first > 1 {
		step = 10
	}
	all := map[string]map[string]wordNumber{}
	for _, list := range linesOf(table) {
		words := map[string]wordNumber{}
		for i, forms := range list[1:] {
			for form := range strings.SplitSeq(forms, "/") {
				bare := strings.TrimPrefix(form, "~")
				words[Normal(bare)] = wordNumber{float64((first + i) * step), bare != form}
			}
		}
		all[list[0]] = words
	}
	return all
}

// times are the words behind a number that says how often something happens.
var times = wordSet("time times mal fois vez veces vezes volta volte keer gång gånger gang gange raz razy krát kertaa")

// maxSpoken is how long a text may be in which words are read as numbers, in bytes.
const maxSpoken = 2 << 10

// token is a word of a text and its place.
type token struct {
	text     string
	from, to int
}

// wordTokens returns the words of a normal text with their places.
func wordTokens(s string) []token {
	var all []token
	start := -1
	for i, r := range s + " " {
		inside := unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '\'' && start >= 0
		switch {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			all = append(all, token{strings.TrimRight(s[start:i], "'"), start, i})
			start = -1
		}
	}
	return all
}

// Spoken returns a normal text with figures in place of the numbers that it has in words, and whether
// there are any: "2 bathrooms" for "two bathrooms", "1.5 heure" for "une heure et demie". An article is
// a number only in three places: before a unit or a word of the field, if it is the whole text, and before the hyphen of a
// text that is one word ("single-seater"). A text with a number that is not understood as a whole is unchanged. A page that names no language is taken for English.
func Spoken(s, lang string, field []string) (string, bool) {
	if n := strings.Count(s, "★"); n > 0 && strings.Trim(s, "★☆") == "" {
		return strconv.Itoa(n), true // ★★★☆☆
	}
	if lang = baseOf(lang); lang == "ja" || lang == "zh" {
		return ideographic(s)
	}
	if len(s) > maxSpoken || cardinals[lang] == nil {
		return s, false
	}
	tokens := wordTokens(s)
	alone := len(tokens) == 1 || len(tokens) == 2 && s[tokens[0].to:tokens[1].from] == "-" // "single-seater"
	if isPair(tokens, lang, field) {
		return "2", true
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(tokens); {
		if k := halfBehind(tokens[i:]); k > 0 && (i == 0 || cardinals[lang][tokens[i-1].text] == wordNumber{}) && !strings.ContainsAny(s[done:tokens[i].from], "0123456789") { // "año y medio"
			b.WriteString(s[done:tokens[i].from] + "1.5 " + tokens[i].text)
			done = tokens[i+k].to
			i += k + 1
			continue
		}
		v, n, cut := spokenAt(tokens[i:], lang, field, alone && i == 0)
		if n == 0 {
			i++
			continue
		}
		if math.IsNaN(v) {
			return s, false
		}
		b.WriteString(s[done:tokens[i].from] + strconv.FormatFloat(v, 'f', -1, 64))
		done = tokens[i+n-1].to
		i += n
		if cut > 0 { // a half behind the unit
			b.WriteString(s[done:tokens[i].to])
			done = tokens[i+cut].to
			i += cut + 1
		}
	}
	return b.String() + s[done:], done > 0
}

// halfBehind returns the place of the half behind a unit at the start of some words, or zero: "hour and a half".
func halfBehind(t []token) int {
	k := 1
	for k < min(len(t), 3) && joints[t[k].text] {
		k++
	}
	if _, unit := unitOf(t[0].text); !unit || k == 1 || k == len(t) || !halves[t[k].text] {
		return 0
	}
	return k
}

// spokenAt reads a number at the start of some words, which are alone if they are one. It returns how many of them it has, and how
// many words behind its unit belong to it: "et demie" in "une heure et demie". The value is NaN if
// it is a part of a larger number.
func spokenAt(t []token, lang string, field []string, alone bool) (v float64, n, cut int) {
	at := func(i int) string {
		if i < len(t) {
			return t[i].text
		}
		return ""
	}
	counts := func(word string) bool {
		_, unit := unitOf(word)
		return unit || times[word] || word != "" && ShareStem([]string{word}, field)
	}
	w := at(0)
	if halves[w] {
		v, n = halfOf(at)
		return v, n, 0
	}
	if v, n = group(at, lang); v > 0 && (n > 1 || alone) {
		return v, n, 0
	}
	one, ok := cardinals[lang][w]
	ten, tens := decades[lang][w]
	switch {
	case spliced[w] > 0:
		return spliced[w], 1, 0
	case tens:
		v, n = ten.value, 1
		k, most := 1, mostBehind(v, lang)
		if joints[at(1)] {
			k = 2
		}
		if low, ok := cardinals[lang][at(k)]; ok && low.value > 0 && low.value < most {
			v, n = v+low.value, k+1
		}
	case ok && (!one.article || alone || counts(at(1))):
		v, n = one.value, 1
	default:
		if v, ok = compound(w, lang); !ok {
			v, ok = often(w, lang)
		}
		if !ok {
			return 0, 0, 0
		}
		n = 1
	}
	if more, ok := cardinals[lang][at(n)]; larger[at(n)] || ok && !more.article {
		return math.NaN(), n, 0
	}
	if v, n, half := halved(v, n, at); half {
		return v, n, 0
	}
	k := n + 1
	for k < n+3 && joints[at(k)] {
		k++
	}
	if k > n+1 && counts(at(n)) && halves[at(k)] {
		return v + 0.5, n, k - n
	}
	return v, n, 0
}

// often reads a word that says how often something happens: "dreimal".
func often(word, lang string) (float64, bool) {
	suffix := map[string]string{"de": "mal", "nl": "maal"}[lang]
	number, ok := strings.CutSuffix(word, suffix)
	one := cardinals[lang][number]
	return one.value, ok && suffix != "" && one.value > 0
}

// isPair reports whether some words say only that there are two of something, which the field does not count in pairs.
func isPair(t []token, lang string, field []string) bool {
	n := len(t)
	return (n == 1 || n == 2 && (t[0].text == "a" || cardinals[lang][t[0].text].value == 1)) && pairs[t[n-1].text] && !ShareStem([]string{t[n-1].text}, field)
}

// halfOf reads "half a dozen", and a half before a unit. The first word is a half.
func halfOf(at func(int) string) (v float64, n int) {
	n = 1
	for joints[at(n)] {
		n++
	}
	if groups[at(n)] > 0 {
		return groups[at(n)] / 2, n + 1
	}
	if _, unit := unitOf(at(n)); unit {
		return 0.5, n
	}
	return 0, 0
}

// mostBehind returns the number below which those behind tens must be: "soixante-quinze" is 75.
func mostBehind(tens float64, lang string) float64 {
	if lang == "fr" && tens == 60 {
		return 20
	}
	return 10
}

// group reads "a dozen" and "two dozen".
func group(at func(int) string, lang string) (v float64, n int) {
	one, ok := cardinals[lang][at(0)]
	switch {
	case groups[at(0)] > 0:
		return groups[at(0)], 1
	case ok:
		return groups[at(1)] * one.value, 2
	case at(0) == "a":
		return groups[at(1)], 2
	}
	return 0, 0
}

// halved adds the half that follows a number directly: "two and a half".
func halved(v float64, n int, at func(int) string) (float64, int, bool) {
	k := n
	for joints[at(k)] && k < n+3 {
		k++
	}
	if k == n || !halves[at(k)] {
		return v, n, false
	}
	return v + 0.5, k + 1, true
}

// Ordinals returns a normal text with figures in place of its ordinal numbers in words, and whether
// there are any: "aus 2 hand" for "aus zweiter hand".
func Ordinals(s, lang string) (string, bool) {
	table := ordinals[baseOf(lang)]
	if len(s) > maxSpoken || table == nil {
		return s, false
	}
	var b strings.Builder
	done := 0
	for _, t := range wordTokens(s) {
		if v, ok := table[t.text]; ok {
			b.WriteString(s[done:t.from] + strconv.FormatFloat(v.value, 'f', -1, 64))
			done = t.to
		}
	}
	return b.String() + s[done:], done > 0
}

// baseOf returns the language of a tag such as de-AT: that of a page that names none is English.
func baseOf(lang string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(lang), "_", "-"), "-")
	switch base {
	case "":
		return "en"
	case "nb", "nn":
		return "no"
	case "bs", "sr":
		return "hr"
	}
	return base
}

// agos matches a number of days or weeks, with the word before it that says "ago" in some languages. The
// first group is the number of days, the second one the number of weeks.
var agos = regexp.MustCompile(`(?:^|[^\p{L}0-9])(?:(?:vor|il y a|hace|há|ha|för|for|fa|před|pred|acum) )?(?:([0-9]{1,3}) ?(?:days?|tage?n?|jours?|días?|dias?|giorni|giorno|dagen|dagar?|dager?|dage|dni|dny|дней|дня|день|днів|päivää|日前|일 전|天前)|([0-9]{1,2}) ?(?:weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken|week|veckor|vecka|uger|uge|uker|uke|週間前|주 전|周前))(?:$|[^\p{L}0-9])`)

// agoWords matches the words that say that a number of days or weeks has passed, such as "ago".
var agoWords = regexp.MustCompile(`(?:^|[^\p{L}])(?:ago|vor|il y a|hace|há|fa|geleden|sedan|siden|temu|před|pred|назад|тому|sitten|acum)(?:$|[^\p{L}])|日前|週間前|전|前`)

// nearDays are the words for today and the days before it.
var nearDays = map[string]int{
	"today": 0, "yesterday": 1, "heute": 0, "gestern": 1, "vorgestern": 2, "aujourd'hui": 0, "hier": 1, "avant-hier": 2, "hoy": 0, "ayer": 1, "anteayer": 2, "oggi": 0, "ieri": 1, "hoje": 0, "ontem": 1, "vandaag": 0, "gisteren": 1, "eergisteren": 2,
	"idag": 0, "i dag": 0, "igår": 1, "i går": 1, "dziś": 0, "dzisiaj": 0, "wczoraj": 1, "dnes": 0, "včera": 1, "сегодня": 0, "вчера": 1, "сьогодні": 0, "вчора": 1, "tänään": 0, "eilen": 1, "今日": 0, "本日": 0, "昨日": 1, "오늘": 0, "어제": 1, "今天": 0, "昨天": 1, "avui": 0, "ahir": 1,
}

// Ago returns how many days before today a normal text names a day: "3 days ago", "gestern". A text that
// names several, or months, which have no certain day, names none.
func Ago(s, lang string) (days int, ok bool) {
	if len(s) > maxSpoken {
		return 0, false
	}
	found := 0
	only := map[string]string{"hier": "fr", "avui": "ca"} // these words mean something else in other languages
	for word, n := range nearDays {
		if l := only[word]; Holds(s, word) > 0 && (l == "" || l == baseOf(lang)) {
			days = max(days, n) // "hier" stands in "avant-hier"
			found = 1
		}
	}
	said, _ := Spoken(s, lang, nil)
	if !agoWords.MatchString(said) {
		return days, found == 1
	}
	for _, m := range agos.FindAllStringSubmatch(said, 3) {
		n, _ := strconv.Atoi(m[1] + m[2])
		if m[2] != "" {
			n *= 7
		}
		days, found = n, found+1
	}
	return days, found == 1
}

// asOf matches the words with which a page says on which day it was written.
var asOf = regexp.MustCompile(`(?:^|[^\p{L}])(?:updated|as of|today|stand|aktualisiert|heute|mise? à jour|à jour|aujourd'hui|actualizad[oa]|hoy|actualitzat|actualitzada|aggiornat[oa]|oggi|atualizad[oa]|hoje|bijgewerkt|vandaag|uppdaterad|opdateret|oppdatert|zaktualizowano|aktualizacja|aktualizováno|aktualizace|обновлено|оновлено|päivitetty)(?:$|[^\p{L}])|更新|現在|今日|基準`)

// AsOf returns the only date of a normal text that says on which day its page was written.
func AsOf(s string) (Day, bool) {
	if len(s) > MaxCaption || !asOf.MatchString(s) {
		return Day{}, false
	}
	all := Dates(s)
	if len(all) != 1 {
		return Day{}, false
	}
	return all[0], true
}
