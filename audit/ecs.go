// SPDX-License-Identifier: Apache-2.0

package audit

// ecsVersion is the version of the Elastic Common Schema
// (elastic.co/docs/reference/ecs).
const ecsVersion = "9.0.0"

type (
	ecs struct {
		Timestamp    string     `json:"@timestamp"`
		ECS          ecsSchema  `json:"ecs"`
		Event        ecsEvent   `json:"event"`
		URL          *ecsURL    `json:"url,omitempty"`
		HTTP         *ecsHTTP   `json:"http,omitempty"`
		User         *ecsName   `json:"user,omitempty"`
		Organization *ecsID     `json:"organization,omitempty"`
		Error        *ecsError  `json:"error,omitempty"`
		Rule         *ecsName   `json:"rule,omitempty"`
		Observer     ecsProduct `json:"observer"`
		Curlew       ecsRest    `json:"curlew"`
	}
	ecsSchema struct {
		Version string `json:"version"`
	}
	ecsEvent struct {
		Kind     string   `json:"kind"`
		Category []string `json:"category"`
		Type     []string `json:"type"`
		Outcome  string   `json:"outcome"`
		Action   string   `json:"action"`
		ID       string   `json:"id,omitempty"`
		Start    string   `json:"start"`
		End      string   `json:"end"`
		Duration int64    `json:"duration"` // in nanoseconds
	}
	ecsURL struct {
		Full   string `json:"full,omitempty"`
		Domain string `json:"domain,omitempty"`
	}
	ecsHTTP struct {
		Request  *ecsRequest  `json:"request,omitempty"`
		Response *ecsResponse `json:"response,omitempty"`
	}
	ecsRequest struct {
		Method string `json:"method"`
	}
	ecsResponse struct {
		StatusCode int `json:"status_code"`
	}
	ecsName struct {
		Name string `json:"name"`
	}
	ecsID struct {
		ID string `json:"id"`
	}
	ecsError struct {
		Code    string `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	}
	ecsProduct struct {
		Product string `json:"product"`
		Vendor  string `json:"vendor"`
	}
	// ecsRest contains the fields that the schema does not define. They have
	// the names of the envelope and stand in a namespace of their own.
	ecsRest struct {
		RequestID string `json:"request_id,omitempty"`
		Endpoint  string `json:"endpoint,omitempty"`
		TeamID    string `json:"team_id,omitempty"`
		recordRest
	}
)

// ecsOf converts a cleaned event to ECS.
func ecsOf(e *Event) *ecs {
	x := &ecs{
		Timestamp: e.Completed.Format(stamp),
		ECS:       ecsSchema{ecsVersion},
		Event: ecsEvent{
			Kind: "event", Category: []string{"web", "network"}, Type: []string{"access", "allowed"},
			Outcome: outcome(e.Result), Action: string(e.Type), ID: e.ScrapeID,
			Start: e.Started.Format(stamp), End: e.Completed.Format(stamp), Duration: e.Completed.Sub(e.Started).Nanoseconds(),
		},
		Observer: ecsProduct{product, product},
		Curlew: ecsRest{
			RequestID: e.RequestID, Endpoint: e.Endpoint, TeamID: e.TeamID, recordRest: restOf(e),
		},
	}
	if !e.allowed() {
		x.Event.Type[1] = "denied"
	}
	if e.Type == AdminActivity {
		x.Event.Action = string(e.Action)
		x.Event.Category, x.Event.Type = []string{"configuration"}, []string{"change"}
		switch e.Action {
		case KeyCreated:
			x.Event.Category, x.Event.Type = []string{"iam"}, []string{"creation"}
		case KeyRevoked:
			x.Event.Category, x.Event.Type = []string{"iam"}, []string{"deletion"}
		case KeyRefused:
			x.Event.Category, x.Event.Type = []string{"authentication"}, []string{"denied"}
		case PolicyChanged, EventsDropped:
		}
	}
	if e.URL != "" || e.Domain != "" {
		x.URL = &ecsURL{e.URL, e.Domain}
	}
	x.HTTP = ecsHTTPOf(e)
	if e.Username != "" {
		x.User = &ecsName{e.Username}
	}
	if e.OrgID != "" {
		x.Organization = &ecsID{e.OrgID}
	}
	if e.Error != nil {
		x.Error = &ecsError{e.Error.Code, e.Error.Message}
	}
	if r := e.rule(); r != "" {
		x.Rule = &ecsName{r}
	}
	return x
}

// ecsHTTPOf returns the HTTP exchange, or nil if there was none.
func ecsHTTPOf(e *Event) *ecsHTTP {
	if e.HTTPMethod == "" && e.HTTPStatus == 0 {
		return nil
	}
	var h ecsHTTP
	if e.HTTPMethod != "" {
		h.Request = &ecsRequest{e.HTTPMethod}
	}
	if e.HTTPStatus != 0 {
		h.Response = &ecsResponse{e.HTTPStatus}
	}
	return &h
}
