// One document: rendered, beside its source, and the request for it.

import { h, put, call, num, count, externalLink, bytes, lines, preview, shorten, note, copy, webURL, announce } from "./lib.js";
import { parsedPages, fromBase64 } from "./pdf.js";
import { codeOf, codeOfJob, requestView } from "./request.js";

// panes shows the texts of a document in one pane, with buttons to change between them. all is
// a list of [name, text], or of [name, function that makes an element].
export function panes(all, chosen, cite, words) {
  const pane = h("section");
  const show = (i) => {
    const [, content] = all[i];
    const isText = typeof content === "string";
    put(pane, h("div", { class: "head" }, all.map(([name], k) => h("button", { type: "button", class: k === i ? "" : "quiet", "aria-pressed": k === i, onclick: () => { show(k); pane.querySelector("[aria-pressed=true]").focus(); } }, name)),
      isText ? h("button", { type: "button", class: "quiet push", onclick: () => copy(content) }, "Copy") : null),
      isText ? lines(content, cite, words) : content());
    pane.querySelector(".cited")?.scrollIntoView({ block: "center" });
  };
  show(chosen);
  return pane;
}

// rendered is the pane with the frame that shows the text without scripts.
export function rendered(markdown, html, signal) {
  const frame = h("iframe", { sandbox: "allow-popups allow-popups-to-escape-sandbox", title: "Rendered document", referrerpolicy: "no-referrer" });
  const status = h("span", { class: "hint push", role: "status" });
  const pane = h("section", null, h("div", { class: "head" }, h("strong", null, "Rendered"), status), frame);
  const text = markdown ?? html ?? "";
  preview(frame, text, markdown !== undefined ? "text/markdown" : "text/html", signal).then((remarks) => {
    status.textContent = remarks.join(", ");
  }, (err) => { if (!signal.aborted) frame.replaceWith(h("p", { class: "pad fault", role: "alert" }, err.message)); });
  return pane;
}

// documentView shows a document beside its source. load() promises the request for it as code.
// navigation are elements above the title.
function documentView(main, doc, { navigation, load, signal, server }) {
  const m = doc.metadata ?? {};
  const url = m.url || m.sourceURL || "";
  const all = [];
  if (doc.markdown !== undefined) all.push(["Markdown", doc.markdown]);
  if (doc.rawHtml !== undefined) all.push(["HTML as sent", doc.rawHtml]);
  if (doc.html !== undefined) all.push(["Cleaned HTML", doc.html]);
  const { markdown, rawHtml, html, ...rest } = doc;
  all.push(["Links and metadata", JSON.stringify(rest, null, 2)]);
  all.push(["Request", () => h("div", { class: "pad scrolls", tabindex: 0, role: "region", "aria-label": "Request" }, requestView(load, signal).el)]);
  const isPDF = (m.contentType ?? "").startsWith("application/pdf") || m.numPages;
  const body = h("div", null, h("div", { class: "split" },
    markdown !== undefined || html !== undefined || rawHtml !== undefined ? rendered(markdown, html ?? rawHtml, signal) : h("section", null, h("p", { class: "pad muted" }, "There is no text of this page, because no format with text was requested.")),
    panes(all, Math.max(0, all.findIndex(([name]) => name === "HTML as sent")))));

  // showBlocks fetches the PDF again, because jobs do not keep the bytes of files.
  const showBlocks = async (button) => {
    button.disabled = true;
    button.textContent = "Fetching the file …";
    try {
      const r = await call("/v2/scrape", { method: "POST", json: { url, formats: ["rawBase64"], origin: "console" }, signal });
      put(body, await parsedPages(new File([fromBase64(r.data.rawBase64)], "page.pdf", { type: "application/pdf" }), signal, server));
      button.remove();
    } catch (err) {
      button.disabled = false;
      button.textContent = "Show the PDF with its blocks";
      if (!signal.aborted) note(err.message);
    }
  };
  put(main, h("div", { class: "stack" }, navigation,
    h("h1", null, shorten(m.title || url)), h("div", { class: "row small muted" }, externalLink(url, shorten(url)), h("span", { class: "chip" }, `status ${m.statusCode ?? "–"}`), m.contentType ? h("span", { class: "chip" }, m.contentType) : null, markdown !== undefined ? h("span", { class: "num" }, bytes(markdown.length), " of Markdown") : null,
      doc.links ? h("span", null, count(doc.links.length, "link")) : null, m.cacheState ? h("span", null, `cache: ${m.cacheState}`) : null,
      isPDF && webURL(url) ? h("button", { type: "button", onclick: (e) => showBlocks(e.target) }, "Show the PDF with its blocks") : null),
    doc.warning ? h("p", { class: "alert" }, doc.warning) : null, m.error ? h("p", { class: "alert bad" }, m.error) : null), body);
}

// storedPage shows page n of a job.
export function storedPage(main, { id, n, signal, server, navigate }) {
  const back = `#/job/${encodeURIComponent(id)}`;
  let total = 0;
  const open = (k) => { if (k >= 0 && (k < total || !total)) navigate(`${back}/page/${k}`); };
  put(main, h("p", { class: "muted" }, "Loading …"));
  (async () => {
    try {
      const job = await call(`api/jobs/${encodeURIComponent(id)}/pages?after=${n}&state=`, { signal });
      total = job.counts.delivered;
      const r = await call(`${job.kind === "crawl" ? "/v2/crawl/" : "/v2/batch/scrape/"}${encodeURIComponent(id)}?skip=${n}&limit=1`, { signal });
      const doc = r.data?.[0];
      if (!doc) throw new Error("There is no such page in this job.");
      const navigation = h("div", { class: "row" }, h("a", { href: back, class: "small" }, "← Pages"), h("span", { class: "muted small num" }, `${num(n + 1)} of ${num(total)}`), h("span", { class: "row push" },
        h("button", { type: "button", class: "quiet", disabled: n === 0, onclick: () => open(n - 1), title: "Previous page (k)" }, "← Previous"), h("button", { type: "button", class: "quiet", disabled: n + 1 >= total, onclick: () => open(n + 1), title: "Next page (j)" }, "Next →")));
      documentView(main, doc, { navigation, load: () => codeOfJob(id, n, signal), signal, server });
    } catch (err) {
      if (!signal.aborted) put(main, h("h1", null, "Page"), h("p", null, h("a", { href: back }, "← Back to the job")), h("p", { class: "alert bad", role: "alert" }, err.message));
    }
  })();
  return { keys: (e) => {
    if (e.key === "j") open(n + 1);
    else if (e.key === "k") open(n - 1);
    else if (e.key === "Escape") navigate(back);
    else return false;
    return true;
  } };
}

// scrapedPage scrapes the page that the address names and shows it.
export function scrapedPage(main, { query, signal, server, navigate }) {
  const url = query.get("url") ?? "";
  const body = { url, formats: ["markdown", "links", "rawHtml"] };
  put(main, h("h1", null, "Scrape"), h("p", { class: "muted", role: "status" }, `Reading ${url} …`));
  (async () => {
    try {
      const r = await call("/v2/scrape", { method: "POST", json: { ...body, origin: "console" }, signal });
      const navigation = h("div", { class: "row" }, h("a", { href: "#/search", class: "small" }, "← Search"), webURL(url) ? h("a", { href: `#/new?url=${encodeURIComponent(url)}`, class: "small push" }, "Crawl this site") : null);
      documentView(main, r.data, { navigation, load: () => codeOf("scrape", body, signal), signal, server });
      announce("The page was read.", true);
    } catch (err) {
      if (signal.aborted) return;
      const code = requestView(() => codeOf("scrape", body, signal), signal);
      put(main, h("h1", null, "Scrape"), h("p", null, h("a", { href: "#/search" }, "← Search")), h("p", { class: "mono" }, url), h("p", { class: "alert bad", role: "alert" }, err.message, err.code ? ` (${err.code})` : ""), h("h2", null, "Request"), code.el);
    }
  })();
  return { keys: (e) => { if (e.key !== "Escape") return false; navigate("#/search"); return true; } };
}
