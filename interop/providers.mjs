// SPDX-License-Identifier: Apache-2.0

// Servers that play the providers of a server: a model and a search engine.

import http from "node:http";

// listen serves answer on a free port. What is below it ends with the script.
export async function listen(answer) {
  const server = http.createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => { server.closeAllConnections(); server.close(); } };
}

// model is a chat completions server that answers with the name of the trust, but never if
// it is asked to do it slowly, so that the agent can only be cancelled. If it is asked for
// something broken, it refuses the key.
export async function model() {
  const server = await listen(async (req, res) => {
    let body = "";
    for await (const chunk of req) body += chunk;
    if (/slowly/.test(body)) return;
    if (/broken/.test(body)) { res.statusCode = 401; res.end('{"error":{"message":"no such key"}}'); return; }
    const prompt = JSON.parse(body).messages.at(-1).content;
    const line = prompt.match(/^(\d+)\| .*The Wader Trust/m);
    const n = Number(line?.[1] ?? 0);
    const reply = { rows: n ? [{ v: { name: "The Wader Trust" }, ln: { name: [n, n] } }] : [], total: -1, total_ln: 0, more: false, kind: "detail" };
    res.setHeader("Content-Type", "application/json");
    res.end(JSON.stringify({
      choices: [{ finish_reason: "stop", message: { role: "assistant", content: JSON.stringify(reply) } }],
      usage: { prompt_tokens: 100, completion_tokens: 10 },
    }));
  });
  return { ...server, url: `${server.url}/v1` };
}

// searxng is a SearXNG that finds pages of a site, as its documentation describes the
// answers of /search?format=json. at is the URL of the site, or a function that returns it.
export async function searxng(at) {
  const found = (site) => ({
    general: [
      { url: `${site}/`, title: "The Wader Trust", content: "Waders of the coast.", publishedDate: null, engine: "demo", engines: ["demo"], positions: [1], score: 1, category: "general" },
      { url: `${site}/news/1`, title: "Note 1", content: "The first note.", publishedDate: null, engine: "demo", engines: ["demo"], positions: [2], score: 0.5, category: "general" },
    ],
    images: [{ url: `${site}/`, title: "A curlew", content: "", img_src: `${site}/curlew.jpg`, thumbnail_src: "", resolution: "640 x 480", engine: "demo", category: "images" }],
    news: [{ url: `${site}/news/1`, title: "Note 1", content: "The first note.", publishedDate: "2026-03-01T00:00:00", thumbnail: "", engine: "demo", category: "news" }],
  });
  return listen((req, res) => {
    const { searchParams: q } = new URL(req.url, "http://localhost");
    const results = q.get("pageno") === "1" && q.get("q") !== "nothing" ? found(typeof at === "function" ? at() : at)[q.get("categories")] ?? [] : [];
    res.statusCode = q.get("format") === "json" ? 200 : 403;
    res.setHeader("Content-Type", "application/json");
    res.end(JSON.stringify({ query: q.get("q"), number_of_results: 0, results, answers: [], corrections: [], infoboxes: [], suggestions: [], unresponsive_engines: [] }));
  });
}
