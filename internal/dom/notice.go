// SPDX-License-Identifier: Apache-2.0

package dom

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// notices are phrases of pages that only say why they do not show what was asked for, in lower case, without punctuation,
// and divided by bars. A text is such a notice if it has one of what and, unless it is empty, one of how. An equals sign
// begins a phrase that is the whole heading of a page. Each word may be longer, so that "expire" is also "expired".
var notices = []struct {
	kind      StandIn
	what, how string
}{
	{Missing, "nothing was found at this location|page isn t available", ""},
	{Missing, "link |dirección|indirizzo|page |seite|página|pagina|stron|sida|side |siden|sivu|stránk|страниц|сторінк|sayfa|oldal|σελίδα|stranic|ページ|页面|頁面|페이지|الصفحة|url|file |document |adresse", "can t seem|seem to find|no corresponde|impossibile trovare|non trovat|niet beschikbaar|nie odnalez|odnalezion|sumiu|is broken|broken or|not found|not be found|can t find|cannot find|couldn t find|could not find|couldn t be found|" +
		"can t be found|not exist|doesn t exist|doesn t seem|no longer|is gone|been removed|lost that|isn t here|not available|unavailable|nicht gefunden|nicht finden|nicht auffindbar|existiert nicht|existiert leider|gibt es nicht|" +
		"leider gibt es|nicht mehr|nicht verfügbar|introuvable|non trouvé|n existe|ne trouvons|pas été trouvé|supprimée|no encontr|no existe|podemos encontrar|podido encontrar|no se encontr|no está disponible|eliminada|non esiste|" +
		"non è stata trovata|non c è|non disponibile|não encontr|não existe|não foi encontrada|conseguimos encontrar|niet gevonden|bestaat niet|niet vinden|nie znalez|nie istnieje|nie została|możemy znaleźć|nie ma|hittades inte|finns inte|" +
		"inte hitta|hittar inte|ikke fund|ikke funnet|findes ikke|finnes ikke|finnes dessverre|ikke finde|fant ikke|ei löy|ei ole|nenalezen|neexistuje|nebyla nalezena|не найден|не существует|нет|удалена|не знайден|bulunamad|mevcut değil|" +
		"nem található|nem létezik|δεν βρέθηκε|δεν υπάρχει|nu a fost găsit|nu există|nije pronađena|見つかりません|存在し|ありません|不存在|找不到|未找到|走丢|찾을 수 없|없습니다|존재하지|غير موجودة|لم يتم العثور"},
	{Failing, "service is unavailable|isn t working right now|something broke|开小差|server error|application error|service unavailable|service temporarily unavailable|bad gateway|gateway time|error establishing a database|technical difficult|" +
		"technical problem|interner serverfehler|technisches problem|technische störung|erreur interne|un problème technique|error interno|gikk galt|meni pieleen|внутренняя ошибка|bir şeyler ters|系统繁忙|σφάλμα|hiba történt|حدث خطأ", ""},
	{Failing, "problem|teknisk|tekninen|internal|interno|interne|サーバー|服务器|서버|error|fehler|erreur|erro |fout|błąd|fel |feil|fejl|virhe|chyb|ошибка|помилка|hata|sorun|エラー|错|오류|something|etwas|quelque chose|algo |qualcosa|coś|noget|noe |něco|что то|" +
		"iets", "having problems|tekniskt fel|teknisk feil|teknisk fejl|tekninen virhe|internal error|del server|du serveur|del servidor|do servidor|de servidor|unbekannt|unknown|inconnue|desconocido|sconosciuto|desconhecido|habido un|rencontrons|" +
		"500|сервера|エラー|错误|오류|went wrong|gone wrong|occurred|unexpected|fatal|aufgetreten|unerwartet|schief|survenu|produit|inattendu|mal passé|ocurrido|producido|inesperado|salió mal|salido mal|ido mal|verificat|imprevist|storto|ocorreu|" +
		"deu errado|correu mal|opgetreden|misgegaan|mis gegaan|fout gegaan|ging iets mis|wystąpił|poszło nie|uppst|inträffat|gick|opstod|opstået|er sket|skete|skjedde|oppstod|galt|tapahtui|pieleen|došlo|nastala|pokazilo|произошла|возникла|" +
		"пошло|сталася|oluştu|発生|出|发生|발생"},
	{Limited, "unusual traffic|unusual activity|slow down|too fast|too many page|zu viele seiten|ungewöhnliche aktivität|trop de demandes|リクエストが多|操作频繁|πάρα πολλά αιτήματα|túl sok kérés|طلبات كثيرة|rate limited", ""},
	{Limited, "attempt|versuche|tentativ|intentos|zugriff|limite|límite|request|anfrage|aufrufe|requête|petici|solicitud|richiest|requisi|pedidos|solicitações|acessos|verzoek|aanvra|zapyta|żąda|förfråg|anrop|foresp|pyynt|požadavk|запрос|запит|" +
		"istek|リクエスト|アクセス|请求|访问|요청|page views|rate limit|datenverkehr|trafic|tráfico|tráfego", "too fast|too often|atteinte|alcanzad|raggiunt|atingid|частые|过高|too many|too high|exceed|reached|unusual|zu viele|erreicht|überschritten|ungewöhnlich|trop de|dépassé|inhabituel|demasiad|superado|inusual|troppe|superato|muit|excedi|" +
		"incomum|te veel|zbyt wiele|przekroczono|för många|for mange|liian|příliš|слишком|превышен|забагато|çok fazla|多数|集中|过于|过多|频繁|너무"},
	{Refused, "accessible depuis votre|=not authorised|=not authorized|=unauthorized|=unauthorised|=forbidden|=accès interdit|=kein zugriff|ip address has been blocked|ip has been blocked|visitors from the european union|access is denied|" +
		"access blocked|you have been blocked|isn t available in your|unavailable in your|unavailable for legal|unavailable due to legal|403 forbidden|blocked in your|in the eea|european economic area|zugriff verweigert|zugang verweigert|" +
		"accès refusé|accès interdit|acceso denegado|acceso prohibido|accesso negato|disponibile nella tua|acesso negado|toegang geweigerd|beschikbaar in uw|beschikbaar in jouw|dostęp zabroniony|åtkomst nekad|adgang nægtet|tilgang nektet|" +
		"pääsy estetty|přístup odepřen|доступ закрыт|доступ ограничен|erişim engellendi|アクセスが拒否|访问被拒绝|접근이 거부|تم رفض الوصول|=access denied", ""},
	{Refused, "dem land|日本国外|海外から|your country|your region|your location|your area|the united states|the european|ihrem land|deinem land|ihrer region|deiner region|votre pays|votre région|tu país|su país|tu región|su región|tuo paese|tua regione|" +
		"seu país|sua região|uw land|jouw land|uw regio|jouw regio|twoim kraju|twoim regionie|ditt land|din region|dit land|maassasi|vaší zemi|вашей стране|вашем регионе|ülkenizde|bölgenizde|お住まいの国|お住まいの地域|所在的地区|所在的国家|국가에서|지역에서|χώρα σας|" +
		"ön országában|في بلدك", "steht in|zur verfügung|non è visibile|невозмож|geblockt|gesperrt|bloqué|bloquead|bloccat|blocked|not available|isn t available|n t available|only available|not accessible|not made|unavailable|verfügbar|disponible|indisponible|" +
		"disponibile|disponível|indisponível|beschikbaar|dostępn|niedostępn|tillgänglig|tilgængelig|tilgjengelig|saatavilla|dostupn|доступ|недоступ|kullanılam|ご利用いただけ|視聴でき|不可用|无法|이용할 수 없|διαθέσιμ|elérhető|متاح"},
	{Refused, "resource|access|permission|zugriff|zugang|berechtigung|accès|acceso|permiso|acesso|permissão|toegang|dostęp|åtkomst|adgang|tilgang|pääsy|přístup|доступ|erişim", "is forbidden|you don t have|you do not have|has been denied|been limited|keinen zugriff|keine berechtigung|n avez pas|no tiene|non hai|não tem|heeft geen|hebt geen|odmowa|brak|nie masz|saknar|du har inte|har ikke|ei oikeutta|" +
		"nemáte|запрещ|нет доступа|yetkiniz yok|izniniz yok"},
	{Closed, "entsteht eine neue|entsteht eine website|entsteht eine homepage|upgrading our|under construction|en construction|en construcción|in costruzione|em construção|in aanbouw|w budowie|в разработке|на реконструкции|yapım aşamasında|工事中|" +
		"建设中|under maintenance|for maintenance|planned maintenance|maintenance mode|back soon|be back shortly|right back|wartungsarbeiten|wartungsmodus|gleich zurück|bald zurück|bald wieder|de retour|opération de maintenance|" +
		"en mantenimiento|tareas de mantenimiento|in manutenzione|em manutenção|in onderhoud|wegens onderhoud|przerwa techniczna|prace konserwacyjne|prace techniczne|underhållsarbete|under underhåll|vedligeholdelse|vedlikehold|huoltokatko|" +
		"huoltotauko|huollossa|probíhá údržba|údržba webu|odstávka|технические работы|технических работ|техническое обслуживание|технічні роботи|bakım çalışma|bakımda|メンテナンス中|ただいまメンテナンス|维护中|維護中|점검 중|점검중|υπό συντήρηση|συντήρησης|" +
		"karbantartás|قيد الصيانة", ""},
	{Closed, "temporarily offline|temporarily closed|temporaneamente|temporalmente|temporairement|ведутся работы|maintenance|wartung|gewartet|mantenimiento|manutenzione|manutenção|onderhoud|konserwac|underhåll|vedligehold|vedlikehold|huolto|" +
		"údržb|технические работы|технических работ|bakım|メンテナンス|维护|점검|συντήρησ|karbantart|صيانة|closed for updates|gang med at opdatere", "por mantenimiento|fermé|cerrado|chiuso|fechado|geschlossen|gesloten|suljettu|stengt|lukket|stängd|site |website|web |page |our store|our server|system|down for|scheduled|performing|undergoing|seite|shop |en cours|sito|deze|strona|" +
		"strony|sajten|sidan|siden|sivusto|stránky|сайт|sitemiz|サイト|システム|网站|系统|사이트|oldal"},
	{Parked, "apache2 debian default|apache2 ubuntu default|apache http server test|welcome to nginx|=it works|iis windows server|test page for|parked free|domain parking|domain name is registered|diese domain kaufen", ""},
	{Parked, "domain|domín|domein|domen|domän|domæne|dominio|домен|alan adı|ドメイン|域名|도메인", "interested in|inquire about|réservé|зарегистрирован|for sale|for purchase|buy this|parked|expired|not yet in use|just been registered|zu verkaufen|zum verkauf|kundenauftrag|geparkt|abgelaufen|registriert|à vendre|en vente|expiré|" +
		"en venta|a la venta|caducado|in vendita|scadut|à venda|registrado|te koop|na sprzedaż|till salu|parkerad|til salg|na prodej|прода|припаркован|истек|satılık|売|出售|판매"},
	{AgeGate, "how old are you|wie alt bist du|wie alt sind sie|quel âge avez|cuántos años tienes|quanti anni hai|quantos anos você tem|hoe oud ben je|are you over 1|are you over 2|are you at least|are you of legal|are you old enough|" +
		"verify your age|confirm your age|age verification|age check|legal drinking age|must be at least 1|must be at least 2|must be of legal|sind sie über|sind sie mindestens|sind sie bereits 1|sind sie schon 1|bist du über|" +
		"bist du schon 1|bist du mindestens|altersprüfung|altersverifikation|altersabfrage|alterskontrolle|avez vous plus de|avez vous l âge|vérification de l âge|vérifier votre âge|mayor de edad|mayores de edad|verificación de edad|" +
		"hai più di|hai almeno|sei maggiorenne|verifica dell età|verifica età|maior de 18|maior de idade|verificação de idade|ben je ouder|bent u ouder|leeftijdscontrole|masz ukończone|masz 18|pełnoletni|är du över|fyllt|åldersverifiering|" +
		"er du over|fyldt 18|fylt 18|oletko yli|oletko täysi|je vám více|bylo vám|вам исполнилось|старше 18|вам виповнилося|18 yaşında|年齢確認|年满|年龄验证|성인 인증|만 19세|είστε άνω|هل عمرك", ""},
	{AgeGate, "geburtsdatum|date of birth|date de naissance|fecha de nacimiento|data di nascita|data de nascimento|geboortedatum|16 |18 |19 |20 |21 |volljährig|majeur|l âge légal|18歳|20歳|18岁|18周岁|legal age|legal drinking|18+", "bitte gib|bitte geben|enter your|entrez|introduce|inserisci|insira|vul |du musst|devi avere|are you|i am|must be|or older|sind sie|bist du|avez vous|êtes vous|vous devez|eres|tienes|mayor|hai |sei |compiuto|tem mais|és maior|" +
		"ben je|bent u|czy masz|ukończ|är du|har du|er du|oletko|je vám|bylo|вам |以上|年满|已满|misiniz|müsünüz|doldurd|yaşından"},
	{Challenge, "interruption|were a bot|was a bot|un humain|är en robot|er en robot|security check|checking your browser|kein roboter|sicherheitsprüfung|un robot|vérification de sécurité|eres humano|sei umano|um robô|geen robot|nie jestem robotem|" +
		"nie jesteś robotem|inte en robot|ikke en robot|et ole robotti|nejste robot|не робот|robot olmad|robot değil|ロボットでは|人机验证|安全验证|不是机器人|로봇이 아|δεν είστε ρομπότ", ""},
	{Challenge, "a bot|kein bot|captcha|persona|человек|真人|human|a robot|roboter|ein mensch|humain|umano|robô|człowiek|robotem|en robot|människa|menneske|robotti|робот|insan|ロボット|机器人|로봇|un robot|een robot|verification", "not a|complete the|solve the|löse|докаж|verif|confirm|are you|you are|you re|prove|security|beweisen|bestätig|sind sie|êtes|prouv|vérifi|demuestra|dimostra|você é|ben je|bent u|bewijs|udowodnij|potwierdź|är du|bekräfta|er du|" +
		"bekræft|nejste|potvrď|вы не|подтверд|doğrula|ではありません|证明|验证|아니|아님"},
	{Scriptless, "javascript", "switch|without|einschalt|serve |doit|отключ|ohne|sans|senza|sin |sem |uden|utan|uten|zonder|bez |без|enabl|disabl|requir|needs|turned|turn on|not available|aktivier|deaktiv|erforderlich|benötigt|ausgeschaltet|activ|désactiv|requis|" +
		"nécess|habilit|desactiv|deshabilit|requiere|necesi|abilit|attiv|disattiv|necess|ativ|precisa|schakel|nodig|uitgeschakeld|włącz|wymaga|aktiver|slået|måste|zapn|povol|vyžad|включ|требу|увімкн|etkin|gerek|有効|启用|需要|활성|ενεργοπ"},
	{Nothing, "no matching|一致する商品は|any matches|ne correspond à votre|não retornou|nie znaleźliśmy|ei tuottanut|no coinciden|inget matchade|matchade inget|no results|no search results|0 results|0 items found|no matches|no items found|" +
		"no products found|no products match|no products were found|nothing found|nothing matched|did not match any|didn t match any|returned no|no entries found|we couldn t find anything|keine ergebnisse|keine treffer|keine suchergebnisse|" +
		"keine artikel gefunden|keine produkte|0 treffer|nichts gefunden|nichts passendes|aucun résultat|aucun produit|aucun article|0 résultat|sin resultados|no se encontraron|no se han encontrado|no hay resultados|no hemos encontrado|" +
		"nessun risultato|nessun prodotto|nenhum resultado|nenhum produto|não encontramos|geen resultaten|geen producten|niets gevonden|brak wyników|brak produktów|niczego nie znaleziono|nie znaleziono żadnych|inga träffar|inga resultat|" +
		"inga produkter|hittade inget|ingen resultater|ingen treff|ingen produkter|ingen søgeresultater|ei tuloksia|ei hakutuloksia|ei löytynyt|žádné výsledky|žádné produkty|nic nenalezeno|nebyly nalezeny|nic jsme nenašli|ничего не найдено|" +
		"ничего не нашлось|нет результатов|результатов не найдено|товаров не найдено|нічого не знайдено|sonuç bulunamad|ürün bulunamad|検索結果はありません|見つかりませんでした|没有找到|未找到|无结果|没有结果|검색 결과가 없|검색결과가 없|δεν βρέθηκαν|nincs találat|لا توجد نتائج|" +
		"there are no products|there are no items|could not find what you|couldn t find what you|no listings|no jobs found|no events found|n avons trouvé|no encontramos|non ha prodotto|не дал результатов|不到相关|ありませんでした", ""},
	{Nothing, "résultat|resultado|risultat|zoekopdracht|ничего|結果|your search|no ", "pas de|no produjo|no ha produ|non ha dato|niets op|не нашли|ありません|no match|match your|matched your|match the filter"},
	{SignIn, "please authenticate|not logged in|not signed in|identifiez vous|accede a tu cuenta|riservato agli utenti|=вход в систему|=inicio de sesión|登录后|effettuare l accesso|effettua l accesso|effettuato l accesso|=log in|=login|=sign in|" +
		"=anmelden|=anmeldung|=einloggen|=connexion|=se connecter|=identification|=iniciar sesión|=accedi|=entrar|=inloggen|=zaloguj się|=logowanie|=logga in|=log ind|=logg inn|=kirjaudu|=přihlášení|=вход|=giriş|=giriş yap|=ログイン|=登录|=로그인|" +
		"einloggen und|vous identifier|sign in to continue|sign in to view|sign in to see|sign in to access|sign in to your|log in to continue|log in to view|log in to see|log in to your|login to continue|login to your|please log in|" +
		"please login|please sign in|must be logged in|must log in|must be signed in|need to log in|need to sign in|need to be logged in|bitte anmelden|bitte melden sie sich|bitte einloggen|bitte loggen|melden sie sich an|melde dich an|" +
		"anmelden um|anmeldung erforderlich|eingeloggt sein|connectez vous|vous devez être connecté|se connecter pour|inicia sesión|iniciar sesión para|inicie sesión|debes iniciar|accedi per|accedi al|faça login|faça o login|iniciar sessão|" +
		"entre na sua conta|log in om|je moet ingelogd|u moet ingelogd|meld je aan|zaloguj się|musisz być zalogowan|musisz się zalogować|logga in för|logga in på|måste logga in|vara inloggad|log ind for|logge ind|være logget ind|" +
		"logg inn for|logge inn|være logget inn|kirjaudu sisään|přihlaste se|musíte se přihlásit|musíte být přihlášen|войдите|необходимо войти|авторизуйтесь|необходима авторизация|увійдіть|giriş yapın|giriş yapmalısınız|giriş yapmanız|" +
		"ログインしてください|ログインが必要|请登录|请先登录|請先登入|로그인이 필요|로그인해|συνδεθείτε|jelentkezzen be|be kell jelentkez|سجل الدخول|is for members only|are for members only|login required|registered users only|angemeldet sein|vous connecter|precisa fazer login|" +
		"moet inloggen|авторизоваться|=members only", ""},
}

// The kinds of notices that are only told if the page has a button, a link or a field with which readers answer.
func (k StandIn) asks() bool { return k == AgeGate || k == Challenge || k == SignIn }

// Numbers of words up to which a page may be hardly more than a notice: those outside of links, if a heading or the title
// says it and if a text does, and all words. Menus are mostly links.
const (
	briefHeaded, briefText = 100, 60
	briefNothing           = 250
)

// dashes replaces what divides the parts of a title.
var dashes = strings.NewReplacer(" - ", "|", " – ", "|", " — ", "|", " · ", "|", " » ", "|", " :: ", "|")

// A noticeReader looks for notices in the headings and texts of a page.
type noticeReader struct {
	words, plain int  // on the page, and those outside of links
	answers      bool // there is a field, a button or a link
	left         int  // texts that are still looked at
	heads        bool // the text is the title or the heading of the page
}

// notice returns what a page of so many words says instead of its content, by the words of a heading, of the title, or
// of a text of a very short page.
func notice(root *html.Node, words int) StandIn {
	const looks = 64
	r := noticeReader{words: words, left: looks}
	for n := Next(root, root); n != nil; n = Next(n, root) {
		switch {
		case n.Type == html.TextNode && !isLinked(n):
			r.plain += wordsShown(n)
		case n.DataAtom == atom.Frame: // the content is in other pages
			return Itself
		case n.DataAtom == atom.A, n.DataAtom == atom.Input, isButton(n):
			r.answers = true
		}
		if r.plain > briefHeaded {
			return Itself
		}
	}
	for n := Next(root, root); n != nil; n = Next(n, root) {
		switch n.DataAtom {
		case atom.Title, atom.H1, atom.H2, atom.H3:
			r.heads = n.DataAtom == atom.H1 || n.DataAtom == atom.Title
			for piece := range strings.SplitSeq(dashes.Replace(Text(n)), "|") { // titles also have the name of the site
				if kind := r.read(piece); kind != Itself && n.Namespace == "" {
					return kind
				}
			}
		}
	}
	if r.heads = false; r.plain > briefText {
		return Itself
	}
	for n := Next(root, root); n != nil; n = Next(n, root) {
		if n.Type == html.TextNode && wordsShown(n) > 0 && !isLinked(n) {
			if kind := r.read(n.Data); kind != Itself {
				return kind
			}
		}
	}
	return Itself
}

// read returns the kind of the notice in a text.
func (r *noticeReader) read(text string) StandIn {
	const most, long = 300, 20 // bytes, and words
	if len(text) > most || r.left == 0 {
		return Itself
	}
	r.left--
	folded := " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) }), " ") + " "
	if strings.Count(folded, " ") > long {
		return Itself
	}
	for _, n := range notices {
		if n.kind.asks() && !r.answers || n.kind == Nothing && r.words > briefNothing {
			continue
		}
		if r.says(folded, n.what) && (n.how == "" || r.says(folded, n.how)) {
			return n.kind
		}
	}
	return Itself
}

// says reports whether a folded text has one of phrases.
func (r *noticeReader) says(text, phrases string) bool {
	for phrase := range strings.SplitSeq(phrases, "|") {
		whole, exact := strings.CutPrefix(phrase, "=")
		if exact && r.heads && text[1:len(text)-1] == whole || !exact && hasPhrase(text, phrase) {
			return true
		}
	}
	return false
}

// hasPhrase reports whether a word of a folded text, or any character of a script without spaces, begins a phrase.
func hasPhrase(text, phrase string) bool {
	for {
		before, after, found := strings.Cut(text, phrase)
		if !found {
			return false
		}
		if last, _ := utf8.DecodeLastRuneInString(before); last == ' ' || last >= firstUnspaced {
			return true
		}
		if first, _ := utf8.DecodeRuneInString(phrase); first >= firstUnspaced {
			return true
		}
		text = after
	}
}

// firstUnspaced is the first character of scripts without spaces between words, of which only those
// of East Asia are among the notices.
const firstUnspaced = '\u2e80'

// isLinked reports whether a text is in a link or a button.
func isLinked(n *html.Node) bool {
	const most = 8 // levels
	for p, left := n.Parent, most; p != nil && left > 0; p, left = p.Parent, left-1 {
		if p.DataAtom == atom.A || p.DataAtom == atom.Button {
			return true
		}
	}
	return false
}
