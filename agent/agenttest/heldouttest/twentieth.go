// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"html"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"example.com/curlew/agent/internal/protocol"
)

// The twentieth set has habits of shops and registers that no set before it has:
//
//  1. a German shop for parts of bicycles: cents in an element of their own, stars that only an attribute
//     counts, delivery as a range of days, links that sort the list beside the links to its pages, and a
//     dialog with the details, of which a script alone states one
//  2. Latvian auctions of a town: a table whose head is repeated, with days as "2026. gada 3. maijs"
//  3. English dinghies: two lists of terms side by side, feet and inches, stones and pounds, "the 3rd of May 2026"
//  4. Thai guest houses with years and days of the Buddhist era
//  5. a French second-hand shop: three measures in one text, "1er mars", and what is sold has a class and a word
//  6. Brazilian courses with instalments beside the price, hours as "40h", and stars as signs
//  7. English fencing clubs behind an index of counties, in accordions, and the leagues that they are in
//
// Its questions have conditions in other units, say what must not be, and compare three things.

// twentiethSites are the sites of the twentieth set.
func twentiethSites() []*site {
	leagues := []string{"Three Rivers League", "Downs and Weald League", "Western Foil League"}
	return []*site{
		{
			host: "speichenwerk.test", lang: "de", title: "Fahrradteile günstig kaufen | Speichenwerk", noun: "Artikel", member: "artikel", n: 36, per: 12, pager: true, sorts: []string{"preis", "sterne"},
			names: pairs("Kettenblatt Laufrad Sattelstütze Vorbau Lenker Pedale", "Basis Tour Trail Pro Carbon Leicht", "%s %s"),
			list:  "form", paging: "numbered", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/p/%s-%d.html", squashed(t.name), 70211+i*9) },
			form: form{
				before: `<div class="row products">`,
				item: `<div class="product-box"><a class="product-image" href="{link}"><img src="/media/{link}.jpg" alt=""></a><div class="product-name">{name}</div><div class="rating">{sterne}<span class="count">({stimmen})</span></div><div class="price">{preis}</div><div class="delivery"><span class="dot"></span>Lieferzeit {von}–{bis} Werktage</div><div class="stock">{lager}</div></div>
`,
				after:   `</div>`,
				detail:  `<ul class="nav-tabs"><li><a href="#beschreibung">Beschreibung</a></li><li><a href="#bewertungen">Bewertungen</a></li></ul><div id="beschreibung"><p>Ein bewährtes Teil für Alltag und Reise.</p><button popovertarget="daten">Technische Daten</button></div><dialog id="daten"><h2>Technische Daten</h2><table><tr><td>Hersteller</td><td>{hersteller}</td></tr><tr><td>Gewicht</td><td>{gewicht}</td></tr><tr><td>Farbe</td><td>{farbe}</td></tr><tr><td>Garantie</td><td>{garantie}</td></tr><tr><td>Zulässiges Fahrergewicht</td><td>{zuladung}</td></tr></table></dialog><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"{named}","gtin13":"{gtin13}"}</script>`,
				related: `<div class="product-box small"><div class="product-name">{artikel}</div><div class="price">{preis}</div></div>`,
			},
			columns: []column{
				{name: "artikel", kind: "string", about: "Name des Artikels", label: "Artikel"},
				{name: "sterne", kind: "number", about: "Bewertung, höchstens 5", on: "list", make: halfStars},
				{name: "stimmen", kind: "integer", about: "Anzahl der Bewertungen", on: "list", make: whole(2, 940, ".", "%s")},
				{name: "preis", kind: "number", about: "Preis in Euro", on: "list", make: splitCents(495, 18900)},
				{name: "von", kind: "integer", about: "kürzeste Lieferzeit in Werktagen", on: "list", make: whole(1, 4, "", "%s")},
				{name: "bis", kind: "integer", about: "längste Lieferzeit in Werktagen", on: "list", make: whole(5, 15, "", "%s")},
				{name: "lager", kind: "boolean", about: "ist auf Lager", on: "list", make: worded(0.7, []string{"auf Lager", "nur noch wenige Stück"}, []string{"ausverkauft", "Vorbestellung"})},
				{name: "hersteller", kind: "string", about: "Hersteller", on: "detail", make: one("Velotec", "Ritzelmann", "Alpenrad")},
				{name: "gewicht", kind: "integer", about: "Gewicht in Gramm", on: "detail", make: either(whole(95, 980, ".", "%s g"), anyOf([]float64{1150, 1400, 2050}, "1,15 kg", "1,4 kg", "2,05 kg"))},
				{name: "farbe", kind: "string", about: "Farbe", on: "detail", make: one("Schwarz matt", "Silber", "Rot")},
				{name: "garantie", kind: "integer", about: "Garantie in Jahren", on: "detail", make: anyOf([]float64{2, 3, 5, 10}, "24 Monate", "3 Jahre", "fünf Jahre", "10 Jahre")},
				{name: "zuladung", kind: "integer", about: "zulässiges Gewicht des Fahrers in kg", on: "detail", make: anyOf([]float64{90, 110, 130}, "bis 90 kg", "max. 110 kg", "130 kg"), missing: 0.2, blank: "–"},
				{name: "gtin13", kind: "string", about: "GTIN", on: "nowhere", make: id(4012345000117, 37, "%d")},
			},
		},
		{
			host: "izsoles.liepkalne.test", lang: "lv", title: "Liepkalnes novada pašvaldības izsoles", noun: "izsole", member: "izsoles", n: 32, per: 16, onward: "Iepriekšējās izsoles",
			names: func(_ *rand.Rand, i int) string {
				return strings.Fields("Dzirnavu Skolas Pļavu Ezera Meža Kalna Upes Stacijas")[i%8] + []string{" ielas noliktava", " ielas dzīvoklis", " ciema zeme", " ielas garāža"}[i/8]
			},
			list: "form", paging: "more",
			form: form{
				before: `<table class="tbl"><thead><tr><th>Objekts</th><th>Platība</th><th>Sākumcena</th><th>Solis</th><th>Nodrošinājums</th><th>Izsoles diena</th><th>Dalībnieki</th><th>Rezultāts</th></tr></thead><tbody>`,
				item: `<tr><td>{name}</td><td>{platiba}</td><td>{cena}</td><td>{solis}</td><td>{drosiba}</td><td>{diena}</td><td>{dalibnieki}</td><td>{notikusi}</td></tr>
`,
				ad:    `<tr class="rep"><th>Objekts</th><th>Platība</th><th>Sākumcena</th><th>Solis</th><th>Nodrošinājums</th><th>Izsoles diena</th><th>Dalībnieki</th><th>Rezultāts</th></tr>` + "\n",
				after: `</tbody></table><p>Izsoles notiek elektroniski.</p>`,
			},
			columns: []column{
				{name: "objekts", kind: "string", about: "izsolāmais objekts", label: "Objekts"},
				{name: "platiba", kind: "number", about: "platība kvadrātmetros", make: either(decimal(20, 480, ",", "%s m²"), anyOf([]float64{12000, 8400, 35000}, "1,2 ha", "0,84 ha", "3,5 ha"))},
				{name: "cena", kind: "integer", about: "sākumcena eiro", make: stepped(21, 390, 100, " ", "%s EUR")},
				{name: "solis", kind: "integer", about: "izsoles solis eiro", make: stepped(1, 9, 100, " ", "EUR %s,00")},
				{name: "drosiba", kind: "number", about: "nodrošinājums procentos", make: anyOf([]float64{10, 7.5, 20}, "10 %", "7,5 %", "20 %")},
				{name: "diena", kind: "date", about: "izsoles diena", make: day(2023, 2027, "lv", "Y. gada D. N")},
				{name: "dalibnieki", kind: "integer", about: "dalībnieku skaits", make: either(whole(4, 19, "", "%s"), anyOf([]float64{0, 1, 2, 3}, "nav", "viens", "divi", "trīs"))},
				{name: "notikusi", kind: "boolean", about: "izsole ir notikusi", make: worded(0.6, []string{"notikusi", "pārdots"}, []string{"nav notikusi", "atcelta"})},
			},
		},
		{
			host: "dinghyport.test", lang: "en-GB", title: "Second-hand dinghies – Dinghyport", noun: "dinghy", member: "dinghies", n: 32, per: 8, unlinked: true,
			names: func(_ *rand.Rand, i int) string {
				return []string{"Wayfarer", "Mirror", "Enterprise", "Gull", "Heron", "Solo", "Firefly", "Scorpion"}[i%8] + fmt.Sprintf(" %d", 1204+i*331)
			},
			list: "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return "/boat/" + opaque("dinghy", i) },
			form: form{
				item: `<section class="ad"><h2>{name}</h2><p class="where">Lying {lying}. Listed on {listed}.</p><p class="money">{price}</p></section>
`,
				detail: `<div class="cols"><dl class="left"><dt>Length overall</dt><dd>{length}</dd><dt>Hull weight</dt><dd>{weight}</dd><dt>Built</dt><dd>{built}</dd></dl><dl class="right"><dt>Crew</dt><dd>{crew}</dd><dt>Sails</dt><dd>{sails}</dd><dt>Launching trolley</dt><dd>{trolley}</dd></dl></div><details><summary>Viewing</summary><p>Viewing from {viewing}. Deposit: {deposit}.</p></details>`,
			},
			columns: []column{
				{name: "dinghy", kind: "string", about: "class and sail number", label: "Dinghy"},
				{name: "lying", kind: "string", about: "where it lies", on: "list", make: one("Bosham Creek", "Chew Water", "Rutland Bank")},
				{name: "listed", kind: "date", about: "day on which it was listed", on: "list", make: ordinalDay("%s %s %d", "the %s of %s %d")},
				{name: "price", kind: "number", about: "price in pounds", on: "list", make: either(stepped(3, 48, 50, ",", "£%s"), stepped(3, 48, 50, ",", "£%s ono"))},
				{name: "length", kind: "number", about: "length in metres", on: "detail", make: anyOf([]float64{4.83, 3.3, 4.04, 3.35, 3.43}, "4.83 m", "3.30 m", "4.04m", "3.35 metres", "343 cm")},
				{name: "weight", kind: "integer", about: "weight of the hull in kilograms", on: "detail", make: whole(46, 170, ",", "%s kg")},
				{name: "built", kind: "integer", about: "year in which it was built", on: "detail", make: either(year(1962, 2019), whole(1962, 2019, "", "about %s"))},
				{name: "crew", kind: "integer", about: "size of the crew", on: "detail", make: anyOf([]float64{1, 2, 3}, "single-hander", "two", "up to three")},
				{name: "sails", kind: "integer", about: "number of sails", on: "detail", make: anyOf([]float64{1, 2, 3, 4}, "one", "a pair", "3", "four")},
				{name: "trolley", kind: "boolean", about: "a launching trolley is included", on: "detail", make: worded(0.6, []string{"included", "yes, galvanised"}, []string{"not included", "no"})},
				{name: "viewing", kind: "date", about: "day from which it can be viewed", on: "detail", make: ordinalDay("%s %s %d", "%s of %s %d")},
				{name: "deposit", kind: "number", about: "deposit in pounds", on: "detail", make: free(stepped(1, 6, 50, ",", "£%s"), 4, "none needed")},
			},
		},
		{
			host: "baanpak-nanglae.test", lang: "th", title: "บ้านพัก นางแล", noun: "บ้านพัก", member: "houses", n: 28, per: 14, onward: "หน้าถัดไป",
			names: pairs("บ้าน เรือน สวน ไร่", "ริมน้ำ ชายเขา กลางทุ่ง หน้าวัด ใต้ต้นจาม ทางแก้ว ตะวันออก", "%s %s"),
			list:  "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/h/%d", 5100+i*3) },
			form: form{
				item: `<div class="house"><h3>{name}</h3><p>ตำบล: {tambon}</p><p>ราคา: {price} ต่อคืน</p><p>{rooms|จำนวนห้อง: } ห้อง</p><p>{breakfast|อาหารเช้า: }</p></div>
`,
				detail: `<table><tr><th>ตำบล</th><td>{tambon}</td></tr><tr><th>สร้างเมื่อ</th><td>{built}</td></tr><tr><th>เปิดจองถึง</th><td>{until}</td></tr><tr><th>ระยะทางจากตลาด</th><td>{far}</td></tr><tr><th>ที่จอดรถ</th><td>{parking}</td></tr><tr><th>เงินมัดจำ</th><td>{deposit}</td></tr></table>`,
			},
			columns: []column{
				{name: "house", kind: "string", about: "ชื่อบ้านพัก", label: "ชื่อ"},
				{name: "tambon", kind: "string", about: "ตำบล", make: one("นางแล", "ท่าสุด", "บ้านดู่")},
				{name: "price", kind: "integer", about: "ราคาต่อคืน (บาท)", on: "list", make: stepped(4, 48, 50, ",", "%s บาท")},
				{name: "rooms", kind: "integer", about: "จำนวนห้อง", on: "list", make: whole(2, 18, ",", "%s")},
				{name: "breakfast", kind: "boolean", about: "มีอาหารเช้า", on: "list", make: flag(0.6, "มี", "ไม่มี")},
				{name: "built", kind: "integer", about: "ปี ค.ศ. ที่สร้าง", on: "detail", make: buddhistYear},
				{name: "until", kind: "date", about: "วันสุดท้ายที่จองได้", on: "detail", make: buddhistDay},
				{name: "far", kind: "number", about: "ระยะทางจากตลาด (กิโลเมตร)", on: "detail", make: either(decimal(1, 14, ".", "%s กม."), anyOf([]float64{0.3, 0.65, 0.8}, "300 เมตร", "650 เมตร", "800 ม."))},
				{name: "parking", kind: "boolean", about: "มีที่จอดรถ", on: "detail", make: worded(0.7, []string{"มี", "จอดฟรี"}, []string{"ไม่มี", "จอดริมถนน"})},
				{name: "deposit", kind: "integer", about: "เงินมัดจำ (บาท)", on: "detail", make: free(stepped(2, 12, 100, ",", "%s บาท"), 4, "ไม่เก็บ")},
			},
		},
		{
			host: "depot-brocante-tille.test", lang: "fr", title: "Dépôt-brocante de la Tille", noun: "meuble", member: "meubles", n: 33, per: 11, sorts: []string{"prix"}, cursor: true, token: "c", onward: "Meubles suivants",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Armoire", "Buffet", "Commode", "Secrétaire", "Table basse", "Vaisselier"}[i%6] + fmt.Sprintf(" réf. %d", 3017+i*4)
			},
			list: "form", paging: "more", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/meuble/%s", opaque("tille", i)) },
			form: form{
				before: `<nav class="langues"><a href="https://en.depot-brocante-tille.test/" hreflang="en">English</a> <a href="https://de.depot-brocante-tille.test/" hreflang="de">Deutsch</a></nav><ul class="grid">`,
				item: `<li class="card"><h3>{name}</h3><div class="badge">{vendu}</div><p>{epoque}</p><p class="prix">{prix}</p></li>
`,
				after:  `</ul>`,
				detail: `<nav><a href="#desc">Description</a> <a href="#dim">Dimensions</a></nav><section id="desc"><p>En {bois}, {etat}. {cles}.</p></section><section id="dim"><p>L {largeur} × P {profondeur} × H {hauteur} cm – {poids}</p></section><footer>Mis en ligne le {ligne} · vu {vues}</footer>`,
			},
			columns: []column{
				{name: "meuble", kind: "string", about: "nom du meuble avec sa référence", label: "Meuble"},
				{name: "vendu", kind: "boolean", about: "est déjà vendu", on: "list", make: worded(0.35, []string{"Vendu", "Parti"}, []string{"Disponible", "Encore là"})},
				{name: "epoque", kind: "string", about: "époque", on: "list", make: one("Louis-Philippe", "Art déco", "années 50")},
				{name: "prix", kind: "number", about: "prix en euros", on: "list", make: wasFrom(stepped(6, 148, 10, " ", "%s €"), "à partir de", "%s €", " ")},
				{name: "bois", kind: "string", about: "essence de bois", on: "detail", make: one("chêne", "noyer", "merisier")},
				{name: "etat", kind: "string", about: "état", on: "detail", make: one("bon état", "à restaurer", "état d'usage")},
				{name: "cles", kind: "integer", about: "nombre de clés", on: "detail", make: anyOf([]float64{0, 1, 2, 3}, "Sans clé", "Une clé", "Deux clés", "3 clés")},
				{name: "largeur", kind: "integer", about: "largeur en centimètres", on: "detail", make: whole(100, 180, "", "%s")},
				{name: "profondeur", kind: "integer", about: "profondeur en centimètres", on: "detail", make: whole(35, 65, "", "%s")},
				{name: "hauteur", kind: "integer", about: "hauteur en centimètres", on: "detail", make: whole(66, 99, "", "%s")},
				{name: "poids", kind: "number", about: "poids en kilogrammes", on: "detail", make: decimal(11, 88, ",", "%s kg")},
				{name: "ligne", kind: "date", about: "jour de mise en ligne", on: "detail", make: firstDay},
				{name: "vues", kind: "integer", about: "nombre de vues", on: "detail", make: anyOf([]float64{1, 2, 148, 1302}, "une fois", "deux fois", "148 fois", "1 302 fois")},
			},
		},
		{
			host: "cursoslivres-mare.test", lang: "pt-BR", title: "Cursos livres da Maré", noun: "curso", member: "cursos", n: 30, per: 10, cursor: true, token: "t", onward: "Próximos cursos",
			names: pairs("Cerâmica Costura Edição Fotografia Gravura Marcenaria", "básica noturna intensiva avançada online", "%s %s"),
			list:  "form", paging: "more", detail: "form", path: func(i int, t *thing) string { return fmt.Sprintf("/curso/%s/%d", squashed(t.name), 310+i*7) },
			form: form{
				before: `<div class="lista">`,
				item: `<div class="curso"><h3>{name}</h3><div>{sede}</div><div class="nota">{nota}</div><div class="valor"><b>{preco}</b> ou {parcelas} de {parcela}</div><div>{vagas}</div></div>
`,
				after:  `</div>`,
				detail: `<div class="ficha"><div><span>Carga horária</span><strong>{horas}</strong></div><div><span>Início</span><strong>{inicio}</strong></div><div><span>Turno</span><strong>{turno}</strong></div><div><span>Certificado</span><strong>{certificado}</strong></div><div><span>Idade mínima</span><strong>{idade}</strong></div></div>`,
			},
			columns: []column{
				{name: "curso", kind: "string", about: "nome do curso", label: "Curso"},
				{name: "sede", kind: "string", about: "sede", on: "list", make: one("Galpão Norte", "Casa Azul", "Oficina do Cais")},
				{name: "nota", kind: "integer", about: "nota em estrelas, de 1 a 5", on: "list", make: anyOf([]float64{2, 3, 4, 5}, "★★☆☆☆", "★★★☆☆", "★★★★☆", "★★★★★")},
				{name: "preco", kind: "number", about: "preço à vista em reais", on: "list", make: cents(79900, 99900, "R$ %d,%02d")},
				{name: "parcelas", kind: "integer", about: "número de parcelas", on: "list", make: anyOf([]float64{3, 6, 10, 12}, "3x", "6x", "10x", "12x")},
				{name: "parcela", kind: "number", about: "valor de cada parcela em reais", on: "list", make: cents(7900, 38900, "R$ %d,%02d")},
				{name: "vagas", kind: "integer", about: "vagas que restam", on: "list", make: either(whole(2, 30, "", "restam %s vagas"), anyOf([]float64{0, 1}, "esgotado", "última vaga"))},
				{name: "horas", kind: "integer", about: "carga horária em horas", on: "detail", make: anyOf([]float64{20, 40, 60, 72}, "20h", "40 h", "60 horas", "72h/aula")},
				{name: "inicio", kind: "date", about: "dia de início", on: "detail", make: day(2026, 2027, "pt", "D de N de Y")},
				{name: "turno", kind: "string", about: "turno", on: "detail", make: one("manhã", "noite", "sábado")},
				{name: "certificado", kind: "boolean", about: "dá certificado", on: "detail", make: worded(0.6, []string{"incluso", "sim"}, []string{"não emite", "não"})},
				{name: "idade", kind: "integer", about: "idade mínima em anos", on: "detail", make: anyOf([]float64{12, 16, 18}, "a partir de 12 anos", "16 anos", "maiores de 18")},
			},
		},
		{
			host: "fencingclubs.test", lang: "en", title: "Find a fencing club", noun: "club", member: "clubs", n: 30, by: "county",
			names: pairs("Blackwater Cranbourne Dunmore Eastgate Fairfield", "Blades Fencers Salle Swords Musketeers Duellists", "%s %s"),
			list:  "form", paging: "groups", detail: "form", path: func(i int, t *thing) string { return "/clubs/" + squashed(t.name) },
			form: form{
				item: `<li class="club"><span class="n">{name}</span> <span class="pill">{weapons}</span> <span class="pill">{beginners}</span></li>
`,
				detail: `<details open><summary>Where and when</summary><p>{county}</p><p>Meets {nights} a week, {members} members.</p></details><details><summary>Money</summary><p>Annual fee {fee}; first session {trial}.</p></details><details><summary>Affiliation</summary><p>Fences in the {league} since {since}.</p><p>Wheelchair access: {access}</p></details>`,
			},
			columns: []column{
				{name: "club", kind: "string", about: "name of the club", label: "Club"},
				{name: "county", kind: "string", about: "county", on: "detail", make: turn("Avonshire", "Medway", "Wyre")},
				{name: "weapons", kind: "string", about: "weapons", on: "list", make: one("foil", "foil and epee", "sabre")},
				{name: "beginners", kind: "boolean", about: "takes beginners", on: "list", make: worded(0.6, []string{"beginners welcome", "takes beginners"}, []string{"no beginners", "experienced fencers only"})},
				{name: "nights", kind: "integer", about: "nights a week", on: "detail", make: anyOf([]float64{1, 2, 3}, "once", "twice", "three times")},
				{name: "members", kind: "integer", about: "number of members", on: "detail", make: either(whole(14, 130, ",", "%s"), anyOf([]float64{12, 24, 60}, "a dozen", "two dozen", "sixty"))},
				{name: "fee", kind: "number", about: "fee for a year in pounds", on: "detail", make: stepped(8, 30, 10, ",", "£%s")},
				{name: "trial", kind: "number", about: "price of the first session in pounds", on: "detail", make: anyOf([]float64{0, 5, 7.5}, "free", "£5", "£7.50")},
				{name: "league", kind: "string", about: "league it is in", on: "detail", make: turn(leagues...)},
				{name: "since", kind: "integer", about: "year in which it joined the league", on: "detail", make: year(1971, 2022)},
				{name: "access", kind: "boolean", about: "has wheelchair access", on: "detail", make: worded(0.5, []string{"yes", "yes, by the side door"}, []string{"no", "not yet"})},
			},
		},
		{
			host: "fencingleagues.test", lang: "en", title: "Fencing leagues and their secretaries", noun: "league", member: "leagues", n: 3,
			names: fixed(leagues...),
			list:  "tiles", detail: "terms", anchor: "Open", path: func(i int, _ *thing) string { return fmt.Sprintf("/l/%d", 9041+i*77) },
			columns: []column{
				{name: "league", kind: "string", about: "name of the league", label: "League"},
				{name: "secretary", kind: "string", about: "secretary of the league", label: "Hon. secretary", on: "detail", make: turn("Maud Ellery", "Piers Donnan", "Ottilie Vane")},
				{name: "founded", kind: "integer", about: "year of foundation", label: "Founded", on: "detail", make: year(1931, 1969)},
			},
		},
	}
}

// halfStars makes ratings that an attribute alone states.
func halfStars(rng *rand.Rand, _ int) (any, string) {
	n := 4 + rng.IntN(7)
	text := strings.TrimSuffix(fmt.Sprintf("%d,%d", n/2, n%2*5), ",0")
	return float64(n) / 2, fmt.Sprintf(`<%s|<span class="stars s%d" role="img" aria-label="%s von 5 Sternen"></span>`, text, n*10, text)
}

// splitCents makes prices whose cents have an element of their own.
func splitCents(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		euros, cents := grouped(n/100, "."), fmt.Sprintf("%02d", n%100)
		return float64(n) / 100, fmt.Sprintf(`<%s,%s|<span class="whole">%s</span><span class="sep">,</span><span class="fraction">%s</span> <span class="cur">€</span>`, euros, cents, euros, cents)
	}
}

// ordinalDay makes English dates with days such as "1st" and "22nd", with each of the formats in turn.
func ordinalDay(formats ...string) maker {
	return func(rng *rand.Rand, i int) (any, string) {
		t := time.Date(2026, time.Month(1+rng.IntN(12)), 1+rng.IntN(28), 0, 0, 0, 0, time.UTC)
		ending := "th"
		switch t.Day() {
		case 1, 21:
			ending = "st"
		case 2, 22:
			ending = "nd"
		case 3, 23:
			ending = "rd"
		}
		return t.Format(time.DateOnly), fmt.Sprintf(formats[i%len(formats)], fmt.Sprint(t.Day(), ending), t.Month().String(), t.Year())
	}
}

// firstDay makes French dates. A third of them are the first day of a month, which is written "1er".
func firstDay(rng *rand.Rand, i int) (any, string) {
	d := 1
	if i%3 > 0 {
		d += rng.IntN(28)
	}
	t := time.Date(2025+rng.IntN(2), time.Month(1+rng.IntN(12)), d, 0, 0, 0, 0, time.UTC)
	text := fmt.Sprint(d)
	if d == 1 {
		text = "1er"
	}
	return t.Format(time.DateOnly), fmt.Sprintf("%s %s %d", text, months["fr"][t.Month()-1], t.Year())
}

// buddhistYear makes years that are printed in the Buddhist era.
func buddhistYear(rng *rand.Rand, _ int) (any, string) {
	n := 1961 + rng.IntN(60)
	return float64(n), fmt.Sprintf("พ.ศ. %d", n+543)
}

// buddhistDay makes dates that are printed in the Buddhist era.
func buddhistDay(rng *rand.Rand, _ int) (any, string) {
	t := time.Date(2026, time.Month(1+rng.IntN(12)), 1+rng.IntN(28), 0, 0, 0, 0, time.UTC)
	return t.Format(time.DateOnly), fmt.Sprintf("%d %s %d", t.Day(), months["th"][t.Month()-1], t.Year()+543)
}

// sorted adds the pages to which the links that sort a list lead: the same things in another order.
func (w *Web) sorted(s *site) {
	for _, by := range s.sorts {
		p := &page{url: fmt.Sprintf("https://%s/?sort=%sDesc", s.host, by), title: s.title + " (" + by + ")"}
		b := &writer{page: p}
		fmt.Fprintf(b, "<h1>%s</h1>\n", html.EscapeString(s.title))
		things := slices.Clone(s.things)
		slices.SortStableFunc(things, func(x, y *thing) int { return strings.Compare(y.cells[by].text, x.cells[by].text) })
		b.sorts(s)
		b.things(s, s.list, things[:s.per])
		w.add(s, p, "", b.String())
	}
}

// sorts writes links that sort a list.
func (b *writer) sorts(s *site) {
	for _, by := range s.sorts {
		fmt.Fprintf(b, `<a class="sort" rel="nofollow" href="/?sort=%sDesc">%s ▾</a> `, by, by)
	}
}

// compareAll adds a question about several things by name.
func (w *Web) compareAll(class, host, format, fields string, places ...int) {
	s := w.site(host)
	var things []*thing
	var names []string
	var shown []any
	for _, i := range places {
		things, names, shown = append(things, s.things[i]), append(names, s.things[i].name), append(shown, s.things[i].name)
	}
	columns := s.some(fields)
	prompt := fmt.Sprintf(format, shown...)
	last := names[len(names)-1]
	w.keep(class, prompt, &plan{
		site: s, shape: protocol.ShapeComparison, fields: strings.Fields(fields), subjects: things,
		conditions: plain([]condition{is(s.columns[0].name, "in", strings.Join(names, " | "), prompt[strings.Index(prompt, names[0]):strings.Index(prompt, last)+len(last)])}),
	}, listSchema("compared", columns), truthOf("compared", columns, things...), s.entry())
}

// twentiethTasks are the questions about the twentieth sites.
func (w *Web) twentiethTasks() {
	w.ask("gather", "speichenwerk.test", "alle artikel mit sternen, anzahl bewertungen, preis, lieferzeit von/bis, auf lager, hersteller, gewicht (g), farbe, garantie in jahren, fahrergewicht", "artikel sterne stimmen preis von bis lager hersteller gewicht farbe garantie zuladung")
	w.ask("gather", "speichenwerk.test", "artikelnamen und gtin", "artikel gtin13")
	w.ask("gather", "izsoles.liepkalne.test", "visas izsoles: platība, sākumcena, solis, nodrošinājums, diena, dalībnieki, vai notikusi", "objekts platiba cena solis drosiba diena dalibnieki notikusi")
	w.ask("gather", "dinghyport.test", "every dinghy: lying, listed, price, length, hull weight, built, crew, sails, trolley?, viewing from, deposit", "dinghy lying listed price length weight built crew sails trolley viewing deposit")
	w.ask("gather", "baanpak-nanglae.test", "บ้านพักทั้งหมด: ตำบล ราคา ห้อง อาหารเช้า ปีที่สร้าง (ค.ศ.) จองได้ถึง ระยะทาง ที่จอดรถ มัดจำ", "house tambon price rooms breakfast built until far parking deposit")
	w.ask("gather", "depot-brocante-tille.test", "tous les meubles : vendu ?, époque, prix, bois, état, clés, largeur, profondeur, hauteur, poids, mis en ligne le, vues", "meuble vendu epoque prix bois etat cles largeur profondeur hauteur poids ligne vues")
	w.ask("gather", "cursoslivres-mare.test", "todos os cursos com sede, nota, preço à vista, parcelas, valor da parcela, vagas, carga horária, início, turno, certificado, idade mínima", "curso sede nota preco parcelas parcela vagas horas inicio turno certificado idade")
	w.ask("gather", "fencingclubs.test", "all clubs with county, weapons, beginners, nights a week, members, annual fee, first session price, league, since, wheelchair access", "club county weapons beginners nights members fee trial league since access")

	w.ask("conditions", "speichenwerk.test", "mindestens 3 sterne, unter 100 euro, nicht ausverkauft oder vorbestellung", "artikel sterne preis", is("sterne", ">=", "3", "mindestens 3 sterne"), is("preis", "<", "100", "unter 100 euro").in("euro"), is("lager", "=", "true", "nicht ausverkauft oder vorbestellung"))
	w.ask("conditions", "speichenwerk.test", "nicht von velotec, leichter als ein halbes kilo, garantie länger als 2 jahre", "artikel hersteller gewicht garantie", is("hersteller", "!=", "Velotec", "nicht von velotec"), is("gewicht", "<", "0.5", "leichter als ein halbes kilo").in("kg").means("500"), is("garantie", ">", "2", "länger als 2 jahre").in("Jahre"))
	w.ask("conditions", "izsoles.liepkalne.test", "izsoles 2025. gadā ar sākumcenu zem 20 000 eiro", "objekts cena diena", is("diena", ">=", "2025-01-01", "2025. gadā"), is("diena", "<=", "2025-12-31", "2025. gadā"), is("cena", "<", "20000", "zem 20 000 eiro").in("EUR"))
	w.ask("conditions", "izsoles.liepkalne.test", "lielākas par pushektāru, nav notikusi", "objekts platiba", is("platiba", ">", "0.5", "lielākas par pushektāru").in("ha").means("5000"), is("notikusi", "=", "false", "nav notikusi"))
	w.ask("conditions", "izsoles.liepkalne.test", "bez neviena dalībnieka", "objekts dalibnieki", is("dalibnieki", "=", "0", "bez neviena dalībnieka"))
	w.ask("conditions", "dinghyport.test", "dinghies under 12 feet with a trolley", "dinghy length", is("length", "<", "12", "under 12 feet").in("ft").means("3.6576"), is("trolley", "=", "true", "with a trolley"))
	w.ask("conditions", "dinghyport.test", "not at rutland bank, two crew or more, listed from 1st april 2026, below 1,500", "dinghy lying crew listed price", is("lying", "!=", "Rutland Bank", "not at rutland bank"), is("crew", ">=", "2", "two crew or more"), is("listed", ">=", "2026-04-01", "from 1st april 2026"), is("price", "<", "1500", "below 1,500").in("£"))
	w.ask("conditions", "dinghyport.test", "lighter than 220 lbs, no deposit", "dinghy weight deposit", is("weight", "<", "220", "lighter than 220 lbs").in("lb").means("99.79"), is("deposit", "=", "0", "no deposit"))
	w.ask("conditions", "baanpak-nanglae.test", "มีอาหารเช้า ราคาไม่เกิน 1,000 บาท", "house price", is("breakfast", "=", "true", "มีอาหารเช้า"), is("price", "<=", "1000", "ไม่เกิน 1,000 บาท").in("บาท"))
	w.ask("conditions", "baanpak-nanglae.test", "สร้างหลังปี ค.ศ. 2000 ไม่เก็บมัดจำ", "house built deposit", is("built", ">", "2000", "หลังปี ค.ศ. 2000"), is("deposit", "=", "0", "ไม่เก็บมัดจำ"))
	w.ask("conditions", "depot-brocante-tille.test", "pas encore vendus, moins de 80 cm de haut et moins de 600 €", "meuble hauteur prix", is("vendu", "=", "false", "pas encore vendus"), is("hauteur", "<", "80", "moins de 80 cm de haut").in("cm"), is("prix", "<", "600", "moins de 600 €").in("€"))
	w.ask("conditions", "depot-brocante-tille.test", "plus larges qu'un mètre et demi, pas en chêne, en ligne depuis le 1er juin 2025", "meuble largeur bois ligne", is("largeur", ">", "1.5", "plus larges qu'un mètre et demi").in("m").means("150"), is("bois", "!=", "chêne", "pas en chêne"), is("ligne", ">=", "2025-06-01", "depuis le 1er juin 2025"))
	w.ask("conditions", "depot-brocante-tille.test", "sans clé ou à restaurer", "meuble cles etat", is("cles", "=", "0", "sans clé"), is("etat", "=", "à restaurer", "à restaurer").or())
	w.ask("conditions", "cursoslivres-mare.test", "ainda com vaga, 4 estrelas ou mais, não de noite", "curso vagas nota turno", is("vagas", ">", "0", "ainda com vaga"), is("nota", ">=", "4", "4 estrelas ou mais"), is("turno", "!=", "noite", "não de noite"))
	w.ask("conditions", "cursoslivres-mare.test", "mais de 40 horas com certificado, parcela abaixo de 200 reais", "curso horas parcela", is("horas", ">", "40", "mais de 40 horas").in("horas"), is("certificado", "=", "true", "com certificado"), is("parcela", "<", "200", "abaixo de 200 reais").in("R$"))
	w.ask("conditions", "fencingclubs.test", "clubs in medway or wyre that take beginners, first go free", "club county trial", is("county", "in", "Medway | Wyre", "in medway or wyre"), is("beginners", "=", "true", "take beginners"), is("trial", "=", "0", "first go free"))
	w.ask("conditions", "fencingclubs.test", "no sabre, at least twice a week, two dozen members or more", "club weapons nights members", is("weapons", "!=", "sabre", "no sabre"), is("nights", ">=", "2", "at least twice a week"), is("members", ">=", "24", "two dozen members or more"))

	w.ask("top", "cursoslivres-mare.test", "os 3 cursos com melhor nota", "curso nota", is("nota", "top", "3", "3 cursos com melhor nota"))
	w.ask("top", "izsoles.liepkalne.test", "piecas dārgākās izsoles", "objekts cena", is("cena", "top", "5", "piecas dārgākās"))
	w.ask("top", "fencingclubs.test", "four clubs that fence most nights", "club nights", is("nights", "top", "4", "four clubs that fence most nights"))
	w.best("best", "speichenwerk.test", "teuerster lenker", "artikel preis", is("artikel", "contains", "Lenker", "lenker"), is("preis", "top", "1", "teuerster"))
	w.best("best", "depot-brocante-tille.test", "le meuble le plus lourd en noyer", "meuble poids", is("bois", "=", "noyer", "en noyer"), is("poids", "top", "1", "plus lourd"))
	w.best("best", "dinghyport.test", "cheapest dinghy at bosham creek", "dinghy price", is("lying", "=", "Bosham Creek", "at bosham creek"), is("price", "bottom", "1", "cheapest"))
	w.count("count", "speichenwerk.test", "wie viele artikel sind nicht lieferbar?", is("lager", "=", "false", "nicht lieferbar"))
	w.count("count", "fencingclubs.test", "how many clubs joined their league in 2000 or later", is("since", ">=", "2000", "2000 or later"))
	w.count("count", "baanpak-nanglae.test", "ตำบลท่าสุดมีบ้านพักกี่หลัง", is("tambon", "=", "ท่าสุด", "ตำบลท่าสุด"))
	w.count("count", "depot-brocante-tille.test", "combien de meubles sont vendus", is("vendu", "=", "true", "vendus"))
	w.compareAll("comparison", "dinghyport.test", "%s, %s and %s: price, length, sails", "dinghy price length sails", 2, 13, 27)
	w.compareAll("comparison", "cursoslivres-mare.test", "compare %s, %s e %s: preço, horas, início", "curso preco horas inicio", 0, 11, 22)
	w.compareAll("comparison", "fencingclubs.test", "%s / %s / %s – fee, members, since when in their league", "club fee members since", 1, 9, 23)
	w.lookup("lookup", "speichenwerk.test", "was wiegt %s und welche garantie gibt es?", "gewicht garantie", 20)
	w.lookup("lookup", "baanpak-nanglae.test", "%s ราคาเท่าไร จองได้ถึงวันไหน", "price until", 17)
	w.lookup("lookup", "izsoles.liepkalne.test", "kad bija izsole %s un cik dalībnieku", "diena dalibnieki", 19)
	w.absent("lookup", "depot-brocante-tille.test", "combien coûte %s ?", "Chiffonnier réf. 9999", "prix")
	w.hop("hops", "fencingclubs.test", "fencingleagues.test", "who is secretary of the league that "+w.site("fencingclubs.test").things[10].name+" fences in?", "secretary", "league", w.site("fencingclubs.test").things[10])
	w.hop("hops", "fencingclubs.test", "fencingleagues.test", w.site("fencingclubs.test").things[20].name+": when was their league founded", "founded", "league", w.site("fencingclubs.test").things[20])
	w.rowHop("hops", "fencingclubs.test", "fencingleagues.test", "clubs in avonshire with fee and the secretary of their league", "club fee", "secretary", "league", is("county", "=", "Avonshire", "in avonshire"))
	w.open("open", "depot-brocante-tille.test", "les buffets et leur prix", "meuble prix", is("meuble", "contains", "Buffet", "buffets"))
	w.open("open", "fencingclubs.test", "sabre clubs and what a year costs", "club weapons fee", is("weapons", "=", "sabre", "sabre clubs"))
}
