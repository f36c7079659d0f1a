// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"crypto/sha256"
	"math/big"
	"strings"
)

// isCard reports whether n is a payment card number. It checks the issuer's
// range for this length and the Luhn checksum.
func (n *numeral) isCard() bool {
	s := n.compact
	if !n.digits || n.fraction() || same(s) || !luhn(s) || strings.ContainsAny(n.shape, "./+") {
		return false
	}
	two, three, four := number(s[:2]), number(s[:3]), number(s[:4])
	issued := false
	switch len(s) {
	case 13:
		issued = s[0] == '4'
	case 14:
		issued = two == 36 || two == 38 || 300 <= three && three <= 305 || two == 39
	case 15:
		issued = two == 34 || two == 37 || four == 2131 || four == 1800
	case 16, 17, 18, 19:
		issued = s[0] == '4' && len(s) != 17 && len(s) != 18 ||
			51 <= two && two <= 55 && len(s) == 16 || 2221 <= four && four <= 2720 && len(s) == 16 ||
			four == 6011 || two == 65 || 644 <= three && three <= 649 || two == 62 || two == 81 ||
			3528 <= four && four <= 3589 || two == 50 || 56 <= two && two <= 58 || two == 60 || two == 63 || two == 67 || 2200 <= four && four <= 2204
	}
	if !issued {
		return false
	}
	if n.shaped("4 4 4 4", "4-4-4-4", "4 6 5", "4-6-5", "4 6 4", "4-6-4") {
		return true
	}
	if len(n.shape) > 1 { // grouped in an unusual way
		return n.cued("card", "visa", "mastercard", "amex", "karte", "carte", "tarjeta", "carta")
	}
	return true
}

// ibanLengths lists the length of an IBAN for each country, from the IBAN
// registry of SWIFT.
const ibanLengths = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 " +
	"FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 " +
	"MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 " +
	"ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30 "

// isIBAN reports whether n is an international bank account number (ISO 13616).
func (n *numeral) isIBAN() bool {
	s := n.compact
	if len(s) < 15 || !isDigit(s[2]) || !isDigit(s[3]) || isDigit(s[0]) || isDigit(s[1]) {
		return false
	}
	i := strings.Index(ibanLengths, s[:2])
	if i < 0 || i%5 != 0 || number(ibanLengths[i+2:i+4]) != len(s) {
		return false
	}
	return mod97(s[4:]+s[:4]) == 1
}

// isBIC reports whether n is a bank identifier code (ISO 9362). Ordinary words
// can have the same form, so "BIC" or "SWIFT" must precede it.
func (n *numeral) isBIC() bool {
	s := n.compact
	if len(s) != 8 && len(s) != 11 || len(n.shape) != 1 || n.x.s[n.start:n.end] != s {
		return false
	}
	for i := range 6 {
		if isDigit(s[i]) {
			return false
		}
	}
	return n.x.before(n.start, "bic", "swift") && strings.Contains(ibanLengths+countries, s[4:6])
}

// countries lists countries that have BICs but no IBANs.
const countries = "US CA AU NZ JP CN HK SG IN KR ZA MX AR CL CO PE TH MY ID PH VN NG KE MA "

// isRouting reports whether n is a routing number of the American Bankers
// Association.
func (n *numeral) isRouting() bool {
	s := n.compact
	if !n.digits || len(n.shape) != 1 || weighed(s, 3, 7, 1, 3, 7, 1, 3, 7, 1)%10 != 0 || same(s) {
		return false
	}
	district := number(s[:2])
	if district > 12 && (district < 21 || district > 32) && (district < 61 || district > 72) && district != 80 {
		return false
	}
	return n.x.before(n.start, "routing", "aba", "rtn", "routing number")
}

// addresses finds the addresses of cryptocurrencies.
func (x *scan) addresses() {
	if !x.Entities.Has(Financial) {
		return
	}
	for _, w := range x.words {
		s := x.text(w)
		switch {
		case len(s) < 26 || len(s) > 90 || !w.digit || !w.letter:
		case (s[0] == '1' || s[0] == '3' || s[0] == 'L' || s[0] == 'D' || s[0] == 'm' || s[0] == '2' || s[0] == 'T' || s[0] == 'r') && len(s) <= 35 && base58Check(s),
			len(s) == 42 && strings.HasPrefix(s, "0x") && isHex(s[2:]),
			bech32(s):
			x.add(w.start, w.end, Financial)
		}
	}
}

func isHex(s string) bool { return s != "" && strings.Trim(s, "0123456789abcdefABCDEF") == "" }

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// base58Check reports whether s encodes a version byte, 20 bytes and their
// checksum in Bitcoin's Base58Check.
func base58Check(s string) bool {
	n, digit := new(big.Int), new(big.Int)
	fiftyEight := big.NewInt(58)
	for i := range len(s) {
		d := strings.IndexByte(base58, s[i])
		if d < 0 {
			return false
		}
		n.Add(n.Mul(n, fiftyEight), digit.SetInt64(int64(d)))
	}
	if n.BitLen() > 25*8 {
		return false
	}
	var raw [25]byte
	n.FillBytes(raw[:])
	sum := sha256.Sum256(raw[:21])
	sum = sha256.Sum256(sum[:])
	return string(sum[:4]) == string(raw[21:])
}

// bech32 reports whether s is an address in the encoding of BIP 173 or BIP 350.
func bech32(s string) bool {
	const charset = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	if s != strings.ToLower(s) && s != strings.ToUpper(s) {
		return false
	}
	s = strings.ToLower(s)
	prefix, _, ok := strings.Cut(s, "1")
	if !ok || prefix != "bc" && prefix != "tb" && prefix != "ltc" {
		return false
	}
	check := uint32(1)
	step := func(v uint32) {
		top := check >> 25
		check = check&0x1ffffff<<5 ^ v
		for i, g := range [5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				check ^= g
			}
		}
	}
	for _, c := range []byte(prefix) {
		step(uint32(c >> 5))
	}
	step(0)
	for _, c := range []byte(prefix) {
		step(uint32(c & 31))
	}
	for _, c := range []byte(s[len(prefix)+1:]) {
		v := strings.IndexByte(charset, c)
		if v < 0 {
			return false
		}
		step(uint32(v)) //nolint:gosec // below 32
	}
	return check == 1 || check == 0x2bc830a3
}
