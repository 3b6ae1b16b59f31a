/** The examples, for users who install one later. */
export { type Landing, setUp } from "./examples/example.ts";
export { type Intent, INTENTS } from "./intents.ts";
