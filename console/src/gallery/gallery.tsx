/** Shows nothing yet. */
export function Gallery() {
  return null;
}
