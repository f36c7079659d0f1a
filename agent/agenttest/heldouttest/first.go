// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
)

var carriers = []string{"Sana Nord", "Caritas Verbund", "Medikon Holding", "Rheinwerk Stiftung", "Klinikbund Süd"}

var owners = []string{"Blue Anchor Lines", "Hafnia Carriers", "Pelagic Freight", "Northsea Shipping"}

// firstSites are the sites of the first set. Its failures were examined, so it no
// longer says how well the agent answers unknown questions.
func firstSites() []*site {
	return []*site{
		{
			host: "klinikverzeichnis.test", lang: "de", title: "Klinikverzeichnis", noun: "Klinik", member: "clinics", n: 45,
			names: pairs("Albert Birken Charlotten Dorotheen Elisabeth Franziskus Georgs Hedwig Ignatius Johannes Klara Lukas Marien Nikolaus Ottilien", "Klinik Krankenhaus Spital", "%s-%s"),
			list:  "terms", paging: "letters",
			columns: []column{
				{name: "name", kind: "string", label: "Name"},
				{name: "city", kind: "string", label: "Ort", make: one("Ulm", "Kiel", "Trier", "Halle", "Bremen")},
				{name: "beds", kind: "integer", about: "number of beds", label: "Planbetten", make: whole(80, 2400, ".", "%s")},
				{name: "emergency", kind: "boolean", about: "has an emergency department", label: "Notaufnahme", make: flag(0.5, "ja", "nein")},
				{name: "founded", kind: "integer", about: "year of foundation", label: "Gründungsjahr", make: year(1850, 2010)},
				{name: "operator", kind: "string", label: "Träger", make: one(carriers...)},
			},
		},
		{
			host: "traeger.test", lang: "de", title: "Träger im Gesundheitswesen", noun: "Träger", member: "operators", n: len(carriers), names: fixed(carriers...),
			list: "lines", detail: "pairs", path: func(i int, _ *thing) string { return fmt.Sprintf("/org.php?nr=%d", 40+3*i) },
			columns: []column{
				{name: "name", kind: "string", label: "Name"},
				{name: "director", kind: "string", about: "who leads the operator", label: "Geschäftsführung", on: "detail", make: turn("Dr. Ute Lang", "Karl Moser", "Prof. Ines Wolf", "Jan Behrens", "Rita Sommer")},
				{name: "seat", kind: "string", label: "Sitz", on: "detail", make: turn("Hannover", "Köln", "Mainz", "Bonn", "Passau")},
			},
		},
		{
			host: "trailfinder.test", lang: "en", title: "Day hikes and trails", noun: "trail", member: "trails", n: 36, per: 12,
			names: pairs("Eagle Cedar Hidden Granite Marble Otter Pine Raven Salt Thunder Vista Wren", "Ridge Loop Falls", "%s %s"),
			list:  "cards", paging: "more", detail: "table", path: func(i int, _ *thing) string { return fmt.Sprintf("/trail?id=%d", 7000+17*i) },
			columns: []column{
				{name: "title", kind: "string", label: "Trail"},
				{name: "distance_km", kind: "number", about: "length in kilometres", label: "Length", make: decimal(2, 28, ".", "%s km")},
				{name: "climb_m", kind: "integer", about: "total ascent in metres", label: "Elevation gain", on: "detail", make: whole(90, 1900, ",", "%s m")},
				{name: "dogs", kind: "boolean", about: "dogs are allowed", label: "Dogs", make: flag(0.5, `<Dogs allowed|<img src="/i/dog.svg" alt="Dogs allowed">`, `<No dogs|<img src="/i/nodog.svg" alt="No dogs">`)},
				{name: "level", kind: "string", about: "difficulty", label: "Grade", make: one("easy", "moderate", "hard")},
			},
		},
		{
			host: "cityflats.test", lang: "en", title: "Flats to let", noun: "flat", member: "flats", n: 30,
			names: pairs("Albion Baker Canal Dean Elm Foundry Garden Harbour Iron Jubilee", "Street Road Mews", "%s %s flat"),
			list:  "paragraphs", detail: "paragraphs", path: func(i int, t *thing) string { return fmt.Sprintf("/2025/%02d/%s", 1+i%9, squashed(t.name)) },
			columns: []column{
				{name: "address", kind: "string", label: "Address"},
				{name: "price", kind: "number", about: "price for a month", label: "Monthly rent", make: whole(600, 3900, ",", "£%s pcm")},
				{name: "bedrooms", kind: "integer", label: "Beds", make: whole(1, 6, ",", "%s")},
				{name: "available_from", kind: "date", label: "Free from", make: day(2025, 2027, "en", "D A Y")},
				{name: "pets", kind: "boolean", about: "pets are welcome", label: "Pets", on: "detail", make: flag(0.4, "yes", "no")},
				{name: "agent", kind: "string", about: "letting agent", label: "Let by", on: "detail", missing: 0.15, make: one("Hunter & Lowe", "Keystone", "Parkside Lettings")},
			},
		},
		{
			host: "mediatheque.test", lang: "fr", title: "Médiathèque municipale", noun: "livre", member: "books", n: 40, claim: "%d livres trouvés", per: 10,
			names: pairs("Aurore Brume Cendre Dune Encre Forge Givre Houle Iris Jardin", "bleue perdue secrète lointaine", "La %s %s"),
			list:  "accordion", paging: "more",
			columns: []column{
				{name: "titre", kind: "string", label: "Titre"},
				{name: "auteur", kind: "string", label: "Écrit par", make: one("Paul Mercier", "Anne Lavigne", "Luc Charpentier", "Inès Roche")},
				{name: "annee", kind: "integer", about: "année de parution", label: "Parution", make: year(1950, 2024)},
				{name: "pages", kind: "integer", label: "Volume", make: whole(90, 1400, "\u202f", "%s p.")},
				{name: "disponible", kind: "boolean", label: "En rayon", make: flag(0.6, "oui", "non")},
			},
		},
		{
			host: "gophertalks.test", lang: "en", title: "Conference talks", noun: "talk", member: "talks", n: 42,
			names: pairs("Fast Safe Tiny Lazy Eager Quiet Strict", "Parsers Queues Caches Compilers Schedulers Profilers", "%s %s"),
			list:  "lines", paging: "years", by: "date", detail: "tabs", path: func(i int, _ *thing) string { return fmt.Sprintf("/t/%d", 1042+i) },
			columns: []column{
				{name: "talk", kind: "string", about: "title of the talk", label: "Talk"},
				{name: "date", kind: "date", label: "Held on", make: day(2021, 2025, "en", "DD.MM.Y")},
				{name: "speaker", kind: "string", label: "Speaker", make: one("Ada Brandt", "Bo Lindqvist", "Chen Wu", "Dina Haddad", "Efe Okoro")},
				{name: "minutes", kind: "integer", about: "length in minutes", label: "Duration", on: "detail", make: whole(15, 60, ",", "%s min")},
				{name: "recorded", kind: "boolean", about: "a recording exists", label: "Recording", on: "detail", make: flag(0.6, "✓", "✗")},
			},
		},
		{
			host: "vesselregister.test", lang: "en", title: "Register of vessels", noun: "vessel", member: "vessels", n: 48, per: 16,
			names: pairs("Astra Borea Calypso Delphin Electra Fortuna Galatea Hermes", "Star Wave Spirit Pearl Dawn Crown", "MV %s %s"),
			list:  "table", paging: "numbered", claim: "%d entries",
			columns: []column{
				{name: "vessel", kind: "string", label: "Ship"},
				{name: "tonnage", kind: "number", about: "gross tonnage", label: "GT", make: scaled(2, 230, 1e3, ".", "%sk")},
				{name: "built", kind: "integer", about: "year of build", label: "Delivered", make: year(1978, 2023)},
				{name: "owner", kind: "string", about: "owning company", label: "Registered owner", make: one(owners...)},
				{name: "in_service", kind: "boolean", label: "Status", make: flag(0.7, "In service", "Laid up")},
			},
		},
		{
			host: "shipowners.test", lang: "en", title: "Directory of shipowners", noun: "owner", member: "owners", n: len(owners), names: fixed(owners...),
			list: "cards", detail: "jsonld", path: func(_ int, t *thing) string { return "/" + squashed(t.name) },
			columns: []column{
				{name: "name", kind: "string", label: "Owner"},
				{name: "ceo", kind: "string", about: "who runs the company", label: "Managing director", on: "detail", make: turn("Mette Krag", "Olaf Dahl", "Sofia Leone", "Wim de Boer")},
				{name: "revenue", kind: "number", about: "yearly revenue in CHF", label: "Revenue 2025", on: "detail", make: scaled(20, 900, 1e6, ".", "CHF %sm")},
				{name: "headquarters", kind: "string", label: "Based in", on: "detail", make: turn("Aarhus", "Oslo", "Genoa", "Rotterdam")},
			},
		},
		{
			host: "satelites.test", lang: "es", title: "Catálogo de satélites", noun: "satélite", member: "satellites", n: 30,
			names: pairs("Aurora Boreal Cometa Delta Estrella Faro Gaviota Halcón Iberia Júpiter", "1 2 3", "%s-%s"),
			list:  "lines", detail: "terms", path: func(i int, _ *thing) string { return fmt.Sprintf("/objeto/%d", 300+i) }, anchor: "Ver ficha",
			columns: []column{
				{name: "nombre", kind: "string", label: "Nombre"},
				{name: "norad", kind: "string", about: "catalogue number", label: "Número NORAD", on: "detail", make: id(43000, 7, "%d")},
				{name: "mass_kg", kind: "number", about: "mass in kilograms", label: "Masa al lanzamiento", on: "detail", make: whole(120, 6400, ".", "%s kg")},
				{name: "launched", kind: "date", label: "Lanzado el", on: "detail", make: day(2003, 2024, "es", "D de N de Y")},
				{name: "active", kind: "boolean", label: "Operativo", on: "detail", make: flag(0.6, "Sí", "No")},
				{name: "orbit", kind: "string", about: "kind of orbit", label: "Órbita", make: one("LEO", "GEO", "MEO")},
			},
		},
		{
			host: "eatlocal.test", lang: "en", title: "Where to eat", noun: "restaurant", member: "restaurants", n: 36, twice: true,
			names: pairs("Amber Basil Clover Damson Elder Fennel Ginger Hazel Juniper", "Table Kitchen Oven Cellar", "The %s %s"),
			list:  "microdata", paging: "groups", by: "cuisine", detail: "jsonld", path: func(_ int, t *thing) string { return "/r/" + squashed(t.name) },
			columns: []column{
				{name: "name", kind: "string", label: "Restaurant"},
				{name: "cuisine", kind: "string", label: "Kitchen", make: one("Italian", "Thai", "Mexican", "Greek")},
				{name: "rating", kind: "number", about: "stars out of five", label: "Rated", make: func(r *rand.Rand, _ int) (any, string) {
					n := 25 + r.IntN(25)
					return float64(n) / 10, fmt.Sprintf("%d.%d / 5", n/10, n%10)
				}},
				{name: "dish_price", kind: "number", about: "price of a main dish in dollars", label: "Mains from", make: decimal(8, 39, ".", "$%s0")},
				{name: "sunday", kind: "boolean", about: "open on Sundays", label: "Sundays", on: "detail", make: flag(0.5, "open", "closed")},
				{name: "phone", kind: "string", label: "Call", on: "detail", make: id(5550100, 3, "+1 212 %d")},
			},
		},
		{
			host: "courtreports.test", lang: "en", title: "Decided cases", noun: "case", member: "cases", n: 33, per: 11, claim: "We list %d cases.",
			names: pairs("Archer Bennett Coleman Drummond Ellison Farrow Gates Hartley Innes Jarvis Keating", "Union Borough Harbour", "%s v. %s Board"),
			list:  "table", paging: "more", detail: "paragraphs", path: func(i int, _ *thing) string {
				return fmt.Sprintf("/%d/%02d/%02d/op%d.html", 2019+i%5, 1+i%12, 1+i%27, 500+i)
			},
			columns: []column{
				{name: "case_name", kind: "string", label: "Caption"},
				{name: "docket", kind: "string", about: "docket number", label: "No.", on: "detail", make: id(210, 9, "CV-%d-B")},
				{name: "decided", kind: "date", label: "Judgment of", make: day(2016, 2024, "en", "N D, Y")},
				{name: "judge", kind: "string", about: "presiding judge", label: "Before", on: "list", make: one("Hon. R. Alvarez", "Hon. T. Whitfield", "Hon. M. Osei")},
				{name: "damages", kind: "number", about: "damages in dollars", label: "Award", on: "detail", missing: 0.1, make: scaled(1, 9, 1e6, ".", "$%sm")},
			},
		},
		{
			host: "recalls.test", lang: "en", title: "Product recalls", noun: "recall", member: "recalls", n: 40,
			names: pairs("Toaster Heater Stroller Scooter Blender Drone Kettle Monitor", "Alpha Bravo Comet Delta Echo", "%s %s 3"),
			list:  "table",
			columns: []column{
				{name: "product", kind: "string", label: "Item"},
				{name: "units", kind: "integer", about: "number of units affected", label: "Quantity sold", make: whole(300, 60000, ",", "about %s")},
				{name: "announced", kind: "date", label: "Notice", make: day(2019, 2025, "en", "Y-MM-DD")},
				{name: "hazard", kind: "string", label: "Risk", missing: 0.12, make: one("fire", "burn", "fall", "shock")},
				{name: "remedy", kind: "string", label: "What to do", make: one("refund", "repair", "replace")},
			},
		},
		{
			host: "mittelstand.test", lang: "de", title: "Firmen im Mittelstand", noun: "Firma", member: "companies", n: 32,
			names: pairs("Adler Brunner Conrad Dreyer Engel Fuchs Graf Huber", "Pumpen Optik Werkzeug Textil", "%s %s GmbH"),
			list:  "headless", detail: "pairs", path: func(i int, _ *thing) string { return fmt.Sprintf("/profil/%d.html", 9000+i*11) },
			columns: []column{
				{name: "company", kind: "string", label: "Firma"},
				{name: "turnover", kind: "number", about: "turnover in euros", label: "Umsatz 2024", on: "detail", make: scaled(3, 800, 1e6, ",", "%s Mio. €")},
				{name: "staff", kind: "integer", about: "number of employees", label: "Beschäftigte", on: "detail", make: whole(20, 9000, ".", "ca. %s")},
				{name: "since", kind: "integer", about: "year of foundation", label: "gegründet", on: "detail", make: year(1890, 2005)},
				{name: "exports", kind: "boolean", about: "exports its goods", label: "Export", on: "detail", make: flag(0.5, "vorhanden", "nicht vorhanden")},
				{name: "town", kind: "string", label: "Sitz", make: one("Aalen", "Fulda", "Gera", "Jena")},
			},
		},
	}
}

// firstTasks are the questions about the first sites.
func (w *Web) firstTasks() {
	// All of a collection.
	w.ask("gather", "klinikverzeichnis.test", "Bitte eine Liste aller Kliniken mit Ort, Betten, Notaufnahme und Gründungsjahr.", "name city beds emergency founded")
	w.ask("gather", "trailfinder.test", "Give me each hike on this site: how long it is, how much it climbs, whether I can bring my dog, and the difficulty.", "title distance_km climb_m dogs level")
	w.ask("gather", "cityflats.test", "I want a spreadsheet of the flats that are to let, with rent, bedrooms, when they become free, pets and agent.", "address price bedrooms available_from pets agent")
	w.ask("gather", "mediatheque.test", "Dressez la liste de tous les livres du catalogue.", "titre auteur annee pages disponible")
	w.ask("gather", "gophertalks.test", "List the talks of all years with speaker, date, length and whether a recording exists.", "talk speaker date minutes recorded")
	w.ask("gather", "vesselregister.test", "All ships in the register, please.", "vessel tonnage built owner in_service")
	w.ask("gather", "satelites.test", "Necesito todos los satélites con su número, masa, fecha de lanzamiento y si siguen operativos.", "norad nombre mass_kg launched active")
	w.ask("gather", "eatlocal.test", "Every place to eat with its rating, price of a main dish, phone number and whether it opens on Sundays.", "name cuisine rating dish_price sunday phone")
	w.ask("gather", "courtreports.test", "Collect the decided cases with docket number, judge, date and award.", "case_name docket decided judge damages")
	w.ask("gather", "recalls.test", "Which products were recalled, when, why and how many?", "product units announced hazard remedy")
	w.ask("gather", "mittelstand.test", "Alle Firmen mit Umsatz, Mitarbeitern, Gründungsjahr und ob sie exportieren.", "company turnover staff since exports")

	// A part of a collection.
	w.ask("conditions", "klinikverzeichnis.test", "Welche Kliniken haben mehr als 900 Betten und eine Notaufnahme?", "name city beds", is("beds", ">", "900", "mehr als 900 Betten"), is("emergency", "=", "true", "eine Notaufnahme"))
	w.ask("conditions", "klinikverzeichnis.test", "Nur die Kliniken ohne Notaufnahme, die vor 1900 gegründet wurden.", "name founded", is("emergency", "=", "false", "ohne Notaufnahme"), is("founded", "<", "1900", "vor 1900 gegründet"))
	w.ask("conditions", "trailfinder.test", "Only those trails that are shorter than 12 km and where dogs are allowed.", "title distance_km", is("distance_km", "<", "12", "shorter than 12 km").in("km"), is("dogs", "=", "true", "dogs are allowed"))
	w.ask("conditions", "trailfinder.test", "Which trails climb at least 1000 m, except hard ones?", "title climb_m level", is("climb_m", ">=", "1000", "at least 1000 m").in("m"), is("level", "!=", "hard", "except hard ones"))
	w.ask("conditions", "cityflats.test", "List flats cheaper than £2,000 where pets are welcome.", "address price", is("price", "<", "2000", "cheaper than £2,000").in("£"), is("pets", "=", "true", "pets are welcome"))
	w.ask("conditions", "cityflats.test", "Flats with 2 or 3 bedrooms that are not let by Keystone", "address bedrooms agent", is("bedrooms", "=", "2", "2 or 3 bedrooms"), is("bedrooms", "=", "3", "2 or 3 bedrooms").or(), is("agent", "!=", "Keystone", "not let by Keystone"))
	w.ask("conditions", "mediatheque.test", "Quels livres de plus de 400 pages sont disponibles ?", "titre pages", is("pages", ">", "400", "plus de 400 pages"), is("disponible", "=", "true", "sont disponibles"))
	w.ask("conditions", "mediatheque.test", "Les livres d'Anne Lavigne parus depuis 1990", "titre annee", is("auteur", "=", "Anne Lavigne", "d'Anne Lavigne"), is("annee", ">=", "1990", "depuis 1990"))
	w.ask("conditions", "gophertalks.test", "talks of more than 30 minutes without a recording", "talk minutes", is("minutes", ">", "30", "more than 30 minutes").in("minutes"), is("recorded", "=", "false", "without a recording"))
	w.ask("conditions", "gophertalks.test", "Which talks were held in 2023 or later by Chen Wu or Ada Brandt?", "talk speaker date", is("date", ">=", "2023", "in 2023 or later"), is("speaker", "in", "Chen Wu | Ada Brandt", "by Chen Wu or Ada Brandt"))
	w.ask("conditions", "vesselregister.test", "ships above 100,000 GT which are laid up", "vessel tonnage", is("tonnage", ">", "100000", "above 100,000 GT").in("GT"), is("in_service", "=", "false", "laid up"))
	w.ask("conditions", "satelites.test", "¿Qué satélites de más de 3.000 kg ya no están operativos?", "norad nombre mass_kg", is("mass_kg", ">", "3000", "más de 3.000 kg").in("kg"), is("active", "=", "false", "ya no están operativos"))
	w.ask("conditions", "eatlocal.test", "Places rated 4 or better, with mains under $25, open on Sundays", "name rating dish_price", is("rating", ">=", "4", "rated 4 or better"), is("dish_price", "<", "25", "under $25").in("$"), is("sunday", "=", "true", "open on Sundays"))
	w.ask("conditions", "courtreports.test", "Cases with an award above $4.5m before Hon. M. Osei", "case_name docket damages", is("damages", ">", "4500000", "above $4.5m").in("$"), is("judge", "=", "Hon. M. Osei", "before Hon. M. Osei"))
	w.ask("conditions", "recalls.test", "recalls that affected more than 20 000 units, but not those with a refund", "product units remedy", is("units", ">", "20000", "more than 20 000 units"), is("remedy", "!=", "refund", "not those with a refund"))
	w.ask("conditions", "mittelstand.test", "Firmen mit über 200 Mio. € Umsatz, die exportieren", "company turnover", is("turnover", ">", "200000000", "über 200 Mio. € Umsatz").in("€"), is("exports", "=", "true", "die exportieren"))

	// The first by a measure, counts and comparisons.
	w.ask("best", "trailfinder.test", "The top five trails by elevation gain", "title climb_m", is("climb_m", "top", "5", "top five trails by elevation gain"))
	w.best("best", "mediatheque.test", "Quel est le livre le plus ancien ?", "titre annee", is("annee", "bottom", "1", "le plus ancien"))
	w.best("best", "vesselregister.test", "What is the largest ship by tonnage that is still in service?", "vessel tonnage", is("tonnage", "top", "1", "the largest ship by tonnage"), is("in_service", "=", "true", "still in service"))
	w.best("best", "cityflats.test", "Which flat with pets has the lowest rent?", "address price", is("price", "bottom", "1", "the lowest rent"), is("pets", "=", "true", "with pets"))
	w.count("best", "klinikverzeichnis.test", "Wie viele Kliniken haben keine Notaufnahme?", is("emergency", "=", "false", "keine Notaufnahme"))
	w.count("best", "gophertalks.test", "How many of the talks were not recorded?", is("recorded", "=", "false", "not recorded"))
	w.ask("best", "recalls.test", "the three most recent recalls", "product announced", is("announced", "top", "3", "three most recent"))
	w.compare("best", "cityflats.test", "Compare the rent and the bedrooms of %s and %s.", "address price bedrooms", 4, 17)

	// Questions about a thing that only another answer names.
	klinik := w.site("klinikverzeichnis.test").things[9]
	w.hop("hops", "klinikverzeichnis.test", "traeger.test", fmt.Sprintf("Wer leitet den Träger des Hauses %s?", klinik.name), "director", "operator", klinik)
	ship := w.site("vesselregister.test").things[21]
	w.hop("hops", "vesselregister.test", "shipowners.test", fmt.Sprintf("Who runs the company that owns %s?", ship.name), "ceo", "owner", ship)
	w.hop("hops", "vesselregister.test", "shipowners.test", fmt.Sprintf("How much revenue has the owner of %s?", ship.name), "revenue", "owner", ship)
	w.rowHop("hops", "vesselregister.test", "shipowners.test", "Ships built before 1990 with the managing director of their owner", "vessel built owner", "ceo", "owner", is("built", "<", "1990", "built before 1990"))
}
