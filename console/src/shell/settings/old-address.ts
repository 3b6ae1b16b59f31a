/** Old path prefixes and their replacements. The rest of the address is kept. */
const MOVED: readonly (readonly [from: string, to: string])[] = [
  ["/account", "/settings/account"],
  ["/audit", "/settings/audit"],
  ["/desk/settings", "/settings/desk"],
  ["/operation", "/settings/operation"],
  ["/people", "/settings/people"],
  ["/roles", "/settings/roles"],
  ["/settings/programs", "/settings/api"],
];

/** Returns the new path of a screen; undefined if it has not moved. */
export function movedTo(path: string): string | undefined {
  const move = MOVED.find(([from]) => path === from || path.startsWith(`${from}/`));
  return move && `${move[1]}${path.slice(move[0].length)}`;
}
