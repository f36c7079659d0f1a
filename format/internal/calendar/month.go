// SPDX-License-Identifier: Apache-2.0

package calendar

import "strings"

// Month returns the number of a month by its name, by the form that its name has in dates, or by
// its usual short form, in some thirty languages. It returns 0 for other words.
func Month(s string) int {
	const longest = 40 // bytes
	if len(s) < 3 || len(s) > longest {
		return 0
	}
	s = strings.ToLower(s)
	for m, names := range monthNames {
		if hasWord(names, s) {
			return m + 1
		}
	}
	return 0
}

// hasWord reports whether one of the words of a list, which spaces divide, is word.
func hasWord(list, word string) bool {
	for {
		i := strings.Index(list, word)
		if i < 0 {
			return false
		}
		end := i + len(word)
		if (i == 0 || list[i-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return true
		}
		list = list[end:]
	}
}

// monthNames are names of months in lower case. A name that two languages give to different months, such as listopada,
// is the one of the larger language.
var monthNames = [12]string{
	"january jan januar jänner janvier janv enero ene gennaio gen janeiro januari stycznia sty января янв січня ocak oca ledna " +
		"január januára ianuarie gener tammikuuta ιανουαρίου ιαν januára siječnja януари јануар sausio jaanuar janvāris يناير ינואר בינואר जनवरी",
	"february feb februar février févr fév febrero febbraio fevereiro fev februari lutego lut февраля фев февр лютого şubat şub února " +
		"február februára februarie febrer helmikuuta φεβρουαρίου φεβ veljače февруари фебруар vasario veebruar februāris pebruari فبراير פברואר בפברואר फ़रवरी फरवरी",
	"march mar märz mär mars marzo março maart mrt marca марта березня mart března marts " +
		"március martie març maaliskuuta μαρτίου μαρ ožujka март marec kovo märts maret مارس מרץ במרץ मार्च",
	"april apr avril avr abril abr aprile kwietnia kwi апреля апр квітня nisan nis dubna " +
		"április apríla aprilie huhtikuuta απριλίου απρ travnja април balandžio aprill aprīlis أبريل ابريل אפריל באפריל अप्रैल",
	"may mai mayo maggio mag maio mei maja мая травня mayıs května maj " +
		"május mája maig toukokuuta μαΐου svibnja май мај gegužės mijs مايو מאי במאי मई",
	"june jun juni juin junio giugno giu junho czerwca cze июня июн червня haziran haz června " +
		"június júna iunie juny kesäkuuta ιουνίου ιουν lipnja юни јун birželio juuni jūnijs junij يونيو יוני ביוני जून",
	"july jul juli juillet juil julio luglio lug julho lipca июля июл липня temmuz tem července " +
		"július júla iulie juliol heinäkuuta ιουλίου ιουλ srpnja юли јул liepos juuli jūlijs julij يوليو יולי ביולי जुलाई",
	"august aug août agosto ago augustus sierpnia sie августа авг серпня ağustos ağu srpna augusti " +
		"augusztus augusta agost elokuuta αυγούστου αυγ kolovoza август rugpjūčio augusts agustus avgust avgusta أغسطس אוגוסט באוגוסט अगस्त",
	"september sep sept septembre septiembre settembre setembro set września wrz сентября сен сент вересня eylül eyl září " +
		"szeptember septembra septembrie setembre syyskuuta σεπτεμβρίου σεπ rujna септември септембар rugsėjo septembris سبتمبر ספטמבר בספטמבר सितंबर",
	"october oct oktober okt octobre octubre ottobre ott outubro out października paź октября окт жовтня ekim eki října " +
		"október októbra octombrie lokakuuta οκτωβρίου οκτ октомври октобар spalio oktoober oktobris oktobra أكتوبر אוקטובר באוקטובר अक्टूबर अक्तूबर",
	"november nov novembre noviembre novembro listopada lis ноября ноя нояб листопада kasım kas listopadu " +
		"novembra noiembrie marraskuuta νοεμβρίου νοε studenoga studenog ноември новембар lapkričio novembris نوفمبر נובמבר בנובמבר नवंबर",
	"december dec dezember dez décembre déc diciembre dic dicembre dezembro grudnia gru декабря дек грудня aralık ara prosince " +
		"decembra decembrie desembre joulukuuta δεκεμβρίου δεκ prosinca декември децембар gruodžio detsember decembris desember ديسمبر דצמבר בדצמבר दिसंबर",
}
