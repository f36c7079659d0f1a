// SPDX-License-Identifier: Apache-2.0

package numfmt

import (
	"strconv"
	"strings"
)

// names are the long and short names of months, from January, and weekdays,
// from Monday, as Excel shows them. They are separated by vertical bars.
type names struct{ months, shortMonths, days, shortDays string }

// languages are the names by the primary language of a locale identifier ([MS-LCID] 2.1)
// and by language tag. They are not a map, which would need code to fill it.
var languages = [...]struct {
	id    uint64
	tag   string
	names names
}{
	{0x07, "de", names{
		"Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember",
		"Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez",
		"Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag",
		"Mo|Di|Mi|Do|Fr|Sa|So",
	}},
	{0x0C, "fr", names{
		"janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
		"janv.|févr.|mars|avr.|mai|juin|juil.|août|sept.|oct.|nov.|déc.",
		"lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
		"lun.|mar.|mer.|jeu.|ven.|sam.|dim.",
	}},
	{0x0A, "es", names{
		"enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre",
		"ene|feb|mar|abr|may|jun|jul|ago|sep|oct|nov|dic",
		"lunes|martes|miércoles|jueves|viernes|sábado|domingo",
		"lu.|ma.|mi.|ju.|vi.|sá.|do.",
	}},
	{0x10, "it", names{
		"gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre",
		"gen|feb|mar|apr|mag|giu|lug|ago|set|ott|nov|dic",
		"lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica",
		"lun|mar|mer|gio|ven|sab|dom",
	}},
	{0x16, "pt", names{
		"janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro",
		"jan|fev|mar|abr|mai|jun|jul|ago|set|out|nov|dez",
		"segunda-feira|terça-feira|quarta-feira|quinta-feira|sexta-feira|sábado|domingo",
		"seg|ter|qua|qui|sex|sáb|dom",
	}},
	{0x13, "nl", names{
		"januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december",
		"jan|feb|mrt|apr|mei|jun|jul|aug|sep|okt|nov|dec",
		"maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag",
		"ma|di|wo|do|vr|za|zo",
	}},
	{0x15, "pl", names{
		"styczeń|luty|marzec|kwiecień|maj|czerwiec|lipiec|sierpień|wrzesień|październik|listopad|grudzień",
		"sty|lut|mar|kwi|maj|cze|lip|sie|wrz|paź|lis|gru",
		"poniedziałek|wtorek|środa|czwartek|piątek|sobota|niedziela",
		"pon.|wt.|śr.|czw.|pt.|sob.|niedz.",
	}},
	{0x1D, "sv", names{
		"januari|februari|mars|april|maj|juni|juli|augusti|september|oktober|november|december",
		"jan.|feb.|mars|apr.|maj|juni|juli|aug.|sep.|okt.|nov.|dec.",
		"måndag|tisdag|onsdag|torsdag|fredag|lördag|söndag",
		"mån|tis|ons|tor|fre|lör|sön",
	}},
	{0x06, "da", names{
		"januar|februar|marts|april|maj|juni|juli|august|september|oktober|november|december",
		"jan|feb|mar|apr|maj|jun|jul|aug|sep|okt|nov|dec",
		"mandag|tirsdag|onsdag|torsdag|fredag|lørdag|søndag",
		"ma|ti|on|to|fr|lø|sø",
	}},
	{0x14, "nb", names{
		"januar|februar|mars|april|mai|juni|juli|august|september|oktober|november|desember",
		"jan|feb|mar|apr|mai|jun|jul|aug|sep|okt|nov|des",
		"mandag|tirsdag|onsdag|torsdag|fredag|lørdag|søndag",
		"man|tir|ons|tor|fre|lør|søn",
	}},
	{0x0B, "fi", names{
		"tammikuu|helmikuu|maaliskuu|huhtikuu|toukokuu|kesäkuu|heinäkuu|elokuu|syyskuu|lokakuu|marraskuu|joulukuu",
		"tammi|helmi|maalis|huhti|touko|kesä|heinä|elo|syys|loka|marras|joulu",
		"maanantai|tiistai|keskiviikko|torstai|perjantai|lauantai|sunnuntai",
		"ma|ti|ke|to|pe|la|su",
	}},
	{0x05, "cs", names{
		"leden|únor|březen|duben|květen|červen|červenec|srpen|září|říjen|listopad|prosinec",
		"I|II|III|IV|V|VI|VII|VIII|IX|X|XI|XII",
		"pondělí|úterý|středa|čtvrtek|pátek|sobota|neděle",
		"po|út|st|čt|pá|so|ne",
	}},
	{0x0E, "hu", names{
		"január|február|március|április|május|június|július|augusztus|szeptember|október|november|december",
		"jan.|febr.|márc.|ápr.|máj.|jún.|júl.|aug.|szept.|okt.|nov.|dec.",
		"hétfő|kedd|szerda|csütörtök|péntek|szombat|vasárnap",
		"H|K|Sze|Cs|P|Szo|V",
	}},
	{0x1F, "tr", names{
		"Ocak|Şubat|Mart|Nisan|Mayıs|Haziran|Temmuz|Ağustos|Eylül|Ekim|Kasım|Aralık",
		"Oca|Şub|Mar|Nis|May|Haz|Tem|Ağu|Eyl|Eki|Kas|Ara",
		"Pazartesi|Salı|Çarşamba|Perşembe|Cuma|Cumartesi|Pazar",
		"Pzt|Sal|Çar|Per|Cum|Cmt|Paz",
	}},
	{0x19, "ru", names{
		"январь|февраль|март|апрель|май|июнь|июль|август|сентябрь|октябрь|ноябрь|декабрь",
		"янв.|фев.|март|апр.|май|июнь|июль|авг.|сен.|окт.|ноя.|дек.",
		"понедельник|вторник|среда|четверг|пятница|суббота|воскресенье",
		"Пн|Вт|Ср|Чт|Пт|Сб|Вс",
	}},
	{0x11, "ja", names{
		"1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月",
		"1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月",
		"月曜日|火曜日|水曜日|木曜日|金曜日|土曜日|日曜日",
		"月|火|水|木|金|土|日",
	}},
	{0x04, "zh", names{
		"一月|二月|三月|四月|五月|六月|七月|八月|九月|十月|十一月|十二月",
		"1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月",
		"星期一|星期二|星期三|星期四|星期五|星期六|星期日",
		"周一|周二|周三|周四|周五|周六|周日",
	}},
	{0x12, "ko", names{
		"1월|2월|3월|4월|5월|6월|7월|8월|9월|10월|11월|12월",
		"1월|2월|3월|4월|5월|6월|7월|8월|9월|10월|11월|12월",
		"월요일|화요일|수요일|목요일|금요일|토요일|일요일",
		"월|화|수|목|금|토|일",
	}},
	{0x08, "el", names{
		"Ιανουάριος|Φεβρουάριος|Μάρτιος|Απρίλιος|Μάιος|Ιούνιος|Ιούλιος|Αύγουστος|Σεπτέμβριος|Οκτώβριος|Νοέμβριος|Δεκέμβριος",
		"Ιαν|Φεβ|Μαρ|Απρ|Μαϊ|Ιουν|Ιουλ|Αυγ|Σεπ|Οκτ|Νοε|Δεκ",
		"Δευτέρα|Τρίτη|Τετάρτη|Πέμπτη|Παρασκευή|Σάββατο|Κυριακή",
		"Δευ|Τρι|Τετ|Πεμ|Παρ|Σαβ|Κυρ",
	}},
	{0x22, "uk", names{
		"січень|лютий|березень|квітень|травень|червень|липень|серпень|вересень|жовтень|листопад|грудень",
		"Січ|Лют|Бер|Кві|Тра|Чер|Лип|Сер|Вер|Жов|Лис|Гру",
		"понеділок|вівторок|середа|четвер|п'ятниця|субота|неділя",
		"Пн|Вт|Ср|Чт|Пт|Сб|Нд",
	}},
	{0x18, "ro", names{
		"ianuarie|februarie|martie|aprilie|mai|iunie|iulie|august|septembrie|octombrie|noiembrie|decembrie",
		"ian.|feb.|mar.|apr.|mai|iun.|iul.|aug.|sept.|oct.|nov.|dec.",
		"luni|marți|miercuri|joi|vineri|sâmbătă|duminică",
		"lun.|mar.|mie.|joi|vin.|sâm.|dum.",
	}},
	{0x1B, "sk", names{
		"január|február|marec|apríl|máj|jún|júl|august|september|október|november|december",
		"1|2|3|4|5|6|7|8|9|10|11|12",
		"pondelok|utorok|streda|štvrtok|piatok|sobota|nedeľa",
		"po|ut|st|št|pi|so|ne",
	}},
}

// namesOf returns the names for a locale code such as "407", "C0A" or
// "de-DE". It returns nil for English and for unknown languages.
func namesOf(locale string) *names {
	id, err := strconv.ParseUint(locale, 16, 32)
	tag, _, _ := strings.Cut(locale, "-")
	for i := range languages {
		if l := &languages[i]; err == nil && l.id == id&0x3FF || err != nil && strings.EqualFold(l.tag, tag) {
			return &l.names
		}
	}
	return nil
}

// pick returns name n of a list, counted from 0.
func pick(list string, n int) string {
	for ; n > 0; n-- {
		_, list, _ = strings.Cut(list, "|")
	}
	name, _, _ := strings.Cut(list, "|")
	return name
}
