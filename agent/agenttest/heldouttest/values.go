// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

type maker = func(rng *rand.Rand, i int) (truth any, text string)

// grouped writes a whole number with a separator between thousands.
func grouped(n int, sep string) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + sep + s[i:]
	}
	return s
}

// whole makes whole numbers, printed with a separator between thousands, as format says.
func whole(least, most int, sep, format string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		return float64(n), fmt.Sprintf(format, grouped(n, sep))
	}
}

// id makes numbers that differ from thing to thing, printed without separators.
func id(first, step int, format string) maker {
	return func(rng *rand.Rand, i int) (any, string) {
		text := fmt.Sprintf(format, first+i*step+rng.IntN(step))
		return text, text
	}
}

// year makes years.
func year(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		return float64(n), strconv.Itoa(n)
	}
}

// decimal makes numbers with one decimal.
func decimal(least, most int, point, format string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least*10 + rng.IntN((most-least)*10)
		return float64(n) / 10, fmt.Sprintf(format, fmt.Sprintf("%d%s%d", n/10, point, n%10))
	}
}

// scaled makes amounts of a factor, with one decimal.
func scaled(least, most int, factor float64, point, format string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least*10 + rng.IntN((most-least)*10)
		return float64(n) * factor / 10, fmt.Sprintf(format, fmt.Sprintf("%d%s%d", n/10, point, n%10))
	}
}

// flag makes booleans in two words.
func flag(share float64, yes, no string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		if rng.Float64() < share {
			return true, yes
		}
		return false, no
	}
}

// one makes one of several texts.
func one(texts ...string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		s := texts[rng.IntN(len(texts))]
		return s, s
	}
}

// turn makes each of several texts in its turn.
func turn(texts ...string) maker {
	return func(_ *rand.Rand, i int) (any, string) { return texts[i%len(texts)], texts[i%len(texts)] }
}

var months = map[string][]string{
	"en": strings.Fields("January February March April May June July August September October November December"),
	"de": strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
	"fr": strings.Fields("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
	"it": strings.Fields("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"),
	"ja": strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12"),
	"pl": strings.Fields("stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"),
	"sv": strings.Fields("januari februari mars april maj juni juli augusti september oktober november december"),
	"tr": strings.Fields("Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık"),
	"zh": strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12"),
	"da": strings.Fields("januar februar marts april maj juni juli august september oktober november december"),
	"fi": strings.Fields("tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta"),
	"cs": strings.Fields("ledna února března dubna května června července srpna září října listopadu prosince"),
	"ko": strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12"),
	"no": strings.Fields("januar februar mars april mai juni juli august september oktober november desember"),
	"hu": strings.Fields("január február március április május június július augusztus szeptember október november december"),
	"el": strings.Fields("Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου"),
	"ru": strings.Fields("января февраля марта апреля мая июня июля августа сентября октября ноября декабря"),
	"ar": strings.Fields("يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"),
	"uk": strings.Fields("січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня"),
	"ro": strings.Fields("ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie"),
	"vi": strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12"),
	"he": strings.Fields("ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר"),
	"hi": strings.Fields("जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर"),
	"ca": strings.Fields("gener febrer març abril maig juny juliol agost setembre octubre novembre desembre"),
	"hr": strings.Fields("siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca"),
	"sk": strings.Fields("januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra"),
	"lt": strings.Fields("sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio"),
	"et": strings.Fields("jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember"),
	"is": strings.Fields("janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember"),
	"lv": strings.Fields("janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris novembris decembris"),
	"th": strings.Fields("มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม"),
	"nl": strings.Fields("januari februari maart april mei juni juli augustus september oktober november december"),
	"pt": strings.Fields("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"),
	"gl": strings.Fields("xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro"),
	"es": strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
}

// day makes dates: D, M and Y are day, month and year; DD and MM have two digits; N is
// the month's name and A its abbreviation.
func day(from, to int, lang, format string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		t := time.Date(from+rng.IntN(to-from), time.Month(1+rng.IntN(12)), 1+rng.IntN(28), 0, 0, 0, 0, time.UTC)
		name := months[lang][t.Month()-1]
		text := strings.NewReplacer("DD", fmt.Sprintf("%02d", t.Day()), "D", strconv.Itoa(t.Day()), "MM", fmt.Sprintf("%02d", int(t.Month())), "Y", strconv.Itoa(t.Year()), "N", name, "A", string([]rune(name)[:min(3, len([]rune(name)))])).Replace(format)
		return t.Format(time.DateOnly), text
	}
}

// pairs makes names of two words.
func pairs(first, second string, format string) func(rng *rand.Rand, i int) string {
	a, b := strings.Fields(first), strings.Fields(second)
	return func(_ *rand.Rand, i int) string {
		return fmt.Sprintf(format, a[i%len(a)], b[i/len(a)%len(b)])
	}
}

// fixed makes given names.
func fixed(names ...string) func(rng *rand.Rand, i int) string {
	return func(_ *rand.Rand, i int) string { return names[i] }
}

// squashed makes an address of a name, without spaces and marks.
func squashed(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}
