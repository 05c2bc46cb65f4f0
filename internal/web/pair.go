package web

import (
	"net/http"
	"sync"
)

type pairing struct{ mu sync.Mutex }

func (s *Server) pair(w http.ResponseWriter, r *http.Request, body []byte) error {
	return refuse(http.StatusNotImplemented, "not yet")
}
