// Entry of the page. The application comes first and stands alone; what makes it usable for agents is added after it
// and may fail without harm.
import { startApplication } from "./app/main.js";

const app = startApplication(document);

try {
  const { startAgentSurface } = await import("./agent.js");
  await startAgentSurface(app, document);
} catch (error) {
  console.warn("The page runs without agent tools:", error);
}
