// One page of a job: the rendered document beside its source.

import { h, put, call, num, outside, bytes, lines, preview, note, webURL } from "./lib.js";
import { boxes, fromBase64 } from "./pdf.js";

// sources shows a document's texts in one pane, with buttons to change between them.
// all is a list of [name, text, media type to render it as].
export function sources(all, chosen, cite, words) {
  const pane = h("section");
  const show = (i) => {
    put(pane, h("div", { class: "head" }, all.map(([name], k) => h("button", { type: "button", class: k === i ? "" : "quiet", "aria-pressed": k === i, onclick: () => show(k) }, name)),
      h("button", { type: "button", class: "quiet push", onclick: async () => { try { await navigator.clipboard.writeText(all[i][1]); note("Copied."); } catch { note("The browser does not allow copying here."); } } }, "Copy")),
      lines(all[i][1], cite, words));
    pane.querySelector(".cited")?.scrollIntoView({ block: "center" });
  };
  show(chosen);
  return pane;
}

// rendered is the pane with the frame.
export function rendered(markdown, html, signal) {
  const frame = h("iframe", { sandbox: "allow-popups allow-popups-to-escape-sandbox", title: "Rendered document", referrerpolicy: "no-referrer" });
  const said = h("span", { class: "hint push", role: "status" });
  const pane = h("section", null, h("div", { class: "head" }, h("strong", null, "Rendered"), said), frame);
  const text = markdown ?? html ?? "";
  preview(frame, text, markdown !== undefined ? "text/markdown" : "text/html", signal).then((r) => {
    said.textContent = [r.cut ? "cut after 8 MB" : "", r.dropped ? `${num(r.dropped)} elements not shown` : ""].filter(Boolean).join(", ");
  }, (err) => { if (!signal.aborted) frame.replaceWith(h("p", { class: "pad fault", role: "alert" }, err.message)); });
  return pane;
}

export function reader(main, place) {
  const { id, n, signal } = place;
  const back = `#/job/${id}`;
  let kind = "crawl", total = 0;
  const go = (k) => { if (k >= 0 && (k < total || !total)) place.go(`#/job/${id}/page/${k}`); };
  put(main, h("p", { class: "muted" }, "Loading …"));
  (async () => {
    try {
      const job = await call(`api/jobs/${id}/pages?after=${n}&state=`, { signal });
      kind = job.kind;
      total = job.counts.delivered;
      const r = await call(`${kind === "crawl" ? "/v2/crawl/" : "/v2/batch/scrape/"}${id}?skip=${n}&limit=1`, { signal });
      const doc = r.data?.[0];
      if (!doc) throw new Error("There is no such page in this job.");
      show(doc);
    } catch (err) {
      if (!signal.aborted) put(main, h("p", null, h("a", { href: back }, "← Back to the job")), h("p", { class: "alert bad", role: "alert" }, err.message));
    }
  })();

  function show(doc) {
    const m = doc.metadata ?? {};
    const url = m.url || m.sourceURL || "";
    const all = [];
    if (doc.markdown !== undefined) all.push(["Markdown", doc.markdown]);
    if (doc.rawHtml !== undefined) all.push(["HTML as sent", doc.rawHtml]);
    if (doc.html !== undefined) all.push(["Cleaned HTML", doc.html]);
    const { markdown, rawHtml, html, ...rest } = doc;
    all.push(["Links and metadata", JSON.stringify(rest, null, 2)]);
    const pdf = (m.contentType ?? "").startsWith("application/pdf") || m.numPages;
    const body = h("div");
    const side = () => put(body, h("div", { class: "split" }, doc.markdown !== undefined || doc.html !== undefined || doc.rawHtml !== undefined ? rendered(doc.markdown, doc.html ?? doc.rawHtml, signal) : h("section", null, h("p", { class: "pad muted" }, "The job kept no text of this page.")),
      sources(all, Math.max(0, all.findIndex((a) => a[0] === "HTML as sent")))));
    put(main, h("div", { class: "stack" },
      h("div", { class: "row" }, h("a", { href: back, class: "small" }, "← Pages"), h("span", { class: "muted small num" }, `${num(n + 1)} of ${num(total)}`), h("span", { class: "row push" },
        h("button", { type: "button", class: "quiet", disabled: n === 0, onclick: () => go(n - 1), title: "Previous page (k)" }, "← Previous"), h("button", { type: "button", class: "quiet", disabled: n + 1 >= total, onclick: () => go(n + 1), title: "Next page (j)" }, "Next →"))),
      h("h1", null, m.title || url), h("div", { class: "row small muted" }, outside(url), h("span", { class: "chip" }, `status ${m.statusCode ?? "–"}`), m.contentType ? h("span", { class: "chip" }, m.contentType) : null, doc.markdown !== undefined ? h("span", { class: "num" }, bytes(doc.markdown.length), " of Markdown") : null,
        doc.links ? h("span", null, `${num(doc.links.length)} links`) : null, m.cacheState ? h("span", null, `cache: ${m.cacheState}`) : null,
        pdf && webURL(url) ? h("button", { type: "button", onclick: (e) => shapes(e.target, url, body) }, "Show the PDF with its blocks") : null),
      doc.warning ? h("p", { class: "alert" }, doc.warning) : null, m.error ? h("p", { class: "alert bad" }, m.error) : null), body);
    side();
  }

  // shapes fetches the PDF again, because jobs do not keep the bytes of files.
  async function shapes(button, url, body) {
    button.disabled = true;
    button.textContent = "Fetching the file …";
    try {
      const r = await call("/v2/scrape", { method: "POST", json: { url, formats: ["rawBase64"], origin: "console" }, signal });
      put(body, await boxes(new File([fromBase64(r.data.rawBase64)], "page.pdf", { type: "application/pdf" }), signal, place.server));
      button.remove();
    } catch (err) {
      button.disabled = false;
      button.textContent = "Show the PDF with its blocks";
      if (!signal.aborted) note(err.message);
    }
  }

  return { keys: (e) => {
    if (e.key === "j") go(n + 1);
    else if (e.key === "k") go(n - 1);
    else if (e.key === "Escape") place.go(back);
    else return false;
    return true;
  } };
}
