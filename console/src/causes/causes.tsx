/** Shows nothing yet. */
export function Causes() {
  return null;
}
