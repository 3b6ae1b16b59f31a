/** Tasks of changes and requests, used on ticket pages. */
export { TaskList } from "./task-list.tsx";
export { PlanEditor } from "./plan-editor.tsx";
export type { PlannedTask } from "./plan.ts";
