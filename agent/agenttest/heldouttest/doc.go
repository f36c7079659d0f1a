// SPDX-License-Identifier: Apache-2.0

// Package heldouttest is a second simulated web, for a final check of an agent. Its
// domains, layouts, addresses, languages and questions differ from those of package
// agenttest, which the agent was developed with.
//
// Two sets of sites share the layouts. The failures of [First] were looked at one by
// one while the agent was mended. [Second] is only measured: it tells how well the
// agent does on sites that nobody has looked at.
package heldouttest
