package main

import "strings"

// internalNames are properties that only the script's own objects have: the bundler gives them short names. None
// of them may be part of the API, of a message between the script and the module, or of an object of the browser;
// a test looks for the first two.
func internalNames() []string {
	return strings.Fields(`
		abortAll answer answerAdapters askAll body builtInText byNumber checkDefinition clockNow controller createForTools dead depth describeBy developing
		die disposed explainTo first frame free freeOwner freePolicies group guests home hostContext idle imports
		index inputBytes keepBuiltIn keepDefinition keepOwner keepParse keepPolicy kept line listeners live
		loseAll markSchema members nexts ofTools offeringOf onDeath outer outputBytes over owner policyOf promise reject release
		reserve rest returned second self send settleNext shapeTable sizes source stopped surfaceOf tooLong users voting
		watchers words writeBy writePolicies`)
}

// mangled is the expression that the bundler takes for internalNames.
func mangled() string { return "^(" + strings.Join(internalNames(), "|") + ")$" }
