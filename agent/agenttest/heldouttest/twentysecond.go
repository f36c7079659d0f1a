// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// The twenty-second set has pages as systems of many real sites make them, where a value has no label, or
// one that only machines read:
//
//  1. Spanish flats: icons with labels for screen readers, features as bare lines, near-duplicate names
//  2. Dutch vacancies: ranges of pay and hours in one text, load-more links with cursors, who runs the employer
//  3. an encyclopedic list of tunnels: rows that span the table, two units in a cell, footnotes, circa
//  4. a programme of events in microdata: dates and prices of attributes, two prices in one text
//  5. a Swiss register of companies: letters, apostrophes in thousands, companies that are deleted
//  6. a French library: collations as catalogues print them, years with letters, facets beside the list
//  7. Swedish used cars: a line of facts between dots, Scandinavian miles, former prices
//  8. a directory of software: badges, "12.4k", sizes in two units, versions, foundations behind it
//  9. results of a race: ranks with draws, times, runners who did not finish, clubs that some lack
//  10. Japanese flats to let: 万円, floors of floors, deposits in months, pets by agreement
//  11. Polish physicians in tabs: a rating and its votes in one text, the next free day
//  12. a garden centre of which only JSON-LD states most facts

// twentySecondSites are the sites of the twenty-second set.
func twentySecondSites() []*site {
	employers := []string{"Scheldebouw", "Delta Techniek", "Zeeuwse Kust Zorg", "Haven Logistiek"}
	foundations := []string{"Openwater Foundation", "Plain Text Trust", "Lattice Commons"}
	return []*site{
		{
			host: "pisos-altavega.test", lang: "es", title: "Pisos en venta en Altavega", noun: "piso", member: "pisos", n: 36, per: 12, pager: true, few: true,
			names: func(_ *rand.Rand, i int) string {
				return fmt.Sprintf("Piso en %s %s, %d", []string{"calle", "avenida", "plaza"}[i%3], []string{"del Olmo", "del Olmo Viejo", "San Roque", "Real"}[i/3%4], 3+i/12*2)
			},
			list: "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/inmueble/%d/", 98127+i*311) },
			form: form{
				item: `<div id="l{ref}"><a href="{link}"><img src="/f.webp" alt="{named}"></a><h2>{name}</h2><p><b>{precio}</b></p><p><span role="img" aria-label="habitaciones">🛏</span> {hab} <span role="img" aria-label="superficie">⤢</span> {m2} <span>{barrio}</span></p></div>
`,
				detail: `<h2>Características básicas</h2><ul><li>{m2} construidos, {utiles}</li><li>{hab}</li><li>{banos}</li><li>{planta}</li><li>{ascensor}</li><li>{ano}</li></ul><h2>Gastos</h2><p>Comunidad: {gastos}</p><p>Certificado energético: {energia}</p>`,
			},
			columns: []column{
				{name: "piso", kind: "string", about: "nombre del anuncio", label: "Piso"},
				{name: "precio", kind: "number", about: "precio en euros", on: "list", make: stepped(79, 420, 1000, ".", "%s €")},
				{name: "barrio", kind: "string", about: "barrio", on: "list", make: one("Centro", "La Estación", "Puerta Norte")},
				{name: "hab", kind: "integer", about: "número de habitaciones", make: anyOf([]float64{1, 2, 3, 4}, "1 hab.", "2 hab.", "3 hab.", "4 hab.")},
				{name: "m2", kind: "integer", about: "superficie construida en m²", make: whole(38, 160, ".", "%s m²")},
				{name: "utiles", kind: "integer", about: "superficie útil en m²", on: "detail", make: whole(30, 37, ".", "%s m² útiles")},
				{name: "banos", kind: "integer", about: "número de baños", on: "detail", make: anyOf([]float64{1, 2}, "1 baño", "2 baños")},
				{name: "planta", kind: "integer", about: "planta; 0 es el bajo", on: "detail", make: anyOf([]float64{0, 1, 2, 5}, "Bajo", "Planta 1ª exterior", "Planta 2ª interior", "Planta 5ª exterior")},
				{name: "ascensor", kind: "boolean", about: "tiene ascensor", on: "detail", make: worded(0.5, []string{"Con ascensor"}, []string{"Sin ascensor"})},
				{name: "ano", kind: "integer", about: "año de construcción", on: "detail", make: func(rng *rand.Rand, _ int) (any, string) {
					n := 1931 + rng.IntN(90)
					return float64(n), fmt.Sprintf("Construido en %d", n)
				}},
				{name: "gastos", kind: "number", about: "gastos de comunidad al mes en euros", on: "detail", make: whole(20, 140, ".", "%s €/mes"), missing: 0.2, blank: "no indicado"},
				{name: "energia", kind: "string", about: "letra del certificado energético", on: "detail", make: one("A", "C", "E", "G")},
				{name: "ref", kind: "string", about: "referencia", on: "nowhere", make: id(1, 7, "%d")},
			},
		},
		{
			host: "vacatures-kust.test", lang: "nl", title: "Vacatures aan de kust", noun: "vacature", member: "vacatures", n: 32, per: 8, cursor: true, token: "cursor", onward: "Toon 8 volgende vacatures",
			names: pairs("Monteur Planner Verpleegkundige Kraanmachinist Kok Magazijnmedewerker Lasser Boekhouder", "Goes Vlissingen Middelburg Terneuzen", "%s (%s)"),
			list:  "form", paging: "more", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/vacature/%s-%s", squashed(t.name), opaque("v", i)) },
			form: form{
				item: `<section><h3>{name}</h3><p>{werkgever} – {uren}</p></section>
`,
				detail: `<p>Je werkt bij {werkgever}.</p><details open><summary>Wat bieden wij?</summary><p>Een salaris tussen {laag} en {hoog} bruto per maand en {vrij} vakantiedagen. Contract: {contract}.</p></details><details><summary>Wat vragen wij?</summary><p>Minimaal {ervaring} ervaring. Rijbewijs B: {rijbewijs}.</p></details><p>Reageren kan tot en met {sluit}.</p>`,
			},
			columns: []column{
				{name: "vacature", kind: "string", about: "naam van de vacature", label: "Vacature"},
				{name: "werkgever", kind: "string", about: "werkgever", make: turn(employers...)},
				{name: "uren", kind: "integer", about: "hoogste aantal uren per week", on: "list", make: anyOf([]float64{24, 36, 40}, "16–24 uur per week", "32–36 uur per week", "40 uur per week")},
				{name: "laag", kind: "number", about: "laagste salaris in euro per maand", on: "detail", make: stepped(47, 60, 50, ".", "€ %s")},
				{name: "hoog", kind: "number", about: "hoogste salaris in euro per maand", on: "detail", make: stepped(62, 98, 50, ".", "€ %s")},
				{name: "vrij", kind: "integer", about: "aantal vakantiedagen", on: "detail", make: whole(20, 32, "", "%s")},
				{name: "contract", kind: "string", about: "soort contract", on: "detail", make: one("vast", "tijdelijk", "uitzend")},
				{name: "ervaring", kind: "integer", about: "jaren ervaring die gevraagd worden", on: "detail", make: anyOf([]float64{1, 2, 5}, "1 jaar", "2 jaar", "vijf jaar")},
				{name: "rijbewijs", kind: "boolean", about: "rijbewijs B is nodig", on: "detail", make: worded(0.5, []string{"vereist", "ja"}, []string{"niet nodig", "pre, geen eis"})},
				{name: "sluit", kind: "date", about: "laatste dag om te reageren", on: "detail", make: day(2026, 2027, "nl", "D N Y")},
			},
		},
		{
			host: "werkgevers-kust.test", lang: "nl", title: "Werkgevers aan de kust", noun: "werkgever", member: "werkgevers", n: 4,
			names: fixed(employers...),
			list:  "form", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/org/%s", opaque("org", i)) },
			form: form{
				item:   `<a href="{link}"><div><p>{named}</p></div></a>` + "\n",
				detail: `<p>{werkgever} staat onder leiding van {directeur}. Er werken {mensen} mensen.</p>`,
			},
			columns: []column{
				{name: "werkgever", kind: "string", about: "naam van de werkgever", label: "Werkgever"},
				{name: "directeur", kind: "string", about: "directeur van de werkgever", on: "detail", make: turn("Marit de Vos", "Joost Leenhouts", "Anneke Boogaard", "Sven Dekker")},
				{name: "mensen", kind: "integer", about: "aantal mensen dat er werkt", on: "detail", make: whole(120, 4100, ".", "%s")},
			},
		},
		{
			host: "tunnelpedia.test", lang: "en", title: "List of canal and railway tunnels", noun: "tunnel", member: "tunnels", n: 42, by: "county",
			names: spaced(pairs("Ashford Blackrock Combe Dunstall Eastnor Foxcote Greywell", "Tunnel Cutting_Tunnel No.1_Tunnel No.2_Tunnel Old_Tunnel Summit_Tunnel", "%s %s")),
			list:  "form",
			form: form{
				before:  `<p>This list does not include culverts. As of 2026 the longest is still in use.[1]</p><table class="wikitable sortable"><tr><th>Tunnel</th><th>Length</th><th>Opened</th><th>Closed</th><th>Bores</th><th>Use</th><th>Notes</th></tr>`,
				section: `<tr><th colspan="7">%s</th></tr>` + "\n",
				item: `<tr><td>{name}</td><td>{length}</td><td>{opened}</td><td>{closed}</td><td>{bores}</td><td>{use}</td><td>{listed}</td></tr>
`,
				after: `</table><ol class="references"><li>^ Survey of 2019.</li><li>^ Estimated from maps.</li></ol>`,
			},
			columns: []column{
				{name: "tunnel", kind: "string", about: "name of the tunnel", label: "Tunnel"},
				{name: "county", kind: "string", about: "county", on: "section", make: one("Derbyshire", "Somerset", "Worcestershire")},
				{name: "length", kind: "integer", about: "length in metres", make: bothLengths},
				{name: "opened", kind: "integer", about: "year of opening", make: either(year(1778, 1899), circaYear("c. %d", 1778, 1850))},
				{name: "closed", kind: "integer", about: "year of closure", make: year(1901, 1990), missing: 0.5, blank: "—"},
				{name: "bores", kind: "integer", about: "number of bores", make: anyOf([]float64{1, 2, 1}, "1", "2", "Single")},
				{name: "use", kind: "string", about: "present use", make: one("Railway", "Canal", "Disused", "Footpath")},
				{name: "listed", kind: "boolean", about: "is a listed building", make: worded(0.4, []string{"Grade II listed", "Listed (Grade II*)"}, []string{"Not listed"})},
			},
		},
		{
			host: "thewharfstage.test", lang: "en", title: "What's on at The Wharf Stage", noun: "event", member: "events", n: 30, per: 10,
			names: pairs("Candlelit Midnight Northern Paper Quiet Velvet", "Cabaret Lanterns Orchestra Stories Waltz", "%s %s"),
			list:  "form", paging: "more", detail: "form", onward: "Next ten events", path: func(i int, t *thing) string { return fmt.Sprintf("/whats-on/2026/%s", squashed(t.name)) },
			form: form{
				item: `<div itemscope itemtype="https://schema.org/Event"><h3 itemprop="name">{name}</h3><p>{day} at {time}</p><p itemprop="location">{room}</p><p>{seats}</p></div>
`,
				detail: `<p>Tickets {price} / {conc} concessions. Booking fee {fee}.</p><p>Running time: {runs}</p><p>Guidance: {age}</p><p>Captioned performance: {captioned}</p>`,
			},
			columns: []column{
				{name: "event", kind: "string", about: "name of the event", label: "Event"},
				{name: "day", kind: "date", about: "day of the event", on: "list", make: machineDay},
				{name: "time", kind: "string", about: "time at which it starts, as HH:MM", on: "list", make: evening},
				{name: "room", kind: "string", about: "room", on: "list", make: one("Main Stage", "Studio", "Loft")},
				{name: "seats", kind: "boolean", about: "tickets are still on sale", on: "list", make: worded(0.7, []string{"Book now", "Last few tickets", "Limited availability"}, []string{"Sold out", "Cancelled"})},
				{name: "price", kind: "number", about: "full price of a ticket in pounds", on: "detail", make: anyOf([]float64{12, 18.5, 24, 32}, "£12", "£18.50", "£24", "£32")},
				{name: "conc", kind: "number", about: "reduced price of a ticket in pounds", on: "detail", make: anyOf([]float64{5, 8, 9.5}, "£5", "£8", "£9.50")},
				{name: "fee", kind: "number", about: "booking fee in pounds", on: "detail", make: anyOf([]float64{0, 1.5, 2}, "nil", "£1.50", "£2")},
				{name: "runs", kind: "integer", about: "running time in minutes", on: "detail", make: anyOf([]float64{70, 100, 120, 150}, "70 mins, no interval", "1hr 40mins", "2 hrs approx.", "2h 30m including interval")},
				{name: "age", kind: "integer", about: "least age in years", on: "detail", make: anyOf([]float64{5, 12, 16}, "5+", "Ages 12 and up", "Strictly 16+"), missing: 0.2, blank: "Suitable for all"},
				{name: "captioned", kind: "boolean", about: "there is a captioned performance", on: "detail", make: worded(0.4, []string{"yes", "on request"}, []string{"no", "not for this show"})},
			},
		},
		{
			host: "firmenindex-oberland.test", lang: "de-CH", title: "Firmenindex Oberland", noun: "Firma", member: "firmen", n: 40,
			names: spaced(pairs("Aebi Bracher Däppen Egger Frutiger Gasser Hadorn Imboden Jaun Kübli", "AG GmbH Holding_AG &_Söhne", "%s %s")),
			list:  "form", paging: "letters", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/firma/CHE-%d", 101334+i*977) },
			form: form{
				before: `<ul>`, after: `</ul>`,
				item:   `<li>{name} <small>{sitz}</small></li>` + "\n",
				detail: `<dl><dt>Status</dt><dd>{aktiv}</dd><dt>Sitz</dt><dd>{sitz}</dd><dt>Eingetragen</dt><dd>{seit}</dd><dt>Kapital</dt><dd>{kapital}</dd><dt>Zeichnungsberechtigte</dt><dd>{zeichnende}</dd><dt>Umsatz (Vorjahr)</dt><dd>{umsatz}</dd><dt>Vorsitz</dt><dd>{vorsitz}</dd></dl>`,
			},
			columns: []column{
				{name: "firma", kind: "string", about: "Name der Firma", label: "Firma"},
				{name: "sitz", kind: "string", about: "Sitz", make: one("Thun", "Spiez", "Interlaken")},
				{name: "aktiv", kind: "boolean", about: "ist noch eingetragen", label: "Status", on: "detail", make: worded(0.7, []string{"aktiv"}, []string{"gelöscht", "in Liquidation, gelöscht"})},
				{name: "seit", kind: "date", about: "Tag der Eintragung", on: "detail", make: day(1981, 2026, "de", "DD.MM.Y")},
				{name: "kapital", kind: "number", about: "Kapital in Franken", on: "detail", make: stepped(2, 60, 10000, "'", "CHF %s.00")},
				{name: "zeichnende", kind: "integer", about: "Zahl der Zeichnungsberechtigten", on: "detail", make: anyOf([]float64{1, 2, 4, 11}, "1 Person", "2 Personen", "4 Personen", "11 Personen")},
				{name: "umsatz", kind: "number", about: "Umsatz in Franken", on: "detail", make: scaled(1, 80, 1e6, ".", "%s Mio. Fr."), missing: 0.3, blank: "k. A."},
				{name: "vorsitz", kind: "string", about: "wer den Vorsitz hat", on: "detail", make: turn("Ruth Zbinden", "Beat Anliker", "Vreni Moser", "Urs Tschanz", "Annelis Bieri")},
			},
		},
		{
			host: "mediatheque-valserine.test", lang: "fr", title: "Catalogue de la médiathèque de la Valserine", noun: "livre", member: "livres", n: 36, per: 12, pager: true,
			names: spaced(pairs("L'ombre Le_retour Les_jardins La_lettre Nos_hivers Une_saison", "du_gué des_passeurs de_Marthe au_phare sans_fin en_exil", "%s %s")),
			list:  "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/doc/SYRACUSE/%d", 40213+i*13) },
			form: form{
				before: `<aside><h4>Affiner</h4><ul><li><a href="/?f=1">Roman (212)</a></li><li><a href="/?f=2">Policier (31)</a></li><li><a href="/?f=3">Disponible (198)</a></li></ul></aside>`,
				item: `<div class="notice"><h3>{name}</h3><p>{auteur}. – {editeur}, {parution}</p><p>{dispo}</p></div>
`,
				detail: `<table><tr><th>Auteur</th><td>{auteur}</td></tr><tr><th>Description</th><td>1 vol. ({pages}) ; {taille}</td></tr><tr><th>Exemplaires</th><td>{ex}</td></tr><tr><th>Langue</th><td>{langue}</td></tr><tr><th>Prix</th><td>{prix}</td></tr><tr><th>Cote</th><td>{cote}</td></tr></table>`,
			},
			columns: []column{
				{name: "livre", kind: "string", about: "titre du livre", label: "Titre"},
				{name: "auteur", kind: "string", about: "auteur", make: one("Orsenne, Paul", "Vidalie, Anne", "Khoury, Nadia")},
				{name: "editeur", kind: "string", about: "éditeur", on: "list", make: one("Le Seuil blanc", "Rives", "Griffe")},
				{name: "parution", kind: "integer", about: "année de parution", on: "list", make: either(year(1994, 2026), either(circaYear("DL %d", 1994, 2026), circaYear("cop. %d", 1994, 2026)))},
				{name: "dispo", kind: "boolean", about: "est disponible", on: "list", make: worded(0.6, []string{"En rayon", "Disponible"}, []string{"Emprunté", "Emprunté, retour prévu le 12/05/2026"})},
				{name: "pages", kind: "integer", about: "nombre de pages", on: "detail", make: either(whole(90, 700, "", "%s p."), whole(90, 700, "", "%s pages"))},
				{name: "taille", kind: "integer", about: "hauteur en centimètres", on: "detail", make: whole(17, 29, "", "%s cm")},
				{name: "ex", kind: "integer", about: "nombre d'exemplaires", on: "detail", make: anyOf([]float64{1, 2, 4}, "1 ex.", "2 ex.", "4 ex. dont 1 exclu du prêt")},
				{name: "langue", kind: "string", about: "langue", on: "detail", make: one("français", "arabe", "italien")},
				{name: "prix", kind: "number", about: "prix en euros", on: "detail", make: cents(690, 2890, "%d,%02d EUR"), missing: 0.25, blank: "non communiqué"},
				{name: "cote", kind: "string", about: "cote", on: "detail", make: id(100, 9, "R ORS %d")},
			},
		},
		{
			host: "begbilar-siljan.test", lang: "sv", title: "Begagnade bilar vid Siljan", noun: "bil", member: "bilar", n: 32, per: 16,
			names: spaced(pairs("Volvo_V60 Saab_9-3 Skoda_Octavia Kia_Ceed VW_Golf Toyota_Auris Seat_Leon Volvo_V60_Cross_Country", "D3 T4 Kombi 1.6", "%s %s")),
			list:  "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/annons/%d", 7710043+i*57) },
			form: form{
				item: `<div>{name}</div><div>{ar} · {mil} · {bransle} · {lada}</div><div>{pris}</div>
`,
				detail: `<p>{effekt}, {drift}</p><p>Dragkrok: {drag}</p><p>Antal ägare: {agare}</p><p>Skatt: {skatt}</p><p>Besiktigad till och med {besikt}</p><p>Säljare: {handlare}</p>`,
			},
			columns: []column{
				{name: "bil", kind: "string", about: "bilens modell", label: "Bil"},
				{name: "ar", kind: "integer", about: "årsmodell", on: "list", make: year(2006, 2025)},
				{name: "mil", kind: "integer", about: "mätarställning i mil", on: "list", make: whole(900, 32000, " ", "%s mil")},
				{name: "bransle", kind: "string", about: "bränsle", on: "list", make: one("Diesel", "Bensin", "El", "Etanol")},
				{name: "lada", kind: "string", about: "växellåda", on: "list", make: one("Automat", "Manuell")},
				{name: "pris", kind: "number", about: "pris i kronor", on: "list", make: wasFrom(stepped(24, 380, 1000, " ", "%s kr"), "Nu", "%s kr", " ")},
				{name: "effekt", kind: "integer", about: "effekt i hästkrafter", on: "detail", make: whole(85, 260, "", "%s hk")},
				{name: "drift", kind: "string", about: "drivning", on: "detail", make: one("framhjulsdrift", "fyrhjulsdrift")},
				{name: "drag", kind: "boolean", about: "har dragkrok", on: "detail", make: worded(0.5, []string{"ja", "ja, avtagbar"}, []string{"nej", "saknas"})},
				{name: "agare", kind: "integer", about: "antal tidigare ägare", on: "detail", make: anyOf([]float64{1, 2, 3, 5}, "en", "2 st", "3", "fem")},
				{name: "skatt", kind: "number", about: "skatt i kronor om året", on: "detail", make: whole(360, 5200, " ", "%s kr/år"), missing: 0.15, blank: "uppgift saknas"},
				{name: "besikt", kind: "date", about: "dag till vilken bilen är besiktigad", on: "detail", make: day(2026, 2028, "sv", "Y-MM-DD")},
				{name: "handlare", kind: "boolean", about: "säljs av en handlare", on: "detail", make: worded(0.5, []string{"bilhandlare", "auktoriserad handlare"}, []string{"privatperson", "privat"})},
			},
		},
		{
			host: "libshelf.test", lang: "en-US", title: "Shelf of open libraries", noun: "project", member: "projects", n: 36, per: 12, pager: true,
			names: func(_ *rand.Rand, i int) string {
				return []string{"quill", "quill-core", "marlin", "tessera", "oxbow", "fathom"}[i%6] + []string{"", "-js", ".rs", "-py", "-cli", "-ui"}[i/6]
			},
			list: "form", paging: "numbered", detail: "form", path: func(_ int, t *thing) string { return "/p/" + strings.ReplaceAll(t.name, ".", "~") },
			form: form{
				item: `<div><h3>{name}</h3><p>★ {stars} <img src="/badge.svg" alt="license {license}"></p></div>
`,
				detail: `<p><img src="/b1.svg" alt="version {version}"> <img src="/b2.svg" alt="build {builds}"></p><ul><li><strong>{contributors}</strong> contributors</li><li><strong>{issues}</strong> open issues</li><li>{size} unpacked</li></ul><p>Released {released} · {state}</p><p>A project of the {foundation}.</p>`,
			},
			columns: []column{
				{name: "project", kind: "string", about: "name of the project", label: "Project"},
				{name: "stars", kind: "integer", about: "number of stars", on: "list", make: either(whole(120, 999, ",", "%s"), scaled(1, 70, 1000, ".", "%sk"))},
				{name: "license", kind: "string", about: "license", on: "list", make: one("MIT", "Apache-2.0", "BSD-3-Clause")},
				{name: "version", kind: "string", about: "latest version", on: "detail", make: id(20, 4, "v1.%d.0")},
				{name: "builds", kind: "boolean", about: "the build passes", on: "detail", make: worded(0.7, []string{"passing"}, []string{"failing"})},
				{name: "contributors", kind: "integer", about: "number of contributors", on: "detail", make: whole(1, 1400, ",", "%s")},
				{name: "issues", kind: "integer", about: "number of open issues", on: "detail", make: whole(2000, 4200, ",", "%s")},
				{name: "size", kind: "number", about: "unpacked size in MB", on: "detail", make: packed},
				{name: "released", kind: "date", about: "day of the latest release", on: "detail", make: day(2023, 2027, "en", "A D, Y")},
				{name: "state", kind: "boolean", about: "is maintained", on: "detail", make: worded(0.7, []string{"actively maintained", "maintained"}, []string{"archived", "looking for a maintainer"})},
				{name: "foundation", kind: "string", about: "foundation behind the project", on: "detail", make: turn(foundations...)},
			},
		},
		{
			host: "foundationlist.test", lang: "en-US", title: "Foundations for open source", noun: "foundation", member: "foundations", n: 3,
			names: fixed(foundations...),
			list:  "terms", detail: "form", path: func(_ int, t *thing) string { return "/f/" + squashed(t.name) },
			form: form{
				detail: `<p>Its executive director is {director}; {chair} chairs the board. It was set up in {since} and spent {budget} last year.</p>`,
			},
			columns: []column{
				{name: "foundation", kind: "string", about: "name of the foundation", label: "Foundation"},
				{name: "director", kind: "string", about: "executive director of the foundation", on: "detail", make: turn("Imani Brookes", "Teodor Valk", "Suzanne Achterberg")},
				{name: "chair", kind: "string", about: "chair of the board", on: "detail", make: turn("Paulo Reis", "Gwen Attar", "Lucius Oyelaran")},
				{name: "since", kind: "integer", about: "year in which it was set up", on: "detail", make: year(1998, 2021)},
				{name: "budget", kind: "number", about: "spending of a year in dollars", on: "detail", make: scaled(1, 30, 1e6, ".", "$%sM")},
			},
		},
		{
			host: "fellrace-results.test", lang: "en-GB", title: "Skerrow Fell Race 2026 – results", noun: "runner", member: "runners", n: 40, per: 20, pager: true,
			names: pairs("Anna Bob Carys Dewi Ella Finn Gwen Hugh", "Lloyd Pryce Rees Tudor Vaughan", "%s %s"),
			list:  "form", paging: "numbered",
			form: form{
				before: `<table><thead><tr><th>Pos</th><th>Bib</th><th>Name</th><th>Club</th><th>Cat</th><th>Time</th><th>Behind</th><th>1st year</th></tr></thead>`,
				item: `<tr><td>{pos}</td><td>{bib}</td><td>{name}</td><td>{club}</td><td>{cat}</td><td>{time}</td><td>{behind}</td><td>{debut}</td></tr>
`,
				after: `</table><p>Sponsored by Skerrow Bakery, 12 Mill Lane.</p>`,
			},
			columns: []column{
				{name: "runner", kind: "string", about: "name of the runner", label: "Name"},
				{name: "pos", kind: "integer", about: "position", make: func(_ *rand.Rand, i int) (any, string) {
					if i%8 > 5 {
						return float64(i/8*8 + 7), fmt.Sprintf("=%d", i/8*8+7)
					}
					return float64(i + 1), fmt.Sprint(i + 1)
				}},
				{name: "bib", kind: "string", about: "number on the bib", make: id(100, 6, "%04d")},
				{name: "club", kind: "string", about: "club", make: one("Skerrow Harriers", "Calder AC", "Bowland"), missing: 0.2, blank: "Unattached"},
				{name: "cat", kind: "string", about: "age category", make: one("M", "F", "MV40", "FV50")},
				{name: "time", kind: "string", about: "time as H:MM:SS", make: id(0, 1, "1:%02d:07"), missing: 0.15, blank: "DNF"},
				{name: "behind", kind: "number", about: "minutes behind the winner", make: anyOf([]float64{0.5, 2.5, 12, 31}, "+0:30", "+2:30", "+12:00", "+31:00"), missing: 0.1, blank: "–"},
				{name: "debut", kind: "boolean", about: "runs this race for the first time", make: worded(0.4, []string{"✓"}, []string{"✗"})},
			},
		},
		{
			host: "chintai-midori.test", lang: "ja", title: "みどり市の賃貸物件", noun: "物件", member: "bukken", n: 28, per: 14,
			names: pairs("コーポ メゾン ハイツ グリーン", "青葉 若松 さくら 大手 高砂 みなと 三条", "%s%s"),
			list:  "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/chintai/jnc_%08d/", 4411+i*91) },
			form: form{
				item: `<div class="cassetteitem"><div>{name}</div><ul><li>{rent}</li><li>{layout}</li><li>{area}</li></ul></div>
`,
				detail: `<table><tr><th>管理費</th><td>{fee}</td><th>敷金</th><td>{deposit}</td></tr><tr><th>駅徒歩</th><td>{walk}</td><th>階</th><td>{floor}</td></tr><tr><th>築年月</th><td>{built}</td><th>ペット</th><td>{pets}</td></tr></table>`,
			},
			columns: []column{
				{name: "name", kind: "string", about: "物件名", label: "物件"},
				{name: "rent", kind: "number", about: "月の家賃（円）", on: "list", make: scaled(3, 14, 10000, ".", "%s万円")},
				{name: "layout", kind: "string", about: "間取り", on: "list", make: one("1K", "1LDK", "2DK")},
				{name: "area", kind: "number", about: "専有面積（m²）", on: "list", make: decimal(18, 60, ".", "%sm²")},
				{name: "fee", kind: "number", about: "管理費（円）", label: "管理費", on: "detail", make: anyOf([]float64{0, 3000, 5500}, "なし", "3,000円", "5,500円")},
				{name: "deposit", kind: "number", about: "敷金（か月分）", label: "敷金", on: "detail", make: anyOf([]float64{0, 1, 2}, "なし", "1ヶ月", "2ヶ月")},
				{name: "walk", kind: "integer", about: "駅からの徒歩（分）", label: "駅徒歩", on: "detail", make: whole(1, 25, "", "徒歩%s分")},
				{name: "floor", kind: "integer", about: "何階か", label: "階", on: "detail", make: anyOf([]float64{1, 2, 3, 5}, "1階/2階建", "2階/3階建", "3階/5階建", "5階/10階建")},
				{name: "built", kind: "integer", about: "建築年", label: "築年月", on: "detail", make: func(rng *rand.Rand, i int) (any, string) {
					n := 1979 + rng.IntN(45)
					return float64(n), fmt.Sprintf("%d年%d月", n, 1+i%12)
				}},
				{name: "pets", kind: "boolean", about: "ペットを飼える", label: "ペット", on: "detail", make: worded(0.4, []string{"可", "相談可"}, []string{"不可"})},
			},
		},
		{
			host: "lekarze-wislok.test", lang: "pl", title: "Lekarze nad Wisłokiem", noun: "lekarz", member: "lekarze", n: 30, per: 10, onward: "Kolejni lekarze",
			names: spaced(pairs("lek._Anna lek._Jan dr_Ewa dr_Piotr lek._Olga dr_Adam", "Bielak Cichoń Drozd Gil Hołub", "%s %s")),
			list:  "form", paging: "more", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/%d/lekarz", 300+i*3) },
			form: form{
				item: `<li><h3>{name}</h3><p>{spec}, {miasto}</p><p>{ocena} ({opinie})</p></li>
`,
				detail: `<div role="tablist"><button role="tab">Wizyta</button><button role="tab">O mnie</button></div><div role="tabpanel"><p>Pierwsza wizyta: {cena}</p><p>Najbliższy wolny termin: {termin}</p><p>Refundacja NFZ: {nfz}</p></div><div role="tabpanel" hidden><p>Praktykuje od {od} roku i przyjmuje {dni} w tygodniu.</p><p>Wizyty online: {online}</p></div>`,
			},
			columns: []column{
				{name: "lekarz", kind: "string", about: "imię i nazwisko lekarza", label: "Lekarz"},
				{name: "spec", kind: "string", about: "specjalizacja", on: "list", make: one("kardiolog", "okulista", "ortopeda")},
				{name: "miasto", kind: "string", about: "miasto", on: "list", make: one("Krosno", "Sanok", "Strzyżów")},
				{name: "ocena", kind: "number", about: "średnia ocena", on: "list", make: decimal(3, 5, ",", "%s")},
				{name: "opinie", kind: "integer", about: "liczba opinii", on: "list", make: whole(6, 640, " ", "%s opinii")},
				{name: "cena", kind: "number", about: "cena pierwszej wizyty w złotych", on: "detail", make: stepped(12, 40, 10, " ", "%s zł")},
				{name: "termin", kind: "date", about: "najbliższy wolny termin", on: "detail", make: day(2026, 2027, "pl", "D N Y"), missing: 0.15, blank: "brak terminów"},
				{name: "nfz", kind: "boolean", about: "przyjmuje w ramach NFZ", on: "detail", make: worded(0.4, []string{"tak"}, []string{"nie", "tylko prywatnie"})},
				{name: "od", kind: "integer", about: "rok, od którego praktykuje", on: "detail", make: year(1982, 2020)},
				{name: "dni", kind: "integer", about: "dni przyjęć w tygodniu", on: "detail", make: anyOf([]float64{1, 2, 3, 5}, "jeden dzień", "dwa dni", "3 dni", "pięć dni")},
				{name: "online", kind: "boolean", about: "prowadzi wizyty online", on: "detail", make: worded(0.5, []string{"dostępne", "tak"}, []string{"niedostępne", "nie"})},
			},
		},
		{
			host: "rootandstem.test", lang: "en-GB", title: "Root and Stem garden centre", noun: "plant", member: "plants", n: 32, per: 16,
			names: spaced(pairs("Acer Buddleja Clematis Daphne Echinacea Ficus Geranium Hosta", "'Alba' 'Rubra' 'Rubra_Nana' 'Aurea'", "%s %s")),
			list:  "form", paging: "more", detail: "form", path: func(_ int, t *thing) string { return "/plants/" + squashed(t.name) + ".html" },
			form: form{
				item: `<div><a href="{link}"><img src="/p.jpg" alt=""></a><p>{name}</p><p>{price}</p></div>
`,
				detail: `<p>A reliable plant for borders and pots.</p><p>Hardy to {hardy}, grows to {height}.</p><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"{named}","sku":"{sku}","brand":{"@type":"Brand","name":"{nursery}"},"color":"{colour}","aggregateRating":{"@type":"AggregateRating","ratingValue":"{rating}","reviewCount":"{reviews}"}}</script>`,
			},
			columns: []column{
				{name: "plant", kind: "string", about: "name of the plant", label: "Plant"},
				{name: "price", kind: "number", about: "price in pounds", on: "list", make: cents(450, 6900, "£%d.%02d")},
				{name: "hardy", kind: "integer", about: "lowest temperature it stands, in °C", on: "detail", make: anyOf([]float64{-5, -10, -20}, "−5 °C", "-10°C", "minus 20 °C")},
				{name: "height", kind: "integer", about: "height in centimetres", on: "detail", make: anyOf([]float64{40, 90, 150, 250}, "40cm", "90 cm", "1.5m", "2.5 m")},
				{name: "sku", kind: "string", about: "article number of the shop", on: "nowhere", make: id(5200, 11, "RS%d")},
				{name: "nursery", kind: "string", about: "brand", on: "nowhere", make: one("Hollybank", "Thornfield", "Oakhanger")},
				{name: "colour", kind: "string", about: "colour", on: "nowhere", make: one("white", "crimson", "pale yellow")},
				{name: "rating", kind: "number", about: "average rating", on: "nowhere", make: decimal(2, 5, ".", "%s")},
				{name: "reviews", kind: "integer", about: "number of reviews", on: "nowhere", make: whole(11, 900, "", "%s")},
			},
		},
	}
}

// bothLengths makes lengths in metres with feet behind them.
func bothLengths(rng *rand.Rand, _ int) (any, string) {
	n := 60 + rng.IntN(3100)
	return float64(n), fmt.Sprintf("%s m (%s ft)", grouped(n, ","), grouped(n*3281/1000, ","))
}

// circaYear makes years in a format.
func circaYear(format string, least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		return float64(n), fmt.Sprintf(format, n)
	}
}

// machineDay makes days that have no year where people read them, and one in the attribute of the element.
func machineDay(rng *rand.Rand, _ int) (any, string) {
	t := time.Date(2026, time.Month(1+rng.IntN(12)), 1+rng.IntN(28), 0, 0, 0, 0, time.UTC)
	text := t.Format("Mon 2 Jan")
	return t.Format(time.DateOnly), fmt.Sprintf(`<%s|<time itemprop="startDate" datetime="%s">%s</time>`, text, t.Format(time.DateOnly), text)
}

// evening makes times of the day of twelve hours.
func evening(rng *rand.Rand, _ int) (any, string) {
	t := time.Date(2026, 1, 1, 11+rng.IntN(10), rng.IntN(4)*15, 0, 0, time.UTC)
	return t.Format("15:04"), strings.Replace(t.Format("3.04pm"), ".00", "", 1)
}

// packed makes sizes in two units.
func packed(rng *rand.Rand, _ int) (any, string) {
	n := 90 + rng.IntN(9000)
	if n < 1000 {
		return float64(n) / 1000, fmt.Sprintf("%d kB", n)
	}
	return float64(n/100) / 10, fmt.Sprintf("%d.%d MB", n/1000, n/100%10)
}

// twentySecondTasks are the questions about the twenty-second sites.
func (w *Web) twentySecondTasks() {
	w.ask("gather", "pisos-altavega.test", "todos los pisos: precio, barrio, habitaciones, m², útiles, baños, planta, ascensor, año, comunidad, certificado", "piso precio barrio hab m2 utiles banos planta ascensor ano gastos energia")
	w.ask("gather", "vacatures-kust.test", "alle vacatures met werkgever, uren (max), salaris van/tot, vakantiedagen, contract, ervaring, rijbewijs, sluitingsdatum", "vacature werkgever uren laag hoog vrij contract ervaring rijbewijs sluit")
	w.ask("gather", "tunnelpedia.test", "every tunnel: county, length (m), opened, closed, bores, use, listed?", "tunnel county length opened closed bores use listed")
	w.ask("gather", "thewharfstage.test", "all events: date, start, room, still bookable, price, concessions, fee, running time, age, captioned", "event day time room seats price conc fee runs age captioned")
	w.ask("gather", "firmenindex-oberland.test", "alle Firmen: Sitz, aktiv, Eintragung, Kapital, Zeichnungsberechtigte, Umsatz, Vorsitz", "firma sitz aktiv seit kapital zeichnende umsatz vorsitz")
	w.ask("gather", "mediatheque-valserine.test", "tous les livres : auteur, éditeur, année, disponible ?, pages, hauteur, exemplaires, langue, prix, cote", "livre auteur editeur parution dispo pages taille ex langue prix cote")
	w.ask("gather", "begbilar-siljan.test", "alla bilar: årsmodell, mil, bränsle, växellåda, pris, hästkrafter, drivning, dragkrok, ägare, skatt, besiktning, handlare?", "bil ar mil bransle lada pris effekt drift drag agare skatt besikt handlare")
	w.ask("gather", "libshelf.test", "all projects: stars, license, version, does it build, contributors, open issues, size in MB, last release, maintained, foundation", "project stars license version builds contributors issues size released state foundation")
	w.ask("gather", "fellrace-results.test", "full results: position, bib, club, category, time, minutes behind, first time here?", "runner pos bib club cat time behind debut")
	w.ask("gather", "chintai-midori.test", "全物件：家賃、間取り、面積、管理費、敷金、徒歩、階、建築年、ペット", "name rent layout area fee deposit walk floor built pets")
	w.ask("gather", "lekarze-wislok.test", "wszyscy lekarze: specjalizacja, miasto, ocena, opinie, cena, termin, NFZ, od kiedy, dni w tygodniu, online", "lekarz spec miasto ocena opinie cena termin nfz od dni online")
	w.ask("gather", "rootandstem.test", "all plants: price, hardiness, height in cm, article number, brand, colour, rating, reviews", "plant price hardy height sku nursery colour rating reviews")

	w.ask("conditions", "pisos-altavega.test", "pisos con ascensor de menos de 200.000 euros", "piso precio", is("ascensor", "=", "true", "con ascensor"), is("precio", "<", "200000", "menos de 200.000 euros").in("euros"))
	w.ask("conditions", "pisos-altavega.test", "solo bajos o primeros, 2 habitaciones o más, fuera del Centro", "piso planta hab", is("planta", "<=", "1", "bajos o primeros"), is("hab", ">=", "2", "2 habitaciones o más"), is("barrio", "!=", "Centro", "fuera del Centro"))
	w.ask("conditions", "vacatures-kust.test", "welke vacatures betalen minstens 4.000 euro en vragen geen rijbewijs", "vacature hoog", is("hoog", ">=", "4000", "minstens 4.000 euro").in("euro"), is("rijbewijs", "=", "false", "geen rijbewijs"))
	w.ask("conditions", "vacatures-kust.test", "vast contract bij Delta Techniek of Scheldebouw, 36 uur of minder", "vacature werkgever uren", is("contract", "=", "vast", "vast contract"), is("werkgever", "in", "Delta Techniek | Scheldebouw", "Delta Techniek of Scheldebouw"), is("uren", "<=", "36", "36 uur of minder").in("uur"))
	w.ask("conditions", "tunnelpedia.test", "which tunnels longer than a mile opened before 1850", "tunnel length opened", is("length", ">", "1", "longer than a mile").in("mile").means("1609.344"), is("opened", "<", "1850", "before 1850"))
	w.ask("conditions", "tunnelpedia.test", "only listed ones in Somerset that closed after 1950", "tunnel closed", is("listed", "=", "true", "only listed ones"), is("county", "=", "Somerset", "in Somerset"), is("closed", ">", "1950", "closed after 1950"))
	w.ask("conditions", "thewharfstage.test", "what can I still book in the Studio or the Loft after 7pm", "event time room", is("seats", "=", "true", "can still book"), is("room", "in", "Studio | Loft", "in the Studio or the Loft"), is("time", ">", "19:00", "after 7pm"))
	w.ask("conditions", "thewharfstage.test", "shows under two hours with no booking fee", "event runs", is("runs", "<", "2", "under two hours").in("hours").means("120"), is("fee", "=", "0", "no booking fee"))
	w.ask("conditions", "firmenindex-oberland.test", "welche Firmen wurden gelöscht und hatten mehr als 100'000 Franken Kapital", "firma kapital", is("aktiv", "=", "false", "gelöscht"), is("kapital", ">", "100000", "mehr als 100'000 Franken").in("Franken"))
	w.ask("conditions", "firmenindex-oberland.test", "nur aktive aus Thun, seit 2010 eingetragen", "firma seit", is("aktiv", "=", "true", "nur aktive"), is("sitz", "=", "Thun", "aus Thun"), is("seit", ">=", "2010", "seit 2010"))
	w.ask("conditions", "mediatheque-valserine.test", "livres disponibles parus après 2010 de plus de 300 pages", "livre parution pages", is("dispo", "=", "true", "disponibles"), is("parution", ">", "2010", "parus après 2010"), is("pages", ">", "300", "plus de 300 pages").in("pages"))
	w.ask("conditions", "begbilar-siljan.test", "under 10 000 mil, automat, dragkrok", "bil mil", is("mil", "<", "10000", "under 10 000 mil").in("mil"), is("lada", "=", "Automat", "automat"), is("drag", "=", "true", "dragkrok"))
	w.ask("conditions", "begbilar-siljan.test", "bara privata, högst två ägare, inte diesel", "bil bransle agare", is("handlare", "=", "false", "bara privata"), is("agare", "<=", "2", "högst två ägare"), is("bransle", "!=", "Diesel", "inte diesel"))
	w.ask("conditions", "libshelf.test", "maintained projects over 10k stars that aren't MIT", "project stars license", is("state", "=", "true", "maintained"), is("stars", ">", "10000", "over 10k stars"), is("license", "!=", "MIT", "aren't MIT"))
	w.ask("conditions", "libshelf.test", "smaller than 1 MB or build failing", "project size", is("size", "<", "1", "smaller than 1 MB").in("MB"), is("builds", "=", "false", "build failing").or())
	w.ask("conditions", "fellrace-results.test", "first-timers within five minutes of the winner", "runner behind", is("debut", "=", "true", "first-timers"), is("behind", "<=", "5", "within five minutes").in("minutes"))
	w.ask("conditions", "chintai-midori.test", "家賃8万円以下でペット可、敷金なし", "name rent", is("rent", "<=", "80000", "家賃8万円以下").in("円"), is("pets", "=", "true", "ペット可"), is("deposit", "=", "0", "敷金なし"))
	w.ask("conditions", "chintai-midori.test", "徒歩10分以内、2階以上、2000年以降に建った", "name walk floor built", is("walk", "<=", "10", "徒歩10分以内").in("分"), is("floor", ">=", "2", "2階以上"), is("built", ">=", "2000", "2000年以降"))
	w.ask("conditions", "lekarze-wislok.test", "kardiolog na NFZ albo do 200 zł", "lekarz cena", is("spec", "=", "kardiolog", "kardiolog"), is("nfz", "=", "true", "na NFZ"), is("cena", "<=", "200", "do 200 zł").in("zł").or())
	w.ask("conditions", "lekarze-wislok.test", "online, ocena co najmniej 4, ponad 100 opinii", "lekarz ocena opinie", is("online", "=", "true", "online"), is("ocena", ">=", "4", "co najmniej 4"), is("opinie", ">", "100", "ponad 100 opinii"))
	w.ask("conditions", "rootandstem.test", "plants that survive minus ten and stay under a metre", "plant hardy height", is("hardy", "<=", "-10", "survive minus ten").in("°C"), is("height", "<", "1", "under a metre").in("m").means("100"))
	w.ask("conditions", "rootandstem.test", "Hollybank plants rated 4 or better", "plant rating", is("nursery", "=", "Hollybank", "Hollybank"), is("rating", ">=", "4", "rated 4 or better"))

	w.ask("top", "libshelf.test", "the five most starred projects", "project stars", is("stars", "top", "5", "five most starred"))
	w.ask("top", "tunnelpedia.test", "three longest tunnels", "tunnel length", is("length", "top", "3", "three longest"))
	w.ask("top", "chintai-midori.test", "家賃が安い順に3件", "name rent", is("rent", "bottom", "3", "家賃が安い順に3件"))
	w.ask("top", "lekarze-wislok.test", "pięciu lekarzy z największą liczbą opinii", "lekarz opinie", is("opinie", "top", "5", "pięciu lekarzy z największą liczbą opinii"))
	w.best("best", "begbilar-siljan.test", "billigaste bilen med fyrhjulsdrift", "bil pris", is("drift", "=", "fyrhjulsdrift", "med fyrhjulsdrift"), is("pris", "bottom", "1", "billigaste"))
	w.best("best", "firmenindex-oberland.test", "die älteste Firma in Spiez", "firma seit", is("sitz", "=", "Spiez", "in Spiez"), is("seit", "bottom", "1", "älteste"))
	w.best("best", "pisos-altavega.test", "el piso más barato de La Estación", "piso precio", is("barrio", "=", "La Estación", "de La Estación"), is("precio", "bottom", "1", "más barato"))
	w.best("best", "mediatheque-valserine.test", "le livre le plus épais en italien", "livre pages", is("langue", "=", "italien", "en italien"), is("pages", "top", "1", "le plus épais"))
	w.count("count", "thewharfstage.test", "how many shows are sold out or cancelled?", is("seats", "=", "false", "sold out or cancelled"))
	w.count("count", "firmenindex-oberland.test", "wie viele Firmen sind in Interlaken", is("sitz", "=", "Interlaken", "in Interlaken"))
	w.count("count", "fellrace-results.test", "how many of Calder AC were running", is("club", "=", "Calder AC", "of Calder AC"))
	w.count("count", "mediatheque-valserine.test", "combien de livres sont empruntés", is("dispo", "=", "false", "empruntés"))
	w.count("count", "pisos-altavega.test", "¿cuántos pisos no tienen ascensor?", is("ascensor", "=", "false", "no tienen ascensor"))
	w.compare("comparison", "begbilar-siljan.test", "jämför %s och %s: pris, mil, ägare", "bil pris mil agare", 2, 19)
	w.compare("comparison", "pisos-altavega.test", "%s frente a %s: precio, m², año", "piso precio m2 ano", 4, 27)
	w.compareAll("comparison", "libshelf.test", "compare %s, %s and %s: stars, license, last release", "project stars license released", 0, 7, 25)
	w.compare("comparison", "rootandstem.test", "%s or %s? price, height, rating", "plant price height rating", 1, 17)
	w.compareAll("comparison", "tunnelpedia.test", "%s vs %s vs %s: length, opened, closed", "tunnel length opened closed", 2, 15, 30)
	w.lookup("lookup", "mediatheque-valserine.test", "combien de pages fait %s et est-il disponible ?", "pages dispo", 14)
	w.lookup("lookup", "thewharfstage.test", "what time does %s start, how long is it and what does it cost", "time runs price", 11)
	w.lookup("lookup", "lekarze-wislok.test", "ile kosztuje wizyta u %s i w ile dni przyjmuje", "cena dni", 8)
	w.lookup("lookup", "firmenindex-oberland.test", "Wer führt den Vorsitz bei der %s und wie hoch ist das Kapital?", "vorsitz kapital", 23)
	w.lookup("lookup", "chintai-midori.test", "%sの家賃と敷金は？", "rent deposit", 20)
	w.lookup("lookup", "rootandstem.test", "article number and colour of %s", "sku colour", 21)
	w.absent("lookup", "libshelf.test", "how many stars does %s have", "quill-wasm", "stars")
	jobs, libs := w.site("vacatures-kust.test").things, w.site("libshelf.test").things
	w.hop("hops", "vacatures-kust.test", "werkgevers-kust.test", "wie leidt het bedrijf dat de vacature "+jobs[13].name+" heeft?", "directeur", "werkgever", jobs[13])
	w.hop("hops", "libshelf.test", "foundationlist.test", "who runs the foundation behind "+libs[16].name+"?", "director", "foundation", libs[16])
	w.hop("hops", "libshelf.test", "foundationlist.test", libs[5].name+": what does its foundation spend in a year", "budget", "foundation", libs[5])
	w.rowHop("hops", "libshelf.test", "foundationlist.test", "Apache licensed projects with stars and who chairs the foundation behind each", "project stars", "chair", "foundation", is("license", "=", "Apache-2.0", "Apache licensed"))
	w.rowHop("hops", "vacatures-kust.test", "werkgevers-kust.test", "tijdelijke vacatures en hoeveel mensen er bij de werkgever werken", "vacature sluit", "mensen", "werkgever", is("contract", "=", "tijdelijk", "tijdelijke"))
	w.open("open", "thewharfstage.test", "captioned shows and their full price", "event captioned price", is("captioned", "=", "true", "captioned"))
	w.open("open", "begbilar-siljan.test", "elbilar med pris och mil", "bil bransle pris mil", is("bransle", "=", "El", "elbilar"))
}
