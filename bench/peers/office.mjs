// SPDX-License-Identifier: Apache-2.0

// office.mjs READER ROUNDS FILE... prints a line of JSON for each file: its
// Markdown, null where the reader does not read it, and the best time in ms.
import { readFileSync } from "node:fs";

const [reader, rounds, ...files] = process.argv.slice(2);
let convert;
if (reader === "anydoc") {
	const { toMarkdownBytes } = await import("@firecrawl/anydoc");
	convert = (bytes, name) => toMarkdownBytes(bytes, name.endsWith(".csv") ? "csv" : undefined);
} else {
	const { default: mammoth } = await import("mammoth");
	convert = async (buffer, name) => {
		if (!name.endsWith(".docx")) throw new Error("not read");
		return (await mammoth.convertToMarkdown({ buffer })).value;
	};
}
for (const name of files) {
	let markdown = null;
	let best = 0;
	try {
		const bytes = readFileSync(name);
		for (let i = 0; i < Number(rounds); i++) {
			const start = performance.now();
			markdown = await convert(bytes, name);
			const took = performance.now() - start;
			if (i === 0 || took < best) best = took;
		}
	} catch {
		markdown = null;
	}
	console.log(JSON.stringify({ markdown, ms: best }));
}
