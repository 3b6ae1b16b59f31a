/** Shows nothing yet. */
export function Editor() {
  return null;
}
