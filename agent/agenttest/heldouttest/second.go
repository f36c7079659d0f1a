// SPDX-License-Identifier: Apache-2.0

package heldouttest

import "fmt"

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
