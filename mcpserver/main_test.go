package mcpserver_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when anything is left running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
