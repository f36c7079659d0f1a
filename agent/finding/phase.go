// SPDX-License-Identifier: Apache-2.0

package finding

// Reason is the reason why a run ended.
type Reason string

// The reasons.
const (
	ReasonDone      Reason = "done"      // all required cells are filled, totals reached, and no row or value is left out that may belong to the answer
	ReasonDry       Reason = "dry"       // the last pages contained nothing new, and the answer may lack something, as issues say
	ReasonStalled   Reason = "stalled"   // three consecutive decisions had no effect
	ReasonCredits   Reason = "credits"   // in answers: credit_limit_reached
	ReasonWall      Reason = "wall"      // in answers: time
	ReasonPages     Reason = "pages"     //
	ReasonTokens    Reason = "tokens"    //
	ReasonSteps     Reason = "steps"     //
	ReasonStopped   Reason = "stopped"   // agent.Run.Stop
	ReasonProvider  Reason = "provider"  // the model is not available
	ReasonCancelled Reason = "cancelled" // the context was cancelled; there is no data
)

// Phase is the current phase of a run.
type Phase string

// The phases.
const (
	PhasePlan   Phase = "planning"
	PhaseWork   Phase = "working"
	PhaseFinish Phase = "finalizing"
	PhaseEnd    Phase = "finished"
)
