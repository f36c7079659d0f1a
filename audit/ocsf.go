// SPDX-License-Identifier: Apache-2.0

package audit

import "example.com/curlew/internal/weburl"

// The Open Cybersecurity Schema Framework (schema.ocsf.io, 1.7.0). A fetch has
// the class HTTP Activity, an administrative action the class API Activity.
const (
	ocsfVersion = "1.7.0"

	httpActivity, networkCategory    = 4002, 4
	apiActivity, applicationCategory = 6003, 6

	statusSuccess, statusFailure = 1, 2
	actionAllowed, actionDenied  = 1, 2
	severityInfo, severityMedium = 1, 3
)

type (
	ocsf struct {
		ActivityID   int              `json:"activity_id"`
		CategoryUID  int              `json:"category_uid"`
		ClassUID     int              `json:"class_uid"`
		TypeUID      int              `json:"type_uid"`
		SeverityID   int              `json:"severity_id"`
		StatusID     int              `json:"status_id"`
		StatusCode   string           `json:"status_code,omitempty"`
		StatusDetail string           `json:"status_detail,omitempty"`
		ActionID     int              `json:"action_id"`
		FirewallRule *ocsfName        `json:"firewall_rule,omitempty"`
		Time         int64            `json:"time"`
		StartTime    int64            `json:"start_time"`
		EndTime      int64            `json:"end_time"`
		HTTPRequest  *ocsfRequest     `json:"http_request,omitempty"`
		HTTPResponse *ocsfResponse    `json:"http_response,omitempty"`
		API          *ocsfAPI         `json:"api,omitempty"`
		Actor        ocsfActor        `json:"actor"`
		Metadata     ocsfMetadata     `json:"metadata"`
		Unmapped     ocsfUnmappedRest `json:"unmapped"`
	}
	ocsfName struct {
		Name string `json:"name"`
	}
	ocsfRequest struct {
		HTTPMethod string   `json:"http_method,omitempty"`
		URL        *ocsfURL `json:"url,omitempty"`
	}
	ocsfURL struct {
		URLString string `json:"url_string,omitempty"`
		Hostname  string `json:"hostname,omitempty"`
		Scheme    string `json:"scheme,omitempty"`
		Path      string `json:"path,omitempty"`
	}
	ocsfResponse struct {
		Code int `json:"code"`
	}
	ocsfAPI struct {
		Operation Action `json:"operation"`
	}
	ocsfActor struct {
		User ocsfName `json:"user"`
	}
	ocsfMetadata struct {
		Version        string      `json:"version"`
		Product        ocsfProduct `json:"product"`
		UID            string      `json:"uid,omitempty"`
		CorrelationUID string      `json:"correlation_uid,omitempty"`
		Profiles       []string    `json:"profiles"`
	}
	ocsfProduct struct {
		Name       string `json:"name"`
		VendorName string `json:"vendor_name"`
		Version    string `json:"version"`
	}
	// ocsfUnmappedRest contains the fields that the class does not define. They
	// have the names of the envelope.
	ocsfUnmappedRest struct {
		EventType Type   `json:"event_type"`
		Endpoint  string `json:"endpoint,omitempty"`
		TeamID    string `json:"team_id,omitempty"`
		OrgID     string `json:"org_id,omitempty"`
		recordRest
	}
)

// ocsfOf converts a cleaned event to OCSF.
func ocsfOf(e *Event, version string) *ocsf {
	o := &ocsf{
		ClassUID: httpActivity, CategoryUID: networkCategory, ActivityID: httpVerb(e.HTTPMethod),
		SeverityID: severityInfo, StatusID: statusSuccess, ActionID: actionAllowed,
		Time: e.Completed.UnixMilli(), StartTime: e.Started.UnixMilli(), EndTime: e.Completed.UnixMilli(),
		Actor: ocsfActor{ocsfName{e.Username}},
		Metadata: ocsfMetadata{
			Version: ocsfVersion, Product: ocsfProduct{product, product, version},
			UID: e.ScrapeID, CorrelationUID: e.RequestID, Profiles: []string{"security_control"},
		},
		Unmapped: ocsfUnmappedRest{
			EventType: e.Type, Endpoint: e.Endpoint, TeamID: e.TeamID, OrgID: e.OrgID, recordRest: restOf(e),
		},
	}
	if e.Type == AdminActivity {
		o.ClassUID, o.CategoryUID, o.ActivityID = apiActivity, applicationCategory, apiVerb(e.Action)
		o.API = &ocsfAPI{e.Action}
	}
	o.TypeUID = o.ClassUID*100 + o.ActivityID
	if e.Result != Success {
		o.StatusID = statusFailure
	}
	if !e.allowed() {
		o.SeverityID, o.ActionID = severityMedium, actionDenied
	}
	if e.Error != nil {
		o.StatusCode, o.StatusDetail = e.Error.Code, e.Error.Message
	}
	if r := e.rule(); r != "" {
		o.FirewallRule = &ocsfName{r}
	}
	if e.HTTPMethod != "" || e.URL != "" || e.Domain != "" {
		o.HTTPRequest = &ocsfRequest{HTTPMethod: e.HTTPMethod, URL: ocsfURLOf(e)}
	}
	if e.HTTPStatus != 0 {
		o.HTTPResponse = &ocsfResponse{e.HTTPStatus}
	}
	return o
}

// ocsfURLOf returns the parts of the URL, or nil if the event has none.
func ocsfURLOf(e *Event) *ocsfURL {
	if e.URL == "" && e.Domain == "" {
		return nil
	}
	u := &ocsfURL{URLString: e.URL, Hostname: e.Domain}
	if parsed, err := weburl.Parse(e.URL); err == nil {
		u.Scheme, u.Path = parsed.Scheme(), parsed.Path()
	}
	return u
}

// httpVerb returns the OCSF activity of an HTTP method.
func httpVerb(method string) int {
	switch method {
	case "CONNECT":
		return 1
	case "DELETE":
		return 2
	case "GET":
		return 3
	case "HEAD":
		return 4
	case "OPTIONS":
		return 5
	case "POST":
		return 6
	case "PUT":
		return 7
	case "TRACE":
		return 8
	case "":
		return 0 // unknown
	}
	return 99 // other
}

// apiVerb returns the OCSF activity of an administrative action.
func apiVerb(a Action) int {
	switch a {
	case KeyCreated:
		return 1 // create
	case PolicyChanged:
		return 3 // update
	case KeyRevoked:
		return 4 // delete
	case KeyRefused, EventsDropped:
	}
	return 99 // other
}
