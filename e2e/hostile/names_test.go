package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// handedIn lists the interfaces of pagewarden.d.ts whose members a page hands to the runtime: their names are names of
// options.
func handedIn() []string {
	return strings.Fields(`LoadOptions Consumer ComponentRef ErrorPayload AgentSchema CapabilityCommon ObservationDefinition
		Concurrency ActionDefinition ProcedureBinding ComponentDefinition PolicyContext DiscoveryDecision Policy AuditSink
		Limits RegistryOptions SnapshotContext InvokeRequest InvokeOptions ProcedureExecutor WireNameEntry ModelContext
		WebMcpAdapterOptions TestSurfaceOptions`)
}

// optionNames returns the members of those interfaces, and the options that functions declare in place.
func optionNames(root string) ([]string, error) {
	declared, err := os.ReadFile(filepath.Join(root, "web", "pagewarden.d.ts"))
	if err != nil {
		return nil, fmt.Errorf("reading the names of options: %w", err)
	}
	member := regexp.MustCompile(`(?m)^\s+(?:readonly )?(\w+)\??[:(<]`)
	names := strings.Fields(`allowInProduction approved capacity check current expected if includeVersion key level limit only
		reason serial signal summary windowMs requestUserInteraction snapshotContext transient retryAfterMs modelContext
		readOnlyHint consequentialHint untrustedContentHint`)
	for _, name := range handedIn() {
		body := regexp.MustCompile(`(?ms)^(?:export )?interface ` + name + `\b[^\n]*\{\n(.*?)^\}`).FindSubmatch(declared)
		if body == nil {
			return nil, fmt.Errorf("reading the names of options: pagewarden.d.ts declares no interface %s", name)
		}
		for _, found := range member.FindAllSubmatch(body[1], -1) {
			names = append(names, string(found[1]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// namesRead returns every name that the built script uses after a dot or in a pattern: what it could find on
// Object.prototype when an object does not have it.
func namesRead(root string) ([]string, error) {
	script, err := os.ReadFile(filepath.Join(root, "dist", "pagewarden.js"))
	if err != nil {
		return nil, fmt.Errorf("reading the names in the script: %w", err)
	}
	var names []string
	for _, found := range regexp.MustCompile(`\.([A-Za-z_$][\w$]*)|[{,]([A-Za-z_$][\w$]*):`).FindAllSubmatch(script, -1) {
		names = append(names, string(found[1])+string(found[2]))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	// What Object.prototype has of its own is a target elsewhere.
	return slices.DeleteFunc(names, func(name string) bool { return name == "__proto__" || name == "constructor" }), nil
}
