// SPDX-License-Identifier: Apache-2.0

// Package heldouttest is a second simulated web, for a final check of an agent. Its
// domains, layouts, addresses, languages and questions differ from those of package
// agenttest, which the agent was developed with.
//
// Twenty-three sets of sites share the layouts, and the sites of the last fifteen have a markup of their own each. The failures of [First] were looked at one by
// one while the agent was mended, and later those of [Second]. Each later set was written
// when the sets before it were met, or nearly so, and was measured once before anybody
// looked at its failures. These first figures tell how well the agent does on sites that it was not made for.
package heldouttest
