// Reading a file from this machine.

import { h, put, bytes, num, tabs } from "./lib.js";
import { read, pages } from "./pdf.js";
import { rendered, panes } from "./reader.js";

export function file(main, { signal, server }) {
  const input = h("input", { type: "file", class: "hidden", id: "file", tabindex: -1, "aria-label": "File", onchange: () => input.files[0] && load(input.files[0]) });
  const result = h("div", { class: "stack", role: "region", "aria-label": "Result", "aria-live": "polite" });
  const password = h("input", { type: "password", autocomplete: "off", "aria-label": "Password of the file, if it has one", placeholder: "Password, if the file has one" });
  password.style.maxWidth = "280px";
  const drop = h("div", { class: "drop" }, h("strong", null, "Drop a file here"), h("span", { class: "muted" }, "PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, RTF, mail, HTML, Markdown, CSV, JSON, XML"), h("div", null, h("button", { type: "button", class: "main", onclick: () => input.click() }, "Choose a file")), h("form", { onsubmit: (e) => e.preventDefault() }, password), input);
  drop.addEventListener("dragover", (e) => { e.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (e) => { e.preventDefault(); drop.classList.remove("over"); if (e.dataTransfer.files[0]) load(e.dataTransfer.files[0]); });
  put(main, h("h1", null, "Read a file"), drop, result);

  async function load(f) {
    put(result, h("p", { class: "muted" }, `Reading ${f.name} …`));
    const began = performance.now();
    try {
      const doc = await read(f, signal, password.value);
      const took = performance.now() - began;
      const textView = () => h("div", { class: "split" }, rendered(doc.markdown, undefined, signal), panes([["Markdown", doc.markdown ?? ""], ["Metadata", JSON.stringify({ ...doc, markdown: undefined, blocks: undefined }, null, 2)]], 0));
      const m = doc.metadata ?? {};
      put(result, h("div", { class: "row" }, h("h2", null, m.title || f.name), h("span", { class: "muted small num" }, `${bytes(f.size)} in ${Math.round(took)} ms${m.numPages ? `, ${num(m.numPages)} of ${num(m.totalPages ?? m.numPages)} pages` : ""}, ${num((doc.markdown ?? "").split(/\s+/).length)} words`)),
        doc.warning ? h("p", { class: "alert" }, doc.warning) : null,
        doc.blocks?.length ? tabs("Views of the file", [["pages", "Pages with blocks", () => pages(doc, f, signal, server)], ["text", "Text", textView]]).el : textView());
    } catch (err) {
      if (!signal.aborted) put(result, h("p", { class: "alert bad", role: "alert" }, err.message, ...err.details?.map?.((d) => ` ${d.message}`) ?? []));
    }
    input.value = "";
  }
}
