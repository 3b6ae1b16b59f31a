/** The entry point of the thread that validates form values. */
import { serveTasks } from "#kernel/work/task-threads.ts";
import { checkValues } from "./check-values.ts";
import type { FormTask } from "./validate-values.ts";

serveTasks(({ form, values }: FormTask) => checkValues(form, values));
