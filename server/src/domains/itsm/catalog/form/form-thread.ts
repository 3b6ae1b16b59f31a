/** The program of a thread that checks values by forms. */
import { serveTasks } from "#kernel/work/task-threads.ts";
import { checkValues } from "./check-values.ts";
import type { FormTask } from "./validate-values.ts";

serveTasks(({ form, values }: FormTask) => checkValues(form, values));
