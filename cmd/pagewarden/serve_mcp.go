package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/mcpserver"
	"github.com/pagewarden/pagewarden/registry"
)

// serveMCPFlags are the flags of serve that are about MCP clients.
type serveMCPFlags struct {
	stdio     bool
	tokenFile string
	origins   []string
}

func (f *serveMCPFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&f.stdio, "mcp-stdio", false, "speak MCP on the standard streams, and serve no page")
	flags.StringVar(&f.tokenFile, "token-file", "", "the file with the bearer token that clients of /mcp must send (default: $"+envToken+")")
	flags.StringSliceVar(&f.origins, "origin", nil, "an origin whose pages may call /mcp, such as https://app.example")
}

const instructions = "The devices of a fleet. List them before you change one; disabling asks a person."

// server offers the domain to MCP clients.
func (f *serveMCPFlags) server(domain *registry.Registry) (*mcpserver.Server, error) {
	if f.stdio && (f.tokenFile != "" || len(f.origins) > 0) {
		return nil, errors.New("--token-file and --origin are for /mcp, which --mcp-stdio does without")
	}
	return mcpserver.New(domain, mcpserver.Options{ConsumerID: "demo", Name: "pagewarden demo", Version: contract.Version, Instructions: instructions})
}

// mount puts the clients beside the site, unless that would let other machines
// in without a token: then there is a note instead.
func (f *serveMCPFlags) mount(s streams, addr string, hosts []string, clients *mcpserver.Server, site http.Handler) (http.Handler, error) {
	token, err := bearerToken(f.tokenFile)
	if err != nil {
		return nil, err
	}
	access := mcpserver.Access{Hosts: hosts, Origins: f.origins, Token: token}
	guarded, err := clients.Handler(mcpserver.HTTP{Access: access})
	if err != nil {
		return nil, err
	}
	if token == "" && !onlyHere(addr) {
		s.note("other machines can reach this server, so there is no %s without a token; give --token-file", mcpPath)
		return site, nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == mcpPath {
			guarded.ServeHTTP(w, r)
		} else {
			site.ServeHTTP(w, r)
		}
	}), nil
}

// onlyHere reports whether an address can be reached from this machine only.
func onlyHere(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && mcpserver.IsLoopback(host)
}

// endedWith is the error of a server that ran until its input or ctx ended.
func endedWith(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("serving the client: %w", err)
}
