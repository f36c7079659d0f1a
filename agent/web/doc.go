// SPDX-License-Identifier: Apache-2.0

// Package web provides web pages with Markdown and links to an agent.
//
// A [Fetcher] turns a fetch.Client into an [example.com/curlew/agent.Fetcher].
// It obeys robots.txt, limits the request rate of hosts, and reads documents of
// every kind that package parse supports:
//
//	engine := agent.Engine{
//		Model: &openai.Model{URL: "https://api.openai.com/v1", Key: key},
//		Fetch: new(web.Fetcher), // public addresses only
//	}
//	result, err := engine.Run(ctx, agent.Task{Prompt: "Who repairs herons in Bern?"})
//
// A program with a curlew.Service does not need it. Service.Agents sets a
// Fetcher of its own, which shares memory, slots and hosts with the jobs.
package web
