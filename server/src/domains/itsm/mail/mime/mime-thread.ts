/** The entry point of the thread that parses mails. */
import { serveTasks } from "#kernel/work/task-threads.ts";
import { parseMime } from "./parse-mime.ts";

serveTasks((raw: Uint8Array) => parseMime(raw));
