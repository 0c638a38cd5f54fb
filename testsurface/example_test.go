package testsurface_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/testsurface"
)

func Example() {
	t := &testing.T{} // in a test: the test's own
	s := testsurface.New(t, testsurface.Options{})
	defer s.Dispose()
	s.Register(&registry.Component{
		Type: "house.door", Description: "The door",
		Actions: []registry.Action{registry.TypedAction(registry.Action{
			Name: "open", Description: "Opens the door", Effect: capability.LocalState, Confirmation: capability.Required,
			Input: registry.Schema{Document: `{"type":"object"}`},
		}, func(context.Context, registry.None, *registry.Call) (string, error) { return "open", nil })},
	})

	open := registry.Request{CapabilityID: "view:house.door.open"}
	asked := s.Invoke(open)
	fmt.Println(asked.Error.Code)
	s.Approve() // the only one that is pending
	open.ConfirmationID = asked.Error.Detail("confirmationId")
	fmt.Println(s.Invoke(open).Output)
	// Output:
	// CONFIRMATION_REQUIRED
	// "open"
}

func ExampleSerialize() {
	s := testsurface.New(&testing.T{}, testsurface.Options{})
	defer s.Dispose()
	s.Register(&registry.Component{
		Type: "house.door", Description: "The door",
		Observations: []registry.Observation{registry.TypedObservation(
			registry.Observation{Name: "state", Description: "Open or closed", Output: registry.Schema{Document: `{"type":"string"}`}},
			func(context.Context, *registry.Call) (string, error) { return "closed", nil },
		)},
	})
	fmt.Println(testsurface.Serialize(s.Snapshot(), testsurface.SerializeOptions{}))
	// Output:
	// {
	//   "components": [
	//     {
	//       "type": "house.door",
	//       "instanceId": "default",
	//       "registrationId": "<reg#1>",
	//       "description": "The door",
	//       "observations": [
	//         {
	//           "capabilityId": "view:house.door.state",
	//           "name": "state",
	//           "description": "Open or closed",
	//           "outputSchema": {
	//             "type": "string"
	//           },
	//           "available": true
	//         }
	//       ],
	//       "actions": []
	//     }
	//   ],
	//   "procedures": []
	// }
}
