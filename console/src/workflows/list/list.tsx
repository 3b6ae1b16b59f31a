/** Shows nothing yet. */
export function WorkflowList() {
  return null;
}
