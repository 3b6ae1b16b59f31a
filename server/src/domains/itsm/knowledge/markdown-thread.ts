/** The program of a thread that reads one long text and ends. */
import { parentPort, workerData } from "node:worker_threads";
import { markdownReader } from "./markdown.ts";
import type { RenderedMarkdown } from "./render-markdown.ts";

// Our own code starts it, with nothing else.
const { way, markdown } = workerData as RenderedMarkdown;
const reader = await markdownReader();
parentPort?.postMessage(reader[way](markdown));
