/** The program of a thread that renders one long text and ends. */
import { parentPort, workerData } from "node:worker_threads";
import { loadMarkdown } from "./markdown.ts";
import type { RenderTask } from "./render-markdown.ts";

// Started by `render-markdown.ts` alone.
const { method, markdown } = workerData as RenderTask;
const renderer = await loadMarkdown();
parentPort?.postMessage(renderer[method](markdown));
