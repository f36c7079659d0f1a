// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// The fourteenth set has pages as the systems make them that most people publish with, which write
// nested divisions, hidden words for screen readers, labels beside links, and pictures with a text:
//
//  1. a shop for seeds, with sold out and reduced packets, prices from a least one, and ranges in details
//  2. a register of food hygiene, in which pictures state the rating and reports are PDF links
//  3. a German spreadsheet of recycling centres saved as a page, with crosses and dashes in its cells
//  4. the topics of a bulletin board, with two dates each and views in thousands
//  5. French charging points in rows with labels, with prices for a kilowatt-hour and lists behind
//     slashes, and the operators behind them
//  6. Spanish wines in divisions without classes, with prices for a bottle and for a box
//  7. Dutch lost property whose numbers stand only on its own pages
//  8. a directory of plugins, with "2+ million" installations and ratings in pictures
//
// Its questions state the day that they are asked on where it matters.

// fourteenthSites are the sites of the fourteenth set.
func fourteenthSites() []*site {
	operators := []string{"Voltaneo", "Charge Atlantique", "Izibornes", "Ampère Services"}
	return []*site{
		{
			host: "pottingbench.test", lang: "en", title: "Vegetable seeds – Pottingbench", noun: "variety", member: "varieties", n: 36, per: 12, onward: "Show more products",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Amber", "Boltless", "Crimson", "Early", "Giant", "Little"}[i%6] + []string{" Beetroot", " Carrot", " Chard", " Leek", " Radish", " Squash"}[i/6]
			},
			list: "form", paging: "more", detail: "form", path: func(_ int, t *thing) string {
				return "/products/" + strings.ReplaceAll(strings.ToLower(t.name), " ", "-")
			},
			form: form{
				before: `<div class="facets"><label>Sort by <select><option>Featured</option><option>Price, low to high</option></select></label></div><ul id="product-grid" class="grid product-grid" role="list">`,
				item: `<li class="grid__item"><div class="card-wrapper"><div class="card card--standard"><div class="card__inner"><div class="media"><img src="/cdn/p.jpg?width=533" alt="Seed packet" loading="lazy"></div></div><div class="card__content"><h3 class="card__heading">{name}</h3><span class="visually-hidden">Vendor:</span><div class="caption">{grower}</div><div class="price"><span class="visually-hidden">Regular price</span> <span class="price-item">{price}</span></div><div class="card__badge"><span class="badge">{stock}</span></div></div></div></div></li>
`,
				after:   `</ul><p>Free delivery on orders over £20.</p>`,
				detail:  `<p class="product__text">{grower}</p><div class="price">{price}</div><p>{stock}</p><div class="accordion"><details><summary><h2>Sowing</h2></summary><div><p>Sow from {sow} under cover. Germination takes {germ_min}–{germ_max} days.</p></div></details><details><summary><h2>Size</h2></summary><ul><li>Plants grow to {height}</li><li>Spacing: {spacing} apart</li></ul></details><details><summary><h2>In the packet</h2></summary><p>Average contents: {contents} • {organic}</p></details></div>`,
				related: `<div class="rec"><h4>You may also like</h4><p>{grower}: {price}</p></div>`,
			},
			columns: []column{
				{name: "variety", kind: "string", about: "name of the variety", label: "Variety"},
				{name: "grower", kind: "string", about: "seed house", make: one("Kettle & Sons", "Old Wall Seeds", "Tresco Growers")},
				{name: "price", kind: "number", about: "price in pounds, the lowest if there are several", make: shelved(145, 520, "£%d.%02d", "From ")},
				{name: "stock", kind: "boolean", about: "can be bought now", make: worded(0.7, []string{"In stock", "Only a few left"}, []string{"Sold out", "Out of stock"})},
				{name: "sow", kind: "string", about: "month in which to sow first", on: "detail", make: one("February", "March", "April", "May")},
				{name: "germ_min", kind: "integer", about: "least days of germination", on: "detail", make: few("%d", 5, 6, 7, 8)},
				{name: "germ_max", kind: "integer", about: "most days of germination", on: "detail", make: few("%d", 10, 12, 14, 21)},
				{name: "height", kind: "number", about: "height in centimetres", on: "detail", make: anyOf([]float64{25, 45, 60, 120, 150}, "25cm", "45cm", "60cm", "1.2m", "1.5m")},
				{name: "spacing", kind: "number", about: "distance between plants in centimetres", on: "detail", make: anyOf([]float64{5, 10, 25, 40}, "5cm", "10cm", "25cm", "40cm")},
				{name: "contents", kind: "integer", about: "seeds in a packet", on: "detail", make: either(stepped(4, 20, 10, ",", "approx. %s seeds"), stepped(11, 30, 100, ",", "c. %s seeds"))},
				{name: "organic", kind: "boolean", about: "is organic", on: "detail", make: worded(0.4, []string{"Certified organic", "Organic seed"}, []string{"Conventionally grown", "Not organic"})},
			},
		},
		{
			host: "hygiene.marlbridge.test", lang: "en", title: "Food hygiene ratings in Marlbridge", noun: "business", member: "businesses", n: 36, per: 12, pager: true, few: true, claim: "%d results",
			names: pairs("Aldo's Bishop's Corner Dockside Evergreen Fountain", "Café Grill Kitchen Bakery Deli Tavern", "%s %s"),
			list:  "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/business/%d/en-GB", 610044+i*371) },
			form: form{
				before: `<div class="govuk-grid-column-two-thirds"><ul class="gem-c-document-list">`,
				item: `<li class="gem-c-document-list__item"><div class="gem-c-document-list__item-title">{name}</div><p class="desc">{kind}, {postcode}</p><ul class="metadata"><li>{rating}</li><li class="attr">Last inspected: <time>{inspected}</time></li></ul></li>
`,
				after:  `</ul></div>`,
				detail: `<dl class="govuk-summary-list"><div class="row"><dt>Business type</dt><dd>{kind}</dd></div><div class="row"><dt>Postcode</dt><dd>{postcode}</dd></div><div class="row"><dt>Date of inspection</dt><dd>{inspected}</dd></div></dl><div>{rating}</div><h2>What the officer found</h2><table class="govuk-table"><tbody><tr><th scope="row">Handling of food</th><td>{handling}</td></tr><tr><th scope="row">Cleanliness of the building</th><td>{building}</td></tr><tr><th scope="row">Management of food safety</th><td>{management}</td></tr></tbody></table><p>{reply}</p><p><a href="/reports/r.pdf">Download the report (PDF, 212 KB)</a></p>`,
			},
			columns: []column{
				{name: "business", kind: "string", about: "name of the business", label: "Business"},
				{name: "kind", kind: "string", about: "type of business", make: one("Restaurant/Cafe/Canteen", "Takeaway/sandwich shop", "Pub/bar/nightclub", "Retailers - other")},
				{name: "postcode", kind: "string", about: "postcode", make: one("MB1 4QT", "MB2 7HN", "MB3 0LA", "MB1 9ZR")},
				{name: "rating", kind: "integer", about: "hygiene rating from 0 to 5", make: pictured([]string{"Urgent improvement is necessary", "Major improvement is necessary", "Improvement is necessary", "Generally satisfactory", "Good", "Very good"}, `Food hygiene rating is '%d': %s`), missing: 0.1, blank: "Awaiting inspection"},
				{name: "inspected", kind: "date", about: "day of the last inspection", make: day(2023, 2026, "en", "D N Y")},
				{name: "handling", kind: "string", about: "how the handling of food was judged", on: "detail", make: one("Very good", "Good", "Generally satisfactory", "Improvement necessary")},
				{name: "building", kind: "string", about: "how the building was judged", on: "detail", make: one("Very good", "Good", "Generally satisfactory")},
				{name: "management", kind: "string", about: "how the management of food safety was judged", on: "detail", make: one("Good", "Generally satisfactory", "Major improvement necessary")},
				{name: "reply", kind: "boolean", about: "the business has replied", on: "detail", make: worded(0.3, []string{"The business has replied to this rating", "A reply was published"}, []string{"The business has not replied", "No reply was published"})},
			},
		},
		{
			host: "abfall-kreis-lohe.test", lang: "de", title: "Wertstoffhöfe im Kreis Lohe (Stand 04/2026)", noun: "Wertstoffhof", member: "hoefe", n: 26,
			names: pairs("Ahlen Barsen Dohren Elmholz Fintau Garstedt Haseln Ihlpohl Jork Kampe Lunsen Moordeich Nutteln", "Nord Süd", "%s-%s"),
			list:  "form",
			form: form{
				before: `<table border=0 cellpadding=0 cellspacing=0 width=934 style='border-collapse:collapse'><col width=180><col width=92 span=8><tr height=20><td class=xl65>Wertstoffhof</td><td class=xl65>Gemeinde</td><td class=xl65>Bauschutt [€/m³]</td><td class=xl65>Sperrmüll</td><td class=xl65>E-Schrott</td><td class=xl65>Sa.</td><td class=xl65>Menge 2025 [t]</td><td class=xl65>Fläche</td><td class=xl65>seit</td></tr>`,
				item:   "<tr height=20><td class=xl66>{name}</td><td>{gemeinde}</td><td align=right>{bauschutt}</td><td>{sperrmuell}</td><td>{elektro}</td><td>{samstag}</td><td align=right>{menge}</td><td align=right>{flaeche}</td><td align=right>{seit}</td></tr>\n",
				ad:     "<tr height=20><td colspan=9>&nbsp;</td></tr>\n",
				after:  `<tr><td>Summe</td><td></td><td></td><td></td><td></td><td></td><td>41.203,7</td><td></td><td></td></tr></table><p>x = wird angenommen, – = wird nicht angenommen. k. A. = keine Angabe</p>`,
			},
			columns: []column{
				{name: "hof", kind: "string", about: "Name des Wertstoffhofs", label: "Wertstoffhof"},
				{name: "gemeinde", kind: "string", about: "Gemeinde", make: one("Lohe", "Oberlohe", "Wiek", "Tangstedt")},
				{name: "bauschutt", kind: "number", about: "Gebühr für Bauschutt in Euro je Kubikmeter", make: decimal(18, 64, ",", "%s0")},
				{name: "sperrmuell", kind: "boolean", about: "nimmt Sperrmüll an", make: flag(0.6, "x", "–")},
				{name: "elektro", kind: "boolean", about: "nimmt Elektroschrott an", make: flag(0.5, "x", "–")},
				{name: "samstag", kind: "string", about: "Öffnungszeit am Samstag", make: one("9–13 Uhr", "8–12 Uhr", "geschlossen")},
				{name: "menge", kind: "number", about: "Menge 2025 in Tonnen", make: func(rng *rand.Rand, _ int) (any, string) {
					n := 3100 + rng.IntN(48000)
					return float64(n) / 10, fmt.Sprintf("%s,%d", grouped(n/10, "."), n%10)
				}, missing: 0.12, blank: "k. A."},
				{name: "flaeche", kind: "integer", about: "Fläche in Quadratmetern", make: either(stepped(9, 60, 100, ".", "ca. %s m²"), anyOf([]float64{12000, 15000, 20000}, "1,2 ha", "1,5 ha", "2 ha"))},
				{name: "seit", kind: "integer", about: "Jahr der Eröffnung", make: year(1979, 2023)},
			},
		},
		{
			host: "narrowboaters.test", lang: "en", title: "Engines and gearboxes – Narrowboaters' board", noun: "topic", member: "topics", n: 36, per: 12, sticky: 2, pager: true,
			names: func(_ *rand.Rand, i int) string {
				return []string{"Leaking", "Noisy", "Overheating", "Rebuilding", "Seized", "Weak"}[i%6] + []string{" raw water pump", " gearbox", " alternator", " stern gland", " injector", " fan belt"}[i/6] + []string{"", " - help please!", "?"}[i%3]
			},
			list: "form", paging: "numbered",
			form: form{
				before: `<div class="forumbg"><div class="inner"><ul class="topiclist"><li class="header"><dl><dt>Topics</dt><dd class="posts">Replies</dd><dd class="views">Views</dd><dd class="lastpost">Last post</dd></dl></li></ul><ul class="topiclist topics">`,
				item: `<li class="row"><dl class="row-item"><dt><div class="list-inner"><span class="topictitle">{name}</span> <em>{solved}</em><div class="topic-poster">by <span class="username">{author}</span> » {started}, 7:14 pm</div></div></dt><dd class="posts">{replies} <dfn>Replies</dfn></dd><dd class="views">{views} <dfn>Views</dfn></dd><dd class="lastpost"><span><dfn>Last post</dfn> by {last_by}<br>{last}, 10:02 am</span></dd></dl></li>
`,
				after: `</ul></div></div><p>Users browsing this forum: 3 guests. You cannot post new topics in this forum.</p>`,
			},
			columns: []column{
				{name: "topic", kind: "string", about: "title of the topic", label: "Topic"},
				{name: "author", kind: "string", about: "who started the topic", on: "nowhere", make: one("bilgepump", "CutPoint", "MrsTiller", "lock42")},
				{name: "started", kind: "date", about: "day on which it was started", make: day(2024, 2026, "en", "A DD Y")},
				{name: "replies", kind: "integer", about: "number of replies", label: "Replies", make: whole(0, 160, ",", "%s")},
				{name: "views", kind: "integer", about: "number of views", label: "Views", make: either(scaled(1, 38, 1e3, ".", "%sK"), whole(210, 990, ",", "%s"))},
				{name: "last_by", kind: "string", about: "who wrote last", on: "nowhere", make: one("oldgrease", "stern_words", "Weedhatch", "nauticalnev")},
				{name: "last", kind: "date", about: "day of the last post", make: func(rng *rand.Rand, i int) (any, string) {
					truth, text := day(2026, 2027, "en", "A DD Y")(rng, i)
					return truth, "on " + text
				}},
				{name: "solved", kind: "boolean", about: "is solved", make: worded(0.5, []string{"[SOLVED]", "[Fixed]"}, []string{"[unsolved]", "[open]"})},
			},
		},
		{
			host: "bornes-littoral.test", lang: "fr", title: "Bornes de recharge du littoral", noun: "borne", member: "bornes", n: 32, per: 16,
			names: pairs("Anse Barre Cale Digue Embarcadère Falaise Grève Havre", "Nord Sud Marine Verte", "%s %s"),
			list:  "form", paging: "more", onward: "Page suivante ››",
			form: form{
				before: `<div class="view view-bornes view-display-id-page_1"><div class="view-content">`,
				item: `<div class="views-row"><div class="views-field views-field-title"><span class="field-content">{name}</span></div><div class="views-field"><span class="views-label">Commune : </span><span class="field-content">{commune}</span></div><div class="views-field"><span class="views-label">Exploitant : </span><span class="field-content">{exploitant}</span></div><div class="views-field"><span class="views-label">Puissance max. : </span><span class="field-content">{puissance}</span></div><div class="views-field"><span class="views-label">Prises : </span><span class="field-content">{points} ({prises})</span></div><div class="views-field"><span class="views-label">Tarif : </span><span class="field-content">{tarif}</span></div><div class="views-field"><span class="views-label">Accès : </span><span class="field-content">{acces}</span></div><div class="views-field"><span class="views-label">Mise en service : </span><span class="field-content">{service}</span></div></div>
`,
				after: `</div></div><p>Tarifs TTC, hors frais d'itinérance.</p>`,
			},
			columns: []column{
				{name: "borne", kind: "string", about: "nom de la borne", label: "Borne"},
				{name: "commune", kind: "string", about: "commune", label: "Commune", make: one("Port-Blanc", "Saint-Malan", "Tréguier-Plage")},
				{name: "exploitant", kind: "string", about: "exploitant de la borne", label: "Exploitant", make: turn(operators...)},
				{name: "puissance", kind: "number", about: "puissance maximale en kW", label: "Puissance max.", make: anyOf([]float64{7.4, 22, 50, 150, 300}, "7,4 kW", "22 kW", "50 kW", "150 kW", "300 kW")},
				{name: "points", kind: "integer", about: "nombre de points de charge", label: "Prises", make: few("%d points de charge", 2, 3, 4, 6, 8)},
				{name: "prises", kind: "string[]", about: "types de prises", label: "Prises", make: several(" / ", "T2", "T2, CCS", "T2, CCS, CHAdeMO", "EF, T2")},
				{name: "tarif", kind: "number", about: "prix du kWh en euros, 0 si c'est gratuit", label: "Tarif", make: free(cents(24, 79, "%d,%02d €/kWh"), 6, "gratuit")},
				{name: "acces", kind: "boolean", about: "accessible jour et nuit", label: "Accès", make: worded(0.6, []string{"24h/24 et 7j/7", "jour et nuit"}, []string{"aux heures du parking", "de 8 h à 20 h"})},
				{name: "service", kind: "date", about: "date de mise en service", label: "Mise en service", make: day(2019, 2026, "fr", "DD/MM/Y"), missing: 0.1, blank: "-"},
			},
		},
		{
			host: "exploitants-recharge.test", lang: "fr", title: "Exploitants", noun: "exploitant", member: "exploitants", n: len(operators),
			names: fixed(operators...),
			list:  "form", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/node/%d", 48+i*9) },
			form: form{
				before: `<div class="item-list"><ul>`, item: "<li>{name}</li>\n", after: `</ul></div>`,
				detail: `<div class="field field--label-inline"><div class="field__label">Siège</div><div class="field__item">{siege}</div></div><div class="field"><div class="field__label">Assistance</div><div class="field__item">{telephone}</div></div><div class="field"><div class="field__label">Bornes exploitées</div><div class="field__item">{parc}</div></div><div class="field"><div class="field__label">Dirigeant</div><div class="field__item">{dirigeant}</div></div>`,
			},
			columns: []column{
				{name: "exploitant", kind: "string", about: "nom de l'exploitant", label: "Exploitant"},
				{name: "siege", kind: "string", about: "ville du siège de l'exploitant", label: "Siège", on: "detail", make: turn("Brest", "Nantes", "Vannes", "Rennes")},
				{name: "telephone", kind: "string", about: "numéro de l'assistance de l'exploitant", label: "Assistance", on: "detail", make: turn("02 98 44 10 72", "02 40 11 58 90", "02 97 63 07 21", "02 99 35 44 18")},
				{name: "parc", kind: "integer", about: "nombre de bornes exploitées", label: "Bornes exploitées", on: "detail", make: whole(1010, 9800, " ", "%s")},
				{name: "dirigeant", kind: "string", about: "dirigeant de l'exploitant", label: "Dirigeant", on: "detail", make: turn("Maud Le Goff", "Yves Cariou", "Inès Quéré", "Paul Kerdraon")},
			},
		},
		{
			host: "bodegasarlanza.test", lang: "es", title: "Nuestros vinos", noun: "vino", member: "vinos", n: 30,
			names: pairs("Alcor Breña Cárcava Dehesa Encinar", "Viejo Joven Reserva Selección Roble Noble", "%s %s"),
			list:  "form",
			form: form{
				before: `<div><div><div>`,
				item: `<div><div><div data-testid="richTextElement"><p><span style="font-weight:bold"><span>{name}</span></span></p></div><div><p><span>{tipo}</span> <span>|</span> <span>{uvas}</span></p><p><span>Añada {anada} · {alcohol} · {formato}</span></p><p><span>{crianza}</span></p></div><div><p>{precio} / botella</p><p>{caja} la caja de 6</p></div></div><div><p>{puntos}</p><p>{eco}</p><p><span>{estado}</span></p></div></div>
`,
				after: `</div></div></div><p>IVA incluido. Envío gratis a partir de 80 €.</p>`,
			},
			columns: []column{
				{name: "vino", kind: "string", about: "nombre del vino", label: "Vino"},
				{name: "tipo", kind: "string", about: "tipo de vino", make: one("Tinto", "Blanco", "Rosado")},
				{name: "uvas", kind: "string[]", about: "variedades de uva", make: several(" y ", "Tempranillo", "Tempranillo, Garnacha", "Albillo, Verdejo", "Mencía")},
				{name: "anada", kind: "integer", about: "añada", make: year(2014, 2025)},
				{name: "alcohol", kind: "number", about: "grado de alcohol en % vol.", make: decimal(11, 15, ",", "%s %% vol.")},
				{name: "formato", kind: "number", about: "contenido de la botella en litros", make: anyOf([]float64{0.5, 0.75, 1.5}, "50 cl", "75 cl", "1,5 l")},
				{name: "crianza", kind: "integer", about: "meses en barrica, 0 si no tiene crianza", make: anyOf([]float64{0, 4, 12, 18, 24}, "Sin crianza", "4 meses en barrica", "12 meses en barrica", "18 meses en barrica", "2 años en barrica")},
				{name: "precio", kind: "number", about: "precio de una botella en euros", make: shelved(480, 3900, "%d,%02d €", "desde ")},
				{name: "caja", kind: "number", about: "precio de la caja de seis en euros", make: decimal(41, 210, ",", "%s0 €"), missing: 0.1, blank: "no se vende"},
				{name: "puntos", kind: "integer", about: "puntos de la guía", make: whole(84, 97, ".", "%s puntos Guía Arlanza"), missing: 0.2, blank: "sin puntuar"},
				{name: "eco", kind: "boolean", about: "es ecológico", make: worded(0.4, []string{"Ecológico", "Vino ecológico certificado"}, []string{"Convencional", "No ecológico"})},
				{name: "estado", kind: "boolean", about: "está disponible", make: worded(0.7, []string{"Disponible", "Últimas botellas"}, []string{"Agotado", "Temporalmente agotado"})},
			},
		},
		{
			host: "gevonden-zuiderpolder.test", lang: "nl", title: "Gevonden voorwerpen", noun: "voorwerp", member: "voorwerpen", n: 30, per: 10, anchor: "Meer informatie", pager: true,
			names: func(_ *rand.Rand, i int) string { return fmt.Sprintf("GV26-%04d", 118+i*7) },
			list:  "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/melding/%x", 90210+i*53) },
			form: form{
				before: `<section aria-label="Resultaten">`,
				item: `<article><h2>{soort}</h2><p>{kleur} – gevonden op {gevonden}, {plaats}</p><p><a href="{link}" aria-label="Meer informatie over dit voorwerp">Meer informatie</a></p></article>
`,
				after:  `</section>`,
				detail: `<div class="tabs" role="tablist"><button role="tab" aria-controls="t1">Omschrijving</button><button role="tab" aria-controls="t2">Ophalen</button></div><div role="tabpanel" id="t1"><table><tbody><tr><td>Soort</td><td>{soort}</td></tr><tr><td>Kleur</td><td>{kleur}</td></tr><tr><td>Gevonden op</td><td>{gevonden}</td></tr><tr><td>Waar</td><td>{plaats}</td></tr><tr><td>Geschatte waarde</td><td>{waarde}</td></tr></tbody></table></div><div role="tabpanel" id="t2"><p>{status}</p><p>Wij bewaren het voorwerp {bewaard}.</p><p>Balie: {balie}<br>Legeskosten: {leges}</p></div>`,
			},
			columns: []column{
				{name: "nummer", kind: "string", about: "registratienummer", label: "Nummer", on: "detail"},
				{name: "soort", kind: "string", about: "soort voorwerp", make: one("Fiets", "Rugzak", "Telefoon", "Paraplu", "Portemonnee")},
				{name: "kleur", kind: "string", about: "kleur", make: one("zwart", "blauw", "rood", "grijs")},
				{name: "gevonden", kind: "date", about: "dag waarop het is gevonden", make: dutch("2026-01-05", 120, "")},
				{name: "plaats", kind: "string", about: "waar het is gevonden", make: one("station", "bibliotheek", "zwembad", "markt")},
				{name: "waarde", kind: "number", about: "geschatte waarde in euro", on: "detail", make: stepped(2, 60, 5, ".", "± € %s"), missing: 0.15, blank: "onbekend"},
				{name: "bewaard", kind: "date", about: "dag tot wanneer het wordt bewaard", on: "detail", make: dutch("2026-04-01", 200, "tot en met ")},
				{name: "status", kind: "boolean", about: "is al opgehaald", on: "detail", make: worded(0.4, []string{"Dit voorwerp is opgehaald", "Teruggegeven aan de eigenaar"}, []string{"Nog niet opgehaald", "Ligt klaar bij de balie"})},
				{name: "balie", kind: "string", about: "balie", on: "detail", make: one("Stadhuis", "Politiebureau", "Servicepunt Oost")},
				{name: "leges", kind: "number", about: "legeskosten in euro", on: "detail", make: free(cents(250, 1450, "€ %d,%02d"), 4, "geen")},
			},
		},
		{
			host: "plugins.inkstone.test", lang: "en", title: "Plugins for Inkstone", noun: "plugin", member: "plugins", n: 36, per: 12, onward: "Next →",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Simple", "Ultimate", "Better", "WP-Like", "Smart", "Lazy"}[i%6] + []string{" Sitemap", " Backups", " Contact Forms", " Redirects", " Cache", " Galleries"}[i/6]
			},
			list: "form", paging: "more", detail: "form", path: func(_ int, t *thing) string { return "/plugins/" + squashed(t.name) + "/" },
			form: form{
				before: `<ul class="wp-block-post-template">`,
				item: `<li><div class="plugin-card"><div class="entry"><header><h3 class="entry-title">{name}</h3></header><div class="plugin-rating">{rating}<span class="rating-count">({votes}<span class="screen-reader-text"> total ratings</span>)</span></div><div class="entry-excerpt"><p>Everything you need, without the bloat.</p></div></div><footer><span class="plugin-author"><i class="icon"></i> {author}</span> <span class="active-installs">{installs} active installations</span> <span class="tested-with">Tested with {tested}</span></footer></div></li>
`,
				after:  `</ul>`,
				detail: `<div class="entry-meta"><ul><li>Version <strong>{version}</strong></li><li>Last updated <strong>{updated}</strong></li><li>Active installations <strong>{installs}</strong></li><li>Requires Inkstone <strong>{needs}</strong></li><li>Tested up to <strong>{tested}</strong></li><li>Languages <a href="#languages">{languages}</a></li></ul></div><div>{rating} ({votes})</div><div id="tab-description"><p>{price}</p></div><p>Issues resolved in last two months: {resolved}</p>`,
			},
			columns: []column{
				{name: "plugin", kind: "string", about: "name of the plugin", label: "Plugin"},
				{name: "author", kind: "string", about: "author", make: one("Tidy Code Ltd", "Mara Voss", "The Plugin Shed", "47 Oaks")},
				{name: "rating", kind: "number", about: "rating in stars, out of five", make: starred("%s out of 5 stars")},
				{name: "votes", kind: "integer", about: "number of ratings", make: whole(11, 8900, ",", "%s")},
				{name: "installs", kind: "integer", about: "number of active installations, at least", make: anyOf([]float64{2e6, 1e6, 600000, 40000, 9000, 800}, "2+ million", "1+ million", "600,000+", "40,000+", "9,000+", "800+")},
				{name: "tested", kind: "string", about: "version it was tested with", make: one("6.8.3", "6.7", "6.5.2")},
				{name: "version", kind: "string", about: "version of the plugin", on: "detail", make: one("1.4.2", "2.0", "3.11.7", "0.9.1")},
				{name: "updated", kind: "date", about: "day of the last update", on: "detail", make: day(2023, 2026, "en", "N D, Y")},
				{name: "needs", kind: "string", about: "least version of Inkstone", on: "detail", make: one("6.0 or higher", "5.8 or higher", "6.4 or higher")},
				{name: "languages", kind: "integer", about: "number of languages", on: "detail", make: whole(2, 64, ",", "See all %s")},
				{name: "price", kind: "boolean", about: "has a paid edition", on: "detail", make: worded(0.5, []string{"A Pro edition is available", "Upgrade to Premium for more"}, []string{"Completely free, no upsells", "There is no paid edition"})},
				{name: "resolved", kind: "string", about: "issues resolved in the last two months", on: "detail", make: one("3 out of 7", "0 out of 2", "12 out of 14")},
			},
		},
	}
}

// fourteenthTasks are the questions about the fourteenth sites.
func (w *Web) fourteenthTasks() {
	w.ask("gather", "pottingbench.test", "all seed varieties: grower, price, in stock?, when to sow, germination days min/max, height, spacing, seeds per pack, organic", "variety grower price stock sow germ_min germ_max height spacing contents organic")
	w.ask("gather", "hygiene.marlbridge.test", "list every food business with type, postcode, rating, inspection date and whether they replied", "business kind postcode rating inspected reply")
	w.ask("gather", "abfall-kreis-lohe.test", "alle Wertstoffhöfe mit Gemeinde, Preis Bauschutt, Sperrmüll ja/nein, E-Schrott ja/nein, Samstag, Menge, Fläche, seit wann", "hof gemeinde bauschutt sperrmuell elektro samstag menge flaeche seit")
	w.ask("gather", "narrowboaters.test", "every topic on the board: when started, replies, views, last post date, solved or not", "topic started replies views last solved")
	w.ask("gather", "bornes-littoral.test", "toutes les bornes avec commune, exploitant, puissance, nb de points, prises, tarif kwh, ouvert 24h ?, date de mise en service", "borne commune exploitant puissance points prises tarif acces service")
	w.ask("gather", "bodegasarlanza.test", "todos los vinos: tipo, uvas, añada, grado, formato, crianza, precio botella y caja, puntos, ecologico, disponible", "vino tipo uvas anada alcohol formato crianza precio caja puntos eco estado")
	w.ask("gather", "gevonden-zuiderpolder.test", "alle gevonden voorwerpen met nummer, soort, kleur, gevonden op, plaats, waarde, bewaard tot, opgehaald, balie, leges", "nummer soort kleur gevonden plaats waarde bewaard status balie leges")
	w.ask("gather", "plugins.inkstone.test", "all plugins w/ author, rating, no. of ratings, installs, tested with, version, last update, requires, languages, paid edition?", "plugin author rating votes installs tested version updated needs languages price")

	w.ask("conditions", "pottingbench.test", "organic seeds under £3 that i can buy right now", "variety price", is("organic", "=", "true", "organic seeds"), is("price", "<", "3", "under £3").in("£"), is("stock", "=", "true", "can buy right now"))
	w.ask("conditions", "pottingbench.test", "anything that stays below half a metre & can be sown in march", "variety height sow", is("height", "<", "0.5", "below half a metre").in("m").means("50"), is("sow", "=", "March", "sown in march"))
	w.ask("conditions", "hygiene.marlbridge.test", "which takeaways have a 2 or worse", "business rating", is("kind", "=", "Takeaway/sandwich shop", "takeaways"), is("rating", "<=", "2", "2 or worse"))
	w.ask("conditions", "hygiene.marlbridge.test", "places rated 5 in MB1 inspected in the last 12 months (its 1 july 2026)", "business postcode inspected", is("rating", "=", "5", "rated 5"), is("postcode", "contains", "MB1", "in MB1"), is("inspected", ">=", "2025-07-01", "in the last 12 months"))
	w.ask("conditions", "abfall-kreis-lohe.test", "welche höfe nehmen elektroschrott und haben samstags offen", "hof samstag", is("elektro", "=", "true", "nehmen elektroschrott"), is("samstag", "!=", "geschlossen", "haben samstags offen"))
	w.ask("conditions", "abfall-kreis-lohe.test", "bauschutt unter 30 € der kubikmeter, nur lohe und wiek", "hof gemeinde bauschutt", is("bauschutt", "<", "30", "unter 30 €").in("€"), is("gemeinde", "in", "Lohe | Wiek", "nur lohe und wiek"))
	w.ask("conditions", "narrowboaters.test", "unsolved topics w/ more than 10k views", "topic views", is("solved", "=", "false", "unsolved topics"), is("views", ">", "10000", "more than 10k views"))
	w.ask("conditions", "narrowboaters.test", "today is 1 sept 2026. threads nobody posted in for 6 months or more, with at least 20 replies", "topic last replies", is("last", "<=", "2026-03-01", "nobody posted in for 6 months or more"), is("replies", ">=", "20", "at least 20 replies"))
	w.ask("conditions", "bornes-littoral.test", "bornes d'au moins 50 kW avec CCS à moins de 0,50 € le kWh, ouvertes la nuit", "borne puissance prises tarif", is("puissance", ">=", "50", "au moins 50 kW").in("kW"), is("prises", "contains", "CCS", "avec CCS"), is("tarif", "<", "0.5", "moins de 0,50 €").in("€"), is("acces", "=", "true", "ouvertes la nuit"))
	w.ask("conditions", "bodegasarlanza.test", "tintos ecológicos de menos de 15 € que no estén agotados", "vino precio", is("tipo", "=", "Tinto", "tintos"), is("eco", "=", "true", "ecológicos"), is("precio", "<", "15", "menos de 15 €").in("€"), is("estado", "=", "true", "no estén agotados"))
	w.ask("conditions", "bodegasarlanza.test", "vinos con mas de un año de barrica y 90 puntos o más", "vino crianza puntos", is("crianza", ">", "1", "más de un año de barrica").in("año").means("12"), is("puntos", ">=", "90", "90 puntos o más"))
	w.ask("conditions", "gevonden-zuiderpolder.test", "zwarte rugzakken of portemonnees die nog niet zijn opgehaald", "nummer soort kleur", is("kleur", "=", "zwart", "zwarte"), is("soort", "in", "Rugzak | Portemonnee", "rugzakken of portemonnees"), is("status", "=", "false", "nog niet zijn opgehaald"))
	w.ask("conditions", "gevonden-zuiderpolder.test", "wat wordt nog bewaard na 15 juli 2026 en is meer waard dan 100 euro", "nummer bewaard waarde", is("bewaard", ">", "2026-07-15", "na 15 juli 2026"), is("waarde", ">", "100", "meer waard dan 100 euro").in("euro"))
	w.ask("conditions", "plugins.inkstone.test", "plugins rated 4.5+ with over half a million installs", "plugin rating installs", is("rating", ">=", "4.5", "rated 4.5+"), is("installs", ">", "500000", "over half a million installs"))
	w.ask("conditions", "plugins.inkstone.test", "abandoned plugins = not updated since jan 2024, w/o paid version", "plugin updated", is("updated", "<", "2024-01-01", "not updated since jan 2024"), is("price", "=", "false", "w/o paid version"))

	w.ask("top", "plugins.inkstone.test", "3 plugins with the most ratings", "plugin votes", is("votes", "top", "3", "3 plugins with the most ratings"))
	w.ask("top", "bornes-littoral.test", "les 4 moins chères (payantes) de Port-Blanc", "borne tarif", is("tarif", ">", "0", "payantes"), is("commune", "=", "Port-Blanc", "de Port-Blanc"), is("tarif", "bottom", "4", "les 4 moins chères"))
	w.best("best", "abfall-kreis-lohe.test", "größte menge 2025, welcher hof?", "hof menge", is("menge", "top", "1", "größte menge"))
	w.best("best", "bodegasarlanza.test", "el blanco más caro", "vino precio", is("tipo", "=", "Blanco", "el blanco"), is("precio", "top", "1", "más caro"))
	w.best("best", "narrowboaters.test", "newest thread that is solved", "topic started", is("solved", "=", "true", "is solved"), is("started", "top", "1", "newest thread"))
	w.count("count", "hygiene.marlbridge.test", "how many pubs got a 4 or 5?", is("kind", "=", "Pub/bar/nightclub", "pubs"), is("rating", ">=", "4", "4 or 5"))
	w.count("count", "bornes-littoral.test", "combien de bornes Voltaneo", is("exploitant", "=", "Voltaneo", "bornes Voltaneo"))
	w.count("count", "gevonden-zuiderpolder.test", "hoeveel fietsen gevonden in het station?", is("soort", "=", "Fiets", "fietsen"), is("plaats", "=", "station", "in het station"))
	w.compare("comparison", "pottingbench.test", "%s vs %s, price, height, seeds in the pack", "variety price height contents", 3, 20)
	w.compare("comparison", "abfall-kreis-lohe.test", "%s oder %s: wo ist bauschutt billiger, wer ist größer?", "hof bauschutt flaeche", 4, 18)
	w.which("comparison", "bodegasarlanza.test", "¿cuál tiene más alcohol, %s o %s?", "vino alcohol", 6, 23, is("alcohol", "top", "1", "más alcohol"))

	w.lookup("lookup", "hygiene.marlbridge.test", "what did the inspector say about management at %s, and when was that", "management inspected", 14)
	w.lookup("lookup", "plugins.inkstone.test", "latest version of %s and when was it updated", "version updated", 22)
	w.lookup("lookup", "gevonden-zuiderpolder.test", "waar kan ik %s ophalen en wat kost dat", "balie leges", 13)
	w.lookup("lookup", "bodegasarlanza.test", "¿queda %s? ¿a cuánto está la caja?", "estado precio caja", 11)
	w.absent("lookup", "pottingbench.test", "how tall does %s get?", "Purple Kohlrabi", "height")

	stations := w.site("bornes-littoral.test").things
	w.hop("hops", "bornes-littoral.test", "exploitants-recharge.test", fmt.Sprintf("quel numéro appeler si %s est en panne ?", stations[9].name), "telephone", "exploitant", stations[9])
	w.rowHop("hops", "bornes-littoral.test", "exploitants-recharge.test", "bornes de 150 kW et plus, et qui dirige l'exploitant", "borne puissance exploitant", "dirigeant", "exploitant", is("puissance", ">=", "150", "150 kW et plus").in("kW"))

	w.open("open", "pottingbench.test", "which squash seeds are there and what do they cost", "variety price", is("variety", "contains", "Squash", "squash seeds"))
	w.open("open", "narrowboaters.test", "gearbox topics with number of replies", "topic replies", is("topic", "contains", "gearbox", "gearbox topics"))
}

// shelved makes prices with two decimals, of which some show a former price that is struck out and
// some are the lowest of several.
func shelved(least, most int, format, from string) maker {
	return func(rng *rand.Rand, i int) (any, string) {
		n := least + rng.IntN(most-least)
		text := fmt.Sprintf(format, n/100, n%100)
		switch i % 5 {
		case 1:
			former := n + 90
			return float64(n) / 100, fmt.Sprintf("<%s|<s><span>%s</span></s> <span>%s</span>", text, fmt.Sprintf(format, former/100, former%100), text)
		case 3:
			return float64(n) / 100, fmt.Sprintf("<%s|%s%s", text, from, text)
		}
		return float64(n) / 100, text
	}
}

// cents makes amounts that are given in hundredths.
func cents(least, most int, format string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		return float64(n) / 100, fmt.Sprintf(format, n/100, n%100)
	}
}

// pictured makes numbers that stand in the text of a picture, with a word for each.
func pictured(words []string, format string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := rng.IntN(len(words))
		return float64(n), fmt.Sprintf(`<%d|<img src="/badge/%d.svg" alt="%s">`, n, n, fmt.Sprintf(format, n, words[n]))
	}
}

// starred makes ratings in steps of a half, which stand in the label of a picture.
func starred(format string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := 5 + rng.IntN(6)
		text := strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/2), ".0")
		return float64(n) / 2, fmt.Sprintf(`<%s|<div class="stars" role="img" aria-label="%s"><span class="star"></span><span class="star"></span></div>`, text, fmt.Sprintf(format, text))
	}
}

// dutch makes days after a first one, with the name of the month.
func dutch(first string, most int, before string) maker {
	names := strings.Fields("januari februari maart april mei juni juli augustus september oktober november december")
	return func(rng *rand.Rand, _ int) (any, string) {
		t, _ := time.Parse(time.DateOnly, first)
		t = t.AddDate(0, 0, rng.IntN(most))
		return t.Format(time.DateOnly), fmt.Sprintf("%s%d %s %d", before, t.Day(), names[t.Month()-1], t.Year())
	}
}

// The fifteenth set tells whether what was mended for the fourteenth helps elsewhere. It has three
// sites of other kinds:
//
//  1. old trees, in an accordion, with girths in metres and feet, ages as ranges, and footnotes
//  2. lots of a Swedish auction in sections, with a reserve, a price that unsold lots lack, two
//     dimensions in one text, and carriage that some lots do not have
//  3. a bilingual snow report, with lifts and runs as "8/12", temperatures, and snow as a range

// fifteenthSites are the sites of the fifteenth set.
func fifteenthSites() []*site {
	return []*site{
		{
			host: "oldtrees.marchlands.test", lang: "en", title: "Old trees of the Marchlands", noun: "tree", member: "trees", n: 30, per: 10, pager: true,
			names: func(_ *rand.Rand, i int) string {
				return []string{"Abbot's", "Bellringer's", "Crooked", "Drover's", "Hollow", "Twelve Apostles"}[i%6] + []string{" Oak", " Yew", " Lime", " Sweet Chestnut", " Ash"}[i/6]
			},
			list: "form", paging: "numbered", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/coed/%s-%d", squashed(t.name)[:5], 70+i) },
			form: form{
				before: `<div class="et_pb_section"><div class="et_pb_row">`,
				item: `<div class="et_pb_toggle"><h5 class="et_pb_toggle_title">{name}</h5><div class="et_pb_toggle_content"><p>{species} • {parish} • girth {girth}</p></div></div>
`,
				after:  `</div></div><p><sup>†</sup> measured at the base because of low branches. Mesurwyd gan wirfoddolwyr.</p>`,
				detail: `<div class="et_pb_text_inner"><p><em>{species}</em> (coeden hynafol)</p><ul><li>Girth: {girth}</li><li>Height: {height}</li><li>Age: {age_min} to {age_max} years</li><li>Last measured: {measured}</li><li>Grid ref. {grid}</li><li>Access: {access}</li><li>Cavities: {holes}</li></ul></div>`,
			},
			columns: []column{
				{name: "tree", kind: "string", about: "name of the tree", label: "Tree"},
				{name: "species", kind: "string", about: "Latin name of the species", make: one("Quercus robur", "Taxus baccata", "Tilia cordata", "Castanea sativa")},
				{name: "parish", kind: "string", about: "parish", make: one("Llanfair", "Clunbury", "Much Birch", "Penybont")},
				{name: "girth", kind: "number", about: "girth in metres", note: "†", make: func(rng *rand.Rand, _ int) (any, string) {
					n := 310 + rng.IntN(900)
					return float64(n) / 100, fmt.Sprintf("%d.%02d m (%d ft)", n/100, n%100, int(float64(n)/30.48+0.5))
				}},
				{name: "height", kind: "number", about: "height in metres", on: "detail", make: either(whole(9, 34, ",", "c. %s m"), decimal(9, 34, ".", "%s m"))},
				{name: "age_min", kind: "integer", about: "least age in years", on: "detail", make: stepped(2, 6, 100, ",", "%s")},
				{name: "age_max", kind: "integer", about: "greatest age in years", on: "detail", make: stepped(7, 15, 100, ",", "%s")},
				{name: "measured", kind: "date", about: "day of the last measurement", on: "detail", make: day(2016, 2026, "en", "D A Y")},
				{name: "grid", kind: "string", about: "grid reference", on: "detail", make: id(400112, 137, "SO %d")},
				{name: "access", kind: "boolean", about: "can be visited without asking", on: "detail", make: worded(0.6, []string{"public footpath", "open parkland"}, []string{"private, ask at the farm", "no public access"})},
				{name: "holes", kind: "integer", about: "number of cavities", on: "detail", make: free(few("%d", 1, 2, 3, 5), 4, "none")},
			},
		},
		{
			host: "klubba-eker.test", lang: "sv", title: "Sommarauktion: alla utrop", noun: "utrop", member: "utrop", n: 32, by: "avdelning",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Olja på duk", "Akvarell", "Litografi", "Tavla i tenn"}[i%4] + []string{", skärgård", ", stilleben", ", fåglar", ", hamnmotiv", ", vinterlandskap", ", porträtt", ", torg", ", björkar"}[i/4]
			},
			list: "form",
			form: form{
				section: `<h2 id="avd">Avdelning: %s</h2>` + "\n",
				item: `<div class="lot"><div><a href="#"><img src="/t.jpg" alt=""></a></div><div><div><strong>{nr}.</strong> {name}</div><div>{konstnar}, {signerad}, {hojd} × {bredd} cm</div><div>Utropspris {utrop_kr} · Slutpris {slut_kr}</div><div>{bud} – avslutades {slut}</div><div>Frakt: {frakt}</div></div></div>
`,
				ad:    `<div class="lot info">Visning i lokalen: lördag 10–14. Inropsavgift 22,5 % tillkommer, minst 60 kr.</div>`,
				after: `<p>Alla priser i kronor exklusive inropsavgift.</p>`,
			},
			columns: []column{
				{name: "foremal", kind: "string", about: "föremålets namn", label: "Föremål"},
				{name: "avdelning", kind: "string", about: "avdelning", on: "section", make: one("Konst före 1900", "Modern konst")},
				{name: "nr", kind: "string", about: "utropsnummer", on: "nowhere", make: id(201, 3, "%d")},
				{name: "konstnar", kind: "string", about: "konstnär", make: one("Axel Brunn", "Elsa Norlin", "okänd konstnär", "Greta Wiking")},
				{name: "signerad", kind: "boolean", about: "är signerad", make: worded(0.5, []string{"signerad", "signerad och daterad"}, []string{"osignerad", "utan signatur"})},
				{name: "hojd", kind: "number", about: "höjd i centimeter", make: whole(18, 90, " ", "%s")},
				{name: "bredd", kind: "number", about: "bredd i centimeter", make: whole(91, 160, " ", "%s")},
				{name: "utrop_kr", kind: "integer", about: "utropspris i kronor", make: stepped(2, 70, 100, " ", "%s kr")},
				{name: "slut_kr", kind: "integer", about: "slutpris i kronor", make: stepped(71, 300, 100, " ", "%s kr"), missing: 0.2, blank: "ej såld"},
				{name: "bud", kind: "integer", about: "antal bud", make: free(whole(1, 48, " ", "%s bud"), 7, "inga bud")},
				{name: "slut", kind: "date", about: "dag då budgivningen avslutades", make: day(2026, 2027, "sv", "D N Y")},
				{name: "frakt", kind: "number", about: "fraktkostnad i kronor, 0 om frakten ingår", make: either(few("%d kr", 79, 119, 245), anyOf([]float64{0, 0}, "fri frakt", "ingår"))},
			},
		},
		{
			host: "neige-laurentia.test", lang: "en", title: "Snow report / Bulletin de neige", noun: "resort", member: "resorts", n: 26, per: 13, onward: "More resorts / Plus de stations",
			names: pairs("Mont-Alix Belle-Côte Cap-Tremble Deux-Lacs Echo Ferme-Neuve Grand-Brûlé", "Nord Station Heights Massif", "%s %s"),
			list:  "form", paging: "more",
			form: form{
				before: `<div><div><div>`,
				item: `<div><h4>{name}</h4><div><div>Base / Base</div><div>{base_lo}–{base_hi} cm</div></div><div><div>New snow (24 h) / Neige fraîche</div><div>{fresh}</div></div><div><div>Lifts / Remontées</div><div>{lifts_open}/{lifts}</div></div><div><div>Runs / Pistes</div><div>{runs_open} of {runs}</div></div><div><div>Temp.</div><div>{temp}</div></div><div><div>Day pass / Billet</div><div>{pass}</div></div><div><div>Night skiing / Ski de soirée</div><div>{night}</div></div><div><div>Updated / Mis à jour</div><div>{updated}</div></div></div>
`,
				after: `</div></div></div><p>Conditions change. Les conditions peuvent changer.</p>`,
			},
			columns: []column{
				{name: "resort", kind: "string", about: "name of the resort", label: "Resort"},
				{name: "base_lo", kind: "integer", about: "least depth of the base in centimetres", make: whole(20, 79, ",", "%s")},
				{name: "base_hi", kind: "integer", about: "greatest depth of the base in centimetres", make: whole(80, 190, ",", "%s")},
				{name: "fresh", kind: "number", about: "new snow in centimetres", label: "New snow (24 h) / Neige fraîche", make: anyOf([]float64{0, 3, 5.5, 12, 25}, "0 cm", "3 cm", "5.5 cm", "12 cm", "25 cm")},
				{name: "lifts_open", kind: "integer", about: "lifts that run", label: "Lifts / Remontées", make: few("%d", 2, 3, 4, 5)},
				{name: "lifts", kind: "integer", about: "number of lifts", label: "Lifts / Remontées", make: few("%d", 6, 8, 9, 12)},
				{name: "runs_open", kind: "integer", about: "runs that are open", label: "Runs / Pistes", make: whole(7, 39, ",", "%s")},
				{name: "runs", kind: "integer", about: "number of runs", label: "Runs / Pistes", make: whole(41, 96, ",", "%s")},
				{name: "temp", kind: "number", about: "temperature in degrees Celsius", label: "Temp.", make: func(rng *rand.Rand, i int) (any, string) {
					n := rng.IntN(22)
					if i%6 == 5 {
						return float64(n%4 + 1), fmt.Sprintf("+%d °C", n%4+1)
					}
					return -float64(n + 1), fmt.Sprintf("−%d °C", n+1)
				}},
				{name: "pass", kind: "number", about: "price of a day pass in Canadian dollars", label: "Day pass / Billet", make: either(cents(3900, 12900, "CA$%d.%02d"), whole(39, 129, ",", "%s $")), missing: 0.1, blank: "—"},
				{name: "night", kind: "boolean", about: "there is night skiing", label: "Night skiing / Ski de soirée", make: worded(0.5, []string{"Yes / Oui", "Fri & Sat only / ven. et sam."}, []string{"No / Non", "Closed for the season / fermé"})},
				{name: "updated", kind: "date", about: "day of the report", label: "Updated / Mis à jour", make: day(2026, 2027, "en", "Y-MM-DD")},
			},
		},
	}
}

// fifteenthTasks are the questions about the fifteenth sites.
func (w *Web) fifteenthTasks() {
	w.ask("gather", "oldtrees.marchlands.test", "every tree: species, parish, girth, height, age from-to, last measured, grid ref, free access?, cavities", "tree species parish girth height age_min age_max measured grid access holes")
	w.ask("gather", "klubba-eker.test", "alla utrop med avdelning, konstnär, signerad el ej, mått, utropspris, slutpris, antal bud, slutdatum, frakt", "foremal avdelning konstnar signerad hojd bredd utrop_kr slut_kr bud slut frakt")
	w.ask("gather", "neige-laurentia.test", "all resorts - base min/max, new snow, lifts open + total, runs open + total, temp, day pass, night skiing, date", "resort base_lo base_hi fresh lifts_open lifts runs_open runs temp pass night updated")

	w.ask("conditions", "oldtrees.marchlands.test", "yews or oaks more than 8m round that anyone can visit", "tree species girth", is("species", "in", "Taxus baccata | Quercus robur", "yews or oaks"), is("girth", ">", "8", "more than 8m round").in("m"), is("access", "=", "true", "anyone can visit"))
	w.ask("conditions", "oldtrees.marchlands.test", "trees over 20 metres w/o cavities", "tree height", is("height", ">", "20", "over 20 metres").in("metres"), is("holes", "=", "0", "w/o cavities"))
	w.ask("conditions", "oldtrees.marchlands.test", "not measured in the last 5 years (today: 1 june 2026)", "tree measured", is("measured", "<", "2021-06-01", "not measured in the last 5 years"))
	w.ask("conditions", "klubba-eker.test", "signerade, slutpris under 15 000 kr, fri frakt", "foremal slut_kr", is("signerad", "=", "true", "signerade"), is("slut_kr", "<", "15000", "slutpris under 15 000 kr").in("kr"), is("frakt", "=", "0", "fri frakt"))
	w.ask("conditions", "klubba-eker.test", "modern konst högre än en halv meter med fler än 10 bud", "foremal hojd bud", is("avdelning", "=", "Modern konst", "modern konst"), is("hojd", ">", "0.5", "högre än en halv meter").in("meter").means("50"), is("bud", ">", "10", "fler än 10 bud"))
	w.ask("conditions", "neige-laurentia.test", "at least 10cm fresh and colder than -8", "resort fresh temp", is("fresh", ">=", "10", "at least 10cm fresh").in("cm"), is("temp", "<", "-8", "colder than -8"))
	w.ask("conditions", "neige-laurentia.test", "night skiing, day pass max 80 dollars, min 20 runs open", "resort pass runs_open", is("night", "=", "true", "night skiing"), is("pass", "<=", "80", "max 80 dollars").in("dollars"), is("runs_open", ">=", "20", "min 20 runs open"))

	w.best("best", "oldtrees.marchlands.test", "fattest tree in clunbury", "tree girth", is("parish", "=", "Clunbury", "in clunbury"), is("girth", "top", "1", "fattest tree"))
	w.best("best", "neige-laurentia.test", "where is it coldest", "resort temp", is("temp", "bottom", "1", "coldest"))
	w.ask("top", "klubba-eker.test", "de fem dyraste", "foremal slut_kr", is("slut_kr", "top", "5", "de fem dyraste"))
	w.count("count", "klubba-eker.test", "hur många fick inga bud", is("bud", "=", "0", "inga bud"))
	w.count("count", "neige-laurentia.test", "how many resorts have 12 lifts", is("lifts", "=", "12", "12 lifts"))
	w.compare("comparison", "oldtrees.marchlands.test", "%s vs %s: how old, how tall", "tree age_min age_max height", 2, 21)
	w.lookup("lookup", "klubba-eker.test", "vad gick %s för och hur många bud?", "slut_kr bud", firstWith(w.site("klubba-eker.test"), "slut_kr", 9))
	w.lookup("lookup", "neige-laurentia.test", "how many lifts and runs are open at %s", "lifts_open runs_open", 15)
	w.lookup("lookup", "oldtrees.marchlands.test", "grid ref of %s pls", "grid", 17)
	w.open("open", "neige-laurentia.test", "resorts above freezing", "resort temp", is("temp", ">", "0", "above freezing"))
}

// firstWith returns the first thing from i on that has a field.
func firstWith(s *site, field string, i int) int {
	for ; s.things[i].cells[field].truth == nil; i++ {
	}
	return i
}
