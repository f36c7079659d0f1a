// SPDX-License-Identifier: Apache-2.0

package heldouttest

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"

	"example.com/curlew/agent"
	"example.com/curlew/agent/agenttest"
)

// Set names a part of the sites.
type Set string

// The sets.
const (
	First        Set = "first"
	Second       Set = "second"
	Third        Set = "third"
	Fourth       Set = "fourth"
	Fifth        Set = "fifth"
	Sixth        Set = "sixth"
	Seventh      Set = "seventh"
	Eighth       Set = "eighth"
	Ninth        Set = "ninth"
	Tenth        Set = "tenth"
	Eleventh     Set = "eleventh"
	Twelfth      Set = "twelfth"
	Thirteenth   Set = "thirteenth"
	Fourteenth   Set = "fourteenth"
	Fifteenth    Set = "fifteenth"
	Sixteenth    Set = "sixteenth"
	Seventeenth  Set = "seventeenth"
	Eighteenth   Set = "eighteenth"
	Nineteenth   Set = "nineteenth"
	Twentieth    Set = "twentieth"
	TwentyFirst  Set = "twenty-first"
	TwentySecond Set = "twenty-second"
	TwentyThird  Set = "twenty-third"
)

// Web is the sites of one set, their pages, and the questions about them.
type Web struct {
	*agenttest.Web // serves the pages
	Tasks          []Task

	seed   uint64
	sites  []*site
	pages  []*page
	html   map[string]string // by host and path
	titles map[string][]*page
	things map[string]*thing // by name in lower case
	plans  map[string]*plan  // by the text of the task
}

// Task is a question of one class.
type Task struct {
	agenttest.Task
	Class   string
	Severed bool // the list of its site goes on at a page that does not exist, so that no answer is complete
}

// site is one collection of things and how its pages show them.
type site struct {
	host, lang, title string
	noun              string // what one row is
	member            string // of the answer
	columns           []column
	names             func(rng *rand.Rand, i int) string
	n                 int
	list, detail      string                       // layouts; detail empty: things have no pages
	paging            string                       // more, older, letters, years, groups, numbered; empty: one page
	by                string                       // the column that groups or sections are made by, or that the newest come first by
	per               int                          // things on a page, if paging is more, older or numbered
	path              func(i int, t *thing) string // of a detail
	anchor            string                       // text of links to details; empty: the name
	bare              bool                         // links to details have no text
	linked            string                       // the column whose texts are those of the links to details, in a form
	claim             string                       // with %d for the number of things; empty: none
	twice             bool                         // some things stand in two groups
	dead              int                          // of so many details one does not exist; zero: all exist
	cut               int                          // pages of the list that exist, if paging is more; zero: all
	gap               int                          // the page of the list that fails, counted from 1, if paging is numbered; zero: none
	pager             bool                         // all pages of a numbered list link all others, by their number
	loud              bool                         // names are in capitals where things stand a second time
	caption           string                       // of the table, or the heading above it
	onward            string                       // text of links to the next page; empty: words of the language
	views             []string                     // if paging is views: pages that show all things, with the columns on them
	short             int                          // things that the site claims more than it has
	tongues           map[string]string            // the languages of views; the language of the site if there is none
	sticky            int                          // things at the top of each page of the list
	cursor            bool                         // pages of a list have opaque addresses, if paging is more
	token             string                       // the name of the opaque value, if cursor is set; empty: after
	unlinked          bool                         // pages of a numbered list have opaque addresses and link the others, by their number
	few               bool                         // pages of a pager link only the first, the last and their neighbours
	likes             []string                     // other hosts and ports that look like this one
	sorts             []string                     // columns by which links beside the list sort it
	archive           string                       // what the old copy of the list is called; empty: there is none
	story             string                       // sentences about a thing, with the names of columns in braces
	form              form                         // if list or detail is "form"
	things            []*thing
}

// column is a property of things.
type column struct {
	name, kind, about string                            // in the schema
	label             string                            // on pages
	on                string                            // list, detail, section, or a view; empty: both list and detail
	blank             string                            // what pages show if a thing lacks it
	note              string                            // mark of a footnote behind every fifth value
	remark            string                            // the footnote
	lost              bool                              // some things lack it, because their pages do not exist
	alias             map[string]string                 // labels of views
	retold            map[string]func(truth any) string // how views print it
	missing           float64
	make              func(rng *rand.Rand, i int) (truth any, text string)
}

// thing is one thing and its truth.
type thing struct {
	site  *site
	name  string
	index int
	cells map[string]cell
	other string // the group that it stands in a second time
}

type cell struct {
	truth any
	text  string
	html  string // in place of text
}

// page is what a page says about things, in its order.
type page struct {
	url, title string
	mentions   []mention
	claim      string
	columns    bool // the columns of its table are the things
	stale      bool // it is an old copy
	lang       string
}

type mention struct {
	thing              *thing
	field, label, text string
	heading            bool // it is the heading above the thing
	above              bool // it is in the row of the thing or in the nearest row above that has any
}

// picks is the group in which some things stand a second time.
const picks = "Staff picks"

// New makes the web of a set and a seed.
func New(set Set, seed uint64) *Web {
	w := &Web{
		seed: seed, sites: firstSites(), html: map[string]string{}, titles: map[string][]*page{},
		things: map[string]*thing{}, plans: map[string]*plan{},
	}
	switch set {
	case Second:
		w.sites = secondSites()
	case Third:
		w.sites = thirdSites()
	case Fourth:
		w.sites = fourthSites()
	case Fifth:
		w.sites = fifthSites()
	case Sixth:
		w.sites = sixthSites()
	case Seventh:
		w.sites = seventhSites()
	case Eighth:
		w.sites = eighthSites()
	case Ninth:
		w.sites = ninthSites()
	case Tenth:
		w.sites = tenthSites()
	case Eleventh:
		w.sites = eleventhSites()
	case Twelfth:
		w.sites = twelfthSites()
	case TwentyThird:
		w.sites = twentyThirdSites()
	case TwentySecond:
		w.sites = twentySecondSites()
	case TwentyFirst:
		w.sites = twentyFirstSites()
	case Twentieth:
		w.sites = twentiethSites()
	case Nineteenth:
		w.sites = nineteenthSites()
	case Eighteenth:
		w.sites = eighteenthSites()
	case Seventeenth:
		w.sites = seventeenthSites()
	case Sixteenth:
		w.sites = sixteenthSites()
	case Fifteenth:
		w.sites = fifteenthSites()
	case Fourteenth:
		w.sites = fourteenthSites()
	case Thirteenth:
		w.sites = thirteenthSites()
	}
	rng := rand.New(rand.NewPCG(seed, 0x68656c646f7574))
	for _, s := range w.sites {
		s.fill(rng)
		s.imperfect()
		for _, t := range s.things {
			w.things[strings.ToLower(t.name)] = t
		}
	}
	for _, s := range w.sites {
		w.build(s)
		w.archived(s, rng)
		w.sorted(s)
		w.spoil(s)
		w.drop(s)
	}
	for _, p := range w.pages {
		w.titles[p.title] = append(w.titles[p.title], p)
	}
	w.Web = agenttest.NewPages(seed, w.html)
	switch set {
	case Second:
		w.secondTasks()
	case Third:
		w.thirdTasks()
	case Fourth:
		w.fourthTasks()
	case Fifth:
		w.fifthTasks()
	case Sixth:
		w.sixthTasks()
	case Seventh:
		w.seventhTasks()
	case Eighth:
		w.eighthTasks()
	case Ninth:
		w.ninthTasks()
	case Tenth:
		w.tenthTasks()
	case Eleventh:
		w.eleventhTasks()
	case Twelfth:
		w.twelfthTasks()
	case TwentyThird:
		w.twentyThirdTasks()
	case TwentySecond:
		w.twentySecondTasks()
	case TwentyFirst:
		w.twentyFirstTasks()
	case Twentieth:
		w.twentiethTasks()
	case Nineteenth:
		w.nineteenthTasks()
	case Eighteenth:
		w.eighteenthTasks()
	case Seventeenth:
		w.seventeenthTasks()
	case Sixteenth:
		w.sixteenthTasks()
	case Fifteenth:
		w.fifteenthTasks()
	case Fourteenth:
		w.fourteenthTasks()
	case Thirteenth:
		w.thirteenthTasks()
	default:
		w.firstTasks()
	}
	return w
}

func (w *Web) site(host string) *site {
	return w.sites[slices.IndexFunc(w.sites, func(s *site) bool { return s.host == host })]
}

func (s *site) fill(rng *rand.Rand) {
	for i := range s.n {
		t := &thing{site: s, index: i, name: s.names(rng, i), cells: map[string]cell{}}
		for _, c := range s.columns {
			truth, text := any(t.name), t.name
			if c.make != nil {
				truth, text = c.make(rng, i)
			}
			if rng.Float64() < c.missing {
				continue
			}
			t.cells[c.name] = cell{truth: truth, text: text}
			if markup, ok := strings.CutPrefix(text, "<"); ok {
				alt, rest, _ := strings.Cut(markup, "|")
				t.cells[c.name] = cell{truth: truth, text: alt, html: rest}
			}
		}
		s.things = append(s.things, t)
	}
	if s.paging == "older" {
		slices.SortStableFunc(s.things, func(a, b *thing) int {
			return strings.Compare(b.cells[s.by].truth.(string), a.cells[s.by].truth.(string))
		})
	}
	if s.twice {
		for _, t := range s.things {
			if t.index%6 == 0 {
				t.other = picks
			}
		}
	}
}

func (s *site) column(name string) *column {
	for i := range s.columns {
		if s.columns[i].name == name {
			return &s.columns[i]
		}
	}
	return nil
}

func (s *site) entry() string { return "https://" + s.host + "/" }

func (t *thing) url() string { return "https://" + t.site.host + t.site.path(t.index, t) }

// build makes the pages of a site.
func (w *Web) build(s *site) {
	type part struct {
		path, text string
		things     []*thing
		view       string
	}
	var parts []part
	switch s.paging {
	case "more", "numbered", "older":
		for k, chunk := range slices.Collect(slices.Chunk(s.things, s.per)) {
			path := "/"
			if k > 0 {
				path = fmt.Sprintf("/?start=%d", k*s.per)
				switch s.paging {
				case "numbered":
					path = fmt.Sprintf("/seite/%d/", k+1)
				case "older":
					path = "/archive-" + opaque(s.title, k)
				}
				if s.unlinked {
					path = "/l-" + opaque(s.host, k)
				}
				if s.cursor {
					path = "/?" + cmp.Or(s.token, "after") + "=" + opaque(s.host, k)
				}
				chunk = append(slices.Clone(s.things[:s.sticky]), chunk...)
			}
			parts = append(parts, part{path, fmt.Sprint(k + 1), chunk, ""})
		}
	case "letters":
		for _, letters := range []string{"ABCDEF", "GHIJKLM", "NOPQRSTUVWXYZ"} {
			var some []*thing
			for _, t := range s.things {
				if strings.Contains(letters, strings.ToUpper(t.name[:1])) {
					some = append(some, t)
				}
			}
			parts = append(parts, part{"/" + strings.ToLower(letters[:1]+letters[len(letters)-1:]), letters[:1] + "–" + letters[len(letters)-1:], some, ""})
		}
	case "groups", "years":
		var order []string
		groups := map[string][]*thing{}
		add := func(g string, t *thing) {
			if !slices.Contains(order, g) {
				order = append(order, g)
			}
			groups[g] = append(groups[g], t)
		}
		for _, t := range s.things {
			g := fmt.Sprint(t.cells[s.by].truth)
			if s.paging == "years" {
				g = g[:4]
			}
			add(g, t)
			if t.other != "" {
				add(t.other, t)
			}
		}
		slices.Sort(order)
		for _, g := range order {
			parts = append(parts, part{"/" + strings.ToLower(strings.ReplaceAll(g, " ", "")), g, groups[g], ""})
		}
	case "views":
		for _, v := range s.views {
			parts = append(parts, part{(&url.URL{Path: "/" + strings.ToLower(v)}).EscapedPath(), v, s.things, v})
		}
	default:
		parts = append(parts, part{"/", "", s.things, ""})
	}
	entry := false
	for k, part := range parts {
		p := &page{url: "https://" + s.host + part.path, title: strings.TrimSpace(s.title + " " + part.text), lang: s.tongues[part.view]}
		if len(parts) == 1 || k == 0 && part.path == "/" {
			p.title = s.title
		}
		b := &writer{page: p, loud: s.loud && part.text == picks, view: part.view}
		fmt.Fprintf(b, "<h1>%s</h1>\n<p>%s</p>\n", html.EscapeString(p.title), lead[cmp.Or(p.lang, s.lang)])
		if s.claim != "" && part.path == "/" {
			p.claim = fmt.Sprintf(s.claim, len(s.things)+s.short)
			fmt.Fprintf(b, "<p>%s</p>", p.claim)
		}
		if s.archive != "" {
			fmt.Fprintf(b, `<p>See also: <a href="/old/%d">%s</a></p>`, len(s.archive), s.archive)
		}
		b.sorts(s)
		b.things(s, s.list, part.things)
		if k == 0 {
			w.elsewhere(s, b)
		}
		if s.pager || s.unlinked {
			var paths []string
			for _, part := range parts {
				paths = append(paths, part.path)
			}
			if s.unlinked {
				b.WriteString(paged(paths, k))
			} else {
				b.WriteString(pagesOf(paths, k, s.few))
			}
		} else if (s.paging == "more" || s.paging == "numbered" || s.paging == "older") && k+1 < len(parts) {
			fmt.Fprintf(b, `<div class="foot"><a href="%s">%s</a></div>`, parts[k+1].path, s.next())
		}
		w.add(s, p, "", b.String())
		entry = entry || part.path == "/"
	}
	if !entry {
		p := &page{url: s.entry(), title: s.title}
		b := &writer{page: p}
		fmt.Fprintf(b, "<h1>%s</h1><p>%s</p><ul class=index>", html.EscapeString(s.title), lead[s.lang])
		for _, part := range parts {
			fmt.Fprintf(b, `<li><a href="%s">%s</a></li>`+"\n", part.path, html.EscapeString(part.text))
		}
		b.WriteString("</ul>")
		w.add(s, p, "", b.String())
	}
	if s.detail == "" {
		return
	}
	for _, t := range s.things {
		p := &page{url: t.url(), title: t.name}
		b := &writer{page: p}
		head := b.detail(s, t)
		w.add(s, p, head, b.String())
	}
}

var (
	lead = map[string]string{
		"en":    "This directory is kept by volunteers and is checked twice a year. Please tell us about mistakes.",
		"de":    "Dieses Verzeichnis wird ehrenamtlich gepflegt und zweimal im Jahr geprüft. Fehler melden Sie bitte.",
		"fr":    "Ce répertoire est tenu par des bénévoles et vérifié deux fois par an. Signalez-nous les erreurs.",
		"es":    "Este directorio lo mantienen voluntarios y se revisa dos veces al año. Avísenos de los errores.",
		"it":    "Questo elenco è curato da volontari e controllato due volte all'anno. Segnalateci gli errori.",
		"nl":    "Deze lijst wordt door vrijwilligers bijgehouden en twee keer per jaar nagekeken. Meld ons fouten.",
		"pt":    "Este guia é mantido por voluntários e revisto duas vezes por ano. Avise-nos dos erros.",
		"ja":    "この案内は有志が年に二回見直しています。誤りがあればお知らせください。",
		"pl":    "Spis prowadzą wolontariusze i sprawdzają go dwa razy w roku. Prosimy zgłaszać błędy.",
		"sv":    "Listan sköts av frivilliga och gås igenom två gånger om året. Hör av dig om något är fel.",
		"tr":    "Bu rehberi gönüllüler hazırlar ve yılda iki kez gözden geçirir. Yanlışları bize bildirin.",
		"da":    "Listen føres af frivillige og gennemgås to gange om året. Skriv til os, hvis noget er forkert.",
		"fi":    "Luetteloa pitävät vapaaehtoiset, ja se tarkistetaan kahdesti vuodessa. Ilmoita virheistä.",
		"cs":    "Seznam vedou dobrovolníci a kontrolují ho dvakrát ročně. O chybách nám prosím napište.",
		"ko":    "이 안내는 자원봉사자가 일 년에 두 번 점검합니다. 잘못된 곳이 있으면 알려 주십시오.",
		"no":    "Listen føres av frivillige og gås gjennom to ganger i året. Si gjerne fra om feil.",
		"hu":    "A jegyzéket önkéntesek vezetik, és évente kétszer ellenőrzik. Kérjük, jelezze a hibákat.",
		"el":    "Τον κατάλογο τηρούν εθελοντές και τον ελέγχουν δύο φορές τον χρόνο. Πείτε μας για τα λάθη.",
		"ru":    "Список ведут добровольцы и проверяют его дважды в год. Сообщите нам, пожалуйста, об ошибках.",
		"ar":    "يشرف على هذا السجل متطوعون ويراجعونه مرتين في السنة. نرجو إبلاغنا بالأخطاء.",
		"uk":    "Цей перелік ведуть волонтери й двічі на рік перевіряють. Про помилки, будь ласка, повідомляйте.",
		"ro":    "Lista este întreținută de voluntari și verificată de două ori pe an. Vă rugăm să ne semnalați greșelile.",
		"vi":    "Danh bạ này do tình nguyện viên cập nhật và kiểm tra hai lần mỗi năm. Xin báo cho chúng tôi nếu có sai sót.",
		"he":    "הרשימה מנוהלת בידי מתנדבים ונבדקת פעמיים בשנה. נשמח לשמוע על טעויות.",
		"hi":    "यह सूची स्वयंसेवक बनाते हैं और साल में दो बार जाँचते हैं। गलती मिले तो हमें बताएँ।",
		"ca":    "Aquesta llista la mantenen voluntaris i es revisa dues vegades l'any. Si hi veieu errors, aviseu-nos.",
		"hr":    "Popis vode volonteri i provjeravaju ga dvaput godišnje. Javite nam ako nešto nije točno.",
		"sk":    "Zoznam vedú dobrovoľníci a dvakrát do roka ho kontrolujú. Na chyby nás, prosím, upozornite.",
		"sl":    "Seznam urejajo prostovoljci in ga pregledajo dvakrat na leto. Prosimo, sporočite nam napake.",
		"id":    "Daftar ini dikelola oleh sukarelawan dan diperiksa dua kali setahun. Mohon beri tahu kami jika ada kesalahan.",
		"bg":    "Списъкът се поддържа от доброволци и се проверява два пъти в годината. Съобщете ни за грешки.",
		"lt":    "Sąrašą tvarko savanoriai ir peržiūri jį du kartus per metus. Praneškite apie klaidas.",
		"lv":    "Sarakstu uztur brīvprātīgie un pārbauda divreiz gadā. Par kļūdām lūdzam ziņot.",
		"th":    "อาสาสมัครดูแลรายการนี้และตรวจสอบปีละสองครั้ง หากพบข้อผิดพลาดโปรดแจ้งเรา",
		"pt-BR": "Este guia é mantido por voluntários e revisto duas vezes por ano. Avise-nos dos erros.",
		"et":    "Registrit peavad vabatahtlikud ja see vaadatakse üle kaks korda aastas. Vigadest palume teatada.",
		"is":    "Sjálfboðaliðar halda skrána og fara yfir hana tvisvar á ári. Látið vita ef eitthvað er rangt.",
		"gl":    "Este listado mantéñeno voluntarios e revísase dúas veces ao ano. Avísennos dos erros.",
		"es-MX": "Este listado lo mantienen voluntarios y se revisa dos veces al año. Avísenos si encuentra errores.",
		"sr":    "Spisak vode volonteri i proveravaju ga dvaput godišnje. Javite nam ako nešto nije tačno.",
		"zh-TW": "本名錄由志工維護，每年核對兩次。如有錯誤，請告訴我們。",
		"zh":    "本名录由志愿者维护，每年核对两次。如有错误，请告诉我们。",
	}
	more = map[string]string{
		"hr": "Prikaži još", "sl": "Naloži več", "sk": "Zobraziť ďalšie", "uk": "Показати ще", "ro": "Încarcă mai multe", "he": "טען עוד",
		"no": "Vis mer", "hu": "Továbbiak", "el": "Περισσότερα", "ru": "Показать ещё", "ar": "عرض المزيد",
		"da": "Vis flere", "fi": "Näytä lisää", "cs": "Zobrazit další", "ko": "더 보기",
		"en": "Load more", "de": "Mehr anzeigen", "fr": "Afficher plus", "es": "Cargar más", "it": "Mostra altro", "nl": "Meer tonen", "pt": "Ver mais", "ja": "もっと見る",
		"pl": "Pokaż więcej", "sv": "Visa fler", "tr": "Daha fazla göster", "zh": "加载更多",
	}
	older = map[string]string{"en": "Older entries", "it": "Più vecchie"}
)

// next returns the text of the link to the next page of a listing.
func (s *site) next() string {
	if s.onward != "" {
		return s.onward
	}
	if s.paging == "older" {
		return older[s.lang]
	}
	return more[s.lang]
}

// add frames a page and keeps it.
func (w *Web) add(s *site, p *page, head, main string) {
	w.pages = append(w.pages, p)
	w.html[strings.TrimPrefix(p.url, "https://")] = fmt.Sprintf(`<!DOCTYPE html><html lang="%s"><head><meta charset=utf-8><title>%s</title>%s</head><body>
<div id=top><a href="/">%s</a> <a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></div>
<div role=main id=content>%s</div>
<div id=bottom>© 2025 %s</div></body></html>`, cmp.Or(p.lang, s.lang), html.EscapeString(p.title), head, html.EscapeString(s.title), main, s.host)
}

// Search finds sites by the words of their titles, and things by their names.
func (w *Web) Search(_ context.Context, q agent.Query) ([]agent.Hit, error) {
	var hits []agent.Hit
	asked := strings.ToLower(q.Text)
	for _, s := range w.sites {
		if len(q.Sites) > 0 && !slices.Contains(q.Sites, s.host) {
			continue
		}
		for _, t := range s.things {
			if s.detail != "" && strings.Contains(asked, strings.ToLower(t.name)) {
				hits = append(hits, agent.Hit{URL: t.url(), Title: t.name, Snippet: s.title})
			}
		}
		for word := range strings.FieldsSeq(asked) {
			if len(word) > 4 && strings.Contains(strings.ToLower(s.title), strings.TrimSuffix(word, "s")) {
				hits = append(hits, agent.Hit{URL: s.entry(), Title: s.title})
				break
			}
		}
	}
	return hits[:min(len(hits), q.N)], nil
}
