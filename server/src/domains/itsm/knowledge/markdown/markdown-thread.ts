/** The entry point of the thread that renders long texts. */
import { serveTasks } from "#kernel/work/task-threads.ts";
import { loadMarkdown } from "./markdown.ts";
import type { RenderTask } from "./render-markdown.ts";

const renderer = await loadMarkdown();
serveTasks(({ method, markdown }: RenderTask) => renderer[method](markdown));
