package jsbridge

// Page is the script's side of the bridge. Its methods never panic: whatever a page's code throws comes
// back as an Answer. They may call Bridge.Do before they return, since a page's code runs inside them.
type Page interface {
	// Ask calls the page's code and gives its answer, or AnswerPending when the answer will come by OpSettle
	// for ticket. A ticket of 0 means that the answer cannot be waited for.
	Ask(q Question, a, b, ticket int32, text string) (Answer, string)

	// Tell lets the page know of something.
	Tell(n News, a, b int32, text string)
}
