// A parsed file: the blocks that the reader found on each page, as boxes on a picture of the
// page and as a list in reading order, and how tables were read.

import { h, put, call, num, bytes, ownURL, headers } from "./lib.js";

// fromBase64 decodes bytes.
export function fromBase64(text) {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

// read sends a file to be parsed and returns the document.
export async function read(file, signal, password) {
  const form = new FormData();
  form.append("options", JSON.stringify({ formats: ["markdown", "links"], parsers: [{ type: "pdf", blocks: true }], ...(password ? { password } : {}), origin: "console" }));
  form.append("file", file);
  return (await call("/v2/parse", { method: "POST", body: form, signal })).data;
}

// parsedPages parses a file and shows its pages.
export const parsedPages = async (file, signal, server) => pages(await read(file, signal), file, signal, server);

// readings lists the ways in which a table was read. Its text is, for each of them, the name of
// the method, the size of the table, and the score.
const readings = (text) => text.split(", ").map((r, i) => {
  const [, by, size, score] = r.match(/^(\S+) (\S+)(?: (\S+))?$/) ?? [null, r, "", ""];
  return h("li", null, h("strong", null, i ? "Not kept: " : "Kept: "), `read by ${by}, ${size === "none" ? "found no table" : `${size.replace("x", " rows × ")} columns`}`, score ? `, score ${score}` : "");
});

// pages shows a parsed document: on one side the pages with boxes, on the other the blocks
// in reading order. Selecting a box selects its block, and the other way round.
export function pages(doc, file, signal, server) {
  const sheets = h("div", { class: "sheets", tabindex: 0, role: "region", "aria-label": "Pages" }), list = h("div", { class: "blocks", tabindex: 0, role: "region", "aria-label": "Blocks" });
  const pairs = new Map();
  let chosen;
  const choose = (id, from) => {
    for (const el of pairs.get(chosen) ?? []) el.classList.remove("chosen");
    chosen = id;
    for (const el of pairs.get(id) ?? []) { el.classList.add("chosen"); if (el !== from) el.scrollIntoView({ block: "nearest" }); }
  };
  const cells = h("input", { type: "checkbox", checked: true, onchange: () => { for (const c of sheets.querySelectorAll(".cell")) c.hidden = !cells.checked; } });
  // Pictures are requested when their page comes into view.
  const visible = new IntersectionObserver((all) => { for (const e of all) if (e.isIntersecting) { visible.unobserve(e.target); picture(e.target); } }, { root: null, rootMargin: "400px" });
  signal.addEventListener("abort", () => visible.disconnect());

  async function picture(sheet) {
    if (!server.engines.pictures) return;
    try {
      const answer = await fetch(ownURL(`api/picture?page=${sheet.dataset.page}`), { method: "POST", body: file, headers: headers(), signal, credentials: "omit" });
      if (!answer.ok) return;
      const url = URL.createObjectURL(await answer.blob());
      const img = h("img", { alt: `Page ${sheet.dataset.page} as printed`, src: url });
      img.onload = () => URL.revokeObjectURL(url);
      sheet.prepend(img);
      sheet.classList.add("drawn");
    } catch { /* without a picture, the boxes show their text */ }
  }

  for (const p of doc.blocks ?? []) {
    const sheet = h("div", { class: "sheet", "data-page": p.pageNumber });
    const width = Math.min(p.width, 900) || 600;
    sheet.style.width = `min(100%, ${width}px)`;
    sheet.style.aspectRatio = `${p.width || 612} / ${p.height || 792}`;
    const items = h("ol");
    list.append(h("h3", null, `Page ${p.pageNumber}`, h("span", { class: "muted" }, ` ${num(p.items.length)} blocks${p.status === "ok" ? "" : `, ${p.status}`}`)), items);
    for (const b of p.items) {
      const confidence = b.confidence?.layout;
      const item = h("button", { type: "button", onclick: () => choose(b.id, item) }, h("strong", null, `${b.readingOrder + 1} ${b.label}`), h("span", { class: "muted" }, `${confidence === null || confidence === undefined ? "" : ` confidence ${Number(confidence).toFixed(2)}`}${b.bbox ? "" : ", position unknown"}`),
        b.readings ? h("ul", { class: "small" }, readings(b.readings)) : null, b.type === "table" ? h("pre", null, b.content) : h("div", null, b.content.slice(0, 400), b.content.length > 400 ? " …" : ""));
      const pair = [item];
      items.append(h("li", { class: `k-${b.type}` }, item));
      if (b.bbox) {
        const box = h("div", { class: `box k-${b.type}`, "aria-hidden": "true", title: `${b.readingOrder + 1} ${b.label}${b.readings ? ` (${b.readings})` : ""}`, onclick: () => choose(b.id, box) }, b.content);
        placeBox(box, b.bbox);
        pair.push(box);
        sheet.append(box);
        for (const c of b.cells ?? []) { const cell = h("span", { class: "cell" }); placeBox(cell, c); sheet.append(cell); }
      }
      pairs.set(b.id, pair);
    }
    sheets.append(sheet);
    visible.observe(sheet);
  }
  if (!doc.blocks?.length) put(sheets, h("p", { class: "muted" }, "No page with blocks was read."));
  return h("div", { class: "split" }, h("section", null, h("div", { class: "head" }, h("strong", null, "Pages"), h("span", { class: "muted small num" }, bytes(file.size)), server.engines.pictures ? null : h("span", { class: "hint" }, "text only: this server draws no pages"), h("label", { class: "check push small" }, cells, "Cells")), sheets),
    h("section", null, h("div", { class: "head" }, h("strong", null, "Blocks in reading order")), list));
}

// placeBox gives an element its place on a page. Coordinates are parts of the page, from 0 to 1.
function placeBox(el, [x0, y0, x1, y1]) {
  Object.assign(el.style, { left: `${x0 * 100}%`, top: `${y0 * 100}%`, width: `${(x1 - x0) * 100}%`, height: `${(y1 - y0) * 100}%` });
}
