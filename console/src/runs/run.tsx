/** Shows nothing yet. */
export function RunPage() {
  return null;
}
