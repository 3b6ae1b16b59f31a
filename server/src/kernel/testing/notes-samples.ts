import { noteResource } from "./notes.ts";
import { resourceSamples } from "./samples.ts";

let count = 0;

export const samples = resourceSamples(noteResource, async () => {
  count += 1;
  return { title: `Note ${count}`, body: "Text" };
});
