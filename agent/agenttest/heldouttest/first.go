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

var studios = []string{"Lantern House", "Static Bloom", "Nightbus Media"}

// secondSites are the sites that are only measured.
func secondSites() []*site {
	return []*site{
		{
			host: "ecoles.test", lang: "fr", title: "Annuaire des écoles", noun: "école", member: "schools", n: 36, per: 9,
			names: pairs("Ampère Balzac Curie Daudet Eiffel Fermat Guitry Hugo Jaurès", "Nord Sud Centre Ouest", "École %s %s"),
			list:  "cards", paging: "numbered", detail: "tabs", path: func(i int, _ *thing) string { return fmt.Sprintf("/fiche.aspx?uai=%d", 750000+i*13) },
			columns: []column{
				{name: "nom", kind: "string", label: "Établissement"},
				{name: "commune", kind: "string", label: "Ville", make: one("Lyon", "Nantes", "Lille", "Reims")},
				{name: "eleves", kind: "integer", about: "nombre d'élèves", label: "Effectif", on: "detail", make: whole(60, 1900, " ", "%s")},
				{name: "cantine", kind: "boolean", about: "a une cantine", label: "Restauration", on: "detail", make: flag(0.6, "disponible", "non disponible")},
				{name: "ouverture", kind: "date", about: "date d'ouverture", label: "Ouverte le", on: "detail", make: day(1960, 2020, "fr", "D N Y")},
			},
		},
		{
			host: "airframes.test", lang: "en", title: "Airframes for sale", noun: "aircraft", member: "aircraft", n: 30,
			names: pairs("Piper Cessna Mooney Beech Grumman Stinson Luscombe Maule Aeronca Bellanca", "Scout Ranger Comet", "%s %s"),
			list:  "terms", detail: "jsonld", anchor: "Full listing", path: func(_ int, t *thing) string { return "/l/" + squashed(t.name) + ".htm" },
			columns: []column{
				{name: "model", kind: "string", label: "Model"},
				{name: "asking_price", kind: "number", about: "price in US dollars", label: "Asking", make: scaled(40, 900, 1e3, ".", "US$%sk")},
				{name: "hours", kind: "integer", about: "hours flown", label: "Total time", on: "detail", make: whole(200, 9900, ",", "%s hrs")},
				{name: "year", kind: "integer", about: "year of manufacture", label: "Vintage", make: year(1948, 2019)},
				{name: "hangared", kind: "boolean", about: "always kept in a hangar", label: "Hangared", on: "detail", make: flag(0.5, "Yes", "No")},
				{name: "registration", kind: "string", label: "Tail number", on: "detail", make: id(100, 8, "N%dRX")},
			},
		},
		{
			host: "museos.test", lang: "es", title: "Guía de museos", noun: "museo", member: "museums", n: 32, per: 8, claim: "%d museos en total",
			names: pairs("Goya Picasso Sorolla Dalí Murillo Zurbarán Ribera Tàpies", "Antiguo Nuevo Central Moderno", "Museo %s %s"),
			list:  "paragraphs", paging: "more",
			columns: []column{
				{name: "nombre", kind: "string", label: "Nombre"},
				{name: "entrada", kind: "number", about: "precio de la entrada en euros", label: "Tarifa general", make: decimal(3, 22, ",", "%s0 €")},
				{name: "visitantes", kind: "integer", about: "visitantes al año", label: "Visitas anuales", make: whole(4000, 900000, ".", "%s")},
				{name: "abierto", kind: "date", about: "fecha de apertura", label: "Inaugurado", make: day(1900, 2015, "es", "D de N de Y")},
				{name: "gratis_domingo", kind: "boolean", about: "gratis los domingos", label: "Gratis los domingos", make: flag(0.5, "sí", "no")},
			},
		},
		{
			host: "fundedlist.test", lang: "en", title: "Funded startups", noun: "startup", member: "startups", n: 40,
			names: pairs("Acorn Beacon Cobalt Driftwood Ember Flint Glimmer Hive", "Labs AI Robotics Health Foods", "%s %s"),
			list:  "headless", paging: "groups", by: "sector", twice: true, detail: "terms", path: func(i int, _ *thing) string { return fmt.Sprintf("/c/%x", 0xa1b2c3+i*977) },
			columns: []column{
				{name: "startup", kind: "string", label: "Company"},
				{name: "sector", kind: "string", label: "Field", make: one("Energy", "Fintech", "Biotech", "Logistics")},
				{name: "raised", kind: "number", about: "money raised in dollars", label: "Total funding", make: scaled(1, 99, 1e6, ".", "$%sM")},
				{name: "valuation", kind: "number", about: "valuation in dollars", label: "Valuation", on: "detail", missing: 0.12, make: scaled(1, 9, 1e9, ".", "$%sbn")},
				{name: "hiring", kind: "boolean", about: "is hiring now", label: "Open roles", on: "detail", make: flag(0.5, "hiring", "not hiring")},
			},
		},
		{
			host: "huettenfinder.test", lang: "de", title: "Hütten der Alpen", noun: "Hütte", member: "huts", n: 45,
			names: pairs("Adler Birken Dohlen Enzian Falken Gams Hirsch Kar Latschen Murmel Nebel Quell Stein Tannen Wetter", "Hütte Haus Alm", "%s%s"),
			list:  "accordion", paging: "letters",
			columns: []column{
				{name: "hut", kind: "string", label: "Hütte"},
				{name: "altitude_m", kind: "integer", about: "height above sea level", label: "Seehöhe", make: whole(900, 3200, ".", "%s m")},
				{name: "beds", kind: "integer", about: "number of places to sleep", label: "Schlafplätze", make: whole(10, 190, ".", "%s")},
				{name: "night", kind: "number", about: "price of a night in euros", label: "Übernachtung", make: decimal(9, 48, ",", "EUR %s0")},
				{name: "open_in_winter", kind: "boolean", about: "open in winter", label: "Winterbetrieb", make: flag(0.4, "geöffnet", "geschlossen")},
			},
		},
		{
			host: "podhaven.test", lang: "en", title: "Podcasts worth hearing", noun: "podcast", member: "podcasts", n: 36,
			names: pairs("Midnight Paper Velvet Orbit Cinder Harbor Lemon Static Winter", "Stories Hour Files Radio", "%s %s"),
			list:  "table", paging: "years", by: "started",
			columns: []column{
				{name: "show", kind: "string", label: "Show"},
				{name: "started", kind: "date", about: "date of the first episode", label: "First aired", make: day(2019, 2023, "en", "A D, Y")},
				{name: "episodes", kind: "integer", label: "Eps", make: whole(12, 900, ",", "%s")},
				{name: "studio", kind: "string", about: "who makes it", label: "Produced by", make: one(studios...)},
				{name: "ended", kind: "boolean", about: "no more episodes appear", label: "Still running", make: flag(0.4, "no", "yes")},
			},
		},
		{
			host: "audiostudios.test", lang: "en", title: "Studios of the spoken word", noun: "studio", member: "studios", n: len(studios), names: fixed(studios...),
			list: "lines", detail: "paragraphs", path: func(i int, _ *thing) string { return fmt.Sprintf("/profile/%d", 71+i) },
			columns: []column{
				{name: "name", kind: "string", label: "Studio"},
				{name: "founder", kind: "string", about: "who founded it", label: "Started by", on: "detail", make: turn("Nora Pike", "Idris Vale", "Lou Castellano")},
				{name: "city", kind: "string", label: "Home", on: "detail", make: turn("Leeds", "Austin", "Malmö")},
			},
		},
	}
}

// secondTasks are the questions about the second sites.
func (w *Web) secondTasks() {
	w.ask("gather", "ecoles.test", "Je voudrais toutes les écoles : commune, nombre d'élèves, cantine et date d'ouverture.", "nom commune eleves cantine ouverture")
	w.ask("gather", "airframes.test", "What planes are for sale? Give tail number, hours, year, price, and whether they were hangared.", "registration model asking_price hours year hangared")
	w.ask("gather", "museos.test", "Haz una tabla de los museos con precio, visitantes y fecha de apertura.", "nombre entrada visitantes abierto gratis_domingo")
	w.ask("gather", "fundedlist.test", "Build a list of the startups: sector, money raised, valuation, and if they hire.", "startup sector raised valuation hiring")
	w.ask("gather", "huettenfinder.test", "Sämtliche Hütten mit Höhe, Schlafplätzen, Preis und Winterbetrieb.", "hut altitude_m beds night open_in_winter")
	w.ask("gather", "podhaven.test", "every podcast with its first episode, number of episodes and studio", "show started episodes studio")

	w.ask("conditions", "ecoles.test", "Les écoles de moins de 500 élèves sans cantine", "nom eleves", is("eleves", "<", "500", "moins de 500 élèves"), is("cantine", "=", "false", "sans cantine"))
	w.ask("conditions", "airframes.test", "Planes under $400k with fewer than 5,000 hours that were always hangared", "registration model asking_price hours", is("asking_price", "<", "400000", "under $400k").in("$"), is("hours", "<", "5000", "fewer than 5,000 hours").in("hours"), is("hangared", "=", "true", "always hangared"))
	w.ask("conditions", "museos.test", "¿Qué museos cuestan menos de 12 € y son gratis los domingos?", "nombre entrada", is("entrada", "<", "12", "menos de 12 €").in("€"), is("gratis_domingo", "=", "true", "gratis los domingos"))
	w.ask("conditions", "museos.test", "Museos abiertos antes de 1950 con más de 100.000 visitantes", "nombre visitantes abierto", is("abierto", "<", "1950", "antes de 1950"), is("visitantes", ">", "100000", "más de 100.000 visitantes"))
	w.ask("conditions", "fundedlist.test", "startups valued at $3bn or more which are not in biotech", "startup valuation sector", is("valuation", ">=", "3000000000", "valued at $3bn or more").in("$"), is("sector", "!=", "Biotech", "not in biotech"))
	w.ask("conditions", "fundedlist.test", "Who is hiring and has raised at least $50M?", "startup raised", is("hiring", "=", "true", "hiring"), is("raised", ">=", "50000000", "at least $50M").in("$"))
	w.ask("conditions", "huettenfinder.test", "Welche Hütten über 2000 m sind im Winter geöffnet und kosten höchstens 30 Euro?", "hut altitude_m night", is("altitude_m", ">", "2000", "über 2000 m").in("m"), is("open_in_winter", "=", "true", "im Winter geöffnet"), is("night", "<=", "30", "höchstens 30 Euro").in("Euro"))
	w.ask("conditions", "podhaven.test", "Podcasts by Static Bloom that have ended", "show episodes", is("studio", "=", "Static Bloom", "by Static Bloom"), is("ended", "=", "true", "have ended"))

	w.ask("best", "huettenfinder.test", "Die vier höchsten Hütten", "hut altitude_m", is("altitude_m", "top", "4", "vier höchsten"))
	w.best("best", "podhaven.test", "Which podcast has the most episodes?", "show episodes", is("episodes", "top", "1", "the most episodes"))
	w.best("best", "airframes.test", "What is the oldest plane that was kept in a hangar?", "model year", is("year", "bottom", "1", "the oldest plane"), is("hangared", "=", "true", "kept in a hangar"))
	w.count("best", "ecoles.test", "Combien d'écoles ont une cantine ?", is("cantine", "=", "true", "ont une cantine"))
	w.compare("best", "museos.test", "Compara la entrada y los visitantes de %s y %s.", "nombre entrada visitantes", 5, 20)

	show := w.site("podhaven.test").things[11]
	w.hop("hops", "podhaven.test", "audiostudios.test", fmt.Sprintf("Who founded the studio behind %s?", show.name), "founder", "studio", show)
	w.rowHop("hops", "podhaven.test", "audiostudios.test", "Podcasts with more than 600 episodes and the home town of their studio", "show episodes studio", "city", "studio", is("episodes", ">", "600", "more than 600 episodes"))
}
