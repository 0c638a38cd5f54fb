package demo

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// maxBody is the largest request body, in bytes. Fifty ids and a reason need far less.
const maxBody = 16 << 10

// handlerFunc answers a request with a value for JSON, or with an error.
type handlerFunc func(w http.ResponseWriter, r *http.Request) (any, error)

// api is apiFunc that logs what is not the client's fault.
func (s *server) api(handle handlerFunc) http.Handler {
	return apiFunc(func(w http.ResponseWriter, r *http.Request) (any, error) {
		value, err := handle(w, r)
		var refusal *Error
		if err != nil && !errors.As(err, &refusal) && !errors.Is(err, context.Canceled) {
			s.log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path, "err", err)
		}
		return value, err
	})
}

// apiFunc turns a handlerFunc into a handler that writes JSON.
func apiFunc(handle handlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		value, err := handle(w, r)
		if err != nil {
			writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, value)
	})
}

func (s *server) unknown(http.ResponseWriter, *http.Request) (any, error) {
	return nil, refuse(CodeNotFound, "", "There is no such path in this API.")
}

// page is who calls for the page and its people.
func page() capability.Consumer {
	return capability.Consumer{ID: "demo-api", Kind: capability.OtherConsumer}
}

// call makes a request a call of the domain, which validates and authorizes it as it does an agent's.
func call[In, Out any](s *server, r *http.Request, id string, in In) (out Out, err error) {
	input, err := json.Marshal(in)
	if err != nil {
		return out, fmt.Errorf("writing the input of %s: %w", id, err)
	}
	result := s.domain.Invoke(r.Context(), registry.Request{CapabilityID: id, Input: capability.JSON(input)}, registry.InvokeOptions{Consumer: page()})
	if !result.OK() {
		return out, refusalOf(r.Context(), result.Error)
	}
	if err := json.Unmarshal([]byte(result.Output), &out); err != nil {
		return out, fmt.Errorf("reading the output of %s: %w", id, err)
	}
	return out, nil
}

// refusalOf is an error of the registry in the API's own words.
func refusalOf(ctx context.Context, e *capability.Error) error {
	switch e.Code {
	case capability.CodeInvalidInput:
		return invalidInput(e)
	case capability.CodePreconditionFailed:
		return refuse(Code(e.Detail("code")), e.Detail("field"), "%s", e.Message)
	case capability.CodeRateLimited:
		return refuse(CodeBusy, "", "The server has too much to do. Try again in a moment.")
	case capability.CodeCancelled:
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return e // an internal error, which the domain has logged
}

// invalidInput tells of the first thing that is wrong.
func invalidInput(e *capability.Error) error {
	var details struct {
		Issues []struct {
			Path    string `json:"path"`
			Message string `json:"message"`
		} `json:"issues"`
	}
	if err := json.Unmarshal([]byte(e.Details), &details); err != nil || len(details.Issues) == 0 {
		return refuse(CodeInvalidInput, "", "%s", e.Message)
	}
	first := details.Issues[0]
	return refuse(CodeInvalidInput, first.Path, "%s", sentence(first.Message))
}

// sentence is what a schema says of a value as the API says it.
func sentence(message string) string {
	if strings.HasSuffix(message, ".") {
		return message
	}
	return "This " + message + "."
}

func (s *server) list(_ http.ResponseWriter, r *http.Request) (any, error) {
	query := r.URL.Query()
	for name, values := range query {
		if !slices.Contains([]string{"status", "city", "q"}, name) || len(values) != 1 {
			return nil, refuse(CodeInvalidInput, name, "Only status, city and q may be given, each once.")
		}
	}
	filter := Filter{Status: Status(query.Get("status")), City: query.Get("city"), Query: query.Get("q")}
	return call[Filter, deviceList](s, r, ListDevices, filter)
}

func (s *server) get(_ http.ResponseWriter, r *http.Request) (any, error) {
	return call[getting, oneDevice](s, r, GetDevice, getting{deviceID(r.PathValue("id"))})
}

func (s *server) disable(w http.ResponseWriter, r *http.Request) (any, error) {
	var input disabling
	if err := readJSON(w, r, &input); err != nil {
		return nil, err
	}
	return call[disabling, changedDevices](s, r, DisableDevices, input)
}

func (s *server) enable(w http.ResponseWriter, r *http.Request) (any, error) {
	var input enabling
	if err := readJSON(w, r, &input); err != nil {
		return nil, err
	}
	return call[enabling, changedDevices](s, r, EnableDevices, input)
}

func (s *server) rename(w http.ResponseWriter, r *http.Request) (any, error) {
	var input struct {
		Name    deviceName `json:"name"`
		Version *revision  `json:"version"`
	}
	if err := readJSON(w, r, &input); err != nil {
		return nil, err
	}
	change := renaming{ID: deviceID(r.PathValue("id")), Name: input.Name}
	if input.Version != nil {
		if change.Version = *input.Version; change.Version < 1 {
			return nil, refuse(CodeInvalidInput, "version", "A version is 1 or more.")
		}
	}
	if err := s.rehearse(r.Context(), r.PathValue("id")); err != nil {
		return nil, err
	}
	return call[renaming, oneDevice](s, r, RenameDevice, change)
}

// readJSON reads the one JSON object of a request. Unknown and duplicate members, names that differ in case, invalid
// UTF-8 and anything after the object are refused.
func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return refuse(CodeUnsupportedMediaType, "", "Send the body as application/json.")
	}
	body := http.MaxBytesReader(w, r.Body, maxBody)
	err = json.UnmarshalRead(body, into, json.RejectUnknownMembers(true))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return refuse(CodeBodyTooLarge, "", "A body may have at most %d bytes.", maxBody)
	case err != nil:
		return refuse(CodeInvalidJSON, "", "The body must be one JSON object with the documented members.")
	}
	return nil
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// An error here means that the client is gone; there is nobody left to tell.
	_ = json.MarshalWrite(w, value)
}

// writeError keeps the text of what is no refusal from the client.
func writeError(w http.ResponseWriter, err error) {
	var refusal *Error
	if !errors.As(err, &refusal) {
		refusal = refuse(CodeInternal, "", "The server could not do that. Try again later.")
	}
	writeJSON(w, httpStatus(refusal.Code), struct {
		Error *Error `json:"error"`
	}{refusal})
}

func httpStatus(code Code) int {
	switch code {
	case CodeInvalidInput, CodeInvalidJSON:
		return http.StatusBadRequest
	case CodeForbiddenOrigin:
		return http.StatusForbidden
	case CodeBusy:
		return http.StatusServiceUnavailable
	case CodeForbiddenHost:
		return http.StatusMisdirectedRequest
	case CodeNotFound:
		return http.StatusNotFound
	case CodeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case CodeAlreadyDisabled, CodeAlreadyEnabled, CodeVersionConflict, CodeOutOfStock:
		return http.StatusConflict
	case CodeBodyTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeUnsupportedMediaType:
		return http.StatusUnsupportedMediaType
	case CodeUnavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}
