// SPDX-License-Identifier: Apache-2.0

// read.mjs READER ROUNDS FILE... prints a line of JSON for each file: its
// Markdown, null where the reader does not read it, and the best time in ms.
import { readFileSync } from "node:fs";

const readers = {
	async anydoc() {
		const { toMarkdownBytes } = await import("@firecrawl/anydoc");
		return (bytes, name) => toMarkdownBytes(bytes, name.endsWith(".csv") ? "csv" : undefined);
	},
	async mammoth() {
		const { default: mammoth } = await import("mammoth");
		return async (buffer, name) => {
			if (!name.endsWith(".docx")) throw new Error("not read");
			return (await mammoth.convertToMarkdown({ buffer })).value;
		};
	},
	async liteparse() {
		const { LiteParse } = await import("@llamaindex/liteparse");
		const parser = new LiteParse({ ocrEnabled: false, outputFormat: "markdown" });
		return async (_, name) => (await parser.parse(name)).text;
	},
	async "pdf-inspector"() {
		const { processPdf } = await import("@firecrawl/pdf-inspector");
		return (bytes) => processPdf(bytes).markdown ?? "";
	},
};

const [reader, rounds, ...files] = process.argv.slice(2);
const read = await readers[reader]();
for (const name of files) {
	let markdown = null;
	let best = 0;
	try {
		const bytes = readFileSync(name);
		for (let i = 0; i < Number(rounds); i++) {
			const start = performance.now();
			markdown = await read(bytes, name);
			const took = performance.now() - start;
			if (i === 0 || took < best) best = took;
		}
	} catch {
		markdown = null;
	}
	console.log(JSON.stringify({ markdown, ms: best }));
}
