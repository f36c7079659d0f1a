// SPDX-License-Identifier: Apache-2.0

package finding

// Reason says why a run ended.
type Reason string

// The reasons.
const (
	ReasonDone      Reason = "done"      // required cells filled and totals reached, or finish accepted
	ReasonDry       Reason = "dry"       // the last pages gave nothing new
	ReasonStalled   Reason = "stalled"   // three decisions in a row led nowhere
	ReasonCredits   Reason = "credits"   // on the wire credit_limit_reached
	ReasonWall      Reason = "wall"      // on the wire time
	ReasonPages     Reason = "pages"     //
	ReasonTokens    Reason = "tokens"    //
	ReasonSteps     Reason = "steps"     //
	ReasonStopped   Reason = "stopped"   // agent.Run.Stop
	ReasonProvider  Reason = "provider"  // the model is out
	ReasonCancelled Reason = "cancelled" // the context ended; there is no data
)

// Phase says what a run does.
type Phase string

// The phases.
const (
	PhasePlan   Phase = "planning"
	PhaseWork   Phase = "working"
	PhaseFinish Phase = "finalizing"
	PhaseEnd    Phase = "finished"
)
