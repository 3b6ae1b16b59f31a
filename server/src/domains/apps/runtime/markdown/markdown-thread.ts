/** The worker thread that converts Markdown to elements. */
import { serveTasks } from "#kernel/work/task-threads.ts";
import { loadMarkdownElements } from "./markdown-elements.ts";

serveTasks(await loadMarkdownElements());
