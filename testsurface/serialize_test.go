package testsurface_test

import (
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/testsurface"
)

func TestSerializeJSONKeepsWhatItDoesNotKnow(t *testing.T) {
	for _, test := range []struct {
		name, snapshot, want string
		options              testsurface.SerializeOptions
	}{
		{"nothing", `{}`, "{}", testsurface.SerializeOptions{}},
		{"what changes from run to run", `{"surfaceId":"s","surfaceVersion":"7","capturedAt":"now"}`, "{}", testsurface.SerializeOptions{}},
		{"the version on request", `{"surfaceVersion":"7"}`, "{\n  \"surfaceVersion\": \"7\"\n}", testsurface.SerializeOptions{IncludeVersion: true}},
		{"ids in order of appearance", `{"components":[{"registrationId":"x"},{"registrationId":"y"}],"procedures":[{"registrationId":"x"}]}`,
			"{\n  \"components\": [\n    {\n      \"registrationId\": \"<reg#1>\"\n    },\n    {\n      \"registrationId\": \"<reg#2>\"\n    }\n  ],\n" +
				"  \"procedures\": [\n    {\n      \"registrationId\": \"<reg#1>\"\n    }\n  ]\n}", testsurface.SerializeOptions{}},
		{"odd shapes", `{"components":5,"procedures":[6,{"registrationId":7}],"more":null}`,
			"{\n  \"components\": 5,\n  \"procedures\": [\n    6,\n    {\n      \"registrationId\": 7\n    }\n  ],\n  \"more\": null\n}", testsurface.SerializeOptions{}},
	} {
		if got := testsurface.SerializeJSON(capability.JSON(test.snapshot), test.options); got != test.want {
			t.Errorf("%s: got %s; want %s", test.name, got, test.want)
		}
	}
}
