// SPDX-License-Identifier: Apache-2.0

package pii

import "strings"

// isNational reports whether n is a number that a state assigns to a person. If
// the checksum of a number matches too many other numbers, the number also
// needs its usual grouping or a word before it.
func (n *numeral) isNational() bool {
	if n.fraction() {
		return false
	}
	if n.digits {
		return n.isDigitID()
	}
	s := n.compact
	switch len(s) {
	case 8:
		return n.isSpanish()
	case 9:
		return n.isSpanish() || n.isNINO() || isNRIC(s)
	case 10:
		return n.isPAN() || n.shaped("6-4", "6+4") && isHETU(s[:6], s[6:])
	case 11:
		return !isDigit(s[6]) && isHETU(s[:6], s[7:])
	case 16:
		return isCodiceFiscale(s)
	case 18:
		return isChinese(s)
	}
	return false
}

// isDigitID is isNational for numbers that contain only digits.
func (n *numeral) isDigitID() bool {
	s := n.compact
	if same(s) {
		return false
	}
	switch len(s) {
	case 9:
		return n.isSSN() || n.isNine()
	case 10:
		return n.isTen()
	case 11:
		return n.isEleven()
	case 12:
		return verhoeff(s) && s[0] > '1' && (n.shaped("4 4 4", "4-4-4") || n.cued("aadhaar", "aadhar", "uid")) ||
			isDay(s[2:8]) && luhn(s[2:]) && (s[:2] == "19" || s[:2] == "20") && n.shaped("8-4")
	case 13:
		return isAHV(s) || n.shape == "6-7" && isDay(s[:6]) && s[6] >= '1' && s[6] <= '4'
	case 15:
		return isNIR(s)
	case 18:
		return isChinese(s)
	}
	return false
}

// isSSN reports whether n is a social security number or an individual taxpayer
// number of the United States: 123-45-6789.
func (n *numeral) isSSN() bool {
	s := n.compact
	cued := n.x.before(n.start, "ssn", "social security", "itin", "social", "taxpayer", "security number", "tin")
	if !n.shaped("3-2-4", "3 2 4") && !cued || n.shape == "3 2 4" && !cued && !n.x.Loose {
		return false
	}
	if s[3:5] == "00" || s[5:] == "0000" {
		return false
	}
	if s[0] == '9' { // ITINs have their own range for this group
		g := number(s[3:5])
		return 50 <= g && g <= 65 || 70 <= g && g <= 88 || 90 <= g && g <= 92 || 94 <= g && g <= 99
	}
	return s[:3] != "000" && s[:3] != "666"
}

// isNine checks for other nine-digit numbers: Canada, the Netherlands,
// Australia and Portugal.
func (n *numeral) isNine() bool {
	s := n.compact
	switch {
	case luhn(s) && (n.shaped("3 3 3", "3-3-3") && s[0] != '0' && s[0] != '8' && n.x.Region == "CA" || n.x.before(n.start, "sin", "nas", "social insurance")):
		return true
	case (weighed(s, 9, 8, 7, 6, 5, 4, 3, 2)-int(s[8]-'0'))%11 == 0 && n.x.before(n.start, "bsn", "burgerservicenummer", "sofi"):
		return true
	case weighed(s, 1, 4, 3, 7, 5, 8, 6, 9, 10)%11 == 0 && n.x.before(n.start, "tfn", "tax file"):
		return true
	}
	check := (11 - weighed(s, 9, 8, 7, 6, 5, 4, 3, 2)%11) % 11
	return check%10 == int(s[8]-'0') && n.x.before(n.start, "nif", "contribuinte")
}

// isTen checks for ten-digit numbers: the British health service, Sweden,
// Denmark and Bulgaria.
func (n *numeral) isTen() bool {
	s := n.compact
	check := 11 - weighed(s, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11
	if check%11 == int(s[9]-'0') && check != 10 && (n.shaped("3 3 4", "3-3-4") && n.x.Region != "US" && n.x.Region != "CA" || n.x.before(n.start, "nhs", "health service")) {
		return true
	}
	if isDay(s[:6]) && luhn(s) && (n.shaped("6-4", "6+4") || n.cued("personnummer", "samordningsnummer")) {
		return true
	}
	day := s[4:6] + s[2:4] + s[:2]
	return isDay(day) && (n.shape == "6-4" && n.x.Region == "DK" || n.x.before(n.start, "cpr"))
}

// isEleven checks for eleven-digit numbers: Poland, Brazil, Germany, Norway,
// Belgium and Turkey.
func (n *numeral) isEleven() bool {
	s := n.compact
	switch {
	case isPESEL(s) && (len(n.shape) == 1 || n.cued("pesel")), isNorwegian(s) && (n.shaped("6 5", "6-5") || n.cued("fødselsnummer", "personnummer", "fnr")):
		return true
	case isCPF(s) && (n.shape == "3.3.3-2" || n.cued("cpf")):
		return true
	case isSteuerID(s) && (n.shape == "2 3 3 3" || n.x.before(n.start, "steuer", "idnr", "steuer-id", "tin", "identifikationsnummer", "steueridentifikationsnummer")):
		return true
	case isBelgian(s) && (n.shape == "2.2.2-3.2" || n.cued("rijksregister", "registre national", "nrn", "insz", "niss")):
		return true
	}
	return isTurkish(s) && n.x.before(n.start, "tckn", "kimlik", "tc no", "t.c.")
}

// isPESEL checks a Polish number. Its weights are 1, 3, 7 and 9, and it
// contains a birth date whose month also encodes the century.
func isPESEL(s string) bool {
	check := (10 - weighed(s, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3)%10) % 10
	month := number(s[2:4]) % 20
	day := number(s[4:6])
	return check == int(s[10]-'0') && 1 <= month && month <= 12 && 1 <= day && day <= 31
}

// isCPF checks a Brazilian number, which ends with two check digits modulo 11.
func isCPF(s string) bool {
	first := weighed(s, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	second := weighed(s, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	return first == int(s[9]-'0') && second == int(s[10]-'0')
}

// isSteuerID checks a German tax number (ISO/IEC 7064 MOD 11, 10).
func isSteuerID(s string) bool {
	if s[0] == '0' {
		return false
	}
	product := 10
	for i := range 10 {
		sum := (int(s[i]-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	return (11-product)%10 == int(s[10]-'0')
}

// isNorwegian checks a Norwegian number: a birth date and two check digits
// modulo 11.
func isNorwegian(s string) bool {
	first := (11 - weighed(s, 3, 7, 6, 1, 8, 9, 4, 5, 2)%11) % 11
	second := (11 - weighed(s, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11) % 11
	return isDay(s[4:6]+s[2:4]+s[:2]) && first == int(s[9]-'0') && second == int(s[10]-'0')
}

// isBelgian checks a Belgian number, which has a check value modulo 97. For
// people born from 2000 on, a 2 is put before the number first.
func isBelgian(s string) bool {
	base, check := number(s[:9]), number(s[9:])
	return 97-base%97 == check || 97-(2_000_000_000+base)%97 == check
}

// isTurkish checks a Turkish number by its two check digits.
func isTurkish(s string) bool {
	odd, even := 0, 0
	for i := range 9 {
		if i%2 == 0 {
			odd += int(s[i] - '0')
		} else {
			even += int(s[i] - '0')
		}
	}
	tenth := ((odd*7-even)%10 + 10) % 10
	return s[0] != '0' && tenth == int(s[9]-'0') && (odd+even+tenth)%10 == int(s[10]-'0')
}

// isAHV checks a Swiss number, an EAN-13 that begins with 756 for Switzerland.
func isAHV(s string) bool {
	return strings.HasPrefix(s, "756") && weighed(s, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1)%10 == 0
}

// isNIR checks a French number, whose last two digits are 97 minus the rest
// modulo 97.
func isNIR(s string) bool {
	month := number(s[3:5])
	return s[0] >= '1' && s[0] <= '2' && (1 <= month && month <= 12 || month >= 20 && month <= 42) && 97-number(s[:13])%97 == number(s[13:])
}

// isChinese checks the number of a Chinese resident (ISO/IEC 7064 MOD 11-2).
func isChinese(s string) bool {
	if !allDigits(s[:17]) || !isDay(s[8:14]) || s[6:8] != "19" && s[6:8] != "20" {
		return false
	}
	sum := weighed(s, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
	return "10X98765432"[sum%11] == s[17]
}

// isSpanish checks a DNI or NIE, whose letter encodes the number modulo 23.
func (n *numeral) isSpanish() bool {
	s := n.compact
	if len(s) != 9 {
		return false
	}
	lead := strings.IndexByte("XYZ", s[0])
	body := s[:8]
	if lead >= 0 {
		body = "012"[lead:lead+1] + s[1:8]
	}
	return allDigits(body) && "TRWAGMYFPDXBNJZSQVHLCKE"[number(body)%23] == s[8]
}

// isNINO checks the form of a British National Insurance number: QQ 12 34 56 C.
func (n *numeral) isNINO() bool {
	s := n.compact
	if !allDigits(s[2:8]) || s[8] < 'A' || s[8] > 'D' || isDigit(s[0]) || isDigit(s[1]) {
		return false
	}
	if strings.ContainsAny(s[:2], "DFIQUV") || s[1] == 'O' || strings.Contains("BG GB NK KN TN NT ZZ", s[:2]) {
		return false
	}
	return n.x.s[n.start] == s[0] // written in capitals
}

// isNRIC checks a number of Singapore by its check letter.
func isNRIC(s string) bool {
	if !allDigits(s[1:8]) {
		return false
	}
	sum := weighed(s[1:], 2, 7, 6, 5, 4, 3, 2)
	switch s[0] {
	case 'S':
		return "JZIHGFEDCBA"[sum%11] == s[8]
	case 'T':
		return "JZIHGFEDCBA"[(sum+4)%11] == s[8]
	case 'F':
		return "XWUTRQPNMLK"[sum%11] == s[8]
	case 'G':
		return "XWUTRQPNMLK"[(sum+4)%11] == s[8]
	}
	return false
}

// isPAN checks the form of an Indian tax number (PAN) of a person.
func (n *numeral) isPAN() bool {
	s := n.compact
	for i := range 10 {
		if isDigit(s[i]) != (5 <= i && i < 9) {
			return false
		}
	}
	return s[3] == 'P' && len(n.shape) == 1 && n.cued("pan", "permanent account")
}

// isHETU checks a Finnish number. day is the birth date, and rest follows the
// sign of the century. The last character encodes the number modulo 31.
func isHETU(day, rest string) bool {
	if !allDigits(day) || !allDigits(rest[:3]) || !isDay(day[4:]+day[2:4]+day[:2]) {
		return false
	}
	return "0123456789ABCDEFHJKLMNPRSTUVWXY"[number(day+rest[:3])%31] == rest[3]
}

// isCodiceFiscale checks an Italian number. Its last letter is a sum over the
// other characters. Those in odd places are translated by a table (decree of 23
// December 1976).
func isCodiceFiscale(s string) bool {
	const odd = "\x01\x00\x05\x07\x09\x0d\x0f\x11\x13\x15\x02\x04\x12\x14\x0b\x03\x06\x08\x0c\x0e\x10\x0a\x16\x19\x18\x17"
	for i, c := range []byte(s) {
		letter := !isDigit(c)
		switch i {
		case 6, 7, 9, 10, 12, 13, 14: // digits, or the letters that may replace them
			if letter && strings.IndexByte("LMNPQRSTUV", c) < 0 {
				return false
			}
		default:
			if !letter {
				return false
			}
		}
	}
	sum := 0
	for i := range 15 {
		v := int(s[i] - 'A')
		if isDigit(s[i]) {
			v = int(s[i] - '0')
		}
		if i%2 == 0 {
			v = int(odd[v])
		}
		sum += v
	}
	return int(s[15]-'A') == sum%26
}

// isDay reports whether s, in the form YYMMDD, is a date.
func isDay(s string) bool {
	month, day := number(s[2:4]), number(s[4:6])
	return allDigits(s) && 1 <= month && month <= 12 && 1 <= day && day <= 31
}

// verhoeff reports whether digits have the checksum of Verhoeff (1969).
func verhoeff(s string) bool {
	const multiply = "0123456789" + "1234067895" + "2340178956" + "3401289567" + "4012395678" +
		"5987604321" + "6598710432" + "7659821043" + "8765932104" + "9876543210"
	const permute = "0123456789" + "1576283094" + "5803796142" + "8916043527" + "9453126870" + "4286573901" + "2793806415" + "7046913258"
	c := 0
	for i := range len(s) {
		p := permute[i%8*10+int(s[len(s)-1-i]-'0')] - '0'
		c = int(multiply[c*10+int(p)] - '0')
	}
	return c == 0
}
