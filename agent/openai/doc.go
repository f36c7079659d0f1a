// SPDX-License-Identifier: Apache-2.0

// Package openai asks models behind the chat completions API, of OpenAI or of
// any server that speaks it: call -> reply.
//
//	model := &openai.Model{URL: "https://api.openai.com/v1", Key: key}
//	engine := agent.Engine{Model: model, Fetch: pages}
//
// A [Model] takes servers as they are. It asks for replies by the strictest
// response format that the server takes, and remembers, by model, which that
// is: a strict JSON Schema, a JSON Schema, any JSON object, text. What comes
// back is read with patience: fences, prose around the object, trailing commas
// and JSON inside a string are no fault; two objects are. It knows no tools, no
// streams and no sampling.
//
// Requests are tried up to four times, two minutes each and four in all, at the
// pace that the server asks for in a header or in the words of its error. After an
// answer of 429 half as many go out at once, and one more for each 20 that succeed.
//
// # Security
//
// The URL and the key are the operator's. The client reaches that origin alone,
// wherever it is, and follows no redirect, so key and prompt go nowhere else.
// Bodies are bounded (32 MiB, of errors 64 KiB). The key is in no error, log
// line or text of a Model.
package openai
