// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The eleventh set has the classes of the first measurement from outside: questions for all
// things, questions with a condition, things whose keys stand only on their own pages, and
// things behind two clicks. It was written without a look at the rules of the agent. Its sites
// are pages as offices, shops and clubs have them, with a menu, a sidebar or a note around the list:
//
//  1. a German list of councillors by party, with committees
//  2. the beers of a brewery, with sizes in millilitres and centilitres
//  3. new titles of a Spanish library, in one paragraph each with dashes
//  4. courses of a German evening school: departments, then titles, then a page with the number of the course
//  5. Indonesian bus lines, with passengers in thousands and millions
//  6. a register of grants: £1.2m, £85k, £64,300
//  7. recipes behind pictures
//  8. the programme of a conference
//  9. patents that a list names by their titles only
//  10. the departments of a French hospital, with addresses of one word
//  11. dogs of a shelter, with ages in months and years, and the centres where they live
//
// Some questions have no schema.

// eleventhSites are the sites of the eleventh set.
func eleventhSites() []*site {
	centres := []string{"Bridgefield Centre", "Coldharbour Centre", "Dunlin Farm", "Easterly Centre", "Foxhole Lane"}
	return []*site{
		{
			host: "ratsinfo-ahlbeck.test", lang: "de", title: "Mitglieder des Stadtrats", noun: "Ratsmitglied", member: "mitglieder", n: 34, by: "fraktion",
			names: pairs("Anja Bernd Carla Dieter Elke Frank Gisela", "Albers Brandhorst Clasen Dierks Ehlers", "%s %s"),
			list:  "form",
			form: form{
				before:  `<nav><ul><li><a href="/sitzungen">Sitzungen</a></li><li><a href="/gremien">Gremien</a></li><li><a href="/vorlagen">Vorlagen</a></li></ul></nav>`,
				section: "<h2>%s</h2>\n",
				item: `<div class="person"><img src="/bild.jpg" alt=""><strong>{name}</strong><br>{beruf}, {wahlkreis}<br>
im Rat seit {seit}<br>Ausschüsse: {ausschuesse}<br>Tel. {telefon}</div>
`,
				after: `<p>Der Rat tagt jeden zweiten Dienstag um 18 Uhr im großen Saal.</p>`,
			},
			columns: []column{
				{name: "name", kind: "string", about: "Name des Ratsmitglieds", label: "Name"},
				{name: "fraktion", kind: "string", about: "Fraktion", on: "section", make: one("CDU", "Freie Wähler", "Grüne", "SPD")},
				{name: "beruf", kind: "string", about: "Beruf", make: one("Landwirtin", "Lehrer", "Steuerberaterin", "Rentner", "Tischler")},
				{name: "wahlkreis", kind: "string", about: "Wahlkreis", make: one("Wahlkreis 1", "Wahlkreis 2", "Wahlkreis 3")},
				{name: "seit", kind: "integer", about: "Jahr, seit dem die Person im Rat sitzt", make: year(1994, 2025)},
				{name: "ausschuesse", kind: "string[]", about: "Ausschüsse", make: several(", ", "Bauausschuss", "Bauausschuss, Schulausschuss", "Finanzausschuss", "Kulturausschuss, Finanzausschuss")},
				{name: "telefon", kind: "string", about: "Telefonnummer", make: id(55010, 37, "05031 %d")},
			},
		},
		{
			host: "harrowbrew.test", lang: "en", title: "Our beers", noun: "beer", member: "beers", n: 27,
			names: func(_ *rand.Rand, i int) string {
				return []string{"Old", "Blind", "Silver", "Salty", "Sleepy", "Crooked", "Midnight", "Lucky", "Dusty"}[i%9] + []string{" Badger", " Ferryman", " Magpie"}[i/9]
			},
			list: "form",
			form: form{
				before: `<p>Free delivery from £45. Taproom open Thursday to Sunday.</p><div class="grid">`,
				item: `<div class="tile"><img src="/b.png" alt="Can"><h3>{name}</h3><p class="sub">{style} · {abv} · {ibu}</p>
<p>{size_ml}</p><p class="price">{price}</p><ul class="badges"><li>{vegan}</li><li>{stock}</li></ul></div>
`,
				ad:    `<div class="tile promo"><h3>Gift cards</h3><p>From £10.00, sent by email</p></div>`,
				after: `</div>`,
			},
			columns: []column{
				{name: "beer", kind: "string", about: "name of the beer", label: "Beer"},
				{name: "style", kind: "string", about: "style", make: one("Pale ale", "Porter", "Saison", "Lager", "Stout")},
				{name: "abv", kind: "number", about: "alcohol by volume in per cent", make: decimal(3, 9, ".", "%s%% ABV")},
				{name: "ibu", kind: "integer", about: "bitterness (IBU)", make: whole(8, 85, ",", "%s IBU")},
				{name: "size_ml", kind: "integer", about: "size of a can or bottle in millilitres", make: anyOf([]float64{330, 440, 500, 750}, "330 ml can", "440 ml can", "50 cl bottle", "75 cl bottle")},
				{name: "price", kind: "number", about: "price in pounds", make: decimal(2, 9, ".", "£%s0")},
				{name: "vegan", kind: "boolean", about: "is vegan", make: worded(0.6, []string{"Vegan", "Suitable for vegans"}, []string{"Not vegan", "Contains lactose"})},
				{name: "stock", kind: "boolean", about: "is in stock", make: worded(0.7, []string{"In stock", "Only a few left"}, []string{"Sold out"})},
			},
		},
		{
			host: "biblioteca-olmeda.test", lang: "es", title: "Novedades de la biblioteca", noun: "libro", member: "libros", n: 36, per: 12, onward: "Ver más títulos",
			names: func(_ *rand.Rand, i int) string {
				return []string{"La casa", "El invierno", "Los mapas", "El ruido", "Las hijas", "La costa"}[i%6] + []string{" del molinero", " sin nombre", " de ceniza", " de mi hermana", " bajo la nieve", " que nadie vio"}[i/6]
			},
			list: "form", paging: "more",
			form: form{
				item: `<p class="registro"><b>{name}</b> / {autor}. — {editorial}, {anio}. — {paginas} ; {idioma}. — Signatura: {signatura}<br><span class="estado">{disponible}</span></p>
`,
				after: `<p>Préstamo de 21 días. Hasta seis libros por carné.</p>`,
			},
			columns: []column{
				{name: "titulo", kind: "string", about: "título del libro", label: "Título"},
				{name: "autor", kind: "string", about: "autor o autora", make: one("Inés Arrabal", "Tomás Quiroga", "Marta Lozano Ruiz", "Jorge Peñalver")},
				{name: "editorial", kind: "string", about: "editorial", make: one("Ediciones Albor", "Tinta Seca", "Páramo")},
				{name: "anio", kind: "integer", about: "año de publicación", make: year(2009, 2026)},
				{name: "paginas", kind: "integer", about: "número de páginas", make: whole(96, 780, ".", "%s p.")},
				{name: "idioma", kind: "string", about: "idioma", make: one("español", "gallego", "catalán")},
				{name: "signatura", kind: "string", about: "signatura", make: id(101, 9, "N QUI %d")},
				{name: "disponible", kind: "boolean", about: "se puede llevar en préstamo ahora", make: worded(0.6, []string{"Disponible", "Disponible en sala 2"}, []string{"Prestado", "En proceso de catalogación"})},
			},
		},
		{
			host: "vhs-lindental.test", lang: "de", title: "Kursprogramm", noun: "Kurs", member: "kurse", n: 28, by: "fachbereich", linked: "titel",
			names: func(_ *rand.Rand, i int) string { return fmt.Sprintf("26F-%d", 1104+i*37) },
			list:  "form", paging: "groups", detail: "form", path: func(i int, t *thing) string { return "/kurs/" + strings.ToLower(t.name) },
			form: form{
				before: `<ul class="kursliste">`, item: `<li><a href="{link}">{titel}</a> <span class="start">{beginn}</span></li>` + "\n", after: `</ul>`,
				detail: `<table><tr><th>Kursnummer</th><td>{name}</td></tr><tr><th>Titel</th><td>{titel}</td></tr><tr><th>Leitung</th><td>{leitung}</td></tr><tr><th>Beginn</th><td>{beginn}</td></tr>
<tr><th>Zeit</th><td>{zeit}</td></tr><tr><th>Dauer</th><td>{termine}</td></tr><tr><th>Entgelt</th><td>{entgelt}</td></tr><tr><th>Anmeldung</th><td>{frei}</td></tr></table>`,
			},
			columns: []column{
				{name: "kursnummer", kind: "string", about: "Nummer des Kurses", label: "Kursnummer", on: "detail"},
				{name: "fachbereich", kind: "string", about: "Fachbereich", on: "nowhere", make: turn("Beruf", "Gesundheit", "Kultur", "Sprachen")},
				{name: "titel", kind: "string", about: "Titel des Kurses", make: turn("Buchhaltung", "Rückenschule", "Aquarell", "Spanisch A1", "Tabellen am Rechner", "Yoga am Abend", "Chor", "Französisch B1", "Rhetorik", "Kochen ohne Fleisch", "Töpfern", "Polnisch A2", "Zehn Finger")},
				{name: "leitung", kind: "string", about: "Leitung", on: "detail", make: one("Heike Sommer", "Ralf Umbach", "Dr. Sina Voigt")},
				{name: "beginn", kind: "date", about: "Beginn", make: day(2026, 2027, "de", "DD.MM.Y")},
				{name: "zeit", kind: "string", about: "Wochentag und Uhrzeit", on: "detail", make: one("Mo 18:00–19:30 Uhr", "Mi 9:15–10:45 Uhr", "Do 19:00–20:30 Uhr")},
				{name: "termine", kind: "integer", about: "Anzahl der Termine", on: "detail", make: few("%d Termine", 4, 6, 8, 12)},
				{name: "entgelt", kind: "number", about: "Entgelt in Euro", on: "detail", make: decimal(34, 160, ",", "%s0 €")},
				{name: "frei", kind: "boolean", about: "hat freie Plätze", on: "detail", make: worded(0.6, []string{"Plätze frei", "noch 2 Plätze frei"}, []string{"Warteliste", "ausgebucht"})},
			},
		},
		{
			host: "angkot-sukamaju.test", lang: "id", title: "Trayek angkutan kota", noun: "trayek", member: "trayek", n: 26,
			names: func(_ *rand.Rand, i int) string { return fmt.Sprintf("%s-%02d", []string{"AK", "BS", "TM"}[i%3], 1+i) },
			list:  "form",
			form: form{
				before: `<table class="jadwal"><thead><tr><th>Kode</th><th>Dari</th><th>Ke</th><th>Berangkat pertama</th><th>Berangkat terakhir</th><th>Tarif</th><th>Halte</th><th>Penumpang 2025</th><th>AC</th></tr></thead><tbody>`,
				item:   "<tr><td>{name}</td><td>{dari}</td><td>{ke}</td><td>{pertama}</td><td>{terakhir}</td><td>{tarif}</td><td>{halte}</td><td>{penumpang}</td><td>{ac}</td></tr>\n",
				after:  `</tbody></table><p>Pelajar dan lansia membayar setengah harga.</p>`,
			},
			columns: []column{
				{name: "kode", kind: "string", about: "kode trayek", label: "Kode"},
				{name: "dari", kind: "string", about: "asal", make: one("Pasar Baru", "Stasiun", "Terminal Utara")},
				{name: "ke", kind: "string", about: "tujuan", make: one("Kampus", "Pelabuhan", "Rumah Sakit")},
				{name: "pertama", kind: "string", about: "jam berangkat pertama", make: dotted(4, 9)},
				{name: "terakhir", kind: "string", about: "jam berangkat terakhir", make: dotted(17, 23)},
				{name: "tarif", kind: "integer", about: "tarif dalam rupiah", make: stepped(6, 30, 500, ".", "Rp %s")},
				{name: "halte", kind: "integer", about: "jumlah halte", make: whole(7, 41, ".", "%s")},
				{name: "penumpang", kind: "integer", about: "jumlah penumpang pada tahun 2025", make: either(scaled(1, 6, 1e6, ",", "%s juta"), thousands(110, 990, "%d ribu"))},
				{name: "ac", kind: "boolean", about: "ber-AC", make: flag(0.5, "Ya", "Tidak")},
			},
		},
		{
			host: "cityfund.test", lang: "en", title: "Register of grants", noun: "grant", member: "grants", n: 36, per: 9, pager: true,
			names: func(_ *rand.Rand, i int) string {
				return []string{"New roof", "Ramp and lift", "Solar panels", "Youth kitchen", "Repair shed", "Sensory garden"}[i%6] + []string{" for St Bride's Hall", " at Penny Lane", " on the Quay", " for the Old Baths", " in Hope Street", " at the Scout Hut"}[i/6]
			},
			list: "form", paging: "numbered",
			form: form{
				before: `<aside class="filters"><h4>Filter</h4><form><label>Ward</label> <select><option>all wards<option>Northgate<option>Harbour<option>Westhill</select></form></aside>`,
				item: `<section class="grant"><h4>{name}</h4><p>{recipient} | {ward} ward</p>
<p>Awarded <strong>{amount}</strong> in {year} over {months}. Match funding: {match}.</p><p class="state">{state}</p></section>
`,
				after: `<p>We pay in instalments. Questions? Call 01632 960 300.</p>`,
			},
			columns: []column{
				{name: "project", kind: "string", about: "name of the project", label: "Project"},
				{name: "recipient", kind: "string", about: "who received the grant", make: one("Harbour Trust", "Friends of Westhill", "Northgate Parish", "Tidewater CIC")},
				{name: "ward", kind: "string", about: "ward", make: one("Northgate", "Harbour", "Westhill")},
				{name: "amount", kind: "number", about: "amount in pounds", make: either(scaled(1, 7, 1e6, ".", "£%sm"), either(thousands(15, 890, "£%dk"), whole(11000, 98000, ",", "£%s")))},
				{name: "year", kind: "integer", about: "year of the award", make: year(2017, 2026)},
				{name: "months", kind: "integer", about: "duration in months", make: anyOf([]float64{6, 18, 24, 36, 12}, "6 months", "18 months", "2 years", "3 years", "1 year")},
				{name: "match", kind: "boolean", about: "has match funding", make: flag(0.5, "yes", "none")},
				{name: "state", kind: "string", about: "state of the project", make: one("In progress", "Completed", "Withdrawn")},
			},
		},
		{
			host: "nightkitchen.test", lang: "en", title: "Recipes for late evenings", noun: "recipe", member: "recipes", n: 32, per: 16, anchor: "View recipe", onward: "Show me more",
			names: func(_ *rand.Rand, i int) string {
				return []string{"Miso", "Lemon", "Smoky", "Green", "Sticky", "Cold", "Burnt", "Quick"}[i%8] + []string{" Aubergine", " Noodles", " Lentils", " Dumplings"}[i/8]
			},
			list: "form", paging: "more", detail: "form", path: func(i int, t *thing) string {
				return "/" + strings.ReplaceAll(strings.ToLower(t.name), " ", "-")
			},
			form: form{
				before: `<div class="masonry">`, item: `<div class="pin"><img src="/p.webp" alt=""><a class="btn" href="{link}">View recipe</a></div>` + "\n", after: `</div>`,
				detail: `<p class="meta"><span>{minutes}</span> <span>Serves {serves}</span> <span>{difficulty}</span></p><p>★ {rating} ({votes})</p>
<p>{kcal} per portion. {vegan}.</p><h2>Ingredients</h2><ul><li>2 tbsp oil</li><li>3 cloves of garlic</li><li>400 g of the main thing</li></ul><h2>You will need</h2><p>{tools}</p>`,
				related: `<div class="also">{name}, {minutes}, {kcal}</div>`,
			},
			columns: []column{
				{name: "recipe", kind: "string", about: "name of the recipe", label: "Recipe", on: "detail"},
				{name: "minutes", kind: "integer", about: "time in minutes", on: "detail", make: cooked(10, 140)},
				{name: "serves", kind: "integer", about: "number of servings", on: "detail", make: few("%d", 2, 4, 6)},
				{name: "difficulty", kind: "string", about: "difficulty", on: "detail", make: one("Easy", "Some effort", "Ambitious")},
				{name: "rating", kind: "number", about: "rating", on: "detail", make: decimal(3, 5, ".", "%s")},
				{name: "votes", kind: "integer", about: "number of ratings", on: "detail", make: whole(11, 2900, ",", "%s ratings")},
				{name: "kcal", kind: "integer", about: "kilocalories of a portion", on: "detail", make: whole(190, 990, ",", "%s kcal")},
				{name: "vegan", kind: "boolean", about: "is vegan", on: "detail", make: worded(0.5, []string{"Vegan"}, []string{"Vegetarian", "Contains fish"})},
				{name: "tools", kind: "string[]", about: "tools that are needed", on: "detail", make: several(", ", "wok, grater", "blender", "steamer, wok", "baking tray")},
			},
		},
		{
			host: "devsouth.test", lang: "en", title: "Programme of DevSouth", noun: "talk", member: "talks", n: 30, by: "day",
			names: pairs("Testing Tracing Shipping Debugging Scaling Porting", "Queues Parsers Kernels Schemas Clocks", "%s %s"),
			list:  "form",
			form: form{
				section: "<h2>%s</h2>\n",
				item: `<div class="slot"><p><time>{starts} – {ends}</time> <b>{name}</b></p><p>{speaker}, <em>{affiliation}</em></p>
<div class="where">{room} · {level} · {recorded}</div></div>
`,
				after: `<p>Coffee at 10:30 and 15:30 in the foyer.</p>`,
			},
			columns: []column{
				{name: "talk", kind: "string", about: "title of the talk", label: "Talk"},
				{name: "day", kind: "string", about: "day", on: "section", make: one("Thursday 12 March 2026", "Friday 13 March 2026")},
				{name: "starts", kind: "string", about: "start (time)", make: clock(9, 16)},
				{name: "ends", kind: "string", about: "end (time)", make: clock(17, 18)},
				{name: "speaker", kind: "string", about: "speaker", make: one("Ada Fenn", "Bo Lindqvist", "Chidi Eze", "Dana Roth", "Emre Tan")},
				{name: "affiliation", kind: "string", about: "where the speaker works", make: one("Kestrel Labs", "University of Ware", "Plover", "self-employed")},
				{name: "room", kind: "string", about: "room", make: one("Main hall", "Room 2", "Attic")},
				{name: "level", kind: "string", about: "level", make: one("beginner", "intermediate", "advanced")},
				{name: "recorded", kind: "boolean", about: "is recorded", make: worded(0.6, []string{"recorded", "will be on video"}, []string{"not recorded"})},
			},
		},
		{
			host: "patentroll.test", lang: "en", title: "Patents of the county", noun: "patent", member: "patents", n: 33, per: 11, pager: true, linked: "title",
			names: func(_ *rand.Rand, i int) string {
				return fmt.Sprintf("GB%d%s", 2511873+i*1709, []string{"A", "B"}[i%2])
			},
			list: "form", paging: "numbered", detail: "form", path: func(i int, _ *thing) string { return fmt.Sprintf("/doc?ref=%d", 70311+i*11) },
			form: form{
				before: `<table class="hits"><tr><th>Filed</th><th>Title</th></tr>`, item: `<tr><td>{filed}</td><td><a href="{link}">{title}</a></td></tr>` + "\n", after: `</table>`,
				detail: `<dl><dt>Publication</dt><dd>{name}</dd><dt>Title</dt><dd>{title}</dd><dt>Applicant</dt><dd>{applicant}</dd><dt>Inventors</dt><dd>{inventors}</dd>
<dt>Filing date</dt><dd>{filed}</dd><dt>Class</dt><dd>{class}</dd><dt>Claims</dt><dd>{claims}</dd><dt>Status</dt><dd>{force}</dd></dl>`,
			},
			columns: []column{
				{name: "number", kind: "string", about: "number of the patent", label: "Publication", on: "detail"},
				{name: "title", kind: "string", about: "title", make: turn("Hinge for a folding door", "Method of drying seaweed", "Bicycle stand", "Valve with two seats", "Clip for a hose", "Lamp with a sensor", "Trap for wasps", "Saddle for a pony")},
				{name: "applicant", kind: "string", about: "applicant", on: "detail", make: one("Marram Engineering Ltd", "Oakley Tools plc", "Jane Purcell")},
				{name: "inventors", kind: "string[]", about: "inventors", on: "detail", make: several("; ", "J. Purcell", "A. Marram, T. Owusu", "T. Owusu, L. Vane, M. Doyle")},
				{name: "filed", kind: "date", about: "filing date", make: day(2012, 2025, "en", "D A Y")},
				{name: "class", kind: "string", about: "class", on: "detail", make: one("E05D 7/00", "A23L 17/60", "F16K 1/32")},
				{name: "claims", kind: "integer", about: "number of claims", on: "detail", make: whole(3, 29, ",", "%s claims")},
				{name: "force", kind: "boolean", about: "is in force", on: "detail", make: worded(0.6, []string{"In force", "Granted"}, []string{"Lapsed", "Refused", "Ceased"})},
			},
		},
		{
			host: "chu-valmont.test", lang: "fr", title: "Nos services de soins", noun: "service", member: "services", n: 24,
			names: fixed("Cardiologie", "Neurologie", "Pédiatrie", "Urologie", "Gériatrie", "Oncologie", "Dermatologie", "Pneumologie", "Néphrologie", "Hématologie", "Rhumatologie", "Ophtalmologie", "Endocrinologie", "Gynécologie", "Obstétrique", "Psychiatrie", "Radiologie", "Réanimation", "Orthopédie", "Stomatologie", "Infectiologie", "Allergologie", "Diabétologie", "Hépatologie"),
			list:  "form", detail: "form", path: func(i int, t *thing) string { return "/soins/" + squashed(t.name) },
			form: form{
				before: `<ul class="services">`, item: `<li><h3>{name}</h3><p>Bâtiment {batiment}</p></li>` + "\n", after: `</ul>`,
				detail: `<div class="fiche"><p><strong>Chef de service :</strong> {chef}</p><p><strong>Où :</strong> bâtiment {batiment}, {etage}</p><p><strong>Capacité :</strong> {lits}</p>
<p><strong>Secrétariat :</strong> {telephone}</p><p><strong>Consultations :</strong> {libre}</p></div>`,
			},
			columns: []column{
				{name: "service", kind: "string", about: "nom du service", label: "Service"},
				{name: "batiment", kind: "string", about: "bâtiment", make: one("Laennec", "Pasteur", "Curie")},
				{name: "chef", kind: "string", about: "chef de service", on: "detail", make: turn("Pr Aubert", "Dr Besson", "Pr Carlier", "Dr Delmas", "Dr Evrard", "Pr Fabre", "Dr Gosselin")},
				{name: "etage", kind: "integer", about: "étage", on: "detail", make: few("%de étage", 2, 3, 4, 5)},
				{name: "lits", kind: "integer", about: "nombre de lits", on: "detail", make: whole(8, 64, " ", "%s lits")},
				{name: "telephone", kind: "string", about: "téléphone du secrétariat", on: "detail", make: id(10, 3, "01 99 00 52 %d")},
				{name: "libre", kind: "boolean", about: "reçoit sans rendez-vous", on: "detail", make: worded(0.5, []string{"sans rendez-vous"}, []string{"sur rendez-vous uniquement", "sur rendez-vous"})},
			},
		},
		{
			host: "pawsrescue.test", lang: "en", title: "Dogs looking for a home", noun: "dog", member: "dogs", n: 30, per: 10, onward: "More dogs",
			names: fixed("Bruno", "Biscuit", "Luna", "Otis", "Pepper", "Rufus", "Tilly", "Ziggy", "Maple", "Nelson", "Olive", "Poppy", "Quincy", "Rosie", "Stanley", "Teddy", "Ursa", "Violet", "Wilbur", "Xena", "Yogi", "Arlo", "Bonnie", "Chester", "Daisy", "Ernie", "Freya", "Gus", "Hettie", "Ivor"),
			list:  "form", paging: "more", detail: "form", path: func(i int, t *thing) string { return "/dog/" + squashed(t.name) },
			form: form{
				before: `<div class="cards">`, item: `<div class="card"><img src="/d.jpg" alt="Photo"><h2>{name}</h2><p>{breed}, {sex}</p><p>{age_months} old</p></div>` + "\n", after: `</div>`,
				detail: `<p>{sex} {breed}, aged {age_months}</p><table><tr><td>Weight</td><td>{weight_kg}</td></tr><tr><td>Can live with children?</td><td>{children}</td></tr><tr><td>Adoption fee</td><td>{fee}</td></tr><tr><td>Lives at</td><td>{centre}</td></tr></table>
<p>Every dog is chipped and vaccinated. We visit you at home first, which takes about 45 minutes.</p>`,
			},
			columns: []column{
				{name: "dog", kind: "string", about: "name of the dog", label: "Dog"},
				{name: "breed", kind: "string", about: "breed", make: one("Lurcher", "Terrier cross", "Collie", "Greyhound")},
				{name: "sex", kind: "string", about: "sex", make: one("Male", "Female")},
				{name: "age_months", kind: "integer", about: "age in months", make: aged(4, 130)},
				{name: "weight_kg", kind: "number", about: "weight in kilograms", on: "detail", make: decimal(5, 38, ".", "%s kg")},
				{name: "children", kind: "boolean", about: "can live with children", on: "detail", make: worded(0.5, []string{"Yes", "Yes, of school age"}, []string{"No", "Adult home only"})},
				{name: "fee", kind: "integer", about: "adoption fee in pounds", on: "detail", make: whole(90, 320, ",", "£%s")},
				{name: "centre", kind: "string", about: "centre where the dog lives", on: "detail", make: turn(centres...)},
			},
		},
		{
			host: "pawscentres.test", lang: "en", title: "Find a centre", noun: "centre", member: "centres", n: len(centres),
			names: fixed(centres...),
			list:  "form", detail: "form", path: func(i int, t *thing) string {
				return "/centres/" + strings.ReplaceAll(strings.ToLower(t.name), " ", "-") + "/"
			},
			form: form{
				before: "<ul>", item: "<li>{name}</li>\n", after: "</ul>",
				detail: `<address>{town}<br>Telephone: {phone}</address><p>Manager: {manager}</p><p>We have room for {kennels}.</p>`,
			},
			columns: []column{
				{name: "centre", kind: "string", about: "name of the centre", label: "Centre"},
				{name: "town", kind: "string", about: "town of the centre", on: "detail", make: turn("Amblecote", "Brindley", "Castle Eaton", "Dinton", "Elmstead")},
				{name: "phone", kind: "string", about: "telephone number of the centre", on: "detail", make: turn("01632 960410", "01632 960422", "01632 960437", "01632 960448", "01632 960459")},
				{name: "manager", kind: "string", about: "manager of the centre", on: "detail", make: turn("Gwen Attley", "Hamid Noor", "Iris Bellamy", "Joel Tran", "Kit Sorley")},
				{name: "kennels", kind: "integer", about: "number of dogs that the centre has room for", on: "detail", make: whole(18, 90, ",", "%s dogs")},
			},
		},
	}
}

// eleventhTasks are the questions about the eleventh sites.
func (w *Web) eleventhTasks() {
	w.ask("gather", "ratsinfo-ahlbeck.test", "Liste aller Ratsmitglieder: Fraktion, Beruf, Wahlkreis, seit wann im Rat, Ausschüsse", "name fraktion beruf wahlkreis seit ausschuesse")
	w.ask("gather", "ratsinfo-ahlbeck.test", "Ich brauche die Telefonnummern aller Ratsmitglieder.", "name telefon")
	w.ask("gather", "harrowbrew.test", "Get me every beer they make with style, strength, bitterness, size, price, vegan or not and in stock or not", "beer style abv ibu size_ml price vegan stock")
	w.ask("gather", "harrowbrew.test", "beer names and prices please", "beer price")
	w.ask("gather", "biblioteca-olmeda.test", "Todas las novedades con autor, editorial, año, páginas, idioma, signatura y si están disponibles", "titulo autor editorial anio paginas idioma signatura disponible")
	w.ask("gather", "biblioteca-olmeda.test", "Lista de títulos con su signatura", "titulo signatura")
	w.ask("gather", "angkot-sukamaju.test", "Semua trayek: asal, tujuan, jam pertama dan terakhir, tarif, jumlah halte, penumpang, AC", "kode dari ke pertama terakhir tarif halte penumpang ac")
	w.ask("gather", "cityfund.test", "All grants with recipient, ward, amount, year, duration, match funding and state", "project recipient ward amount year months match state")
	w.ask("gather", "cityfund.test", "How much did each project get?", "project amount")
	w.ask("gather", "devsouth.test", "The full programme: day, start, end, speaker, affiliation, room, level, recorded", "talk day starts ends speaker affiliation room level recorded")
	w.ask("gather", "devsouth.test", "Who speaks about what, and in which room?", "talk speaker room")
	w.ask("gather", "chu-valmont.test", "Tous les services avec le chef de service, le bâtiment, l'étage, le nombre de lits, le téléphone et les consultations sans rendez-vous", "service chef batiment etage lits telephone libre")
	w.ask("gather", "pawsrescue.test", "every dog: breed, sex, age, weight, children ok, fee and where it lives", "dog breed sex age_months weight_kg children fee centre")
	w.ask("gather", "pawsrescue.test", "Names, breeds and ages of all the dogs", "dog breed age_months")
	w.ask("gather", "pawscentres.test", "Every centre with town, phone, manager and capacity", "centre town phone manager kennels")

	w.ask("conditions", "ratsinfo-ahlbeck.test", "Wer sitzt im Bauausschuss und ist schon vor 2014 in den Rat gekommen?", "name fraktion seit", is("ausschuesse", "contains", "Bauausschuss", "im Bauausschuss"), is("seit", "<", "2014", "vor 2014"))
	w.ask("conditions", "harrowbrew.test", "vegan beers under 5% that I can buy right now", "beer abv price", is("vegan", "=", "true", "vegan beers"), is("abv", "<", "5", "under 5%").in("%"), is("stock", "=", "true", "can buy right now"))
	w.ask("conditions", "harrowbrew.test", "Stouts and porters in bottles or cans of at least half a litre", "beer style size_ml", is("style", "in", "Stout | Porter", "Stouts and porters"), is("size_ml", ">=", "0.5", "at least half a litre").in("litre").means("500"))
	w.ask("conditions", "biblioteca-olmeda.test", "Libros de más de 300 páginas, publicados desde 2018, que se puedan llevar prestados ya", "titulo autor paginas anio", is("paginas", ">", "300", "más de 300 páginas"), is("anio", ">=", "2018", "publicados desde 2018"), is("disponible", "=", "true", "que se puedan llevar prestados ya"))
	w.ask("conditions", "angkot-sukamaju.test", "Trayek ber-AC dengan tarif di bawah Rp 9.000", "kode tarif", is("ac", "=", "true", "ber-AC"), is("tarif", "<", "9000", "di bawah Rp 9.000").in("Rp"))
	w.ask("conditions", "angkot-sukamaju.test", "Trayek dengan lebih dari 1 juta penumpang yang terakhir berangkat setelah jam 20.00", "kode penumpang terakhir", is("penumpang", ">", "1000000", "lebih dari 1 juta penumpang"), is("terakhir", ">", "20.00", "setelah jam 20.00"))
	w.ask("conditions", "cityfund.test", "Projects in Northgate or Harbour that got more than £250k and are not withdrawn", "project ward amount", is("ward", "in", "Northgate | Harbour", "in Northgate or Harbour"), is("amount", ">", "250000", "more than £250k").in("£"), is("state", "!=", "Withdrawn", "not withdrawn"))
	w.ask("conditions", "devsouth.test", "Beginner talks on Friday that start after 1pm", "talk starts room", is("level", "=", "beginner", "Beginner talks"), is("day", "contains", "Friday", "on Friday"), is("starts", ">", "13:00", "after 1pm"))
	w.ask("conditions", "pawsrescue.test", "Dogs younger than 3 years that can live with kids and weigh less than 25 kg", "dog age_months weight_kg", is("age_months", "<", "3", "younger than 3 years").in("years").means("36"), is("children", "=", "true", "can live with kids"), is("weight_kg", "<", "25", "less than 25 kg").in("kg"))
	w.ask("conditions", "chu-valmont.test", "Quels services de plus de 30 lits reçoivent sans rendez-vous ?", "service lits", is("lits", ">", "30", "plus de 30 lits"), is("libre", "=", "true", "reçoivent sans rendez-vous"))
	w.unstated("conditions", "pawsrescue.test", "Which dogs are hypoallergenic?", "dog breed", is("hypoallergenic", "=", "true", "are hypoallergenic"))

	w.ask("details", "nightkitchen.test", "All recipes with time, servings, difficulty, rating, number of ratings, calories, vegan or not, tools", "recipe minutes serves difficulty rating votes kcal vegan tools")
	w.ask("details", "nightkitchen.test", "Which recipes are there and how long do they take?", "recipe minutes")
	w.ask("details", "nightkitchen.test", "Vegan recipes that are ready in less than 45 minutes", "recipe minutes", is("vegan", "=", "true", "Vegan recipes"), is("minutes", "<", "45", "less than 45 minutes").in("minutes"))
	w.best("details", "nightkitchen.test", "What is the lightest vegan recipe, by calories?", "recipe kcal", is("vegan", "=", "true", "vegan recipe"), is("kcal", "bottom", "1", "the lightest"))
	w.ask("details", "patentroll.test", "The complete roll: number, title, applicant, inventors, filing date, class, claims, in force or not", "number title applicant inventors filed class claims force")
	w.ask("details", "patentroll.test", "patent numbers with titles", "number title")
	w.ask("details", "patentroll.test", "Patents that Oakley Tools filed since 2017 and that are still in force", "number title filed", is("applicant", "contains", "Oakley Tools", "that Oakley Tools filed"), is("filed", ">=", "2017-01-01", "since 2017"), is("force", "=", "true", "still in force"))
	w.count("details", "patentroll.test", "How many of the patents are not in force?", is("force", "=", "false", "are not in force"))

	w.ask("deep", "vhs-lindental.test", "Alle Kurse mit Nummer, Titel, Leitung, Beginn, Zeit, Terminen, Entgelt und ob noch Plätze frei sind", "kursnummer titel leitung beginn zeit termine entgelt frei")
	w.ask("deep", "vhs-lindental.test", "Kurse unter 90 Euro mit freien Plätzen, die nach dem 1. Mai 2026 beginnen", "kursnummer titel entgelt beginn", is("entgelt", "<", "90", "unter 90 Euro").in("Euro"), is("frei", "=", "true", "mit freien Plätzen"), is("beginn", ">", "2026-05-01", "nach dem 1. Mai 2026"))

	w.best("best", "pawsrescue.test", "Which dog is the heaviest?", "dog weight_kg", is("weight_kg", "top", "1", "the heaviest"))
	w.best("best", "cityfund.test", "Which project got the most money?", "project recipient amount", is("amount", "top", "1", "the most money"))
	w.ask("best", "angkot-sukamaju.test", "Tiga trayek dengan penumpang terbanyak", "kode penumpang", is("penumpang", "top", "3", "Tiga trayek dengan penumpang terbanyak"))
	w.count("count", "ratsinfo-ahlbeck.test", "Wie viele Sitze haben die Grünen?", is("fraktion", "=", "Grüne", "haben die Grünen"))
	w.count("count", "harrowbrew.test", "how many of the beers are sold out", is("stock", "=", "false", "are sold out"))
	w.compare("comparison", "harrowbrew.test", "%s or %s - which one is stronger, and what do they cost?", "beer abv price", 4, 20)
	w.compare("comparison", "nightkitchen.test", "Compare %s with %s: time, calories, rating", "recipe minutes kcal rating", 3, 26)

	w.lookup("lookup", "biblioteca-olmeda.test", "¿Está disponible %s y cuál es su signatura?", "disponible signatura", 21)
	w.lookup("lookup", "angkot-sukamaju.test", "Jam berapa %s berangkat pertama kali, dan berapa tarifnya?", "pertama tarif", 13)
	w.lookup("lookup", "vhs-lindental.test", "Was kostet der Kurs %s und wann fängt er an?", "entgelt beginn", 18)
	w.absent("lookup", "harrowbrew.test", "What does a %s cost?", "Golden Heron", "price")

	dogs := w.site("pawsrescue.test").things
	w.hop("hops", "pawsrescue.test", "pawscentres.test", fmt.Sprintf("Which number do I call to meet %s?", dogs[12].name), "phone", "centre", dogs[12])
	w.hop("hops", "pawsrescue.test", "pawscentres.test", fmt.Sprintf("Who manages the centre that %s lives at?", dogs[23].name), "manager", "centre", dogs[23])
	w.rowHop("hops", "pawsrescue.test", "pawscentres.test", "Collies and greyhounds that are fine with children, and the town where I can meet them", "dog breed centre", "town", "centre", is("breed", "in", "Collie | Greyhound", "Collies and greyhounds"), is("children", "=", "true", "fine with children"))

	w.open("open", "harrowbrew.test", "List the porters with their strength and price.", "beer style abv price", is("style", "=", "Porter", "porters"))
	w.open("open", "cityfund.test", "Which projects in Westhill are still in progress, and how much did they get?", "project ward amount state", is("ward", "=", "Westhill", "in Westhill"), is("state", "=", "In progress", "still in progress"))
	w.open("open", "pawsrescue.test", "Which lurchers are there and what do they weigh?", "dog breed weight_kg", is("breed", "=", "Lurcher", "lurchers"))
}

// open adds a question without a schema that a list answers. Its fields are those that the
// question and its conditions name: the model of [Model] plans exactly these.
func (w *Web) open(class, host, prompt, fields string, conditions ...condition) {
	w.ask(class, host, prompt, fields, conditions...)
	w.Tasks[len(w.Tasks)-1].Task.Task.Schema = nil
}

// anyOf chooses one of several numbers with its text for each thing.
func anyOf(truths []float64, texts ...string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		i := rng.IntN(len(truths))
		return truths[i], texts[i]
	}
}

// stepped makes whole multiples of a step.
func stepped(least, most, step int, separator, format string) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := (least + rng.IntN(most-least)) * step
		return float64(n), fmt.Sprintf(format, grouped(n, separator))
	}
}

// dotted makes times of the day with a point.
func dotted(first, last int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := first*60 + rng.IntN((last-first)*60)
		text := fmt.Sprintf("%02d.%02d", n/60, n%60)
		return text, text
	}
}

// cooked makes minutes, which are printed with hours from one hour on.
func cooked(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		switch {
		case n < 60:
			return float64(n), fmt.Sprintf("%d mins", n)
		case n%60 == 0:
			return float64(n), fmt.Sprintf("%d hr", n/60)
		}
		return float64(n), fmt.Sprintf("%d hr %d mins", n/60, n%60)
	}
}

// aged makes months, of which two years and more are printed as whole years.
func aged(least, most int) maker {
	return func(rng *rand.Rand, _ int) (any, string) {
		n := least + rng.IntN(most-least)
		if n < 24 {
			return float64(n), fmt.Sprintf("%d months", n)
		}
		return float64(n / 12 * 12), fmt.Sprintf("%d years", n/12)
	}
}
