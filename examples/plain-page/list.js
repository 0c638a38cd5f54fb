// A reading list that a person and the browser's agent keep together.
import { mountConfirmationDialog } from "/pagewarden-dialog.js";

const runtime = await PageWarden.ready;

// What agents may see and do. `pagewarden contract snapshot` reads it here.
const list = runtime.defineAgentComponentContract({
  type: "reading.list",
  description: "The reading list on this page",
  observations: {
    books: {
      description: "The books, with whether they have been read",
      untrustedContent: true,
      output: runtime.fromJsonSchema({
        type: "array",
        items: { type: "object", properties: { title: { type: "string" }, read: { type: "boolean" } }, required: ["title", "read"], additionalProperties: false },
      }),
    },
  },
  actions: {
    add: {
      description: "Add a book",
      effect: "local-state",
      input: runtime.fromJsonSchema({ type: "object", properties: { title: { type: "string", minLength: 1, maxLength: 80 } }, required: ["title"], additionalProperties: false }),
    },
    markRead: {
      description: "Mark a book as read, by its exact title",
      effect: "local-state",
      input: runtime.fromJsonSchema({ type: "object", properties: { title: { type: "string" } }, required: ["title"], additionalProperties: false }),
    },
    clear: { title: "Clear the list", description: "Remove every book", effect: "local-state", confirmation: "required", input: runtime.emptyObjectSchema },
  },
});

// The application, which knows nothing of agents.
let books = [{ title: "Moby-Dick", read: false }];

function show(changed) {
  books = changed;
  document.getElementById("books").replaceChildren(...books.map(({ title, read }) => {
    const item = document.createElement("li");
    item.textContent = read ? `${title} (read)` : title;
    return item;
  }));
}

show(books);
document.getElementById("new").addEventListener("submit", (event) => {
  event.preventDefault();
  show([...books, { title: event.target.elements.title.value, read: false }]);
  event.target.reset();
});

// What carries the capabilities out.
const contract = await (await fetch(".pagewarden/contract.json")).json();
const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createCapabilityAuthority(contract) });
mountConfirmationDialog(registry);

registry.register(list.bind({
  observations: { books: { read: () => books } },
  actions: {
    add: { execute: ({ title }) => show([...books, { title, read: false }]) },
    markRead: {
      execute: ({ title }) => {
        if (!books.some((book) => book.title === title)) {
          throw new runtime.AgentSurfaceError({ code: "PRECONDITION_FAILED", message: "No book has that title. Read the list first.", retry: "with-changes" });
        }
        show(books.map((book) => (book.title === title ? { title, read: true } : book)));
      },
    },
    clear: { execute: () => show([]) },
  },
}));
runtime.createWebMcpAdapter().start({ registry, consumer: { id: "browser-agent", kind: "webmcp" } });
