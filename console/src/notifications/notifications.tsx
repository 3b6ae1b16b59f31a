/** Shows nothing yet. */
export function Notifications() {
  return null;
}
