/** The program of a thread that turns Markdown into elements. */
import { serveTasks } from "#kernel/work/task-threads.ts";
import { loadMarkdownElements } from "./markdown-elements.ts";

serveTasks(await loadMarkdownElements());
