/** Shows nothing yet. */
export function Welcome() {
  return null;
}
