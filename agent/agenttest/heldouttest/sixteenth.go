// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// The sixteenth set has numbers in words, fractions, days that are counted from a day on the page,
// and units that only a header or a description has:
//
//  1. holiday cottages in cards, with "sleeps six", miles in fractions, ranges of prices, and a county
//     that only the breadcrumb of a cottage has
//  2. a German table of used fork lifts with units in the header, prices "auf Anfrage", and owners in words
//  3. Spanish jobs that were published "hace 3 días", salaries as ranges, and the companies behind them
//  4. the French programme of a hall, with "de 12 à 38 €", durations as "1h45" and ratings as "4,5/5"
//  5. Japanese inns, with 万, years of an era, and closed or open baths
//  6. storage units under opaque addresses, with sizes in feet, prices that are struck out, and floors as ordinals
//  7. a dealer of old maps in three currencies, with sizes in one text and years behind "c."
//
// Its questions are worded as people type them.

// sixteenthSites are the sites of the sixteenth set.
func sixteenthSites() []*site {
	companies := []string{"Talleres Lucena", "Grupo Almadén", "Forjas del Tera", "Residencias Amparo"}
	return []*site{
		{
			host: "coastandcreel.test", lang: "en", title: "Cottages by the sea | Coast & Creel", noun: "cottage", member: "cottages", n: 30, per: 10, onward: "Show 10 more cottages",
			names: pairs("Anchor Beacon Curlew Driftwood Eider Fulmar", "Cottage House Barn Loft Croft", "%s %s"),
			list:  "form", paging: "more", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/stay/%s-c%d", squashed(t.name), 310+i*7) },
			form: form{
				before: `<section class="results" aria-live="polite">`,
				item: `<article class="prop"><img src="/img/p.webp" alt="" loading="lazy"><div class="prop__body"><h2 class="prop__name">{name}</h2><p class="prop__where">{village}</p><ul class="prop__facts"><li>{sleeps}</li><li>{bedrooms}</li><li>{baths}</li><li>{dogs}</li></ul><p class="prop__beach">{beach} to the beach</p><p class="prop__price">{price_lo} – {price_hi} <small>per week</small></p><p class="prop__score"><b>{rating}</b> ({reviews})</p></div></article>
`,
				after:   `</section><p>Prices are for the property, not per person.</p>`,
				detail:  `<nav class="breadcrumb"><ol><li>All cottages</li><li>{county}</li><li>{village}</li></ol></nav><p class="lede">A {storeys} house for families and friends. {dogs}.</p><div class="tab-panel" id="about"><h2>The house</h2><p>{sleeps} in {bedrooms}, with {baths}.</p></div><div class="tab-panel" id="practical" hidden><h2>Practical</h2><dl><dt>Changeover day</dt><dd>{changeover}</dd><dt>Shortest stay</dt><dd>{stay}</dd><dt>Parking</dt><dd>{parking}</dd><dt>Wi-Fi</dt><dd>{wifi}</dd></dl></div>`,
				related: `<div class="like"><h4>{cottage}</h4><p>{sleeps}, {beach} to the beach</p></div>`,
			},
			columns: []column{
				{name: "cottage", kind: "string", about: "name of the cottage", label: "Cottage"},
				{name: "village", kind: "string", about: "village", make: one("Portmullion", "St Keffin", "Saltby", "Craster Bay")},
				{name: "county", kind: "string", about: "county", on: "detail", make: one("Cornwall", "Northumberland", "Pembrokeshire")},
				{name: "sleeps", kind: "integer", about: "how many people can sleep there", make: anyOf([]float64{2, 4, 5, 6, 8, 10}, "Sleeps two", "Sleeps four", "Sleeps five", "Sleeps six", "Sleeps eight", "Sleeps ten")},
				{name: "bedrooms", kind: "integer", about: "number of bedrooms", make: anyOf([]float64{1, 2, 3, 4, 5}, "one bedroom", "two bedrooms", "three bedrooms", "four bedrooms", "five bedrooms")},
				{name: "baths", kind: "integer", about: "number of bathrooms", make: anyOf([]float64{1, 2, 3}, "one bathroom", "two bathrooms", "three bathrooms")},
				{name: "dogs", kind: "boolean", about: "dogs are allowed", make: worded(0.5, []string{"Dogs welcome", "One well-behaved dog"}, []string{"No pets", "Sorry, no dogs"})},
				{name: "beach", kind: "number", about: "distance to the beach in miles", make: anyOf([]float64{0.25, 0.5, 0.75, 1, 1.5, 2.25, 3}, "¼ mile", "½ mile", "¾ mile", "1 mile", "1½ miles", "2¼ miles", "3 miles")},
				{name: "price_lo", kind: "number", about: "lowest price of a week in pounds", make: stepped(78, 139, 5, ",", "£%s")},
				{name: "price_hi", kind: "number", about: "highest price of a week in pounds", make: stepped(140, 460, 5, ",", "£%s")},
				{name: "rating", kind: "number", about: "rating out of 10", make: decimal(6, 10, ".", "%s/10"), missing: 0.12, blank: "New"},
				{name: "reviews", kind: "integer", about: "number of reviews", make: free(whole(2, 190, ",", "%s reviews"), 9, "no reviews yet")},
				{name: "storeys", kind: "integer", about: "number of storeys", on: "detail", make: anyOf([]float64{1, 2, 3}, "single-storey", "two-storey", "three-storey")},
				{name: "changeover", kind: "string", about: "day on which guests come and go", on: "detail", make: one("Friday", "Saturday", "Monday")},
				{name: "stay", kind: "integer", about: "shortest stay in nights", on: "detail", make: anyOf([]float64{2, 3, 4, 7}, "two nights", "three nights", "four nights", "seven nights")},
				{name: "parking", kind: "integer", about: "cars that can be parked", on: "detail", make: anyOf([]float64{0, 1, 2, 3}, "no parking", "one car", "two cars", "three cars")},
				{name: "wifi", kind: "boolean", about: "there is Wi-Fi", on: "detail", make: worded(0.7, []string{"Yes, fast fibre", "Yes"}, []string{"None – enjoy the peace", "No"})},
			},
		},
		{
			host: "stapler-nord.test", lang: "de", title: "Gebrauchte Stapler – Angebotsliste", noun: "Stapler", member: "stapler", n: 32, per: 16, pager: true,
			names: func(_ *rand.Rand, i int) string {
				return []string{"Lindner", "Jungmann", "Stihr", "Toyama"}[i%4] + []string{" H25", " E16", " FD30", " RX20", " M14", " K45", " T18", " EFG"}[i/4] + fmt.Sprintf("-%d", 104+i*3)
			},
			list: "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/angebot/%d", 88021+i*13) },
			form: form{
				before: `<div class="table-responsive"><table class="table table-sm"><thead><tr><th>Typ</th><th>Antrieb</th><th>Tragkraft (t)</th><th>Hubhöhe (mm)</th><th>Bj.</th><th>Std.</th><th>Preis netto</th><th>PLZ Ort</th></tr></thead><tbody>`,
				item: `<tr><td>{name}</td><td>{antrieb}</td><td>{tragkraft}</td><td>{hub}</td><td>{bj}</td><td>{stunden}</td><td>{preis}</td><td>{ort}</td></tr>
`,
				after:   `</tbody></table></div><p>Bj. = Baujahr, Std. = Betriebsstunden. Preise zzgl. MwSt.</p>`,
				detail:  `<div class="row"><div class="col">Antrieb</div><div class="col">{antrieb}</div></div><div class="row"><div class="col">Preis netto</div><div class="col">{preis}</div></div><h3>Technik</h3><ul class="specs"><li><span>Mast:</span> {mast}</li><li><span>Eigengewicht:</span> {gewicht}</li><li><span>Gabellänge:</span> {gabel}</li><li><span>Bereifung:</span> {reifen}</li></ul><h3>Zustand</h3><p>{zustand}. Aus {hand}. Nächste UVV: {uvv}.</p>`,
				related: `<p class="aehnlich">{stapler}, {preis}</p>`,
			},
			columns: []column{
				{name: "stapler", kind: "string", about: "Typ des Staplers", label: "Typ"},
				{name: "antrieb", kind: "string", about: "Antrieb", label: "Antrieb", make: one("Diesel", "Elektro", "Treibgas")},
				{name: "tragkraft", kind: "integer", about: "Tragkraft in Kilogramm", on: "list", label: "Tragkraft (t)", make: anyOf([]float64{1400, 1600, 1800, 2500, 3000, 4500}, "1,4", "1,6", "1,8", "2,5", "3,0", "4,5")},
				{name: "hub", kind: "number", about: "Hubhöhe in Metern", on: "list", label: "Hubhöhe (mm)", make: anyOf([]float64{3.3, 3.7, 4.35, 4.71, 5.5, 6}, "3.300", "3.700", "4.350", "4.710", "5.500", "6.000")},
				{name: "bj", kind: "integer", about: "Baujahr", on: "list", label: "Bj.", make: year(2004, 2024)},
				{name: "stunden", kind: "integer", about: "Betriebsstunden", on: "list", label: "Std.", make: whole(310, 14900, ".", "%s"), missing: 0.1, blank: "n. b."},
				{name: "preis", kind: "number", about: "Preis ohne Mehrwertsteuer in Euro", label: "Preis netto", make: stepped(39, 290, 100, ".", "%s,– €"), missing: 0.15, blank: "auf Anfrage"},
				{name: "ort", kind: "string", about: "Postleitzahl und Ort", on: "list", label: "PLZ Ort", make: one("49393 Lohne", "26121 Oldenburg", "27283 Verden", "28195 Bremen")},
				{name: "mast", kind: "string", about: "Art des Mastes", on: "detail", make: one("Triplex", "Duplex", "Standard")},
				{name: "gewicht", kind: "number", about: "Eigengewicht in Kilogramm", on: "detail", make: either(stepped(240, 480, 10, ".", "%s kg"), anyOf([]float64{4950, 5200, 6100}, "4,95 t", "5,2 t", "6,1 t"))},
				{name: "gabel", kind: "integer", about: "Länge der Gabel in Millimetern", on: "detail", make: anyOf([]float64{1000, 1150, 1200, 1600}, "1.000 mm", "1.150 mm", "120 cm", "1,6 m")},
				{name: "reifen", kind: "string", about: "Bereifung", on: "detail", make: one("Superelastik", "Luft", "Vollgummi, nicht kreidend")},
				{name: "zustand", kind: "boolean", about: "ist einsatzbereit", on: "detail", make: worded(0.7, []string{"Einsatzbereit", "Sofort einsatzbereit"}, []string{"Defekt, Bastlergerät", "Nicht fahrbereit"})},
				{name: "hand", kind: "integer", about: "der wievielte Besitzer es ist", on: "detail", make: anyOf([]float64{1, 2, 3}, "erster Hand", "zweiter Hand", "dritter Hand")},
				{name: "uvv", kind: "string", about: "Monat der nächsten Prüfung", on: "detail", make: one("03/2027", "09/2026", "11/2026", "fällig")},
			},
		},
		{
			host: "empleo-sierra.test", lang: "es", title: "Ofertas de empleo en la sierra", noun: "oferta", member: "ofertas", n: 30, per: 10, onward: "Cargar más ofertas",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Soldador", "Enfermera", "Administrativo", "Conductora", "Tornero", "Cocinera"}[i%6] + []string{" de turno de noche", " con carné B", " en prácticas", " de refuerzo", " a media jornada"}[i/6]
			},
			list: "form", paging: "more",
			form: form{
				before: `<p class="upd">Página actualizada el 14 de mayo de 2026</p><div class="resultados">`,
				item: `<div class="oferta"><h3>{name}</h3><div class="meta"><span>{empresa}</span> · <span>{ciudad}</span></div><div class="meta">{salario_min} – {salario_max} brutos/año · {contrato}</div><div class="meta">Experiencia: {experiencia}</div><div class="meta">{vacantes} · {modalidad}</div><div class="meta fecha">Publicada {publicada}</div></div>
`,
				after: `</div>`,
			},
			columns: []column{
				{name: "puesto", kind: "string", about: "nombre del puesto", label: "Puesto"},
				{name: "empresa", kind: "string", about: "empresa que contrata", make: turn(companies...)},
				{name: "ciudad", kind: "string", about: "ciudad", make: one("Béjar", "Candeleda", "Piedrahíta")},
				{name: "salario_min", kind: "integer", about: "salario bruto anual mínimo en euros", make: stepped(31, 43, 500, ".", "%s €")},
				{name: "salario_max", kind: "integer", about: "salario bruto anual máximo en euros", make: stepped(44, 79, 500, ".", "%s €")},
				{name: "contrato", kind: "string", about: "tipo de contrato", make: one("indefinido", "temporal", "fijo discontinuo")},
				{name: "experiencia", kind: "integer", about: "años de experiencia que se piden", make: anyOf([]float64{0, 1, 2, 3, 5}, "sin experiencia", "un año", "dos años", "tres años", "cinco años")},
				{name: "vacantes", kind: "integer", about: "número de vacantes", make: anyOf([]float64{1, 2, 3, 4, 12}, "1 vacante", "dos vacantes", "3 vacantes", "cuatro vacantes", "12 vacantes")},
				{name: "modalidad", kind: "boolean", about: "se puede trabajar a distancia", make: worded(0.4, []string{"teletrabajo", "híbrido, 2 días en casa"}, []string{"presencial", "solo presencial"})},
				{name: "publicada", kind: "date", about: "día de publicación", make: since("2026-05-14", []int{0, 1, 2, 3, 5, 7, 14}, "hoy", "ayer", "hace 2 días", "hace 3 días", "hace cinco días", "hace una semana", "hace dos semanas")},
			},
		},
		{
			host: "empresas-sierra.test", lang: "es", title: "Empresas de la sierra", noun: "empresa", member: "empresas", n: 4,
			names: fixed(companies...),
			list:  "tiles", detail: "terms", anchor: "Ver ficha", path: func(i int, _ *thing) string { return fmt.Sprintf("/e/%x", 51966+i*311) },
			columns: []column{
				{name: "nombre", kind: "string", about: "nombre de la empresa", label: "Empresa"},
				{name: "directora", kind: "string", about: "quién dirige la empresa", label: "Dirección", on: "detail", make: turn("Amaya Corral", "Benito Sáez", "Clara Otero", "Diego Luengo")},
				{name: "plantilla", kind: "integer", about: "número de empleados", label: "Plantilla", on: "detail", make: whole(40, 2400, ".", "%s personas")},
				{name: "fundada", kind: "integer", about: "año de fundación", label: "Fundada en", on: "detail", make: year(1931, 2012)},
			},
		},
		{
			host: "halle-aux-cordes.test", lang: "fr", title: "Saison 2026-2027 – La Halle aux Cordes", noun: "spectacle", member: "spectacles", n: 32, by: "genre",
			names: pairs("Aube Brumes Carnaval Dérives Échos Falaises Granit Houle", "intérieur nocturne boréal mineur", "%s %s"),
			list:  "form", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/fr/prog/%d", 7001+i*11) },
			form: form{
				section: `<h2 class="genre">%s</h2>` + "\n",
				item: `<div class="evt"><div class="evt-date">{jour} · {heure}</div><h3 class="evt-titre">{name}</h3><div class="evt-tarif">de {tarif_min} à {tarif_max}</div><div class="evt-duree">Durée : {duree}</div><div class="evt-etat">{places}</div></div>
`,
				ad:     `<div class="evt promo">Abonnez-vous : 4 spectacles et plus, 20 % de réduction.</div>` + "\n",
				detail: `<ul class="onglets"><li><a href="#infos">Infos</a></li><li><a href="#avis">Avis</a></li></ul><div id="infos"><p>{compagnie}</p><p>{entracte} – {age}</p><p>Tarif réduit : {reduit}</p><p>Jauge : {jauge}</p></div><div id="avis"><p>Note du public : {note}</p></div>`,
			},
			columns: []column{
				{name: "spectacle", kind: "string", about: "titre du spectacle", label: "Spectacle"},
				{name: "genre", kind: "string", about: "genre", on: "section", make: one("Cirque", "Danse", "Musique de chambre", "Théâtre")},
				{name: "jour", kind: "date", about: "jour de la représentation", on: "nowhere", make: frenchDay("2026-09-18", 250)},
				{name: "heure", kind: "string", about: "heure du début", on: "nowhere", make: one("19h", "20h", "20h30", "17h")},
				{name: "tarif_min", kind: "number", about: "tarif le plus bas en euros", on: "list", make: few("%d", 8, 10, 12, 15)},
				{name: "tarif_max", kind: "number", about: "tarif le plus haut en euros", on: "list", make: few("%d €", 22, 28, 34, 38)},
				{name: "duree", kind: "integer", about: "durée en minutes", on: "list", label: "Durée", make: anyOf([]float64{55, 60, 75, 105, 130}, "55 min", "1h", "1h15", "1h45", "2h10")},
				{name: "places", kind: "boolean", about: "il reste des places", on: "list", make: worded(0.7, []string{"Réserver", "Dernières places"}, []string{"Complet", "Liste d'attente"})},
				{name: "compagnie", kind: "string", about: "compagnie ou ensemble", on: "detail", make: one("Cie des Sables", "Ensemble Nivôse", "Collectif 12", "Quatuor Arven")},
				{name: "entracte", kind: "boolean", about: "il y a un entracte", on: "detail", make: worded(0.4, []string{"avec entracte"}, []string{"sans entracte"})},
				{name: "age", kind: "integer", about: "âge minimal en années", on: "detail", make: anyOf([]float64{6, 8, 10, 14}, "dès 6 ans", "à partir de 8 ans", "dès dix ans", "à partir de 14 ans")},
				{name: "reduit", kind: "number", about: "tarif réduit en euros", on: "detail", label: "Tarif réduit", make: cents(550, 980, "%d,%02d €"), missing: 0.15, blank: "aucun"},
				{name: "jauge", kind: "integer", about: "nombre de places de la salle", on: "detail", label: "Jauge", make: few("%d places", 180, 420, 650)},
				{name: "note", kind: "number", about: "note du public sur 5", on: "detail", label: "Note du public", make: anyOf([]float64{3, 3.5, 4, 4.5, 5}, "3/5", "3,5/5", "4/5", "4,5/5", "5/5")},
			},
		},
		{
			host: "yuyado-meguri.test", lang: "ja", title: "湯宿めぐり", noun: "宿", member: "yado", n: 28, per: 14,
			names: pairs("青葉 岩清水 梅香 奥の 霞 雲母 白鷺", "荘 館 亭 旅館", "%s%s"),
			list:  "form", paging: "more",
			form: form{
				item: `<section class="yado"><h3>{name}</h3><p>{area}／駅から {toho}</p><p>1泊2食付 {price}（1名）</p><p>クチコミ {rating}（{kuchikomi}）</p><ul><li>客室数：{rooms}</li><li>露天風呂：{roten}</li><li>ペット：{pet}</li><li>創業：{sogyo}</li></ul></section>
`,
			},
			columns: []column{
				{name: "yado", kind: "string", about: "宿の名前", label: "宿"},
				{name: "area", kind: "string", about: "地区", make: one("湯川", "山手", "川端")},
				{name: "toho", kind: "integer", about: "駅から歩く時間（分）", make: whole(2, 38, ",", "徒歩%s分")},
				{name: "price", kind: "integer", about: "一人一泊二食の最低料金（円）", make: either(stepped(98, 340, 100, ",", "%s円～"), anyOf([]float64{12000, 15000, 21000}, "1.2万円～", "1.5万円～", "2.1万円～"))},
				{name: "rating", kind: "number", about: "クチコミの評価", make: anyOf([]float64{3.62, 3.98, 4.05, 4.35, 4.71}, "3.62", "3.98", "4.05", "4.35", "4.71")},
				{name: "kuchikomi", kind: "integer", about: "クチコミの数", make: whole(3, 1900, ",", "%s件")},
				{name: "rooms", kind: "integer", about: "客室の数", label: "客室数", make: whole(5, 79, ",", "全%s室")},
				{name: "roten", kind: "boolean", about: "露天風呂がある", label: "露天風呂", make: worded(0.6, []string{"あり", "あり（貸切可）"}, []string{"なし", "なし（内湯のみ）"})},
				{name: "pet", kind: "boolean", about: "ペットと泊まれる", label: "ペット", make: flag(0.4, "可", "不可")},
				{name: "sogyo", kind: "integer", about: "創業の年（西暦）", label: "創業", make: anyOf([]float64{1897, 1923, 1963, 1988, 2004}, "明治30年（1897年）", "大正12年（1923年）", "昭和38年（1963年）", "昭和63年（1988年）", "平成16年（2004年）")},
			},
		},
		{
			host: "lockright.test", lang: "en", title: "Storage units in Fairhaven", noun: "unit", member: "units", n: 30,
			names: func(_ *rand.Rand, i int) string { return fmt.Sprintf("%c-%d", 'A'+i%5, 104+i*3) },
			list:  "form", detail: "form", anchor: "Rent now", path: func(i int, _ *thing) string { return fmt.Sprintf("/u/%x", 0x8f3a1+i*7919) },
			form: form{
				before: `<div class="filters"><button>Small</button><button>Medium</button><button>Large</button></div><div class="unit-list">`,
				item: `<div class="unit"><div class="unit-h">Unit {name}</div><div>{width} × {depth}</div><div>{floor}</div><div>{climate}</div><div class="cost">{price}<span>/mo</span></div><div>{promo}</div><div><a href="{link}">Rent now</a></div></div>
`,
				after:  `</div><p>Sizes are approximate.</p>`,
				detail: `<table class="kv"><tr><td>Size</td><td>{width} × {depth}</td></tr><tr><td>Door</td><td>{door}</td></tr><tr><td>Admin fee</td><td>{fee}</td></tr><tr><td>Deposit</td><td>{deposit}</td></tr><tr><td>Access</td><td>{access}</td></tr><tr><td>Free from</td><td>{free}</td></tr></table>`,
			},
			columns: []column{
				{name: "unit", kind: "string", about: "number of the unit", label: "Unit"},
				{name: "width", kind: "number", about: "width in feet", make: few("%d'", 5, 8, 10)},
				{name: "depth", kind: "number", about: "depth in feet", make: few("%d'", 12, 15, 20, 30)},
				{name: "floor", kind: "integer", about: "floor, counted from 1", on: "list", make: anyOf([]float64{1, 2, 3, 4}, "1st floor", "2nd floor", "3rd floor", "4th floor")},
				{name: "climate", kind: "boolean", about: "is climate controlled", on: "list", make: worded(0.5, []string{"Climate controlled", "Heated & cooled"}, []string{"Not climate controlled", "Outdoor access, unheated"})},
				{name: "price", kind: "number", about: "price of a month in dollars", on: "list", make: shelved(4900, 31900, "$%d.%02d", "")},
				{name: "promo", kind: "string", about: "what is offered to new tenants", on: "list", make: one("First month free", "50% off first 3 months", "$1 first month"), missing: 0.3},
				{name: "door", kind: "number", about: "width of the door in feet", on: "detail", make: anyOf([]float64{3, 4, 8}, "3 ft swing", "4 ft swing", "8 ft roll-up")},
				{name: "fee", kind: "number", about: "fee for the contract in dollars", on: "detail", make: anyOf([]float64{0, 19, 24, 29}, "waived", "$19 one-time", "$24 one-time", "$29 one-time")},
				{name: "deposit", kind: "number", about: "deposit in dollars", on: "detail", make: anyOf([]float64{0, 50, 100}, "none", "$50", "$100")},
				{name: "access", kind: "string", about: "hours of access", on: "detail", make: one("6 am – 10 pm", "24 hours", "8 am – 8 pm")},
				{name: "free", kind: "date", about: "day from which it is free", on: "detail", make: day(2026, 2027, "en", "N D, Y")},
			},
		},
		{
			host: "meridian-charts.test", lang: "en", title: "Antique maps – Meridian Charts", noun: "map", member: "maps", n: 30, per: 15,
			names: func(_ *rand.Rand, i int) string {
				return []string{"Nova Totius", "Carte de", "Tabula", "A New Map of", "Typus"}[i%5] + []string{" Friesland", " Zealand", " Bohemia", " Savoy", " Corsica", " Livonia"}[i/5]
			},
			list: "form", paging: "older", by: "listed", onward: "Earlier acquisitions",
			form: form{
				before: `<ol class="stock" reversed>`,
				item: `<li><cite>{name}</cite>. {maker}, {year}. {height} × {width} cm. {colour}. Condition: {state}. <span class="p">{price}</span> <em>{sold}</em> <small>Added {listed}</small></li>
`,
				after: `</ol>`,
			},
			columns: []column{
				{name: "map", kind: "string", about: "title of the map", label: "Map"},
				{name: "maker", kind: "string", about: "who made it", make: one("Blaeu", "Homann Heirs", "De Wit", "Bellin")},
				{name: "year", kind: "integer", about: "year in which it was made", make: either(year(1610, 1790), whole(1610, 1790, "", "c. %s"))},
				{name: "height", kind: "number", about: "height in centimetres", make: decimal(18, 49, ".", "%s")},
				{name: "width", kind: "number", about: "width in centimetres", make: whole(50, 74, ",", "%s")},
				{name: "colour", kind: "boolean", about: "is coloured", make: worded(0.6, []string{"Original hand colour", "Later colour"}, []string{"Uncoloured", "Black and white"})},
				{name: "state", kind: "string", about: "condition", make: one("very good", "good", "fair")},
				{name: "price", kind: "string", about: "price with its currency", make: asText(either(stepped(12, 190, 10, ",", "EUR %s"), either(stepped(12, 190, 10, ",", "USD %s"), stepped(12, 190, 10, ",", "GBP %s"))))},
				{name: "sold", kind: "boolean", about: "is sold", make: worded(0.3, []string{"SOLD", "Sold, sorry"}, []string{"available", "in stock"})},
				{name: "listed", kind: "date", about: "day on which it was added", make: ordinal(2025, 2027)},
			},
		},
	}
}

// sixteenthTasks are the questions about the sixteenth sites.
func (w *Web) sixteenthTasks() {
	w.ask("gather", "coastandcreel.test", "all cottages: village, sleeps, bedrooms, bathrooms, dogs ok?, miles to the beach, lowest + highest weekly price, rating, no. of reviews", "cottage village sleeps bedrooms baths dogs beach price_lo price_hi rating reviews")
	w.ask("gather", "coastandcreel.test", "each cottage with county, storeys, changeover day, min nights, parking spaces, wifi", "cottage county storeys changeover stay parking wifi")
	w.ask("gather", "stapler-nord.test", "alle stapler mit antrieb, tragkraft in kg, hubhöhe in m, baujahr, stunden, preis, ort", "stapler antrieb tragkraft hub bj stunden preis ort")
	w.ask("gather", "stapler-nord.test", "je stapler: mast, eigengewicht, gabellänge, bereifung, einsatzbereit?, wievielte hand, nächste UVV", "stapler mast gewicht gabel reifen zustand hand uvv")
	w.ask("gather", "empleo-sierra.test", "todas las ofertas con empresa, ciudad, salario min y max, contrato, experiencia, vacantes, teletrabajo si/no, fecha", "puesto empresa ciudad salario_min salario_max contrato experiencia vacantes modalidad publicada")
	w.ask("gather", "halle-aux-cordes.test", "tout le programme : genre, tarifs min/max, durée, places dispo, compagnie, entracte, âge, tarif réduit, jauge, note", "spectacle genre tarif_min tarif_max duree places compagnie entracte age reduit jauge note")
	w.ask("gather", "yuyado-meguri.test", "全部の宿の地区、駅からの徒歩、料金、評価、クチコミ数、客室数、露天風呂、ペット、創業年", "yado area toho price rating kuchikomi rooms roten pet sogyo")
	w.ask("gather", "lockright.test", "every unit with size, floor, climate control, monthly price, promo, door width, fee, deposit, access hours, free from", "unit width depth floor climate price promo door fee deposit access free")
	w.ask("gather", "meridian-charts.test", "complete stock list - maker, year, h x w, coloured?, condition, price, sold?, date added", "map maker year height width colour state price sold listed")

	w.ask("conditions", "coastandcreel.test", "dog friendly places for at least six people not more than half a mile from the beach", "cottage sleeps beach", is("dogs", "=", "true", "dog friendly"), is("sleeps", ">=", "6", "at least six people"), is("beach", "<=", "0.5", "not more than half a mile").in("mile"))
	w.ask("conditions", "coastandcreel.test", "2 storeys, room for two cars or more, in cornwall", "cottage storeys parking", is("storeys", "=", "2", "2 storeys"), is("parking", ">=", "2", "two cars or more"), is("county", "=", "Cornwall", "in cornwall"))
	w.ask("conditions", "coastandcreel.test", "cottages w/ saturday changeover & min stay under a week that have wifi", "cottage changeover stay", is("changeover", "=", "Saturday", "saturday changeover"), is("stay", "<", "1", "min stay under a week").in("week").means("7"), is("wifi", "=", "true", "have wifi"))
	w.ask("conditions", "stapler-nord.test", "elektrostapler ab 1,8 t unter 15.000 €", "stapler tragkraft preis", is("antrieb", "=", "Elektro", "elektrostapler"), is("tragkraft", ">=", "1.8", "ab 1,8 t").in("t").means("1800"), is("preis", "<", "15000", "unter 15.000 €").in("€"))
	w.ask("conditions", "stapler-nord.test", "aus erster hand, einsatzbereit, gabel länger als 1,1 m", "stapler gabel", is("hand", "=", "1", "aus erster hand"), is("zustand", "=", "true", "einsatzbereit"), is("gabel", ">", "1.1", "länger als 1,1 m").in("m").means("1100"))
	w.ask("conditions", "stapler-nord.test", "kein diesel, baujahr 2015 oder neuer, weniger als 5000 stunden", "stapler antrieb bj stunden", is("antrieb", "!=", "Diesel", "kein diesel"), is("bj", ">=", "2015", "2015 oder neuer"), is("stunden", "<", "5000", "weniger als 5000 stunden"))
	w.ask("conditions", "empleo-sierra.test", "ofertas publicadas en los ultimos 3 dias (hoy 14 de mayo 2026) sin experiencia o con un año como mucho", "puesto experiencia publicada", is("publicada", ">=", "2026-05-11", "en los ultimos 3 dias"), is("experiencia", "<=", "1", "un año como mucho"))
	w.ask("conditions", "empleo-sierra.test", "indefinidos en béjar o candeleda que paguen 17.000 € o más de entrada", "puesto ciudad salario_min", is("contrato", "=", "indefinido", "indefinidos"), is("ciudad", "in", "Béjar | Candeleda", "en béjar o candeleda"), is("salario_min", ">=", "17000", "17.000 € o más").in("€"))
	w.ask("conditions", "empleo-sierra.test", "teletrabajo con varias vacantes (mas de dos)", "puesto vacantes", is("modalidad", "=", "true", "teletrabajo"), is("vacantes", ">", "2", "mas de dos"))
	w.ask("conditions", "halle-aux-cordes.test", "danse ou cirque de moins d'une heure et demie, encore des places", "spectacle genre duree", is("genre", "in", "Danse | Cirque", "danse ou cirque"), is("duree", "<", "1.5", "moins d'une heure et demie").in("heure").means("90"), is("places", "=", "true", "encore des places"))
	w.ask("conditions", "halle-aux-cordes.test", "note 4 et plus, pour un enfant de dix ans, sans entracte", "spectacle note age", is("note", ">=", "4", "note 4 et plus"), is("age", "<=", "10", "enfant de dix ans"), is("entracte", "=", "false", "sans entracte"))
	w.ask("conditions", "yuyado-meguri.test", "露天風呂があって2万円以下、駅から徒歩15分以内の宿", "yado price toho", is("roten", "=", "true", "露天風呂があって"), is("price", "<=", "20000", "2万円以下").in("円"), is("toho", "<=", "15", "徒歩15分以内").in("分"))
	w.ask("conditions", "yuyado-meguri.test", "ペット可で戦前（1945年より前）に創業した宿", "yado sogyo", is("pet", "=", "true", "ペット可"), is("sogyo", "<", "1945", "1945年より前"))
	w.ask("conditions", "lockright.test", "climate controlled, above the ground floor, under $200 a month", "unit floor price", is("climate", "=", "true", "climate controlled"), is("floor", ">", "1", "above the ground floor"), is("price", "<", "200", "under $200 a month").in("$"))
	w.ask("conditions", "lockright.test", "at least 20ft deep with no deposit and no fee", "unit depth deposit fee", is("depth", ">=", "20", "at least 20ft deep").in("ft"), is("deposit", "=", "0", "no deposit"), is("fee", "=", "0", "no fee"))
	w.ask("conditions", "meridian-charts.test", "uncoloured maps from before 1700 still for sale", "map year", is("colour", "=", "false", "uncoloured maps"), is("year", "<", "1700", "from before 1700"), is("sold", "=", "false", "still for sale"))
	w.ask("conditions", "meridian-charts.test", "blaeu or de wit, between 30 and 40 cm high, good or better", "map maker height state", is("maker", "in", "Blaeu | De Wit", "blaeu or de wit"), is("height", ">=", "30", "between 30 and 40 cm").in("cm"), is("height", "<=", "40", "between 30 and 40 cm").in("cm"), is("state", "in", "good | very good", "good or better"))

	w.ask("top", "coastandcreel.test", "cheapest three in st keffin", "cottage price_lo", is("village", "=", "St Keffin", "in st keffin"), is("price_lo", "bottom", "3", "cheapest three"))
	w.ask("top", "lockright.test", "5 cheapest first floor units", "unit price", is("floor", "=", "1", "first floor"), is("price", "bottom", "5", "5 cheapest"))
	w.ask("top", "stapler-nord.test", "die drei mit den wenigsten stunden", "stapler stunden", is("stunden", "bottom", "3", "drei mit den wenigsten stunden"))
	w.best("best", "meridian-charts.test", "oldest map", "map year", is("year", "bottom", "1", "oldest map"))
	w.best("best", "yuyado-meguri.test", "クチコミが一番多い宿は？", "yado kuchikomi", is("kuchikomi", "top", "1", "一番多い"))
	w.best("best", "stapler-nord.test", "teuerster triplex-stapler", "stapler preis", is("mast", "=", "Triplex", "triplex"), is("preis", "top", "1", "teuerster"))
	w.count("count", "coastandcreel.test", "how many three bedroom cottages?", is("bedrooms", "=", "3", "three bedroom"))
	w.count("count", "empleo-sierra.test", "¿cuántas ofertas se publicaron ayer (13 de mayo)?", is("publicada", "=", "2026-05-13", "ayer"))
	w.count("count", "halle-aux-cordes.test", "combien de spectacles durent 1h45 ou plus ?", is("duree", ">=", "105", "1h45 ou plus"))
	w.compare("comparison", "coastandcreel.test", "%s or %s? bedrooms, distance to beach, lowest price", "cottage bedrooms beach price_lo", 2, 17)
	w.compare("comparison", "lockright.test", "unit %s vs %s - price, deposit, fee", "unit price deposit fee", 4, 19)
	w.which("comparison", "yuyado-meguri.test", "%sと%s、駅に近いのはどっち？", "yado toho", 3, 15, is("toho", "bottom", "1", "近い"))
	w.lookup("lookup", "coastandcreel.test", "what county is %s in, how many nights minimum", "county stay", 12)
	w.lookup("lookup", "halle-aux-cordes.test", "%s : quelle compagnie, quelle jauge, à partir de quel âge ?", "compagnie jauge age", 20)
	w.lookup("lookup", "empleo-sierra.test", "¿cuándo se publicó %s y cuántas vacantes hay?", "publicada vacantes", 8)
	w.lookup("lookup", "lockright.test", "when is %s free and how wide is the door", "free door", 21)
	w.absent("lookup", "stapler-nord.test", "was kostet der %s?", "Lindner H99-777", "preis")

	jobs := w.site("empleo-sierra.test").things
	w.hop("hops", "empleo-sierra.test", "empresas-sierra.test", fmt.Sprintf("¿quién dirige la empresa que busca %s?", strings.ToLower(jobs[7].name)), "directora", "empresa", jobs[7])
	w.rowHop("hops", "empleo-sierra.test", "empresas-sierra.test", "ofertas con 5 años de experiencia y cuánta gente trabaja en la empresa", "puesto empresa experiencia", "plantilla", "empresa", is("experiencia", "=", "5", "5 años de experiencia"))

	w.open("open", "meridian-charts.test", "corsica maps and what they cost", "map price", is("map", "contains", "Corsica", "corsica maps"))
	w.open("open", "coastandcreel.test", "lofts that take dogs, with bedrooms", "cottage bedrooms dogs", is("cottage", "contains", "Loft", "lofts"), is("dogs", "=", "true", "take dogs"))
}

// since makes days before one that the page states, each with the text for its distance.
func since(today string, days []int, texts ...string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		t, _ := time.Parse(time.DateOnly, today)
		i := rng.IntN(len(days))
		return t.AddDate(0, 0, -days[i]).Format(time.DateOnly), texts[i]
	}
}

// asText makes the text of something the truth.
func asText(m maker) maker {
	return func(rng *rand.Rand, i int) (any, string) {
		_, text := m(rng, i)
		return text, text
	}
}

// frenchDay makes days after a first one, with the name of the day.
func frenchDay(first string, most int) maker {
	week := strings.Fields("dim. lun. mar. mer. jeu. ven. sam.")
	return func(rng *rand.Rand, _ int) (any, string) {
		t, _ := time.Parse(time.DateOnly, first)
		t = t.AddDate(0, 0, rng.IntN(most))
		return t.Format(time.DateOnly), fmt.Sprintf("%s %d %s %d", week[t.Weekday()], t.Day(), months["fr"][t.Month()-1], t.Year())
	}
}

// The seventeenth set tells whether what was mended for the sixteenth helps elsewhere. It has three
// sites of other trades and languages:
//
//  1. Dutch allotments: waiting times are in words, sizes are "10 x 12,5 m", and dates are "3 dagen geleden"
//  2. a British directory of choirs as paragraphs, with "a dozen" habits of people: "every second Tuesday",
//     subscriptions for a term, and members as ranges
//  3. Italian apartments with floors as ordinals and words, energy classes, and costs that are included

// seventeenthSites are the sites of the seventeenth set.
func seventeenthSites() []*site {
	return []*site{
		{
			host: "volkstuin-vechtzoom.test", lang: "nl", title: "Vrije tuinen – Volkstuinvereniging Vechtzoom", noun: "tuin", member: "tuinen", n: 30, per: 10,
			names: func(_ *rand.Rand, i int) string {
				return []string{"Merel", "Spreeuw", "Kievit", "Roodborst", "Winterkoning"}[i%5] + fmt.Sprintf(" %d", 11+i*2)
			},
			list: "form", paging: "more", onward: "Volgende tuinen", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/aanbod/%x", 0xb71c4+i*6133) },
			form: form{
				before: `<p><small>Bijgewerkt: maandag 4 mei 2026</small></p><div class="cards">`,
				item: `<div class="card"><div class="card-body"><h5 class="card-title">{name}</h5><h6>{laan}</h6><p class="card-text">{maat} · {pacht} per jaar</p><p class="card-text"><span class="badge">{huisje}</span> <span class="badge">{water}</span></p></div><div class="card-footer">Aangeboden: {sinds}</div></div>
`,
				after:  `</div>`,
				detail: `<table class="table table-borderless"><tbody><tr><th>Laan</th><td>{laan}</td></tr><tr><th>Grondsoort</th><td>{grond}</td></tr><tr><th>Overname</th><td>{overname}</td></tr><tr><th>Wachttijd</th><td>{wacht}</td></tr><tr><th>Fruitbomen</th><td>{bomen}</td></tr><tr><th>Borg</th><td>{borg}</td></tr></tbody></table>`,
			},
			columns: []column{
				{name: "tuin", kind: "string", about: "naam en nummer van de tuin", label: "Tuin"},
				{name: "laan", kind: "string", about: "laan", make: one("Appellaan", "Perenlaan", "Kersenpad")},
				{name: "maat", kind: "string", about: "afmetingen", make: one("10 x 12,5 m", "8 x 20 m", "12 x 15 m")},
				{name: "pacht", kind: "number", about: "pacht per jaar in euro", make: decimal(95, 280, ",", "€ %s0")},
				{name: "huisje", kind: "boolean", about: "er staat een huisje", make: worded(0.5, []string{"met huisje", "tuinhuisje aanwezig"}, []string{"zonder huisje", "geen opstal"})},
				{name: "water", kind: "boolean", about: "er is een waterpunt", make: worded(0.6, []string{"waterpunt", "pomp"}, []string{"geen water", "water op 50 m"})},
				{name: "sinds", kind: "date", about: "dag waarop de tuin is aangeboden", on: "list", make: since("2026-05-04", []int{0, 1, 3, 4, 7, 21}, "vandaag", "gisteren", "3 dagen geleden", "vier dagen geleden", "een week geleden", "drie weken geleden")},
				{name: "grond", kind: "string", about: "grondsoort", on: "detail", make: one("zand", "klei", "veen")},
				{name: "overname", kind: "integer", about: "overnamekosten in euro", on: "detail", make: free(stepped(2, 60, 25, ".", "€ %s,-"), 5, "gratis")},
				{name: "wacht", kind: "integer", about: "wachttijd in maanden", on: "detail", make: anyOf([]float64{2, 6, 12, 18, 24}, "twee maanden", "zes maanden", "een jaar", "anderhalf jaar", "2 jaar")},
				{name: "bomen", kind: "integer", about: "aantal fruitbomen", on: "detail", make: anyOf([]float64{0, 1, 2, 3, 5}, "geen", "één", "twee", "drie", "5")},
				{name: "borg", kind: "number", about: "borg in euro", on: "detail", make: anyOf([]float64{0, 50, 100}, "geen", "€ 50", "€ 100")},
			},
		},
		{
			host: "choirs.estuary.test", lang: "en-GB", title: "Choirs of the estuary", noun: "choir", member: "choirs", n: 28,
			names: pairs("Avocet Barnacle Cockle Dunlin Estuary Foreshore Gannet", "Singers Voices Chorale Consort", "%s %s"),
			list:  "form",
			form: form{
				item: `<p><strong>{name}</strong> ({town}) – {kind}. Meets every {day} at {hour} in term time. {members} members, {parts}. {audition}. Subscription {fee} a term. Founded {founded}. Conductor: {conductor}. {joined}</p>
`,
			},
			columns: []column{
				{name: "choir", kind: "string", about: "name of the choir", label: "Choir"},
				{name: "town", kind: "string", about: "town", make: one("Fleetmouth", "Saltash Quay", "Northam Strand")},
				{name: "kind", kind: "string", about: "kind of choir", make: one("mixed voices", "ladies' choir", "male voice choir", "chamber choir")},
				{name: "day", kind: "string", about: "day of rehearsals", make: one("Tuesday", "second Thursday", "Monday")},
				{name: "hour", kind: "string", about: "time of rehearsals", make: one("7.30pm", "8pm", "2pm")},
				{name: "members", kind: "integer", about: "number of members", make: either(whole(16, 89, ",", "%s"), anyOf([]float64{20, 24, 30, 45}, "Twenty", "Twenty-four", "Thirty", "Forty-five"))},
				{name: "parts", kind: "integer", about: "number of parts", make: anyOf([]float64{2, 3, 4, 8}, "two parts", "three parts", "four parts", "eight parts")},
				{name: "audition", kind: "boolean", about: "new members are auditioned", make: worded(0.4, []string{"Auditions apply", "By audition"}, []string{"No audition", "All welcome, no audition"})},
				{name: "fee", kind: "number", about: "subscription for a term in pounds", make: anyOf([]float64{0, 25, 37.5, 45, 60}, "free", "£25", "£37.50", "£45", "£60")},
				{name: "founded", kind: "integer", about: "year of foundation", make: either(year(1904, 1990), whole(1904, 1990, "", "in the year %s"))},
				{name: "conductor", kind: "string", about: "conductor", make: one("Hilary Venn", "Owen Trask", "Miriam Lodge")},
				{name: "joined", kind: "boolean", about: "takes new members now", make: worded(0.6, []string{"New members welcome", "Tenors especially wanted"}, []string{"Currently full", "Waiting list"})},
			},
		},
		{
			host: "case-lungofiume.test", lang: "it", title: "Appartamenti in affitto – Lungofiume", noun: "appartamento", member: "appartamenti", n: 30, per: 15, pager: true,
			names: func(_ *rand.Rand, i int) string {
				return []string{"Via Argine", "Via Molino", "Vicolo Stretto", "Piazza Vecchia", "Corso Ponte"}[i%5] + fmt.Sprintf(" %d", 2+i*3)
			},
			list: "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/annunci/%d.html", 20410+i*17) },
			form: form{
				before: `<div class="annunci">`,
				item: `<section class="annuncio"><h2>{name}</h2><div class="prezzo">{canone}<small>/mese</small></div><ul><li>{locali}</li><li>{mq}</li><li>{piano}</li></ul><div>{ascensore}</div></section>
`,
				after:  `</div>`,
				detail: `<h2>Dettagli</h2><dl class="dettagli"><dt>Bagni</dt><dd>{bagni}</dd><dt>Classe energetica</dt><dd>{classe}</dd><dt>Spese condominiali</dt><dd>{spese}</dd><dt>Cauzione</dt><dd>{cauzione}</dd><dt>Disponibile dal</dt><dd>{libero}</dd><dt>Arredato</dt><dd>{arredato}</dd></dl>`,
			},
			columns: []column{
				{name: "indirizzo", kind: "string", about: "indirizzo dell'appartamento", label: "Indirizzo"},
				{name: "canone", kind: "integer", about: "canone mensile in euro", on: "list", make: wasFrom(stepped(42, 180, 10, ".", "€ %s"), "da", "€ %s", ".")},
				{name: "locali", kind: "integer", about: "numero di locali", on: "list", make: anyOf([]float64{1, 2, 3, 4, 5}, "monolocale (un locale)", "due locali", "tre locali", "quattro locali", "5 locali")},
				{name: "mq", kind: "integer", about: "superficie in metri quadrati", on: "list", make: whole(28, 148, ".", "%s mq")},
				{name: "piano", kind: "integer", about: "piano, 0 se è il piano terra", on: "list", make: anyOf([]float64{1, 2, 3, 4}, "primo piano", "2° piano", "terzo piano", "4° piano")},
				{name: "ascensore", kind: "boolean", about: "c'è l'ascensore", on: "list", make: worded(0.6, []string{"con ascensore", "ascensore"}, []string{"senza ascensore", "no ascensore"})},
				{name: "bagni", kind: "integer", about: "numero di bagni", on: "detail", label: "Bagni", make: anyOf([]float64{1, 2, 3}, "uno", "due", "3")},
				{name: "classe", kind: "string", about: "classe energetica", on: "detail", make: one("A2", "C", "F", "G")},
				{name: "spese", kind: "integer", about: "spese condominiali al mese in euro", on: "detail", make: free(stepped(4, 22, 10, ".", "%s € al mese"), 4, "incluse")},
				{name: "cauzione", kind: "integer", about: "cauzione in mensilità", on: "detail", make: anyOf([]float64{1, 2, 3}, "una mensilità", "due mensilità", "tre mensilità")},
				{name: "libero", kind: "date", about: "giorno da cui è disponibile", on: "detail", make: day(2026, 2027, "it", "D N Y")},
				{name: "arredato", kind: "boolean", about: "è arredato", on: "detail", make: worded(0.5, []string{"sì", "solo cucina"}, []string{"no", "non arredato"})},
			},
		},
	}
}

// seventeenthTasks are the questions about the seventeenth sites.
func (w *Web) seventeenthTasks() {
	w.ask("gather", "volkstuin-vechtzoom.test", "alle tuinen met laan, afmetingen, pacht, huisje, water, aangeboden op, grondsoort, overname, wachttijd (maanden), fruitbomen, borg", "tuin laan maat pacht huisje water sinds grond overname wacht bomen borg")
	w.ask("gather", "choirs.estuary.test", "all choirs: town, kind, rehearsal day + time, members, parts, audition?, fee per term, founded, conductor, taking new members?", "choir town kind day hour members parts audition fee founded conductor joined")
	w.ask("gather", "case-lungofiume.test", "tutti gli appartamenti: canone, locali, mq, piano, ascensore, bagni, classe, spese, cauzione, disponibile dal, arredato", "indirizzo canone locali mq piano ascensore bagni classe spese cauzione libero arredato")

	w.ask("conditions", "volkstuin-vechtzoom.test", "tuinen met huisje die deze week zijn aangeboden (vanaf 28 april 2026) en hooguit 200 euro pacht", "tuin pacht sinds", is("huisje", "=", "true", "met huisje"), is("sinds", ">=", "2026-04-28", "vanaf 28 april 2026"), is("pacht", "<=", "200", "hooguit 200 euro pacht").in("euro"))
	w.ask("conditions", "volkstuin-vechtzoom.test", "wachttijd korter dan een jaar, geen borg", "tuin wacht borg", is("wacht", "<", "1", "korter dan een jaar").in("jaar").means("12"), is("borg", "=", "0", "geen borg"))
	w.ask("conditions", "volkstuin-vechtzoom.test", "klei of zand met minstens twee fruitbomen", "tuin grond bomen", is("grond", "in", "klei | zand", "klei of zand"), is("bomen", ">=", "2", "minstens twee fruitbomen"))
	w.ask("conditions", "choirs.estuary.test", "choirs w/o audition that still take people, not more than £40 a term", "choir fee", is("audition", "=", "false", "w/o audition"), is("joined", "=", "true", "still take people"), is("fee", "<=", "40", "not more than £40 a term").in("£"))
	w.ask("conditions", "choirs.estuary.test", "four part or more, between 20 and 50 members, founded before 1950", "choir parts members founded", is("parts", ">=", "4", "four part or more"), is("members", ">=", "20", "between 20 and 50 members"), is("members", "<=", "50", "between 20 and 50 members"), is("founded", "<", "1950", "founded before 1950"))
	w.ask("conditions", "case-lungofiume.test", "trilocali o più grandi sotto i 1.000 euro con ascensore", "indirizzo locali canone", is("locali", ">=", "3", "trilocali o più grandi"), is("canone", "<", "1000", "sotto i 1.000 euro").in("euro"), is("ascensore", "=", "true", "con ascensore"))
	w.ask("conditions", "case-lungofiume.test", "dal terzo piano in su, almeno due bagni, spese incluse", "indirizzo piano bagni", is("piano", ">=", "3", "dal terzo piano in su"), is("bagni", ">=", "2", "almeno due bagni"), is("spese", "=", "0", "spese incluse"))
	w.ask("conditions", "case-lungofiume.test", "liberi entro giugno 2026 con una sola mensilità di cauzione", "indirizzo libero cauzione", is("libero", "<=", "2026-06-30", "entro giugno 2026"), is("cauzione", "=", "1", "una sola mensilità"))

	w.ask("top", "case-lungofiume.test", "i tre più economici", "indirizzo canone", is("canone", "bottom", "3", "tre più economici"))
	w.best("best", "choirs.estuary.test", "which choir has most members", "choir members", is("members", "top", "1", "most members"))
	w.best("best", "volkstuin-vechtzoom.test", "goedkoopste tuin aan het kersenpad", "tuin pacht", is("laan", "=", "Kersenpad", "aan het kersenpad"), is("pacht", "bottom", "1", "goedkoopste"))
	w.count("count", "volkstuin-vechtzoom.test", "hoeveel tuinen hebben geen fruitbomen?", is("bomen", "=", "0", "geen fruitbomen"))
	w.count("count", "choirs.estuary.test", "how many are conducted by miriam lodge", is("conductor", "=", "Miriam Lodge", "conducted by miriam lodge"))
	w.count("count", "case-lungofiume.test", "quanti al primo piano?", is("piano", "=", "1", "primo piano"))
	w.compare("comparison", "case-lungofiume.test", "%s o %s? mq, bagni, spese", "indirizzo mq bagni spese", 3, 18)
	w.lookup("lookup", "volkstuin-vechtzoom.test", "hoe lang is de wachttijd voor %s en sinds wanneer staat hij erop", "wacht sinds", 14)
	w.lookup("lookup", "choirs.estuary.test", "%s - how many parts and what does it cost?", "parts fee", 11)
	w.open("open", "choirs.estuary.test", "chamber choirs with number of members", "choir kind members", is("kind", "=", "chamber choir", "chamber choirs"))
}
