// SPDX-License-Identifier: Apache-2.0

package pii_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/curlew/format/internal/pii"
)

// marked returns s with the spans that f found in brackets: [EMAIL john@x.org].
func marked(f *pii.Finder, s string) string { return brackets(s, f.Find(s)) }

func brackets(s string, found []pii.Span) string {
	var b strings.Builder
	at := 0
	for _, sp := range found {
		b.WriteString(s[at:sp.Start] + "[" + sp.Entity.String() + " " + s[sp.Start:sp.End] + "]")
		at = sp.End
	}
	return b.String() + s[at:]
}

func TestFind(t *testing.T) {
	for _, test := range []struct{ region, want string }{
		// EMAIL
		{"", "write to [EMAIL john.doe+tag@mail.example.org]."},
		{"", "[EMAIL jürgen@bücher.example], [EMAIL a@b.museum]"},
		{"", "[EMAIL info [at] example [dot] com] and [EMAIL info(at)example.com] and [EMAIL x%40example.com]"},
		{"", "logo@2x.png, @handle, a@b, user@localhost, 5 @ 3.00"},
		{"", "<[EMAIL a_b@c.de]>, '[EMAIL o'neil@x.ie]', **[EMAIL a@x.org]**"},

		// PHONE
		{"", "call [PHONE +49 (0) 30 1234567] or [PHONE +1-212-555-0123] or [PHONE 0044 20 7946 0958]"},
		{"", "[PHONE (212) 555-0123] and [PHONE 212.555.0199]; Tel.: [PHONE 030/1234567]"},
		{"DE", "Büro [PHONE 030 1234567], am 21.11.2026, Preis 1.299,00 €"},
		{"FR", "[PHONE 01 42 68 53 00], le 21/11/2026"},
		{"GB", "[PHONE 020 7946 0958]"},
		{"ES", "[PHONE 912 345 678]"},
		{"", "2026-11-21, 3.14159265, 1,234,567, ISBN 978-3-16-148410-0, order no 123456789, v1.2.3"},

		// FINANCIAL
		{"", "IBAN [FINANCIAL DE89 3704 0044 0532 0130 00], [FINANCIAL GB29NWBK60161331926819]"},
		{"", "DE88 3704 0044 0532 0130 00 and XX89370400440532013000"},
		{"", "[FINANCIAL 4111 1111 1111 1111], [FINANCIAL 378282246310005], [FINANCIAL 5555-5555-5555-4444]"},
		{"", "4111 1111 1111 1112, 1234567812345670, 0000000000000000"},
		{"", "BIC: [FINANCIAL COBADEFFXXX], but INTERNET is a word; routing number [FINANCIAL 021000021], 021000022"},
		{"", "[FINANCIAL 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa] and [FINANCIAL bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4]"},
		{"", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb and bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"},
		{"", "[FINANCIAL 0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe]"},

		// SECRET
		{"", "[SECRET AKIAIOSFODNN7EXAMPLE], [SECRET ghp_16C7e42F292c6912E7710c838347Ae178B4a]"},
		{"", "[SECRET eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U]"},
		{"", "eyJhbGci.abc, token: abc, Password: required"},
		{"", "password=[SECRET hunter2!x], api_key: \"[SECRET a8f3k2l9d0s7]\""},
		{"", "[SECRET -----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----] rest"},
		{"", "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----"},
		{"", "from [SECRET 192.0.2.17], [SECRET 2001:db8::8a2e:370:7334], [SECRET 00:1B:44:11:3A:B7]; version 1.2.3.4; at 12:30:45"},
		{"", "SSN [SECRET 123-45-6789], 000-45-6789, 666-12-3456, ITIN [SECRET 912-70-1234]"},
		{"", "NHS [SECRET 943 476 5919], nhs 943-4765918"},
		{"", "DNI [SECRET 12345678Z], 12345678A; NIE [SECRET X1234567L]"},
		{"", "CPF [SECRET 529.982.247-25], 529.982.247-26"},
		{"", "PESEL [SECRET 44051401359], 44051401358"},
		{"", "[SECRET 11010519491231002X], 110105194912310021"},
		{"", "[SECRET RSSMRA85T10A562S], RSSMRA85T10A562T"},
		{"", "NI: [SECRET AB 12 34 56 C]; Aadhaar [SECRET 2341 2341 2346], 2341 2341 2347"},
		{"", "IdNr [SECRET 86095742719]; AHV [SECRET 756.9217.0769.85]; [SECRET 131052-308T]"},
		{"", "NIR [SECRET 2 55 08 14 168 025 38]"},

		// PERSON
		{"", "said Dr. [PERSON Angela Weber] and Mrs [PERSON Smith]. Dear [PERSON Mary O'Neil],"},
		{"", "By [PERSON Jane Doe] on Monday; Kind regards,\n[PERSON Max Mustermann]"},
		{"", "[PERSON Julia van der Berg] met [PERSON John F. Kennedy]"},
		{"", "Dear Customer Service, by Acme Inc, Jordan River, in San Francisco"},

		// LOCATION
		{"", "at [LOCATION 12 Main Street, Springfield, IL 62704]."},
		{"", "[LOCATION 221B Baker Street, London NW1 6XE]; [LOCATION 1600 Pennsylvania Avenue NW, Washington, DC 20500-0003]"},
		{"", "[LOCATION Musterstraße 12, 10115 Berlin] und [LOCATION Willy-Brandt-Platz 3]"},
		{"", "[LOCATION 12 rue de la Paix, 75002 Paris], [LOCATION Via Roma 1], [LOCATION Calle Mayor 5]"},
		{"", "[LOCATION P.O. Box 1234] at [LOCATION 52.5200, 13.4050] or [LOCATION 52.52° N, 13.40° E]"},
		{"", "12 Angry Men, 5 stars, 3.141, 2.718 in Great Britain 2012"},
	} {
		f := pii.Finder{Region: test.region}
		plain := strings.NewReplacer("[EMAIL ", "", "[PHONE ", "", "[FINANCIAL ", "", "[SECRET ", "", "[PERSON ", "", "[LOCATION ", "").Replace(test.want)
		if strings.Contains(test.want, "[at]") {
			plain = strings.ReplaceAll(strings.ReplaceAll(plain, "com] and", "com and"), "com]", "com")
		} else {
			plain = strings.ReplaceAll(plain, "]", "")
		}
		if got := marked(&f, plain); got != test.want {
			t.Errorf("region %q\n got %s\nwant %s", test.region, got, test.want)
		}
	}
}

func TestFindURL(t *testing.T) {
	for _, want := range []string{
		"https://a.example/[EMAIL john@x.org]/b?mail=[EMAIL ann%40x.org]&n=5551234567",
		"mailto:[EMAIL a@b.org]?subject=x",
		"tel:[PHONE +49-30-1234567]",
		"https://192.0.2.7:8080/x?from=[SECRET 192.0.2.9]",
		"https://a.example/?token=[SECRET a8f3k2l9d0s7Q]&card=[FINANCIAL 4111111111111111]",
		"https://[SECRET user:secret]@a.example/",
		"/relative/path?x=1",
		"https://a.example/2026/11/21/20261121-123456",
	} {
		plain := strings.NewReplacer("[EMAIL ", "", "[PHONE ", "", "[SECRET ", "", "[FINANCIAL ", "", "]", "").Replace(want)
		if got := brackets(plain, new(pii.Finder).FindURL(plain)); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
}

func TestKnown(t *testing.T) {
	f := pii.Finder{Names: []string{"Zo Quux", "Ix"}, Places: []string{"the old mill"}}
	const want = "[PERSON Zo Quux], [PERSON Zo  Quux] and [PERSON Ix] of [LOCATION the old mill], not Ixy or Zo Quuxes"
	plain := strings.NewReplacer("[PERSON ", "", "[LOCATION ", "", "]", "").Replace(want)
	if got := marked(&f, plain); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	only := pii.Finder{Entities: pii.Of(pii.Email)}
	if got := marked(&only, "a@b.org, 4111111111111111"); got != "[EMAIL a@b.org], 4111111111111111" {
		t.Errorf("only addresses: %s", got)
	}
	for name, want := range map[string]bool{"Jane Doe": true, "Jane": false, "Acme Inc": false, "Jane Doe writes": false, "": false, "Ludwig van Beethoven": true} {
		if pii.IsName(name) != want {
			t.Errorf("IsName(%q) = %v", name, !want)
		}
	}
}

// TestHostile checks that searches of hostile texts end and return valid spans.
// A recogniser that took quadratic time would not finish.
func TestHostile(t *testing.T) {
	for _, unit := range []string{"a@", "@", "1 ", "1-", "+1 ", "eyJ-", "sk-", "password ", "::", "1.", "(", "A ", "12 Ab ", "-----BEGIN ", "a.b@c.", "é", "\x80", "DE89 "} {
		s := strings.Repeat(unit, 1<<17/len(unit))
		for _, sp := range new(pii.Finder).Find(s) {
			if sp.Start >= sp.End || sp.End > len(s) {
				t.Fatalf("%q: span %v", unit, sp)
			}
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("Dr. Jane Doe, john@x.org, +49 30 1234567, DE89 3704 0044 0532 0130 00, 12 Main Street, Springfield, IL 62704", "DE", true)
	f.Add("password: x=\"y\" eyJhbGciOiJIUzI1NiJ9.e30.x ::1 00:1B:44:11:3A:B7 131052-308T", "FR", false)
	f.Fuzz(func(t *testing.T, s, region string, loose bool) {
		finder := pii.Finder{Region: region, Loose: loose, Names: []string{s, "A B"}}
		for _, found := range [][]pii.Span{finder.Find(s), finder.FindURL(s)} {
			end := 0
			for _, sp := range found {
				if sp.Start < end || sp.End <= sp.Start || sp.End > len(s) || int(sp.Entity) >= pii.Entities {
					t.Fatalf("spans %v of %q", found, s)
				}
				if !utf8.ValidString(s) {
					continue
				}
				if !utf8.ValidString(s[sp.Start:sp.End]) {
					t.Fatalf("span %v of %q splits a character", sp, s)
				}
				end = sp.End
			}
		}
	})
}

// TestStop checks that a stopped search ends soon and reports its whole text.
func TestStop(t *testing.T) {
	for _, unit := range []string{"1 2-3.4(5)", "a.b-c_d@e.", "Anna ", "::1:", "-", "12 Main Street, "} {
		s := strings.Repeat(unit, 200_000)
		asked := 0
		f := pii.Finder{Entities: pii.Of(pii.Email), Names: []string{"Bert"}, Stop: func() bool { asked++; return asked > 3 }}
		for _, found := range [][]pii.Span{f.Find(s), f.FindURL(s)} {
			if len(found) != 1 || found[0].Start != 0 || found[0].End != len(s) {
				t.Errorf("%q: %v", unit, found)
			}
		}
		if asked > 8 {
			t.Errorf("%q: asked %d times", unit, asked)
		}
	}
}
