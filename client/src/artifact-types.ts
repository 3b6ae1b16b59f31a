/** A type test: compiles only if `defineArtifact` infers the correct types. */
import { defineArtifact } from "./artifact.ts";

export const greeting = defineArtifact({
  id: "greeting",
  version: "1.0.0",
  inputs: {
    name: { type: "string", required: true },
    age: { type: "integer" },
    mood: { type: "enum", values: ["good", "bad"], required: true },
  },
  outputs: { text: { type: "string", required: true }, at: { type: "timestamp" } },
  async execute(input, context) {
    const name: string = input.name;
    const age: number | null | undefined = input.age;
    const mood: "good" | "bad" = input.mood;
    // @ts-expect-error There is no such input.
    void input.nobody;
    // @ts-expect-error It may be missing.
    const surely: number = input.age;
    // @ts-expect-error It is one of two words.
    const other: "fine" = input.mood;
    const [first] = await context.tables.list("people", { filter: { name }, limit: 1 });
    context.log.info("greeting", { name, age, mood, surely, other, id: first?.id });
    if (mood === "bad") context.abort("Not today");
    return { text: `Hello, ${name}` };
  },
});

export const wrong = defineArtifact({
  outputs: { count: { type: "integer", required: true } },
  // @ts-expect-error The output is a number, and it is required.
  execute: () => ({ count: "one" }),
});
