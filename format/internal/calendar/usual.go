// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"slices"
	"strings"
)

// Usual returns the order in which most people write the month and the day in numbers, by
// the language of a page, such as en-GB, and by the country in its URL.
func Usual(language, href string) Order {
	language = strings.ToLower(strings.ReplaceAll(language, "_", "-"))
	language, region, _ := strings.Cut(language, "-")
	byLanguage := Unknown
	switch {
	case language == "en" && (region == "us" || region == "ph"):
		byLanguage = MonthFirst
	case language == "en" && slices.Contains(dayFirstCountries, region), slices.Contains(dayFirstLanguages, language) && region != "us":
		byLanguage = DayFirst
	}
	_, host, _ := strings.Cut(href, "://")
	host, _, _ = strings.Cut(host, "/")
	host, _, _ = strings.Cut(host, ":")
	byCountry := Unknown
	switch country := host[strings.LastIndexByte(host, '.')+1:]; {
	case country == "us" || country == "gov" || country == "edu" || country == "mil":
		byCountry = MonthFirst
	case slices.Contains(dayFirstCountries, country):
		byCountry = DayFirst
	}
	if byLanguage != Unknown && byCountry != Unknown && byLanguage != byCountry {
		return Unknown
	}
	return max(byLanguage, byCountry)
}

// dayFirstLanguages and dayFirstCountries write the day before the month. Countries whose
// domains are used all over the world, such as .co and .me, are not among them.
var (
	dayFirstLanguages = []string{"fr", "es", "it", "pt", "nl", "de", "pl", "cs", "sk", "tr", "el", "ru", "uk", "ro", "bg", "hr", "sl", "da", "nb", "no", "fi", "id", "vi", "ca", "gl", "he", "ar"}
	dayFirstCountries = []string{
		"uk", "gb", "au", "nz", "ie", "za", "in", "sg", "pk", "ng", "ke", "mt", "hk", "my", "fr", "es", "it", "pt", "nl", "de", "at", "be", "ch", "lu", "pl", "cz", "sk", "tr", "gr",
		"ru", "ua", "ro", "bg", "hr", "si", "dk", "no", "fi", "br", "ar", "cl", "mx", "pe", "id", "vn", "il",
	}
)
