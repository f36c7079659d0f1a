// Searching the web: the hits, with ways to crawl a site or to scrape a page from them.

import { h, put, call, keep, num, count, bytes, externalLink, shortURL, webURL, announce, Failed } from "./lib.js";
import { codeOf, requestView } from "./request.js";
import { rendered } from "./reader.js";

const sources = [["web", "Web"], ["news", "News"], ["images", "Images"]];
const formats = [["markdown", "Markdown"], ["html", "Cleaned HTML"], ["rawHtml", "HTML as sent"], ["links", "Links"]];

// setUp says how to give the server a search engine.
const setUp = (reason) => h("div", { class: "alert", role: "alert" }, h("p", null, reason, " Start it with a SearXNG instance whose setting ", h("code", null, "search.formats"), " has json, or with Brave Search:"),
  h("pre", { class: "code" }, "curlew serve --searxng http://127.0.0.1:8080\nCURLEW_BRAVE_KEY=… curlew serve --brave"));

export function search(main, { signal, server, query }) {
  const last = keep().search; // {body, answer} of the last search
  const input = h("input", { type: "text", placeholder: "Words to search for", "aria-label": "Words to search for", required: true, maxlength: 500, value: query.get("q") ?? last?.body.query ?? "" });
  const limit = h("input", { id: "f-limit", type: "number", min: 1, max: 100, step: 1, value: last?.body.limit ?? 10 });
  const boxes = (names, on) => names.map(([value, text]) => h("label", { class: "check" }, h("input", { type: "checkbox", value, checked: on.includes(value) }), text));
  const sourceBoxes = boxes(sources, last?.body.sources ?? ["web"]), formatBoxes = boxes(formats, last?.body.scrapeOptions?.formats ?? []);
  const checked = (labels) => labels.map((l) => l.firstChild).filter((box) => box.checked).map((box) => box.value);
  const fault = h("div", null, server.engines.search ? null : setUp("This server has no search engine.")), results = h("div", { class: "stack wide" });
  const button = h("button", { class: "main" }, "Search");
  const code = requestView(null, signal);
  const form = h("form", { class: "stack" }, h("h1", null, "Search the web"), h("div", { class: "big" }, input, button),
    h("div", { class: "fields" }, h("div", { class: "field" }, h("label", { for: "f-limit" }, "Hits at most"), limit, h("span", { class: "hint" }, "From each source")),
      h("fieldset", null, h("legend", null, "Sources"), sourceBoxes),
      h("fieldset", null, h("legend", null, "Scrape each hit as"), formatBoxes, h("span", { class: "hint" }, "None: only titles and URLs. Each page costs a credit."))),
    fault, h("details", null, h("summary", null, "The same request as code"), code.el));

  const request = () => {
    const body = { query: input.value.trim(), limit: Number(limit.value) || 10, sources: checked(sourceBoxes) };
    const scrape = checked(formatBoxes);
    if (scrape.length) body.scrapeOptions = { formats: scrape };
    return body;
  };
  const details = form.querySelector("details");
  const updateCode = () => { if (details.open) code.update(() => codeOf("search", request(), signal)); };
  details.addEventListener("toggle", updateCode);
  form.addEventListener("change", updateCode);
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    const body = request();
    put(fault);
    if (!body.sources.length) { put(fault, h("p", { class: "alert bad", role: "alert" }, "Choose at least one source.")); return; }
    button.disabled = true;
    put(results, h("p", { class: "muted", role: "status" }, "Searching …"));
    try {
      const answer = await call("/v2/search", { method: "POST", json: { ...body, origin: "console" }, signal });
      keep().search = { body, answer };
      show(answer);
    } catch (err) {
      if (signal.aborted) return;
      if (!(err instanceof Failed)) throw err;
      put(results);
      const reasons = [err.message, ...err.details.map((d) => d.message).filter((m) => m !== err.message)];
      put(fault, err.status === 501 && !server.engines.search ? setUp(err.message) : h("div", { class: "alert bad", role: "alert" }, reasons.map((text) => h("p", null, text))));
    } finally { button.disabled = false; }
  });

  // show lists the hits of each source.
  function show(answer) {
    const groups = sources.map(([id, title]) => [id, title, answer.data?.[id] ?? []]).filter(([, , hits]) => hits.length);
    const total = groups.reduce((n, [, , hits]) => n + hits.length, 0);
    put(results, h("p", { class: "muted num", role: "status" }, `${count(total, "hit")}, ${count(answer.creditsUsed, "credit")}.`), answer.warning ? h("p", { class: "alert" }, answer.warning) : null,
      total ? null : h("p", null, "Nothing was found. Try other words or another source."),
      groups.map(([id, title, hits]) => h("section", { class: "stack", "aria-labelledby": `hits-${id}` }, h("h2", { id: `hits-${id}` }, title, h("span", { class: "muted num" }, ` ${num(hits.length)}`)), h("ol", { class: "hits" }, hits.map(hit)))));
    announce(count(total, "hit"), true);
  }

  // hit shows one hit. Pictures are not loaded, because the page makes no requests to other hosts.
  function hit(one) {
    const url = one.url ?? one.imageUrl;
    const date = one.date ? [h("span", { class: "chip" }, one.date), " "] : null;
    const failed = one.metadata?.error || (one.metadata?.statusCode >= 400 ? `The page answered with status ${one.metadata.statusCode}.` : "");
    const text = one.markdown ?? one.html ?? one.rawHtml;
    return h("li", { class: "stack" },
      h("div", null, h("h3", null, externalLink(url, one.title || url)), h("p", { class: "mono muted" }, shortURL(url))),
      one.description || one.snippet || date ? h("p", null, date, one.description ?? one.snippet) : null,
      one.imageUrl ? h("p", { class: "small" }, externalLink(one.imageUrl, "The image"), one.imageWidth ? ` ${num(one.imageWidth)} × ${num(one.imageHeight)}` : "") : null,
      failed ? h("p", { class: "bad" }, `✕ Not scraped: ${failed}`) : null,
      webURL(url) ? h("div", { class: "row" }, h("a", { class: "button", href: `#/new?url=${encodeURIComponent(url)}` }, "Crawl this"), h("a", { class: "button", href: `#/scrape?url=${encodeURIComponent(url)}` }, "Scrape this")) : null,
      text !== undefined ? content(one, text) : one.links ? h("p", { class: "muted" }, count(one.links.length, "link")) : null);
  }

  // content shows what was scraped of a hit. It is rendered when it is opened.
  function content(one, text) {
    const box = h("details", null, h("summary", null, `The scraped page, ${bytes(text.length)}`));
    box.addEventListener("toggle", () => { if (box.open && !box.querySelector("iframe")) box.append(h("div", { class: "split single" }, rendered(one.markdown, one.html ?? one.rawHtml, signal))); });
    return box;
  }

  put(main, form, results);
  if (last && (!query.has("q") || query.get("q") === last.body.query)) show(last.answer);
  else if (query.get("q")) form.requestSubmit();
  input.focus();
}
