/** The worker thread that parses and inspects SQL. */
import { loadModule } from "libpg-query";
import { serveTasks } from "#kernel/work/task-threads.ts";
import { inspectStatement } from "./guard.ts";
import type { ParseRequest } from "./parser.ts";
import { inspectScript } from "./script.ts";

await loadModule();
serveTasks(({ sql, rule }: ParseRequest) =>
  rule === undefined ? inspectScript(sql) : inspectStatement(sql, rule),
);
