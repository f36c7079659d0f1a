// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The questions of the twelfth set are worded as people type them: in lower case, with
// typing errors, as half sentences, with "w/" and "<". A model that plans may quote such words
// corrected. Its layouts are none of those of the earlier sets:
//
//  1. Austrian flats whose names differ in one digit, with rents that some do not state
//  2. a thread in which people sell skates, with replies between the offers, over four pages
//  3. guest houses with ranges of prices, reviews in thousands, and an outdated copy of the list
//  4. a Portuguese market in a table without a head, with prices for a kilogram
//  5. minerals in one definition list, with what is not known
//  6. an Italian rugby squad on three pages with other columns each
//  7. Dutch boats whose names stand only on their own pages
//  8. Norwegian ferries in pairs of table rows, and the companies that run them
//  9. screws that differ in their length or finish only, with lengths in millimetres and inches
//  10. French exhibitions whose first days have no year
//  11. Danish companies with losses, in millions and billions of kroner
//  12. Bulgarian huts with hours on foot

// twelfthSites are the sites of the twelfth set.
func twelfthSites() []*site {
	operators := []string{"Fjordlinjen", "Havrute", "Kystbåtene", "Skjærgård Transport"}
	return []*site{
		{
			host: "wohnen-steinach.test", lang: "de", title: "Freie Wohnungen", noun: "Wohnung", member: "wohnungen", n: 32, per: 8, pager: true, few: true, claim: "%d Wohnungen gefunden",
			names: func(_ *rand.Rand, i int) string {
				return fmt.Sprintf("%s %d, Top %d", []string{"Lerchenweg", "Am Anger", "Gerberstraße", "Inselgasse"}[i%4], 2+i%2*10, 1+i/4*(1+i%4*3))
			},
			list: "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/objekt/%d-top", 40117+i*13) },
			form: form{
				before: `<div class="sort">Sortieren nach: <a href="#p">Preis</a> <a href="#g">Größe</a></div><div class="hits">`,
				item: `<div class="hit"><div class="pic"></div><div class="txt"><span class="nr">Nr. {nr}</span><h3>{name}</h3><p>{zimmer} · {flaeche} · {stock}</p><p>Kaltmiete {kalt} | {balkon}</p></div></div>
`,
				after: `</div><p>Alle Mieten verstehen sich pro Monat.</p>`,
				detail: `<p>{zimmer} mit {flaeche}, {stock}, {balkon}</p><div class="kosten"><h3>Kosten</h3><p>Kaltmiete<br>{kalt}</p><p>Betriebskosten<br>{nk}</p><p>Kaution<br>drei Monatsmieten</p></div>
<div class="daten"><h3>Daten</h3><p>Heizung: {heizung}</p><p>Heizwärmebedarf: {hwb}</p><p>Bezug: {frei_ab}</p></div>`,
			},
			columns: []column{
				{name: "adresse", kind: "string", about: "Adresse mit Top-Nummer", label: "Adresse"},
				{name: "nr", kind: "string", about: "Objektnummer", on: "nowhere", make: id(40117, 13, "%d")},
				{name: "zimmer", kind: "integer", about: "Anzahl der Zimmer", make: few("%d Zimmer", 1, 2, 3, 4)},
				{name: "flaeche", kind: "number", about: "Wohnfläche in m²", make: decimal(28, 110, ",", "%s m²")},
				{name: "stock", kind: "string", about: "Stockwerk", make: one("EG", "1. OG", "2. OG", "Dachgeschoß")},
				{name: "kalt", kind: "number", about: "Kaltmiete in Euro", make: decimal(380, 1250, ",", "€ %s0"), missing: 0.1, blank: "auf Anfrage"},
				{name: "balkon", kind: "boolean", about: "hat einen Balkon", make: worded(0.5, []string{"Balkon", "mit Balkon"}, []string{"kein Balkon", "ohne Balkon"})},
				{name: "nk", kind: "number", about: "Betriebskosten in Euro", on: "detail", make: decimal(90, 290, ",", "€ %s0")},
				{name: "heizung", kind: "string", about: "Heizung", on: "detail", make: one("Fernwärme", "Gas", "Wärmepumpe")},
				{name: "hwb", kind: "number", about: "Heizwärmebedarf in kWh/m²", on: "detail", make: decimal(25, 160, ",", "%s kWh/m²a")},
				{name: "frei_ab", kind: "date", about: "Tag, an dem man einziehen kann", on: "detail", make: day(2026, 2027, "de", "ab D. N Y")},
			},
		},
		{
			host: "skateswap.test", lang: "en", title: "For sale: skates and pads", noun: "offer", member: "offers", n: 28, per: 7, onward: "older posts »",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Roces M12", "Bauer Vapor", "Rio Roller", "Seba High", "Riedell 120", "K2 Kinetic", "Tempish Ayroo"}[i%7] + []string{" black", " white", " mint", " red"}[i/7]
			},
			list: "form", paging: "more",
			form: form{
				before: `<ol class="thread">`,
				item: `<li class="post"><div class="hd">{seller} · {posted}</div><div class="bd"><p><b>{name}</b> in size {size}, {condition}. Asking {price} {offers}. Collect in {town}.</p><p class="st">{state}</p></div></li>
`,
				ad:    `<li class="post reply"><div class="hd">nosy_pete · just now</div><div class="bd"><p>Would you take £15 for it? I am in Derby. My mate wants a size 9 too.</p></div></li>`,
				after: `</ol><p>Be nice. No dealers. Posts older than 90 days are removed.</p>`,
			},
			columns: []column{
				{name: "offer", kind: "string", about: "what is for sale", label: "Offer"},
				{name: "seller", kind: "string", about: "name of the seller", on: "nowhere", make: one("rollerdad", "wheely_may", "quadqueen", "inline_ian")},
				{name: "posted", kind: "date", about: "day of the post", on: "nowhere", make: day(2025, 2026, "en", "D A Y")},
				{name: "size", kind: "number", about: "UK shoe size", make: turnOf([]float64{4, 5.5, 7, 8.5, 10}, "4", "5.5", "7", "8.5", "10")},
				{name: "condition", kind: "string", about: "condition", make: one("hardly used", "well loved", "brand new", "for parts")},
				{name: "price", kind: "number", about: "asking price in pounds", make: whole(18, 190, ",", "£%s")},
				{name: "offers", kind: "boolean", about: "the seller takes offers", make: worded(0.5, []string{"ono", "or nearest offer"}, []string{"firm", "no offers"})},
				{name: "town", kind: "string", about: "where to collect", make: one("Leeds", "York", "Hull")},
				{name: "state", kind: "string", about: "state of the offer", make: one("AVAILABLE", "SOLD", "ON HOLD")},
			},
		},
		{
			host: "gullcoaststays.test", lang: "en", title: "Guest houses on the Gull Coast", noun: "guest house", member: "houses", n: 26, archive: "2019 edition",
			names: pairs("Anchor Beacon Cormorant Driftwood Ebb Fulmar Gannet", "House Lodge Inn Cottage", "%s %s"),
			list:  "form",
			form: form{
				item: `<section class="stay"><header><h2>{name}</h2> <span class="stars">{stars}</span></header><ul class="facts"><li>{village}</li><li>{rating} ({reviews})</li><li>€{low}–{high} per night</li><li>{breakfast}</li><li>{dogs}</li><li>{beach}</li></ul></section>
`,
				after: `<p>Prices are for two people and include the tourist tax of €2.50.</p>`,
			},
			columns: []column{
				{name: "house", kind: "string", about: "name of the guest house", label: "House"},
				{name: "stars", kind: "integer", about: "number of stars", make: turnOf([]float64{3, 4, 2, 5}, "3 stars", "4 stars", "2 stars", "5 stars")},
				{name: "village", kind: "string", about: "village", make: one("Port Ellin", "Skerrow", "Tarn Bay")},
				{name: "rating", kind: "number", about: "guests' rating, out of ten", make: decimal(6, 10, ".", "%s/10")},
				{name: "reviews", kind: "integer", about: "number of reviews", make: either(scaled(1, 4, 1e3, ".", "%sk reviews"), whole(12, 980, ",", "%s reviews"))},
				{name: "low", kind: "integer", about: "lowest price of a night in euros", make: whole(48, 120, ",", "%s")},
				{name: "high", kind: "integer", about: "highest price of a night in euros", make: whole(125, 290, ",", "%s")},
				{name: "breakfast", kind: "boolean", about: "breakfast is included", make: worded(0.5, []string{"breakfast included", "incl. breakfast"}, []string{"breakfast extra", "no breakfast"})},
				{name: "dogs", kind: "boolean", about: "dogs are allowed", make: worded(0.5, []string{"dogs welcome", "pet friendly"}, []string{"no dogs", "no pets please"})},
				{name: "beach", kind: "integer", about: "distance to the beach in metres", make: stretchEn(60, 4000)},
			},
		},
		{
			host: "feiradalapa.test", lang: "pt", title: "Feira da Lapa: quem vende o quê", noun: "banca", member: "bancas", n: 30,
			names: func(_ *rand.Rand, i int) string {
				return []string{"Abóbora", "Batata-doce", "Couve", "Figo", "Goiaba", "Inhame"}[i%6] + []string{" do Zé", " da Nilza", " do Sítio Alto", " da Dona Rosa", " dos Irmãos Melo"}[i/6]
			},
			list: "form",
			form: form{
				before: `<p>Sábados e quartas, das 7h às 13h.</p><table class="feira"><tbody>`,
				item:   "<tr><td>{numero}</td><td>{name}</td><td>{preco}</td><td>{cultivo}</td><td>{origem}</td><td>{desde}</td><td>{cartao}</td></tr>\n",
				after:  `</tbody></table><p>Preços da semana. A banca fecha quando acaba a mercadoria.</p>`,
			},
			columns: []column{
				{name: "banca", kind: "string", about: "nome da banca", label: "Banca"},
				{name: "numero", kind: "string", about: "número da banca", make: id(101, 4, "B%d")},
				{name: "preco", kind: "number", about: "preço do quilo em reais", make: decimal(3, 28, ",", "R$ %s0/kg")},
				{name: "cultivo", kind: "string", about: "tipo de cultivo", make: one("orgânico", "convencional", "em transição")},
				{name: "origem", kind: "string", about: "município de origem", make: one("Ibiúna", "Mogi", "Piedade")},
				{name: "desde", kind: "integer", about: "ano em que a banca começou", make: func(rng *rand.Rand, _ int) (any, string) {
					n := 1988 + rng.IntN(37)
					return float64(n), fmt.Sprintf("desde %d", n)
				}},
				{name: "cartao", kind: "boolean", about: "aceita cartão", make: worded(0.5, []string{"cartão e Pix", "aceita cartão"}, []string{"só dinheiro", "não aceita cartão"})},
			},
		},
		{
			host: "mineralhall.test", lang: "en", title: "Cabinet of minerals", noun: "mineral", member: "minerals", n: 30, per: 10, cursor: true, onward: "Next drawer",
			names: fixed("Adamite", "Barite", "Celestine", "Danburite", "Enargite", "Fluorite", "Galena", "Hematite", "Ilmenite", "Jarosite", "Kyanite", "Linarite", "Malachite", "Natrolite", "Olivenite", "Pyrite", "Pyrrhotite", "Realgar", "Scheelite", "Topaz", "Ulexite", "Vanadinite", "Wulfenite", "Xenotime", "Zircon", "Apatite", "Azurite", "Beryl", "Calcite", "Cuprite"),
			list:  "form", paging: "more",
			form: form{
				before: `<dl class="cabinet">`,
				item: `<dt id="m">{name}</dt><dd class="f">{formula}</dd><dd>Hardness {hardness}; specific gravity {gravity}</dd><dd>{system}, {lustre} lustre</dd><dd>Found at {place}, {year}</dd><dd>{display}</dd>
`,
				after: `</dl>`,
			},
			columns: []column{
				{name: "mineral", kind: "string", about: "name of the mineral", label: "Mineral"},
				{name: "formula", kind: "string", about: "chemical formula", make: one("ZnO", "FeS2", "CaF2", "PbS", "SiO2")},
				{name: "hardness", kind: "number", about: "hardness (Mohs)", make: decimal(1, 9, ".", "%s"), missing: 0.12, blank: "not measured"},
				{name: "gravity", kind: "number", about: "specific gravity", make: decimal(2, 8, ".", "%s")},
				{name: "system", kind: "string", about: "crystal system", make: one("cubic", "hexagonal", "monoclinic", "triclinic")},
				{name: "lustre", kind: "string", about: "lustre", make: one("glassy", "metallic", "silky")},
				{name: "place", kind: "string", about: "where it was found", make: one("Wheal Rose", "Cligga Head", "Botallack")},
				{name: "year", kind: "integer", about: "year in which it was found", make: circa(1798, 1990)},
				{name: "display", kind: "boolean", about: "is on display", make: worded(0.6, []string{"On display, room 2", "On display, foyer"}, []string{"In store", "Out on loan"})},
			},
		},
		{
			host: "rugbyvalnera.test", lang: "it", title: "La squadra", noun: "giocatore", member: "giocatori", n: 30,
			names: pairs("Aldo Bruno Carlo Dario Enzo Fabio", "Zanetti Vianello Tosi Rinaldi Pace", "%s %s"),
			list:  "accordion", paging: "views", views: []string{"Rosa", "Contratti", "Presenze"},
			columns: []column{
				{name: "giocatore", kind: "string", about: "nome del giocatore", label: "Giocatore"},
				{name: "ruolo", kind: "string", about: "ruolo", label: "Ruolo", on: "Rosa", make: one("pilone", "tallonatore", "mediano", "ala", "estremo")},
				{name: "nato", kind: "date", about: "data di nascita", label: "Nato il", on: "Rosa", make: day(1991, 2005, "it", "D N Y")},
				{name: "altezza", kind: "integer", about: "altezza in centimetri", label: "Altezza", on: "Rosa", make: func(rng *rand.Rand, _ int) (any, string) {
					n := 168 + rng.IntN(34)
					return float64(n), fmt.Sprintf("%d,%02d m", n/100, n%100)
				}},
				{name: "scadenza", kind: "integer", about: "anno in cui scade il contratto", label: "Scadenza", on: "Contratti", make: year(2026, 2030)},
				{name: "ingaggio", kind: "number", about: "ingaggio annuo in euro", label: "Ingaggio", on: "Contratti", make: either(thousands(18, 95, "%d mila €"), scaled(1, 2, 1e6, ",", "%s mln €"))},
				{name: "partite", kind: "integer", about: "partite giocate", label: "Partite", on: "Presenze", make: whole(0, 160, ".", "%s")},
				{name: "mete", kind: "integer", about: "mete segnate", label: "Mete", on: "Presenze", make: whole(0, 70, ".", "%s")},
				{name: "infortunato", kind: "boolean", about: "è infortunato", label: "Infortunato", on: "Presenze", make: worded(0.3, []string{"sì", "sì, rientro in primavera"}, []string{"no"})},
			},
		},
		{
			host: "bootjesmarkt.test", lang: "nl", title: "Tweedehands boten", noun: "boot", member: "boten", n: 30, per: 15, anchor: "Bekijk deze boot", onward: "Meer boten laden",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Zeemeeuw", "Zwaluw", "Karper", "Noorderzon", "Tante Sjaan", "Wilde Gans"}[i%6] + []string{"", " II", " van Urk", " III", " 1200"}[i/6]
			},
			list: "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/advertentie?nr=%d", 8801+i*17) },
			form: form{
				before: `<div class="rij">`, item: `<figure><img src="/f.jpg" alt="foto"><figcaption>{type} uit {bouwjaar}, <b>{prijs}</b><br><a href="{link}">Bekijk deze boot</a></figcaption></figure>` + "\n", after: `</div>`,
				detail:  `<h2>Kenmerken</h2><ul class="k"><li><i>Naam</i> {name}</li><li><i>Type</i> {type}</li><li><i>Bouwjaar</i> {bouwjaar}</li><li><i>Lengte</i> {lengte}</li><li><i>Diepgang</i> {diepgang}</li><li><i>Motor</i> {motor}</li><li><i>Ligplaats</i> {ligplaats}</li><li><i>Trailer</i> {trailer}</li></ul><p class="prijs">Vraagprijs {prijs}</p><p>Bezichtigen kan op afspraak, bel tussen 10 en 17 uur.</p>`,
				related: `<div class="ook"><span>{type}</span> <span>{prijs}</span></div>`,
			},
			columns: []column{
				{name: "naam", kind: "string", about: "naam van de boot", label: "Naam", on: "detail"},
				{name: "type", kind: "string", about: "type boot", make: one("Zeilboot", "Sloep", "Kajuitjacht", "Roeiboot")},
				{name: "bouwjaar", kind: "integer", about: "bouwjaar", make: year(1961, 2024)},
				{name: "prijs", kind: "number", about: "vraagprijs in euro", make: whole(900, 64000, ".", "€ %s,-")},
				{name: "lengte", kind: "number", about: "lengte in meter", on: "detail", make: decimal(4, 13, ",", "%s m")},
				{name: "diepgang", kind: "number", about: "diepgang in meter", on: "detail", make: func(rng *rand.Rand, _ int) (any, string) {
					n := 25 + rng.IntN(130)
					return float64(n) / 100, fmt.Sprintf("%d cm", n)
				}},
				{name: "motor", kind: "string", about: "motor", on: "detail", make: one("diesel", "elektrisch", "benzine", "geen")},
				{name: "ligplaats", kind: "string", about: "ligplaats", on: "detail", make: one("Enkhuizen", "Grou", "Loosdrecht")},
				{name: "trailer", kind: "boolean", about: "er hoort een trailer bij", on: "detail", make: worded(0.5, []string{"ja", "inbegrepen"}, []string{"nee", "niet inbegrepen"})},
			},
		},
		{
			host: "fergeruter.test", lang: "no", title: "Ferger og hurtigbåter", noun: "rute", member: "ruter", n: 26,
			names: func(_ *rand.Rand, i int) string {
				return []string{"Askvoll", "Brekstad", "Dragsvik", "Eidsdal", "Fodnes", "Gutvik", "Hareid", "Isane", "Jondal", "Krokeide", "Leirvåg", "Molde", "Nesna"}[i%13] + []string{"–Vik", "–Sund"}[i/13]
			},
			list: "form",
			form: form{
				before: `<table class="ruter"><tbody>`,
				item: `<tr class="a"><td colspan="4"><strong>{name}</strong> {el}</td></tr><tr class="b"><td>{selskap}</td><td>{tid}</td><td>kr {pris}</td><td>{plasser}</td></tr>
`,
				after: `</tbody></table><p>Barn under 6 år reiser gratis. Prisene gjelder fra 1. mai 2026.</p>`,
			},
			columns: []column{
				{name: "rute", kind: "string", about: "navn på ruten", label: "Rute"},
				{name: "el", kind: "boolean", about: "går på strøm", make: worded(0.4, []string{"(elektrisk)", "(batteri)"}, []string{"(diesel)", "(gass)"})},
				{name: "selskap", kind: "string", about: "selskapet som driver ruten", make: turn(operators...)},
				{name: "tid", kind: "integer", about: "overfartstid i minutter", make: crossing(9, 150)},
				{name: "pris", kind: "number", about: "pris for en voksen i kroner", make: decimal(38, 420, ",", "%s0")},
				{name: "plasser", kind: "integer", about: "antall biler det er plass til", make: whole(12, 212, " ", "%s biler"), missing: 0.1, blank: "ingen biler"},
			},
		},
		{
			host: "rederioversikt.test", lang: "no", title: "Rederier", noun: "rederi", member: "rederier", n: len(operators),
			names: fixed(operators...),
			list:  "form", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/r%d/", 3+i*5) },
			form: form{
				before: "<p>", item: "{name}<br>\n", after: "</p>",
				detail: `<div class="grid2"><div>Hovedkontor</div><div>{kontor}</div><div>Daglig leder</div><div>{leder}</div><div>Ansatte</div><div>{ansatte}</div><div>Omsetning</div><div>{omsetning}</div></div>`,
			},
			columns: []column{
				{name: "rederi", kind: "string", about: "navn på rederiet", label: "Rederi"},
				{name: "kontor", kind: "string", about: "stedet der rederiet har hovedkontor", label: "Hovedkontor", on: "detail", make: turn("Ålesund", "Bodø", "Stord", "Florø")},
				{name: "leder", kind: "string", about: "daglig leder i rederiet", label: "Daglig leder", on: "detail", make: turn("Kari Moen", "Per Haugen", "Liv Strand", "Odd Nygård")},
				{name: "ansatte", kind: "integer", about: "antall ansatte i rederiet", label: "Ansatte", on: "detail", make: whole(1020, 4800, " ", "%s")},
				{name: "omsetning", kind: "number", about: "omsetningen til rederiet i kroner", label: "Omsetning", on: "detail", make: scaled(1, 7, 1e9, ",", "%s mrd. kr")},
			},
		},
		{
			host: "boltbarn.test", lang: "en", title: "Screws and bolts", noun: "item", member: "items", n: 40, per: 20, pager: true,
			names: func(_ *rand.Rand, i int) string {
				return fmt.Sprintf("BB-%s%d", []string{"10", "1", "100", "11"}[i%4], 3+i/4)
			},
			list: "form", paging: "numbered",
			form: form{
				before: `<div class="shelf" role="list">`,
				item: `<div role="listitem" class="it"><code>{name}</code> <span>{what}</span> <span>{thread} × {length_mm}</span> <span>{finish}</span> <span>box of {pack}</span> <span>{price}</span> <span>{stock}</span></div>
`,
				after: `</div><p>Trade customers get 5% off orders over £200.</p>`,
			},
			columns: []column{
				{name: "sku", kind: "string", about: "article number", label: "SKU"},
				{name: "what", kind: "string", about: "kind of item", make: one("Coach bolt", "Hex bolt", "Wood screw", "Machine screw")},
				{name: "thread", kind: "string", about: "thread", make: one("M4", "M5", "M6", "M8")},
				{name: "length_mm", kind: "number", about: "length in millimetres", make: anyOf([]float64{16, 25.4, 30, 40, 45, 76.2, 80}, "16 mm", "1 in", "30 mm", "40 mm", "45 mm", "3 in", "80 mm")},
				{name: "finish", kind: "string", about: "finish", make: one("zinc plated", "stainless A2", "stainless A4", "plain")},
				{name: "pack", kind: "integer", about: "pieces in a box", make: few("%d", 10, 25, 100, 500)},
				{name: "price", kind: "number", about: "price of a box in pounds", make: either(func(rng *rand.Rand, _ int) (any, string) {
					n := 105 + rng.IntN(290)*10
					return float64(n) / 100, fmt.Sprintf("£%d.%02d", n/100, n%100)
				}, func(rng *rand.Rand, _ int) (any, string) {
					n := 35 + rng.IntN(60)
					return float64(n) / 100, fmt.Sprintf("%dp", n)
				})},
				{name: "stock", kind: "integer", about: "boxes in stock", make: either(scaled(1, 9, 1e3, ".", "%sk in stock"), whole(3, 900, ",", "%s in stock"))},
			},
		},
		{
			host: "expos-garonne.test", lang: "fr", title: "Les expositions de l'année", noun: "exposition", member: "expositions", n: 26, by: "ville",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Rouge", "Les voix", "Sous verre", "Terres", "Retour", "L'atelier", "Lumières"}[i%7] + []string{" d'argile", " de nuit", " du fleuve", " et sel"}[i/7]
			},
			list: "form",
			form: form{
				section: `<h2 class="v">À %s</h2>` + "\n",
				item: `<article class="expo"><p class="lieu">{musee}</p><h3>{name}</h3><p class="dates">Du {debut} au {fin}</p><p>{tarif} – {acces}</p><p>{nombre}</p></article>
`,
				after: `<p>Gratuit pour tous le premier dimanche du mois.</p>`,
			},
			columns: []column{
				{name: "exposition", kind: "string", about: "titre de l'exposition", label: "Exposition"},
				{name: "ville", kind: "string", about: "ville", on: "section", make: one("Agen", "Bordeaux", "Toulouse")},
				{name: "musee", kind: "string", about: "musée", on: "nowhere", make: one("Musée des Quais", "Galerie Neuve", "Hôtel Dupin")},
				{name: "debut", kind: "date", about: "premier jour", make: sameYear(1, 6)},
				{name: "fin", kind: "date", about: "dernier jour", make: func(rng *rand.Rand, _ int) (any, string) {
					m, d := 7+rng.IntN(6), 1+rng.IntN(28)
					return fmt.Sprintf("2026-%02d-%02d", m, d), fmt.Sprintf("%d %s 2026", d, months["fr"][m-1])
				}},
				{name: "tarif", kind: "number", about: "plein tarif en euros, 0 si c'est gratuit", make: free(decimal(4, 16, ",", "%s0 €"), 4, "entrée libre")},
				{name: "acces", kind: "boolean", about: "accessible en fauteuil roulant", make: worded(0.6, []string{"accessible en fauteuil", "accès fauteuil"}, []string{"non accessible en fauteuil", "pas d'accès fauteuil"})},
				{name: "nombre", kind: "integer", about: "nombre d'œuvres", make: whole(18, 1900, " ", "%s œuvres")},
			},
		},
		{
			host: "aarhustal.test", lang: "da", title: "Virksomheder i tal", noun: "virksomhed", member: "virksomheder", n: 30, per: 10, onward: "Vis de næste",
			names: pairs("Bælum Dalby Egense Fjerring Gudum Hvilsted", "Foder Glas Maskiner Møbler Tang", "%s %s A/S"),
			list:  "form", paging: "more",
			form: form{
				item: `<div class="kort"><div class="navn">{name}</div><div class="kv"><div>CVR</div><div>{cvr}</div></div><div class="kv"><div>Omsætning 2025</div><div>{omsaetning}</div></div><div class="kv"><div>Resultat 2025</div><div>{resultat}</div></div><div class="kv"><div>Ansatte</div><div>{ansatte}</div></div><div class="kv"><div>Stiftet</div><div>{stiftet}</div></div><div class="kv"><div>Børsnoteret</div><div>{boers}</div></div></div>
`,
				after: `<p>Kilde: årsrapporter, hentet 3. marts 2026.</p>`,
			},
			columns: []column{
				{name: "virksomhed", kind: "string", about: "virksomhedens navn", label: "Virksomhed"},
				{name: "cvr", kind: "string", about: "CVR-nummer", label: "CVR", make: id(10448120, 1301, "%d")},
				{name: "omsaetning", kind: "number", about: "omsætning i kroner", label: "Omsætning 2025", make: either(scaled(1, 9, 1e9, ",", "%s mia. kr."), scaled(11, 900, 1e6, ",", "%s mio. kr."))},
				{name: "resultat", kind: "number", about: "årets resultat i kroner, negativt ved underskud", label: "Resultat 2025", make: func(rng *rand.Rand, i int) (any, string) {
					n := 12 + rng.IntN(860)
					text := fmt.Sprintf("%d,%d mio. kr.", n/10, n%10)
					if i%3 == 1 {
						return -float64(n) * 1e5, "-" + text
					}
					return float64(n) * 1e5, text
				}},
				{name: "ansatte", kind: "integer", about: "antal ansatte", label: "Ansatte", make: func(rng *rand.Rand, i int) (any, string) {
					n := 14 + rng.IntN(2900)
					if i%4 == 2 {
						return float64(n / 10 * 10), "ca. " + grouped(n/10*10, ".")
					}
					return float64(n), grouped(n, ".")
				}},
				{name: "stiftet", kind: "date", about: "dato for stiftelsen", label: "Stiftet", make: day(1921, 2019, "da", "D. N Y"), missing: 0.1, blank: "ukendt"},
				{name: "boers", kind: "boolean", about: "er børsnoteret", label: "Børsnoteret", make: flag(0.3, "ja", "nej")},
			},
		},
		{
			host: "hizhi.test", lang: "bg", title: "Хижи в планината", noun: "хижа", member: "хижи", n: 24,
			names: fixed("Амбарица", "Бъндерица", "Вихрен", "Грамадина", "Дерменка", "Ехо", "Жълтец", "Заврачица", "Ивайло", "Козя стена", "Левски", "Мазалат", "Незабравка", "Орловец", "Плевен", "Рай", "Синаница", "Тевно езеро", "Узана", "Хубавец", "Чакалица", "Щастливец", "Яворов", "Яворница"),
			list:  "form", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/h/%c%d", 'a'+rune(i%5), i) },
			form: form{
				before: `<ul class="hizhi">`, item: `<li>{name} <small>({planina}, {visochina})</small></li>` + "\n", after: `</ul>`,
				detail: `<p>Планина: {planina}<br>Надморска височина: {visochina}<br>Легла: {legla}<br>Пеша от пътя: {hod}<br>Нощувка: {cena}<br>Отворена: {zima}<br>Последен ремонт: {remont}</p>`,
			},
			columns: []column{
				{name: "hizha", kind: "string", about: "име на хижата", label: "Хижа"},
				{name: "planina", kind: "string", about: "планина", make: one("Рила", "Пирин", "Стара планина")},
				{name: "visochina", kind: "integer", about: "надморска височина в метри", make: whole(1010, 2480, " ", "%s м")},
				{name: "legla", kind: "integer", about: "брой легла", on: "detail", make: whole(14, 120, " ", "%s")},
				{name: "hod", kind: "integer", about: "време пеша от пътя в минути", on: "detail", make: walked(25, 320)},
				{name: "cena", kind: "number", about: "цена на нощувката в лева", on: "detail", make: decimal(15, 60, ",", "%s0 лв.")},
				{name: "zima", kind: "boolean", about: "отворена е през цялата година", on: "detail", make: worded(0.5, []string{"целогодишно", "цялата година"}, []string{"само през лятото", "от май до октомври"})},
				{name: "remont", kind: "integer", about: "година на последния ремонт", on: "detail", make: func(rng *rand.Rand, _ int) (any, string) {
					n := 1979 + rng.IntN(46)
					return float64(n), fmt.Sprintf("%d г.", n)
				}},
			},
		},
	}
}

// twelfthTasks are the questions about the twelfth sites.
func (w *Web) twelfthTasks() {
	w.ask("gather", "wohnen-steinach.test", "alle wohnungen bitte, mit zimmer fläche stock kaltmiete betriebskosten heizung hwb bezug und balkon", "adresse zimmer flaeche stock kalt nk heizung hwb frei_ab balkon")
	w.ask("gather", "skateswap.test", "everything thats for sale in this thread - size, condition, price, offers or not, town, still available?", "offer size condition price offers town state")
	w.ask("gather", "gullcoaststays.test", "all guest houses pls w/ stars, village, rating + no of reviews, price from-to, breakfast, dogs, distance beach", "house stars village rating reviews low high breakfast dogs beach")
	w.ask("gather", "feiradalapa.test", "lista de todas as bancas c/ numero, preço do kg, cultivo, origem, desde quando e se aceita cartao", "banca numero preco cultivo origem desde cartao")
	w.ask("gather", "mineralhall.test", "full list: formula, hardness, sg, crystal system, lustre, where + when found, on display y/n", "mineral formula hardness gravity system lustre place year display")
	w.ask("gather", "rugbyvalnera.test", "tutti i giocatori con ruolo, data di nascita, altezza, scadenza contratto, ingaggio, partite, mete, infortunati", "giocatore ruolo nato altezza scadenza ingaggio partite mete infortunato")
	w.ask("gather", "bootjesmarkt.test", "alle boten: naam, type, bouwjaar, prijs, lengte, diepgang, motor, ligplaats, trailer ja/nee", "naam type bouwjaar prijs lengte diepgang motor ligplaats trailer")
	w.ask("gather", "fergeruter.test", "alle ruter med selskap, tid, pris, plasser og om den går på strøm", "rute selskap tid pris plasser el")
	w.ask("gather", "boltbarn.test", "whole catalogue - sku, type, thread, length, finish, box size, price, stock", "sku what thread length_mm finish pack price stock")
	w.ask("gather", "expos-garonne.test", "toutes les expos : ville, dates de debut et de fin, tarif, acces fauteuil, nb d'oeuvres", "exposition ville debut fin tarif acces nombre")
	w.ask("gather", "aarhustal.test", "alle virksomheder, cvr, omsætning, resultat, ansatte, stiftet, børsnoteret", "virksomhed cvr omsaetning resultat ansatte stiftet boers")
	w.ask("gather", "hizhi.test", "всички хижи - планина, височина, легла, колко се ходи, цена, зимата отворена ли е, ремонт", "hizha planina visochina legla hod cena zima remont")

	w.ask("conditions", "wohnen-steinach.test", "2 oder 3 zimmer mit balkon bis 900 kalt", "adresse zimmer kalt", is("zimmer", "=", "2", "2 oder 3 zimmer"), is("zimmer", "=", "3", "2 oder 3 zimmer").or(), is("balkon", "=", "true", "mit balkon"), is("kalt", "<=", "900", "bis 900 kalt"))
	w.ask("conditions", "wohnen-steinach.test", "wohnung mit fernwärme, bezugsfertig vor juli 2026, nicht im erdgeschoss", "adresse stock frei_ab", is("heizung", "=", "Fernwärme", "mit fernwärme"), is("frei_ab", "<", "2026-07-01", "vor juli 2026"), is("stock", "!=", "EG", "nicht im erdgeschoss"))
	w.ask("conditions", "skateswap.test", "anything still availble in leeds or york under 100 quid", "offer price town", is("state", "=", "AVAILABLE", "still available"), is("town", "in", "Leeds | York", "in leeds or york"), is("price", "<", "100", "under 100 quid").in("quid"))
	w.ask("conditions", "skateswap.test", "size 7 and up, not for parts, seller open to offers", "offer size condition", is("size", ">=", "7", "size 7 and up"), is("condition", "!=", "for parts", "not for parts"), is("offers", "=", "true", "open to offers"))
	w.ask("conditions", "gullcoaststays.test", "places <500m from the beach where i can bring the dog, breakfast included", "house beach", is("beach", "<", "500", "<500m from the beach").in("m"), is("dogs", "=", "true", "can bring the dog"), is("breakfast", "=", "true", "breakfast included"))
	w.ask("conditions", "gullcoaststays.test", "min 4 stars rated 8 or better with over 1k reviews", "house stars rating reviews", is("stars", ">=", "4", "min 4 stars"), is("rating", ">=", "8", "rated 8 or better"), is("reviews", ">", "1000", "over 1k reviews"))
	w.ask("conditions", "feiradalapa.test", "bancas orgânicas ou em transição que aceitam cartao e cobram menos de 15 reais o kg", "banca preco cultivo", is("cultivo", "in", "orgânico | em transição", "orgânicas ou em transição"), is("cartao", "=", "true", "aceitam cartão"), is("preco", "<", "15", "menos de 15 reais").in("reais"))
	w.ask("conditions", "mineralhall.test", "wich minerals are harder than 6 and on display", "mineral hardness", is("hardness", ">", "6", "harder than 6"), is("display", "=", "true", "on display"))
	w.ask("conditions", "mineralhall.test", "metallic or silky, found before 1850, not cubic", "mineral lustre year system", is("lustre", "in", "metallic | silky", "metallic or silky"), is("year", "<", "1850", "found before 1850"), is("system", "!=", "cubic", "not cubic"))
	w.ask("conditions", "rugbyvalnera.test", "chi ha il contratto che scade nel 2026 o 2027 e non è infortunato?", "giocatore scadenza", is("scadenza", "=", "2026", "scade nel 2026 o 2027"), is("scadenza", "=", "2027", "scade nel 2026 o 2027").or(), is("infortunato", "=", "false", "non è infortunato"))
	w.ask("conditions", "bootjesmarkt.test", "sloepen en roeiboten onder de 20.000 euro met trailer", "naam type prijs", is("type", "in", "Sloep | Roeiboot", "sloepen en roeiboten"), is("prijs", "<", "20000", "onder de 20.000 euro").in("euro"), is("trailer", "=", "true", "met trailer"))
	w.ask("conditions", "bootjesmarkt.test", "boot langer dan 8m die minder dan een meter diep steekt", "naam lengte diepgang", is("lengte", ">", "8", "langer dan 8m").in("m"), is("diepgang", "<", "1", "minder dan een meter").in("meter"))
	w.ask("conditions", "fergeruter.test", "elektriske ferger som bruker under en time", "rute tid", is("el", "=", "true", "elektriske ferger"), is("tid", "<", "1", "under en time").in("time").means("60"))
	w.ask("conditions", "boltbarn.test", "stainless bolts, shorter than 2 inches, under a tenner a box", "sku what length_mm finish price", is("finish", "contains", "stainless", "stainless bolts"), is("what", "contains", "bolt", "stainless bolts"), is("length_mm", "<", "2", "shorter than 2 inches").in("inches").means("50.8"), is("price", "<", "10", "under a tenner"))
	w.ask("conditions", "expos-garonne.test", "expos gratuites accessibles en fauteuil", "exposition ville", is("tarif", "=", "0", "expos gratuites"), is("acces", "=", "true", "accessibles en fauteuil"))
	w.ask("conditions", "expos-garonne.test", "à toulouse ou agen, qui durent encore en octobre 2026 (fin apres le 1er octobre)", "exposition ville fin", is("ville", "in", "Toulouse | Agen", "à toulouse ou agen"), is("fin", ">", "2026-10-01", "fin après le 1er octobre"))
	w.ask("conditions", "aarhustal.test", "virksomheder med underskud og flere end 500 ansatte", "virksomhed resultat ansatte", is("resultat", "<", "0", "med underskud"), is("ansatte", ">", "500", "flere end 500 ansatte"))
	w.ask("conditions", "aarhustal.test", "omsætning over 1 mia, ikke børsnoteret, stiftet efter 1960", "virksomhed omsaetning stiftet", is("omsaetning", ">", "1000000000", "over 1 mia"), is("boers", "=", "false", "ikke børsnoteret"), is("stiftet", ">", "1960-12-31", "stiftet efter 1960"))
	w.ask("conditions", "hizhi.test", "хижи в рила или пирин над 1500 м, отворени целогодишно, до 2 часа пеша", "hizha visochina hod", is("planina", "in", "Рила | Пирин", "в рила или пирин"), is("visochina", ">", "1500", "над 1500 м").in("м"), is("zima", "=", "true", "отворени целогодишно"), is("hod", "<=", "2", "до 2 часа").in("часа").means("120"))
	w.unstated("conditions", "gullcoaststays.test", "any with a pool?", "house village", is("pool", "=", "true", "with a pool"))

	w.ask("top", "aarhustal.test", "de 3 største målt på ansatte", "virksomhed ansatte", is("ansatte", "top", "3", "de 3 største"))
	w.ask("top", "gullcoaststays.test", "5 cheapest incl. breakfast", "house low", is("breakfast", "=", "true", "incl. breakfast"), is("low", "bottom", "5", "5 cheapest"))
	w.best("best", "aarhustal.test", "hvem har det største underskud", "virksomhed resultat", is("resultat", "bottom", "1", "det største underskud"))
	w.best("best", "rugbyvalnera.test", "chi è il più alto?", "giocatore altezza", is("altezza", "top", "1", "il più alto"))
	w.best("best", "bootjesmarkt.test", "oudste boot met dieselmotor", "naam bouwjaar", is("motor", "=", "diesel", "met dieselmotor"), is("bouwjaar", "bottom", "1", "oudste boot"))
	w.count("count", "skateswap.test", "how many are sold already?", is("state", "=", "SOLD", "are sold already"))
	w.count("count", "boltbarn.test", "how many items are stainles A4", is("finish", "=", "stainless A4", "stainless A4"))
	w.count("count", "feiradalapa.test", "quantas bancas vêm de ibiúna", is("origem", "=", "Ibiúna", "vêm de ibiúna"))
	w.compare("comparison", "fergeruter.test", "%s eller %s? tid og pris", "rute tid pris", 2, 17)
	w.compare("comparison", "wohnen-steinach.test", "%s vs %s: miete, größe, betriebskosten", "adresse kalt flaeche nk", 0, 12)
	w.which("comparison", "hizhi.test", "коя е по-високо, %s или %s?", "hizha visochina", 2, 9, is("visochina", "top", "1", "коя е по-високо"))

	w.lookup("lookup", "rugbyvalnera.test", "quanto guadagna %s e fino a quando?", "ingaggio scadenza", 17)
	w.lookup("lookup", "wohnen-steinach.test", "%s: ab wann frei, welche heizung?", "frei_ab heizung", 21)
	w.lookup("lookup", "boltbarn.test", "price + stock of %s", "price stock", 8)
	w.lookup("lookup", "expos-garonne.test", "c'est quand %s et combien ça coûte", "debut fin tarif", 10)
	w.absent("lookup", "mineralhall.test", "hardness of %s?", "Unobtainite", "hardness")

	routes := w.site("fergeruter.test").things
	w.hop("hops", "fergeruter.test", "rederioversikt.test", fmt.Sprintf("hvem er sjef i selskapet som kjører %s", routes[14].name), "leder", "selskap", routes[14])
	w.rowHop("hops", "fergeruter.test", "rederioversikt.test", "ruter under 100 kr, og hvor selskapet holder til", "rute pris selskap", "kontor", "selskap", is("pris", "<", "100", "under 100 kr").in("kr"))

	w.open("open", "boltbarn.test", "M8 coach bolts and what a box costs", "sku what thread price", is("thread", "=", "M8", "M8 coach bolts"), is("what", "=", "Coach bolt", "M8 coach bolts"))
	w.open("open", "bootjesmarkt.test", "welke kajuitjachten liggen in grou, en wat kosten ze", "naam type prijs ligplaats", is("type", "=", "Kajuitjacht", "kajuitjachten"), is("ligplaats", "=", "Grou", "liggen in grou"))
}

// stretchEn makes metres in steps of ten, which English pages print as kilometres from one kilometre on.
func stretchEn(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := (least + rng.IntN(most-least)) / 10 * 10
		if n < 1000 {
			return float64(n), fmt.Sprintf("%d m to the beach", n)
		}
		n = n / 100 * 100
		return float64(n), fmt.Sprintf("%d.%d km to the beach", n/1000, n%1000/100)
	}
}

// crossing makes minutes, which Norwegian pages print with hours from one hour on.
func crossing(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		if n < 60 {
			return float64(n), fmt.Sprintf("%d min", n)
		}
		return float64(n), strings.TrimSuffix(fmt.Sprintf("%d t %d min", n/60, n%60), " 0 min")
	}
}

// walked makes minutes, which Bulgarian pages print with hours from one hour on.
func walked(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := (least + rng.IntN(most-least)) / 5 * 5
		if n < 60 {
			return float64(n), fmt.Sprintf("%d мин", n)
		}
		return float64(n), strings.TrimSuffix(fmt.Sprintf("%d ч. %d мин", n/60, n%60), " 0 мин")
	}
}

// sameYear makes dates of 2026 that are printed without their year.
func sameYear(from, to int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		m, d := from+rng.IntN(to-from+1), 1+rng.IntN(28)
		return fmt.Sprintf("2026-%02d-%02d", m, d), fmt.Sprintf("%d %s", d, months["fr"][m-1])
	}
}
