/** The tasks of changes and requests, for the pages of their tickets. */
export { TaskList } from "./task-list.tsx";
export { PlanEditor } from "./plan-editor.tsx";
export type { PlannedTask } from "./plan.ts";
