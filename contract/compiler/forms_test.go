package compiler_test

// form is one way of writing a declaration. In its texts COMPONENT, ACTION and SCHEMA stand for the functions of the
// package, so that each form can be tried with each way of getting at them.
type form struct {
	name string
	// before stands above the declaration, in the same module.
	before string
	// action is what stands for the action turn; usual is the plain one.
	action string
	more   files
	// refused is the expression that is pointed at, "" for a form that is accepted; says is part of the message, instead
	// part of the remedy.
	refused, says, instead string
}

// usual is the action that every accepted form amounts to.
const usual = `ACTION({ title: "Turn", description: "Turn the lamp", effect: "local-state", tags: ["lamp", "light"],
  input: SCHEMA({ type: "object", properties: { to: { enum: ["on", "off", -1, null, true] } }, required: ["to"] }) })`

// with is the usual action with one member written otherwise.
func with(member string) string {
	return `ACTION({ title: "Turn", description: "Turn the lamp", effect: "local-state", tags: ["lamp", "light"],
  input: SCHEMA({ type: "object", properties: { to: { enum: ["on", "off", -1, null, true] } }, required: ["to"] }),
  ` + member + ` })`
}

func accepted() []form {
	return []form{
		{name: "literals", action: usual},
		{name: "no helper", action: `({ title: "Turn", description: "Turn the lamp", effect: "local-state", tags: ["lamp", "light"],
			input: { jsonSchema: { type: "object", properties: { to: { enum: ["on", "off", -1, null, true] } }, required: ["to"] } } })`},
		{name: "template without holes", action: with("description: `Turn the lamp`")},
		{name: "as const", action: with(`description: "Turn the lamp" as const, effect: "local-state" as const`)},
		{name: "satisfies", action: with(`description: "Turn the lamp" satisfies string`)},
		{name: "as and satisfies", action: with(`description: ("Turn the lamp" as const satisfies string)!`)},
		{name: "constant", before: `const TEXT = "Turn the lamp";`, action: with("description: TEXT")},
		{name: "constant of a constant", before: `const A = "Turn the lamp", B = A; const C = B as string;`, action: with("description: C")},
		{name: "constant below", action: with("description: BELOW"), more: files{"below.ts": ""}, before: `import "./below"; function later() { return BELOW } const BELOW = "Turn the lamp"; void later;`},
		{name: "constant of another module", before: `import { TEXT } from "./texts";`, action: with("description: TEXT"),
			more: files{"texts.ts": `export const TEXT = "Turn the lamp";`}},
		{name: "renamed constant through two modules", before: `import { say } from "./one";`, action: with("description: say"), more: files{
			"one.ts": `export { told as say } from "./two";`, "two.ts": `const TEXT = "Turn the lamp"; export { TEXT as told };`}},
		{name: "star through two modules", before: `import { TEXT } from "./one";`, action: with("description: TEXT"), more: files{
			"one.ts": `export * from "./two";`, "two.ts": `export * from "./three"; export * from "./one";`, "three.ts": `export const TEXT = "Turn the lamp";`}},
		{name: "default export", before: `import text from "./text";`, action: with("description: text"), more: files{"text.ts": `export default "Turn the lamp";`}},
		{name: "namespace import", before: `import * as texts from "./texts";`, action: with("description: texts.TEXT"), more: files{"texts.ts": `export const TEXT = "Turn the lamp";`}},
		{name: "namespace export", before: `import { texts } from "./all";`, action: with(`description: texts["TEXT"]`), more: files{
			"all.ts": `export * as texts from "./texts";`, "texts.ts": `export const TEXT = "Turn the lamp";`}},
		{name: "JSON module", before: `import texts, { turn } from "./texts.json";`, action: with("title: texts.list[1], description: turn"),
			more: files{"texts.json": `{ "turn": "Turn the lamp", "list": [1.50, "Turn"] }`}},
		{name: "member of a constant", before: `const TEXTS = { turn: { text: "Turn the lamp" }, list: ["", "Turn"] };`, action: with(`title: TEXTS.list[1], description: TEXTS.turn.text`)},
		{name: "destructured constant", before: `const { turn: { text }, list: [, title], ...others } = { turn: { text: "Turn the lamp" }, list: ["", "Turn"] }; void others;`,
			action: with(`title, description: text`)},
		{name: "shorthand", before: `const description = "Turn the lamp";`, action: with("description")},
		{name: "spread of a constant object", before: `const BASE = { title: "Turn", description: "Turn the lamp", tags: ["no"] };`,
			action: `ACTION({ ...BASE, effect: "local-state", tags: ["lamp", "light"],
			input: SCHEMA({ type: "object", properties: { to: { enum: ["on", "off", -1, null, true] } }, required: ["to"] }) })`},
		{name: "spread of an imported object", before: `import { BASE } from "./base";`, more: files{"base.ts": `export const BASE = { title: "Turn", description: "Turn the lamp" };`},
			action: `ACTION({ ...BASE, effect: "local-state", tags: ["lamp", "light"],
			input: SCHEMA({ type: "object", properties: { to: { enum: ["on", "off", -1, null, true] } }, required: ["to"] }) })`},
		{name: "spread of an array and of nothing", before: `const LIGHT = ["light"];`, action: with(`tags: ["lamp", ...LIGHT, ...[]], ...undefined`)},
		{name: "helper around a constant", before: `const TURN = { title: "Turn", description: "Turn the lamp", effect: "local-state", tags: ["lamp", "light"],
			input: SCHEMA({ type: "object", properties: { to: { enum: ["on", "off", -1, null, true] } }, required: ["to"] }) } as const;`, action: `ACTION(TURN)`},
		{name: "action that is a constant", before: `const TURN = ` + usual + `;`, action: `TURN`},
		{name: "schema that is a constant", before: `const DOC = { type: "object", properties: { to: { enum: ["on", "off", -1, null, true] } }, required: ["to"] };
			const INPUT = SCHEMA(DOC);`, action: with(`input: INPUT`)},
		{name: "document of a schema", before: `const INPUT = SCHEMA({ type: "object", properties: { to: { enum: ["on", "off", -1, null, true] } }, required: ["to"] });`,
			action: with(`input: SCHEMA(INPUT.jsonSchema)`)},
		{name: "frozen constants", before: `const TAGS = Object.freeze(["lamp", "light"]);`, action: with(`tags: TAGS`)},
		{name: "enumeration of the same file", before: `enum Text { Turn = "Turn the lamp" }`, action: with(`description: Text.Turn`)},
		{name: "sum of literals, which esbuild makes one", action: with(`description: "Turn " +
			"the lamp"`)},
		{name: "undefined is absent", action: with(`output: undefined, confirmation: void 0`)},
		{name: "computed name that is a constant", before: `const KEY = "description";`, action: with(`[KEY]: "Turn the lamp", ["title"]: "Turn"`)},
		{name: "later members win", action: with(`description: "No", ...{ description: "Turn the lamp" }`)},
	}
}

func refused() []form {
	return []form{
		{name: "template with a hole", before: `const what = "lamp";`, action: with("description: `Turn the ${what}`"),
			refused: "`Turn the ${what}`", says: "a template with holes", instead: "write the text out"},
		{name: "tagged template", before: `import { tag } from "./tag";`, more: files{"tag.ts": `export const tag = String.raw;`}, action: with("description: tag`Turn`"),
			refused: "tag`Turn`", says: "tagged template", instead: "plain text"},
		{name: "operation", before: `const what = "lamp";`, action: with(`description: "Turn the " + what`), refused: `"Turn the " + what`, says: "an operation", instead: "write the result out"},
		{name: "condition", action: with(`description: navigator.onLine ? "A" : "B"`), refused: `navigator.onLine ? "A" : "B"`, says: "a condition", instead: "when"},
		{name: "call", before: `function describe() { return "Turn the lamp"; }`, action: with(`description: describe()`), refused: `describe()`, says: "what a call gives", instead: "write the value out"},
		{name: "call of a helper of one's own", before: `const object = (properties: object) => ({ type: "object", properties });`, action: with(`input: SCHEMA(object({}))`),
			refused: `object({})`, says: "what a call gives", instead: "fromJsonSchema"},
		{name: "global", action: with(`description: document.title`), refused: `document.title`, says: "nothing in the project declares document", instead: "write the value out"},
		{name: "environment", action: with(`description: import.meta.url`), refused: `import.meta.url`, says: "a property of the environment"},
		{name: "variable", before: `let text = "Turn the lamp";`, action: with(`description: text`), refused: `text`, says: "text is a variable", instead: "declare it with const"},
		{name: "variable with two values", before: `let text = "Turn"; text = "Turn the lamp";`, action: with(`description: text`), refused: `text`, says: "more than one value", instead: "const"},
		{name: "constant without a value here", before: `for (const text of ["a"]) void text; const [{ x: text = "b" }] = [{}];`, action: with(`description: text`), refused: `text`, says: "default"},
		{name: "changed constant", before: `const base = { description: "Turn" }; base.description = "Turn the lamp";`, action: with(`...base`), refused: `base.description`, says: "base is changed here", instead: "as it is in the end"},
		{name: "constant changed by a method", before: `const tags = ["lamp"]; tags.push("light");`, action: with(`tags`), refused: `tags`, says: "tags is changed here"},
		{name: "constant changed by Object.assign", before: `const base = { description: "Turn" }; Object.assign(base, { title: "x" });`, action: with(`...base`), refused: `base`, says: "base is changed here"},
		{name: "constant that is dynamic elsewhere", before: `import { TEXT } from "./text";`, action: with(`description: TEXT`), more: files{"text.ts": "\n\nexport const TEXT = Date();"}, refused: `Date()`, says: "what a call gives"},
		{name: "dynamic spread", before: `import { load as l } from "./base";`, more: files{"base.ts": `export const load = () => ({});`}, action: with(`...l()`), refused: `l()`, says: "what a call gives"},
		{name: "spread of a text", action: with(`...("abc" as any)`), refused: `"abc"`, says: "a string cannot be spread", instead: "spread an object"},
		{name: "dynamic name", action: with(`[location.hash]: 1`), refused: `location.hash`, says: "nothing in the project declares location"},
		{name: "method", action: with(`execute() { return 1; }`), refused: `execute() {`, says: "a method is code", instead: "bind("},
		{name: "getter", action: with(`get title() { return "x"; }`), refused: `title() {`, says: "a method is code", instead: "bind("},
		{name: "function", action: with(`description: () => "x"`), refused: `() => "x"`, says: "a function is code", instead: "bind("},
		{name: "class", action: with(`description: class {}`), refused: `class`, says: "a function is code"},
		{name: "new", action: with(`description: new String("x")`), refused: `new String("x")`, says: "a new object"},
		{name: "regular expression", action: with(`description: /x/`), refused: `/x/`, says: "a regular expression", instead: "pattern"},
		{name: "assignment", before: `let kept;`, action: with(`description: kept = "x"`), refused: `kept = "x"`, says: "an assignment"},
		{name: "big integer", action: with(`timeoutMs: 10n`), refused: `10n`, says: "no such number"},
		{name: "infinity", action: with(`timeoutMs: 1e999`), refused: ``, says: "nothing in the project declares Infinity"},
		{name: "half a character", action: with(`description: "\ud83d"`), refused: `"\uD83D"`, says: "half of a surrogate pair"},
		{name: "hole in an array", action: with(`tags: ["lamp", , "light"]`), refused: `["lamp", , "light"]`, says: "holes"},
		{name: "prototype", action: with(`...{ __proto__: { title: "x" } }`), refused: `__proto__: { title: "x" }`, says: "sets the prototype"},
		{name: "unknown member", before: `const T = { a: "x" };`, action: with(`description: (T as any).b`), refused: `T.b`, says: "b is not a member"},
		{name: "itself", before: `const T: any = { a: () => U }, U: any = { b: V }, V: any = U;`, action: with(`description: V`), refused: `V`, says: "defined by itself"},
		{name: "unknown field", action: with(`colour: "red"`), refused: `"red"`, says: "an action has no field colour", instead: "title, description"},
		{name: "wrong type", action: with(`title: 7`), refused: `7`, says: "title must be a string, not a number"},
		{name: "no schema", action: with(`input: { type: "object" }`), refused: `{ type: "object" }`, says: "input must be a schema", instead: "fromJsonSchema("},
		{name: "fraction", action: with(`timeoutMs: 1.5`), refused: `1.5`, says: "whole number"},
		{name: "policies by themselves", before: `import { authenticated } from "pagewarden";`, action: with(`policies: [authenticated()]`), refused: `authenticated()`, says: "what a call gives"},
		{name: "unsupported schema", action: with(`input: SCHEMA({ oneOf: [] })`), says: "oneOf"},
		{name: "wrong effect", action: with(`effect: "destructive"`), says: "effect: want local-state or navigation"},
		{name: "enumeration of another file", before: `import { Text } from "./text";`, more: files{"text.ts": `export enum Text { Turn = "Turn the lamp" }`}, action: with(`description: Text.Turn`),
			refused: `(Text2) =>`, says: "what a call gives"},
	}
}
