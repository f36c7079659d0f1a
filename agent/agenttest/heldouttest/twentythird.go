// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// The twenty-third set has kinds of things that none of the others has, mostly as large sites show them:
//
//  1. American savings accounts, whose details are questions and answers
//  2. German exchange-traded funds: percentages with signs, amounts in billions, facts in groups of tables
//  3. a catalogue of earthquakes: things that are called after places, errors of measurement, times to the second
//  4. Mexican refrigerators: three measures in one text, two units in one text, pieces in stock
//  5. French campsites: a season whose first day has no year, distances in words
//  6. Italian public competitions: deadlines with a time of the day, hours of work in words
//  7. Serbian used cars: kilowatts and horsepower in one text, bare lines
//  8. trails of Taiwan: years of the Republic, durations, two heights in one text
//  9. British planning applications, whose names are numbers with strokes
//  10. clinical trials and the companies behind them: ages from and to, numbers with remarks in brackets
//  11. Portuguese transfers of football players and the clubs behind them: millions and thousands, "custo zero"
//  12. an encyclopedia of volcanoes: boxes of facts, two units, years before Christ

// twentyThirdSites are the sites of the twenty-third set.
func twentyThirdSites() []*site {
	sponsors := []string{"Halvorsen Biologics", "Meridia Therapeutics", "Kestrel Pharma", "Tamarack Oncology"}
	clubs := []string{"SC Montalvão", "Desportivo de Arouca-a-Velha", "União da Foz", "Académico do Sabor", "FC Penedo"}
	return []*site{
		{
			host: "ratefinder.test", lang: "en-US", title: "Savings accounts and CDs compared", noun: "account", member: "accounts", n: 30, per: 10,
			names: spaced(pairs("Harbor First_Summit Prairie Cascade Lakeside Tri-County", "Savings Savings_Plus Certificate Money_Market Online_Saver", "%s %s")),
			list:  "form", paging: "more", detail: "form", onward: "See more accounts", path: func(_ int, t *thing) string { return "/reviews/" + squashed(t.name) },
			form: form{
				item: `<article><h3>{name}</h3><ul class="chips"><li>{apy}</li><li>{insured}</li></ul><p>Our rating: {rating} / 5 stars</p></article>
`,
				detail: `<p>Rates as of {updated}.</p><h3>Questions and answers</h3><p>{min|How much do I need to open an account? }</p><p>{fee|Is there a monthly fee? }</p><p>{term|How long is my money locked up? }</p><p>{bonus|Is there a sign-up bonus? }</p><p>{mobile|Can I deposit checks with my phone? }</p>`,
			},
			columns: []column{
				{name: "account", kind: "string", about: "name of the account", label: "Account"},
				{name: "apy", kind: "number", about: "annual percentage yield in percent", on: "list", make: cents(15, 525, "%d.%02d%% APY")},
				{name: "insured", kind: "boolean", about: "deposits are federally insured", on: "list", make: worded(0.8, []string{"FDIC insured", "NCUA insured"}, []string{"Not federally insured"})},
				{name: "rating", kind: "number", about: "rating of the editors, of 5", on: "list", make: decimal(2, 5, ".", "%s")},
				{name: "min", kind: "number", about: "least opening deposit in dollars, 0 if there is none", on: "detail", make: anyOf([]float64{0, 100, 2500, 10000}, "No minimum deposit", "$100", "At least $2,500", "$10K")},
				{name: "fee", kind: "number", about: "monthly fee in dollars, 0 if there is none", on: "detail", make: anyOf([]float64{0, 0, 5, 12}, "No", "Never", "Yes, $5", "$12, waived with a $500 daily balance")},
				{name: "term", kind: "integer", about: "term in months", on: "detail", make: anyOf([]float64{6, 12, 18, 36}, "6 months", "One year", "18 mos.", "3 years"), missing: 0.3, blank: "It isn't. Withdraw any time."},
				{name: "bonus", kind: "number", about: "sign-up bonus in dollars", on: "detail", make: anyOf([]float64{200, 300}, "Earn $200", "Yes: $300 after 90 days"), missing: 0.5, blank: "Not at this time"},
				{name: "mobile", kind: "boolean", about: "checks can be deposited by phone", on: "detail", make: worded(0.6, []string{"Yes", "Yes, with the app"}, []string{"No", "Not yet"})},
				{name: "updated", kind: "date", about: "day to which the rates apply", on: "detail", make: day(2026, 2027, "en", "A D, Y")},
			},
		},
		{
			host: "fondsblick.test", lang: "de", title: "ETF-Vergleich | Fondsblick", noun: "Fonds", member: "fonds", n: 30, per: 10, pager: true,
			names: spaced(pairs("Aldebaran Corvus Delphin Lyra Pegasus", "Welt Welt_ESG Europa_600 Schwellenländer Staatsanleihen_1-3 Dividende", "%s %s")),
			list:  "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/etf/IE00BK%d", 1000411+i*137) },
			form: form{
				before: `<table><thead><tr><th>Name</th><th>TER</th><th>1 Jahr</th><th>Sparplan</th></tr></thead>`,
				item: `<tr><td>{name}</td><td>{ter}</td><td>{rendite}</td><td>{spar}</td></tr>
`,
				after:  `</table><p>Alle Angaben ohne Gewähr. Wertentwicklungen der Vergangenheit sind kein Indikator.</p>`,
				detail: `<h2>Stammdaten</h2><table><tr><td>ISIN</td><td>{isin}</td></tr><tr><td>Fondsvolumen</td><td>{groesse}</td></tr><tr><td>Auflage</td><td>{auflage}</td></tr><tr><td>Domizil</td><td>{sitz}</td></tr></table><h2>Ertrag und Bestand</h2><table><tr><td>Ertragsverwendung</td><td>{aussch}</td></tr><tr><td>Positionen im Fonds</td><td>{positionen}</td></tr><tr><td>Größte Position</td><td>{groesste}</td></tr></table>`,
			},
			columns: []column{
				{name: "fonds", kind: "string", about: "Name des Fonds", label: "Name"},
				{name: "ter", kind: "number", about: "laufende Kosten in Prozent im Jahr", on: "list", make: cents(5, 75, "%d,%02d %%")},
				{name: "rendite", kind: "number", about: "Wertentwicklung über ein Jahr in Prozent", on: "list", make: func(rng *rand.Rand, i int) (any, string) {
					truth, text := signed(0.4, 28)(rng, i)
					return truth, strings.Replace(text, ".", ",", 1) + " %"
				}},
				{name: "spar", kind: "boolean", about: "als Sparplan erhältlich", on: "list", make: worded(0.6, []string{"✔", "ab 25 €"}, []string{"✘"})},
				{name: "isin", kind: "string", about: "ISIN", label: "ISIN", on: "detail", make: id(2000411, 137, "IE00BK%d")},
				{name: "groesse", kind: "number", about: "Fondsvermögen in Euro", label: "Fondsvolumen", on: "detail", make: either(scaled(1, 90, 1e9, ",", "%s Mrd. EUR"), scaled(40, 990, 1e6, ",", "%s Mio. EUR"))},
				{name: "auflage", kind: "date", about: "Tag der Auflage", label: "Auflage", on: "detail", make: day(1999, 2025, "de", "DD.MM.Y")},
				{name: "sitz", kind: "string", about: "Land, in dem der Fonds aufgelegt ist", label: "Domizil", on: "detail", make: one("Irland", "Luxemburg", "Deutschland")},
				{name: "aussch", kind: "boolean", about: "schüttet Erträge aus", label: "Ertragsverwendung", on: "detail", make: worded(0.5, []string{"ausschüttend", "vierteljährliche Ausschüttung"}, []string{"thesaurierend"})},
				{name: "positionen", kind: "integer", about: "Zahl der Positionen", label: "Positionen im Fonds", on: "detail", make: whole(30, 3900, ".", "%s")},
				{name: "groesste", kind: "number", about: "Anteil der größten Position in Prozent", label: "Größte Position", on: "detail", make: decimal(1, 9, ",", "%s %%")},
			},
		},
		{
			host: "quakewatch.test", lang: "en", title: "Latest earthquakes", noun: "earthquake", member: "earthquakes", n: 36, per: 12, cursor: true, token: "from", onward: "Earlier events",
			names: spaced(pairs("Karsk Ombra Tellan Vashti Drumlin Elbow_Cay", "8_km_N_of 12_km_NNE_of 31_km_SW_of 5_km_E_of 44_km_WSW_of offshore", "%[2]s %[1]s")),
			list:  "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return "/event/" + opaque("us", i) },
			form: form{
				before: `<ol>`, after: `</ol>`,
				item: `<li><h6>{mag} - {name}</h6><span>{day} {time} (UTC)</span><aside>{depth}</aside></li>
`,
				detail: `<div><h4>Felt report</h4><strong>{felt}</strong></div><div><h4>Alert level</h4><strong>{alert}</strong></div><p>{tsunami}</p><table><tr><th scope="row">Review status</th><td>{reviewed}</td></tr><tr><th scope="row">Depth</th><td>{depth} ± {error}</td></tr><tr><th scope="row">Stations used</th><td>{stations}</td></tr><tr><th scope="row">Azimuthal gap</th><td>{gap}</td></tr></table>`,
			},
			columns: []column{
				{name: "place", kind: "string", about: "where it was, as the list names it", label: "Place"},
				{name: "mag", kind: "number", about: "magnitude", on: "list", make: decimal(2, 7, ".", "M %s")},
				{name: "day", kind: "date", about: "day of the earthquake", on: "list", make: day(2025, 2027, "en", "Y-MM-DD")},
				{name: "time", kind: "string", about: "time of the day in UTC, as HH:MM:SS", on: "list", make: func(rng *rand.Rand, _ int) (any, string) {
					text := time.Date(2026, 1, 1, rng.IntN(24), rng.IntN(60), rng.IntN(60), 0, time.UTC).Format(time.TimeOnly)
					return text, text
				}},
				{name: "depth", kind: "number", about: "depth in km", make: decimal(20, 90, ".", "%s km")},
				{name: "error", kind: "number", about: "uncertainty of the depth in km", label: "Depth", on: "detail", make: decimal(1, 9, ".", "%s km")},
				{name: "felt", kind: "integer", about: "number of reports of people who felt it", on: "detail", make: anyOf([]float64{0, 1, 34, 1204}, "No reports yet", "1 response", "34 responses", "1,204 responses")},
				{name: "alert", kind: "string", about: "alert level", on: "detail", make: one("Green", "Yellow", "Orange")},
				{name: "tsunami", kind: "boolean", about: "there was a warning of a tsunami", on: "detail", make: worded(0.3, []string{"Tsunami warning in effect"}, []string{"No tsunami expected", "There is no tsunami danger from this earthquake"})},
				{name: "reviewed", kind: "boolean", about: "a person has reviewed it", label: "Review status", on: "detail", make: worded(0.6, []string{"Reviewed", "Reviewed by a seismologist"}, []string{"Automatic"})},
				{name: "stations", kind: "integer", about: "number of stations used", label: "Stations used", on: "detail", make: whole(60, 180, "", "%s")},
				{name: "gap", kind: "integer", about: "azimuthal gap in degrees", label: "Azimuthal gap", on: "detail", make: whole(18, 220, "", "%s°"), missing: 0.15, blank: "-"},
			},
		},
		{
			host: "lineablanca-norte.test", lang: "es-MX", title: "Refrigeradores | Línea Blanca del Norte", noun: "refrigerador", member: "refrigeradores", n: 32, per: 8, onward: "Ver más productos",
			names: pairs("Mabela Frigus Nordika Polarix", "RT-240 RT-240S BX-310 BX-410 DU-520 DU-520X CM-90 CM-90i", "%s %s"),
			list:  "form", paging: "more", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/%s/p/MX%d", squashed(t.name), 7120+i*31) },
			form: form{
				item: `<div class="card"><a href="{link}"><img alt="" src="/r.webp"></a><h2>{name}</h2><div>{precio}</div><div>{meses}</div><div>{envio}</div></div>
`,
				detail: `<p>{existencias}</p><h2>Especificaciones</h2><ul><li>Capacidad: {capacidad}</li><li>Medidas: {ancho} × {alto} × {fondo} cm (ancho × alto × fondo)</li><li>Peso: {peso}</li><li>Consumo: {consumo}</li><li>Color: {color}</li><li>Compresor inverter: {inverter}</li><li>Garantía: {garantia}</li></ul>`,
			},
			columns: []column{
				{name: "modelo", kind: "string", about: "marca y modelo", label: "Modelo"},
				{name: "precio", kind: "number", about: "precio en pesos", on: "list", make: wasFrom(stepped(61, 329, 100, ",", "$%s.00"), "Ahora", "$%s.00", ",")},
				{name: "meses", kind: "integer", about: "meses sin intereses, 0 si no hay", on: "list", make: anyOf([]float64{0, 6, 12, 18}, "Sin meses sin intereses", "6 MSI", "12 MSI", "Hasta 18 meses sin intereses")},
				{name: "envio", kind: "boolean", about: "el envío es gratis", on: "list", make: worded(0.6, []string{"Envío gratis"}, []string{"Envío con costo", "Solo recolección en tienda"})},
				{name: "existencias", kind: "integer", about: "piezas en existencia", on: "detail", make: anyOf([]float64{0, 1, 3, 12}, "Agotado", "¡Última pieza!", "Quedan 3 piezas", "12 disponibles")},
				{name: "capacidad", kind: "integer", about: "capacidad en litros", label: "Capacidad", on: "detail", make: anyOf([]float64{255, 396, 510}, "255 L", "14 pies³ (396 L)", "18 pies³ (510 L)")},
				{name: "ancho", kind: "number", about: "ancho en centímetros", label: "Medidas", on: "detail", make: decimal(50, 60, ".", "%s")},
				{name: "alto", kind: "number", about: "alto en centímetros", label: "Medidas", on: "detail", make: whole(141, 186, "", "%s")},
				{name: "fondo", kind: "number", about: "fondo en centímetros", label: "Medidas", on: "detail", make: decimal(61, 75, ".", "%s")},
				{name: "peso", kind: "number", about: "peso en kilogramos", label: "Peso", on: "detail", make: either(whole(38, 96, "", "%s kg"), decimal(38, 96, ".", "%s kg"))},
				{name: "consumo", kind: "integer", about: "consumo en kWh al año", label: "Consumo", on: "detail", make: whole(210, 480, ",", "%s kWh/año"), missing: 0.2, blank: "ND"},
				{name: "color", kind: "string", about: "color", label: "Color", on: "detail", make: one("acero inoxidable", "blanco", "grafito")},
				{name: "inverter", kind: "boolean", about: "tiene compresor inverter", label: "Compresor inverter", on: "detail", make: worded(0.5, []string{"Sí"}, []string{"No"})},
				{name: "garantia", kind: "integer", about: "garantía en meses", label: "Garantía", on: "detail", make: anyOf([]float64{12, 24, 120}, "1 año", "24 meses", "10 años")},
			},
		},
		{
			host: "campings-dombre.test", lang: "fr", title: "Campings de la côte de Dombre", noun: "camping", member: "campings", n: 30, per: 10, pager: true, few: true,
			names: spaced(pairs("des_Aulnes du_Moulin de_la_Presqu'île des_Roches du_Pré_Vert de_l'Étang", "Camping Camping_municipal Aire_naturelle Domaine Village", "%[2]s %[1]s")),
			list:  "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/fr/campings/%d-fiche", 612+i*7) },
			form: form{
				item: `<div class="fiche"><h3>{name}</h3><p>{etoiles} • {commune}</p><p>{prix}</p></div>
`,
				detail: `<p>Ouvert du {ouvre} au {ferme}.</p><p>Le camping compte {emplacements} et {mobil}. La plage est {plage}.</p><ul><li>{animaux}</li><li>{piscine}</li><li>{wifi}</li><li>Électricité {ampere}</li></ul>`,
			},
			columns: []column{
				{name: "camping", kind: "string", about: "nom du camping", label: "Camping"},
				{name: "etoiles", kind: "integer", about: "nombre d'étoiles", on: "list", make: anyOf([]float64{1, 2, 3, 4}, "1 étoile", "2 étoiles", "Trois étoiles", "4 étoiles"), missing: 0.15, blank: "Non classé"},
				{name: "commune", kind: "string", about: "commune", on: "list", make: one("Port-Aubry", "Lannion-Plage", "Saint-Cieux")},
				{name: "prix", kind: "number", about: "prix le plus bas d'une nuit en euros", on: "list", make: cents(900, 4200, "à partir de %d,%02d € la nuit")},
				{name: "ouvre", kind: "date", about: "premier jour de la saison 2026", on: "detail", make: sameYear(3, 5)},
				{name: "ferme", kind: "date", about: "dernier jour de la saison 2026", on: "detail", make: func(rng *rand.Rand, i int) (any, string) {
					truth, text := sameYear(9, 11)(rng, i)
					return truth, text + " 2026"
				}},
				{name: "emplacements", kind: "integer", about: "nombre d'emplacements", on: "detail", make: whole(25, 1200, " ", "%s emplacements")},
				{name: "mobil", kind: "integer", about: "nombre de mobil-homes", on: "detail", make: anyOf([]float64{0, 1, 12, 60}, "aucun mobil-home", "un seul mobil-home", "une douzaine de mobil-homes", "60 mobil-homes")},
				{name: "plage", kind: "integer", about: "distance de la plage en mètres, 0 si le camping y est", on: "detail", make: anyOf([]float64{0, 300, 1500, 12000}, "au pied du camping", "à 300 m", "à 1,5 km", "à 12 km")},
				{name: "animaux", kind: "boolean", about: "les animaux sont acceptés", on: "detail", make: worded(0.5, []string{"Animaux acceptés", "Animaux acceptés (3 €/nuit)"}, []string{"Animaux interdits", "Animaux non admis"})},
				{name: "piscine", kind: "boolean", about: "a une piscine", on: "detail", make: worded(0.5, []string{"Piscine chauffée", "Piscine"}, []string{"Pas de piscine"})},
				{name: "wifi", kind: "boolean", about: "le Wi-Fi est gratuit", on: "detail", make: worded(0.5, []string{"Wi-Fi gratuit", "Wi-Fi offert"}, []string{"Wi-Fi payant", "Pas de Wi-Fi"})},
				{name: "ampere", kind: "integer", about: "intensité de l'électricité en ampères", on: "detail", make: anyOf([]float64{6, 10, 16}, "6 A", "10A", "16 ampères")},
			},
		},
		{
			host: "concorsi-altavalle.test", lang: "it", title: "Concorsi pubblici dell'Alta Valle", noun: "concorso", member: "concorsi", n: 28, per: 14, onward: "Bandi precedenti",
			names: spaced(pairs("Istruttore_amministrativo Agente_di_polizia_locale Assistente_sociale Autista_scuolabus Bibliotecario Geometra Educatore", "Comune_di_Pratolungo Comune_di_Pratolungo_Inferiore Unione_Alta_Valle Provincia", "%s - %s")),
			list:  "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/bando.php?idb=%d", 5521+i*3) },
			form: form{
				item: `<tr><td><b>{name}</b></td></tr><tr><td>{posti} | Scadenza: {scade}</td></tr>
`,
				before: `<table>`, after: `</table>`,
				detail: `<p>Titolo richiesto: {titolo}.</p><p>Il rapporto è {tempo}, {ore}. La retribuzione annua lorda è di {paga}.</p><p>Tassa di concorso: {tassa}</p><p>Limite di età: {eta}</p><p>Il concorso si svolge in {prove}.</p><p>Pubblicato il {uscito}</p>`,
			},
			columns: []column{
				{name: "concorso", kind: "string", about: "nome del concorso", label: "Concorso"},
				{name: "posti", kind: "integer", about: "numero di posti", on: "list", make: anyOf([]float64{1, 2, 5, 12}, "Un posto", "n. 2 posti", "5 posti", "dodici posti")},
				{name: "scade", kind: "date", about: "giorno di scadenza", on: "list", make: day(2026, 2027, "it", "DD/MM/Y ore 12:00")},
				{name: "titolo", kind: "string", about: "titolo di studio richiesto", on: "detail", make: one("diploma", "laurea triennale", "laurea magistrale")},
				{name: "tempo", kind: "boolean", about: "è a tempo indeterminato", on: "detail", make: worded(0.6, []string{"a tempo indeterminato"}, []string{"a tempo determinato", "a termine"})},
				{name: "ore", kind: "integer", about: "ore di lavoro alla settimana", on: "detail", make: anyOf([]float64{18, 24, 36}, "part-time a 18 ore", "ventiquattro ore settimanali", "36 ore settimanali")},
				{name: "paga", kind: "number", about: "retribuzione annua lorda in euro", on: "detail", make: whole(19100, 34000, ".", "%s,00 euro")},
				{name: "tassa", kind: "number", about: "tassa di concorso in euro", on: "detail", make: anyOf([]float64{0, 0, 3.9, 10.33}, "non prevista", "gratuito", "€ 3,90", "10,33 euro")},
				{name: "eta", kind: "integer", about: "età massima in anni", on: "detail", make: anyOf([]float64{32, 50}, "32 anni", "non oltre i 50 anni"), missing: 0.5, blank: "nessuno"},
				{name: "prove", kind: "integer", about: "numero di prove", on: "detail", make: anyOf([]float64{1, 2, 3}, "un'unica prova", "due prove", "3 prove")},
				{name: "uscito", kind: "date", about: "giorno della pubblicazione", on: "detail", make: day(2025, 2026, "it", "D N Y")},
			},
		},
		{
			host: "polovnjaci-sava.test", lang: "sr", title: "Polovni automobili na Savi", noun: "automobil", member: "automobili", n: 32, per: 16, onward: "Sledeća strana",
			names: spaced(pairs("Zastava_Koral Fiat_Punto Opel_Corsa Škoda_Fabia Peugeot_206 VW_Golf_5 Renault_Clio Dacia_Logan", "1.2 1.4_TDI 1.6_HDi 1.9_SDI", "%s %s")),
			list:  "form", paging: "more", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/oglas/%d/%s", 20144+i*73, squashed(t.name)) },
			form: form{
				item: `<article><h2>{name}</h2><div>{cena}</div><div>{god} | {gorivo}</div><div>{km}</div></article>
`,
				detail: `<div>{kub}</div><div>{kw}/{ks} (kW/KS)</div><div>{menjac}</div><div>{vrata}</div><div>{sedista}</div><div>{reg}</div><div>{vlasnik}</div><div>{zamena}</div><div>Oglas postavljen: {dan}</div>`,
			},
			columns: []column{
				{name: "auto", kind: "string", about: "naziv automobila", label: "Auto"},
				{name: "cena", kind: "number", about: "cena u evrima", on: "list", make: stepped(7, 119, 50, ".", "%s €"), missing: 0.12, blank: "Po dogovoru"},
				{name: "god", kind: "integer", about: "godište", on: "list", make: func(rng *rand.Rand, _ int) (any, string) {
					n := 1999 + rng.IntN(24)
					return float64(n), fmt.Sprintf("%d. godište", n)
				}},
				{name: "gorivo", kind: "string", about: "gorivo", on: "list", make: one("Dizel", "Benzin", "Benzin + Gas (TNG)")},
				{name: "km", kind: "integer", about: "pređeni kilometri", on: "list", make: whole(61000, 340000, ".", "%s km")},
				{name: "kub", kind: "integer", about: "zapremina motora u cm³", on: "detail", make: whole(1100, 1999, ".", "%s cm3")},
				{name: "kw", kind: "integer", about: "snaga u kilovatima", on: "detail", make: whole(40, 79, "", "%s")},
				{name: "ks", kind: "integer", about: "snaga u konjskim snagama", on: "detail", make: whole(80, 120, "", "%s")},
				{name: "menjac", kind: "string", about: "menjač", on: "detail", make: one("Manuelni 5 brzina", "Manuelni 6 brzina", "Automatski")},
				{name: "vrata", kind: "string", about: "broj vrata, kako piše", on: "detail", make: one("2/3 vrata", "4/5 vrata")},
				{name: "sedista", kind: "integer", about: "broj sedišta", on: "detail", make: anyOf([]float64{4, 5, 7}, "4 sedišta", "5 sedišta", "7 sedišta")},
				{name: "reg", kind: "boolean", about: "automobil je registrovan", on: "detail", make: worded(0.6, []string{"Registrovan do 03.2027.", "Registrovan"}, []string{"Nije registrovan"})},
				{name: "vlasnik", kind: "boolean", about: "prodaje prvi vlasnik", on: "detail", make: worded(0.4, []string{"Prvi vlasnik"}, []string{"Nije prvi vlasnik", "Treći vlasnik"})},
				{name: "zamena", kind: "boolean", about: "zamena je moguća", on: "detail", make: worded(0.4, []string{"Zamena dolazi u obzir", "Zamena za jeftinije"}, []string{"Bez zamene"})},
				{name: "dan", kind: "date", about: "dan kada je oglas postavljen", on: "detail", make: day(2025, 2027, "hr", "DD.MM.Y.")},
			},
		},
		{
			host: "shandao.test", lang: "zh-TW", title: "雲稜山區步道總覽", noun: "步道", member: "trails", n: 30, per: 10, onward: "下一頁",
			names: pairs("雲稜 大霧 石壁 松風 鹿野 青溪", "步道 古道 越嶺道 環山步道 瀑布步道", "%s%s"),
			list:  "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/trail/%03d", 17+i*4) },
			form: form{
				before: `<table><tr><th>步道名稱</th><th>長度</th><th>難度</th><th>現況</th></tr>`, after: `</table>`,
				item: `<tr><td>{name}</td><td>{length}</td><td>{grade}</td><td>{open}</td></tr>
`,
				detail: `<dl><dt>所需時間</dt><dd>{time}</dd><dt>海拔高度</dt><dd>{low} ～ {high}</dd><dt>路面</dt><dd>{surface}</dd><dt>入山申請</dt><dd>{permit}</dd><dt>洗手間</dt><dd>{toilets}</dd><dt>停車費</dt><dd>{parking}</dd><dt>整建</dt><dd>{rebuilt}</dd></dl>`,
			},
			columns: []column{
				{name: "name", kind: "string", about: "步道名稱", label: "步道名稱"},
				{name: "length", kind: "number", about: "長度（公里）", on: "list", make: either(decimal(1, 14, ".", "%s公里"), anyOf([]float64{0.6, 0.85}, "600公尺", "850公尺"))},
				{name: "grade", kind: "integer", about: "難度級數", on: "list", make: anyOf([]float64{1, 2, 3, 4}, "第1級", "第2級", "第3級", "第四級")},
				{name: "open", kind: "boolean", about: "目前開放", on: "list", make: worded(0.7, []string{"全線開放", "開放"}, []string{"暫停開放", "封閉"})},
				{name: "time", kind: "integer", about: "所需時間（分鐘）", label: "所需時間", on: "detail", make: anyOf([]float64{40, 90, 150, 240}, "40分鐘", "約1小時30分", "2.5小時", "4小時")},
				{name: "low", kind: "integer", about: "最低海拔（公尺）", label: "海拔高度", on: "detail", make: whole(210, 980, ",", "%s")},
				{name: "high", kind: "integer", about: "最高海拔（公尺）", label: "海拔高度", on: "detail", make: whole(1010, 3200, ",", "%s公尺")},
				{name: "surface", kind: "string", about: "路面", label: "路面", on: "detail", make: one("碎石", "泥土", "木棧道")},
				{name: "permit", kind: "boolean", about: "需要入山申請", label: "入山申請", on: "detail", make: worded(0.4, []string{"需申請", "須辦理入山證"}, []string{"免申請"})},
				{name: "toilets", kind: "integer", about: "洗手間數量", label: "洗手間", on: "detail", make: anyOf([]float64{0, 1, 2, 3}, "無", "1座", "2座", "三座")},
				{name: "parking", kind: "number", about: "停車費（元），免費為0", label: "停車費", on: "detail", make: anyOf([]float64{0, 50, 100}, "免費", "50元", "每次100元")},
				{name: "rebuilt", kind: "integer", about: "整建年（西元）", label: "整建", on: "detail", make: func(rng *rand.Rand, _ int) (any, string) {
					n := 88 + rng.IntN(26)
					return float64(n + 1911), fmt.Sprintf("民國%d年", n)
				}},
			},
		},
		{
			host: "planning-westmere.test", lang: "en-GB", title: "Planning applications | Westmere Borough Council", noun: "application", member: "applications", n: 40, per: 10, pager: true, few: true,
			names: func(_ *rand.Rand, i int) string {
				return fmt.Sprintf("26/%05d/%s", 117+i*23, []string{"FUL", "HOU", "OUT", "LBC"}[i%4])
			},
			list: "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string {
				return "/applicationDetails.do?keyVal=" + strings.ToUpper(opaque("dc", i))
			},
			form: form{
				item: `<li><p>Ref. No: {name} | <a href="{link}">{proposal}</a></p><p>{address}</p><p>Received: {received} | Status: {granted}</p></li>
`,
				before: `<ul id="searchresults">`, after: `</ul>`,
				detail: `<table><tr><th>Reference</th><td>{named}</td></tr><tr><th>Case Officer</th><td>{officer}</td></tr><tr><th>Site area</th><td>{area}</td></tr><tr><th>New dwellings</th><td>{dwellings}</td></tr><tr><th>Parking spaces (net change)</th><td>{spaces}</td></tr><tr><th>Decided by</th><td>{committee}</td></tr><tr><th>Decision Issued Date</th><td>{decided}</td></tr><tr><th>Public comments</th><td>{against|Objecting: }, {support|supporting: }</td></tr></table>`,
			},
			columns: []column{
				{name: "reference", kind: "string", about: "reference of the application", label: "Reference"},
				{name: "proposal", kind: "string", about: "what is proposed", on: "list", make: one("Two storey rear extension", "Erection of dwellings with access", "Change of use from shop to flat", "Replacement windows")},
				{name: "address", kind: "string", about: "address", on: "list", make: turn("4 Mill Lane, Westmere", "The Old Forge, Church Street", "Land north of Station Road", "12A High Street", "Plot 7, Orchard Rise")},
				{name: "received", kind: "date", about: "day on which it was received", on: "list", make: func(rng *rand.Rand, _ int) (any, string) {
					t := time.Date(2026, time.Month(1+rng.IntN(6)), 1+rng.IntN(28), 0, 0, 0, 0, time.UTC)
					return t.Format(time.DateOnly), t.Format("Mon 02 Jan 2006")
				}},
				{name: "granted", kind: "boolean", about: "permission was granted", on: "list", make: worded(0.6, []string{"Granted", "Granted subject to conditions", "Approved"}, []string{"Refused", "Withdrawn"}), missing: 0.2, blank: "Pending consideration"},
				{name: "officer", kind: "string", about: "case officer", label: "Case Officer", on: "detail", make: one("Priya Nair", "Tom Ellery", "S. Okafor")},
				{name: "area", kind: "number", about: "site area in square metres", label: "Site area", on: "detail", make: anyOf([]float64{80, 450, 1200, 25000}, "80m²", "450 sq m", "0.12 ha", "2.5 hectares")},
				{name: "dwellings", kind: "integer", about: "number of new dwellings", label: "New dwellings", on: "detail", make: anyOf([]float64{0, 1, 3, 24}, "None", "1no.", "3 no.", "Up to 24")},
				{name: "spaces", kind: "integer", about: "change in parking spaces", label: "Parking spaces", on: "detail", make: anyOf([]float64{-2, 0, 4}, "-2", "no change", "+4")},
				{name: "committee", kind: "boolean", about: "the committee decided, not an officer", label: "Decided by", on: "detail", make: worded(0.3, []string{"Planning Committee"}, []string{"Delegated", "Delegated to officers"})},
				{name: "decided", kind: "date", about: "day of the decision", label: "Decision Issued Date", on: "detail", make: day(2026, 2027, "en", "DD/MM/Y"), missing: 0.25, blank: "Not Available"},
				{name: "against", kind: "integer", about: "number of comments that object", label: "Public comments", on: "detail", make: whole(10, 140, "", "%s")},
				{name: "support", kind: "integer", about: "number of comments in support", label: "Public comments", on: "detail", make: anyOf([]float64{0, 1, 5}, "none", "1", "5")},
			},
		},
		{
			host: "trialregistry.test", lang: "en-US", title: "Registry of clinical studies", noun: "study", member: "studies", n: 32, per: 8, cursor: true, token: "pageToken", onward: "Show next results",
			names: spaced(pairs("Lorvanib Ketorilone Zemutide Abrixumab Placebo_Patch Oxenolol Vitamin_K Nivestrine", "in_Asthma in_Severe_Asthma for_Migraine After_Stroke", "%s %s")),
			list:  "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/study/NCT0%d", 5120034+i*4099) },
			form: form{
				item: `<div class="study"><h4>{name}</h4><span class="pill">{recruits}</span><dl><dt>Sponsor</dt><dd>{sponsor}</dd><dt>Phase</dt><dd>{phase}</dd></dl></div>
`,
				detail: `<h3>Study Design</h3><p>Enrollment : {enrolled} participants</p><p>Arms : {arms}</p><p>Follow-up : {follow}</p><h3>Eligibility</h3><p>Ages Eligible for Study: {minage} {maxage}</p><p>Accepts Healthy Volunteers: {healthy}</p><h3>Dates and places</h3><p>Study Start (Actual): {start}</p><p>Recruiting at {places} in {countries}.</p><p>{results}</p>`,
			},
			columns: []column{
				{name: "study", kind: "string", about: "title of the study", label: "Study"},
				{name: "recruits", kind: "boolean", about: "is open for new participants", on: "list", make: worded(0.5, []string{"Recruiting", "Enrolling by invitation"}, []string{"Completed", "Terminated", "Active, not recruiting"})},
				{name: "sponsor", kind: "string", about: "sponsor", on: "list", make: turn(sponsors...)},
				{name: "phase", kind: "string", about: "phase", on: "list", make: one("Phase 1", "Phase 2", "Phase 2/Phase 3", "Phase 4"), missing: 0.1, blank: "Not Applicable"},
				{name: "enrolled", kind: "integer", about: "number of participants", on: "detail", make: either(whole(40, 4800, ",", "%s (estimated)"), whole(40, 4800, ",", "%s [Actual]"))},
				{name: "arms", kind: "integer", about: "number of arms", on: "detail", make: anyOf([]float64{1, 2, 3}, "Single arm", "Two arms, parallel", "3 arms")},
				{name: "follow", kind: "integer", about: "months of follow-up", on: "detail", make: anyOf([]float64{6, 12, 24, 60}, "6 months", "1 year", "24 mo", "five years")},
				{name: "minage", kind: "integer", about: "least age in years", on: "detail", make: anyOf([]float64{5, 18, 21}, "5 Years", "18 Years", "21 Years")},
				{name: "maxage", kind: "integer", about: "greatest age in years", on: "detail", make: anyOf([]float64{65, 75}, "to 65 Years", "to 75 Years"), missing: 0.3, blank: "and older"},
				{name: "healthy", kind: "boolean", about: "accepts healthy volunteers", on: "detail", make: worded(0.4, []string{"Yes", "Accepted"}, []string{"No"})},
				{name: "start", kind: "date", about: "day of the start", on: "detail", make: day(2019, 2026, "en", "N D, Y")},
				{name: "places", kind: "integer", about: "number of places", on: "detail", make: anyOf([]float64{1, 14, 120}, "a single location", "14 locations", "120 locations")},
				{name: "countries", kind: "integer", about: "number of countries", on: "detail", make: anyOf([]float64{1, 3, 11}, "one country", "3 countries", "eleven countries")},
				{name: "results", kind: "boolean", about: "results are posted", on: "detail", make: worded(0.4, []string{"Results posted", "Has results"}, []string{"No results posted"})},
			},
		},
		{
			host: "sponsordirectory.test", lang: "en-US", title: "Directory of study sponsors", noun: "sponsor", member: "sponsors", n: 4,
			names: fixed(sponsors...),
			list:  "form", detail: "form", path: func(i int, _ *thing) string { return "/company/" + opaque("s", i) },
			form: form{
				item:   `<p>{name}</p>` + "\n",
				detail: `<p>Chief Medical Officer: {cmo}</p><p>Headquarters: {city}</p><p>Employees: {staff}</p>`,
			},
			columns: []column{
				{name: "sponsor", kind: "string", about: "name of the sponsor", label: "Sponsor"},
				{name: "cmo", kind: "string", about: "chief medical officer of the sponsor", on: "detail", make: turn("Ingrid Halden, MD", "Rafael Quint", "Dr. Mei Tanaka", "Oluwaseun Bright")},
				{name: "city", kind: "string", about: "city of the headquarters", on: "detail", make: turn("Trondheim", "Boston", "Leiden", "Duluth")},
				{name: "staff", kind: "integer", about: "number of employees", on: "detail", make: either(whole(1100, 9900, ",", "%s"), anyOf([]float64{2400, 15000}, "2.4K", "about 15,000"))},
			},
		},
		{
			host: "mercado-da-bola.test", lang: "pt", title: "Transferências do defeso", noun: "jogador", member: "jogadores", n: 35, per: 12, onward: "Carregar mais transferências",
			names: spaced(pairs("Tiago Rui Diogo Nuno Edson Vasco Iker", "Falcão Marçal Teles da_Veiga Quaresma_Lopes", "%s %s")),
			list:  "form", paging: "more", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/jogador/%s/%d", squashed(t.name), 3301+i*17) },
			form: form{
				before: `<table><thead><tr><th>Jogador</th><th>Pos.</th><th>Saiu de</th><th>Reforça</th><th>Valor</th></tr></thead>`, after: `</table>`,
				item: `<tr><td>{name}</td><td>{pos}</td><td>{de}</td><td>{para}</td><td>{valor}</td></tr>
`,
				detail: `<p>Idade: {idade}</p><p>Altura: {altura}</p><p>Pé preferido: {pe}</p><p>Transferência: {emprestado}</p><p>Contrato até {ate}</p><p>Na época passada fez {jogos} e {golos}.</p><p>Seleção: {selecao}</p>`,
			},
			columns: []column{
				{name: "jogador", kind: "string", about: "nome do jogador", label: "Jogador"},
				{name: "pos", kind: "string", about: "posição", on: "list", make: one("GR", "DC", "MC", "PL")},
				{name: "de", kind: "string", about: "clube de onde sai", on: "list", make: one("Real Calheta", "Náutico do Vale", "Estrela Norte")},
				{name: "para", kind: "string", about: "clube que reforça", on: "list", make: turn(clubs...)},
				{name: "valor", kind: "number", about: "valor em euros", on: "list", make: either(scaled(1, 45, 1e6, ",", "%s M€"), anyOf([]float64{0, 350000, 900000}, "custo zero", "350 mil €", "900 mil €")), missing: 0.15, blank: "não revelado"},
				{name: "idade", kind: "integer", about: "idade", on: "detail", make: whole(18, 37, "", "%s anos")},
				{name: "altura", kind: "integer", about: "altura em centímetros", on: "detail", make: func(rng *rand.Rand, _ int) (any, string) {
					n := 168 + rng.IntN(29)
					return float64(n), fmt.Sprintf("%d,%02d m", n/100, n%100)
				}},
				{name: "pe", kind: "string", about: "pé preferido", on: "detail", make: one("direito", "esquerdo", "ambos")},
				{name: "emprestado", kind: "boolean", about: "é um empréstimo", on: "detail", make: worded(0.4, []string{"empréstimo", "empréstimo com opção de compra"}, []string{"definitiva", "em definitivo"})},
				{name: "ate", kind: "date", about: "último dia do contrato", on: "detail", make: day(2027, 2032, "pt", "D de N de Y")},
				{name: "jogos", kind: "integer", about: "jogos na época passada", on: "detail", make: whole(19, 52, "", "%s jogos")},
				{name: "golos", kind: "integer", about: "golos na época passada", on: "detail", make: anyOf([]float64{0, 1, 2, 13}, "nenhum golo", "um golo", "dois golos", "13 golos")},
				{name: "selecao", kind: "integer", about: "internacionalizações", on: "detail", make: anyOf([]float64{0, 4, 71}, "nunca foi chamado", "4 internacionalizações", "71 internacionalizações")},
			},
		},
		{
			host: "clubes-da-liga.test", lang: "pt", title: "Clubes da liga", noun: "clube", member: "clubes", n: 5,
			names: fixed(clubs...),
			list:  "form", detail: "form", path: func(i int, _ *thing) string { return "/clube/" + opaque("c", i) },
			form: form{
				item:   `<div><h3>{name}</h3></div>` + "\n",
				detail: `<p>{clube} é treinado por {treinador} e presidido por {presidente}. O estádio leva {lugares} espectadores.</p>`,
			},
			columns: []column{
				{name: "clube", kind: "string", about: "nome do clube", label: "Clube"},
				{name: "treinador", kind: "string", about: "treinador do clube", on: "detail", make: turn("Álvaro Semedo", "Jorge Pinhal", "Kurt Lindner", "Mário Bastos", "Sandra Vilar")},
				{name: "presidente", kind: "string", about: "presidente do clube", on: "detail", make: turn("Hélder Couto", "Joana Reimão", "Abel Trigo", "Inês Fontes", "Raul Cid")},
				{name: "lugares", kind: "integer", about: "lotação do estádio", on: "detail", make: whole(4100, 48000, " ", "%s")},
			},
		},
		{
			host: "volcanopedia.test", lang: "en", title: "Volcanoes of the Outer Arc", noun: "volcano", member: "volcanoes", n: 30,
			names: spaced(pairs("Ahuroa Belkaz Caldor Ermuk Hekvar Ilamat Kerkeno Ostrava_Peak Pelindo Tavro", "North South Minor", "%s %s")),
			list:  "form", paging: "letters", detail: "form", path: func(_ int, t *thing) string { return "/wiki/" + strings.ReplaceAll(t.name, " ", "_") },
			form: form{
				before: `<ul>`, after: `</ul>`,
				item: `<li>{name} ({kind})</li>
`,
				detail: `<table class="infobox"><tr><th colspan="2">{named}</th></tr><tr><td colspan="2"><img src="/v.jpg" alt=""><br>Seen from the sea</td></tr><tr><th colspan="2">Highest point</th></tr><tr><th>Elevation</th><td>{height}</td></tr><tr><th>Prominence</th><td>{prominence}</td></tr><tr><th>Coordinates</th><td>{lat} {lon}</td></tr><tr><th colspan="2">Geology</th></tr><tr><th>Age of rock</th><td>{age}</td></tr><tr><th>Last eruption</th><td>{erupted}</td></tr><tr><th>Monitoring</th><td>{watched}</td></tr><tr><th colspan="2">Climbing</th></tr><tr><th>First ascent</th><td>{climbed} by {climber}</td></tr></table><p>The volcano lies in a {park}.</p>`,
			},
			columns: []column{
				{name: "volcano", kind: "string", about: "name of the volcano", label: "Volcano"},
				{name: "kind", kind: "string", about: "kind of volcano", on: "list", make: one("stratovolcano", "shield volcano", "caldera", "cinder cone")},
				{name: "height", kind: "integer", about: "elevation in metres", label: "Elevation", on: "detail", make: bothLengths},
				{name: "prominence", kind: "integer", about: "prominence in metres", label: "Prominence", on: "detail", make: bothLengths, missing: 0.2, blank: "?"},
				{name: "lat", kind: "number", about: "latitude in degrees, negative in the south", label: "Coordinates", on: "detail", make: degrees("N", "S", 60)},
				{name: "lon", kind: "number", about: "longitude in degrees, negative in the west", label: "Coordinates", on: "detail", make: degrees("E", "W", 170)},
				{name: "age", kind: "number", about: "age of its rock in years", label: "Age of rock", on: "detail", make: either(scaled(1, 9, 1e6, ".", "%s million years"), stepped(20, 900, 1000, ",", "about %s years"))},
				{name: "erupted", kind: "integer", about: "year of the last eruption, negative before Christ", label: "Last eruption", on: "detail", make: either(year(1660, 2024), anyOf([]float64{-850, 1340, -5050}, "c. 850 BC", "1340 ± 75 years", "5050 BCE")), missing: 0.15, blank: "Unknown"},
				{name: "watched", kind: "boolean", about: "is monitored", label: "Monitoring", on: "detail", make: worded(0.6, []string{"Continuous", "Periodic surveys"}, []string{"None", "Not monitored"})},
				{name: "climbed", kind: "integer", about: "year of the first ascent", label: "First ascent", on: "detail", make: year(1801, 1959)},
				{name: "climber", kind: "string", about: "who first climbed it", label: "First ascent", on: "detail", make: one("J. Teal", "Marguerite Onslow", "a party of surveyors")},
				{name: "park", kind: "string", about: "kind of protected area", on: "detail", make: one("national park", "nature reserve", "military area")},
			},
		},
	}
}

// degrees makes degrees with two decimals and a letter for the direction.
func degrees(positive, negative string, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := 100 + rng.IntN((most-1)*100)
		text := fmt.Sprintf("%d.%02d°", n/100, n%100)
		if rng.Float64() < 0.5 {
			return -float64(n) / 100, text + negative
		}
		return float64(n) / 100, text + positive
	}
}

// twentyThirdTasks are the questions about the twenty-third sites.
func (w *Web) twentyThirdTasks() {
	w.ask("gather", "ratefinder.test", "list every account: APY, insured?, rating, min deposit, monthly fee, term in months, bonus, mobile deposit, date of the rates", "account apy insured rating min fee term bonus mobile updated")
	w.ask("gather", "fondsblick.test", "alle ETFs mit TER, Rendite 1 Jahr, Sparplan, ISIN, Volumen, Auflage, Domizil, ausschüttend, Positionen, größte Position", "fonds ter rendite spar isin groesse auflage sitz aussch positionen groesste")
	w.ask("gather", "quakewatch.test", "all quakes: magnitude, date, time, depth, uncertainty of depth, felt reports, alert, tsunami warning, reviewed, stations, gap", "place mag day time depth error felt alert tsunami reviewed stations gap")
	w.ask("gather", "lineablanca-norte.test", "todos los refrigeradores: precio, MSI, envío gratis, existencias, capacidad en litros, ancho, alto, fondo, peso, consumo, color, inverter, garantía", "modelo precio meses envio existencias capacidad ancho alto fondo peso consumo color inverter garantia")
	w.ask("gather", "campings-dombre.test", "tous les campings : étoiles, commune, prix, ouverture, fermeture, emplacements, mobil-homes, plage, animaux, piscine, wifi gratuit, ampères", "camping etoiles commune prix ouvre ferme emplacements mobil plage animaux piscine wifi ampere")
	w.ask("gather", "concorsi-altavalle.test", "tutti i concorsi con posti, scadenza, titolo, indeterminato, ore, retribuzione, tassa, età massima, prove, pubblicazione", "concorso posti scade titolo tempo ore paga tassa eta prove uscito")
	w.ask("gather", "polovnjaci-sava.test", "svi automobili: cena, godište, gorivo, km, kubikaža, kW, KS, menjač, vrata, sedišta, registrovan, prvi vlasnik, zamena, datum oglasa", "auto cena god gorivo km kub kw ks menjac vrata sedista reg vlasnik zamena dan")
	w.ask("gather", "shandao.test", "所有步道：長度、難度、是否開放、時間、海拔、路面、入山申請、洗手間、停車費、整建年", "name length grade open time low high surface permit toilets parking rebuilt")
	w.ask("gather", "planning-westmere.test", "every application: proposal, address, received, granted?, officer, site area, dwellings, parking change, committee?, decision date, objections, support", "reference proposal address received granted officer area dwellings spaces committee decided against support")
	w.ask("gather", "trialregistry.test", "all studies: open?, sponsor, phase, enrollment, arms, follow-up, min age, max age, healthy volunteers, start, locations, countries, results", "study recruits sponsor phase enrolled arms follow minage maxage healthy start places countries results")
	w.ask("gather", "mercado-da-bola.test", "todas as transferências: posição, de, para, valor, idade, altura, pé, empréstimo, contrato, jogos, golos, seleção", "jogador pos de para valor idade altura pe emprestado ate jogos golos selecao")
	w.ask("gather", "volcanopedia.test", "all volcanoes: kind, elevation, prominence, lat, lon, age of rock, last eruption, monitored, first ascent and by whom, kind of protected area", "volcano kind height prominence lat lon age erupted watched climbed climber park")

	w.ask("conditions", "ratefinder.test", "accounts paying over 4% with no monthly fee", "account apy", is("apy", ">", "4", "over 4%").in("%"), is("fee", "=", "0", "no monthly fee"))
	w.ask("conditions", "ratefinder.test", "CDs of a year or longer that are federally insured", "account term", is("term", ">=", "1", "a year or longer").in("year").means("12"), is("insured", "=", "true", "federally insured"))
	w.ask("conditions", "fondsblick.test", "thesaurierende ETFs unter 0,3 % TER", "fonds ter", is("aussch", "=", "false", "thesaurierende"), is("ter", "<", "0.3", "unter 0,3 %").in("%"))
	w.ask("conditions", "fondsblick.test", "Fonds ab einer Milliarde Euro, die im letzten Jahr im Minus waren", "fonds groesse rendite", is("groesse", ">=", "1000000000", "ab einer Milliarde Euro").in("Euro"), is("rendite", "<", "0", "im Minus"))
	w.ask("conditions", "quakewatch.test", "quakes of magnitude 5 and up shallower than 50 km", "place mag depth", is("mag", ">=", "5", "magnitude 5 and up"), is("depth", "<", "50", "shallower than 50 km").in("km"))
	w.ask("conditions", "quakewatch.test", "which ones before noon in 2026 had a tsunami warning", "place time", is("time", "<", "12:00", "before noon"), is("day", "=", "2026", "in 2026"), is("tsunami", "=", "true", "had a tsunami warning"))
	w.ask("conditions", "lineablanca-norte.test", "refrigeradores de menos de 15 mil pesos con envío gratis", "modelo precio", is("precio", "<", "15000", "menos de 15 mil pesos").in("pesos"), is("envio", "=", "true", "con envío gratis"))
	w.ask("conditions", "lineablanca-norte.test", "que midan menos de metro y medio de alto y estén disponibles", "modelo alto existencias", is("alto", "<", "1.5", "menos de metro y medio").in("m").means("150"), is("existencias", ">", "0", "estén disponibles"))
	w.ask("conditions", "campings-dombre.test", "campings à moins d'un kilomètre de la plage qui acceptent les animaux", "camping plage", is("plage", "<", "1", "moins d'un kilomètre").in("km").means("1000"), is("animaux", "=", "true", "acceptent les animaux"))
	w.ask("conditions", "campings-dombre.test", "ouverts avant le 15 avril, sans mobil-homes", "camping ouvre", is("ouvre", "<", "2026-04-15", "avant le 15 avril"), is("mobil", "=", "0", "sans mobil-homes"))
	w.ask("conditions", "concorsi-altavalle.test", "concorsi a tempo indeterminato senza tassa", "concorso scade", is("tempo", "=", "true", "a tempo indeterminato"), is("tassa", "=", "0", "senza tassa"))
	w.ask("conditions", "concorsi-altavalle.test", "più di un posto, meno di trenta ore, col solo diploma", "concorso posti ore", is("posti", ">", "1", "più di un posto"), is("ore", "<", "30", "meno di trenta ore").in("ore"), is("titolo", "=", "diploma", "col solo diploma"))
	w.ask("conditions", "polovnjaci-sava.test", "dizel do 4.500 evra, registrovan", "auto cena", is("gorivo", "=", "Dizel", "dizel"), is("cena", "<=", "4500", "do 4.500 evra").in("evra"), is("reg", "=", "true", "registrovan"))
	w.ask("conditions", "polovnjaci-sava.test", "prešao manje od 150 hiljada kilometara, mlađi od 2010.", "auto km god", is("km", "<", "150000", "manje od 150 hiljada kilometara").in("km"), is("god", ">", "2010", "mlađi od 2010."))
	w.ask("conditions", "shandao.test", "兩小時以內、免申請的步道", "name time", is("time", "<=", "2", "兩小時以內").in("小時").means("120"), is("permit", "=", "false", "免申請"))
	w.ask("conditions", "shandao.test", "目前開放、5公里以上、海拔超過2000公尺", "name length high", is("open", "=", "true", "目前開放"), is("length", ">=", "5", "5公里以上").in("公里"), is("high", ">", "2000", "超過2000公尺").in("公尺"))
	w.ask("conditions", "planning-westmere.test", "applications with more than 50 objections that were still granted", "reference against", is("against", ">", "50", "more than 50 objections"), is("granted", "=", "true", "were still granted"))
	w.ask("conditions", "planning-westmere.test", "sites bigger than a quarter of an acre or with any new homes", "reference area dwellings", is("area", ">", "0.25", "bigger than a quarter of an acre").in("acre").means("1011.7"), is("dwellings", ">", "0", "any new homes").or())
	w.ask("conditions", "trialregistry.test", "studies still open to children under ten", "study minage", is("recruits", "=", "true", "still open"), is("minage", "<", "10", "children under ten"))
	w.ask("conditions", "trialregistry.test", "phase 2 only, over 1000 people, results out", "study enrolled", is("phase", "=", "Phase 2", "phase 2 only"), is("enrolled", ">", "1000", "over 1000 people"), is("results", "=", "true", "results out"))
	w.ask("conditions", "mercado-da-bola.test", "quem custou mais de 10 milhões e tem menos de 25 anos", "jogador valor idade", is("valor", ">", "10000000", "mais de 10 milhões").in("€"), is("idade", "<", "25", "menos de 25 anos").in("anos"))
	w.ask("conditions", "mercado-da-bola.test", "jogadores a custo zero com mais de 1,80 m", "jogador altura", is("valor", "=", "0", "a custo zero"), is("altura", ">", "1.80", "mais de 1,80 m").in("m").means("180"))
	w.ask("conditions", "volcanopedia.test", "volcanoes in the southern hemisphere that erupted after 1900", "volcano lat erupted", is("lat", "<", "0", "in the southern hemisphere"), is("erupted", ">", "1900", "erupted after 1900"))
	w.ask("conditions", "volcanopedia.test", "over 1 km of prominence, not monitored", "volcano prominence", is("prominence", ">", "1", "over 1 km of prominence").in("km").means("1000"), is("watched", "=", "false", "not monitored"))

	w.ask("top", "ratefinder.test", "the five accounts with the best APY", "account apy", is("apy", "top", "5", "five accounts with the best APY"))
	w.ask("top", "fondsblick.test", "die drei größten Fonds", "fonds groesse", is("groesse", "top", "3", "drei größten"))
	w.ask("top", "quakewatch.test", "three deepest quakes", "place depth", is("depth", "top", "3", "three deepest"))
	w.ask("top", "mercado-da-bola.test", "as cinco transferências mais caras", "jogador valor", is("valor", "top", "5", "cinco transferências mais caras"))
	w.best("best", "lineablanca-norte.test", "el refrigerador más barato en grafito", "modelo precio", is("color", "=", "grafito", "en grafito"), is("precio", "bottom", "1", "más barato"))
	w.best("best", "volcanopedia.test", "highest shield volcano", "volcano height", is("kind", "=", "shield volcano", "shield volcano"), is("height", "top", "1", "highest"))
	w.best("best", "polovnjaci-sava.test", "najjeftiniji automatik", "auto cena", is("menjac", "=", "Automatski", "automatik"), is("cena", "bottom", "1", "najjeftiniji"))
	w.best("best", "concorsi-altavalle.test", "il concorso meglio pagato per laurea magistrale", "concorso paga", is("titolo", "=", "laurea magistrale", "per laurea magistrale"), is("paga", "top", "1", "meglio pagato"))
	w.count("count", "planning-westmere.test", "how many applications went to committee?", is("committee", "=", "true", "went to committee"))
	w.count("count", "shandao.test", "有幾條步道暫停開放或封閉？", is("open", "=", "false", "暫停開放或封閉"))
	w.count("count", "campings-dombre.test", "combien de campings ont une piscine ?", is("piscine", "=", "true", "ont une piscine"))
	w.count("count", "trialregistry.test", "number of studies by Kestrel Pharma", is("sponsor", "=", "Kestrel Pharma", "by Kestrel Pharma"))
	w.count("count", "mercado-da-bola.test", "quantos jogadores chegaram por empréstimo", is("emprestado", "=", "true", "por empréstimo"))
	w.compare("comparison", "ratefinder.test", "%s or %s: APY, fee, minimum deposit", "account apy fee min", 3, 16)
	w.compare("comparison", "fondsblick.test", "%s gegen %s: TER, Volumen, Auflage", "fonds ter groesse auflage", 2, 22)
	w.compareAll("comparison", "volcanopedia.test", "%s, %s and %s: height, last eruption", "volcano height erupted", 1, 14, 25)
	w.compare("comparison", "polovnjaci-sava.test", "uporedi %s i %s: cena, km, snaga u kW", "auto cena km kw", 5, 18)
	w.lookup("lookup", "quakewatch.test", "how strong was the quake %s and how many people reported it", "mag felt", 20)
	w.lookup("lookup", "planning-westmere.test", "who is the case officer for %s and how many objections are there", "officer against", 13)
	w.lookup("lookup", "campings-dombre.test", "%s : quand est-ce que ça ouvre et c'est combien la nuit ?", "ouvre prix", 17)
	w.lookup("lookup", "trialregistry.test", "how long is the follow-up of %s and in how many countries", "follow countries", 9)
	w.lookup("lookup", "shandao.test", "%s的海拔最高多少、哪一年整建", "high rebuilt", 12)
	w.lookup("lookup", "lineablanca-norte.test", "¿cuánto mide de ancho y cuánto pesa el %s?", "ancho peso", 21)
	w.absent("lookup", "fondsblick.test", "Welche TER hat der %s?", "Pegasus Nasdaq", "ter")
	trials, players := w.site("trialregistry.test").things, w.site("mercado-da-bola.test").things
	w.hop("hops", "trialregistry.test", "sponsordirectory.test", "who is chief medical officer of the company that sponsors "+trials[10].name+"?", "cmo", "sponsor", trials[10])
	w.hop("hops", "mercado-da-bola.test", "clubes-da-liga.test", "quem treina o clube que contratou "+players[17].name+"?", "treinador", "para", players[17])
	w.hop("hops", "mercado-da-bola.test", "clubes-da-liga.test", "para quantos espectadores dá o estádio do novo clube de "+players[8].name, "lugares", "para", players[8])
	w.rowHop("hops", "trialregistry.test", "sponsordirectory.test", "phase 4 studies with start date, and the city of the sponsor of each", "study start", "city", "sponsor", is("phase", "=", "Phase 4", "phase 4"))
	w.rowHop("hops", "mercado-da-bola.test", "clubes-da-liga.test", "guarda-redes (GR), idade e quem preside ao novo clube", "jogador idade", "presidente", "para", is("pos", "=", "GR", "guarda-redes (GR)"))
	w.open("open", "volcanopedia.test", "calderas and when they last erupted", "volcano kind erupted", is("kind", "=", "caldera", "calderas"))
	w.open("open", "ratefinder.test", "accounts with a bonus of $300, APY", "account apy bonus", is("bonus", "=", "300", "bonus of $300").in("$"))
}
