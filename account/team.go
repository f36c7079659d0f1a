// SPDX-License-Identifier: Apache-2.0

package account

import (
	"time"

	"example.com/curlew/threat"
)

// Unlimited turns off a limit whose zero value means a default.
const Unlimited = -1

// Team is the team on whose behalf a request is made.
type Team struct {
	ID     string // owns jobs and credits; clients of the team can see it
	Policy Policy

	KeyID, KeyName string // ID and name of the key that was used, for the audit log; may be empty
}

// Retention says whether a team may ask for zero data retention.
type Retention uint8

// Values of [Policy.ZeroRetention].
const (
	RetentionOff     Retention = iota // asking for it is refused
	RetentionAllowed                  // a request may ask for it
	RetentionForced                   // every request has it
)

// Policy defines what a team may do. The zero value is the contract's default.
type Policy struct {
	AllowIgnoreRobots    bool // ignoreRobotsTxt
	AllowRobotsUserAgent bool // robotsUserAgent
	ZeroRetention        Retention
	Threat               threat.Team

	MaxConcurrency int // concurrent pages of all requests and jobs, in all processes that share a job.Slotter; zero means 8
	MaxQueuedPages int // waiting pages of all jobs; zero means 50,000, -1 means no limit
	MaxPages       int // maximum limit of a crawl; a higher one is reduced; zero and -1 mean no maximum
	Rates          Rates

	// AllowEndpoints and AllowFormats restrict what a key may request: names of
	// endpoints (crawl, batch, agent, parse, scrape, map, search) and of
	// formats. Nil means all. agent includes extracts. threat-protection allows
	// a key to change the policy of its team. Every key may read and cancel
	// existing jobs.
	AllowEndpoints, AllowFormats []string

	// AllowActions are the types of actions that a key may request on a page in a browser,
	// such as click. Nil means all. AllowScripts also allows executeJavascript, if the
	// browser does.
	AllowActions []string
	AllowScripts bool
	MaxRendered  int // pages of a crawl that are shown in a browser because they need scripts; zero means no maximum

	// Models are the models that agents may request in addition to spark-1-mini
	// and spark-1-pro. The Service's engine must know them.
	Models          []string
	MaxAgentCredits int // highest maxCredits of an agent; a higher one is reduced; zero and -1 mean no maximum
	FreeAgentRuns   int // free agent runs per day (UTC), each of at most 2,500 credits

	NoSkipTLS bool          // ignore skipTlsVerification, with a warning
	Retention time.Duration // lifetime of a job after its end; zero means the Service's

	// Blocklist contains domains that the team may not request, with their
	// subdomains. Letter case, leading and trailing dots, and the choice of
	// Unicode or Punycode do not matter.
	Blocklist []string
}

// Rates are requests per minute for each class of endpoints. Zero means no
// limit.
type Rates struct {
	Crawl   int // POST of crawls and batches
	Agent   int // POST of agents
	Parse   int
	Scrape  int
	Map     int
	Search  int
	Status  int // reading and cancelling jobs; official clients give up at the first 429
	Account int
}
