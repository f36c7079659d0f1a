// SPDX-License-Identifier: Apache-2.0

package grounding_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/curlew/agent/finding"
	"example.com/curlew/agent/internal/grounding"
	"example.com/curlew/agent/internal/outline"
	"example.com/curlew/agent/internal/value"
)

const (
	textType  = `{"type":"string"}`
	numType   = `{"type":"number"}`
	wholeType = `{"type":"integer"}`
	dateType  = `{"type":"string","format":"date"}`
	timeType  = `{"type":"string","format":"date-time"}`
	boolType  = `{"type":"boolean"}`
)

// TestGround checks which lines state a value, and which do not.
func TestGround(t *testing.T) {
	for _, test := range []struct {
		name, property, lang, line string
		raw                        any
		want                       any
		grade                      finding.Grade
		issue                      finding.IssueKind
	}{
		{"currency", numType, "en", "Price: $10.99", "$10.99", 10.99, finding.GradeNormalized, ""},
		{"south of the equator", numType, "en", "Coordinates: 59.19°S 30.38° W", "59.19°S", -59.19, finding.GradeNormalized, ""},
		{"west of Greenwich", numType, "en", "Coordinates: 59.19°S 30.38° W", "30.38° W", -30.38, finding.GradeNormalized, ""},
		{"north of the equator", numType, "en", "Coordinates: 59.19°N 30.38°E", "59.19°N", 59.19, finding.GradeExact, ""},
		{"before Christ", wholeType, "en", "Last eruption: c. 850 BC", "c. 850 BC", -850.0, finding.GradeNormalized, ""},
		{"before Christ, German", wholeType, "de", "Gegründet: 50 v. Chr.", "50 v. Chr.", -50.0, finding.GradeNormalized, ""},
		{"billions of cubic metres", numType, "en", "Capacity: 850 bcm", "850 bcm", 850.0, finding.GradeExact, ""},
		{"year of the Republic of China", wholeType, "zh-TW", "整建：民國93年", "民國93年", 2004.0, finding.GradeNormalized, ""},
		{"year of three digits", wholeType, "zh-TW", "整建：民國110年", "民國110年", 2021.0, finding.GradeNormalized, ""},
		{"currency, as a number", numType, "en", "Price: $10.99", 10.99, 10.99, finding.GradeNormalized, ""},
		{"bare number", numType, "en", "Price 10.99 each", 10.99, 10.99, finding.GradeExact, ""},
		{"German", numType, "de", "Preis: 1.234,50 €", "1.234,50 €", 1234.5, finding.GradeNormalized, ""},
		{"by language, German", numType, "de", "Preis 1.234", "1.234", 1234.0, finding.GradeNormalized, ""},
		{"by language, English", numType, "en", "Price 1.234", "1.234", 1.234, finding.GradeExact, ""},
		{"whole by the schema", wholeType, "", "Users 1.234", "1.234", 1234.0, finding.GradeNormalized, ""},
		{"million by its letter", numType, "en", "Revenue: CHF 212.6m", "CHF 212.6m", 212600000.0, finding.GradeNormalized, ""},
		{"million behind a year", numType, "en", "Revenue 2025: CHF 212.6m", "Revenue 2025: CHF 212.6m", 212600000.0, finding.GradeNormalized, ""},
		{"million behind a year, whole", wholeType, "en", "Revenue 2025: CHF 212.6m", "Revenue 2025: CHF 212.6m", 212600000.0, finding.GradeNormalized, ""},
		{"million copied without its letter", numType, "en", "Revenue 2025: CHF 212.6m", 212.6, 212600000.0, finding.GradeNormalized, ""},
		{"million of a sign", numType, "en", "Funding €12.5m in 2024", "€12.5m", 12500000.0, finding.GradeNormalized, ""},
		{"million before its sign", numType, "fr", "Budget 12,5 m€", "12,5 m€", 12500000.0, finding.GradeNormalized, ""},
		{"million beside its code", numType, "de", "Umsatz 2024: 12,5 Mio. EUR", "Umsatz 2024: 12,5 Mio. EUR", 12500000.0, finding.GradeNormalized, ""},
		{"million with its sign behind", numType, "de", "Umsatz: 1,2 Mio. €", "1,2 Mio. €", 1200000.0, finding.GradeNormalized, ""},
		{"million with its sign behind, copied bare", numType, "de", "Umsatz: 1,2 Mio. €", 1.2, 1200000.0, finding.GradeNormalized, ""},
		{"million with its sign behind, no language", numType, "", "1,2 Mio. €", "1,2 Mio. €", 1200000.0, finding.GradeNormalized, ""},
		{"million with its sign behind, computed", wholeType, "de", "Umsatz: 1,2 Mio. €", 1200000.0, 1200000.0, finding.GradeNormalized, ""},
		{"bookkeepers' billions", numType, "en", "Net result (3.4bn)", -3.4e9, -3.4e9, finding.GradeNormalized, ""},
		{"bookkeepers' billions, copied", numType, "en", "Net result: (3.4bn)", "(3.4bn)", 3.4e9, finding.GradeNormalized, ""},
		{"bookkeepers' billions with a sign", numType, "en", "Net result: ($3.4bn)", -3.4e9, -3.4e9, finding.GradeNormalized, ""},
		{"bookkeepers' billions, copied bare", numType, "en", "Net result: (3.4bn)", 3.4, 3.4e9, finding.GradeNormalized, ""},
		{"a price of cubic metres", numType, "de", "Bauschutt [€/m³]: 60,20", "60,20", 60.2, finding.GradeNormalized, ""},
		{"at least two million", wholeType, "en", "2+ million installations", "2+ million", 2e6, finding.GradeNormalized, ""},
		{"at least five metres", `{"type":"number","description":"depth in metres"}`, "en", "5+ m deep", "5+ m", 5.0, finding.GradeNormalized, ""},
		{"hectares for square metres in one word", `{"type":"number","description":"Fläche in Quadratmetern"}`, "de", "Fläche: 1,2 ha", "1,2 ha", 12000.0, finding.GradeNormalized, ""},
		{"years for months", `{"type":"integer","description":"meses en barrica"}`, "es", "2 años en barrica", "2 años", 24.0, finding.GradeNormalized, ""},
		{"no fee", `{"type":"number","description":"legeskosten in euro"}`, "nl", "Legeskosten: geen", "geen", 0.0, finding.GradeNormalized, ""},
		{"no fee, as a number", `{"type":"number","description":"legeskosten in euro"}`, "nl", "Legeskosten: geen", 0.0, 0.0, finding.GradeNormalized, ""},
		{"none of what 0 stands for", `{"type":"integer","description":"meses de crianza, 0 si no tiene"}`, "es", "Sin crianza", "Sin crianza", 0.0, finding.GradeNormalized, ""},
		{"none of another thing", `{"type":"integer","description":"meses de crianza, 0 si no tiene"}`, "es", "Sin filtrar", "Sin filtrar", nil, "", finding.IssueInvalid},
		{"carriage that is free", `{"type":"number","description":"fraktkostnad i kronor"}`, "sv", "Frakt: fri frakt", "fri frakt", 0.0, finding.GradeNormalized, ""},
		{"carriage that is included", `{"type":"number","description":"fraktkostnad i kronor"}`, "sv", "Frakt: ingår", "ingår", 0.0, finding.GradeNormalized, ""},
		{"a price that is included", `{"type":"number","description":"price in pounds"}`, "en", "Price: included", "included", nil, "", finding.IssueInvalid},
		{"a day that nobody states", `{"type":"number","description":"temperature"}`, "en", "New snow (24 h)", "+1 °C", nil, "", finding.IssueUnsupported},
		{"no price is not nothing", `{"type":"number","description":"price in pounds"}`, "en", "Price: none", "none", nil, "", ""},
		{"no rating is not zero, on a scale", `{"type":"integer","description":"rating from 0 to 5"}`, "en", "No rating", "No rating", nil, "", finding.IssueInvalid},
		{"no number of a register", `{"type":"integer","description":"house number"}`, "en", "Number: none", "none", nil, "", ""},
		{"none of what is counted", `{"type":"integer","description":"number of cavities"}`, "en", "Cavities: none", "none", 0.0, finding.GradeNormalized, ""},
		{"no rating is not zero", `{"type":"integer","description":"rating in stars"}`, "en", "No rating", "No rating", nil, "", finding.IssueInvalid},
		{"nothing to pay", `{"type":"number","description":"entry in pounds"}`, "en", "Entry: free", "free", 0.0, finding.GradeNormalized, ""},
		{"nothing to pay, as a number", `{"type":"number","description":"entry in pounds"}`, "en", "Entry: free", 0.0, 0.0, finding.GradeNormalized, ""},
		{"pence", `{"type":"number","description":"price in pounds"}`, "en", "Box of 10: 83p", "83p", 0.83, finding.GradeNormalized, ""},
		{"pence, as a number", `{"type":"number","description":"price in pounds"}`, "en", "Box of 10: 83p", 83.0, 0.83, finding.GradeNormalized, ""},
		{"pence, converted", `{"type":"number","description":"price in pounds"}`, "en", "Box of 10: 83p", 0.83, 0.83, finding.GradeNormalized, ""},
		{"pence that are wanted", `{"type":"number","description":"price in pence"}`, "en", "Box of 10: 83p", "83p", 83.0, finding.GradeNormalized, ""},
		{"no pence", `{"type":"number","description":"number of lines"}`, "en", "Video: 1080p", "1080p", 1080.0, finding.GradeNormalized, ""},
		{"pounds beside pence", `{"type":"number","description":"price in pounds"}`, "en", "£40, or 40p a piece", 40.0, 40.0, finding.GradeNormalized, ""},
		{"cents", `{"type":"number","description":"prix en euros"}`, "fr", "La pièce : 90 centimes", "90 centimes", 0.9, finding.GradeNormalized, ""},
		{"whole pounds", `{"type":"integer","description":"price in pounds"}`, "en", "Box of 10: 83p", "83p", nil, "", finding.IssueInvalid},
		{"numbers beside each other", numType, "en", "Box of 10 £26.65 828 in stock", "£26.65", 26.65, finding.GradeNormalized, ""},
		{"digits in groups behind a point", numType, "en", "Pi is 3.141 592", "3.141 592", 3.141592, finding.GradeNormalized, ""},
		{"hours of Norwegian", `{"type":"integer","description":"overfartstid i minutter"}`, "no", "Tid: 1 t 11 min", "1 t 11 min", 71.0, finding.GradeNormalized, ""},
		{"hours and minutes by letters", `{"type":"integer","description":"duration in minutes"}`, "en", "Takes 1h 25m", "1h 25m", 85.0, finding.GradeNormalized, ""},
		{"a part that is not known", `{"type":"integer","description":"duration in minutes"}`, "", "Kesto 1 lig 11 min", "1 lig 11 min", nil, "", finding.IssueInvalid},
		{"a measure and another number", `{"type":"integer","description":"distance in metres"}`, "en", "3 stars", "3 km", nil, "", finding.IssueUnsupported},
		{"inches", `{"type":"number","description":"length in millimetres"}`, "en", "M4 x 3 in stainless", "3 in", 76.2, finding.GradeNormalized, ""},
		{"inches by their sign", `{"type":"number","description":"length in millimetres"}`, "en", `M4 x 3"`, `3"`, 76.2, finding.GradeNormalized, ""},
		{"a price of a kilo", `{"type":"number","description":"preço do quilo em reais"}`, "pt", "R$ 15,70/kg", "R$ 15,70/kg", 15.7, finding.GradeNormalized, ""},
		{"first day of a period", dateType, "fr", "Du 22 mai au 10 août 2026", "22 mai", "2026-05-22", finding.GradeNormalized, ""},
		{"first day of a period, by its number", dateType, "pl", "Termin: 5 – 14 stycznia 2026", "5", "2026-01-05", finding.GradeNormalized, ""},
		{"a number that is no day", dateType, "pl", "Termin: 5 – 14 stycznia 2026", "7", nil, "", finding.IssueUnsupported},
		{"first day of a period, with its year", dateType, "fr", "Du 22 mai au 10 août 2026", "2026-05-22", "2026-05-22", finding.GradeNormalized, ""},
		{"a day without any year", dateType, "fr", "Le 22 mai", "22 mai", nil, "", finding.IssueUnsupported},
		{"free, but no price", `{"type":"integer","description":"seats of the hall"}`, "en", "Seats: free", "free", nil, "", finding.IssueInvalid},
		{"zero, not free", `{"type":"number","description":"entry in pounds"}`, "en", "Entry: £5", 0.0, nil, "", finding.IssueUnsupported},
		{"count before an unknown scale", wholeType, "ro", "Vizitatori: 43,0 zyx", "43,0 zyx", nil, "", finding.IssueInvalid},
		{"count in thousands", wholeType, "ro", "Vizitatori: 43,0 mii", "43,0 mii", 43_000.0, finding.GradeNormalized, ""},
		{"feet and metres", `{"type":"number","description":"altitude in metres"}`, "en", "Alt. 5,052 ft (1,539.8 m)", "5,052 ft (1,539.8 m)", 1539.8, finding.GradeNormalized, ""},
		{"feet and metres, copied bare", `{"type":"number","description":"altitude in metres"}`, "en", "Alt. 5,052 ft (1,539.8 m)", 5052.0, 1539.8, finding.GradeNormalized, ""},
		{"other unit than wanted", `{"type":"integer","description":"weight in grams"}`, "nl", "Gewicht: 13,2 kg", "13,2 kg", 13200.0, finding.GradeNormalized, ""},
		{"other unit, converted by the model", `{"type":"integer","description":"weight in grams"}`, "nl", "Gewicht: 13,2 kg", 13200.0, 13200.0, finding.GradeNormalized, ""},
		{"other unit, copied bare", `{"type":"number","description":"weight in grams"}`, "nl", "Gewicht: 13,2 kg", 13.2, 13200.0, finding.GradeNormalized, ""},
		{"hours and minutes", `{"type":"integer","description":"duration in minutes"}`, "en", "Takes 1 h 25 min", "1 h 25 min", 85.0, finding.GradeNormalized, ""},
		{"hours and minutes, only the hours copied", `{"type":"integer","description":"duration in minutes"}`, "en", "Takes 1 h 25 min", 1.0, 85.0, finding.GradeNormalized, ""},
		{"other unit, wrongly converted", `{"type":"integer","description":"weight in grams"}`, "nl", "Gewicht: 13,2 kg", 1320.0, nil, "", finding.IssueUnsupported},
		{"wanted unit without a unit on the page", `{"type":"integer","description":"weight in grams"}`, "nl", "Gewicht: 1320", "1320", 1320.0, finding.GradeExact, ""},
		{"unknown word for a boolean", boolType, "en", "In stock: on request", "on request", nil, "", finding.IssueInvalid},
		{"no word for a boolean", boolType, "en", "In stock: n/a", "n/a", nil, "", ""},
		{"not available", numType, "en", "Revenue: n/a", "n/a", nil, "", ""},
		{"not available, as zero", numType, "en", "Revenue: n/a", 0.0, nil, "", finding.IssueUnsupported},
		{"not available, a text", textType, "en", "Revenue: n/a", "n/a", "n/a", finding.GradeExact, ""}, // the page's own words
		{"milliard", numType, "de", "Umsatz 1,5 Mrd. Euro", "1,5 Mrd. Euro", 1500000000.0, finding.GradeNormalized, ""},
		{"milliard, point of thousands", numType, "de", "Umsatz 1.250 Mio. €", "1.250 Mio. €", 1250000000.0, finding.GradeNormalized, ""},
		{"thousand of a code", numType, "en", "Cost: USD 3k", "USD 3k", 3000.0, finding.GradeNormalized, ""},
		{"billion", numType, "en", "Market cap $1.2bn", "$1.2bn", 1200000000.0, finding.GradeNormalized, ""},
		{"billion, bare", numType, "en", "Market cap $1.2bn", 1.2, 1200000000.0, finding.GradeNormalized, ""},
		{"crore", numType, "en", "Sales: INR 3.5 crore", "INR 3.5 crore", 35000000.0, finding.GradeNormalized, ""},
		{"code without a space", numType, "en", "Revenue CHF212.6m", "CHF212.6m", 212600000.0, finding.GradeNormalized, ""},
		{"counted", wholeType, "en", "3.4m users", "3.4m users", 3400000.0, finding.GradeNormalized, ""},
		{"metres", numType, "en", "Height: 5 m", "5 m", 5.0, finding.GradeExact, ""},
		{"metres, attached", numType, "en", "Height 3.5m above ground", "3.5m", 3.5, finding.GradeNormalized, ""},
		{"asked in millions", `{"type":"number","description":"Revenue in million CHF"}`, "en", "Revenue 2025: CHF 212.6m", "CHF 212.6m", 212.6, finding.GradeNormalized, ""},
		{"asked in millions, a number", `{"type":"number","description":"Revenue (millions)"}`, "en", "Revenue 2025: CHF 212.6m", 212.6, 212.6, finding.GradeNormalized, ""},
		{"asked in millions, printed in billions", `{"type":"number","description":"in EUR millions"}`, "en", "Revenue: EUR 1.2bn", "EUR 1.2bn", 1200.0, finding.GradeNormalized, ""},
		{"a year behind a label", wholeType, "en", "Founded: 1998", "Founded: 1998", 1998.0, finding.GradeExact, ""},
		{"a number behind a label with one", wholeType, "en", "Top 10: 37", "Top 10: 37", 37.0, finding.GradeExact, ""},
		{"Swiss", numType, "de-CH", "CHF 1’234.50", "1'234.50", 1234.5, finding.GradeNormalized, ""},
		{"spaces", numType, "fr", "12 345,6 km", "12 345,6", 12345.6, finding.GradeNormalized, ""},
		{"Indian", numType, "en", "Rs 12,34,567.00", "12,34,567.00", 1234567.0, finding.GradeNormalized, ""},
		{"k", wholeType, "en", "12k stars", "12k stars", 12000.0, finding.GradeNormalized, ""},
		{"k, as a number", wholeType, "en", "12k stars", 12000.0, 12000.0, finding.GradeNormalized, ""},
		{"M", wholeType, "en", "3.4 M", "3.4 M", 3400000.0, finding.GradeNormalized, ""},
		{"a length", numType, "en", "5 m long", "5 m", 5.0, finding.GradeExact, ""},
		{"percent", numType, "en", "40 %", "40 %", 40.0, finding.GradeNormalized, ""},
		{"share", `{"type":"number","maximum":1}`, "en", "40 %", "40 %", 0.4, finding.GradeNormalized, ""},
		{"share, as a number", `{"type":"number","maximum":1}`, "en", "40 %", 0.4, 0.4, finding.GradeNormalized, ""},
		{"negative", numType, "en", "Change: -3.5", "-3.5", -3.5, finding.GradeExact, ""},
		{"a dash behind a label", wholeType, "fr", "Parution – 1955", "1955", 1955.0, finding.GradeExact, ""},
		{"a dash behind a label, in an item", numType, "en", "- Weight - 12.5 kg", 12.5, 12.5, finding.GradeExact, ""},
		{"an item that begins with a number", wholeType, "en", "- 1955 to 1960", 1955.0, 1955.0, finding.GradeExact, ""},
		{"a minus with a space", numType, "en", "- 3.5", "- 3.5", -3.5, finding.GradeNormalized, ""},
		{"a minus with a space, in a cell", numType, "en", "| Change | - 3.5 |", "- 3.5", -3.5, finding.GradeNormalized, ""},
		{"part of a number", numType, "en", "Price 10.99", 10.0, nil, "", finding.IssueUnsupported},
		{"invented number", numType, "en", "Price 10.99", 12.0, nil, "", finding.IssueUnsupported},
		{"no number", numType, "en", "Contact us", "Contact us", nil, "", ""},
		{"no number, in German", numType, "de", "Preis auf Anfrage", "Preis auf Anfrage", nil, "", ""},
		{"a number in words that are not known", numType, "en", "Contact us or pay wan hundred", "Contact us or pay wan hundred", nil, "", finding.IssueInvalid},
		{"minus behind the currency", numType, "en", "Loss: $-1,234.5", "$-1,234.5", -1234.5, finding.GradeNormalized, ""},
		{"bookkeepers' negative", numType, "en", "Result (4,321)", -4321.0, -4321.0, finding.GradeNormalized, ""},
		{"a count in parentheses", numType, "en", "Reviews (4,321)", "(4,321)", 4321.0, finding.GradeNormalized, ""},
		{"minus behind the number", numType, "en", "Result 1,234.5-", -1234.5, -1234.5, finding.GradeNormalized, ""},
		{"exponent", numType, "en", "Mass 1.5e3", "1.5e3", 1500.0, finding.GradeNormalized, ""},
		{"no digit before the point", numType, "en", "Weight .5 kg", ".5", 0.5, finding.GradeNormalized, ""},
		{"fraction", numType, "en", "Take ½ cup", "½ cup", 0.5, finding.GradeNormalized, ""},
		{"number and fraction", numType, "en", "Take 1½ cups", "1½", 1.5, finding.GradeNormalized, ""},
		{"Japanese number", wholeType, "ja", "売上 1億2000万円", "1億2000万円", 120000000.0, finding.GradeNormalized, ""},
		{"Chinese number", wholeType, "zh", "3.5万", 35000.0, 35000.0, finding.GradeNormalized, ""},
		{"lakh", numType, "en", "Rs 2.5 lakh", "2.5 lakh", 250000.0, finding.GradeNormalized, ""},
		{"Arabic digits", numType, "ar", "السعر: ١٬٢٣٤٫٥٠", "١٬٢٣٤٫٥٠", 1234.5, finding.GradeNormalized, ""},
		{"Arabic digits, as a number", wholeType, "ar", "السعر: ١٢٣٤", 1234.0, 1234.0, finding.GradeExact, ""},
		{"Devanagari digits", numType, "hi", "मूल्य: ₹१,२३४.५०", "₹१,२३४.५०", 1234.5, finding.GradeNormalized, ""},
		{"escaped name", textType, "en", `use snake\_case\_name`, "snake_case_name", "snake_case_name", finding.GradeExact, ""},
		{"date, two digits of a year", dateType, "de", "am 03.04.24", "03.04.24", "2024-04-03", finding.GradeNormalized, ""},
		{"date, two digits, last century", dateType, "de", "am 03.04.98", "03.04.98", "1998-04-03", finding.GradeNormalized, ""},
		{"date, American, two digits", dateType, "en-US", "3/4/24", "3/4/24", "2024-03-04", finding.GradeNormalized, ""},
		{"ambiguous date, two digits", dateType, "", "03/04/24", "03/04/24", nil, "", finding.IssueDate},
		{"version", dateType, "en", "Version 1.2.30.4", "1.2.30.4", nil, "", finding.IssueInvalid},
		{"date, apostrophe", dateType, "en", "Mar 3, '24", "Mar 3, '24", "2024-03-03", finding.GradeNormalized, ""},
		{"date, compact", dateType, "", "20240303", "20240303", "2024-03-03", finding.GradeNormalized, ""},
		{"no date, eight digits", dateType, "", "Order 20249903", "20249903", nil, "", finding.IssueInvalid},
		{"date, Hungarian", dateType, "hu", "2024. március 3.", "2024. március 3.", "2024-03-03", finding.GradeNormalized, ""},
		{"date, Czech", dateType, "cs", "3. března 2024", "3. března 2024", "2024-03-03", finding.GradeNormalized, ""},
		{"date, Finnish", dateType, "fi", "3. maaliskuuta 2024", "2024-03-03", "2024-03-03", finding.GradeNormalized, ""},
		{"date, Danish", dateType, "da", "3. marts 2024", "2024-03-03", "2024-03-03", finding.GradeNormalized, ""},
		{"date, Ukrainian", dateType, "uk", "3 березня 2024 р.", "2024-03-03", "2024-03-03", finding.GradeNormalized, ""},
		{"date, Romanian", dateType, "ro", "3 martie 2024", "2024-03-03", "2024-03-03", finding.GradeNormalized, ""},
		{"date, Greek", dateType, "el", "3 Μαρτίου 2024", "2024-03-03", "2024-03-03", finding.GradeNormalized, ""},
		{"date, Arabic", dateType, "ar", "٣ مارس ٢٠٢٤", "2024-03-03", "2024-03-03", finding.GradeNormalized, ""},
		{"date, Vietnamese", dateType, "vi", "Ngày 3 tháng 4 năm 2024", "3 tháng 4 năm 2024", "2024-04-03", finding.GradeNormalized, ""},
		{"date, of the Republic of China", dateType, "zh-TW", "公告：民國115年3月9日", "民國115年3月9日", "2026-03-09", finding.GradeNormalized, ""},
		{"date, of an era", dateType, "ja", "令和6年3月3日", "令和6年3月3日", "2024-03-03", finding.GradeNormalized, ""},
		{"date, first year of an era", dateType, "ja", "令和元年5月1日", "令和元年5月1日", "2019-05-01", finding.GradeNormalized, ""},
		{"date, Buddhist", dateType, "th", "3/13/2567 และ 13/3/2567", "13/3/2567", "2024-03-13", finding.GradeNormalized, ""},
		{"date, Persian", dateType, "fa", "1403/01/15", "1403/01/15", nil, "", finding.IssueInvalid},
		{"month alone", dateType, "en", "March 2024", "March 2024", nil, "", finding.IssueInvalid},
		{"date-time", timeType, "en", "2024-03-03 10:00", "2024-03-03 10:00", "2024-03-03T10:00:00Z", finding.GradeNormalized, ""},
		{"date-time, afternoon", timeType, "en", "March 3, 2024 at 5:30 PM", "March 3, 2024 at 5:30 PM", "2024-03-03T17:30:00Z", finding.GradeNormalized, ""},
		{"date-time, whole hour", timeType, "en", "March 3, 2024, 12 am", "March 3, 2024, 12 am", "2024-03-03T00:00:00Z", finding.GradeNormalized, ""},
		{"date-time with a zone", timeType, "en", "2024-03-03 10:00:05 +02:00", "2024-03-03 10:00:05 +02:00", "2024-03-03T10:00:05+02:00", finding.GradeNormalized, ""},
		{"date-time as it is", timeType, "en", "2024-03-03T10:00:00Z", "2024-03-03T10:00:00Z", "2024-03-03T10:00:00Z", finding.GradeExact, ""},
		{"date-time, the model's own form", timeType, "de", "am 3. März 2024 um 17:30 Uhr", "2024-03-03T17:30:00Z", "2024-03-03T17:30:00Z", finding.GradeNormalized, ""},
		{"date-time, an invented hour", timeType, "de", "am 3. März 2024 um 17:30 Uhr", "2024-03-03T18:45:00Z", nil, "", finding.IssueUnsupported},
		{"date-time without a time", timeType, "en", "March 3, 2024", "March 3, 2024", "2024-03-03T00:00:00Z", finding.GradeNormalized, ""},
		{"date-time, of a range", timeType, "en", "2024-03-03, 9:30–11:00", "2024-03-03 9:30", "2024-03-03T09:30:00Z", finding.GradeNormalized, ""},
		{"date-time, end of a range", timeType, "en", "2024-03-03, 9:30–11:00", "2024-03-03 11:00", "2024-03-03T11:00:00Z", finding.GradeNormalized, ""},
		{"date-time, west of Greenwich", timeType, "en", "2024-03-03T10:00-05:00", "2024-03-03T10:00-05:00", "2024-03-03T10:00:00-05:00", finding.GradeNormalized, ""},
		{"date-time, zone by its distance", timeType, "en", "2024-03-03 10:00 UTC+2", "2024-03-03 10:00 UTC+2", "2024-03-03T10:00:00+02:00", finding.GradeNormalized, ""},
		{"date, end of a range of days", dateType, "en", "28 May – 10 June 2024", "10 June 2024", "2024-06-10", finding.GradeNormalized, ""},
		{"date, no year but an hour", dateType, "en", "on 5 May 10:30", "5 May 2010", nil, "", finding.IssueUnsupported},
		{"small exponent", numType, "en", "1.5e-9 m", "1.5e-9", 1.5e-9, finding.GradeNormalized, ""},
		{"large exponent", numType, "en", "6.02e23", "6.02e23", 6.02e23, finding.GradeNormalized, ""},
		{"Japanese thousands", wholeType, "ja", "価格 2万5千円", "2万5千円", 25000.0, finding.GradeNormalized, ""},
		{"Japanese ten millions", wholeType, "ja", "売上 1億2千万円", "1億2千万円", 120000000.0, finding.GradeNormalized, ""},
		{"a place behind a number", wholeType, "ja", "5 千葉", "5", 5.0, finding.GradeExact, ""},
		{"number or date", `{"anyOf":[{"type":"integer"},{"type":"string","format":"date"}]}`, "en", "Founded 3 March 2004", "3 March 2004", "2004-03-03", finding.GradeNormalized, ""},
		{"text or number", `{"anyOf":[{"type":"string"},{"type":"number"}]}`, "en", "The Pro 3000", "Pro 3000", "Pro 3000", finding.GradeExact, ""},
		{"date", dateType, "en", "on 3 March 2024", "3 March 2024", "2024-03-03", finding.GradeNormalized, ""},
		{"date, English", dateType, "en", "March 3rd, 2024", "March 3rd, 2024", "2024-03-03", finding.GradeNormalized, ""},
		{"date, German", dateType, "de", "am 3. März 2024", "3. März 2024", "2024-03-03", finding.GradeNormalized, ""},
		{"date, Spanish", dateType, "es", "3 de marzo de 2024", "3 de marzo de 2024", "2024-03-03", finding.GradeNormalized, ""},
		{"date, Japanese", dateType, "ja", "2024年3月3日", "2024年3月3日", "2024-03-03", finding.GradeNormalized, ""},
		{"date, dots", dateType, "", "03.04.2024", "03.04.2024", "2024-04-03", finding.GradeNormalized, ""},
		{"date, ISO", dateType, "", "2024-03-03", "2024-03-03", "2024-03-03", finding.GradeExact, ""},
		{"ambiguous date", dateType, "", "04/05/2024", "04/05/2024", nil, "", finding.IssueDate},
		{"ambiguous date, decided by the model", dateType, "", "04/05/2024", "2024-05-04", nil, "", finding.IssueDate},
		{"American date", dateType, "en-US", "04/05/2024", "04/05/2024", "2024-04-05", finding.GradeNormalized, ""},
		{"British date", dateType, "en-GB", "04/05/2024", "04/05/2024", "2024-05-04", finding.GradeNormalized, ""},
		{"no such day", dateType, "en", "31 February 2024", "31 February 2024", nil, "", finding.IssueInvalid},
		{"in stock", boolType, "en", "In stock", true, true, finding.GradeDerived, ""},
		{"boolean word", boolType, "de", "Lieferbar: ja", true, true, finding.GradeNormalized, ""},
		{"literal", textType, "en", "**Widget** _A_ costs", "widget a", "widget a", finding.GradeExact, ""},
		{"quotes", textType, "en", "The “big” one", `The "big" one`, `The "big" one`, finding.GradeExact, ""},
		{"token borders", textType, "en", "Widgets", "Widget", nil, "", finding.IssueUnsupported},
		{"invented", textType, "en", "Privacy policy", "Basic Plan $10", nil, "", finding.IssueUnsupported},
		{"enum", `{"enum":["in_stock","sold_out"]}`, "en", "In stock now", "in_stock", "in_stock", finding.GradeNormalized, ""},
		{"enum, literal", `{"enum":["red","blue"]}`, "en", "Colour: red", "red", "red", finding.GradeExact, ""},
		{"enum, derived", `{"enum":["cheap","dear"]}`, "en", "Costs 3", "cheap", "cheap", finding.GradeDerived, ""},
		{"enum, none of it", `{"enum":["red","blue"]}`, "en", "Colour: green", "green", nil, "", finding.IssueInvalid},
		{"list", `{"type":"array","items":{"type":"string"}}`, "en", "Tags: a1, b2", []any{"a1", "b2", "c3"}, []any{"a1", "b2"}, finding.GradeExact, ""},
		{"object", `{"type":"object","properties":{"n":{"type":"number"}},"additionalProperties":false}`, "en", "12 of them", 12.0, 12.0, finding.GradeExact, ""},
		{"a text in a list", textType, "en", "by Ann and Bob", []any{"Ann"}, "Ann", finding.GradeExact, ""},
		{"texts for a text", textType, "en", "by Ann and Bob", []any{"Ann", "Bob"}, "Ann and Bob", finding.GradeExact, ""},
		{"texts that are far apart for a text", textType, "en", "by Ann, who is no relation of Bob", []any{"Ann", "Bob"}, nil, "", finding.IssueUnsupported},
		{"letters for a text", textType, "de", "Apfelmus (A, C) mit C", []any{"A", "C"}, "A, C", finding.GradeExact, ""},
		{"a text for a list", `{"type":"array","items":{"type":"string"}}`, "en", "in English and French", "English and French", []any{"English", "French"}, finding.GradeExact, ""},
		{"a long text for a list", `{"type":"array","items":{"type":"string"}}`, "en", "The Lion, the Witch and the Wardrobe", "the Witch and the Wardrobe", []any{"the Witch and the Wardrobe"}, finding.GradeExact, ""},
		{"an object for a text", textType, "en", "by Ann", map[string]any{"name": "Ann"}, nil, "", finding.IssueInvalid},
		{"a duration behind a price", `{"type":"integer","description":"duration in minutes"}`, "en", "Oil change £60 / 1 h 20 min", "1 h 20 min", 80.0, finding.GradeNormalized, ""},
		{"price of several", numType, "en", "2 for $10", "2 for $10", 10.0, finding.GradeNormalized, ""},
		{"first of two prices", numType, "en", "$8, was $10", "$8, was $10", 8.0, finding.GradeNormalized, ""},
		{"how many for a price", wholeType, "en", "2 for $10", "2 for $10", 2.0, finding.GradeExact, ""},
		{"Chinese", textType, "zh", "公司名称：华为技术", "华为", "华为", finding.GradeExact, ""},
		{"free text", `{"type":"string","description":"summary of the page"}`, "en", "It is good", "A praise", "A praise", finding.GradeDerived, ""},
	} {
		got := ground(test.property, test.lang, []string{test.line}, nil, test.raw, 1, 1)
		want := grounded{Value: test.want, Grade: test.grade, Issue: test.issue}
		if got.Value != nil {
			want.Lines = [2]int{1, 1}
		} else {
			got.Lines = [2]int{}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", test.name, d)
		}
	}
}

// TestLinkedLabel reads no unit in the number of a link that stands above a number.
func TestLinkedLabel(t *testing.T) {
	for _, raw := range []any{"5", 5.0} {
		got := ground(`{"type":"number","description":"rating in stars, out of five"}`, "en", []string{"### [Lazy Cache](L31)", "5 out of 5 stars"}, nil, raw, 2, 2)
		if want := (grounded{5.0, [2]int{2, 2}, finding.GradeExact, ""}); got != want {
			t.Errorf("%v: %v", raw, got)
		}
	}
}

// TestClock takes a part of a time for a number only if a reply cites it.
func TestClock(t *testing.T) {
	o, err := outline.New([]byte(`{"type":"object","properties":{"stops":{"type":"integer"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	f := o.Tables[0].Field("stops")
	g := grounding.New([]string{"Takes 3:34 h", "Stops 3", "Scale 1:50", "Goals 31:42", "Points 42"}, nil, "en")
	for _, test := range []struct {
		raw, want any
		cited     int
		line      int
	}{{3.0, 3.0, 1, 2}, {"3", 3.0, 2, 2}, {50.0, 50.0, 3, 3}, {42.0, 42.0, 4, 4}} {
		got := g.Check(f, test.raw, []int{test.cited, test.cited}, grounding.Style{})
		if got.Value != test.want || got.Lines[0] != test.line {
			t.Errorf("%v in line %d: %v in line %d", test.raw, test.cited, got.Value, got.Lines[0])
		}
	}
}

// TestSectionedDays reads days without a year below a heading that states it.
func TestSectionedDays(t *testing.T) {
	for _, test := range []struct {
		name, page string
		raw        any
		line       int // cited
		want       any
	}{
		{"as printed", "# What's on\n## December 2026\n- Fri 4 Dec\\\n7.30pm", "Fri 4 Dec", 3, "2026-12-04"},
		{"with the year", "## December 2026\n- Fri 4 Dec, 7.30pm", "2026-12-04", 2, "2026-12-04"},
		{"another year", "## December 2026\n- Fri 4 Dec", "2027-12-04", 2, nil},
		{"another day", "## December 2026\n- Fri 4 Dec", "2026-12-05", 2, nil},
		{"a year two sections up", "# Programme 2026\n## December\nDec 4th", "Dec 4th", 3, "2026-12-04"},
		{"in German", "# Programm 2026\n4. Dezember: Messias", "4. Dezember", 2, "2026-12-04"},
		{"in Japanese", "# 2026\n12月4日", "2026-12-04", 2, "2026-12-04"},
		{"another month", "## November 2026\n4 Dec", "4 Dec", 2, nil},
		{"a season", "# Season 2026/2027\n4 Dec", "4 Dec", 2, nil},
		{"a section before it", "# Archive\n## December 2025\n## Next\n4 Dec", "4 Dec", 4, nil},
		{"no such day", "# 2026\n31 Nov", "31 Nov", 2, nil},
		{"no year", "# December\n4 Dec", "4 Dec", 2, nil},
		{"a year of its own", "# 2026\n4 Dec 2025", "2026-12-04", 2, nil},
	} {
		if got := ground(dateType, "en", strings.Split(test.page, "\n"), nil, test.raw, test.line, test.line); got.Value != test.want || got.Value != nil && got.Lines[0] != test.line {
			t.Errorf("%s: %+v, want %v", test.name, got, test.want)
		}
	}
}

// TestEnum takes the likest of the allowed values, and of lists none.
func TestEnum(t *testing.T) {
	const languages = `{"type":"string","enum":["C","C#","C++","",["C"],{"a":1}]}`
	for _, test := range []struct {
		raw, want any
	}{
		{"C#", "C#"}, {"c++", "C++"}, {"**C**", "C"}, {"C!", "C"}, {"Go", nil}, {[]any{"C"}, "C"}, {[]any{"C", "C#"}, nil}, {[]any{[]any{"C"}}, "C"}, {map[string]any{"a": 1.0}, nil}, {true, nil},
	} {
		if got := ground(languages, "", []string{"Written in C, C# and C++"}, nil, test.raw, 1, 1); got.Value != test.want {
			t.Errorf("%v: %+v, want %v", test.raw, got, test.want)
		}
	}
}

// TestGroundElsewhere corrects citations: the lines around, then the only place
// on the page.
func TestGroundElsewhere(t *testing.T) {
	lines := strings.Split("one\ntwo\nalpha\nfour\nfive\nsix\nseven\nbeta\nnine\nabc\nabc\nxyz", "\n")
	for _, test := range []struct {
		raw   string
		cited []int
		want  int // zero: nowhere
	}{
		{"alpha", []int{3, 3}, 3},
		{"alpha", []int{1, 1}, 3},
		{"alpha", []int{4, 5}, 3},
		{"beta", []int{1, 1}, 8},
		{"beta", nil, 8},
		{"beta", []int{99, 100}, 8},
		{"abc", []int{1, 1}, 0},   // too short to be looked for
		{"seven", []int{1, 9}, 7}, // a citation of seven lines at most
		{"xyz", []int{1, 12}, 0},
	} {
		got := ground(textType, "", lines, nil, test.raw, test.cited...)
		if got.Lines[0] != test.want && got.Value != nil || (got.Value != nil) != (test.want > 0) {
			t.Errorf("%q cited at %v: %+v, want line %d", test.raw, test.cited, got, test.want)
		}
	}
}

// TestGroundLink resolves handles, and no other address.
func TestGroundLink(t *testing.T) {
	lines := []string{"[Alpha](L1) and [Beta](L2)", "see https://c.test/x"}
	links := []string{"https://a.test/", "https://b.test/"}
	const property = `{"type":"string","format":"uri"}`
	for _, test := range []struct {
		raw  string
		want any
	}{
		{"L2", "https://b.test/"},
		{"L3", nil},
		{"L0", nil},
		{"[Alpha](L1)", "https://a.test/"},
		{"https://b.test", "https://b.test/"},
		{"https://c.test/x", "https://c.test/x"},
		{"https://evil.test/", nil},
		{"Beta", "https://b.test/"},
	} {
		if got := ground(property, "", lines, links, test.raw, 1, 1); got.Value != test.want {
			t.Errorf("%q: %+v, want %v", test.raw, got, test.want)
		}
	}
}

// TestGroundContact finds the address that a link shows.
func TestGroundContact(t *testing.T) {
	if got := ground(textType, "", []string{"[Mail us](info@a.test)"}, nil, "info@a.test", 1, 1); got.Value != "info@a.test" {
		t.Errorf("%+v", got)
	}
}

// TestColumn decides what one value leaves open by the others.
func TestColumn(t *testing.T) {
	lines := []string{"1,234 and 04/05/2024"}
	if got := groundColumn(numType, "", lines, nil, []string{"0,5"}, "1,234", 1, 1); got.Value != 1.234 {
		t.Errorf("beside 0,5: %v", got.Value)
	}
	if got := groundColumn(numType, "", lines, nil, []string{"2,500.75"}, "1,234", 1, 1); got.Value != 1234.0 {
		t.Errorf("beside 2,500.75: %v", got.Value)
	}
	if got := groundColumn(dateType, "", lines, nil, []string{"13/05/2024"}, "04/05/2024", 1, 1); got.Value != "2024-05-04" {
		t.Errorf("beside 13/05: %v", got.Value)
	}
	if got := groundColumn(dateType, "", lines, nil, []string{"04/25/2024"}, "04/05/2024", 1, 1); got.Value != "2024-04-05" {
		t.Errorf("beside 04/25: %v", got.Value)
	}
}

func FuzzGround(f *testing.F) {
	f.Add("Price: 1.234,50 €\n3 March 2024", "1.234,50", 1, 1, "de")
	f.Add("[a](L1) 年3月 12k ５％", "12k", 0, 9, "ja")
	f.Fuzz(func(t *testing.T, page, raw string, a, b int, lang string) {
		lines := strings.Split(page, "\n")
		for _, property := range []string{textType, numType, wholeType, dateType, boolType, `{"type":"string","format":"uri"}`, `{"enum":["a","b"]}`} {
			got := ground(property, lang, lines, []string{"https://a.test/"}, raw, a, b)
			if got.Value == nil {
				continue
			}
			if got.Lines[0] < 1 || got.Lines[1] > len(lines) || got.Lines[0] > got.Lines[1] || got.Grade == "" {
				t.Errorf("%s: %q on %q: %+v", property, raw, page, got)
			}
			if text, ok := got.Value.(string); ok && property == textType {
				joined := value.Normal(strings.Join(lines[got.Lines[0]-1:got.Lines[1]], " "))
				if got.Lines[0] == got.Lines[1] && !strings.Contains(joined, "](") && !strings.Contains(joined, value.Normal(text)) {
					t.Errorf("%q is said to stand in %q", text, joined)
				}
			}
		}
	})
}

// grounded is what grounding makes of a value.
type grounded struct {
	Value any
	Lines [2]int
	Grade finding.Grade
	Issue finding.IssueKind
}

// ground grounds a value of the one field of a schema's property.
func ground(property, lang string, lines []string, links []string, raw any, cited ...int) grounded {
	return groundColumn(property, lang, lines, links, nil, raw, cited...)
}

// groundColumn is ground with other texts of the column.
func groundColumn(property, lang string, lines, links, column []string, raw any, cited ...int) grounded {
	o, err := outline.New(json.RawMessage(`{"type":"object","properties":{"x":` + property + `}}`))
	if err != nil {
		panic(err)
	}
	f := o.Tables[0].Fields[0]
	g := grounding.New(lines, links, lang)
	texts := append([]string{value.ScalarText(raw)}, column...)
	if a, b := g.Span(cited, grounding.MaxSpan); a > 0 {
		texts = append(texts, g.Text(a, b))
	}
	got := g.Check(f, raw, cited, g.StyleOf(texts))
	return grounded{got.Value, got.Lines, got.Grade, got.Issue}
}

// TestWritten checks texts that a model writes itself against the page, sentence by sentence.
func TestWritten(t *testing.T) {
	const property = `{"type":"string","description":"summary of the page"}`
	page := []string{"# Kettle", "The kettle costs $10 and is made of steel.", "It boils 2 litres of water in 4 minutes.", "Delivery: Monday to Friday"}
	for _, test := range []struct {
		name, raw string
		want      any
		lost      int
	}{
		{"what the cited line says", "A steel kettle that costs $10.", "A steel kettle that costs $10.", 0},
		{"what another line says", "The kettle is made of steel. It boils 2 litres in 4 minutes.", "The kettle is made of steel. It boils 2 litres in 4 minutes.", 0},
		{"a sentence that is invented", "The kettle is made of steel. The lamp explodes at night.", "The kettle is made of steel.", 1},
		{"a number that is invented", "The steel kettle costs $12.", nil, 0},
		{"all of it is invented", "The lamp explodes at night and weighs 99 tons.", nil, 0},
		{"a class", "rather positive", "rather positive", 0},
		{"a class that is a number", "99 of 100", nil, 0},
	} {
		o, err := outline.New(json.RawMessage(`{"type":"array","items":{"type":"object","properties":{"x":` + property + `}}}`))
		if err != nil {
			t.Fatal(err)
		}
		got := grounding.New(page, nil, "en").Check(o.Tables[len(o.Tables)-1].Field("x"), test.raw, []int{2, 2}, grounding.Style{})
		if got.Value != test.want || got.Lost != test.lost || (got.Value == nil) != (got.Issue == finding.IssueUnsupported) {
			t.Errorf("%s: %v, %d lost, %q; want %v, %d", test.name, got.Value, got.Lost, got.Issue, test.want, test.lost)
		}
	}
}

// TestItemsBeside finds the short items of a list that the reply does not cite in the line of
// its longer ones.
func TestItemsBeside(t *testing.T) {
	o, err := outline.New(json.RawMessage(`{"type":"array","items":{"type":"object","properties":{"x":{"type":"array","items":{"type":"string"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	g := grounding.New([]string{"A wok is a pan", "Tools: wok, grater"}, nil, "en")
	got := g.Check(o.Tables[len(o.Tables)-1].Field("x"), []any{"wok", "grater", "pot"}, nil, grounding.Style{})
	if d := cmp.Diff([]any{"wok", "grater"}, got.Value); d != "" || got.Lost != 1 || got.Lines != [2]int{2, 2} {
		t.Errorf("%+v: %s", got, d)
	}
}

// TestLostItems counts the items and members of a cell that no line states.
func TestLostItems(t *testing.T) {
	const tags = `{"type":"array","items":{"type":"string"}}`
	const offers = `{"type":"array","items":{"type":"object","properties":{"shop":{"type":"string"},"price":{"type":"number"}},"required":["shop"]}}`
	for _, test := range []struct {
		property, line string
		raw            any
		lost           int
	}{
		{tags, "Tags: a1, b2", []any{"a1", "b2"}, 0},
		{tags, "Tags: a1, b2", []any{"a1", "c3", "d4"}, 2},
		{tags, "Tags: a1, b2", []any{"a1", nil, ""}, 0},
		{offers, "Lux 12, Brix 13", []any{map[string]any{"shop": "Lux", "price": 12.0}, map[string]any{"shop": "Brix", "price": 14.0}, map[string]any{"shop": "Corvid"}}, 2},
	} {
		o, err := outline.New(json.RawMessage(`{"type":"array","items":{"type":"object","properties":{"x":` + test.property + `}}}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := grounding.New([]string{test.line}, nil, "en").Check(o.Tables[len(o.Tables)-1].Field("x"), test.raw, []int{1, 1}, grounding.Style{}); got.Value == nil || got.Lost != test.lost {
			t.Errorf("%v of %q: %v, %d lost, want %d", test.raw, test.line, got.Value, got.Lost, test.lost)
		}
	}
}
