package demo

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
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

type deviceList struct {
	Total   int      `json:"total"`
	Devices []Device `json:"devices"`
}

type changedDevices struct {
	Devices []Device `json:"devices"`
}

type oneDevice struct {
	Device Device `json:"device"`
}

func (s *server) list(_ http.ResponseWriter, r *http.Request) (any, error) {
	query := r.URL.Query()
	for name, values := range query {
		if !slices.Contains([]string{"status", "city", "q"}, name) || len(values) != 1 {
			return nil, refuse(CodeInvalidInput, name, "Only status, city and q may be given, each once.")
		}
	}
	filter := Filter{Status: Status(query.Get("status")), City: query.Get("city"), Query: query.Get("q")}
	devices, err := s.store.List(r.Context(), filter)
	return deviceList{len(devices), devices}, err
}

func (s *server) get(_ http.ResponseWriter, r *http.Request) (any, error) {
	device, err := s.store.Get(r.Context(), r.PathValue("id"))
	return oneDevice{device}, err
}

func (s *server) disable(w http.ResponseWriter, r *http.Request) (any, error) {
	var input struct {
		IDs    []string `json:"ids"`
		Reason string   `json:"reason"`
	}
	if err := readJSON(w, r, &input); err != nil {
		return nil, err
	}
	devices, err := s.store.Disable(r.Context(), input.IDs, input.Reason)
	if err == nil {
		s.log.InfoContext(r.Context(), "devices disabled", "ids", input.IDs, "reason", input.Reason)
	}
	return changedDevices{devices}, err
}

func (s *server) enable(w http.ResponseWriter, r *http.Request) (any, error) {
	var input struct {
		IDs []string `json:"ids"`
	}
	if err := readJSON(w, r, &input); err != nil {
		return nil, err
	}
	devices, err := s.store.Enable(r.Context(), input.IDs)
	if err == nil {
		s.log.InfoContext(r.Context(), "devices enabled", "ids", input.IDs)
	}
	return changedDevices{devices}, err
}

func (s *server) rename(w http.ResponseWriter, r *http.Request) (any, error) {
	var input struct {
		Name    string `json:"name"`
		Version *int64 `json:"version"`
	}
	if err := readJSON(w, r, &input); err != nil {
		return nil, err
	}
	var version int64
	if input.Version != nil {
		if version = *input.Version; version < 1 {
			return nil, refuse(CodeInvalidInput, "version", "A version is 1 or more.")
		}
	}
	if err := s.rehearse(r.Context(), r.PathValue("id")); err != nil {
		return nil, err
	}
	device, err := s.store.Rename(r.Context(), r.PathValue("id"), input.Name, version)
	if err == nil {
		s.log.InfoContext(r.Context(), "device renamed", "id", device.ID, "version", device.Version)
	}
	return oneDevice{device}, err
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
