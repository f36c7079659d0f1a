// This expression returns the computed styles of a few elements of the page, in the order of
// the page, as a list of {Element, Properties}.
(() => {
	const names = ["color", "background-color", "font-family", "font-size", "font-weight", "line-height", "letter-spacing", "border-radius", "padding-top", "padding-left", "margin-bottom"];
	const shown = e => {
		const r = e.getBoundingClientRect(), s = getComputedStyle(e);
		return r.width > 0 && r.height > 0 && s.visibility !== "hidden" && s.opacity !== "0";
	};
	const bare = document.createElement("div");
	bare.style.cssText = "all: initial";
	document.documentElement.append(bare);
	const usual = getComputedStyle(bare).getPropertyValue("font-family");
	bare.remove();
	const pick = (selector, most, fits) => {
		const found = [];
		for (const e of document.querySelectorAll(selector)) {
			if (found.length === most) break;
			if (shown(e) && (!fits || fits(e))) found.push(e);
		}
		return found;
	};
	const isButton = e => e.getAttribute("role") === "button" || /(^|\s)(btn|button|cta)(\s|$)|(^|\s)(btn|button)-|(-btn|-button|__button)(\s|$)/i.test(e.className && e.className.baseVal === undefined ? e.className : "");
	const list = [];
	const add = (name, elements) => {
		for (const e of elements) {
			const s = getComputedStyle(e), p = {};
			for (const n of names) {
				const v = s.getPropertyValue(n);
				if (v && v.length < 300 && !(n === "font-family" && v === usual) && v !== "normal") p[n] = v;
			}
			if (parseFloat(s.getPropertyValue("border-top-width")) > 0 && s.getPropertyValue("border-top-style") !== "none") p["border-color"] = s.getPropertyValue("border-top-color");
			list.push({Element: name, Properties: p, e});
		}
	};
	add("html", [document.documentElement]);
	add("body", document.body ? [document.body] : []);
	for (const tag of ["h1", "h2", "h3", "p", "footer"]) add(tag, pick(tag, 1));
	add("code", pick("code, pre", 1));
	add("a", pick("a[href]", 1, e => !isButton(e) && !e.closest("nav, header") && e.textContent.trim()));
	add("input", pick("input:not([type]), input[type=text], input[type=email], input[type=search], input[type=tel], input[type=url], input[type=password], textarea", 1));
	add("button", pick("button, input[type=submit], input[type=button], a[role=button], a[class]", 4, e => e.localName !== "a" || isButton(e)));
	list.sort((a, b) => a.e === b.e ? 0 : a.e.compareDocumentPosition(b.e) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
	return list.map(({Element, Properties}) => ({Element, Properties}));
})()
