// A PDF with the blocks that the reader found on each page, and how tables were read.

import { h, put, call, num, bytes, ownURL, headers } from "./lib.js";

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

// boxes parses a file and shows its pages.
export const boxes = async (file, signal, server) => pages(await read(file, signal), file, signal, server);

const readings = (text) => text.split(", ").map((r, i) => {
  const [, by, size, score] = r.match(/^(\S+) (\S+)(?: (\S+))?$/) ?? [null, r, "", ""];
  return h("li", null, h("strong", null, i ? "Not kept: " : "Kept: "), `read by ${by}, ${size === "none" ? "found no table" : `${size.replace("x", " rows × ")} columns`}`, score ? `, score ${score}` : "");
});

// pages shows a parsed document: on one side the pages with boxes, on the other the blocks
// in reading order. Choosing one shows the other.
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
  const drawn = new IntersectionObserver((all) => { for (const e of all) if (e.isIntersecting) { drawn.unobserve(e.target); picture(e.target); } }, { root: null, rootMargin: "400px" });
  signal.addEventListener("abort", () => drawn.disconnect());

  async function picture(sheet) {
    if (!server.engines.pictures) return;
    try {
      const answer = await fetch(ownURL(`api/picture?page=${sheet.dataset.page}`), { method: "POST", body: file, headers: headers(), signal, credentials: "omit" });
      if (!answer.ok) return;
      const url = URL.createObjectURL(await answer.blob());
      const img = h("img", { alt: `Page ${sheet.dataset.page} as it is printed`, src: url });
      img.onload = () => URL.revokeObjectURL(url);
      sheet.prepend(img);
      sheet.classList.add("drawn");
    } catch { /* the boxes with their text stay */ }
  }

  for (const p of doc.blocks ?? []) {
    const sheet = h("div", { class: "sheet", "data-page": p.pageNumber });
    const width = Math.min(p.width, 900) || 600;
    sheet.style.width = `min(100%, ${width}px)`;
    sheet.style.aspectRatio = `${p.width || 612} / ${p.height || 792}`;
    const items = h("ol");
    list.append(h("h3", null, `Page ${p.pageNumber}`, h("span", { class: "muted" }, ` ${num(p.items.length)} blocks${p.status === "ok" ? "" : `, ${p.status}`}`)), items);
    for (const b of p.items) {
      const sure = b.confidence?.layout;
      const item = h("button", { type: "button", onclick: () => choose(b.id, item) }, h("strong", null, `${b.readingOrder + 1} ${b.label}`), h("span", { class: "muted" }, `${sure === null || sure === undefined ? "" : ` sure ${Number(sure).toFixed(2)}`}${b.bbox ? "" : ", place unknown"}`),
        b.readings ? h("ul", { class: "small" }, readings(b.readings)) : null, b.type === "table" ? h("pre", null, b.content) : h("div", null, b.content.slice(0, 400), b.content.length > 400 ? " …" : ""));
      const pair = [item];
      items.append(h("li", { class: `k-${b.type}` }, item));
      if (b.bbox) {
        const box = h("div", { class: `box k-${b.type}`, "aria-hidden": "true", title: `${b.readingOrder + 1} ${b.label}${b.readings ? ` (${b.readings})` : ""}`, onclick: () => choose(b.id, box) }, b.content);
        place(box, b.bbox);
        pair.push(box);
        sheet.append(box);
        for (const c of b.cells ?? []) { const cell = h("span", { class: "cell" }); place(cell, c); sheet.append(cell); }
      }
      pairs.set(b.id, pair);
    }
    sheets.append(sheet);
    drawn.observe(sheet);
  }
  if (!doc.blocks?.length) put(sheets, h("p", { class: "muted" }, "No page with blocks was read."));
  return h("div", { class: "split" }, h("section", null, h("div", { class: "head" }, h("strong", null, "Pages"), h("span", { class: "muted small num" }, bytes(file.size)), server.engines.pictures ? null : h("span", { class: "hint" }, "text only: this server draws no pages"), h("label", { class: "check push small" }, cells, "Cells")), sheets),
    h("section", null, h("div", { class: "head" }, h("strong", null, "Blocks in reading order")), list));
}

function place(el, [x0, y0, x1, y1]) {
  Object.assign(el.style, { left: `${x0 * 100}%`, top: `${y0 * 100}%`, width: `${(x1 - x0) * 100}%`, height: `${(y1 - y0) * 100}%` });
}
