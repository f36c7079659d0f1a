// SPDX-License-Identifier: Apache-2.0

package format

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Price is an amount of money.
type Price struct {
	Amount    float64 `json:"amount"`
	Currency  string  `json:"currency,omitempty"`  // ISO 4217; empty if the page does not say
	Formatted string  `json:"formatted,omitempty"` // the text of the page, or else amount and currency
}

// Availability says whether a product or dish is in stock.
type Availability struct {
	InStock bool   `json:"inStock"`
	Text    string `json:"text,omitempty"` // the schema.org name, or the words of the page
}

// Picture is an image of a product or dish.
type Picture struct {
	URL string `json:"url"` // absolute
	Alt string `json:"alt,omitempty"`
}

// settle sets the currency of p to that of other if p has none. Either may be nil.
func (p *Price) settle(other *Price) {
	if p == nil || other == nil || p.Currency != "" || !isCode(other.Currency) {
		return
	}
	p.Currency = other.Currency
	if p.Formatted == written(p.Amount, "") {
		p.Formatted = written(p.Amount, p.Currency)
	}
}

// symbols are the signs of currencies. A longer sign comes before the signs that
// it contains. Signs that several countries use have no code here.
var symbols = []struct{ sign, code string }{
	{"US$", "USD"},
	{"CA$", "CAD"},
	{"AU$", "AUD"},
	{"NZ$", "NZD"},
	{"HK$", "HKD"},
	{"NT$", "TWD"},
	{"A$", "AUD"},
	{"C$", "CAD"},
	{"R$", "BRL"},
	{"S$", "SGD"},
	{"€", "EUR"},
	{"£", "GBP"},
	{"₹", "INR"},
	{"₽", "RUB"},
	{"₩", "KRW"},
	{"₺", "TRY"},
	{"₫", "VND"},
	{"₪", "ILS"},
	{"฿", "THB"},
	{"₱", "PHP"},
	{"₴", "UAH"},
	{"zł", "PLN"},
	{"Kč", "CZK"},
	{"Rs.", "INR"},
	{"Fr.", "CHF"},
	{"$", ""},
	{"¥", ""},
	{"￥", ""},
	{"kr", ""},
}

// codes are the codes of currencies that are read in texts.
const codes = " AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW KWD MAD MXN MYR NGN " +
	"NOK NZD PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR "

// isCode reports whether s is the code of a currency.
func isCode(s string) bool {
	return len(s) == 3 && strings.Contains(codes, " "+s+" ")
}

// shared returns the currency of a sign that several countries use, by the language. It
// returns "" if the language does not decide it.
func shared(sign, lang string) string {
	lang = strings.ToLower(strings.ReplaceAll(lang, "_", "-"))
	primary, region, _ := strings.Cut(lang, "-")
	var byPlace string
	switch sign {
	case "$":
		byPlace = "en=USD us=USD ca=CAD au=AUD nz=NZD sg=SGD hk=HKD mx=MXN ar=ARS cl=CLP co=COP"
	case "¥", "￥":
		byPlace = "ja=JPY jp=JPY zh=CNY cn=CNY"
	case "kr":
		byPlace = "sv=SEK se=SEK da=DKK dk=DKK no=NOK nb=NOK nn=NOK is=ISK"
	}
	for _, place := range []string{region, primary} {
		for pair := range strings.FieldsSeq(byPlace) {
			if at, code, _ := strings.Cut(pair, "="); at == place && (place != "is" || sign == "kr") {
				return code
			}
		}
	}
	return ""
}

// commaDecimal reports whether lang writes 1.234,56.
func commaDecimal(lang string) bool {
	primary, _, _ := strings.Cut(strings.ToLower(lang), "-")
	return slices.Contains([]string{
		"de", "fr", "es", "it", "pt", "nl", "da", "sv", "nb", "no", "fi", "pl", "cs", "sk", "hu", "ro", "bg", "el", "tr",
		"ru", "uk", "id", "vi", "hr", "sl", "sr", "lt", "lv", "et", "ca",
	}, primary)
}

// readAmount reads an amount with groups of digits that points, commas,
// apostrophes or spaces separate. Three digits after a single separator are a group of
// thousands if the text is for people rather than machines, if the separator is a comma,
// or if the language writes 1.234,56. After a leading zero they are always decimals.
func readAmount(s, lang string, machine bool) (float64, bool) {
	s = strings.TrimRight(strings.TrimSpace(s), ".,-–")
	var b strings.Builder
	last, count := -1, 0 // of separators that may be decimal
	var sep rune
	mixed := false
	for _, r := range s {
		switch {
		case '0' <= r && r <= '9':
			b.WriteRune(r)
		case r == '.' || r == ',':
			mixed = mixed || sep != 0 && sep != r
			sep, last = r, b.Len()
			count++
			if mixed {
				count = 1
			}
		case r == '\'' || r == '’' || unicode.IsSpace(r):
		default:
			return 0, false
		}
	}
	digits := b.String()
	if digits == "" || len(digits) > 15 || count == 1 && last == 0 {
		return 0, false
	}
	decimals := len(digits) - last
	grouped := count > 1 && !mixed || decimals == 3 && !mixed && digits[0] != '0' && (!machine || sep == ',' || commaDecimal(lang))
	if last >= 0 && !grouped && decimals > 0 {
		digits = digits[:last] + "." + digits[last:]
	}
	f, err := strconv.ParseFloat(digits, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// machinePrice reads a price in structured data. It is nil if there is none.
func machinePrice(amount, currency, lang string) *Price {
	code := strings.ToUpper(strings.TrimSpace(currency))
	if p := shownPrice(amount, lang); p != nil { // the amount may contain a sign
		if isCode(code) {
			p.Currency = code
		}
		p.Formatted = written(p.Amount, p.Currency)
		return p
	}
	f, ok := readAmount(amount, lang, true)
	if !ok {
		return nil
	}
	if len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		code = ""
		for _, s := range symbols {
			if s.sign == strings.TrimSpace(currency) {
				code = s.code
				if code == "" {
					code = shared(s.sign, lang)
				}
				break
			}
		}
	}
	return &Price{Amount: f, Currency: code, Formatted: written(f, code)}
}

// written returns an amount with the code of its currency.
func written(f float64, code string) string {
	decimals := 2
	if f == math.Trunc(f) && slices.Contains([]string{"JPY", "KRW", "VND", "CLP", "ISK", "HUF", "IDR"}, code) {
		decimals = 0
	}
	return strings.TrimSpace(strconv.FormatFloat(f, 'f', decimals, 64) + " " + code)
}

// shownPrice reads a text that is a price and nothing else, such as "1.299,00 €"
// or "from USD 5". It is nil for other texts.
func shownPrice(s, lang string) *Price {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 60 {
		return nil
	}
	rest, code, found := s, "", false
	for _, sym := range symbols {
		if i := strings.Index(rest, sym.sign); i >= 0 && (sym.sign != "kr" || !letterAt(rest, i+2)) {
			code, found = sym.code, true
			if code == "" {
				code = shared(sym.sign, lang)
			}
			rest = rest[:i] + " " + rest[i+len(sym.sign):]
			break
		}
	}
	var number []string
	for word := range strings.FieldsSeq(rest) {
		switch upper := strings.ToUpper(word); {
		case isCode(upper) && upper == word:
			code, found = upper, true
		case len(word) >= 3 && isCode(word[:3]) && strings.TrimLeft(word[3:], "0123456789.,'") == "":
			code, found = word[:3], true
			number = append(number, word[3:])
		case strings.ContainsFunc(word, unicode.IsLetter):
			if len(number) > 0 || !slices.Contains(lead, strings.ToLower(strings.TrimRight(word, ":"))) {
				return nil
			}
		default:
			number = append(number, word)
		}
	}
	if !found || len(number) == 0 || len(number) > 4 {
		return nil
	}
	f, ok := readAmount(strings.Join(number, " "), lang, false)
	if !ok {
		return nil
	}
	return &Price{Amount: f, Currency: code, Formatted: s}
}

// lead are words that may precede a price.
var lead = []string{"from", "ab", "price", "now", "sale", "only", "à", "partir", "de", "desde", "preis", "nur", "jetzt", "was"}

func letterAt(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLetter(r)
}

// readAvailability reads schema.org names and common words. It returns nil for other
// texts.
func readAvailability(s string) *Availability {
	name := strings.TrimSpace(s)
	if i := strings.LastIndexAny(name, "/#"); i >= 0 {
		name = name[i+1:]
	}
	key := strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '_' {
			return -1
		}
		return unicode.ToLower(r)
	}, cut(name, 100))
	switch key {
	case "instock", "instoreonly", "onlineonly", "limitedavailability", "madetoorder", "available", "availablefororder",
		"auflager", "lieferbar", "enstock", "disponible", "disponibile", "emestoque", "opvoorraad", "true":
		return &Availability{InStock: true, Text: cut(name, 100)}
	case "outofstock", "soldout", "discontinued", "backorder", "preorder", "presale", "reserved", "oos", "unavailable",
		"ausverkauft", "nichtlieferbar", "rupturedestock", "agotado", "esaurito", "esgotado", "uitverkocht", "false":
		return &Availability{Text: cut(name, 100)}
	}
	return nil
}

// isCents reports whether a superscript is the second part of a price such as $19⁹⁹. A currency sign stands before or
// after it.
func isCents(n *html.Node, before, text string) bool {
	first := ""
	if n.NextSibling != nil {
		first = strings.TrimLeft(n.NextSibling.Data, spaces+noBreak)
	}
	after, _ := utf8.DecodeRuneInString(first)
	sign, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, "0123456789."+spaces+noBreak))
	return len(text) == 2 && strings.Trim(text, "0123456789") == "" && (unicode.Is(unicode.Sc, sign) || unicode.Is(unicode.Sc, after))
}

// raise writes a superscript that is an exponent as ^2 or ^(n+1): one with an operator,
// or one after a number or a single letter. Ordinals, marks and references to notes stay
// as they are.
func raise(n *html.Node) {
	c := n.FirstChild
	if c == nil || c.NextSibling != nil || c.Type != html.TextNode {
		return
	}
	text := strings.Trim(c.Data, spaces+noBreak)
	before := textBefore(n)
	last, size := utf8.DecodeLastRuneInString(before)
	beyond, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
	number := unicode.IsDigit(last)
	single := number || unicode.IsLetter(last) && !unicode.IsLetter(beyond) && !unicode.IsDigit(beyond)
	digits := strings.Trim(strings.TrimLeft(text, "+-−–"), "0123456789.") == ""
	switch {
	case number && isCents(n, before, text):
		c.Data = "." + text
	case text == "" || isOrdinal(text) || !number && !unicode.IsLetter(last) && !strings.ContainsRune(")]}|", last):
	case strings.Trim(text, "0123456789,-–− ") == "" && !digits: // references such as 1-3
	case !digits && strings.ContainsAny(text[1:], "+*/=<>^-−–"):
		c.Data = "^(" + text + ")"
	case digits && isFormula(before):
		c.Data = "^" + text
	case !single || digits && number: // the writer of Markdown does it for numbers
	case digits || utf8.RuneCountInString(text) == 1 && unicode.IsLetter([]rune(text)[0]):
		c.Data = "^" + text
	}
}

// isFormula reports whether a text ends with a formula in parentheses, such as (a+b). After a remark or after years, such as
// (1990-95), a superscript refers to a note.
func isFormula(text string) bool {
	open := strings.LastIndexByte(text, '(')
	if open < 0 || !strings.HasSuffix(text, ")") {
		return false
	}
	letters := strings.FieldsFunc(text[open:], func(r rune) bool { return !unicode.IsLetter(r) })
	words := slices.ContainsFunc(letters, func(s string) bool { return utf8.RuneCountInString(s) > 1 })
	return !words && (strings.ContainsAny(text[open:], "+*=×·") || len(letters) > 0 && strings.ContainsAny(text[open:], "/-−–"))
}

// textBefore returns the text just before n, which may be in an element such as i, or
// "" if there is none.
func textBefore(n *html.Node) string {
	switch p := n.PrevSibling; {
	case p == nil:
	case p.Type == html.TextNode:
		return p.Data
	case p.DataAtom == atom.I || p.DataAtom == atom.Em || p.DataAtom == atom.Var || p.DataAtom == atom.B || p.DataAtom == atom.Strong || p.DataAtom == atom.Span:
		return textOf(p)
	}
	return ""
}

// isOrdinal reports whether a superscript is the end of an ordinal number, or of an
// abbreviation, rather than an exponent.
func isOrdinal(text string) bool {
	return slices.Contains([]string{"st", "nd", "rd", "th", "er", "re", "ère", "ème", "o", "a", "os", "as", "te", "ste", "tm", "sm"}, strings.ToLower(text))
}
