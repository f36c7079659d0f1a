// This function looks for a banner that asks for consent to cookies. If accept is true, it
// clicks a button that accepts, and otherwise one that refuses. If there is no such button, or if
// hide is true, it hides the banner. It returns "" if there is no banner, and otherwise
// "clicked" or "hidden".
((accept, hide) => {
	// Elements of widespread consent managers.
	const banners = "#onetrust-banner-sdk, #CybotCookiebotDialog, #didomi-host, #usercentrics-root, .qc-cmp2-container, #truste-consent-track, .osano-cm-dialog, .cky-consent-container, .cmplz-cookiebanner, #cookiescript_injected, #cc-main, #klaro .cookie-notice, #tarteaucitronRoot, #iubenda-cs-banner, [id^=sp_message_container], .fc-consent-root, .cc-window, #cookie-law-info-bar, #cookie-notice";
	const refusing = "#onetrust-reject-all-handler, #CybotCookiebotDialogBodyButtonDecline, #didomi-notice-disagree-button, .didomi-continue-without-agreeing, [data-testid=uc-deny-all-button], #truste-consent-required, .osano-cm-denyAll, .cky-btn-reject, .cmplz-deny, #cookiescript_reject, #cc-main [data-role=necessary], .cn-decline, #tarteaucitronAllDenied2, .iubenda-cs-reject-btn, .fc-cta-do-not-consent, .cc-deny, #cn-refuse-cookie";
	const accepting = "#onetrust-accept-btn-handler, #CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll, #didomi-notice-agree-button, [data-testid=uc-accept-all-button], #truste-consent-button, .osano-cm-acceptAll, .cky-btn-accept, .cmplz-accept, #cookiescript_accept, #cc-main [data-role=all], #tarteaucitronPersonalize2, .iubenda-cs-accept-btn, .fc-cta-consent, .cc-allow, #cn-accept-cookie";
	// Words in other banners. Those for refusing are looked for first.
	const about = /cookie|consent|gdpr|dsgvo|einwilligung|consentement|consentimiento|consenso|toestemming|zgod[aęy]|samtycke|クッキー|同意/i;
	const no = /^(reject|decline|deny|refuse|disagree|no,? thanks|(only|use|allow)?\s*(strictly )?(necessary|essential|required)( cookies)?( only)?$|continue without|alles? ablehnen|ablehnen|nur (die )?(notwendige|erforderliche|essenzielle|technisch)|tout refuser|refuser|continuer sans|rechazar|solo (las )?necesarias|rifiuta|solo (i )?necessari|rejeitar|recusar|weiger|alles weigeren|alleen noodzakelijk|odrzuć|avvisa|afvis|endast nödvändiga|отклонить|すべて拒否|拒否|拒绝|全部拒绝)/i;
	const yes = /^(accept|agree|i agree|i accept|allow|got it|ok$|okay$|alles? akzeptieren|akzeptieren|zustimmen|einverstanden|tout accepter|accepter|j'accepte|aceptar|acepto|accetta|acconsento|aceitar|concordo|accepteren|akkoord|akceptuj|zgadzam|godkänn|acceptera|accepter alle|принять|согласен|すべて同意|同意|接受|全部接受)/i;

	const shown = e => {
		const r = e.getBoundingClientRect(), s = getComputedStyle(e);
		return r.width > 0 && r.height > 0 && s.visibility !== "hidden" && r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth;
	};
	const inside = (e, selector) => [...(e.shadowRoot || e).querySelectorAll(selector)].filter(shown);
	const label = e => (e.innerText || e.value || e.getAttribute("aria-label") || "").trim();
	const buttons = e => inside(e, "button, [role=button], a, input[type=button], input[type=submit]").slice(0, 200);

	// known returns the banners of consent managers, and other the ones that look like a banner.
	const known = () => [...document.querySelectorAll(banners)].filter(e => shown(e) || inside(e, "*").length > 0);
	const other = () => {
		const found = [];
		const all = document.querySelectorAll("div, section, aside, dialog, form, footer");
		for (let i = 0; i < all.length && i < 20000 && found.length < 3; i++) {
			const e = all[i];
			if (e.childElementCount === 0 || found.some(f => f.contains(e))) continue;
			const s = getComputedStyle(e);
			const dialog = e.open && e.localName === "dialog" || e.getAttribute("role") === "dialog" || e.getAttribute("aria-modal") === "true";
			if (s.position !== "fixed" && s.position !== "sticky" && !dialog || !shown(e)) continue;
			const text = e.innerText || "", r = e.getBoundingClientRect();
			if (text.length < 20 || text.length > 4000 || r.width * r.height < 0.03 * innerWidth * innerHeight || !about.test(text)) continue;
			if (e.querySelector("input[type=password], input[type=email], input[type=text], input[type=search], main, article, nav")) continue;
			if (!buttons(e).some(b => yes.test(label(b)) || no.test(label(b)))) continue;
			found.push(e);
		}
		return found;
	};
	let list = known();
	if (list.length === 0) list = other();
	if (list.length === 0) return "";
	if (!hide) {
		for (const e of list) {
			const named = inside(e, accept ? accepting : refusing);
			const all = buttons(e);
			const button = named[0] || all.find(b => accept ? yes.test(label(b)) && !no.test(label(b)) : no.test(label(b)));
			if (button) {
				// A link to another page is not a button.
				if (button.localName === "a" && button.href && !/^(javascript:|#|$)/.test(button.getAttribute("href"))) continue;
				button.click();
				return "clicked";
			}
		}
	}
	for (const e of list) e.style.setProperty("display", "none", "important");
	for (const e of [document.documentElement, document.body]) {
		if (e && getComputedStyle(e).overflowY === "hidden") e.style.setProperty("overflow", "visible", "important");
		if (e && getComputedStyle(e).position === "fixed") e.style.setProperty("position", "static", "important");
	}
	// What darkens the page behind the banner has no content.
	for (const e of document.querySelectorAll("body > div")) {
		const r = e.getBoundingClientRect();
		if (getComputedStyle(e).position === "fixed" && r.width >= innerWidth && r.height >= innerHeight && e.childElementCount === 0 && !e.textContent.trim()) e.style.setProperty("display", "none", "important");
	}
	return "hidden";
})(%t, %t)
